//! Scores of units that are not in memory.

use std::fmt::Debug;

/// What a [`Shelf`] says went wrong.
pub type ShelfError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps the scores of a pair outside memory, one placement of men at a time. The solver numbers them by the slot in which
/// they come, which depends on nothing but rules and pair. Shared by threads.
pub trait Shelf: Debug + Send + Sync {
    /// Whether the scores take two bytes each, and not one.
    fn is_wide(&self) -> bool;

    /// Forgets everything, and takes scores of two bytes from now on, or of one.
    ///
    /// # Errors
    /// If what is kept cannot be forgotten.
    fn clear(&self, wide: bool) -> Result<(), ShelfError>;

    /// Whether the scores of a slot are kept.
    fn has(&self, slot: usize) -> bool;

    /// Keeps the scores of a slot, with one side to move and with the other.
    ///
    /// # Errors
    /// If they cannot be kept.
    fn put(&self, slot: usize, halves: [&[u8]; 2]) -> Result<(), ShelfError>;

    /// Fills in the scores of a slot that are kept, with one side to move.
    ///
    /// # Errors
    /// If they cannot be read, or are not what was kept.
    fn get(&self, slot: usize, side: usize, scores: &mut [u8]) -> Result<(), ShelfError>;

    /// Called after a level, when no unit is under way: what is kept may be made to outlast the process.
    ///
    /// # Errors
    /// If it cannot.
    fn settle(&self) -> Result<(), ShelfError> {
        Ok(())
    }
}
