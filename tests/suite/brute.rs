//! The brute-force solver of these tests against published numbers, and damka's moves against its.

use crate::common::brute::{self, BruteValue, RUSSIAN};
use crate::common::{Placement, Rng, placement, rows, with_rules};
use damka::rules::RuleSet;

/// Data about a material, White to move: positions, wins, losses, draws, longest win and loss.
type Counts = (u64, u64, u64, u64, Option<u16>, Option<u16>);

fn counted(values: impl Iterator<Item = BruteValue>) -> Counts {
    let mut counts: Counts = (0, 0, 0, 0, None, None);
    for value in values {
        counts.0 += 1;
        match value {
            BruteValue::Win(plies) => {
                counts.1 += 1;
                counts.4 = counts.4.max(Some(plies));
            }
            BruteValue::Loss(plies) => {
                counts.2 += 1;
                counts.5 = counts.5.max(Some(plies));
            }
            BruteValue::Draw => counts.3 += 1,
        }
    }
    counts
}

/// Compares all solved materials that the data list; returns how many there were.
fn compare_with_data(variant: &str, values: &brute::Values) -> usize {
    let mut compared = 0;
    for material in values.materials() {
        let name = material.name();
        let Some(row) =
            rows("wld_counts.tsv").into_iter().find(|row| row[0] == variant && row[1] == name)
        else {
            continue;
        };
        let number = |column: usize| row[column].parse::<u64>().unwrap();
        let plies = |column: usize| row[column].parse::<u16>().ok();
        let expected = (number(2), number(3), number(4), number(5), plies(6), plies(7));
        for to_move in [true, false] {
            // Black to move in the flipped material is the same as White to move in this one.
            let whose = if to_move { material } else { material.flipped() };
            let these = values.of(whose).filter(|&(_, white, _)| white == to_move);
            let found = counted(these.map(|(_, _, value)| value));
            assert_eq!(found, expected, "{variant} {name}, White to move: {to_move}");
        }
        compared += 1;
    }
    compared
}

fn assert_symmetric(values: &brute::Values) {
    for (board, white_to_move, value) in values.iter() {
        let flipped = values.get(&board.flipped(), !white_to_move);
        assert_eq!(flipped, Some(value), "{}", board.fen(white_to_move));
    }
}

#[test]
fn three_pieces_agree_with_the_data_and_colours_are_alike() {
    let values = brute::solve(3);
    assert_eq!(compare_with_data("russian", &values), 16);
    assert_symmetric(&values);
    let two_sided = values.iter().filter(|&(_, white_to_move, _)| white_to_move);
    assert_eq!(two_sided.count(), 3_488 + 196_032);
    for (board, white_to_move, _) in values.iter().step_by(29) {
        let claim = |board: &brute::Board, white| values.get(board, white).unwrap();
        brute::check_one_ply(&RUSSIAN, &board, white_to_move, claim).unwrap();
    }
}

#[test]
fn three_pieces_of_other_games_agree_with_the_data() {
    for variant in ["russian_giveaway", "brazilian", "english"] {
        let game = brute::game(variant).unwrap();
        let values = brute::solve_materials(&game, &brute::materials(3));
        assert!(compare_with_data(variant, &values) >= 16, "{variant}");
    }
}

/// All four-piece materials of kings, and a king and a man against the same with what it leads to.
#[test]
fn families_of_four_pieces_agree_with_the_data() {
    let start = [[3, 0, 1, 0], [1, 0, 3, 0], [1, 1, 1, 1]].map(brute::Material);
    let values = brute::solve_materials(&RUSSIAN, &brute::closure(&start));
    let four = values.materials().filter(|material| material.pieces() == 4).count();
    assert_eq!(four, 6);
    assert_eq!(compare_with_data("russian", &values), values.materials().count());
    assert_symmetric(&values);
}

#[test]
#[ignore = "takes a minute"]
fn four_pieces_agree_with_the_data() {
    let values = brute::solve(4);
    assert_eq!(compare_with_data("russian", &values), 27);
    assert_symmetric(&values);
}

#[test]
fn a_wrong_claim_is_noticed() {
    let values = brute::solve(2);
    let board = brute::Board::of(&Placement::read("W:WKa1:BKh8", 8), 8);
    assert_eq!(values.get(&board, true), Some(BruteValue::Loss(2)));
    let right = |board: &brute::Board, white| values.get(board, white).unwrap();
    assert_eq!(brute::check_one_ply(&RUSSIAN, &board, true, right), Ok(()));
    let too_soon = |asked: &brute::Board, white| {
        if *asked == board { BruteValue::Loss(0) } else { right(asked, white) }
    };
    assert!(brute::check_one_ply(&RUSSIAN, &board, true, too_soon).is_err());
}

/// Every listed count of up to 40,000 paths, of every game that the solver knows.
#[test]
fn move_counts_agree_with_the_data() {
    let mut russian = 0;
    for row in rows("perft.tsv") {
        let Some(game) = brute::game(&row[0]) else { continue };
        let nodes: u64 = row[3].parse().unwrap();
        if row[6] != "unique" || nodes > 40_000 {
            continue;
        }
        let start = Placement::read(&row[1], game.size);
        let board = brute::Board::of(&start, game.size);
        let depth = row[2].parse().unwrap();
        let found = brute::perft(&game, &board, start.white_to_move, depth);
        assert_eq!(found, nodes, "{} {} depth {depth}", row[0], row[1]);
        russian += u32::from(row[0] == "russian");
    }
    assert!(russian >= 50, "{russian} counts of Russian draughts");
}

/// damka's moves and the solver's, and the positions they lead to.
fn assert_same_moves<R: RuleSet>(game: &brute::Game, board: &brute::Board, white: bool) {
    let fen = board.fen(white);
    let turned = Placement::read(&fen, game.size).turned::<R>();
    let mut found: Vec<_> = damka::rules::moves::<R>(R::geometry(), &turned)
        .iter()
        .map(|m| {
            let after = placement::<R>(&m.after, !white);
            let board = brute::Board::of(&after, game.size).fen(!white);
            (crate::common::describe::<R>(m, white), board)
        })
        .collect();
    let mut expected: Vec<_> = brute::moves(game, board, white)
        .iter()
        .map(|m| (m.describe(), board.after(m).fen(!white)))
        .collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{fen}");
}

#[test]
fn moves_of_random_positions_are_the_same() {
    let mut checked = 0;
    for &variant in damka::Variant::ALL {
        let Some(game) = brute::game(&variant.name().replace('-', "_")) else { continue };
        let mut rng = Rng(0x5eed);
        for round in 0..30_000 {
            let board = brute::random_board(&game, &mut rng, 2 + round % 11);
            for white in [true, false] {
                with_rules!(variant, R => assert_same_moves::<R>(&game, &board, white));
            }
        }
        checked += 1;
    }
    assert!(checked > 0);
}

/// Many captures: one side has few kings, the other many men.
#[test]
fn moves_of_positions_full_of_captures_are_the_same() {
    let mut rng = Rng(0xcafe);
    for round in 0..10_000 {
        let board = brute::random_board(&RUSSIAN, &mut rng, 3 + round % 10);
        // Whatever White has more than two of becomes Black's.
        let mut uneven = board;
        for (at, piece) in board.pieces().filter(|&(_, p)| p.eq_ignore_ascii_case(&b'w')).skip(2) {
            let crowned = at.1 == 0 || piece == brute::WHITE_KING;
            uneven.set(at, if crowned { brute::BLACK_KING } else { brute::BLACK_MAN });
        }
        for white in [true, false] {
            with_rules!(damka::Variant::Russian, R => {
                assert_same_moves::<R>(&RUSSIAN, &uneven, white);
            });
        }
    }
}
