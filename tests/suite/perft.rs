//! Numbers of move paths against `data/perft.tsv`.

use crate::common::{Placement, rows, with_rules};
use damka::rules::{Perft, RuleSet, perft, perft_routes};

/// Checks the counts that lie in `nodes`, of one variant or of all, with so many remembered positions; how many counts
/// of each variant there were.
fn check(
    nodes: std::ops::RangeInclusive<u64>,
    only: Option<damka::Variant>,
    slots: usize,
) -> Vec<(damka::Variant, usize)> {
    let mut checked: Vec<_> = damka::Variant::ALL.iter().map(|&variant| (variant, 0)).collect();
    for row in rows("perft.tsv") {
        let [name, fen, depth, count, source, _, counting] = &row[..] else {
            panic!("seven columns expected: {row:?}")
        };
        let Some(variant) = crate::common::variant(name) else { continue };
        let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
        if !nodes.contains(&count) || only.is_some_and(|only| only != variant) {
            continue;
        }
        let found = with_rules!(variant, R => {
            let start = Placement::read_as(fen, &R::RULES).turned::<R>();
            match (counting.as_str(), slots) {
                ("unique", 0) => perft::<R>(R::geometry(), &start, depth),
                ("paths", 0) => perft_routes::<R>(R::geometry(), &start, depth),
                ("unique" | "paths", _) => {
                    Perft::<R>::new(counting == "paths", slots).count(R::geometry(), &start, depth)
                }
                // Apart by intermediate squares: a number that damka has no use for.
                ("kish-routes", _) => continue,
                (other, _) => panic!("unknown counting {other}"),
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

/// Counts of up to so many nodes are run in the plain way.
const SMALL: u64 = 3_000_000;

/// Counts of up to so many nodes are no ignored tests.
const MEDIUM: u64 = 30_000_000;

#[test]
fn small_counts_agree() {
    for (variant, rows) in check(0..=SMALL, None, 0) {
        assert!(rows > 0, "no count of {variant} was checked");
    }
}

/// Few slots, so that most of what is remembered makes way for something else.
#[test]
fn remembered_counts_agree() {
    for (variant, rows) in check(0..=SMALL, None, 1000) {
        assert!(rows > 0, "no count of {variant} was checked");
    }
}

#[test]
fn medium_counts_agree() {
    let checked = check(SMALL + 1..=MEDIUM, None, 1 << 18);
    let rows: usize = checked.iter().map(|(_, rows)| rows).sum();
    assert!(rows >= 52, "{rows} counts were checked");
}

/// Nodes of the largest counts that are run, in a few minutes.
const MOST: u64 = 20_000_000_000;

/// Larger counts: variant, depth, nodes. They would take from an hour to two months, so nobody has confirmed them here.
const OUT_OF_REACH: [(&str, u32, u64); 6] = [
    ("english", 15, 36_263_167_175),
    ("english", 16, 165_629_569_428),
    ("english", 17, 758_818_810_990),
    ("english", 18, 3_493_881_706_141),
    ("english", 19, 16_114_043_592_799),
    ("english", 20, 74_545_030_871_553),
];

#[test]
fn counts_out_of_reach_are_known() {
    let mut found = Vec::new();
    for row in rows("perft.tsv") {
        let (depth, count) = (row[2].parse::<u32>().unwrap(), row[3].parse::<u64>().unwrap());
        if let Some(variant) = crate::common::variant(&row[0]).filter(|_| count > MOST) {
            found.push((variant.name(), depth, count));
        }
    }
    assert_eq!(found, OUT_OF_REACH);
}

/// Large counts, a test for each variant that has some, so that they can be run one by one and at once.
macro_rules! large_counts {
    ($($name:ident: $variant:ident),* $(,)?) => {
        mod large_counts {
            $(
                #[test]
                #[ignore = "takes minutes"]
                fn $name() {
                    let checked = super::check(super::MEDIUM + 1..=super::MOST, Some(damka::Variant::$variant), 1 << 22);
                    assert!(checked.iter().any(|&(_, rows)| rows > 0));
                }
            )*

            #[test]
            fn exactly_the_variants_with_large_counts_are_listed() {
                let listed: Vec<_> = [$(damka::Variant::$variant),*].map(|v| v.name()).into();
                let mut found = std::collections::BTreeSet::new();
                for row in super::rows("perft.tsv") {
                    let large = (super::MEDIUM + 1..=super::MOST).contains(&row[3].parse::<u64>().unwrap());
                    let variant = crate::common::variant(&row[0]);
                    found.extend(variant.filter(|_| large && row[6] != "kish-routes").map(|v| v.name()));
                }
                assert_eq!(found, listed.into_iter().collect());
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
    international: International,
    killer: Killer,
    frisian: Frisian,
    canadian: Canadian,
}
