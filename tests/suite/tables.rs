//! Tables of Russian draughts with up to four pieces against published counts, the brute-force
//! solver of these tests, and claims of books.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use crate::common::brute::{self, Board, BruteValue, RUSSIAN};
use crate::common::tables::{
    Changed, QUICK, board, brute_value, build_into, files, fits, lasting_tables, open, pieces_of,
    position, position_at, positions_of, slice, table_path, value, write_files,
};
use crate::common::{Placement, Rng, rows};
use damka::classics::{RoadHolder, ThreeAgainstOne, three_against_one};
use damka::index::{Material, SliceIndex, plan};
use damka::longest::longest_wins;
use damka::notation::parse_fen;
use damka::probe::{Evaluation, OpenOptions, ProbeError};
use damka::rules::{RuleSet, Russian};
use damka::store::{Metric, StoreError, TableInfo, write_tables};
use damka::verify::{Fault, VerifyOptions, VerifyReport, verify};
use damka::{Colour, Counts, Position, Tablebase, Value, Variant, Wld};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use rayon::prelude::*;

/// All slices with up to four pieces.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| lasting_tables(4));

static TABLES: LazyLock<Tablebase> = LazyLock::new(|| open(&FOLDER));

/// By brute force: all materials with up to three pieces, and of four pieces three kings against
/// one, a king and a man against the same, and what these lead to.
static VALUES: LazyLock<brute::Values> = LazyLock::new(|| {
    let mut start = vec![[3, 0, 1, 0], [1, 0, 3, 0], [1, 1, 1, 1]];
    start.extend(brute::materials(3).into_iter().map(|brute::Material(counts)| counts));
    let start: Vec<_> = start.into_iter().map(brute::Material).collect();
    brute::solve_materials(&RUSSIAN, &brute::closure(&start))
});

/// All slices with so many pieces.
fn slices(pieces: u32) -> Vec<Material> {
    let all = plan(&Russian::RULES, pieces)
        .into_iter()
        .flat_map(|pair| pair.slices().collect::<Vec<_>>());
    all.filter(|slice| slice.pieces() == pieces).collect()
}

fn read(fen: &str) -> Position {
    parse_fen(Variant::Russian, fen).expect(fen)
}

/// `2K1M-1K0M` of the data files.
fn listed_slice(name: &str) -> Material {
    let counts: Vec<usize> = name
        .split(['K', 'M', '-'])
        .filter(|part| !part.is_empty())
        .map(|n| n.parse().unwrap())
        .collect();
    slice(brute::Material(counts.try_into().expect(name)), true)
}

#[test]
fn counts_of_slices_equal_the_list() {
    let mut listed = HashSet::new();
    for row in rows("wld_counts.tsv").iter().filter(|row| row[0] == "russian") {
        let slice = listed_slice(&row[1]);
        let number = |column: usize| row[column].parse().unwrap();
        let plies = |column: usize| row[column].parse().ok();
        let expected = Counts {
            wins: number(3),
            losses: number(4),
            draws: number(5),
            longest_win: plies(6),
            longest_loss: plies(7),
        };
        assert_eq!(expected.positions(), number(2), "{slice}");
        for metric in [Metric::Wld, Metric::Dtw] {
            let header = TABLES.header(slice, metric).unwrap();
            assert_eq!(header.counts, expected, "{slice}.{metric}");
            assert_eq!(header.positions, number(2), "{slice}.{metric}");
        }
        listed.insert(slice);
    }
    assert!(slices(2).iter().chain(&slices(3)).all(|slice| listed.contains(slice)));
    assert_eq!(listed.len(), 27);
}

#[test]
fn numbers_of_positions_equal_the_published_ones() {
    let published = rows("published_counts.tsv");
    for pieces in 2..=6 {
        let what = format!("{pieces} pieces");
        let row = published.iter().find(|row| row[0] == "8x8-any" && row[1] == what).expect(&what);
        let lengths = slices(pieces)
            .into_iter()
            .map(|slice| SliceIndex::new(Russian::geometry(), slice).len());
        assert_eq!(lengths.sum::<u64>().to_string(), row[3], "{what}");
    }
    for row in published.iter().filter(|row| row[1].starts_with("kings only ")) {
        let (own, opp) = row[1]["kings only ".len()..].split_once('v').expect("two sides");
        let (own_kings, opp_kings) = (own.parse().unwrap(), opp.parse().unwrap());
        let slice = Material { own_kings, own_men: 0, opp_kings, opp_men: 0 };
        assert_eq!(SliceIndex::new(Russian::geometry(), slice).len().to_string(), row[3]);
    }
}

#[test]
fn every_table_up_to_four_pieces_is_there() {
    assert_eq!(TABLES.complete_pieces(), 4);
    let expected: BTreeSet<_> = (2..=4).flat_map(slices).collect();
    let found: BTreeSet<_> = TABLES.found().iter().map(|found| found.slice).collect();
    assert_eq!(found, expected);
    assert_eq!(TABLES.found().len(), 2 * expected.len());
}

/// Asserts value and result of every position of some materials, both sides to move.
fn assert_equal_to_brute_force(materials: impl Iterator<Item = brute::Material>) -> usize {
    let check = |material| -> usize {
        let mut checked = 0;
        for (board, white, expected) in VALUES.of(material) {
            let (position, expected) = (position(&board, white), value(expected));
            assert_eq!(TABLES.probe(&position).unwrap(), expected, "{}", board.fen(white));
            assert_eq!(
                TABLES.probe_wld(&position).unwrap(),
                expected.wld(),
                "{}",
                board.fen(white)
            );
            checked += 1;
        }
        checked
    };
    materials.collect::<Vec<_>>().into_par_iter().map(check).sum()
}

#[test]
fn every_position_of_three_pieces_equals_brute_force() {
    let checked = assert_equal_to_brute_force(VALUES.materials().filter(|m| m.pieces() <= 3));
    assert_eq!(checked, 2 * (3_488 + 196_032));
}

#[test]
fn every_position_of_some_families_of_four_pieces_equals_brute_force() {
    let checked = assert_equal_to_brute_force(VALUES.materials().filter(|m| m.pieces() == 4));
    assert_eq!(checked, 2 * (2 * 143_840 + 215_760 + 2 * 377_580 + 661_200));
}

#[test]
fn finished_games_have_a_value_without_a_table() {
    let nowhere = tempfile::tempdir().unwrap();
    let empty = open(nowhere.path());
    let mut seen = 0;
    for (kings, men) in [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3)] {
        for material in [[kings, men, 0, 0], [0, 0, kings, men]] {
            for board in brute::positions(&RUSSIAN, brute::Material(material)) {
                for white in [true, false] {
                    // Who has pieces moves, and the other one has none to move.
                    let expected = match brute::moves(&RUSSIAN, &board, white).is_empty() {
                        true => Value::Loss(0),
                        false => Value::Win(1),
                    };
                    assert_eq!(expected == Value::Loss(0), !board.has_side(white));
                    for tables in [&empty, &*TABLES] {
                        let position = position(&board, white);
                        assert_eq!(tables.probe(&position).unwrap(), expected);
                        assert_eq!(tables.probe_wld(&position).unwrap(), expected.wld());
                        let plies = expected.plies().map(usize::from);
                        assert_eq!(Some(tables.line(&position).unwrap().moves.len()), plies);
                    }
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 50_000, "{seen}");
    // Blocked by nothing but its own pieces, and nobody at all.
    let blocked = read("W:WKb8,Kd8,Kf8,Kh8,a7,c7,e7,g7:B");
    assert_eq!(empty.probe(&blocked).unwrap(), Value::Loss(0));
    assert_eq!(empty.probe(&read("B:W:B")).unwrap(), Value::Loss(0));
}

/// A random placement of a material.
fn random_board(material: brute::Material, rng: &mut Rng) -> Board {
    let brute::Material(counts) = material;
    let kinds = [brute::WHITE_KING, brute::WHITE_MAN, brute::BLACK_KING, brute::BLACK_MAN];
    let mut board = Board::empty(8);
    let squares: Vec<_> = board.places().collect();
    for (kind, count) in kinds.into_iter().zip(counts) {
        let mut left = count;
        while left > 0 {
            let at = squares[rng.below(squares.len())];
            let uncrowned =
                (kind == brute::WHITE_MAN && at.1 == 7) || (kind == brute::BLACK_MAN && at.1 == 0);
            if board.get(at) == brute::EMPTY && !uncrowned {
                board.set(at, kind);
                left -= 1;
            }
        }
    }
    board
}

fn probe_board(tables: &Tablebase, board: &Board, white: bool) -> BruteValue {
    brute_value(tables.probe(&position(board, white)).unwrap())
}

/// Checks random positions of a material against their moves, as brute force knows them.
fn check_moves_of_random_positions(material: brute::Material, positions: usize) {
    let seed = material.0.iter().fold(1, |seed, &count| seed * 5 + count as u64);
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..positions {
        let board = random_board(material, &mut rng);
        let white = rng.chance(2);
        let claim = |board: &Board, white| probe_board(&TABLES, board, white);
        brute::check_one_ply(&RUSSIAN, &board, white, claim).unwrap();
    }
}

#[test]
fn random_positions_of_every_material_are_worth_what_their_moves_are() {
    let materials = brute::materials(4).into_iter().filter(|material| material.pieces() == 4);
    let materials: Vec<_> = materials.collect();
    assert_eq!(materials.len(), 25);
    materials
        .into_par_iter()
        .for_each(|material| check_moves_of_random_positions(material, 20_000));
}

#[test]
#[ignore = "every position of four pieces, both sides to move: half a minute of CPU"]
fn every_position_of_four_pieces_is_worth_what_its_moves_are() {
    let materials = brute::materials(4).into_iter().filter(|material| material.pieces() == 4);
    let checked: usize = materials
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|material| {
            let boards = brute::positions(&RUSSIAN, material);
            boards.par_iter().for_each(|board| {
                for white in [true, false] {
                    let claim = |board: &Board, white| probe_board(&TABLES, board, white);
                    brute::check_one_ply(&RUSSIAN, board, white, claim).unwrap();
                }
            });
            boards.len()
        })
        .sum();
    assert_eq!(checked, 6_209_316);
}

/// Claims that the tables refute and the brute-force solver too, with what is wrong.
const REFUTED: [(&str, &str); 0] = [];

/// Compares the claims about positions with at most so many pieces; returns how many there are.
fn compare_with_claims(tables: &Tablebase, pieces: u32) -> usize {
    let (mut compared, mut skipped, mut wrong) = (0, Vec::new(), Vec::new());
    for row in rows("positions.tsv").into_iter().filter(|row| row[1] == "russian") {
        let [id, _, fen, stm, result, distance, ..] = row.as_slice() else { panic!("{row:?}") };
        assert_eq!(&fen[..1], stm, "{id}");
        let position = read(fen);
        if position.piece_count() > pieces {
            skipped.push(id.clone());
            continue;
        }
        compared += 1;
        let found = tables.probe(&position).unwrap();
        let refuted = REFUTED.iter().any(|(refuted, _)| refuted == id);
        if fits(found, result, distance) == refuted {
            wrong.push(format!("{id}: {found}, claimed {result}{distance} ({fen})"));
        }
    }
    println!("{compared} compared, {} skipped: {}", skipped.len(), skipped.join(" "));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(compared + skipped.len(), 25);
    compared
}

#[test]
fn positions_of_books_are_worth_what_is_claimed() {
    assert_eq!(compare_with_claims(&TABLES, 4), 20);
}

#[test]
#[ignore = "builds five pieces: half a minute of CPU, 0.6 GB of memory"]
fn positions_of_books_with_five_pieces_are_worth_what_is_claimed() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    build_into(folder.path(), 5);
    let tables = open(folder.path());
    assert_eq!(compare_with_claims(&tables, 5), 24);
    let report = verify(&tables, &VerifyOptions::sample(Some(2_000)), &());
    assert_eq!(report.faults, 0, "{:?}", report.examples);
}

/// Random positions of two to four pieces, a few finished ones among them.
fn some_positions(count: usize, seed: u64) -> Vec<Position> {
    let mut rng = Rng(seed);
    let materials = brute::materials(4);
    let mut list = Vec::new();
    for _ in 0..count {
        let mut material = materials[rng.below(materials.len())];
        if rng.chance(40) {
            material.0[2..].fill(0);
        }
        list.push(position(&random_board(material, &mut rng), rng.chance(2)));
    }
    list
}

#[test]
fn moves_come_best_first_and_agree_with_the_position() {
    for position in some_positions(20_000, 11) {
        let value = TABLES.probe(&position).unwrap();
        let moves = TABLES.moves(&position).unwrap();
        let legal = damka::legal_moves(&position);
        assert_eq!(moves.len(), legal.len());
        for rated in &moves {
            let same =
                legal.iter().filter(|(m, after)| (m, after) == (&rated.played, &rated.position));
            assert_eq!(same.count(), 1, "{position:?}");
            let reply = TABLES.probe(&rated.position).unwrap();
            assert_eq!(rated.for_reply().value(), Some(reply));
            assert_eq!(rated.for_mover().value(), Some(reply.before_move()));
        }
        let values: Vec<_> = moves.iter().map(|rated| rated.for_mover().value().unwrap()).collect();
        assert!(values.is_sorted_by(|a, b| a >= b));
        let best = values.first().copied();
        assert_eq!(best.unwrap_or(Value::Loss(0)), value, "{position:?}");
    }
}

#[test]
fn lines_last_as_long_as_the_distance_says() {
    let mut lengths = BTreeMap::new();
    for start in some_positions(20_000, 12) {
        let line = TABLES.line(&start).unwrap();
        assert!(line.error.is_none());
        let line = line.moves;
        let value = TABLES.probe(&start).unwrap();
        assert_eq!(line.len(), usize::from(value.plies().unwrap_or(0)), "{start:?}");
        *lengths.entry(line.len()).or_insert(0) += 1;
        let (mut position, mut left) = (start, value);
        for best in &line {
            assert_eq!(best.position.stm(), position.stm().other());
            assert_eq!(best.for_mover().value(), Some(left));
            let legal = damka::legal_moves(&position);
            assert!(legal.contains(&(best.played.clone(), best.position)), "{position:?}");
            (position, left) = (best.position, best.for_reply().value().unwrap());
        }
        if value != Value::Draw {
            assert_eq!(left, Value::Loss(0));
            assert!(damka::legal_moves(&position).is_empty(), "{start:?}");
            let winner = if value.wld() == Wld::Win { start.stm() } else { start.stm().other() };
            assert_eq!(position.stm(), winner.other());
        }
    }
    assert!(lengths.len() > 25, "{lengths:?}");
}

fn any_position() -> impl Strategy<Value = Position> {
    any::<u64>().prop_map(|seed| some_positions(1, seed | 1)[0])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn colours_are_alike(position in any_position()) {
        let turned = position.turned();
        prop_assert_eq!(board(&turned), board(&position).flipped());
        prop_assert_eq!(turned.stm(), position.stm().other());
        prop_assert_eq!(turned.turned(), position);
        let value = TABLES.probe(&position).unwrap();
        prop_assert_eq!(TABLES.probe(&turned).unwrap(), value);
        prop_assert_eq!(TABLES.probe_wld(&turned).unwrap(), value.wld());
        let values = |position| -> Vec<Value> {
            TABLES.moves(position).unwrap().iter().map(|rated| rated.for_reply().value().unwrap()).collect()
        };
        prop_assert_eq!(values(&turned), values(&position));
        let [here, there] = [&position, &turned].map(|start| TABLES.line(start).unwrap().moves.len());
        prop_assert_eq!(here, there);
    }
}

/// A cache of a block or two, and threads that take it from each other.
#[test]
fn threads_with_a_tiny_cache_get_the_same_answers() {
    let positions = some_positions(4_000, 13);
    let expected: Vec<Value> =
        positions.iter().map(|position| TABLES.probe(position).unwrap()).collect();
    // SAFETY: nobody changes the files.
    let mapped = unsafe { OpenOptions::new().cache_bytes(20_000).map_files() };
    for cache in [mapped, OpenOptions::new().cache_bytes(0)] {
        let shared = Tablebase::open_with(Variant::Russian, &[&*FOLDER], cache).unwrap();
        thread::scope(|scope| {
            for start in 0..4 {
                let (shared, positions, expected) = (&shared, &positions, &expected);
                scope.spawn(move || {
                    // Each begins elsewhere, so that all tables are opened in a race.
                    for step in 0..positions.len() {
                        let place = (step + start * 1_000) % positions.len();
                        let value = shared.probe(&positions[place]).unwrap();
                        assert_eq!(value, expected[place]);
                        let wld = shared.probe_wld(&positions[place]).unwrap();
                        assert_eq!(wld, expected[place].wld());
                    }
                });
            }
        });
    }
}

fn verify_all(tables: &Tablebase) -> VerifyReport {
    verify(tables, &VerifyOptions::default(), &())
}

/// A folder with the tables of up to so many pieces.
fn copy_up_to(pieces: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let all = files(&FOLDER);
    write_files(folder.path(), all.iter().filter(|(name, _)| pieces_of(name) <= pieces));
    folder
}

#[test]
fn verification_of_good_tables_finds_no_fault() {
    let sampled = verify(&TABLES, &VerifyOptions::sample(Some(2_000)), &());
    assert_eq!((sampled.faults, sampled.examples.len()), (0, 0), "{:?}", sampled.examples);
    assert_eq!((sampled.slices, sampled.tables), (41, 82));
    let short =
        slices(2).into_iter().map(|slice| SliceIndex::new(Russian::geometry(), slice).len());
    assert_eq!(sampled.positions, 37 * 2_000 + short.sum::<u64>());

    let folder = copy_up_to(3);
    let all = verify_all(&open(folder.path()));
    assert_eq!(all.faults, 0, "{:?}", all.examples);
    assert_eq!((all.slices, all.tables, all.positions), (16, 32, 3_488 + 196_032));
}

#[test]
#[ignore = "every position of four pieces: ten seconds of CPU"]
fn verification_of_four_pieces_finds_no_fault() {
    let report = verify_all(&TABLES);
    assert_eq!(report.faults, 0, "{:?}", report.examples);
    assert_eq!(report.positions, 3_488 + 196_032 + 6_209_316);
}

/// Writes both tables of a slice into a folder, with right checksums and changed values. Counts
/// are those of the changed values, and then changed themselves.
fn rewrite(
    folder: &Path,
    slice: Material,
    change: &(dyn Fn(u64, Value) -> Value + Sync),
    change_counts: impl Fn(&mut Counts),
) {
    let index = SliceIndex::new(Russian::geometry(), slice);
    let mut counts = Counts::default();
    for number in 0..index.len() {
        let position = position_at(&index, number);
        let value = TABLES.probe(&position).unwrap();
        // What is said of positions with captures goes into no table.
        let stored = damka::legal_moves(&position);
        let is_stored = stored.first().is_none_or(|(first, _)| !first.is_capture());
        // By symmetry one change may be several.
        let turned = index.unrank(number);
        counts.add(if is_stored { change(index.stored_rank(&turned), value) } else { value });
    }
    change_counts(&mut counts);
    let distances = TABLES.header(slice, Metric::Dtw).unwrap().results;
    let info = TableInfo { variant: Variant::Russian, material: slice, counts, distances };
    let cells = Changed { tables: &TABLES, index, change };
    write_tables(&folder.join("russian"), &info, &cells, &QUICK, &|| false).unwrap();
}

fn no_change(_: u64, value: Value) -> Value {
    value
}

/// Index and value of the positions of a slice without a capture that are stored there.
fn quiet_positions(slice: Material) -> Vec<(u64, Value)> {
    let quiet = |(_, position): &(u64, Position)| {
        let moves = damka::legal_moves(position);
        moves.first().is_none_or(|(first, _)| !first.is_capture())
    };
    let index = SliceIndex::new(Russian::geometry(), slice);
    let is_stored =
        |&(number, _): &(u64, Position)| index.stored_rank(&index.unrank(number)) == number;
    let numbered = (0..).zip(positions_of(slice)).filter(is_stored).filter(quiet);
    numbered.map(|(number, position)| (number, TABLES.probe(&position).unwrap())).collect()
}

#[test]
fn tables_written_again_from_what_is_read_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KvK", "KMvM", "MMvK"] {
        rewrite(folder.path(), name.parse().unwrap(), &no_change, |_| ());
    }
    let good = files(&FOLDER);
    for (name, bytes) in files(folder.path()) {
        assert!(bytes == good[&name], "{name}");
    }
}

/// Any single value that is changed to any other is found.
#[test]
fn verification_finds_every_change_of_a_value() {
    let folder = copy_up_to(2);
    let mut rng = Rng(14);
    for slice in slices(2) {
        let counts = TABLES.header(slice, Metric::Wld).unwrap().counts;
        let stored = TABLES.header(slice, Metric::Dtw).unwrap().results;
        let quiet = quiet_positions(slice);
        for _ in 0..40 {
            let (number, value) = quiet[rng.below(quiet.len())];
            let half = rng.below(5) as u16;
            let candidates = [Value::Draw, Value::Win(2 * half + 1), Value::Loss(2 * half)];
            let other = candidates[rng.below(3)];
            // A distance that is not stored cannot be stored wrongly.
            if other == value || other.wld() == value.wld() && !stored.hold(value.wld()) {
                continue;
            }
            let change = |at: u64, value: Value| if at == number { other } else { value };
            rewrite(folder.path(), slice, &change, |_| ());
            let report = verify_all(&open(folder.path()));
            let what = format!("{slice} {number}: {value} stored as {other}, counts {counts:?}");
            assert!(report.faults > 0, "{what}");
            assert!(!report.examples.is_empty(), "{what}");
            let position = position_at(&SliceIndex::new(Russian::geometry(), slice), number);
            // The position itself is among them: the positions after its moves are as they were, or
            // fit the change no better.
            let itself = report.examples.iter().any(|fault| match fault {
                Fault::Value { position: found, stored, .. } => {
                    *found == position && *stored == other
                }
                // A result from which no distance follows.
                Fault::Table(ProbeError::Mismatch { .. }) => !stored.hold(other.wld()),
                _ => false,
            });
            assert!(itself || report.faults > VerifyReport::KEPT as u64, "{what}");
        }
        rewrite(folder.path(), slice, &no_change, |_| ());
    }
    assert_eq!(verify_all(&open(folder.path())).faults, 0);
}

#[test]
fn verification_finds_a_changed_result_distance_or_count() {
    let (draw, win) = (Value::Draw, Value::Win(5));
    let has_both = |slice: &Material| {
        let quiet = quiet_positions(*slice);
        [draw, win].iter().all(|wanted| quiet.iter().any(|(_, value)| value == wanted))
    };
    let stores_wins = |slice: &Material| TABLES.header(*slice, Metric::Dtw).unwrap().results.wins;
    let candidates = slices(3).into_iter().filter(stores_wins);
    let slice = candidates.max_by_key(|slice| (has_both(slice), slice.own_kings)).unwrap();
    let dtw = format!("{slice}.dtw");
    let quiet = quiet_positions(slice);
    let place_of = |wanted: Value| {
        let found: Vec<_> = quiet.iter().filter(|&&(_, value)| value == wanted).collect();
        found[found.len() / 2].0
    };
    let found_in = |folder: &Path| {
        let report = verify_all(&open(folder));
        assert_eq!(report.slices, 16);
        assert!(report.faults >= report.examples.len() as u64);
        report
    };
    let folder = copy_up_to(3);
    let folder = folder.path();

    // One result, one distance, in both tables.
    for (value, other) in [(Value::Draw, Value::Win(3)), (Value::Win(5), Value::Win(7))] {
        let place = place_of(value);
        let change = |at, value| if at == place { other } else { value };
        rewrite(folder, slice, &change, |_| ());
        let report = found_in(folder);
        let position = position_at(&SliceIndex::new(Russian::geometry(), slice), place);
        let itself = |fault: &&Fault| {
            matches!(fault, Fault::Value { position: p, stored, derived }
                if (*p, *stored, *derived) == (position, other, value))
        };
        assert_eq!(report.examples.iter().filter(itself).count(), 1, "{:?}", report.examples);
        // Who asks for it is told that its moves say otherwise.
        let tables = open(folder);
        let Evaluation { rating, errors, .. } = tables.evaluate(&position).unwrap();
        let told = [rating.error(), errors.first(), tables.line(&position).unwrap().error.as_ref()]
            .map(|error| matches!(error, Some(ProbeError::Mismatch { path }) if path.ends_with(&dtw)));
        assert!(told == [true; 3] && rating.wld().is_none(), "{rating:?}");
    }

    // All draws stored as wins.
    let change = |_, value| if value == Value::Draw { Value::Win(9) } else { value };
    rewrite(folder, slice, &change, |_| ());
    let draws = quiet.iter().filter(|(_, value)| *value == Value::Draw).count() as u64;
    assert!(found_in(folder).faults >= draws / 2);

    // A `.wld` table with a changed result beside the right `.dtw` table.
    let good = files(&FOLDER);
    for (value, other) in [(Value::Draw, Value::Win(3)), (Value::Win(5), Value::Draw)] {
        let place = place_of(value);
        let change = |at, value| if at == place { other } else { value };
        rewrite(folder, slice, &change, |_| ());
        fs::write(table_path(folder, &dtw), &good[&dtw]).unwrap();
        assert!(found_in(folder).faults > 0, "{value}");
    }

    // Counts and longest distances of a header.
    let wrong: [&dyn Fn(&mut Counts); 3] = [
        &|counts| (counts.wins, counts.draws) = (counts.wins - 1, counts.draws + 1),
        &|counts| counts.longest_win = counts.longest_win.map(|plies| plies + 2),
        &|counts| counts.longest_loss = counts.longest_loss.map(|plies| plies + 2),
    ];
    for change in wrong {
        let right = TABLES.header(slice, Metric::Wld).unwrap().counts;
        let mut changed = right;
        change(&mut changed);
        if changed == right {
            // There is no loss.
            continue;
        }
        rewrite(folder, slice, &no_change, change);
        let report = found_in(folder);
        let in_header = |fault: &Fault| {
            let Fault::Counts { slice: found, stored, derived, .. } = fault else { return false };
            *found == slice && stored != derived
        };
        assert_eq!(report.faults, 2, "one a table: {:?}", report.examples);
        assert!(report.examples.iter().all(in_header), "{:?}", report.examples);
    }

    rewrite(folder, slice, &no_change, |_| ());
    assert_eq!(found_in(folder).faults, 0);
}

#[test]
fn verification_finds_missing_and_broken_tables() {
    let folder = copy_up_to(2);
    let path = table_path(folder.path(), "KvM.dtw");
    let good = fs::read(&path).unwrap();
    let last = good.len() - 1;

    fs::remove_file(&path).unwrap();
    let report = verify_all(&open(folder.path()));
    let missing = |fault: &Fault| {
        let Fault::Table(ProbeError::Missing { slice, metric, .. }) = fault else { return false };
        (slice.to_string().as_str(), *metric) == ("KvM", Metric::Dtw)
    };
    assert!(report.examples.iter().any(missing), "{:?}", report.examples);

    let cut = good[..last].to_vec();
    let mut flipped = good.clone();
    flipped[last] ^= 1;
    for bytes in [cut, flipped] {
        fs::write(&path, bytes).unwrap();
        let report = verify_all(&open(folder.path()));
        let broken = |fault: &Fault| match fault {
            Fault::Table(ProbeError::Table(error)) => {
                error.is_corrupt() && error.to_string().contains("KvM.dtw")
            }
            _ => false,
        };
        assert!(report.examples.iter().any(broken), "{:?}", report.examples);
        assert!(report.tables < 8);
    }
}

#[test]
fn longest_wins_are_those_of_a_plain_scan() {
    let nobody = |_| ();
    let three_kings = [[3, 0, 1, 0], [1, 0, 3, 0], [2, 0, 2, 0]].map(brute::Material);
    for material in brute::materials(3).into_iter().chain(three_kings) {
        let values = VALUES.of(material).filter(|&(_, white, _)| white);
        let wins: Vec<(u16, Position)> = values
            .filter_map(|(board, _, value)| match value {
                BruteValue::Win(plies) => Some((plies, position(&board, true))),
                _ => None,
            })
            .collect();
        let longest = wins.iter().map(|&(plies, _)| plies).max();
        let expected: HashSet<_> =
            wins.into_iter().filter(|&(plies, _)| Some(plies) == longest).map(|(_, p)| p).collect();
        let found = longest_wins(&TABLES, slice(material, true), &nobody).unwrap();
        assert_eq!(found.plies, longest, "{}", material.name());
        assert_eq!(found.positions.len(), expected.len(), "{}", material.name());
        assert_eq!(found.positions.into_iter().collect::<HashSet<_>>(), expected);
    }
    let missing = longest_wins(&TABLES, "KKKvMM".parse().unwrap(), &nobody).unwrap_err();
    assert!(missing.is_missing() && missing.to_string().contains("KKKvMM"), "{missing}");
}

#[test]
fn three_against_one_equals_a_count_by_brute_force() {
    let mut expected: BTreeMap<(bool, usize), ThreeAgainstOne> = BTreeMap::new();
    for (board, white, value) in VALUES.of(brute::Material([3, 0, 1, 0])) {
        let on_road = |king| board.pieces().any(|((column, row), p)| column == row && p == king);
        let (three, lone) = (on_road(brute::WHITE_KING), on_road(brute::BLACK_KING));
        let holder = match (three, lone) {
            (false, true) => RoadHolder::Lone,
            (true, true) => RoadHolder::Both,
            (true, false) => RoadHolder::Three,
            (false, false) => RoadHolder::Nobody,
        };
        let place = RoadHolder::ALL.iter().position(|&h| h == holder).unwrap();
        let row = expected.entry((!white, place)).or_insert(ThreeAgainstOne {
            holder,
            to_move: crate::common::tables::colour(white),
            won: 0,
            drawn: 0,
            lost: 0,
            decided_quietly: 0,
            longest: None,
            usual: None,
            exceptions: Vec::new(),
        });
        let quiet = brute::moves(&RUSSIAN, &board, white).iter().all(|m| m.taken.is_empty());
        let (won, decided) = match value {
            BruteValue::Draw => (false, false),
            BruteValue::Win(plies) | BruteValue::Loss(plies) => {
                let won = matches!(value, BruteValue::Win(_)) == white;
                if won {
                    row.longest = row.longest.max(Some(plies));
                }
                (won, true)
            }
        };
        row.won += u64::from(won);
        row.drawn += u64::from(!decided);
        row.lost += u64::from(decided && !won);
        row.decided_quietly += u64::from(decided && quiet);
        if quiet {
            row.exceptions.push((position(&board, white), crate::common::tables::value(value)));
        }
    }
    // So far all quiet placements; the usual result is no exception.
    for row in expected.values_mut() {
        let white = row.to_move == Colour::White;
        let for_three = |value: Value| if white { value.wld() } else { value.wld().reversed() };
        let count = |wld| row.exceptions.iter().filter(|e| for_three(e.1) == wld).count();
        let all = [Wld::Loss, Wld::Draw, Wld::Win];
        let usual = all.into_iter().filter(|&wld| count(wld) > 0).max_by_key(|&wld| count(wld));
        row.usual = usual;
        row.exceptions.retain(|e| Some(for_three(e.1)) != usual);
    }
    let mut found = three_against_one(&TABLES).unwrap();
    let placements = |white: Colour| -> u64 {
        found.iter().filter(|row| row.to_move == white).map(ThreeAgainstOne::placements).sum()
    };
    assert_eq!([placements(Colour::White), placements(Colour::Black)], [143_840; 2]);
    let mut expected: Vec<_> = expected.into_values().collect();
    for row in found.iter_mut().chain(&mut expected) {
        row.exceptions.sort_by_key(|(position, _)| board(position).fen(true));
    }
    assert_eq!(found, expected);
}

#[test]
fn a_table_that_is_not_there_is_named() {
    let error = TABLES.probe(&read("W:WKa1,Kc1,Kc3:BKb8,Kd8")).unwrap_err();
    assert!(error.is_missing());
    assert!(error.to_string().contains("KKKvKK.wld"), "{error}");
    // A capture into a table that is there needs no more.
    let captures = read("W:WKa1,Kc1,Ka3:BKb2,h8");
    assert!(damka::legal_moves(&captures)[0].0.is_capture());
    assert!(TABLES.probe(&captures).is_ok());
}

#[test]
fn a_broken_table_does_not_harm_the_others() {
    let folder = copy_up_to(3);
    let path = table_path(folder.path(), "KMvK.wld");
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() / 2]).unwrap();
    let tables = open(folder.path());
    for _ in 0..2 {
        let Err(ProbeError::Table(error)) = tables.probe(&read("W:WKa1,c1:BKb8")) else {
            panic!("a value from half a table")
        };
        let StoreError::Length { path: named, expected, found } = &*error else {
            panic!("{error}")
        };
        assert_eq!((named, *found), (&path, good.len() as u64 / 2));
        assert_eq!(*expected, good.len() as u64);
    }
    let man = read("W:WKa1:Bb8");
    assert_eq!(tables.probe(&man).unwrap(), TABLES.probe(&man).unwrap());
}

#[test]
fn placements_are_read_alike() {
    for fen in ["W:WKa1,c3:Bb8", "B:W21,K30:BK4,12"] {
        let white = fen.starts_with('W');
        let expected = Board::of(&Placement::read(fen, 8), 8);
        assert_eq!(position(&expected, white), read(fen));
        assert_eq!(board(&read(fen)), expected);
    }
}
