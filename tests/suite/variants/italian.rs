//! Italian draughts: the dark corner at the right, stepping kings that men cannot take, and captures compared in four steps.
//!
//! Articles are those of the FID.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Italian;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W21-32:B1-12", &[7, 49, 302, 1_469, 7_361, 36_473]);
    assert_squares(VARIANT, "29", &[("a8", 1), ("g8", 4), ("b1", 29), ("h1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn a5_3_men_do_not_take_kings() {
    assert_moves(VARIANT, "W:W19:B15,K14", &["19x12 (15)"]);
    assert_moves(VARIANT, "W:W19:BK15,K14", &[]);
    assert_moves(VARIANT, "W:W26:BK13,21", &["26x17 (21)"]);
}

#[test]
fn a5_3_men_capture_forward_kings_both_ways() {
    assert_moves(VARIANT, "W:W24:B20,28", &["24x15 (20)"]);
    assert_moves(VARIANT, "W:WK24:B20,28", &["24x15 (20)", "24x31 (28)"]);
}

#[test]
fn a6_6_the_most_pieces_first() {
    assert_moves(VARIANT, "W:WK21,31:B10,18,27", &["31x6 (10,18,27)"]);
}

#[test]
fn a6_7_then_a_king_that_captures() {
    assert_moves(VARIANT, "W:WK23,31:B19,26,27", &["23x21 (26,27)"]);
}

#[test]
fn a6_8_then_the_most_kings() {
    assert_moves(VARIANT, "W:WK23:B19,K28", &["23x32 (28)"]);
}

/// The second: a tie on the first king is broken by the next.
#[test]
fn a6_9_then_kings_met_earliest() {
    assert_moves(VARIANT, "W:WK30:B10,12,18,K20,K26,27", &["30x5 (10,18,26)"]);
    assert_moves(VARIANT, "W:WK30:B10,K12,K18,20,K26,K27", &["30x5 (10,18,26)"]);
}

#[test]
fn a6_10_of_equal_captures_any() {
    assert_moves(VARIANT, "W:WK31:B18,20,K27,K28", &["31x13 (18,27)", "31x15 (20,28)"]);
}

#[test]
fn a_man_that_is_crowned_stops() {
    assert_moves(VARIANT, "W:W12:B2,6,7", &["12x3 (7)"]);
    assert_after(VARIANT, "W:W12:B2,6,7", "12x3", "B:WK3:B2,6");
}
