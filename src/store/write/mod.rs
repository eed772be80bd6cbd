//! Writing the tables of a slice.

mod coding;
mod costs;
mod leftovers;
mod output;
mod sample;
mod symbols;

use std::fs;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use coding::{Coding, choose_coding};
pub(crate) use costs::{distance_sizes, write_costs};
pub use leftovers::{is_leftover, remove_leftovers};
use leftovers::{sync_folder, temporary};
use output::{Output, new_header};
pub(crate) use sample::looked_at;
use sample::{PIECE_LEN, SAMPLE, map_parts, sample};
use symbols::{halves_of, results_of};

use super::cell::{Cell, Cells};
use super::codec::{Encoded, Encoder};
use super::context::{DistanceModel, ResultModel, context_coder};
use super::error::StoreError;
use super::format::{Codec, Metric, Results, TableId};
use crate::index::Material;
use crate::rules::Variant;
use crate::threads::in_pool;
use crate::value::Counts;

/// What the header says of a slice. All numbers count positions with captures too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    /// The variant.
    pub variant: Variant,
    /// The slice.
    pub material: Material,
    /// Counts over all its positions.
    pub counts: Counts,
    /// Results whose distances are stored. What is left out must follow by one ply from what is stored: of each quiet move, the
    /// result before it in this slice or the result after it in its twin.
    pub distances: Results,
}

/// How hard to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Codec of tables; `None` for the one that makes a table smaller, as a sample of it shows. Constant tables are
    /// constant with any, and slices of which not all positions are given are compressed with zstd.
    pub codec: Option<Codec>,
    /// zstd level of WLD blocks, 1 to 22.
    pub wld_level: i32,
    /// zstd level of DTW blocks, 1 to 22.
    pub dtw_level: i32,
}

impl WriteOptions {
    fn level(&self, metric: Metric) -> i32 {
        match metric {
            Metric::Wld => self.wld_level,
            Metric::Dtw => self.dtw_level,
        }
    }
}

impl WriteOptions {
    /// The same zstd level, 1 to 22, for both tables.
    pub const fn at_level(level: i32) -> Self {
        WriteOptions { codec: None, wld_level: level, dtw_level: level }
    }
}

impl Default for WriteOptions {
    /// Level 7.
    fn default() -> Self {
        Self::at_level(7)
    }
}

/// Bytes of the two files of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenSizes {
    /// Bytes of the `.wld` file.
    pub wld: u64,
    /// Bytes of the `.dtw` file.
    pub dtw: u64,
}

/// Writes both tables of a slice into `folder` (`<database>/<variant>`), which is made if it does not exist.
///
/// One pass over `cells`, after a look at a sample of them, spread over the threads of the current rayon pool, or over threads of its own if the
/// calling thread is in none; the bytes do not depend on their number.
/// Memory: about 3 MiB a thread. The files appear under their names only when both are complete and on the disk, first
/// `.dtw`, then `.wld`: where a `.wld` file is, the slice is done. Files of these names that were there are replaced.
///
/// # Errors
/// If the system cannot write, if `info` contradicts itself or a cell contradicts `info`, and
/// [`StoreError::Stopped`] soon after `should_stop` returns true. No file is left then.
pub fn write_tables(
    folder: &Path,
    info: &TableInfo,
    cells: &dyn Cells,
    options: &WriteOptions,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Result<WrittenSizes, StoreError> {
    fs::create_dir_all(folder).map_err(|error| StoreError::io(folder, error))?;
    let id = |metric| TableId { variant: info.variant, material: info.material, metric };
    let wld_path = folder.join(id(Metric::Wld).file_name());
    let dtw_path = folder.join(id(Metric::Dtw).file_name());
    let wld = temporary(folder, &wld_path)?;
    let dtw = temporary(folder, &dtw_path)?;
    let writing = Writing { info, cells, options, should_stop, paths: [&wld_path, &dtw_path] };
    let sizes =
        in_pool(|| writing.encode(writing.choose_codings()?, wld.as_file(), dtw.as_file()))?;
    for (file, path) in [(&dtw, &dtw_path), (&wld, &wld_path)] {
        file.as_file().sync_all().map_err(|error| StoreError::io(path, error))?;
    }
    for (file, path) in [(dtw, &dtw_path), (wld, &wld_path)] {
        file.persist(path).map_err(|failed| StoreError::replacing(path, failed.error))?;
        // Each time, lest a power cut keep the second name and lose the first.
        sync_folder(folder).map_err(|error| StoreError::io(folder, error))?;
    }
    Ok(sizes)
}

/// The blocks of both tables that hold the same positions.
struct Piece {
    wld: Vec<Encoded>,
    dtw: Vec<Encoded>,
}

/// What a worker needs, used again for piece after piece.
struct Worker {
    cells: Vec<Cell>,
    wld: Encoder,
    dtw: Encoder,
}

/// Pieces for each thread between two writes: so many that it does not matter when one thread is done before the others.
const PIECES_PER_THREAD: u64 = 64;

/// A slice of which both tables are written.
struct Writing<'a> {
    info: &'a TableInfo,
    cells: &'a dyn Cells,
    options: &'a WriteOptions,
    should_stop: &'a (dyn Fn() -> bool + Sync),
    /// Of both tables; they only appear in errors.
    paths: [&'a Path; 2],
}

/// How tables of results and of distances are coded.
type Codings = (Coding<ResultModel>, Coding<DistanceModel>);

impl<'a> Writing<'a> {
    /// To nowhere, without a way to stop it.
    fn in_memory(info: &'a TableInfo, cells: &'a dyn Cells, options: &'a WriteOptions) -> Self {
        let path = Path::new("memory");
        Writing { info, cells, options, should_stop: &|| false, paths: [path, path] }
    }

    /// Looks at a sample of the slice for how its tables become smallest.
    fn choose_codings(&self) -> Result<Codings, StoreError> {
        let &Writing { info, cells, options, should_stop, paths: [wld_path, dtw_path] } = self;
        let positions = cells.len();
        let layout = |metric| Ok(new_header(info, metric, Codec::Zstd, positions)?.layout());
        let (wld_layout, dtw_layout) = (layout(Metric::Wld)?, layout(Metric::Dtw)?);
        let coder = context_coder(info.variant, info.material, positions).map(Arc::from);
        // Where there is a choice.
        let most = if coder.is_none() || options.codec == Some(Codec::Zstd) { 0 } else { SAMPLE };
        let sample = sample(info, cells, most, should_stop)?;
        let results = map_parts(&sample, |start, cells| Ok((start, results_of(cells))))?;
        let halves =
            map_parts(&sample, |start, cells| Ok((start, halves_of(info, start, cells)?)))?;
        drop(sample);
        let wld =
            choose_coding::<ResultModel>(coder.clone(), &results, positions, options, wld_layout);
        let dtw = choose_coding::<DistanceModel>(coder, &halves, positions, options, dtw_layout);
        let wld = wld.map_err(|error| StoreError::io(wld_path, error))?;
        Ok((wld, dtw.map_err(|error| StoreError::io(dtw_path, error))?))
    }

    /// Writes both tables, coded as was chosen, to any pair of outputs.
    fn encode<W: Write + Seek>(
        &self,
        (wld_coding, dtw_coding): Codings,
        wld_file: W,
        dtw_file: W,
    ) -> Result<WrittenSizes, StoreError> {
        let &Writing { info, cells, options, should_stop, paths: [wld_path, dtw_path] } = self;
        let positions = cells.len();
        let (wld_layout, dtw_layout) = (wld_coding.layout, dtw_coding.layout);
        let pieces = positions.div_ceil(PIECE_LEN.into());
        let wld_header = new_header(info, Metric::Wld, wld_coding.codec(), positions)?;
        let dtw_header = new_header(info, Metric::Dtw, dtw_coding.codec(), positions)?;
        let mut wld = Output::new(wld_header, wld_coding.model(), (wld_file, wld_path))?;
        let mut dtw = Output::new(dtw_header, dtw_coding.model(), (dtw_file, dtw_path))?;

        let idle: Mutex<Vec<Worker>> = Mutex::new(Vec::new());
        let take = || idle.lock().ok().and_then(|mut idle| idle.pop());
        let encode = |piece: u64| -> Result<Piece, StoreError> {
            if should_stop() {
                return Err(StoreError::Stopped);
            }
            let mut worker = match take() {
                Some(worker) => worker,
                None => Worker {
                    cells: Vec::new(),
                    wld: Encoder::new(wld_layout, options.wld_level)
                        .map_err(|error| StoreError::io(wld_path, error))?,
                    dtw: Encoder::new(dtw_layout, options.dtw_level)
                        .map_err(|error| StoreError::io(dtw_path, error))?,
                },
            };
            let start = piece * u64::from(PIECE_LEN);
            let len = (positions - start).min(PIECE_LEN.into()) as usize;
            worker.cells.clear();
            worker.cells.resize(len, Cell::DONT_CARE);
            let filled = cells.fill(start, &mut worker.cells);
            let encoded = match filled {
                Ok(()) => {
                    worker.encode(info, (&wld_coding, &dtw_coding), start, [wld_path, dtw_path])
                }
                Err(source) => Err(StoreError::Cells { material: info.material, source }),
            };
            if let Ok(mut idle) = idle.lock() {
                idle.push(worker);
            }
            encoded
        };

        let batch = rayon::current_num_threads() as u64 * PIECES_PER_THREAD;
        let mut first = 0;
        while first < pieces {
            let end = pieces.min(first.saturating_add(batch));
            let done: Vec<_> = (first..end).into_par_iter().map(encode).collect();
            // In order, so that the first of several errors is the one that is reported.
            for piece in done {
                let piece = piece?;
                piece.wld.iter().try_for_each(|block| wld.push(block))?;
                piece.dtw.iter().try_for_each(|block| dtw.push(block))?;
            }
            first = end;
        }
        Ok(WrittenSizes { wld: wld.finish()?, dtw: dtw.finish()? })
    }

    /// Both tables as bytes: `.wld`, then `.dtw`.
    fn encode_to_memory(&self, codings: Codings) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
        let (mut wld, mut dtw) = (io::Cursor::new(Vec::new()), io::Cursor::new(Vec::new()));
        self.encode(codings, &mut wld, &mut dtw)?;
        Ok((wld.into_inner(), dtw.into_inner()))
    }
}

impl Worker {
    /// Encodes the cells of a piece.
    fn encode(
        &mut self,
        info: &TableInfo,
        (wld_coding, dtw_coding): (&Coding<ResultModel>, &Coding<DistanceModel>),
        start: u64,
        [wld_path, dtw_path]: [&Path; 2],
    ) -> Result<Piece, StoreError> {
        let Worker { cells, wld, dtw } = self;
        let wld = wld_coding.encode(wld, start, &results_of(cells));
        let wld = wld.map_err(|error| StoreError::io(wld_path, error))?;
        let dtw = dtw_coding.encode(dtw, start, &halves_of(info, start, cells)?);
        let dtw = dtw.map_err(|error| StoreError::io(dtw_path, error))?;
        Ok(Piece { wld, dtw })
    }
}

/// Both tables as bytes: `.wld`, then `.dtw`.
pub(crate) fn encode_to_memory(
    info: &TableInfo,
    cells: &dyn Cells,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
    let writing = Writing::in_memory(info, cells, options);
    writing.encode_to_memory(writing.choose_codings()?)
}
