//! Complete lists of moves against `data/moves.tsv`.

mod common;

use common::{Placement, number, place, rows, with_rules};
use damka::board::squares_of;
use damka::rules::{RuleSet, moves};

/// `from-to` or `fromxto (captured squares)`, by numbers from White's top left.
fn listed<R: RuleSet>(fen: &str) -> Vec<String> {
    let size = R::RULES.shape.width.into();
    let start = Placement::read(fen, size);
    let name = |square| number(place(&R::RULES, start.white_to_move, square), size);
    let text = |m: &damka::rules::TurnedMove<R::Bits>| {
        let (from, to) = (name(m.from), name(m.to));
        let mut taken: Vec<_> = squares_of(m.taken).map(name).collect();
        taken.sort();
        let taken: Vec<_> = taken.iter().map(usize::to_string).collect();
        match taken.is_empty() {
            true => format!("{from}-{to}"),
            false => format!("{from}x{to} ({})", taken.join(",")),
        }
    };
    moves::<R>(R::geometry(), &start.turned::<R>()).iter().map(text).collect()
}

#[test]
fn listed_positions_have_exactly_these_moves() {
    for &variant in damka::Variant::ALL {
        let mut checked = 0;
        for row in rows("moves.tsv") {
            if common::variant(&row[0]) != Some(variant) {
                continue;
            }
            let mut found = with_rules!(variant, R => listed::<R>(&row[1]));
            let mut expected: Vec<_> = row[2].split("; ").collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{variant} {} ({})", row[1], row[3]);
            checked += 1;
        }
        assert!(checked > 0, "no position of {variant} is listed");
    }
}
