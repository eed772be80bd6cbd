//! Counts of slices, solved in memory, against `data/wld_counts.tsv` and `data/published_counts.tsv`.

use damka::board::Bits;
use damka::index::{Material, Pair, SliceIndex};
use damka::solve::Kernel;
use damka::{Counts, Variant};

use crate::common::{rows, solved, with_rules};

/// `1K2M-0K1M`, White's pieces first, White to move.
fn material(name: &str) -> Material {
    let counts: Vec<u8> =
        name.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let [own_kings, own_men, opp_kings, opp_men] = counts[..] else { panic!("{name}") };
    Material { own_kings, own_men, opp_kings, opp_men }
}

/// Compares all slices of a variant that the reference has counted.
#[track_caller]
pub fn assert_counts(variant: Variant) {
    let rows: Vec<_> = rows("wld_counts.tsv")
        .into_iter()
        .filter(|row| crate::common::variant(&row[0]) == Some(variant))
        .collect();
    assert!(!rows.is_empty(), "no counts of {variant}");
    let slices: Vec<Material> = rows.iter().map(|row| material(&row[1])).collect();
    for ((row, slice), (counts, positions)) in
        rows.iter().zip(&slices).zip(counts_of(variant, &slices))
    {
        let number = |text: &str| text.parse::<u64>().ok();
        let expected = Counts {
            wins: number(&row[3]).unwrap(),
            losses: number(&row[4]).unwrap(),
            draws: number(&row[5]).unwrap(),
            longest_win: number(&row[6]).map(|plies| plies as u16),
            longest_loss: number(&row[7]).map(|plies| plies as u16),
        };
        assert_eq!(counts, expected, "{variant} {slice}");
        assert_eq!(number(&row[2]), Some(positions));
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

/// Compares the published longest wins and counts of slices; `longest` is how many of them are longest wins.
#[track_caller]
pub fn assert_published(variant: Variant, longest: usize) {
    let rows: Vec<_> = rows("published_counts.tsv")
        .into_iter()
        .filter(|row| crate::common::variant(&row[0]) == Some(variant))
        .filter_map(|row| Some((published_material(&row[1])?, row)))
        .collect();
    let found = rows.iter().filter(|(_, row)| row[2] == "max_win_ply").count();
    assert_eq!(found, longest, "{variant}");
    let slices: Vec<Material> = rows.iter().map(|(slice, _)| *slice).collect();
    for ((slice, row), (counts, _)) in rows.iter().zip(counts_of(variant, &slices)) {
        let found = match row[2].as_str() {
            "max_win_ply" => counts.longest_win.unwrap().into(),
            "wins" | "wtm_wins" => counts.wins,
            "losses" | "wtm_losses" => counts.losses,
            "draws" | "wtm_draws" => counts.draws,
            // Tables have no histogram, and other tests count positions.
            metric if metric.starts_with("histogram_") || metric == "positions" => continue,
            metric => panic!("{variant} {slice}: unknown metric {metric}"),
        };
        assert_eq!(found.to_string(), row[3], "{variant} {slice} {} ({})", row[2], row[4]);
    }
}

/// Counts of slices, and the numbers of their positions.
fn counts_of(variant: Variant, slices: &[Material]) -> Vec<(Counts, u64)> {
    fn of<B: Bits>(kernel: Kernel<B>, slices: &[Material]) -> Vec<(Counts, u64)> {
        let finished = solved(kernel, slices);
        let counts = |&slice: &Material| {
            let counts = finished[&Pair::of(slice)].counts(slice).unwrap();
            (counts, SliceIndex::new(kernel.geometry(), slice).len())
        };
        slices.iter().map(counts).collect()
    }
    with_rules!(variant, R => of(Kernel::of::<R>(), slices))
}
