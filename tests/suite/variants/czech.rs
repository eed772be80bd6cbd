//! Czech draughts: as Russian draughts, but men capture forward only, a man that is crowned stops, and a king captures first.
//!
//! Articles are those of the Czech federation.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Czech;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W21-32:B1-12", &[7, 49, 302, 1_469, 7_361, 36_768]);
    assert_squares(VARIANT, "a1", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn a4_1_men_capture_forward() {
    assert_moves(VARIANT, "W:Wd4:Bc5,e5,c3,e3", &["d4xb6 (c5)", "d4xf6 (e5)"]);
}

#[test]
fn a4_14_a_king_captures_first() {
    assert_moves(VARIANT, "W:WKe1,g1:Bf2", &["e1xg3 (f2)", "e1xh4 (f2)"]);
}

#[test]
fn a4_14_nothing_else_is_compared() {
    assert_moves(
        VARIANT,
        "W:WKf8:BKg7,Kc5,Kf4",
        &["f8xb4 (c5)", "f8xa3 (c5)", "f8xa7 (c5,f4,g7)", "f8xb6 (c5,f4,g7)"],
    );
}

#[test]
fn a_man_that_is_crowned_stops() {
    assert_moves(VARIANT, "W:Wh6:Be7,Kg7", &["h6xf8 (g7)"]);
    assert_after(VARIANT, "W:Wh6:Be7,Kg7", "h6xf8", "B:WKf8:Be7");
}
