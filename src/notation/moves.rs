//! Moves as PDN writes them.

use super::squares::{SquareError, kind_of, parse_square, square_name};
use crate::board::{Shape, Square};
use crate::play::{Move, Route, legal_moves, visit_routes};
use crate::position::Position;
use crate::rules::{SquareNames, Variant};

/// Why a text is not a move of the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// Not squares with signs between them.
    #[error("{text:?} is not a move (two squares or more, with '-', ':' or 'x' between)")]
    Malformed {
        /// The text.
        text: String,
    },
    /// A part is not a square of the board.
    #[error(transparent)]
    Square(#[from] SquareError),
    /// No legal move is written so.
    #[error("{text:?} is not a legal move ({})", listed(legal))]
    Illegal {
        /// The text.
        text: String,
        /// The legal moves; none if the game is over.
        legal: Vec<String>,
    },
    /// Several legal moves can be meant.
    #[error("{text:?} can mean {}", candidates.join(" or "))]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves that can be meant, each written out.
        candidates: Vec<String>,
    },
}

fn listed(legal: &[String]) -> String {
    match legal {
        [] => "the side to move has none".to_owned(),
        _ => format!("legal: {}", legal.join(", ")),
    }
}

/// Writes a move with the names of squares and the capture sign of its variant: `c3-d4`, `c3:e5`.
///
/// `all` are the legal moves of the position. If another of them has the same first and last
/// square but takes other pieces, the squares where the piece turns are written too; if it
/// turns nowhere, the square right behind the first captured piece. That is always enough, for
/// the line from square to square tells which pieces are jumped.
pub fn write_move(variant: Variant, played: &Move, all: &[Move]) -> String {
    write_move_with(variant, variant.rules().squares, played, all)
}

/// [`write_move`] with squares named as the caller wishes.
pub fn write_move_with(
    variant: Variant,
    names: SquareNames,
    played: &Move,
    all: &[Move],
) -> String {
    let rules = variant.rules();
    let sign = if played.is_capture() { rules.capture_sign } else { '-' };
    let shared = all.iter().any(|other| {
        (other.from, other.to) == (played.from, played.to) && other.captured != played.captured
    });
    let mut text = square_name(rules, names, played.from);
    let way = if shared { telling_squares(rules.shape, played) } else { Vec::new() };
    for square in way.into_iter().chain([played.to]) {
        text.push(sign);
        text.push_str(&square_name(rules, names, square));
    }
    text
}

/// Reads a move of a position.
///
/// Squares are numbers or algebraic names, whatever the variant itself writes. `-`
/// may stand before any square, `:` and `x` only in captures. Squares between the first and the
/// last may be some or all of those on which the piece sets down, on any way of making the capture.
/// Whatever [`write_move`] writes is read as the move it was written for: of several captures with
/// the same first and last square, two squares alone mean the one that needs no more.
///
/// # Errors
/// If the text is not a move, not a legal one, or fits several; the last two list the candidates.
pub fn parse_move(variant: Variant, position: &Position, text: &str) -> Result<Move, MoveError> {
    let rules = variant.rules();
    let is_capture_sign = |c: char| matches!(c, ':' | 'x');
    let tokens: Vec<&str> =
        text.split(|c: char| c == '-' || is_capture_sign(c)).map(str::trim).collect();
    if tokens.len() < 2 || tokens.contains(&"") {
        return Err(MoveError::Malformed { text: text.to_owned() });
    }
    let squares = tokens
        .iter()
        .map(|token| parse_square(rules, token))
        .collect::<Result<Vec<Square>, SquareError>>()?;
    let (from, way, to) = (squares[0], &squares[1..squares.len() - 1], squares[squares.len() - 1]);

    let legal: Vec<Move> = legal_moves(variant, position).into_iter().map(|(m, _)| m).collect();
    let capture_meant = text.contains(is_capture_sign) || !way.is_empty();
    let mut found: Vec<&Move> = legal
        .iter()
        .filter(|m| (m.from, m.to) == (from, to) && (m.is_capture() || !capture_meant))
        .collect();
    if way.is_empty() {
        // Written short, yet written in full: a single jump that ends right behind the piece.
        let in_full = |m: &&Move| telling_squares(rules.shape, m).is_empty();
        if found.len() > 1 && found.iter().filter(|m| in_full(m)).count() == 1 {
            found.retain(in_full);
        }
    } else {
        let (mut exact, mut partial) = (Vec::new(), Vec::new());
        visit_routes(variant, position, &mut |played, route| {
            if (route.from, route.to) != (from, to) {
                return;
            }
            let fitting = match fit(rules.shape, way, route) {
                Some(Fit::Exact) => &mut exact,
                Some(Fit::Partial) => &mut partial,
                None => return,
            };
            if !fitting.contains(played) {
                fitting.push(played.clone());
            }
        });
        let fitting = if exact.is_empty() { partial } else { exact };
        found.retain(|m| fitting.contains(m));
    }

    let written = |moves: &[&Move]| {
        let names = kind_of(tokens[0]);
        moves.iter().map(|m| write_move_with(variant, names, m, &legal)).collect::<Vec<_>>()
    };
    match found[..] {
        [only] => Ok(only.clone()),
        [] => Err(MoveError::Illegal {
            text: text.to_owned(),
            legal: written(&legal.iter().collect::<Vec<_>>()),
        }),
        _ => Err(MoveError::Ambiguous { text: text.to_owned(), candidates: written(&found) }),
    }
}

/// How well the squares named between the first and the last describe a route.
enum Fit {
    /// Every turn is named.
    Exact,
    /// The route passes over what is named.
    Partial,
}

fn fit(shape: Shape, way: &[Square], route: &Route) -> Option<Fit> {
    let mut stops = route.via.clone();
    // Where the last jump could have ended, for moves without turns.
    stops.extend(between(shape, route.last_victim, route.to));
    if !is_subsequence(way, &stops) {
        None
    } else if is_subsequence(&turns(shape, route.from, &route.via, route.to), way) {
        Some(Fit::Exact)
    } else {
        Some(Fit::Partial)
    }
}

fn is_subsequence(part: &[Square], whole: &[Square]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|square| rest.any(|other| other == square))
}

/// Squares that tell a capture from others with the same first and last square.
fn telling_squares(shape: Shape, played: &Move) -> Vec<Square> {
    let turns = turns(shape, played.from, &played.via, played.to);
    if !turns.is_empty() {
        return turns;
    }
    let line = between(shape, played.from, played.to);
    let behind = line
        .iter()
        .skip_while(|&&square| !played.captured.contains(square))
        .find(|&&square| !played.captured.contains(square));
    behind.into_iter().copied().collect()
}

/// The squares of a way where the piece changes its direction.
fn turns(shape: Shape, from: Square, via: &[Square], to: Square) -> Vec<Square> {
    let points: Vec<Square> =
        std::iter::once(from).chain(via.iter().copied()).chain([to]).collect();
    points
        .windows(3)
        .filter(|p| direction(shape, p[0], p[1]) != direction(shape, p[1], p[2]))
        .map(|p| p[1])
        .collect()
}

/// Signs of the changes of column and row between two squares.
fn direction(shape: Shape, from: Square, to: Square) -> (i8, i8) {
    let ((x0, y0), (x1, y1)) = (shape.column_row(from.0), shape.column_row(to.0));
    ((x1 as i8 - x0 as i8).signum(), (y1 as i8 - y0 as i8).signum())
}

/// The squares strictly between two of one line; empty if they are on none.
fn between(shape: Shape, from: Square, to: Square) -> Vec<Square> {
    let (dx, dy) = direction(shape, from, to);
    let (x, y) = shape.column_row(from.0);
    (1..)
        .map_while(|n: i8| shape.square_at(x as i8 + n * dx, y as i8 + n * dy).map(Square))
        .take_while(|&square| square != from && square != to)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_fen;

    const VARIANT: Variant = Variant::Russian;

    fn position(fen: &str) -> Position {
        parse_fen(VARIANT, fen).unwrap()
    }

    /// All legal moves as text, sorted.
    fn written(fen: &str) -> Vec<String> {
        let all: Vec<Move> =
            legal_moves(VARIANT, &position(fen)).into_iter().map(|(m, _)| m).collect();
        let mut texts: Vec<String> = all.iter().map(|m| write_move(VARIANT, m, &all)).collect();
        texts.sort();
        texts
    }

    /// The numbers of the captured squares.
    fn captured(fen: &str, text: &str) -> Vec<u8> {
        let played = parse_move(VARIANT, &position(fen), text).unwrap();
        let number = |square| super::super::squares::square_number(VARIANT.rules(), square);
        let mut numbers: Vec<u8> = played.captured.into_iter().map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn quiet_moves_have_a_dash_and_captures_the_sign_of_the_variant() {
        assert_eq!(written("W:W22:B1"), ["c3-b4", "c3-d4"]);
        assert_eq!(written("B:W22:B1"), ["b8-a7", "b8-c7"]);
        assert_eq!(written("W:W22:B18"), ["c3:e5"]);
        assert_eq!(written("B:W22:B18"), ["d4:b2"]);
    }

    /// Two captures from a5 to a1: of b4 and b2, and of five pieces on a detour.
    const TWO_WAYS: &str = "W:WK13:B16,17,18,25,27";

    #[test]
    fn squares_on_the_way_are_written_where_needed() {
        assert_eq!(written(TWO_WAYS), ["a5:c3:a1", "a5:e1", "a5:e1:h4:f6:a1", "a5:h6"]);
    }

    #[test]
    fn a_straight_capture_that_ends_behind_its_piece_stays_short() {
        let fen = "W:WKd8:BKb4,Ke5,Kg5,Kb6,Kf8";
        assert!(written(fen).contains(&"d8:h4".to_owned()));
        assert_eq!(captured(fen, "d8:h4"), [16]);
        assert_eq!(captured(fen, "d8:a5:h4").len(), 4);
    }

    #[test]
    fn short_and_long_notation_is_read() {
        let detour = [16, 17, 18, 25, 27];
        for text in ["a5:e1:h4:f6:a1", "13x31x20x11x29", "a5-e1-h4-f6-a1", " 13 : e1 x h4 : 11-a1 "]
        {
            assert_eq!(captured(TWO_WAYS, text), detour, "{text}");
        }
        // Some of the turns; every landing; short, where nothing else is meant.
        for text in ["a5:h4:a1", "a5:f6:a1", "a5:e1:h4:f6:c3:a1"] {
            assert_eq!(captured(TWO_WAYS, text), detour, "{text}");
        }
        assert_eq!(captured(TWO_WAYS, "a5:e1"), [16, 17, 18, 27]);
        assert_eq!(captured("W:W22:B1", "22-18"), []);
    }

    #[test]
    fn ambiguous_moves_are_refused_with_their_candidates() {
        for (text, candidates) in
            [("a5:a1", ["a5:c3:a1", "a5:e1:h4:f6:a1"]), ("13x29", ["13:22:29", "13:31:20:11:29"])]
        {
            let error = parse_move(VARIANT, &position(TWO_WAYS), text).unwrap_err();
            assert!(matches!(error, MoveError::Ambiguous { .. }));
            let message = error.to_string();
            assert!(message.contains(text));
            assert!(candidates.iter().all(|one| message.contains(one)), "{message}");
        }
    }

    #[test]
    fn illegal_moves_are_refused_with_the_legal_ones() {
        for (fen, text, legal) in [
            ("W:W22:B1", "c3-e5", "legal: c3-d4, c3-b4"),
            ("W:W22:B1", "22-15", "legal: 22-18, 22-17"),
            ("W:W22:B1", "c3:d4", "legal: c3-d4"),
            ("W:W22:B1", "c3-e5-d4", "legal: c3-d4"),
            ("W:W22:B18", "c3-b4", "legal: c3:e5"),
            (TWO_WAYS, "a5:b4:a1", "a5:c3:a1"),
            (TWO_WAYS, "a5:g7:a1", "a5:c3:a1"),
            ("W:W:B1", "c3-d4", "none"),
        ] {
            let error = parse_move(VARIANT, &position(fen), text).unwrap_err();
            assert!(matches!(error, MoveError::Illegal { .. }), "{text}: {error:?}");
            let message = error.to_string();
            assert!(message.contains(text) && message.contains(legal), "{message}");
        }
    }

    #[test]
    fn texts_that_are_no_moves_are_refused() {
        let position = position("W:W22:B1");
        for text in ["", "c3", "-", "c3-", "-d4", "c3--d4", "c3d4", "2218"] {
            let error = parse_move(VARIANT, &position, text).unwrap_err();
            assert!(matches!(error, MoveError::Malformed { .. }), "{text}: {error:?}");
            assert!(error.to_string().contains(text));
        }
        for (text, token) in [
            ("c3-d5", "d5"),
            ("c3-33", "33"),
            ("c3-d4!", "d4!"),
            ("C3-d4", "C3"),
            ("c3×e5-a1", "c3×e5"),
        ] {
            let error = parse_move(VARIANT, &position, text).unwrap_err();
            assert!(matches!(error, MoveError::Square(_)), "{text}: {error:?}");
            assert!(error.to_string().contains(token));
        }
    }
}
