//! Writing the tables of a slice.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cpu_time::ProcessTime;
use rayon::prelude::*;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::cell::{Cell, Cells};
use super::codec::{
    DONT_CARE, Encoded, Encoder, Layout, compress_once, digit, encode_distances, encode_results,
};
use super::context::{ANY, ContextCoder, DistanceModel, Model, ResultModel, context_coder, train};
use super::error::StoreError;
use super::format::{
    Codec, DTW_BLOCK_LEN, DTW_CONTEXT_LEN, ENTRY_LEN, Entry, HEADER_LEN, Header, MAGIC, Metric,
    RawHeader, Results, TableId, WLD_BLOCK_LEN, WLD_CONTEXT_LEN, index_to_bytes,
};
use crate::index::Material;
use crate::rules::Variant;
use crate::threads::in_pool;
use crate::value::{Counts, Halves, Value};

/// Beginning of the names of unfinished files.
const TEMPORARY: &str = ".damka-unfinished-";

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

/// A new file beside the one that it will become.
fn temporary(folder: &Path, path: &Path) -> Result<NamedTempFile, StoreError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // Temporary files are private by default, tables are not.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|error| StoreError::io(path, error))
}

/// Brings the names in a folder to the disk, where the file system can do that.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems sync files only.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOTSUP)) => Ok(()),
        synced => synced,
    }
}

/// Other systems do not open folders as files.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a file is what a run leaves that is killed while it writes a table: by its name, and by its beginning, which is that of a table, or room
/// for it, or nothing at all.
///
/// # Errors
/// If the system cannot read it.
pub fn is_leftover(path: &Path) -> io::Result<bool> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A pipe would wait for somebody to write into it.
    if !name.starts_with(TEMPORARY) || !fs::symlink_metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut header = Vec::new();
    File::open(path)?.take(HEADER_LEN as u64).read_to_end(&mut header)?;
    Ok(header.starts_with(&MAGIC) || header.iter().all(|&byte| byte == 0))
}

/// Removes the unfinished files that killed runs have left in a folder, and returns how many there were. See [`is_leftover`].
///
/// Nobody may be writing tables into the folder meanwhile. A folder that does not exist has none.
///
/// # Errors
/// If the system cannot list the folder or remove a file.
pub fn remove_leftovers(folder: &Path) -> Result<usize, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(StoreError::io(folder, error)),
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry.map_err(|error| StoreError::io(folder, error))?.path();
        // What cannot be read is not known to be ours.
        if is_leftover(&path).unwrap_or(false) {
            fs::remove_file(&path).map_err(|error| StoreError::io(&path, error))?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// A table under way. The header is written last, into the room left for it.
struct Output<'a, W: Write + Seek> {
    out: BufWriter<W>,
    path: &'a Path,
    header: Header,
    /// As it is stored; may be empty.
    model: &'a [u8],
    index: Vec<Entry>,
    values: Xxh3,
}

impl<'a, W: Write + Seek> Output<'a, W> {
    fn new(
        header: Header,
        model: &'a [u8],
        (file, path): (W, &'a Path),
    ) -> Result<Self, StoreError> {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        out.write_all(&[0; HEADER_LEN]).map_err(|error| StoreError::io(path, error))?;
        let header = Header { file_len: HEADER_LEN as u64, ..header };
        let index = Vec::with_capacity(header.blocks() as usize);
        Ok(Output { out, path, header, model, index, values: Xxh3::new() })
    }

    fn push(&mut self, block: &Encoded) -> Result<(), StoreError> {
        // Symbols that are nothing like those of the sample that a model was made of can take more bits than they have.
        let too_long =
            |_| StoreError::io(self.path, io::Error::other("a block takes more than 65,535 bytes"));
        let len = u16::try_from(block.stored.len()).map_err(too_long)?;
        self.out.write_all(&block.stored).map_err(|error| StoreError::io(self.path, error))?;
        self.index.push(Entry { len, check: block.check });
        self.values.update(&block.decoded);
        self.header.file_len += u64::from(len);
        Ok(())
    }

    /// Returns the length of the file.
    fn finish(mut self) -> Result<u64, StoreError> {
        let path = self.path;
        self.write_rest().map_err(|error| StoreError::io(path, error))
    }

    fn write_rest(&mut self) -> io::Result<u64> {
        let mut tail = Vec::new();
        (self.header.model_len, self.header.index_len) = (0, 0);
        match self.index.first().copied() {
            Some(first) if first.len == 0 && self.index.iter().all(|entry| *entry == first) => {
                self.header.codec = Codec::Constant;
                self.header.symbol = first.check as u16;
            }
            _ => {
                tail.extend(self.model);
                self.header.model_len = tail.len() as u32;
                let index = compress_once(&index_to_bytes(&self.index))?;
                let too_long = |_| io::Error::other("the index of blocks is too long");
                self.header.index_len = u32::try_from(index.len()).map_err(too_long)?;
                tail.extend(index);
            }
        }
        self.header.file_len += tail.len() as u64;
        self.header.tail_checksum = xxh3_64(&tail);
        self.header.values_checksum = self.values.digest();
        self.out.write_all(&tail)?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&self.header.to_bytes())?;
        self.out.flush()?;
        Ok(self.header.file_len)
    }
}

/// Positions in a block.
fn block_len(metric: Metric, codec: Codec) -> u32 {
    match (metric, codec) {
        (Metric::Wld, Codec::Context) => WLD_CONTEXT_LEN,
        (Metric::Wld, _) => WLD_BLOCK_LEN,
        (Metric::Dtw, Codec::Context) => DTW_CONTEXT_LEN,
        (Metric::Dtw, _) => DTW_BLOCK_LEN,
    }
}

/// The header of a table of this slice, without what is known only at the end.
fn new_header(
    info: &TableInfo,
    metric: Metric,
    codec: Codec,
    positions: u64,
) -> Result<Header, StoreError> {
    let rules = info.variant.rules();
    let block_len = block_len(metric, codec);
    let mut header = Header {
        // Room for any index: the length is checked when the file is opened.
        file_len: u64::MAX,
        variant: rules.name.to_owned(),
        fingerprint: rules.fingerprint(),
        material: info.material,
        metric,
        squares: rules.shape.squares(),
        symbol_width: 0,
        loss_parity: rules.no_move.loss_parity() as u8,
        block_len,
        codec,
        results: match metric {
            Metric::Wld => Results::ALL,
            Metric::Dtw => info.distances,
        },
        symbol: 0,
        counts: info.counts,
        positions,
        values_checksum: 0,
        // They may not be empty.
        model_len: u32::from(codec == Codec::Context),
        index_len: 1,
        tail_checksum: 0,
    };
    header.symbol_width = header.layout().width;
    // What is written must pass the checks of the reader.
    let wrong = |field| StoreError::WrongInfo { material: info.material, field };
    let checked = Header::check(&RawHeader::new(&header.to_bytes(), Path::new(""))?);
    if checked.map_err(wrong)? == header { Ok(header) } else { Err(wrong("variant")) }
}

/// The blocks of both tables that hold the same positions.
struct Piece {
    wld: Vec<Encoded>,
    dtw: Vec<Encoded>,
}

/// How a table of a slice is encoded: with zstd, or by contexts.
struct Coding<M> {
    layout: Layout,
    contexts: Option<Contexts<M>>,
}

struct Contexts<M> {
    coder: Arc<dyn ContextCoder>,
    model: M,
    /// The model, compressed.
    stored: Vec<u8>,
}

/// What is coded in the tables of a metric.
trait Coded: Model<Symbol: Copy + Send> {
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
    fn codec(&self) -> Codec {
        if self.contexts.is_some() { Codec::Context } else { Codec::Zstd }
    }

    /// The model as it is stored; empty if there is none.
    fn model(&self) -> &[u8] {
        self.contexts.as_ref().map_or(&[], |contexts| &contexts.stored)
    }

    /// Bytes of all blocks of a slice and of their entries, if they are like those of these pieces, with zstd at a level.
    fn expected_bytes(
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
    fn encode(
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

/// What a worker needs, used again for piece after piece.
struct Worker {
    cells: Vec<Cell>,
    wld: Encoder,
    dtw: Encoder,
}

/// Pieces of a slice that are looked at before its results are encoded.
const SAMPLE: u64 = 16;
/// Pieces of a slice that are compressed to see what takes fewest bytes.
const TRIAL: usize = 8;
/// zstd level for comparing which of two things takes fewer bytes.
const TRIAL_LEVEL: i32 = 3;

/// Positions that are encoded at a time: whole blocks of both tables.
const PIECE_LEN: u32 = WLD_BLOCK_LEN;
const _: () = assert!(WLD_BLOCK_LEN.is_multiple_of(DTW_BLOCK_LEN));
const _: () = assert!(WLD_BLOCK_LEN.is_multiple_of(WLD_CONTEXT_LEN));
const _: () = assert!(WLD_BLOCK_LEN.is_multiple_of(DTW_CONTEXT_LEN));
const _: () = assert!(WLD_CONTEXT_LEN.is_multiple_of(5));
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

/// Results as digits, and [`ANY`] for don't-cares.
fn results_of(cells: &[Cell]) -> Vec<u8> {
    let result = |cell: &Cell| cell.value().map_or(ANY, |value| digit(value.wld()) as u8);
    cells.iter().map(result).collect()
}

/// Half distances, and [`DONT_CARE`] for what is not stored.
fn halves_of(info: &TableInfo, start: u64, cells: &[Cell]) -> Result<Vec<u16>, StoreError> {
    let halves = info.variant.rules().no_move.halves();
    let half = |(index, &cell): (u64, &Cell)| {
        let wrong = StoreError::WrongCell { material: info.material, index, cell };
        half_of(info, halves, cell).ok_or(wrong)
    };
    (start..).zip(cells).map(half).collect()
}

/// A part of a slice: the index of its first position, and its symbols.
type Part<S> = (u64, Vec<S>);

/// Looks at a sample of a slice for how a table of it becomes smallest.
fn choose_coding<M: Coded>(
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

/// Symbol of a cell in the DTW table; `None` if the slice cannot hold the value.
fn half_of(info: &TableInfo, halves: Halves, cell: Cell) -> Option<u16> {
    let longest = match cell.value() {
        None | Some(Value::Draw) => return Some(DONT_CARE),
        Some(Value::Win(_)) => info.counts.longest_win,
        Some(Value::Loss(_)) => info.counts.longest_loss,
    };
    let value = cell.value().filter(|value| value.plies() <= longest)?;
    let half = halves.half(value)?;
    Some(if info.distances.hold(value.wld()) { half } else { DONT_CARE })
}

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
        bytes.map_err(|error| StoreError::io(&PathBuf::from(info.material.to_string()), error))
    };
    Ok((size(true, false)?, size(false, true)?))
}

/// Applies something to all parts, on all threads.
fn map_parts<S: Sync, T: Send>(
    parts: &[Part<S>],
    change: impl Fn(u64, &[S]) -> Result<Part<T>, StoreError> + Sync,
) -> Result<Vec<Part<T>>, StoreError> {
    parts.par_iter().map(|(start, part)| change(*start, part)).collect()
}

/// Some pieces of a slice, at most so many.
fn sample(
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

/// Both tables as bytes: `.wld`, then `.dtw`.
pub(crate) fn encode_to_memory(
    info: &TableInfo,
    cells: &dyn Cells,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<u8>), StoreError> {
    let writing = Writing::in_memory(info, cells, options);
    writing.encode_to_memory(writing.choose_codings()?)
}
