//! Captures, carried to their end.

use std::marker::PhantomData;

use num_traits::Zero;

use super::turned::Turned;
use super::types::{KingRange, PromotionInCapture, RuleSet};
use crate::board::{Bits, Direction, Geometry, squares_of};

/// A complete capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capture<B> {
    /// Where the capturing piece stood.
    pub from: u8,
    /// Where it ends; may be where it stood.
    pub to: u8,
    /// The captured pieces.
    pub taken: B,
    /// Whether it was a king when it began.
    pub was_king: bool,
    /// Whether it is a king when it ends.
    pub is_king: bool,
}

/// What is noted of the way of a capture, jump by jump.
pub trait Trail {
    /// A jump over `victim` in `direction`, to `landing`.
    fn push(&mut self, victim: u8, direction: Direction, landing: u8);
    /// Takes the last jump back.
    fn pop(&mut self);
}

/// Nothing is noted.
impl Trail for () {
    #[inline(always)]
    fn push(&mut self, _: u8, _: Direction, _: u8) {}
    #[inline(always)]
    fn pop(&mut self) {}
}

/// Calls `sink` for every complete capture of the side to move.
///
/// The same capture (piece, captured set, last square) is reported once for each way of making
/// it. While a capture lasts the struck pieces stay on the board as obstacles, and none is
/// jumped twice. Cost grows with the number of ways, which for kings can be exponential in the
/// number of pieces to take; in positions of few pieces it is small.
#[inline]
pub fn visit_captures<R: RuleSet, T: Trail>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    trail: &mut T,
    sink: &mut impl FnMut(&Capture<R::Bits>, &T),
) {
    let mut walk = Walk::<R, T, _> {
        geometry,
        occupied: position.occupied(),
        opponents: position.opp(),
        from: 0,
        was_king: false,
        trail,
        sink,
        rules: PhantomData,
    };
    for from in squares_of(position.own_men) {
        walk.from = from;
        walk.occupied = position.occupied() ^ R::Bits::bit(from);
        walk.man(from, R::Bits::zero());
    }
    walk.was_king = true;
    for from in squares_of(position.own_kings) {
        walk.from = from;
        walk.occupied = position.occupied() ^ R::Bits::bit(from);
        walk.king(from, R::Bits::zero());
    }
}

/// One capturing piece on its way.
struct Walk<'a, R: RuleSet, T, F> {
    geometry: &'a Geometry<R::Bits>,
    /// All pieces but the moving one.
    occupied: R::Bits,
    opponents: R::Bits,
    from: u8,
    was_king: bool,
    trail: &'a mut T,
    sink: &'a mut F,
    rules: PhantomData<R>,
}

impl<R: RuleSet, T: Trail, F: FnMut(&Capture<R::Bits>, &T)> Walk<'_, R, T, F> {
    /// Goes on as a man from `at`; false if there is nothing more to take.
    fn man(&mut self, at: u8, taken: R::Bits) -> bool {
        let mut any = false;
        for &direction in R::RULES.man_captures {
            let victim = self.geometry.step[direction as usize][at as usize];
            if (victim & self.opponents & !taken).is_zero() {
                continue;
            }
            let landing = self.geometry.step[direction as usize][victim.lowest() as usize];
            if (landing & !self.occupied).is_zero() {
                continue;
            }
            any = true;
            let (to, taken) = (landing.lowest(), taken | victim);
            self.trail.push(victim.lowest(), direction, to);
            let promotes = !(landing & self.geometry.last_row).is_zero();
            let goes_on = match R::RULES.promotion_in_capture {
                PromotionInCapture::ContinuesAsKing if promotes => self.king(to, taken),
                PromotionInCapture::ContinuesAsKing => self.man(to, taken),
            };
            if !goes_on {
                self.report(to, taken, promotes);
            }
            self.trail.pop();
        }
        any
    }

    /// Goes on as a king from `at`; false if there is nothing more to take.
    fn king(&mut self, at: u8, taken: R::Bits) -> bool {
        let KingRange::Flying = R::RULES.king_range;
        let mut any = false;
        for &direction in R::RULES.king_directions {
            let victim = self.geometry.first_blocker(direction, at, self.occupied);
            if (victim & self.opponents & !taken).is_zero() {
                continue;
            }
            let square = victim.lowest();
            let landings = self.geometry.slide(direction, square, self.occupied);
            if landings.is_zero() {
                continue;
            }
            any = true;
            let taken = taken | victim;
            let mut went_on = false;
            self.landings(square, direction, landings, |walk, to| {
                went_on |= walk.king(to, taken);
            });
            if !went_on {
                self.landings(square, direction, landings, |walk, to| {
                    walk.report(to, taken, true);
                });
            }
        }
        any
    }

    /// Calls `visit` for each square behind the victim, the nearest first.
    #[inline(always)]
    fn landings(
        &mut self,
        victim: u8,
        direction: Direction,
        mut landings: R::Bits,
        mut visit: impl FnMut(&mut Self, u8),
    ) {
        while !landings.is_zero() {
            let to = if direction.ascends() { landings.lowest() } else { landings.highest() };
            landings = landings ^ R::Bits::bit(to);
            self.trail.push(victim, direction, to);
            visit(self, to);
            self.trail.pop();
        }
    }

    #[inline(always)]
    fn report(&mut self, to: u8, taken: R::Bits, is_king: bool) {
        let capture = Capture { from: self.from, to, taken, was_king: self.was_king, is_king };
        (self.sink)(&capture, self.trail);
    }
}

/// Whether the side to move can capture.
#[inline(always)]
pub fn has_capture<R: RuleSet>(geometry: &Geometry<R::Bits>, position: &Turned<R::Bits>) -> bool {
    let (occupied, opponents) = (position.occupied(), position.opp());
    for from in squares_of(position.own_men) {
        for &direction in R::RULES.man_captures {
            let victim = geometry.step[direction as usize][from as usize] & opponents;
            if !victim.is_zero() {
                let landing = geometry.step[direction as usize][victim.lowest() as usize];
                if !(landing & !occupied).is_zero() {
                    return true;
                }
            }
        }
    }
    let KingRange::Flying = R::RULES.king_range;
    for from in squares_of(position.own_kings) {
        for &direction in R::RULES.king_directions {
            let victim = geometry.first_blocker(direction, from, occupied) & opponents;
            if !victim.is_zero() {
                let landing = geometry.step[direction as usize][victim.lowest() as usize];
                if !(landing & !occupied).is_zero() {
                    return true;
                }
            }
        }
    }
    false
}
