//! What is finished of a pair goes to the disk while the rest is solved.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::report::{BuildEvent, BuildMonitor};
use crate::index::Pair;
use crate::rules::Variant;
use crate::solve::Monitor;
use crate::store::{StoreError, WorkCopy, WorkSize};

/// Passes on what a solver says, and keeps what it has finished.
pub(super) struct SolveMonitor<'a> {
    pub(super) build: &'a dyn BuildMonitor,
    /// Whether the positions are among the planned ones.
    pub(super) is_planned: bool,
    /// Positions that an earlier build had kept.
    pub(super) kept: AtomicU64,
    pub(super) keeper: Option<Mutex<Keeper<'a>>>,
    /// Once something could not be kept, the build ends.
    pub(super) failed: AtomicBool,
}

/// The finished part of the pair that is being solved, on the disk.
pub(super) struct Keeper<'a> {
    pub(super) folder: &'a Path,
    pub(super) variant: Variant,
    pub(super) pair: Pair,
    pub(super) size: WorkSize,
    /// Most pieces of the build.
    pub(super) pieces: u32,
    pub(super) every: Duration,
    pub(super) last: Instant,
    pub(super) copy: Option<WorkCopy>,
    pub(super) error: Option<StoreError>,
}

impl Keeper<'_> {
    fn open(&mut self) -> Result<&WorkCopy, StoreError> {
        if self.copy.is_none() {
            let &mut Keeper { folder, variant, pair, size, pieces, .. } = self;
            self.copy = Some(WorkCopy::open(folder, variant, pair, size, pieces)?);
        }
        Ok(self.copy.as_ref().expect("opened just now"))
    }

    /// Fills in what an earlier build has kept.
    fn resume(&mut self, halves: [&mut [u8]; 2]) -> Result<usize, StoreError> {
        if !WorkCopy::path(self.folder, self.pair).exists() {
            return Ok(0);
        }
        let pieces = self.pieces;
        let copy = self.open()?;
        match copy.is_wide() {
            false => Ok(copy.load(halves)? as usize),
            // Of no use in memory, but to the larger build: nothing of the pair is kept in its place.
            true if copy.kept_for() > pieces => {
                self.every = Duration::MAX;
                Ok(0)
            }
            true => {
                copy.clear(false)?;
                Ok(0)
            }
        }
    }

    /// Keeps what is finished, if it is time.
    fn keep(&mut self, halves: [&[u8]; 2]) -> Result<(), StoreError> {
        if self.last.elapsed() < self.every {
            return Ok(());
        }
        self.open()?.append(halves)?;
        self.last = Instant::now();
        Ok(())
    }
}

impl<'a> SolveMonitor<'a> {
    pub(super) fn new(build: &'a dyn BuildMonitor, is_planned: bool) -> Self {
        let (kept, failed) = (AtomicU64::new(0), AtomicBool::new(false));
        SolveMonitor { build, is_planned, kept, keeper: None, failed }
    }

    fn with_keeper<T: Default>(
        &self,
        work: impl FnOnce(&mut Keeper) -> Result<T, StoreError>,
    ) -> T {
        let Some(keeper) = &self.keeper else { return T::default() };
        let mut keeper = keeper.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut keeper).unwrap_or_else(|error| {
            keeper.error = Some(error);
            self.failed.store(true, Relaxed);
            T::default()
        })
    }

    /// Why something could not be kept.
    pub(super) fn into_error(self) -> Option<StoreError> {
        self.keeper?.into_inner().unwrap_or_else(PoisonError::into_inner).error
    }
}

impl Monitor for SolveMonitor<'_> {
    fn should_stop(&self) -> bool {
        self.failed.load(Relaxed) || self.build.should_stop()
    }

    fn advance(&self, positions: u64) {
        if self.is_planned {
            self.build.event(&BuildEvent::Advanced(positions));
        }
    }

    fn kept(&self, positions: u64) {
        self.kept.fetch_add(positions, Relaxed);
        if self.is_planned {
            self.build.event(&BuildEvent::Kept(positions));
        }
    }

    fn resume(&self, halves: [&mut [u8]; 2]) -> usize {
        self.with_keeper(|keeper| keeper.resume(halves))
    }

    fn finished(&self, halves: [&[u8]; 2]) {
        self.with_keeper(|keeper| keeper.keep(halves));
    }
}
