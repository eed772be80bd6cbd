//! International draughts: ten by ten, flying kings, and the most pieces, whatever they are.
//!
//! Articles are those of the FMJD.

use damka::Variant;

use super::{
    assert_after, assert_counts, assert_moves, assert_published, assert_squares, assert_start,
};

const VARIANT: Variant = Variant::International;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W31-50:B1-20", &[9, 81, 658, 4_265, 27_117]);
    assert_squares(VARIANT, "46", &[("b10", 1), ("a9", 6), ("a1", 46), ("i1", 50)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn a4_2_men_capture_forward_and_backward() {
    assert_moves(VARIANT, "W:W35:B30,K40", &["35x24 (30)", "35x44 (40)"]);
}

#[test]
fn a4_3_kings_land_on_any_square_behind() {
    assert_moves(VARIANT, "W:WK46:B23", &["46x10 (23)", "46x14 (23)", "46x19 (23)", "46x5 (23)"]);
}

#[test]
fn a4_8_pieces_leave_after_the_move() {
    assert_moves(VARIANT, "W:WK41,49:B9,10,12,19,38", &["41x43 (9,12,19,38)"]);
}

#[test]
fn a4_13_the_most_pieces_first() {
    assert_moves(VARIANT, "W:W48:B24,K31,34,K42,43", &["48x19 (24,34,43)"]);
}

#[test]
fn a4_14_kings_count_no_more_than_men() {
    assert_moves(VARIANT, "W:W26:B12,K21,31,32", &["26x28 (31,32)", "26x8 (12,21)"]);
}

#[test]
fn a4_15_a_man_that_can_go_on_is_not_crowned() {
    assert_moves(VARIANT, "W:W15:B9,10", &["15x13 (9,10)"]);
    assert_after(VARIANT, "W:W15:B9,10", "15x13", "B:W13:B");
    assert_after(VARIANT, "W:W8:B45", "8-3", "B:WK3:B45");
}

#[test]
fn counts_equal_published_ones() {
    assert_published(VARIANT, 41);
}
