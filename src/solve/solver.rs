//! Solves a pair: units level by level, in parallel.

use std::iter::repeat_n;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::buckets::MAX_UNIT_LEN;
use super::captures::Targets;
use super::isa;
use super::kernel::Kernel;
use super::pair_table::{Finished, Layout, PairTable, Scores};
use super::score::Score;
use super::shelf::{Half, Shelf, ShelfError, ShelfHalf, Units};
use super::subsets::SubsetTables;
use super::unit::{PairContext, Scratch, Unit, UnitError};
use crate::board::{Bits, Geometry, squares_of};
use crate::index::{Material, Men, MenIndex, Pair, binomial, disjoint_sets};
use crate::rules::{RuleSet, Rules, UnitKind, Variant, with_rule_set};

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
    /// There is not enough memory.
    #[error("no memory for {bytes} bytes, to solve {}", pair.first())]
    Memory {
        /// The pair.
        pair: Pair,
        /// Bytes that could not be had.
        bytes: u64,
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
    /// What is outside memory could not be read or written.
    #[error("while {} is worked on", pair.first())]
    Shelf {
        /// The pair that was being worked on.
        pair: Pair,
        /// What went wrong.
        source: ShelfError,
    },
}

/// Units of one level, none of which depends on another.
pub(super) struct Level {
    /// How many placements of men each unit has; couples are not among them.
    units: Vec<u32>,
    /// Number of units, each one placement, that are each followed by the one that is it turned: in symmetric
    /// pairs only one of the two is solved. They come after the others.
    coupled: usize,
}

/// Whether a pair can be numbered in memory. O(pieces): nothing is enumerated.
///
/// # Errors
/// [`SolveError::TooLarge`] if not: it has 2^32 placements of men or more, a unit of more than 2^31 placements, or more
/// placements than memory has addresses.
pub fn check_size(variant: Variant, pair: Pair) -> Result<(), SolveError> {
    with_rule_set!(variant, R => check_size_on(&<R as RuleSet>::RULES, <R as RuleSet>::geometry(), pair))
}

fn check_size_on<B: Bits>(
    rules: &Rules,
    geometry: &Geometry<B>,
    pair: Pair,
) -> Result<(), SolveError> {
    let first = pair.first();
    let sets = |kings: u8| u128::from(binomial(geometry.squares as u32, kings.into()));
    let king_sets = sets(first.own_kings) * sets(first.opp_kings);
    let places = MenIndex::count_of(geometry, first.own_men.into(), first.opp_men.into());
    let unit = largest_unit(rules, geometry, first.own_men.into(), first.opp_men.into());
    let unit = unit * king_sets;
    // Two bytes a placement at most.
    let fits = places <= u32::MAX.into()
        && unit <= MAX_UNIT_LEN as u128
        && places * king_sets <= isize::MAX as u128 / 2;
    if fits { Ok(()) } else { Err(SolveError::TooLarge { pair }) }
}

/// Placements of so many men in the largest unit.
fn largest_unit<B: Bits>(
    rules: &Rules,
    geometry: &Geometry<B>,
    own_men: u32,
    opp_men: u32,
) -> u128 {
    match rules.unit() {
        UnitKind::Placement => 1,
        UnitKind::All => MenIndex::count_of(geometry, own_men, opp_men),
        UnitKind::Ranks => {
            // The most placements of so many men a side on the rows so far, for any numbers of them on each.
            let mut most = vec![vec![0u128; opp_men as usize + 1]; own_men as usize + 1];
            most[0][0] = 1;
            for row in 0..geometry.shape.height {
                let here = (0..geometry.squares)
                    .filter(|&square| geometry.row[square as usize] == row)
                    .fold(B::zero(), |set, square| set | B::bit(square));
                let before = most.clone();
                for (own, line) in most.iter_mut().enumerate() {
                    for (opp, most) in line.iter_mut().enumerate() {
                        for (a, b) in (0..=own).flat_map(|a| (0..=opp).map(move |b| (a, b))) {
                            let (sets, men) =
                                ([geometry.own_men, geometry.opp_men], [a as u32, b as u32]);
                            let [own_set, opp_set] = sets.map(|set| set & here);
                            let ways = disjoint_sets(own_set, opp_set, men[0], men[1]);
                            *most = (*most).max(before[own - a][opp - b] * ways);
                        }
                    }
                }
            }
            most[own_men as usize][opp_men as usize]
        }
    }
}

impl Level {
    /// Placements of men.
    fn places(&self) -> usize {
        self.units.iter().map(|&places| places as usize).sum::<usize>() + 2 * self.coupled
    }
}

impl<B: Bits> Layout<B> {
    /// Room for a pair, units in the order of their numbers.
    ///
    /// # Errors
    /// See [`check_size`].
    pub fn new(kernel: Kernel<B>, pair: Pair) -> Result<Self, SolveError> {
        let geometry = kernel.geometry();
        check_size_on(kernel.rules(), geometry, pair)?;
        let first = pair.first();
        let sets = |kings: u8| binomial(geometry.squares as u32, kings.into()) as usize;
        let (a_sets, b_sets) = (sets(first.own_kings), sets(first.opp_kings));
        let men = MenIndex::new(geometry, first.own_men.into(), first.opp_men.into());
        let slots = (0..men.count() as u32).collect();
        Ok(Layout { geometry, pair, men, slots, a_sets, b_sets })
    }

    /// Puts the placements of men in order, the most advanced first and those of a unit together, and returns the
    /// placement in each slot.
    pub(super) fn sort_by_level(&mut self, kernel: Kernel<B>) -> (Vec<u32>, Vec<Level>) {
        let (geometry, unit_kind) = (self.geometry, kernel.rules().unit());
        // Couples are looked for only where a unit is a single placement.
        let couple = self.pair.is_symmetric() && unit_kind == UnitKind::Placement;
        let place = |number: u32| {
            let men = self.men.unrank(number.into());
            let turned = men.turned(geometry);
            let advanced = || geometry.advancement(men.own) + geometry.advancement(turned.own);
            let (level, unit) = match unit_kind {
                UnitKind::Placement => (advanced(), number.into()),
                UnitKind::Ranks => (advanced(), ranks(geometry, men)),
                UnitKind::All => (0, 0),
            };
            let mate = if couple { self.men.rank(turned) as u32 } else { number };
            (level, unit, mate)
        };
        let count = self.men.count() as u32;
        let places: Vec<(u32, u128, u32)> = (0..count).into_par_iter().map(place).collect();
        let highest = places.iter().map(|place| place.0).max().unwrap_or(0) as usize;
        let mut alone = vec![Vec::new(); highest + 1];
        let mut coupled = vec![Vec::new(); highest + 1];
        for (number, &(level, _, mate)) in (0u32..).zip(&places) {
            if mate == number {
                alone[level as usize].push(number);
            } else if mate > number {
                coupled[level as usize].extend([number, mate]);
            }
        }
        let mut order = Vec::with_capacity(places.len());
        let mut levels = Vec::new();
        for (mut alone, coupled) in alone.into_iter().zip(coupled).rev() {
            let unit = |number: &u32| places[*number as usize].1;
            alone.sort_by_key(unit);
            let units = alone.chunk_by(|x, y| unit(x) == unit(y)).map(|unit| unit.len() as u32);
            levels.push(Level { units: units.collect(), coupled: coupled.len() / 2 });
            order.extend(alone);
            order.extend(coupled);
        }
        for (slot, &number) in (0u32..).zip(&order) {
            self.slots[number as usize] = slot;
        }
        (order, levels)
    }
}

/// How many men of each side stand on every row, in one number.
fn ranks<B: Bits>(geometry: &Geometry<B>, men: Men<B>) -> u128 {
    let mut ranks = [0u128; 2];
    for (ranks, men) in ranks.iter_mut().zip([men.own, men.opp]) {
        for square in squares_of(men) {
            // At most 12 men, so four bits for each of at most 12 rows.
            *ranks += 1 << (4 * geometry.row[square as usize]);
        }
    }
    ranks[0] << 64 | ranks[1]
}

/// Memory for a pair, in bytes, with one-byte scores. Saturates for pairs that are too large for [`solve`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PairMemory {
    /// What it takes once it is solved.
    pub solved: u64,
    /// What it takes while it is solved.
    pub solving: u64,
    /// What it takes once it is solved, its scores on a shelf: to find them there.
    pub on_shelf: u64,
    /// What it takes while it is solved, its scores going to a shelf.
    pub solving_on_shelf: u64,
    /// What the threads may hold of what they read from shelves, while it is solved.
    pub reading: u64,
    /// What it takes for a moment, when its placements are put in their order.
    pub ordering: u64,
    /// Placements of men.
    pub places: u64,
    /// Placements of kings around each.
    pub unit: u64,
}

impl PairMemory {
    /// Memory for a pair that is solved on so many threads.
    pub fn of(variant: Variant, pair: Pair, threads: usize) -> Self {
        with_rule_set!(variant, R => {
            Self::on(&<R as RuleSet>::RULES, <R as RuleSet>::geometry(), pair, threads)
        })
    }

    fn on<B: Bits>(rules: &Rules, geometry: &Geometry<B>, pair: Pair, threads: usize) -> Self {
        let first = pair.first();
        let sets = |kings: u8| binomial(geometry.squares as u32, kings.into());
        let unit = sets(first.own_kings).saturating_mul(sets(first.opp_kings));
        let places = MenIndex::count_of(geometry, first.own_men.into(), first.opp_men.into());
        let places = u64::try_from(places).unwrap_or(u64::MAX);
        let slots = places.saturating_mul(4);
        let scores = places.saturating_mul(unit).saturating_mul(2);
        // For each unit at work its open moves, in rows of one side's kings, and the buckets, which hold a number of four
        // bytes for most placements and side to move.
        let row_bytes = isa::row_len(geometry.squares as usize) + size_of::<B>();
        let rows = |own: u8, opp: u8| match own {
            0 => 0,
            own => sets(own - 1).saturating_mul(sets(opp)).saturating_mul(row_bytes as u64),
        };
        let in_rows = rows(first.own_kings, first.opp_kings)
            .saturating_add(rows(first.opp_kings, first.own_kings));
        let together = largest_unit(rules, geometry, first.own_men.into(), first.opp_men.into());
        let together = u64::try_from(together).unwrap_or(u64::MAX);
        let at_work = unit.saturating_mul(8).saturating_add(in_rows.max(unit.saturating_mul(4)));
        let at_work = at_work.saturating_mul(together);
        let workers = (threads as u64).min(places.div_ceil(together.max(1)));
        // The order of the placements of men, and what it is sorted with: level, unit and mate of each, and lists of them.
        let ordering = places.saturating_mul(64);
        let solving =
            slots.saturating_add(ordering).saturating_add(at_work.saturating_mul(workers));
        // The scores of the unit, what they are packed into, and what is read of others.
        let room = unit.saturating_mul(together).saturating_mul(6);
        PairMemory {
            solved: scores.saturating_add(slots),
            solving: solving.saturating_add(scores),
            on_shelf: slots.saturating_add(places.saturating_mul(SHELF_PLACE)),
            solving_on_shelf: solving
                .saturating_add(places.saturating_mul(SHELF_PLACE))
                .saturating_add(room.saturating_mul(workers)),
            reading: Units::room(unit).saturating_mul(threads as u64),
            ordering,
            places,
            unit,
        }
    }
}

/// Bytes that a shelf may take for each placement of men.
const SHELF_PLACE: u64 = 16;

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
    let mut layout = Layout::new(kernel, pair)?;
    let (order, levels) = layout.sort_by_level(kernel);
    let targets =
        |slice| Targets::new(kernel, slice, finished).map_err(|pair| SolveError::Missing { pair });
    let mut context = PairContext {
        kernel,
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
    let job = Job { order: &order, levels: &levels, options, monitor };
    if let Some(shelf) = shelf {
        job.run_on_shelf_somehow(&mut context, wide, &*shelf)?;
        return Ok(PairTable::with_shelf(kernel, layout, shelf));
    }
    let narrow = if wide { None } else { job.run::<B, u8>(&context)? };
    let scores = match narrow {
        Some(scores) => scores.map(Scores::Narrow),
        None => {
            context.longest = <u16 as Score>::LONGEST;
            let scores = job.run::<B, u16>(&context)?;
            scores.ok_or(SolveError::TooLong { pair })?.map(Scores::Wide)
        }
    };
    Ok(PairTable::new(kernel, layout, scores))
}

/// Asks the system for so many bytes and gives them back: what is wanted later is asked for in ways that
/// end the process if it is not there.
fn reserve(pair: Pair, bytes: u64) -> Result<(), SolveError> {
    let mut room: Vec<u8> = Vec::new();
    let there = usize::try_from(bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
    // Or the optimiser would leave out an allocation that nobody uses.
    std::hint::black_box(&mut room);
    if there { Ok(()) } else { Err(SolveError::Memory { pair, bytes }) }
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
    fn run<B: Bits, S: Score>(
        &self,
        context: &PairContext<B>,
    ) -> Result<Option<[Vec<S>; 2]>, SolveError> {
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
            let done = [S::source(done_a), S::source(done_b)];
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
                        Unit::new(context, places).solve_in_parallel(done, [a, b], &stop)?;
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
                        unit.solve(done, [a, b], scratch)
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
                        solve_couple(unit, places, done, [a, b], scratch)
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
    fn run_on_shelf_somehow<B: Bits>(
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
            match self.run_on_shelf::<B, u8>(context, shelf)? {
                Err(UnitError::TooLong) => {}
                done => return done.map_err(error),
            }
        }
        if !shelf.is_wide() {
            shelf.clear(true).map_err(|source| SolveError::Shelf { pair, source })?;
        }
        context.longest = <u16 as Score>::LONGEST;
        self.run_on_shelf::<B, u16>(context, shelf)?.map_err(error)
    }

    /// Solves all units that are not on the shelf yet, and puts them there.
    fn run_on_shelf<B: Bits, S: Score>(
        &self,
        context: &PairContext<B>,
        shelf: &dyn Shelf,
    ) -> Result<Result<(), UnitError>, SolveError> {
        let len = context.layout.unit_len();
        let per_place = self.progress_per_place(context);
        let wide = shelf.is_wide();
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
                        solve_couple(unit, places, done, [a, b], scratch)?;
                    } else {
                        unit.set(places);
                        match together {
                            true => unit.solve_in_parallel(done, [a, b], &stop)?,
                            false => unit.solve(done, [a, b], scratch)?,
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
    fn progress_per_place<B: Bits>(&self, context: &PairContext<B>) -> u64 {
        let first = context.layout.pair.first();
        let free = context.geometry.squares as u32 - first.men();
        let unit = binomial(free, first.own_kings.into())
            * binomial(free - first.own_kings as u32, first.opp_kings.into());
        if context.layout.pair.is_symmetric() { unit } else { 2 * unit }
    }
}

/// Solves the first of two placements of men, the second of which is it turned, into scores of both.
fn solve_couple<'a, B: Bits, S: Score>(
    unit: &mut Unit<'a, B>,
    places: &[u32],
    done: [Half; 2],
    [a, b]: [&mut [S]; 2],
    scratch: &mut Scratch<B>,
) -> Result<(), UnitError> {
    let (a, a_mate) = a.split_at_mut(a.len() / 2);
    let (b, b_mate) = b.split_at_mut(b.len() / 2);
    unit.set(&places[..1]);
    unit.solve(done, [a, b], scratch)?;
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
