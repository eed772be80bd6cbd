//! Working copies: pairs under way as the solver keeps them, on the disk.
//!
//! Tables leave out what a prober works out itself, and take long to compress. While a build is at work, a pair that
//! has to make room in memory, or is finished in part only, is kept as it is, compressed quickly, in blocks that can be read one by one.
//! Working copies are read by the same program of the same rules, and the files may be deleted at any time
//! when no build is at work: what they hold is found again.
//!
//! Each is kept for the build of most pieces that has opened it. Builds of fewer read it and add to it, and leave it where it is: which pairs a
//! larger build has put on the disk, no table tells.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::error::{BlockFault, StoreError};
use crate::index::{MOST_PIECES, Material, Pair};
use crate::rules::Variant;

/// Extension of the names of working copies.
const EXTENSION: &str = "work";
const MAGIC: [u8; 8] = *b"damkawk2";
/// What the magic of every version begins with.
const FAMILY: &[u8] = b"damkawk";
/// Magic, fingerprint of the rules, pieces of the first slice, slots, placements of a slot, a byte for whether scores are wide (its lowest bit) and for the most
/// pieces of the build that it is kept for (the others), checksum of all this.
const HEADER_LEN: usize = 8 + 8 + 4 + 8 + 8 + 1 + 8;
/// Block, bytes of both packed halves, checksum of these. The halves follow, each after its checksum.
const RECORD_LEN: usize = 8 + 4 + 4 + 8;
const CHECK_LEN: usize = 8;
/// Bytes of the halves of a block that was forgotten; packed halves always have some.
const GONE: [u32; 2] = [0, 0];
/// Placements in a block that is not a slot.
const BLOCK: usize = 1 << 18;
/// Placements of a slot that is a block of its own: small ones would compress badly, and every thread could not have some of the
/// huge ones in memory.
const ALONE: RangeInclusive<u64> = 1 << 10..=1 << 25;
/// Bytes that are collected before they are written.
const TAIL: usize = 1 << 20;
/// Fast: a working copy is written once and read a few times.
const LEVEL: i32 = 1;

/// How many scores a pair has with one side to move: placements of men, each with so many placements of kings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkSize {
    /// Placements of men.
    pub slots: u64,
    /// Placements of kings around each.
    pub unit: u64,
}

impl WorkSize {
    /// Whether each placement of men is a block of its own, so that a solver can read and write one at a time.
    pub fn is_by_slot(self) -> bool {
        ALONE.contains(&self.unit)
    }

    /// Placements of a block.
    fn block_len(self) -> usize {
        if self.is_by_slot() { self.unit as usize } else { BLOCK }
    }

    fn blocks(self) -> u64 {
        self.placements().div_ceil(self.block_len() as u64)
    }

    /// Scores with one side to move.
    pub fn placements(self) -> u64 {
        self.slots * self.unit
    }
}

/// A working copy of a pair. Shared by threads.
#[derive(Debug)]
pub struct WorkCopy {
    path: PathBuf,
    file: File,
    /// What the header says while scores take one byte.
    head: Head,
    state: Mutex<State>,
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    fingerprint: u64,
    slice: Material,
    size: WorkSize,
    wide: bool,
    /// Most pieces of the build that it is kept for.
    kept_for: u32,
}

/// What a file with the name of a working copy is.
#[derive(Clone, Copy, Debug)]
enum Content {
    /// Nothing yet: a build was killed before it wrote the header.
    Empty,
    /// A working copy.
    Work(Head),
    /// A working copy that this program cannot read: of another version, or its header is damaged.
    OtherVersion,
    /// Something that no build has made.
    Foreign,
}

/// A file with the name and the magic of a working copy, as `damka info` tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkInfo {
    /// The pair.
    pub pair: Pair,
    /// What is kept there; `None` if nothing is that this program can use: the next build that works at the pair begins the file anew.
    pub kept: Option<Kept>,
}

/// What a working copy keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Placements that are solved, of those with one side to move.
    pub placements: u64,
    /// Placements with one side to move.
    pub of: u64,
    /// Most pieces of the build that it is kept for; builds of fewer leave it where it is.
    pub pieces: u32,
}

#[derive(Debug)]
struct State {
    /// Whether a score takes two bytes.
    wide: bool,
    /// Where the blocks are.
    blocks: Vec<Place>,
    missing: u64,
    /// Bytes in the file.
    end: u64,
    /// Bytes to be written there.
    tail: Vec<u8>,
}

/// Where a block is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Of the record; 0 if the block is not kept.
    offset: u64,
    /// Bytes of each packed half.
    packed: [u32; 2],
}

impl Place {
    /// Where a half begins, with its checksum, and how many bytes that is.
    fn half(self, side: usize) -> (u64, usize) {
        let len = |side: usize| CHECK_LEN + self.packed[side] as usize;
        let start = RECORD_LEN + if side == 0 { 0 } else { len(0) };
        (self.offset + start as u64, len(side))
    }

    fn end(self) -> u64 {
        let (start, len) = self.half(1);
        start + len as u64
    }
}

impl WorkCopy {
    /// Path of the working copy of a pair in the folder of a variant.
    pub fn path(folder: &Path, pair: Pair) -> PathBuf {
        folder.join(format!("{}.{EXTENSION}", pair.first()))
    }

    /// Opens the working copy of a pair of this size, or begins one, with scores of one byte, for a build of up to so many pieces. One that is of
    /// other rules or another version is begun anew; what was written last before a power cut may be missing.
    ///
    /// # Errors
    /// [`StoreError::NotAWorkCopy`] if there is a file of this name that no build has made; if the system cannot read or write the file.
    pub fn open(
        folder: &Path,
        variant: Variant,
        pair: Pair,
        size: WorkSize,
        pieces: u32,
    ) -> Result<Self, StoreError> {
        let path = Self::path(folder, pair);
        let mut head = Head::new(variant, pair, size, pieces);
        let mut open = || -> io::Result<Option<(File, State, Head)>> {
            let known = match content_or_nothing(&path)? {
                Content::Foreign => return Ok(None),
                Content::Work(found) if found.is_of(&head) => Some(found),
                _ => None,
            };
            let mut options = File::options();
            let file = options.read(true).write(true).create(true).truncate(false).open(&path)?;
            let mut state = State::empty(size, known.is_some_and(|found| found.wide));
            match known {
                Some(found) => {
                    state.find(&file)?;
                    if found.kept_for < head.kept_for {
                        write_all_at(&file, &head.with(found.wide).to_bytes(), 0)?;
                    }
                    head.kept_for = head.kept_for.max(found.kept_for);
                }
                None => begin(&file, &head)?,
            }
            Ok(Some((file, state, head)))
        };
        match open().map_err(|error| StoreError::io(&path, error))? {
            Some((file, state, head)) => {
                Ok(WorkCopy { path, file, head, state: Mutex::new(state) })
            }
            None => Err(StoreError::NotAWorkCopy { path }),
        }
    }

    /// Makes sure that no file which is none of ours stands where the working copy of a pair would be.
    ///
    /// # Errors
    /// [`StoreError::NotAWorkCopy`] if one does; if the system cannot read it.
    pub fn check_name(folder: &Path, pair: Pair) -> Result<(), StoreError> {
        let path = Self::path(folder, pair);
        match content_or_nothing(&path) {
            Ok(Content::Foreign) => Err(StoreError::NotAWorkCopy { path }),
            Ok(_) => Ok(()),
            Err(error) => Err(StoreError::io(&path, error)),
        }
    }

    /// What a file keeps, if by its name and its magic it is a working copy of the variant; `None` if not. Reads a few bytes of each block.
    ///
    /// # Errors
    /// If the system cannot read the file.
    pub fn info(path: &Path, variant: Variant) -> Result<Option<WorkInfo>, StoreError> {
        let Some(pair) = pair_of(path, variant) else { return Ok(None) };
        let read = || -> io::Result<Option<WorkInfo>> {
            let nothing = Some(WorkInfo { pair, kept: None });
            let head = match content(path)? {
                Content::Foreign => return Ok(None),
                Content::Empty | Content::OtherVersion => return Ok(nothing),
                Content::Work(head) => head,
            };
            let of = head.size.slots.checked_mul(head.size.unit);
            let expected = Head::new(variant, pair, head.size, 0);
            let Some(of) = of.filter(|_| head.is_of(&expected)) else { return Ok(nothing) };
            let file = File::open(path)?;
            let mut kept = HashSet::new();
            visit_records(&file, file.metadata()?.len(), head.size.blocks(), |block, place| {
                match place.packed {
                    GONE => kept.remove(&block),
                    _ => kept.insert(block),
                };
            })?;
            let placements =
                (kept.len() as u64).saturating_mul(head.size.block_len() as u64).min(of);
            let pieces = head.kept_for;
            Ok(Some(WorkInfo { pair, kept: Some(Kept { placements, of, pieces }) }))
        };
        read().map_err(|error| StoreError::io(path, error))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn io(&self, error: io::Error) -> StoreError {
        StoreError::io(&self.path, error)
    }

    /// Whether scores take two bytes each.
    pub fn is_wide(&self) -> bool {
        self.state().wide
    }

    /// How many scores the pair has.
    pub fn size(&self) -> WorkSize {
        self.head.size
    }

    /// Most pieces of the build that it is kept for.
    pub fn kept_for(&self) -> u32 {
        self.head.kept_for
    }

    /// Forgets everything, and takes scores of two bytes from now on, or of one.
    ///
    /// # Errors
    /// If the system cannot write.
    pub fn clear(&self, wide: bool) -> Result<(), StoreError> {
        let mut state = self.state();
        *state = State::empty(self.head.size, wide);
        begin(&self.file, &self.head.with(wide)).map_err(|error| self.io(error))
    }

    /// Whether a block is kept.
    pub fn has(&self, block: usize) -> bool {
        self.state().blocks[block].offset != 0
    }

    /// Whether all blocks are kept.
    pub fn is_complete(&self) -> bool {
        self.state().missing == 0
    }

    /// Keeps the scores of a block, with either side to move.
    ///
    /// # Errors
    /// If the system cannot write. What was put can be read as long as this copy is open, and the rest later too.
    pub fn put(&self, block: usize, halves: [&[u8]; 2]) -> Result<(), StoreError> {
        let pack = |half| pack(half).map_err(|error| self.io(error));
        let packed = [pack(halves[0])?, pack(halves[1])?];
        let lens = packed.each_ref().map(|half| half.len() as u32);
        let record = record(block as u64, lens);
        let mut state = self.state();
        let place = Place { offset: state.end + state.tail.len() as u64, packed: lens };
        state.tail.extend(record);
        for half in &packed {
            state.tail.extend(xxh3_64(half).to_le_bytes());
            state.tail.extend(half);
        }
        state.keep(block, place);
        if state.tail.len() >= TAIL { self.write_tail(&mut state) } else { Ok(()) }
    }

    fn write_tail(&self, state: &mut State) -> Result<(), StoreError> {
        if let Err(error) = write_all_at(&self.file, &state.tail, state.end) {
            // Half a record would be seen and left out, but room may be what is missing.
            let _ = self.file.set_len(state.end);
            return Err(self.io(error));
        }
        state.end += state.tail.len() as u64;
        state.tail.clear();
        Ok(())
    }

    /// Fills in the scores of a block that is kept, with one side to move.
    ///
    /// # Errors
    /// If the system cannot read; if what it reads is not what was written, or was forgotten for that reason:
    /// [`StoreError::is_corrupt`].
    pub fn get(&self, block: usize, side: usize, scores: &mut [u8]) -> Result<(), StoreError> {
        let corrupt = |fault| StoreError::BlockCorrupt {
            path: self.path.clone(),
            block: block as u64,
            fault,
        };
        let state = self.state();
        let place = state.blocks[block];
        if place.offset == 0 {
            return Err(corrupt(BlockFault::Checksum));
        }
        let (start, len) = place.half(side);
        let bytes = match start.checked_sub(state.end) {
            Some(start) => state.tail[start as usize..][..len].to_vec(),
            None => {
                drop(state);
                let mut bytes = vec![0; len];
                read_exact_at(&self.file, &mut bytes, start).map_err(|error| self.io(error))?;
                bytes
            }
        };
        if !is_sound(&bytes) {
            return Err(corrupt(BlockFault::Checksum));
        }
        unpack(&bytes[CHECK_LEN..], scores).map_err(|_| corrupt(BlockFault::Compression))
    }

    /// Keeps of scores of one byte, from the first placement on, all blocks that are whole and not kept yet, and brings them
    /// to the disk.
    ///
    /// # Errors
    /// If the system cannot write. What was kept before stays, the rest is not taken for kept.
    ///
    /// # Panics
    /// If the halves differ in length, or hold more than the pair has, or scores are wide.
    pub fn append(&self, halves: [&[u8]; 2]) -> Result<(), StoreError> {
        assert_eq!(halves[0].len(), halves[1].len());
        assert!(halves[0].len() as u64 <= self.head.size.placements() && !self.is_wide());
        let len = self.head.size.block_len();
        let all = halves[0].len() as u64 == self.head.size.placements();
        let [a, b] = halves.map(|half| half.par_chunks(len));
        a.zip(b).enumerate().try_for_each(|(block, (a, b))| {
            let whole = all || a.len() == len;
            if !whole || self.has(block) { Ok(()) } else { self.put(block, [a, b]) }
        })?;
        self.sync()
    }

    /// Brings what was put to the disk.
    ///
    /// # Errors
    /// If the system cannot write.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.write_tail(&mut self.state())?;
        self.file.sync_data().map_err(|error| self.io(error))
    }

    /// Forgets a block, because it is damaged. The file is told when it is next written to.
    pub fn forget(&self, block: usize) {
        let mut state = self.state();
        state.forget(block);
        state.tail.extend(record(block as u64, GONE));
        state.tail.extend([0; 2 * CHECK_LEN]);
    }

    /// Fills in scores of one byte, from the first placement on, up to the first block that is not kept or turns out to be damaged, and
    /// returns how many placements that are. The rest is zero. Damaged blocks are not kept any more.
    ///
    /// # Errors
    /// If the system cannot read.
    ///
    /// # Panics
    /// If there is not as much room as the pair has placements, or scores are wide.
    pub fn load(&self, halves: [&mut [u8]; 2]) -> Result<u64, StoreError> {
        assert!(halves.iter().all(|half| half.len() as u64 == self.head.size.placements()));
        assert!(!self.is_wide());
        let len = self.head.size.block_len();
        let state = self.state();
        let blocks = state.blocks.iter().position(|place| place.offset == 0);
        let blocks = blocks.unwrap_or(state.blocks.len());
        drop(state);
        let [a_half, b_half] = halves;
        let (a, b) = (a_half.par_chunks_mut(len), b_half.par_chunks_mut(len));
        let (a, b) = (a.take(blocks), b.take(blocks));
        let damaged = a.zip(b).enumerate().map(|(block, (a, b))| {
            match self.get(block, 0, a).and_then(|()| self.get(block, 1, b)) {
                Ok(()) => Ok(blocks),
                Err(error) if error.is_corrupt() => {
                    self.forget(block);
                    Ok(block)
                }
                Err(error) => Err(error),
            }
        });
        let sound = damaged.try_reduce(|| blocks, |x, y| Ok(x.min(y)))?;
        let sound = a_half.len().min(sound * len);
        a_half[sound..].fill(0);
        b_half[sound..].fill(0);
        Ok(sound as u64)
    }

    /// Reads everything that is kept, and forgets what is damaged.
    ///
    /// # Errors
    /// If the system cannot read or write.
    pub fn forget_damaged(&self) -> Result<(), StoreError> {
        let kept = self.state().blocks.clone();
        let blocks = kept.par_iter().enumerate().filter(|(_, place)| place.offset != 0);
        blocks.try_for_each_init(Vec::new, |bytes, (block, &place)| {
            for side in 0..2 {
                let (start, len) = place.half(side);
                bytes.resize(len, 0);
                read_exact_at(&self.file, bytes, start).map_err(|error| self.io(error))?;
                if !is_sound(bytes) {
                    self.forget(block);
                    break;
                }
            }
            Ok(())
        })?;
        self.sync()
    }

    /// Removes the working copy of a pair, which a build of up to so many pieces has no use for any more. One that is kept for a build of more stays, and so
    /// does a file that is no working copy.
    ///
    /// # Errors
    /// If there is one and the system cannot remove it.
    pub fn remove(folder: &Path, pair: Pair, pieces: u32) -> Result<(), StoreError> {
        let path = Self::path(folder, pair);
        let kept_for = match content(&path) {
            Ok(Content::Work(head)) => head.kept_for,
            Ok(Content::Empty | Content::OtherVersion) => pair.first().pieces(),
            // What cannot be read is not known to be ours.
            Ok(Content::Foreign) | Err(_) => return Ok(()),
        };
        if kept_for > pieces {
            return Ok(());
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io(&path, error))
            }
            _ => Ok(()),
        }
    }

    /// Removes the working copies in the folder of a variant that a build of up to so many pieces has no use for when it is done: those of its pairs,
    /// as [`WorkCopy::remove`] does.
    ///
    /// # Errors
    /// If the system cannot list the folder or remove a file.
    pub fn remove_all(folder: &Path, variant: Variant, pieces: u32) -> Result<(), StoreError> {
        let in_folder = |error| StoreError::io(folder, error);
        for entry in fs::read_dir(folder).map_err(in_folder)? {
            let path = entry.map_err(in_folder)?.path();
            match pair_of(&path, variant) {
                Some(pair) if pair.first().pieces() <= pieces => {
                    Self::remove(folder, pair, pieces)?
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The pair whose working copy has this name; `None` if none has.
fn pair_of(path: &Path, variant: Variant) -> Option<Pair> {
    if path.extension() != Some(OsStr::new(EXTENSION)) {
        return None;
    }
    let slice: Material = path.file_stem()?.to_str()?.parse().ok()?;
    let known = slice.pieces() <= MOST_PIECES && slice.exists_in(variant.rules());
    known.then(|| Pair::of(slice)).filter(|pair| pair.first() == slice)
}

/// What a file is.
fn content(path: &Path) -> io::Result<Content> {
    // A pipe would wait for somebody to write into it.
    if !fs::metadata(path)?.is_file() {
        return Ok(Content::Foreign);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(HEADER_LEN as u64).read_to_end(&mut bytes)?;
    Ok(match bytes.first_chunk().and_then(Head::from_bytes) {
        _ if bytes.is_empty() => Content::Empty,
        _ if !bytes.starts_with(FAMILY) => Content::Foreign,
        Some(head) => Content::Work(head),
        None => Content::OtherVersion,
    })
}

/// What a file is; nothing if there is none.
fn content_or_nothing(path: &Path) -> io::Result<Content> {
    match content(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Content::Empty),
        content => content,
    }
}

impl Head {
    fn new(variant: Variant, pair: Pair, size: WorkSize, pieces: u32) -> Self {
        let (fingerprint, slice) = (variant.rules().fingerprint(), pair.first());
        let kept_for = pieces.min(MOST_PIECES).max(slice.pieces());
        Head { fingerprint, slice, size, wide: false, kept_for }
    }

    /// Whether both are of the same pair.
    fn is_of(&self, other: &Self) -> bool {
        (self.fingerprint, self.slice, self.size) == (other.fingerprint, other.slice, other.size)
    }

    fn with(self, wide: bool) -> Self {
        Head { wide, ..self }
    }

    fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&self.fingerprint.to_le_bytes());
        let Material { own_kings, own_men, opp_kings, opp_men } = self.slice;
        bytes[16..20].copy_from_slice(&[own_kings, own_men, opp_kings, opp_men]);
        bytes[20..28].copy_from_slice(&self.size.slots.to_le_bytes());
        bytes[28..36].copy_from_slice(&self.size.unit.to_le_bytes());
        bytes[36] = self.wide as u8 | (self.kept_for as u8) << 1;
        let check = xxh3_64(&bytes[..37]);
        bytes[37..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// `None` if it is of another version, or damaged.
    fn from_bytes(bytes: &[u8; HEADER_LEN]) -> Option<Self> {
        let (said, check) = bytes.split_at(HEADER_LEN - CHECK_LEN);
        if said[..8] != MAGIC || xxh3_64(said).to_le_bytes() != check {
            return None;
        }
        let word = |at: usize| said[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let [own_kings, own_men, opp_kings, opp_men] = *said[16..].first_chunk()?;
        let pieces: u32 = [own_kings, own_men, opp_kings, opp_men].map(u32::from).iter().sum();
        if pieces > MOST_PIECES {
            return None;
        }
        let slice = Material { own_kings, own_men, opp_kings, opp_men };
        let size = WorkSize { slots: word(20), unit: word(28) };
        let kept_for = u32::from(said[36] >> 1).max(pieces);
        Some(Head { fingerprint: word(8), slice, size, wide: said[36] & 1 == 1, kept_for })
    }
}

impl State {
    fn empty(size: WorkSize, wide: bool) -> Self {
        let blocks = vec![Place::default(); size.blocks() as usize];
        State { wide, blocks, missing: size.blocks(), end: HEADER_LEN as u64, tail: Vec::new() }
    }

    fn keep(&mut self, block: usize, place: Place) {
        self.missing -= u64::from(self.blocks[block].offset == 0);
        self.blocks[block] = place;
    }

    fn forget(&mut self, block: usize) {
        self.missing += u64::from(self.blocks[block].offset != 0);
        self.blocks[block] = Place::default();
    }

    /// Finds the records of a file, and cuts off what is behind the last that is whole.
    fn find(&mut self, file: &File) -> io::Result<()> {
        let len = file.metadata()?.len();
        let blocks = self.blocks.len() as u64;
        self.end = visit_records(file, len, blocks, |block, place| match place.packed {
            GONE => self.forget(block as usize),
            _ => self.keep(block as usize, place),
        })?;
        if self.end < len { file.set_len(self.end) } else { Ok(()) }
    }
}

/// Goes through the records of a file of this length, of so many blocks, up to the first that is not whole, and returns where that is.
fn visit_records(
    file: &File,
    len: u64,
    blocks: u64,
    mut visit: impl FnMut(u64, Place),
) -> io::Result<u64> {
    let mut end = HEADER_LEN as u64;
    while end + (RECORD_LEN as u64) <= len {
        let mut bytes = [0; RECORD_LEN];
        read_exact_at(file, &mut bytes, end)?;
        let (block, packed) = block_and_packed(&bytes);
        let place = Place { offset: end, packed };
        if block >= blocks || bytes != record(block, packed) || place.end() > len {
            break;
        }
        visit(block, place);
        end = place.end();
    }
    Ok(end)
}

/// Leaves a file with nothing but its header.
fn begin(file: &File, head: &Head) -> io::Result<()> {
    file.set_len(0)?;
    write_all_at(file, &head.to_bytes(), 0)
}

/// Whether a half is as it was written, by its checksum before it.
fn is_sound(bytes: &[u8]) -> bool {
    let (check, packed) = bytes.split_at(CHECK_LEN);
    xxh3_64(packed).to_le_bytes() == check
}

fn record(block: u64, packed: [u32; 2]) -> [u8; RECORD_LEN] {
    let mut bytes = [0; RECORD_LEN];
    bytes[..8].copy_from_slice(&block.to_le_bytes());
    bytes[8..12].copy_from_slice(&packed[0].to_le_bytes());
    bytes[12..16].copy_from_slice(&packed[1].to_le_bytes());
    let check = xxh3_64(&bytes[..16]);
    bytes[16..].copy_from_slice(&check.to_le_bytes());
    bytes
}

/// What [`record`] was told, whatever the checksum.
fn block_and_packed(bytes: &[u8; RECORD_LEN]) -> (u64, [u32; 2]) {
    let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|n| bytes[at + n]));
    (u64::from(word(0)) | u64::from(word(4)) << 32, [word(8), word(12)])
}

/// Makes all checksums right for whatever else is in a file, as far as its records can be followed. For tests.
#[cfg(feature = "fuzzing")]
pub(super) fn reseal(bytes: &mut [u8]) {
    let Some(head) = bytes.first_chunk_mut::<HEADER_LEN>() else { return };
    let check = xxh3_64(&head[..HEADER_LEN - CHECK_LEN]);
    head[HEADER_LEN - CHECK_LEN..].copy_from_slice(&check.to_le_bytes());
    let mut rest = &mut bytes[HEADER_LEN..];
    while let Some((head, after)) = rest.split_first_chunk_mut::<RECORD_LEN>() {
        let (block, packed) = block_and_packed(head);
        *head = record(block, packed);
        let mut after = after;
        for len in packed {
            let Some((half, next)) = after.split_at_mut_checked(CHECK_LEN + len as usize) else {
                return;
            };
            let check = xxh3_64(&half[CHECK_LEN..]);
            half[..CHECK_LEN].copy_from_slice(&check.to_le_bytes());
            after = next;
        }
        rest = after;
    }
}

thread_local! {
    /// Making one takes longer than packing a small block.
    static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

fn pack(scores: &[u8]) -> io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| match packer {
        Some(packer) => packer.compress(scores),
        None => packer.insert(zstd::bulk::Compressor::new(LEVEL)?).compress(scores),
    })
}

fn unpack(packed: &[u8], scores: &mut [u8]) -> io::Result<()> {
    let len = UNPACKER.with_borrow_mut(|unpacker| match unpacker {
        Some(unpacker) => unpacker.decompress_to_buffer(packed, scores),
        None => {
            unpacker.insert(zstd::bulk::Decompressor::new()?).decompress_to_buffer(packed, scores)
        }
    })?;
    if len == scores.len() { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Reads at a place, whatever other threads read.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: usize = 100;
    /// A few blocks and a part of one.
    const LEN: usize = 8000 * UNIT;
    const SIZE: WorkSize = WorkSize { slots: 8000, unit: UNIT as u64 };

    fn pair() -> Pair {
        Pair::of("KMvKM".parse().unwrap())
    }

    fn scores(seed: u64) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 60) as u8
        };
        (0..LEN).map(|_| next()).collect()
    }

    fn open(folder: &Path) -> WorkCopy {
        WorkCopy::open(folder, Variant::Russian, pair(), SIZE, 4).unwrap()
    }

    fn load(copy: &WorkCopy) -> (usize, [Vec<u8>; 2]) {
        let (mut a, mut b) = (vec![0; LEN], vec![0; LEN]);
        let kept = copy.load([&mut a, &mut b]).unwrap() as usize;
        (kept, [a, b])
    }

    #[test]
    fn what_is_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (scores(1), scores(2));
        let copy = open(folder.path());
        let block = SIZE.block_len();
        assert_eq!(load(&copy).0, 0);
        for end in [10, 2 * block + 77] {
            copy.append([&a[..end], &b[..end]]).unwrap();
        }
        let again = open(folder.path());
        let (kept, halves) = load(&again);
        assert_eq!(kept, 2 * block);
        assert!(halves[0][..kept] == a[..kept] && halves[1][..kept] == b[..kept]);
        again.append([&a, &b]).unwrap();
        assert!(again.is_complete());
        let (kept, halves) = load(&open(folder.path()));
        assert_eq!(kept, LEN);
        assert!(halves == [a, b]);
    }

    #[test]
    fn a_file_that_was_cut_or_damaged_keeps_what_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (scores(1), scores(2));
        open(folder.path()).append([&a, &b]).unwrap();
        let path = WorkCopy::path(folder.path(), pair());
        let whole = fs::read(&path).unwrap();
        let mut state = 7u64;
        for case in 0..40 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let place = (state >> 33) as usize % whole.len();
            let mut bytes = whole.clone();
            match case % 2 {
                0 => bytes.truncate(place),
                _ => bytes[place] ^= 1 << (state % 8),
            }
            fs::write(&path, &bytes).unwrap();
            let copy = open(folder.path());
            let (kept, halves) = load(&copy);
            assert!(kept < LEN && !copy.is_complete(), "{place}");
            assert!(halves[0][..kept] == a[..kept] && halves[1][..kept] == b[..kept], "{place}");
            assert!(halves.iter().all(|half| half[kept..].iter().all(|&score| score == 0)));
            // What was found to be damaged stays so, until it is written again.
            copy.sync().unwrap();
            let copy = open(folder.path());
            assert!(!copy.is_complete(), "{place}");
            copy.append([&a, &b]).unwrap();
            let (kept, halves) = load(&open(folder.path()));
            assert!(kept == LEN && halves == [a.clone(), b.clone()], "{place}");
        }
    }

    #[test]
    fn a_copy_of_something_else_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (scores(1), scores(2));
        let kept = |copy: &WorkCopy| (0..SIZE.blocks() as usize).any(|block| copy.has(block));
        open(folder.path()).append([&a, &b]).unwrap();
        assert!(kept(&open(folder.path())));
        let other = WorkCopy::open(folder.path(), Variant::Brazilian, pair(), SIZE, 4).unwrap();
        assert!(!kept(&other));
        assert!(!kept(&open(folder.path())));
        // Another version, and what a build leaves that is killed before it writes anything.
        let path = WorkCopy::path(folder.path(), pair());
        for bytes in [&b"damkawk1 and other things"[..], b""] {
            fs::write(&path, bytes).unwrap();
            assert!(!kept(&open(folder.path())));
        }
        WorkCopy::remove(folder.path(), pair(), 4).unwrap();
        WorkCopy::remove(folder.path(), pair(), 4).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn files_of_others_are_neither_overwritten_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = WorkCopy::path(folder.path(), pair());
        let variant = Variant::Russian;
        for bytes in [&b"short"[..], &[0; 100], b"damkatb and more"] {
            fs::write(&path, bytes).unwrap();
            let error = WorkCopy::open(folder.path(), variant, pair(), SIZE, 4).unwrap_err();
            assert!(matches!(&error, StoreError::NotAWorkCopy { path: named } if *named == path));
            assert!(WorkCopy::check_name(folder.path(), pair()).is_err());
            assert_eq!(WorkCopy::info(&path, variant).unwrap(), None);
            WorkCopy::remove(folder.path(), pair(), 8).unwrap();
            WorkCopy::remove_all(folder.path(), variant, 8).unwrap();
            assert!(fs::read(&path).unwrap() == bytes);
        }
        // Names that are none of ours, whatever is in the files.
        fs::remove_file(&path).unwrap();
        open(folder.path());
        let bytes = fs::read(&path).unwrap();
        for name in ["._KMvKM.work", "notes.work", "MvK.work", "KvMMMMMMMMM.work", "KMvKM.work2"] {
            fs::write(folder.path().join(name), &bytes).unwrap();
        }
        fs::create_dir(folder.path().join("KvK.work")).unwrap();
        WorkCopy::remove_all(folder.path(), variant, 8).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
        assert!(!path.exists());
    }

    #[test]
    fn a_copy_is_kept_for_the_largest_build_that_opened_it() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (scores(1), scores(2));
        let path = WorkCopy::path(folder.path(), pair());
        let open =
            |pieces| WorkCopy::open(folder.path(), Variant::Russian, pair(), SIZE, pieces).unwrap();
        let part = 2 * SIZE.block_len();
        open(4).append([&a[..part], &b[..part]]).unwrap();
        for (pieces, kept_for) in [(2, 4), (6, 6), (5, 6)] {
            let copy = open(pieces);
            assert_eq!((copy.kept_for(), copy.is_wide(), load(&copy).0), (kept_for, false, part));
        }
        let info = WorkCopy::info(&path, Variant::Russian).unwrap().unwrap();
        let kept = Kept { placements: part as u64, of: SIZE.placements(), pieces: 6 };
        assert_eq!(info, WorkInfo { pair: pair(), kept: Some(kept) });
        let other = WorkCopy::info(&path, Variant::Brazilian).unwrap().unwrap();
        assert_eq!(other, WorkInfo { pair: pair(), kept: None });
        WorkCopy::remove(folder.path(), pair(), 5).unwrap();
        WorkCopy::remove_all(folder.path(), Variant::Russian, 5).unwrap();
        assert_eq!(load(&open(4)).0, part);
        // What is cleared is still for it.
        open(4).clear(true).unwrap();
        assert!(open(4).is_wide() && open(4).kept_for() == 6);
        WorkCopy::remove_all(folder.path(), Variant::Russian, 6).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn blocks_come_and_go_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let size = WorkSize { slots: 7, unit: 2000 };
        assert!(size.is_by_slot() && !SIZE.is_by_slot());
        let open = || WorkCopy::open(folder.path(), Variant::Russian, pair(), size, 4).unwrap();
        let copy = open();
        copy.clear(true).unwrap();
        let halves = |slot: usize| [scores(slot as u64), scores(100 + slot as u64)];
        let check = |copy: &WorkCopy, slots: &[usize]| {
            for slot in 0..7 {
                assert_eq!(copy.has(slot), slots.contains(&slot), "{slot}");
            }
            for &slot in slots {
                for side in 0..2 {
                    let mut found = vec![0; 4000];
                    copy.get(slot, side, &mut found).unwrap();
                    assert!(found == halves(slot)[side][..4000], "{slot} {side}");
                }
            }
        };
        for slot in [4, 0, 6, 1, 5, 2, 3] {
            let [a, b] = halves(slot);
            copy.put(slot, [&a[..4000], &b[..4000]]).unwrap();
        }
        check(&copy, &[0, 1, 2, 3, 4, 5, 6]);
        assert!(copy.is_complete());
        copy.sync().unwrap();
        copy.forget(5);
        copy.sync().unwrap();
        // One more that is damaged, in its second half.
        let end = copy.state().blocks[4].end();
        write_all_at(&copy.file, &[0x5a; 3], end - 3).unwrap();
        assert!(open().has(4) && !open().has(5));
        open().forget_damaged().unwrap();
        let again = open();
        assert!(again.is_wide() && !again.is_complete());
        check(&again, &[0, 1, 2, 3, 6]);
        again.clear(false).unwrap();
        assert!(!open().is_wide() && !open().has(0));
    }
}
