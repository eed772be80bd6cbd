//! Alquerque: five by five points, moves and captures along every line, no kings, and men that go back.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Alquerque;

#[test]
fn start_and_squares() {
    assert_start(
        VARIANT,
        "W:Wa1,b1,c1,d1,e1,a2,b2,c2,d2,e2,d3,e3:Ba3,b3,a4,b4,c4,d4,e4,a5,b5,c5,d5,e5",
        &[4, 5, 6, 12, 29, 107],
    );
    assert_squares(VARIANT, "a1", &[("a5", 1), ("e5", 5), ("c3", 13), ("a1", 21), ("e1", 25)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

/// Diagonals run through every other point.
#[test]
fn lines_run_as_the_board_has_them() {
    assert_moves(
        VARIANT,
        "W:Wc3:Ba1",
        &["c3-b2", "c3-b3", "c3-b4", "c3-c2", "c3-c4", "c3-d2", "c3-d3", "c3-d4"],
    );
    assert_moves(VARIANT, "W:Wb3:Be1", &["b3-a3", "b3-b2", "b3-b4", "b3-c3"]);
}

#[test]
fn captures_go_every_way_and_may_be_chosen() {
    assert_moves(VARIANT, "W:We3:Bd2,e2", &["e3xc1 (d2)", "e3xc3 (d2,e2)"]);
    assert_moves(VARIANT, "W:Wa1:Ba2", &["a1xa3 (a2)"]);
}

#[test]
fn captured_pieces_leave_at_once() {
    assert_moves(VARIANT, "W:Wd4:Bc3,d3,c2", &["d4xb4 (c3,d3)", "d4xd4 (c2,c3,d3)"]);
}

#[test]
fn men_stay_men_on_every_row() {
    assert_after(VARIANT, "W:Wc4:Ba1", "c4-c5", "B:Wc5:Ba1");
    assert_moves(VARIANT, "W:Wc5:Ba1", &["c5-b4", "c5-b5", "c5-c4", "c5-d4", "c5-d5"]);
}

#[test]
fn there_are_no_kings() {
    let error = damka::notation::parse_fen(VARIANT, "W:WKa1:Ba5").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"Ka1\" puts a king on square a1, and there are no kings in this variant"
    );
}
