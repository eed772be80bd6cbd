//! Tables from wherever a program has them: here, all in one file, as an engine might ship them.
//!
//!     cargo run --release --example own_source -- tables/russian
//!
//! Argument: a folder with files like `KvK.wld`. They are packed into one file, one behind the other, and probed from there.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use damka::notation::parse_fen;
use damka::probe::{OpenOptions, Source};
use damka::{Material, Metric, Tablebase, Variant};

/// One table inside the packed file.
struct Packed {
    /// Any reader will do; a lock makes it one for many threads.
    file: Arc<Mutex<File>>,
    start: u64,
    size: u64,
}

impl Source for Packed {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        if end.is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut file = self.file.lock().map_err(|_| io::Error::other("a reader has panicked"))?;
        file.seek(SeekFrom::Start(self.start + offset))?;
        file.read_exact(buffer)
    }
}

/// A table and where it is: slice, metric, first byte, number of bytes.
type Entry = (Material, Metric, u64, u64);

/// Packs the tables of a folder into a file.
fn pack(folder: &Path, packed: &mut File) -> Result<Vec<Entry>, Box<dyn Error>> {
    let mut entries = Vec::new();
    let mut start = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((slice, extension)) = name.split_once('.') else { continue };
        let metric = match extension {
            "wld" => Metric::Wld,
            "dtw" => Metric::Dtw,
            _ => continue,
        };
        let Ok(slice) = slice.parse::<Material>() else { continue };
        let bytes = fs::read(&path)?;
        packed.write_all(&bytes)?;
        entries.push((slice, metric, start, bytes.len() as u64));
        start += bytes.len() as u64;
    }
    Ok(entries)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("argument: a folder like tables/russian")?;
    let mut file = tempfile::tempfile()?;
    let entries = pack(Path::new(&folder), &mut file)?;

    let tables = Tablebase::new(Variant::Russian, OpenOptions::new().cache_bytes(8 << 20));
    let file = Arc::new(Mutex::new(file));
    for (slice, metric, start, size) in entries {
        // The header is read here: what is no table, or another one, is an error now.
        tables.add_source(slice, metric, Packed { file: file.clone(), start, size })?;
    }
    println!("{} tables in one file", tables.found().len());

    let position = parse_fen(Variant::Russian, "W:WKa1,Kc1,Kc3:BKb8")?;
    println!("three kings against one: {}", tables.probe(&position)?);
    Ok(())
}
