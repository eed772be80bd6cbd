//! Why a build ended before it was done.

use std::io;
use std::path::PathBuf;

use crate::index::Material;
use crate::rules::Variant;
use crate::solve::SolveError;
use crate::store::StoreError;

/// Why a build ended before it was done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Another build works in the folder.
    #[error("another build is at work in {}", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// Fewer than 2 pieces, or more than can be numbered.
    #[error("slices have from 2 to {most} pieces, not {pieces}")]
    Pieces {
        /// What was asked for.
        pieces: u32,
        /// The most there can be.
        most: u32,
    },
    /// A slice of so many pieces cannot be solved; nothing is built then, small slices neither.
    #[error(
        "{slice} of {variant} has too many placements to be solved; up to {most} pieces can be built"
    )]
    TooLarge {
        /// The variant.
        variant: Variant,
        /// The first slice, in the order of building, that is too large.
        slice: Material,
        /// Most pieces of which all slices can be solved.
        most: u32,
    },
    /// Not even with all that is not needed at the moment on the disk would there be memory enough.
    #[error(
        "{variant} with {pieces} pieces needs {} MB of memory at least, and may use {} MB",
        needed.div_ceil(1_000_000), given / 1_000_000
    )]
    Memory {
        /// The variant.
        variant: Variant,
        /// Most pieces that were asked for.
        pieces: u32,
        /// Bytes that would be enough.
        needed: u64,
        /// Bytes that may be used.
        given: u64,
    },
    /// The monitor asked for it.
    #[error("stopped; the same command goes on from here")]
    Stopped,
    /// The folder could not be made, or locked.
    #[error("cannot use the folder {}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A table could not be written, or one that is there could not be read.
    #[error(transparent)]
    Store(StoreError),
    /// A pair could not be solved.
    #[error(transparent)]
    Solve(SolveError),
}

impl From<StoreError> for BuildError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Stopped => Self::Stopped,
            StoreError::Cells { material, source } => match source.downcast::<SolveError>() {
                Ok(error) => (*error).into(),
                Err(source) => Self::Store(StoreError::Cells { material, source }),
            },
            error => Self::Store(error),
        }
    }
}

impl From<SolveError> for BuildError {
    fn from(error: SolveError) -> Self {
        match error {
            SolveError::Stopped => Self::Stopped,
            SolveError::Shelf { pair, source } => match source.downcast::<StoreError>() {
                Ok(error) => (*error).into(),
                Err(source) => Self::Solve(SolveError::Shelf { pair, source }),
            },
            error => Self::Solve(error),
        }
    }
}
