//! The command line of damka.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
