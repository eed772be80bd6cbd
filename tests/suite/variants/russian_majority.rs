//! Russian draughts in which the most pieces must be taken; a man that reaches the last row in mid-capture goes on as a king.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::RussianMajority;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W21-32:B1-12", &[7, 49, 302, 1_469, 7_473, 37_628]);
    assert_squares(VARIANT, "a1", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn the_most_pieces_first() {
    assert_moves(VARIANT, "W:Wa3,g1:Bb4,d6,f2", &["a3xe7 (b4,d6)"]);
}

/// In Brazilian draughts it lands on d6 and stays a man.
#[test]
fn a_man_goes_on_as_a_king() {
    assert_moves(
        VARIANT,
        "W:Wh6:Be7,Kg7",
        &["h6xa3 (e7,g7)", "h6xb4 (e7,g7)", "h6xc5 (e7,g7)", "h6xd6 (e7,g7)"],
    );
    assert_after(VARIANT, "W:Wh6:Be7,Kg7", "h6xd6", "B:WKd6:B");
}
