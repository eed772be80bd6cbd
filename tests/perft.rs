//! Numbers of move paths against `data/perft.tsv`.

mod common;

use common::{Placement, rows, with_rules};
use damka::rules::{RuleSet, perft, perft_routes};

/// Checks the counts that lie in `nodes`, of one variant or of all; how many of each variant there were.
fn check(
    nodes: std::ops::RangeInclusive<u64>,
    only: Option<damka::Variant>,
) -> Vec<(damka::Variant, usize)> {
    let mut checked: Vec<_> = damka::Variant::ALL.iter().map(|&variant| (variant, 0)).collect();
    for row in rows("perft.tsv") {
        let [name, fen, depth, count, source, _, counting] = &row[..] else {
            panic!("seven columns expected: {row:?}")
        };
        let Some(variant) = common::variant(name) else { continue };
        let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
        if !nodes.contains(&count) || only.is_some_and(|only| only != variant) {
            continue;
        }
        let found = with_rules!(variant, R => {
            let start = Placement::read_as(fen, &R::RULES).turned::<R>();
            match counting.as_str() {
                "unique" => perft::<R>(R::geometry(), &start, depth),
                "paths" => perft_routes::<R>(R::geometry(), &start, depth),
                // Apart by intermediate squares: a number that damka has no use for.
                "kish-routes" => continue,
                other => panic!("unknown counting {other}"),
            }
        });
        assert_eq!(found, count, "{name} {fen} depth {depth}, {counting} ({source})");
        // Shown with --nocapture: the large ones take minutes.
        println!("{name} {fen} depth {depth}, {counting}: {count}");
        let entry = checked.iter_mut().find(|entry| entry.0 == variant);
        entry.expect("a variant of the list").1 += 1;
    }
    checked
}

#[test]
fn small_counts_agree() {
    for (variant, rows) in check(0..=30_000_000, None) {
        assert!(rows > 0, "no count of {variant} was checked");
    }
}

/// Large counts, a test for each variant that has some, so that they can be run one by one and at once.
macro_rules! large_counts {
    ($($name:ident: $variant:ident),* $(,)?) => {
        mod large_counts {
            $(
                #[test]
                #[ignore = "takes minutes"]
                fn $name() {
                    let checked = super::check(30_000_001..=3_000_000_000, Some(damka::Variant::$variant));
                    assert!(checked.iter().any(|&(_, rows)| rows > 0));
                }
            )*

            #[test]
            fn every_variant_with_large_counts_is_listed() {
                let listed = [$(damka::Variant::$variant),*];
                for row in super::rows("perft.tsv") {
                    let large = (30_000_001..=3_000_000_000).contains(&row[3].parse::<u64>().unwrap());
                    let variant = super::common::variant(&row[0]);
                    let known = variant.is_none_or(|variant| listed.contains(&variant));
                    assert!(!large || row[6] == "kish-routes" || known, "{row:?}");
                }
            }
        }
    };
}

large_counts! {
    russian: Russian,
    brazilian: Brazilian,
    pool: Pool,
    english: English,
    italian: Italian,
    spanish: Spanish,
    portuguese: Portuguese,
    czech: Czech,
    thai: Thai,
    turkish: Turkish,
    international: International,
    killer: Killer,
    frisian: Frisian,
    canadian: Canadian,
}
