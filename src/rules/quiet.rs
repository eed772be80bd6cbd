//! Moves without capture.

use num_traits::Zero;

use super::turned::Turned;
use super::types::{KingRange, QuietRules, RuleSet};
use crate::board::{Bits, Geometry, squares_of};

/// Squares that a king on `from` reaches by a quiet move.
#[inline(always)]
pub fn king_reach<Q: QuietRules>(
    geometry: &Geometry<Q::Bits>,
    from: u8,
    occupied: Q::Bits,
) -> Q::Bits {
    let mut reach = Q::Bits::zero();
    for &direction in Q::KING_MOVES {
        reach = reach
            | match Q::KING_RANGE {
                KingRange::Flying => geometry.slide(direction, from, occupied),
                KingRange::Short => geometry.step[direction as usize][from as usize] & !occupied,
            };
    }
    reach
}

/// Calls `sink(from, to, promotes)` for every quiet move of the side to move.
///
/// Whether quiet moves are legal, that is whether there is no capture, is the caller's to know.
#[inline(always)]
pub fn visit_quiet_moves<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    sink: &mut impl FnMut(u8, u8, bool),
) {
    let occupied = position.occupied();
    for from in squares_of(position.own_men) {
        for &direction in R::RULES.man_moves {
            let target = geometry.step[direction as usize][from as usize] & !occupied;
            if !target.is_zero() {
                let crowned = !(target & geometry.last_row).is_zero();
                sink(from, target.lowest(), crowned && R::RULES.has_kings());
            }
        }
    }
    for from in squares_of(position.own_kings) {
        for to in squares_of(king_reach::<R::Quiet>(geometry, from, occupied)) {
            sink(from, to, false);
        }
    }
}

/// Whether the side to move has a quiet move.
pub fn has_quiet_move<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
) -> bool {
    let mut any = false;
    visit_quiet_moves::<R>(geometry, position, &mut |_, _, _| any = true);
    any
}
