//! A solved pair from what tables store of it.

use std::sync::Arc;

use rayon::prelude::*;

use super::captures::{Captures, Targets};
use super::pair_table::{Finished, Layout, PairTable, Scores, free_of};
use super::score::Score;
use super::shelf::{Shelf, ShelfError, Units};
use super::solver::{Latch, Monitor, SolveError};
use super::subsets::SubsetTables;
use crate::index::{Material, Pair, SliceIndex};
use crate::rules::{RuleSet, Turned};
use crate::value::Value;

/// Values of the positions of one slice that are stored.
pub trait StoredValues: Sync {
    /// Something that reads them, for one thread.
    fn reader(&self) -> Box<dyn ReadValues + '_>;
    /// Longest distance of the slice, in plies.
    fn longest(&self) -> u16;
}

/// Reads stored values.
pub trait ReadValues {
    /// Value of a position without a capture, by its index in the slice; `None` if the tables say nothing that makes
    /// sense. Anything may be said of positions with a capture. Asked for growing indices, most of the time.
    ///
    /// # Errors
    /// If it cannot be read.
    fn value(&mut self, index: u64) -> Result<Option<Value>, ShelfError>;
}

/// Puts a pair into memory as [`solve`](super::solve) would leave it, or on a shelf as
/// [`solve_on_shelf`](super::solve_on_shelf) would: values of positions with a capture, which tables do not keep, are worked out from
/// the smaller pairs that the captures lead to.
///
/// `stored` are the first slice of the pair and its twin.
///
/// # Errors
/// As for [`solve`](super::solve) and [`solve_on_shelf`](super::solve_on_shelf), and if what is stored cannot be read.
pub fn restore<R: RuleSet>(
    pair: Pair,
    finished: &Finished<R>,
    subsets: &SubsetTables<R::Bits>,
    stored: [&dyn StoredValues; 2],
    shelf: Option<Arc<dyn Shelf>>,
    monitor: &dyn Monitor,
) -> Result<PairTable<R>, SolveError> {
    let mut layout = Layout::new::<R>(pair)?;
    let (order, _) = layout.sort_by_level::<R>();
    let longest = stored.iter().map(|values| values.longest()).max().unwrap_or(0);
    let wide = longest / 2 > <u8 as Score>::LONGEST;
    let slices = [pair.first(), pair.first().twin()];
    let targets =
        |slice| Targets::<R>::new(slice, finished).map_err(|pair| SolveError::Missing { pair });
    let restored = Restored {
        layout: &layout,
        order: &order,
        slices,
        indices: slices.map(|slice| SliceIndex::new(layout.geometry, slice)),
        targets: [targets(slices[0])?, targets(slices[1])?],
        subsets,
        stored,
        monitor: &Latch::new(monitor),
    };
    if let Some(shelf) = shelf {
        if shelf.is_wide() != wide {
            shelf.clear(wide).map_err(|source| SolveError::Shelf { pair, source })?;
        }
        match wide {
            false => restored.to_shelf::<u8>(&*shelf)?,
            true => restored.to_shelf::<u16>(&*shelf)?,
        }
        return Ok(PairTable::with_shelf(layout, shelf));
    }
    let scores = match wide {
        false => [restored.half(0).map(Scores::Narrow)?, restored.half(1).map(Scores::Narrow)?],
        true => [restored.half(0).map(Scores::Wide)?, restored.half(1).map(Scores::Wide)?],
    };
    Ok(PairTable::new(layout, scores))
}

/// A pair under way.
struct Restored<'a, R: RuleSet> {
    layout: &'a Layout<R::Bits>,
    /// Placement of men in each slot.
    order: &'a [u32],
    /// What each side to move makes of the pair.
    slices: [Material; 2],
    indices: [SliceIndex<R::Bits>; 2],
    targets: [Targets<'a, R>; 2],
    subsets: &'a SubsetTables<R::Bits>,
    stored: [&'a dyn StoredValues; 2],
    monitor: &'a Latch<'a>,
}

/// What a worker needs.
struct Worker<'a, B> {
    readers: [Box<dyn ReadValues + 'a>; 2],
    list: Captures<B>,
    units: Units,
}

impl<R: RuleSet> Restored<'_, R> {
    fn worker(&self) -> Worker<'_, R::Bits> {
        let readers = self.stored.map(|stored| stored.reader());
        Worker { readers, list: Vec::new(), units: Units::around(self.layout.unit_len()) }
    }

    /// Scores of all placements with one side to move.
    fn half<S: Score>(&self, side: usize) -> Result<Vec<S>, SolveError> {
        let len = self.layout.unit_len();
        let mut scores = vec![S::BEST; len * self.order.len()];
        scores.par_chunks_mut(len).zip(self.order).try_for_each_init(
            || self.worker(),
            |worker, (scores, &place)| self.fill(side, place, scores, worker),
        )?;
        if self.monitor.should_stop() { Err(SolveError::Stopped) } else { Ok(scores) }
    }

    /// All scores that are not on the shelf yet.
    fn to_shelf<S: Score>(&self, shelf: &dyn Shelf) -> Result<(), SolveError> {
        let in_shelf = |source| SolveError::Shelf { pair: self.layout.pair, source };
        // In the order of the tables, whose blocks hold several.
        (0..self.order.len() as u32).into_par_iter().try_for_each_init(
            || (self.worker(), [Vec::new(), Vec::new()]),
            |(worker, rooms), place| {
                let slot = self.layout.slots[place as usize] as usize;
                if shelf.has(slot) {
                    return Ok(());
                }
                for (side, room) in rooms.iter_mut().enumerate() {
                    room.clear();
                    room.resize(self.layout.unit_len(), S::BEST);
                    self.fill(side, place, room, worker)?;
                }
                if self.monitor.should_stop() {
                    return Ok(());
                }
                let [a, b] = rooms.each_ref().map(|room| S::to_bytes(room));
                shelf.put(slot, [&a, &b]).map_err(in_shelf)
            },
        )?;
        shelf.settle().map_err(in_shelf)?;
        if self.monitor.should_stop() { Err(SolveError::Stopped) } else { Ok(()) }
    }

    /// Scores of one placement of men with one side to move, in a room that holds what no position is worth.
    fn fill<S: Score>(
        &self,
        side: usize,
        place: u32,
        scores: &mut [S],
        Worker { readers, list, units }: &mut Worker<R::Bits>,
    ) -> Result<(), SolveError> {
        if self.monitor.should_stop() {
            return Ok(());
        }
        let Layout { geometry, pair, men, b_sets, .. } = self.layout;
        let slice = self.slices[side];
        let in_shelf = |source| SolveError::Shelf { pair: *pair, source };
        let [own, opp] = [slice.own_kings, slice.opp_kings].map(|size| self.subsets.of_size(size));
        let men = men.unrank(place.into());
        let men = if side == 0 { men } else { men.turned(geometry) };
        let men_set = men.own | men.opp;
        let index = &self.indices[side];
        let mut number = index.men().rank(men) * index.unit_len();
        for (opp_rank, &opp_kings) in opp.sets.iter().enumerate() {
            if !free_of(opp_kings, men_set) {
                continue;
            }
            for (own_rank, &own_kings) in own.sets.iter().enumerate() {
                if !free_of(own_kings, men_set | opp_kings) {
                    continue;
                }
                let position = Turned { own_men: men.own, own_kings, opp_men: men.opp, opp_kings };
                let score = match self.targets[side].best_capture(geometry, &position, list, units)
                {
                    Some(best) => best,
                    None => match readers[side].value(number).map_err(in_shelf)? {
                        Some(value) => S::of::<R>(value),
                        None => return Err(SolveError::Unusable { slice }),
                    },
                };
                let (a, b) = match side {
                    0 => (own_rank, opp_rank),
                    _ => (opp.turned[opp_rank] as usize, own.turned[own_rank] as usize),
                };
                scores[a * b_sets + b] = score;
                number += 1;
            }
        }
        units.check().map_err(in_shelf)
    }
}
