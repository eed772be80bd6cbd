//! Captures, carried to their end.

use std::marker::PhantomData;

use num_traits::{PrimInt, Zero};

use super::turned::Turned;
use super::types::{KingRange, Landing, Precedence, Promotion, Removal, RuleSet};
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

/// Calls `sink` for every complete capture of the side to move that its rules allow.
///
/// The same capture (piece, captured set, last square) is reported once for each way of making
/// it. Cost grows with the number of ways, which for kings can be exponential in the
/// number of pieces to take; in positions of few pieces it is small.
#[inline]
pub fn visit_captures<R: RuleSet, T: Trail>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    trail: &mut T,
    sink: &mut impl FnMut(&Capture<R::Bits>, &T),
) {
    if R::RULES.precedence.is_empty() {
        walk_captures::<R, T>(geometry, position, trail, &mut |capture, _, trail| {
            sink(capture, trail);
        });
        return;
    }
    // Twice the walk, no list: most positions have no capture, or one.
    let mut best = None;
    walk_captures::<R, ()>(geometry, position, &mut (), &mut |_, rank, ()| {
        best = best.max(Some(rank));
    });
    if let Some(best) = best {
        walk_captures::<R, T>(geometry, position, trail, &mut |capture, rank, trail| {
            if rank == best {
                sink(capture, trail);
            }
        });
    }
}

/// Calls `sink` for every complete capture, with its rank by the precedence of the rules.
#[inline(always)]
fn walk_captures<R: RuleSet, T: Trail>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    trail: &mut T,
    sink: &mut impl FnMut(&Capture<R::Bits>, u64, &T),
) {
    let mut walk = Walk::<R, T, _> {
        geometry,
        occupied: position.occupied(),
        opponents: position.opp(),
        kings: position.opp_kings,
        from: 0,
        was_king: false,
        trail,
        sink,
        rules: PhantomData,
    };
    for from in squares_of(position.own_men) {
        walk.from = from;
        walk.occupied = position.occupied() ^ R::Bits::bit(from);
        walk.man(from, Taken::default());
    }
    walk.was_king = true;
    for from in squares_of(position.own_kings) {
        walk.from = from;
        walk.occupied = position.occupied() ^ R::Bits::bit(from);
        walk.king(from, Taken::default());
    }
}

/// What a capture under way has taken so far.
#[derive(Clone, Copy, Default)]
struct Taken<B> {
    pieces: B,
    /// For each jump, the last one lowest, whether it took a king. Kept only where the rules ask for it.
    kings: u64,
    /// Direction of the last jump.
    last: Option<Direction>,
}

/// One capturing piece on its way.
struct Walk<'a, R: RuleSet, T, F> {
    geometry: &'a Geometry<R::Bits>,
    /// All pieces but the moving one, and the captured ones where they leave at once.
    occupied: R::Bits,
    opponents: R::Bits,
    /// The opponents' kings.
    kings: R::Bits,
    from: u8,
    was_king: bool,
    trail: &'a mut T,
    sink: &'a mut F,
    rules: PhantomData<R>,
}

impl<R: RuleSet, T: Trail, F: FnMut(&Capture<R::Bits>, u64, &T)> Walk<'_, R, T, F> {
    /// Goes on as a man from `at`; false if there is nothing more to take.
    fn man(&mut self, at: u8, taken: Taken<R::Bits>) -> bool {
        let mut any = false;
        for &direction in R::RULES.man_captures {
            if turns_back::<R, _>(&taken, direction) {
                continue;
            }
            let victim = self.geometry.step[direction as usize][at as usize];
            let prey = man_prey::<R>(self.opponents, self.kings);
            if (victim & prey & self.occupied & !taken.pieces).is_zero() {
                continue;
            }
            let landing = self.geometry.step[direction as usize][victim.lowest() as usize];
            if (landing & !self.occupied).is_zero() {
                continue;
            }
            any = true;
            let to = landing.lowest();
            let taken = self.take(taken, victim, direction);
            let crowned = !(landing & self.geometry.last_row).is_zero();
            self.trail.push(victim.lowest(), direction, to);
            let goes_on = match R::RULES.promotion {
                Promotion::AtOnce if crowned => self.king(to, taken),
                Promotion::EndsMove if crowned => false,
                _ => self.man(to, taken),
            };
            if !goes_on {
                self.report(to, taken, crowned && R::RULES.has_kings());
            }
            self.trail.pop();
            self.put_back(victim);
        }
        any
    }

    /// Goes on as a king from `at`; false if there is nothing more to take.
    fn king(&mut self, at: u8, taken: Taken<R::Bits>) -> bool {
        let mut any = false;
        for &direction in R::RULES.king_captures {
            if turns_back::<R, _>(&taken, direction) {
                continue;
            }
            let victim = match R::RULES.king_range {
                KingRange::Flying => self.geometry.first_blocker(direction, at, self.occupied),
                KingRange::Short => {
                    self.geometry.step[direction as usize][at as usize] & self.occupied
                }
            };
            if (victim & self.opponents & !taken.pieces).is_zero() {
                continue;
            }
            let square = victim.lowest();
            let next = self.geometry.step[direction as usize][square as usize] & !self.occupied;
            if next.is_zero() {
                continue;
            }
            let landings = match (R::RULES.king_range, R::RULES.landing) {
                (KingRange::Short, _) | (_, Landing::Next) => next,
                _ => self.geometry.slide(direction, square, self.occupied),
            };
            any = true;
            let taken = self.take(taken, victim, direction);
            let mut went_on = false;
            self.landings(square, direction, landings, |walk, to| {
                went_on |= walk.king(to, taken);
            });
            if !went_on {
                let stops = match R::RULES.landing {
                    Landing::NextBehindLastKing if !(victim & self.kings).is_zero() => next,
                    _ => landings,
                };
                self.landings(square, direction, stops, |walk, to| {
                    walk.report(to, taken, true);
                });
            }
            self.put_back(victim);
        }
        any
    }

    /// Takes one more piece, off the board where the rules say so.
    #[inline(always)]
    fn take(
        &mut self,
        mut taken: Taken<R::Bits>,
        victim: R::Bits,
        direction: Direction,
    ) -> Taken<R::Bits> {
        taken.pieces = taken.pieces | victim;
        if R::RULES.removal == Removal::AtOnce {
            self.occupied = self.occupied ^ victim;
        }
        if !R::RULES.turns_back {
            taken.last = Some(direction);
        }
        if R::RULES.precedence.contains(&Precedence::KingsFirst) {
            taken.kings = taken.kings << 1 | !(victim & self.kings).is_zero() as u64;
        }
        taken
    }

    /// Undoes what [`Walk::take`] did to the board.
    #[inline(always)]
    fn put_back(&mut self, victim: R::Bits) {
        self.occupied = self.occupied | victim;
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
    fn report(&mut self, to: u8, taken: Taken<R::Bits>, is_king: bool) {
        let capture =
            Capture { from: self.from, to, taken: taken.pieces, was_king: self.was_king, is_king };
        let rank = self.rank(&capture, taken.kings);
        (self.sink)(&capture, rank, self.trail);
    }

    /// What captures are compared by, most important first, in one number.
    #[inline(always)]
    fn rank(&self, capture: &Capture<R::Bits>, kings_by_jump: u64) -> u64 {
        let pieces = || capture.taken.count_ones() as u64;
        let kings = || (capture.taken & self.kings).count_ones() as u64;
        R::RULES.precedence.iter().fold(0, |rank, precedence| match precedence {
            Precedence::MostPieces => rank << 6 | pieces(),
            Precedence::WithKing => rank << 1 | self.was_king as u64,
            Precedence::MostKings => rank << 6 | kings(),
            // Compared among captures of equally many pieces, so the first jumps stand highest.
            Precedence::KingsFirst => rank << 36 | kings_by_jump,
            Precedence::Value => rank << 16 | (1000 * (pieces() + kings()) - kings()),
        })
    }
}

/// Whether a jump in this direction would turn back against rules that forbid it.
#[inline(always)]
fn turns_back<R: RuleSet, B>(taken: &Taken<B>, direction: Direction) -> bool {
    !R::RULES.turns_back && taken.last == Some(direction.reversed())
}

/// What men can take.
#[inline(always)]
fn man_prey<R: RuleSet>(opponents: R::Bits, kings: R::Bits) -> R::Bits {
    if R::RULES.men_take_kings { opponents } else { opponents & !kings }
}

/// Whether the side to move can capture.
#[inline(always)]
pub fn has_capture<R: RuleSet>(geometry: &Geometry<R::Bits>, position: &Turned<R::Bits>) -> bool {
    let occupied = position.occupied();
    // Whether there is room behind the victim, a set of one square or none.
    let room = |victim: R::Bits, direction: Direction| {
        !victim.is_zero() && {
            let next = geometry.step[direction as usize][victim.lowest() as usize];
            !(next & !occupied).is_zero()
        }
    };
    let prey = man_prey::<R>(position.opp(), position.opp_kings);
    for from in squares_of(position.own_men) {
        for &direction in R::RULES.man_captures {
            if room(geometry.step[direction as usize][from as usize] & prey, direction) {
                return true;
            }
        }
    }
    for from in squares_of(position.own_kings) {
        for &direction in R::RULES.king_captures {
            let first = match R::RULES.king_range {
                KingRange::Flying => geometry.first_blocker(direction, from, occupied),
                KingRange::Short => geometry.step[direction as usize][from as usize],
            };
            if room(first & position.opp(), direction) {
                return true;
            }
        }
    }
    false
}
