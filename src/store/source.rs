//! Where the bytes of a table come from. The seam at which callers and tests put their own.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use memmap2::MmapRaw;

use crate::system;

/// Bytes of a table that can be read at any place, from many threads: a [file](FileSource), [memory](MemorySource), or whatever a
/// program has them in.
///
/// A table trusts no source: what is read is checked against checksums, and wrong bytes are an error. It keeps header and block
/// index, and reads blocks as they are needed, of 65,535 bytes at most.
///
/// ```
/// use std::io;
/// use std::path::Path;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// use damka::notation::parse_fen;
/// use damka::probe::{FileSource, OpenOptions, Source};
/// use damka::{Metric, Tablebase, Value, Variant};
///
/// /// Counts how often another source is read.
/// struct Counting {
///     source: FileSource,
///     reads: Arc<AtomicU64>,
/// }
///
/// impl Source for Counting {
///     fn size(&self) -> u64 {
///         self.source.size()
///     }
///
///     fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
///         self.reads.fetch_add(1, Relaxed);
///         self.source.read_exact_at(buffer, offset)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tables = Tablebase::new(Variant::Russian, OpenOptions::new());
/// let reads = Arc::new(AtomicU64::new(0));
/// for (file, metric) in [("KvK.wld", Metric::Wld), ("KvK.dtw", Metric::Dtw)] {
///     let source = FileSource::open(&Path::new("tables/russian").join(file))?;
///     let source = Counting { source, reads: reads.clone() };
///     tables.add_source("KvK".parse()?, metric, source)?;
/// }
/// let position = parse_fen(Variant::Russian, "W:WKa1:BKh4")?;
/// assert_eq!(tables.probe(&position)?, Value::Draw);
/// assert!(reads.load(Relaxed) > 2);
/// # Ok(()) }
/// ```
pub trait Source: Send + Sync {
    /// Number of bytes, each time the same.
    fn size(&self) -> u64;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` beyond the end, and whatever keeps the bytes from being had.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Says that bytes will soon be read. Does not wait for them.
    fn will_need(&self, offset: u64, len: u64) {
        let _ = (offset, len);
    }
}

macro_rules! forward {
    ($($pointer:ident),*) => {$(
        impl<S: Source + ?Sized> Source for $pointer<S> {
            fn size(&self) -> u64 {
                (**self).size()
            }

            fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
                (**self).read_exact_at(buffer, offset)
            }

            fn will_need(&self, offset: u64, len: u64) {
                (**self).will_need(offset, len);
            }
        }
    )*};
}

forward!(Box, Arc);

/// Where so many bytes from `offset` begin among `size` bytes of memory.
fn start_of(offset: u64, len: usize, size: usize) -> io::Result<usize> {
    let start = usize::try_from(offset).ok();
    let inside = start.filter(|start| start.checked_add(len).is_some_and(|end| end <= size));
    inside.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// A table in memory: `Vec<u8>`, `&'static [u8]`, `Arc<[u8]>`, or anything else that is bytes.
#[derive(Clone, Debug)]
pub struct MemorySource<B = Vec<u8>>(pub B);

impl<B: AsRef<[u8]> + Send + Sync> Source for MemorySource<B> {
    fn size(&self) -> u64 {
        self.0.as_ref().len() as u64
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let bytes = self.0.as_ref();
        let start = start_of(offset, buffer.len(), bytes.len())?;
        buffer.copy_from_slice(&bytes[start..start + buffer.len()]);
        Ok(())
    }
}

/// A file mapped into memory. Holds no descriptor.
#[derive(Debug)]
pub struct MapSource {
    /// `None` for an empty file, which cannot be mapped everywhere. No slice of the mapped bytes is ever made: those would have to
    /// stay the same while it is there.
    map: Option<MmapRaw>,
}

impl MapSource {
    /// Maps a file.
    ///
    /// # Safety
    /// While the source lives, nobody may change the file in place or cut it short; replacing it by renaming another file over it is
    /// fine. If it is cut short, or the disk fails, reading ends the process (SIGBUS; on Windows an exception). Bytes that change are
    /// copied before they are checked, so that answers are right or errors as far as processors and compilers go, but to the language it
    /// is a data race.
    ///
    /// # Errors
    /// If the system cannot open or map it.
    pub unsafe fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(MapSource { map: None });
        }
        let map = memmap2::MmapOptions::new().map_raw_read_only(&file)?;
        // Probes go anywhere: reading ahead would be for nothing. A system that takes no advice does as well without.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        Ok(MapSource { map: Some(map) })
    }
}

impl Source for MapSource {
    fn size(&self) -> u64 {
        self.map.as_ref().map_or(0, |map| map.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let size = self.map.as_ref().map_or(0, MmapRaw::len);
        let start = start_of(offset, buffer.len(), size)?;
        if let Some(map) = &self.map {
            // SAFETY: the bytes are inside the map, which lives as long as `self`, and whoever opened it has promised that they stay
            // there and stay the same; the buffer is memory of its own.
            unsafe {
                let from = map.as_ptr().add(start);
                std::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), buffer.len());
            }
        }
        Ok(())
    }

    #[cfg(unix)]
    fn will_need(&self, offset: u64, len: u64) {
        if let Some(map) = &self.map
            && let Ok(len) = usize::try_from(len)
            && let Ok(start) = start_of(offset, len, map.len())
        {
            let _ = map.advise_range(memmap2::Advice::WillNeed, start, len);
        }
    }
}

/// Maps a file, or opens it for reading where that does not work, or would take addresses that others need.
///
/// # Safety
/// See [`MapSource::open`].
///
/// # Errors
/// If the system cannot open it.
pub(crate) unsafe fn map_or_open(path: &Path) -> io::Result<Box<dyn Source>> {
    if !system::addresses_are_scarce() {
        // SAFETY: as the caller promises.
        if let Ok(map) = unsafe { MapSource::open(path) } {
            return Ok(Box::new(map));
        }
    }
    Ok(Box::new(FileSource::open(path)?))
}

/// Opens a file. A pipe would wait for somebody to write into it.
fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// A file that is read where it is asked for.
///
/// Its descriptor is kept, but not for ever: all of these sources in a process keep 256 together, and no more than a quarter of what the
/// process may have. The one that was not read for longest is closed when another needs its place, and opened again when it is read;
/// if there is another file under its name by then, that is an error.
#[derive(Debug)]
pub struct FileSource {
    path: PathBuf,
    identity: Identity,
    /// Its own among all of the process.
    number: u64,
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

/// The files that are kept open, by number; what was read last comes last.
static KEPT: Mutex<Vec<(u64, Arc<File>)>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<(u64, Arc<File>)>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl FileSource {
    /// Opens a file.
    ///
    /// # Errors
    /// If the system cannot open it, or it is a pipe, a folder or the like.
    pub fn open(path: &Path) -> io::Result<Self> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let file = open_in_turn(path)?;
        let identity = Identity::of(&file.metadata()?);
        let source =
            FileSource { path: path.to_owned(), identity, number: OPENED.fetch_add(1, Relaxed) };
        source.keep(&Arc::new(file));
        Ok(source)
    }

    /// The file, opened again if need be. Whoever reads it holds no lock, and has it until the end even if it is closed for another.
    fn file(&self) -> io::Result<Arc<File>> {
        if let Some(file) = self.take_kept() {
            return Ok(file);
        }
        let file = open_in_turn(&self.path)?;
        if Identity::of(&file.metadata()?) != self.identity {
            return Err(io::Error::other("replaced or changed since it was first read"));
        }
        let file = Arc::new(file);
        self.keep(&file);
        Ok(file)
    }

    fn take_kept(&self) -> Option<Arc<File>> {
        let mut kept = kept();
        // Few enough to look through, and the last ones are asked for most.
        let place = kept.iter().rposition(|(number, _)| *number == self.number)?;
        kept[place..].rotate_left(1);
        kept.last().map(|(_, file)| file.clone())
    }

    fn keep(&self, file: &Arc<File>) {
        advise(file, Advice::Random, 0, 0);
        let most = system::kept_descriptors();
        let mut kept = kept();
        // Another thread may have opened it too.
        kept.retain(|(number, _)| *number != self.number);
        let surplus = (kept.len() + 1).saturating_sub(most);
        let closed: Vec<_> = kept.drain(..surplus).collect();
        kept.push((self.number, file.clone()));
        // Closing may take its time, and needs no lock.
        drop((kept, closed));
    }
}

impl Drop for FileSource {
    fn drop(&mut self) {
        let mut kept = kept();
        let place = kept.iter().position(|(number, _)| *number == self.number);
        let closed = place.map(|place| kept.remove(place));
        drop((kept, closed));
    }
}

/// Opens a file; if no more may be open, closes all that are kept.
fn open_in_turn(path: &Path) -> io::Result<File> {
    match open_regular(path) {
        Err(error) if are_too_many(&error) => {
            let closed = std::mem::take(&mut *kept());
            drop(closed);
            open_regular(path)
        }
        opened => opened,
    }
}

/// Whether a file could not be opened because too many are.
fn are_too_many(error: &io::Error) -> bool {
    #[cfg(unix)]
    let codes = [libc::EMFILE, libc::ENFILE];
    // ERROR_TOO_MANY_OPEN_FILES
    #[cfg(not(unix))]
    let codes = [4];
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

impl Source for FileSource {
    fn size(&self) -> u64 {
        self.identity.len
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        read_exact_at(&*self.file()?, buffer, offset)
    }

    fn will_need(&self, offset: u64, len: u64) {
        if let Ok(file) = self.file() {
            advise(&file, Advice::WillNeed, offset, len);
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn read_exact_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    // A file has but one place at which it is read.
    static READING: Mutex<()> = Mutex::new(());
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(buffer)
}

/// What the system may know of how a file will be read.
enum Advice {
    /// Anywhere: reading ahead would be for nothing.
    Random,
    /// These bytes soon.
    WillNeed,
}

/// Advises the system, where it takes advice; no bytes stand for all to the end.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
fn advise(file: &File, advice: Advice, offset: u64, len: u64) {
    use std::os::fd::AsRawFd;
    let advice = match advice {
        Advice::Random => libc::POSIX_FADV_RANDOM,
        Advice::WillNeed => libc::POSIX_FADV_WILLNEED,
    };
    if let (Ok(offset), Ok(len)) = (offset.try_into(), len.try_into()) {
        // SAFETY: takes no pointer, and the descriptor is open.
        let _ = unsafe { libc::posix_fadvise(file.as_raw_fd(), offset, len, advice) };
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn advise(_: &File, _: Advice, _: u64, _: u64) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn all_sources_read_the_same_bytes_and_none_beyond_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        let path = written(folder.path(), "table", &bytes);
        let shared: Arc<[u8]> = bytes.clone().into();
        let sources: [Box<dyn Source>; 5] = [
            Box::new(MemorySource(bytes.clone())),
            Box::new(Arc::new(MemorySource(shared))),
            Box::new(FileSource::open(&path).unwrap()),
            // SAFETY: nobody else knows the file.
            Box::new(unsafe { MapSource::open(&path) }.unwrap()),
            // SAFETY: as above.
            unsafe { map_or_open(&path) }.unwrap(),
        ];
        for source in sources {
            assert_eq!(source.size(), 10_000);
            for (offset, len) in [(0, 10_000), (1, 9_999), (4_095, 2), (9_999, 1), (10_000, 0)] {
                let mut buffer = vec![0xaa; len];
                source.will_need(offset, len as u64);
                source.read_exact_at(&mut buffer, offset).unwrap();
                assert!(buffer == bytes[offset as usize..][..len]);
            }
            for (offset, len) in [(0, 10_001), (9_999, 2), (10_001, 0), (u64::MAX, 1), (1 << 40, 9)]
            {
                source.will_need(offset, len as u64);
                let read = source.read_exact_at(&mut vec![0; len], offset);
                assert!(len == 0 || read.is_err(), "{offset}");
            }
        }
    }

    /// What the system shows of itself as a file cannot be mapped.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_cannot_be_mapped_is_read() {
        let path = Path::new("/sys/kernel/mm/transparent_hugepage/enabled");
        if !path.exists() {
            return;
        }
        // SAFETY: nobody cuts this file.
        assert!(unsafe { MapSource::open(path) }.is_err());
        // SAFETY: as above.
        let source = unsafe { map_or_open(path) }.unwrap();
        let mut start = [0; 6];
        source.read_exact_at(&mut start, 0).unwrap();
        assert!(start.is_ascii(), "{start:?}");
    }

    #[test]
    fn an_empty_file_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), "empty", b"");
        // SAFETY: nobody else knows the file.
        let map = unsafe { MapSource::open(&path) }.unwrap();
        for source in [&map as &dyn Source, &FileSource::open(&path).unwrap()] {
            assert_eq!(source.size(), 0);
            source.read_exact_at(&mut [], 0).unwrap();
            assert!(source.read_exact_at(&mut [0], 0).is_err());
        }
    }

    #[test]
    fn a_file_that_was_closed_for_others_is_opened_again_if_it_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..=system::kept_descriptors()).map(|n| n.to_string()).collect();
        let paths = names.iter().map(|name| written(folder.path(), name, name.as_bytes()));
        let sources: Vec<FileSource> = paths.map(|path| FileSource::open(&path).unwrap()).collect();
        for (name, source) in names.iter().zip(&sources).chain(names.iter().zip(&sources)) {
            let mut buffer = vec![0; name.len()];
            source.read_exact_at(&mut buffer, 0).unwrap();
            assert_eq!(buffer, name.as_bytes());
            assert!(kept().len() <= system::kept_descriptors());
        }
        assert!(kept().iter().all(|(number, _)| *number != sources[0].number));
        let other = written(folder.path(), "other", b"0");
        fs::rename(other, folder.path().join("0")).unwrap();
        let error = sources[0].read_exact_at(&mut [0], 0).unwrap_err();
        assert!(error.to_string().contains("replaced or changed"), "{error}");

        let numbers: Vec<u64> = sources.iter().map(|source| source.number).collect();
        drop(sources);
        assert!(kept().iter().all(|(number, _)| !numbers.contains(number)), "left open");
    }
}
