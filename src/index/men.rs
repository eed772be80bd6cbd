//! The units of a slice: all placements of the men of both sides, numbered without holes.

use super::binomial::binomial;
use super::subset::{compress, expand, rank_subset, unrank_subset};
use crate::board::{Bits, Geometry};

/// Men of both sides, as the side to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Men<B> {
    /// Men of the side to move.
    pub own: B,
    /// Men of the other side.
    pub opp: B,
}

impl<B: Bits> Men<B> {
    /// The same men as the other side sees them.
    #[inline(always)]
    pub fn turned(self, geometry: &Geometry<B>) -> Self {
        Men { own: geometry.turn(self.opp), opp: geometry.turn(self.own) }
    }
}

/// Number of ways to choose so many squares of `own` and so many others of `opp`.
pub(crate) fn disjoint_sets<B: Bits>(own: B, opp: B, own_men: u32, opp_men: u32) -> u128 {
    let (shared, all) = ((own & opp).count_ones(), opp.count_ones());
    let ways = |n: u32, k: u32| u128::from(binomial(n, k));
    // By how many of the own men stand where the other side's could.
    (0..=own_men.min(shared))
        .map(|inside| {
            let outside = ways(own.count_ones() - shared, own_men - inside);
            ways(shared, inside) * outside * ways(all - inside, opp_men)
        })
        .sum()
}

/// Numbering of the placements of so many men a side.
///
/// Where men are crowned, own men stand on any row but the last and the other side's on any but the first; no two stand on
/// one square. Placements are ordered by the own men (colexicographic), then by the other
/// side's men among the squares that are left.
#[derive(Debug)]
pub struct MenIndex<B: Bits> {
    geometry: &'static Geometry<B>,
    own_men: u32,
    opp_men: u32,
    /// For each rank of the own men, the number of placements before it; one more at the end.
    offsets: Vec<u64>,
    /// Squares of the own men.
    own_squares: u8,
}

impl<B: Bits> MenIndex<B> {
    /// Prepares the numbering. O(placements of the own men).
    pub fn new(geometry: &'static Geometry<B>, own_men: u32, opp_men: u32) -> Self {
        // The lowest squares, so they need no packing.
        let own_squares = geometry.own_men.count_ones() as u8;
        let sets = binomial(own_squares as u32, own_men);
        let mut offsets = Vec::with_capacity(sets as usize + 1);
        let mut total = 0;
        for rank in 0..sets {
            offsets.push(total);
            let own: B = unrank_subset(rank, own_men, own_squares);
            let free = (geometry.opp_men & !own).count_ones();
            total += binomial(free, opp_men);
        }
        offsets.push(total);
        MenIndex { geometry, own_men, opp_men, offsets, own_squares }
    }

    /// Number of placements of so many men a side, without numbering them. O(own men).
    ///
    /// Exact for any numbers of men that [`Material`](super::Material) can name.
    pub fn count_of(geometry: &Geometry<B>, own_men: u32, opp_men: u32) -> u128 {
        disjoint_sets(geometry.own_men, geometry.opp_men, own_men, opp_men)
    }

    /// Number of placements.
    pub fn count(&self) -> u64 {
        self.offsets[self.offsets.len() - 1]
    }

    /// Number of the first placement with these own men.
    #[inline]
    pub(crate) fn first_with(&self, own: B) -> u64 {
        self.offsets[rank_subset(own) as usize]
    }

    /// Number of a placement. O(men).
    #[inline(always)]
    pub fn rank(&self, men: Men<B>) -> u64 {
        let blocked = men.own | !self.geometry.opp_men;
        self.offsets[rank_subset(men.own) as usize] + rank_subset(compress(men.opp, blocked))
    }

    /// The placement with this number. O(squares + log placements).
    ///
    /// # Panics
    /// If `rank` is not below [`MenIndex::count`].
    pub fn unrank(&self, rank: u64) -> Men<B> {
        assert!(rank < self.count(), "unit {rank} of {}", self.count());
        let own_rank = self.offsets.partition_point(|&offset| offset <= rank) - 1;
        let own: B = unrank_subset(own_rank as u64, self.own_men, self.own_squares);
        let blocked = own | !self.geometry.opp_men;
        let free = (self.geometry.opp_men & !own).count_ones() as u8;
        let packed: B = unrank_subset(rank - self.offsets[own_rank], self.opp_men, free);
        Men { own, opp: expand(packed, blocked, self.geometry.squares) }
    }
}
