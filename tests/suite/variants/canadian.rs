//! Canadian draughts: the rules of International draughts on twelve by twelve, with files to l and numbers to 72.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Canadian;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W43-72:B1-30", &[11, 121, 1_222, 10_053]);
    assert_squares(VARIANT, "67", &[("b12", 1), ("l12", 6), ("a1", 67), ("k1", 72)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn kings_fly_over_the_whole_board() {
    assert_moves(
        VARIANT,
        "W:WK67:B1",
        &[
            "67-61", "67-56", "67-50", "67-45", "67-39", "67-34", "67-28", "67-23", "67-17",
            "67-12", "67-6",
        ],
    );
}

#[test]
fn men_are_crowned_on_the_twelfth_row() {
    assert_moves(VARIANT, "W:W7:B50", &["7-1"]);
    assert_after(VARIANT, "W:W7:B50", "7-1", "B:WK1:B50");
}

#[test]
fn men_capture_forward_and_backward() {
    assert_moves(VARIANT, "W:W41:B35,36,47", &["41x28 (35)", "41x30 (36)", "41x52 (47)"]);
}

#[test]
fn the_most_pieces_first() {
    assert_moves(
        VARIANT,
        "W:WK68:BK22,K34,K62",
        &["68x11 (22,34,62)", "68x16 (22,34,62)", "68x5 (22,34,62)"],
    );
}

#[test]
fn a_man_that_can_go_on_is_not_crowned() {
    assert_moves(VARIANT, "W:W16:BK11,K12,59", &["16x18 (11,12)"]);
}
