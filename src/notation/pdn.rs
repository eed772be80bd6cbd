//! Games of PDN files (Portable Draughts Notation).

use std::collections::BTreeMap;
use std::fmt;

use super::fen::{FenError, parse_fen, start_position};
use super::moves::{MoveError, parse_move};
use crate::board::Playing;
use crate::play::legal_moves;
use crate::position::Position;
use crate::rules::{Colour, Numbering, Rules, SquareNames, Variant};
use crate::value::Wld;

/// Most bytes of the tags and moves of one game. Comments and variations are not counted: nothing of them is kept.
pub const MAX_GAME_LEN: usize = 1 << 20;

/// Why a text is not a game, or not one of the variant. Lines count from 1; what is quoted is cut if it is long.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PdnError {
    /// A line that begins as a tag does.
    #[error("line {line}: {text:?} is not a tag ([Name \"value\"])")]
    Tag {
        /// Where it begins.
        line: usize,
        /// The rest of its line.
        text: String,
    },
    /// A comment that is still open at the end of the text.
    #[error("the comment of line {line} has no end")]
    Comment {
        /// Where it begins.
        line: usize,
    },
    /// Variations whose brackets do not match.
    #[error("line {line}: brackets of variations do not match")]
    Variation {
        /// Where the first bracket without a partner stands.
        line: usize,
    },
    /// Its tags and moves are more than is read of one game.
    #[error("line {line}: a game of more than {MAX_GAME_LEN} bytes of tags and moves")]
    TooLarge {
        /// Where the game begins.
        line: usize,
    },
    /// The value of a tag makes no sense.
    #[error("tag {name} is {value:?}, not {expected}")]
    TagValue {
        /// Name of the tag.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it could be.
        expected: &'static str,
    },
    /// The game is one of another variant, or calls the squares in another way.
    #[error("game type {value:?} is not that of {variant} ({known}): {differs}")]
    OtherGame {
        /// Value of the tag.
        value: String,
        /// The variant that was asked for.
        variant: Variant,
        /// Its game type.
        known: String,
        /// What is different.
        differs: &'static str,
    },
    /// The tag and the end of the moves say different results.
    #[error("the tag Result is {tag:?}, but the moves end with {end:?}")]
    TwoResults {
        /// Value of the tag.
        tag: String,
        /// Result behind the moves.
        end: String,
    },
    /// The tag FEN is not a position.
    #[error("tag FEN: {0}")]
    Fen(#[from] FenError),
    /// A move cannot be played.
    #[error("move {ply}: {source}")]
    Move {
        /// Its number, from 1, each side's moves counted.
        ply: usize,
        /// What is wrong with it.
        source: MoveError,
    },
}

/// Longest word that can be a move: it has one square for each captured piece, and one more.
const LONGEST_MOVE: usize = 300;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This side won.
    Won(Colour),
    /// Nobody won.
    Drawn,
}

impl Outcome {
    /// The result for a side.
    pub fn for_side(self, side: Colour) -> Wld {
        match self {
            Self::Won(winner) if winner == side => Wld::Win,
            Self::Won(_) => Wld::Loss,
            Self::Drawn => Wld::Draw,
        }
    }
}

/// A game as it was written. What its tags and moves mean depends on the variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdnGame {
    pub(super) line: usize,
    /// Values by names in small letters.
    pub(super) tags: BTreeMap<String, String>,
    pub(super) moves: Vec<String>,
    pub(super) result: Option<String>,
}

impl PdnGame {
    /// The line on which the game begins, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The value of a tag, in whatever letters its name is written.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(&name.to_ascii_lowercase()).map(String::as_str)
    }

    /// The moves of the main line as they are written, without numbers and marks.
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Whether a tag says where the game begins. It counts unless `SetUp` is 0.
    pub fn has_fen(&self) -> bool {
        self.fen().is_some()
    }

    fn fen(&self) -> Option<&str> {
        let set_up = self.tag("SetUp").is_none_or(|value| value.trim() != "0");
        self.tag("FEN").filter(|fen| set_up && !fen.trim().is_empty())
    }

    /// The position before the first move: that of the tag `FEN`, else the starting position.
    ///
    /// # Errors
    /// If the game is not one of the variant, or the tag is no position of it.
    pub fn start(&self, variant: Variant) -> Result<Position, PdnError> {
        self.first_mover(variant)?;
        match self.fen() {
            Some(fen) => Ok(parse_fen(variant, fen)?),
            None => Ok(start_position(variant)),
        }
    }

    /// The position after the last move.
    ///
    /// # Errors
    /// As [`PdnGame::start`], and if a move is not one of its position.
    pub fn end(&self, variant: Variant) -> Result<Position, PdnError> {
        let mut position = self.start(variant)?;
        for (ply, text) in (1..).zip(&self.moves) {
            let played = match text.len() {
                ..=LONGEST_MOVE => parse_move(&position, text),
                _ => Err(MoveError::Malformed { text: shortened(text) }),
            };
            let played = played.map_err(|source| PdnError::Move { ply, source })?;
            position = legal_moves(&position)
                .into_iter()
                .find_map(|(legal, after)| (legal == played).then_some(after))
                .expect("a move that was read is legal");
        }
        Ok(position)
    }

    /// Who won. `1-0` and `2-0` are wins of the side that moves first in this type of game: Black in English
    /// draughts, White in Russian. `None` if the game says nothing (`*`, no result at all) or was lost by both (`0-0`).
    ///
    /// # Errors
    /// If the game is not one of the variant, or has two results.
    pub fn outcome(&self, variant: Variant) -> Result<Option<Outcome>, PdnError> {
        let first = self.first_mover(variant)?;
        let tag = self.tag("Result").map(str::trim).filter(|tag| !tag.is_empty());
        if let Some(tag) = tag.filter(|tag| !is_result(tag)) {
            return Err(PdnError::TagValue {
                name: "Result",
                value: shortened(tag),
                expected: "a result such as 1-0, 0-2, 1/2-1/2 or *",
            });
        }
        let meaning = |text: &str| match text {
            "1-0" | "2-0" => Some(Outcome::Won(first)),
            "0-1" | "0-2" => Some(Outcome::Won(first.other())),
            "1/2-1/2" | "1-1" => Some(Outcome::Drawn),
            _ => None,
        };
        let known = |text: &&str| *text != "*";
        match (tag.filter(known), self.result.as_deref().filter(known)) {
            (Some(tag), Some(end)) if meaning(tag) != meaning(end) => {
                Err(PdnError::TwoResults { tag: tag.to_owned(), end: end.to_owned() })
            }
            (tag, end) => Ok(tag.or(end).and_then(meaning)),
        }
    }

    /// Who moves first in this type of game.
    fn first_mover(&self, variant: Variant) -> Result<Colour, PdnError> {
        let rules = variant.rules();
        let text = self.tag("GameType").map(str::trim).filter(|text| !text.is_empty());
        let Some(text) = text else { return Ok(rules.first_mover) };
        let given = GameType::read(text).map_err(|expected| PdnError::TagValue {
            name: "GameType",
            value: shortened(text),
            expected,
        })?;
        let own = GameType::of(rules);
        match given.difference(&own, rules) {
            None => Ok(given.first_mover.unwrap_or(rules.first_mover)),
            Some(differs) => Err(PdnError::OtherGame {
                value: shortened(text),
                variant,
                known: own.to_string(),
                differs,
            }),
        }
    }
}

/// Tag `GameType`: `21`, or `21,B,8,8,N1,0` in full.
struct GameType {
    /// Giveaway and some other variants have none of their own.
    number: Option<u32>,
    first_mover: Option<Colour>,
    size: Option<(u8, u8)>,
    /// Whether squares have numbers.
    numeric: bool,
    /// Where White sees the first of the names of squares: 0 at the bottom left, 1 at the bottom right, 2 and 3 above them.
    corner: Option<u8>,
    /// Whether White's bottom left is no playing square.
    inverted: Option<bool>,
}

impl GameType {
    /// That of a variant.
    fn of(rules: &Rules) -> Self {
        let corner = match (rules.squares, rules.numbering) {
            (SquareNames::Algebraic, _) => 0,
            (SquareNames::Numeric, Numbering::BottomRight) => 1,
            (SquareNames::Numeric, Numbering::TopLeft) => 2,
        };
        let derived = GameType {
            number: None,
            first_mover: Some(rules.first_mover),
            size: Some((rules.shape.width, rules.shape.height)),
            numeric: rules.squares == SquareNames::Numeric,
            corner: Some(corner),
            inverted: Some(rules.shape.playing == Playing::Light),
        };
        let known = rules.pdn_game_type.map(GameType::read);
        known.map_or(derived, |known| known.expect("a well-formed game type"))
    }

    /// Reads a tag, or says what it should be.
    fn read(text: &str) -> Result<Self, &'static str> {
        const FORM: &str = "a number, or number,W or B,width,height,notation,flag";
        let mut parts = text.split(',').map(str::trim);
        let number = parts.next().and_then(|part| part.parse().ok()).ok_or(FORM)?;
        let first_mover = match parts.next() {
            None => None,
            Some("W" | "w") => Some(Colour::White),
            Some("B" | "b") => Some(Colour::Black),
            Some(_) => return Err(FORM),
        };
        let size = match (parts.next(), parts.next()) {
            (None, _) => None,
            (Some(width), Some(height)) => {
                Some((width.parse().map_err(|_| FORM)?, height.parse().map_err(|_| FORM)?))
            }
            (Some(_), None) => return Err(FORM),
        };
        const NOTATION: &str = "one whose notation is A, N or S and a digit from 0 to 3";
        let notation = parts.next().unwrap_or("A");
        let (letter, digit) = notation.split_at_checked(1).ok_or(NOTATION)?;
        let numeric = match letter {
            "N" | "n" => true,
            // `S` are names too, in short moves.
            "A" | "a" | "S" | "s" => false,
            _ => return Err(NOTATION),
        };
        let seen = match digit {
            "" => None,
            "0" => Some(0),
            "1" => Some(1),
            "2" => Some(2),
            "3" => Some(3),
            _ => return Err(NOTATION),
        };
        // The corner is that which the side that moves first sees.
        let corner = seen.map(|seen| match first_mover {
            Some(Colour::Black) => 3 - seen,
            _ => seen,
        });
        let inverted = match parts.next() {
            None => None,
            Some("0") => Some(false),
            Some("1") => Some(true),
            Some(_) => return Err("one whose flag is 0 or 1"),
        };
        if parts.next().is_some() {
            return Err("one of at most six fields");
        }
        Ok(GameType { number: Some(number), first_mover, size, numeric, corner, inverted })
    }

    /// Why positions and moves of this game type cannot be read as those of a variant, whose own type is given.
    fn difference(&self, own: &Self, rules: &Rules) -> Option<&'static str> {
        fn differ<T: PartialEq>(given: Option<T>, own: Option<T>) -> bool {
            given.zip(own).is_some_and(|(given, own)| given != own)
        }
        // Names and numbers are both read, whichever the variant writes.
        let corner = match (self.numeric, own.numeric, rules.numbering) {
            (true, true, _) => own.corner,
            (true, false, Numbering::BottomRight) => Some(1),
            (true, false, Numbering::TopLeft) => Some(2),
            (false, ..) => Some(0),
        };
        if differ(self.number, own.number) {
            Some("another game")
        } else if differ(self.size, own.size) {
            Some("another board")
        } else if differ(self.corner, corner) {
            Some("squares are called from another corner")
        } else if differ(self.inverted, own.inverted) {
            Some("other playing squares")
        } else {
            None
        }
    }
}

impl fmt::Display for GameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number.map_or_else(|| "any number".to_owned(), |n| n.to_string());
        let (Some(first), Some((width, height))) = (self.first_mover, self.size) else {
            return f.write_str(&number);
        };
        write!(f, "{number},{},{width},{height}", first.letter())?;
        let (Some(corner), Some(inverted)) = (self.corner, self.inverted) else { return Ok(()) };
        let letter = if self.numeric { 'N' } else { 'A' };
        let seen = if first == Colour::White { corner } else { 3 - corner };
        write!(f, ",{letter}{seen},{}", u8::from(inverted))
    }
}

/// Whether a word ends a game.
pub(super) fn is_result(word: &str) -> bool {
    matches!(word, "1-0" | "0-1" | "1/2-1/2" | "2-0" | "0-2" | "1-1" | "0-0" | "*")
}

/// The beginning of a text, for messages.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{parse_pdn, write_fen};

    fn games(text: &str) -> Vec<Result<PdnGame, PdnError>> {
        parse_pdn(text).collect()
    }

    #[track_caller]
    fn only(text: &str) -> PdnGame {
        let mut games = games(text);
        assert_eq!(games.len(), 1, "{games:?}");
        games.remove(0).unwrap()
    }

    /// Moves and result of each game.
    fn outline(text: &str) -> Vec<String> {
        let games = parse_pdn(text).map(|game| game.unwrap());
        games
            .map(|game| format!("{} {}", game.moves.join(" "), game.result.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn what_is_no_move_is_skipped() {
        for text in [
            "1. 11-15 23-19 2. 8-11 22-17 *",
            "1.11-15 23-19 2.8-11 22-17*\n",
            "1. 11-15! 1... 23-19?! 2. 8-11 $1 $22 ... 22-17$4 *",
            "1. 11-15 {good} 23-19 { [%clock w0:01] ( } 8-11 ; the ( end\r\n 22-17 *",
            "1. 11-15 (11-16 24-19 (23-18 1-0) (!)) 23-19 (*) 2. 8-11 22-17 *",
            "% 9-14\n11-15 23-19\n%\n8-11 22-17 *",
            "\u{feff}11-15{}23-19;\n8-11(9-14)22-17 *",
        ] {
            assert_eq!(outline(text), ["11-15 23-19 8-11 22-17 *"], "{text:?}");
        }
    }

    #[test]
    fn games_end_with_a_result_or_where_tags_begin_again() {
        let text =
            "[Event \"a\"]\n[Result \"1-0\"]\n\n9-14 1-0\n\n[Event \"b\"]\n9-13 1/2-1/2 10-14 0-2";
        assert_eq!(outline(text), ["9-14 1-0", "9-13 1/2-1/2", "10-14 0-2"]);
        let text = "[FEN \"W:WK1:B2\"]\n[FEN \"W:WK1:B3\"] 1-6\n[Event \"c\"]";
        assert_eq!(outline(text), [" ", "1-6 ", " "]);
        let lines: Vec<usize> = parse_pdn(text).map(|game| game.unwrap().line()).collect();
        assert_eq!(lines, [1, 2, 3]);
        assert!(games("").is_empty());
        assert!(games("\n{nothing} ; at all\n").is_empty());
    }

    #[test]
    fn tags_are_read_with_their_marks() {
        let game = only(
            "[ Event  \"The \\\"big\\\" one\" ] [site \"a \"b\" \\\\ c:\\d]e\"][Empty \"\"] *",
        );
        assert_eq!(game.tag("event"), Some("The \"big\" one"));
        assert_eq!(game.tag("Site"), Some("a \"b\" \\ c:\\d]e"));
        assert_eq!((game.tag("Empty"), game.tag("FEN")), (Some(""), None));
    }

    #[test]
    fn faults_are_named_and_cost_one_game() {
        let good = "[Event \"x\"]\n9-14 1-0\n";
        for (bad, message) in [
            ("[Event]", "line 3: \"[Event]\" is not a tag"),
            ("[Event x]", "line 3"),
            ("[\"x\"]", "line 3"),
            ("[Event \"x\" 9-14", "line 3"),
            ("9-14 (9-13", "line 3: brackets"),
            ("9-14) 9-13", "line 3: brackets"),
        ] {
            let games = games(&format!("{good}{bad}\n9-13 *\n{good}"));
            assert_eq!(games.iter().map(Result::is_ok).filter(|&ok| ok).count(), games.len() - 1);
            let error = games[1].as_ref().unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
            assert_eq!(games.last().unwrap().as_ref().unwrap().moves, ["9-14"], "{bad}");
        }
        let all = games(&format!("{good}9-14 {{ open {good}"));
        assert_eq!(all[1], Err(PdnError::Comment { line: 3 }));
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn the_tag_or_the_start_is_the_position() {
        let text = "[SetUp \"1\"][GameType \"21\"][FEN \"W:WK22,K23,K24:BK31,K32.\"] 1. 24-19 *";
        let start = only(text).start(Variant::English).unwrap();
        assert_eq!(write_fen(&start), "W:WK22,K23,K24:BK31,K32");
        let end = only(text).end(Variant::English).unwrap();
        assert_eq!(write_fen(&end), "B:WK19,K22,K23:BK31,K32");
        for text in ["9-14 *", "[FEN \"\"] 9-14 *", "[SetUp \"0\"][FEN \"W:WK22:BK31\"] 9-14 *"] {
            let game = only(text);
            assert!(!game.has_fen());
            assert_eq!(game.start(Variant::English), Ok(start_position(Variant::English)));
            let end = game.end(Variant::English).unwrap();
            assert_eq!(end.stm(), Colour::White);
        }
        let error = only("9-14 9-13 *").end(Variant::English).unwrap_err();
        assert!(error.to_string().starts_with("move 2: \"9-13\" is not a legal move"), "{error}");
        let error = only(&"9-14-".repeat(1000)).end(Variant::English).unwrap_err();
        assert!(error.to_string().len() < 200, "{error}");
        let error = only("[FEN \"W:W55:B1\"]").start(Variant::English).unwrap_err();
        assert!(error.to_string().starts_with("tag FEN: \"55\""), "{error}");
    }

    #[test]
    fn who_moves_first_tells_what_1_0_means() {
        let outcome = |variant, game_type: &str, result: &str| {
            let tag = match game_type {
                "" => String::new(),
                _ => format!("[GameType \"{game_type}\"]"),
            };
            only(&format!("{tag} {result}")).outcome(variant).unwrap()
        };
        use Variant::{English, Pool, Russian};
        let (white, black) = (Some(Outcome::Won(Colour::White)), Some(Outcome::Won(Colour::Black)));
        for (variant, game_type, first, second) in [
            (English, "", black, white),
            (English, "21", black, white),
            (English, "21,B,8,8,N1,0", black, white),
            (Russian, "", white, black),
            (Russian, "25", white, black),
            (Russian, " 25 , W, 8,8, A0,0", white, black),
            (Russian, "25,W,8,8,N2,0", white, black),
            // Pool of the APCA, and unified.
            (Pool, "23", black, white),
            (Pool, "23,W,8,8,A0,0", white, black),
        ] {
            for (result, expected) in [
                ("1-0", first),
                ("2-0", first),
                ("0-1", second),
                ("0-2", second),
                ("1/2-1/2", Some(Outcome::Drawn)),
                ("1-1", Some(Outcome::Drawn)),
                ("0-0", None),
                ("*", None),
            ] {
                assert_eq!(outcome(variant, game_type, result), expected, "{game_type} {result}");
            }
        }
        assert_eq!(Outcome::Won(Colour::Black).for_side(Colour::White), Wld::Loss);
        assert_eq!(Outcome::Drawn.for_side(Colour::White), Wld::Draw);
    }

    #[track_caller]
    fn typed(variant: Variant, game_type: &str) -> Result<Position, PdnError> {
        only(&format!("[GameType \"{game_type}\"] 1-0")).start(variant)
    }

    #[test]
    fn games_of_other_variants_are_refused() {
        use Variant::{English, Italian, Killer, Russian, RussianGiveaway, Spanish, Thai, Turkish};
        const GAME: &str = "another game";
        const BOARD: &str = "another board";
        const CORNER: &str = "squares are called from another corner";
        const PLAYING: &str = "other playing squares";
        for (variant, game_type, known, differs) in [
            (English, "25", "21,B,8,8,N1,0", GAME),
            (English, "20,W,10,10,N2,0", "21,B,8,8,N1,0", GAME),
            (English, "21,B,10,10,N1,0", "21,B,8,8,N1,0", BOARD),
            (English, "21,B,8,8,N2,0", "21,B,8,8,N1,0", CORNER),
            (English, "21,W,8,8,N1,0", "21,B,8,8,N1,0", CORNER),
            (English, "21,B,8,8,A0,0", "21,B,8,8,N1,0", CORNER),
            (English, "21,B,8,8,N1,1", "21,B,8,8,N1,0", PLAYING),
            (Russian, "25,W,8,8,A3,0", "25,W,8,8,A0,0", CORNER),
            (Russian, "25,W,8,8,S1", "25,W,8,8,A0,0", CORNER),
            (Russian, "25,W,8,8,N1,0", "25,W,8,8,A0,0", CORNER),
            (Spanish, "24,W,8,8,N2,1", "24,W,8,8,N1,1", CORNER),
            (Spanish, "24,W,8,8,N1,0", "24,W,8,8,N1,1", PLAYING),
            (Italian, "22,W,8,8,N2,0", "22,W,8,8,N2,1", PLAYING),
            (Turkish, "30,W,8,8,A0,1", "30,W,8,8,A0,0", PLAYING),
            (Thai, "31,B,8,8,N1,0", "31,B,8,8,N2,0", CORNER),
            // They have no number, but boards and names.
            (Killer, "99,W,8,8,N2,0", "any number,W,10,10,N2,0", BOARD),
            (Killer, "99,W,10,10,N1,0", "any number,W,10,10,N2,0", CORNER),
            (Killer, "99,W,10,10,N2,1", "any number,W,10,10,N2,0", PLAYING),
            (RussianGiveaway, "99,W,10,10", "any number,W,8,8,A0,0", BOARD),
            (RussianGiveaway, "99,W,8,8,N3,0", "any number,W,8,8,A0,0", CORNER),
        ] {
            let error = typed(variant, game_type).unwrap_err();
            assert!(matches!(error, PdnError::OtherGame { .. }), "{game_type}: {error}");
            let expected = format!("is not that of {variant} ({known}): {differs}");
            assert!(error.to_string().ends_with(&expected), "{game_type}: {error}");
            assert!(only(&format!("[GameType \"{game_type}\"]")).outcome(variant).is_err());
        }
        for (variant, game_type) in [
            (English, "21,B,8,8,A3,0"),
            (English, "21,W,8,8,n2"),
            (Russian, "25,W,8,8,S0,0"),
            (Russian, "25,B,8,8,N1,0"),
            (Spanish, "24,W,8,8,A0,1"),
            (Killer, "20"),
            (Killer, "99,B,10,10,N1,0"),
            (RussianGiveaway, "25,W,8,8,A0,0"),
        ] {
            assert!(typed(variant, game_type).is_ok(), "{variant} {game_type}");
        }
        for &variant in Variant::ALL {
            let own = GameType::of(variant.rules()).to_string();
            assert!(variant.rules().pdn_game_type.is_none_or(|known| known == own), "{own}");
            assert!(typed(variant, &own.replace("any number", "1")).is_ok(), "{variant} {own}");
        }
    }

    #[test]
    fn game_types_without_sense_are_refused() {
        let form = "not a number, or number,W or B,width,height,notation,flag";
        let notation = "not one whose notation is A, N or S and a digit from 0 to 3";
        for (game_type, expected) in [
            ("x", form),
            ("-1", form),
            ("21,x", form),
            ("21,B,8", form),
            ("21,B,x,8", form),
            ("21,B,8,8,", notation),
            ("21,B,8,8,X1,0", notation),
            ("21,B,8,8,1,0", notation),
            ("21,B,8,8,N4,0", notation),
            ("21,B,8,8,N12,0", notation),
            ("21,B,8,8,\u{e9}1,0", notation),
            ("21,B,8,8,N1,2", "not one whose flag is 0 or 1"),
            ("21,B,8,8,N1,", "not one whose flag is 0 or 1"),
            ("21,B,8,8,N1,0,0", "not one of at most six fields"),
        ] {
            let error = typed(Variant::English, game_type).unwrap_err();
            assert!(matches!(error, PdnError::TagValue { .. }), "{game_type}: {error:?}");
            assert!(error.to_string().ends_with(expected), "{game_type}: {error}");
        }
    }

    #[test]
    fn the_tag_and_the_end_agree_on_the_result() {
        let outcome = |text: &str| only(text).outcome(Variant::Russian);
        let white = Ok(Some(Outcome::Won(Colour::White)));
        assert_eq!(outcome("[Result \"1-0\"] a3-b4 *"), white);
        assert_eq!(outcome("[Result \"*\"] a3-b4 1-0"), white);
        assert_eq!(outcome("[Result \"2-0\"] a3-b4 1-0"), white);
        assert_eq!(outcome("[Result \"1-0\"] a3-b4"), white);
        assert_eq!(outcome("a3-b4"), Ok(None));
        assert!(matches!(outcome("[Result \"1-0\"] 0-1"), Err(PdnError::TwoResults { .. })));
        assert!(matches!(outcome("[Result \"won\"] 0-1"), Err(PdnError::TagValue { .. })));
    }

    /// Bug case OB25, and texts that would take a quadratic time if anything were read again and again.
    #[test]
    fn long_texts_take_a_proportional_time() {
        const LENGTH: usize = 1 << 20;
        let game = only(&format!("[FEN \"W:WK1:BK9\"] {{{}}} 1-6 *", "x".repeat(LENGTH)));
        assert_eq!((game.moves(), game.has_fen()), (&["1-6".to_owned()][..], true));
        for part in
            ["{", "}", "(", ")", "[", "]", "[a \"", "\" ", "[a \"\"]", "$", ";", "%\n", "\\", "1."]
        {
            let text = part.repeat(LENGTH / part.len());
            parse_pdn(&text).for_each(drop);
            parse_pdn(&format!("[a \"{text}\"]")).for_each(drop);
        }
        let tags: String = (0..LENGTH / 16).map(|n| format!("[t{n} \"\"]")).collect();
        assert_eq!(only(&tags).tags.len(), LENGTH / 16);
    }
}
