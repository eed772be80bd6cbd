//! Positions and moves of another variant than that they are asked in, for every pair of variants: an error, no panic and no answer.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::LazyLock;

use crate::common::Rng;
use crate::common::tables::lasting_tables_of;
use damka::board::{Bitboard, Square};
use damka::notation::{
    MoveError, MoveWriter, diagram, parse_fen, parse_move, start_position, write_fen, write_hub,
    write_move, write_move_with,
};
use damka::probe::ProbeError;
use damka::{Colour, Position, Tablebase, Variant, legal_moves};

/// Tables of all positions of two pieces, by variant.
static ALL: LazyLock<Vec<Tablebase>> = LazyLock::new(|| {
    let open = |&variant: &Variant| {
        Tablebase::open(variant, &[lasting_tables_of(variant, 2)]).expect("a folder of tables")
    };
    Variant::ALL.iter().map(open).collect()
});

/// Positions with a piece or none of each side, on the first squares and on the last ones; the start.
fn positions(variant: Variant) -> Vec<Position> {
    let squares = variant.rules().shape.squares();
    let mut rng = Rng(7);
    let mut found = vec![start_position(variant)];
    while found.len() < 60 {
        let mut sets = [Bitboard::EMPTY; 4];
        for side in 0..2 {
            if !rng.chance(8) {
                let high = rng.chance(2) as usize * (squares as usize - 8);
                let king = variant.rules().has_kings() && rng.chance(2);
                sets[side + 2 * king as usize].insert(Square((high + rng.below(8)) as u8));
            }
        }
        let side = if rng.chance(2) { Colour::White } else { Colour::Black };
        found.extend(Position::new(variant, side, [sets[0], sets[1]], [sets[2], sets[3]]));
    }
    found
}

/// Whether it is the error for these two variants; any other outcome fails the test.
#[track_caller]
fn refused<T: Debug>(tables: Variant, asked: &Position, found: Result<T, ProbeError>) {
    match found {
        Err(ProbeError::OtherVariant { expected, found }) => {
            assert_eq!((expected, found), (tables, asked.variant()));
        }
        other => panic!("{} asked of {tables}: {other:?}", write_fen(asked)),
    }
}

#[test]
fn positions_of_other_variants_are_refused_by_tables() {
    let mut pairs = 0;
    for tables in &*ALL {
        let variant = tables.variant();
        for &other in Variant::ALL {
            let positions = positions(other);
            let blocks = tables.decoded_blocks();
            for position in &positions {
                if variant == other {
                    let few = position.piece_count() <= 2;
                    assert_eq!(tables.probe(position).is_ok(), few, "{}", write_fen(position));
                    assert_eq!(tables.line(position).is_ok(), few);
                    continue;
                }
                tables.prefetch(position);
                refused(variant, position, tables.probe(position));
                refused(variant, position, tables.probe_wld(position));
                refused(variant, position, tables.probe_cached(position));
                refused(variant, position, tables.probe_wld_cached(position));
                refused(variant, position, tables.moves(position));
                refused(variant, position, tables.line(position));
            }
            if variant == other {
                continue;
            }
            let (values, results) =
                (tables.probe_many(&positions), tables.probe_wld_many(&positions));
            assert_eq!((values.len(), results.len()), (positions.len(), positions.len()));
            for ((position, value), result) in positions.iter().zip(values).zip(results) {
                refused(variant, position, value);
                refused(variant, position, result);
            }
            assert_eq!(tables.decoded_blocks(), blocks, "{other} asked of {variant}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, 20 * 19);
}

/// Some of several variants among those that can be answered.
#[test]
fn one_position_of_another_variant_costs_the_others_nothing() {
    let tables = ALL.iter().find(|tables| tables.variant() == Variant::Russian).unwrap();
    let own = positions(Variant::Russian)[1..].to_vec();
    let mixed: Vec<Position> =
        own.iter().copied().zip(positions(Variant::Canadian)).flat_map(<[_; 2]>::from).collect();
    for (place, answer) in tables.probe_many(&mixed).into_iter().enumerate() {
        match place % 2 {
            0 => assert_eq!(answer.unwrap(), tables.probe(&mixed[place]).unwrap()),
            _ => refused(Variant::Russian, &mixed[place], answer),
        }
    }
}

#[test]
fn moves_of_other_variants_are_not_written() {
    let (mut pairs, mut same_squares) = (HashSet::new(), 0);
    for &variant in Variant::ALL {
        for position in positions(variant) {
            let own = legal_moves(&position);
            let names = variant.rules().squares;
            let writer = MoveWriter::new(&position, names);
            for &other in Variant::ALL {
                for (played, _) in legal_moves(&positions(other)[0]) {
                    let texts = [
                        write_move(&position, &played),
                        write_move_with(&position, &played, names),
                        writer.write(&played),
                    ];
                    let legal = own.iter().any(|(own, _)| *own == played);
                    assert!(!legal || variant == other);
                    for text in texts {
                        match text {
                            Ok(text) => {
                                assert!(legal, "{text} in {}", write_fen(&position));
                                assert_eq!(parse_move(&position, &text), Ok(played.clone()));
                            }
                            Err(MoveError::OtherVariant { expected, found }) => {
                                assert_eq!((expected, found), (variant, other));
                                assert_ne!(expected, found);
                            }
                            Err(MoveError::Illegal { .. }) => {
                                assert!(!legal && variant == other);
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                    // Legal but for its variant.
                    let ends = (played.from(), played.to());
                    same_squares += (variant != other
                        && own.iter().any(|(m, _)| (m.from(), m.to()) == ends))
                        as u32;
                }
                pairs.insert((variant, other));
            }
        }
    }
    assert_eq!(pairs.len(), 400);
    assert!(same_squares > 100, "{same_squares}");
}

/// Everything else that takes a position is about that position alone.
#[test]
fn a_position_is_one_of_its_variant() {
    let mut seen = HashSet::new();
    for &variant in Variant::ALL {
        for position in positions(variant) {
            assert_eq!(position.variant(), variant);
            assert_eq!(position.turned().variant(), variant);
            assert!(
                legal_moves(&position)
                    .iter()
                    .all(|(m, after)| { (m.variant(), after.variant()) == (variant, variant) })
            );
            for text in [write_fen(&position), write_hub(&position)] {
                assert_eq!(parse_fen(variant, &text), Ok(position));
            }
            assert_eq!(diagram(&position).lines().count() as u8, {
                let letters = variant.rules().squares == damka::rules::SquareNames::Algebraic;
                variant.rules().shape.height + 1 + u8::from(letters)
            });
            seen.insert(position);
        }
    }
    // The same pieces in two variants are two positions.
    let [russian, brazilian] = [Variant::Russian, Variant::Brazilian]
        .map(|variant| parse_fen(variant, "W:WKa1:BKh8").unwrap());
    assert_ne!(russian, brazilian);
    assert_eq!((russian.men(Colour::White), russian.kings(Colour::White)), {
        (brazilian.men(Colour::White), brazilian.kings(Colour::White))
    });
    let by_variant = |variant| seen.iter().filter(|position| position.variant() == variant).count();
    assert!(Variant::ALL.iter().all(|&variant| by_variant(variant) > 30));
}
