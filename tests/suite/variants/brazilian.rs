//! Brazilian draughts: the rules of International draughts on eight by eight, with algebraic names.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Brazilian;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W21-32:B1-12", &[7, 49, 302, 1_469, 7_473, 37_628]);
    assert_squares(VARIANT, "a1", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

/// In Russian draughts g1xe3 is a move too.
#[test]
fn the_most_pieces_first() {
    assert_moves(VARIANT, "W:Wa3,g1:Bb4,d6,f2", &["a3xe7 (b4,d6)"]);
}

#[test]
fn men_capture_forward_and_backward() {
    assert_moves(
        VARIANT,
        "W:Wd4:Bc5,e5,c3,e3",
        &["d4xb2 (c3)", "d4xb6 (c5)", "d4xf2 (e3)", "d4xf6 (e5)"],
    );
}

/// In Russian draughts it goes on as a king.
#[test]
fn a_man_that_can_go_on_is_not_crowned() {
    assert_moves(VARIANT, "W:Wh6:Bg7,e7", &["h6xd6 (e7,g7)"]);
    assert_after(VARIANT, "W:Wh6:Bg7,e7", "h6xd6", "B:Wd6:B");
    assert_moves(VARIANT, "W:Wb6:BKc7,f6", &["b6xd8 (c7)"]);
    assert_after(VARIANT, "W:Wb6:BKc7,f6", "b6xd8", "B:WKd8:Bf6");
}
