//! Moves of positions, for callers that choose the variant at run time.

use crate::board::{Bitboard, Bits, Geometry, Square};
use crate::position::Position;
use crate::rules::{
    Capture, Colour, Jumps, RuleSet, Turned, Variant, has_capture, moves, visit_captures,
    visit_quiet_moves, with_rule_set,
};

/// A legal move of some position, from [`legal_moves`] or read as text. White is at the bottom of the board whoever moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    variant: Variant,
    from: Square,
    to: Square,
    captured: Bitboard,
    promotes: bool,
    via: Vec<Square>,
}

impl Move {
    /// The variant that is played.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// Where the piece stood.
    pub const fn from(&self) -> Square {
        self.from
    }

    /// Where it ends; after a capture this may be where it stood.
    pub const fn to(&self) -> Square {
        self.to
    }

    /// The captured pieces; empty for a quiet move.
    pub const fn captured(&self) -> Bitboard {
        self.captured
    }

    /// Whether the move takes pieces.
    pub const fn is_capture(&self) -> bool {
        !self.captured.is_empty()
    }

    /// Whether a man became a king.
    pub const fn promotes(&self) -> bool {
        self.promotes
    }

    /// Squares where the piece set down on the way of a capture, the last one left out.
    ///
    /// One way of several that take the same pieces and end on the same square. It lands right
    /// behind the captured piece where it goes straight on.
    pub fn via(&self) -> &[Square] {
        &self.via
    }
}

/// Every legal move and the position after it. Empty if the game is over.
///
/// Captures by the same piece of the same pieces that end on the same square are one move. The
/// cost grows with the number of ways of capturing, see [`visit_captures`].
pub fn legal_moves(position: &Position) -> Vec<(Move, Position)> {
    with_rule_set!(position.variant(), R => legal_moves_of::<R>(position))
}

fn legal_moves_of<R: RuleSet>(position: &Position) -> Vec<(Move, Position)> {
    let geometry = R::geometry();
    let view = View { geometry, stm: position.stm() };
    moves::<R>(geometry, &position.to_turned(geometry))
        .into_iter()
        .map(|turned| {
            let played = Move {
                variant: R::VARIANT,
                from: view.square(turned.from),
                to: view.square(turned.to),
                captured: view.set(turned.taken),
                promotes: turned.promotes,
                via: turned.via.into_iter().map(|square| view.square(square)).collect(),
            };
            let stm = position.stm().other();
            (played, Position::from_turned(R::VARIANT, geometry, &turned.after, stm))
        })
        .collect()
}

/// Whether the side to move can capture, and so must.
pub fn can_capture(position: &Position) -> bool {
    with_rule_set!(position.variant(), R => {
        let geometry = <R as RuleSet>::geometry();
        has_capture::<R>(geometry, &position.to_turned(geometry))
    })
}

/// Calls `sink` with the position after every legal move, and whether it is a capture; with some of them more than once.
pub(crate) fn visit_next(position: &Position, sink: &mut dyn FnMut(&Position, bool)) {
    with_rule_set!(position.variant(), R => visit_next_of::<R>(position, sink));
}

fn visit_next_of<R: RuleSet>(position: &Position, sink: &mut dyn FnMut(&Position, bool)) {
    let geometry = R::geometry();
    let turned = position.to_turned(geometry);
    let stm = position.stm().other();
    let after = |next: &Turned<R::Bits>| {
        Position::from_turned(R::VARIANT, geometry, &next.passed(geometry), stm)
    };
    let mut captures = false;
    visit_captures::<R, ()>(geometry, &turned, &mut (), &mut |capture, ()| {
        captures = true;
        sink(&after(&turned.captured(capture)), true);
    });
    if !captures {
        visit_quiet_moves::<R>(geometry, &turned, &mut |from, to, crowned| {
            sink(&after(&turned.stepped(from, to, crowned)), false);
        });
    }
}

/// One way of making a capture.
pub(crate) struct Route {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) captured: Bitboard,
    /// Landing squares, the last one left out.
    pub(crate) via: Vec<Square>,
    /// The piece that is jumped last.
    pub(crate) last_victim: Square,
}

/// Calls `sink` for every way of making every legal capture.
pub(crate) fn visit_routes(position: &Position, sink: &mut dyn FnMut(&Move, &Route)) {
    let known: Vec<Move> = legal_moves(position).into_iter().map(|(m, _)| m).collect();
    with_rule_set!(position.variant(), R => visit_routes_of::<R>(position, &mut |route| {
        let found = known.iter().find(|m| {
            (m.from, m.to, m.captured) == (route.from, route.to, route.captured)
        });
        // A rule of precedence may forbid a capture that can be walked.
        if let Some(played) = found {
            sink(played, route);
        }
    }));
}

fn visit_routes_of<R: RuleSet>(position: &Position, sink: &mut dyn FnMut(&Route)) {
    let geometry = R::geometry();
    let view = View { geometry, stm: position.stm() };
    visit_captures::<R, _>(
        geometry,
        &position.to_turned(geometry),
        &mut Jumps::default(),
        &mut |capture: &Capture<R::Bits>, Jumps(jumps)| {
            let Some((&(last_victim, ..), before)) = jumps.split_last() else { return };
            sink(&Route {
                from: view.square(capture.from),
                to: view.square(capture.to),
                captured: view.set(capture.taken),
                via: before.iter().map(|&(_, _, landing)| view.square(landing)).collect(),
                last_victim: view.square(last_victim),
            });
        },
    );
}

/// Turns squares of the side that moves back to the board that White sees.
struct View<'a, B> {
    geometry: &'a Geometry<B>,
    stm: Colour,
}

impl<B: Bits> View<'_, B> {
    fn square(&self, square: u8) -> Square {
        Square(match self.stm {
            Colour::White => square,
            Colour::Black => self.geometry.squares - 1 - square,
        })
    }

    fn set(&self, set: B) -> Bitboard {
        Bitboard(match self.stm {
            Colour::White => set.wide(),
            Colour::Black => self.geometry.turn(set).wide(),
        })
    }
}
