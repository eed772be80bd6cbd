//! English draughts played to lose: the moves are the same, and who has none has won.

use damka::Variant;

use super::{
    assert_counts, assert_moves, assert_played_to_lose, assert_same_moves, assert_squares,
    assert_start,
};

const VARIANT: Variant = Variant::EnglishGiveaway;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "B:W21-32:B1-12", &[7, 49, 302, 1_469, 7_361]);
    assert_squares(VARIANT, "29", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn who_has_no_move_has_won() {
    assert_played_to_lose(VARIANT, "W:W21:B17,14");
}

#[test]
fn captures_are_as_compulsory_as_in_the_parent() {
    assert_moves(VARIANT, "W:W18:B14,15,22,23", &["18x11 (15)", "18x9 (14)"]);
    assert_same_moves(VARIANT, Variant::English, "W:W18:B14,15,22,23");
}
