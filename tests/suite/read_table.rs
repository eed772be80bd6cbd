//! `scripts/read_table.py`, written after `docs/format.md` alone, reads what damka writes. Needs Python 3; zstandard is installed
//! if it is not there.

use crate::common::with;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use damka::builder::{BuildOptions, build};
use damka::index::slices;
use damka::notation::parse_fen;
use damka::store::{
    Cell, Cells, CellsError, Codec, Metric, Results, TableId, TableInfo, WriteOptions, write_tables,
};
use damka::{Counts, Tablebase, Value, Variant, legal_moves};

/// A Python that has zstandard.
static PYTHON: LazyLock<PathBuf> = LazyLock::new(|| {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/python_env");
    let ran = Command::new(script).output().expect("a shell");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    PathBuf::from(String::from_utf8(ran.stdout).unwrap().trim())
});

/// Lines of a table, split.
type Lines = Vec<Vec<String>>;

/// What the script prints of tables, read by one process.
fn read(paths: &[PathBuf]) -> Vec<Lines> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/read_table.py");
    let ran = Command::new(&*PYTHON).arg(script).args(paths).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).unwrap();
    let mut tables: Vec<Lines> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("==> ").and_then(|rest| rest.strip_suffix(" <==")) {
            Some(path) => {
                assert_eq!(Path::new(path), paths[tables.len()]);
                tables.push(Vec::new());
            }
            None => {
                let fields = line.split('\t').map(str::to_owned).collect();
                tables.last_mut().expect("a heading").push(fields);
            }
        }
    }
    assert_eq!(tables.len(), paths.len());
    tables
}

/// Compares what both make of a table, and returns how many positions were compared.
fn compare(tables: &Tablebase, id: TableId, lines: Lines) -> usize {
    let TableId { variant, material, metric } = id;
    let header = tables.header(material, metric).unwrap();
    if metric == Metric::Wld {
        assert_eq!(lines.len() as u64, header.positions);
    }
    let mut compared = 0;
    for line in lines {
        let position = parse_fen(variant, &line[1]).unwrap();
        let moves = legal_moves(&position);
        if moves.iter().any(|(played, _)| played.is_capture()) {
            continue;
        }
        compared += 1;
        let value = tables.probe(&position).unwrap();
        assert_eq!(line[2], value.wld().name(), "{variant} {line:?}");
        if metric == Metric::Dtw {
            assert_eq!(line[3], value.plies().unwrap().to_string(), "{variant} {line:?}");
            assert!(header.results.hold(value.wld()) && value != Value::Draw);
        }
    }
    compared
}

/// Positions that were compared, by metric.
fn check(variant: Variant, pieces: u32, codec: Option<Codec>) -> [usize; 2] {
    let folder = tempfile::tempdir().unwrap();
    let write = with!(WriteOptions::default(), codec = codec);
    let options = with!(BuildOptions::new(variant, pieces, folder.path()), write = write);
    build(&options, &()).unwrap();
    let tables = Tablebase::open(variant, &[folder.path()]).unwrap();
    let mut ids = Vec::new();
    for material in slices(variant.rules(), pieces) {
        ids.extend([Metric::Wld, Metric::Dtw].map(|metric| TableId { variant, material, metric }));
    }
    let paths: Vec<PathBuf> = ids.iter().map(|id| id.path(folder.path())).collect();
    let mut compared = [0, 0];
    for (id, lines) in ids.into_iter().zip(read(&paths)) {
        compared[id.metric as usize] += compare(&tables, id, lines);
        let header = tables.header(id.material, id.metric).unwrap();
        let asked = codec.unwrap_or(header.codec);
        assert!(header.codec == asked || header.codec == Codec::Constant);
    }
    assert!(compared[0] > 1000, "{variant}: {compared:?}");
    compared
}

#[test]
fn russian_tables_by_contexts() {
    assert!(check(Variant::Russian, 3, Some(Codec::Context))[1] > 10_000);
}

#[test]
fn russian_tables_by_zstd() {
    assert!(check(Variant::Russian, 3, Some(Codec::Zstd))[1] > 10_000);
}

#[test]
fn international_tables() {
    assert!(check(Variant::International, 2, Some(Codec::Context))[1] > 100);
}

#[test]
fn turkish_tables() {
    // What is won is won by a capture.
    assert_eq!(check(Variant::Turkish, 2, Some(Codec::Context))[1], 0);
}

#[test]
fn canadian_tables() {
    check(Variant::Canadian, 2, Some(Codec::Context));
}

/// Distances of which most take two bytes; more than any real slice of so few pieces has.
struct Long(u64);

impl Long {
    fn cell(index: u64) -> Cell {
        let half = (index / 9 * 7919 % 9001) as u16;
        match index / 4 % 5 {
            0 | 1 => Cell::win(2 * half + 1),
            2 | 3 => Cell::loss(2 * half),
            _ => Cell::DRAW,
        }
    }
}

impl Cells for Long {
    fn len(&self) -> u64 {
        self.0
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        (start..).zip(out).for_each(|(index, cell)| *cell = Long::cell(index));
        Ok(())
    }
}

#[test]
fn distances_of_two_bytes() {
    // A man on 28 squares, kings on what is left.
    let (variant, material, positions) = (Variant::Russian, "KMvK".parse().unwrap(), 28 * 31 * 30);
    let mut counts = Counts::default();
    (0..positions).for_each(|index| counts.add(Long::cell(index).value().unwrap()));
    assert!(counts.longest_win > Some(17_000));
    let info = TableInfo { variant, material, counts, distances: Results::ALL };
    for codec in [Codec::Zstd, Codec::Context] {
        let folder = tempfile::tempdir().unwrap();
        let write = with!(WriteOptions::default(), codec = Some(codec));
        let id = |metric| TableId { variant, material, metric };
        let path = |metric: Metric| id(metric).path(folder.path());
        let variant_folder = folder.path().join(variant.name());
        write_tables(&variant_folder, &info, &Long(positions), &write, &|| false).unwrap();
        let [results, distances] =
            read(&[path(Metric::Wld), path(Metric::Dtw)]).try_into().expect("two tables");
        assert_eq!(results.len() as u64, positions);
        assert_eq!(distances.len() as u64, counts.wins + counts.losses);
        for line in results.iter().chain(&distances) {
            let value = Long::cell(line[0].parse().unwrap()).value().unwrap();
            assert_eq!(line[2], value.wld().name(), "{line:?}");
            if let Some(plies) = line.get(3) {
                assert_eq!(*plies, value.plies().unwrap().to_string(), "{line:?}");
            }
        }
    }
}

#[test]
fn tables_as_they_are_written_by_default() {
    check(Variant::Italian, 2, None);
    check(Variant::Russian, 2, None);
}

#[test]
fn damage_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    build(&BuildOptions::new(Variant::Russian, 2, folder.path()), &()).unwrap();
    let (variant, material) = (Variant::Russian, "KvM".parse().unwrap());
    let path = TableId { variant, material, metric: Metric::Wld }.path(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.pop();
    std::fs::write(&path, bytes).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/read_table.py");
    let ran = Command::new(&*PYTHON).arg(script).arg(&path).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8(ran.stderr).unwrap().contains("length of the file"));
}
