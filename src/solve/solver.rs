//! Solves a pair: units level by level, in parallel.

use std::iter::repeat_n;
use std::sync::Arc;

use rayon::prelude::*;

use super::buckets::MAX_UNIT_LEN;
use super::captures::Targets;
use super::error::{SolveError, UnitError};
use super::isa;
use super::kernel::{Kernel, Width};
use super::layout::{Layout, Level};
use super::monitor::{Latch, Monitor};
use super::pair_table::{Finished, PairTable, Scores};
use super::parallel::solve_in_parallel;
use super::score::Score;
use super::shelf::Shelf;
use super::size::{PairMemory, check_size_on, reserve};
use super::source::{Half, ShelfHalf};
use super::subsets::SubsetTables;
use super::unit::{Both, PairContext, Scratch, Unit};
use super::work::Work;
use crate::board::Bits;
use crate::index::{Pair, binomial};

/// Limits and ways of the solver. The tables are the same with all of them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SolveOptions {
    /// Longest half distance that is kept in one byte; a pair that goes beyond is solved again
    /// in two.
    pub longest_narrow: u16,
    /// A unit of at least so many placements is worked on by all threads together.
    pub parallel_unit_len: usize,
    /// Look at positions one by one: slower, and simpler, than in rows.
    pub one_by_one: bool,
    /// Use what the processor has for working on many positions at a time.
    pub vectors: bool,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            longest_narrow: <u8 as Score>::LONGEST,
            parallel_unit_len: 1 << 20,
            one_by_one: false,
            vectors: true,
        }
    }
}

/// Solves a pair of slices, on the threads of the current rayon pool.
///
/// # Errors
/// If a pair that it depends on is missing from `finished`, if the monitor wants to stop, or if the pair is too large for
/// the program or for the memory there is.
pub fn solve<B: Bits>(
    kernel: Kernel<B>,
    pair: Pair,
    finished: &Finished<B>,
    subsets: &SubsetTables<B>,
    options: &SolveOptions,
    monitor: &dyn Monitor,
) -> Result<PairTable<B>, SolveError> {
    solve_somewhere(kernel, pair, finished, subsets, options, None, monitor)
}

/// [`solve`] with scores that go to a shelf, unit by unit. What is there already is not solved again.
///
/// # Errors
/// As for [`solve`], and if the shelf fails.
pub fn solve_on_shelf<B: Bits>(
    kernel: Kernel<B>,
    pair: Pair,
    finished: &Finished<B>,
    subsets: &SubsetTables<B>,
    options: &SolveOptions,
    shelf: Arc<dyn Shelf>,
    monitor: &dyn Monitor,
) -> Result<PairTable<B>, SolveError> {
    solve_somewhere(kernel, pair, finished, subsets, options, Some(shelf), monitor)
}

fn solve_somewhere<B: Bits>(
    kernel: Kernel<B>,
    pair: Pair,
    finished: &Finished<B>,
    subsets: &SubsetTables<B>,
    options: &SolveOptions,
    shelf: Option<Arc<dyn Shelf>>,
    monitor: &dyn Monitor,
) -> Result<PairTable<B>, SolveError> {
    let monitor = &Latch::new(monitor);
    let (rules, geometry) = (kernel.rules(), kernel.geometry());
    check_size_on(rules, geometry, pair)?;
    let needed = PairMemory::on(rules, geometry, pair, rayon::current_num_threads());
    reserve(pair, if shelf.is_some() { needed.solving_on_shelf } else { needed.solving })?;
    let mut layout = Layout::new(rules, geometry, pair)?;
    let (order, levels) = layout.sort_by_level(rules);
    let targets = |slice| {
        Targets::new(kernel.0, slice, finished).map_err(|pair| SolveError::Missing { pair })
    };
    let mut context = PairContext {
        rules,
        captures: kernel.0,
        geometry,
        layout: &layout,
        subsets,
        targets: [targets(pair.first())?, targets(pair.first().twin())?],
        longest: options.longest_narrow.min(<u8 as Score>::LONGEST),
        one_by_one: options.one_by_one,
        vectors: options.vectors && isa::has_avx2(),
    };
    let wide = pair.dependencies(rules).iter().any(|pair| {
        finished.get(pair).is_some_and(|table| table.scores.iter().any(Scores::is_wide))
    });
    let job = Job { kernel, order: &order, levels: &levels, options, monitor };
    if let Some(shelf) = shelf {
        job.run_on_shelf_somehow(&mut context, wide, &*shelf)?;
        return Ok(PairTable::with_shelf(kernel.0, layout, shelf));
    }
    let narrow = if wide { None } else { job.run::<u8>(&context)? };
    let scores = match narrow {
        Some(scores) => scores.map(Scores::Narrow),
        None => {
            context.longest = <u16 as Score>::LONGEST;
            let scores = job.run::<u16>(&context)?;
            scores.ok_or(SolveError::TooLong { pair })?.map(Scores::Wide)
        }
    };
    Ok(PairTable::new(kernel.0, layout, scores))
}

/// Some units of equally many placements of men with the room for their scores.
struct Task<'a, S> {
    places: &'a [u32],
    /// Placements of a unit.
    unit: usize,
    a: &'a mut [S],
    b: &'a mut [S],
}

impl<'a, S> Task<'a, S> {
    /// Placements of each unit, and its scores, `len` for each placement.
    fn units(self, len: usize) -> impl Iterator<Item = (&'a [u32], &'a mut [S], &'a mut [S])> {
        let scores = self.a.chunks_mut(self.unit * len).zip(self.b.chunks_mut(self.unit * len));
        self.places.chunks(self.unit).zip(scores).map(|(places, (a, b))| (places, a, b))
    }
}

struct Job<'a, B: Bits> {
    kernel: Kernel<B>,
    order: &'a [u32],
    levels: &'a [Level],
    options: &'a SolveOptions,
    monitor: &'a dyn Monitor,
}

/// Placements in one task at least, so that tiny units are worked on in batches.
const BATCH: usize = 1 << 14;

impl<B: Bits> Job<'_, B> {
    /// Solves all units with scores of one width; `None` if a distance does not fit it.
    fn run<S: Width>(&self, context: &PairContext<B>) -> Result<Option<[Vec<S>; 2]>, SolveError> {
        let layout = context.layout;
        let len = layout.unit_len();
        let placements = len * self.order.len();
        reserve(layout.pair, (2 * placements * size_of::<S>()) as u64)?;
        // Zero as the system gives it: each page is touched first by the thread that works on it.
        let room = || vec![S::default(); placements];
        let (mut scores_a, mut scores_b) = (room(), room());
        let per_place = self.progress_per_place(context);
        let mut kept = match (S::bytes_mut(&mut scores_a), S::bytes_mut(&mut scores_b)) {
            (Some(a), Some(b)) => self.monitor.resume([a, b]),
            _ => 0,
        };
        let mut slot = 0;
        for level in self.levels {
            if self.monitor.should_stop() {
                return Err(SolveError::Stopped);
            }
            let places = level.places();
            if (slot + places) * len <= kept {
                slot += places;
                self.monitor.kept(places as u64 * per_place);
                continue;
            }
            // A level of which only a part was kept begins anew.
            for scores in [&mut scores_a, &mut scores_b] {
                scores[slot * len..kept.max(slot * len)].fill(S::default());
            }
            kept = 0;
            let (done_a, mut rest_a) = scores_a.split_at_mut(slot * len);
            let (done_b, mut rest_b) = scores_b.split_at_mut(slot * len);
            let done = [&*done_a, &*done_b].map(|scores| Half::Memory(S::slice(scores)));
            let work = S::work(self.kernel);
            let mut take = |units: usize, unit: usize| {
                let numbers = &self.order[slot..][..units * unit];
                slot += units * unit;
                Task {
                    places: numbers,
                    unit,
                    a: rest_a.split_off_mut(..units * unit * len).expect("room for every unit"),
                    b: rest_b.split_off_mut(..units * unit * len).expect("room for every unit"),
                }
            };
            let batch = (BATCH / len).max(1);
            // Units of one placement may be many and tiny.
            let chunks =
                level.units.chunk_by(|&x, &y| x == y && x == 1).flat_map(|c| c.chunks(batch));
            let alone: Vec<Task<S>> =
                chunks.map(|units| take(units.len(), units[0] as usize)).collect();
            let pairs = (0..level.coupled).step_by(batch);
            let coupled: Vec<Task<S>> =
                pairs.map(|first| take(batch.min(level.coupled - first), 2)).collect();

            let largest = level.units.iter().max().map_or(0, |&places| places as usize * len);
            debug_assert!(largest <= MAX_UNIT_LEN);
            let solved = if self.works_inside(largest, level.units.len()) {
                let stop = || self.monitor.should_stop();
                alone.into_iter().try_for_each(|task| {
                    task.units(len).try_for_each(|(places, a, b)| {
                        solve_in_parallel(work, &Unit::new(context, places), done, [a, b], &stop)?;
                        self.monitor.advance(places.len() as u64 * per_place);
                        Ok::<(), UnitError>(())
                    })
                })
            } else {
                let worker = || (Unit::empty(context), Scratch::new(context));
                alone.into_par_iter().try_for_each_init(worker, |(unit, scratch), task| {
                    if self.monitor.should_stop() {
                        return Ok(());
                    }
                    let places = task.places.len() as u64;
                    task.units(len).try_for_each(|(places, a, b)| {
                        unit.set(places);
                        solve_unit(work, unit, done, [a, b], scratch)
                    })?;
                    self.monitor.advance(places * per_place);
                    Ok(())
                })
            };
            let solved = solved.and_then(|()| {
                let worker = || (Unit::empty(context), Scratch::new(context));
                coupled.into_par_iter().try_for_each_init(worker, |(unit, scratch), task| {
                    if self.monitor.should_stop() {
                        return Ok(());
                    }
                    let places = task.places.len() as u64;
                    task.units(len).try_for_each(|(places, a, b)| {
                        solve_couple(work, unit, places, done, [a, b], scratch)
                    })?;
                    self.monitor.advance(places * per_place);
                    Ok(())
                })
            });
            if self.monitor.should_stop() {
                return Err(SolveError::Stopped);
            }
            match solved {
                Ok(()) => {}
                Err(UnitError::TooLong) => return Ok(None),
                Err(UnitError::Shelf(source)) => {
                    return Err(SolveError::Shelf { pair: layout.pair, source });
                }
            }
            if let (Some(a), Some(b)) = (S::bytes(&scores_a), S::bytes(&scores_b)) {
                self.monitor.finished([&a[..slot * len], &b[..slot * len]]);
            }
        }
        Ok(Some([scores_a, scores_b]))
    }

    /// [`Job::run_on_shelf`] with scores of one byte, or of two if it must be.
    fn run_on_shelf_somehow(
        &self,
        context: &mut PairContext<B>,
        wide: bool,
        shelf: &dyn Shelf,
    ) -> Result<(), SolveError> {
        let pair = context.layout.pair;
        let error = |error| match error {
            UnitError::TooLong => SolveError::TooLong { pair },
            UnitError::Shelf(source) => SolveError::Shelf { pair, source },
        };
        if !wide && !shelf.is_wide() {
            match self.run_on_shelf::<u8>(context, shelf)? {
                Err(UnitError::TooLong) => {}
                done => return done.map_err(error),
            }
        }
        if !shelf.is_wide() {
            shelf.clear(true).map_err(|source| SolveError::Shelf { pair, source })?;
        }
        context.longest = <u16 as Score>::LONGEST;
        self.run_on_shelf::<u16>(context, shelf)?.map_err(error)
    }

    /// Solves all units that are not on the shelf yet, and puts them there.
    fn run_on_shelf<S: Width>(
        &self,
        context: &PairContext<B>,
        shelf: &dyn Shelf,
    ) -> Result<Result<(), UnitError>, SolveError> {
        let len = context.layout.unit_len();
        let per_place = self.progress_per_place(context);
        let wide = shelf.is_wide();
        let work = S::work(self.kernel);
        let done = [0, 1].map(|side| Half::Shelf(ShelfHalf { shelf, side, wide }));
        let worker = || (Unit::empty(context), Scratch::new(context), [Vec::new(), Vec::new()]);
        let stop = || self.monitor.should_stop();
        let mut slot = 0;
        for level in self.levels {
            // Slots and placements of each unit, and whether it is a couple.
            let mut units = Vec::new();
            let sizes = level.units.iter().map(|&places| (places as usize, false));
            for (places, coupled) in sizes.chain(repeat_n((2, true), level.coupled)) {
                units.push((slot, &self.order[slot..][..places], coupled));
                slot += places;
            }
            let largest = level.units.iter().max().map_or(0, |&places| places as usize * len);
            let together = self.works_inside(largest, level.units.len());
            let solve = |(unit, scratch, rooms): &mut (Unit<B>, Scratch<B>, [Vec<S>; 2]),
                         &(slot, places, coupled): &(usize, &[u32], bool)| {
                let slots = slot..slot + places.len();
                if stop() {
                    return Ok(());
                }
                let positions = places.len() as u64 * per_place;
                if slots.clone().all(|slot| shelf.has(slot)) {
                    self.monitor.kept(positions);
                } else {
                    for room in rooms.iter_mut() {
                        room.clear();
                        room.resize(places.len() * len, S::default());
                    }
                    let [a, b] = rooms.each_mut().map(|room| &mut room[..]);
                    if coupled {
                        solve_couple(work, unit, places, done, [a, b], scratch)?;
                    } else {
                        unit.set(places);
                        match together {
                            true => solve_in_parallel(work, unit, done, [a, b], &stop)?,
                            false => solve_unit(work, unit, done, [a, b], scratch)?,
                        }
                    }
                    if stop() {
                        return Ok(()); // Maybe in the middle of the unit.
                    }
                    let [a, b] = rooms.each_ref().map(|room| room.chunks_exact(len));
                    for ((slot, a), b) in slots.zip(a).zip(b) {
                        shelf.put(slot, [&S::to_bytes(a), &S::to_bytes(b)])?;
                    }
                    self.monitor.advance(positions);
                }
                Ok::<(), UnitError>(())
            };
            let (alone, coupled) = units.split_at(level.units.len());
            let solved = match together {
                true => {
                    let mut worker = worker();
                    alone.iter().try_for_each(|unit| solve(&mut worker, unit))
                }
                false => alone.par_iter().try_for_each_init(worker, solve),
            };
            let solved = solved.and_then(|()| coupled.par_iter().try_for_each_init(worker, solve));
            if stop() {
                return Err(SolveError::Stopped);
            }
            let settled = solved.and_then(|()| Ok(shelf.settle()?));
            if settled.is_err() {
                return Ok(settled);
            }
        }
        Ok(Ok(()))
    }

    /// Whether all threads work on one unit at a time, because there are too few units to share out.
    fn works_inside(&self, unit_len: usize, units: usize) -> bool {
        unit_len >= self.options.parallel_unit_len && units < 2 * rayon::current_num_threads()
    }

    /// Positions that count as done with a placement of men.
    fn progress_per_place(&self, context: &PairContext<B>) -> u64 {
        let first = context.layout.pair.first();
        let free = context.geometry.squares as u32 - first.men();
        let unit = binomial(free, first.own_kings.into())
            * binomial(free - first.own_kings as u32, first.opp_kings.into());
        if context.layout.pair.is_symmetric() { unit } else { 2 * unit }
    }
}

/// Solves a unit. `scores` are its rows, all zero; `done` the scores of all units before it.
fn solve_unit<B: Bits, S: Score>(
    work: &dyn Work<B, S>,
    unit: &Unit<B>,
    done: [Half; 2],
    scores: Both<S>,
    scratch: &mut Scratch<B>,
) -> Result<(), UnitError> {
    let solved = work.solve(unit, done, scores, scratch);
    // First: what is not to be read makes scores of anything.
    scratch.units.check()?;
    Ok(solved?)
}

/// Solves the first of two placements of men, the second of which is it turned, into scores of both.
fn solve_couple<'a, B: Bits, S: Score>(
    work: &dyn Work<B, S>,
    unit: &mut Unit<'a, B>,
    places: &[u32],
    done: [Half; 2],
    [a, b]: [&mut [S]; 2],
    scratch: &mut Scratch<B>,
) -> Result<(), UnitError> {
    let (a, a_mate) = a.split_at_mut(a.len() / 2);
    let (b, b_mate) = b.split_at_mut(b.len() / 2);
    unit.set(&places[..1]);
    solve_unit(work, unit, done, [a, b], scratch)?;
    copy_turned(unit.context, b, a_mate);
    copy_turned(unit.context, a, b_mate);
    Ok(())
}

/// Scores of the second of two placements of men, which is the first turned, from those of the first with the other side to
/// move.
fn copy_turned<B: Bits, S: Score>(context: &PairContext<B>, from: &[S], to: &mut [S]) {
    let turned = &context.subsets.of_size(context.layout.pair.first().own_kings).turned;
    for (a, row) in from.chunks_exact(turned.len()).enumerate() {
        let column = turned[a] as usize;
        for (&score, &row) in row.iter().zip(turned) {
            to[row as usize * turned.len() + column] = score;
        }
    }
}
