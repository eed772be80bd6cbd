//! Folders with damaged tables: every probe ends in a value or an error, and what is whole is answered.

use std::path::Path;

use crate::common::damaged::Damaged;
use proptest::prelude::*;
use tempfile::TempDir;

fn folder() -> (TempDir, Damaged) {
    let folder = tempfile::tempdir().unwrap();
    let good = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    let damaged = Damaged::new(&good, folder.path()).unwrap();
    (folder, damaged)
}

#[test]
fn what_is_whole_is_answered() {
    let (_folder, damaged) = folder();
    let [values, errors] = damaged.run(&[0]).unwrap();
    assert!(values > 90 && errors == 0, "{values}, {errors}");
    // A table is cut off in its header: what needs it fails, and most does not.
    let [fewer, errors] = damaged.run(&[8, 0, 9, 0, 0]).unwrap();
    assert!(errors > 10 && fewer > 2 * errors, "{fewer}, {errors}");
    // It was mended.
    assert_eq!(damaged.run(&[1]).unwrap(), [values, 0]);
}

/// Inputs that reached all that fuzzing reached; see `fuzz/fuzz_targets/prober.rs`.
#[test]
fn what_fuzzing_found_is_values_or_errors() {
    let (_folder, damaged) = folder();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/prober");
    let mut inputs = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        damaged.run(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap();
        inputs += 1;
    }
    assert!(inputs >= 50, "{inputs}");
}

/// Edits that checksums show, and that they do not; files that are cut off.
#[test]
fn noise_is_values_or_errors() {
    let (_folder, damaged) = folder();
    let edit = prop_oneof![
        any::<[u8; 4]>(),
        // Near the beginning: headers and first blocks.
        (any::<u8>(), 0..=255u8, any::<u8>()).prop_map(|(table, at, value)| [table, at, 0, value]),
    ];
    let config = ProptestConfig { failure_persistence: None, cases: 200, ..Default::default() };
    proptest!(config, |(mode in 0..16u8, edits in prop::collection::vec(edit, 1..12))| {
        let data: Vec<u8> = std::iter::once(mode).chain(edits.into_iter().flatten()).collect();
        damaged.run(&data).unwrap();
    });
}
