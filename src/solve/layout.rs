//! Where the scores of a pair lie, and in which order its units are solved.

use rayon::prelude::*;

use super::error::SolveError;
use super::size::check_size_on;
use crate::board::{Bits, Geometry, squares_of};
use crate::index::{Men, MenIndex, Pair, binomial, rank_subset};
use crate::rules::{Rules, Turned, UnitKind};

/// How the values of a pair lie in memory.
///
/// Both slices lie in the coordinates of the first: side A is the one to move there, and moves up. For each unit,
/// in the order in which units were solved, a row of B's king sets for each of A's king sets, kings ranked over all squares:
/// `(slot * a_sets + a) * b_sets + b`.
#[derive(Debug)]
pub(crate) struct Layout<B: Bits> {
    pub geometry: &'static Geometry<B>,
    pub pair: Pair,
    pub men: MenIndex<B>,
    /// Place of each unit, by its number.
    pub slots: Vec<u32>,
    pub a_sets: usize,
    pub b_sets: usize,
}

impl<B: Bits> Layout<B> {
    pub fn unit_len(&self) -> usize {
        self.a_sets * self.b_sets
    }

    /// Slot of a placement of men.
    #[inline(always)]
    pub fn slot(&self, men: Men<B>) -> usize {
        self.slots[self.men.rank(men) as usize] as usize
    }

    /// Slot of a placement in the coordinates of the pair, and its index there.
    #[inline(always)]
    pub fn index(&self, placement: &Turned<B>) -> (usize, usize) {
        let slot = self.slot(Men { own: placement.own_men, opp: placement.opp_men });
        let a = rank_subset(placement.own_kings) as usize;
        let b = rank_subset(placement.opp_kings) as usize;
        (slot, a * self.b_sets + b)
    }
}

/// Units of one level, none of which depends on another.
pub(super) struct Level {
    /// How many placements of men each unit has; couples are not among them.
    pub units: Vec<u32>,
    /// Number of units, each one placement, that are each followed by the one that is it turned: in symmetric
    /// pairs only one of the two is solved. They come after the others.
    pub coupled: usize,
}

impl Level {
    /// Placements of men.
    pub fn places(&self) -> usize {
        self.units.iter().map(|&places| places as usize).sum::<usize>() + 2 * self.coupled
    }
}

impl<B: Bits> Layout<B> {
    /// Room for a pair, units in the order of their numbers.
    ///
    /// # Errors
    /// See [`check_size`](super::check_size).
    pub fn new(
        rules: &Rules,
        geometry: &'static Geometry<B>,
        pair: Pair,
    ) -> Result<Self, SolveError> {
        check_size_on(rules, geometry, pair)?;
        let first = pair.first();
        let sets = |kings: u8| binomial(geometry.squares as u32, kings.into()) as usize;
        let (a_sets, b_sets) = (sets(first.own_kings), sets(first.opp_kings));
        let men = MenIndex::new(geometry, first.own_men.into(), first.opp_men.into());
        let slots = (0..men.count() as u32).collect();
        Ok(Layout { geometry, pair, men, slots, a_sets, b_sets })
    }

    /// Puts the placements of men in order, the most advanced first and those of a unit together, and returns the
    /// placement in each slot.
    pub(super) fn sort_by_level(&mut self, rules: &Rules) -> (Vec<u32>, Vec<Level>) {
        let (geometry, unit_kind) = (self.geometry, rules.unit());
        // Couples are looked for only where a unit is a single placement.
        let couple = self.pair.is_symmetric() && unit_kind == UnitKind::Placement;
        let place = |number: u32| {
            let men = self.men.unrank(number.into());
            let turned = men.turned(geometry);
            let advanced = || geometry.advancement(men.own) + geometry.advancement(turned.own);
            let (level, unit) = match unit_kind {
                UnitKind::Placement => (advanced(), number.into()),
                UnitKind::Ranks => (advanced(), ranks(geometry, men)),
                UnitKind::All => (0, 0),
            };
            let mate = if couple { self.men.rank(turned) as u32 } else { number };
            (level, unit, mate)
        };
        let count = self.men.count() as u32;
        let places: Vec<(u32, u128, u32)> = (0..count).into_par_iter().map(place).collect();
        let highest = places.iter().map(|place| place.0).max().unwrap_or(0) as usize;
        let mut alone = vec![Vec::new(); highest + 1];
        let mut coupled = vec![Vec::new(); highest + 1];
        for (number, &(level, _, mate)) in (0u32..).zip(&places) {
            if mate == number {
                alone[level as usize].push(number);
            } else if mate > number {
                coupled[level as usize].extend([number, mate]);
            }
        }
        let mut order = Vec::with_capacity(places.len());
        let mut levels = Vec::new();
        for (mut alone, coupled) in alone.into_iter().zip(coupled).rev() {
            let unit = |number: &u32| places[*number as usize].1;
            alone.sort_by_key(unit);
            let units = alone.chunk_by(|x, y| unit(x) == unit(y)).map(|unit| unit.len() as u32);
            levels.push(Level { units: units.collect(), coupled: coupled.len() / 2 });
            order.extend(alone);
            order.extend(coupled);
        }
        for (slot, &number) in (0u32..).zip(&order) {
            self.slots[number as usize] = slot;
        }
        (order, levels)
    }
}

/// How many men of each side stand on every row, in one number.
fn ranks<B: Bits>(geometry: &Geometry<B>, men: Men<B>) -> u128 {
    let mut ranks = [0u128; 2];
    for (ranks, men) in ranks.iter_mut().zip([men.own, men.opp]) {
        for square in squares_of(men) {
            // At most 12 men, so four bits for each of at most 12 rows.
            *ranks += 1 << (4 * geometry.row[square as usize]);
        }
    }
    ranks[0] << 64 | ranks[1]
}
