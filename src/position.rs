//! Positions.

use crate::board::{Bitboard, Bits, Geometry, Square};
use crate::rules::{Colour, Rules, Turned, Variant, with_rule_set};

/// A legal placement of men and kings in a variant, with a side to move.
///
/// Invariants: every piece stands on a square of the variant's board, no two on the same one,
/// no man on the row where it would have become a king, and no king where the variant has none.
/// A side may be without pieces: that is a finished game. Positions of two variants are never equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    variant: Variant,
    stm: Colour,
    men: [Bitboard; 2],
    kings: [Bitboard; 2],
}

/// Why pieces do not make a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// A piece stands outside the board.
    #[error("square number {} is off the board, which has {squares} squares", square.0)]
    OffBoard {
        /// Where the piece is said to stand.
        square: Square,
        /// Number of squares.
        squares: u8,
    },
    /// Two pieces on one square.
    #[error("two pieces on square number {}", square.0)]
    Overlap {
        /// The square.
        square: Square,
    },
    /// A king in a variant without kings.
    #[error("a king on square number {}, and there are no kings in this variant", square.0)]
    NoKings {
        /// Where it is said to stand.
        square: Square,
    },
    /// A man where it would have become a king.
    #[error("a man of {colour} on its own crowning row, square number {}", square.0)]
    UncrownedMan {
        /// Whose man.
        colour: Colour,
        /// The square.
        square: Square,
    },
}

impl Position {
    /// Builds a position from the men and the kings of White and Black, in this order.
    ///
    /// # Errors
    /// If the pieces break an invariant of the type; the first offending square is named.
    pub fn new(
        variant: Variant,
        stm: Colour,
        men: [Bitboard; 2],
        kings: [Bitboard; 2],
    ) -> Result<Self, PositionError> {
        let rules = variant.rules();
        let squares = rules.shape.squares();
        let mut seen = Bitboard::EMPTY;
        for set in [men[0], men[1], kings[0], kings[1]] {
            for square in set {
                if square.0 >= squares {
                    return Err(PositionError::OffBoard { square, squares });
                }
                if seen.contains(square) {
                    return Err(PositionError::Overlap { square });
                }
                seen.insert(square);
            }
        }
        if let Some(square) = kings[0].union(kings[1]).into_iter().next()
            && !rules.has_kings()
        {
            return Err(PositionError::NoKings { square });
        }
        for colour in [Colour::White, Colour::Black] {
            for square in men[colour as usize] {
                if is_crowning_square(rules, colour, square) {
                    return Err(PositionError::UncrownedMan { colour, square });
                }
            }
        }
        Ok(Position { variant, stm, men, kings })
    }

    /// The variant that is played.
    pub const fn variant(&self) -> Variant {
        self.variant
    }

    /// The side to move.
    pub const fn stm(&self) -> Colour {
        self.stm
    }

    /// Men of a side.
    pub const fn men(&self, colour: Colour) -> Bitboard {
        self.men[colour as usize]
    }

    /// Kings of a side.
    pub const fn kings(&self, colour: Colour) -> Bitboard {
        self.kings[colour as usize]
    }

    /// All pieces of a side.
    pub const fn pieces(&self, colour: Colour) -> Bitboard {
        self.men(colour).union(self.kings(colour))
    }

    /// Number of pieces on the board.
    pub const fn piece_count(&self) -> u32 {
        self.pieces(Colour::White).len() + self.pieces(Colour::Black).len()
    }

    /// The position turned by 180 degrees with colours exchanged: the same for the side to move.
    pub fn turned(&self) -> Self {
        with_rule_set!(self.variant, R => {
            let geometry = <R as crate::rules::RuleSet>::geometry();
            let turned = self.to_turned(geometry);
            Self::from_turned(self.variant, geometry, &turned, self.stm.other())
        })
    }

    /// The pieces as the side to move sees them. The board must be that of the variant.
    pub(crate) fn to_turned<B: Bits>(self, geometry: &Geometry<B>) -> Turned<B> {
        debug_assert_eq!(geometry.shape, self.variant.rules().shape, "{}", self.variant);
        let white_view = Turned {
            own_men: B::of(self.men[0].0),
            own_kings: B::of(self.kings[0].0),
            opp_men: B::of(self.men[1].0),
            opp_kings: B::of(self.kings[1].0),
        };
        match self.stm {
            Colour::White => white_view,
            Colour::Black => white_view.passed(geometry),
        }
    }

    /// The position that `stm` sees as `turned`.
    pub(crate) fn from_turned<B: Bits>(
        variant: Variant,
        geometry: &Geometry<B>,
        turned: &Turned<B>,
        stm: Colour,
    ) -> Self {
        let white_view = match stm {
            Colour::White => *turned,
            Colour::Black => turned.passed(geometry),
        };
        Position {
            variant,
            stm,
            men: [Bitboard(white_view.own_men.wide()), Bitboard(white_view.opp_men.wide())],
            kings: [Bitboard(white_view.own_kings.wide()), Bitboard(white_view.opp_kings.wide())],
        }
    }
}

/// Whether a man of `colour` becomes a king on `square`.
pub(crate) fn is_crowning_square(rules: &Rules, colour: Colour, square: Square) -> bool {
    let (_, row) = rules.shape.column_row(square.0);
    rules.has_kings()
        && row
            == match colour {
                Colour::White => rules.shape.height - 1,
                Colour::Black => 0,
            }
}
