//! Answers from tables, and whatever follows from them.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::error::ProbeError;
use super::rating::{Bounds, Evaluation, Line, RatedMove, Rating};
use super::slice_set::{SliceSet, Slices};
use super::tables::{Found, OpenOptions, Patience};
use crate::index::{MOST_PIECES, Material, slices};
use crate::play::legal_moves;
use crate::position::Position;
use crate::rules::{Colour, Variant, with_rule_set};
use crate::store::{Header, Metric, Source, StoreError, Table};
use crate::value::{Value, Wld};

/// Tables of one variant: those below some folders, single files, and [sources](Source) that a program brings.
///
/// Opening looks up which files there are, and reads none. A table is opened when it is first asked for, and its blocks
/// are decoded when they are; decoded blocks are kept in a bounded cache. All methods take
/// `&self` and can be called from many threads, those too that add tables.
///
/// Files are read, and few are open at a time (see [`FileSource`](super::FileSource)). A table that is replaced by renaming
/// another file over it is the old one as long as it is open, then an error; what is changed in place is an error where it is read. Files
/// can be mapped instead, by whoever knows that nobody changes them: [`OpenOptions::map_files`].
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
    slices: Box<dyn Slices>,
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebase")
            .field("variant", &self.variant)
            .field("folders", &self.folders())
            .field("tables", &self.found().len())
            .finish_non_exhaustive()
    }
}

impl Tablebase {
    /// A tablebase without tables, for [`Tablebase::add_folder`], [`Tablebase::add_file`] and [`Tablebase::add_source`].
    pub fn new(variant: Variant, options: OpenOptions) -> Self {
        let slices: Box<dyn Slices> = with_rule_set!(variant, R => {
            Box::new(SliceSet::<R>::new(variant, options))
        });
        Tablebase { variant, slices }
    }

    /// Opens the tables of `variant` below each of the folders (in `<folder>/<variant>/`). Where several hold the same
    /// table, the first counts. O(files).
    ///
    /// # Errors
    /// If a folder does not exist or cannot be listed. A folder without tables of the variant is fine.
    pub fn open<P: AsRef<Path>>(variant: Variant, folders: &[P]) -> io::Result<Self> {
        Self::open_with(variant, folders, OpenOptions::new())
    }

    /// [`Tablebase::open`] that maps files into memory.
    ///
    /// # Safety
    /// See [`OpenOptions::map_files`].
    ///
    /// # Errors
    /// See [`Tablebase::open`].
    pub unsafe fn open_mapped<P: AsRef<Path>>(variant: Variant, folders: &[P]) -> io::Result<Self> {
        // SAFETY: as the caller promises.
        Self::open_with(variant, folders, unsafe { OpenOptions::new().map_files() })
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
        let tables = Self::new(variant, options);
        for folder in folders {
            tables.add_folder(folder)?;
        }
        Ok(tables)
    }

    /// Adds the tables below a folder (in `<folder>/<variant>/`) that are not there yet, and returns how many these are. Like all that
    /// adds tables, it may be called while other threads probe. A folder to which files have come may be added again. O(files).
    ///
    /// # Errors
    /// If the folder does not exist or cannot be listed.
    pub fn add_folder(&self, folder: impl AsRef<Path>) -> io::Result<usize> {
        self.slices.tables().add_folder(folder.as_ref())
    }

    /// Adds a file, in whatever folder, whose name is that of a table: `KMMvKM.wld`. Returns whether it was added: where the same table is
    /// there already, that one stays. The file is opened when it is first needed, so what is wrong with it is an error of the probe
    /// that needs it.
    ///
    /// # Errors
    /// If it does not exist, or has not the name of a table of the variant.
    pub fn add_file(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        self.slices.tables().add_file(path.as_ref())
    }

    /// Adds a table from wherever its bytes are, and reads its header and block index. Returns whether it was added: where the same
    /// table is there already, that one stays.
    ///
    /// # Errors
    /// [`StoreError::NoSuchSlice`] if the variant has no such tables; others if the source cannot be read, is damaged, or holds another table
    /// than is said: then it is not added.
    pub fn add_source(
        &self,
        slice: Material,
        metric: Metric,
        source: impl Source + 'static,
    ) -> Result<bool, StoreError> {
        self.slices.tables().add_source(slice, metric, Box::new(source))
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The folders that were added, in that order.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.slices.tables().folders()
    }

    /// The tables that there are, by slice.
    pub fn found(&self) -> Vec<Found> {
        self.slices.tables().found()
    }

    /// Most pieces for which all slices have both tables; 0 if not even those of 2 are complete.
    pub fn complete_pieces(&self) -> u32 {
        let tables = self.slices.tables();
        let complete = |&pieces: &u32| {
            slices(self.variant.rules(), pieces).into_iter().all(|slice| {
                [Metric::Wld, Metric::Dtw].iter().all(|&metric| tables.has(slice, metric))
            })
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
        self.slices.tables().table(slice, metric)
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
    /// known which, [`Tablebase::probe`] will need. Waits for no block, but opens tables that were not used before. Without effect where
    /// the system takes no such advice, or the [`Source`] does not, and for a position of another variant.
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
        self.slices.tables().decoded_blocks()
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
