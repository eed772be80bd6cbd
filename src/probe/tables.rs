//! The tables of a tablebase: which there are, opened when they are needed, and the cache of their blocks. Not generic over
//! the variant: none of it is compiled more than once.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::cache::{BlockCache, Slots};
use super::error::ProbeError;
use crate::index::{MOST_PIECES, Material};
use crate::rules::Variant;
use crate::store::{Metric, Source, StoreError, Table, TableId};

/// How a [`Tablebase`](super::Tablebase) has its tables.
///
/// ```
/// use damka::probe::OpenOptions;
///
/// let options = OpenOptions::new().cache_bytes(1 << 30);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    cache_bytes: u64,
    map: bool,
}

impl OpenOptions {
    /// 64 MiB of decoded blocks, of files that are read.
    pub const fn new() -> Self {
        OpenOptions { cache_bytes: 64 << 20, map: false }
    }

    /// Bytes of decoded blocks that are kept at most, or fewer where memory is short. Beside them, each table that was used takes, as
    /// long as the tablebase is there, 12 bytes for each of its blocks and 4 for each page that a block fills: 16 to 28 where it is coded
    /// by contexts, up to 72 where zstd packs longer blocks. That is 0.003 to 0.013 bytes for each of its positions.
    #[must_use]
    pub const fn cache_bytes(self, bytes: u64) -> Self {
        OpenOptions { cache_bytes: bytes, ..self }
    }

    /// Files are mapped into memory: no system call for each block that is read, and no descriptors. Where a file cannot be mapped, or
    /// addresses are limited (`ulimit -v`, 32 bits), it is read all the same.
    ///
    /// # Safety
    /// While a tablebase with these options is there, nobody may change a table file of its folders in place or cut it short. Replacing
    /// one by renaming another file over it is fine, and all that this crate ever does. If a mapped file is cut short, or its disk
    /// fails, reading it ends the process (SIGBUS; on Windows an exception). See [`MapSource::open`](super::MapSource::open).
    #[must_use]
    pub const unsafe fn map_files(self) -> Self {
        OpenOptions { map: true, ..self }
    }
}

impl Default for OpenOptions {
    /// [`OpenOptions::new`].
    fn default() -> Self {
        Self::new()
    }
}

/// A table that a tablebase has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The slice.
    pub slice: Material,
    /// Which of its tables.
    pub metric: Metric,
    /// The file; of a source that the program brought, the name that such a file has: `KMMvKM.wld`.
    pub path: PathBuf,
}

/// Whether an answer may be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// What is not in memory is read.
    Read,
    /// What is not in memory is an error.
    CacheOnly,
}

/// A table that was used.
pub(super) struct Opened {
    pub(super) table: Table,
    /// Where its blocks are in the cache.
    slots: Slots,
}

/// A table that there is.
struct Entry {
    /// The file, or how errors call the source.
    path: PathBuf,
    opened: OnceLock<Result<Opened, Arc<StoreError>>>,
}

/// The tables of one slice.
pub(super) struct Slice {
    material: Material,
    /// Its number in this process; see [`place`].
    pub(super) place: usize,
    /// By metric.
    entries: [OnceLock<Entry>; 2],
}

impl Slice {
    pub(super) fn material(&self) -> Material {
        self.material
    }
}

/// All tables of one variant.
pub(super) struct Tables {
    variant: Variant,
    options: OpenOptions,
    /// Number of positions of a slice that the variant has.
    positions_of: fn(Material) -> u64,
    folders: RwLock<Vec<PathBuf>>,
    /// By [`place`]. Tables are added, and never taken away.
    slices: Box<[OnceLock<Box<Slice>>]>,
    cache: BlockCache,
    /// Blocks that were not in the cache.
    decoded: AtomicU64,
}

thread_local! {
    /// The last block that was decoded.
    static BLOCK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Largest count of one kind of piece in a table.
const MOST_OF_A_KIND: usize = MOST_PIECES as usize - 1;
/// Numbers that [`place`] gives.
pub(super) const PLACES: usize = (MOST_OF_A_KIND + 1).pow(4);

/// A number for each material, without hashing.
#[inline(always)]
fn place(material: Material) -> Option<usize> {
    let Material { own_kings, own_men, opp_kings, opp_men } = material;
    [own_kings, own_men, opp_kings, opp_men].into_iter().try_fold(0, |place, count| {
        let count = count as usize;
        (count <= MOST_OF_A_KIND).then_some(place * (MOST_OF_A_KIND + 1) + count)
    })
}

/// Whether a variant can have tables of a slice.
fn may_have_tables(variant: Variant, slice: Material) -> bool {
    // Names are untrusted too: numbering a slice of very many men takes gigabytes.
    slice.pieces() <= MOST_PIECES && slice.exists_in(variant.rules())
}

/// Which table a file is by its name, if it can be one of the variant.
fn table_named(path: &Path, variant: Variant) -> Option<(Material, Metric)> {
    let slice = path.file_stem()?.to_str()?.parse::<Material>().ok()?;
    let extension = path.extension()?;
    let metric =
        [Metric::Wld, Metric::Dtw].into_iter().find(|metric| extension == metric.extension())?;
    may_have_tables(variant, slice).then_some((slice, metric))
}

fn named(error: &io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

impl Tables {
    pub(super) fn new(
        variant: Variant,
        options: OpenOptions,
        positions_of: fn(Material) -> u64,
    ) -> Self {
        Tables {
            variant,
            options,
            positions_of,
            folders: RwLock::default(),
            slices: (0..PLACES).map(|_| OnceLock::new()).collect(),
            cache: BlockCache::new(options.cache_bytes),
            decoded: AtomicU64::new(0),
        }
    }

    /// Adds a table if there is none of its slice and metric.
    fn add(&self, material: Material, metric: Metric, entry: Entry) -> bool {
        let Some(place) = place(material) else { return false };
        let slice = self.slices[place].get_or_init(|| {
            Box::new(Slice { material, place, entries: [OnceLock::new(), OnceLock::new()] })
        });
        slice.entries[metric as usize].set(entry).is_ok()
    }

    fn entry(&self, material: Material, metric: Metric) -> Option<&Entry> {
        self.slices[place(material)?].get()?.entries[metric as usize].get()
    }

    /// See [`Tablebase::add_folder`](super::Tablebase::add_folder).
    pub(super) fn add_folder(&self, folder: &Path) -> io::Result<usize> {
        // The folder itself must be there: a mistyped name is not an empty set of tables.
        fs::read_dir(folder).map_err(|error| named(&error, folder))?;
        let inside = folder.join(self.variant.name());
        let mut added = 0;
        match fs::read_dir(&inside) {
            Ok(entries) => {
                for entry in entries {
                    let path = entry.map_err(|error| named(&error, &inside))?.path();
                    if let Some((slice, metric)) = table_named(&path, self.variant) {
                        let opened = OnceLock::new();
                        added += usize::from(self.add(slice, metric, Entry { path, opened }));
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(named(&error, &inside)),
        }
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_owned());
        }
        Ok(added)
    }

    /// See [`Tablebase::add_file`](super::Tablebase::add_file).
    pub(super) fn add_file(&self, path: &Path) -> io::Result<bool> {
        let Some((slice, metric)) = table_named(path, self.variant) else {
            let text = format!("not the name of a table of {}", self.variant);
            return Err(named(&io::Error::new(io::ErrorKind::InvalidInput, text), path));
        };
        fs::metadata(path).map_err(|error| named(&error, path))?;
        Ok(self.add(slice, metric, Entry { path: path.to_owned(), opened: OnceLock::new() }))
    }

    /// See [`Tablebase::add_source`](super::Tablebase::add_source).
    pub(super) fn add_source(
        &self,
        slice: Material,
        metric: Metric,
        source: Box<dyn Source>,
    ) -> Result<bool, StoreError> {
        let variant = self.variant;
        if !may_have_tables(variant, slice) {
            return Err(StoreError::NoSuchSlice { variant, slice });
        }
        if self.entry(slice, metric).is_some() {
            return Ok(false);
        }
        let id = TableId { variant, material: slice, metric };
        let path = PathBuf::from(id.file_name());
        let table = Table::from_source(source, &path, &id, (self.positions_of)(slice))?;
        let opened = OnceLock::from(Ok(self.with_slots(table)?));
        Ok(self.add(slice, metric, Entry { path, opened }))
    }

    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.folders.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// All tables, by slice.
    pub(super) fn found(&self) -> Vec<Found> {
        let slices = self.slices.iter().filter_map(OnceLock::get);
        let tables = slices.flat_map(|slice| {
            [Metric::Wld, Metric::Dtw].into_iter().filter_map(|metric| {
                let path = slice.entries[metric as usize].get()?.path.clone();
                Some(Found { slice: slice.material, metric, path })
            })
        });
        tables.collect()
    }

    pub(super) fn has(&self, slice: Material, metric: Metric) -> bool {
        self.entry(slice, metric).is_some()
    }

    fn missing(&self, slice: Material, metric: Metric) -> ProbeError {
        ProbeError::Missing { variant: self.variant, slice, metric, folders: self.folders() }
    }

    /// A slice of which there are tables.
    #[inline(always)]
    pub(super) fn known(&self, material: Material) -> Option<&Slice> {
        self.slices[place(material)?].get().map(Box::as_ref)
    }

    /// A slice of which this table is needed.
    #[inline]
    pub(super) fn slice(&self, material: Material, metric: Metric) -> Result<&Slice, ProbeError> {
        self.known(material).ok_or_else(|| self.missing(material, metric))
    }

    /// A table by its slice.
    pub(super) fn table(&self, slice: Material, metric: Metric) -> Result<&Table, ProbeError> {
        let slice = self.slice(slice, metric)?;
        self.open(slice, metric, Patience::Read).map(|opened| &opened.table)
    }

    /// A table, opened if it was not yet.
    #[inline]
    pub(super) fn open<'s>(
        &self,
        slice: &'s Slice,
        metric: Metric,
        patience: Patience,
    ) -> Result<&'s Opened, ProbeError> {
        match slice.entries[metric as usize].get().and_then(|entry| entry.opened.get()) {
            Some(Ok(opened)) => Ok(opened),
            _ => self.open_first(slice, metric, patience),
        }
    }

    /// [`Tables::open`] of a table that was not opened yet, or could not be.
    #[cold]
    fn open_first<'s>(
        &self,
        slice: &'s Slice,
        metric: Metric,
        patience: Patience,
    ) -> Result<&'s Opened, ProbeError> {
        let Some(entry) = slice.entries[metric as usize].get() else {
            return Err(self.missing(slice.material, metric));
        };
        if patience == Patience::CacheOnly && entry.opened.get().is_none() {
            return Err(ProbeError::NotCached);
        }
        let opened = entry.opened.get_or_init(|| {
            let id = TableId { variant: self.variant, material: slice.material, metric };
            // Without the index: a file that only has the name of a large slice would cost gigabytes.
            let positions = (self.positions_of)(slice.material);
            let table = match self.options.map {
                // SAFETY: whoever made the options has promised it of all files that are opened with them.
                true => unsafe { Table::open_mapped(&entry.path, &id, positions) },
                false => Table::open(&entry.path, &id, positions),
            };
            Ok(self.with_slots(table?)?)
        });
        opened.as_ref().map_err(|error| ProbeError::Table(error.clone()))
    }

    fn with_slots(&self, table: Table) -> Result<Opened, StoreError> {
        let header = table.header();
        let number = place(header.material).unwrap_or(0) * 2 + header.metric as usize;
        let (blocks, len) = (table.stored_blocks(), table.decoded_len());
        let uniform = |block| table.uniform_symbol(block);
        let slots = Slots::new(number as u32, blocks, len, uniform)
            .map_err(|error| StoreError::io(table.path(), error))?;
        Ok(Opened { table, slots })
    }

    /// The symbol of a position, with the byte behind it, and the place of the position in its block.
    #[inline]
    pub(super) fn symbol(
        &self,
        opened: &Opened,
        index: u64,
        patience: Patience,
    ) -> Result<(u16, usize), ProbeError> {
        let (block, place) = opened.table.block_of(index);
        let byte = opened.table.byte_of(place);
        if let Some(symbol) = self.cache.get(&opened.slots, block, byte) {
            return Ok((symbol, place));
        }
        self.read_symbol(opened, (block, byte), patience).map(|symbol| (symbol, place))
    }

    /// Decodes a block, and keeps it.
    #[cold]
    fn read_symbol(
        &self,
        Opened { table, slots }: &Opened,
        (block, byte): (u64, usize),
        patience: Patience,
    ) -> Result<u16, ProbeError> {
        // A constant table has no blocks to be found.
        if let Some(symbol) = table.uniform_symbol(block) {
            return Ok(symbol);
        }
        if patience == Patience::CacheOnly {
            return Err(ProbeError::NotCached);
        }
        // Taken, not borrowed: a source of the program may itself probe.
        let mut bytes = BLOCK.take();
        let decoded = table.decode_block(block, &mut bytes).map(|()| {
            self.decoded.fetch_add(1, Relaxed);
            self.cache.put(slots, block, &bytes);
            let at = |byte: usize| bytes.get(byte).copied().unwrap_or(0);
            u16::from_le_bytes([at(byte), at(byte + 1)])
        });
        BLOCK.set(bytes);
        Ok(decoded?)
    }

    /// Has the system begin to read the block of a position, unless it is in the cache.
    pub(super) fn will_need(&self, Opened { table, slots }: &Opened, index: u64) {
        let (block, place) = table.block_of(index);
        if self.cache.get(slots, block, table.byte_of(place)).is_none() {
            table.will_need(block);
        }
    }

    /// See [`Tablebase::decoded_blocks`](super::Tablebase::decoded_blocks).
    pub(super) fn decoded_blocks(&self) -> u64 {
        self.decoded.load(Relaxed)
    }
}
