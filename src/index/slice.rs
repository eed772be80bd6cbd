//! Index of a position in its slice.

use super::binomial::binomial;
use super::material::Material;
use super::men::{Men, MenIndex};
use super::subset::{compress, expand, rank_subset, unrank_subset};
use crate::board::{Bits, Geometry};
use crate::rules::Turned;

/// Numbers the positions of a slice from 0, without holes.
///
/// The slowest part is the unit (the placement of the men), then come the other side's kings
/// among the squares without men, then, fastest, the kings of the side to move among the squares that are left:
///
/// `index = (unit * choose(free, opp_kings) + opp) * choose(free - opp_kings, own_kings) + own`
#[derive(Debug)]
pub struct SliceIndex<B: Bits> {
    geometry: &'static Geometry<B>,
    material: Material,
    men: MenIndex<B>,
    opp_sets: u64,
    own_sets: u64,
}

impl<B: Bits> SliceIndex<B> {
    /// Prepares the index of a slice.
    pub fn new(geometry: &'static Geometry<B>, material: Material) -> Self {
        let free = geometry.squares as u32 - material.men();
        SliceIndex {
            geometry,
            material,
            men: MenIndex::new(geometry, material.own_men.into(), material.opp_men.into()),
            opp_sets: binomial(free, material.opp_kings.into()),
            own_sets: binomial(free - material.opp_kings as u32, material.own_kings.into()),
        }
    }

    /// Number of positions of a slice, without numbering them. O(men).
    ///
    /// Exact for any [`Material`] that fits the board.
    pub fn len_of(geometry: &Geometry<B>, material: Material) -> u128 {
        let free = geometry.squares as u32 - material.men();
        let left = free - material.opp_kings as u32;
        MenIndex::count_of(geometry, material.own_men.into(), material.opp_men.into())
            * u128::from(binomial(free, material.opp_kings.into()))
            * u128::from(binomial(left, material.own_kings.into()))
    }

    /// The board.
    pub(crate) fn geometry(&self) -> &'static Geometry<B> {
        self.geometry
    }

    /// The slice.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Numbering of the units.
    pub fn men(&self) -> &MenIndex<B> {
        &self.men
    }

    /// Number of sets of the other side's kings in each unit.
    pub(crate) fn opp_sets(&self) -> u64 {
        self.opp_sets
    }

    /// Number of sets of own kings for each set of the other side's.
    pub fn own_sets(&self) -> u64 {
        self.own_sets
    }

    /// Number of placements of the kings in each unit.
    pub fn unit_len(&self) -> u64 {
        self.opp_sets * self.own_sets
    }

    /// Number of positions.
    pub fn len(&self) -> u64 {
        self.men.count() * self.unit_len()
    }

    /// Whether there is no position; there always is one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index of a position of this slice. O(pieces).
    #[inline]
    pub fn rank(&self, position: &Turned<B>) -> u64 {
        let men = Men { own: position.own_men, opp: position.opp_men };
        let mut taken = men.own | men.opp;
        let opp = rank_subset(compress(position.opp_kings, taken));
        taken = taken | position.opp_kings;
        let own = rank_subset(compress(position.own_kings, taken));
        (self.men.rank(men) * self.opp_sets + opp) * self.own_sets + own
    }

    /// The position with this index. O(squares + log units).
    ///
    /// # Panics
    /// If `index` is not below [`SliceIndex::len`].
    pub fn unrank(&self, index: u64) -> Turned<B> {
        let (rest, own) = (index / self.own_sets, index % self.own_sets);
        let (unit, opp) = (rest / self.opp_sets, rest % self.opp_sets);
        let men = self.men.unrank(unit);
        let squares = self.geometry.squares;
        let mut taken = men.own | men.opp;
        let free = squares - taken.count_ones() as u8;
        let packed = unrank_subset(opp, self.material.opp_kings.into(), free);
        let opp_kings = expand(packed, taken, squares);
        taken = taken | opp_kings;
        let free = squares - taken.count_ones() as u8;
        let packed = unrank_subset(own, self.material.own_kings.into(), free);
        let own_kings = expand(packed, taken, squares);
        Turned { own_men: men.own, own_kings, opp_men: men.opp, opp_kings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::plan;
    use crate::rules::{RuleSet, Russian};

    #[test]
    fn ranks_and_positions_correspond_one_to_one() {
        let geometry = Russian::geometry();
        for pair in plan(&Russian::RULES, 3) {
            for material in pair.slices() {
                let slice = SliceIndex::new(geometry, material);
                for index in 0..slice.len() {
                    let position = slice.unrank(index);
                    assert_eq!(Material::of(&position), material);
                    assert_eq!(position.occupied().count_ones(), material.pieces());
                    assert_eq!(position.own_men & geometry.last_row, 0);
                    assert_eq!(position.opp_men & geometry.first_row, 0);
                    assert_eq!(slice.rank(&position), index);
                }
            }
        }
    }

    #[test]
    fn there_are_as_many_positions_as_published() {
        // Positions with at least one piece a side, one side to move (OEIS A055213 less the one-sided ones).
        let published = [3_488, 196_032, 6_209_316, 139_450_808, 2_426_085_676, 34_243_113_624u64];
        for (pieces, positions) in (2..).zip(published) {
            let all = plan(&Russian::RULES, pieces)
                .into_iter()
                .flat_map(|pair| pair.slices().collect::<Vec<_>>());
            let lengths = all
                .filter(|material| material.pieces() == pieces)
                .map(|material| SliceIndex::new(Russian::geometry(), material).len());
            assert_eq!(lengths.sum::<u64>(), positions);
        }
    }
}
