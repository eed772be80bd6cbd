//! Ways of making tables smaller, measured side by side. What is written is what won; see `docs/compression.md`.

use std::io;
use std::time::Instant;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use super::codec::{
    DONT_CARE, Encoded, Encoder, Layout, PER_BYTE, compress_once, decode, digit, extend_runs,
    fill_dominant,
};
use super::context::{
    ANY, ANY_HALF, ContextCoder, DistanceModel, Model, ResultModel, context_coder, train,
};
use super::format::{ENTRY_LEN, Metric};
use crate::index::Material;
use crate::rules::Variant;
use crate::value::{Value, Wld};

/// Positions of a slice that lie side by side.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// Index of the first.
    pub start: u64,
    /// In the order of the index.
    pub usual: Series,
    /// As many, with the kings on the squares of another order than row by row: column by column, and diagonal by diagonal.
    pub reordered: [Series; 2],
}

/// Positions in some order.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Values of all, those with a capture too.
    pub values: Vec<Value>,
    /// Whether the side to move has a capture.
    pub captures: BitVec,
    /// Whether the other side would have one.
    pub threats: BitVec,
}

impl Series {
    /// [`DONT_CARE`] where nothing need be stored.
    fn symbols(&self, holes: Holes, symbol: impl Fn(Value) -> u16) -> Vec<u16> {
        let flags = self.captures.iter().by_vals().zip(self.threats.iter().by_vals());
        let symbols = self.values.iter().zip(flags).map(|(&value, (capture, threat))| {
            let is_hole = match holes {
                Holes::None => false,
                Holes::Captures => capture,
                Holes::EitherSide => capture || threat,
            };
            if is_hole { DONT_CARE } else { symbol(value) }
        });
        symbols.collect()
    }
}

/// What an idea comes to.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The idea.
    pub idea: &'static str,
    /// Bits a position, with the entries of the block index, and, if the whole slice was looked at, the model.
    pub bits: f64,
    /// Nanoseconds of one thread for a position that is decoded.
    pub decoding: Option<f64>,
}

/// A slice of which stretches were taken.
#[derive(Clone, Copy, Debug)]
pub struct Sampled<'a> {
    /// The variant.
    pub variant: Variant,
    /// The slice.
    pub slice: Material,
    /// All its positions.
    pub positions: u64,
    /// Sets of own kings for each set of the other side's, and these.
    pub unit: [usize; 2],
    /// Some of its positions.
    pub stretches: &'a [Stretch],
}

/// Most bytes of a dictionary.
const DICTIONARY: usize = 16 << 10;

/// What need not be stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holes {
    None,
    Captures,
    EitherSide,
}

impl Sampled<'_> {
    fn seen(&self) -> f64 {
        self.stretches.iter().map(|stretch| stretch.usual.values.len()).sum::<usize>() as f64
    }

    /// Symbols of all stretches: [`DONT_CARE`] where nothing need be stored.
    fn symbols(&self, holes: Holes, symbol: impl Fn(Value) -> u16) -> Vec<(u64, Vec<u16>)> {
        let of_stretch = |stretch: &Stretch| (stretch.start, stretch.usual.symbols(holes, &symbol));
        self.stretches.iter().map(of_stretch).collect()
    }

    /// The ideas that both metrics have: how don't-cares are filled, on which squares the kings come first, a dictionary.
    fn common(
        &self,
        layout: Layout,
        block: usize,
        symbol: impl Fn(Value) -> u16,
    ) -> io::Result<Vec<Measured>> {
        let captures = self.symbols(Holes::Captures, &symbol);
        let filled = |fill: fn(&[u16]) -> Vec<u16>| -> Vec<(u64, Vec<u16>)> {
            let fill = |(start, symbols): &(u64, Vec<u16>)| {
                (*start, symbols.chunks(block).flat_map(fill).collect())
            };
            captures.iter().map(fill).collect()
        };
        let reordered = |order: usize| -> Vec<(u64, Vec<u16>)> {
            let of_stretch = |stretch: &Stretch| {
                (stretch.start, stretch.reordered[order].symbols(Holes::Captures, &symbol))
            };
            self.stretches.iter().map(of_stretch).collect()
        };
        let zstd = |idea, symbols: &[_]| self.zstd(idea, layout, 7, block, symbols);
        let mut found = vec![
            zstd("filled with what comes before", &filled(extend_runs))?,
            zstd("filled with the most frequent", &filled(fill_dominant))?,
            zstd("kings column by column", &reordered(0))?,
            zstd("kings diagonal by diagonal", &reordered(1))?,
        ];
        found.extend(self.dictionary(layout, block, &filled(extend_runs))?);
        Ok(found)
    }

    /// Measures every other block, compressed with a dictionary that is made of those between, and counts too. `None` if they are too few for
    /// one.
    fn dictionary(
        &self,
        layout: Layout,
        block: usize,
        symbols: &[(u64, Vec<u16>)],
    ) -> io::Result<Option<Measured>> {
        let blocks: Vec<&[u16]> =
            symbols.iter().flat_map(|(_, symbols)| symbols.chunks(block)).collect();
        // What is measured must not be in the dictionary itself.
        let samples: Vec<Vec<u8>> =
            blocks.iter().step_by(2).map(|block| layout.to_bytes(block)).collect();
        let measured: Vec<&[u16]> = blocks.into_iter().skip(1).step_by(2).collect();
        let seen: usize = measured.iter().map(|block| block.len()).sum();
        if seen == 0 {
            return Ok(None);
        }
        let Ok(words) = zstd::dict::from_samples(&samples, DICTIONARY) else { return Ok(None) };
        let encode = |block: &&[u16]| -> io::Result<usize> {
            let mut encoder = Encoder::with_dictionary(layout, 7, &words)?;
            Ok(encoder.encode(block)?.stored.len() + ENTRY_LEN)
        };
        let bytes: usize =
            measured.par_iter().map(encode).collect::<io::Result<Vec<_>>>()?.iter().sum();
        let words = words.len() as f64 / self.positions as f64;
        let bits = 8.0 * (bytes as f64 / seen as f64 + words);
        Ok(Some(Measured { idea: "a dictionary for each slice", bits, decoding: None }))
    }

    /// Measures blocks of so many symbols with zstd.
    fn zstd(
        &self,
        idea: &'static str,
        layout: Layout,
        level: i32,
        block: usize,
        symbols: &[(u64, Vec<u16>)],
    ) -> io::Result<Measured> {
        let encode = |(_, symbols): &(u64, Vec<u16>)| -> io::Result<Vec<(Encoded, usize)>> {
            let mut encoder = Encoder::new(layout, level)?;
            symbols.chunks(block).map(|block| Ok((encoder.encode(block)?, block.len()))).collect()
        };
        let encoded = symbols.par_iter().map(encode).collect::<io::Result<Vec<_>>>()?;
        let blocks = || encoded.iter().flatten();
        // Positions with captures, or differences, may have other symbols than the table would.
        let layout = Layout { greatest: u16::MAX, ..layout };
        let mut room = Vec::new();
        let begin = Instant::now();
        for (Encoded { stored, check, .. }, positions) in blocks() {
            if !stored.is_empty() {
                let decoded = decode(layout, stored, *check, *positions, &mut room);
                decoded.map_err(io::Error::other)?;
            }
        }
        let decoding = Some(begin.elapsed().as_secs_f64() * 1e9 / self.seen());
        let bytes: usize = blocks().map(|(block, _)| block.stored.len() + ENTRY_LEN).sum();
        Ok(Measured { idea, bits: 8.0 * bytes as f64 / self.seen(), decoding })
    }

    /// Measures blocks of so many symbols, coded by contexts.
    fn contexts<M: Model>(
        &self,
        idea: &'static str,
        block: usize,
        symbols: &[(u64, Vec<M::Symbol>)],
        encode: impl Fn(&dyn ContextCoder, &M, u64, &mut [M::Symbol]) -> Vec<u8> + Sync,
        decode: impl Fn(&dyn ContextCoder, &M, u64, &[u8], &mut [M::Symbol]),
    ) -> io::Result<Measured>
    where
        M::Symbol: Copy + Send,
    {
        let coder = context_coder(self.variant, self.slice, self.positions);
        let coder = coder.ok_or(io::ErrorKind::InvalidInput)?;
        let blocks: Vec<(u64, Vec<M::Symbol>)> = symbols
            .iter()
            .flat_map(|(start, symbols)| {
                (*start..).step_by(block).zip(symbols.chunks(block).map(<[M::Symbol]>::to_vec))
            })
            .collect();
        let model: M = train(&*coder, self.positions, &blocks);
        let encoded: Vec<(u64, Vec<u8>, usize)> = blocks
            .par_iter()
            .map(|(start, symbols)| {
                let mut symbols = symbols.clone();
                (*start, encode(&*coder, &model, *start, &mut symbols), symbols.len())
            })
            .collect();
        let mut room = blocks[0].1.clone();
        let begin = Instant::now();
        for (start, bytes, len) in &encoded {
            decode(&*coder, &model, *start, bytes, &mut room[..*len]);
        }
        let decoding = Some(begin.elapsed().as_secs_f64() * 1e9 / self.seen());
        let bytes: usize = encoded.iter().map(|(_, bytes, _)| bytes.len() + ENTRY_LEN).sum();
        let model =
            compress_once(model.bytes())?.len() as f64 * self.seen() / self.positions as f64;
        Ok(Measured { idea, bits: 8.0 * (bytes as f64 + model) / self.seen(), decoding })
    }

    fn result_contexts(
        &self,
        idea: &'static str,
        holes: Holes,
        block: usize,
    ) -> io::Result<Measured> {
        let narrow = |symbol: u16| if symbol == DONT_CARE { ANY } else { symbol as u8 };
        let symbols = self.symbols(holes, |value| digit(value.wld()));
        let symbols: Vec<(u64, Vec<u8>)> = symbols
            .into_iter()
            .map(|(start, symbols)| (start, symbols.into_iter().map(narrow).collect()))
            .collect();
        self.contexts::<ResultModel>(
            idea,
            block,
            &symbols,
            |coder, model, start, results| coder.encode_results(model, start, results),
            |coder, model, start, bytes, results| {
                coder.decode_results(model, start, bytes, results);
            },
        )
    }

    /// Every unit with its axes exchanged: the other side's kings fastest. `None` if stretches do not hold whole units.
    fn turned(&self, symbols: &[(u64, Vec<u16>)]) -> Option<Vec<(u64, Vec<u16>)>> {
        let [own, opp] = self.unit;
        let unit = own * opp;
        if unit == 1 || own == 1 || opp == 1 {
            return None;
        }
        let turn = |(start, symbols): &(u64, Vec<u16>)| {
            let skip = (unit - (*start % unit as u64) as usize) % unit;
            let whole = symbols.get(skip..)?.chunks_exact(unit);
            let axis = move |unit: &[u16]| -> Vec<u16> {
                (0..own)
                    .flat_map(|own_set| (0..opp).map(move |set| set * own + own_set))
                    .map(|n| unit[n])
                    .collect()
            };
            let turned: Vec<u16> = whole.flat_map(axis).collect();
            (!turned.is_empty()).then_some((*start, turned))
        };
        symbols.iter().map(turn).collect()
    }
}

/// Measures all ideas for results.
///
/// # Errors
/// If zstd fails.
pub fn results(sampled: &Sampled<'_>) -> io::Result<Vec<Measured>> {
    let layout = Layout::new(Metric::Wld, 0);
    let result = |value: Value| digit(value.wld());
    let captures = sampled.symbols(Holes::Captures, result);
    let block = super::format::WLD_BLOCK_LEN as usize;
    let mut found = Vec::new();
    let zstd =
        |idea, level, block, symbols: &[_]| sampled.zstd(idea, layout, level, block, symbols);
    found.push(zstd("captures stored", 7, block, &sampled.symbols(Holes::None, result))?);
    found.push(zstd("captures as don't-cares", 7, block, &captures)?);
    let either = sampled.symbols(Holes::EitherSide, result);
    found.push(zstd("captures of either side", 7, block, &either)?);
    found.push(zstd("level 3", 3, block, &captures)?);
    found.push(zstd("level 19", 19, block, &captures)?);
    found.push(zstd("blocks of 8,190", 7, block / 4, &captures)?);
    found.push(zstd("blocks of 4,095", 7, block / 8, &captures)?);
    // A symbol a byte, as in tables of distances.
    let bytes = Layout::new(Metric::Dtw, 2);
    found.push(sampled.zstd("a result a byte", bytes, 7, block, &captures)?);
    if let Some(turned) = sampled.turned(&captures) {
        let seen: usize = turned.iter().map(|(_, symbols)| symbols.len()).sum();
        let mut other = zstd("other side's kings fastest", 7, block, &turned)?;
        other.bits *= sampled.seen() / seen as f64;
        found.push(other);
    }
    found.push(sampled.result_contexts("contexts, 32,760", Holes::Captures, block)?);
    found.push(sampled.result_contexts("contexts, 16,380", Holes::Captures, block / 2)?);
    found.push(sampled.result_contexts("contexts, 8,190", Holes::Captures, block / 4)?);
    let written = super::format::WLD_CONTEXT_LEN as usize;
    found.push(sampled.result_contexts("contexts, as written", Holes::Captures, written)?);
    found.push(sampled.result_contexts("contexts, either side", Holes::EitherSide, written)?);
    found.extend(sampled.common(layout, block, result)?);
    debug_assert_eq!(block % PER_BYTE, 0);
    Ok(found)
}

/// Measures all ideas for distances.
///
/// # Errors
/// If zstd fails.
pub fn distances(sampled: &Sampled<'_>) -> io::Result<Vec<Measured>> {
    let halves = sampled.variant.rules().no_move.halves();
    let half = |value: Value| halves.half(value).unwrap_or(DONT_CARE);
    let only =
        |wld: Wld| move |value: Value| if value.wld() == wld { half(value) } else { DONT_CARE };
    let all = sampled.symbols(Holes::Captures, half);
    let longest =
        all.iter().flat_map(|(_, symbols)| symbols).filter(|half| **half != DONT_CARE).max();
    let layout = Layout::new(Metric::Dtw, longest.copied().unwrap_or(0));
    let block = super::format::DTW_BLOCK_LEN as usize;
    let written = super::format::DTW_CONTEXT_LEN as usize;
    let wins = sampled.symbols(Holes::Captures, only(Wld::Win));
    let losses = sampled.symbols(Holes::Captures, only(Wld::Loss));
    let zstd =
        |idea, level, block, symbols: &[_]| sampled.zstd(idea, layout, level, block, symbols);
    let contexts = |idea, block, symbols: &[(u64, Vec<u16>)]| {
        debug_assert_eq!(DONT_CARE, ANY_HALF);
        sampled.contexts::<DistanceModel>(
            idea,
            block,
            symbols,
            |coder, model, start, halves| coder.encode_distances(model, start, halves),
            |coder, model, start, bytes, halves| {
                coder.decode_distances(model, start, bytes, halves);
            },
        )
    };
    let mut found = vec![
        zstd("captures stored", 7, block, &sampled.symbols(Holes::None, half))?,
        zstd("captures as don't-cares", 7, block, &all)?,
        zstd("captures of either side", 7, block, &sampled.symbols(Holes::EitherSide, half))?,
        zstd("level 19", 19, block, &all)?,
        zstd("blocks of 4,095", 7, block / 4, &all)?,
        zstd("wins alone", 7, block, &wins)?,
        zstd("losses alone", 7, block, &losses)?,
        contexts("contexts, 16,380", block, &all)?,
        contexts("contexts, 4,095", block / 4, &all)?,
        contexts("contexts, as written", written, &all)?,
        contexts("contexts, wins alone", written, &wins)?,
        contexts("contexts, losses alone", written, &losses)?,
        zstd("differences from the one before", 7, block, &differences(&all, layout, block))?,
    ];
    found.extend(sampled.common(layout, block, half)?);
    Ok(found)
}

/// Of each block, the differences of neighbours instead of the symbols, modulo what a symbol holds.
fn differences(symbols: &[(u64, Vec<u16>)], layout: Layout, block: usize) -> Vec<(u64, Vec<u16>)> {
    // Half distances have 15 bits at most.
    let mask = if layout.width == 1 { u16::from(u8::MAX) } else { u16::MAX >> 1 };
    let of_block = |block: &[u16]| -> Vec<u16> {
        let mut last = 0u16;
        let difference =
            |symbol: u16| symbol.wrapping_sub(std::mem::replace(&mut last, symbol)) & mask;
        extend_runs(block).into_iter().map(difference).collect()
    };
    let of_stretch = |(start, symbols): &(u64, Vec<u16>)| {
        (*start, symbols.chunks(block).flat_map(of_block).collect())
    };
    symbols.iter().map(of_stretch).collect()
}
