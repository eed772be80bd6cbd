//! Helpers of tests and fuzz targets. Not part of the public interface.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::format::{
    ENTRY_LEN, Entry, HEADER_LEN, MAGIC, index_from_bytes, index_to_bytes, mend, seal_header,
};
use super::{
    Cells, FORMAT_VERSION, MemorySource, Metric, StoreError, Table, TableId, TableInfo,
    WriteOptions, codec, write,
};
use crate::value::Wld;

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
            let mut entries = index_from_bytes(&index);
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
    for block in table.blocks() {
        block?;
    }
    table.verify_checksums(|_| ())
}
