//! What tables take: bytes, and time.

use std::path::Path;
use std::time::Duration;

use cpu_time::ProcessTime;

use super::coding::Coding;
use super::sample::{TRIAL, map_parts, sample};
use super::symbols::halves_of;
use super::{TableInfo, WriteOptions, Writing, WrittenSizes, new_header};
use crate::store::cell::Cells;
use crate::store::context::DistanceModel;
use crate::store::error::StoreError;
use crate::store::format::{Codec, Metric, Results};

/// zstd level for comparing which of two things takes fewer bytes.
const TRIAL_LEVEL: i32 = 3;

/// Bytes that the distances of the wins and of the losses of a slice would take, each alone, as a sample of it shows.
///
/// # Errors
/// As for [`write_tables`].
pub(crate) fn distance_sizes(
    info: &TableInfo,
    cells: &dyn Cells,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Result<(u64, u64), StoreError> {
    let layout = new_header(info, Metric::Dtw, Codec::Zstd, cells.len())?.layout();
    // Both codecs agree on which is cheaper, nearly always.
    let zstd = Coding::<DistanceModel> { layout, contexts: None };
    let sample = sample(info, cells, TRIAL as u64, should_stop)?;
    let size = |wins, losses| -> Result<u64, StoreError> {
        let info = TableInfo { distances: Results { wins, losses }, ..info.clone() };
        let halves =
            map_parts(&sample, |start, cells| Ok((start, halves_of(&info, start, cells)?)))?;
        let tried: Vec<_> = halves.iter().collect();
        let bytes = zstd.expected_bytes(&tried, TRIAL_LEVEL, cells.len());
        bytes.map_err(|error| StoreError::io(Path::new(&info.material.to_string()), error))
    };
    Ok((size(true, false)?, size(false, true)?))
}

/// What the tables of a slice take.
pub(crate) struct WriteCosts {
    /// Their bytes.
    pub(crate) sizes: WrittenSizes,
    /// CPU time of looking at a sample.
    pub(crate) looking: Duration,
    /// CPU time of encoding.
    pub(crate) encoding: Duration,
}

/// Does the work of [`write_tables`], in memory, to learn what it takes.
pub(crate) fn write_costs(
    info: &TableInfo,
    cells: &dyn Cells,
    options: &WriteOptions,
) -> Result<WriteCosts, StoreError> {
    let writing = Writing::in_memory(info, cells, options);
    let begin = ProcessTime::now();
    let codings = writing.choose_codings()?;
    let looking = begin.elapsed();
    let (wld, dtw) = writing.encode_to_memory(codings)?;
    let sizes = WrittenSizes { wld: wld.len() as u64, dtw: dtw.len() as u64 };
    Ok(WriteCosts { sizes, looking, encoding: begin.elapsed() - looking })
}
