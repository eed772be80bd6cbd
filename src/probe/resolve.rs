//! Any position from the values of quiet ones.

use num_traits::Zero;

use crate::board::Geometry;
use crate::rules::{Capture, NoMove, RuleSet, Turned, has_quiet_move, visit_captures};
use crate::value::{Value, Wld};

/// What can be known of a position: its value, or only its result.
pub(super) trait Answer: Copy + Ord {
    /// Of a finished game, or of one that ends with a known distance.
    fn of(value: Value) -> Self;
    /// See [`Value::before_move`].
    fn before_move(self) -> Self;
    /// Whether a player who has a move can have nothing better.
    fn is_best(self, no_move: NoMove) -> bool;
}

impl Answer for Value {
    #[inline(always)]
    fn of(value: Value) -> Self {
        value
    }

    #[inline(always)]
    fn before_move(self) -> Self {
        Value::before_move(self)
    }

    #[inline(always)]
    fn is_best(self, no_move: NoMove) -> bool {
        self >= no_move.quickest_after_a_move()[1]
    }
}

impl Answer for Wld {
    #[inline(always)]
    fn of(value: Value) -> Self {
        value.wld()
    }

    #[inline(always)]
    fn before_move(self) -> Self {
        self.reversed()
    }

    #[inline(always)]
    fn is_best(self, _: NoMove) -> bool {
        self == Wld::Win
    }
}

/// Gives the values of quiet positions with pieces on both sides.
type Lookup<'a, B, A, E> = dyn Fn(&Turned<B>) -> Result<A, E> + 'a;

/// Value of any position, `lookup` giving those of quiet positions with pieces on both sides.
///
/// Captures leave fewer pieces each, so the search ends; a capture may be answered by a capture. Finished games are
/// known without a lookup. Where one capture is known to be best, the others may be unknown.
///
/// Not generic over the lookup: it is code for every variant, and captures are a large part of it.
pub(super) fn resolve<R: RuleSet, A: Answer, E>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    lookup: &Lookup<'_, R::Bits, A, E>,
) -> Result<A, E> {
    if position.own().is_zero() {
        return Ok(A::of(R::RULES.no_move.value()));
    }
    if position.opp().is_zero() {
        return Ok(A::of(match has_quiet_move::<R>(geometry, position) {
            true => R::RULES.no_move.value().before_move(),
            false => R::RULES.no_move.value(),
        }));
    }
    let no_move = R::RULES.no_move;
    let is_best = |answer: Option<A>| answer.is_some_and(|answer| answer.is_best(no_move));
    let mut best = None;
    let mut failed = None;
    visit_captures::<R, ()>(geometry, position, &mut (), &mut |capture: &Capture<R::Bits>, _| {
        if is_best(best) {
            return;
        }
        let after = position.captured(capture).passed(geometry);
        match resolve::<R, A, E>(geometry, &after, lookup) {
            Ok(answer) => best = best.max(Some(answer.before_move())),
            Err(error) => failed = Some(error),
        }
    });
    match (best, failed) {
        (Some(best), None) => Ok(best),
        (Some(best), Some(_)) if is_best(Some(best)) => Ok(best),
        (_, Some(error)) => Err(error),
        // Asked of the table first: of those that are there, few are blocked.
        (None, None) => {
            lookup(position).or_else(|error| match has_quiet_move::<R>(geometry, position) {
                true => Err(error),
                false => Ok(A::of(no_move.value())),
            })
        }
    }
}
