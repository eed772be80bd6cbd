//! Work on units, compiled once for all variants with the same [`QuietRules`].

use std::marker::PhantomData;
use std::sync::atomic::AtomicU8;

use super::buckets::Buckets;
use super::captures::Captures;
use super::error::TooLong;
use super::score::Score;
use super::source::{Half, Units};
use super::subsets::Row;
use super::unit::{Both, Scratch, Unit};
use crate::board::Bits;
use crate::rules::{QuietRules, UnitKind};

/// What of the work on a unit is the same for all variants with the same [`QuietRules`].
pub(crate) trait Work<B: Bits, S: Score>: Sync {
    /// Solves a unit. `scores` are its rows, all zero; `done` the scores of all units before it.
    fn solve(
        &self,
        unit: &Unit<B>,
        done: [Half; 2],
        scores: Both<S>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), TooLong>;
    /// See [`Unit::man_moves`].
    fn man_moves(
        &self,
        unit: &Unit<B>,
        side: usize,
        done: Half,
        scores: &mut [S],
        units: &mut Units,
    );
    /// See [`Unit::set_up_singles`].
    fn set_up(
        &self,
        unit: &Unit<B>,
        row: (usize, &Row<B>),
        scores: Both<S>,
        open: Both<u8>,
        buckets: &mut Buckets,
        from: (&mut Captures<B>, &mut Units),
    );
    /// [`Unit::take_back`] for some positions, from arrays that threads share.
    fn take_back(
        &self,
        unit: &Unit<B>,
        entries: &[u32],
        plies: usize,
        scores: [&[S::Shared]; 2],
        open: [&[AtomicU8]; 2],
        buckets: &mut Buckets,
    );
}

/// The work for some quiet rules.
pub(super) struct Quietly<Q>(pub(super) PhantomData<Q>);

impl<Q: QuietRules, S: Ways> Work<Q::Bits, S> for Quietly<Q> {
    fn solve(
        &self,
        unit: &Unit<Q::Bits>,
        done: [Half; 2],
        scores: Both<S>,
        scratch: &mut Scratch<Q::Bits>,
    ) -> Result<(), TooLong> {
        S::solve::<Q>(unit, done, scores, scratch)
    }

    fn man_moves(
        &self,
        unit: &Unit<Q::Bits>,
        side: usize,
        done: Half,
        scores: &mut [S],
        units: &mut Units,
    ) {
        unit.man_moves_apart::<Q, S>(side, done, scores, units);
    }

    fn set_up(
        &self,
        unit: &Unit<Q::Bits>,
        row: (usize, &Row<Q::Bits>),
        scores: Both<S>,
        open: Both<u8>,
        buckets: &mut Buckets,
        from: (&mut Captures<Q::Bits>, &mut Units),
    ) {
        unit.set_up_singles::<Q, S>(row, scores, open, buckets, from);
    }

    fn take_back(
        &self,
        unit: &Unit<Q::Bits>,
        entries: &[u32],
        plies: usize,
        scores: [&[S::Shared]; 2],
        open: [&[AtomicU8]; 2],
        buckets: &mut Buckets,
    ) {
        for &entry in entries {
            unit.take_back::<Q, S>(entry, plies, scores, open, buckets);
        }
    }
}

/// Scores, each width of which has a fastest way.
trait Ways: Score {
    /// See [`Work::solve`].
    fn solve<Q: QuietRules>(
        unit: &Unit<Q::Bits>,
        done: [Half; 2],
        scores: Both<Self>,
        scratch: &mut Scratch<Q::Bits>,
    ) -> Result<(), TooLong>;
}

impl Ways for u8 {
    #[inline(always)]
    fn solve<Q: QuietRules>(
        unit: &Unit<Q::Bits>,
        done: [Half; 2],
        scores: Both<Self>,
        scratch: &mut Scratch<Q::Bits>,
    ) -> Result<(), TooLong> {
        if !matches!(Q::UNIT, UnitKind::Placement) || unit.context.one_by_one {
            return unit.solve_one_by_one::<Q, u8>(done, scores, scratch);
        }
        #[cfg(target_arch = "x86_64")]
        if unit.context.vectors {
            // SAFETY: the processor has been asked.
            return unsafe { solve_in_rows_avx2::<Q>(unit, done, scores, scratch) };
        }
        unit.solve_in_rows::<Q>(false, done, scores, scratch)
    }
}

/// Two bytes are seldom: the slow way is enough for them.
impl Ways for u16 {
    #[inline(always)]
    fn solve<Q: QuietRules>(
        unit: &Unit<Q::Bits>,
        done: [Half; 2],
        scores: Both<Self>,
        scratch: &mut Scratch<Q::Bits>,
    ) -> Result<(), TooLong> {
        unit.solve_one_by_one::<Q, u16>(done, scores, scratch)
    }
}

/// [`Unit::solve_in_rows`] as code for processors with AVX2 and what came with it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn solve_in_rows_avx2<Q: QuietRules>(
    unit: &Unit<Q::Bits>,
    done: [Half; 2],
    scores: Both<u8>,
    scratch: &mut Scratch<Q::Bits>,
) -> Result<(), TooLong> {
    unit.solve_in_rows::<Q>(true, done, scores, scratch)
}
