//! American pool checkers: as Russian draughts, but a man that reaches the last row in mid-capture goes on as a man, and
//! Black begins.
//!
//! Articles are those of the tournament rules of the APCA.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Pool;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "B:W21-32:B1-12", &[7, 49, 302, 1_469, 7_482, 37_986]);
    assert_squares(VARIANT, "29", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

/// One text has it that men capture forward only; the association does not.
#[test]
fn a14_men_capture_forward_and_backward() {
    assert_moves(
        VARIANT,
        "W:W18:B14,15,22,23",
        &["18x11 (15)", "18x25 (22)", "18x27 (23)", "18x9 (14)"],
    );
}

#[test]
fn a16_a_man_that_can_go_on_is_not_crowned() {
    assert_moves(VARIANT, "W:W12:B7,K8", &["12x10 (7,8)"]);
    assert_after(VARIANT, "W:W12:B7,K8", "12x10", "B:W10:B");
    assert_after(VARIANT, "W:W12:B8", "12x3", "B:WK3:B");
}

#[test]
fn a20_any_capture_may_be_chosen() {
    assert_moves(
        VARIANT,
        "W:WK13:B16,17,18,25,27",
        &["13x12 (16,17)", "13x29 (16,17,18,25,27)", "13x29 (17,25)", "13x31 (16,17,18,27)"],
    );
}

#[test]
fn captured_pieces_stay_until_the_end() {
    assert_moves(
        VARIANT,
        "W:WK12:B8,10,16,18",
        &["12x1 (10,16)", "12x12 (8,10,16,18)", "12x6 (10,16)"],
    );
}
