//! A build, step by step.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, atomic::Ordering::Relaxed};
use std::time::Instant;

use super::cells::to_be_written;
use super::checkpoint::{Keeper, SolveMonitor};
use super::error::BuildError;
use super::folder::{missing_pairs, open};
use super::free_memory::{free_memory, give_back};
use super::limits::check_sizes;
use super::lock::{Lock, lock};
use super::options::BuildOptions;
use super::report::{BuildEvent, BuildMonitor, BuildReport, PairReport, Stopwatch};
use super::schedule::{Schedule, positions};
use super::shelf::{DiskShelf, work_size};
use crate::board::Bits;
use crate::index::{MOST_PIECES, Pair, plan};
use crate::rules::with_rule_set_to_solve;
use crate::solve::{Finished, Kernel, PairTable, SubsetTables, solve, solve_on_shelf};
use crate::store::{Metric, StoreError, WorkCopy, remove_leftovers, write_tables};
use crate::threads::Threads;

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
        let table = self.kernel.pair_from_bytes(pair, |halves| {
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
                        self.kernel.pair_on_shelf(pair, shelf)?
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
