//! What of the solver is compiled for each variant.
//!
//! Everything around it is compiled once for each board: one call through a table of functions for a row of positions, or for a unit, costs less
//! than anybody can measure, and twenty copies of all would take minutes to compile.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU8;

use super::buckets::Buckets;
use super::captures::{BestCaptures, Captures, Targets};
use super::error::TooLong;
use super::score::Score;
use super::shelf::{Half, Units};
use super::subsets::{Row, SubsetTables};
use super::unit::{Both, Scratch, Unit};
use crate::board::{Bits, Geometry};
use crate::rules::{
    QuietRules, RuleSet, Rules, Turned, Variant, captures_with_king, has_capture,
    with_rule_set_to_solve,
};

/// The solver of a variant, as a value.
#[derive(Clone, Copy)]
pub struct Kernel<B: Bits>(pub(crate) &'static dyn Operations<B>);

impl<B: Bits> Kernel<B> {
    /// The solver of these rules.
    pub fn of<R: RuleSet<Bits = B>>() -> Self {
        *kernel_of(R::VARIANT).downcast_ref().expect("a kernel for the width of the board")
    }

    /// The rules.
    pub fn rules(self) -> &'static Rules {
        self.0.rules()
    }

    /// Tables of the board.
    pub fn geometry(self) -> &'static Geometry<B> {
        self.0.geometry()
    }

    /// Whether the side to move has a capture.
    pub fn has_capture(self, position: &Turned<B>) -> bool {
        self.0.has_capture(position)
    }
}

/// The [`Kernel`] of a variant. It is looked up by value, so that crates that name the rules do not compile the solvers again.
#[inline(never)]
fn kernel_of(variant: Variant) -> &'static (dyn Any + Send + Sync) {
    with_rule_set_to_solve!(variant, R => {
        const { &Kernel::<<R as RuleSet>::Bits>(&Compiled::<R>(PhantomData)) }
    })
}

impl<B: Bits> fmt::Debug for Kernel<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.rules().name).finish()
    }
}

/// What a solver asks of the rules of a variant.
pub(crate) trait Operations<B: Bits>: Sync {
    fn rules(&self) -> &'static Rules;
    fn geometry(&self) -> &'static Geometry<B>;
    fn narrow(&self) -> &dyn Work<B, u8>;
    fn wide(&self) -> &dyn Work<B, u16>;
    /// See [`has_capture`].
    fn has_capture(&self, position: &Turned<B>) -> bool;
    /// See [`captures_with_king`].
    fn captures_with_king(&self, position: &Turned<B>, on: B) -> B;
    /// See [`Targets::best_capture`]. Wide scores do for narrow ones too.
    fn best_capture(
        &self,
        targets: &Targets<B>,
        position: &Turned<B>,
        list: &mut Captures<B>,
        units: &mut Units,
    ) -> Option<u16>;
    /// See [`Targets::best_captures_with_king`].
    fn best_captures_with_king(
        &self,
        targets: &Targets<B>,
        subsets: &SubsetTables<B>,
        position: &Turned<B>,
        on: B,
        best: &mut BestCaptures<B>,
        units: &mut Units,
    );
}

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
struct Quietly<Q>(PhantomData<Q>);

impl<Q: QuietRules, S: Score> Work<Q::Bits, S> for Quietly<Q> {
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
        unit.man_moves::<Q, S>(side, done, scores, units);
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

/// The operations of a variant.
struct Compiled<R>(PhantomData<R>);

impl<R: RuleSet> Operations<R::Bits> for Compiled<R> {
    fn rules(&self) -> &'static Rules {
        const { &R::RULES }
    }

    fn geometry(&self) -> &'static Geometry<R::Bits> {
        R::geometry()
    }

    fn narrow(&self) -> &dyn Work<R::Bits, u8> {
        const { &Quietly::<R::Quiet>(PhantomData) }
    }

    fn wide(&self) -> &dyn Work<R::Bits, u16> {
        const { &Quietly::<R::Quiet>(PhantomData) }
    }

    fn has_capture(&self, position: &Turned<R::Bits>) -> bool {
        has_capture::<R>(R::geometry(), position)
    }

    fn captures_with_king(&self, position: &Turned<R::Bits>, on: R::Bits) -> R::Bits {
        captures_with_king::<R>(R::geometry(), position, on)
    }

    fn best_capture(
        &self,
        targets: &Targets<R::Bits>,
        position: &Turned<R::Bits>,
        list: &mut Captures<R::Bits>,
        units: &mut Units,
    ) -> Option<u16> {
        targets.best_capture::<R>(position, list, units)
    }

    fn best_captures_with_king(
        &self,
        targets: &Targets<R::Bits>,
        subsets: &SubsetTables<R::Bits>,
        position: &Turned<R::Bits>,
        on: R::Bits,
        best: &mut BestCaptures<R::Bits>,
        units: &mut Units,
    ) {
        targets.best_captures_with_king::<R>(subsets, position, on, best, units);
    }
}
