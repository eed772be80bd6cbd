//! All ways to solve a pair find the same: in rows, with and without the processor's vectors, one position after the other, and
//! with all threads on one unit.

use crate::common::with;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, RwLock};

use crate::common::{closure, with_rules};
use damka::board::Bits;
use damka::index::{Material, Pair, SliceIndex, plan};
use damka::rules::RuleSet;
use damka::solve::{
    Finished, Kernel, PairTable, Shelf, ShelfError, SolveError, SolveOptions, SubsetTables, solve,
    solve_on_shelf,
};
use damka::{Value, Variant};

/// All values of a slice in index order, each with whether there is a capture.
fn cells<B: Bits>(
    table: &PairTable<B>,
    slice: Material,
    subsets: &SubsetTables<B>,
) -> Vec<(Value, bool)> {
    let index = SliceIndex::new(table.geometry(), slice);
    let mut cells = Vec::new();
    let visit = |value, captures| cells.push((value, captures));
    table.visit(&index, subsets, 0, index.len(), visit).unwrap();
    cells
}

/// A shelf in memory.
#[derive(Debug, Default)]
struct TestShelf {
    wide: AtomicBool,
    slots: RwLock<Vec<Option<[Vec<u8>; 2]>>>,
    /// What was put here, and read.
    put: AtomicUsize,
    read: AtomicUsize,
    /// How often it can be read before it fails; 0 for always.
    reads: usize,
}

impl TestShelf {
    /// How many slots are here.
    fn len(&self) -> usize {
        self.slots.read().unwrap().iter().flatten().count()
    }
}

impl Shelf for TestShelf {
    fn is_wide(&self) -> bool {
        self.wide.load(SeqCst)
    }

    fn clear(&self, wide: bool) -> Result<(), ShelfError> {
        self.slots.write().unwrap().clear();
        self.wide.store(wide, SeqCst);
        Ok(())
    }

    fn has(&self, slot: usize) -> bool {
        self.slots.read().unwrap().get(slot).is_some_and(Option::is_some)
    }

    fn put(&self, slot: usize, halves: [&[u8]; 2]) -> Result<(), ShelfError> {
        self.put.fetch_add(1, SeqCst);
        let halves = halves.map(<[u8]>::to_vec);
        let mut slots = self.slots.write().unwrap();
        if slots.len() <= slot {
            slots.resize(slot + 1, None);
        }
        // Slots of one unit come together, also if some of them were there.
        let same = slots[slot].as_ref().is_none_or(|old| *old == halves);
        assert!(same, "slot {slot} is something else now");
        slots[slot] = Some(halves);
        Ok(())
    }

    fn get(&self, slot: usize, side: usize, scores: &mut [u8]) -> Result<(), ShelfError> {
        let read = self.read.fetch_add(1, SeqCst) + 1;
        if self.reads > 0 && read > self.reads {
            return Err("cannot be read any more".into());
        }
        let slots = self.slots.read().unwrap();
        scores.copy_from_slice(&slots[slot].as_ref().expect("asked for what is here")[side]);
        Ok(())
    }
}

/// Values of the slices of a pair.
type PairCells = Vec<(Material, Vec<(Value, bool)>)>;

fn cells_of_pair<B: Bits>(table: &PairTable<B>, subsets: &SubsetTables<B>) -> PairCells {
    table.pair().slices().map(|slice| (slice, cells(table, slice, subsets))).collect()
}

/// Asserts that a table has these values and counts.
#[track_caller]
fn assert_cells<B: Bits>(
    table: &PairTable<B>,
    subsets: &SubsetTables<B>,
    known: &PairCells,
    way: &SolveOptions,
) {
    for (slice, known) in known {
        let found = cells(table, *slice, subsets);
        let differs = found.iter().zip(known).position(|(x, y)| x != y);
        assert!(differs.is_none() && found.len() == known.len(), "{slice} {differs:?} {way:?}");
    }
}

/// Pairs that were solved, and the values of those that are wanted.
struct Known<B: Bits> {
    finished: Finished<B>,
    cells: HashMap<Pair, PairCells>,
}

/// Solves the pairs that are wanted on shelves, from shelves, and compares them with `known`, which were solved in memory.
fn compare_on_shelves<B: Bits>(
    kernel: Kernel<B>,
    known: &Known<B>,
    pieces: u32,
    subsets: &SubsetTables<B>,
    options: &SolveOptions,
    wanted: &dyn Fn(Material) -> bool,
) {
    let mut finished = Finished::new();
    for pair in plan(kernel.rules(), pieces) {
        let Some(in_memory) = known.finished.get(&pair) else { continue };
        if !wanted(pair.first()) {
            finished.insert(pair, in_memory.clone());
            continue;
        }
        let shelf = Arc::new(TestShelf::default());
        let solve = || {
            solve_on_shelf(kernel, pair, &finished, subsets, options, shelf.clone(), &()).unwrap()
        };
        let table = solve();
        assert_cells(&table, subsets, &known.cells[&pair], options);
        for slice in pair.slices() {
            assert_eq!(table.counts(slice).unwrap(), in_memory.counts(slice).unwrap(), "{slice}");
        }
        // What is there is not solved again, and part of it is enough to go on from.
        let put = shelf.put.load(SeqCst);
        shelf.slots.write().unwrap().iter_mut().step_by(3).for_each(|slot| *slot = None);
        let left = shelf.len();
        assert_cells(&solve(), subsets, &known.cells[&pair], options);
        let (solved, all) = (shelf.put.load(SeqCst) - put, shelf.len());
        assert!(solved >= all - left && all <= put, "{}", pair.first());
        solve();
        assert_eq!(shelf.put.load(SeqCst) - put, solved, "{}", pair.first());
        finished.insert(pair, Arc::new(kernel.pair_on_shelf(pair, shelf).unwrap()));
    }
}

/// Solves pairs of so many pieces in every way, each from the same smaller ones.
fn compare<B: Bits>(kernel: Kernel<B>, pieces: u32, wanted: &dyn Fn(Material) -> bool) {
    let default = SolveOptions::default();
    let ways = [
        with!(default, vectors = false),
        with!(default, one_by_one = true),
        with!(default, parallel_unit_len = 0),
    ];
    let subsets = SubsetTables::new(kernel.geometry(), pieces - 1);
    let mut known = Known { finished: Finished::new(), cells: HashMap::new() };
    let all = plan(kernel.rules(), pieces);
    let needed = closure(kernel.rules(), all.iter().copied().filter(|pair| wanted(pair.first())));
    for pair in all.into_iter().filter(|pair| needed.contains(pair)) {
        let solve = |way| solve(kernel, pair, &known.finished, &subsets, way, &()).unwrap();
        let table = solve(&default);
        if wanted(pair.first()) {
            let found = cells_of_pair(&table, &subsets);
            for way in &ways {
                assert_cells(&solve(way), &subsets, &found, way);
            }
            let again = kernel.pair_from_bytes(pair, |halves| {
                let bytes = table.bytes().expect("short distances");
                halves.into_iter().zip(bytes).for_each(|(half, bytes)| half.copy_from_slice(bytes));
                Ok::<bool, SolveError>(true)
            });
            assert_cells(&again.unwrap().expect("all was filled in"), &subsets, &found, &default);
            for (slice, found) in &found {
                captures_are_flagged(kernel, *slice, found);
            }
            known.cells.insert(pair, found);
        }
        known.finished.insert(pair, Arc::new(table));
    }
    assert!(known.cells.keys().any(|pair| pair.first().pieces() == pieces));
    // Where there are no kings, units are one placement, and very many.
    let wanted: &dyn Fn(Material) -> bool =
        &|slice| pieces < 4 || wanted(slice) && slice.own_kings + slice.opp_kings > 0;
    compare_on_shelves(kernel, &known, pieces, &subsets, &default, wanted);
    if pieces < 4 {
        for way in &ways {
            compare_on_shelves(kernel, &known, pieces, &subsets, way, wanted);
        }
        // Distances that do not fit one byte.
        let wide = with!(default, longest_narrow = 2);
        compare_on_shelves(kernel, &known, pieces, &subsets, &wide, wanted);
    }
}

/// A shelf that fails ends the work with what it said.
#[test]
fn a_shelf_that_fails_is_heard() {
    type R = damka::rules::Russian;
    let subsets = SubsetTables::new(R::geometry(), 3);
    let options = SolveOptions::default();
    let mut finished = Finished::new();
    let slice: Material = "KMvKM".parse().unwrap();
    for pair in plan(&R::RULES, 4).into_iter().take_while(|pair| pair.first() != slice) {
        finished.insert(
            pair,
            Arc::new(solve(Kernel::of::<R>(), pair, &finished, &subsets, &options, &()).unwrap()),
        );
    }
    let pair = Pair::of(slice);
    for options in [options, with!(options, parallel_unit_len = 0)] {
        let shelf = Arc::new(TestShelf { reads: 50, ..TestShelf::default() });
        let solved = solve_on_shelf(
            Kernel::of::<R>(),
            pair,
            &finished,
            &subsets,
            &options,
            shelf.clone(),
            &(),
        );
        let error = solved.unwrap_err();
        assert!(matches!(&error, SolveError::Shelf { pair, .. } if pair.first() == slice));
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.to_string(), "cannot be read any more");
        assert!(shelf.put.load(SeqCst) < 700, "went on without what it could not read");
    }
    let shelf = Arc::new(TestShelf::default());
    solve_on_shelf(Kernel::of::<R>(), pair, &finished, &subsets, &options, shelf.clone(), &())
        .unwrap();
    let broken = Arc::new(TestShelf { reads: 1, ..TestShelf::default() });
    *broken.slots.write().unwrap() = shelf.slots.read().unwrap().clone();
    let table = Kernel::of::<R>().pair_on_shelf(pair, broken).unwrap();
    let index = SliceIndex::new(R::geometry(), slice);
    let mut visited = 0u64;
    let visit = table.visit(&index, &subsets, 0, index.len(), |_, _| visited += 1);
    assert!(visit.is_err() && visited < index.len());
    assert!(table.counts(slice).is_err());
    assert!(table.value(&index.unrank(7)).is_err());
}

fn captures_are_flagged<B: Bits>(kernel: Kernel<B>, slice: Material, cells: &[(Value, bool)]) {
    let index = SliceIndex::new(kernel.geometry(), slice);
    for (number, &(_, captures)) in (0..index.len()).zip(cells).step_by(7) {
        let position = index.unrank(number);
        assert_eq!(captures, kernel.has_capture(&position), "{slice} {number}");
    }
}

#[test]
fn all_ways_find_the_same_in_every_variant() {
    for &variant in Variant::ALL {
        with_rules!(variant, R => compare(Kernel::of::<R>(), 3, &|_| true));
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
        with_rules!(variant, R => compare(Kernel::of::<R>(), 4, &wanted));
    }
}

/// A slice can be visited from any place on.
#[test]
fn visits_begin_and_end_anywhere() {
    type R = damka::rules::Russian;
    let subsets = SubsetTables::new(R::geometry(), 3);
    let mut finished = Finished::new();
    for pair in plan(&R::RULES, 4) {
        let table =
            solve(Kernel::of::<R>(), pair, &finished, &subsets, &SolveOptions::default(), &())
                .unwrap();
        for slice in pair.slices() {
            let index = SliceIndex::new(R::geometry(), slice);
            let all = cells(&table, slice, &subsets);
            assert_eq!(all.len() as u64, index.len());
            for start in (0..index.len()).step_by(index.len() as usize / 50 + 1) {
                let len = (start % 77 + 1).min(index.len() - start);
                let mut some = Vec::new();
                table.visit(&index, &subsets, start, len, |v, c| some.push((v, c))).unwrap();
                assert_eq!(some, all[start as usize..(start + len) as usize], "{slice} {start}");
            }
        }
        finished.insert(pair, Arc::new(table));
    }
}
