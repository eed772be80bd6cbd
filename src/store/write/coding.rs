//! How a table of a slice is encoded, and which way makes it smallest.

use std::io;
use std::sync::Arc;

use rayon::prelude::*;

use super::WriteOptions;
use super::output::block_len;
use super::sample::{PIECE_LEN, Part, TRIAL};
use crate::store::codec::{
    DONT_CARE, Encoded, Encoder, Layout, compress_once, encode_distances, encode_results,
};
use crate::store::context::{ANY, ContextCoder, DistanceModel, Model, ResultModel, train};
use crate::store::format::{Codec, ENTRY_LEN, Metric};

/// How a table of a slice is encoded: with zstd, or by contexts.
pub(super) struct Coding<M> {
    pub(super) layout: Layout,
    pub(super) contexts: Option<Contexts<M>>,
}

pub(super) struct Contexts<M> {
    coder: Arc<dyn ContextCoder>,
    model: M,
    /// The model, compressed.
    stored: Vec<u8>,
}

/// What is coded in the tables of a metric.
pub(super) trait Coded: Model<Symbol: Copy + Send> {
    const METRIC: Metric;

    /// The symbol as zstd's encoder knows it.
    fn symbol(symbol: Self::Symbol) -> u16;

    /// Encodes the symbols from `start`, and fills in those that nobody will ask for.
    fn encode(
        &self,
        layout: Layout,
        coder: &dyn ContextCoder,
        start: u64,
        symbols: &mut [Self::Symbol],
    ) -> Encoded;
}

impl Coded for ResultModel {
    const METRIC: Metric = Metric::Wld;

    fn symbol(result: u8) -> u16 {
        if result == ANY { DONT_CARE } else { result.into() }
    }

    fn encode(
        &self,
        _: Layout,
        coder: &dyn ContextCoder,
        start: u64,
        results: &mut [u8],
    ) -> Encoded {
        encode_results(coder, self, start, results)
    }
}

impl Coded for DistanceModel {
    const METRIC: Metric = Metric::Dtw;

    fn symbol(half: u16) -> u16 {
        half
    }

    fn encode(
        &self,
        layout: Layout,
        coder: &dyn ContextCoder,
        start: u64,
        halves: &mut [u16],
    ) -> Encoded {
        encode_distances(layout, coder, self, start, halves)
    }
}

impl<M: Coded> Coding<M> {
    pub(super) fn codec(&self) -> Codec {
        if self.contexts.is_some() { Codec::Context } else { Codec::Zstd }
    }

    /// The model as it is stored; empty if there is none.
    pub(super) fn model(&self) -> &[u8] {
        self.contexts.as_ref().map_or(&[], |contexts| &contexts.stored)
    }

    /// Bytes of all blocks of a slice and of their entries, if they are like those of these pieces, with zstd at a level.
    pub(super) fn expected_bytes(
        &self,
        pieces: &[&Part<M::Symbol>],
        level: i32,
        positions: u64,
    ) -> io::Result<u64> {
        let encode = |(start, piece): &&Part<M::Symbol>| -> io::Result<u64> {
            let blocks = self.encode(&mut Encoder::new(self.layout, level)?, *start, piece)?;
            Ok(blocks.iter().map(|block| (block.stored.len() + ENTRY_LEN) as u64).sum())
        };
        let encoded = pieces.par_iter().map(encode).collect::<io::Result<Vec<u64>>>()?;
        let all = positions.div_ceil(PIECE_LEN.into());
        Ok(encoded.iter().sum::<u64>() * all / pieces.len().max(1) as u64)
    }

    /// Encodes the symbols from `start`, block by block.
    pub(super) fn encode(
        &self,
        zstd: &mut Encoder,
        start: u64,
        symbols: &[M::Symbol],
    ) -> io::Result<Vec<Encoded>> {
        let len = block_len(M::METRIC, self.codec()) as usize;
        let blocks = symbols.chunks(len).zip((start..).step_by(len));
        match &self.contexts {
            None => blocks
                .map(|(block, _)| {
                    let symbols: Vec<u16> = block.iter().map(|&symbol| M::symbol(symbol)).collect();
                    zstd.encode(&symbols)
                })
                .collect(),
            Some(Contexts { coder, model, .. }) => Ok(blocks
                .map(|(block, start)| {
                    model.encode(self.layout, &**coder, start, &mut block.to_vec())
                })
                .collect()),
        }
    }
}

/// Looks at a sample of a slice for how a table of it becomes smallest.
pub(super) fn choose_coding<M: Coded>(
    coder: Option<Arc<dyn ContextCoder>>,
    sample: &[Part<M::Symbol>],
    positions: u64,
    options: &WriteOptions,
    layout: Layout,
) -> io::Result<Coding<M>> {
    let zstd = Coding { layout, contexts: None };
    let coder = coder.filter(|_| options.codec != Some(Codec::Zstd));
    let Some(coder) = coder else { return Ok(zstd) };
    let len = block_len(M::METRIC, Codec::Context) as usize;
    let blocks: Vec<Part<M::Symbol>> = sample
        .iter()
        .flat_map(|(start, piece)| {
            (*start..).step_by(len).zip(piece.chunks(len).map(<[M::Symbol]>::to_vec))
        })
        .collect();
    let model: M = train(&*coder, positions, &blocks);
    let stored = compress_once(model.bytes())?;
    let model_len = stored.len() as u64;
    let context = Coding { layout, contexts: Some(Contexts { coder, model, stored }) };
    if options.codec == Some(Codec::Context) {
        return Ok(context);
    }
    let tried: Vec<_> = sample.iter().step_by(sample.len().div_ceil(TRIAL).max(1)).collect();
    let level = options.level(M::METRIC);
    let by_context = context.expected_bytes(&tried, level, positions)? + model_len;
    Ok(if by_context < zstd.expected_bytes(&tried, level, positions)? { context } else { zstd })
}
