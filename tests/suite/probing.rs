//! Probing without waiting, in bulk, without maps, and what becomes of it when files change or descriptors are few.

use crate::common::with;
use std::fs;
use std::process::Command;
use std::sync::LazyLock;

use crate::common::Rng;
use crate::common::tables::{QUICK, lasting_tables, position_at, write_files};
use damka::builder::{BuildOptions, build};
use damka::index::{SliceIndex, slices};
use damka::probe::{OpenOptions, ProbeError};
use damka::rules::{RuleSet, Russian};
use damka::store::{Codec, Metric};
use damka::{Position, Tablebase, Variant, legal_moves};

static FOLDER: LazyLock<std::path::PathBuf> = LazyLock::new(|| lasting_tables(4));

fn open(options: OpenOptions) -> Tablebase {
    Tablebase::open_with(Variant::Russian, &[&*FOLDER], options).unwrap()
}

fn default() -> OpenOptions {
    OpenOptions::new()
}

/// Positions up to three moves on from some, captures included: of many slices and blocks.
fn positions() -> Vec<Position> {
    let starts =
        ["W:WKa1,c3,e3:BKf8", "B:WKa1,Kc3:Bf6,d6", "W:Wa3,c3:Bb6,f6", "W:WKc1,Kd8:Bc5,Kg7"];
    let mut all: Vec<Position> = Vec::new();
    for start in starts {
        let mut level = vec![damka::notation::parse_fen(Variant::Russian, start).unwrap()];
        for _ in 0..4 {
            all.extend(&level);
            level = level.iter().flat_map(legal_moves).map(|(_, after)| after).collect();
        }
    }
    all
}

#[test]
fn what_is_not_cached_is_said_to_be() {
    let tables = open(default());
    let positions = positions();
    assert!(positions.len() > 300);
    let quiet = |position: &&Position| {
        let moves = legal_moves(position);
        moves.first().is_some_and(|(first, _)| !first.is_capture())
    };
    for position in positions.iter().filter(quiet).take(3) {
        let fresh = open(default());
        assert!(matches!(fresh.probe_cached(position), Err(ProbeError::NotCached)));
        assert!(matches!(fresh.probe_wld_cached(position), Err(ProbeError::NotCached)));
        // It was not read by the way.
        assert!(matches!(fresh.probe_wld_cached(position), Err(ProbeError::NotCached)));
        fresh.prefetch(position);
        let value = fresh.probe(position).unwrap();
        assert_eq!(fresh.probe_cached(position).unwrap(), value);
        assert_eq!(fresh.probe_wld_cached(position).unwrap(), value.wld());
    }
    for position in &positions {
        let value = tables.probe(position).unwrap();
        assert_eq!(tables.probe_cached(position).unwrap(), value);
    }
}

#[test]
fn a_missing_table_is_missing_whether_one_waits_or_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("russian")).unwrap();
    let tables = Tablebase::open(Variant::Russian, &[folder.path()]).unwrap();
    let position = positions()[0];
    for error in [tables.probe(&position), tables.probe_cached(&position)] {
        assert!(matches!(error, Err(ProbeError::Missing { .. })));
    }
    tables.prefetch(&position);
}

#[test]
fn many_at_once_are_answered_in_their_order() {
    let positions = positions();
    for cache_bytes in [0, 20_000, 64 << 20] {
        let tables = open(default().cache_bytes(cache_bytes));
        let values = tables.probe_many(&positions);
        let results = tables.probe_wld_many(&positions);
        assert_eq!((values.len(), results.len()), (positions.len(), positions.len()));
        let whole = open(default());
        for ((position, value), result) in positions.iter().zip(values).zip(results) {
            let value = value.unwrap();
            assert_eq!(value, whole.probe(position).unwrap());
            assert_eq!(result.unwrap(), value.wld());
        }
    }
    assert!(open(default()).probe_many(&[]).is_empty());
}

#[test]
fn files_that_are_read_answer_like_those_that_are_mapped() {
    // SAFETY: nobody changes the files.
    let (mapped, read) = (open(unsafe { default().map_files() }), open(default()));
    for position in positions() {
        assert_eq!(read.probe(&position).unwrap(), mapped.probe(&position).unwrap());
        read.prefetch(&position);
    }
    for slice in slices(Variant::Russian.rules(), 4) {
        for metric in [Metric::Wld, Metric::Dtw] {
            read.verify_checksums(slice, metric).unwrap();
        }
    }
}

#[test]
fn many_at_once_take_each_block_once() {
    // All of a slice of four blocks and more, in no order.
    let slice: damka::index::Material = "MMvKM".parse().unwrap();
    let whole = open(default());
    let header = whole.header(slice, Metric::Wld).unwrap();
    assert!(header.blocks() >= 4 && header.codec != Codec::Constant);
    let index = SliceIndex::new(Russian::geometry(), slice);
    let mut positions: Vec<Position> =
        (0..index.len()).step_by(11).map(|number| position_at(&index, number)).collect();
    positions.retain(|position| {
        let moves = legal_moves(position);
        moves.first().is_some_and(|(first, _)| !first.is_capture())
    });
    let mut rng = Rng(1);
    (1..positions.len()).rev().for_each(|place| positions.swap(place, rng.below(place + 1)));
    let small = default().cache_bytes(8 << 10);
    let (together, singly) = (open(small), open(small));
    let answers = together.probe_wld_many(&positions);
    assert!(together.decoded_blocks() <= header.blocks());
    for (position, answer) in positions.iter().zip(answers) {
        assert_eq!(singly.probe_wld(position).unwrap(), answer.unwrap());
    }
    assert!(singly.decoded_blocks() > 10 * header.blocks(), "{}", singly.decoded_blocks());
}

/// 82 tables, and 24 descriptors for everything.
#[cfg(all(feature = "cli", unix))]
#[test]
fn few_descriptors_are_enough_for_many_tables() {
    let verify = format!(
        "ulimit -n 24 && exec '{}' verify russian --sample 20 --db '{}'",
        env!("CARGO_BIN_EXE_damka"),
        FOLDER.display(),
    );
    let ran = Command::new("sh").args(["-c", &verify]).output().unwrap();
    let (out, said) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}");
    assert!(out.contains("82 tables with right checksums"), "{out}");
}

/// In a process that may have 64 files open: opens more than 200 tables of several variants at once, and asks all of them.
#[test]
#[ignore = "run by `one_process_has_many_tables_and_few_descriptors`"]
fn asks_all_tables_in_the_folder() {
    let folder = std::env::var_os("DAMKA_TEST_FOLDER").expect("a folder");
    let open = |variant: Variant| {
        let tables = Tablebase::open(variant, &[&folder]).unwrap();
        (!tables.found().is_empty()).then_some(tables)
    };
    let all: Vec<Tablebase> = Variant::ALL.iter().copied().filter_map(open).collect();
    let mut used = 0;
    for tables in &all {
        for found in tables.found() {
            tables.verify_checksums(found.slice, found.metric).unwrap();
            used += 1;
        }
    }
    // They are still open, and answer.
    for tables in &all {
        let position = damka::notation::parse_fen(tables.variant(), "W:WK5:BK10").unwrap();
        tables.probe(&position).unwrap();
    }
    println!("{used} tables");
}

#[cfg(unix)]
#[test]
fn one_process_has_many_tables_and_few_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &crate::common::tables::files(&FOLDER));
    for variant in [Variant::Brazilian, Variant::Pool, Variant::English, Variant::Thai] {
        let options = BuildOptions::new(variant, 3, folder.path());
        build(&with!(options, write = QUICK), &()).unwrap();
    }
    let test = std::env::current_exe().unwrap();
    let ask = "ulimit -n 64 && exec \"$0\" --exact probing::asks_all_tables_in_the_folder --ignored --nocapture";
    let ran = Command::new("sh")
        .args(["-c", ask])
        .arg(test)
        .env("DAMKA_TEST_FOLDER", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    assert!(said.contains("210 tables"), "{said}");
}

#[test]
fn folders_with_spaces_and_several_folders() {
    let parent = tempfile::tempdir().unwrap();
    let folders = ["my tables 5", "other tables"].map(|name| parent.path().join(name));
    let all = crate::common::tables::files(&FOLDER);
    // One slice here, all others there.
    let is_here = |name: &String| name.starts_with("KMvK.");
    write_files(&folders[0], all.iter().filter(|(name, _)| is_here(name)));
    write_files(&folders[1], all.iter().filter(|(name, _)| !is_here(name)));
    let tables = Tablebase::open(Variant::Russian, &folders).unwrap();
    let whole = open(default());
    for position in positions() {
        assert_eq!(tables.probe(&position).unwrap(), whole.probe(&position).unwrap());
    }
    let alone = Tablebase::open(Variant::Russian, &folders[..1]).unwrap();
    let error = positions().iter().find_map(|position| alone.probe(position).err()).unwrap();
    assert!(error.is_missing() && error.to_string().contains("my tables 5"), "{error}");
}
