//! Helpers of tests and fuzz targets. Not part of the public interface.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::format::{ENTRY_LEN, Entry, HEADER_LEN, MAGIC, mend, seal_header};
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
/// else is in the file, so that what lies behind them is reached.
pub fn reseal(bytes: &mut [u8], blocks_too: bool) {
    if bytes.len() < HEADER_LEN {
        return;
    }
    let file_len = bytes.len();
    let (header, rest) = bytes.split_at_mut(HEADER_LEN);
    let Some(header) = header.first_chunk_mut::<HEADER_LEN>() else { return };
    header[..MAGIC.len()].copy_from_slice(&MAGIC);
    header[mend::VERSION..][..2].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    header[mend::FILE_LEN..][..8].copy_from_slice(&(file_len as u64).to_le_bytes());
    let mut blocks = [0; 8];
    blocks.copy_from_slice(&header[mend::BLOCKS..][..8]);
    let index_len = u64::from_le_bytes(blocks).saturating_mul(ENTRY_LEN as u64);
    if index_len <= rest.len() as u64 {
        let (index, mut stored) = rest.split_at_mut(index_len as usize);
        if blocks_too {
            for bytes in index.as_chunks_mut::<ENTRY_LEN>().0 {
                let Entry { len, .. } = Entry::from_bytes(*bytes);
                let Some((block, after)) = stored.split_at_mut_checked(len as usize) else { break };
                if len > 0 {
                    *bytes = Entry { len, check: codec::checksum(block) }.to_bytes();
                }
                stored = after;
            }
        }
        let checksum = xxh3_64(index);
        header[mend::INDEX_CHECKSUM..][..8].copy_from_slice(&checksum.to_le_bytes());
    }
    seal_header(header);
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
