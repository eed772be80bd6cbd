//! Positions as a small board for a terminal.

use super::squares::{file_letter, square_number};
use crate::board::Square;
use crate::position::Position;
use crate::rules::{Colour, SquareNames};

/// Draws the board as White sees it, with the side to move below, and squares called as the variant does.
///
/// Men are `w` and `b`, kings `W` and `B`, empty playing squares `.`; every line ends with a
/// line break.
///
/// ```
/// # use damka::{Variant, notation::{diagram, parse_fen}};
/// let position = parse_fen(Variant::Russian, "W:WKa1,c3:Bb8,d6")?;
/// let board = "\
/// 8   b   .   .   .
/// 7 .   .   .   .
/// 6   .   b   .   .
/// 5 .   .   .   .
/// 4   .   .   .   .
/// 3 .   w   .   .
/// 2   .   .   .   .
/// 1 W   .   .   .
///   a b c d e f g h
/// White to move
/// ";
/// assert_eq!(diagram(&position), board);
/// # Ok::<(), damka::notation::FenError>(())
/// ```
pub fn diagram(position: &Position) -> String {
    diagram_with(position, position.variant().rules().squares)
}

/// [`diagram`], with letters and rows for names of squares, or for numbers those of the first and last square of each row
/// at its ends.
///
/// ```
/// # use damka::{Variant, notation::{diagram, parse_fen}};
/// let position = parse_fen(Variant::English, "B:WK29,22:B1,10")?;
/// let board = concat!(
///     " 1   b   .   .   .  4\n",
///     " 5 .   .   .   .    8\n",
///     " 9   .   b   .   . 12\n",
///     "13 .   .   .   .   16\n",
///     "17   .   .   .   . 20\n",
///     "21 .   w   .   .   24\n",
///     "25   .   .   .   . 28\n",
///     "29 W   .   .   .   32\n",
///     "Black to move\n",
/// );
/// assert_eq!(diagram(&position), board);
/// # Ok::<(), damka::notation::FenError>(())
/// ```
pub fn diagram_with(position: &Position, names: SquareNames) -> String {
    let rules = position.variant().rules();
    let shape = rules.shape;
    let margin = match names {
        SquareNames::Algebraic => shape.height.to_string().len(),
        SquareNames::Numeric => shape.squares().to_string().len(),
    };
    let mut text = String::new();
    for row in (0..shape.height).rev() {
        let squares: Vec<Option<Square>> = (0..shape.width)
            .map(|column| shape.square_at(column as i8, row as i8).map(Square))
            .collect();
        let mut played = squares.iter().flatten();
        let number = |square: Option<&Square>| {
            square.map(|&square| square_number(rules, square).to_string()).unwrap_or_default()
        };
        let (start, end) = match names {
            SquareNames::Algebraic => ((row + 1).to_string(), String::new()),
            SquareNames::Numeric => (number(played.next()), number(played.next_back())),
        };
        let mut line = format!("{start:>margin$}");
        for square in squares {
            line.push(' ');
            line.push(square.map_or(' ', |square| letter_at(position, square)));
        }
        line.push_str(&format!(" {end:>margin$}"));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if names == SquareNames::Algebraic {
        text.push_str(&" ".repeat(margin));
        for column in 0..shape.width {
            text.push(' ');
            text.push(file_letter(column));
        }
        text.push('\n');
    }
    text.push_str(&format!("{} to move\n", position.stm()));
    text
}

fn letter_at(position: &Position, square: Square) -> char {
    for colour in [Colour::White, Colour::Black] {
        if position.kings(colour).contains(square) {
            return colour.letter();
        }
        if position.men(colour).contains(square) {
            return colour.letter().to_ascii_lowercase();
        }
    }
    '.'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_fen;
    use crate::rules::Variant;

    #[test]
    fn every_piece_is_drawn() {
        let position = parse_fen(Variant::Russian, "B:W21-32:B1-12").unwrap();
        let board = diagram(&position);
        assert_eq!(board.lines().next(), Some("8   b   b   b   b"));
        assert_eq!(board.lines().nth(4), Some("4   .   .   .   ."));
        assert_eq!(board.lines().nth(7), Some("1 w   w   w   w"));
        assert!(board.ends_with("Black to move\n"));
        assert_eq!(board.matches('w').count(), 12);
    }

    /// The numbers at the ends of the rows are those by which their squares are read.
    #[test]
    fn numbers_of_rows_are_those_of_their_squares() {
        for &variant in Variant::ALL {
            let (rules, mark) =
                (variant.rules(), if variant.rules().has_kings() { "K" } else { "" });
            let squares = rules.shape.squares();
            for number in 1..=squares {
                let other = if number == squares { 1 } else { squares };
                let fen = format!("W:W{mark}{number}:B{mark}{other}");
                let Ok(position) = parse_fen(variant, &fen) else { panic!("{variant} {fen}") };
                let board = diagram_with(&position, SquareNames::Numeric);
                let white = if rules.has_kings() { 'W' } else { 'w' };
                let line = board.lines().find(|line| line.contains(&format!(" {white}"))).unwrap();
                let words: Vec<&str> = line.split_whitespace().collect();
                let [first, last] =
                    [words[0], words[words.len() - 1]].map(|number| number.parse::<i32>().unwrap());
                let place =
                    words[1..].iter().position(|word| word.starts_with(white)).unwrap() as i32;
                let step = (last - first).signum();
                assert_eq!((last - first).abs() + 1, words.len() as i32 - 2, "{variant}: {board}");
                assert_eq!(first + step * place, number.into(), "{variant}: {board}");
            }
        }
        let position = parse_fen(Variant::Spanish, "W:WK1:BK32").unwrap();
        let board = diagram(&position);
        assert_eq!(board.lines().next(), Some("32 B   .   .   .   29"));
        assert_eq!(board.lines().nth(7), Some(" 4   .   .   .   W  1"));
    }
}
