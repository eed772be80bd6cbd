//! Portuguese draughts: the rules, the board and the numbers of Spanish draughts, and so the same tables but for the name.

use damka::Variant;

use super::{assert_counts, assert_moves, assert_same_moves, assert_squares, assert_start};

const VARIANT: Variant = Variant::Portuguese;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "W:W1-12:B21-32", &[7, 49, 302, 1_469, 7_361, 36_473]);
    assert_squares(VARIANT, "1", &[("h1", 1), ("b1", 4), ("g8", 29), ("a8", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

/// Article 3 has the main road from 1 to 32.
#[test]
fn kings_fly_along_the_main_road() {
    assert_moves(VARIANT, "W:WK1:B32", &["1-5", "1-10", "1-14", "1-19", "1-23", "1-28"]);
}

#[test]
fn rules_are_those_of_spanish_draughts() {
    let fingerprint = |variant: Variant| variant.rules().fingerprint();
    assert_eq!(fingerprint(VARIANT), fingerprint(Variant::Spanish));
    assert_same_moves(VARIANT, Variant::Spanish, "W:WK27,22:B26,K14,K12,K20");
    assert_eq!(VARIANT.rules().pdn_game_type, Some("28,W,8,8,N1,1"));
}
