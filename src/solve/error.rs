//! Why something is not solved: a pair, a unit, a distance.

use super::shelf::ShelfError;
use crate::index::{Material, Pair};

/// Why a pair could not be solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The monitor asked for it.
    #[error("stopped")]
    Stopped,
    /// A pair that moves lead to is not among the finished ones.
    #[error("{} is not solved yet", pair.first())]
    Missing {
        /// The pair.
        pair: Pair,
    },
    /// The pair is larger than this program can number in memory.
    #[error("{} has too many placements to be solved here", pair.first())]
    TooLarge {
        /// The pair.
        pair: Pair,
    },
    /// There is not enough memory.
    #[error("no memory for {bytes} bytes, to solve {}", pair.first())]
    Memory {
        /// The pair.
        pair: Pair,
        /// Bytes that could not be had.
        bytes: u64,
    },
    /// What tables store of a slice are not values of its positions.
    #[error("the tables of {slice} do not belong together")]
    Unusable {
        /// The slice.
        slice: Material,
    },
    /// A distance is beyond what tables hold.
    #[error("{} has distances that are too long to be kept", pair.first())]
    TooLong {
        /// The pair.
        pair: Pair,
    },
    /// What is outside memory could not be read or written.
    #[error("while {} is worked on", pair.first())]
    Shelf {
        /// The pair that was being worked on.
        pair: Pair,
        /// What went wrong.
        source: ShelfError,
    },
}

/// A decided distance is longer than the scores can hold.
#[derive(Debug)]
pub(crate) struct TooLong;

/// Why a unit was not solved.
pub(crate) enum UnitError {
    TooLong,
    Shelf(ShelfError),
}

impl From<TooLong> for UnitError {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

impl From<ShelfError> for UnitError {
    fn from(error: ShelfError) -> Self {
        Self::Shelf(error)
    }
}
