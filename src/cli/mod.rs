//! Arguments, one file for each subcommand, and what they share. Only this part of damka prints and exits.

mod build;
mod classics;
mod completions;
mod exit;
mod folders;
mod info;
mod interrupt;
#[cfg(feature = "lab")]
mod lab;
mod lines;
mod longest;
mod out;
mod pdn;
mod plan;
mod probe;
mod progress;
mod screen;
mod solving;
mod squares;
mod stats;
mod text;
mod variants;
mod verify;

use std::io;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use damka::Variant;
use damka::threads::Threads;

use exit::Exit;

/// Endgame tablebases of draughts: build, probe, verify.
///
/// Distances are plies (moves of one player) to the end of the game, the winner hurrying and the
/// loser delaying. Values are those of the side to move.
#[derive(Parser)]
#[command(name = "damka", version, after_help = AFTER_HELP, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  damka build russian --pieces 4
  damka probe russian \"W:WKa1,Kc1,Kc3:BKb8\"
  damka stats russian

Environment:
  DAMKA_PATH  folders of tables, separated as in PATH; used where no --db is given. Without it tables
              are looked for in `tables`, then in the folder for the user's data (`damka info` says which)

Exit codes:
  0    done
  1    faults found (verify), lines or games without an answer (probe), or games that disagree
  2    wrong arguments
  3    not a position
  4    a table or folder that is needed is missing
  5    a table is broken, or made by other rules or a newer program
  6    another build is at work in the folder
  7    the build needs more memory than it may use
  70   a table could not be solved: a limit or a fault of the program
  74   the system failed to read or write
  130  interrupted";

#[derive(Subcommand)]
enum Command {
    Build(build::Args),
    Plan(plan::Args),
    Probe(probe::Args),
    Stats(stats::Args),
    Longest(longest::Args),
    Classics(classics::Args),
    #[cfg(feature = "lab")]
    Lab(lab::Args),
    Info(info::Args),
    Verify(verify::Args),
    Variants(variants::Args),
    Completions(completions::Args),
}

/// Runs the program.
pub fn main() -> ExitCode {
    ignore_file_size_signal();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are "errors" of clap too. What is lost on a closed pipe is lost.
            let printed = error.print();
            return match (error.exit_code(), printed) {
                (0, Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => {
                    complain(&out::named(error).to_string());
                    Exit::Io.into()
                }
                (0, _) => Exit::Done.into(),
                _ => Exit::Usage.into(),
            };
        }
    };
    let result = match &cli.command {
        Command::Build(args) => build::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Probe(args) => probe::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Longest(args) => longest::run(args),
        Command::Classics(args) => classics::run(args),
        #[cfg(feature = "lab")]
        Command::Lab(args) => lab::run(args),
        Command::Info(args) => info::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Variants(args) => variants::run(args),
        Command::Completions(args) => completions::run(args),
    };
    match result {
        Ok(exit) => exit.into(),
        // Whoever reads the output has seen enough.
        Err(error) if exit::is_broken_pipe(&error) => Exit::Done.into(),
        Err(error) => {
            complain(&exit::one_line(&error));
            Exit::of(&error).into()
        }
    }
}

/// Says something on standard error; that it may be closed is no reason to stop.
fn complain(text: &str) {
    screen::say(&format!("damka: {text}"));
}

/// Says in one line that something did not go as it should, and why.
fn complain_of(error: &(impl std::error::Error + ?Sized)) {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    complain(&format!("{error}{cause}"));
}

/// Starts so many threads, 0 for as many as there are cores, and says so if there are fewer.
fn start_threads(threads: usize) -> Threads {
    let threads = Threads::start(threads);
    if let Some(shortfall) = threads.shortfall() {
        complain_of(shortfall);
    }
    threads
}

/// A file that reaches the size that the system allows is then an error, as a full disk is, and not the end of the program.
fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: takes no pointer, and what is ignored runs no code.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Says on standard error which rules the tables do not know, where standard output is for programs.
fn warn_of_left_out(variant: Variant) {
    for rule in variant.rules().left_out {
        complain(&format!("not in the tables: {rule}"));
    }
}

/// Reads the name of a variant.
fn variant_parser() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(Variant::ALL.iter().map(|variant| variant.name()))
        .try_map(|name| name.parse::<Variant>())
}
