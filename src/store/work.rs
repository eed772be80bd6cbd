//! Working copies: the scores of a pair as the solver has them, in the order in which it finds them.
//!
//! A build keeps the finished part of a large pair in such a file, to go on from there when it was stopped, and whole pairs
//! that it has no room for in memory. The format is private to builds with the same rules, and the files may be deleted at any time
//! when no build is at work: what they hold is found again.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::error::StoreError;
use crate::index::{Material, Pair};
use crate::rules::Variant;

/// Extension of the names of working copies.
const EXTENSION: &str = "work";
const MAGIC: [u8; 8] = *b"damkawk1";
/// Magic, fingerprint of the rules, pieces of the first slice, placements.
const HEADER_LEN: usize = 8 + 8 + 4 + 8;
/// First placement, placements, bytes of both halves, checksum.
const RECORD_LEN: usize = 8 + 4 + 4 + 4 + 8;
/// Placements in a record.
const CHUNK: usize = 1 << 20;
/// Fast: a working copy is written once and read a few times.
const LEVEL: i32 = 1;

/// A working copy of a pair, with one byte for each placement and side to move.
#[derive(Debug)]
pub struct WorkCopy {
    path: PathBuf,
    file: File,
    placements: u64,
    /// Placements that are kept, from the first on.
    kept: u64,
}

impl WorkCopy {
    /// Path of the working copy of a pair in the folder of a variant.
    pub fn path(folder: &Path, pair: Pair) -> PathBuf {
        folder.join(format!("{}.{EXTENSION}", pair.first()))
    }

    /// Opens the working copy of a pair of so many placements, or begins one. A file that is none, or of other rules, is begun
    /// anew; what was written last before a power cut may be missing.
    ///
    /// # Errors
    /// If the system cannot read or write the file.
    pub fn open(
        folder: &Path,
        variant: Variant,
        pair: Pair,
        placements: u64,
    ) -> Result<Self, StoreError> {
        let path = Self::path(folder, pair);
        let header = header(variant, pair.first(), placements);
        let open = || -> io::Result<(File, u64)> {
            let mut options = File::options();
            let mut file =
                options.read(true).write(true).create(true).truncate(false).open(&path)?;
            let mut found = [0; HEADER_LEN];
            let same = match file.read_exact(&mut found) {
                Ok(()) => found == header,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => false,
                Err(error) => return Err(error),
            };
            if !same {
                file.set_len(0)?;
                file.seek(SeekFrom::Start(0))?;
                file.write_all(&header)?;
            }
            let kept = find_end(&mut file, placements)?;
            Ok((file, kept))
        };
        let (file, kept) = open().map_err(|error| StoreError::io(&path, error))?;
        Ok(WorkCopy { path, file, placements, kept })
    }

    /// Placements that are kept, from the first on.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Whether all placements are kept.
    pub fn is_complete(&self) -> bool {
        self.kept == self.placements
    }

    /// Adds the placements from [`WorkCopy::kept`] on, with either side to move, and brings them to the disk.
    ///
    /// # Errors
    /// If the system cannot write. What was kept before stays, the rest is not taken for kept.
    ///
    /// # Panics
    /// If the halves differ in length, or hold more than the pair has.
    pub fn append(&mut self, halves: [&[u8]; 2]) -> Result<(), StoreError> {
        assert_eq!(halves[0].len(), halves[1].len());
        assert!(self.kept + halves[0].len() as u64 <= self.placements);
        let in_file = |error| StoreError::io(&self.path, error);
        let end = self.file.seek(SeekFrom::End(0)).map_err(in_file)?;
        let mut start = self.kept;
        let mut write = || -> io::Result<()> {
            let mut out = BufWriter::new(&self.file);
            // As many at a time as keep all threads at work.
            let step = CHUNK * 4 * rayon::current_num_threads();
            for (a, b) in halves[0].chunks(step).zip(halves[1].chunks(step)) {
                let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK));
                let packed: Vec<_> = chunks.map(|(a, b)| pack([a, b])).collect();
                for chunk in packed {
                    let (len, halves) = chunk?;
                    let record = Record::new(start, len, &halves);
                    out.write_all(&record.to_bytes())?;
                    halves.iter().try_for_each(|half| out.write_all(half))?;
                    start += u64::from(len);
                }
            }
            out.flush()?;
            drop(out);
            self.file.sync_data()
        };
        if let Err(error) = write() {
            // Half a record would be seen and left out, but room may be what is missing.
            let _ = self.file.set_len(end);
            return Err(in_file(error));
        }
        self.kept = start;
        Ok(())
    }

    /// Fills in what is kept, from the first placement on, and returns how many placements that are. What turns out
    /// to be damaged is cut off, with all that follows.
    ///
    /// # Errors
    /// If the system cannot read.
    ///
    /// # Panics
    /// If there is no room for what is kept.
    pub fn load(&mut self, halves: [&mut [u8]; 2]) -> Result<u64, StoreError> {
        let path = &self.path;
        let in_file = |error| StoreError::io(path, error);
        let [mut a, mut b] = halves.map(|half| &mut half[..self.kept as usize]);
        self.file.seek(SeekFrom::Start(HEADER_LEN as u64)).map_err(in_file)?;
        let mut input = BufReader::with_capacity(1 << 16, &self.file);
        let (mut done, mut end, mut sound) = (0, HEADER_LEN as u64, true);
        while done < self.kept && sound {
            let mut batch = Vec::new();
            let mut ahead = done;
            while batch.len() < 4 * rayon::current_num_threads() && ahead < self.kept {
                let record = Record::read(&mut input).map_err(in_file)?;
                let mut packed = vec![0; record.data_len()];
                input.read_exact(&mut packed).map_err(in_file)?;
                let len = record.len as usize;
                let here = [&mut a, &mut b].map(|half| half.split_off_mut(..len));
                let [Some(here_a), Some(here_b)] = here else {
                    break; // Another program has written to the file.
                };
                batch.push((record, packed, [here_a, here_b]));
                ahead += u64::from(record.len);
            }
            let unpacked: Vec<bool> = batch
                .par_iter_mut()
                .map(|(record, packed, halves)| record.unpack(packed, halves))
                .collect();
            sound = !batch.is_empty();
            for ((record, packed, _), unpacked) in batch.iter().zip(unpacked) {
                sound &= unpacked;
                if sound {
                    done += u64::from(record.len);
                    end += (RECORD_LEN + packed.len()) as u64;
                }
            }
        }
        drop(input);
        if done < self.kept {
            self.file.set_len(end).map_err(in_file)?;
            self.kept = done;
        }
        Ok(done)
    }

    /// Removes the working copy of a pair, if there is one.
    ///
    /// # Errors
    /// If there is one and the system cannot remove it.
    pub fn remove(folder: &Path, pair: Pair) -> Result<(), StoreError> {
        let path = Self::path(folder, pair);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io(&path, error))
            }
            _ => Ok(()),
        }
    }
}

fn header(variant: Variant, slice: Material, placements: u64) -> [u8; HEADER_LEN] {
    let mut bytes = [0; HEADER_LEN];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..16].copy_from_slice(&variant.rules().fingerprint().to_le_bytes());
    let Material { own_kings, own_men, opp_kings, opp_men } = slice;
    bytes[16..20].copy_from_slice(&[own_kings, own_men, opp_kings, opp_men]);
    bytes[20..].copy_from_slice(&placements.to_le_bytes());
    bytes
}

/// Finds how many placements whole records hold, and cuts off what is behind them.
fn find_end(file: &mut File, placements: u64) -> io::Result<u64> {
    let len = file.seek(SeekFrom::End(0))?;
    let (mut end, mut kept) = (HEADER_LEN as u64, 0);
    while end + RECORD_LEN as u64 <= len {
        file.seek(SeekFrom::Start(end))?;
        let record = Record::read(file)?;
        let next = end + (RECORD_LEN + record.data_len()) as u64;
        let fits = record.start == kept
            && u64::from(record.len) <= placements - kept
            && record.len > 0
            && record.len as usize <= CHUNK
            && next <= len;
        if !fits {
            break;
        }
        (end, kept) = (next, kept + u64::from(record.len));
    }
    if end < len {
        file.set_len(end)?;
    }
    Ok(kept)
}

/// What stands before the packed scores of some placements.
#[derive(Clone, Copy)]
struct Record {
    start: u64,
    len: u32,
    /// Bytes of each half.
    packed: [u32; 2],
    checksum: u64,
}

impl Record {
    fn new(start: u64, len: u32, halves: &[Vec<u8>; 2]) -> Self {
        let packed = halves.each_ref().map(|half| half.len() as u32);
        let mut record = Record { start, len, packed, checksum: 0 };
        record.checksum = record.checksum_with(halves.iter().map(Vec::as_slice));
        record
    }

    fn data_len(&self) -> usize {
        self.packed.iter().map(|&len| len as usize).sum()
    }

    fn to_bytes(self) -> [u8; RECORD_LEN] {
        let mut bytes = [0; RECORD_LEN];
        bytes[..8].copy_from_slice(&self.start.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.len.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.packed[0].to_le_bytes());
        bytes[16..20].copy_from_slice(&self.packed[1].to_le_bytes());
        bytes[20..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn read(input: &mut impl Read) -> io::Result<Self> {
        let mut bytes = [0; RECORD_LEN];
        input.read_exact(&mut bytes)?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|n| bytes[at + n]));
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Ok(Record {
            start: long(0),
            len: word(8),
            packed: [word(12), word(16)],
            checksum: long(20),
        })
    }

    fn checksum_with<'a>(&self, data: impl Iterator<Item = &'a [u8]>) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.to_bytes()[..RECORD_LEN - 8]);
        data.for_each(|data| hash.update(data));
        hash.digest()
    }

    /// Whether the data are whole; unpacks them.
    fn unpack(&self, data: &[u8], halves: &mut [&mut [u8]; 2]) -> bool {
        if self.checksum_with([data].into_iter()) != self.checksum {
            return false;
        }
        let (a, b) = data.split_at(self.packed[0] as usize);
        [a, b].into_iter().zip(halves).all(|(packed, half)| {
            zstd::bulk::decompress_to_buffer(packed, half).is_ok_and(|len| len == half.len())
        })
    }
}

/// Number of placements, and their packed halves.
fn pack(halves: [&[u8]; 2]) -> io::Result<(u32, [Vec<u8>; 2])> {
    let [a, b] = halves.map(|half| zstd::bulk::compress(half, LEVEL));
    Ok((halves[0].len() as u32, [a?, b?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 3 * CHUNK + 1000;

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
        WorkCopy::open(folder, Variant::Russian, pair(), LEN as u64).unwrap()
    }

    fn load(copy: &mut WorkCopy) -> (usize, [Vec<u8>; 2]) {
        let (mut a, mut b) = (vec![0; LEN], vec![0; LEN]);
        let kept = copy.load([&mut a, &mut b]).unwrap() as usize;
        (kept, [a, b])
    }

    #[test]
    fn what_is_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (scores(1), scores(2));
        let mut copy = open(folder.path());
        assert_eq!(copy.kept(), 0);
        for range in [0..10, 10..2 * CHUNK + 77] {
            copy.append([&a[range.clone()], &b[range]]).unwrap();
        }
        let mut again = open(folder.path());
        let (kept, halves) = load(&mut again);
        assert_eq!(kept, 2 * CHUNK + 77);
        assert!(halves[0][..kept] == a[..kept] && halves[1][..kept] == b[..kept]);
        again.append([&a[kept..], &b[kept..]]).unwrap();
        assert!(again.is_complete());
        let (kept, halves) = load(&mut open(folder.path()));
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
            let mut copy = open(folder.path());
            let (kept, halves) = load(&mut copy);
            assert!(kept < LEN, "{place}");
            assert!(halves[0][..kept] == a[..kept] && halves[1][..kept] == b[..kept], "{place}");
            copy.append([&a[kept..], &b[kept..]]).unwrap();
            let (kept, halves) = load(&mut open(folder.path()));
            assert!(kept == LEN && halves == [a.clone(), b.clone()], "{place}");
        }
    }

    #[test]
    fn a_file_of_something_else_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (scores(1), scores(2));
        open(folder.path()).append([&a, &b]).unwrap();
        let other = WorkCopy::open(folder.path(), Variant::Brazilian, pair(), LEN as u64).unwrap();
        assert_eq!(other.kept(), 0);
        assert_eq!(open(folder.path()).kept(), 0);
        fs::write(WorkCopy::path(folder.path(), pair()), b"short").unwrap();
        assert_eq!(open(folder.path()).kept(), 0);
        WorkCopy::remove(folder.path(), pair()).unwrap();
        WorkCopy::remove(folder.path(), pair()).unwrap();
        assert!(!WorkCopy::path(folder.path(), pair()).exists());
    }
}
