//! Header and block index of a table file, as `docs/format.md` describes them.

use std::fmt;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::cell::Cell;
use super::codec::Layout;
use super::error::StoreError;
use crate::index::Material;
use crate::rules::Variant;
use crate::value::{Counts, Halves, Value, Wld};

/// First bytes of a table. In PNG's manner: a byte that is not ASCII, the name, both line ends of text files,
/// and the byte that ends text on some systems, so that a damaged transfer shows at once.
pub const MAGIC: [u8; 10] = *b"\x8bDAMKA\r\n\x1a\n";
/// Format that is written, and read.
pub const FORMAT_VERSION: u16 = 3;
/// Bytes of the header of this format.
pub const HEADER_LEN: usize = 184;
/// Bytes of each entry of the block index, decompressed.
pub(crate) const ENTRY_LEN: usize = 6;
/// Positions in each block of a `.wld` file that is compressed with zstd.
pub const WLD_BLOCK_LEN: u32 = 32_760;
/// Positions in each block of a `.wld` file that is coded by contexts: fewer, for they take longer to decode.
pub const WLD_CONTEXT_LEN: u32 = WLD_BLOCK_LEN / 6;
/// Positions in each block of a `.dtw` file that is compressed with zstd: half a `.wld` block, so that one
/// pass over the values serves both.
pub const DTW_BLOCK_LEN: u32 = WLD_BLOCK_LEN / 2;
/// Positions in each block of a `.dtw` file that is coded by contexts.
pub const DTW_CONTEXT_LEN: u32 = WLD_BLOCK_LEN / 15;
/// Fewest and most positions in a block, but for the last: they bound what a lying header can make us allocate.
const BLOCK_LENS: std::ops::RangeInclusive<u32> = 1 << 10..=1 << 18;
/// Stands for "none" where the header has a distance.
const NONE: u32 = u32::MAX;

/// What a table file holds of each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Win, draw or loss.
    Wld,
    /// Distance in plies of wins and losses; says nothing about which it is.
    Dtw,
}

impl Metric {
    /// Ending of the file name, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wld => "wld",
            Self::Dtw => "dtw",
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Wld => 1,
            Self::Dtw => 2,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        [Self::Wld, Self::Dtw].into_iter().find(|metric| metric.code() == code)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.extension())
    }
}

/// How blocks are made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// Not at all: all positions have one symbol, which the header has.
    Constant,
    /// Symbols as bytes, and zstd.
    Zstd,
    /// Arithmetic coding of symbols by those of positions nearby.
    Context,
}

impl Codec {
    const ALL: [Self; 3] = [Self::Constant, Self::Zstd, Self::Context];

    /// `"constant"`, `"zstd"` or `"context"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Zstd => "zstd",
            Self::Context => "context",
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Constant => 0,
            Self::Zstd => 1,
            Self::Context => 2,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.code() == code)
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Which results of quiet positions a table says something of. WLD tables hold all; a DTW table may leave the distances of wins, of
/// losses or of both to be found by one ply of search. Those of draws, which have none, count for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Results {
    /// Won positions.
    pub wins: bool,
    /// Lost positions.
    pub losses: bool,
}

impl Results {
    /// All.
    pub const ALL: Self = Results { wins: true, losses: true };

    /// Whether a result is among them. Draws always are.
    #[inline]
    pub const fn hold(self, wld: Wld) -> bool {
        match wld {
            Wld::Win => self.wins,
            Wld::Draw => true,
            Wld::Loss => self.losses,
        }
    }

    const fn code(self) -> u8 {
        self.losses as u8 | (self.wins as u8) << 1
    }

    fn from_code(code: u8) -> Option<Self> {
        (code < 4).then_some(Results { wins: code & 2 != 0, losses: code & 1 != 0 })
    }
}

/// Which table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableId {
    /// The variant.
    pub variant: Variant,
    /// The slice.
    pub material: Material,
    /// What the table holds.
    pub metric: Metric,
}

impl TableId {
    /// `KMMvKM.wld`.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.material, self.metric)
    }

    /// Path of the table in a database folder: `<folder>/<variant>/KMMvKM.wld`.
    pub fn path(&self, database: &Path) -> PathBuf {
        database.join(self.variant.name()).join(self.file_name())
    }
}

/// Fields as they stand in the file; nothing is checked but the magic number, the version and the checksum.
pub(crate) struct RawHeader<'a>(&'a [u8; HEADER_LEN]);

/// Places of the fields.
mod at {
    pub const VERSION: usize = 10;
    pub const HEADER_LEN: usize = 12;
    pub const FILE_LEN: usize = 16;
    pub const FINGERPRINT: usize = 24;
    pub const VARIANT: usize = 32;
    pub const SLICE: usize = 56;
    pub const COUNTS: usize = 88;
    pub const METRIC: usize = 92;
    pub const SQUARES: usize = 93;
    pub const SYMBOL_WIDTH: usize = 94;
    pub const LOSS_PARITY: usize = 95;
    pub const BLOCK_LEN: usize = 96;
    pub const LONGEST_WIN: usize = 100;
    pub const LONGEST_LOSS: usize = 104;
    pub const CODEC: usize = 108;
    pub const RESULTS: usize = 109;
    pub const SYMBOL: usize = 110;
    pub const POSITIONS: usize = 112;
    pub const WINS: usize = 120;
    pub const LOSSES: usize = 128;
    pub const DRAWS: usize = 136;
    pub const BLOCKS: usize = 144;
    pub const VALUES_CHECKSUM: usize = 152;
    pub const MODEL_LEN: usize = 160;
    pub const INDEX_LEN: usize = 164;
    pub const TAIL_CHECKSUM: usize = 168;
    pub const HEADER_CHECKSUM: usize = 176;
}

impl<'a> RawHeader<'a> {
    /// Looks at the beginning of a file, which may be shorter than a header.
    pub(crate) fn new(start: &'a [u8], path: &Path) -> Result<Self, StoreError> {
        let path = || path.to_owned();
        let magic = &start[..start.len().min(MAGIC.len())];
        if !MAGIC.starts_with(magic) {
            return Err(StoreError::NotATable { path: path() });
        }
        // The version comes before the length and the checksum: other versions may have others.
        if let Some(bytes) = start.get(at::VERSION..at::HEADER_LEN) {
            let found = u16::from_le_bytes([bytes[0], bytes[1]]);
            if found != FORMAT_VERSION {
                return Err(StoreError::Version { path: path(), found, read: FORMAT_VERSION });
            }
        }
        let header = start.first_chunk::<HEADER_LEN>().ok_or_else(|| StoreError::Length {
            path: path(),
            expected: HEADER_LEN as u64,
            found: start.len() as u64,
        })?;
        let raw = RawHeader(header);
        if raw.u64(at::HEADER_CHECKSUM) != xxh3_64(&header[..at::HEADER_CHECKSUM]) {
            return Err(StoreError::HeaderCorrupt { path: path(), field: "checksum" });
        }
        Ok(raw)
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.bytes(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    /// Text between two places, padded with zero bytes.
    fn text(&self, from: usize, to: usize) -> Option<&str> {
        let text = std::str::from_utf8(&self.0[from..to]).ok()?.trim_end_matches('\0');
        text.bytes().all(|byte| byte.is_ascii_graphic()).then_some(text)
    }

    pub(crate) fn file_len(&self) -> u64 {
        self.u64(at::FILE_LEN)
    }
}

/// Header of a table, checked: its numbers do not contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Bytes of the whole file.
    pub file_len: u64,
    /// Name of the variant.
    pub variant: String,
    /// [`Rules::fingerprint`](crate::rules::Rules::fingerprint) of the variant when the table was made.
    pub fingerprint: u64,
    /// The slice.
    pub material: Material,
    /// What the table holds.
    pub metric: Metric,
    /// Playing squares of the board.
    pub squares: u8,
    /// Bytes of each symbol: 1 in WLD tables, which have five results in it, 1 or 2 in DTW tables.
    pub symbol_width: u8,
    /// Parity of the plies of losses, 0 or 1. Wins have the other.
    pub loss_parity: u8,
    /// Positions in each block but the last.
    pub block_len: u32,
    /// How the blocks are compressed.
    pub codec: Codec,
    /// Results that the table says something of.
    pub results: Results,
    /// Symbol of all positions of a constant table, else 0. In WLD tables, a packed byte.
    pub symbol: u16,
    /// Positions of the slice.
    pub positions: u64,
    /// Counts over all positions of the slice, those with captures too.
    pub counts: Counts,
    /// xxh3-64 of the decoded bytes of all blocks.
    pub values_checksum: u64,
    /// Bytes of the model of contexts, compressed; 0 for other codecs.
    pub model_len: u32,
    /// Bytes of the block index, compressed; 0 in constant tables.
    pub index_len: u32,
    /// xxh3-64 of model and index, as they are in the file.
    pub tail_checksum: u64,
}

impl Header {
    /// Checks raw fields; the error names the first that is wrong.
    pub(crate) fn check(raw: &RawHeader<'_>) -> Result<Self, &'static str> {
        let longest = |at, count, name| match (raw.u32(at), count) {
            (NONE, 0) => Ok(None),
            (plies, 1..) if plies <= Cell::MAX_PLIES.into() => Ok(Some(plies as u16)),
            _ => Err(name),
        };
        let [own_kings, own_men, opp_kings, opp_men] = raw.bytes(at::COUNTS);
        let named: Option<Material> =
            raw.text(at::SLICE, at::COUNTS).and_then(|name| name.parse().ok());
        let header = Header {
            file_len: raw.file_len(),
            variant: raw.text(at::VARIANT, at::SLICE).ok_or("variant")?.to_owned(),
            fingerprint: raw.u64(at::FINGERPRINT),
            material: named.ok_or("slice")?,
            metric: Metric::from_code(raw.0[at::METRIC]).ok_or("metric")?,
            squares: raw.0[at::SQUARES],
            symbol_width: raw.0[at::SYMBOL_WIDTH],
            loss_parity: raw.0[at::LOSS_PARITY],
            block_len: raw.u32(at::BLOCK_LEN),
            codec: Codec::from_code(raw.0[at::CODEC]).ok_or("codec")?,
            results: Results::from_code(raw.0[at::RESULTS]).ok_or("results")?,
            symbol: raw.u16(at::SYMBOL),
            positions: raw.u64(at::POSITIONS),
            counts: Counts {
                wins: raw.u64(at::WINS),
                losses: raw.u64(at::LOSSES),
                draws: raw.u64(at::DRAWS),
                longest_win: longest(at::LONGEST_WIN, raw.u64(at::WINS), "longest win")?,
                longest_loss: longest(at::LONGEST_LOSS, raw.u64(at::LOSSES), "longest loss")?,
            },
            values_checksum: raw.u64(at::VALUES_CHECKSUM),
            model_len: raw.u32(at::MODEL_LEN),
            index_len: raw.u32(at::INDEX_LEN),
            tail_checksum: raw.u64(at::TAIL_CHECKSUM),
        };
        let material = Material { own_kings, own_men, opp_kings, opp_men };
        let sum = header.counts.wins.checked_add(header.counts.losses);
        let sum = sum.and_then(|sum| sum.checked_add(header.counts.draws));
        let group = match header.metric {
            Metric::Wld => 5,
            Metric::Dtw => 1,
        };
        let halves = Halves::new(header.loss_parity.into());
        let fits = |value: Option<Value>| value.is_none_or(|value| halves.half(value).is_some());
        let checks = [
            (raw.u32(at::HEADER_LEN) as usize == HEADER_LEN, "header length"),
            (header.material == material, "piece counts"),
            (header.loss_parity <= 1, "parity of losses"),
            (fits(header.counts.longest_win.map(Value::Win)), "longest win"),
            (fits(header.counts.longest_loss.map(Value::Loss)), "longest loss"),
            (header.positions > 0 && sum == Some(header.positions), "number of positions"),
            (BLOCK_LENS.contains(&header.block_len), "positions per block"),
            (header.block_len.is_multiple_of(group), "positions per block"),
            (header.metric == Metric::Dtw || header.results == Results::ALL, "results"),
            ((header.codec == Codec::Context) == (header.model_len > 0), "length of the model"),
            ((header.codec != Codec::Constant) == (header.index_len > 0), "length of the index"),
            (header.codec == Codec::Constant || header.symbol == 0, "symbol"),
        ];
        if let Some((_, field)) = checks.into_iter().find(|(right, _)| !right) {
            return Err(field);
        }
        if header.symbol_width != header.layout().width {
            return Err("symbol width");
        }
        if raw.u64(at::BLOCKS) != header.blocks() {
            return Err("number of blocks");
        }
        if header.symbol > header.layout().greatest {
            return Err("symbol");
        }
        if (HEADER_LEN as u64)
            .checked_add(header.tail_len())
            .is_none_or(|len| len > header.file_len)
        {
            return Err("lengths of model and index");
        }
        Ok(header)
    }

    /// The bytes of the header, with its checksum.
    pub(crate) fn to_bytes(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        let Material { own_kings, own_men, opp_kings, opp_men } = self.material;
        let longest = |plies: Option<u16>| plies.map_or(NONE, u32::from).to_le_bytes();
        put(0, &MAGIC);
        put(at::VERSION, &FORMAT_VERSION.to_le_bytes());
        put(at::HEADER_LEN, &(HEADER_LEN as u32).to_le_bytes());
        put(at::FILE_LEN, &self.file_len.to_le_bytes());
        put(at::FINGERPRINT, &self.fingerprint.to_le_bytes());
        let variant = &self.variant.as_bytes()[..self.variant.len().min(at::SLICE - at::VARIANT)];
        put(at::VARIANT, variant);
        put(at::SLICE, self.material.to_string().as_bytes());
        put(at::COUNTS, &[own_kings, own_men, opp_kings, opp_men]);
        put(at::METRIC, &[self.metric.code(), self.squares]);
        put(at::SYMBOL_WIDTH, &[self.symbol_width, self.loss_parity]);
        put(at::BLOCK_LEN, &self.block_len.to_le_bytes());
        put(at::CODEC, &[self.codec.code(), self.results.code()]);
        put(at::SYMBOL, &self.symbol.to_le_bytes());
        put(at::LONGEST_WIN, &longest(self.counts.longest_win));
        put(at::LONGEST_LOSS, &longest(self.counts.longest_loss));
        put(at::POSITIONS, &self.positions.to_le_bytes());
        put(at::WINS, &self.counts.wins.to_le_bytes());
        put(at::LOSSES, &self.counts.losses.to_le_bytes());
        put(at::DRAWS, &self.counts.draws.to_le_bytes());
        put(at::BLOCKS, &self.blocks().to_le_bytes());
        put(at::VALUES_CHECKSUM, &self.values_checksum.to_le_bytes());
        put(at::MODEL_LEN, &self.model_len.to_le_bytes());
        put(at::INDEX_LEN, &self.index_len.to_le_bytes());
        put(at::TAIL_CHECKSUM, &self.tail_checksum.to_le_bytes());
        seal_header(&mut bytes);
        bytes
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.positions.div_ceil(self.block_len.into())
    }

    /// Bytes of model and block index, which are the end of the file.
    pub(crate) fn tail_len(&self) -> u64 {
        u64::from(self.model_len) + u64::from(self.index_len)
    }

    /// Half distances of the variant.
    pub(crate) fn halves(&self) -> Halves {
        Halves::new(self.loss_parity.into())
    }

    /// How symbols become bytes.
    pub(crate) fn layout(&self) -> Layout {
        let values =
            [self.counts.longest_win.map(Value::Win), self.counts.longest_loss.map(Value::Loss)];
        let halves = values.into_iter().flatten().filter_map(|value| self.halves().half(value));
        Layout::new(self.metric, halves.max().unwrap_or(0))
    }

    /// Compares the header with what was asked for.
    pub(crate) fn expect(
        &self,
        id: &TableId,
        positions: u64,
        path: &Path,
    ) -> Result<(), StoreError> {
        let path = || path.to_owned();
        let rules = id.variant.rules();
        if self.variant != rules.name {
            return Err(StoreError::OtherVariant {
                path: path(),
                expected: rules.name.to_owned(),
                found: self.variant.clone(),
            });
        }
        if self.fingerprint != rules.fingerprint() {
            let expected = rules.fingerprint();
            return Err(StoreError::OtherRules { path: path(), expected, found: self.fingerprint });
        }
        if self.material != id.material {
            let (expected, found) = (id.material, self.material);
            return Err(StoreError::OtherSlice { path: path(), expected, found });
        }
        if self.metric != id.metric {
            let (expected, found) = (id.metric, self.metric);
            return Err(StoreError::OtherMetric { path: path(), expected, found });
        }
        if self.squares != rules.shape.squares() {
            return Err(StoreError::HeaderCorrupt { path: path(), field: "board squares" });
        }
        if u16::from(self.loss_parity) != rules.no_move.loss_parity() {
            return Err(StoreError::HeaderCorrupt { path: path(), field: "parity of losses" });
        }
        if self.positions != positions {
            let (expected, found) = (positions, self.positions);
            return Err(StoreError::Positions { path: path(), expected, found });
        }
        Ok(())
    }
}

/// Puts the checksum of a header at its end.
pub(crate) fn seal_header(header: &mut [u8; HEADER_LEN]) {
    let checksum = xxh3_64(&header[..at::HEADER_CHECKSUM]);
    header[at::HEADER_CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
}

/// An entry of the block index: the compressed bytes of a block (0 if all its symbols are equal), and their checksum
/// (or that symbol).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) len: u16,
    pub(crate) check: u32,
}

/// A block index, before it is compressed: all lengths, then all checksums, for they are unlike.
pub(crate) fn index_to_bytes(entries: &[Entry]) -> Vec<u8> {
    let lengths = entries.iter().flat_map(|entry| entry.len.to_le_bytes());
    lengths.chain(entries.iter().flat_map(|entry| entry.check.to_le_bytes())).collect()
}

/// Undoes [`index_to_bytes`].
pub(crate) fn index_from_bytes(bytes: &[u8]) -> impl ExactSizeIterator<Item = Entry> {
    let (lengths, checks) = bytes.split_at(bytes.len() / ENTRY_LEN * 2);
    let lengths = lengths.as_chunks().0.iter().map(|&len| u16::from_le_bytes(len));
    let checks = checks.as_chunks().0.iter().map(|&check| u32::from_le_bytes(check));
    lengths.zip(checks).map(|(len, check)| Entry { len, check })
}

/// Places that the fuzzing helpers mend.
#[cfg(feature = "fuzzing")]
pub(crate) mod mend {
    pub(crate) const VERSION: usize = super::at::VERSION;
    pub(crate) const FILE_LEN: usize = super::at::FILE_LEN;
    pub(crate) const BLOCKS: usize = super::at::BLOCKS;
    pub(crate) const MODEL_LEN: usize = super::at::MODEL_LEN;
    pub(crate) const INDEX_LEN: usize = super::at::INDEX_LEN;
    pub(crate) const TAIL_CHECKSUM: usize = super::at::TAIL_CHECKSUM;
}
