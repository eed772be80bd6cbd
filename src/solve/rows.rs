//! Units worked on in rows: the moves of one king, wherever it comes from, are one row of positions.

use super::buckets::{Buckets, SIDE_BIT};
use super::error::TooLong;
use super::isa::decrement;
use super::open_rows::Rows;
use super::score::Score;
use super::source::Half;
use super::unit::{Both, PairContext, Scratch, Unit};
use crate::board::{Bits, squares_of};
use crate::rules::{QuietRules, king_reach};

impl<B: Bits> Unit<'_, B> {
    /// Solves the unit in rows. `scores` are those of the unit, all zero; `done` those of all units before it.
    #[inline(always)]
    pub(super) fn solve_in_rows<Q: QuietRules<Bits = B>>(
        &self,
        vectors: bool,
        done: [Half; 2],
        scores: Both<u8>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), TooLong> {
        let PairContext { layout, subsets, .. } = self.context;
        let first = layout.pair.first();
        let [scores_a, scores_b] = scores;
        let Scratch { rows, buckets, best, units, .. } = scratch;
        buckets.clear();
        rows[0].clear(subsets, first.own_kings, self.b.sets.len());
        rows[1].clear(subsets, first.opp_kings, self.a.sets.len());
        for (side, scores) in [&mut *scores_a, &mut *scores_b].into_iter().enumerate() {
            // Vectors are for code that is compiled for them.
            match vectors {
                true => self.man_moves::<Q, u8>(side, done[1 - side], scores, units),
                false => self.man_moves_apart::<Q, u8>(side, done[1 - side], scores, units),
            }
        }
        let width = self.b.sets.len();
        {
            let [a, b] = rows.each_mut();
            for row in &self.a.rows {
                let here = row.first * width..(row.first + row.len) * width;
                let scores = [&mut scores_a[here.clone()], &mut scores_b[here]];
                self.set_up_rows::<Q>(row, scores, [&mut *a, &mut *b], buckets, (best, units));
            }
        }
        if rows.iter().all(|rows| rows.rests == 0) {
            // Nothing moves inside the unit.
            return if buckets.too_long { Err(TooLong) } else { Ok(()) };
        }
        let mut plies = 0;
        while plies < buckets.end && !buckets.too_long {
            let list = buckets.take(plies);
            for &entry in &list {
                self.take_back_rows::<Q>(
                    (entry, vectors),
                    plies,
                    [scores_a, scores_b],
                    rows,
                    buckets,
                );
            }
            buckets.give_back(plies, list);
            plies += 1;
        }
        if buckets.too_long {
            return Err(TooLong);
        }
        self.leave_open(0, scores_a, &rows[0]);
        self.leave_open(1, scores_b, &rows[1]);
        Ok(())
    }

    /// Tells the predecessors of a position, by king moves, what it is worth.
    #[inline(always)]
    fn take_back_rows<Q: QuietRules<Bits = B>>(
        &self,
        (entry, vectors): (u32, bool),
        plies: usize,
        scores: Both<u8>,
        rows: &mut [Rows<B>; 2],
        buckets: &mut Buckets,
    ) {
        let PairContext { geometry, subsets, longest, .. } = self.context;
        let side = (entry >> SIDE_BIT) as usize;
        let index = entry & !(1 << SIDE_BIT);
        let score = scores[side][index as usize];
        if score.plies::<Q>() != plies {
            return; // A win that was waiting for this distance came sooner by a king move.
        }
        let width = self.b.sets.len() as u32;
        let (a, b) = ((index / width) as usize, (index % width) as usize);
        let width = width as usize;
        let occupied = self.places[0].occupied | self.a.sets[a] | self.b.sets[b];
        let before = score.before_move::<Q>();
        let other = 1 - side;
        let (sets, rank, opp_sets, opp_rank) = match other {
            0 => (self.a, a, self.b, b),
            _ => (self.b, b, self.a, a),
        };
        rows[side].close(opp_sets, opp_rank, rank);
        let rows = &mut rows[other];
        let scores = &mut *scores[other];
        let kings = sets.sets[rank];
        if kings.is_zero() {
            return;
        }
        let smaller = subsets.of_size(kings.count_ones() as u8 - 1);
        for (nth, to) in squares_of(kings).enumerate() {
            let rest_rank = sets.without(rank, nth);
            let row = rows.row(opp_rank, rest_rank);
            let open = rows.open[row];
            if open.is_zero() {
                continue;
            }
            let mut from = king_reach::<Q>(geometry, to, occupied) & open;
            if from.is_zero() {
                continue;
            }
            if !before.is_win() {
                let moves = &mut rows.moves[row * rows.width..][..rows.width];
                from = decrement(vectors, moves, from);
            }
            let with = smaller.with(rest_rank);
            for square in squares_of(from) {
                let rank = with[square as usize] as usize;
                let index = if other == 0 { rank * width + b } else { a * width + rank };
                let old = scores[index];
                let new = if before.is_win() {
                    if before <= old {
                        continue; // A win by a move out of the unit comes sooner.
                    }
                    before
                } else {
                    // What moves out of the unit are worth decides.
                    if old >= u8::DRAW || !rows.is_stuck(sets, rank, opp_rank) {
                        continue;
                    }
                    old.max(before)
                };
                scores[index] = new;
                rows.close(sets, rank, opp_rank);
                buckets.push::<Q, u8>(*longest, new, other, index);
            }
        }
    }

    /// What is still open when nothing more is found is a draw.
    #[inline(always)]
    fn leave_open(&self, side: usize, scores: &mut [u8], rows: &Rows<B>) {
        let (sets, opp_sets) = if side == 0 { (self.a, self.b) } else { (self.b, self.a) };
        if rows.rests == 0 {
            return;
        }
        let width = self.b.sets.len();
        for opp_rank in 0..opp_sets.sets.len() {
            for row in &sets.rows {
                let open = rows.open[rows.row(opp_rank, row.rest_rank)];
                for square in squares_of(open & B::first(row.len as u8)) {
                    let rank = row.first + square as usize;
                    let index =
                        if side == 0 { rank * width + opp_rank } else { opp_rank * width + rank };
                    scores[index] = u8::DRAW;
                }
            }
        }
    }
}
