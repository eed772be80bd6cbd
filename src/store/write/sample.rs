//! A sample of a slice, that is looked at before it is encoded.

use rayon::prelude::*;

use super::TableInfo;
use crate::store::cell::{Cell, Cells};
use crate::store::error::StoreError;
use crate::store::format::{DTW_BLOCK_LEN, DTW_CONTEXT_LEN, WLD_BLOCK_LEN, WLD_CONTEXT_LEN};

/// Pieces of a slice that are looked at before its results are encoded.
pub(super) const SAMPLE: u64 = 16;
/// Pieces of a slice that are compressed to see what takes fewest bytes.
pub(super) const TRIAL: usize = 8;

/// Positions that are encoded at a time: whole blocks of both tables.
pub(super) const PIECE_LEN: u32 = WLD_BLOCK_LEN;
const _: () = assert!(WLD_BLOCK_LEN.is_multiple_of(DTW_BLOCK_LEN));
const _: () = assert!(WLD_BLOCK_LEN.is_multiple_of(WLD_CONTEXT_LEN));
const _: () = assert!(WLD_BLOCK_LEN.is_multiple_of(DTW_CONTEXT_LEN));
const _: () = assert!(WLD_CONTEXT_LEN.is_multiple_of(5));

/// A part of a slice: the index of its first position, and its symbols.
pub(super) type Part<S> = (u64, Vec<S>);

/// Applies something to all parts, on all threads.
pub(super) fn map_parts<S: Sync, T: Send>(
    parts: &[Part<S>],
    change: impl Fn(u64, &[S]) -> Result<Part<T>, StoreError> + Sync,
) -> Result<Vec<Part<T>>, StoreError> {
    parts.par_iter().map(|(start, part)| change(*start, part)).collect()
}

/// Some pieces of a slice, at most so many.
pub(super) fn sample(
    info: &TableInfo,
    cells: &dyn Cells,
    most: u64,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Part<Cell>>, StoreError> {
    let count = cells.len().div_ceil(PIECE_LEN.into()).min(most);
    let pieces = (0..count).into_par_iter();
    pieces.map(|number| sampled(info, cells, number, count, should_stop)).collect()
}

/// One of so many pieces of a slice, spread evenly, the first included: where it begins, and its cells.
fn sampled(
    info: &TableInfo,
    cells: &dyn Cells,
    number: u64,
    count: u64,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Result<(u64, Vec<Cell>), StoreError> {
    if should_stop() {
        return Err(StoreError::Stopped);
    }
    let positions = cells.len();
    let pieces = positions.div_ceil(PIECE_LEN.into());
    let start = (number * pieces / count) * u64::from(PIECE_LEN);
    let mut piece = vec![Cell::DONT_CARE; (positions - start).min(PIECE_LEN.into()) as usize];
    let filled = cells.fill(start, &mut piece);
    filled.map_err(|source| StoreError::Cells { material: info.material, source })?;
    Ok((start, piece))
}

/// Positions of a slice of so many that are looked at, before it is encoded.
pub(crate) fn looked_at(positions: u64) -> u64 {
    positions.min(SAMPLE * u64::from(PIECE_LEN))
}
