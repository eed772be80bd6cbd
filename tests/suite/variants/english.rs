//! English draughts: kings step, men capture forward only, a man that is crowned stops, and Black begins.
//!
//! Articles are those of the WCDF.

use damka::index::{Material, Pair, plan};
use damka::rules::{English, RuleSet};
use damka::solve::Kernel;
use damka::{Counts, Variant};

use super::{
    assert_after, assert_counts, assert_moves, assert_published, assert_squares, assert_start,
};
use crate::common::rows;
use crate::common::solved;

const VARIANT: Variant = Variant::English;

#[test]
fn start_and_squares() {
    assert_start(VARIANT, "B:W21-32:B1-12", &[7, 49, 302, 1_469, 7_361, 36_768]);
    assert_squares(VARIANT, "29", &[("b8", 1), ("h8", 4), ("a1", 29), ("g1", 32)]);
}

#[test]
fn counts_of_small_slices() {
    assert_counts(VARIANT);
}

#[test]
fn a1_17_kings_step() {
    assert_moves(VARIANT, "W:WK29:B1", &["29-25"]);
    assert_moves(VARIANT, "W:WK14:B1", &["14-9", "14-10", "14-17", "14-18"]);
}

#[test]
fn a1_18_men_capture_forward_kings_both_ways() {
    assert_moves(VARIANT, "W:W18:B14,15,22,23", &["18x11 (15)", "18x9 (14)"]);
    assert_moves(
        VARIANT,
        "W:WK18:B14,15,22,23",
        &["18x11 (15)", "18x25 (22)", "18x27 (23)", "18x9 (14)"],
    );
}

#[test]
fn a1_18_men_take_kings() {
    assert_moves(VARIANT, "W:W22:BK18,K10", &["22x6 (10,18)"]);
}

#[test]
fn a1_19_a_man_that_is_crowned_stops() {
    assert_moves(VARIANT, "W:W12:B7,K8", &["12x3 (8)"]);
    assert_after(VARIANT, "W:W12:B7,K8", "12x3", "B:WK3:B7");
}

#[test]
fn a1_20_any_capture_may_be_chosen() {
    assert_moves(VARIANT, "W:WK14:B17,K18,K27", &["14x21 (17)", "14x32 (18,27)"]);
}

#[test]
fn counts_equal_published_ones() {
    assert_published(VARIANT, 1);
    let all: Vec<Material> =
        plan(&English::RULES, 4).iter().flat_map(|pair| pair.slices()).collect();
    let finished = solved(Kernel::of::<English>(), &all);
    let counts = |slice: Material| finished[&Pair::of(slice)].counts(slice).unwrap();
    let total = all.iter().map(|&slice| counts(slice)).fold(Counts::default(), Counts::merge);
    // Pixel4youcorp/checkers-endgame-tablebase: 2 to 4 pieces, one side to move.
    assert_eq!((total.wins, total.losses, total.draws), (2_675_270, 2_004_797, 1_728_769));
    assert_eq!(total.longest_win, Some(109));
    let mut checked = 0;
    for row in rows("published_counts.tsv") {
        if row[0] != "english" || row[2] != "white_win/black_win/draw" {
            continue;
        }
        // `WK+WM v BK, black to move`
        let (pieces, to_move) = row[1].split_once(", ").unwrap();
        let number = |piece| pieces.matches(piece).count() as u8;
        let white = Material {
            own_kings: number("WK"),
            own_men: number("WM"),
            opp_kings: number("BK"),
            opp_men: number("BM"),
        };
        let found = match to_move {
            "white to move" => counts(white),
            _ => counts(white.twin()),
        };
        let (white_wins, black_wins) = match to_move {
            "white to move" => (found.wins, found.losses),
            _ => (found.losses, found.wins),
        };
        assert_eq!(format!("{white_wins}/{black_wins}/{}", found.draws), row[3], "{}", row[1]);
        checked += 1;
    }
    assert_eq!(checked, 20);
}
