//! Frisian draughts: captures along rows and columns too, and the greatest value first, a king being worth slightly less than two
//! men; of equal values that of a king.

use damka::Variant;

use super::{assert_after, assert_counts, assert_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Frisian;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W31-50:B1-20", &[9, 81, 658, 3_874, 21_265]);
    assert_squares(VARIANT, "46", &[("b10", 1), ("a9", 6), ("a1", 46), ("i1", 50)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn captures_go_in_eight_directions() {
    assert_moves(VARIANT, "W:W33:B23", &["33x13 (23)"]);
    assert_moves(
        VARIANT,
        "W:W28:B18,27,38,29",
        &["28x26 (27)", "28x30 (29)", "28x48 (38)", "28x8 (18)"],
    );
    assert_moves(VARIANT, "W:WK46:B26", &["46x16 (26)", "46x6 (26)"]);
}

#[test]
fn quiet_moves_stay_on_diagonals() {
    assert_moves(
        VARIANT,
        "W:WK46:B",
        &["46-10", "46-14", "46-19", "46-23", "46-28", "46-32", "46-37", "46-41", "46-5"],
    );
    assert_moves(VARIANT, "W:W28:B23,19", &["28-22"]);
}

/// Two men are worth more than a king, and a king more than one man.
#[test]
fn a_king_is_worth_more_than_a_man() {
    assert_moves(VARIANT, "W:W32:B28,19,K38", &["32x14 (19,28)"]);
    assert_moves(VARIANT, "W:W34:B29,K40", &["34x45 (40)"]);
    assert_moves(VARIANT, "W:WK28:BK18,K19", &["28x24 (18,19)", "28x30 (18,19)", "28x35 (18,19)"]);
}

#[test]
fn of_equal_values_a_king_captures() {
    assert_moves(VARIANT, "W:W34,K46:B29,26", &["46x16 (26)", "46x6 (26)"]);
}

#[test]
fn a_man_that_can_go_on_is_not_crowned() {
    assert_moves(VARIANT, "W:W12:B7,K11", &["12x21 (7,11)"]);
}

#[test]
fn a_man_may_come_back_to_where_it_stood() {
    assert_moves(VARIANT, "W:W32:B27,28,22", &["32x32 (22,27,28)"]);
    assert_after(VARIANT, "W:W32:B27,28,22", "32x32", "B:W32:B");
}

#[test]
fn what_no_table_knows_is_said() {
    assert_eq!(VARIANT.rules().left_out.len(), 2);
}
