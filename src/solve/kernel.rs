//! What of the solver is compiled for each variant.
//!
//! Everything around it is compiled once for each board: one call through a table of functions for a row of positions, or for a unit, costs less
//! than anybody can measure, and twenty copies of all would take minutes to compile.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::capture_rules::CaptureRules;
use super::captures::{BestCaptures, CaptureScores, Captures, Targets};
use super::error::SolveError;
use super::pair_table::PairTable;
use super::score::Score;
use super::shelf::Shelf;
use super::source::Units;
use super::subsets::SubsetTables;
use super::work::{Quietly, Work};
use crate::board::{Bits, Geometry};
use crate::index::Pair;
use crate::rules::{
    RuleSet, Rules, Turned, Variant, captures_with_king, has_capture, with_rule_set_to_solve,
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

    /// A pair from what [`PairTable::bytes`] gave. `fill` puts it into the room, and says whether it could.
    ///
    /// # Errors
    /// What `fill` says, and [`SolveError`] if there is no room for the pair.
    pub fn pair_from_bytes<E: From<SolveError>>(
        self,
        pair: Pair,
        fill: impl FnOnce([&mut [u8]; 2]) -> Result<bool, E>,
    ) -> Result<Option<PairTable<B>>, E> {
        PairTable::from_bytes(self.0, pair, fill)
    }

    /// A pair of which all scores are on a shelf.
    ///
    /// # Errors
    /// If the pair is too large to be numbered, see [`check_size`](super::check_size).
    pub fn pair_on_shelf(
        self,
        pair: Pair,
        shelf: Arc<dyn Shelf>,
    ) -> Result<PairTable<B>, SolveError> {
        PairTable::on_shelf(self.0, pair, shelf)
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
pub(crate) trait Operations<B: Bits>: CaptureScores<B> {
    fn narrow(&self) -> &dyn Work<B, u8>;
    fn wide(&self) -> &dyn Work<B, u16>;
}

/// Scores that solvers are compiled for.
pub(super) trait Width: Score {
    /// The work on units with such scores.
    fn work<B: Bits>(kernel: Kernel<B>) -> &'static dyn Work<B, Self>;
}

impl Width for u8 {
    fn work<B: Bits>(kernel: Kernel<B>) -> &'static dyn Work<B, Self> {
        kernel.0.narrow()
    }
}

impl Width for u16 {
    fn work<B: Bits>(kernel: Kernel<B>) -> &'static dyn Work<B, Self> {
        kernel.0.wide()
    }
}

/// The operations of a variant.
struct Compiled<R>(PhantomData<R>);

impl<R: RuleSet> CaptureRules<R::Bits> for Compiled<R> {
    fn rules(&self) -> &'static Rules {
        const { &R::RULES }
    }

    fn geometry(&self) -> &'static Geometry<R::Bits> {
        R::geometry()
    }

    fn has_capture(&self, position: &Turned<R::Bits>) -> bool {
        has_capture::<R>(R::geometry(), position)
    }

    fn captures_with_king(&self, position: &Turned<R::Bits>, on: R::Bits) -> R::Bits {
        captures_with_king::<R>(R::geometry(), position, on)
    }
}

impl<R: RuleSet> CaptureScores<R::Bits> for Compiled<R> {
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

impl<R: RuleSet> Operations<R::Bits> for Compiled<R> {
    fn narrow(&self) -> &dyn Work<R::Bits, u8> {
        const { &Quietly::<R::Quiet>(PhantomData) }
    }

    fn wide(&self) -> &dyn Work<R::Bits, u16> {
        const { &Quietly::<R::Quiet>(PhantomData) }
    }
}
