//! Texts of positions and moves: round trips over random positions, and legal moves against
//! an independent list. Texts of games that nobody wrote on purpose.

use std::collections::BTreeSet;

use damka::board::{Bitboard, Playing, Square};
use damka::notation::{
    MoveWriter, parse_fen, parse_move, parse_pdn, parse_square, square_name, start_position,
    write_fen, write_fen_with, write_hub, write_move, write_move_with,
};
use damka::rules::{KingRange, Landing, NoMove, SquareNames, Variant};
use damka::{Colour, Move, Position, legal_moves};
use proptest::prelude::*;

/// A position of these pieces (square, colour, whether a king). Of pieces on one square the first
/// stays, and men are crowned where they must be.
fn placed(variant: Variant, stm: Colour, pieces: &[(u8, Colour, bool)]) -> Position {
    let rules = variant.rules();
    let mut men = [Bitboard::EMPTY; 2];
    let mut kings = [Bitboard::EMPTY; 2];
    for &(square, colour, king) in pieces {
        let square = Square(square % rules.shape.squares());
        if men.iter().chain(&kings).any(|set| set.contains(square)) {
            continue;
        }
        let mut man = [Bitboard::EMPTY; 2];
        man[colour as usize].insert(square);
        let as_man = Position::new(variant, stm, man, [Bitboard::EMPTY; 2]).is_ok();
        let king = king && rules.has_kings();
        let sets = if king || !as_man { &mut kings } else { &mut men };
        sets[colour as usize].insert(square);
    }
    Position::new(variant, stm, men, kings).expect("one legal piece a square")
}

fn colour() -> impl Strategy<Value = Colour> {
    prop_oneof![Just(Colour::White), Just(Colour::Black)]
}

fn variant() -> impl Strategy<Value = Variant> {
    prop::sample::select(Variant::ALL)
}

fn position() -> impl Strategy<Value = (Variant, Position)> {
    let pieces = prop::collection::vec((any::<u8>(), colour(), any::<bool>()), 0..14);
    (variant(), colour(), pieces)
        .prop_map(|(variant, stm, pieces)| (variant, placed(variant, stm, &pieces)))
}

/// Few kings against many pieces: long captures, and several with the same first and last square.
fn rich_position() -> impl Strategy<Value = (Variant, Position)> {
    let kings = prop::collection::vec(any::<u8>(), 1..3);
    let others = prop::collection::vec((any::<u8>(), any::<bool>()), 3..10);
    (variant(), colour(), kings, others).prop_map(|(variant, stm, kings, others)| {
        let kings = kings.into_iter().map(|square| (square, stm, true));
        let others = others.into_iter().map(|(square, king)| (square, stm.other(), king));
        (variant, placed(variant, stm, &kings.chain(others).collect::<Vec<_>>()))
    })
}

/// Every form in which a position is written.
fn written_forms(position: &Position) -> Vec<String> {
    vec![
        write_fen(position),
        write_fen_with(position, SquareNames::Algebraic),
        write_fen_with(position, SquareNames::Numeric),
        write_hub(position),
    ]
}

/// Checks every legal move of a position; the number of those that need long notation.
fn check_moves(variant: Variant, position: &Position) -> usize {
    let all: Vec<Move> = legal_moves(position).into_iter().map(|(m, _)| m).collect();
    let mut texts = BTreeSet::new();
    let mut long = 0;
    for played in &all {
        for names in [SquareNames::Algebraic, SquareNames::Numeric] {
            let text = write_move_with(position, played, names).unwrap();
            assert!(texts.insert(text.clone()), "{text} is written twice");
            let read = parse_move(position, &text);
            assert_eq!(read.as_ref(), Ok(played), "{text} in {}", write_fen(position));
            if names == variant.rules().squares {
                assert_eq!(text, write_move(position, played).unwrap());
                assert_eq!(text, MoveWriter::new(position, names).write(played).unwrap());
                let sign = variant.rules().capture_sign;
                long += usize::from(played.is_capture() && text.matches(sign).count() > 1);
            }
        }
        // All landing squares, whether needed or not.
        let way = std::iter::once(played.from()).chain(played.via().iter().copied());
        let squares = way.chain([played.to()]);
        let names = squares.map(|sq| square_name(variant, SquareNames::Numeric, sq));
        let text = names.collect::<Vec<_>>().join("-");
        if !played.via().is_empty() {
            assert_eq!(parse_move(position, &text).as_ref(), Ok(played), "{text}");
        }
    }
    long
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_written_form_reads_back((variant, position) in position()) {
        for text in written_forms(&position) {
            let dot = if text.contains(':') { "." } else { "" };
            for dressed in [
                text.clone(),
                format!("[FEN \"{text}\"]"),
                format!("\"{text}{dot}\""),
                text.replace(':', " : ").replace(',', " , ").replace('K', "K "),
            ] {
                prop_assert_eq!(parse_fen(variant, &dressed), Ok(position), "{}", dressed);
            }
        }
        let lidraughts =
            format!("{}:H3:F17", write_fen_with(&position, SquareNames::Numeric));
        prop_assert_eq!(parse_fen(variant, &lidraughts), Ok(position));
    }

    #[test]
    fn small_letters_read_the_same((variant, position) in position()) {
        // On wider boards a small k is a file.
        prop_assume!(variant.rules().shape.width <= 10);
        let text = write_fen(&position).to_lowercase();
        prop_assert_eq!(parse_fen(variant, &text), Ok(position));
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>(), variant in variant()) {
        let _ = parse_fen(variant, &text);
        let _ = parse_square(variant, &text);
    }

    #[test]
    fn text_of_the_right_letters_never_panics(
        text in "[WBZwbzKkGPHFE?:,.0-9a-i+\\[\\]\"' -]{0,60}",
        variant in variant(),
    ) {
        if let Ok(position) = parse_fen(variant, &text) {
            prop_assert_eq!(parse_fen(variant, &write_fen(&position)), Ok(position));
        }
    }

    #[test]
    fn text_of_games_never_panics(
        text in any::<String>(),
        likely in "([\\[\\](){};$%*\"!?. \\n\\\\0-9a-hx:-]|1-0|1/2-1/2|c3-d4|\\[FEN \"W:Wc3:Bb8\"\\]|\\[GameType \"25,){0,40}",
        variant in variant(),
    ) {
        for text in [text, likely] {
            let mut before = 0;
            for game in parse_pdn(&text).flatten() {
                // Every game begins behind the one before, or on its line.
                prop_assert!((before.max(1)..=text.lines().count()).contains(&game.line()));
                before = game.line();
                let _ = (game.start(variant), game.end(variant), game.outcome(variant));
            }
        }
    }

    #[test]
    fn changed_text_is_refused_or_reads_back(
        (variant, position) in position(),
        form in 0usize..4,
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..4, "[WBZwbzKkGPHFEe?:,.0-9a-i+ \\-\u{e9}]"),
            1..4,
        ),
    ) {
        let mut text: Vec<char> = written_forms(&position)[form].chars().collect();
        for (place, edit, letter) in edits {
            if text.is_empty() {
                break;
            }
            let place = place.index(text.len());
            let letter = letter.chars().next().expect("one letter");
            match edit {
                0 => { text.remove(place); }
                1 => text.insert(place, letter),
                2 => text[place] = letter,
                _ => text.extend_from_within(place..),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(read) = parse_fen(variant, &text) {
            for again in written_forms(&read) {
                prop_assert_eq!(parse_fen(variant, &again), Ok(read), "{}", again);
            }
        }
    }

    #[test]
    fn every_move_reads_back((variant, position) in position()) {
        check_moves(variant, &position);
    }

    #[test]
    fn every_move_of_rich_positions_reads_back((variant, position) in rich_position()) {
        check_moves(variant, &position);
    }

    #[test]
    fn text_of_moves_never_panics(
        (_, position) in position(),
        text in any::<String>(),
        likely in "[a-h0-9x: -]{0,20}",
    ) {
        let _ = parse_move(&position, &text);
        let _ = parse_move(&position, &likely);
    }

    #[test]
    fn moves_are_seen_from_the_same_side_by_both_colours((variant, position) in position()) {
        let squares = variant.rules().shape.squares();
        let turn = |square: Square| Square(squares - 1 - square.0);
        let here = legal_moves(&position);
        let there = legal_moves(&position.turned());
        prop_assert_eq!(here.len(), there.len());
        for ((m, after), (other, other_after)) in here.iter().zip(&there) {
            prop_assert_eq!((m.from(), m.to()), (turn(other.from()), turn(other.to())));
            let captured: Bitboard = other.captured().into_iter().map(turn).collect();
            prop_assert_eq!((m.captured(), m.promotes()), (captured, other.promotes()));
            let via: Vec<Square> = other.via().iter().copied().map(turn).collect();
            prop_assert_eq!(m.via(), via);
            prop_assert_eq!(*after, other_after.turned());
        }
    }
}

/// Random positions seldom have captures that share their first and last square: this counts
/// that the round trip has met them, turning and straight ones.
#[test]
fn captures_that_need_long_notation_read_back() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % below) as u8
    };
    for &variant in Variant::ALL {
        let mut long = 0;
        for _ in 0..20_000 {
            let stm = if random(2) == 0 { Colour::White } else { Colour::Black };
            let mut pieces = vec![(random(256), stm, true)];
            for _ in 0..5 + random(4) {
                pieces.push((random(256), stm.other(), random(4) == 0));
            }
            long += check_moves(variant, &placed(variant, stm, &pieces));
        }
        // Where kings fly, land and capture freely there are many; elsewhere a few, or none.
        let rules = variant.rules();
        let many = rules.king_range == KingRange::Flying
            && rules.landing == Landing::Any
            && rules.precedence.is_empty();
        assert!(long > 100 || !many, "{variant}: only {long} moves in long notation");
    }
}

/// `from-to`, or `fromxto (captured)`, as the list of moves has it.
fn listed(variant: Variant, played: &Move) -> String {
    let rules = variant.rules();
    // Lists of boards with all squares have names, the others numbers.
    let names = match rules.shape.playing {
        Playing::Dark | Playing::Light => SquareNames::Numeric,
        Playing::All | Playing::Points => SquareNames::Algebraic,
    };
    let name = |square| square_name(variant, names, square);
    let (from, to) = (name(played.from()), name(played.to()));
    if !played.is_capture() {
        return format!("{from}-{to}");
    }
    let mut captured: Vec<Square> = played.captured().into_iter().collect();
    captured.sort_by_key(|&square| {
        square_name(variant, SquareNames::Numeric, square).parse::<u8>().unwrap()
    });
    let captured: Vec<String> = captured.into_iter().map(name).collect();
    format!("{from}x{to} ({})", captured.join(","))
}

#[test]
fn legal_moves_equal_the_independent_list() {
    for &variant in Variant::ALL {
        let mut rows = 0;
        for line in include_str!("../data/moves.tsv").lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            if fields[0] != variant.name().replace('-', "_") {
                continue;
            }
            rows += 1;
            let position = parse_fen(variant, fields[1]).unwrap();
            let all: Vec<Move> = legal_moves(&position).into_iter().map(|(m, _)| m).collect();
            let found: BTreeSet<String> = all.iter().map(|m| listed(variant, m)).collect();
            let expected: BTreeSet<String> =
                fields[2].split("; ").filter(|text| !text.is_empty()).map(str::to_owned).collect();
            assert_eq!(found, expected, "{variant} {}", fields[1]);
            assert_eq!(found.len(), all.len(), "{variant} {}", fields[1]);
            check_moves(variant, &position);
        }
        // Giveaway has the moves of its parent, and Portuguese draughts those of Spanish.
        let listed_elsewhere = variant.rules().no_move == NoMove::Wins
            || variant.rules().fingerprint() == Variant::Spanish.rules().fingerprint();
        assert!(rows > 0 || listed_elsewhere, "no row for {variant}");
    }
}

/// The move counts of `data/perft.tsv` begin with the starting position of their variant.
#[test]
fn games_begin_where_move_counts_do() {
    let rows = crate::common::rows("perft.tsv");
    for &variant in Variant::ALL {
        let listed: Vec<Position> = rows
            .iter()
            .filter(|row| crate::common::variant(&row[0]) == Some(variant))
            .filter_map(|row| parse_fen(variant, &row[1]).ok())
            .collect();
        let start = start_position(variant);
        // Those of Thai draughts are counted from the wrong number of men.
        if variant != Variant::Thai {
            assert_eq!(listed.first(), Some(&start), "{variant}");
        }
        assert_eq!(start.stm(), variant.rules().first_mover);
        let [white, black] =
            [Colour::White, Colour::Black].map(|colour| start.pieces(colour).len());
        assert_eq!(white, black, "{variant}");
    }
}
