//! How a solver is watched and stopped.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Told how a solver gets on, and asked whether it should go on.
pub trait Monitor: Sync {
    /// Asked often, from any thread. To say so once is enough.
    fn should_stop(&self) -> bool {
        false
    }

    /// So many more positions (placements with one side to move) are solved.
    fn advance(&self, positions: u64) {
        let _ = positions;
    }

    /// So many more positions need not be solved: an earlier run has kept them.
    fn kept(&self, positions: u64) {
        let _ = positions;
    }

    /// Asked before a pair is solved: fills in the finished placements that were kept of an earlier run, from the first on, with one
    /// side to move and with the other, and returns how many that are.
    fn resume(&self, halves: [&mut [u8]; 2]) -> usize {
        let _ = halves;
        0
    }

    /// These placements are finished, from the first on; told after each level.
    fn finished(&self, halves: [&[u8]; 2]) {
        let _ = halves;
    }
}

/// Nobody watches.
impl Monitor for () {}

/// Remembers that a monitor wanted to stop: a task leaves its unit out then, and whoever waits for
/// it must hear the same when he asks, or the unit would pass for solved.
pub(super) struct Latch<'a> {
    monitor: &'a dyn Monitor,
    stopped: AtomicBool,
}

impl<'a> Latch<'a> {
    pub(super) fn new(monitor: &'a dyn Monitor) -> Self {
        Latch { monitor, stopped: AtomicBool::new(false) }
    }
}

impl Monitor for Latch<'_> {
    fn should_stop(&self) -> bool {
        if self.monitor.should_stop() {
            self.stopped.store(true, Relaxed);
        }
        self.stopped.load(Relaxed)
    }

    fn advance(&self, positions: u64) {
        self.monitor.advance(positions);
    }

    fn kept(&self, positions: u64) {
        self.monitor.kept(positions);
    }

    fn resume(&self, halves: [&mut [u8]; 2]) -> usize {
        self.monitor.resume(halves)
    }

    fn finished(&self, halves: [&[u8]; 2]) {
        self.monitor.finished(halves);
    }
}
