//! Sets of kings, ranked over all squares of the board.
//!
//! While a pair is solved, kings are numbered over all squares, men or no men: the same kings have the same number in
//! every unit and slice, at the price of placements that are no position.

use std::sync::OnceLock;

use crate::board::{Bits, Geometry, squares_of};
use crate::index::{binomial, rank_subset};

/// Sets of neighbouring ranks that differ in their lowest square, from 0 up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<B> {
    /// Rank of the first.
    pub first: usize,
    /// How many there are; the lowest square is as far from 0 as the rank from `first`.
    pub len: usize,
    /// What they have in common.
    pub rest: B,
    /// Its rank.
    pub rest_rank: usize,
}

/// All sets of one size.
#[derive(Debug)]
pub(crate) struct Subsets<B> {
    size: usize,
    squares: usize,
    /// The sets, by rank.
    pub sets: Vec<B>,
    /// The sets in runs that differ in the lowest square only.
    pub rows: Vec<Row<B>>,
    /// Rank of the set after the board is turned.
    pub turned: Vec<u32>,
    /// Rank, one size down, without the i-th square: `rank * size + i`.
    without: Vec<u32>,
    /// Rank, one size up, with a square more: `rank * squares + square`.
    with: OnceLock<Vec<u32>>,
}

impl<B: Bits> Subsets<B> {
    fn new(geometry: &Geometry<B>, size: usize) -> Self {
        let squares = geometry.squares as usize;
        let count = binomial(squares as u32, size as u32);
        let count = u32::try_from(count).expect("ranks of 32 bits") as usize;
        let mut sets = Vec::with_capacity(count);
        let mut set = if size == 0 { B::zero() } else { B::below(size as u8) };
        for _ in 0..count {
            sets.push(set);
            if size > 0 {
                set = next_of_same_size(set);
            }
        }
        let turned = sets.iter().map(|&set| rank_subset(geometry.turn(set)) as u32).collect();
        let without = sets
            .iter()
            .flat_map(|&set| squares_of(set).map(move |sq| rank_subset(set ^ B::bit(sq)) as u32))
            .collect();
        let rows = rows_of(&sets);
        Subsets { size, squares, sets, rows, turned, without, with: OnceLock::new() }
    }

    #[inline(always)]
    pub fn without(&self, rank: usize, nth: usize) -> usize {
        self.without[rank * self.size + nth] as usize
    }

    /// Ranks with each square added; meaningless for squares already in the set.
    #[inline(always)]
    pub fn with(&self, rank: usize) -> &[u32] {
        let all = self.with.get_or_init(|| {
            let squares = 0..self.squares as u8;
            let ranks = self.sets.iter().flat_map(|&set| {
                squares.clone().map(move |sq| rank_subset(set | B::bit(sq)) as u32)
            });
            ranks.collect()
        });
        &all[rank * self.squares..][..self.squares]
    }
}

fn rows_of<B: Bits>(sets: &[B]) -> Vec<Row<B>> {
    let rest = |set: B| if set.is_zero() { set } else { set.without_lowest() };
    let mut first = 0;
    let row = |sets: &[B]| {
        let row = Row {
            first,
            len: sets.len(),
            rest: rest(sets[0]),
            rest_rank: rank_subset(rest(sets[0])) as usize,
        };
        first += sets.len();
        row
    };
    sets.chunk_by(|&x, &y| rest(x) == rest(y)).map(row).collect()
}

/// The next larger word with as many bits, wrapping to anything after the last.
fn next_of_same_size<B: Bits>(set: B) -> B {
    let lowest = set & B::zero().wrapping_sub(&set);
    let Some(ripple) = set.checked_add(&lowest) else {
        return B::zero();
    };
    if ripple.is_zero() {
        return ripple;
    }
    let ones = (set ^ ripple) >> 2 >> lowest.trailing_zeros() as usize;
    ripple | ones
}

/// Sets of every size up to a limit.
#[derive(Debug)]
pub struct SubsetTables<B>(Vec<Subsets<B>>);

impl<B: Bits> SubsetTables<B> {
    /// Tables for up to `largest` kings a side. O(choose(squares, largest)) time and memory.
    ///
    /// # Panics
    /// If a set can have a rank beyond 2^32, which happens with no pair that [`check_size`](super::check_size) lets pass.
    pub fn new(geometry: &Geometry<B>, largest: u32) -> Self {
        SubsetTables((0..=largest as usize).map(|size| Subsets::new(geometry, size)).collect())
    }

    #[inline(always)]
    pub(crate) fn squares(&self) -> usize {
        self.0[0].squares
    }

    #[inline(always)]
    pub(crate) fn of_size(&self, size: u8) -> &Subsets<B> {
        &self.0[size as usize]
    }
}

/// Whether no square of a set is taken.
#[inline(always)]
pub(super) fn free_of<B: Bits>(set: B, taken: B) -> bool {
    (set & taken).is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Shape;

    #[test]
    fn tables_agree_with_ranks() {
        let geometry = Geometry::<u32>::new(Shape::dark(8, 8), true);
        let tables = SubsetTables::new(&geometry, 3);
        for size in 0..=3u8 {
            let subsets = tables.of_size(size);
            for (rank, &set) in subsets.sets.iter().enumerate() {
                assert_eq!(rank_subset(set) as usize, rank);
                assert_eq!(subsets.sets[subsets.turned[rank] as usize], geometry.turn(set));
                for (nth, square) in squares_of(set).enumerate() {
                    let smaller = tables.of_size(size - 1).sets[subsets.without(rank, nth)];
                    assert_eq!(smaller, set ^ 1 << square);
                    assert_eq!(
                        tables.of_size(size - 1).with(subsets.without(rank, nth))[square as usize]
                            as usize,
                        rank
                    );
                }
            }
        }
    }

    #[test]
    fn words_of_other_widths_step_through_their_sets() {
        let ten = Geometry::<u64>::new(Shape::dark(10, 10), true);
        let twelve = Geometry::<u128>::new(Shape::dark(12, 12), true);
        assert_eq!(Subsets::new(&ten, 3).sets.last(), Some(&(0b111 << 47)));
        assert_eq!(Subsets::new(&twelve, 2).sets.last(), Some(&(0b11 << 70)));
    }
}
