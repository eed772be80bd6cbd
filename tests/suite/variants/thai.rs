//! Thai draughts: eight men a side, a king lands right behind what it takes, captured pieces leave at once, and a king may turn back.
//! Black begins, and `-` stands in captures too.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Thai;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "B:W25-32:B1-8", &[7, 49, 392, 3_136, 26_592]);
    assert_squares(VARIANT, "29", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn kings_land_right_behind() {
    assert_moves(VARIANT, "W:WK32:B23", &["32-18 (23)"]);
    assert_moves(VARIANT, "W:WK32:B27", &["32-23 (27)"]);
}

#[test]
fn kings_turn_back_over_squares_that_are_free_again() {
    assert_moves(
        VARIANT,
        "W:WK15:B8,18,19,K25",
        &["15-24 (19)", "15-29 (8,18,25)", "15-4 (8,18,25)"],
    );
}

#[test]
fn any_capture_may_be_chosen() {
    assert_moves(VARIANT, "W:WK19:BK14,K15,26", &["19-30 (26)", "19-31 (14,15,26)"]);
}

#[test]
fn men_capture_forward_and_stop_when_crowned() {
    assert_moves(VARIANT, "W:W18:B14,15,22,23", &["18-11 (15)", "18-9 (14)"]);
    assert_moves(VARIANT, "W:W12:B7,K8", &["12-3 (8)"]);
    assert_after(VARIANT, "W:W12:B7,K8", "12-3", "B:WK3:B7");
}
