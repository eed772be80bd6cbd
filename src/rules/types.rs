//! The switches by which variants differ.

use std::fmt;
use std::marker::PhantomData;

use super::variant::Variant;
use crate::board::{Bits, Direction, Geometry, Playing, Shape};
use crate::value::{Halves, Value};

/// The two sides. White's men move up the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
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
    /// Any distance along free squares.
    Flying,
    /// One square; captures its neighbours.
    Short,
}

/// Where a flying king lands behind a captured piece. From among the squares that are allowed it must take one from which it
/// can go on capturing, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// Any free square.
    Any,
    /// The next square only.
    Next,
    /// Any free square, but the next one where the capture ends behind a king.
    NextBehindLastKing,
}

/// When captured pieces leave the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// After the move. Until then they are obstacles, and none is jumped twice.
    AtEnd,
    /// As they are jumped.
    AtOnce,
}

/// What becomes of a man that reaches the last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// It is a king at once; in the middle of a capture it goes on as one in the same move.
    AtOnce,
    /// The move ends there, and it is a king.
    EndsMove,
    /// It is a king if its move ends there; a capture goes on as a man if it can.
    IfItEndsThere,
    /// There are no kings.
    Never,
}

/// By what captures are compared when not all are allowed; greater goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// Number of captured pieces.
    MostPieces,
    /// Capturing with a king rather than with a man.
    WithKing,
    /// Number of captured kings.
    MostKings,
    /// Captured kings that come earliest, jump by jump.
    KingsFirst,
    /// Captured pieces by value, a king slightly less than two men: `n` kings lie between `2n - 1` and `2n` men.
    Value,
}

/// Result of a player who has no move, blocked or without pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The player has lost.
    Loses,
    /// The player has won: giveaway.
    Wins,
}

impl NoMove {
    /// The value of a position without a move.
    pub const fn value(self) -> Value {
        match self {
            Self::Loses => Value::Loss(0),
            Self::Wins => Value::Win(0),
        }
    }

    /// The quickest loss and the quickest win of a player who has a move.
    pub const fn quickest_after_a_move(self) -> [Value; 2] {
        match self {
            Self::Loses => [Value::Loss(2), Value::Win(1)],
            Self::Wins => [Value::Loss(1), Value::Win(2)],
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
    /// Numbers, see [`Numbering`].
    Numeric,
}

/// Where the numbers of squares begin, as White sees the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// At the top left, left to right, then down.
    TopLeft,
    /// At the bottom right, right to left, then up.
    BottomRight,
}

/// Placements of men between which quiet moves go to and fro, so that they are solved together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// Men only advance: every placement of men alone.
    Placement,
    /// Men move sideways too: the placements with as many men of each side on every row.
    Ranks,
    /// Men move backward too: all placements.
    All,
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
    /// Directions of a king's quiet moves.
    pub king_moves: &'static [Direction],
    /// Directions of a king's captures.
    pub king_captures: &'static [Direction],
    /// How far kings go.
    pub king_range: KingRange,
    /// Where flying kings land.
    pub landing: Landing,
    /// Whether men capture kings.
    pub men_take_kings: bool,
    /// When captured pieces leave the board.
    pub removal: Removal,
    /// Whether a piece may turn back by 180 degrees between two jumps.
    pub turns_back: bool,
    /// Men on the last row.
    pub promotion: Promotion,
    /// Which captures go first; all are allowed if there is nothing to compare by.
    pub precedence: &'static [Precedence],
    /// Who has won when the side to move has no move.
    pub no_move: NoMove,
    /// How squares are written.
    pub squares: SquareNames,
    /// How squares are numbered.
    pub numbering: Numbering,
    /// Sign between the squares of a capture.
    pub capture_sign: char,
    /// Tag value of the PDN standard, if the variant has one.
    pub pdn_game_type: Option<&'static str>,
    /// The pieces of the starting position, as FEN writes them.
    pub start: &'static str,
    /// Who moves first from the starting position.
    pub first_mover: Colour,
    /// Rule book that this follows.
    pub source: &'static str,
    /// Rules of the game that depend on what was played before, which no table knows.
    pub left_out: &'static [&'static str],
}

impl Rules {
    /// What the quiet moves of men leave as it is, and so what placements of men have to be solved together.
    pub const fn unit(&self) -> UnitKind {
        let (mut sideways, mut backward) = (false, false);
        let mut i = 0;
        while i < self.man_moves.len() {
            sideways |= self.man_moves[i].advance() == 0;
            backward |= self.man_moves[i].advance() < 0;
            i += 1;
        }
        match (sideways, backward) {
            (_, true) => UnitKind::All,
            (true, false) => UnitKind::Ranks,
            (false, false) => UnitKind::Placement,
        }
    }

    /// Whether a man can move in this direction and back again by other quiet moves.
    pub const fn man_returns(&self, direction: Direction) -> bool {
        match self.unit() {
            UnitKind::Placement => false,
            UnitKind::Ranks => direction.advance() == 0,
            UnitKind::All => true,
        }
    }

    /// All that [`QuietRules`] has of these rules, as a number.
    pub const fn quiet_code(&self) -> u16 {
        let mut code = match self.king_range {
            KingRange::Flying => FLYING,
            KingRange::Short => 0,
        };
        let mut i = 0;
        while i < self.king_moves.len() {
            code |= 1 << self.king_moves[i] as u16;
            i += 1;
        }
        code |= match self.no_move {
            NoMove::Wins => NO_MOVE_WINS,
            NoMove::Loses => 0,
        };
        code | match self.unit() {
            UnitKind::Placement => 0,
            UnitKind::Ranks => SIDEWAYS,
            UnitKind::All => BACKWARD,
        }
    }

    /// Whether men become kings.
    pub const fn has_kings(&self) -> bool {
        !matches!(self.promotion, Promotion::Never)
    }

    /// A number that differs wherever tables could differ. Stored in every table file.
    ///
    /// It covers the rules that decide values, not names and notation. The text that it is made of is spelled
    /// out, so that no change of the code alone can make old tables foreign.
    pub fn fingerprint(&self) -> u64 {
        let directions =
            |list: &[Direction]| list.iter().map(|d| d.letters()).collect::<Vec<_>>().join(",");
        let playing = match self.shape.playing {
            Playing::Dark => "a1",
            Playing::Light => "b1",
            Playing::All => "all",
            Playing::Points => "points",
        };
        let range = match self.king_range {
            KingRange::Flying => "fly",
            KingRange::Short => "step",
        };
        let landing = match self.landing {
            Landing::Any => "anywhere",
            Landing::Next => "next",
            Landing::NextBehindLastKing => "next behind a last king",
        };
        let removal = match self.removal {
            Removal::AtEnd => "at the end",
            Removal::AtOnce => "at once",
        };
        let promotion = match self.promotion {
            Promotion::AtOnce => "at once",
            Promotion::EndsMove => "ends the move",
            Promotion::IfItEndsThere => "if it ends there",
            Promotion::Never => "never",
        };
        let precedence = self.precedence.iter().map(|precedence| match precedence {
            Precedence::MostPieces => "pieces",
            Precedence::WithKing => "with king",
            Precedence::MostKings => "kings",
            Precedence::KingsFirst => "kings first",
            Precedence::Value => "value",
        });
        let no_move = match self.no_move {
            NoMove::Loses => "loses",
            NoMove::Wins => "wins",
        };
        let deciding = format!(
            "board {}x{} {playing}; men move {}; men capture {}; kings {range} {}; kings capture {}; \
             land {landing}; men take kings {}; removed {removal}; turn back {}; promotion {promotion}; \
             precedence {}; no move {no_move}",
            self.shape.width,
            self.shape.height,
            directions(self.man_moves),
            directions(self.man_captures),
            directions(self.king_moves),
            directions(self.king_captures),
            self.men_take_kings,
            self.turns_back,
            precedence.collect::<Vec<_>>().join(","),
        );
        xxhash_rust::xxh3::xxh3_64(deciding.as_bytes())
    }
}

/// A variant as a type: hot code is compiled once for each.
pub trait RuleSet: Copy + Send + Sync + 'static {
    /// Word that holds a set of squares.
    type Bits: Bits;
    /// The same variant as a value.
    const VARIANT: Variant;
    /// What it shares with other variants.
    type Quiet: QuietRules<Bits = Self::Bits>;
    /// The rules, known when the code is compiled.
    const RULES: Rules;

    /// Tables of the board.
    fn geometry() -> &'static Geometry<Self::Bits>;
}

/// The rules of moves without capture and of the end of the game, as a type. Variants that agree in them, which most do, share code that needs
/// no others.
pub trait QuietRules: Copy + Send + Sync + 'static {
    /// Word that holds a set of squares.
    type Bits: Bits;
    /// How far kings move.
    const KING_RANGE: KingRange;
    /// Directions of a king's moves.
    const KING_MOVES: &'static [Direction];
    /// What placements of men are solved together.
    const UNIT: UnitKind;
    /// Who has won when the side to move has no move.
    const NO_MOVE: NoMove;
}

/// The one type for all rule sets on boards of `B` whose [`Rules::quiet_code`] is `CODE`.
#[derive(Clone, Copy, Debug)]
pub struct Quiet<B, const CODE: u16>(PhantomData<B>);

impl<B, const CODE: u16> Quiet<B, CODE> {
    const KING_MOVES: ([Direction; Direction::COUNT], usize) = {
        let mut list = Direction::ALL;
        let (mut count, mut i) = (0, 0);
        while i < Direction::COUNT {
            if CODE >> i & 1 == 1 {
                list[count] = Direction::ALL[i];
                count += 1;
            }
            i += 1;
        }
        (list, count)
    };
}

impl<B: Bits, const CODE: u16> QuietRules for Quiet<B, CODE> {
    type Bits = B;
    const KING_RANGE: KingRange =
        if CODE & FLYING != 0 { KingRange::Flying } else { KingRange::Short };
    const KING_MOVES: &'static [Direction] = {
        let (list, count) = &Self::KING_MOVES;
        list.split_at(*count).0
    };
    const UNIT: UnitKind = match (CODE & SIDEWAYS != 0, CODE & BACKWARD != 0) {
        (_, true) => UnitKind::All,
        (true, false) => UnitKind::Ranks,
        (false, false) => UnitKind::Placement,
    };
    const NO_MOVE: NoMove = if CODE & NO_MOVE_WINS != 0 { NoMove::Wins } else { NoMove::Loses };
}

/// Bits of [`Rules::quiet_code`] behind one for each direction of a king.
const FLYING: u16 = 1 << 8;
const NO_MOVE_WINS: u16 = 1 << 9;
const SIDEWAYS: u16 = 1 << 10;
const BACKWARD: u16 = 1 << 11;
