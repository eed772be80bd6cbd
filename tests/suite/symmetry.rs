//! Both colours are alike: in every variant a position and the same position turned by 180 degrees, colours exchanged, get the
//! same answers from the tables.

use crate::common::with;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::common::tables::QUICK;
use damka::board::{Bitboard, Square};
use damka::builder::{BuildOptions, build};
use damka::{Colour, Position, Tablebase, Value, Variant, legal_moves};
use proptest::prelude::*;
use tempfile::TempDir;

/// Pieces of the tables: three on small boards, two elsewhere.
fn most_pieces(variant: Variant) -> usize {
    if variant.rules().shape.squares() <= 32 { 3 } else { 2 }
}

static TABLES: LazyLock<(TempDir, HashMap<Variant, Tablebase>)> = LazyLock::new(|| {
    // A thread of its own: a build must not be waited for inside a pool.
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        let open = |&variant: &Variant| {
            let options = BuildOptions::new(variant, most_pieces(variant) as u32, folder.path());
            build(&with!(options, write = QUICK), &()).unwrap();
            (variant, Tablebase::open(variant, &[folder.path()]).unwrap())
        };
        let tables = Variant::ALL.iter().map(open).collect();
        (folder, tables)
    };
    std::thread::spawn(make).join().unwrap()
});

type Piece = (Square, Colour, bool);

fn position(variant: Variant, stm: Colour, pieces: &[Piece]) -> Option<Position> {
    let (mut men, mut kings) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
    for &(square, colour, king) in pieces {
        let sets = if king { &mut kings } else { &mut men };
        sets[colour as usize].insert(square);
    }
    Position::new(variant, stm, men, kings).ok()
}

/// A position with as many pieces as there are tables for at most, and its twin, made square by square.
fn twins() -> impl Strategy<Value = (Variant, Position, Position)> {
    let colour = || prop_oneof![Just(Colour::White), Just(Colour::Black)];
    let pieces = prop::collection::vec((any::<u8>(), colour(), any::<bool>()), 1..=3);
    (prop::sample::select(Variant::ALL), colour(), pieces).prop_filter_map(
        "a placement that is none",
        |(variant, stm, list)| {
            let squares = variant.rules().shape.squares();
            let king = |king: bool| king && variant.rules().has_kings();
            let list: Vec<Piece> = list
                .into_iter()
                .take(most_pieces(variant))
                .map(|(square, colour, k)| (Square(square % squares), colour, king(k)))
                .collect();
            let turned: Vec<Piece> = list
                .iter()
                .map(|&(square, colour, king)| {
                    (Square(squares - 1 - square.0), colour.other(), king)
                })
                .collect();
            let twin = position(variant, stm.other(), &turned)?;
            Some((variant, position(variant, stm, &list)?, twin))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        max_global_rejects: 1_000_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn twins_get_the_same_answers((variant, position, twin) in twins()) {
        let tables = &TABLES.1[&variant];
        prop_assert_eq!(position.turned(), twin);
        let value = tables.probe(&position).unwrap();
        prop_assert_eq!(tables.probe(&twin).unwrap(), value);
        prop_assert_eq!(tables.probe_wld(&position).unwrap(), value.wld());
        prop_assert_eq!(tables.probe_wld(&twin).unwrap(), value.wld());

        let moves = tables.moves(&position).unwrap();
        let twins = tables.moves(&twin).unwrap();
        prop_assert_eq!(moves.len(), legal_moves(&position).len());
        let values = |list: &[damka::probe::RatedMove]| -> Vec<Value> {
            list.iter().map(|rated| rated.for_reply().value().unwrap()).collect()
        };
        prop_assert_eq!(values(&moves), values(&twins));
        for (rated, twin) in moves.iter().zip(&twins) {
            prop_assert_eq!(rated.position.turned(), twin.position);
            prop_assert_eq!(rated.played.captured().len(), twin.played.captured().len());
            prop_assert_eq!(rated.played.promotes(), twin.played.promotes());
        }
        let lines = [&position, &twin].map(|position| tables.line(position).unwrap().moves.len());
        prop_assert_eq!(lines, [usize::from(value.plies().unwrap_or(0)); 2]);
    }
}

/// Every position of two pieces in every variant, so that none depends on luck.
#[test]
fn all_twins_of_two_pieces_get_the_same_answers() {
    for (&variant, tables) in &TABLES.1 {
        let squares = variant.rules().shape.squares();
        let mut compared = 0;
        for (white, black) in (0..squares).flat_map(|w| (0..squares).map(move |b| (w, b))) {
            for kings in [[false, false], [false, true], [true, false], [true, true]] {
                let list = [
                    (Square(white), Colour::White, kings[0]),
                    (Square(black), Colour::Black, kings[1]),
                ];
                let Some(position) = position(variant, Colour::White, &list) else { continue };
                let value = tables.probe(&position).unwrap();
                assert_eq!(tables.probe(&position.turned()).unwrap(), value, "{variant}");
                compared += 1;
            }
        }
        assert!(compared >= 600, "{variant}: {compared}");
    }
}
