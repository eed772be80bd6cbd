//! A position as the side to move sees it.

use crate::board::{Bits, Geometry};

use super::capture::Capture;

/// Pieces on the board turned so that the side to move moves up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turned<B> {
    /// Men of the side to move.
    pub own_men: B,
    /// Kings of the side to move.
    pub own_kings: B,
    /// Men of the other side; they move down.
    pub opp_men: B,
    /// Kings of the other side.
    pub opp_kings: B,
}

impl<B: Bits> Turned<B> {
    /// Pieces of the side to move.
    #[inline(always)]
    pub fn own(&self) -> B {
        self.own_men | self.own_kings
    }

    /// Pieces of the other side.
    #[inline(always)]
    pub fn opp(&self) -> B {
        self.opp_men | self.opp_kings
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> B {
        self.own() | self.opp()
    }

    /// The same placement with the other side to move.
    #[inline(always)]
    pub fn passed(&self, geometry: &Geometry<B>) -> Self {
        Turned {
            own_men: geometry.turn(self.opp_men),
            own_kings: geometry.turn(self.opp_kings),
            opp_men: geometry.turn(self.own_men),
            opp_kings: geometry.turn(self.own_kings),
        }
    }

    /// The placement after a quiet move, still seen by the side that moved.
    #[inline(always)]
    pub fn stepped(&self, from: u8, to: u8, becomes_king: bool) -> Self {
        let mut next = *self;
        if self.own_kings.contains(from) {
            next.own_kings = next.own_kings ^ B::bit(from) | B::bit(to);
        } else {
            next.own_men = next.own_men ^ B::bit(from);
            if becomes_king {
                next.own_kings = next.own_kings | B::bit(to);
            } else {
                next.own_men = next.own_men | B::bit(to);
            }
        }
        next
    }

    /// The placement after a capture, still seen by the side that moved.
    #[inline(always)]
    pub fn captured(&self, capture: &Capture<B>) -> Self {
        let mut next = self.stepped_if_moved(capture);
        next.opp_men = next.opp_men & !capture.taken;
        next.opp_kings = next.opp_kings & !capture.taken;
        next
    }

    /// A capture may end where it began, so the mover is lifted before it is set down.
    #[inline(always)]
    fn stepped_if_moved(&self, capture: &Capture<B>) -> Self {
        let mut next = *self;
        next.own_men = next.own_men & !B::bit(capture.from);
        next.own_kings = next.own_kings & !B::bit(capture.from);
        if capture.is_king {
            next.own_kings = next.own_kings | B::bit(capture.to);
        } else {
            next.own_men = next.own_men | B::bit(capture.to);
        }
        next
    }
}
