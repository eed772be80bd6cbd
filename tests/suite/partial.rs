//! Sets of tables of which some are missing or broken: what is said must be what the whole set says, and as much as follows must be said.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Rng;
use crate::common::tables::{lasting_tables_of, pieces_of};
use damka::board::{Bitboard, Square};
use damka::index::{Material, slices};
use damka::notation::{parse_fen, write_fen};
use damka::probe::{Evaluation, ProbeError, RatedMove, Rating};
use damka::{Colour, Position, Tablebase, Value, Variant, Wld, legal_moves};

/// A whole set of tables, and folders with parts of it.
struct Whole {
    variant: Variant,
    folder: PathBuf,
    tables: Tablebase,
    pieces: u32,
}

impl Whole {
    fn new(variant: Variant, pieces: u32) -> Self {
        // All tables of Russian draughts with up to four pieces are in the repository.
        let folder = match variant {
            Variant::Russian => Path::new(env!("CARGO_MANIFEST_DIR")).join("tables"),
            _ => lasting_tables_of(variant, pieces),
        };
        let tables = Tablebase::open(variant, &[&folder]).unwrap();
        assert!(tables.complete_pieces() >= pieces);
        Whole { variant, folder, tables, pieces }
    }

    /// A copy without the tables that `keep` makes nothing of.
    fn part(&self, mut keep: impl FnMut(&str, Vec<u8>) -> Option<Vec<u8>>) -> Part {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] =
            [&self.folder, folder.path()].map(|folder: &Path| folder.join(self.variant.name()));
        fs::create_dir(&to).unwrap();
        let mut names: Vec<String> = fs::read_dir(&from)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with('.') && pieces_of(name) <= self.pieces as usize)
            .collect();
        names.sort();
        for name in names {
            let bytes = fs::read(from.join(&name)).unwrap();
            if let Some(bytes) = keep(&name, bytes) {
                fs::write(to.join(&name), bytes).unwrap();
            }
        }
        let tables = Tablebase::open(self.variant, &[folder.path()]).unwrap();
        Part { _folder: folder, tables }
    }

    /// A random position, finished games among them.
    fn position(&self, rng: &mut Rng) -> Position {
        let rules = self.variant.rules();
        let all: Vec<Material> =
            (2..=self.pieces).flat_map(|pieces| slices(rules, pieces)).collect();
        let slice = all[rng.below(all.len())];
        loop {
            let mut sets = [Bitboard::EMPTY; 4];
            let mut counts = [slice.own_men, slice.opp_men, slice.own_kings, slice.opp_kings];
            if rng.chance(40) {
                (counts[1], counts[3]) = (0, 0);
            }
            for (set, count) in sets.iter_mut().zip(counts) {
                for _ in 0..count {
                    set.insert(Square(rng.below(rules.shape.squares().into()) as u8));
                }
            }
            let side = if rng.chance(2) { Colour::White } else { Colour::Black };
            let [men, kings] = [[sets[0], sets[1]], [sets[2], sets[3]]];
            if sets.iter().zip(counts).all(|(set, count)| set.len() == u32::from(count))
                && let Ok(position) = Position::new(self.variant, side, men, kings)
            {
                return position;
            }
        }
    }
}

struct Part {
    _folder: tempfile::TempDir,
    tables: Tablebase,
}

/// How often something was seen.
type Seen = BTreeMap<&'static str, u32>;

/// Whether what is claimed is true.
fn is_true(rating: &Rating, value: Value) -> bool {
    match rating {
        Rating::Exact(claimed) => *claimed == value,
        Rating::Result(claimed, _) => *claimed != Wld::Draw && *claimed == value.wld(),
        Rating::Unknown(_) => true,
    }
}

/// Place of a move in the documented order.
fn rank(rated: &RatedMove) -> (u8, i32) {
    match rated.for_mover() {
        Rating::Exact(Value::Win(plies)) => (0, plies.into()),
        Rating::Result(Wld::Win, _) => (1, 0),
        Rating::Exact(Value::Draw) => (2, 0),
        Rating::Unknown(_) => (3, 0),
        Rating::Exact(Value::Loss(plies)) => (4, -i32::from(plies)),
        Rating::Result(..) => (5, 0),
    }
}

/// Compares every answer of a part with those of the whole, and counts what was seen. `broken` is whether some tables are there and broken.
fn compare(whole: &Whole, part: &Tablebase, position: &Position, broken: bool, seen: &mut Seen) {
    let fen = write_fen(position);
    let value = whole.tables.probe(position).unwrap();
    let mut count = |what, is: bool| *seen.entry(what).or_default() += u32::from(is);
    let is_fitting = |error: &ProbeError| error.is_missing() || broken;

    let (found, wld) = (part.probe(position), part.probe_wld(position));
    for error in [found.as_ref().err(), wld.as_ref().err()].into_iter().flatten() {
        assert!(is_fitting(error), "{fen}: {error}");
    }
    assert!(found.as_ref().is_ok_and(|found| *found == value) || found.is_err(), "{fen}");
    assert!(wld.as_ref().is_ok_and(|wld| *wld == value.wld()) || wld.is_err(), "{fen}");
    assert!(found.is_err() || wld.is_ok(), "{fen}");
    let many = [part.probe_many(&[*position]).remove(0), part.probe_cached(position)];
    assert!(many.iter().flatten().all(|found| *found == value), "{fen}");

    // One capture that wins is enough, and no order counts.
    let legal = legal_moves(position);
    if legal.first().is_some_and(|(first, _)| first.is_capture()) {
        let replies: Vec<_> = legal.iter().map(|(_, after)| part.probe_wld(after).ok()).collect();
        let wins = replies.contains(&Some(Wld::Loss));
        let all_known = replies.iter().all(Option::is_some);
        assert_eq!(wld.is_ok(), wins || all_known, "{fen}");
        count("wins by a capture beside an unknown one", wins && !all_known);
        count("captures of unknown result", wld.is_err());
    }

    let Evaluation { rating, moves, errors, .. } = part.evaluate(position).unwrap();
    assert!(is_true(&rating, value), "{fen}: {rating:?}");
    assert_eq!(moves.len(), legal.len(), "{fen}");
    assert!(moves.is_sorted_by_key(rank), "{fen}: {moves:?}");
    for (rated, again) in moves.iter().zip(part.moves(position).unwrap()) {
        assert_eq!(rated.played, again.played);
        let reply = whole.tables.probe(&rated.position).unwrap();
        assert!(is_true(rated.for_reply(), reply), "{fen}: {rated:?}");
        assert!(is_true(&rated.for_mover(), reply.before_move()), "{fen}: {rated:?}");
        assert!(legal.contains(&(rated.played.clone(), rated.position)), "{fen}");
        // A game that is over is known without tables.
        if legal_moves(&rated.position).is_empty() {
            assert!(rated.for_reply().value().is_some(), "{fen}: {rated:?}");
        }
    }

    // As much as follows.
    assert!(found.is_err() || rating.value().is_some(), "{fen}");
    assert!(wld.is_err() || rating.wld().is_some(), "{fen}");
    let results: Vec<_> = moves.iter().map(|rated| rated.for_mover().wld()).collect();
    assert!(!results.contains(&Some(Wld::Win)) || rating.wld() == Some(Wld::Win), "{fen}");
    let all_exact = moves.iter().all(|rated| rated.for_reply().value().is_some());
    assert!(!all_exact || rating.value().is_some(), "{fen}: {rating:?}");
    assert!(!results.iter().all(Option::is_some) || rating.wld().is_some(), "{fen}");
    let texts: Vec<String> = errors.iter().map(ProbeError::to_string).collect();
    let ratings = moves.iter().map(RatedMove::for_reply).chain([&rating]);
    for error in ratings.clone().filter_map(Rating::error) {
        assert!(is_fitting(error), "{fen}: {error}");
        assert!(texts.contains(&error.to_string()), "{fen}: {error} is not in {texts:?}");
    }
    let own_exact = found.is_ok() || wld.as_ref().is_ok_and(|&wld| wld == Wld::Draw);
    assert_eq!(errors.is_empty(), own_exact && all_exact, "{fen}: {texts:?}");
    count("all known", rating.value().is_some() && all_exact);
    count("value by its own tables, moves not", found.is_ok() && !all_exact);
    count("value by its moves", found.is_err() && rating.value().is_some());
    count("value by some of its moves", found.is_err() && rating.value().is_some() && !all_exact);
    count("win of unknown distance", matches!(rating, Rating::Result(Wld::Win, _)));
    count("loss of unknown distance", matches!(rating, Rating::Result(Wld::Loss, _)));
    count("win by a move alone", wld.is_err() && rating.wld() == Some(Wld::Win));
    count("unknown", rating.wld().is_none());
    count("some moves known", rating.wld().is_none() && results.iter().any(Option::is_some));

    let line = part.line(position).unwrap();
    let begins_well = moves.first().is_some_and(|best| {
        matches!(best.for_mover(), Rating::Exact(Value::Win(_))) && rating.value().is_none()
    });
    assert!(!line.moves.is_empty() || !begins_well, "{fen}");
    let (mut at, mut left) = (*position, value);
    for (ply, rated) in line.moves.iter().enumerate() {
        assert!(legal_moves(&at).contains(&(rated.played.clone(), rated.position)), "{fen}");
        let for_mover = rated.for_mover().value().unwrap();
        if rating.value().is_some() || ply > 0 {
            assert_eq!(for_mover, left, "{fen}");
        } else {
            // The quickest of the wins that are known.
            assert_eq!(for_mover, moves[0].for_mover().value().unwrap(), "{fen}");
        }
        (at, left) = (rated.position, rated.for_reply().value().unwrap());
        assert_eq!(whole.tables.probe(&at).unwrap(), left, "{fen}");
    }
    match &line.error {
        None if left == Value::Draw => assert!(line.moves.is_empty()),
        None => assert!(legal_moves(&at).is_empty(), "{fen}"),
        Some(error) => {
            assert!(is_fitting(error), "{fen}: {error}");
            let known = part.moves(&at).unwrap();
            let goes_on = known.iter().any(|rated| rated.for_mover().value() == Some(left));
            assert!(!goes_on || (line.moves.is_empty() && rating.value().is_none()), "{fen}");
        }
    }
    count("line that ends early", line.error.is_some() && !line.moves.is_empty());
    count(
        "line from a win of unknown distance",
        rating.value().is_none() && !line.moves.is_empty(),
    );
}

/// Compares parts of a whole set, each at random positions.
fn compare_parts(whole: &Whole, rounds: u64, positions: usize, seen: &mut Seen) {
    for round in 0..rounds {
        let mut rng = Rng(round * 0x9e37_79b9 + 1);
        let chosen = rng.below(1000);
        let part = whole.part(|name, bytes| {
            let keep = match round % 5 {
                // Half of the files; one in eight is missing, or one in thirty; no distances, and hardly any.
                0 => rng.chance(2),
                1 => !rng.chance(8),
                2 => !rng.chance(30),
                3 => name.ends_with(".wld"),
                _ => name.ends_with(".wld") || rng.chance(8) || chosen == 0,
            };
            keep.then_some(bytes)
        });
        for number in 0..positions {
            let mut position = whole.position(&mut rng);
            // Captures are rare in what is drawn.
            let is_quiet = |position: &Position| {
                legal_moves(position).first().is_none_or(|(first, _)| !first.is_capture())
            };
            while number % 3 == 0 && is_quiet(&position) {
                position = whole.position(&mut rng);
            }
            compare(whole, &part.tables, &position, false, seen);
        }
    }
}

/// Asserts that everything was seen so often.
#[track_caller]
fn assert_seen(seen: &Seen, least: u32) {
    for (what, &count) in seen {
        assert!(count >= least, "{what}: {count}; {seen:?}");
    }
    assert_eq!(seen.len(), 13, "{seen:?}");
}

#[test]
fn every_claim_of_a_part_of_the_tables_is_that_of_all() {
    let mut seen = Seen::new();
    compare_parts(&Whole::new(Variant::Russian, 4), 60, 300, &mut seen);
    println!("{seen:?}");
    assert_seen(&seen, 25);
}

/// Played to lose, kings of one step, precedence, men that move sideways, another board.
#[test]
fn every_claim_is_right_in_other_variants() {
    for variant in [
        Variant::RussianGiveaway,
        Variant::English,
        Variant::Italian,
        Variant::Turkish,
        Variant::Alquerque,
    ] {
        let mut seen = Seen::new();
        compare_parts(&Whole::new(variant, 3), 40, 150, &mut seen);
        println!("{variant}: {seen:?}");
        let partly = seen["value by its moves"] + seen["win of unknown distance"];
        assert!(partly > 100 && seen["unknown"] > 100, "{variant}: {seen:?}");
    }
}

#[test]
fn broken_tables_cost_what_needs_them_and_are_named() {
    let whole = Whole::new(Variant::Russian, 4);
    let mut seen = Seen::new();
    let mut named = 0;
    for round in 0..30 {
        let mut rng = Rng(round + 1);
        let mut harmed = Vec::new();
        let part = whole.part(|name, mut bytes| {
            if rng.chance(10) {
                harmed.push(name.to_owned());
                match rng.below(3) {
                    0 => bytes.truncate(rng.below(bytes.len())),
                    1 => bytes.fill(0),
                    _ => {
                        let place = rng.below(bytes.len());
                        bytes[place] ^= 1 << rng.below(8);
                    }
                }
            }
            Some(bytes)
        });
        for _ in 0..200 {
            let position = whole.position(&mut rng);
            compare(&whole, &part.tables, &position, true, &mut seen);
            let evaluation = part.tables.evaluate(&position).unwrap();
            for error in &evaluation.errors {
                let text = error.to_string();
                assert!(harmed.iter().any(|name| text.contains(name)), "{text}: {harmed:?}");
                named += u32::from(evaluation.rating.value().is_some());
            }
        }
    }
    println!("{seen:?}");
    // Where the value is known all the same, broken tables are named too.
    assert!(named > 100, "{named}: {seen:?}");
    assert!(seen["value by its moves"] > 10 && seen["unknown"] > 100, "{seen:?}");
}

/// Three against one, of which a man becomes a king with its next move; of slices with both kings and the man there is nothing.
#[test]
fn a_win_by_one_move_is_a_win_whatever_the_others_are() {
    let whole = Whole::new(Variant::Russian, 4);
    let missing = ["KKMvK.", "KvKKM.", "KMvK.", "KvKM."];
    let part = whole
        .part(|name, bytes| missing.iter().all(|slice| !name.starts_with(slice)).then_some(bytes));
    let [far, near] = ["W:WKa3,Kc5,g7:BKh2", "W:WKa1,Ke1,c7:BKh4"]
        .map(|fen| parse_fen(Variant::Russian, fen).unwrap());

    let Evaluation { rating, moves, .. } = part.tables.evaluate(&far).unwrap();
    let named = |error: &ProbeError| error.to_string().contains("no table KKMvK.wld");
    assert!(matches!(&rating, Rating::Result(Wld::Win, error) if named(error)), "{rating:?}");
    assert!(part.tables.probe(&far).is_err() && part.tables.probe_wld(&far).is_err());
    assert_eq!(moves[0].for_mover().value(), Some(Value::Win(23)));
    assert_eq!(moves[1].for_mover().value(), Some(Value::Draw));
    let unknown = |rated: &RatedMove| matches!(rated.for_reply(), Rating::Unknown(_));
    assert!(moves[2..].iter().all(unknown) && moves.len() == 15, "{moves:?}");
    // The way to win that is known, though there might be a quicker one.
    let line = part.tables.line(&far).unwrap();
    assert_eq!((line.moves.len(), line.error.is_none()), (23, true));

    // Nothing is quicker than 3 plies but to end the game at once, and what does that is known.
    let evaluation = part.tables.evaluate(&near).unwrap();
    assert_eq!(evaluation.rating.value(), Some(Value::Win(3)));
    assert!(evaluation.moves.iter().any(unknown));
    assert_eq!(evaluation.errors.len(), 3, "{:?}", evaluation.errors);
}
