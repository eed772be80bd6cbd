//! Names of squares.

use crate::board::{Direction, Shape, Square};
use crate::rules::{Numbering, Rules, SquareNames, Variant};

/// Why a text does not name a square. The token is the text as it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SquareError {
    /// Neither a number nor a letter with a number.
    #[error("{token:?} is not the name of a square")]
    Malformed {
        /// The text.
        token: String,
    },
    /// No such square.
    #[error("{token:?} is off the board ({first} to {last})")]
    OffBoard {
        /// The text.
        token: String,
        /// Lowest name of the same kind.
        first: String,
        /// Highest name of the same kind.
        last: String,
    },
    /// A square of the board on which no piece can stand.
    #[error("{token:?} is not a playing square")]
    NotPlaying {
        /// The text.
        token: String,
    },
}

/// Name of a square: `a1` at White's bottom left, or its number as the variant counts (b8 is 1 in Russian draughts, h1 in
/// Spanish).
///
/// # Panics
/// If `square` is off the board.
pub fn square_name(variant: Variant, names: SquareNames, square: Square) -> String {
    name_of_square(variant.rules(), names, square)
}

/// [`square_name`] by rules.
pub(super) fn name_of_square(rules: &Rules, names: SquareNames, square: Square) -> String {
    match names {
        SquareNames::Algebraic => {
            let (column, row) = rules.shape.column_row(square.0);
            cell_name(column, row)
        }
        SquareNames::Numeric => square_number(rules, square).to_string(),
    }
}

/// How a variant calls squares, in words: `numbers, 1 at White's top left; captures 1x10`.
pub fn names_in_words(variant: Variant) -> String {
    let rules = variant.rules();
    let numbers = match rules.numbering {
        Numbering::TopLeft => "1 at White's top left",
        Numbering::BottomRight => "1 at White's bottom right",
    };
    let (names, first) = match rules.squares {
        SquareNames::Numeric => (format!("numbers, {numbers}"), numbered_square(rules, 1)),
        SquareNames::Algebraic => {
            let names = format!("a1 at White's bottom left; numbers are read too, {numbers}");
            (names, rules.shape.square_at(0, 0).map(Square))
        }
    };
    let first = first.expect("every board has a first square");
    // A jump from there into the board.
    let (column, row) = rules.shape.column_row(first.0);
    let inward = |place: u8, length: u8| if place < length / 2 { place + 2 } else { place - 2 };
    let diagonal = rules.man_captures.iter().any(|way| Direction::DIAGONAL.contains(way));
    let column = if diagonal { inward(column, rules.shape.width) } else { column };
    let row = inward(row, rules.shape.height);
    let to = rules.shape.square_at(column as i8, row as i8).map(Square);
    let [from, to] = [first, to.expect("two squares on in a line")]
        .map(|square| name_of_square(rules, rules.squares, square));
    format!("{names}; captures {from}{}{to}", rules.capture_sign)
}

/// The square of a name of either kind; its first character tells which.
///
/// # Errors
/// If the text is no name, or that of a square where no piece can stand.
pub fn parse_square(variant: Variant, text: &str) -> Result<Square, SquareError> {
    square_of_name(variant.rules(), text)
}

/// [`parse_square`] by rules.
pub(super) fn square_of_name(rules: &Rules, text: &str) -> Result<Square, SquareError> {
    let malformed = || SquareError::Malformed { token: text.to_owned() };
    match text.bytes().next() {
        Some(b'0'..=b'9') => parse_numeric(rules, text).ok_or_else(malformed)?,
        Some(b'a'..=b'z') => parse_algebraic(rules, text).ok_or_else(malformed)?,
        _ => Err(malformed()),
    }
}

/// Number of a square, from 1.
pub(super) fn square_number(rules: &Rules, square: Square) -> u8 {
    match rules.numbering {
        Numbering::BottomRight => numbered_from_bottom_right(rules, square.0) + 1,
        // The same the other way round.
        Numbering::TopLeft => rules.shape.squares() - numbered_from_bottom_right(rules, square.0),
    }
}

/// The square with a number, if there is one.
pub(super) fn numbered_square(rules: &Rules, number: u32) -> Option<Square> {
    let squares = rules.shape.squares();
    let number = u8::try_from(number).ok().filter(|number| (1..=squares).contains(number))?;
    let from_bottom_right = match rules.numbering {
        Numbering::BottomRight => number - 1,
        Numbering::TopLeft => squares - number,
    };
    Some(Square(numbered_from_bottom_right(rules, from_bottom_right)))
}

/// Place of a square when rows are counted from right to left, from 0 at White's bottom right; and the square at
/// a place, for doing it twice undoes it.
fn numbered_from_bottom_right(rules: &Rules, square: u8) -> u8 {
    let (_, row) = rules.shape.column_row(square);
    let in_row = |square: u8| rules.shape.column_row(square).1 == row;
    let first = (0..=square).rev().take_while(|&square| in_row(square)).last().unwrap_or(square);
    let last = (square..rules.shape.squares()).take_while(|&square| in_row(square)).last();
    first + last.unwrap_or(square) - square
}

/// Kind of the name that a text begins.
pub(super) fn kind_of(text: &str) -> SquareNames {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        SquareNames::Numeric
    } else {
        SquareNames::Algebraic
    }
}

/// Letter of a column, from 0.
pub(super) const fn file_letter(column: u8) -> char {
    (b'a' + column) as char
}

fn cell_name(column: u8, row: u8) -> String {
    format!("{}{}", file_letter(column), row + 1)
}

/// `None` if the text is not a number.
fn parse_numeric(rules: &Rules, text: &str) -> Option<Result<Square, SquareError>> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Only digits are left, so what does not parse is too large.
    let number = text.parse().unwrap_or(u32::MAX);
    Some(numbered_square(rules, number).ok_or_else(|| SquareError::OffBoard {
        token: text.to_owned(),
        first: "1".to_owned(),
        last: rules.shape.squares().to_string(),
    }))
}

/// `None` if the text is not a letter with a number.
fn parse_algebraic(rules: &Rules, text: &str) -> Option<Result<Square, SquareError>> {
    let (&letter, digits) = text.as_bytes().split_first()?;
    if digits.is_empty() || digits[0] == b'0' || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let Shape { width, height, .. } = rules.shape;
    let column = letter - b'a';
    let row = text[1..].parse::<u32>().unwrap_or(u32::MAX) - 1;
    if column >= width || row >= u32::from(height) {
        return Some(Err(SquareError::OffBoard {
            token: text.to_owned(),
            first: cell_name(0, 0),
            last: cell_name(width - 1, height - 1),
        }));
    }
    let square = rules.shape.square_at(column as i8, row as i8).map(Square);
    Some(square.ok_or_else(|| SquareError::NotPlaying { token: text.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules of Russian draughts on another board.
    fn on_board(width: u8, height: u8) -> Rules {
        Rules { shape: Shape::dark(width, height), ..*Variant::Russian.rules() }
    }

    #[test]
    fn names_lead_back_to_their_square_on_every_board() {
        for (width, height) in [(8, 8), (10, 10), (12, 12), (10, 8), (6, 6), (5, 5)] {
            let rules = on_board(width, height);
            for square in (0..rules.shape.squares()).map(Square) {
                for names in [SquareNames::Algebraic, SquareNames::Numeric] {
                    let name = name_of_square(&rules, names, square);
                    assert_eq!(
                        square_of_name(&rules, &name),
                        Ok(square),
                        "{width}x{height} {name}"
                    );
                }
            }
        }
    }

    #[test]
    fn numbers_count_from_the_top_left() {
        let cases = [
            ((8, 8), vec![("b8", 1), ("h8", 4), ("a7", 5), ("a5", 13), ("a1", 29), ("g1", 32)]),
            ((10, 10), vec![("b10", 1), ("a9", 6), ("a1", 46), ("i1", 50)]),
            ((12, 12), vec![("b12", 1), ("k1", 72), ("l12", 6)]),
        ];
        for ((width, height), names) in cases {
            let rules = on_board(width, height);
            for (name, number) in names {
                let square = square_of_name(&rules, name).unwrap();
                assert_eq!(square_number(&rules, square), number, "{name}");
                assert_eq!(numbered_square(&rules, number.into()), Some(square));
            }
        }
    }

    #[test]
    fn names_are_described() {
        let numbers = |corner| format!("numbers, 1 at White's {corner}; captures ");
        let names =
            "a1 at White's bottom left; numbers are read too, 1 at White's top left; captures ";
        for (variant, expected) in [
            (Variant::Russian, format!("{names}a1:c3")),
            (Variant::Brazilian, format!("{names}a1xc3")),
            (Variant::Turkish, format!("{names}a1xa3")),
            (Variant::Alquerque, format!("{names}a1xc3")),
            (Variant::English, numbers("top left") + "1x10"),
            (Variant::Thai, numbers("top left") + "1-10"),
            (Variant::Italian, numbers("top left") + "1x10"),
            (Variant::Spanish, numbers("bottom right") + "1x10"),
            (Variant::Frisian, numbers("top left") + "1x12"),
            (Variant::Canadian, numbers("top left") + "1x14"),
        ] {
            assert_eq!(names_in_words(variant), expected, "{variant}");
        }
    }

    #[test]
    fn bad_names_are_named() {
        let rules = Variant::Russian.rules();
        for token in ["0", "33", "99999999999999999999", "i1", "a9", "h4294967296"] {
            let error = square_of_name(rules, token).unwrap_err();
            assert!(matches!(error, SquareError::OffBoard { .. }), "{token}");
            assert!(error.to_string().contains(token));
        }
        for token in ["a2", "b1", "h7"] {
            let error = square_of_name(rules, token).unwrap_err();
            assert_eq!(error, SquareError::NotPlaying { token: token.to_owned() });
            assert!(error.to_string().contains(token));
        }
        for token in ["", "a", "a01", "a1b", "1a", "A1", "-1", "+1", "1 2", "é1", "aé"] {
            let error = square_of_name(rules, token).unwrap_err();
            assert_eq!(error, SquareError::Malformed { token: token.to_owned() });
            assert!(error.to_string().contains(token));
        }
    }
}
