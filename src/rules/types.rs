//! The switches by which variants differ.

use std::fmt;

use serde::Serialize;

use crate::board::{Bits, Direction, Geometry, Shape};
use crate::value::{Halves, Value};

/// The two sides. White's men move up the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// The side at the bottom of the diagram.
    White,
    /// The side at the top of the diagram.
    Black,
}

impl Colour {
    /// The other side.
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// `'W'` or `'B'`, as FEN writes it.
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'W',
            Self::Black => 'B',
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// How far a king moves and from how far it captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KingRange {
    /// Any distance along free squares; lands on any free square behind the captured piece,
    /// but on one from which it can go on capturing if there is one.
    Flying,
}

/// What becomes of a man that reaches the last row by a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromotionInCapture {
    /// It is a king at once and goes on capturing as one in the same move.
    ContinuesAsKing,
}

/// Result of a player who has no move, blocked or without pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The player has lost.
    Loses,
}

impl NoMove {
    /// The value of a position without a move.
    pub const fn value(self) -> Value {
        match self {
            Self::Loses => Value::Loss(0),
        }
    }

    /// Parity of the distance of every loss, in plies; every win has the other one.
    ///
    /// A game ends with a player who has no move, and a move turns a win into a loss one ply
    /// longer or the reverse, so the parities follow from the value of that player.
    pub const fn loss_parity(self) -> u16 {
        match self.value() {
            Value::Loss(plies) => plies % 2,
            Value::Win(plies) => (plies + 1) % 2,
            Value::Draw => unreachable!(),
        }
    }

    /// How distances are halved under this rule.
    pub const fn halves(self) -> Halves {
        Halves::new(self.loss_parity())
    }
}

/// How squares are called in positions and moves that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SquareNames {
    /// `a1` at White's bottom left.
    Algebraic,
    /// Numbers from White's top left, left to right, then down.
    Numeric,
}

/// The rules of one variant.
///
/// Directions are those of the side that moves up the board. Whatever is not listed holds in
/// every variant: captures are compulsory and carried to their end, no piece is jumped twice, own pieces
/// are never jumped, the square that the capturing piece has left counts as empty.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Name on the command line and of the folder of tables.
    pub name: &'static str,
    /// Name in words.
    pub title: &'static str,
    /// The board.
    pub shape: Shape,
    /// Directions of a man's quiet moves, one square each.
    pub man_moves: &'static [Direction],
    /// Directions of a man's captures.
    pub man_captures: &'static [Direction],
    /// Directions of a king's moves and captures.
    pub king_directions: &'static [Direction],
    /// How far kings go.
    pub king_range: KingRange,
    /// A man on the last row in mid-capture.
    pub promotion_in_capture: PromotionInCapture,
    /// Who has won when the side to move has no move.
    pub no_move: NoMove,
    /// How squares are written.
    pub squares: SquareNames,
    /// Sign between the squares of a capture.
    pub capture_sign: char,
    /// Tag value of the PDN standard, if the variant has one.
    pub pdn_game_type: Option<&'static str>,
    /// Who moves first from the starting position.
    pub first_mover: Colour,
    /// Rule book that this follows.
    pub source: &'static str,
}

impl Rules {
    /// A number that differs wherever tables could differ. Stored in every table file.
    ///
    /// It covers the rules that decide values, not names and notation. The text that it is made of is spelled
    /// out, so that no change of the code alone can make old tables foreign.
    pub fn fingerprint(&self) -> u64 {
        let directions =
            |list: &[Direction]| list.iter().map(|d| d.letters()).collect::<Vec<_>>().join(",");
        let deciding = format!(
            "board {}x{} a1; men move {}; men capture {}; kings {} {}; promotion in capture {}; no move {}",
            self.shape.width,
            self.shape.height,
            directions(self.man_moves),
            directions(self.man_captures),
            match self.king_range {
                KingRange::Flying => "fly",
            },
            directions(self.king_directions),
            match self.promotion_in_capture {
                PromotionInCapture::ContinuesAsKing => "goes on as king",
            },
            match self.no_move {
                NoMove::Loses => "loses",
            },
        );
        xxhash_rust::xxh3::xxh3_64(deciding.as_bytes())
    }
}

/// A variant as a type: hot code is compiled once for each.
pub trait RuleSet: Copy + Send + Sync + 'static {
    /// Word that holds a set of squares.
    type Bits: Bits;
    /// The rules, known when the code is compiled.
    const RULES: Rules;

    /// Tables of the board.
    fn geometry() -> &'static Geometry<Self::Bits>;
}
