//! Moves as PDN writes them.

use super::squares::{SquareError, kind_of, name_of_square, square_of_name};
use crate::board::{Bitboard, Shape, Square};
use crate::play::{Move, Route, legal_moves, visit_routes};
use crate::position::Position;
use crate::rules::{SquareNames, Variant};

/// Why a text is not a move of the position, or a move none of its moves.
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
    /// The move is one of another variant than the position.
    #[error("a move of {found} in a position of {expected}")]
    OtherVariant {
        /// The variant of the position.
        expected: Variant,
        /// That of the move.
        found: Variant,
    },
    /// No legal move is written so, or the move is not one of them.
    #[error("{text:?} is not a legal move ({})", listed(legal))]
    Illegal {
        /// The text, or the first and last square of the move.
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

/// Writes a legal move of a position with the names of squares and the capture sign of its variant: `c3-d4`, `c3:e5`.
///
/// If another legal move has the same first and last square but takes other pieces, the squares where the piece turns are
/// written too; if it turns nowhere, the square right behind the first captured piece. That is always enough, for
/// the line from square to square tells which pieces are jumped.
///
/// Lists the legal moves of the position each time; who writes many of them makes a [`MoveWriter`].
///
/// # Errors
/// [`MoveError::OtherVariant`] and [`MoveError::Illegal`], if the move is not one of the position's.
pub fn write_move(position: &Position, played: &Move) -> Result<String, MoveError> {
    write_move_with(position, played, position.variant().rules().squares)
}

/// [`write_move`] with squares named as the caller wishes.
///
/// # Errors
/// See [`write_move`].
pub fn write_move_with(
    position: &Position,
    played: &Move,
    names: SquareNames,
) -> Result<String, MoveError> {
    MoveWriter::new(position, names).write(played)
}

/// Writes moves of one position, as [`write_move`] does each alone, whose legal moves it lists once.
#[derive(Clone, Debug)]
pub struct MoveWriter {
    variant: Variant,
    names: SquareNames,
    /// By [`key`], so that moves with the same first and last square are neighbours.
    legal: Vec<Move>,
}

impl MoveWriter {
    /// For the moves of a position, with squares named as `names` says. The cost is that of [`legal_moves`].
    pub fn new(position: &Position, names: SquareNames) -> Self {
        let legal = legal_moves(position).into_iter().map(|(played, _)| played).collect();
        Self::of(position, legal, names)
    }

    fn of(position: &Position, mut legal: Vec<Move>, names: SquareNames) -> Self {
        legal.sort_by_key(key);
        MoveWriter { variant: position.variant(), names, legal }
    }

    /// Writes one of the moves. O(log of their number).
    ///
    /// # Errors
    /// See [`write_move`].
    pub fn write(&self, played: &Move) -> Result<String, MoveError> {
        let (expected, found) = (self.variant, played.variant());
        if found != expected {
            return Err(MoveError::OtherVariant { expected, found });
        }
        let place = self.legal.binary_search_by_key(&key(played), key);
        let place = place.ok().filter(|&place| self.legal[place] == *played);
        let place = place.ok_or_else(|| MoveError::Illegal {
            text: self.text(played, false),
            legal: (0..self.legal.len()).map(|place| self.text_at(place)).collect(),
        })?;
        Ok(self.text_at(place))
    }

    fn text_at(&self, place: usize) -> String {
        let played = &self.legal[place];
        let shares_ends = |other: Option<&Move>| {
            other.is_some_and(|other| (other.from(), other.to()) == (played.from(), played.to()))
        };
        let before = place.checked_sub(1).and_then(|place| self.legal.get(place));
        self.text(played, shares_ends(before) || shares_ends(self.legal.get(place + 1)))
    }

    fn text(&self, played: &Move, with_way: bool) -> String {
        let rules = self.variant.rules();
        let sign = if played.is_capture() { rules.capture_sign } else { '-' };
        let mut text = name_of_square(rules, self.names, played.from());
        let way = if with_way { telling_squares(rules.shape, played) } else { Vec::new() };
        for square in way.into_iter().chain([played.to()]) {
            text.push(sign);
            text.push_str(&name_of_square(rules, self.names, square));
        }
        text
    }
}

/// No two legal moves of a position have the same.
fn key(played: &Move) -> (Square, Square, Bitboard) {
    (played.from(), played.to(), played.captured())
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
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let rules = position.variant().rules();
    let is_capture_sign = |c: char| matches!(c, ':' | 'x');
    let tokens: Vec<&str> =
        text.split(|c: char| c == '-' || is_capture_sign(c)).map(str::trim).collect();
    if tokens.len() < 2 || tokens.contains(&"") {
        return Err(MoveError::Malformed { text: text.to_owned() });
    }
    let squares = tokens
        .iter()
        .map(|token| square_of_name(rules, token))
        .collect::<Result<Vec<Square>, SquareError>>()?;
    let (from, way, to) = (squares[0], &squares[1..squares.len() - 1], squares[squares.len() - 1]);

    let legal: Vec<Move> = legal_moves(position).into_iter().map(|(m, _)| m).collect();
    let capture_meant = text.contains(is_capture_sign) || !way.is_empty();
    let mut found: Vec<&Move> = legal
        .iter()
        .filter(|m| (m.from(), m.to()) == (from, to) && (m.is_capture() || !capture_meant))
        .collect();
    if way.is_empty() {
        // Written short, yet written in full: a single jump that ends right behind the piece.
        let in_full = |m: &&Move| telling_squares(rules.shape, m).is_empty();
        if found.len() > 1 && found.iter().filter(|m| in_full(m)).count() == 1 {
            found.retain(in_full);
        }
    } else {
        let (mut exact, mut partial) = (Vec::new(), Vec::new());
        visit_routes(position, &mut |played, route| {
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

    if let [only] = found[..] {
        return Ok(only.clone());
    }
    let writer = MoveWriter::of(position, legal.clone(), kind_of(tokens[0]));
    let written =
        |moves: &[&Move]| moves.iter().map(|m| writer.write(m)).collect::<Result<Vec<_>, _>>();
    let text = text.to_owned();
    Err(match found[..] {
        [] => MoveError::Illegal { text, legal: written(&legal.iter().collect::<Vec<_>>())? },
        _ => MoveError::Ambiguous { text, candidates: written(&found)? },
    })
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
    let turns = turns(shape, played.from(), played.via(), played.to());
    if !turns.is_empty() {
        return turns;
    }
    let line = between(shape, played.from(), played.to());
    let behind = line
        .iter()
        .skip_while(|&&square| !played.captured().contains(square))
        .find(|&&square| !played.captured().contains(square));
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
        let position = position(fen);
        let all = legal_moves(&position);
        let mut texts: Vec<String> =
            all.iter().map(|(played, _)| write_move(&position, played).unwrap()).collect();
        texts.sort();
        texts
    }

    /// The numbers of the captured squares.
    fn captured(fen: &str, text: &str) -> Vec<u8> {
        let played = parse_move(&position(fen), text).unwrap();
        let number = |square| super::super::squares::square_number(VARIANT.rules(), square);
        let mut numbers: Vec<u8> = played.captured().into_iter().map(number).collect();
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
            let error = parse_move(&position(TWO_WAYS), text).unwrap_err();
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
            let error = parse_move(&position(fen), text).unwrap_err();
            assert!(matches!(error, MoveError::Illegal { .. }), "{text}: {error:?}");
            let message = error.to_string();
            assert!(message.contains(text) && message.contains(legal), "{message}");
        }
    }

    #[test]
    fn texts_that_are_no_moves_are_refused() {
        let position = position("W:W22:B1");
        for text in ["", "c3", "-", "c3-", "-d4", "c3--d4", "c3d4", "2218"] {
            let error = parse_move(&position, text).unwrap_err();
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
            let error = parse_move(&position, text).unwrap_err();
            assert!(matches!(error, MoveError::Square(_)), "{text}: {error:?}");
            assert!(error.to_string().contains(token));
        }
    }
}
