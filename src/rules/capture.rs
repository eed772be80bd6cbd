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
pub trait Trail<B> {
    /// A jump over `victim` in `direction`, to `landing`.
    fn push(&mut self, victim: u8, direction: Direction, landing: u8) {
        let _ = (victim, direction, landing);
    }
    /// Takes the last jump back.
    fn pop(&mut self) {}
    /// The jumps that follow are possible because these squares are empty, and would be others if one were not.
    #[inline(always)]
    fn relies_on(&mut self, empty: impl FnOnce() -> B) {
        let _ = empty;
    }
}

/// Nothing is noted.
impl<B> Trail<B> for () {}

/// The jumps under way: jumped piece, direction and landing square of each.
#[derive(Default)]
pub(crate) struct Jumps(pub Vec<(u8, Direction, u8)>);

impl<B> Trail<B> for Jumps {
    fn push(&mut self, victim: u8, direction: Direction, landing: u8) {
        self.0.push((victim, direction, landing));
    }
    fn pop(&mut self) {
        self.0.pop();
    }
}

/// All squares that have to be empty for the captures to be what they are.
pub(crate) struct Needs<B>(pub B);

impl<B: Bits> Trail<B> for Needs<B> {
    #[inline(always)]
    fn relies_on(&mut self, empty: impl FnOnce() -> B) {
        self.0 = self.0 | empty();
    }
}

/// Calls `sink` for every complete capture of the side to move that its rules allow.
///
/// The same capture (piece, captured set, last square) is reported once for each way of making
/// it. Cost grows with the number of ways, which for kings can be exponential in the
/// number of pieces to take; in positions of few pieces it is small.
///
/// Not generic over the sink: it is code for every variant, and its callers are many.
pub fn visit_captures<R: RuleSet, T: Trail<R::Bits>>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    trail: &mut T,
    sink: &mut dyn FnMut(&Capture<R::Bits>, &T),
) {
    // Twice the walk, no list: most positions have no capture, or one.
    let mut best = None;
    if !R::RULES.precedence.is_empty() {
        walk_captures::<R, ()>(geometry, position, &mut (), &mut |_, rank, ()| {
            best = best.max(Some(rank));
        });
        if best.is_none() {
            return;
        }
    }
    walk_captures::<R, T>(geometry, position, trail, &mut |capture, rank, trail| {
        if R::RULES.precedence.is_empty() || best == Some(rank) {
            sink(capture, trail);
        }
    });
}

/// Takes complete captures, with their ranks by the precedence of the rules.
type Sink<'a, B, T> = dyn FnMut(&Capture<B>, u64, &T) + 'a;

/// Calls `sink` for every complete capture, with its rank by the precedence of the rules.
fn walk_captures<R: RuleSet, T: Trail<R::Bits>>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    trail: &mut T,
    sink: &mut Sink<'_, R::Bits, T>,
) {
    for from in squares_of(position.own_men) {
        walk_captures_of::<R, T, _>(geometry, position, (from, false), trail, sink);
    }
    for from in squares_of(position.own_kings) {
        walk_captures_of::<R, T, _>(geometry, position, (from, true), trail, sink);
    }
}

/// Calls `sink` for every complete capture of the piece on a square, with its rank by the precedence of the rules. A
/// capture is allowed only if no capture of any piece ranks higher.
#[inline(always)]
pub(crate) fn walk_captures_of<R: RuleSet, T: Trail<R::Bits>, F>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    (from, is_king): (u8, bool),
    trail: &mut T,
    sink: &mut F,
) where
    F: FnMut(&Capture<R::Bits>, u64, &T) + ?Sized,
{
    let mut walk = Walk::<R, T, F> {
        geometry,
        occupied: position.occupied() & !R::Bits::bit(from),
        opponents: position.opp(),
        kings: position.opp_kings,
        from,
        was_king: is_king,
        trail,
        sink,
        rules: PhantomData,
    };
    match is_king {
        true => walk.king(from, Taken::default()),
        false => walk.man(from, Taken::default()),
    };
}

/// Like [`walk_captures_of`], for a king that is not on the board yet: it comes from a square from which it can
/// take `victim`, with room behind, as its first piece. Where it began makes no difference, and `from` of the captures
/// says nothing.
#[inline(always)]
pub(crate) fn walk_captures_over<R: RuleSet, T: Trail<R::Bits>, F>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    victim: R::Bits,
    direction: Direction,
    trail: &mut T,
    sink: &mut F,
) where
    F: FnMut(&Capture<R::Bits>, u64, &T) + ?Sized,
{
    let mut walk = Walk::<R, T, F> {
        geometry,
        occupied: position.occupied(),
        opponents: position.opp(),
        kings: position.opp_kings,
        from: victim.lowest(),
        was_king: true,
        trail,
        sink,
        rules: PhantomData,
    };
    let next = geometry.step[direction as usize][victim.lowest() as usize];
    walk.king_over(victim, direction, next, Taken::default());
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
struct Walk<'a, R: RuleSet, T, F: ?Sized> {
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

impl<R: RuleSet, T: Trail<R::Bits>, F> Walk<'_, R, T, F>
where
    F: FnMut(&Capture<R::Bits>, u64, &T) + ?Sized,
{
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
            self.trail.relies_on(|| landing);
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
            any = true;
            if R::RULES.king_range == KingRange::Flying {
                let (geometry, occupied) = (self.geometry, self.occupied);
                self.trail.relies_on(|| geometry.slide(direction, at, occupied));
            }
            self.king_over(victim, direction, next, taken);
        }
        any
    }

    /// Takes `victim` with a king and goes on; `next` is the square behind, which is empty.
    #[inline(always)]
    fn king_over(
        &mut self,
        victim: R::Bits,
        direction: Direction,
        next: R::Bits,
        taken: Taken<R::Bits>,
    ) {
        let square = victim.lowest();
        let landings = match (R::RULES.king_range, R::RULES.landing) {
            (KingRange::Short, _) | (_, Landing::Next) => next,
            _ => self.geometry.slide(direction, square, self.occupied),
        };
        self.trail.relies_on(|| landings);
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

/// Those of the squares `on`, all empty, where one more king of the side to move makes a position in which it can capture.
///
/// The same as to ask [`has_capture`] for each square, but one look at every piece serves all squares.
#[inline(always)]
pub(crate) fn captures_with_king<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    on: R::Bits,
) -> R::Bits {
    let occupied = position.occupied();
    let room = |victim: R::Bits, direction: Direction| {
        geometry.step[direction as usize][victim.lowest() as usize] & !occupied
    };
    let mut squares = R::Bits::zero();
    let prey = man_prey::<R>(position.opp(), position.opp_kings);
    for from in squares_of(position.own_men) {
        for &direction in R::RULES.man_captures {
            let victim = geometry.step[direction as usize][from as usize] & prey;
            if !victim.is_zero() {
                let next = room(victim, direction);
                if !next.is_zero() {
                    squares = squares | !next;
                }
            }
        }
    }
    for from in squares_of(position.own_kings) {
        for &direction in R::RULES.king_captures {
            let (victim, way) = match R::RULES.king_range {
                KingRange::Flying => (
                    geometry.first_blocker(direction, from, occupied),
                    geometry.slide(direction, from, occupied),
                ),
                KingRange::Short => {
                    (geometry.step[direction as usize][from as usize], R::Bits::zero())
                }
            };
            let victim = victim & position.opp();
            if !victim.is_zero() {
                let next = room(victim, direction);
                if !next.is_zero() {
                    squares = squares | !(next | way);
                }
            }
        }
    }
    visit_first_victims::<R>(geometry, position, &mut |_, _, from| squares = squares | from);
    squares & on
}

/// Calls `sink(victim, direction, from)` for every piece that a king of the side to move, one more than there are, can take,
/// with the squares from which it can.
#[inline(always)]
pub(crate) fn visit_first_victims<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    sink: &mut impl FnMut(R::Bits, Direction, R::Bits),
) {
    let occupied = position.occupied();
    for victim in squares_of(position.opp()) {
        for &direction in R::RULES.king_captures {
            if (geometry.step[direction as usize][victim as usize] & !occupied).is_zero() {
                continue;
            }
            let back = direction.reversed();
            let from = match R::RULES.king_range {
                KingRange::Flying => geometry.slide(back, victim, occupied),
                KingRange::Short => geometry.step[back as usize][victim as usize] & !occupied,
            };
            if !from.is_zero() {
                sink(R::Bits::bit(victim), direction, from);
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Variant, with_rule_set};

    /// Random sets of squares without a square in common, and the squares left.
    fn scatter<B: Bits>(state: &mut u64, geometry: &Geometry<B>) -> (Turned<B>, B) {
        let mut free = geometry.all;
        let mut draw = |within: B, most: u64| {
            let mut set = B::zero();
            let mut random = || {
                *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *state >> 33
            };
            for _ in 0..random() % (most + 1) {
                let square = (random() % geometry.squares as u64) as u8;
                set = set | B::bit(square) & within & free;
            }
            free = free & !set;
            set
        };
        let position = Turned {
            own_men: draw(geometry.own_men, 3),
            own_kings: draw(geometry.all, 2),
            opp_men: draw(geometry.opp_men, 4),
            opp_kings: draw(geometry.all, 3),
        };
        (position, free)
    }

    fn one_more_king<R: RuleSet>() {
        let geometry = R::geometry();
        let (mut state, mut some) = (1, 0);
        for _ in 0..2000 {
            let (position, free) = scatter(&mut state, geometry);
            let found = captures_with_king::<R>(geometry, &position, free);
            for square in squares_of(free) {
                let own_kings = position.own_kings | R::Bits::bit(square);
                let with = Turned { own_kings, ..position };
                assert_eq!(
                    found.contains(square),
                    has_capture::<R>(geometry, &with),
                    "{} {with:?}",
                    R::RULES.name
                );
            }
            some += found.count_ones();
        }
        assert!(some > 1000);
    }

    #[test]
    fn a_row_of_kings_captures_where_each_of_them_does() {
        for &variant in Variant::ALL {
            if variant.rules().has_kings() {
                with_rule_set!(variant, R => one_more_king::<R>());
            }
        }
    }
}
