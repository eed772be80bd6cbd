//! Arbitrary bytes as a table file: every one must end in values or an error.
//!
//! The first byte chooses how: raw bytes behind nothing or behind right checksums, or edits (place and byte)
//! of a good table, with or without right checksums.
#![no_main]

use std::sync::LazyLock;

use damka::{Counts, Variant};
use damka::store::fuzzing::{exercise, reseal, write_to_memory};
use damka::store::{Cell, Cells, CellsError, Metric, Results, TableId, TableInfo, WriteOptions};
use libfuzzer_sys::fuzz_target;

struct Stripes;

impl Cells for Stripes {
    fn len(&self) -> u64 {
        900
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

static TABLES: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let info = TableInfo {
        variant: Variant::Russian,
        material: "KMMvKM".parse().unwrap(),
        distances: Results::ALL,
        counts: Counts {
            wins: 300,
            losses: 300,
            draws: 300,
            longest_win: Some(599),
            longest_loss: Some(598),
        },
    };
    let (wld, dtw) = write_to_memory(&info, &Stripes, &WriteOptions::default()).unwrap();
    [wld, dtw]
});

fuzz_target!(|data: &[u8]| {
    let Some((&mode, data)) = data.split_first() else { return };
    let metric = if mode & 1 == 0 { Metric::Wld } else { Metric::Dtw };
    let mut bytes = if mode & 2 == 0 {
        data.to_vec()
    } else {
        let mut table = TABLES[usize::from(mode & 1)].clone();
        for edit in data.as_chunks::<3>().0 {
            let place = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % table.len();
            table[place] = edit[2];
        }
        table
    };
    if mode & 4 != 0 {
        reseal(&mut bytes, mode & 8 != 0);
    }
    let id = TableId { variant: Variant::Russian, material: "KMMvKM".parse().unwrap(), metric };
    exercise(bytes, &id).ok();
});
