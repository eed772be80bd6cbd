//! A unit that all threads work on together.

use rayon::prelude::*;

use super::buckets::Buckets;
use super::error::{TooLong, UnitError};
use super::score::{Score, Slot};
use super::single::leave_draws;
use super::source::{Half, Units};
use super::unit::{Both, Unit};
use super::work::Work;
use crate::board::Bits;

/// Like [`Work::solve`], with all threads of the pool at work on the one unit. `stop` is asked between distances.
pub(super) fn solve_in_parallel<B: Bits, S: Score>(
    work: &dyn Work<B, S>,
    unit: &Unit<B>,
    done: [Half; 2],
    scores: Both<S>,
    stop: &dyn Fn() -> bool,
) -> Result<(), UnitError> {
    let [scores_a, scores_b] = scores;
    let units = || Units::around(unit.context.layout.unit_len());
    let man_moves = |side: usize, scores: &mut [S]| {
        let mut units = units();
        work.man_moves(unit, side, done[1 - side], scores, &mut units);
        units.check()
    };
    let (a, b) = rayon::join(|| man_moves(0, scores_a), || man_moves(1, scores_b));
    a.and(b)?;
    let mut open_a = vec![0u8; scores_a.len()];
    let mut open_b = vec![0u8; scores_b.len()];
    let mut rest = [&mut *scores_a, &mut *scores_b];
    let mut rest_open = [&mut open_a[..], &mut open_b[..]];
    let rows =
        (0..unit.places.len()).flat_map(|place| unit.a.rows.iter().map(move |row| (place, row)));
    let rows: Vec<_> = rows
        .map(|(place, row)| {
            let len = row.len * unit.b.sets.len();
            let scores = rest.each_mut().map(|rest| rest.split_off_mut(..len).expect("a row"));
            let open = rest_open.each_mut().map(|rest| rest.split_off_mut(..len).expect("a row"));
            (place, row, scores, open)
        })
        .collect();
    let mut buckets = rows
        .into_par_iter()
        .fold(
            || (Buckets::default(), Vec::new(), units()),
            |(mut buckets, mut list, mut units), (place, row, scores, open)| {
                let from = (&mut list, &mut units);
                work.set_up(unit, (place, row), scores, open, &mut buckets, from);
                (buckets, list, units)
            },
        )
        .map(|(buckets, _, mut units)| units.check().map(|()| buckets))
        .try_reduce(Buckets::default, |mut x, y| {
            x.append(y);
            Ok(x)
        })?;

    let shared_scores = [share(scores_a), share(scores_b)];
    let shared_scores = [&shared_scores[0][..], &shared_scores[1][..]];
    let shared_open = [share::<u8>(&open_a), share::<u8>(&open_b)];
    let shared_open = [&shared_open[0][..], &shared_open[1][..]];
    let mut plies = 0;
    while plies < buckets.end && !buckets.too_long && !stop() {
        let list = buckets.take(plies);
        let found = list.par_chunks(1 << 12).fold(Buckets::default, |mut buckets, entries| {
            work.take_back(unit, entries, plies, shared_scores, shared_open, &mut buckets);
            buckets
        });
        let found: Vec<Buckets> = found.collect();
        found.into_iter().for_each(|more| buckets.append(more));
        plies += 1;
    }
    if buckets.too_long {
        return Err(TooLong.into());
    }
    for (scores, shared) in [(&mut *scores_a, shared_scores[0]), (&mut *scores_b, shared_scores[1])]
    {
        scores.par_iter_mut().zip(shared).for_each(|(score, shared)| *score = shared.get());
    }
    for (open, shared) in [(&mut open_a, shared_open[0]), (&mut open_b, shared_open[1])] {
        open.par_iter_mut().zip(shared).for_each(|(open, shared)| *open = shared.get());
    }
    leave_draws(scores_a, &open_a);
    leave_draws(scores_b, &open_b);
    Ok(())
}

fn share<S: Score>(scores: &[S]) -> Vec<S::Shared> {
    let share = |&score: &S| {
        let shared = S::Shared::default();
        shared.put(score);
        shared
    };
    scores.par_iter().map(share).collect()
}
