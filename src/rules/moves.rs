//! The list of legal moves.

use num_traits::Zero;

use super::capture::{Capture, Jumps, visit_captures};
use super::quiet::visit_quiet_moves;
use super::turned::Turned;
use super::types::RuleSet;
use crate::board::{Bits, Geometry};

/// A legal move on the board turned to the side that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnedMove<B> {
    /// Where the piece stood.
    pub from: u8,
    /// Where it ends.
    pub to: u8,
    /// Captured pieces; empty for a quiet move.
    pub taken: B,
    /// Whether it ends as a king.
    pub is_king: bool,
    /// Whether a man became a king.
    pub promotes: bool,
    /// Squares where the piece set down on the way of a capture, the last one left out. One way of several,
    /// landing right behind the captured piece where it goes straight on.
    pub via: Vec<u8>,
    /// The position after the move, as the other side sees it.
    pub after: Turned<B>,
}

/// Every legal move: captures if there are any, else quiet moves. Empty if the game is over.
///
/// Captures by the same piece of the same pieces that end on the same square are one move,
/// whatever their way.
pub fn moves<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
) -> Vec<TurnedMove<R::Bits>> {
    let mut list: Vec<TurnedMove<R::Bits>> = Vec::new();
    visit_captures::<R, _>(
        geometry,
        position,
        &mut Jumps::default(),
        &mut |capture: &Capture<R::Bits>, Jumps(jumps)| {
            let known = list
                .iter()
                .any(|m| (m.from, m.to, m.taken) == (capture.from, capture.to, capture.taken));
            if !known {
                list.push(TurnedMove {
                    from: capture.from,
                    to: capture.to,
                    taken: capture.taken,
                    is_king: capture.is_king,
                    promotes: capture.is_king && !capture.was_king,
                    via: jumps[..jumps.len() - 1].iter().map(|&(.., landing)| landing).collect(),
                    after: position.captured(capture).passed(geometry),
                });
            }
        },
    );
    if list.is_empty() {
        visit_quiet_moves::<R>(geometry, position, &mut |from, to, promotes| {
            list.push(TurnedMove {
                from,
                to,
                taken: R::Bits::zero(),
                is_king: promotes || position.own_kings.contains(from),
                promotes,
                via: Vec::new(),
                after: position.stepped(from, to, promotes).passed(geometry),
            });
        });
    }
    list
}
