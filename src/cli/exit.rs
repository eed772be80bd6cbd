//! Exit codes, and which error ends in which.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use damka::builder::BuildError;
use damka::classics::ClassicsError;
use damka::notation::FenError;
use damka::probe::ProbeError;
use damka::solve::SolveError;
use damka::store::StoreError;

/// How the program ends. The numbers are part of the interface: see `docs/cli.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Done = 0,
    /// Faults were found in tables, or lines had no answer.
    Faults = 1,
    /// The arguments make no sense.
    Usage = 2,
    /// A text is not a position.
    BadPosition = 3,
    /// A table or a folder is not there.
    Missing = 4,
    /// A table is there and cannot be used.
    Broken = 5,
    /// Another build holds the folder.
    InUse = 6,
    /// There is not the memory that a build needs.
    NoMemory = 7,
    /// A limit or a fault of the program.
    Internal = 70,
    /// The system failed to read or write.
    Io = 74,
    /// Stopped by a signal.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// What is wrong with a folder that is none.
fn no_folder(path: &Path) -> String {
    match path.exists() {
        true => format!("{} is not a folder", path.display()),
        false => format!("there is no folder {}", path.display()),
    }
}

/// What the command line itself has to complain about.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A folder of tables is not there.
    #[error("{}{hint}", no_folder(path))]
    MissingFolder {
        /// The folder.
        path: PathBuf,
        /// What helps, with a leading sign; may be empty.
        hint: String,
    },
    /// No table of the variant is in the folders.
    #[error("no tables of {variant} in {folders} (`{command}` makes them)")]
    NoTables {
        /// Name of the variant.
        variant: &'static str,
        /// The folders.
        folders: String,
        /// The command that helps.
        command: String,
    },
    /// A table is not there.
    #[error("{error} ({advice})")]
    MissingTable {
        /// Which one, and where it was looked for.
        error: ProbeError,
        /// What helps, or why nothing does.
        advice: String,
    },
    /// What was given as a file of games cannot be one.
    #[error("{} is {kind}, not a file of games", path.display())]
    NotAFile {
        /// What was given.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
}

impl Exit {
    /// The code for an error: that of the first of its causes which has one.
    pub fn of(error: &anyhow::Error) -> Self {
        let code = |cause: &(dyn std::error::Error + 'static)| {
            if let Some(error) = cause.downcast_ref::<CliError>() {
                Some(match error {
                    CliError::MissingFolder { .. }
                    | CliError::NoTables { .. }
                    | CliError::MissingTable { .. } => Self::Missing,
                    CliError::NotAFile { .. } => Self::Usage,
                })
            } else if let Some(error) = cause.downcast_ref::<BuildError>() {
                Some(Self::of_build(error))
            } else if let Some(error) = cause.downcast_ref::<ProbeError>() {
                Some(Self::of_probe(error))
            } else if let Some(error) = cause.downcast_ref::<StoreError>() {
                Some(Self::of_store(error))
            } else if cause.is::<FenError>() {
                Some(Self::BadPosition)
            } else if cause.is::<ClassicsError>() {
                Some(Self::Usage)
            } else {
                cause.is::<io::Error>().then_some(Self::Io)
            }
        };
        error.chain().find_map(code).unwrap_or(Self::Internal)
    }

    fn of_build(error: &BuildError) -> Self {
        match error {
            BuildError::Locked { .. } => Self::InUse,
            BuildError::Pieces { .. } | BuildError::TooLarge { .. } => Self::Usage,
            BuildError::Memory { .. } | BuildError::Solve(SolveError::Memory { .. }) => {
                Self::NoMemory
            }
            BuildError::Stopped | BuildError::Solve(SolveError::Stopped) => Self::Interrupted,
            BuildError::Folder { .. } => Self::Io,
            BuildError::Store(error) => Self::of_store(error),
            BuildError::Solve(SolveError::Unusable { .. }) => Self::Broken,
            _ => Self::Internal,
        }
    }

    /// The code for a position without an answer.
    pub fn of_probe(error: &ProbeError) -> Self {
        match error {
            ProbeError::Missing { .. } | ProbeError::TooManyPieces { .. } => Self::Missing,
            ProbeError::Table(error) => Self::of_store(error),
            ProbeError::Mismatch { .. } => Self::Broken,
            _ => Self::Internal,
        }
    }

    fn of_store(error: &StoreError) -> Self {
        match error {
            StoreError::Missing { .. } => Self::Missing,
            StoreError::Io { .. } | StoreError::InUse { .. } => Self::Io,
            StoreError::Stopped => Self::Interrupted,
            StoreError::Version { .. }
            | StoreError::OtherVariant { .. }
            | StoreError::OtherRules { .. }
            | StoreError::NotAWorkCopy { .. }
            | StoreError::OtherSlice { .. }
            | StoreError::OtherMetric { .. }
            | StoreError::Positions { .. } => Self::Broken,
            error if error.is_corrupt() => Self::Broken,
            _ => Self::Internal,
        }
    }
}

/// An error with its causes, in one line. Causes that the text before repeats already are left out.
pub fn one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    super::text::printable(&text)
}

/// Whether the reader of standard output has gone away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
