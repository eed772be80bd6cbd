//! Why a position has no answer.

use std::path::PathBuf;
use std::sync::Arc;

use crate::index::Material;
use crate::rules::Variant;
use crate::store::{Metric, StoreError};

/// Why a position has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The position is one of another variant than the tables.
    #[error("a position of {found}, asked of tables of {expected}")]
    OtherVariant {
        /// The variant of the tables.
        expected: Variant,
        /// That of the position.
        found: Variant,
    },
    /// The table of a slice that the answer depends on is not there.
    #[error("no table {slice}.{metric} of {variant}{}", list(folders))]
    Missing {
        /// The variant.
        variant: Variant,
        /// The slice, maybe another one than that of the position asked for: one with fewer pieces or men, or its twin.
        slice: Material,
        /// Which of its tables.
        metric: Metric,
        /// Folders in which it was looked for.
        folders: Vec<PathBuf>,
    },
    /// The position has more pieces than any table.
    #[error("no table of {variant} holds positions of {pieces} pieces")]
    TooManyPieces {
        /// The variant.
        variant: Variant,
        /// Pieces on the board.
        pieces: u32,
    },
    /// A table is there and cannot be used.
    #[error(transparent)]
    Table(Arc<StoreError>),
    /// The answer is not in the cache, and nothing may be read.
    #[error("not in the cache")]
    NotCached,
    /// The tables of a slice contradict each other, or those of its twin.
    #[error("{} does not belong to the tables beside it", path.display())]
    Mismatch {
        /// The `.dtw` file of the slice, or its `.wld` file if there is no other.
        path: PathBuf,
    },
}

fn list(folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    if names.is_empty() { String::new() } else { format!(" in {}", names.join(", ")) }
}

impl From<StoreError> for ProbeError {
    fn from(error: StoreError) -> Self {
        Self::Table(Arc::new(error))
    }
}

impl ProbeError {
    /// Whether a table is simply not there, so that a larger set would have the answer.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::TooManyPieces { .. } => true,
            Self::Table(error) => error.is_missing(),
            Self::OtherVariant { .. } | Self::NotCached | Self::Mismatch { .. } => false,
        }
    }
}
