//! Arbitrary bytes as a table file: every one must end in values or an error.
//!
//! The first byte chooses how: raw bytes behind nothing or behind right checksums, or edits (place and byte)
//! of a good table, with or without right checksums.
#![no_main]

use std::sync::LazyLock;

use damka::{Counts, Variant};
use damka::store::fuzzing::{exercise, reseal, write_to_memory};
use damka::store::{
    Cell, Cells, CellsError, Codec, Metric, Results, TableId, TableInfo, WriteOptions,
};
use libfuzzer_sys::fuzz_target;

/// So many positions.
struct Stripes(u64);

impl Cells for Stripes {
    fn len(&self) -> u64 {
        self.0
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        for (index, cell) in (start..).zip(out) {
            let half = (index * index / 7 % 300) as u16;
            *cell = match index / 3 % 4 {
                0 => Cell::win(2 * half + 1),
                1 => Cell::loss(2 * half),
                2 => Cell::DRAW,
                _ => Cell::DONT_CARE,
            };
        }
        Ok(())
    }
}

/// Good tables of both metrics: compressed with zstd, and, of a whole slice, coded by contexts.
static TABLES: LazyLock<[(TableId, Vec<u8>); 4]> = LazyLock::new(|| {
    let make = |slice: &str, positions: u64, codec: Codec| {
        let (variant, material) = (Variant::Russian, slice.parse().unwrap());
        let third = positions / 3;
        let counts = Counts {
            wins: third,
            losses: third,
            draws: positions - 2 * third,
            longest_win: Some(599),
            longest_loss: Some(598),
        };
        let info = TableInfo { variant, material, counts, distances: Results::ALL };
        let options = WriteOptions { codec: Some(codec), ..WriteOptions::default() };
        let (wld, dtw) = write_to_memory(&info, &Stripes(positions), &options).unwrap();
        let id = |metric| TableId { variant, material, metric };
        [(id(Metric::Wld), wld), (id(Metric::Dtw), dtw)]
    };
    let [a, b] = make("KMMvKM", 900, Codec::Zstd);
    // One man on 28 squares, a king on the 31 others.
    let [c, d] = make("MvK", 868, Codec::Context);
    [a, b, c, d]
});

fuzz_target!(|data: &[u8]| {
    let Some((&mode, data)) = data.split_first() else { return };
    let (id, table) = &TABLES[usize::from(mode & 1 | mode >> 3 & 2)];
    let mut bytes = if mode & 2 == 0 {
        data.to_vec()
    } else {
        let mut table = table.clone();
        for edit in data.as_chunks::<3>().0 {
            let place = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % table.len();
            table[place] = edit[2];
        }
        table
    };
    if mode & 4 != 0 {
        reseal(&mut bytes, mode & 8 != 0);
    }
    exercise(bytes, id).ok();
});
