//! Brazilian draughts played to lose: the moves are the same, and who has none has won.

use damka::Variant;

use super::{
    assert_counts, assert_moves, assert_played_to_lose, assert_same_moves, assert_squares,
    assert_start,
};

const VARIANT: Variant = Variant::BrazilianGiveaway;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W21-32:B1-12", &[7, 49, 302, 1_469, 7_473]);
    assert_squares(VARIANT, "a1", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn who_has_no_move_has_won() {
    assert_played_to_lose(VARIANT, "W:Wa3:Bb4,c5");
}

#[test]
fn captures_are_as_compulsory_as_in_the_parent() {
    assert_moves(VARIANT, "W:Wa3,g1:Bb4,d6,f2", &["a3xe7 (b4,d6)"]);
    assert_same_moves(VARIANT, Variant::Brazilian, "W:Wa3,g1:Bb4,d6,f2");
}
