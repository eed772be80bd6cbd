//! Rank of a set of squares among all sets of the same size.

use super::binomial::binomial;
use crate::board::{Bits, squares_of};

/// Rank of `set` in the colexicographic order of sets of its size: sets are compared by their
/// highest differing square. O(size).
#[inline(always)]
pub fn rank_subset<B: Bits>(set: B) -> u64 {
    let mut rank = 0;
    let mut size = 0;
    for square in squares_of(set) {
        size += 1;
        rank += binomial(square as u32, size);
    }
    rank
}

/// The set of `size` squares with this rank. O(squares).
///
/// # Panics
/// If there is no such set among the first `squares` squares.
pub fn unrank_subset<B: Bits>(mut rank: u64, size: u32, squares: u8) -> B {
    let mut set = B::zero();
    let mut bound = squares as u32;
    for size in (1..=size).rev() {
        let square = (0..bound).rev().find(|&square| binomial(square, size) <= rank);
        let square = square.expect("rank of a set of squares");
        rank -= binomial(square, size);
        set = set | B::bit(square as u8);
        bound = square;
    }
    assert_eq!(rank, 0, "rank of a set of squares");
    set
}

/// `set` with its squares renumbered by how many squares outside `taken` lie below each.
#[inline(always)]
pub fn compress<B: Bits>(set: B, taken: B) -> B {
    let mut packed = B::zero();
    for square in squares_of(set) {
        let below = (taken & B::below(square)).count_ones();
        packed = packed | B::bit(square - below as u8);
    }
    packed
}

/// Undoes [`compress`]: the squares of `packed`, as numbers of squares outside `taken`.
pub fn expand<B: Bits>(packed: B, taken: B, squares: u8) -> B {
    let mut set = B::zero();
    let free = (0..squares).filter(|&square| !taken.contains(square));
    for (number, square) in (0u8..).zip(free) {
        if packed.contains(number) {
            set = set | B::bit(square);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_through_the_sets_in_order() {
        for size in 0..=4 {
            for rank in 0..binomial(32, size) {
                let set: u32 = unrank_subset(rank, size, 32);
                assert_eq!((set.count_ones(), rank_subset(set)), (size, rank));
            }
        }
        let top: u128 = unrank_subset(binomial(72, 12) - 1, 12, 72);
        assert_eq!(top, 0xfff << 60);
    }

    #[test]
    fn expanding_undoes_compressing() {
        let taken = 0x8421_0f01u32;
        for rank in 0..binomial(22, 3) {
            let packed: u32 = unrank_subset(rank, 3, 22);
            let set = expand(packed, taken, 32);
            assert_eq!(set & taken, 0);
            assert_eq!(compress(set, taken), packed);
        }
    }
}
