//! Undecided positions of a unit, and the moves that they have left, in rows.

use super::isa::row_len;
use super::subsets::{Row, SubsetTables, Subsets};
use crate::board::{Bits, squares_of};

/// The positions of a unit with one side to move, in rows that differ in the square of one of its kings: so a position with
/// several kings is in as many rows. A row is named by the king set of the other side and by the rest of the kings.
#[derive(Default)]
pub(super) struct Rows<B> {
    /// Squares on which the king makes a position that is not decided.
    pub(super) open: Vec<B>,
    /// Moves of that king that are not yet known to lose, by square; means something for open positions only.
    pub(super) moves: Vec<u8>,
    /// Number of sets of the rest of the kings.
    pub(super) rests: usize,
    /// Counts in a row.
    pub(super) width: usize,
}

impl<B: Bits> Rows<B> {
    pub(super) fn clear(&mut self, subsets: &SubsetTables<B>, own_kings: u8, opp_sets: usize) {
        self.rests = if own_kings == 0 { 0 } else { subsets.of_size(own_kings - 1).sets.len() };
        self.width = row_len(subsets.squares());
        self.open.clear();
        self.open.resize(self.rests * opp_sets, B::zero());
        self.moves.resize(self.open.len() * self.width, 0);
    }

    #[inline(always)]
    pub(super) fn row(&self, opp_rank: usize, rest_rank: usize) -> usize {
        opp_rank * self.rests + rest_rank
    }

    /// Takes a position that is decided out of its rows.
    #[inline(always)]
    pub(super) fn close(&mut self, sets: &Subsets<B>, rank: usize, opp_rank: usize) {
        for (nth, square) in squares_of(sets.sets[rank]).enumerate() {
            let row = self.row(opp_rank, sets.without(rank, nth));
            self.open[row] = self.open[row] & !B::bit(square);
        }
    }

    /// Whether no king of an open position has a move left.
    #[inline(always)]
    pub(super) fn is_stuck(&self, sets: &Subsets<B>, rank: usize, opp_rank: usize) -> bool {
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
