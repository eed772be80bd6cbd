//! What to build, and how.

use std::path::PathBuf;
use std::time::Duration;

use super::schedule::Budget;
use crate::rules::Variant;
use crate::solve::SolveOptions;
use crate::store::WriteOptions;

/// What to build, and where.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The variant.
    pub variant: Variant,
    /// Slices of 2 to so many pieces.
    pub pieces: u32,
    /// Folder of tables; those of the variant go into a folder of its name inside.
    pub folder: PathBuf,
    /// Threads to work with; 0 for as many as the machine has cores.
    pub threads: usize,
    /// How tables are compressed.
    pub write: WriteOptions,
    /// Store the distances of all quiet positions, and not only those at the cheaper end of each quiet move: two to three times the bytes,
    /// for probes of distances that need no search.
    pub all_distances: bool,
    /// Limits of the solver.
    pub solve: SolveOptions,
    /// Most bytes of memory to use; `None` for what the machine has available and its control groups leave this process, less a sixteenth.
    pub memory: Option<u64>,
    /// Work on the disk wherever that can be, as if there were no memory for anything. Slower, and the tables are the same.
    pub on_disk: bool,
    /// The finished part of a pair is kept on the disk when the last time was so long ago, lest a build that is
    /// killed lose more.
    pub keep_every: Duration,
}

impl BuildOptions {
    /// Slices of 2 to `pieces` pieces of `variant`, below `folder`, with all cores.
    pub fn new(variant: Variant, pieces: u32, folder: impl Into<PathBuf>) -> Self {
        BuildOptions {
            variant,
            pieces,
            folder: folder.into(),
            threads: 0,
            write: WriteOptions::default(),
            all_distances: false,
            solve: SolveOptions::default(),
            memory: None,
            on_disk: false,
            keep_every: Duration::from_secs(60),
        }
    }

    /// What may be in memory at a time, if so many bytes are free.
    pub(super) fn budget(&self, given: Option<u64>) -> Budget {
        if self.on_disk { Budget::Nothing } else { given.map_or(Budget::Any, Budget::Bytes) }
    }
}
