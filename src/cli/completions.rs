//! `damka completions`

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use super::exit::Exit;
use super::out::print;

/// Write a script that completes arguments in a shell.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka completions bash > ~/.local/share/bash-completion/completions/damka
  damka completions fish > ~/.config/fish/completions/damka.fish")]
pub struct Args {
    /// The shell.
    shell: Shell,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "damka", &mut script);
    print(&script)?;
    Ok(Exit::Done)
}
