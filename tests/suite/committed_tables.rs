//! The tables that lie in the repository: small, whole, readable, and right. They are not built anew when the program changes: what was
//! written once stays readable.

use std::fs;
use std::path::Path;

use crate::common::tables::{committed_files, lasting_tables, open, position_at};
use damka::Variant;
use damka::index::{SliceIndex, slices};
use damka::rules::{RuleSet, Russian};
use damka::store::Metric;

const PIECES: u32 = 4;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tables"))
}

#[test]
fn they_are_few_bytes() {
    let files = committed_files();
    let lengths: Vec<u64> = files.iter().map(|file| fs::metadata(file).unwrap().len()).collect();
    assert_eq!(lengths.len(), 82);
    assert!(lengths.iter().sum::<u64>() < 400_000);
}

#[test]
fn they_are_whole_and_right() {
    let committed = open(folder());
    assert!(committed.complete_pieces() >= PIECES);
    let fresh = open(&lasting_tables(PIECES));
    for pieces in 2..=PIECES {
        for slice in slices(Variant::Russian.rules(), pieces) {
            for metric in [Metric::Wld, Metric::Dtw] {
                committed.verify_checksums(slice, metric).unwrap();
                let [header, expected] =
                    [&committed, &fresh].map(|tables| tables.header(slice, metric).unwrap());
                assert_eq!(header.counts, expected.counts, "{slice}");
            }
            let index = SliceIndex::new(Russian::geometry(), slice);
            for number in (0..index.len()).step_by(if pieces == PIECES { 61 } else { 3 }) {
                let position = position_at(&index, number);
                let [value, expected] =
                    [&committed, &fresh].map(|tables| tables.probe(&position).unwrap());
                assert_eq!(value, expected, "{slice} {number}");
            }
        }
    }
}
