//! International draughts played to lose: the moves are the same, and who has none has won.

use damka::Variant;

use super::{
    assert_counts, assert_moves, assert_played_to_lose, assert_same_moves, assert_squares,
    assert_start,
};

const VARIANT: Variant = Variant::InternationalGiveaway;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W31-50:B1-20", &[9, 81, 658, 4_265]);
    assert_squares(VARIANT, "46", &[("b10", 1), ("a9", 6), ("a1", 46), ("i1", 50)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn who_has_no_move_has_won() {
    assert_played_to_lose(VARIANT, "W:W26:B21,17");
}

#[test]
fn captures_are_as_compulsory_as_in_the_parent() {
    assert_moves(VARIANT, "W:W48:B24,K31,34,K42,43", &["48x19 (24,34,43)"]);
    assert_same_moves(VARIANT, Variant::International, "W:W48:B24,K31,34,K42,43");
}
