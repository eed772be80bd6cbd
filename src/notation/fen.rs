//! Positions as FEN of the PDN standard, with the dialects that are met in files.

use super::hub::parse_hub;
use super::squares::{
    SquareError, kind_of, name_of_square, numbered_square, square_number, square_of_name,
};
use crate::board::{Bitboard, Square};
use crate::position::{Position, is_crowning_square};
use crate::rules::{Colour, Rules, SquareNames, Variant};

/// Longest text that is read as a position. A full board of 72 squares needs about 300.
pub const MAX_FEN_LEN: usize = 1000;

/// Why a text is not a position. Tokens are quoted as they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// Nothing but spaces and quotes.
    #[error("empty position")]
    Empty,
    /// Longer than any position.
    #[error("a position of {length} characters (at most {limit} are read)")]
    TooLong {
        /// Length in bytes.
        length: usize,
        /// Longest text that is read.
        limit: usize,
    },
    /// A character that no dialect has.
    #[error("unexpected character {token:?}")]
    NonAscii {
        /// The first such character.
        token: char,
    },
    /// Neither FEN nor one letter a square.
    #[error("{text:?} is neither a FEN (it has no ':') nor {letters} letters")]
    Unrecognised {
        /// The text without wrapper.
        text: String,
        /// Side to move and squares, for the notation of one letter a square.
        letters: usize,
    },
    /// A letter that means nothing, in the notation of one letter a square.
    #[error("unknown letter {letter:?} at square {place}")]
    UnknownLetter {
        /// The letter.
        letter: char,
        /// Number of its square.
        place: u32,
    },
    /// The side to move is not `W` or `B`.
    #[error("unknown side to move {token:?} (W or B)")]
    UnknownStm {
        /// What stands for the side to move.
        token: String,
    },
    /// `B::`, which PDN proposes for a move left out.
    #[error("{token:?} is a null move, not a position")]
    NullMove {
        /// The text.
        token: String,
    },
    /// Nothing between two colons, or after the last.
    #[error("nothing follows {after:?}")]
    EmptySection {
        /// What stands before.
        after: String,
    },
    /// A part that is neither pieces of a colour nor a counter.
    #[error("unknown part {token:?} (W or B with squares)")]
    UnknownSection {
        /// The part.
        token: String,
    },
    /// Two sides to move.
    #[error("side to move given twice: {token:?}")]
    DoubledStm {
        /// Both of them.
        token: String,
    },
    /// Two lists of pieces for one colour.
    #[error("pieces of {colour} given twice, again in {token:?}")]
    SectionTwice {
        /// The colour.
        colour: Colour,
        /// The second list.
        token: String,
    },
    /// No list of pieces for a colour.
    #[error("no pieces of {colour} given (a side without pieces is ':{}')", colour.letter())]
    MissingSection {
        /// The colour.
        colour: Colour,
    },
    /// A comma without a square before or after it.
    #[error("empty entry in {section:?}")]
    EmptyEntry {
        /// The list.
        section: String,
    },
    /// A colour letter inside a list of squares.
    #[error("stray colour letter in {token:?}")]
    StrayColour {
        /// The entry.
        token: String,
    },
    /// A piece half-way through a capture, as lidraughts writes it.
    #[error("{token:?} is a captured piece not yet taken off; give a position between moves")]
    Ghost {
        /// The entry.
        token: String,
    },
    /// A range of squares that are not numbers.
    #[error("range {token:?} (only numbers make ranges)")]
    AlgebraicRange {
        /// The entry.
        token: String,
    },
    /// A range whose end comes before its start.
    #[error("range {token:?} runs backwards")]
    BackwardRange {
        /// The entry.
        token: String,
    },
    /// Not a square of the board.
    #[error(transparent)]
    Square(#[from] SquareError),
    /// Two pieces on one square.
    #[error("{token:?} puts a second piece on square {square}")]
    SquareTwice {
        /// The entry of the second piece.
        token: String,
        /// Name of the square, of the kind that the entry uses.
        square: String,
    },
    /// A king in a variant without kings.
    #[error("{token:?} puts a king on square {square}, and there are no kings in this variant")]
    NoKings {
        /// The entry.
        token: String,
        /// Name of the square, of the kind that the entry uses.
        square: String,
    },
    /// A man where it would have become a king.
    #[error("{token:?} puts a man of {colour} on its own crowning row, square {square}")]
    UncrownedMan {
        /// The entry.
        token: String,
        /// Whose man.
        colour: Colour,
        /// Name of the square, of the kind that the entry uses.
        square: String,
    },
}

/// Reads a position in any of these dialects:
///
/// - FEN of PDN 3.0 and 2.0: `W:W31-50:BK1,20.`, squares as the numbers of the variant or as
///   `a1`, whatever the variant itself writes; kings `K`, ranges of numbers (`K31-33`), a closing
///   dot, sides in any order and without pieces (`W:W:BK1`);
/// - small letters for colours and kings, spaces around every part, quotes and `[FEN "..."]`
///   around the whole;
/// - counters of lidraughts (`:H0:F1`, `:+0+0`), which are checked for form and left out;
/// - one letter a square as in the Hub and DamExchange protocols.
///
/// A side to move given twice (`W:B:WK2:B9`) is refused rather than guessed.
///
/// # Errors
/// If the text is not a legal position of the variant; the error names the offending part.
pub fn parse_fen(variant: Variant, text: &str) -> Result<Position, FenError> {
    if text.len() > MAX_FEN_LEN {
        return Err(FenError::TooLong { length: text.len(), limit: MAX_FEN_LEN });
    }
    if let Some(token) = text.chars().find(|c| !c.is_ascii()) {
        return Err(FenError::NonAscii { token });
    }
    let text = unwrapped(text);
    if text.is_empty() {
        Err(FenError::Empty)
    } else if text.contains(':') {
        parse_pdn(variant, text.strip_suffix('.').unwrap_or(text))
    } else {
        parse_hub(variant, text)
    }
}

/// The position from which games of the variant begin.
///
/// # Panics
/// Never: a test reads those of all variants.
pub fn start_position(variant: Variant) -> Position {
    let rules = variant.rules();
    let fen = format!("{}:{}", rules.first_mover.letter(), rules.start);
    parse_fen(variant, &fen).expect("a position for every variant")
}

/// Writes a position in the one form that damka prints, with squares as the variant writes them.
///
/// Side to move, White's pieces, Black's pieces, without spaces or closing dot: `W:WKa1,c3:Bb8`.
/// Kings and men of a side stand in one list: algebraic names from a1 left to right, then up (the
/// order of [`Square`]), numbers ascending. A side without pieces is its letter alone.
pub fn write_fen(position: &Position) -> String {
    write_fen_with(position, position.variant().rules().squares)
}

/// [`write_fen`] with squares named as the caller wishes.
pub fn write_fen_with(position: &Position, names: SquareNames) -> String {
    let rules = position.variant().rules();
    let mut text = String::from(position.stm().letter());
    for colour in [Colour::White, Colour::Black] {
        let mut squares: Vec<Square> = position.pieces(colour).into_iter().collect();
        if names == SquareNames::Numeric {
            squares.sort_by_key(|&square| square_number(rules, square));
        }
        let entries: Vec<String> = squares
            .into_iter()
            .map(|square| {
                let mark = if position.kings(colour).contains(square) { "K" } else { "" };
                format!("{mark}{}", name_of_square(rules, names, square))
            })
            .collect();
        text.push(':');
        text.push(colour.letter());
        text.push_str(&entries.join(","));
    }
    text
}

/// Pieces put on the board one by one, each checked against those before.
pub(super) struct Placing {
    variant: Variant,
    rules: &'static Rules,
    men: [Bitboard; 2],
    kings: [Bitboard; 2],
    occupied: Bitboard,
}

impl Placing {
    pub(super) fn new(variant: Variant) -> Self {
        let (rules, none) = (variant.rules(), [Bitboard::EMPTY; 2]);
        Placing { variant, rules, men: none, kings: none, occupied: Bitboard::EMPTY }
    }

    /// Puts a piece on a square of the board. Errors quote `token` and call the square by `names`.
    pub(super) fn put(
        &mut self,
        colour: Colour,
        king: bool,
        square: Square,
        token: &str,
        names: SquareNames,
    ) -> Result<(), FenError> {
        let name = || name_of_square(self.rules, names, square);
        if self.occupied.contains(square) {
            return Err(FenError::SquareTwice { token: token.to_owned(), square: name() });
        }
        if king && !self.rules.has_kings() {
            return Err(FenError::NoKings { token: token.to_owned(), square: name() });
        }
        if !king && is_crowning_square(self.rules, colour, square) {
            return Err(FenError::UncrownedMan { token: token.to_owned(), colour, square: name() });
        }
        self.occupied.insert(square);
        let sets = if king { &mut self.kings } else { &mut self.men };
        sets[colour as usize].insert(square);
        Ok(())
    }

    pub(super) fn finish(self, stm: Colour) -> Position {
        Position::new(self.variant, stm, self.men, self.kings).expect("every piece was checked")
    }
}

/// The text without spaces, quotes and `[FEN ...]` around it.
fn unwrapped(text: &str) -> &str {
    let text = unquoted(text);
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::trim);
    match inner {
        Some(tag) if tag.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("FEN")) => {
            unquoted(&tag[3..])
        }
        _ => text,
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    ['"', '\'']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .map_or(text, str::trim)
}

fn colour_of(letter: char) -> Option<Colour> {
    match letter {
        'W' | 'w' => Some(Colour::White),
        'B' | 'b' => Some(Colour::Black),
        _ => None,
    }
}

/// The first character and the rest without spaces before it.
fn split_letter(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|letter| (letter, chars.as_str().trim_start()))
}

/// Reads a text that has a colon and no wrapper.
fn parse_pdn(variant: Variant, text: &str) -> Result<Position, FenError> {
    let mut parts = text.split(':').map(str::trim);
    let first = parts.next().unwrap_or_default();
    let stm = match split_letter(first) {
        Some((letter, "")) => colour_of(letter),
        _ => None,
    }
    .ok_or_else(|| FenError::UnknownStm { token: first.to_owned() })?;
    let parts: Vec<&str> = parts.collect();
    if parts.len() > 1 && parts.iter().all(|part| part.is_empty()) {
        return Err(FenError::NullMove { token: text.to_owned() });
    }

    let mut placing = Placing::new(variant);
    let mut given = [None; 2];
    let mut before = first;
    for &part in &parts {
        let Some((letter, list)) = split_letter(part) else {
            return Err(FenError::EmptySection { after: format!("{before}:") });
        };
        before = part;
        let Some(colour) = colour_of(letter) else {
            if is_counter(part) {
                continue;
            }
            return Err(FenError::UnknownSection { token: part.to_owned() });
        };
        match given[colour as usize] {
            // A bare letter right after the side to move looks like a second one.
            Some("")
                if split_letter(parts[0]).is_some_and(|(c, _)| colour_of(c) == Some(colour)) =>
            {
                return Err(FenError::DoubledStm { token: format!("{first}:{}", parts[0]) });
            }
            Some(_) => return Err(FenError::SectionTwice { colour, token: part.to_owned() }),
            None => given[colour as usize] = Some(list),
        }
        if !list.is_empty() {
            parse_list(&mut placing, colour, part, list)?;
        }
    }
    for colour in [Colour::White, Colour::Black] {
        if given[colour as usize].is_none() {
            return Err(FenError::MissingSection { colour });
        }
    }
    Ok(placing.finish(stm))
}

/// Whether a part is a counter of lidraughts: `H0` (half-moves), `F1` (move number) or `+0+0`
/// (king moves in a row). They belong to the game, not to the position.
fn is_counter(part: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match part.as_bytes().first() {
        Some(b'H' | b'F') => number(&part[1..]),
        Some(b'+') => part[1..].split_once('+').is_some_and(|(w, b)| number(w) && number(b)),
        _ => false,
    }
}

fn parse_list(
    placing: &mut Placing,
    colour: Colour,
    section: &str,
    list: &str,
) -> Result<(), FenError> {
    for entry in list.split(',').map(str::trim) {
        let Some(letter) = entry.chars().next() else {
            return Err(FenError::EmptyEntry { section: section.to_owned() });
        };
        match letter {
            'W' | 'w' | 'B' => return Err(FenError::StrayColour { token: entry.to_owned() }),
            'G' | 'P' => return Err(FenError::Ghost { token: entry.to_owned() }),
            _ => parse_entry(placing, colour, entry)?,
        }
    }
    Ok(())
}

/// Reads `12`, `c3`, `K12`, `31-33` or `K31-33`.
fn parse_entry(placing: &mut Placing, colour: Colour, entry: &str) -> Result<(), FenError> {
    let rules = placing.rules;
    // A small k is a file where the board has eleven of them.
    let small_k = if rules.shape.width <= 10 { entry.strip_prefix('k') } else { None };
    let after_mark = entry.strip_prefix('K').or(small_k);
    let (king, place) = (after_mark.is_some(), after_mark.unwrap_or(entry).trim_start());
    let square = |text: &str| match text {
        "" => Err(SquareError::Malformed { token: entry.to_owned() }),
        _ => square_of_name(rules, text),
    };
    let Some((low, high)) = place.split_once('-') else {
        return placing.put(colour, king, square(place)?, entry, kind_of(place));
    };
    let (low, high) = (low.trim_end(), high.trim_start());
    let (first, last) = (square(low)?, square(high)?);
    if [low, high].map(kind_of) != [SquareNames::Numeric; 2] {
        return Err(FenError::AlgebraicRange { token: entry.to_owned() });
    }
    let (first, last) = (square_number(rules, first), square_number(rules, last));
    if last < first {
        return Err(FenError::BackwardRange { token: entry.to_owned() });
    }
    for square in (first..=last).filter_map(|number| numbered_square(rules, number.into())) {
        placing.put(colour, king, square, entry, SquareNames::Numeric)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Position, FenError> {
        parse_fen(Variant::Russian, text)
    }

    /// Reads and writes.
    fn canonical(text: &str) -> String {
        match parse(text) {
            Ok(position) => write_fen(&position),
            Err(error) => panic!("{text}: {error}"),
        }
    }

    fn assert_refused(text: &str, token: &str, expected: impl Fn(&FenError) -> bool) {
        let error = parse(text).expect_err(text);
        assert!(expected(&error), "{text}: {error:?}");
        assert!(error.to_string().contains(token), "{text}: {error}");
    }

    #[test]
    fn pdn_is_read_with_both_kinds_of_names() {
        assert_eq!(canonical("W:WKa1,c3:Bb8"), "W:WKa1,c3:Bb8");
        assert_eq!(canonical("W:WK29,22:B1"), "W:WKa1,c3:Bb8");
        assert_eq!(canonical("W:W22,Ka1:B1"), "W:WKa1,c3:Bb8");
        assert_eq!(canonical("B:BK32:W05,a1"), "B:Wa1,a7:BKg1");
        // Bug case OB23: K belongs to the next square only.
        assert_eq!(
            canonical("W:WK8,10,21,22,32:B2,13,14,28,K31"),
            "W:Wg1,a3,c3,d6,Kg7:BKe1,h2,a5,c5,d8"
        );
    }

    #[test]
    fn ranges_are_read() {
        // Bug case OB21.
        let start = parse("W:W21-32:B1-12").unwrap();
        assert_eq!((start.men(Colour::White).0, start.men(Colour::Black).0), (0xfff, 0xfff00000));
        assert_eq!(canonical("W:W:BK31-32,K1-1,2"), "W:W:BKe1,Kg1,Kb8,d8");
        assert_eq!(canonical("W:W:BK 31 - 32"), "W:W:BKe1,Kg1");
    }

    #[test]
    fn a_closing_dot_changes_nothing() {
        // Bug case OB17.
        assert_eq!(parse("W:W27:B6").unwrap(), parse("W:W27:B6.").unwrap());
        assert_eq!(canonical("W:W27:B."), "W:Wf2:B");
        assert_eq!(canonical(" W:W27:B6 . "), canonical("W:W27:B6"));
    }

    #[test]
    fn sides_may_be_empty_and_in_any_order() {
        // Bug cases OB18 and OB19.
        assert_eq!(canonical("W:W:BK1"), "W:W:BKb8");
        assert_eq!(canonical("B:W30:B"), "B:Wc1:B");
        assert_eq!(canonical("B:B:W30"), "B:Wc1:B");
        assert_eq!(canonical("W:W:B"), "W:W:B");
    }

    #[test]
    fn case_spaces_quotes_and_wrapper_are_tolerated() {
        for text in [
            "w:wka1,c3:bb8",
            "w:wk29,22:b1",
            " W : W Ka1 , c3 : B b8 ",
            "\tW:WK a1,c3:Bb8\r\n",
            "\"W:WKa1,c3:Bb8\"",
            "'W:WKa1,c3:Bb8'",
            "[FEN \"W:WKa1,c3:Bb8\"]",
            " [ fen \" W:WKa1,c3:Bb8. \" ] ",
            "'[FEN \"W:WKa1,c3:Bb8\"]'",
        ] {
            assert_eq!(canonical(text), "W:WKa1,c3:Bb8", "{text}");
        }
    }

    #[test]
    fn counters_of_lidraughts_are_left_out() {
        for tail in [":H0:F1", ":H12:F130", ":F1", ":H0:F1:+0+0", ":+2+1", ":H0:F1."] {
            assert_eq!(canonical(&format!("W:WK29,22:B1{tail}")), "W:WKa1,c3:Bb8");
        }
        for tail in ["H", "Hx", "F-1", "+0", "+0+", "++", "G1", "H 0 1"] {
            assert_refused(&format!("W:WK29:B1:{tail}"), tail, |error| {
                matches!(error, FenError::UnknownSection { .. })
            });
        }
    }

    #[test]
    fn squares_off_the_board_are_refused() {
        // Bug case OB20.
        for (entry, token) in [
            ("55", "55"),
            ("33", "33"),
            ("0", "\"0\""),
            ("a2", "a2"),
            ("i1", "i1"),
            ("a9", "a9"),
            ("Ka9", "a9"),
            ("4x", "4x"),
            ("1 2", "1 2"),
            ("A3", "A3"),
            ("K", "\"K\""),
            ("KK1", "K1"),
            ("31-", "31-"),
            ("-2", "-2"),
            ("31-55", "55"),
            ("30-31-32", "31-32"),
        ] {
            assert_refused(&format!("W:W21,{entry}:B4"), token, |error| {
                matches!(error, FenError::Square(_))
            });
        }
    }

    #[test]
    fn men_on_their_crowning_row_are_refused() {
        // Bug case OB22.
        let uncrowned = |error: &FenError| matches!(error, FenError::UncrownedMan { .. });
        assert_refused("W:W4:B20", "\"4\"", uncrowned);
        assert_refused(
            "W:Wh8:B20",
            "\"h8\" puts a man of White on its own crowning row, square h8",
            uncrowned,
        );
        assert_refused("W:W20:B30", "\"30\"", uncrowned);
        assert_refused("W:W20:Bc1", "\"c1\"", uncrowned);
        assert_refused(
            "W:W4-8:B20",
            "\"4-8\" puts a man of White on its own crowning row, square 4",
            uncrowned,
        );
        assert_eq!(canonical("W:WK4,29:BK30,1"), "W:Wa1,Kh8:BKc1,b8");
    }

    #[test]
    fn a_square_has_one_piece() {
        let twice = |error: &FenError| matches!(error, FenError::SquareTwice { .. });
        assert_refused("W:W21,21:B4", "\"21\" puts a second piece on square 21", twice);
        assert_refused("W:Wa3:B21", "\"21\"", twice);
        assert_refused("W:W21:BKa3", "\"Ka3\" puts a second piece on square a3", twice);
        assert_refused("W:W20,K18-22:B", "\"K18-22\" puts a second piece on square 20", twice);
    }

    #[test]
    fn the_side_to_move_must_be_known() {
        let unknown = |error: &FenError| matches!(error, FenError::UnknownStm { .. });
        assert_refused("?:W21:B4", "\"?\"", unknown);
        assert_refused(":W21:B4", "\"\"", unknown);
        assert_refused("white:W21:B4", "\"white\"", unknown);
        assert_refused("[FEN \"W:W21:B4\"", "[FEN", unknown);
        assert_refused("xW:W21:B4", "\"xW\"", unknown);
    }

    #[test]
    fn null_moves_and_empty_parts_are_refused() {
        assert_refused("B::", "B::", |error| matches!(error, FenError::NullMove { .. }));
        for (text, token) in [
            ("B:", "\"B:\""),
            ("W::W21:B4", "\"W:\""),
            ("W:W21:B4:", "\"B4:\""),
            ("W:W21::B4", "W21:"),
        ] {
            assert_refused(text, token, |error| matches!(error, FenError::EmptySection { .. }));
        }
        for (text, token) in [
            ("W:Wa1,,c3:B", "Wa1,,c3"),
            ("W:Wa1,:B", "Wa1,"),
            ("W:W,a1:B", "W,a1"),
            ("W:W:B,", "B,"),
        ] {
            assert_refused(text, token, |error| matches!(error, FenError::EmptyEntry { .. }));
        }
    }

    #[test]
    fn every_side_is_given_once() {
        // Bug case OB16.
        for (text, token) in [("W:B:WK2:B9,10", "\"W:B\""), ("W:W:WK2:B9,10", "\"W:W\"")] {
            assert_refused(text, token, |error| matches!(error, FenError::DoubledStm { .. }));
        }
        for (text, token) in [
            ("W:WK2:B9:W10", "\"W10\""),
            ("W:WK2:B9:B", "\"B\""),
            ("W:WK2:B:B9", "\"B9\""),
            ("W:WK2:W9", "\"W9\""),
        ] {
            assert_refused(text, token, |error| matches!(error, FenError::SectionTwice { .. }));
        }
        assert_refused("W:WK2", "Black", |error| matches!(error, FenError::MissingSection { .. }));
        assert_refused("W:B9", "White", |error| matches!(error, FenError::MissingSection { .. }));
    }

    #[test]
    fn unknown_parts_and_stray_letters_are_refused() {
        for part in ["?1", "x", "Z3", "21"] {
            assert_refused(&format!("W:W21:B4:{part}"), part, |error| {
                matches!(error, FenError::UnknownSection { .. })
            });
        }
        // Bug case OB20.
        for (text, token) in
            [("W:WK4,WK5,55:B4", "\"WK5\""), ("W:W21,B9:B4", "\"B9\""), ("w:w21,w22:b4", "\"w22\"")]
        {
            assert_refused(text, token, |error| matches!(error, FenError::StrayColour { .. }));
        }
        for token in ["G2", "P3", "Ga3"] {
            assert_refused(&format!("W:W31,K32:B1,{token}:H4:F17"), token, |error| {
                matches!(error, FenError::Ghost { .. })
            });
        }
    }

    #[test]
    fn ranges_are_numbers_that_ascend() {
        for token in ["a1-c3", "29-c3", "a3-22"] {
            assert_refused(&format!("W:W{token}:B1"), token, |error| {
                matches!(error, FenError::AlgebraicRange { .. })
            });
        }
        for token in ["22-21", "K32-5"] {
            assert_refused(&format!("W:W{token}:B1"), token, |error| {
                matches!(error, FenError::BackwardRange { .. })
            });
        }
    }

    #[test]
    fn foreign_characters_and_long_texts_are_refused() {
        for (text, token) in [("W:W21:В4", "В"), ("W:W21\u{a0}:B4", "\\u{a0}"), ("☗", "☗")] {
            assert_refused(text, token, |error| matches!(error, FenError::NonAscii { .. }));
        }
        let long = format!("W:W21:B{}4", " ".repeat(MAX_FEN_LEN));
        assert_refused(&long, "1008", |error| matches!(error, FenError::TooLong { .. }));
        for text in ["", "  ", "\"\"", "[FEN \"\"]"] {
            assert_refused(text, "empty", |error| *error == FenError::Empty);
        }
    }

    #[test]
    fn lists_are_written_in_the_order_of_the_names() {
        let position = parse("B:Wa1,Kh8,c3,Ka7:Bb8,h2,Kg1").unwrap();
        assert_eq!(write_fen(&position), "B:Wa1,c3,Ka7,Kh8:BKg1,h2,b8");
        assert_eq!(write_fen_with(&position, SquareNames::Numeric), "B:WK4,K5,22,29:B1,28,K32");
    }
}
