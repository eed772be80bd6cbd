//! Units worked on in rows: the moves of one king, wherever it comes from, are one row of positions.

use super::buckets::{Buckets, SIDE_BIT};
use super::error::TooLong;
use super::isa::{decrement, row_len};
use super::score::Score;
use super::shelf::Half;
use super::subsets::{Row, SubsetTables, Subsets};
use super::unit::{Both, PairContext, Scratch, Unit};
use crate::board::{Bits, squares_of};
use crate::rules::{QuietRules, king_reach};

/// The positions of a unit with one side to move, in rows that differ in the square of one of its kings: so a position with
/// several kings is in as many rows. A row is named by the king set of the other side and by the rest of the kings.
#[derive(Default)]
pub(super) struct Rows<B> {
    /// Squares on which the king makes a position that is not decided.
    open: Vec<B>,
    /// Moves of that king that are not yet known to lose, by square; means something for open positions only.
    moves: Vec<u8>,
    /// Number of sets of the rest of the kings.
    rests: usize,
    /// Counts in a row.
    width: usize,
}

impl<B: Bits> Rows<B> {
    fn clear(&mut self, subsets: &SubsetTables<B>, own_kings: u8, opp_sets: usize) {
        self.rests = if own_kings == 0 { 0 } else { subsets.of_size(own_kings - 1).sets.len() };
        self.width = row_len(subsets.squares());
        self.open.clear();
        self.open.resize(self.rests * opp_sets, B::zero());
        self.moves.resize(self.open.len() * self.width, 0);
    }

    #[inline(always)]
    fn row(&self, opp_rank: usize, rest_rank: usize) -> usize {
        opp_rank * self.rests + rest_rank
    }

    /// Takes a position that is decided out of its rows.
    #[inline(always)]
    fn close(&mut self, sets: &Subsets<B>, rank: usize, opp_rank: usize) {
        for (nth, square) in squares_of(sets.sets[rank]).enumerate() {
            let row = self.row(opp_rank, sets.without(rank, nth));
            self.open[row] = self.open[row] & !B::bit(square);
        }
    }

    /// Whether no king of an open position has a move left.
    #[inline(always)]
    fn is_stuck(&self, sets: &Subsets<B>, rank: usize, opp_rank: usize) -> bool {
        squares_of(sets.sets[rank]).enumerate().all(|(nth, square)| {
            let row = self.row(opp_rank, sets.without(rank, nth));
            self.moves[row * self.width + square as usize] == 0
        })
    }

    /// Numbers of moves of the kings of a position that is not decided: of the one on `square`, and of the rest of the row's in their order.
    #[inline(always)]
    pub(super) fn put_kings(
        &mut self,
        subsets: &SubsetTables<B>,
        row: &Row<B>,
        opp_rank: usize,
        square: u8,
        own: u8,
        rest: &[u8],
    ) {
        let number = self.row(opp_rank, row.rest_rank);
        self.open[number] = self.open[number] | B::bit(square);
        self.moves[number * self.width + square as usize] = own;
        if row.rest.is_zero() {
            return;
        }
        let size = row.rest.count_ones() as u8;
        let (sets, smaller) = (subsets.of_size(size), subsets.of_size(size - 1));
        for (nth, (from, &moves)) in squares_of(row.rest).zip(rest).enumerate() {
            let others = smaller.with(sets.without(row.rest_rank, nth))[square as usize];
            let number = self.row(opp_rank, others as usize);
            self.open[number] = self.open[number] | B::bit(from);
            self.moves[number * self.width + from as usize] = moves;
        }
    }
}

impl<B: Bits> Unit<'_, B> {
    /// Like [`Unit::solve`], in rows.
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
        let work = self.context.kernel.0.narrow();
        for (side, scores) in [&mut *scores_a, &mut *scores_b].into_iter().enumerate() {
            // Vectors are for code that is compiled for them.
            match vectors {
                true => self.man_moves::<Q, u8>(side, done[1 - side], scores, units),
                false => work.man_moves(self, side, done[1 - side], scores, units),
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
