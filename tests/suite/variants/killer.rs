//! Killer draughts: International draughts, but a king whose last captured piece is a king stops right behind it.

use damka::Variant;

use super::{assert_counts, assert_moves, assert_published, assert_squares, assert_start};

const VARIANT: Variant = Variant::Killer;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W31-50:B1-20", &[9, 81, 658, 4_265, 27_117]);
    assert_squares(VARIANT, "46", &[("b10", 1), ("a9", 6), ("a1", 46), ("i1", 50)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

/// A man leaves it free.
#[test]
fn a_king_stops_behind_a_king() {
    assert_moves(VARIANT, "W:WK46:BK23", &["46x19 (23)"]);
    assert_moves(VARIANT, "W:WK46:B23", &["46x10 (23)", "46x14 (23)", "46x19 (23)", "46x5 (23)"]);
    assert_moves(VARIANT, "W:WK19:BK10,K28", &["19x32 (28)", "19x5 (10)"]);
}

#[test]
fn only_the_last_piece_counts() {
    assert_moves(VARIANT, "W:WK16:B7,K27,28", &["16x1 (7,27,28)"]);
    assert_moves(VARIANT, "W:WK19:BK24,K37,K39", &["19x31 (24,37,39)"]);
}

#[test]
fn other_rules_are_those_of_international_draughts() {
    assert_moves(VARIANT, "W:W48:B24,K31,34,K42,43", &["48x19 (24,34,43)"]);
    assert_moves(VARIANT, "W:W15:B9,10", &["15x13 (9,10)"]);
}

#[test]
fn counts_equal_published_ones() {
    assert_published(VARIANT, 41);
}
