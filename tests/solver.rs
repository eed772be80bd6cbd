//! All ways to solve a pair find the same: in rows, with and without the processor's vectors, one position after the other, and
//! with all threads on one unit.

mod common;

use std::sync::Arc;

use common::with_rules;
use damka::index::{Material, Pair, SliceIndex, plan};
use damka::rules::{RuleSet, has_capture};
use damka::solve::{Finished, PairTable, SolveError, SolveOptions, SubsetTables, solve};
use damka::{Value, Variant};

/// All values of a slice in index order, each with whether there is a capture.
fn cells<R: RuleSet>(
    table: &PairTable<R>,
    slice: Material,
    subsets: &SubsetTables<R::Bits>,
) -> Vec<(Value, bool)> {
    let index = SliceIndex::new(R::geometry(), slice);
    let mut cells = Vec::new();
    table.visit(&index, subsets, 0, index.len(), |value, captures| cells.push((value, captures)));
    cells
}

/// Solves pairs of so many pieces in every way, each from the same smaller ones.
fn compare<R: RuleSet>(pieces: u32, wanted: impl Fn(Material) -> bool) {
    let default = SolveOptions::default();
    let ways = [
        SolveOptions { vectors: false, ..default },
        SolveOptions { one_by_one: true, ..default },
        SolveOptions { parallel_unit_len: 0, ..default },
    ];
    let subsets = SubsetTables::new(R::geometry(), pieces - 1);
    let mut finished = Finished::<R>::new();
    for pair in plan(&R::RULES, pieces) {
        let table = solve(pair, &finished, &subsets, &default, &()).unwrap();
        if wanted(pair.first()) {
            let slices: Vec<Material> = pair.slices().collect();
            let found: Vec<_> =
                slices.iter().map(|&slice| cells(&table, slice, &subsets)).collect();
            for way in &ways {
                let other = solve(pair, &finished, &subsets, way, &()).unwrap();
                for (&slice, found) in slices.iter().zip(&found) {
                    let other = cells(&other, slice, &subsets);
                    let differs = found.iter().zip(&other).position(|(x, y)| x != y);
                    assert!(differs.is_none(), "{} {slice} {differs:?} {way:?}", R::RULES.name);
                }
            }
            let again = PairTable::<R>::from_bytes(pair, |halves| {
                let bytes = table.bytes().expect("short distances");
                halves.into_iter().zip(bytes).for_each(|(half, bytes)| half.copy_from_slice(bytes));
                Ok::<bool, SolveError>(true)
            });
            let again = again.unwrap().expect("all was filled in");
            for (&slice, found) in slices.iter().zip(&found) {
                captures_are_flagged::<R>(slice, found);
                assert!(cells(&again, slice, &subsets) == *found, "{slice} from its bytes");
            }
        }
        finished.insert(pair, Arc::new(table));
    }
}

fn captures_are_flagged<R: RuleSet>(slice: Material, cells: &[(Value, bool)]) {
    let index = SliceIndex::new(R::geometry(), slice);
    for (number, &(_, captures)) in (0..index.len()).zip(cells).step_by(7) {
        let position = index.unrank(number);
        assert_eq!(captures, has_capture::<R>(R::geometry(), &position), "{slice} {number}");
    }
}

#[test]
fn all_ways_find_the_same_in_every_variant() {
    for &variant in Variant::ALL {
        with_rules!(variant, R => compare::<R>(3, |_| true));
    }
}

/// Several kings a side, and captures of several pieces.
#[test]
fn all_ways_find_the_same_with_four_pieces() {
    use Variant::*;
    for variant in [Russian, Italian, Frisian, Thai, RussianGiveaway, Turkish] {
        let wanted = |slice: Material| {
            let name = slice.to_string();
            match variant {
                Frisian => name == "KMvKM",
                Turkish => name == "KMvMM" || name == "KMvKM",
                _ => slice.pieces() == 4 && slice.own() < 4,
            }
        };
        with_rules!(variant, R => {
            let last = plan(&R::RULES, 4).into_iter().filter(|pair| wanted(pair.first()));
            let needed: Vec<Pair> = last.collect();
            assert!(!needed.is_empty());
            compare::<R>(4, wanted);
        });
    }
}

/// A slice can be visited from any place on.
#[test]
fn visits_begin_and_end_anywhere() {
    type R = damka::rules::Russian;
    let subsets = SubsetTables::new(R::geometry(), 3);
    let mut finished = Finished::<R>::new();
    for pair in plan(&R::RULES, 4) {
        let table = solve(pair, &finished, &subsets, &SolveOptions::default(), &()).unwrap();
        for slice in pair.slices() {
            let index = SliceIndex::new(R::geometry(), slice);
            let all = cells(&table, slice, &subsets);
            assert_eq!(all.len() as u64, index.len());
            for start in (0..index.len()).step_by(index.len() as usize / 50 + 1) {
                let len = (start % 77 + 1).min(index.len() - start);
                let mut some = Vec::new();
                table.visit(&index, &subsets, start, len, |v, c| some.push((v, c)));
                assert_eq!(some, all[start as usize..(start + len) as usize], "{slice} {start}");
            }
        }
        finished.insert(pair, Arc::new(table));
    }
}
