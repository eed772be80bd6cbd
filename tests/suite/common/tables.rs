//! Tables built for tests, and positions of the library from boards of the brute-force solver.

use crate::common::with;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use damka::board::{Bitboard, Square};
use damka::builder::{BuildOptions, BuildReport, build};
use damka::index::{Material, SliceIndex};
use damka::rules::{RuleSet, Russian, has_capture};
use damka::store::{Cell, Cells, CellsError, WriteOptions};
use damka::{Colour, Position, Tablebase, Value, Variant, Wld};

use super::brute::{self, Board, BruteValue};

/// Quick compression: tests are not after small files.
pub const QUICK: WriteOptions = WriteOptions::at_level(3);

/// Options for Russian slices with quick compression.
pub fn options(folder: &Path, pieces: u32) -> BuildOptions {
    with!(BuildOptions::new(Variant::Russian, pieces, folder), write = QUICK)
}

/// Builds Russian slices with quick compression.
pub fn build_into(folder: &Path, pieces: u32) -> BuildReport {
    build(&options(folder, pieces), &()).expect("a build")
}

/// Builds Russian slices into a new folder. See [`lasting_tables_of`].
pub fn lasting_tables(pieces: u32) -> PathBuf {
    lasting_tables_of(Variant::Russian, pieces)
}

/// Builds slices into a new folder that stays until the process ends: for statics, which are
/// never dropped. What earlier runs have left is removed.
///
/// A thread of its own does it. A rayon worker would take up other work while it waits for the
/// threads of the build, and that work may wait for the same static.
pub fn lasting_tables_of(variant: Variant, pieces: u32) -> PathBuf {
    let make = move || {
        let folder = lasting_folder();
        let options = with!(BuildOptions::new(variant, pieces, &folder), write = QUICK);
        build(&options, &()).expect("a build");
        folder
    };
    std::thread::spawn(make).join().expect("a build")
}

fn lasting_folder() -> PathBuf {
    const PREFIX: &str = "lasting-";
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
        if ours && matches!(age, Ok(Ok(age)) if age > Duration::from_secs(3600)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent).expect("a folder");
    folder.keep()
}

/// The tables that the repository has: Russian ones of up to four pieces. Larger ones may have been built beside them.
pub fn committed_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables/russian");
    let files = fs::read_dir(folder).expect("a folder of tables");
    let files = files.map(|entry| entry.expect("an entry").path());
    let is_committed = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        [".wld", ".dtw"].iter().any(|end| name.ends_with(end)) && pieces_of(&name) <= 4
    };
    files.filter(is_committed).collect()
}

/// Opens Russian tables.
pub fn open(folder: &Path) -> Tablebase {
    Tablebase::open(Variant::Russian, &[folder]).expect("a folder of tables")
}

/// Path of a table below a database folder, like `KMvK.wld`.
pub fn table_path(folder: &Path, name: &str) -> PathBuf {
    folder.join("russian").join(name)
}

/// Every file below `<folder>/russian`, hidden ones too, but the lock of the build.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder.join("russian")).expect("a folder of tables") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name != ".lock" {
            files.insert(name, fs::read(&path).expect("a file"));
        }
    }
    files
}

/// Asserts that a folder holds these files and no others, and names those that differ.
#[track_caller]
pub fn assert_same_files(found: &BTreeMap<String, Vec<u8>>, expected: &BTreeMap<String, Vec<u8>>) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected));
    let differ: Vec<_> = found.keys().filter(|&name| found[name] != expected[name]).collect();
    assert!(differ.is_empty(), "other bytes in {differ:?}");
}

/// Writes Russian tables as they were read by [`files`].
pub fn write_files<'a>(folder: &Path, files: impl IntoIterator<Item = (&'a String, &'a Vec<u8>)>) {
    fs::create_dir_all(folder.join("russian")).expect("a folder");
    for (name, bytes) in files {
        fs::write(table_path(folder, name), bytes).expect("a file");
    }
}

/// Pieces of the slice that a file like `KMvK.wld` belongs to.
pub fn pieces_of(name: &str) -> usize {
    name.split('.').next().expect("a stem").len() - 1
}

/// The same position for the library.
pub fn position(board: &Board, white_to_move: bool) -> Position {
    let (mut men, mut kings) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
    for ((column, row), piece) in board.pieces() {
        let square = Square((row * board.size / 2 + column / 2) as u8);
        match piece {
            brute::WHITE_MAN => men[0].insert(square),
            brute::WHITE_KING => kings[0].insert(square),
            brute::BLACK_MAN => men[1].insert(square),
            _ => kings[1].insert(square),
        }
    }
    Position::new(Variant::Russian, colour(white_to_move), men, kings).expect("a legal position")
}

/// The same position for the brute-force solver.
pub fn board(position: &Position) -> Board {
    let mut board = Board::empty(8);
    for (colour, man, king) in [
        (Colour::White, brute::WHITE_MAN, brute::WHITE_KING),
        (Colour::Black, brute::BLACK_MAN, brute::BLACK_KING),
    ] {
        for (set, piece) in [(position.men(colour), man), (position.kings(colour), king)] {
            for Square(square) in set {
                let (place, row) = (usize::from(square) % 4, usize::from(square) / 4);
                board.set((place * 2 + row % 2, row), piece);
            }
        }
    }
    board
}

pub fn colour(white: bool) -> Colour {
    if white { Colour::White } else { Colour::Black }
}

pub fn value(value: BruteValue) -> Value {
    match value {
        BruteValue::Win(plies) => Value::Win(plies),
        BruteValue::Draw => Value::Draw,
        BruteValue::Loss(plies) => Value::Loss(plies),
    }
}

pub fn brute_value(value: Value) -> BruteValue {
    match value {
        Value::Win(plies) => BruteValue::Win(plies),
        Value::Draw => BruteValue::Draw,
        Value::Loss(plies) => BruteValue::Loss(plies),
    }
}

/// Whether a value is what a source claims; distances are `=5`, `<=5` or not given.
pub fn fits(value: Value, result: &str, distance: &str) -> bool {
    let results = [("W", Wld::Win), ("D", Wld::Draw), ("L", Wld::Loss)];
    let result = results.into_iter().find(|&(letter, _)| letter == result).expect("W, D or L").1;
    let plies = value.plies().unwrap_or(0);
    value.wld() == result
        && match (distance.strip_prefix("<="), distance.strip_prefix('=')) {
            (Some(most), _) => plies <= most.parse().expect(distance),
            (_, Some(exactly)) => plies == exactly.parse::<u16>().expect(distance),
            _ => {
                assert_eq!(distance, "");
                true
            }
        }
}

/// The slice in which White's pieces of a material are to move, or Black's.
pub fn slice(brute::Material([wk, wm, bk, bm]): brute::Material, white_to_move: bool) -> Material {
    let [own_kings, own_men, opp_kings, opp_men] = [wk, wm, bk, bm].map(|count| count as u8);
    let slice = Material { own_kings, own_men, opp_kings, opp_men };
    if white_to_move { slice } else { slice.twin() }
}

/// All positions of a slice, White to move, in index order.
pub fn positions_of(slice: Material) -> impl Iterator<Item = Position> {
    let index = SliceIndex::new(Russian::geometry(), slice);
    (0..index.len()).map(move |number| position_at(&index, number))
}

/// The position with this index, White to move.
pub fn position_at(index: &SliceIndex<u32>, number: u64) -> Position {
    let turned = index.unrank(number);
    let set = |set: u32| Bitboard(set.into());
    let men = [set(turned.own_men), set(turned.opp_men)];
    let kings = [set(turned.own_kings), set(turned.opp_kings)];
    Position::new(Variant::Russian, Colour::White, men, kings).expect("a position of a slice")
}

/// Values of a slice as tables store them, read from other tables and changed on the way.
pub struct Changed<'a> {
    pub tables: &'a Tablebase,
    pub index: SliceIndex<u32>,
    /// Index and value of a position without a capture; the value that is written, if this is where it is stored.
    pub change: &'a (dyn Fn(u64, Value) -> Value + Sync),
}

impl Cells for Changed<'_> {
    fn len(&self) -> u64 {
        self.index.len()
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        for (number, cell) in (start..).zip(out.iter_mut()) {
            let turned = self.index.unrank(number);
            if has_capture::<Russian>(Russian::geometry(), &turned) {
                *cell = Cell::DONT_CARE;
                continue;
            }
            let value = self.tables.probe(&position_at(&self.index, number)).expect("a value");
            *cell = Cell::from((self.change)(number, value));
        }
        self.index.clear_unstored(start, out, Cell::DONT_CARE);
        Ok(())
    }
}
