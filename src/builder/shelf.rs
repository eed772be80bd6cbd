//! Working copies as shelves of a solver.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::index::Pair;
use crate::rules::Variant;
use crate::solve::{PairMemory, Shelf, ShelfError};
use crate::store::{WorkCopy, WorkSize};

/// Size of the working copy of a pair.
pub(super) fn work_size(variant: Variant, pair: Pair) -> WorkSize {
    size_of(&PairMemory::of(variant, pair, 1))
}

fn size_of(&PairMemory { places, unit, .. }: &PairMemory) -> WorkSize {
    WorkSize { slots: places, unit }
}

/// Whether a pair that takes so much memory can be worked on outside it, unit by unit.
pub(super) fn fits_shelf(pair: &PairMemory) -> bool {
    size_of(pair).is_by_slot()
}

/// A pair on the disk.
#[derive(Debug)]
pub(super) struct DiskShelf {
    copy: WorkCopy,
    /// What was put there is brought to the disk when the last time was so long ago.
    every: Duration,
    last: Mutex<Instant>,
}

impl DiskShelf {
    /// A working copy as a shelf, which is brought to the disk every so often.
    ///
    /// # Panics
    /// If the pair does not fit a shelf.
    pub fn new(copy: WorkCopy, every: Duration) -> Self {
        assert!(copy.size().is_by_slot());
        DiskShelf { copy, every, last: Mutex::new(Instant::now()) }
    }

    pub fn copy(&self) -> &WorkCopy {
        &self.copy
    }
}

impl Shelf for DiskShelf {
    fn is_wide(&self) -> bool {
        self.copy.is_wide()
    }

    fn clear(&self, wide: bool) -> Result<(), ShelfError> {
        Ok(self.copy.clear(wide)?)
    }

    fn has(&self, slot: usize) -> bool {
        self.copy.has(slot)
    }

    fn put(&self, slot: usize, halves: [&[u8]; 2]) -> Result<(), ShelfError> {
        Ok(self.copy.put(slot, halves)?)
    }

    fn get(&self, slot: usize, side: usize, scores: &mut [u8]) -> Result<(), ShelfError> {
        self.copy.get(slot, side, scores).map_err(|error| {
            if error.is_corrupt() {
                // The next build finds it missing, and not damaged again.
                self.copy.forget(slot);
                let _ = self.copy.sync();
            }
            error.into()
        })
    }

    fn settle(&self) -> Result<(), ShelfError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() >= self.every {
            self.copy.sync()?;
            *last = Instant::now();
        }
        Ok(())
    }
}
