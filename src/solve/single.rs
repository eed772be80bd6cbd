//! Units worked on position by position: where men can move to and fro inside them, and where all threads work on one.

use std::cell::Cell;

use super::buckets::{Buckets, SIDE_BIT};
use super::error::TooLong;
use super::score::{Score, Slot};
use super::source::Half;
use super::unit::{Both, PairContext, Place, Scratch, Unit};
use crate::board::{Bits, squares_of};
use crate::index::Men;
use crate::rules::{QuietRules, UnitKind, king_reach};

impl<B: Bits> Unit<'_, B> {
    /// Solves the unit, one position after the other. See [`Unit::solve_in_rows`].
    pub(super) fn solve_one_by_one<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        done: [Half; 2],
        scores: Both<S>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), TooLong> {
        let [scores_a, scores_b] = scores;
        let Scratch { open: [open_a, open_b], buckets, best, units, .. } = scratch;
        buckets.clear();
        for open in [&mut *open_a, &mut *open_b] {
            open.resize(scores_a.len(), 0);
        }
        self.man_moves_apart::<Q, S>(0, done[1], scores_a, units);
        self.man_moves_apart::<Q, S>(1, done[0], scores_b, units);
        let width = self.b.sets.len();
        for place in 0..self.places.len() {
            for row in &self.a.rows {
                let start = (place * self.a.sets.len() + row.first) * width;
                let here = start..start + row.len * width;
                let scores = [&mut scores_a[here.clone()], &mut scores_b[here.clone()]];
                let open = [&mut open_a[here.clone()], &mut open_b[here]];
                let from = (&mut best.list, &mut *units);
                self.set_up_singles::<Q, S>((place, row), scores, open, buckets, from);
            }
        }
        {
            let scores = [cells(scores_a), cells(scores_b)];
            let open = [cells(open_a), cells(open_b)];
            let mut plies = 0;
            while plies < buckets.end && !buckets.too_long {
                let list = buckets.take(plies);
                for &entry in &list {
                    self.take_back::<Q, S>(entry, plies, scores, open, buckets);
                }
                buckets.give_back(plies, list);
                plies += 1;
            }
        }
        if buckets.too_long {
            return Err(TooLong);
        }
        leave_draws(scores_a, open_a);
        leave_draws(scores_b, open_b);
        Ok(())
    }

    /// Tells the predecessors of a position, by quiet moves inside the unit, what it is worth.
    #[inline(always)]
    pub(super) fn take_back<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        entry: u32,
        plies: usize,
        scores: [&[impl Slot<S>]; 2],
        open: [&[impl Slot<u8>]; 2],
        buckets: &mut Buckets,
    ) {
        let PairContext { geometry, subsets, .. } = self.context;
        let side = (entry >> SIDE_BIT) as usize;
        let index = entry & !(1 << SIDE_BIT);
        let score = scores[side][index as usize].get();
        if score.plies::<Q>() != plies {
            return; // A win that was waiting for this distance came sooner by a king move.
        }
        open[side][index as usize].put(0);
        let width = self.b.sets.len() as u32;
        let (row, b) = ((index / width) as usize, (index % width) as usize);
        let width = width as usize;
        // A unit of one placement of men is by far the most frequent.
        let (place, a) = match Q::UNIT {
            UnitKind::Placement => (0, row),
            _ => (row / self.a.sets.len(), row % self.a.sets.len()),
        };
        let base = place * self.context.layout.unit_len();
        let place = &self.places[place];
        let (a_kings, b_kings) = (self.a.sets[a], self.b.sets[b]);
        let occupied = place.occupied | a_kings | b_kings;
        let before = score.before_move::<Q>();
        let other = 1 - side;
        let (scores, open) = (scores[other], open[other]);
        if Q::UNIT != UnitKind::Placement {
            let kings_index = index as usize - base;
            self.take_back_men::<Q, S>(
                place,
                (other, kings_index),
                occupied,
                before,
                (scores, open),
                buckets,
            );
        }
        let first = self.context.layout.pair.first();
        if other == 0 {
            for (nth, to) in squares_of(a_kings).enumerate() {
                let smaller = subsets.of_size(first.own_kings - 1);
                let with = smaller.with(self.a.without(a, nth));
                for from in squares_of(king_reach::<Q>(geometry, to, occupied)) {
                    let index = base + with[from as usize] as usize * width + b;
                    self.offer::<Q, S>(other, index, before, &scores[index], &open[index], buckets);
                }
            }
        } else {
            for (nth, to) in squares_of(b_kings).enumerate() {
                let smaller = subsets.of_size(first.opp_kings - 1);
                let with = smaller.with(self.b.without(b, nth));
                for from in squares_of(king_reach::<Q>(geometry, to, occupied)) {
                    let index = row * width + with[from as usize] as usize;
                    self.offer::<Q, S>(other, index, before, &scores[index], &open[index], buckets);
                }
            }
        }
    }

    /// Like [`Unit::take_back`], for moves of men inside the unit.
    #[inline(always)]
    fn take_back_men<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        place: &Place<B>,
        (other, kings_index): (usize, usize),
        occupied: B,
        before: S,
        (scores, open): (&[impl Slot<S>], &[impl Slot<u8>]),
        buckets: &mut Buckets,
    ) {
        let PairContext { rules, geometry, layout, .. } = self.context;
        let mine = place.seen_by(other);
        let occupied = if other == 0 { occupied } else { geometry.turn(occupied) };
        for &direction in rules.man_moves {
            if !rules.man_returns(direction) {
                continue;
            }
            let back = &geometry.step[direction.reversed() as usize];
            for to in squares_of(mine.own) {
                let from = back[to as usize] & !occupied;
                if from.is_zero() {
                    continue;
                }
                let men = Men { own: mine.own ^ B::bit(to) | from, opp: mine.opp };
                let slot = layout.slots[layout.men.rank(self.in_pair(other, men)) as usize];
                let index = (slot as usize - self.first_slot) * layout.unit_len() + kings_index;
                self.offer::<Q, S>(other, index, before, &scores[index], &open[index], buckets);
            }
        }
    }

    /// One move inside the unit turns out to be worth `before`.
    #[inline(always)]
    fn offer<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        side: usize,
        index: usize,
        before: S,
        score: &impl Slot<S>,
        open: &impl Slot<u8>,
        buckets: &mut Buckets,
    ) {
        if before.is_win() {
            let old = score.get();
            if open.get() != 0 && before > old && score.swap_if(old, before) {
                open.put(0);
                buckets.push::<Q, S>(self.context.longest, before, side, index);
            }
            return;
        }
        loop {
            let left = open.get();
            if left == 0 {
                return;
            }
            if open.swap_if(left, left - 1) {
                if left > 1 {
                    return;
                }
                break;
            }
        }
        // The last one loses too: what moves out of the unit are worth decides.
        let out = score.get();
        if out < S::DRAW {
            let value = out.max(before);
            score.put(value);
            buckets.push::<Q, S>(self.context.longest, value, side, index);
        }
    }
}

/// What is still open when nothing more is found is a draw.
#[inline(always)]
pub(super) fn leave_draws<S: Score>(scores: &mut [S], open: &[u8]) {
    for (score, &open) in scores.iter_mut().zip(open) {
        if open != 0 {
            *score = S::DRAW;
        }
    }
}

fn cells<T>(slice: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(slice).as_slice_of_cells()
}
