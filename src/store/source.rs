//! Where the bytes of a table come from. The seam at which tests and fuzzers put their own.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memmap2::Mmap;

/// How the bytes of table files are had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Files are mapped into memory. The fastest; but a disk that fails, or a file that is cut short meanwhile, ends the process.
    #[default]
    Map,
    /// Blocks are read when they are needed, and a disk that fails is an error. A file is opened anew for each read, so no number
    /// of tables is too many. Nothing is prefetched.
    Read,
}

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

    /// Says that bytes will soon be read. Does not wait for them.
    fn will_need(&self, offset: u64, len: usize) {
        let _ = (offset, len);
    }
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
        let file = open_regular(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(MapSource { map: None });
        }
        // SAFETY: the mapped bytes must not change while they are borrowed. The writer of this crate never modifies
        // a finished file but renames a new one over it, and the documentation of the type asks the same of others.
        let map = unsafe { Mmap::map(&file)? };
        // Probes go anywhere: reading ahead would be for nothing. A system that takes no advice does as well without.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
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

    #[cfg(unix)]
    fn will_need(&self, offset: u64, len: usize) {
        if let Some(map) = &self.map
            && part(map, offset, len).is_ok()
        {
            let _ = map.advise_range(memmap2::Advice::WillNeed, offset as usize, len);
        }
    }
}

/// Opens a file. A pipe would wait for somebody to write into it.
fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// A file that is opened for each read. Holds no file descriptor.
#[derive(Debug)]
pub struct FileSource {
    path: PathBuf,
    identity: Identity,
}

/// What shows that a file is another one than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    device_and_number: (u64, u64),
}

impl Identity {
    fn of(data: &Metadata) -> Self {
        Identity {
            len: data.len(),
            modified: data.modified().ok(),
            #[cfg(unix)]
            device_and_number: {
                use std::os::unix::fs::MetadataExt;
                (data.dev(), data.ino())
            },
        }
    }
}

impl FileSource {
    /// Looks at a file.
    ///
    /// # Errors
    /// If the system cannot open it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let data = open_regular(path)?.metadata()?;
        Ok(FileSource { path: path.to_owned(), identity: Identity::of(&data) })
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.identity.len
    }

    fn read_at<'a>(
        &'a self,
        offset: u64,
        len: usize,
        buffer: &'a mut Vec<u8>,
    ) -> io::Result<&'a [u8]> {
        let mut file = open_regular(&self.path)?;
        if Identity::of(&file.metadata()?) != self.identity {
            return Err(io::Error::other("replaced or changed since it was first read"));
        }
        let end = offset.checked_add(len as u64);
        if end.is_none_or(|end| end > self.len()) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.seek(SeekFrom::Start(offset))?;
        buffer.resize(len, 0);
        file.read_exact(buffer)?;
        Ok(buffer)
    }
}
