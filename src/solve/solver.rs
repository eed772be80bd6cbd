//! Solves a pair: units level by level, in parallel.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::captures::Targets;
use super::pair_table::{Finished, Layout, PairTable, Scores};
use super::score::Score;
use super::subsets::SubsetTables;
use super::unit::{MAX_UNIT_LEN, PairContext, Scratch, TooLong, Unit, turned};
use crate::board::{Bits, Geometry};
use crate::index::{Material, MenIndex, Pair, binomial};
use crate::rules::RuleSet;

/// Told how a solver gets on, and asked whether it should go on.
pub trait Monitor: Sync {
    /// Asked often, from any thread. To say so once is enough.
    fn should_stop(&self) -> bool {
        false
    }

    /// So many more positions (placements with one side to move) are done.
    fn advance(&self, positions: u64) {
        let _ = positions;
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
}

/// Limits of the solver that tests tighten.
#[derive(Clone, Copy, Debug)]
pub struct SolveOptions {
    /// Longest half distance that is kept in one byte; a pair that goes beyond is solved again
    /// in two.
    pub longest_narrow: u16,
    /// A unit of at least so many placements is worked on by all threads together.
    pub parallel_unit_len: usize,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions { longest_narrow: <u8 as Score>::LONGEST, parallel_unit_len: 1 << 20 }
    }
}

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
}

/// Units of one level: first those that are solved alone, then couples of units of a symmetric pair that are each other
/// turned, side by side.
struct Level {
    alone: usize,
    coupled: usize,
}

impl<B: Bits> Layout<B> {
    /// Room for a pair, units in the order of their numbers.
    ///
    /// # Errors
    /// If the pair cannot be numbered.
    pub fn new(geometry: &'static Geometry<B>, pair: Pair) -> Result<Self, SolveError> {
        let first = pair.first();
        let sets = |kings: u8| binomial(geometry.squares as u32, kings.into());
        let (a_sets, b_sets) = (sets(first.own_kings), sets(first.opp_kings));
        let men = MenIndex::new(geometry, first.own_men.into(), first.opp_men.into());
        let unit_len = a_sets.checked_mul(b_sets).filter(|&len| len <= MAX_UNIT_LEN as u64);
        let fits = u32::try_from(men.count()).is_ok()
            && unit_len.and_then(|len| len.checked_mul(men.count())).is_some_and(|total| {
                usize::try_from(total).is_ok_and(|total| total <= isize::MAX as usize / 2)
            });
        if !fits {
            return Err(SolveError::TooLarge { pair });
        }
        let slots = (0..men.count() as u32).collect();
        Ok(Layout { geometry, pair, men, slots, a_sets: a_sets as usize, b_sets: b_sets as usize })
    }

    /// Puts the units in order, the most advanced men first, and returns the unit in each slot.
    fn sort_by_level(&mut self) -> (Vec<u32>, Vec<Level>) {
        let symmetric = self.pair.is_symmetric();
        let geometry = self.geometry;
        let of_unit = |unit: u32| {
            let men = self.men.unrank(unit.into());
            let turned = turned(geometry, men);
            let level = geometry.advancement(men.own) + geometry.advancement(turned.own);
            let mate = if symmetric { self.men.rank(turned) as u32 } else { unit };
            (level as u16, mate)
        };
        let count = self.men.count() as u32;
        let units: Vec<(u16, u32)> = (0..count).into_par_iter().map(of_unit).collect();
        let highest = units.iter().map(|&(level, _)| level).max().unwrap_or(0);
        let mut alone = vec![Vec::new(); highest as usize + 1];
        let mut coupled = alone.clone();
        for (unit, &(level, mate)) in (0u32..).zip(&units) {
            if mate == unit {
                alone[level as usize].push(unit);
            } else if mate > unit {
                coupled[level as usize].extend([unit, mate]);
            }
        }
        let mut order = Vec::with_capacity(units.len());
        let mut levels = Vec::new();
        for (alone, coupled) in alone.into_iter().zip(coupled).rev() {
            levels.push(Level { alone: alone.len(), coupled: coupled.len() });
            order.extend(alone);
            order.extend(coupled);
        }
        for (slot, &unit) in (0u32..).zip(&order) {
            self.slots[unit as usize] = slot;
        }
        (order, levels)
    }
}

/// Solves a pair of slices, on the threads of the current rayon pool.
///
/// # Errors
/// If a pair that it depends on is missing from `finished`, if the monitor wants to stop, or if the pair is too large.
pub fn solve<R: RuleSet>(
    pair: Pair,
    finished: &Finished<R>,
    subsets: &SubsetTables<R::Bits>,
    options: &SolveOptions,
    monitor: &dyn Monitor,
) -> Result<PairTable<R>, SolveError> {
    let monitor = &Latch::new(monitor);
    let geometry = R::geometry();
    let mut layout = Layout::new(geometry, pair)?;
    let (order, levels) = layout.sort_by_level();
    let targets =
        |slice| Targets::<R>::new(slice, finished).map_err(|pair| SolveError::Missing { pair });
    let mut context = PairContext {
        geometry,
        layout: &layout,
        subsets,
        targets: [targets(pair.first())?, targets(pair.first().twin())?],
        longest: options.longest_narrow.min(<u8 as Score>::LONGEST),
    };
    let wide = pair.dependencies().iter().any(|pair| {
        finished.get(pair).is_some_and(|table| table.scores.iter().any(Scores::is_wide))
    });
    let job = Job { order: &order, levels: &levels, options, monitor };
    let narrow = if wide { None } else { job.run::<R, u8>(&context)? };
    let scores = match narrow {
        Some(scores) => scores.map(Scores::Narrow),
        None => {
            context.longest = <u16 as Score>::LONGEST;
            let scores = job.run::<R, u16>(&context)?;
            scores.ok_or(SolveError::TooLong { pair })?.map(Scores::Wide)
        }
    };
    drop(context);
    Ok(PairTable { layout, scores })
}

struct Job<'a> {
    order: &'a [u32],
    levels: &'a [Level],
    options: &'a SolveOptions,
    monitor: &'a dyn Monitor,
}

/// Placements in one task at least, so that tiny units are worked on in batches.
const BATCH: usize = 1 << 14;

impl Job<'_> {
    /// Solves all units with scores of one width; `None` if a distance does not fit it.
    fn run<R: RuleSet, S: Score>(
        &self,
        context: &PairContext<R>,
    ) -> Result<Option<[Vec<S>; 2]>, SolveError> {
        let layout = context.layout;
        let len = layout.unit_len();
        let mut scores_a = vec![S::default(); len * self.order.len()];
        let mut scores_b = scores_a.clone();
        let per_unit = self.progress_per_unit(context);
        let mut slot = 0;
        for level in self.levels {
            if self.monitor.should_stop() {
                return Err(SolveError::Stopped);
            }
            let (done_a, rest_a) = scores_a.split_at_mut(slot * len);
            let (done_b, rest_b) = scores_b.split_at_mut(slot * len);
            let done = [&*done_a, &*done_b];
            let (alone_a, rest_a) = rest_a.split_at_mut(level.alone * len);
            let (alone_b, rest_b) = rest_b.split_at_mut(level.alone * len);
            let units = &self.order[slot..][..level.alone + level.coupled];
            let (alone, coupled) = units.split_at(level.alone);

            let solved = if self.works_inside(len, level.alone) {
                let stop = || self.monitor.should_stop();
                alone.iter().zip(alone_a.chunks_mut(len).zip(alone_b.chunks_mut(len))).try_for_each(
                    |(&unit, (a, b))| {
                        let men = layout.men.unrank(unit.into());
                        Unit::new(context, men).solve_in_parallel(done, [a, b], &stop)?;
                        self.monitor.advance(per_unit);
                        Ok(())
                    },
                )
            } else {
                let rows = alone_a.par_chunks_mut(len).zip(alone_b.par_chunks_mut(len));
                let work = rows.zip(alone).with_min_len((BATCH / len).max(1));
                work.try_for_each_init(Scratch::default, |scratch, ((a, b), &unit)| {
                    if self.monitor.should_stop() {
                        return Ok(());
                    }
                    let men = layout.men.unrank(unit.into());
                    Unit::new(context, men).solve(done, [a, b], scratch)?;
                    self.monitor.advance(per_unit);
                    Ok(())
                })
            };
            let coupled_len = level.coupled * len;
            let solved = solved.and_then(|()| {
                let rows_a = rest_a[..coupled_len].par_chunks_mut(2 * len);
                let rows = rows_a.zip(rest_b[..coupled_len].par_chunks_mut(2 * len));
                let work = rows.zip(coupled.par_chunks(2)).with_min_len((BATCH / len).max(1));
                work.try_for_each_init(Scratch::default, |scratch, ((a, b), units)| {
                    if self.monitor.should_stop() {
                        return Ok(());
                    }
                    let men = layout.men.unrank(units[0].into());
                    let (a, a_mate) = a.split_at_mut(len);
                    let (b, b_mate) = b.split_at_mut(len);
                    Unit::new(context, men).solve(done, [a, b], scratch)?;
                    copy_turned(context, b, a_mate);
                    copy_turned(context, a, b_mate);
                    self.monitor.advance(2 * per_unit);
                    Ok(())
                })
            });
            if self.monitor.should_stop() {
                return Err(SolveError::Stopped);
            }
            if let Err(TooLong) = solved {
                return Ok(None);
            }
            slot += level.alone + level.coupled;
        }
        Ok(Some([scores_a, scores_b]))
    }

    /// Whether all threads work on one unit at a time, because there are too few units to share out.
    fn works_inside(&self, unit_len: usize, units: usize) -> bool {
        unit_len >= self.options.parallel_unit_len && units < 2 * rayon::current_num_threads()
    }

    /// Positions that count as done with a unit.
    fn progress_per_unit<R: RuleSet>(&self, context: &PairContext<R>) -> u64 {
        let first = context.layout.pair.first();
        let free = context.geometry.squares as u32 - first.men();
        let unit = binomial(free, first.own_kings.into())
            * binomial(free - first.own_kings as u32, first.opp_kings.into());
        if context.layout.pair.is_symmetric() { unit } else { 2 * unit }
    }
}

/// Scores of the unit that is this one turned, from those with the other side to move.
fn copy_turned<R: RuleSet, S: Score>(context: &PairContext<R>, from: &[S], to: &mut [S]) {
    let kings = context.layout.pair.first().own_kings;
    let turned = &context.subsets.of_size(kings).turned;
    for (a, row) in from.chunks_exact(turned.len()).enumerate() {
        let column = turned[a] as usize;
        for (&score, &row) in row.iter().zip(turned) {
            to[row as usize * turned.len() + column] = score;
        }
    }
}
