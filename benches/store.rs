//! Cost of decoding one block, as a probe that misses its cache pays it.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use damka::store::fuzzing::write_to_memory;
use damka::store::{
    Cell, Cells, CellsError, MemorySource, Metric, Results, Table, TableId, TableInfo, WriteOptions,
};
use damka::{Counts, Variant};

/// Values with about the entropy of a five-piece slice: long runs, a fifth of don't-cares, noise.
struct Model;

impl Cells for Model {
    fn len(&self) -> u64 {
        327_600
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        for (index, cell) in (start..).zip(out) {
            let noise = xxhash_rust::xxh3::xxh3_64(&index.to_le_bytes());
            let slow = xxhash_rust::xxh3::xxh3_64(&(index / 23).to_le_bytes());
            let half = (slow % 12 + u64::from(noise.is_multiple_of(16))) as u16;
            *cell = match slow >> 32 & 7 {
                _ if noise % 5 == 1 => Cell::DONT_CARE,
                0..=3 => Cell::win(2 * half + 1),
                4 | 5 => Cell::DRAW,
                _ => Cell::loss(2 * half),
            };
        }
        Ok(())
    }
}

fn decode(c: &mut Criterion) {
    let material = "KMvKM".parse().unwrap();
    let variant = Variant::Russian;
    let (longest_win, longest_loss) = (Some(25), Some(24));
    let counts = Counts { wins: 163_800, losses: 81_900, draws: 81_900, longest_win, longest_loss };
    let info = TableInfo { variant, material, counts, distances: Results::ALL };
    let files = write_to_memory(&info, &Model, &WriteOptions::default()).unwrap();
    for (metric, bytes) in [(Metric::Wld, files.0), (Metric::Dtw, files.1)] {
        let id = TableId { variant, material, metric };
        let per_position = 8.0 * bytes.len() as f64 / Model.len() as f64;
        let source = Box::new(MemorySource(bytes));
        let table = Table::from_source(source, Path::new("bench"), &id, Model.len()).unwrap();
        table.verify_checksums(|_| ()).unwrap();
        let mut block = Vec::new();
        c.bench_function(
            &format!("decode {metric} block, {per_position:.2} bits a position"),
            |b| {
                b.iter(|| table.decode_block(black_box(3), &mut block).unwrap());
            },
        );
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
