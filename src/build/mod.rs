//! Builds the tables of a variant, pair by pair.

mod forecast;
mod free_memory;
mod in_memory;
mod limits;
mod schedule;
mod shelf;

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

pub use crate::index::Pair;
pub use crate::solve::{SolveError, SolveOptions};
pub use crate::store::WriteOptions;
pub use crate::threads::Shortfall;
pub use forecast::{Forecast, Rates, StepForecast, forecast, planned_time};
use free_memory::{free_memory, give_back};
pub use in_memory::{MemoryBuild, MemoryTable};
pub use limits::most_pieces;
use schedule::{Budget, positions, slice_len};
pub use schedule::{Schedule, Step};

use crate::board::Bits;
use crate::index::{MOST_PIECES, Material, SliceIndex, plan};
use crate::rules::{Variant, with_rule_set_to_solve};
use crate::solve::{
    Finished, Kernel, Monitor, PairTable, SubsetTables, check_size, solve, solve_on_shelf,
};
use crate::store::{
    Cell, Cells, CellsError, Metric, Results, StoreError, Table, TableId, TableInfo, WorkCopy,
    WorkSize, distance_sizes, remove_leftovers, write_tables,
};
use crate::threads::Threads;
use shelf::{DiskShelf, work_size};

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
    fn budget(&self, given: Option<u64>) -> Budget {
        if self.on_disk { Budget::Nothing } else { given.map_or(Budget::Any, Budget::Bytes) }
    }
}

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
struct Stopwatch(ProcessTime, Instant);

impl Stopwatch {
    fn start() -> Self {
        Stopwatch(ProcessTime::now(), Instant::now())
    }

    fn spent(&self) -> Spent {
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

/// Builds all slices of 2 to `options.pieces` pieces that are not there yet.
///
/// Works on threads of its own and waits for them: called from inside another rayon pool, it may find the calling thread
/// busy with work that waits for it in turn.
///
/// Tables appear under their final names only when they are whole. The bytes written depend on
/// nothing but the options for compression: not on threads, nor on interruptions.
///
/// # Errors
/// See [`BuildError`]. Tables finished before an error stay.
pub fn build(
    options: &BuildOptions,
    monitor: &dyn BuildMonitor,
) -> Result<BuildReport, BuildError> {
    if !(2..=MOST_PIECES).contains(&options.pieces) {
        return Err(BuildError::Pieces { pieces: options.pieces, most: MOST_PIECES });
    }
    check_sizes(options)?;
    let folder = options.folder.join(options.variant.name());
    let in_folder = |source| BuildError::Folder { folder: folder.clone(), source };
    let complete = folder.is_dir() && missing_pairs(options, &folder)?.is_empty();
    if complete {
        // Nothing to do, and maybe a folder where nothing can be written: what a killed build has left goes if it can.
        if let Ok(Lock { missing: None, .. }) = lock(&folder) {
            let _ = remove_leftovers(&folder);
            let _ = WorkCopy::remove_all(&folder, options.variant, options.pieces);
        }
        let pairs = plan(options.variant.rules(), options.pieces);
        let slices = pairs.iter().map(|pair| pair.slices().count()).sum();
        monitor.event(&BuildEvent::Planned {
            slices,
            done: slices,
            positions: 0,
            again: 0,
            memory: 0,
        });
        return Ok(BuildReport { skipped: slices, ..BuildReport::default() });
    }
    fs::create_dir_all(&folder).map_err(in_folder)?;
    let lock = lock(&folder)?;
    match &lock.missing {
        None => drop(remove_leftovers(&folder)?),
        // They may be files of a build that is at work.
        Some(source) => monitor.event(&BuildEvent::NoLock { folder: &folder, source }),
    }
    let threads = Threads::start(options.threads);
    if let Some(shortfall) = threads.shortfall() {
        monitor.event(&BuildEvent::FewerThreads(shortfall));
    }
    with_rule_set_to_solve!(options.variant, R => {
        let kernel = Kernel::of::<R>();
        threads.run(|| Builder::new(kernel, options, &folder, monitor).run())
    })
}

/// Refuses what could only fail after hours.
fn check_sizes(options: &BuildOptions) -> Result<(), BuildError> {
    let variant = options.variant;
    let too_large = |pair: &Pair| check_size(variant, *pair).is_err();
    match plan(variant.rules(), options.pieces).into_iter().find(too_large).map(Pair::first) {
        None => Ok(()),
        Some(slice) => Err(BuildError::TooLarge { variant, slice, most: slice.pieces() - 1 }),
    }
}

/// Holds a folder for this process until it is dropped.
struct Lock {
    _file: File,
    /// Why it does not, where the file system has no locks.
    missing: Option<io::Error>,
}

/// Name of the file in the folder of a variant that a build locks.
const LOCK: &str = ".lock";

fn lock(folder: &Path) -> Result<Lock, BuildError> {
    let in_folder = |source| BuildError::Folder { folder: folder.to_owned(), source };
    let path = folder.join(LOCK);
    // A pipe would wait for somebody to read from it.
    if fs::metadata(&path).is_ok_and(|data| !data.is_file()) {
        let text = format!("{} is not a regular file", path.display());
        return Err(in_folder(io::Error::other(text)));
    }
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).open(&path).map_err(in_folder)?;
    loop {
        return match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file, missing: None }),
            Err(TryLockError::WouldBlock) => Err(BuildError::Locked { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {
                continue;
            }
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                Ok(Lock { _file: file, missing: Some(error) })
            }
            Err(TryLockError::Error(error)) => Err(in_folder(error)),
        };
    }
}

/// Whether an error says that a file system has no locks.
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    const CODES: [i32; 6] =
        [libc::ENOLCK, libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOSYS, libc::EBADF, libc::EINVAL];
    // ERROR_INVALID_FUNCTION and ERROR_NOT_SUPPORTED.
    #[cfg(windows)]
    const CODES: [i32; 2] = [1, 50];
    #[cfg(not(any(unix, windows)))]
    const CODES: [i32; 0] = [];
    let is_known = error.raw_os_error().is_some_and(|code| CODES.contains(&code));
    is_known || error.kind() == io::ErrorKind::Unsupported
}

struct Builder<'a, B: Bits> {
    kernel: Kernel<B>,
    options: &'a BuildOptions,
    folder: &'a Path,
    monitor: &'a dyn BuildMonitor,
    subsets: SubsetTables<B>,
    finished: Finished<B>,
    /// Pairs whose working copies this build has written, or looked through.
    known: BTreeSet<Pair>,
    report: BuildReport,
}

/// Passes on what a solver says, and keeps what it has finished.
struct SolveMonitor<'a> {
    build: &'a dyn BuildMonitor,
    /// Whether the positions are among the planned ones.
    is_planned: bool,
    /// Positions that an earlier build had kept.
    kept: AtomicU64,
    keeper: Option<Mutex<Keeper<'a>>>,
    /// Once something could not be kept, the build ends.
    failed: AtomicBool,
}

/// The finished part of the pair that is being solved, on the disk.
struct Keeper<'a> {
    folder: &'a Path,
    variant: Variant,
    pair: Pair,
    size: WorkSize,
    /// Most pieces of the build.
    pieces: u32,
    every: Duration,
    last: Instant,
    copy: Option<WorkCopy>,
    error: Option<StoreError>,
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
    fn new(build: &'a dyn BuildMonitor, is_planned: bool) -> Self {
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
    fn into_error(self) -> Option<StoreError> {
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

impl<'a, B: Bits> Builder<'a, B> {
    fn new(
        kernel: Kernel<B>,
        options: &'a BuildOptions,
        folder: &'a Path,
        monitor: &'a dyn BuildMonitor,
    ) -> Self {
        Builder {
            kernel,
            options,
            folder,
            monitor,
            subsets: SubsetTables::new(kernel.geometry(), options.pieces - 1),
            finished: Finished::new(),
            known: BTreeSet::new(),
            report: BuildReport { threads: rayon::current_num_threads(), ..BuildReport::default() },
        }
    }

    fn run(mut self) -> Result<BuildReport, BuildError> {
        let BuildOptions { variant, pieces, .. } = *self.options;
        let missing = missing_pairs(self.options, self.folder)?;
        let given = self.options.memory.or_else(free_memory);
        let threads = rayon::current_num_threads();
        let schedule =
            Schedule::new(variant, pieces, &missing, threads, self.options.budget(given));
        if let Some(given) = given.filter(|&given| schedule.memory > given) {
            return Err(BuildError::Memory { variant, pieces, needed: schedule.least, given });
        }
        let slices = |pairs: &mut dyn Iterator<Item = &Pair>| -> usize {
            pairs.map(|pair| pair.slices().count()).sum()
        };
        let all = slices(&mut plan(variant.rules(), pieces).iter());
        let to_do = slices(&mut missing.iter());
        self.report.skipped = all - to_do;
        let again = schedule.steps.iter().filter(|step| !step.solved);
        self.monitor.event(&BuildEvent::Planned {
            slices: all,
            done: all - to_do,
            positions: missing.iter().map(|&pair| positions(variant, pair)).sum(),
            again: again.map(|step| positions(variant, step.pair)).sum(),
            memory: schedule.memory,
        });
        schedule.steps.iter().try_for_each(|step| WorkCopy::check_name(self.folder, step.pair))?;
        for step in schedule.steps {
            if self.monitor.should_stop() {
                return Err(BuildError::Stopped);
            }
            step.put_out.iter().try_for_each(|&pair| self.put_out(pair))?;
            step.take_in.iter().try_for_each(|&pair| self.take_in(pair, false))?;
            step.on_disk.iter().try_for_each(|&pair| self.take_in(pair, true))?;
            give_back();
            let table = match step.solved {
                true => self.solve(step.pair, step.to_disk)?,
                false => self.restore(step.pair, step.to_disk, true)?,
            };
            if !step.to_disk {
                self.finished.insert(step.pair, Arc::new(table));
            }
            for pair in step.on_disk {
                self.finished.remove(&pair);
            }
            for pair in step.done_with {
                self.finished.remove(&pair);
                WorkCopy::remove(self.folder, pair, pieces)?;
            }
        }
        // Those of pairs that were finished when an earlier build was killed, and that nothing needed any more.
        WorkCopy::remove_all(self.folder, variant, pieces)?;
        Ok(self.report)
    }

    /// Puts a pair from memory to the disk.
    fn put_out(&mut self, pair: Pair) -> Result<(), BuildError> {
        let Some(table) = self.finished.get(&pair) else { return Ok(()) };
        // Pairs with two-byte scores are seldom: they stay in memory.
        let Some(halves) = table.bytes() else { return Ok(()) };
        self.monitor.event(&BuildEvent::PuttingOut(pair));
        let copy = self.work_copy(pair)?;
        if copy.is_wide() {
            copy.clear(false)?;
        }
        copy.append(halves)?;
        self.known.insert(pair);
        self.finished.remove(&pair);
        Ok(())
    }

    fn work_copy(&self, pair: Pair) -> Result<WorkCopy, StoreError> {
        let BuildOptions { variant, pieces, .. } = *self.options;
        WorkCopy::open(self.folder, variant, pair, work_size(variant, pair), pieces)
    }

    fn shelf(&mut self, pair: Pair) -> Result<Arc<DiskShelf>, StoreError> {
        let shelf = DiskShelf::new(self.work_copy(pair)?, self.options.keep_every);
        if self.known.insert(pair) {
            // Of an earlier build, or begun just now.
            shelf.copy().forget_damaged()?;
        }
        Ok(Arc::new(shelf))
    }

    /// Brings a pair back from the disk, or makes it readable there.
    fn take_in(&mut self, pair: Pair, on_disk: bool) -> Result<(), BuildError> {
        if self.finished.contains_key(&pair) {
            return Ok(());
        }
        let table = self.restore(pair, on_disk, false)?;
        self.finished.insert(pair, Arc::new(table));
        Ok(())
    }

    /// A pair that is whole on the disk as the solver left it.
    fn reload(&self, pair: Pair) -> Result<Option<PairTable<B>>, BuildError> {
        if !WorkCopy::path(self.folder, pair).exists() {
            return Ok(None);
        }
        let copy = self.work_copy(pair)?;
        if !copy.is_complete() || copy.is_wide() {
            return Ok(None);
        }
        let table = PairTable::from_bytes(self.kernel, pair, |halves| {
            let placements = halves[0].len() as u64;
            Ok::<bool, BuildError>(copy.load(halves)? == placements)
        })?;
        if table.is_none() {
            // Lest the damaged part pass for kept.
            copy.sync()?;
        }
        Ok(table)
    }

    /// Solves a pair, in memory or on the disk, and writes its tables.
    fn solve(&mut self, pair: Pair, to_disk: bool) -> Result<PairTable<B>, BuildError> {
        self.monitor.event(&BuildEvent::Solving(pair));
        let watch = Stopwatch::start();
        let shelf = if to_disk { Some(self.shelf(pair)?) } else { None };
        let (table, kept) = self.solved(pair, shelf, true)?;
        let solving = watch.spent();

        self.monitor.event(&BuildEvent::Writing(pair));
        let watch = Stopwatch::start();
        let (mut wld_bytes, mut dtw_bytes) = (0, 0);
        let stop = || self.monitor.should_stop();
        let write = &self.options.write;
        for (info, cells) in to_be_written(self.options, &table, &self.subsets, pair, &stop)? {
            let sizes = write_tables(self.folder, &info, &cells, write, &stop)?;
            wld_bytes += sizes.wld;
            dtw_bytes += sizes.dtw;
        }
        let report = PairReport {
            pair,
            positions: positions(self.options.variant, pair),
            kept,
            threads: self.report.threads,
            wld_bytes,
            dtw_bytes,
            solving,
            writing: watch.spent(),
        };
        if !to_disk {
            // What was kept of it on the way is in the tables now.
            WorkCopy::remove(self.folder, pair, self.options.pieces)?;
        }
        self.report.built += pair.slices().count();
        self.report.positions += report.positions;
        self.report.kept += report.kept;
        self.report.solving += report.solving;
        self.report.writing += report.writing;
        self.monitor.event(&BuildEvent::Finished(&report));
        Ok(table)
    }

    /// Solves a pair, in memory or on a shelf, and says how many of its positions were kept by an earlier build. What is finished of it
    /// stays on the disk if the work is stopped.
    fn solved(
        &self,
        pair: Pair,
        shelf: Option<Arc<DiskShelf>>,
        is_planned: bool,
    ) -> Result<(PairTable<B>, u64), BuildError> {
        let BuildOptions { variant, pieces, keep_every, .. } = *self.options;
        let (finished, subsets, options) = (&self.finished, &self.subsets, &self.options.solve);
        let mut monitor = SolveMonitor::new(self.monitor, is_planned);
        if let Some(shelf) = shelf {
            let table = solve_on_shelf(
                self.kernel,
                pair,
                finished,
                subsets,
                options,
                shelf.clone(),
                &monitor,
            )?;
            shelf.copy().sync()?;
            return Ok((table, monitor.kept.into_inner()));
        }
        monitor.keeper = Some(Mutex::new(Keeper {
            folder: self.folder,
            variant,
            pair,
            size: work_size(variant, pair),
            pieces,
            every: keep_every,
            last: Instant::now(),
            copy: None,
            error: None,
        }));
        let solved = solve(self.kernel, pair, finished, subsets, options, &monitor);
        let kept = monitor.kept.load(Relaxed);
        match monitor.into_error() {
            Some(error) => Err(error.into()),
            None => Ok((solved?, kept)),
        }
    }

    /// Puts a pair from an earlier build, or one that was put out, into memory, or makes it readable on the disk. Whether it has a step of its
    /// own is whether its positions are among the planned ones.
    fn restore(
        &mut self,
        pair: Pair,
        on_disk: bool,
        is_planned: bool,
    ) -> Result<PairTable<B>, BuildError> {
        self.monitor.event(&BuildEvent::Restoring(pair));
        let watch = Stopwatch::start();
        let before = self.report.restoring;
        let kept = || {
            if is_planned {
                let positions = positions(self.options.variant, pair);
                self.monitor.event(&BuildEvent::Kept(positions));
            }
        };
        let table = match on_disk {
            false => match self.reload(pair)? {
                Some(table) => {
                    kept();
                    table
                }
                None => self.solve_again(pair, None, is_planned)?,
            },
            true => {
                let shelf = self.shelf(pair)?;
                match shelf.copy().is_complete() {
                    true => {
                        kept();
                        PairTable::on_shelf(self.kernel, pair, shelf)?
                    }
                    false => self.solve_again(pair, Some(shelf), is_planned)?,
                }
            }
        };
        // Others that had to be restored for it are within its time.
        self.report.restoring = before;
        self.report.restoring += watch.spent();
        Ok(table)
    }

    /// Solves a pair whose tables are there. That takes no longer than to work out again what they leave out.
    fn solve_again(
        &mut self,
        pair: Pair,
        shelf: Option<Arc<DiskShelf>>,
        is_planned: bool,
    ) -> Result<PairTable<B>, BuildError> {
        // They are there, but for a pair whose copy was damaged since it was put out: then memory may go beyond the plan.
        let mut added = Vec::new();
        for dependency in pair.dependencies(self.kernel.rules()) {
            if !self.finished.contains_key(&dependency) {
                self.take_in(dependency, work_size(self.options.variant, dependency).is_by_slot())?;
                added.push(dependency);
            }
        }
        let in_memory = shelf.is_none();
        let (table, _) = self.solved(pair, shelf, is_planned)?;
        if in_memory {
            WorkCopy::remove(self.folder, pair, self.options.pieces)?;
        }
        for pair in added {
            self.finished.remove(&pair);
        }
        for slice in pair.slices() {
            let counts = table.counts(slice)?;
            for metric in [Metric::Wld, Metric::Dtw] {
                let there = open(self.options, self.folder, slice, metric)?;
                if there.header().counts != counts {
                    let path = there.path().to_owned();
                    return Err(StoreError::OtherCounts { path }.into());
                }
            }
        }
        Ok(table)
    }
}

/// The slices of a solved pair, and what their tables shall hold.
fn to_be_written<'t, B: Bits>(
    options: &BuildOptions,
    table: &'t PairTable<B>,
    subsets: &'t SubsetTables<B>,
    pair: Pair,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<(TableInfo, SliceCells<'t, B>)>, BuildError> {
    let mut slices = Vec::new();
    let mut sizes = Vec::new();
    for material in pair.slices() {
        let counts = table.counts(material)?;
        let variant = options.variant;
        let info = TableInfo { variant, material, counts, distances: Results::ALL };
        let index = SliceIndex::new(table.geometry(), material);
        let cells = SliceCells { table, index, subsets };
        if !options.all_distances {
            sizes.push(distance_sizes(&info, &cells, should_stop)?);
        }
        slices.push((info, cells));
    }
    if options.all_distances {
        return Ok(slices);
    }
    // A quiet move leads from a win here to a loss in the twin, or the other way round: of both distances, the cheaper is stored.
    let last = slices.len() - 1;
    let (wins, losses) = sizes[0];
    let (twin_wins, twin_losses) = sizes[last];
    let stores_win = wins <= twin_losses;
    let stores_loss = losses < twin_wins;
    slices[0].0.distances = Results { wins: stores_win, losses: stores_loss };
    if last > 0 {
        slices[last].0.distances = Results { wins: !stores_loss, losses: !stores_win };
    }
    Ok(slices)
}

/// A solved slice as tables store it.
struct SliceCells<'a, B: Bits> {
    table: &'a PairTable<B>,
    index: SliceIndex<B>,
    subsets: &'a SubsetTables<B>,
}

impl<B: Bits> Cells for SliceCells<'_, B> {
    fn len(&self) -> u64 {
        self.index.len()
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        let mut cells = out.iter_mut();
        self.table.visit(
            &self.index,
            self.subsets,
            start,
            cells.len() as u64,
            |value, captures| {
                let cell = if captures { Cell::DONT_CARE } else { Cell::from(value) };
                *cells.next().expect("as many positions as asked for") = cell;
            },
        )?;
        self.index.clear_unstored(start, out, Cell::DONT_CARE);
        Ok(())
    }
}

/// Pairs of which a table is not there. One that is there but cannot be a table of ours is an error: it is not
/// ours to overwrite.
fn missing_pairs(options: &BuildOptions, folder: &Path) -> Result<BTreeSet<Pair>, BuildError> {
    let mut missing = BTreeSet::new();
    for pair in plan(options.variant.rules(), options.pieces) {
        for slice in pair.slices() {
            for metric in [Metric::Wld, Metric::Dtw] {
                match open(options, folder, slice, metric) {
                    Err(error) if error.is_missing() => drop(missing.insert(pair)),
                    opened => drop(opened?),
                }
            }
        }
    }
    Ok(missing)
}

fn open(
    options: &BuildOptions,
    folder: &Path,
    slice: Material,
    metric: Metric,
) -> Result<Table, StoreError> {
    let id = TableId { variant: options.variant, material: slice, metric };
    let positions = slice_len(options.variant, slice);
    Table::open(&folder.join(id.file_name()), &id, positions)
}
