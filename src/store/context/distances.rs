//! Half distances coded by contexts.
//!
//! The *guess* for a position is the distance that most of its neighbours have. Whether it is right depends on which neighbours are
//! above and below it; if it is not, the distance that comes second among the neighbours is tried, and then counted how far up or down it is.

use std::cell::RefCell;
use std::fmt;

use super::range::{RangeDecoder, RangeEncoder, WHOLE};
use super::runs::{OUTER, Room, Runs, Visitor};
use super::{CELLS, ContextCoder, Model, SLOTS, exponent, power, unknown_miss};
use crate::board::Bits;

/// Half distance of a position that nobody will ask for.
pub(in super::super) const ANY_HALF: u16 = u16::MAX;
/// Where no neighbour is.
const NONE: u16 = u16::MAX;

/// Ways in which neighbours are equal to the guess, below it, above it, or none; two bits for each slot.
const PATTERNS: usize = 1 << (2 * SLOTS);
/// Kinds of neighbours that do not agree: how many different distances there are, up to 4, and where the second is.
const KINDS: usize = 4 * PLACES;
/// From [`FARTHEST`] below the guess to as much above, and none.
const PLACES: usize = 2 * FARTHEST + 2;
const FARTHEST: usize = 5;
/// Steps away from the guess that are decided on one by one.
const STEPS: usize = 12;
/// Bits of what is left beyond them.
const REST_BITS: u32 = 15;

/// Places of the decisions of a model.
const HIT: usize = 0;
const SECOND: usize = HIT + PATTERNS;
const UP: usize = SECOND + KINDS;
const STOP: usize = UP + KINDS;
const DECISIONS: usize = STOP + 4 * 2 * STEPS;
/// Bytes of a model: the distance where there are no neighbours, then a byte for each decision.
const MODEL_LEN: usize = 2 + DECISIONS;

/// The least exponent for the rarer answer.
const LEAST: u8 = 8;
/// Exponents for the rarer answer.
const EXPONENTS: u8 = 120;

/// What a table of distances says of each context.
#[derive(Clone)]
pub(in super::super) struct DistanceModel {
    /// Guess where there are no neighbours.
    base: u16,
    /// Probability of a yes, of 65,536.
    yes: Box<[u16; DECISIONS]>,
    bytes: Vec<u8>,
}

impl fmt::Debug for DistanceModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistanceModel").field("base", &self.base).finish_non_exhaustive()
    }
}

impl Model for DistanceModel {
    type Symbol = u16;
    /// Noes and yeses.
    type Counts = Vec<[u32; 2]>;

    const LEN: usize = MODEL_LEN;

    /// The distance where there are no neighbours; for each decision 0 if nothing is known (one half), or one more than the exponent of
    /// the rarer answer less the least, and 128 more if that is a yes.
    fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let (base, decisions) = bytes.split_first_chunk::<2>()?;
        let base = u16::from_le_bytes(*base);
        if base == NONE || decisions.len() != DECISIONS {
            return None;
        }
        let probability = |(decision, &byte): (usize, &u8)| -> Option<u16> {
            let Some(code) = byte.checked_sub(1) else { return Some(unknown(decision)) };
            let (rarer_is_yes, exponent) = (code >= 128, code % 128);
            if exponent >= EXPONENTS {
                return None;
            }
            let rarer = power(LEAST + exponent);
            Some(if rarer_is_yes { rarer } else { WHOLE - rarer } as u16)
        };
        let yes: Vec<u16> = decisions.iter().enumerate().map(probability).collect::<Option<_>>()?;
        Some(DistanceModel { base, yes: yes.into_boxed_slice().try_into().ok()?, bytes })
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn blank(blocks: &[(u64, Vec<u16>)]) -> Self {
        let mut counts = vec![0u32; 1 << 15];
        let known = blocks.iter().flat_map(|(_, halves)| halves).filter(|half| **half != ANY_HALF);
        known.for_each(|&half| counts[usize::from(half)] += 1);
        // The least of the most frequent.
        let most = (0..counts.len()).rev().max_by_key(|&half| counts[half]).unwrap_or(0);
        let mut bytes = vec![0; MODEL_LEN];
        bytes[..2].copy_from_slice(&(most as u16).to_le_bytes());
        Self::from_bytes(bytes).expect("a model of this length")
    }

    fn no_counts() -> Self::Counts {
        vec![[0; 2]; DECISIONS]
    }

    fn merged(mut counts: Self::Counts, more: Self::Counts) -> Self::Counts {
        for ([no, yes], [more_no, more_yes]) in counts.iter_mut().zip(more) {
            (*no, *yes) = (*no + more_no, *yes + more_yes);
        }
        counts
    }

    fn count(
        &self,
        coder: &dyn ContextCoder,
        start: u64,
        halves: &[u16],
        counts: &mut Self::Counts,
    ) {
        coder.count_distances(self, start, halves, counts);
    }

    fn after(&self, counts: &Self::Counts, least: u32) -> Self {
        let mut bytes = self.bytes[..2].to_vec();
        bytes.extend(counts.iter().map(|&[no, yes]| {
            let side = if yes < no { 128 } else { 0 };
            match no + yes {
                seen if seen < least => 0,
                _ => 1 + side + exponent(no.min(yes), no.max(yes), LEAST, 1, EXPONENTS) - LEAST,
            }
        }));
        Self::from_bytes(bytes).expect("a model is read as it is written")
    }
}

/// Probability of a yes where a model says nothing.
fn unknown(decision: usize) -> u16 {
    if decision >= SECOND {
        return (WHOLE / 2) as u16;
    }
    let relations = || (0..SLOTS).map(|slot| decision >> (2 * slot) & 3);
    let neighbours = relations().filter(|&relation| relation != 3).count();
    let others = relations().filter(|&relation| relation == 1 || relation == 2).count();
    (WHOLE - power(unknown_miss(neighbours, others))) as u16
}

/// Codes the half distances of a slice.
pub(in super::super) trait DistanceCoder {
    /// Counts decisions; for positions that nobody will ask for, the guess.
    fn count_distances(
        &self,
        model: &DistanceModel,
        start: u64,
        halves: &[u16],
        counts: &mut Vec<[u32; 2]>,
    );

    /// Encodes the half distances of the positions from `start`, and puts its guess in place of each [`ANY_HALF`].
    fn encode_distances(&self, model: &DistanceModel, start: u64, halves: &mut [u16]) -> Vec<u8>;

    /// Decodes the half distances of the positions from `start`. Any bytes decode to something.
    fn decode_distances(&self, model: &DistanceModel, start: u64, bytes: &[u8], halves: &mut [u16]);
}

thread_local! {
    static ROOM: RefCell<Room<u16>> = RefCell::default();
}

impl<B: Bits> DistanceCoder for Runs<B> {
    fn count_distances(
        &self,
        model: &DistanceModel,
        start: u64,
        halves: &[u16],
        counts: &mut Vec<[u32; 2]>,
    ) {
        let len = halves.len();
        let mut halves = halves.iter().copied();
        walk(self, model, start, len, |guess| match halves.next() {
            Some(half) if half != ANY_HALF => code(&mut Counter(counts), guess, half),
            _ => code(&mut Counter(counts), guess, guess.first),
        });
    }

    fn encode_distances(&self, model: &DistanceModel, start: u64, halves: &mut [u16]) -> Vec<u8> {
        let len = halves.len();
        let mut halves = halves.iter_mut();
        let mut encoder = Encoder { coder: RangeEncoder::new(), yes: &model.yes };
        walk(self, model, start, len, |guess| {
            let Some(half) = halves.next() else { return guess.first };
            if *half == ANY_HALF {
                *half = guess.first;
            }
            code(&mut encoder, guess, *half)
        });
        encoder.coder.finish()
    }

    fn decode_distances(
        &self,
        model: &DistanceModel,
        start: u64,
        bytes: &[u8],
        halves: &mut [u16],
    ) {
        let len = halves.len();
        let mut halves = halves.iter_mut();
        let mut decoder = Decoder { coder: RangeDecoder::new(bytes), yes: &model.yes };
        walk(self, model, start, len, |guess| {
            let half = code(&mut decoder, guess, guess.first);
            if let Some(slot) = halves.next() {
                *slot = half;
            }
            half
        });
    }
}

/// Answers the decisions of which the code of a position consists.
trait Decider {
    /// A decision of the model; `wanted` is the answer, where it is known.
    fn decide(&mut self, decision: usize, wanted: bool) -> bool;
    /// A decision of which nothing is known.
    fn toss(&mut self, wanted: bool) -> bool;
}

struct Counter<'a>(&'a mut Vec<[u32; 2]>);

impl Decider for Counter<'_> {
    #[inline(always)]
    fn decide(&mut self, decision: usize, wanted: bool) -> bool {
        self.0[decision][usize::from(wanted)] += 1;
        wanted
    }

    fn toss(&mut self, wanted: bool) -> bool {
        wanted
    }
}

struct Encoder<'a> {
    coder: RangeEncoder,
    yes: &'a [u16; DECISIONS],
}

impl Decider for Encoder<'_> {
    #[inline(always)]
    fn decide(&mut self, decision: usize, wanted: bool) -> bool {
        self.coder.encode(wanted, self.yes[decision].into());
        wanted
    }

    fn toss(&mut self, wanted: bool) -> bool {
        self.coder.encode(wanted, WHOLE / 2);
        wanted
    }
}

struct Decoder<'a> {
    coder: RangeDecoder<'a>,
    yes: &'a [u16; DECISIONS],
}

impl Decider for Decoder<'_> {
    #[inline(always)]
    fn decide(&mut self, decision: usize, _: bool) -> bool {
        self.coder.decode(self.yes[decision].into())
    }

    fn toss(&mut self, _: bool) -> bool {
        self.coder.decode(WHOLE / 2)
    }
}

/// Codes a half distance: finds it out, or says it, as the decider does.
#[inline(always)]
fn code(decider: &mut impl Decider, guess: &Guess, half: u16) -> u16 {
    if decider.decide(HIT + guess.pattern, half == guess.first) {
        return guess.first;
    }
    code_miss(decider, guess, half)
}

fn code_miss(decider: &mut impl Decider, guess: &Guess, half: u16) -> u16 {
    let (distances, second) = guess.second();
    let place = second.map_or(PLACES - 1, |second| {
        let above = i32::from(second) - i32::from(guess.first);
        (above.clamp(-(FARTHEST as i32), FARTHEST as i32) + FARTHEST as i32) as usize
    });
    let distances = distances.clamp(1, 4) - 1;
    let kind = distances * PLACES + place;
    if let Some(second) = second
        && decider.decide(SECOND + kind, half == second)
    {
        return second;
    }
    let up = decider.decide(UP + kind, half > guess.first);
    // One step at least.
    let wanted = usize::from(half.abs_diff(guess.first).saturating_sub(1));
    let mut steps = 0;
    while steps < STEPS {
        let decision = STOP + (distances * 2 + usize::from(up)) * STEPS + steps;
        if decider.decide(decision, wanted == steps) {
            break;
        }
        steps += 1;
    }
    let mut far = 0;
    if steps == STEPS {
        let wanted = wanted.saturating_sub(STEPS);
        for bit in (0..REST_BITS).rev() {
            far = far << 1 | u16::from(decider.toss(wanted >> bit & 1 != 0));
        }
    }
    let away = (steps as u16 + 1).saturating_add(far);
    match up {
        true => guess.first.saturating_add(away).min(NONE - 1),
        false => guess.first.saturating_sub(away),
    }
}

/// What the neighbours of a position say.
struct Guess {
    /// In the order of slots: the two in the run, the others, the position before.
    near: [u16; SLOTS],
    /// The distance that most have; those of the first two slots count more.
    first: u16,
    /// How each neighbour is to the guess: two bits a slot, the first slot highest: 0 equal, 1 below, 2 above, 3 none.
    pattern: usize,
}

/// Weights of slots.
const WEIGHTS: [u8; SLOTS] = [3, 3, 2, 2, 2, 2, 2];

impl Guess {
    #[inline(always)]
    fn new(near: [u16; SLOTS], base: u16) -> Self {
        let first = most_weight(&near, NONE).unwrap_or(base);
        let pattern = near.iter().fold(0, |pattern, &half| {
            let above = usize::from(half > first) << 1;
            let relation = above | usize::from(half < first) | usize::from(half == NONE);
            pattern << 2 | relation
        });
        Guess { near, first, pattern }
    }

    /// [`Guess::new`], where some neighbours are alike, which is what most are.
    #[inline(always)]
    fn new_beside(
        outer: &Outer,
        square: usize,
        [first, second]: [u16; 2],
        last: u16,
        base: u16,
    ) -> Self {
        let square = square & (CELLS - 1);
        let [a, b, c, d] = outer.near[square];
        let near = [first, second, a, b, c, d, last];
        let (only, absent) = (outer.only[square], outer.absent[square]);
        let some = only.min(first).min(second).min(last);
        let is_alike = |half: u16| (half == some) | (half == NONE);
        if (absent == MIXED)
            | !(is_alike(only) & is_alike(first) & is_alike(second) & is_alike(last))
        {
            return Guess::new(near, base);
        }
        let absent_here =
            |half: u16, slot: usize| if half == NONE { 3 << slot_shift(slot) } else { 0 };
        let inner = absent_here(first, 0) | absent_here(second, 1) | absent_here(last, SLOTS - 1);
        let first = if some == NONE { base } else { some };
        Guess { near, first, pattern: usize::from(absent) | inner }
    }

    /// How many different distances neighbours have, and the one that comes after the guess.
    fn second(&self) -> (usize, Option<u16>) {
        let near = self.near;
        let is_new = |&slot: &usize| near[slot] != NONE && !near[..slot].contains(&near[slot]);
        ((0..SLOTS).filter(is_new).count(), most_weight(&near, self.first))
    }
}

/// The distance with most weight, but for one; of several the one that comes first.
#[inline(always)]
fn most_weight(near: &[u16; SLOTS], but: u16) -> Option<u16> {
    let mut best = None;
    let mut most = 0;
    for &half in near {
        if half == NONE || half == but {
            continue;
        }
        let weights = near.iter().zip(WEIGHTS).filter(|(other, _)| **other == half);
        let weight = weights.map(|(_, weight)| weight).sum();
        if weight > most {
            (best, most) = (Some(half), weight);
        }
    }
    best
}

/// Place of the bits of a slot in a pattern.
const fn slot_shift(slot: usize) -> usize {
    2 * (SLOTS - 1 - slot)
}

/// Neighbours that a run has alike, by square.
struct Outer {
    near: [[u16; OUTER]; CELLS],
    /// The least distance of those that there are.
    only: [u16; CELLS],
    /// The pattern of those that there are not, if the others are all the same, else [`MIXED`].
    absent: [u16; CELLS],
}

/// No pattern.
const MIXED: u16 = u16::MAX;
const _: () = assert!(PATTERNS <= MIXED as usize);

impl Outer {
    fn new() -> Self {
        Outer { near: [[NONE; OUTER]; CELLS], only: [NONE; CELLS], absent: [MIXED; CELLS] }
    }

    #[inline(always)]
    fn set(&mut self, outer: [&[u16]; OUTER]) {
        let [a, b, c, d] = outer;
        for ((((cell, a), b), c), d) in self.near.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *cell = [*a, *b, *c, *d];
        }
        let summaries = self.only.iter_mut().zip(&mut self.absent);
        for (((((only, absent), &a), &b), &c), &d) in summaries.zip(a).zip(b).zip(c).zip(d) {
            let least = a.min(b).min(c).min(d);
            let is_alike = |half: u16| (half == least) | (half == NONE);
            let alike = is_alike(a) & is_alike(b) & is_alike(c) & is_alike(d);
            let bits = |half: u16, slot: usize| {
                if half == NONE { 3 << slot_shift(2 + slot) } else { 0u16 }
            };
            *only = least;
            let pattern = bits(a, 0) | bits(b, 1) | bits(c, 2) | bits(d, 3);
            *absent = if alike { pattern } else { MIXED };
        }
    }
}

/// Goes through positions, and makes guesses.
struct Walk<S> {
    base: u16,
    outer: Outer,
    step: S,
}

fn walk<B: Bits>(
    runs: &Runs<B>,
    model: &DistanceModel,
    start: u64,
    len: usize,
    step: impl FnMut(&Guess) -> u16,
) {
    let mut walk = Walk { base: model.base, outer: Outer::new(), step };
    ROOM.with_borrow_mut(|room| runs.walk(start, len, room, &mut walk));
}

impl<S: FnMut(&Guess) -> u16> Visitor<u16> for Walk<S> {
    const NONE: u16 = NONE;

    #[inline(always)]
    fn begin_run(&mut self, outer: [&[u16]; OUTER]) {
        self.outer.set(outer);
    }

    #[inline(always)]
    fn visit(&mut self, square: usize, near: [u16; 2], last: u16) -> u16 {
        (self.step)(&Guess::new_beside(&self.outer, square, near, last, self.base))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{context_coder, train};
    use super::*;
    use crate::index::{SliceIndex, slices};
    use crate::rules::{RuleSet, Variant, with_rule_set};

    /// Distances with little order, some far off, and positions that nobody will ask for.
    fn noise(len: usize, seed: u64) -> Vec<u16> {
        let mut state = seed;
        let step = |place: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let draw = (state >> 33) as u16;
            match draw % 11 {
                0..=5 => (place / 40 % 90) as u16,
                6 | 7 => (place / 40 % 90) as u16 + draw / 11 % 4,
                8 => draw % 16_384,
                _ => ANY_HALF,
            }
        };
        (0..len).map(step).collect()
    }

    #[test]
    fn distances_survive() {
        for variant in [Variant::Russian, Variant::International, Variant::Canadian] {
            for slice in slices(variant.rules(), 4) {
                let positions = with_rule_set!(variant, R => {
                    SliceIndex::len_of(<R as RuleSet>::geometry(), slice) as u64
                });
                let coder = context_coder(variant, slice, positions).unwrap();
                let len = positions.min(3000) as usize;
                let start = (positions - len as u64) / 2;
                let told = noise(len, positions);
                let model: DistanceModel = train(&*coder, positions, &[(start, told.clone())]);
                let model = DistanceModel::from_bytes(model.bytes().to_vec()).unwrap();
                let mut filled = told.clone();
                let bytes = coder.encode_distances(&model, start, &mut filled);
                for (told, filled) in told.iter().zip(&filled) {
                    assert!(told == filled || *told == ANY_HALF);
                }
                let mut decoded = vec![ANY_HALF; len];
                coder.decode_distances(&model, start, &bytes, &mut decoded);
                assert_eq!(decoded, filled, "{variant} {slice}");
                // Other bytes are other distances, and no panic.
                let mut other = bytes.clone();
                other.iter_mut().step_by(7).for_each(|byte| *byte = !*byte);
                coder.decode_distances(&model, start, &other, &mut decoded);
                assert!(decoded.iter().all(|&half| half != NONE));
            }
        }
    }

    #[test]
    fn models_that_are_none_are_refused() {
        let with = |place: usize, byte: u8| {
            let mut bytes = vec![0; MODEL_LEN];
            bytes[place] = byte;
            DistanceModel::from_bytes(bytes).is_some()
        };
        assert!(with(7, 0) && with(7, EXPONENTS) && with(7, 128 + EXPONENTS));
        assert!(!with(7, EXPONENTS + 1) && !with(7, 128) && !with(7, 129 + EXPONENTS));
        assert!(DistanceModel::from_bytes(vec![0; MODEL_LEN + 1]).is_none());
        assert!(DistanceModel::from_bytes(vec![0; MODEL_LEN - 1]).is_none());
        let mut bytes = vec![0; MODEL_LEN];
        bytes[..2].fill(255);
        assert!(DistanceModel::from_bytes(bytes).is_none());
    }

    #[test]
    fn the_guess_is_what_most_neighbours_have() {
        let n = NONE;
        let guess = |near| Guess::new(near, 50);
        assert_eq!(guess([n; 7]).first, 50);
        assert_eq!(guess([n, n, 4, n, n, n, 4]).first, 4);
        assert_eq!(guess([9, 9, 4, 4, n, n, n]).first, 9);
        assert_eq!(guess([9, 8, 4, 4, n, n, n]).first, 4);
        assert_eq!(guess([9, 8, 4, 4, n, n, n]).second(), (3, Some(9)));
        assert_eq!(guess([9, 8, 4, 4, n, n, n]).pattern, 0b10_10_00_00_11_11_11);
        assert_eq!(guess([3, n, 4, 4, n, n, n]).pattern, 0b01_11_00_00_11_11_11);
        assert_eq!(guess([5, n, n, n, n, n, 5]).second(), (1, None));
    }

    proptest! {
        #[test]
        fn neighbours_that_are_alike_are_no_other_guess(
            near in prop::array::uniform7(prop_oneof![3 => Just(7u16), 2 => Just(NONE), 1 => 0..NONE]),
            square in 0..CELLS,
        ) {
            let [first, second, a, b, c, d, last] = near;
            let mut outer = Outer::new();
            let slots = [a, b, c, d].map(|half| vec![half; CELLS]);
            outer.set(std::array::from_fn(|slot| &slots[slot][..]));
            let guess = Guess::new_beside(&outer, square, [first, second], last, 50);
            let expected = Guess::new(near, 50);
            prop_assert_eq!(guess.near, expected.near);
            prop_assert_eq!((guess.first, guess.pattern), (expected.first, expected.pattern));
        }
    }
}
