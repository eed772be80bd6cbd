//! Results coded by contexts.

use std::cell::RefCell;
use std::fmt;
use std::sync::LazyLock;

use super::range::{RangeDecoder, RangeEncoder, WHOLE};
use super::runs::{OUTER, Room, Runs, Visitor};
use super::{CELLS, ContextCoder, Model, RAREST, SLOTS, exponent, power, unknown_miss};
use crate::board::Bits;

/// Number of contexts; two bits for each slot.
const CONTEXTS: usize = 1 << (2 * SLOTS);
/// Bytes of a model, decoded.
const MODEL_LEN: usize = 2 * CONTEXTS;
/// Where no neighbour is.
const NONE: u8 = 3;
/// Result of a position that nobody will ask for.
pub(in super::super) const ANY: u8 = u8::MAX;
/// The least exponent for the last of two; there are 32, two eighths apart.
const LEAST_LAST: u8 = 8;

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
        let [loss, draw, win, none] = votes;
        let order = order_of([loss, draw, win]);
        let (neighbours, first) = (SLOTS - none as usize, votes[usize::from(ORDERS[order][0])]);
        Guess::new(order, unknown_miss(neighbours, neighbours - first as usize), LEAST_LAST)
    };
    (0..CONTEXTS).map(guess).collect()
});

/// What a table of results says of each context.
#[derive(Clone)]
pub(in super::super) struct ResultModel {
    guesses: Box<Guesses>,
    bytes: Vec<u8>,
}

impl fmt::Debug for ResultModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultModel").finish_non_exhaustive()
    }
}

impl Model for ResultModel {
    type Symbol = u8;
    type Counts = Vec<[u32; 3]>;

    const LEN: usize = MODEL_LEN;

    /// For each context the exponent for a miss, then for each context 0 if it has none, or one more than
    /// 32 times the order plus half of what the exponent for the last is above the least.
    fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let mut guesses = VOTES.clone();
        let (misses, others) = bytes.split_at_checked(CONTEXTS)?;
        if others.len() != CONTEXTS {
            return None;
        }
        for ((&miss, &other), guess) in misses.iter().zip(others).zip(&mut guesses) {
            let Some(other) = other.checked_sub(1) else { continue };
            let (order, last) = (usize::from(other / 32), LEAST_LAST + 2 * (other % 32));
            if order >= ORDERS.len() || miss > RAREST {
                return None;
            }
            *guess = Guess::new(order, miss, last);
        }
        Some(ResultModel { guesses: guesses.into_boxed_slice().try_into().ok()?, bytes })
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn blank(_: &[(u64, Vec<u8>)]) -> Self {
        Self::from_bytes(vec![0; MODEL_LEN]).expect("a model of this length")
    }

    fn no_counts() -> Self::Counts {
        vec![[0; 3]; CONTEXTS]
    }

    fn merged(mut counts: Self::Counts, more: Self::Counts) -> Self::Counts {
        for (counts, more) in counts.iter_mut().zip(more) {
            counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
        counts
    }

    fn count(
        &self,
        coder: &dyn ContextCoder,
        start: u64,
        results: &[u8],
        counts: &mut Self::Counts,
    ) {
        coder.count_results(self, start, results, counts);
    }

    fn after(&self, counts: &Self::Counts, least: u32) -> Self {
        let mut bytes = vec![0; MODEL_LEN];
        let (misses, others) = bytes.split_at_mut(CONTEXTS);
        let is_worth = |counts: &[u32; 3]| counts.iter().sum::<u32>() >= least;
        let used = counts.iter().enumerate().filter(|(_, counts)| is_worth(counts));
        for (context, &counts) in used {
            let order = order_of(counts);
            let [first, second, third] = ORDERS[order].map(|result| counts[result as usize]);
            misses[context] = exponent(second + third, first, 0, 1, RAREST + 1);
            let last = exponent(third, second, LEAST_LAST, 2, 32);
            others[context] = 1 + 32 * order as u8 + (last - LEAST_LAST) / 2;
        }
        Self::from_bytes(bytes).expect("a model is read as it is written")
    }
}

/// Codes the results of a slice.
pub(in super::super) trait ResultCoder {
    /// Counts results, those that nobody will ask for as the model guesses them.
    fn count_results(
        &self,
        model: &ResultModel,
        start: u64,
        results: &[u8],
        counts: &mut Vec<[u32; 3]>,
    );

    /// Encodes the results of the positions from `start`, and puts its guess in place of each [`ANY`].
    fn encode_results(&self, model: &ResultModel, start: u64, results: &mut [u8]) -> Vec<u8>;

    /// Decodes the results of the positions from `start`. Any bytes decode to something.
    fn decode_results(&self, model: &ResultModel, start: u64, bytes: &[u8], results: &mut [u8]);
}

thread_local! {
    static ROOM: RefCell<Room<u8>> = RefCell::default();
}

impl<B: Bits> ResultCoder for Runs<B> {
    fn count_results(
        &self,
        model: &ResultModel,
        start: u64,
        results: &[u8],
        counts: &mut Vec<[u32; 3]>,
    ) {
        let walk = Walk::new(model, Count { results: results.iter(), counts });
        walk.over(self, start, results.len());
    }

    fn encode_results(&self, model: &ResultModel, start: u64, results: &mut [u8]) -> Vec<u8> {
        let len = results.len();
        let encode = Encode { results: results.iter_mut(), encoder: RangeEncoder::new() };
        Walk::new(model, encode).over(self, start, len).encoder.finish()
    }

    fn decode_results(&self, model: &ResultModel, start: u64, bytes: &[u8], results: &mut [u8]) {
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
    fn new(model: &'a ResultModel, step: S) -> Self {
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
    use super::super::{context_coder, train};
    use super::*;
    use crate::index::{SliceIndex, slices};
    use crate::rules::{RuleSet, Variant, with_rule_set};

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
                let model: ResultModel = train(&*coder, positions, &[(start, told.clone())]);
                let model = ResultModel::from_bytes(model.bytes().to_vec()).unwrap();
                let mut filled = told.clone();
                let bytes = coder.encode_results(&model, start, &mut filled);
                for (told, filled) in told.iter().zip(&filled) {
                    assert!(*filled < NONE && (told == filled || *told == ANY));
                }
                let mut decoded = vec![ANY; len];
                coder.decode_results(&model, start, &bytes, &mut decoded);
                assert_eq!(decoded, filled, "{variant} {slice}");
            }
        }
    }

    #[test]
    fn models_that_are_none_are_refused() {
        let blank = vec![0; MODEL_LEN];
        assert!(ResultModel::from_bytes(blank.clone()).is_some());
        assert!(ResultModel::from_bytes(blank[1..].to_vec()).is_none());
        assert!(ResultModel::from_bytes([&blank[..], &[0]].concat()).is_none());
        let with = |miss: u8, other: u8| {
            let mut bytes = blank.clone();
            (bytes[7], bytes[CONTEXTS + 7]) = (miss, other);
            ResultModel::from_bytes(bytes)
        };
        assert!(with(RAREST, 192).is_some());
        assert!(with(RAREST, 193).is_none());
        assert!(with(RAREST + 1, 192).is_none());
        // Where there is no guess, the other byte says nothing.
        assert!(with(255, 0).is_some());
    }
}
