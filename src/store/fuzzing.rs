//! Helpers of tests and fuzz targets. Not part of the public interface.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::format::{
    ENTRY_LEN, Entry, HEADER_LEN, MAGIC, index_from_bytes, index_to_bytes, mend, seal_header,
};
use super::{
    Cell, Cells, CellsError, Codec, FORMAT_VERSION, MemorySource, Metric, Results, StoreError,
    Table, TableId, TableInfo, WorkCopy, WorkSize, WriteOptions, codec, work, write,
};
use crate::index::{MOST_PIECES, Pair};
use crate::rules::Variant;
use crate::value::{Counts, Wld};

/// Both tables of a slice as bytes: `.wld`, then `.dtw`.
///
/// # Errors
/// See [`write_tables`](super::write_tables).
pub fn write_to_memory(
    info: &TableInfo,
    cells: &dyn Cells,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
    write::encode_to_memory(info, cells, options)
}

/// Makes the checksums, the file length and, if asked, the checksums of the blocks right for whatever
/// else is in the file, so that what lies behind them is reached. The block index, if it can be read, is compressed anew.
pub fn reseal(bytes: &mut Vec<u8>, blocks_too: bool) {
    if bytes.len() < HEADER_LEN {
        return;
    }
    let u32_at = |bytes: &[u8], at: usize| {
        bytes[at..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four) as usize)
    };
    let index_len = u32_at(bytes, mend::INDEX_LEN);
    let tail_len = index_len.saturating_add(u32_at(bytes, mend::MODEL_LEN));
    let tail_start = (bytes.len() - HEADER_LEN).checked_sub(tail_len).map(|len| HEADER_LEN + len);
    if let Some(tail_start) = tail_start {
        let blocks = blocks_of(bytes);
        let index_at = bytes.len() - index_len;
        if blocks_too
            && let Some(len) = (blocks as usize).checked_mul(ENTRY_LEN).filter(|&len| len < 1 << 24)
            && let Some(index) = codec::decompress_once(&bytes[index_at..], len)
        {
            let mut entries: Vec<Entry> = index_from_bytes(&index).collect();
            let mut stored = &bytes[HEADER_LEN..tail_start];
            for Entry { len, check } in &mut entries {
                let Some((block, after)) = stored.split_at_checked(usize::from(*len)) else {
                    break;
                };
                if *len > 0 {
                    *check = codec::checksum(block);
                }
                stored = after;
            }
            if let Ok(index) = codec::compress_once(&index_to_bytes(&entries)) {
                bytes.truncate(index_at);
                bytes.extend(&index);
                bytes[mend::INDEX_LEN..][..4].copy_from_slice(&(index.len() as u32).to_le_bytes());
            }
        }
        let checksum = xxh3_64(&bytes[tail_start..]);
        bytes[mend::TAIL_CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    }
    let file_len = bytes.len() as u64;
    let Some(header) = bytes.first_chunk_mut::<HEADER_LEN>() else { return };
    header[..MAGIC.len()].copy_from_slice(&MAGIC);
    header[mend::VERSION..][..2].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header[mend::FILE_LEN..][..8].copy_from_slice(&file_len.to_le_bytes());
    seal_header(header);
}

/// Number of blocks according to a header.
fn blocks_of(bytes: &[u8]) -> u64 {
    bytes[mend::BLOCKS..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// A slice of so many positions, with values of all kinds.
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
        let (variant, material) = (Variant::Russian, slice.parse().expect("a slice"));
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
        let written = write_to_memory(&info, &Stripes(positions), &options);
        let (wld, dtw) = written.expect("tables of good values");
        let id = |metric| TableId { variant, material, metric };
        [(id(Metric::Wld), wld), (id(Metric::Dtw), dtw)]
    };
    let [a, b] = make("KMMvKM", 900, Codec::Zstd);
    // One man on 28 squares, a king on the 31 others.
    let [c, d] = make("MvK", 868, Codec::Context);
    [a, b, c, d]
});

/// Changes bytes as `data` says: the place (two bytes) and the value of each.
fn edit(bytes: &mut [u8], data: &[u8]) {
    for &[low, high, value] in data.as_chunks::<3>().0 {
        let place = usize::from(u16::from_le_bytes([low, high])) % bytes.len();
        bytes[place] = value;
    }
}

/// What the fuzz target `table` does with its input: makes a file of it, and everything that can be done with a table with that.
///
/// The first byte chooses how: raw bytes behind nothing or behind right checksums, or edits (place and byte) of a good table, with or
/// without right checksums.
///
/// # Errors
/// Whatever [`exercise`] says.
pub fn run(data: &[u8]) -> Result<(), StoreError> {
    let Some((&mode, data)) = data.split_first() else { return Ok(()) };
    let (id, table) = &TABLES[usize::from(mode & 1 | mode >> 3 & 2)];
    let mut bytes = if mode & 2 == 0 {
        data.to_vec()
    } else {
        let mut table = table.clone();
        edit(&mut table, data);
        table
    };
    if mode & 4 != 0 {
        reseal(&mut bytes, mode & 8 != 0);
    }
    exercise(bytes, id)
}

/// Blocks of a table that are gone through: a header may claim any number of those that take no bytes.
const MOST_BLOCKS: u64 = 1 << 10;

/// Does with arbitrary bytes everything that can be done with a table of `id`, whatever the number
/// of its positions; returns the first error.
///
/// # Errors
/// Whatever opening, decoding or verifying says.
pub fn exercise(bytes: Vec<u8>, id: &TableId) -> Result<(), StoreError> {
    let path = Path::new("fuzzed");
    let source = MemorySource(bytes);
    let positions = Table::read_header(&source, path)?.positions;
    let table = Table::from_source(Box::new(source), path, id, positions)?;
    for index in [0, 1, positions / 2, positions - 1, positions, u64::MAX] {
        let (block, place) = table.block_of(index);
        let mut bytes = Vec::new();
        let decoded = table.decode_block(block, &mut bytes);
        if index < positions {
            decoded?;
            assert!(place < table.block_range(block).1);
            match id.metric {
                Metric::Wld => assert!(table.wld(&bytes, place).is_some()),
                Metric::Dtw => assert!(table.value(&bytes, place, Wld::Draw).is_some()),
            }
            for wld in [Wld::Win, Wld::Loss] {
                table.value(&bytes, place, wld);
            }
            table.wld(&bytes, usize::MAX);
            table.value(&bytes, usize::MAX, Wld::Win);
        } else if index == u64::MAX {
            assert!(decoded.is_err());
        }
    }
    if table.block_count() > MOST_BLOCKS {
        return Ok(());
    }
    for block in table.blocks() {
        block?;
    }
    table.verify_checksums(|_| ())
}

/// Variant of the working copies that [`run_work`] damages.
const VARIANT: Variant = Variant::Russian;
/// Their size: six blocks.
const WORK: WorkSize = WorkSize { slots: 6, unit: 1 << 10 };

/// What the fuzz target `work` does with its input: makes a working copy of it, in a folder of its own, and everything that a
/// build can do with one. Returns how many placements were there.
///
/// The first byte chooses how, as in [`run`]: raw bytes or edits of a good file, with or without right checksums, scores of one byte or two.
///
/// # Errors
/// If the system cannot read or write.
///
/// # Panics
/// If something panics that must not, or what was kept last does not come back.
pub fn run_work(folder: &Path, data: &[u8]) -> Result<u64, StoreError> {
    let Some((&mode, data)) = data.split_first() else { return Ok(0) };
    let pair = Pair::of("KMvKM".parse().expect("a slice"));
    let open = || WorkCopy::open(folder, VARIANT, pair, WORK, MOST_PIECES);
    let path = WorkCopy::path(folder, pair);
    let in_file = |error| StoreError::io(&path, error);
    let block_len = |wide: bool| WORK.unit as usize * if wide { 2 } else { 1 };
    let wide = mode & 8 != 0;
    let block: Vec<u8> = (0..block_len(wide)).map(|place| (place * place / 97) as u8).collect();
    let _ = fs::remove_file(&path);
    let mut bytes = data.to_vec();
    if mode & 2 != 0 {
        let good = open()?;
        good.clear(wide)?;
        for number in 0..WORK.slots as usize {
            good.put(number, [&block, &block])?;
        }
        good.sync()?;
        bytes = fs::read(&path).map_err(in_file)?;
        edit(&mut bytes, data);
    }
    if mode & 4 != 0 {
        work::reseal(&mut bytes);
    }
    fs::write(&path, &bytes).map_err(in_file)?;
    let copy = match open() {
        // Nobody overwrites that.
        Err(StoreError::NotAWorkCopy { .. }) => {
            assert!(
                fs::read(&path).map_err(in_file)? == bytes
                    && WorkCopy::info(&path, VARIANT)?.is_none()
            );
            return Ok(0);
        }
        copy => copy?,
    };
    let known = WorkCopy::info(&path, VARIANT)?.expect("opened just now");
    let has = (0..WORK.slots as usize).filter(|&number| copy.has(number)).count() as u64;
    assert_eq!(known.kept.map(|kept| kept.placements), Some(has * WORK.unit));
    let mut scores = vec![0; block_len(copy.is_wide())];
    for number in 0..WORK.slots as usize {
        for side in 0..2 {
            let got = copy.get(number, side, &mut scores);
            assert!(got.is_ok() || got.is_err_and(|error| error.is_corrupt()));
        }
    }
    copy.forget_damaged()?;
    let all = WORK.placements() as usize;
    let (mut a, mut b) = (vec![0; all], vec![0; all]);
    let kept = if copy.is_wide() { 0 } else { copy.load([&mut a, &mut b])? };
    if copy.is_wide() {
        copy.clear(false)?;
    }
    // Blocks behind the first that was missing are kept, and may turn out to be no scores when it is there.
    let loaded = kept as usize;
    let mut whole = 0;
    for _ in 0..2 {
        copy.append([&a, &b])?;
        let (mut again_a, mut again_b) = (vec![0; all], vec![0; all]);
        whole = copy.load([&mut again_a, &mut again_b])?;
        assert!(again_a[..loaded] == a[..loaded] && again_b[..loaded] == b[..loaded]);
    }
    assert!(whole == all as u64 && open()?.is_complete());
    Ok(kept)
}
