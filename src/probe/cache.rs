//! Decoded blocks, shared by threads.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// A block of a table: number of the table in its tablebase, number of the block.
pub(super) type BlockKey = (u32, u64);

#[derive(Clone)]
pub(super) struct Weight;

impl Weighter<BlockKey, Arc<Vec<u8>>> for Weight {
    fn weight(&self, _: &BlockKey, block: &Arc<Vec<u8>>) -> u64 {
        block.len() as u64 + 64
    }
}

/// Decoded blocks up to a number of bytes. Sharded inside, so threads seldom wait for each other.
pub(super) type BlockCache = Cache<BlockKey, Arc<Vec<u8>>, Weight>;

/// A cache for so many bytes of blocks.
pub(super) fn block_cache(bytes: u64) -> BlockCache {
    // Blocks of today's tables are 6 to 16 KiB; the estimate only sizes the directory.
    let blocks = (bytes / (8 << 10)).clamp(16, 1 << 24) as usize;
    Cache::with_weighter(blocks, bytes, Weight)
}
