//! What is particular to each variant, a module for each: the positions that its rules are known by, its start, its
//! squares, and the counts of its small slices.
//!
//! What holds for all variants alike is tested over all of them, in the other test files.

mod counts;

mod alquerque;
mod brazilian;
mod brazilian_giveaway;
mod canadian;
mod czech;
mod english;
mod english_giveaway;
mod frisian;
mod international;
mod international_giveaway;
mod italian;
mod killer;
mod pool;
mod portuguese;
mod russian;
mod russian_giveaway;
mod russian_majority;
mod spanish;
mod thai;
mod turkish;

use crate::common::with;
use std::path::Path;

use damka::board::Square;
use damka::builder::{BuildOptions, build};
use damka::notation::{
    parse_fen, parse_move, parse_square, square_name, write_fen, write_move_with,
};
use damka::rules::SquareNames;
use damka::{Move, Position, Tablebase, Value, Variant, legal_moves};

use crate::common::tables::QUICK;
use counts::{assert_counts, assert_published};

fn read(variant: Variant, fen: &str) -> Position {
    parse_fen(variant, fen).unwrap_or_else(|error| panic!("{variant} {fen}: {error}"))
}

/// A move with the names and signs of its variant, and what it takes: `22x15 (18)`, `c3-d4`.
fn described(variant: Variant, played: &Move) -> String {
    let rules = variant.rules();
    let [from, to] =
        [played.from(), played.to()].map(|square| square_name(variant, rules.squares, square));
    let sign = if played.is_capture() { rules.capture_sign } else { '-' };
    let short = format!("{from}{sign}{to}");
    let mut taken: Vec<Square> = played.captured().into_iter().collect();
    let number = |square| square_name(variant, SquareNames::Numeric, square).parse::<u8>().unwrap();
    taken.sort_by_cached_key(|&square| match rules.squares {
        SquareNames::Numeric => format!("{:02}", number(square)),
        SquareNames::Algebraic => square_name(variant, SquareNames::Algebraic, square),
    });
    let taken: Vec<_> =
        taken.into_iter().map(|square| square_name(variant, rules.squares, square)).collect();
    if taken.is_empty() { short } else { format!("{short} ({})", taken.join(",")) }
}

/// Checks the complete list of moves of a position.
#[track_caller]
fn assert_moves(variant: Variant, fen: &str, expected: &[&str]) {
    let legal = legal_moves(&read(variant, fen));
    let mut found: Vec<_> = legal.iter().map(|(played, _)| described(variant, played)).collect();
    let mut expected = expected.to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{variant} {fen}");
}

/// Checks what a move leads to.
#[track_caller]
fn assert_after(variant: Variant, fen: &str, text: &str, after: &str) {
    let position = read(variant, fen);
    let played = parse_move(&position, text).unwrap_or_else(|error| panic!("{error}"));
    let legal = legal_moves(&position);
    let (_, found) = legal.into_iter().find(|(m, _)| *m == played).expect("a legal move");
    assert_eq!(write_fen(&found), after, "{variant} {fen} {text}");
}

fn count_paths(position: &Position, depth: usize) -> u64 {
    let legal = legal_moves(position);
    match depth {
        1 => legal.len() as u64,
        _ => legal.iter().map(|(_, after)| count_paths(after, depth - 1)).sum(),
    }
}

/// Checks who begins, and the numbers of move paths of 1, 2, ... moves from the start.
#[track_caller]
fn assert_start(variant: Variant, fen: &str, paths: &[u64]) {
    let start = read(variant, fen);
    assert_eq!(start.stm(), variant.rules().first_mover, "{variant}");
    for (depth, &expected) in (1..).zip(paths) {
        assert_eq!(count_paths(&start, depth), expected, "{variant} depth {depth}");
    }
}

/// Checks numbers of squares, and which kind of name `own` is: the one that the variant writes.
#[track_caller]
fn assert_squares(variant: Variant, own: &str, names: &[(&str, u8)]) {
    let rules = variant.rules();
    for &(name, number) in names {
        let square = parse_square(variant, name).unwrap();
        assert_eq!(parse_square(variant, &number.to_string()), Ok(square), "{variant} {name}");
        assert_eq!(square_name(variant, SquareNames::Algebraic, square), name, "{variant}");
        assert_eq!(square_name(variant, SquareNames::Numeric, square), number.to_string());
    }
    let square = parse_square(variant, own).unwrap();
    assert_eq!(square_name(variant, rules.squares, square), own, "{variant}");
}

/// Checks that who has no move has won, and who takes the last piece has lost. `blocked` is a position of three pieces
/// in which White cannot move.
#[track_caller]
fn assert_played_to_lose(variant: Variant, blocked: &str) {
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions::new(variant, 3, folder.path());
    build(&with!(options, write = QUICK), &()).unwrap();
    let tables = Tablebase::open(variant, &[folder.path()]).unwrap();
    assert!(legal_moves(&read(variant, blocked)).is_empty(), "{blocked}");
    let value = |fen: &str| tables.probe(&read(variant, fen)).unwrap();
    assert_eq!(value(blocked), Value::Win(0), "{variant} {blocked}");
    assert_eq!(value("W:W:BK1"), Value::Win(0), "{variant}");
    assert_eq!(value("B:W:BK1"), Value::Loss(1), "{variant}");
}

/// Checks that two variants have the same moves in a position.
#[track_caller]
fn assert_same_moves(variant: Variant, parent: Variant, fen: &str) {
    let list = |variant| -> Vec<String> {
        let position = read(variant, fen);
        let legal = legal_moves(&position).into_iter();
        let names = SquareNames::Numeric;
        legal.map(|(m, _)| write_move_with(&position, &m, names).unwrap()).collect()
    };
    assert_eq!(list(variant), list(parent), "{variant} {fen}");
}

#[test]
fn every_variant_has_a_module() {
    for variant in Variant::ALL {
        let file = format!("tests/suite/variants/{}.rs", variant.name().replace('-', "_"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        assert!(path.exists(), "{file}");
    }
}
