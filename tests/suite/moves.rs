//! Complete lists of moves against `data/moves.tsv`.

use crate::common::{Placement, name, place, reading_order, rows, with_rules};
use damka::board::{Playing, squares_of};
use damka::rules::{NoMove, RuleSet, moves};

/// `from-to` or `fromxto (captured squares)`, squares as the variant writes them, in the order of their numbers.
fn listed<R: RuleSet>(fen: &str) -> Vec<String> {
    let start = Placement::read_as(fen, &R::RULES);
    let order = reading_order(&R::RULES);
    let number = |square| {
        let place = place(&R::RULES, start.white_to_move, square);
        order.iter().position(|&other| other == place).unwrap()
    };
    // On boards with all squares the lists have names, in every other one numbers.
    let algebraic = matches!(R::RULES.shape.playing, Playing::All | Playing::Points);
    let name = |number: usize| match algebraic {
        true => name(order[number]),
        false => (number + 1).to_string(),
    };
    let text = |m: &damka::rules::TurnedMove<R::Bits>| {
        let (from, to) = (name(number(m.from)), name(number(m.to)));
        let mut taken: Vec<_> = squares_of(m.taken).map(number).collect();
        taken.sort();
        let taken: Vec<_> = taken.into_iter().map(name).collect();
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
            if crate::common::variant(&row[0]) != Some(variant) {
                continue;
            }
            let mut found = with_rules!(variant, R => listed::<R>(&row[1]));
            let mut expected: Vec<_> = row[2].split("; ").collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{variant} {} ({})", row[1], row[3]);
            checked += 1;
        }
        // Giveaway has the moves of its parent, and Portuguese draughts those of Spanish.
        let giveaway = variant.rules().no_move == NoMove::Wins;
        let same = damka::Variant::ALL.iter().any(|&other| {
            other != variant && other.rules().fingerprint() == variant.rules().fingerprint()
        });
        assert!(checked > 0 || giveaway || same, "no position of {variant} is listed");
    }
}
