//! Spanish draughts: the dark corner at the right, numbers from White's bottom right, flying kings, and the most pieces, then the
//! most kings.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Spanish;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W1-12:B21-32", &[7, 49, 302, 1_469, 7_361, 36_473]);
    assert_squares(VARIANT, "1", &[("h1", 1), ("b1", 4), ("g8", 29), ("a8", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

/// The main road is 1-32.
#[test]
fn kings_fly_along_the_main_road() {
    assert_moves(VARIANT, "W:WK1:B32", &["1-5", "1-10", "1-14", "1-19", "1-23", "1-28"]);
}

#[test]
fn the_most_pieces_first_then_the_most_kings() {
    assert_moves(
        VARIANT,
        "W:WK27:BK12,K14,K20",
        &["27x18 (12,14,20)", "27x21 (12,14,20)", "27x25 (12,14,20)"],
    );
    assert_moves(VARIANT, "W:WK14:B19,K11", &["14x4 (11)", "14x7 (11)"]);
}

#[test]
fn men_capture_forward_and_take_kings() {
    assert_moves(VARIANT, "W:W18:B14,22", &["18x27 (22)"]);
    assert_moves(VARIANT, "W:W18:B14,K22", &["18x27 (22)"]);
}

#[test]
fn a_man_that_is_crowned_stops() {
    assert_moves(VARIANT, "W:W23:BK26,27", &["23x30 (27)"]);
    assert_after(VARIANT, "W:W23:BK26,27", "23x30", "B:WK30:BK26");
}
