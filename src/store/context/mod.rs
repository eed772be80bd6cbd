//! Symbols of positions, each coded by how likely it is after those of positions nearby.
//!
//! The *context* of a position are the symbols of its neighbours (see [`Visitor`](runs::Visitor)) and of the position before it in
//! the block. A table has a *model*: how likely which symbol is in each context. Positions that nobody
//! will ask for take the most likely symbol, and next to no bits.

mod distances;
mod range;
mod results;
mod runs;

use std::fmt;

pub(super) use distances::{ANY_HALF, DistanceCoder, DistanceModel};
use range::WHOLE;
#[cfg(feature = "build")]
use rayon::prelude::*;
pub(super) use results::{ANY, ResultCoder, ResultModel};
use runs::{OUTER, Runs};

use crate::board::{Bits, MAX_SQUARES};
use crate::index::{Material, SliceIndex};
use crate::rules::{RuleSet, Variant, with_rule_set};

/// Symbols in a context: of the position before, of both neighbours in the run, and of the others.
const SLOTS: usize = 3 + OUTER;
/// Room for the squares of any board.
const CELLS: usize = MAX_SQUARES.next_power_of_two();

/// Coder of a slice.
pub(super) trait ContextCoder:
    ResultCoder + DistanceCoder + Send + Sync + fmt::Debug
{
}

impl<B: Bits> ContextCoder for Runs<B> {}

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

/// A context that occurs less often in a slice costs more in its model than it saves.
const WORTH: u64 = 64;
/// How often something must have been seen for anything to be said of it.
const LEAST_SEEN: u32 = 4;

/// Exponent for a miss where a model says nothing, when so many neighbours are there and so many of them have another symbol.
fn unknown_miss(neighbours: usize, others: usize) -> u8 {
    const NONE_ELSE: [u8; SLOTS + 1] = [10, 22, 26, 32, 38, 44, 48, 50];
    match others {
        0 => NONE_ELSE[neighbours.min(SLOTS)],
        1 => 18,
        2 => 12,
        _ => 10,
    }
}

/// The model of a table.
pub(super) trait Model: Sized + Sync {
    /// What is coded.
    type Symbol: Sync;
    /// How often what was seen in each context.
    type Counts: Send;

    /// Length of the bytes of a model.
    const LEN: usize;

    /// Reads a model; `None` if the bytes are none.
    fn from_bytes(bytes: Vec<u8>) -> Option<Self>;

    /// What [`Model::from_bytes`] reads.
    fn bytes(&self) -> &[u8];

    /// Knows nothing but what is most frequent in the blocks.
    fn blank(blocks: &[(u64, Vec<Self::Symbol>)]) -> Self;

    /// Nothing was seen.
    fn no_counts() -> Self::Counts;

    /// Both together.
    fn merged(counts: Self::Counts, more: Self::Counts) -> Self::Counts;

    /// Counts what is in the positions from `start`, those that nobody will ask for as the model guesses them.
    fn count(
        &self,
        coder: &dyn ContextCoder,
        start: u64,
        symbols: &[Self::Symbol],
        counts: &mut Self::Counts,
    );

    /// The model after which what was seen so often takes fewest bits, silent about what was seen less than `least` times.
    fn after(&self, counts: &Self::Counts, least: u32) -> Self;
}

/// The model after which the symbols of some blocks of a slice of so many positions take fewest bits. Each block has the number of
/// its first position. Does not depend on the number of threads.
#[cfg(feature = "build")]
pub(super) fn train<M: Model>(
    coder: &dyn ContextCoder,
    positions: u64,
    blocks: &[(u64, Vec<M::Symbol>)],
) -> M {
    let seen: u64 = blocks.iter().map(|(_, symbols)| symbols.len() as u64).sum();
    let least = LEAST_SEEN.max((WORTH as f64 * seen as f64 / positions as f64) as u32);
    let mut model = M::blank(blocks);
    // Guesses for positions that nobody will ask for change what their neighbours see; after three times, little.
    for _ in 0..3 {
        let count = |mut counts: M::Counts, (start, symbols): &(u64, Vec<M::Symbol>)| {
            model.count(coder, *start, symbols, &mut counts);
            counts
        };
        let counts = blocks.par_iter().fold(M::no_counts, count).reduce(M::no_counts, M::merged);
        model = model.after(&counts, least);
    }
    model
}

/// 65,536 x 2^(-n/8), rounded down, for n below 8.
const EIGHTHS: [u32; 8] = [65_536, 60_097, 55_109, 50_535, 46_341, 42_495, 38_968, 35_734];
/// The greatest exponent, in eighths, that a model has for a probability.
const RAREST: u8 = 8 * 16 - 1;

/// 65,536 x 2^(-eighths/8), from 1 to 65,535.
fn power(eighths: u8) -> u32 {
    (EIGHTHS[usize::from(eighths % 8)] >> (eighths / 8)).clamp(1, WHOLE - 1)
}

/// The exponent that is nearest to the probability of something that happened so often, and so often not: one of
/// `least`, `least + step`, ..., below `least + steps x step`.
fn exponent(happened: u32, did_not: u32, least: u8, step: u8, steps: u8) -> u8 {
    // As if half a case more had been seen.
    let all = u64::from(happened) + u64::from(did_not) + 1;
    let part = (2 * u64::from(happened) + 1) * u64::from(WHOLE / 2) / all;
    let part = (part as u32).max(1);
    let nth = |n: u8| least + step * n;
    // Powers fall.
    let (mut low, mut high) = (0, steps - 1);
    while low < high {
        let middle = (low + high) / 2;
        if power(nth(middle)) <= part {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // By how much the greater is more than the smaller.
    let error = |n: &u8| {
        let there = power(nth(*n));
        u64::from(part.max(there)) * u64::from(WHOLE) / u64::from(part.min(there))
    };
    nth([low.saturating_sub(1), low].into_iter().min_by_key(error).unwrap_or(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_the_nearest() {
        for (happened, did_not) in [(0, 0), (1, 1), (3, 997), (0, 4_000_000_000), (700, 300)] {
            let found = exponent(happened, did_not, 0, 1, RAREST + 1);
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
