//! A solved pair from what tables store of it.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rayon::prelude::*;

use super::captures::Targets;
use super::pair_table::{Finished, Layout, PairTable, Scores, free_of};
use super::score::Score;
use super::solver::{Latch, Monitor, SolveError};
use super::subsets::SubsetTables;
use crate::index::SliceIndex;
use crate::rules::{RuleSet, Turned};
use crate::value::Value;

/// Values of the positions of one slice that are stored.
pub trait StoredValues: Sync {
    /// Value of a position without a capture, by its index in the slice; `None` if the tables say nothing that makes
    /// sense. Anything may be said of positions with a capture.
    fn value(&self, index: u64) -> Option<Value>;
    /// Longest distance of the slice, in plies.
    fn longest(&self) -> u16;
}

/// Puts a pair into memory as [`solve`](super::solve) would leave it: values of positions with a capture, which tables do not keep,
/// are worked out from the smaller pairs that the captures lead to.
///
/// `stored` are the first slice of the pair and its twin.
///
/// # Errors
/// As for [`solve`](super::solve).
pub fn restore<R: RuleSet>(
    pair: crate::index::Pair,
    finished: &Finished<R>,
    subsets: &SubsetTables<R::Bits>,
    stored: [&dyn StoredValues; 2],
    monitor: &dyn Monitor,
) -> Result<PairTable<R>, SolveError> {
    let monitor = &Latch::new(monitor);
    let mut layout = Layout::new::<R>(pair)?;
    let (order, _) = layout.sort_by_level::<R>();
    let longest = stored.iter().map(|values| values.longest()).max().unwrap_or(0);
    let scores = if longest / 2 <= <u8 as Score>::LONGEST {
        [0, 1].map(|side| {
            fill::<R, u8>((&layout, &order), side, finished, subsets, stored[side], monitor)
                .map(Scores::Narrow)
        })
    } else {
        [0, 1].map(|side| {
            fill::<R, u16>((&layout, &order), side, finished, subsets, stored[side], monitor)
                .map(Scores::Wide)
        })
    };
    let [a, b] = scores;
    Ok(PairTable { layout, scores: [a?, b?] })
}

/// Scores of all placements with one side to move.
fn fill<R: RuleSet, S: Score>(
    (layout, order): (&Layout<R::Bits>, &[u32]),
    side: usize,
    finished: &Finished<R>,
    subsets: &SubsetTables<R::Bits>,
    stored: &dyn StoredValues,
    monitor: &dyn Monitor,
) -> Result<Vec<S>, SolveError> {
    let geometry = layout.geometry;
    let first = layout.pair.first();
    let slice = if side == 0 { first } else { first.twin() };
    let index = SliceIndex::new(geometry, slice);
    let targets =
        Targets::<R>::new(slice, finished).map_err(|pair| SolveError::Missing { pair })?;
    let own = subsets.of_size(slice.own_kings);
    let opp = subsets.of_size(slice.opp_kings);
    let len = layout.unit_len();
    let unusable = AtomicBool::new(false);
    let mut scores = vec![S::BEST; len * layout.slots.len()];
    scores.par_chunks_mut(len).zip(order).for_each(|(scores, &unit)| {
        if monitor.should_stop() {
            return;
        }
        let men = layout.men.unrank(unit.into());
        let men = if side == 0 { men } else { men.turned(geometry) };
        let men_set = men.own | men.opp;
        let mut list = Vec::new();
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
                let score = match targets.best_capture(geometry, &position, &mut list) {
                    Some(best) => best,
                    None => match stored.value(number) {
                        Some(value) => S::of::<R>(value),
                        None => {
                            unusable.store(true, Relaxed);
                            return;
                        }
                    },
                };
                let (a, b) = match side {
                    0 => (own_rank, opp_rank),
                    _ => (opp.turned[opp_rank] as usize, own.turned[own_rank] as usize),
                };
                scores[a * layout.b_sets + b] = score;
                number += 1;
            }
        }
    });
    match (monitor.should_stop(), unusable.into_inner()) {
        (true, _) => Err(SolveError::Stopped),
        (false, true) => Err(SolveError::Unusable { slice }),
        (false, false) => Ok(scores),
    }
}
