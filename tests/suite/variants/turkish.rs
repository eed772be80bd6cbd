//! Turkish draughts: all squares, along rows and columns, men that move sideways, captured pieces that leave at once, and no turn
//! by 180 degrees.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Turkish;

#[test]
fn start_and_squares() {
    assert_start(
        VARIANT,
        "W:Wa2,b2,c2,d2,e2,f2,g2,h2,a3,b3,c3,d3,e3,f3,g3,h3:Ba6,b6,c6,d6,e6,f6,g6,h6,a7,b7,c7,d7,e7,f7,g7,h7",
        &[8, 64, 708, 7_538, 85_090],
    );
    assert_squares(VARIANT, "a1", &[("a8", 1), ("h8", 8), ("a1", 57), ("h1", 64)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn men_go_forward_and_sideways() {
    assert_moves(VARIANT, "W:Wd4:Bh8", &["d4-c4", "d4-d5", "d4-e4"]);
    assert_moves(VARIANT, "W:Wd4:Bd5,c4,e4,d3", &["d4xb4 (c4)", "d4xd6 (d5)", "d4xf4 (e4)"]);
}

#[test]
fn kings_go_along_rows_and_columns() {
    assert_moves(
        VARIANT,
        "W:WKa1:Bh8",
        &[
            "a1-a2", "a1-a3", "a1-a4", "a1-a5", "a1-a6", "a1-a7", "a1-a8", "a1-b1", "a1-c1",
            "a1-d1", "a1-e1", "a1-f1", "a1-g1", "a1-h1",
        ],
    );
}

#[test]
fn captured_pieces_leave_at_once() {
    assert_moves(VARIANT, "W:WKd1:Bd3,d5", &["d1xd6 (d3,d5)", "d1xd7 (d3,d5)", "d1xd8 (d3,d5)"]);
    assert_moves(
        VARIANT,
        "W:WKg1:BKd6,Ke5,b4,Ke1",
        &[
            "g1xe1 (b4,d6,e1,e5)",
            "g1xe2 (b4,d6,e1,e5)",
            "g1xe3 (b4,d6,e1,e5)",
            "g1xe4 (b4,d6,e1,e5)",
        ],
    );
}

/// The king does not go back over e4 after d7 and c4.
#[test]
fn no_turn_by_180_degrees() {
    assert_moves(
        VARIANT,
        "W:WKd8:Bd7,c4,Ke4",
        &["d8xa4 (c4,d7)", "d8xb4 (c4,d7)", "d8xf4 (d7,e4)", "d8xg4 (d7,e4)", "d8xh4 (d7,e4)"],
    );
}

#[test]
fn the_most_pieces_first() {
    assert_moves(
        VARIANT,
        "W:WKg7:BKe7,Ka4,d3",
        &["g7xe3 (a4,d3,e7)", "g7xf3 (a4,d3,e7)", "g7xg3 (a4,d3,e7)", "g7xh3 (a4,d3,e7)"],
    );
}

/// Sources conflict; as a king it could do more.
#[test]
fn a_man_on_the_last_row_goes_on_as_a_man() {
    assert_moves(VARIANT, "W:Wg6:Bf8,g7,f2", &["g6xe8 (f8,g7)"]);
    assert_after(VARIANT, "W:Wg6:Bf8,g7,f2", "g6xe8", "B:WKe8:Bf2");
}
