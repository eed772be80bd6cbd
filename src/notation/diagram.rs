//! Positions as a small board for a terminal.

use super::squares::file_letter;
use crate::board::Square;
use crate::position::Position;
use crate::rules::{Colour, Variant};

/// Draws the board as White sees it, with the side to move below.
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
/// assert_eq!(diagram(Variant::Russian, &position), board);
/// # Ok::<(), damka::notation::FenError>(())
/// ```
pub fn diagram(variant: Variant, position: &Position) -> String {
    let shape = variant.rules().shape;
    let margin = shape.height.to_string().len();
    let mut text = String::new();
    for row in (0..shape.height).rev() {
        let mut line = format!("{:>margin$}", row + 1);
        for column in 0..shape.width {
            let square = shape.square_at(column as i8, row as i8).map(Square);
            line.push(' ');
            line.push(square.map_or(' ', |square| letter_at(position, square)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str(&" ".repeat(margin));
    for column in 0..shape.width {
        text.push(' ');
        text.push(file_letter(column));
    }
    text.push_str(&format!("\n{} to move\n", position.stm()));
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

    #[test]
    fn every_piece_is_drawn() {
        let position = parse_fen(Variant::Russian, "B:W21-32:B1-12").unwrap();
        let board = diagram(Variant::Russian, &position);
        assert_eq!(board.lines().next(), Some("8   b   b   b   b"));
        assert_eq!(board.lines().nth(4), Some("4   .   .   .   ."));
        assert_eq!(board.lines().nth(7), Some("1 w   w   w   w"));
        assert!(board.ends_with("Black to move\n"));
        assert_eq!(board.matches('w').count(), 12);
    }
}
