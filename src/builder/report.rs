//! What a build says while it works, and at its end.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::index::Pair;
use crate::threads::Shortfall;

/// How a build gets on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildEvent<'a> {
    /// The file system of the folder has no locks: nothing keeps another build away, and what killed builds have left there stays.
    NoLock {
        /// The folder.
        folder: &'a Path,
        /// What the system said.
        source: &'a io::Error,
    },
    /// Fewer threads than were wanted will work.
    FewerThreads(&'a Shortfall),
    /// The plan is made.
    Planned {
        /// Slices in all, done ones included.
        slices: usize,
        /// Slices that are done already.
        done: usize,
        /// Positions of the slices to be built, one side to move.
        positions: u64,
        /// Positions of other slices, which those to be built depend on: their tables are there, and they are solved again.
        again: u64,
        /// Estimate of the most memory that will be in use, in bytes.
        memory: u64,
    },
    /// A pair whose tables are there is read or solved again, because slices to come depend on it.
    Restoring(Pair),
    /// A pair that is not needed at the moment goes from memory to the disk.
    PuttingOut(Pair),
    /// Work on a pair begins.
    Solving(Pair),
    /// So many more of the planned positions are solved, those that are solved again among them.
    Advanced(u64),
    /// So many more of the planned positions need not be solved: a build that was stopped or killed has kept them.
    Kept(u64),
    /// The tables of a pair are being written.
    Writing(Pair),
    /// The tables of a pair are on disk.
    Finished(&'a PairReport),
}

/// What one pair took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairReport {
    /// The pair.
    pub pair: Pair,
    /// Positions in its slices.
    pub positions: u64,
    /// Those of them that an earlier build had kept.
    pub kept: u64,
    /// Threads that worked.
    pub threads: usize,
    /// Bytes of its `.wld` files.
    pub wld_bytes: u64,
    /// Bytes of its `.dtw` files.
    pub dtw_bytes: u64,
    /// Time in which it was solved.
    pub solving: Spent,
    /// Time in which it was compressed and written.
    pub writing: Spent,
}

/// Time that a part of a build took.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Spent {
    /// Of all threads of the process together.
    pub cpu: Duration,
    /// By the clock.
    pub wall: Duration,
}

impl Spent {
    /// How much of the time of so many threads was work: 1.0 if none was ever idle.
    pub fn utilisation(&self, threads: usize) -> f64 {
        self.cpu.as_secs_f64() / (self.wall.as_secs_f64() * threads as f64).max(1e-9)
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.wall += other.wall;
    }
}

/// Measures what is spent from its making on.
pub(super) struct Stopwatch(ProcessTime, Instant);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Stopwatch(ProcessTime::now(), Instant::now())
    }

    pub(super) fn spent(&self) -> Spent {
        Spent { cpu: self.0.elapsed(), wall: self.1.elapsed() }
    }
}

/// What a build did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BuildReport {
    /// Slices built.
    pub built: usize,
    /// Slices that were there before.
    pub skipped: usize,
    /// Positions of the slices built.
    pub positions: u64,
    /// Those of them that an earlier build had kept.
    pub kept: u64,
    /// Threads that worked.
    pub threads: usize,
    /// Time for solving.
    pub solving: Spent,
    /// Time for having pairs again whose tables are there.
    pub restoring: Spent,
    /// Time for compressing and writing.
    pub writing: Spent,
}

/// Watches a build.
pub trait BuildMonitor: Sync {
    /// Asked often, from any thread. A build that stops leaves no half-written table and goes on where it was when it is
    /// started again.
    fn should_stop(&self) -> bool {
        false
    }

    /// Called from any thread.
    fn event(&self, event: &BuildEvent<'_>) {
        let _ = event;
    }
}

/// Nobody watches.
impl BuildMonitor for () {}
