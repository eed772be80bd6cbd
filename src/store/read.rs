//! Opening tables, finding and decoding their blocks.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::codec::{self, Layout, PER_BYTE, TableModel};
use super::context::{ContextCoder, context_coder};
use super::error::{BlockFault, StoreError};
use super::format::{
    Codec, ENTRY_LEN, Entry, HEADER_LEN, Header, Metric, RawHeader, TableId, index_from_bytes,
};
use super::source::{FileSource, Source, map_or_open};
use crate::rules::Variant;
use crate::value::{Halves, Value, Wld};

/// What the blocks of a table need to be decoded.
#[derive(Debug)]
enum Coding {
    Constant,
    Zstd,
    Context {
        model: TableModel,
        /// Made when the first block is decoded; `None` if the slice has another number of positions than the file says.
        coder: OnceLock<Option<Box<dyn ContextCoder>>>,
        variant: Variant,
    },
}

/// A table file, opened: header and block index are checked and in memory (12 bytes a block),
/// blocks are read when they are asked for.
pub struct Table {
    path: PathBuf,
    source: Box<dyn Source>,
    header: Header,
    layout: Layout,
    halves: Halves,
    coding: Coding,
    /// Where each block begins in the file; one more at the end. Empty for a constant table.
    offsets: Vec<u64>,
    /// Checksum of each block, or its only symbol if it has no bytes.
    checks: Vec<u32>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("path", &self.path)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

thread_local! {
    /// Stored bytes of a block. They are copied even where they lie in memory already: a map may change between the look at their
    /// checksum and their decoding.
    static STORED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A block, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Number of the block, from 0.
    pub number: u64,
    /// Index of its first position.
    pub start: u64,
    /// Number of its positions.
    pub positions: usize,
    /// Decoded bytes, for [`Table::wld`] and [`Table::value`].
    pub bytes: Vec<u8>,
}

impl Table {
    /// Opens a file and checks that it is the table that was asked for, of a slice with so many
    /// positions. Reads the header and the block index, no block.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is no such file; other variants if it is damaged, foreign, or
    /// cannot be read.
    pub fn open(path: &Path, id: &TableId, positions: u64) -> Result<Self, StoreError> {
        let source = FileSource::open(path).map_err(|error| StoreError::opening(path, error))?;
        Self::from_source(Box::new(source), path, id, positions)
    }

    /// [`Table::open`] that maps the file into memory. Where that does not work, or would take addresses that the program needs (as
    /// with `ulimit -v`), the file is read all the same.
    ///
    /// # Safety
    /// See [`MapSource::open`](super::MapSource::open).
    ///
    /// # Errors
    /// See [`Table::open`].
    pub unsafe fn open_mapped(
        path: &Path,
        id: &TableId,
        positions: u64,
    ) -> Result<Self, StoreError> {
        // SAFETY: as the caller promises.
        let source = unsafe { map_or_open(path) };
        let source = source.map_err(|error| StoreError::opening(path, error))?;
        Self::from_source(source, path, id, positions)
    }

    /// Like [`Table::open`], from any source of bytes; `path` only appears in errors.
    ///
    /// # Errors
    /// See [`Table::open`].
    pub fn from_source(
        source: Box<dyn Source>,
        path: &Path,
        id: &TableId,
        positions: u64,
    ) -> Result<Self, StoreError> {
        let header = Self::read_header(source.as_ref(), path)?;
        header.expect(id, positions, path)?;
        let corrupt = |field| StoreError::HeaderCorrupt { path: path.to_owned(), field };
        let (layout, halves) = (header.layout(), header.halves());

        // A few bytes can claim very many blocks.
        let no_memory = || StoreError::io(path, io::ErrorKind::OutOfMemory.into());
        let tail_len = usize::try_from(header.tail_len()).map_err(|_| no_memory())?;
        let tail_start = header.file_len - header.tail_len();
        let mut tail = Vec::new();
        tail.try_reserve_exact(tail_len).map_err(|_| no_memory())?;
        tail.resize(tail_len, 0);
        source.read_exact_at(&mut tail, tail_start).map_err(|error| StoreError::io(path, error))?;
        if xxh3_64(&tail) != header.tail_checksum {
            return Err(corrupt("checksum of the block index"));
        }
        let (model, index) = tail.split_at(header.model_len as usize);
        let coding = match header.codec {
            Codec::Constant => Coding::Constant,
            Codec::Zstd => Coding::Zstd,
            Codec::Context => {
                let model = TableModel::from_stored(header.metric, model);
                let model = model.ok_or_else(|| corrupt("model"))?;
                let coder = OnceLock::new();
                Coding::Context { model, coder, variant: id.variant }
            }
        };
        let mut offsets = Vec::new();
        let mut checks = Vec::new();
        let mut offset = HEADER_LEN as u64;
        if header.codec != Codec::Constant {
            let blocks = usize::try_from(header.blocks()).ok();
            let len = blocks.and_then(|blocks| blocks.checked_mul(ENTRY_LEN));
            let index = len.and_then(|len| codec::decompress_once(index, len));
            let index = index.ok_or_else(|| corrupt("block index"))?;
            let entries = index_from_bytes(&index);
            offsets.try_reserve_exact(entries.len() + 1).map_err(|_| no_memory())?;
            checks.try_reserve_exact(entries.len()).map_err(|_| no_memory())?;
            for Entry { len, check } in entries {
                offsets.push(offset);
                checks.push(check);
                // Cannot overflow: there are fewer than 2^48 blocks, each below 2^16 bytes.
                offset = offset.saturating_add(len.into());
            }
            offsets.push(offset);
        }
        if offset != tail_start {
            return Err(corrupt("lengths of the blocks"));
        }
        let path = path.to_owned();
        Ok(Table { path, source, header, layout, halves, coding, offsets, checks })
    }

    /// Reads and checks the header of a table, whichever it is of.
    ///
    /// # Errors
    /// If it is damaged or of another format, or the file has not the length that the header says.
    pub fn read_header(source: &dyn Source, path: &Path) -> Result<Header, StoreError> {
        let found = source.size();
        let mut start = [0; HEADER_LEN];
        let start = &mut start[..found.min(HEADER_LEN as u64) as usize];
        source.read_exact_at(start, 0).map_err(|error| StoreError::io(path, error))?;
        let raw = RawHeader::new(start, path)?;
        let expected = raw.file_len();
        if found != expected {
            return Err(StoreError::Length { path: path.to_owned(), expected, found });
        }
        Header::check(&raw)
            .map_err(|field| StoreError::HeaderCorrupt { path: path.to_owned(), field })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of positions.
    pub fn positions(&self) -> u64 {
        self.header.positions
    }

    /// Number of blocks.
    pub fn block_count(&self) -> u64 {
        self.header.blocks()
    }

    /// Number of the blocks that may have bytes in the file: all, or none.
    pub(crate) fn stored_blocks(&self) -> u64 {
        self.checks.len() as u64
    }

    /// Number of the block that holds a position, and the place of the position in it.
    ///
    /// For an index beyond the table the block does not exist, and [`Table::decode_block`] says so.
    #[inline]
    pub fn block_of(&self, index: u64) -> (u64, usize) {
        let len = u64::from(self.header.block_len);
        (index / len, (index % len) as usize)
    }

    /// Index of the first position of a block, and number of its positions; 0 if there is no
    /// such block.
    pub fn block_range(&self, block: u64) -> (u64, usize) {
        let len = u64::from(self.header.block_len);
        let start = block.saturating_mul(len);
        (start, self.header.positions.saturating_sub(start).min(len) as usize)
    }

    /// Where a block lies in the file; `None` if it takes no bytes there, or does not exist.
    fn stored_range(&self, block: u64) -> Option<(u64, usize)> {
        let place = usize::try_from(block).ok()?;
        let (from, to) = (self.offsets.get(place)?, self.offsets.get(place + 1)?);
        (from < to).then_some((*from, (to - from) as usize))
    }

    /// Whether the file must be read for a block: others are known from header and index.
    pub fn is_stored(&self, block: u64) -> bool {
        self.stored_range(block).is_some()
    }

    /// Says that a block will soon be decoded, so that the system can begin to read it. Does not wait.
    pub fn will_need(&self, block: u64) {
        if let Some((offset, len)) = self.stored_range(block) {
            self.source.will_need(offset, len as u64);
        }
    }

    /// Says so of all blocks of the next stretch, once in every stretch, for reading in order.
    fn will_need_after(&self, block: u64) {
        const STRETCH: u64 = 512;
        if !block.is_multiple_of(STRETCH) || self.offsets.is_empty() {
            return;
        }
        let last = self.offsets.len() - 1;
        let at = |block: u64| self.offsets[usize::try_from(block).map_or(last, |b| b.min(last))];
        let (from, to) = (at(block), at(block + 2 * STRETCH));
        self.source.will_need(from, to - from);
    }

    /// Decodes a block into `out`, whose contents are replaced: in WLD tables five results a byte, in
    /// DTW tables one symbol a position. Thread-safe.
    ///
    /// # Errors
    /// [`StoreError::BlockCorrupt`] if anything is wrong with the block, [`StoreError::NoBlock`] if there is
    /// no such block, [`StoreError::Io`] if it cannot be read. `out` is then of no use.
    pub fn decode_block(&self, block: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        if block >= self.block_count() {
            let blocks = self.block_count();
            return Err(StoreError::NoBlock { path: self.path.clone(), block, blocks });
        }
        let (_, positions) = self.block_range(block);
        let in_block = |fault| self.block_fault(block, fault);
        let uniform = |symbol, out: &mut Vec<u8>| {
            codec::decode_uniform(self.layout, symbol, positions, out).map_err(in_block)
        };
        if let Coding::Constant = self.coding {
            return uniform(self.header.symbol.into(), out);
        }
        let check = self.checks[block as usize];
        let Some((offset, len)) = self.stored_range(block) else { return uniform(check, out) };
        // Taken, not borrowed: a source of the caller may itself ask for a block.
        let mut buffer = STORED.take();
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        let stored = &mut buffer[..len];
        let decoded = match self.source.read_exact_at(stored, offset) {
            Ok(()) => self.decode_stored(block, stored, check, out),
            Err(error) => Err(StoreError::io(&self.path, error)),
        };
        STORED.set(buffer);
        decoded
    }

    /// Decodes a block from its stored bytes.
    fn decode_stored(
        &self,
        block: u64,
        stored: &[u8],
        check: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        let (start, positions) = self.block_range(block);
        match &self.coding {
            Coding::Context { model, coder, variant } => {
                let (slice, len) = (self.header.material, self.header.positions);
                let coder = coder.get_or_init(|| context_coder(*variant, slice, len));
                let coder = coder.as_deref().ok_or_else(|| StoreError::HeaderCorrupt {
                    path: self.path.clone(),
                    field: "number of positions",
                })?;
                let coding = (coder, model);
                codec::decode_by_context(
                    self.layout,
                    coding,
                    stored,
                    check,
                    (start, positions),
                    out,
                )
            }
            _ => codec::decode(self.layout, stored, check, positions, out),
        }
        .map_err(|fault| self.block_fault(block, fault))
    }

    /// The error for a block in which something is wrong.
    fn block_fault(&self, block: u64, fault: BlockFault) -> StoreError {
        StoreError::BlockCorrupt { path: self.path.clone(), block, fault }
    }

    /// Result of the position at `place` of a decoded block of a WLD table; `None` beyond the
    /// block, and in other tables.
    #[inline]
    pub fn wld(&self, block: &[u8], place: usize) -> Option<Wld> {
        if self.header.metric != Metric::Wld {
            return None;
        }
        block.get(self.byte_of(place)).map(|&byte| self.result_in(byte, place))
    }

    /// Bytes of each decoded block but the last, which may be shorter.
    pub(crate) fn decoded_len(&self) -> usize {
        self.layout.decoded_len(self.header.block_len as usize)
    }

    /// The byte of a decoded block at which the symbol of a position begins.
    #[inline(always)]
    pub(crate) fn byte_of(&self, place: usize) -> usize {
        match self.header.metric {
            Metric::Wld => place / PER_BYTE,
            Metric::Dtw => place * usize::from(self.layout.width),
        }
    }

    /// The symbol of all positions of a block that takes no bytes in the file.
    #[inline(always)]
    pub(crate) fn uniform_symbol(&self, block: u64) -> Option<u16> {
        if let Coding::Constant = self.coding {
            return Some(self.header.symbol);
        }
        let check = *self.checks.get(usize::try_from(block).ok()?)?;
        if self.is_stored(block) {
            return None;
        }
        u16::try_from(check).ok().filter(|&symbol| symbol <= self.layout.greatest)
    }

    /// Result of a position of a WLD table, whose block has this byte at [`Table::byte_of`] its place.
    #[inline(always)]
    pub(crate) fn result_in(&self, byte: u8, place: usize) -> Wld {
        codec::unpack(byte, place % PER_BYTE)
    }

    /// Value of a position of a DTW table with this symbol; see [`Table::value`].
    #[inline(always)]
    pub(crate) fn value_in(&self, symbol: u16, wld: Wld) -> Option<Value> {
        let half = if self.layout.width == 1 { symbol & 0xff } else { symbol };
        self.value_of(half, wld)
    }

    /// Whether the table says something of quiet positions with this result.
    #[inline]
    pub fn holds(&self, wld: Wld) -> bool {
        self.header.results.hold(wld)
    }

    /// Value of the position at `place` of a decoded block of a DTW table, for a position whose
    /// result is known to be `wld`. `None` beyond the block, in other tables, for a result of which the table says
    /// nothing, and for a distance that the header excludes, which means that the two tables do not belong together.
    #[inline]
    pub fn value(&self, block: &[u8], place: usize, wld: Wld) -> Option<Value> {
        if self.header.metric != Metric::Dtw {
            return None;
        }
        self.value_of(self.layout.half_at(block, place)?, wld)
    }

    #[inline(always)]
    fn value_of(&self, half: u16, wld: Wld) -> Option<Value> {
        if !self.holds(wld) {
            return None;
        }
        let value = self.halves.value(half, wld)?;
        let longest = match value {
            Value::Win(_) => self.header.counts.longest_win,
            Value::Loss(_) => self.header.counts.longest_loss,
            Value::Draw => return Some(value),
        };
        (value.plies() <= longest).then_some(value)
    }

    /// All blocks in order, decoded, for loading a table as a whole.
    pub fn blocks(&self) -> impl Iterator<Item = Result<Block, StoreError>> + '_ {
        (0..self.block_count()).map(|number| {
            let mut bytes = Vec::new();
            self.will_need_after(number);
            self.decode_block(number, &mut bytes)?;
            let (start, positions) = self.block_range(number);
            Ok(Block { number, start, positions, bytes })
        })
    }

    /// Reads everything and compares all checksums. `progress` gets the number of blocks done.
    ///
    /// # Errors
    /// For the first block that is damaged; [`StoreError::ValuesChecksum`] if all are whole but not the
    /// values that were written.
    pub fn verify_checksums(&self, mut progress: impl FnMut(u64)) -> Result<(), StoreError> {
        let mut values = Xxh3::new();
        let mut bytes = Vec::new();
        for block in 0..self.block_count() {
            self.will_need_after(block);
            self.decode_block(block, &mut bytes)?;
            values.update(&bytes);
            progress(block + 1);
        }
        let (expected, found) = (self.header.values_checksum, values.digest());
        if expected != found {
            return Err(StoreError::ValuesChecksum { path: self.path.clone(), expected, found });
        }
        Ok(())
    }
}
