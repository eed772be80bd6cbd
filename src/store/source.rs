//! Where the bytes of a table come from. The seam at which tests and fuzzers put their own.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Bytes of a file that can be read at any place, from many threads.
pub trait Source: Send + Sync {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `len` bytes from `offset`: where they lie in memory already, or read into `buffer`.
    ///
    /// # Errors
    /// `UnexpectedEof` beyond the end; what the system says if it cannot read.
    fn read_at<'a>(
        &'a self,
        offset: u64,
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> io::Result<&'a [u8]>;
}

fn part(bytes: &[u8], offset: u64, len: usize) -> io::Result<&[u8]> {
    let range = || {
        let start = usize::try_from(offset).ok()?;
        bytes.get(start..start.checked_add(len)?)
    };
    range().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// A table held in memory.
#[derive(Clone, Debug)]
pub struct MemorySource(pub Vec<u8>);

impl Source for MemorySource {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at<'a>(&'a self, offset: u64, len: usize, _: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        part(&self.0, offset, len)
    }
}

/// A file mapped into memory. Holds no file descriptor.
///
/// Table files are never changed in place, only replaced by renaming another file over them, which leaves a mapping
/// of the old one intact. Whoever cuts a file that is mapped, or pulls out the disk, kills the process with SIGBUS.
#[derive(Debug)]
pub struct MapSource {
    /// `None` for an empty file, which cannot be mapped everywhere.
    map: Option<Mmap>,
}

impl MapSource {
    /// Maps a file.
    ///
    /// # Errors
    /// If the system cannot open or map it.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Opening a pipe would wait for somebody to write into it.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(MapSource { map: None });
        }
        // SAFETY: the mapped bytes must not change while they are borrowed. The writer of this crate never modifies
        // a finished file but renames a new one over it, and the documentation of the type asks the same of others.
        let map = unsafe { Mmap::map(&file)? };
        Ok(MapSource { map: Some(map) })
    }
}

impl Source for MapSource {
    fn len(&self) -> u64 {
        self.map.as_ref().map_or(0, |map| map.len() as u64)
    }

    fn read_at<'a>(&'a self, offset: u64, len: usize, _: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        part(self.map.as_deref().unwrap_or_default(), offset, len)
    }
}
