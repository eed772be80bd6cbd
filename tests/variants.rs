//! Counts of the slices of every variant against `data/wld_counts.tsv` and `data/published_counts.tsv`.

mod common;

use common::{rows, solved, with_rules};
use damka::Counts;
use damka::index::{Material, Pair, SliceIndex, plan};
use damka::rules::RuleSet;

/// `1K2M-0K1M`, White's pieces first, White to move.
fn material(name: &str) -> Material {
    let counts: Vec<u8> =
        name.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let [own_kings, own_men, opp_kings, opp_men] = counts[..] else { panic!("{name}") };
    Material { own_kings, own_men, opp_kings, opp_men }
}

#[test]
fn counts_of_small_slices_equal_those_of_the_reference() {
    let rows = rows("wld_counts.tsv");
    for &variant in damka::Variant::ALL {
        let rows: Vec<_> =
            rows.iter().filter(|row| common::variant(&row[0]) == Some(variant)).collect();
        assert!(!rows.is_empty(), "no counts of {variant}");
        let slices: Vec<Material> = rows.iter().map(|row| material(&row[1])).collect();
        with_rules!(variant, R => {
            let finished = solved::<R>(&slices);
            for (row, slice) in rows.iter().zip(slices) {
                let counts = finished[&Pair::of(slice)].counts(slice);
                let number = |text: &str| text.parse::<u64>().ok();
                let expected = Counts {
                    wins: number(&row[3]).unwrap(),
                    losses: number(&row[4]).unwrap(),
                    draws: number(&row[5]).unwrap(),
                    longest_win: number(&row[6]).map(|plies| plies as u16),
                    longest_loss: number(&row[7]).map(|plies| plies as u16),
                };
                assert_eq!(counts, expected, "{variant} {slice}");
                assert_eq!(number(&row[2]), Some(SliceIndex::new(R::geometry(), slice).len()));
            }
        });
    }
}

/// `wm1 wk0 bm2 bk0 white to move`, as published counts name slices.
fn published_material(name: &str) -> Option<Material> {
    let mut counts = [0; 4];
    for (count, (word, prefix)) in
        counts.iter_mut().zip(name.split(' ').zip(["wm", "wk", "bm", "bk"]))
    {
        *count = word.strip_prefix(prefix)?.parse().ok()?;
    }
    let [own_men, own_kings, opp_men, opp_kings] = counts;
    Some(Material { own_kings, own_men, opp_kings, opp_men })
}

#[test]
fn longest_wins_and_counts_on_the_large_board_equal_published_ones() {
    for variant in [damka::Variant::International, damka::Variant::Killer] {
        let rows: Vec<_> = rows("published_counts.tsv")
            .into_iter()
            .filter(|row| common::variant(&row[0]) == Some(variant))
            .filter_map(|row| Some((published_material(&row[1])?, row)))
            .collect();
        let longest = rows.iter().filter(|(_, row)| row[2] == "max_win_ply").count();
        assert_eq!(longest, 41, "{variant}");
        let slices: Vec<Material> = rows.iter().map(|(slice, _)| *slice).collect();
        with_rules!(variant, R => {
            let finished = solved::<R>(&slices);
            for (slice, row) in &rows {
                let counts = finished[&Pair::of(*slice)].counts(*slice);
                let found = match row[2].as_str() {
                    "max_win_ply" => counts.longest_win.unwrap().into(),
                    "wtm_wins" => counts.wins,
                    "wtm_losses" => counts.losses,
                    "wtm_draws" => counts.draws,
                    _ => continue,
                };
                assert_eq!(found.to_string(), row[3], "{variant} {slice} {} ({})", row[2], row[4]);
            }
        });
    }
}

#[test]
fn english_counts_equal_published_ones() {
    use damka::rules::English;
    let all: Vec<Material> =
        plan(&English::RULES, 4).iter().flat_map(|pair| pair.slices()).collect();
    let finished = solved::<English>(&all);
    let counts = |slice: Material| finished[&Pair::of(slice)].counts(slice);
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
