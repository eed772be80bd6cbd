//! Positions as one letter a square: the Hub protocol and DamExchange.
//!
//! The side to move comes first, then the squares in the order of the variant's numbers: men are
//! small letters, kings capitals, `e` is an empty square. DamExchange writes Black as `z`.

use super::fen::{FenError, Placing};
use super::squares::{numbered_square, square_number};
use crate::position::Position;
use crate::rules::{Colour, SquareNames, Variant};

/// Writes a position as the Hub protocol does: `W` or `B`, then `w b W B e` for each square.
pub fn write_hub(position: &Position) -> String {
    let rules = position.variant().rules();
    let mut letters = vec!['e'; usize::from(rules.shape.squares())];
    for colour in [Colour::White, Colour::Black] {
        let king = colour.letter();
        let sets =
            [(position.men(colour), king.to_ascii_lowercase()), (position.kings(colour), king)];
        for (set, letter) in sets {
            for square in set {
                letters[usize::from(square_number(rules, square)) - 1] = letter;
            }
        }
    }
    std::iter::once(position.stm().letter()).chain(letters).collect()
}

/// Reads a text without colons. It holds ASCII characters only.
pub(super) fn parse_hub(variant: Variant, text: &str) -> Result<Position, FenError> {
    let rules = variant.rules();
    let expected = usize::from(rules.shape.squares()) + 1;
    if text.len() != expected {
        return Err(FenError::Unrecognised { text: text.to_owned(), letters: expected });
    }
    let (first, squares) = text.split_at(1);
    let stm = match first {
        "W" => Colour::White,
        "B" | "Z" => Colour::Black,
        _ => return Err(FenError::UnknownStm { token: first.to_owned() }),
    };
    let mut placing = Placing::new(variant);
    for (number, letter) in (1..).zip(squares.chars()) {
        let colour = match letter.to_ascii_lowercase() {
            'w' => Colour::White,
            'b' | 'z' => Colour::Black,
            _ if letter == 'e' => continue,
            _ => return Err(FenError::UnknownLetter { letter, place: number }),
        };
        let square = numbered_square(rules, number).expect("as many letters as squares");
        let token = letter.encode_utf8(&mut [0; 4]).to_owned();
        placing.put(colour, letter.is_ascii_uppercase(), square, &token, SquareNames::Numeric)?;
    }
    Ok(placing.finish(stm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{parse_fen, write_fen};

    /// Letters of an 8x8 position, with pieces on the squares of these numbers.
    fn letters(stm: char, pieces: &[(usize, char)]) -> String {
        let mut text = vec!['e'; 33];
        text[0] = stm;
        pieces.iter().for_each(|&(number, letter)| text[number] = letter);
        text.into_iter().collect()
    }

    fn parse(text: &str) -> Result<Position, FenError> {
        parse_fen(Variant::Russian, text)
    }

    #[test]
    fn hub_is_read_and_written() {
        let text = letters('B', &[(1, 'W'), (29, 'w'), (32, 'B'), (13, 'b')]);
        let position = parse(&text).unwrap();
        assert_eq!(write_fen(&position), "B:Wa1,Kb8:BKg1,a5");
        assert_eq!(write_hub(&position), text);
        assert_eq!(parse(&format!(" \"{text}\" ")), Ok(position));
    }

    #[test]
    fn dxp_is_read() {
        let position = parse(&letters('Z', &[(1, 'W'), (29, 'w'), (32, 'Z'), (13, 'z')])).unwrap();
        assert_eq!(write_fen(&position), "B:Wa1,Kb8:BKg1,a5");
        assert_eq!(parse(&letters('W', &[])).unwrap().stm(), Colour::White);
    }

    #[test]
    fn bad_letters_are_named() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert!(message(&letters('W', &[(7, 'x')])).contains("'x' at square 7"));
        assert!(message(&letters('W', &[(7, 'E')])).contains("'E' at square 7"));
        assert!(message(&letters('e', &[])).contains("\"e\""));
        let message_of_man = message(&letters('W', &[(3, 'w')]));
        assert!(message_of_man.contains("\"w\"") && message_of_man.contains("square 3"));
        for text in [&letters('W', &[])[1..], "Wwe", "hello", "W", "B"] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error, FenError::Unrecognised { letters: 33, .. }));
            assert!(error.to_string().contains(text) && error.to_string().contains("33"));
        }
    }
}
