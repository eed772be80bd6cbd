//! Numbers of move paths against `data/perft.tsv`.

mod common;

use common::{Placement, rows, with_rules};
use damka::rules::{RuleSet, perft, perft_routes};

/// Checks the counts of damka's variants that lie in `nodes`; how many of each variant there were.
fn check(nodes: std::ops::RangeInclusive<u64>) -> Vec<(damka::Variant, usize)> {
    let mut checked: Vec<_> = damka::Variant::ALL.iter().map(|&variant| (variant, 0)).collect();
    for row in rows("perft.tsv") {
        let [name, fen, depth, count, source, _, counting] = &row[..] else {
            panic!("seven columns expected: {row:?}")
        };
        let Some(variant) = common::variant(name) else { continue };
        let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
        if !nodes.contains(&count) {
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
        let entry = checked.iter_mut().find(|entry| entry.0 == variant);
        entry.expect("a variant of the list").1 += 1;
    }
    checked
}

fn assert_checked(checked: &[(damka::Variant, usize)]) {
    for (variant, rows) in checked {
        assert!(*rows > 0, "no count of {variant} was checked");
    }
}

#[test]
fn small_counts_agree() {
    assert_checked(&check(0..=30_000_000));
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn large_counts_agree() {
    assert_checked(&check(30_000_001..=3_000_000_000));
}
