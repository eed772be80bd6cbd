//! Results of positions, each coded by how likely it is after the results of positions nearby.
//!
//! The *context* of a position are the results of its neighbours (see [`Visitor`]) and of the position before it in the block.
//! A table has a *model*: for each context, which result is the most likely, and how likely. Positions that nobody
//! will ask for take the most likely result, and next to no bits.

use std::cell::RefCell;
use std::fmt;
use std::sync::LazyLock;

use super::range::{RangeDecoder, RangeEncoder, WHOLE};
use crate::board::{Bits, MAX_SQUARES};
use crate::index::{Material, OUTER, Room, Runs, SliceIndex, Visitor};
use crate::rules::{RuleSet, Variant, with_rule_set};

/// Results in a context: of the position before, of both neighbours in the run, and of the others.
const SLOTS: usize = 3 + OUTER;
/// Number of contexts; two bits for each slot.
const CONTEXTS: usize = 1 << (2 * SLOTS);
/// Bytes of a model, decoded.
pub(super) const MODEL_LEN: usize = 2 * CONTEXTS;
/// Where no neighbour is.
const NONE: u8 = 3;
/// Result of a position that nobody will ask for.
pub(super) const ANY: u8 = u8::MAX;
/// Room for the squares of any board.
const CELLS: usize = MAX_SQUARES.next_power_of_two();

/// 65,536 x 2^(-n/8), rounded down, for n below 8.
const EIGHTHS: [u32; 8] = [65_536, 60_097, 55_109, 50_535, 46_341, 42_495, 38_968, 35_734];
/// The greatest exponent, in eighths, that a model has for the probability of a miss.
const RAREST: u8 = 8 * 16 - 1;
/// The least and the greatest for the last of two, and the step between exponents.
const LAST: [u8; 2] = [8, 8 + 2 * 31];

/// 65,536 x 2^(-eighths/8), from 1 to 65,535.
fn power(eighths: u8) -> u32 {
    (EIGHTHS[usize::from(eighths % 8)] >> (eighths / 8)).clamp(1, WHOLE - 1)
}

/// The three results, as digits of a packed byte, most likely first.
const ORDERS: [[u8; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The order of results that are so frequent; among equal ones a draw comes first, then a win.
fn order_of(counts: [u32; 3]) -> usize {
    let key = |result: u8| (counts[result as usize], [0, 2, 1][result as usize]);
    let keys = |order: &usize| ORDERS[*order].map(key);
    (0..ORDERS.len()).max_by_key(keys).unwrap_or(0)
}

/// What a context says, in 32 bits: the probability that the first result is right in 16, that the second is right if the
/// first is not in 10, the order in the rest.
#[derive(Clone, Copy, Debug)]
struct Guess(u32);

impl Guess {
    fn new(order: usize, miss: u8, last: u8) -> Self {
        let [first, second, _] = ORDERS[order].map(u32::from);
        let hit = WHOLE - power(miss);
        let hit_second = (WHOLE - power(last)) >> 6;
        Guess(hit | hit_second << 16 | first << 26 | second << 28)
    }

    /// Probability that the first result is right.
    #[inline(always)]
    fn hit(self) -> u32 {
        self.0 & (WHOLE - 1)
    }

    /// Probability that the second is right if the first is not.
    #[inline(always)]
    fn hit_second(self) -> u32 {
        self.0 >> 10 & 0xffc0
    }

    #[inline(always)]
    fn first(self) -> u8 {
        (self.0 >> 26 & 3) as u8
    }

    #[inline(always)]
    fn second(self) -> u8 {
        (self.0 >> 28 & 3) as u8
    }

    #[inline(always)]
    fn third(self) -> u8 {
        3 - self.first() - self.second()
    }
}

type Guesses = [Guess; CONTEXTS];

/// Guesses where a model says nothing: what most neighbours have, with a probability of three quarters.
static VOTES: LazyLock<Vec<Guess>> = LazyLock::new(|| {
    let guess = |context: usize| {
        let mut votes = [0; 4];
        (0..SLOTS).for_each(|slot| votes[context >> (2 * slot) & 3] += 1);
        Guess::new(order_of([votes[0], votes[1], votes[2]]), 16, LAST[0])
    };
    (0..CONTEXTS).map(guess).collect()
});

/// The contexts of a table.
#[derive(Clone)]
pub(super) struct Model {
    guesses: Box<Guesses>,
    bytes: Vec<u8>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").finish_non_exhaustive()
    }
}

impl Model {
    /// Reads a model: for each context the exponent for a miss, then for each context 0 if it has none, or one more than
    /// 32 times the order plus half of what the exponent for the last is above the least. `None` if the bytes are none.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let mut guesses = VOTES.clone();
        let (misses, others) = bytes.split_at_checked(CONTEXTS)?;
        if others.len() != CONTEXTS {
            return None;
        }
        for ((&miss, &other), guess) in misses.iter().zip(others).zip(&mut guesses) {
            let Some(other) = other.checked_sub(1) else { continue };
            let (order, last) = (usize::from(other / 32), LAST[0] + 2 * (other % 32));
            if order >= ORDERS.len() || miss > RAREST {
                return None;
            }
            *guess = Guess::new(order, miss, last);
        }
        Some(Model { guesses: guesses.into_boxed_slice().try_into().ok()?, bytes })
    }

    /// Knows nothing.
    fn blank() -> Self {
        Self::from_bytes(vec![0; MODEL_LEN]).expect("a model of this length")
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The model after which results that were so frequent take fewest bits.
    fn from_counts(counts: &ContextCounts) -> Self {
        let mut bytes = vec![0; MODEL_LEN];
        let (misses, others) = bytes.split_at_mut(CONTEXTS);
        let used = counts.0.iter().enumerate().filter(|(_, counts)| **counts != [0; 3]);
        for (context, &counts) in used {
            let order = order_of(counts);
            let [first, second, third] = ORDERS[order].map(|result| counts[result as usize]);
            misses[context] = exponent(second + third, first, (0..=RAREST).step_by(1));
            let last = exponent(third, second, (LAST[0]..=LAST[1]).step_by(2));
            others[context] = 1 + 32 * order as u8 + (last - LAST[0]) / 2;
        }
        Self::from_bytes(bytes).expect("a model is read as it is written")
    }
}

/// The exponent, among some, that is nearest to the probability of something that happened so often, and so often not.
fn exponent(happened: u32, did_not: u32, among: impl Iterator<Item = u8>) -> u8 {
    // As if half a case more had been seen.
    let all = u64::from(happened) + u64::from(did_not) + 1;
    let part = (2 * u64::from(happened) + 1) * u64::from(WHOLE / 2) / all;
    let part = (part as u32).max(1);
    // By how much the greater is more than the smaller.
    let error = |exponent: &u8| {
        let there = power(*exponent);
        u64::from(part.max(there)) * u64::from(WHOLE) / u64::from(part.min(there))
    };
    among.min_by_key(error).unwrap_or(0)
}

/// How often each result was seen in each context.
#[derive(Clone, Debug)]
pub(super) struct ContextCounts(Vec<[u32; 3]>);

impl ContextCounts {
    fn new() -> Self {
        ContextCounts(vec![[0; 3]; CONTEXTS])
    }

    fn merged(mut self, other: Self) -> Self {
        for (counts, more) in self.0.iter_mut().zip(other.0) {
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        self
    }
}

/// Coder of a slice.
pub(super) trait ContextCoder: Send + Sync + fmt::Debug {
    /// Counts results, those that nobody will ask for as the model guesses them.
    fn count(&self, model: &Model, start: u64, results: &[u8], counts: &mut ContextCounts);

    /// Encodes the results of the positions from `start`, and puts its guess in place of each [`ANY`].
    fn encode(&self, model: &Model, start: u64, results: &mut [u8]) -> Vec<u8>;

    /// Decodes the results of the positions from `start`. Any bytes decode to something.
    fn decode(&self, model: &Model, start: u64, bytes: &[u8], results: &mut [u8]);
}

/// Coder of a slice; `None` if it has another number of positions.
pub(super) fn context_coder(
    variant: Variant,
    slice: Material,
    positions: u64,
) -> Option<Box<dyn ContextCoder>> {
    with_rule_set!(variant, R => {
        let geometry = <R as RuleSet>::geometry();
        (SliceIndex::len_of(geometry, slice) == u128::from(positions)).then(|| {
            Box::new(Runs::new(SliceIndex::new(geometry, slice))) as Box<dyn ContextCoder>
        })
    })
}

/// The model after which the results of some blocks take fewest bits. Each has the number of its first position. Does not depend on
/// the number of threads.
pub(super) fn train(coder: &dyn ContextCoder, blocks: &[(u64, Vec<u8>)]) -> Model {
    use rayon::prelude::*;
    let mut model = Model::blank();
    // Guesses for positions that nobody will ask for change what their neighbours see; after three times, little.
    for _ in 0..3 {
        let count = |mut counts: ContextCounts, (start, results): &(u64, Vec<u8>)| {
            coder.count(&model, *start, results, &mut counts);
            counts
        };
        let counts = blocks
            .par_iter()
            .fold(ContextCounts::new, count)
            .reduce(ContextCounts::new, ContextCounts::merged);
        model = Model::from_counts(&counts);
    }
    model
}

thread_local! {
    static ROOM: RefCell<Room<u8>> = RefCell::default();
}

impl<B: Bits> ContextCoder for Runs<B> {
    fn count(&self, model: &Model, start: u64, results: &[u8], counts: &mut ContextCounts) {
        let walk = Walk::new(model, Count { results: results.iter(), counts: &mut counts.0 });
        walk.over(self, start, results.len());
    }

    fn encode(&self, model: &Model, start: u64, results: &mut [u8]) -> Vec<u8> {
        let len = results.len();
        let encode = Encode { results: results.iter_mut(), encoder: RangeEncoder::new() };
        Walk::new(model, encode).over(self, start, len).encoder.finish()
    }

    fn decode(&self, model: &Model, start: u64, bytes: &[u8], results: &mut [u8]) {
        let len = results.len();
        let decode = Decode { results: results.iter_mut(), decoder: RangeDecoder::new(bytes) };
        Walk::new(model, decode).over(self, start, len);
    }
}

/// What is done in each context.
trait Step {
    /// The result of the next position.
    fn step(&mut self, context: usize, guess: Guess) -> u8;
}

/// Goes through positions, and puts contexts together.
struct Walk<'a, S> {
    guesses: &'a Guesses,
    /// What the neighbours of a run say, by square.
    outer: [u8; CELLS],
    step: S,
}

impl<'a, S: Step> Walk<'a, S> {
    fn new(model: &'a Model, step: S) -> Self {
        Walk { guesses: &model.guesses, outer: [0; CELLS], step }
    }

    fn over<B: Bits>(mut self, runs: &Runs<B>, start: u64, len: usize) -> S {
        ROOM.with_borrow_mut(|room| runs.walk(start, len, room, &mut self));
        self.step
    }
}

impl<S: Step> Visitor<u8> for Walk<'_, S> {
    const NONE: u8 = NONE;

    #[inline(always)]
    fn begin_run(&mut self, [a, b, c, d]: [&[u8]; OUTER]) {
        for ((((cell, a), b), c), d) in self.outer.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *cell = a | b << 2 | c << 4 | d << 6;
        }
    }

    #[inline(always)]
    fn visit(&mut self, square: usize, [first, second]: [u8; 2], last: u8) -> u8 {
        let [first, second, last] = [first, second, last].map(usize::from);
        let outer = usize::from(self.outer[square & (CELLS - 1)]);
        let context = (outer << 6 | first << 4 | second << 2 | last) & (CONTEXTS - 1);
        self.step.step(context, self.guesses[context])
    }
}

struct Count<'a> {
    results: std::slice::Iter<'a, u8>,
    counts: &'a mut [[u32; 3]],
}

impl Step for Count<'_> {
    #[inline(always)]
    fn step(&mut self, context: usize, guess: Guess) -> u8 {
        let result = match self.results.next() {
            Some(&result) if result != ANY => result,
            _ => guess.first(),
        };
        self.counts[context][usize::from(result)] += 1;
        result
    }
}

struct Encode<'a> {
    results: std::slice::IterMut<'a, u8>,
    encoder: RangeEncoder,
}

impl Step for Encode<'_> {
    #[inline(always)]
    fn step(&mut self, _: usize, guess: Guess) -> u8 {
        let Some(result) = self.results.next() else { return NONE };
        if *result == ANY {
            *result = guess.first();
        }
        self.encoder.encode(*result == guess.first(), guess.hit());
        if *result != guess.first() {
            self.encoder.encode(*result == guess.second(), guess.hit_second());
        }
        *result
    }
}

struct Decode<'a> {
    results: std::slice::IterMut<'a, u8>,
    decoder: RangeDecoder<'a>,
}

impl Step for Decode<'_> {
    #[inline(always)]
    fn step(&mut self, _: usize, guess: Guess) -> u8 {
        let result = if self.decoder.decode(guess.hit()) {
            guess.first()
        } else if self.decoder.decode(guess.hit_second()) {
            guess.second()
        } else {
            guess.third()
        };
        if let Some(slot) = self.results.next() {
            *slot = result;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::slices;

    /// Results without order, and positions that nobody will ask for.
    fn noise(len: usize, seed: u64) -> Vec<u8> {
        let mut state = seed;
        let step = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            [0, 1, 2, 2, 2, 2, 2, ANY, ANY][(state >> 33) as usize % 9]
        };
        (0..len).map(step).collect()
    }

    #[test]
    fn results_survive() {
        for variant in [Variant::Russian, Variant::International, Variant::Canadian] {
            for slice in slices(variant.rules(), 4) {
                let positions = with_rule_set!(variant, R => {
                    SliceIndex::len_of(<R as RuleSet>::geometry(), slice) as u64
                });
                let coder = context_coder(variant, slice, positions).unwrap();
                assert!(context_coder(variant, slice, positions + 1).is_none());
                let len = positions.min(3000) as usize;
                let start = (positions - len as u64) / 2;
                let told = noise(len, positions);
                let model = train(&*coder, &[(start, told.clone())]);
                let model = Model::from_bytes(model.bytes().to_vec()).unwrap();
                let mut filled = told.clone();
                let bytes = coder.encode(&model, start, &mut filled);
                for (told, filled) in told.iter().zip(&filled) {
                    assert!(*filled < NONE && (told == filled || *told == ANY));
                }
                let mut decoded = vec![ANY; len];
                coder.decode(&model, start, &bytes, &mut decoded);
                assert_eq!(decoded, filled, "{variant} {slice}");
            }
        }
    }

    #[test]
    fn models_that_are_none_are_refused() {
        let blank = vec![0; MODEL_LEN];
        assert!(Model::from_bytes(blank.clone()).is_some());
        assert!(Model::from_bytes(blank[1..].to_vec()).is_none());
        assert!(Model::from_bytes([&blank[..], &[0]].concat()).is_none());
        let with = |miss: u8, other: u8| {
            let mut bytes = blank.clone();
            (bytes[7], bytes[CONTEXTS + 7]) = (miss, other);
            Model::from_bytes(bytes)
        };
        assert!(with(RAREST, 192).is_some());
        assert!(with(RAREST, 193).is_none());
        assert!(with(RAREST + 1, 192).is_none());
        // Where there is no guess, the other byte says nothing.
        assert!(with(255, 0).is_some());
    }

    #[test]
    fn exponents_are_the_nearest() {
        for (happened, did_not) in [(0, 0), (1, 1), (3, 997), (0, 4_000_000_000), (700, 300)] {
            let found = exponent(happened, did_not, 0..=RAREST);
            let part =
                (f64::from(happened) + 0.5) / (f64::from(happened) + f64::from(did_not) + 1.0);
            // From 8 x 15 on, powers round down to one.
            let exact = (-8.0 * part.log2()).clamp(0.0, 120.0);
            assert!(
                (f64::from(found) - exact).abs() < 1.1,
                "{happened} {did_not}: {found} {exact}"
            );
        }
    }
}
