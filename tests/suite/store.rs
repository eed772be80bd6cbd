//! Table files: what is written is read, and damage of any kind is an error.

use crate::common::with;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use damka::index::{Material, SliceIndex};
use damka::rules::{RuleSet, Russian, Turned};
use damka::store::fuzzing::{exercise, reseal, run, run_work, write_to_memory};
use damka::store::{
    Cell, Cells, CellsError, Codec, DTW_BLOCK_LEN, FORMAT_VERSION, HEADER_LEN, MAGIC, MemorySource,
    Metric, Results, StoreError, Table, TableId, TableInfo, WLD_BLOCK_LEN, WLD_CONTEXT_LEN,
    WriteOptions, remove_leftovers, write_tables,
};
use damka::{Counts, Value, Variant, Wld};
use proptest::prelude::*;

struct List(Vec<Cell>);

impl Cells for List {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        out.copy_from_slice(&self.0[start as usize..start as usize + out.len()]);
        Ok(())
    }
}

/// Deterministic noise.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

fn material() -> Material {
    "KMMvKM".parse().unwrap()
}

fn id(metric: Metric) -> TableId {
    TableId { variant: Variant::Russian, material: material(), metric }
}

/// Counts cells as the solver would; don't-cares count as draws.
fn info(cells: &[Cell]) -> TableInfo {
    let mut counts = Counts::default();
    cells.iter().for_each(|cell| counts.add(cell.value().unwrap_or(Value::Draw)));
    TableInfo { variant: Variant::Russian, material: material(), counts, distances: Results::ALL }
}

fn encode(cells: &[Cell]) -> [(Metric, Vec<u8>); 2] {
    let list = List(cells.to_vec());
    let options = WriteOptions::at_level(3);
    let (wld, dtw) = write_to_memory(&info(cells), &list, &options).unwrap();
    [(Metric::Wld, wld), (Metric::Dtw, dtw)]
}

fn open(bytes: Vec<u8>, metric: Metric, positions: u64) -> Result<Table, StoreError> {
    let source = Box::new(MemorySource(bytes));
    Table::from_source(source, Path::new("memory"), &id(metric), positions)
}

/// Random cells in runs of random length, with halves of distances below `halves`.
fn random_cells(len: usize, halves: u64, run: u64, seed: u64) -> Vec<Cell> {
    let mut noise = Noise(seed);
    let mut cells = Vec::with_capacity(len);
    while cells.len() < len {
        let half = noise.below(halves) as u16;
        let cell = match noise.below(4) {
            0 => Cell::DONT_CARE,
            1 => Cell::DRAW,
            2 => Cell::win(2 * half + 1),
            _ => Cell::loss(2 * half),
        };
        let run = 1 + noise.below(run) as usize;
        cells.extend(std::iter::repeat_n(cell, run.min(len - cells.len())));
    }
    cells
}

fn assert_reads_back(cells: &[Cell]) {
    let len = cells.len() as u64;
    let [wld, dtw] = encode(cells).map(|(metric, bytes)| open(bytes, metric, len).unwrap());
    wld.verify_checksums(|_| ()).unwrap();
    dtw.verify_checksums(|_| ()).unwrap();
    let wld_blocks: Vec<_> = wld.blocks().map(Result::unwrap).collect();
    let dtw_blocks: Vec<_> = dtw.blocks().map(Result::unwrap).collect();
    assert_eq!(wld_blocks.iter().map(|block| block.positions).sum::<usize>(), cells.len());
    assert_eq!(dtw_blocks.iter().map(|block| block.positions).sum::<usize>(), cells.len());
    for (index, value) in cells.iter().enumerate() {
        let Some(value) = value.value() else { continue };
        let (block, place) = wld.block_of(index as u64);
        let result = wld.wld(&wld_blocks[block as usize].bytes, place).unwrap();
        assert_eq!(result, value.wld(), "index {index}");
        let (block, place) = dtw.block_of(index as u64);
        let read = dtw.value(&dtw_blocks[block as usize].bytes, place, result);
        assert_eq!(read, Some(value), "index {index}");
    }
}

#[test]
fn values_are_read_as_they_were_written() {
    let blocks = WLD_BLOCK_LEN as usize;
    for len in [1, 4, 5, 6, 1000, blocks / 2, blocks / 2 + 1, blocks, blocks + 3, 3 * blocks + 77] {
        for (halves, run) in [(1, 1), (40, 1), (40, 300), (256, 5), (257, 5), (3000, 9)] {
            assert_reads_back(&random_cells(len, halves, run, len as u64));
        }
    }
    for cell in [Cell::DONT_CARE, Cell::DRAW, Cell::win(1), Cell::loss(0), Cell::loss(2000)] {
        assert_reads_back(&vec![cell; 2 * blocks + 1]);
    }
    let longest = [Cell::win(Cell::MAX_PLIES - 1), Cell::loss(Cell::MAX_PLIES), Cell::DONT_CARE];
    assert_reads_back(&longest);
}

#[test]
fn the_symbol_width_follows_the_longest_distance() {
    for (plies, width) in [(510, 1), (512, 2)] {
        let [_, (metric, bytes)] = encode(&[Cell::loss(plies), Cell::DRAW]);
        assert_eq!(open(bytes, metric, 2).unwrap().header().symbol_width, width);
    }
}

#[test]
fn blocks_of_one_value_cost_no_bytes() {
    let mut cells = vec![Cell::DONT_CARE; 100_000];
    for (place, cell) in cells.iter_mut().enumerate() {
        if place % 3 != 0 {
            *cell = Cell::loss(700);
        }
    }
    let lengths = encode(&cells).map(|(_, bytes)| bytes.len());
    assert_eq!(lengths, [HEADER_LEN; 2]);
    // A block with another value, and that only in its own length and checksum.
    cells[99_999] = Cell::win(1);
    let lengths = encode(&cells).map(|(_, bytes)| bytes.len());
    assert!(lengths.iter().all(|&len| len < HEADER_LEN + 80), "{lengths:?}");
}

#[test]
fn dont_cares_make_tables_smaller() {
    let mut noise = Noise(1);
    let mut holed = random_cells(100_000, 40, 300, 1);
    let mut full = holed.clone();
    for place in 0..full.len() {
        if holed[place] == Cell::DONT_CARE || noise.below(4) == 0 {
            holed[place] = Cell::DONT_CARE;
            full[place] = Cell::win(2 * noise.below(40) as u16 + 1);
        }
    }
    for ((_, holed), (_, full)) in encode(&holed).iter().zip(encode(&full)) {
        assert!(holed.len() < full.len() / 4, "{} and {} bytes", holed.len(), full.len());
    }
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let cells = random_cells(2_500_000, 300, 9, 3);
    let list = List(cells.clone());
    for levels in [(3, 3), (7, 9)] {
        let options = with!(
            WriteOptions::default(),
            wld_level = levels.0,
            dtw_level = levels.1,
            codec = None
        );
        let files = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| write_to_memory(&info(&cells), &list, &options).unwrap())
        });
        assert!(files[0] == files[1]);
    }
}

#[test]
fn files_appear_complete_and_under_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("my tables 5").join("russian");
    let cells = random_cells(70_000, 40, 9, 4);
    let (list, options) = (List(cells.clone()), WriteOptions::default());
    let sizes = write_tables(&folder, &info(&cells), &list, &options, &|| false).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    for (metric, size) in [(Metric::Wld, sizes.wld), (Metric::Dtw, sizes.dtw)] {
        let path = id(metric).path(folder.parent().unwrap());
        assert_eq!(fs::metadata(&path).unwrap().len(), size);
        let mut done = 0;
        let table = Table::open(&path, &id(metric), 70_000).unwrap();
        table.verify_checksums(|blocks| done = blocks).unwrap();
        assert_eq!(done, table.block_count());
    }
    // Once more, over the old files, which stay readable for whoever has them open.
    let path = id(Metric::Wld).path(folder.parent().unwrap());
    let old = Table::open(&path, &id(Metric::Wld), 70_000).unwrap();
    let other = random_cells(70_000, 40, 9, 5);
    write_tables(&folder, &info(&other), &List(other.clone()), &options, &|| false).unwrap();
    old.verify_checksums(|_| ()).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn files_are_as_readable_as_others() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cells = [Cell::DRAW];
    let (list, options) = (List(cells.to_vec()), WriteOptions::default());
    write_tables(folder.path(), &info(&cells), &list, &options, &|| false).unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&folder.path().join("KMMvKM.wld")), mode(&plain));
    assert_eq!(mode(&folder.path().join("KMMvKM.dtw")), mode(&plain));
}

#[test]
fn a_stopped_writer_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cells = random_cells(3_000_000, 40, 200, 6);
    let asked = AtomicU64::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 40;
    let options = WriteOptions::at_level(1);
    let result = write_tables(folder.path(), &info(&cells), &List(cells.clone()), &options, &stop);
    assert!(matches!(result, Err(StoreError::Stopped)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn leftovers_of_killed_runs_are_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(remove_leftovers(&folder.path().join("none")).unwrap(), 0);
    let cells = random_cells(100, 40, 1, 7);
    // What a killed run leaves is what is there while the values are asked for.
    struct Watching<'a>(List, &'a Path);
    impl Cells for Watching<'_> {
        fn len(&self) -> u64 {
            self.0.len()
        }
        fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
            for (number, entry) in fs::read_dir(self.1).unwrap().enumerate() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let end = name.len() - 6;
                fs::write(self.1.join(format!("{}left{number}", &name[..end])), "").unwrap();
            }
            self.0.fill(start, out)
        }
    }
    let watching = Watching(List(cells.clone()), folder.path());
    let options = WriteOptions::default();
    write_tables(folder.path(), &info(&cells), &watching, &options, &|| false).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    assert_eq!(remove_leftovers(folder.path()).unwrap(), 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn values_that_contradict_the_header_are_not_written() {
    let good = [Cell::win(3), Cell::loss(2), Cell::DRAW];
    let write = |info: &TableInfo, cells: &[Cell]| {
        write_to_memory(info, &List(cells.to_vec()), &WriteOptions::default())
    };
    let fine = info(&good);
    assert!(write(&fine, &good).is_ok());
    for cell in [Cell::win(5), Cell::win(2), Cell::loss(4), Cell::loss(1)] {
        let result = write(&fine, &[Cell::DRAW, cell, Cell::DRAW]);
        let Err(StoreError::WrongCell { index: 1, cell: found, .. }) = result else {
            panic!("{cell} was written");
        };
        assert_eq!(found, cell);
    }
    let counts = fine.counts;
    let wrong = [
        Counts { wins: 2, ..counts },
        Counts { wins: u64::MAX, losses: 3, ..counts },
        Counts { longest_win: None, ..counts },
        Counts { longest_win: Some(4), ..counts },
        Counts { longest_loss: Some(3), ..counts },
        Counts { longest_loss: Some(u16::MAX - 1), ..counts },
        Counts { wins: 0, ..counts },
    ];
    for counts in wrong {
        let info = TableInfo { counts, ..fine.clone() };
        assert!(matches!(write(&info, &good), Err(StoreError::WrongInfo { .. })), "{info:?}");
    }
    assert!(matches!(write(&fine, &[]), Err(StoreError::WrongInfo { .. })));
}

/// A file of a few hundred bytes with compressed blocks and one of a single value.
fn small_cells() -> Vec<Cell> {
    let mut cells = random_cells(200, 30, 3, 8);
    cells.resize(DTW_BLOCK_LEN as usize, Cell::DRAW);
    cells.resize(DTW_BLOCK_LEN as usize + 50, Cell::loss(6));
    cells
}

#[test]
fn a_file_cut_anywhere_is_an_error_that_names_both_lengths() {
    let cells = small_cells();
    for (metric, bytes) in encode(&cells) {
        for cut in 0..bytes.len() {
            let error = open(bytes[..cut].to_vec(), metric, cells.len() as u64).unwrap_err();
            let StoreError::Length { expected, found, .. } = error else {
                panic!("cut to {cut}: {error}");
            };
            let whole = if cut < HEADER_LEN { HEADER_LEN } else { bytes.len() };
            assert_eq!((expected, found), (whole as u64, cut as u64));
        }
        let mut longer = bytes.clone();
        longer.push(0);
        let error = open(longer, metric, cells.len() as u64).unwrap_err();
        assert!(matches!(error, StoreError::Length { .. }));
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let cells = small_cells();
    for (metric, bytes) in encode(&cells) {
        assert!(exercise(bytes.clone(), &id(metric)).is_ok());
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let read = open(damaged, metric, cells.len() as u64).and_then(|table| {
                let mut block = Vec::new();
                (0..table.block_count()).try_for_each(|n| table.decode_block(n, &mut block))
            });
            let error = read.expect_err(&format!("bit {bit} of {metric}"));
            let named = match bit / 8 {
                0..10 => matches!(error, StoreError::NotATable { .. }),
                10..12 => matches!(error, StoreError::Version { .. }),
                12..HEADER_LEN => matches!(error, StoreError::HeaderCorrupt { .. }),
                _ => error.is_corrupt(),
            };
            assert!(named, "bit {bit} of {metric}: {error}");
        }
    }
}

/// The table of results of all positions of a slice, coded by contexts: its id, its cells, its bytes.
fn context_table() -> (TableId, Vec<Cell>, Vec<u8>) {
    let material: Material = "KMvK".parse().unwrap();
    let len = SliceIndex::new(Russian::geometry(), material).len() as usize;
    let cells = random_cells(len, 30, 20, 5);
    let info = TableInfo { material, ..info(&cells) };
    let options = with!(WriteOptions::default(), codec = Some(Codec::Context));
    let (wld, _) = write_to_memory(&info, &List(cells.clone()), &options).unwrap();
    (TableId { material, ..id(Metric::Wld) }, cells, wld)
}

fn open_as(id: &TableId, bytes: Vec<u8>, positions: usize) -> Result<Table, StoreError> {
    Table::from_source(Box::new(MemorySource(bytes)), Path::new("memory"), id, positions as u64)
}

#[test]
fn tables_coded_by_contexts_are_read_as_they_were_written() {
    let (id, cells, bytes) = context_table();
    let table = open_as(&id, bytes, cells.len()).unwrap();
    assert_eq!(table.header().codec, Codec::Context);
    table.verify_checksums(|_| ()).unwrap();
    let blocks: Vec<_> = table.blocks().collect::<Result<_, _>>().unwrap();
    assert_eq!(blocks.len(), cells.len().div_ceil(WLD_CONTEXT_LEN as usize));
    for (index, cell) in cells.iter().enumerate() {
        let Some(value) = cell.value() else { continue };
        let (block, place) = table.block_of(index as u64);
        let result = table.wld(&blocks[block as usize].bytes, place);
        assert_eq!(result, Some(value.wld()), "index {index}");
    }
}

#[test]
fn damage_to_a_table_coded_by_contexts_is_found() {
    let (id, cells, bytes) = context_table();
    let mut noise = Noise(4);
    for _ in 0..3000 {
        let mut damaged = bytes.clone();
        damaged[noise.below(bytes.len() as u64) as usize] ^= 1 << noise.below(8);
        let read = open_as(&id, damaged, cells.len()).and_then(|table| {
            let mut block = Vec::new();
            (0..table.block_count()).try_for_each(|n| table.decode_block(n, &mut block))
        });
        assert!(read.is_err());
    }
    // Behind right checksums, other bytes are other results, and the values are not those that were written.
    let mut other = bytes.clone();
    other[HEADER_LEN + 20] ^= 1;
    reseal(&mut other, true);
    let table = open_as(&id, other, cells.len()).unwrap();
    assert!(matches!(table.verify_checksums(|_| ()), Err(StoreError::ValuesChecksum { .. })));
    for _ in 0..300 {
        let mut mutated = bytes.clone();
        let place = noise.below(bytes.len() as u64) as usize;
        mutated[place] = noise.below(256) as u8;
        reseal(&mut mutated, noise.below(2) == 0);
        exercise(mutated, &id).ok();
    }
}

/// Inputs that reached all that a quarter of an hour of fuzzing reached; see `fuzz/fuzz_targets/table.rs`.
#[test]
fn what_fuzzing_found_is_values_or_an_error() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/table");
    let (mut inputs, mut whole) = (0, 0);
    for entry in std::fs::read_dir(corpus).unwrap() {
        let input = std::fs::read(entry.unwrap().path()).unwrap();
        inputs += 1;
        whole += usize::from(run(&input).is_ok());
    }
    assert!(inputs >= 300 && whole > 0, "{inputs}, {whole}");
}

/// Inputs that reached all that fuzzing reached; see `fuzz/fuzz_targets/work.rs`.
#[test]
fn working_copies_from_fuzzing_are_read_or_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/work");
    let (mut inputs, mut kept) = (0, 0);
    for entry in fs::read_dir(corpus).unwrap() {
        let input = fs::read(entry.unwrap().path()).unwrap();
        inputs += 1;
        kept += usize::from(run_work(folder.path(), &input).unwrap() > 0);
    }
    assert!(inputs >= 30 && kept > 0 && kept < inputs, "{inputs}, {kept}");
}

#[test]
fn wrong_values_in_whole_blocks_are_found() {
    let cells = small_cells();
    for (metric, mut bytes) in encode(&cells) {
        bytes[152] ^= 1;
        reseal(&mut bytes, true);
        let table = open(bytes, metric, cells.len() as u64).unwrap();
        let error = table.verify_checksums(|_| ()).unwrap_err();
        assert!(matches!(error, StoreError::ValuesChecksum { .. }));
    }
}

#[test]
fn distances_beyond_the_longest_are_corrupt() {
    // The one value of a table, which stands in its header.
    let [_, (metric, mut bytes)] = encode(&[Cell::loss(8); 10]);
    bytes[110] = 5;
    reseal(&mut bytes, true);
    let error = open(bytes, metric, 10).unwrap_err();
    assert!(matches!(error, StoreError::HeaderCorrupt { field: "symbol", .. }));
    // No win can have this distance, a loss can.
    let [_, (metric, bytes)] = encode(&[Cell::loss(8), Cell::win(3)]);
    let table = open(bytes, metric, 2).unwrap();
    let mut block = Vec::new();
    table.decode_block(0, &mut block).unwrap();
    assert_eq!(table.value(&block, 0, Wld::Loss), Some(Value::Loss(8)));
    assert_eq!(table.value(&block, 0, Wld::Win), None);
    assert_eq!(table.value(&block, 2, Wld::Loss), None);
    assert_eq!(table.wld(&block, 0), None);
}

#[test]
fn blocks_that_do_not_exist_are_errors() {
    for (metric, bytes) in encode(&[Cell::DRAW; 10]) {
        let table = open(bytes, metric, 10).unwrap();
        for block in [1, u64::MAX] {
            let error = table.decode_block(block, &mut Vec::new()).unwrap_err();
            assert!(matches!(error, StoreError::NoBlock { blocks: 1, .. }));
        }
    }
}

#[test]
fn foreign_tables_are_told_apart() {
    let [(_, bytes), _] = encode(&[[Cell::DRAW, Cell::loss(8)]; 5].concat());
    let changed = |at: usize, field: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + field.len()].copy_from_slice(field);
        reseal(&mut bytes, false);
        open(bytes, Metric::Wld, 10).unwrap_err()
    };
    assert!(matches!(changed(32, b"pool\0\0\0"), StoreError::OtherVariant { .. }));
    assert!(matches!(changed(24, &[1; 8]), StoreError::OtherRules { .. }));
    assert!(matches!(changed(92, &[2]), StoreError::OtherMetric { .. }));
    assert!(matches!(changed(92, &[3]), StoreError::HeaderCorrupt { field: "metric", .. }));
    assert!(matches!(changed(93, &[50]), StoreError::HeaderCorrupt { .. }));
    assert!(matches!(changed(95, &[1]), StoreError::HeaderCorrupt { .. }));
    assert!(matches!(changed(96, &[4, 0, 0, 0]), StoreError::HeaderCorrupt { .. }));
    assert!(matches!(changed(144, &[0xff; 8]), StoreError::HeaderCorrupt { .. }));

    let source = || Box::new(MemorySource(bytes.clone()));
    let path = Path::new("memory");
    let other = TableId { material: material().twin(), ..id(Metric::Wld) };
    let error = Table::from_source(source(), path, &other, 10).unwrap_err();
    assert!(matches!(error, StoreError::OtherSlice { .. }));
    assert_eq!(error.to_string(), "memory is a table of slice KMMvKM, not of KMvKMM");
    let error = Table::from_source(source(), path, &id(Metric::Wld), 11).unwrap_err();
    assert!(matches!(error, StoreError::Positions { expected: 11, found: 10, .. }));

    let mut newer = bytes.clone();
    newer[10] += 1;
    let error = open(newer, Metric::Wld, 10).unwrap_err();
    assert!(
        matches!(error, StoreError::Version { found, read: FORMAT_VERSION, .. } if found == FORMAT_VERSION + 1)
    );
    assert!(!error.is_corrupt());
    let error = open(b"not a table".to_vec(), Metric::Wld, 10).unwrap_err();
    assert!(matches!(error, StoreError::NotATable { .. }));
}

#[test]
fn missing_and_broken_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = id(Metric::Wld).path(folder.path());
    let error = Table::open(&path, &id(Metric::Wld), 10).unwrap_err();
    assert!(error.is_missing() && !error.is_corrupt());
    assert!(error.to_string().contains("KMMvKM.wld"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for content in [&b""[..], &MAGIC, b"text"] {
        fs::write(&path, content).unwrap();
        let error = Table::open(&path, &id(Metric::Wld), 10).unwrap_err();
        assert!(error.is_corrupt() && !error.is_missing(), "{error}");
    }
    let error = Table::open(folder.path(), &id(Metric::Wld), 10).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }));
}

#[test]
fn no_mutation_of_a_table_is_a_panic() {
    let mut noise = Noise(9);
    let files: Vec<_> =
        [small_cells(), random_cells(900, 700, 3, 10)].iter().flat_map(|c| encode(c)).collect();
    for round in 0..60_000 {
        let (metric, bytes) = &files[round % files.len()];
        let mut bytes = bytes.clone();
        for _ in 0..=noise.below(3) {
            let place = noise.below(bytes.len() as u64) as usize;
            bytes[place] = match noise.below(3) {
                0 => bytes[place] ^ 1 << noise.below(8),
                1 => 0xff * noise.below(2) as u8,
                _ => noise.below(256) as u8,
            };
        }
        if noise.below(8) == 0 {
            bytes.truncate(noise.below(bytes.len() as u64 + 1) as usize);
        }
        match noise.below(4) {
            0 => {}
            1 => reseal(&mut bytes, false),
            _ => reseal(&mut bytes, true),
        }
        // Whatever it says, it must not panic.
        exercise(bytes, &id(*metric)).ok();
    }
}

#[test]
fn the_example_of_an_index_in_the_description_of_the_format_is_right() {
    let slice = SliceIndex::new(Russian::geometry(), "KvK".parse().unwrap());
    let kings = |own: u8, opp: u8| Turned {
        own_kings: 1u32 << own,
        opp_kings: 1 << opp,
        ..Turned::default()
    };
    assert_eq!(slice.rank(&kings(1, 0)), 0);
    assert_eq!(slice.rank(&kings(0, 1)), 31);
}

proptest! {
    #[test]
    fn bytes_behind_a_magic_number_are_no_panic(
        tail in proptest::collection::vec(any::<u8>(), 0..600),
        seal in any::<bool>(),
        version in 1..4u16,
    ) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(tail);
        if seal {
            reseal(&mut bytes, true);
        }
        prop_assert!(exercise(bytes.clone(), &id(Metric::Wld)).is_err());
        prop_assert!(exercise(bytes, &id(Metric::Dtw)).is_err());
    }

    #[test]
    fn any_cells_are_read_back(
        cells in proptest::collection::vec((0..4u8, 0..400u16), 1..300),
    ) {
        let cells: Vec<Cell> = cells
            .into_iter()
            .map(|(kind, half)| match kind {
                0 => Cell::DONT_CARE,
                1 => Cell::DRAW,
                2 => Cell::win(2 * half + 1),
                _ => Cell::loss(2 * half),
            })
            .collect();
        assert_reads_back(&cells);
    }
}

/// Cells that fail in one piece, the last that is asked for.
struct Failing(u64);

impl Cells for Failing {
    fn len(&self) -> u64 {
        self.0
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        out.fill(Cell::DRAW);
        match start + out.len() as u64 == self.0 {
            true => Err("the disk is gone".into()),
            false => Ok(()),
        }
    }
}

#[test]
fn cells_that_cannot_be_had_leave_no_table() {
    for positions in [1, 1000, 3 * u64::from(WLD_BLOCK_LEN) + 1] {
        let folder = tempfile::tempdir().unwrap();
        let counts = Counts { draws: positions, ..Counts::default() };
        let material = "KMvKM".parse().unwrap();
        let info =
            TableInfo { variant: Variant::Russian, material, counts, distances: Results::ALL };
        let options = WriteOptions::default();
        let written = write_tables(folder.path(), &info, &Failing(positions), &options, &|| false);
        match written.unwrap_err() {
            StoreError::Cells { material: named, source } => {
                assert_eq!(named, material);
                assert_eq!(source.to_string(), "the disk is gone");
            }
            other => panic!("{other}"),
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
