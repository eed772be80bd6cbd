//! Russian draughts.

use std::sync::LazyLock;

use super::types::{Colour, KingRange, NoMove, PromotionInCapture, RuleSet, Rules, SquareNames};
use crate::board::{Direction, Geometry, Shape};

/// Russian draughts, 8x8.
///
/// Source: rules of the sport of draughts (order 722 of 2013), points 6.1.4 and 6.1.5; the
/// same articles with the same last numbers stand in the code of 2004 as 1.4 and 1.5.
#[derive(Clone, Copy, Debug)]
pub struct Russian;

impl RuleSet for Russian {
    type Bits = u32;

    const RULES: Rules = Rules {
        name: "russian",
        title: "Russian draughts",
        shape: Shape { width: 8, height: 8 },
        man_moves: &[Direction::NorthEast, Direction::NorthWest], // 6.1.4.3
        man_captures: &Direction::ALL,                            // 6.1.5.3
        king_directions: &Direction::ALL,                         // 6.1.4.5
        king_range: KingRange::Flying,                            // 6.1.4.5, 6.1.5.2
        promotion_in_capture: PromotionInCapture::ContinuesAsKing, // 6.1.5.15
        no_move: NoMove::Loses,
        squares: SquareNames::Algebraic,
        capture_sign: ':',
        pdn_game_type: Some("25,W,8,8,A0,0"),
        first_mover: Colour::White,
        source: "Rules of the sport of draughts, 6.1 (order 722 of 2013)",
    };

    #[inline(always)]
    fn geometry() -> &'static Geometry<u32> {
        static GEOMETRY: LazyLock<Geometry<u32>> =
            LazyLock::new(|| Geometry::new(Russian::RULES.shape));
        &GEOMETRY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number stands in every table file there is.
    #[test]
    fn the_fingerprint_stays() {
        assert_eq!(Russian::RULES.fingerprint(), 5_156_457_964_448_064_399);
    }
}
