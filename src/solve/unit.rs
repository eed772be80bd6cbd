//! One unit: all placements of the kings around one placement of the men, both sides to move.

use super::buckets::Buckets;
use super::captures::{BestCaptures, CaptureScores, Targets};
use super::layout::Layout;
use super::open_rows::Rows;
use super::source::Units;
use super::subsets::{SubsetTables, Subsets};
use crate::board::{Bits, Geometry};
use crate::index::Men;
use crate::rules::Rules;

impl<B: Bits> Place<B> {
    /// Men as the given side sees them.
    #[inline(always)]
    pub fn seen_by(&self, side: usize) -> Men<B> {
        if side == 0 { self.men } else { self.turned }
    }
}

/// Everything about a pair that its units share.
pub(crate) struct PairContext<'a, B: Bits> {
    pub rules: &'static Rules,
    pub captures: &'static dyn CaptureScores<B>,
    pub geometry: &'static Geometry<B>,
    pub layout: &'a Layout<B>,
    pub subsets: &'a SubsetTables<B>,
    /// Where moves of each side lead.
    pub targets: [Targets<'a, B>; 2],
    /// Longest half distance that scores may take.
    pub longest: u16,
    /// Whether positions are looked at one by one, and not in rows.
    pub one_by_one: bool,
    /// Whether to use AVX2; only where the processor has it.
    pub vectors: bool,
}

/// Rows of scores or counts with either side to move.
pub(super) type Both<'a, T> = [&'a mut [T]; 2];

/// One placement of men.
pub(super) struct Place<B> {
    pub men: Men<B>,
    /// As the other side sees them.
    pub turned: Men<B>,
    pub occupied: B,
}

/// One unit of the pair: all placements of the kings around one or several placements of the men, one after the other.
pub(crate) struct Unit<'a, B: Bits> {
    pub(super) context: &'a PairContext<'a, B>,
    pub(super) places: Vec<Place<B>>,
    /// Slot of the first placement of men.
    pub(super) first_slot: usize,
    pub(super) a: &'a Subsets<B>,
    pub(super) b: &'a Subsets<B>,
}

/// What one worker needs for a unit, kept between units.
pub(crate) struct Scratch<B> {
    /// Quiet moves inside the unit that are not yet known to lose, by side to move and placement.
    pub(super) open: [Vec<u8>; 2],
    /// The same in rows.
    pub(super) rows: [Rows<B>; 2],
    pub(super) buckets: Buckets,
    pub(super) best: BestCaptures<B>,
    pub(super) units: Units,
}

impl<B: Bits> Scratch<B> {
    /// Room for work on units of this pair.
    pub fn new(context: &PairContext<B>) -> Self {
        Scratch {
            open: Default::default(),
            rows: Default::default(),
            buckets: Buckets::default(),
            best: BestCaptures::default(),
            units: Units::around(context.layout.unit_len()),
        }
    }
}

impl<'a, B: Bits> Unit<'a, B> {
    /// The unit of these placements of men, by their numbers; they lie in consecutive slots.
    pub fn new(context: &'a PairContext<'a, B>, numbers: &[u32]) -> Self {
        let mut unit = Self::empty(context);
        unit.set(numbers);
        unit
    }

    /// Room for a unit.
    pub fn empty(context: &'a PairContext<'a, B>) -> Self {
        let first = context.layout.pair.first();
        Unit {
            context,
            places: Vec::new(),
            first_slot: 0,
            a: context.subsets.of_size(first.own_kings),
            b: context.subsets.of_size(first.opp_kings),
        }
    }

    /// Makes this the unit of other placements.
    pub fn set(&mut self, numbers: &[u32]) {
        let PairContext { geometry, layout, .. } = self.context;
        let place = |&number: &u32| {
            let men = layout.men.unrank(number.into());
            Place { men, turned: men.turned(geometry), occupied: men.own | men.opp }
        };
        self.places.clear();
        self.places.extend(numbers.iter().map(place));
        self.first_slot = layout.slots[numbers[0] as usize] as usize;
    }

    /// Men seen by a side, in the coordinates of the pair.
    #[inline(always)]
    pub(super) fn in_pair(&self, side: usize, men: Men<B>) -> Men<B> {
        match side {
            0 => men,
            _ => men.turned(self.context.geometry),
        }
    }
}

/// Same set of squares on the turned board, for one square.
#[inline(always)]
pub(super) fn turned_square<B: Bits>(geometry: &Geometry<B>, square: u8) -> u8 {
    geometry.squares - 1 - square
}
