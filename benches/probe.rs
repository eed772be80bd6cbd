//! Speed of probes of a set of tables, as a program that searches has it. Prints a line for each figure; some values are
//! checked first, figures are not.
//!
//!     cargo bench --bench probe -- tables russian 6

use std::collections::HashMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use damka::board::{Bitboard, Shape, Square};
use damka::index::{Material, SliceIndex, slices};
use damka::probe::OpenOptions;
use damka::rules::{RuleSet, Russian, Turned};
use damka::store::{Metric, Table, TableId, unpack};
use damka::{Colour, Position, Tablebase, Variant, Wld, legal_moves};

/// Positions that are asked for.
const POSITIONS: usize = 100_000;
/// Rounds over all of them, of which the best counts.
const ROUNDS: usize = 7;
/// Positions whose values are checked first.
const CHECKED: usize = 2_000;
/// Blocks that are decoded cold.
const BLOCKS: u64 = 2_000;

/// Deterministic noise.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

/// Random positions of slices, as frequent as the slices are large.
fn positions(variant: Variant, tables: &Tablebase, pieces: u32) -> Vec<Position> {
    let slices = slices(variant.rules(), pieces);
    let len = |&slice: &Material| tables.header(slice, Metric::Wld).expect("a table").positions;
    let lens: Vec<u64> = slices.iter().map(len).collect();
    let all: u64 = lens.iter().sum();
    let mut noise = Noise(1);
    let mut found = Vec::new();
    for (slice, len) in slices.iter().zip(&lens) {
        let share = (POSITIONS as u128 * 4 * u128::from(*len) / u128::from(all)) as u64;
        found.extend((0..share.max(1)).map(|_| random_position(variant, *slice, &mut noise)));
    }
    // Not slice by slice.
    for place in (1..found.len()).rev() {
        found.swap(place, noise.below(place as u64 + 1) as usize);
    }
    found
}

/// A random position of a slice.
fn random_position(variant: Variant, slice: Material, noise: &mut Noise) -> Position {
    let squares = variant.rules().shape.squares();
    loop {
        let mut sets = [Bitboard::EMPTY; 4];
        let counts = [slice.own_men, slice.opp_men, slice.own_kings, slice.opp_kings];
        for (set, count) in sets.iter_mut().zip(counts) {
            for _ in 0..count {
                set.insert(Square(noise.below(squares.into()) as u8));
            }
        }
        // Two on one square, or a man that would be a king.
        let [own_men, opp_men, own_kings, opp_kings] = sets;
        let (men, kings) = ([own_men, opp_men], [own_kings, opp_kings]);
        if sets.iter().zip(counts).all(|(set, count)| set.len() == u32::from(count))
            && let Ok(position) = Position::new(variant, Colour::White, men, kings)
        {
            return position;
        }
    }
}

/// Seconds that some work takes, the best of all rounds.
fn best(mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// Asserts that values follow from those one move later.
fn check(tables: &Tablebase, positions: &[Position]) {
    for position in positions.iter().take(CHECKED) {
        let value = tables.probe(position).expect("a value");
        assert_eq!(tables.probe_wld(position).expect("a value"), value.wld());
        if let Some(best) = tables.moves(position).expect("values").first() {
            assert_eq!(best.for_mover().value(), Some(value));
        }
    }
}

/// The results of a set, five to a byte, in memory.
struct Array(HashMap<Material, (SliceIndex<u32>, Vec<u8>)>);

impl Array {
    fn load(tables: &Tablebase, pieces: u32) -> Self {
        let variant = tables.variant();
        let geometry = Russian::geometry();
        let load = |material: Material| {
            let id = TableId { variant, material, metric: Metric::Wld };
            let index = SliceIndex::new(geometry, material);
            let path = id.path(&tables.folders()[0]);
            let table = Table::open(&path, &id, index.len()).expect("a table");
            let bytes = table.blocks().flat_map(|block| block.expect("a block").bytes).collect();
            (material, (index, bytes))
        };
        Array(slices(variant.rules(), pieces).into_iter().map(load).collect())
    }

    /// Result of a position with White to move and no capture.
    fn result(&self, position: &Position) -> Wld {
        let set = |set: Bitboard| set.0 as u32;
        let turned = Turned {
            own_men: set(position.men(Colour::White)),
            own_kings: set(position.kings(Colour::White)),
            opp_men: set(position.men(Colour::Black)),
            opp_kings: set(position.kings(Colour::Black)),
        };
        let (index, bytes) = &self.0[&Material::of(&turned)];
        let place = index.stored_rank(&turned) as usize;
        unpack(bytes[place / 5], place % 5)
    }
}

/// Measures a probe, and compares it with one that took so many seconds. Returns its seconds.
fn probes(
    name: &str,
    positions: &[Position],
    probe: &(impl Fn(&Position) + Sync),
    array_seconds: Option<f64>,
) -> f64 {
    // Into the cache.
    positions.iter().for_each(probe);
    let alone = best(|| positions.iter().for_each(probe)) / positions.len() as f64;
    let both = best(|| {
        thread::scope(|scope| {
            for half in 0..2 {
                // Each asks for all, beginning elsewhere.
                let (front, back) = positions.split_at(half * positions.len() / 2);
                scope.spawn(move || back.iter().chain(front).for_each(probe));
            }
        });
    }) / positions.len() as f64;
    let times = array_seconds
        .map_or(String::new(), |array| format!(" ({:.2} of the array)", alone / array));
    println!(
        "{name}: {:.0} ns{times}, {:.2} M/s; two threads {:.2} times as many",
        alone * 1e9,
        1e-6 / alone,
        2.0 * alone / both,
    );
    alone
}

fn cold_blocks(variant: Variant, tables: &Tablebase, pieces: u32, metric: Metric, map: bool) {
    let mut noise = Noise(2);
    let (mut decoded, mut seconds, mut worst) = (0, 0.0, ("".to_owned(), 0.0f64));
    let all: u64 = slices(variant.rules(), pieces)
        .iter()
        .map(|slice| tables.header(*slice, metric).expect("a table").positions)
        .sum();
    for material in slices(variant.rules(), pieces) {
        let id = TableId { variant, material, metric };
        let positions = tables.header(material, metric).expect("a table").positions;
        let folder = &tables.folders()[0];
        let path = id.path(folder);
        let table = match map {
            // SAFETY: nobody changes the files.
            true => unsafe { Table::open_mapped(&path, &id, positions) },
            false => Table::open(&path, &id, positions),
        };
        let table = table.expect("a table");
        let mut bytes = Vec::new();
        let stored: Vec<u64> = (0..table.block_count()).filter(|&b| table.is_stored(b)).collect();
        if stored.is_empty() {
            continue;
        }
        // The first makes what is made once.
        table.decode_block(stored[0], &mut bytes).expect("a block");
        let share = (u128::from(BLOCKS) * u128::from(positions) / u128::from(all)) as u64 + 1;
        let start = Instant::now();
        for _ in 0..share {
            let block = stored[noise.below(stored.len() as u64) as usize];
            table.decode_block(black_box(block), &mut bytes).expect("a block");
        }
        let spent = start.elapsed().as_secs_f64();
        if spent / share as f64 > worst.1 {
            worst = (material.to_string(), spent / share as f64);
        }
        (decoded, seconds) = (decoded + share, seconds + spent);
    }
    println!(
        "{metric} block, {} from the system's cache, checked and decoded: {:.1} us; slowest slice {} {:.1} us",
        if map { "mapped" } else { "read" },
        seconds / decoded as f64 * 1e6,
        worst.0,
        worst.1 * 1e6,
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [folder, variant, pieces] = words.as_slice() else {
        println!("skipped: cargo bench --bench probe -- FOLDER VARIANT PIECES");
        return;
    };
    let variant: Variant = variant.parse().expect("a variant");
    let pieces: u32 = pieces.parse().expect("a number of pieces");
    let folders = [PathBuf::from(folder)];
    let open = || {
        let options = OpenOptions::new().cache_bytes(8 << 30);
        Tablebase::open_with(variant, &folders, options).expect("a folder of tables")
    };
    println!("opening {} tables: {:.2} ms", open().found().len(), best(|| drop(open())) * 1e3);
    let tables = open();
    let any = positions(variant, &tables, pieces);
    let is_quiet = |position: &Position| {
        legal_moves(position).first().is_none_or(|(first, _)| !first.is_capture())
    };
    let quiet: Vec<Position> = any.iter().copied().filter(is_quiet).take(POSITIONS).collect();
    let any: Vec<Position> = any.into_iter().take(POSITIONS).collect();
    let wld = |position: &Position| {
        black_box(tables.probe_wld(position).expect("a value"));
    };
    let value = |position: &Position| {
        black_box(tables.probe(position).expect("a value"));
    };
    check(&tables, &any);
    println!("{variant}, {pieces} pieces, cached, {POSITIONS} random positions:");
    // What a program would have without compression.
    let array = (variant.rules().shape == Shape::dark(8, 8)).then(|| {
        let array = Array::load(&tables, pieces);
        let look_up = |position: &Position| {
            black_box(array.result(position));
        };
        assert!(quiet.iter().all(|p| array.result(p) == tables.probe_wld(p).expect("a value")));
        probes("  results, no capture, from an array", &quiet, &look_up, None)
    });
    probes("  results, no capture", &quiet, &wld, array);
    probes("  results, any", &any, &wld, array);
    probes("  distances, no capture", &quiet, &value, array);
    probes("  distances, any", &any, &value, array);
    for (metric, map) in
        [(Metric::Wld, true), (Metric::Wld, false), (Metric::Dtw, true), (Metric::Dtw, false)]
    {
        cold_blocks(variant, &tables, pieces, metric, map);
    }
}
