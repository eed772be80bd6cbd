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

    /// Whether the board can be turned and reflected without a change of value: where there is no man, no direction is forward.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.material.men() == 0
    }

    /// Index under which tables hold the value of a position of this slice: of the four that follow from each other by a turn of
    /// the board and by reflections in both diagonals, the least, if there is no man; else its own. O(pieces).
    #[inline]
    pub fn stored_rank(&self, position: &Turned<B>) -> u64 {
        if self.is_symmetric() { self.least_rank(position) } else { self.rank(position) }
    }

    fn least_rank(&self, position: &Turned<B>) -> u64 {
        self.image_ranks(position).into_iter().fold(u64::MAX, u64::min)
    }

    /// Indices of a position of a slice without men and of those that follow from it by symmetry; some may be the same.
    pub(crate) fn image_ranks(&self, position: &Turned<B>) -> [u64; 4] {
        let images = self.images([position.own_kings, position.opp_kings]);
        images
            .map(|[own_kings, opp_kings]| self.rank(&Turned { own_kings, opp_kings, ..*position }))
    }

    /// Sets of squares as all symmetries have them.
    fn images<const N: usize>(&self, sets: [B; N]) -> [[B; N]; 4] {
        let turn = |sets: [B; N]| sets.map(|set| self.geometry.turn(set));
        let reflected = sets.map(|set| self.geometry.reflect(set));
        [sets, turn(sets), reflected, turn(reflected)]
    }

    /// Of the values of the positions from `start`, puts `none` in place of those that tables hold under another index
    /// ([`SliceIndex::stored_rank`]).
    ///
    /// # Panics
    /// Beyond the slice.
    pub fn clear_unstored<T: Copy>(&self, start: u64, values: &mut [T], none: T) {
        if !self.is_symmetric() {
            return;
        }
        let mut at = start;
        let mut rest = values;
        while !rest.is_empty() {
            // All with the other side's kings on the same squares.
            let len = (self.own_sets - at % self.own_sets).min(rest.len() as u64);
            let (row, after) = rest.split_at_mut(len as usize);
            let position = self.unrank(at);
            let [opp, images @ ..] =
                self.images([position.opp_kings]).map(|[set]| rank_subset(set));
            let least = images.into_iter().fold(opp, u64::min);
            if least < opp {
                row.fill(none);
            } else if images.contains(&opp) {
                for (index, value) in (at..).zip(row) {
                    if self.least_rank(&self.unrank(index)) < index {
                        *value = none;
                    }
                }
            }
            (at, rest) = (at + len, after);
        }
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
    use crate::rules::{Canadian, International, Italian, RuleSet, Russian, Turkish};

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

    fn check_symmetry<R: RuleSet>(material: &str) {
        let geometry = R::geometry();
        let slice = SliceIndex::<R::Bits>::new(geometry, material.parse().unwrap());
        let mut indices: Vec<u64> = (0..slice.len()).collect();
        slice.clear_unstored(0, &mut indices, u64::MAX);
        let stored = indices.iter().filter(|&&index| index != u64::MAX).count() as u64;
        assert!(4 * stored >= slice.len() && (!slice.is_symmetric() || 2 * stored < slice.len()));
        for (index, &kept) in (0..).zip(&indices) {
            let at = slice.unrank(index);
            let there = slice.stored_rank(&at);
            assert_eq!(kept, if there == index { index } else { u64::MAX });
            assert_eq!(slice.stored_rank(&slice.unrank(there)), there);
            if slice.is_symmetric() {
                let turned = Turned {
                    own_kings: geometry.turn(at.own_kings),
                    opp_kings: geometry.turn(at.opp_kings),
                    ..at
                };
                assert_eq!(slice.stored_rank(&turned), there);
            } else {
                assert_eq!(there, index);
            }
        }
        // In pieces that begin and end anywhere.
        let mut pieces: Vec<u64> = (0..slice.len()).collect();
        for (number, piece) in pieces.chunks_mut(997).enumerate() {
            slice.clear_unstored(number as u64 * 997, piece, u64::MAX);
        }
        assert_eq!(pieces, indices);
    }

    #[test]
    fn a_quarter_of_the_positions_of_kings_alone_is_stored() {
        ["KvK", "KKvK", "KvKK", "KKvKK", "KMvK"].iter().for_each(|m| check_symmetry::<Russian>(m));
        ["KvK", "KKvK"].iter().for_each(|material| check_symmetry::<International>(material));
        ["KvK", "KvKK"].iter().for_each(|material| check_symmetry::<Turkish>(material));
        check_symmetry::<Italian>("KvKK");
        check_symmetry::<Canadian>("KvK");
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
