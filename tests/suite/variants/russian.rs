//! Russian draughts: men capture backward too, kings fly, any capture may be chosen, and a man that reaches the last row in
//! mid-capture goes on as a king.
//!
//! Names carry the points of the rule book (rules of the sport, 6.1.4 and 6.1.5) where one says it. Moves
//! are written `from-to` or `fromxto (captured squares)`, with `K` if the piece ends as a king.

use damka::board::{Bitboard, Square};
use damka::rules::{RuleSet, Russian, moves, perft_routes};
use damka::{Colour, Position, PositionError, Variant};

use super::{assert_counts, assert_squares, assert_start};
use crate::common::{Placement, describe};

#[test]
fn start_and_squares() {
    assert_start(Variant::Russian, "W:W21-32:B1-12", &[7, 49, 302, 1_469, 7_482, 37_986]);
    assert_squares(Variant::Russian, "a1", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(Variant::Russian);
}

/// Checks the complete list of moves of a position.
#[track_caller]
fn assert_moves(fen: &str, expected: &[&str]) {
    let start = Placement::read(fen, 8);
    let list = moves::<Russian>(Russian::geometry(), &start.turned::<Russian>());
    let mut found: Vec<_> =
        list.iter().map(|m| describe::<Russian>(m, start.white_to_move)).collect();
    let mut expected: Vec<_> = expected.iter().map(|&m| m.to_owned()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{fen}");
}

#[test]
fn men_move_one_square_forward() {
    assert_moves("W:Wd4:Ba7", &["d4-c5", "d4-e5"]);
    assert_moves("B:Wh8:Bd4", &["d4-c3", "d4-e3"]);
    assert_moves("W:Wa3,b4:Bh8", &["b4-a5", "b4-c5"]);
}

#[test]
fn p6_1_4_4_a_man_on_the_last_row_becomes_a_king() {
    assert_moves("W:Wc7:Be7,g5", &["c7-b8 K", "c7-d8 K"]);
    assert_moves("B:Wh8:Bb2", &["b2-a1 K", "b2-c1 K"]);
}

#[test]
fn p6_1_4_5_kings_move_any_distance_in_every_direction() {
    assert_moves(
        "W:WKa1,b4:Bh8",
        &["a1-b2 K", "a1-c3 K", "a1-d4 K", "a1-e5 K", "a1-f6 K", "a1-g7 K", "b4-a5", "b4-c5"],
    );
    assert_moves(
        "B:Wa3:BKc3",
        &[
            "c3-a1 K", "c3-b2 K", "c3-d4 K", "c3-e5 K", "c3-f6 K", "c3-g7 K", "c3-h8 K", "c3-b4 K",
            "c3-a5 K", "c3-d2 K", "c3-e1 K",
        ],
    );
}

#[test]
fn p6_1_5_2_a_king_lands_on_any_free_square_behind() {
    assert_moves("W:WKb2:Bd4", &["b2xe5 (d4) K", "b2xf6 (d4) K", "b2xg7 (d4) K", "b2xh8 (d4) K"]);
    assert_moves("W:WKg1:Be3,a7", &["g1xb6 (e3) K", "g1xc5 (e3) K", "g1xd4 (e3) K"]);
    // Freeboardgames.org #604: the king of another variant would stay put or step.
    assert_moves("W:WK4:B18", &["h8xa1 (d4) K", "h8xb2 (d4) K", "h8xc3 (d4) K"]);
}

#[test]
fn p6_1_5_3_men_capture_forward_and_backward() {
    let all = ["d4xb2 (c3)", "d4xb6 (c5)", "d4xf2 (e3)", "d4xf6 (e5)"];
    assert_moves("W:Wd4:Bc5,e5,c3,e3", &all);
    assert_moves("B:Wc3,e3,c5,e5:Bd4", &all);
}

#[test]
fn p6_1_5_3_capturing_is_compulsory() {
    assert_moves("W:Wc3,g1,Kh2:Bd4", &["c3xe5 (d4)"]);
}

#[test]
fn the_longer_capture_is_not_compulsory() {
    assert_moves("W:Wa3,g1:Bb4,d6,f2", &["a3xe7 (b4,d6)", "g1xe3 (f2)"]);
    assert_moves("W:WK12:B9,15,16", &["h6xa5 (b6,e5,g5) K", "h6xa7 (b6,g5) K"]);
}

#[test]
fn kings_have_no_precedence() {
    assert_moves(
        "W:WKa1,f2:Bb2,e3",
        &[
            "a1xc3 (b2) K",
            "a1xd4 (b2) K",
            "a1xe5 (b2) K",
            "a1xf6 (b2) K",
            "a1xg7 (b2) K",
            "a1xh8 (b2) K",
            "f2xd4 (e3)",
        ],
    );
}

#[test]
fn men_capture_kings() {
    assert_moves("W:Wc3:BKd4", &["c3xe5 (d4)"]);
}

#[test]
fn p6_1_5_6_a_capture_is_carried_to_its_end() {
    assert_moves("W:Wc3:Bd4,f4", &["c3xg3 (d4,f4)"]);
}

#[test]
fn p6_1_5_6_a_king_lands_where_it_can_go_on() {
    assert_moves("W:WKh2:Be5,c5", &["h2xa3 (c5,e5) K", "h2xb4 (c5,e5) K"]);
    assert_moves("W:WKh2:Be5,b6,c3", &["h2xd2 (b6,c3,e5) K", "h2xe1 (b6,c3,e5) K"]);
}

#[test]
fn p6_1_5_9_no_piece_is_jumped_twice_and_none_leaves_before_the_end() {
    // The first victim is a wall: behind it there would be another.
    assert_moves("W:WKe3:Bd2,g5", &["e3xc1 (d2) K", "e3xh6 (g5) K"]);
}

#[test]
fn p6_1_5_9_squares_may_be_passed_twice() {
    // The longest of these crosses c3 twice.
    assert_moves(
        "W:WKa5:Bb4,b2,d4,g5,f2",
        &[
            "a5xa1 (b2,b4) K",
            "a5xh6 (b4,g5) K",
            "a5xe1 (b4,d4,f2,g5) K",
            "a5xa1 (b2,b4,d4,f2,g5) K",
        ],
    );
}

#[test]
fn the_square_that_the_capturing_piece_left_is_free() {
    let ring = "W:Wd2:Bc3,c5,e5,e3";
    assert_moves(ring, &["d2xd2 (c3,c5,e3,e5)"]);
    // One move, but two ways round.
    let start = Placement::read(ring, 8).turned::<Russian>();
    assert_eq!(perft_routes::<Russian>(Russian::geometry(), &start, 1), 2);
}

#[test]
fn two_pieces_in_a_row_are_not_jumped() {
    assert_moves("W:WKa1:Bd4,e5", &["a1-b2 K", "a1-c3 K"]);
    assert_moves("W:Wc3:Bd4,e5", &["c3-b4"]);
}

#[test]
fn own_pieces_are_not_jumped() {
    assert_moves("W:WKa1,c3:Bd4,f8", &["c3xe5 (d4)"]);
    assert_moves("W:W27,23:B18", &["e3xc5 (d4)"]);
}

#[test]
fn p6_1_5_15_a_man_that_reaches_the_last_row_goes_on_as_a_king() {
    // pydraughts #28: it stopped on f8.
    assert_moves("W:W12:B8,14,26", &["h6xe1 (c5,d2,g7) K"]);
    assert_moves("W:Wh4:Bg5,e7,b6,b4,b2", &["h4xa1 (b2,b4,b6,e7,g5) K"]);
}

#[test]
fn p6_1_5_15_a_capture_that_ends_on_the_last_row_makes_a_king() {
    // py-draughts #25: the piece was not crowned. The man on d4 stays.
    assert_moves("W:W20:B8,16,18", &["h4xh8 (g5,g7) K"]);
    assert_moves("B:Wb2,h8:Bc3", &["c3xa1 (b2) K"]);
}

#[test]
fn p6_1_5_16_a_quiet_promotion_ends_the_move() {
    // From d8 a king could capture b6.
    assert_moves("W:We7:Bb6", &["e7-d8 K", "e7-f8 K"]);
}

#[test]
fn a_player_who_is_blocked_or_has_no_pieces_has_no_move() {
    assert_moves("W:Wa3:Bb4,c5", &[]);
    assert_moves("W:WKa1:Bb2,c3", &[]);
    assert_moves("W:W:Bc3", &[]);
    assert_moves("B:Wc3:B", &[]);
}

fn set(fen_square: Option<(u8, u8)>) -> Bitboard {
    let square = |(column, row)| Square(row * 4 + column / 2);
    fen_square.into_iter().map(square).collect()
}

/// White's man, Black's man, White's king, Black's king, each on one square (column, row) or none.
fn position(pieces: [Option<(u8, u8)>; 4]) -> Result<Position, PositionError> {
    let [wm, bm, wk, bk] = pieces.map(set);
    Position::new(Variant::Russian, Colour::White, [wm, bm], [wk, bk])
}

#[test]
fn no_man_stands_on_his_last_row() {
    let (c1, h4, h8) = (Some((2, 0)), Some((7, 3)), Some((7, 7)));
    // py-draughts #47.
    let uncrowned =
        |colour, square| Err(PositionError::UncrownedMan { colour, square: Square(square) });
    assert_eq!(position([h8, h4, None, None]), uncrowned(Colour::White, 31));
    assert_eq!(position([h4, c1, None, None]), uncrowned(Colour::Black, 1));
    assert!(position([c1, h8, None, None]).is_ok());
    assert!(position([None, None, h8, c1]).is_ok());
}
