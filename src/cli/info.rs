//! `damka info`

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use damka::index::{MOST_PIECES, Material, slices};
use damka::store::{FORMAT_VERSION, Metric};
use damka::{Tablebase, Variant};

use super::exit::{Exit, one_line};
use super::folders::Folders;
use super::text::{bits_per_position, count, grouped, printable};

/// Say which tables there are, how large, and which are missing.
///
/// Reads headers only; `damka verify` reads everything. The exit code is 5 if a table is broken.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka info
  damka info --db tables --db /srv/tables")]
pub struct Args {
    #[command(flatten)]
    folders: Folders,
}

/// Missing slices that are named.
const NAMED: usize = 12;

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    let mut without = Vec::new();
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "damka {}, table format {FORMAT_VERSION}", env!("CARGO_PKG_VERSION"))?;
    for &variant in Variant::ALL {
        let tables = args.folders.open(variant)?;
        let strange = strange_files(&tables)?;
        if tables.found().is_empty() && strange.is_empty() {
            without.push(variant.name());
            continue;
        }
        writeln!(out, "\n{variant}")?;
        for folder in tables.folders() {
            writeln!(out, "  folder {}", folder.display())?;
        }
        if describe_tables(&mut out, &tables)? {
            exit = Exit::Broken;
        }
        for line in strange {
            writeln!(out, "  {}", printable(&line))?;
        }
    }
    if !without.is_empty() {
        writeln!(out, "\nno tables of {}", without.join(", "))?;
    }
    out.flush()?;
    Ok(exit)
}

#[derive(Default)]
struct Sizes {
    tables: u64,
    bytes: u64,
    positions: u64,
}

/// Whether a table is broken.
fn describe_tables(out: &mut dyn Write, tables: &Tablebase) -> anyhow::Result<bool> {
    if tables.found().is_empty() {
        writeln!(out, "  no tables")?;
        return Ok(false);
    }
    let mut broken = Vec::new();
    let mut whole = BTreeSet::new();
    let mut sizes: BTreeMap<(u32, &str), Sizes> = BTreeMap::new();
    for found in tables.found() {
        match tables.header(found.slice, found.metric) {
            Ok(header) => {
                whole.insert((found.slice, found.metric.extension()));
                let key = (found.slice.pieces(), found.metric.extension());
                let sizes = sizes.entry(key).or_default();
                sizes.tables += 1;
                sizes.bytes += header.file_len;
                sizes.positions += header.positions;
            }
            Err(error) => broken.push(error),
        }
    }
    let is_whole = |slice: &Material| {
        [Metric::Wld, Metric::Dtw].iter().all(|m| whole.contains(&(*slice, m.extension())))
    };
    let is_complete = |&pieces: &u32| slices(tables.variant().rules(), pieces).iter().all(is_whole);
    // What has the right name may be broken, so this is not what `complete_pieces` says.
    let complete = match (2..=MOST_PIECES).take_while(is_complete).last() {
        None => "no piece count is complete".to_owned(),
        Some(pieces) => format!("complete up to {pieces} pieces"),
    };
    writeln!(out, "  {complete}")?;
    let begun: BTreeSet<u32> = tables.found().iter().map(|found| found.slice.pieces()).collect();
    for pieces in begun {
        let slices = slices(tables.variant().rules(), pieces);
        let missing: Vec<&Material> = slices.iter().filter(|slice| !is_whole(slice)).collect();
        let have = slices.len() - missing.len();
        writeln!(out, "  {pieces} pieces: {have} of {} slices", slices.len())?;
        for metric in [Metric::Wld, Metric::Dtw] {
            if let Some(sizes) = sizes.get(&(pieces, metric.extension())) {
                writeln!(
                    out,
                    "    {metric}: {}, {} bytes, {} positions, {} bits a position",
                    count(sizes.tables, "table", "tables"),
                    grouped(sizes.bytes),
                    grouped(sizes.positions),
                    bits_per_position(sizes.bytes, sizes.positions),
                )?;
            }
        }
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().take(NAMED).map(|s| s.to_string()).collect();
            let more = match missing.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            writeln!(out, "    missing or not whole: {}{more}", names.join(", "))?;
        }
    }
    for error in &broken {
        writeln!(out, "  broken: {}", one_line(&error.clone().into()))?;
    }
    Ok(!broken.is_empty())
}

/// Files in the folders of a variant that are not used, and why.
fn strange_files(tables: &Tablebase) -> io::Result<Vec<String>> {
    let all = tables.found();
    let used: BTreeSet<&Path> = all.iter().map(|found| found.path.as_path()).collect();
    let mut lines = Vec::new();
    for folder in tables.folders() {
        let inside = folder.join(tables.variant().name());
        let entries = match fs::read_dir(&inside) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let mut paths =
            entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        paths.sort();
        for path in paths.iter().filter(|path| !used.contains(path.as_path())) {
            let name = path.file_name().unwrap_or(OsStr::new("")).to_string_lossy();
            if name == ".lock" {
                continue;
            }
            let same = all.iter().find(|found| found.path.file_name() == path.file_name());
            let why = match same {
                Some(found) => format!("not used: {} comes first", found.path.display()),
                None if name.starts_with(".damka-unfinished-") => {
                    "left by a build that was killed; the next one removes it".to_owned()
                }
                None if is_foreign(path, tables.variant()) => {
                    format!("{} has no such slice", tables.variant())
                }
                None => "not a table".to_owned(),
            };
            lines.push(format!("{}: {why}", path.display()));
        }
    }
    Ok(lines)
}

/// Whether a file has the name of a table, of a slice that the variant does not have.
fn is_foreign(path: &Path, variant: Variant) -> bool {
    let slice = path.file_stem().and_then(|stem| stem.to_str()?.parse::<Material>().ok());
    let metrics = [Metric::Wld, Metric::Dtw].map(Metric::extension);
    let is_table = path.extension().is_some_and(|ext| metrics.iter().any(|metric| ext == *metric));
    is_table && slice.is_some_and(|slice| !slice.exists_in(variant.rules()))
}
