//! Values <-> compressed blocks.

use std::cell::RefCell;
use std::io;

use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, DParameter, FrameFormat, ParamSwitch};

use super::context::{ANY, ANY_HALF, ContextCoder, DistanceModel, Model, ResultModel};
use super::error::BlockFault;
use super::format::Metric;
use crate::value::Wld;

/// Results in a byte of a WLD block.
pub(crate) const PER_BYTE: usize = 5;
/// Number of bytes that stand for five results.
const PACKED: usize = 243;
/// Symbol of a position that nobody will ask for, while a block is encoded.
pub(crate) const DONT_CARE: u16 = ANY_HALF;

/// How the symbols of a table become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) metric: Metric,
    /// Bytes of a symbol.
    pub(crate) width: u8,
    /// Greatest symbol: the packed byte of a WLD table, the half distance of a DTW table.
    pub(crate) greatest: u16,
}

impl Layout {
    pub(crate) fn new(metric: Metric, longest_half: u16) -> Self {
        match metric {
            Metric::Wld => Layout { metric, width: 1, greatest: PACKED as u16 - 1 },
            Metric::Dtw => {
                let width = if longest_half > u8::MAX.into() { 2 } else { 1 };
                Layout { metric, width, greatest: longest_half }
            }
        }
    }

    /// Bytes of a decoded block of so many positions.
    pub(crate) fn decoded_len(self, positions: usize) -> usize {
        match self.metric {
            Metric::Wld => positions.div_ceil(PER_BYTE),
            Metric::Dtw => positions * self.width as usize,
        }
    }

    pub(crate) fn to_bytes(self, symbols: &[u16]) -> Vec<u8> {
        match (self.metric, self.width) {
            (Metric::Wld, _) => {
                let results: Vec<u8> = symbols.iter().map(|&result| result as u8).collect();
                let mut bytes = Vec::new();
                pack(&results, &mut bytes);
                bytes
            }
            (Metric::Dtw, 1) => symbols.iter().map(|&half| half as u8).collect(),
            (Metric::Dtw, _) => symbols.iter().flat_map(|half| half.to_le_bytes()).collect(),
        }
    }

    /// The symbol of which all of a decoded block consists, if there is one.
    fn uniform(self, bytes: &[u8]) -> Option<u16> {
        let first = bytes.get(..self.width as usize)?;
        let all = bytes.chunks(self.width as usize).all(|symbol| symbol == first);
        all.then(|| first.iter().rev().fold(0, |symbol, &byte| symbol << 8 | u16::from(byte)))
    }

    /// Whether every symbol of a decoded block can occur.
    fn holds(self, bytes: &[u8]) -> bool {
        let greatest = if self.width == 1 {
            bytes.iter().copied().max().unwrap_or(0).into()
        } else {
            let symbols = bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
            symbols.max().unwrap_or(0)
        };
        greatest <= self.greatest
    }

    /// Half distance of a position in a decoded DTW block.
    pub(crate) fn half_at(self, bytes: &[u8], position: usize) -> Option<u16> {
        match self.width {
            1 => bytes.get(position).copied().map(u16::from),
            _ => {
                let start = position.checked_mul(2)?;
                let two = bytes.get(start..start.checked_add(2)?)?;
                Some(u16::from_le_bytes([two[0], two[1]]))
            }
        }
    }
}

/// Packs results, given as digits, into bytes, which are added to `bytes`. Those behind the last are losses.
pub(crate) fn pack(results: &[u8], bytes: &mut Vec<u8>) {
    let (fives, rest) = results.as_chunks::<PER_BYTE>();
    bytes.extend(fives.iter().map(|[a, b, c, d, e]| a + 3 * (b + 3 * (c + 3 * (d + 3 * e)))));
    if !rest.is_empty() {
        bytes.push(rest.iter().rev().fold(0, |byte, &result| 3 * byte + result));
    }
}

/// Digit of a result in a packed byte.
pub(crate) const fn digit(wld: Wld) -> u16 {
    match wld {
        Wld::Loss => 0,
        Wld::Draw => 1,
        Wld::Win => 2,
    }
}

/// Results in each byte, first position in the lowest digit. Bytes from 243 stand for nothing; they are
/// here so that no look-up can be out of range.
static UNPACKED: [[Wld; PER_BYTE]; 256] = unpacked();

const fn unpacked() -> [[Wld; PER_BYTE]; 256] {
    let mut table = [[Wld::Draw; PER_BYTE]; 256];
    let mut byte = 0;
    while byte < PACKED {
        let mut rest = byte;
        let mut place = 0;
        while place < PER_BYTE {
            table[byte][place] = match rest % 3 {
                0 => Wld::Loss,
                1 => Wld::Draw,
                _ => Wld::Win,
            };
            rest /= 3;
            place += 1;
        }
        byte += 1;
    }
    table
}

/// The result at `place` (below 5) in a byte of a decoded WLD block.
///
/// # Panics
/// If `place` is above 4.
#[inline(always)]
pub fn unpack(byte: u8, place: usize) -> Wld {
    UNPACKED[byte as usize][place]
}

/// A block, encoded.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// What the reader will see.
    pub(crate) decoded: Vec<u8>,
    /// What is stored; empty if all symbols are equal.
    pub(crate) stored: Vec<u8>,
    /// Checksum of the stored bytes, or the symbol.
    pub(crate) check: u32,
}

/// A compressor whose output depends on nothing but its input.
fn compressor(level: i32) -> io::Result<Compressor<'static>> {
    let mut zstd = Compressor::new(level)?;
    // Length and checksum are elsewhere.
    zstd.set_parameter(CParameter::Format(FrameFormat::Magicless))?;
    zstd.set_parameter(CParameter::ContentSizeFlag(false))?;
    zstd.set_parameter(CParameter::ChecksumFlag(false))?;
    // That match finder salts its hashes differently each time a context is used again:
    // files could depend on which thread compressed what before.
    zstd.set_parameter(CParameter::UseRowMatchFinder(ParamSwitch::Disable))?;
    Ok(zstd)
}

/// Level for what a table has once.
const TAIL_LEVEL: i32 = 19;

/// Compresses what a table has once: its model, its block index.
pub(crate) fn compress_once(bytes: &[u8]) -> io::Result<Vec<u8>> {
    compressor(TAIL_LEVEL)?.compress(bytes)
}

/// Undoes [`compress_once`]; `None` if there are not so many bytes, or no memory for them: a few bytes can claim very many.
pub(crate) fn decompress_once(stored: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).ok()?;
    bytes.resize(len, 0);
    let found = decompress(stored, &mut bytes).ok()?;
    (found == len).then_some(bytes)
}

/// A block of results, coded by contexts. They are digits, or [`ANY`], which is filled in.
pub(crate) fn encode_results(
    coder: &dyn ContextCoder,
    model: &ResultModel,
    start: u64,
    results: &mut [u8],
) -> Encoded {
    let mut decoded = Vec::with_capacity(results.len().div_ceil(PER_BYTE));
    if let Some(result) = only_symbol(results, ANY, digit(Wld::Draw) as u8) {
        let symbol = result * (PACKED / 2) as u8;
        decoded.resize(results.len().div_ceil(PER_BYTE), symbol);
        return Encoded { decoded, stored: Vec::new(), check: symbol.into() };
    }
    let stored = coder.encode_results(model, start, results);
    pack(results, &mut decoded);
    let check = checksum(&stored);
    Encoded { decoded, stored, check }
}

/// A block of half distances, coded by contexts, or [`ANY_HALF`], which is filled in.
pub(crate) fn encode_distances(
    layout: Layout,
    coder: &dyn ContextCoder,
    model: &DistanceModel,
    start: u64,
    halves: &mut [u16],
) -> Encoded {
    if let Some(half) = only_symbol(halves, ANY_HALF, 0) {
        halves.fill(half);
        let decoded = layout.to_bytes(halves);
        return Encoded { decoded, stored: Vec::new(), check: half.into() };
    }
    let stored = coder.encode_distances(model, start, halves);
    let check = checksum(&stored);
    Encoded { decoded: layout.to_bytes(halves), stored, check }
}

/// The one symbol of a block besides those that nobody will ask for; `none` if there is not even one.
fn only_symbol<S: Copy + PartialEq>(symbols: &[S], any: S, none: S) -> Option<S> {
    let mut told = symbols.iter().copied().filter(|&symbol| symbol != any);
    let first = told.next().unwrap_or(none);
    told.all(|symbol| symbol == first).then_some(first)
}

/// Compresses blocks of one metric.
pub(crate) struct Encoder {
    layout: Layout,
    zstd: Compressor<'static>,
}

impl Encoder {
    pub(crate) fn new(layout: Layout, level: i32) -> io::Result<Self> {
        Ok(Encoder { layout, zstd: compressor(level)? })
    }

    /// An encoder whose decoder has this dictionary too.
    #[cfg(feature = "lab")]
    pub(crate) fn with_dictionary(layout: Layout, level: i32, words: &[u8]) -> io::Result<Self> {
        let mut zstd = compressor(level)?;
        zstd.set_dictionary(level, words)?;
        zstd.set_parameter(CParameter::DictIdFlag(false))?;
        Ok(Encoder { layout, zstd })
    }

    /// Encodes a block; each [`DONT_CARE`] gets the value that compresses best of those tried.
    pub(crate) fn encode(&mut self, symbols: &[u16]) -> io::Result<Encoded> {
        let mut padded = symbols.to_vec();
        if self.layout.metric == Metric::Wld {
            padded.resize(symbols.len().next_multiple_of(PER_BYTE), DONT_CARE);
        }
        let run = self.layout.to_bytes(&extend_runs(&padded));
        if let Some(symbol) = self.layout.uniform(&run) {
            return Ok(Encoded { decoded: run, stored: Vec::new(), check: symbol.into() });
        }
        let dominant = self.layout.to_bytes(&fill_dominant(&padded));
        if let Some(symbol) = self.layout.uniform(&dominant) {
            return Ok(Encoded { decoded: dominant, stored: Vec::new(), check: symbol.into() });
        }
        let mut stored = self.zstd.compress(&run)?;
        let mut decoded = run;
        if dominant != decoded {
            let other = self.zstd.compress(&dominant)?;
            if other.len() < stored.len() {
                (stored, decoded) = (other, dominant);
            }
        }
        let check = checksum(&stored);
        Ok(Encoded { decoded, stored, check })
    }
}

/// Gives each don't-care the symbol before it; at the beginning, the first symbol there is.
pub(crate) fn extend_runs(symbols: &[u16]) -> Vec<u16> {
    let mut last = symbols.iter().copied().find(|&symbol| symbol != DONT_CARE).unwrap_or(0);
    let extend = |&symbol: &u16| {
        if symbol != DONT_CARE {
            last = symbol;
        }
        last
    };
    symbols.iter().map(extend).collect()
}

/// Gives each don't-care the most frequent symbol, the least if there are several.
pub(crate) fn fill_dominant(symbols: &[u16]) -> Vec<u16> {
    let stored = || symbols.iter().copied().filter(|&symbol| symbol != DONT_CARE);
    let mut counts = vec![0u32; stored().max().map_or(1, |max| max as usize + 1)];
    stored().for_each(|symbol| counts[symbol as usize] += 1);
    let mut dominant = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        if count > counts[dominant] {
            dominant = symbol;
        }
    }
    let fill = |&symbol: &u16| if symbol == DONT_CARE { dominant as u16 } else { symbol };
    symbols.iter().map(fill).collect()
}

/// Checksum of the stored bytes of a block.
pub(crate) fn checksum(stored: &[u8]) -> u32 {
    xxh3_64(stored) as u32
}

thread_local! {
    /// One for each thread: it is bigger than many blocks.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    /// Symbols of a block, before they are packed.
    static RESULTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static HALVES: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

/// Decompresses a frame into `out`, and returns how many bytes it has.
fn decompress(stored: &[u8], out: &mut [u8]) -> io::Result<usize> {
    DECOMPRESSOR.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut fresh = Decompressor::new()?;
            fresh.set_parameter(DParameter::Format(FrameFormat::Magicless))?;
            *slot = Some(fresh);
        }
        match slot {
            Some(zstd) => zstd.decompress_to_buffer(stored, out),
            None => Err(io::ErrorKind::OutOfMemory.into()),
        }
    })
}

/// Puts so many positions with one symbol into `out`.
pub(crate) fn decode_uniform(
    layout: Layout,
    symbol: u32,
    positions: usize,
    out: &mut Vec<u8>,
) -> Result<(), BlockFault> {
    let symbol = u16::try_from(symbol).map_err(|_| BlockFault::Symbol)?;
    if symbol > layout.greatest {
        return Err(BlockFault::Symbol);
    }
    let [low, high] = symbol.to_le_bytes();
    out.clear();
    match layout.width {
        1 => out.resize(layout.decoded_len(positions), low),
        _ => out.extend([low, high].repeat(positions)),
    }
    Ok(())
}

/// The model of a table coded by contexts.
#[derive(Debug)]
pub(crate) enum TableModel {
    Results(ResultModel),
    Distances(DistanceModel),
}

impl TableModel {
    /// Reads a model as it is stored.
    pub(crate) fn from_stored(metric: Metric, stored: &[u8]) -> Option<Self> {
        match metric {
            Metric::Wld => read_model(stored).map(Self::Results),
            Metric::Dtw => read_model(stored).map(Self::Distances),
        }
    }
}

fn read_model<M: Model>(stored: &[u8]) -> Option<M> {
    decompress_once(stored, M::LEN).and_then(M::from_bytes)
}

/// Decodes a block of so many positions from `start`, coded by contexts, into `out`.
pub(crate) fn decode_by_context(
    layout: Layout,
    (coder, model): (&dyn ContextCoder, &TableModel),
    stored: &[u8],
    check: u32,
    (start, positions): (u64, usize),
    out: &mut Vec<u8>,
) -> Result<(), BlockFault> {
    if checksum(stored) != check {
        return Err(BlockFault::Checksum);
    }
    out.clear();
    match model {
        TableModel::Results(model) => RESULTS.with_borrow_mut(|results| {
            results.resize(positions, 0);
            coder.decode_results(model, start, stored, results);
            pack(results, out);
            Ok(())
        }),
        TableModel::Distances(model) => HALVES.with_borrow_mut(|halves| {
            halves.resize(positions, 0);
            coder.decode_distances(model, start, stored, halves);
            if halves.iter().any(|&half| half > layout.greatest) {
                return Err(BlockFault::Symbol);
            }
            match layout.width {
                1 => out.extend(halves.iter().map(|&half| half as u8)),
                _ => out.extend(halves.iter().flat_map(|half| half.to_le_bytes())),
            }
            Ok(())
        }),
    }
}

/// Decodes a zstd block of so many positions into `out`, and checks everything about it.
pub(crate) fn decode(
    layout: Layout,
    stored: &[u8],
    check: u32,
    positions: usize,
    out: &mut Vec<u8>,
) -> Result<(), BlockFault> {
    let expected = layout.decoded_len(positions);
    out.clear();
    if checksum(stored) != check {
        return Err(BlockFault::Checksum);
    }
    out.resize(expected, 0);
    let found = decompress(stored, out).map_err(|_| BlockFault::Compression)?;
    if found != expected {
        return Err(BlockFault::Length { expected, found });
    }
    if !layout.holds(out) {
        return Err(BlockFault::Symbol);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::NoMove;
    use crate::value::{Halves, Value};

    #[test]
    fn packed_bytes_are_unpacked() {
        let layout = Layout::new(Metric::Wld, 0);
        for byte in 0..PACKED as u8 {
            let symbols: Vec<u16> = (0..5).map(|place| digit(unpack(byte, place))).collect();
            assert_eq!(layout.to_bytes(&symbols), [byte]);
        }
    }

    #[test]
    fn blocks_of_one_symbol_out_of_range_are_refused() {
        let mut out = Vec::new();
        let layout = Layout::new(Metric::Dtw, 300);
        assert_eq!(decode_uniform(layout, 300, 2, &mut out), Ok(()));
        assert_eq!(out, [44, 1, 44, 1]);
        let layout = Layout::new(Metric::Wld, 0);
        assert_eq!(decode_uniform(layout, 242, 6, &mut out), Ok(()));
        assert_eq!(out, [242; 2]);
        for symbol in [243, 1 << 16] {
            assert_eq!(decode_uniform(layout, symbol, 6, &mut out), Err(BlockFault::Symbol));
        }
    }

    #[test]
    fn halves_of_both_parities() {
        assert_eq!(NoMove::Loses.loss_parity(), 0);
        for parity in [0, 1] {
            let halves = Halves::new(parity);
            for plies in (parity..300).step_by(2) {
                let half = halves.half(Value::Loss(plies)).unwrap();
                assert_eq!(halves.value(half, Wld::Loss), Some(Value::Loss(plies)));
                assert_eq!(halves.half(Value::Win(plies)), None);
            }
            for plies in (1 - parity..300).step_by(2) {
                let half = halves.half(Value::Win(plies)).unwrap();
                assert_eq!(halves.value(half, Wld::Win), Some(Value::Win(plies)));
                assert_eq!(halves.half(Value::Loss(plies)), None);
            }
        }
    }

    #[test]
    fn fills_leave_stored_symbols_alone() {
        let x = DONT_CARE;
        assert_eq!(extend_runs(&[x, x, 3, x, 1, x]), [3, 3, 3, 3, 1, 1]);
        assert_eq!(fill_dominant(&[x, 2, x, 2, 1]), [2, 2, 2, 2, 1]);
        assert_eq!(extend_runs(&[x, x]), [0, 0]);
        assert_eq!(fill_dominant(&[x, x]), [0, 0]);
    }

    #[test]
    fn a_block_does_not_depend_on_what_was_compressed_before() {
        let mut state = 7u64;
        let mut noise = |modulus: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) % modulus) as u16
        };
        let blocks: Vec<Vec<u16>> = (2..10)
            .map(|modulus| (0..16_380).map(|place| noise(modulus) + (place / 64 % 300)).collect())
            .collect();
        for level in [1, 3, 6, 9, 12, 13, 15, 17, 19, 22] {
            let layout = Layout::new(Metric::Dtw, 400);
            let mut used = Encoder::new(layout, level).unwrap();
            for block in &blocks[..if level > 12 { 3 } else { 8 }] {
                let fresh = Encoder::new(layout, level).unwrap().encode(block).unwrap();
                let again = used.encode(block).unwrap();
                assert!(fresh.stored == again.stored, "level {level}");
            }
        }
    }
}
