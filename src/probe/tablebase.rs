//! A set of folders with tables, opened as they are needed.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use num_traits::Zero;

use super::cache::{BlockCache, Slots};
use super::rating::{Bounds, Evaluation, Line, RatedMove, Rating};
use super::resolve::resolve;
use crate::board::Bits;
use crate::index::{MOST_PIECES, Material, SliceIndex, slices};
use crate::play::legal_moves;
use crate::position::Position;
use crate::rules::{
    Colour, RuleSet, Turned, Variant, has_capture, visit_quiet_moves, with_rule_set,
};
use crate::store::{Access, Header, Metric, StoreError, Table, TableId};
use crate::value::{Value, Wld};

/// Why a position has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The position is one of another variant than the tables.
    #[error("a position of {found}, asked of tables of {expected}")]
    OtherVariant {
        /// The variant of the tables.
        expected: Variant,
        /// That of the position.
        found: Variant,
    },
    /// The table of a slice that the answer depends on is in none of the folders.
    #[error("no table {slice}.{metric} of {variant} in {}", list(folders))]
    Missing {
        /// The variant.
        variant: Variant,
        /// The slice, maybe another one than that of the position asked for: one with fewer pieces or men, or its twin.
        slice: Material,
        /// Which of its tables.
        metric: Metric,
        /// Where it was looked for.
        folders: Vec<PathBuf>,
    },
    /// The position has more pieces than any table.
    #[error("no table of {variant} holds positions of {pieces} pieces")]
    TooManyPieces {
        /// The variant.
        variant: Variant,
        /// Pieces on the board.
        pieces: u32,
    },
    /// A table is there and cannot be used.
    #[error(transparent)]
    Table(Arc<StoreError>),
    /// The answer is not in the cache, and nothing may be read.
    #[error("not in the cache")]
    NotCached,
    /// The tables of a slice contradict each other, or those of its twin.
    #[error("{} does not belong to the tables beside it", path.display())]
    Mismatch {
        /// The `.dtw` file of the slice, or its `.wld` file if there is no other.
        path: PathBuf,
    },
}

fn list(folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    names.join(", ")
}

impl From<StoreError> for ProbeError {
    fn from(error: StoreError) -> Self {
        Self::Table(Arc::new(error))
    }
}

impl ProbeError {
    /// Whether a table is simply not there, so that a larger set would have the answer.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Missing { .. } | Self::TooManyPieces { .. } => true,
            Self::Table(error) => error.is_missing(),
            Self::OtherVariant { .. } | Self::NotCached | Self::Mismatch { .. } => false,
        }
    }
}

/// How to open a [`Tablebase`].
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Bytes of decoded blocks that are kept at most. Beside them, each table that was used takes, as long as the tablebase is open, 12
    /// bytes for each of its blocks and 4 for each page that a block fills: 16 to 28 where it is coded by contexts, up to 72 where zstd
    /// packs longer blocks. That is 0.003 to 0.013 bytes for each of its positions.
    pub cache_bytes: u64,
    /// How the bytes of files are had.
    pub access: Access,
}

impl Default for OpenOptions {
    /// 64 MiB of decoded blocks, of files that are mapped.
    fn default() -> Self {
        OpenOptions { cache_bytes: 64 << 20, access: Access::Map }
    }
}

/// A table that was found in a folder.
#[derive(Clone, Debug)]
pub struct Found {
    /// The slice.
    pub slice: Material,
    /// Which of its tables.
    pub metric: Metric,
    /// The file.
    pub path: PathBuf,
}

/// All tables of one variant below some folders.
///
/// Opening looks up which files there are, and reads none. A table is opened when it is first asked for, and its blocks
/// are decoded when they are; decoded blocks are kept in a bounded cache. All methods take
/// `&self` and can be called from many threads.
///
/// The files must not be changed while they are open (replacing one by renaming another over it is fine): they are mapped
/// into memory, and a file that is cut short under a map ends the process. With [`Access::Read`] they are not, and any change is an error.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use damka::{Tablebase, Value, Variant, notation::parse_fen};
///
/// let tables = Tablebase::open(Variant::Russian, &["tables"])?;
/// let position = parse_fen(Variant::Russian, "W:WKa1,Kc1,Kc3:BKb8")?;
/// if let Value::Win(plies) = tables.probe(&position)? {
///     println!("White wins in {plies} plies");
/// }
/// # Ok(()) }
/// ```
pub struct Tablebase {
    variant: Variant,
    folders: Vec<PathBuf>,
    slices: Box<dyn Slices>,
    found: Vec<Found>,
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebase")
            .field("variant", &self.variant)
            .field("folders", &self.folders)
            .field("tables", &self.found.len())
            .finish_non_exhaustive()
    }
}

impl Tablebase {
    /// Opens the tables of `variant` below each of the folders (in `<folder>/<variant>/`). Where several hold the same
    /// table, the first counts. O(files).
    ///
    /// # Errors
    /// If a folder does not exist or cannot be listed, or there is no memory for any cache. A folder without tables of the variant is fine.
    pub fn open<P: AsRef<Path>>(variant: Variant, folders: &[P]) -> io::Result<Self> {
        Self::open_with(variant, folders, OpenOptions::default())
    }

    /// [`Tablebase::open`] with options.
    ///
    /// # Errors
    /// See [`Tablebase::open`].
    pub fn open_with<P: AsRef<Path>>(
        variant: Variant,
        folders: &[P],
        options: OpenOptions,
    ) -> io::Result<Self> {
        let folders: Vec<PathBuf> =
            folders.iter().map(|folder| folder.as_ref().to_owned()).collect();
        let mut files = BTreeMap::new();
        for folder in &folders {
            for (key, path) in list_tables(folder, variant)? {
                files.entry(key).or_insert(path);
            }
        }
        let found = files
            .iter()
            .map(|(&(slice, metric), path)| Found { slice, metric, path: path.clone() })
            .collect();
        let slices: Box<dyn Slices> = with_rule_set!(variant, R => {
            Box::new(SliceSet::<R>::new(variant, folders.clone(), files, options)?)
        });
        Ok(Tablebase { variant, folders, slices, found })
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The folders, as they were given.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The tables that were found, by slice.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// Most pieces for which all slices have both tables; 0 if not even those of 2 are complete.
    pub fn complete_pieces(&self) -> u32 {
        let has = |slice, metric| {
            self.found.iter().any(|found| found.slice == slice && found.metric == metric)
        };
        let complete = |&pieces: &u32| {
            slices(self.variant.rules(), pieces)
                .into_iter()
                .all(|slice| has(slice, Metric::Wld) && has(slice, Metric::Dtw))
        };
        (2..=MOST_PIECES).take_while(complete).last().unwrap_or(0)
    }

    /// Header of a table: counts, longest distances, sizes.
    ///
    /// # Errors
    /// If the table is missing or broken.
    pub fn header(&self, slice: Material, metric: Metric) -> Result<Header, ProbeError> {
        self.table(slice, metric).map(|table| table.header().clone())
    }

    /// A table, opened.
    pub(crate) fn table(&self, slice: Material, metric: Metric) -> Result<&Table, ProbeError> {
        self.slices.table(slice, metric)
    }

    /// Reads a whole table and compares all its checksums. O(file).
    ///
    /// # Errors
    /// If the table is missing or broken.
    pub fn verify_checksums(&self, slice: Material, metric: Metric) -> Result<(), ProbeError> {
        Ok(self.table(slice, metric)?.verify_checksums(|_| ())?)
    }

    /// Refuses positions of other variants, and those with more pieces than any table, whose captures could take for ever to
    /// search. Games that are over, or end with the next move, have an answer all the same.
    fn check(&self, position: &Position) -> Result<(), ProbeError> {
        let (expected, found) = (self.variant, position.variant());
        if found != expected {
            return Err(ProbeError::OtherVariant { expected, found });
        }
        let pieces = position.piece_count();
        let both =
            [Colour::White, Colour::Black].iter().all(|&side| !position.pieces(side).is_empty());
        match both && pieces > MOST_PIECES {
            true => Err(ProbeError::TooManyPieces { variant: expected, pieces }),
            false => Ok(()),
        }
    }

    /// Exact value of a position: its result, and the plies to the end of the game.
    ///
    /// Any position with few enough pieces has an answer, captures or not, either side to move, finished games too. A
    /// quiet position takes at most two blocks, or, where its table leaves the distance out, those of the positions one
    /// move later; one with captures is searched down to quiet ones.
    ///
    /// # Errors
    /// If the position is one of another variant, or a table that the answer depends on is missing or broken; the error names it.
    pub fn probe(&self, position: &Position) -> Result<Value, ProbeError> {
        self.check(position)?;
        self.slices.value(position, Patience::Read)
    }

    /// Result of a position, from `.wld` tables alone. If one capture wins, tables that others lead to are not needed.
    ///
    /// # Errors
    /// See [`Tablebase::probe`].
    pub fn probe_wld(&self, position: &Position) -> Result<Wld, ProbeError> {
        self.check(position)?;
        self.slices.wld(position, Patience::Read)
    }

    /// [`Tablebase::probe`] that reads nothing: for a search that must not wait.
    ///
    /// # Errors
    /// [`ProbeError::NotCached`] if a block of a table, or a table itself, would have to be read; else see [`Tablebase::probe`].
    pub fn probe_cached(&self, position: &Position) -> Result<Value, ProbeError> {
        self.check(position)?;
        self.slices.value(position, Patience::CacheOnly)
    }

    /// [`Tablebase::probe_wld`] that reads nothing.
    ///
    /// # Errors
    /// See [`Tablebase::probe_cached`].
    pub fn probe_wld_cached(&self, position: &Position) -> Result<Wld, ProbeError> {
        self.check(position)?;
        self.slices.wld(position, Patience::CacheOnly)
    }

    /// Says that a position will soon be asked for: the system begins to read what [`Tablebase::probe_wld`] and, as far as it is
    /// known which, [`Tablebase::probe`] will need. Waits for no block, but opens tables that were not used before. Without effect where files are read
    /// and not mapped ([`Access::Read`]), and for a position of another variant.
    pub fn prefetch(&self, position: &Position) {
        if self.check(position).is_ok() {
            self.slices.prefetch(position);
        }
    }

    /// [`Tablebase::probe`] of many positions; answers in their order. Positions without a capture are asked for in the order of tables and
    /// blocks, so that even with a small cache a block of results is decoded once for all of them; those with captures come first.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<Value, ProbeError>> {
        self.in_order_of_blocks(positions, |position| self.probe(position))
    }

    /// [`Tablebase::probe_wld`] of many positions; see [`Tablebase::probe_many`].
    pub fn probe_wld_many(&self, positions: &[Position]) -> Vec<Result<Wld, ProbeError>> {
        self.in_order_of_blocks(positions, |position| self.probe_wld(position))
    }

    fn in_order_of_blocks<T>(
        &self,
        positions: &[Position],
        probe: impl Fn(&Position) -> Result<T, ProbeError>,
    ) -> Vec<Result<T, ProbeError>> {
        let place = |position: &Position| match self.check(position) {
            Ok(()) => self.slices.place(position),
            Err(_) => None,
        };
        let mut order: Vec<_> = (0..positions.len()).map(|n| (place(&positions[n]), n)).collect();
        order.sort_unstable();
        let mut answers: Vec<Option<Result<T, ProbeError>>> = Vec::new();
        answers.resize_with(positions.len(), || None);
        for (_, number) in order {
            answers[number] = Some(probe(&positions[number]));
        }
        answers.into_iter().flatten().collect()
    }

    /// Blocks that were decoded since the tables were opened, because they were not in the cache.
    pub fn decoded_blocks(&self) -> u64 {
        self.slices.decoded_blocks()
    }

    /// What is known of a position and of its moves, though tables be missing or broken.
    ///
    /// The tables of the position itself may be enough, or its moves prove what these do not say: a move that wins proves a
    /// win, whatever is unknown of the others, and its distance too if no other can be quicker. If all moves are known, so is the
    /// position. Where tables contradict each other the position is unknown, and the error is [`ProbeError::Mismatch`].
    ///
    /// # Errors
    /// Only if nothing can be asked: [`ProbeError::OtherVariant`] and [`ProbeError::TooManyPieces`].
    pub fn evaluate(&self, position: &Position) -> Result<Evaluation, ProbeError> {
        let moves = self.moves(position)?;
        let own = self.rate(position);
        let no_move = self.variant.rules().no_move;
        let both = Bounds::of(&own, no_move).and(Bounds::of_moves(&moves, no_move));
        let rating = match (both, &own) {
            (None, _) => Rating::Unknown(self.slices.contradiction(position)),
            (Some(_), Rating::Exact(value)) => Rating::Exact(*value),
            (Some(both), Rating::Result(_, error) | Rating::Unknown(error)) => {
                both.rating(error.clone())
            }
        };
        let replies = moves.iter().map(RatedMove::for_reply);
        let mut errors = Vec::new();
        let mut texts = HashSet::new();
        for error in [&rating, &own].into_iter().chain(replies).filter_map(Rating::error) {
            if texts.insert(error.to_string()) {
                errors.push(error.clone());
            }
        }
        Ok(Evaluation { rating, moves, errors })
    }

    /// Every legal move with what is known of it. Empty for a finished game.
    ///
    /// No move is known to be better for the mover than one before it: wins come first, the quickest before the others and last
    /// those whose distance is unknown; then draws, moves of which nothing is known, and losses, the slowest first and last those
    /// whose distance is unknown. Equal ones stand in the order in which they are generated.
    ///
    /// # Errors
    /// See [`Tablebase::evaluate`]. A table that is missing or broken costs the moves that need it, and no others.
    pub fn moves(&self, position: &Position) -> Result<Vec<RatedMove>, ProbeError> {
        self.check(position)?;
        let rate = |(played, after)| RatedMove::new(played, after, self.rate(&after));
        let mut rated: Vec<RatedMove> = legal_moves(position).into_iter().map(rate).collect();
        rated.sort_by_key(RatedMove::order);
        Ok(rated)
    }

    /// What the tables say of a position.
    fn rate(&self, position: &Position) -> Rating {
        let error = match self.slices.value(position, Patience::Read) {
            Ok(value) => return Rating::Exact(value),
            Err(error) => error,
        };
        match self.slices.wld(position, Patience::Read) {
            Ok(Wld::Draw) => Rating::Exact(Value::Draw),
            Ok(wld) => Rating::Result(wld, error),
            Err(error) => Rating::Unknown(error),
        }
    }

    /// Best play from a position to the end of the game: as many moves as its distance. Empty for a draw, which has
    /// no end, and for a finished game. Where several moves are best, the first of [`Tablebase::moves`].
    ///
    /// Where tables are missing or broken it goes as far as best moves are known. From a win of unknown distance it begins with the
    /// quickest move that is known to win, if the distance of any is known.
    ///
    /// # Errors
    /// See [`Tablebase::evaluate`]. That tables are missing or broken is said in [`Line::error`].
    pub fn line(&self, position: &Position) -> Result<Line, ProbeError> {
        let Evaluation { rating, mut moves, .. } = self.evaluate(position)?;
        let no_move = self.variant.rules().no_move;
        let known = |rated: &RatedMove| rated.for_reply().value().map(Value::before_move);
        let mut line = Line::default();
        let mut value = match (rating, moves.first().and_then(known)) {
            (Rating::Exact(value), _) => value,
            (Rating::Result(Wld::Win, _), Some(value @ Value::Win(_))) => value,
            (Rating::Result(_, error) | Rating::Unknown(error), _) => {
                line.error = Some(error);
                return Ok(line);
            }
        };
        let mut position = *position;
        while value.plies().is_some_and(|plies| plies > 0) {
            let bounds = Bounds::of_moves(&moves, no_move);
            let best = moves.iter().position(|rated| known(rated) == Some(value));
            // Distances fall by one each move; tables where they do not are not ours.
            let Some(best) = best.filter(|_| bounds.hold(value)) else {
                let unknown = moves.iter().find_map(|rated| rated.for_reply().error());
                line.error = Some(match unknown.filter(|_| bounds.hold(value)) {
                    Some(error) => error.clone(),
                    None => self.slices.contradiction(&position),
                });
                break;
            };
            let best = moves.swap_remove(best);
            (position, value) = (best.position, best.for_reply().value().unwrap_or(value));
            moves = self.moves(&position)?;
            line.moves.push(best);
        }
        Ok(line)
    }
}

/// Table files of a variant below a folder.
fn list_tables(folder: &Path, variant: Variant) -> io::Result<Vec<((Material, Metric), PathBuf)>> {
    let named = |error: io::Error, path: &Path| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    };
    // The folder itself must be there: a mistyped name is not an empty set of tables.
    fs::read_dir(folder).map_err(|error| named(error, folder))?;
    let inside = folder.join(variant.name());
    let entries = match fs::read_dir(&inside) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(named(error, &inside)),
    };
    let mut tables = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| named(error, &inside))?.path();
        let slice = path.file_stem().and_then(|stem| stem.to_str()?.parse::<Material>().ok());
        let metric = [Metric::Wld, Metric::Dtw].into_iter().find(|metric| {
            path.extension().is_some_and(|extension| extension == metric.extension())
        });
        // Names are untrusted too: numbering a slice of very many men takes gigabytes.
        let slice =
            slice.filter(|slice| slice.pieces() <= MOST_PIECES && slice.exists_in(variant.rules()));
        if let (Some(slice), Some(metric)) = (slice, metric) {
            tables.push(((slice, metric), path));
        }
    }
    Ok(tables)
}

/// Whether an answer may be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// What is not in memory is read.
    Read,
    /// What is not in memory is an error.
    CacheOnly,
}

/// What a tablebase asks of the tables of its variant, whose rules are a type.
trait Slices: Send + Sync {
    fn value(&self, position: &Position, patience: Patience) -> Result<Value, ProbeError>;
    fn wld(&self, position: &Position, patience: Patience) -> Result<Wld, ProbeError>;
    /// Has the system begin to read what a position will need.
    fn prefetch(&self, position: &Position);
    /// Where a position without a capture is: the number of its slice, and its index there. Opens its `.wld` table.
    fn place(&self, position: &Position) -> Option<(usize, u64)>;
    fn table(&self, slice: Material, metric: Metric) -> Result<&Table, ProbeError>;
    /// The error for a position whose moves do not have its value.
    fn contradiction(&self, position: &Position) -> ProbeError;
    /// See [`Tablebase::decoded_blocks`].
    fn decoded_blocks(&self) -> u64;
}

/// The tables of one slice.
struct Slice<B: Bits> {
    material: Material,
    index: OnceLock<SliceIndex<B>>,
    /// By metric; `None` where no file was found.
    paths: [Option<PathBuf>; 2],
    tables: [OnceLock<Result<Opened, Arc<StoreError>>>; 2],
}

/// A table that was used.
struct Opened {
    table: Table,
    /// Where its blocks are in the cache.
    slots: Slots,
}

struct SliceSet<R: RuleSet> {
    variant: Variant,
    folders: Vec<PathBuf>,
    slices: Vec<Slice<R::Bits>>,
    /// Number of each slice, plus one; see [`place`].
    places: Vec<u16>,
    cache: BlockCache,
    access: Access,
    /// Blocks that were not in the cache.
    decoded: AtomicU64,
}

thread_local! {
    /// The last block that was decoded.
    static BLOCK: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Largest count of one kind of piece in a table.
const MOST_OF_A_KIND: usize = MOST_PIECES as usize - 1;

/// A number for each material, without hashing.
#[inline(always)]
fn place(material: Material) -> Option<usize> {
    let Material { own_kings, own_men, opp_kings, opp_men } = material;
    [own_kings, own_men, opp_kings, opp_men].into_iter().try_fold(0, |place, count| {
        let count = count as usize;
        (count <= MOST_OF_A_KIND).then_some(place * (MOST_OF_A_KIND + 1) + count)
    })
}

impl<R: RuleSet> SliceSet<R> {
    fn new(
        variant: Variant,
        folders: Vec<PathBuf>,
        files: BTreeMap<(Material, Metric), PathBuf>,
        options: OpenOptions,
    ) -> io::Result<Self> {
        let mut slices: Vec<Slice<R::Bits>> = Vec::new();
        for ((material, metric), path) in files {
            if slices.last().is_none_or(|last| last.material != material) {
                slices.push(Slice {
                    material,
                    index: OnceLock::new(),
                    paths: [None, None],
                    tables: [OnceLock::new(), OnceLock::new()],
                });
            }
            let last = slices.len() - 1;
            slices[last].paths[metric as usize] = Some(path);
        }
        let mut places = vec![0; (MOST_OF_A_KIND + 1).pow(4)];
        for (number, slice) in slices.iter().enumerate() {
            if let Some(place) = place(slice.material) {
                places[place] = number as u16 + 1;
            }
        }
        let OpenOptions { cache_bytes, access } = options;
        let cache = BlockCache::new(cache_bytes)?;
        let decoded = AtomicU64::new(0);
        Ok(SliceSet { variant, folders, slices, places, cache, access, decoded })
    }

    #[inline(always)]
    fn number(&self, material: Material) -> Option<usize> {
        (self.places[place(material)?] as usize).checked_sub(1)
    }

    fn missing(&self, slice: Material, metric: Metric) -> ProbeError {
        ProbeError::Missing { variant: self.variant, slice, metric, folders: self.folders.clone() }
    }

    #[inline]
    fn slice(&self, material: Material, metric: Metric) -> Result<&Slice<R::Bits>, ProbeError> {
        match self.number(material) {
            Some(number) => Ok(&self.slices[number]),
            None => Err(self.missing(material, metric)),
        }
    }

    #[inline]
    fn index<'s>(&self, slice: &'s Slice<R::Bits>) -> &'s SliceIndex<R::Bits> {
        slice.index.get_or_init(|| SliceIndex::new(R::geometry(), slice.material))
    }

    #[inline]
    fn open_table<'s>(
        &self,
        slice: &'s Slice<R::Bits>,
        metric: Metric,
        patience: Patience,
    ) -> Result<&'s Opened, ProbeError> {
        let opened = slice.tables[metric as usize].get();
        let opened = match opened {
            Some(opened) => opened,
            None if patience == Patience::CacheOnly && slice.paths[metric as usize].is_some() => {
                return Err(ProbeError::NotCached);
            }
            None => {
                let Some(path) = &slice.paths[metric as usize] else {
                    return Err(self.missing(slice.material, metric));
                };
                let id = TableId { variant: self.variant, material: slice.material, metric };
                slice.tables[metric as usize].get_or_init(|| {
                    // Without the index: a file that only has the name of a large slice would cost gigabytes.
                    let positions = SliceIndex::len_of(R::geometry(), slice.material);
                    let positions = u64::try_from(positions).expect("few enough pieces");
                    let table = Table::open_with(path, &id, positions, self.access)?;
                    let number = self.number(slice.material).unwrap_or(0) * 2 + metric as usize;
                    let (blocks, len) = (table.stored_blocks(), table.decoded_len());
                    let uniform = |block| table.uniform_symbol(block);
                    let slots = Slots::new(number as u32, blocks, len, uniform)
                        .map_err(|error| StoreError::io(path, error))?;
                    Ok(Opened { table, slots })
                })
            }
        };
        opened.as_ref().map_err(|error| ProbeError::Table(error.clone()))
    }

    /// The symbol of a position, with the byte behind it, and the place of the position in its block.
    #[inline]
    fn symbol(
        &self,
        Opened { table, slots }: &Opened,
        index: u64,
        patience: Patience,
    ) -> Result<(u16, usize), ProbeError> {
        let (block, place) = table.block_of(index);
        let byte = table.byte_of(place);
        if let Some(symbol) = self.cache.get(slots, block, byte) {
            return Ok((symbol, place));
        }
        self.read_symbol(table, slots, (block, byte), patience).map(|symbol| (symbol, place))
    }

    /// Decodes a block, and keeps it.
    #[cold]
    fn read_symbol(
        &self,
        table: &Table,
        slots: &Slots,
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
        BLOCK.with_borrow_mut(|bytes| {
            table.decode_block(block, bytes)?;
            self.decoded.fetch_add(1, Relaxed);
            self.cache.put(slots, block, bytes);
            let at = |byte: usize| bytes.get(byte).copied().unwrap_or(0);
            Ok(u16::from_le_bytes([at(byte), at(byte + 1)]))
        })
    }

    /// Result of a quiet position.
    #[inline]
    fn quiet_wld(&self, position: &Turned<R::Bits>, patience: Patience) -> Result<Wld, ProbeError> {
        let slice = self.slice(Material::of(position), Metric::Wld)?;
        self.wld_of(slice, position, patience).map(|(wld, _)| wld)
    }

    /// Result and index of a quiet position of a slice. The table comes before the index: numbering a slice of which
    /// there is but the name of a file could take gigabytes.
    #[inline]
    fn wld_of(
        &self,
        slice: &Slice<R::Bits>,
        position: &Turned<R::Bits>,
        patience: Patience,
    ) -> Result<(Wld, u64), ProbeError> {
        let opened = self.open_table(slice, Metric::Wld, patience)?;
        let index = self.index(slice).stored_rank(position);
        let (byte, place) = self.symbol(opened, index, patience)?;
        Ok((opened.table.result_in(byte as u8, place), index))
    }

    /// Value of a quiet position; if its table leaves its distance out, by one ply of search, unless that is not allowed.
    fn quiet_value(
        &self,
        position: &Turned<R::Bits>,
        patience: Patience,
        may_search: bool,
    ) -> Result<Value, ProbeError> {
        let slice = self.slice(Material::of(position), Metric::Wld)?;
        match self.wld_of(slice, position, patience)? {
            (Wld::Draw, _) => Ok(Value::Draw),
            (wld, index) => self.distance_at(slice, index, (position, wld), patience, may_search),
        }
    }

    /// Value of a quiet position with this index and result; see [`SliceSet::quiet_value`].
    fn distance_at(
        &self,
        slice: &Slice<R::Bits>,
        index: u64,
        (position, wld): (&Turned<R::Bits>, Wld),
        patience: Patience,
        may_search: bool,
    ) -> Result<Value, ProbeError> {
        let opened = self.open_table(slice, Metric::Dtw, patience)?;
        let table = &opened.table;
        let found = if table.holds(wld) {
            let (symbol, _) = self.symbol(opened, index, patience)?;
            table.value_in(symbol, wld)
        } else if may_search {
            self.value_by_search(position, wld, patience)?
        } else {
            None
        };
        found.ok_or_else(|| ProbeError::Mismatch { path: table.path().to_owned() })
    }

    /// Value of a quiet position with this result, from those of the positions one move later; `None` if they have no such.
    fn value_by_search(
        &self,
        position: &Turned<R::Bits>,
        wld: Wld,
        patience: Patience,
    ) -> Result<Option<Value>, ProbeError> {
        let geometry = R::geometry();
        let twin = Material::of(position).twin();
        let mut best = None;
        let mut failed = None;
        let mut moves = 0;
        visit_quiet_moves::<R>(geometry, position, &mut |from, to, crowned| {
            moves += 1;
            let next = position.stepped(from, to, crowned).passed(geometry);
            match self.value_after(&next, twin, wld, patience) {
                Ok(value) => best = best.max(value.map(Value::before_move)),
                Err(error) => failed = Some(error),
            }
        });
        if moves == 0 {
            best = Some(R::RULES.no_move.value());
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(best.filter(|value| value.wld() == wld)),
        }
    }

    /// Value of a position to which a quiet move leads from one with this result, whose slice has this `twin`. In a won position,
    /// `None` if the move does not win.
    fn value_after(
        &self,
        next: &Turned<R::Bits>,
        twin: Material,
        wld: Wld,
        patience: Patience,
    ) -> Result<Option<Value>, ProbeError> {
        let geometry = R::geometry();
        // What one slice leaves out its twin must store, or the search might not end. Elsewhere there are fewer men or pieces.
        let may_search = |material: Material| material != twin;
        if wld == Wld::Win {
            if !has_capture::<R>(geometry, next) {
                let material = Material::of(next);
                let slice = self.slice(material, Metric::Wld)?;
                let (there, index) = self.wld_of(slice, next, patience)?;
                if there != Wld::Loss {
                    return Ok(None);
                }
                let may_search = may_search(material);
                return self
                    .distance_at(slice, index, (next, there), patience, may_search)
                    .map(Some);
            }
            let quiet_wld = |after: &Turned<R::Bits>| self.quiet_wld(after, patience);
            if resolve::<R, Wld, _>(geometry, next, &quiet_wld)? != Wld::Loss {
                return Ok(None);
            }
        }
        let quiet_value = |after: &Turned<R::Bits>| {
            self.quiet_value(after, patience, may_search(Material::of(after)))
        };
        resolve::<R, Value, _>(geometry, next, &quiet_value).map(Some)
    }
}

impl<R: RuleSet> Slices for SliceSet<R> {
    fn value(&self, position: &Position, patience: Patience) -> Result<Value, ProbeError> {
        let geometry = R::geometry();
        let lookup = |position: &Turned<R::Bits>| self.quiet_value(position, patience, true);
        resolve::<R, Value, _>(geometry, &position.to_turned(geometry), &lookup)
    }

    fn wld(&self, position: &Position, patience: Patience) -> Result<Wld, ProbeError> {
        let geometry = R::geometry();
        let lookup = |position: &Turned<R::Bits>| self.quiet_wld(position, patience);
        resolve::<R, Wld, _>(geometry, &position.to_turned(geometry), &lookup)
    }

    fn prefetch(&self, position: &Position) {
        let geometry = R::geometry();
        let begin = |position: &Turned<R::Bits>| -> Result<Value, ProbeError> {
            let material = Material::of(position);
            for metric in [Metric::Wld, Metric::Dtw] {
                let Ok(slice) = self.slice(material, metric) else { break };
                let Ok(opened) = self.open_table(slice, metric, Patience::Read) else { continue };
                let Opened { table, slots } = opened;
                let (block, place) = table.block_of(self.index(slice).stored_rank(position));
                if self.cache.get(slots, block, table.byte_of(place)).is_none() {
                    table.will_need(block);
                }
            }
            Ok(Value::Draw)
        };
        // All quiet positions behind captures are come by, whatever they are said to be worth.
        let _ = resolve::<R, Value, _>(geometry, &position.to_turned(geometry), &begin);
    }

    fn place(&self, position: &Position) -> Option<(usize, u64)> {
        let geometry = R::geometry();
        let turned = position.to_turned(geometry);
        if turned.own().is_zero() || turned.opp().is_zero() || has_capture::<R>(geometry, &turned) {
            return None;
        }
        let number = self.number(Material::of(&turned))?;
        let slice = &self.slices[number];
        self.open_table(slice, Metric::Wld, Patience::Read).ok()?;
        Some((number, self.index(slice).stored_rank(&turned)))
    }

    fn table(&self, slice: Material, metric: Metric) -> Result<&Table, ProbeError> {
        let slice = self.slice(slice, metric)?;
        self.open_table(slice, metric, Patience::Read).map(|opened| &opened.table)
    }

    fn decoded_blocks(&self) -> u64 {
        self.decoded.load(Relaxed)
    }

    fn contradiction(&self, position: &Position) -> ProbeError {
        let slice = Material::of(&position.to_turned(R::geometry()));
        let table = self.table(slice, Metric::Dtw).or_else(|_| self.table(slice, Metric::Wld));
        match table {
            Ok(table) => ProbeError::Mismatch { path: table.path().to_owned() },
            Err(error) => error,
        }
    }
}
