//! How large a pair is: whether it can be numbered, and the memory that it takes.

use super::buckets::MAX_UNIT_LEN;
use super::error::SolveError;
use super::isa;
use super::source::Units;
use crate::board::{Bits, Geometry};
use crate::index::{MenIndex, Pair, binomial, disjoint_sets};
use crate::rules::{RuleSet, Rules, UnitKind, Variant, with_rule_set};

/// Whether a pair can be numbered in memory. O(pieces): nothing is enumerated.
///
/// # Errors
/// [`SolveError::TooLarge`] if not: it has 2^32 placements of men or more, a unit of more than 2^31 placements, or more
/// placements than memory has addresses.
pub fn check_size(variant: Variant, pair: Pair) -> Result<(), SolveError> {
    with_rule_set!(variant, R => check_size_on(&<R as RuleSet>::RULES, <R as RuleSet>::geometry(), pair))
}

pub(super) fn check_size_on<B: Bits>(
    rules: &Rules,
    geometry: &Geometry<B>,
    pair: Pair,
) -> Result<(), SolveError> {
    let first = pair.first();
    let sets = |kings: u8| u128::from(binomial(geometry.squares as u32, kings.into()));
    let king_sets = sets(first.own_kings) * sets(first.opp_kings);
    let places = MenIndex::count_of(geometry, first.own_men.into(), first.opp_men.into());
    let unit = largest_unit(rules, geometry, first.own_men.into(), first.opp_men.into());
    let unit = unit * king_sets;
    // Two bytes a placement at most.
    let fits = places <= u32::MAX.into()
        && unit <= MAX_UNIT_LEN as u128
        && places * king_sets <= isize::MAX as u128 / 2;
    if fits { Ok(()) } else { Err(SolveError::TooLarge { pair }) }
}

/// Placements of so many men in the largest unit.
fn largest_unit<B: Bits>(
    rules: &Rules,
    geometry: &Geometry<B>,
    own_men: u32,
    opp_men: u32,
) -> u128 {
    match rules.unit() {
        UnitKind::Placement => 1,
        UnitKind::All => MenIndex::count_of(geometry, own_men, opp_men),
        UnitKind::Ranks => {
            // The most placements of so many men a side on the rows so far, for any numbers of them on each.
            let mut most = vec![vec![0u128; opp_men as usize + 1]; own_men as usize + 1];
            most[0][0] = 1;
            for row in 0..geometry.shape.height {
                let here = (0..geometry.squares)
                    .filter(|&square| geometry.row[square as usize] == row)
                    .fold(B::zero(), |set, square| set | B::bit(square));
                let before = most.clone();
                for (own, line) in most.iter_mut().enumerate() {
                    for (opp, most) in line.iter_mut().enumerate() {
                        for (a, b) in (0..=own).flat_map(|a| (0..=opp).map(move |b| (a, b))) {
                            let (sets, men) =
                                ([geometry.own_men, geometry.opp_men], [a as u32, b as u32]);
                            let [own_set, opp_set] = sets.map(|set| set & here);
                            let ways = disjoint_sets(own_set, opp_set, men[0], men[1]);
                            *most = (*most).max(before[own - a][opp - b] * ways);
                        }
                    }
                }
            }
            most[own_men as usize][opp_men as usize]
        }
    }
}

/// Memory for a pair, in bytes, with one-byte scores. Saturates for pairs that are too large to be solved, see [`check_size`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PairMemory {
    /// What it takes once it is solved.
    pub solved: u64,
    /// What it takes while it is solved.
    pub solving: u64,
    /// What it takes once it is solved, its scores on a shelf: to find them there.
    pub on_shelf: u64,
    /// What it takes while it is solved, its scores going to a shelf.
    pub solving_on_shelf: u64,
    /// What the threads may hold of what they read from shelves, while it is solved.
    pub reading: u64,
    /// What it takes for a moment, when its placements are put in their order.
    pub ordering: u64,
    /// Placements of men.
    pub places: u64,
    /// Placements of kings around each.
    pub unit: u64,
}

impl PairMemory {
    /// Memory for a pair that is solved on so many threads.
    pub fn of(variant: Variant, pair: Pair, threads: usize) -> Self {
        with_rule_set!(variant, R => {
            Self::on(&<R as RuleSet>::RULES, <R as RuleSet>::geometry(), pair, threads)
        })
    }

    pub(super) fn on<B: Bits>(
        rules: &Rules,
        geometry: &Geometry<B>,
        pair: Pair,
        threads: usize,
    ) -> Self {
        let first = pair.first();
        let sets = |kings: u8| binomial(geometry.squares as u32, kings.into());
        let unit = sets(first.own_kings).saturating_mul(sets(first.opp_kings));
        let places = MenIndex::count_of(geometry, first.own_men.into(), first.opp_men.into());
        let places = u64::try_from(places).unwrap_or(u64::MAX);
        let slots = places.saturating_mul(4);
        let scores = places.saturating_mul(unit).saturating_mul(2);
        // For each unit at work its open moves, in rows of one side's kings, and the buckets, which hold a number of four
        // bytes for most placements and side to move.
        let row_bytes = isa::row_len(geometry.squares as usize) + size_of::<B>();
        let rows = |own: u8, opp: u8| match own {
            0 => 0,
            own => sets(own - 1).saturating_mul(sets(opp)).saturating_mul(row_bytes as u64),
        };
        let in_rows = rows(first.own_kings, first.opp_kings)
            .saturating_add(rows(first.opp_kings, first.own_kings));
        let together = largest_unit(rules, geometry, first.own_men.into(), first.opp_men.into());
        let together = u64::try_from(together).unwrap_or(u64::MAX);
        let at_work = unit.saturating_mul(8).saturating_add(in_rows.max(unit.saturating_mul(4)));
        let at_work = at_work.saturating_mul(together);
        let workers = (threads as u64).min(places.div_ceil(together.max(1)));
        // The order of the placements of men, and what it is sorted with: level, unit and mate of each, and lists of them.
        let ordering = places.saturating_mul(64);
        let solving =
            slots.saturating_add(ordering).saturating_add(at_work.saturating_mul(workers));
        // The scores of the unit, what they are packed into, and what is read of others.
        let room = unit.saturating_mul(together).saturating_mul(6);
        PairMemory {
            solved: scores.saturating_add(slots),
            solving: solving.saturating_add(scores),
            on_shelf: slots.saturating_add(places.saturating_mul(SHELF_PLACE)),
            solving_on_shelf: solving
                .saturating_add(places.saturating_mul(SHELF_PLACE))
                .saturating_add(room.saturating_mul(workers)),
            reading: Units::room(unit).saturating_mul(threads as u64),
            ordering,
            places,
            unit,
        }
    }
}

/// Bytes that a shelf may take for each placement of men.
const SHELF_PLACE: u64 = 16;

/// Asks the system for so many bytes and gives them back: what is wanted later is asked for in ways that
/// end the process if it is not there.
pub(super) fn reserve(pair: Pair, bytes: u64) -> Result<(), SolveError> {
    let mut room: Vec<u8> = Vec::new();
    let there = usize::try_from(bytes).is_ok_and(|bytes| room.try_reserve_exact(bytes).is_ok());
    // Or the optimiser would leave out an allocation that nobody uses.
    std::hint::black_box(&mut room);
    if there { Ok(()) } else { Err(SolveError::Memory { pair, bytes }) }
}
