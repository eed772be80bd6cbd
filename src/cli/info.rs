//! `damka info`

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use damka::index::{MOST_PIECES, Material, Pair, slices};
use damka::store::{FORMAT_VERSION, Kept, Metric, WorkCopy, WorkInfo, is_leftover};
use damka::{Tablebase, Variant};

use super::complain;
use super::exit::{Exit, one_line};
use super::folders::Folders;
use super::out::stdout;
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

/// Missing slices, or files of other systems, that are named.
const NAMED: usize = 12;

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let (folders, mut exit) = readable(&args.folders)?;
    let mut without = Vec::new();
    let mut out = stdout();
    writeln!(out, "damka {}, table format {FORMAT_VERSION}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "tables are looked for in {}", printable(&args.folders.in_words()))?;
    for &variant in Variant::ALL {
        let (tables, unreadable) = open(&args.folders, variant, &folders)?;
        let strange = strange_files(&tables);
        if tables.found().is_empty() && strange.is_empty() && unreadable.is_empty() {
            without.push(variant.name());
            continue;
        }
        writeln!(out, "\n{variant}")?;
        for folder in tables.folders() {
            writeln!(out, "  folder {}", folder.display())?;
        }
        for error in &unreadable {
            writeln!(out, "  cannot be read: {}", printable(&error.to_string()))?;
        }
        // Broken tables matter more than what the system could not do.
        if describe_tables(&mut out, &tables)? {
            exit = Exit::Broken;
        } else if !unreadable.is_empty() && exit != Exit::Broken {
            exit = Exit::Io;
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

/// The folders that can be listed; the others are named, and the exit code is theirs.
fn readable(folders: &Folders) -> anyhow::Result<(Vec<PathBuf>, Exit)> {
    let mut exit = Exit::Done;
    let mut first = None;
    let mut there = Vec::new();
    for path in folders.list() {
        let Err(error) = folders.check(&path) else {
            there.push(path);
            continue;
        };
        exit = Exit::of(&error);
        // The last is told by the error that ends the program, if nothing is left.
        if let Some(error) = first.replace(error) {
            complain(&one_line(&error));
        }
    }
    match first {
        Some(error) if there.is_empty() => Err(error),
        error => {
            error.iter().for_each(|error| complain(&one_line(error)));
            Ok((there, exit))
        }
    }
}

/// Opens the tables of a variant in the folders where they can be listed, and says why they cannot be in the others.
fn open(
    folders: &Folders,
    variant: Variant,
    all: &[PathBuf],
) -> io::Result<(Tablebase, Vec<io::Error>)> {
    if let Ok(tables) = folders.open_among(variant, all) {
        return Ok((tables, Vec::new()));
    }
    let (mut listed, mut unreadable) = (Vec::new(), Vec::new());
    for folder in all {
        match folders.open_among(variant, std::slice::from_ref(folder)) {
            Ok(_) => listed.push(folder.clone()),
            Err(error) => unreadable.push(error),
        }
    }
    Ok((folders.open_among(variant, &listed)?, unreadable))
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
            let names: Vec<String> = missing.iter().map(|slice| slice.to_string()).collect();
            writeln!(out, "    missing or not whole: {}", list(&names))?;
        }
    }
    for error in &broken {
        writeln!(out, "  broken: {}", one_line(&error.clone().into()))?;
    }
    Ok(!broken.is_empty())
}

/// Files in the folders of a variant that are not used, and why.
fn strange_files(tables: &Tablebase) -> Vec<String> {
    let all = tables.found();
    let used: BTreeSet<&Path> = all.iter().map(|found| found.path.as_path()).collect();
    let mut lines = Vec::new();
    for folder in tables.folders() {
        let inside = folder.join(tables.variant().name());
        let (mut paths, mut shadows) = (Vec::new(), Vec::new());
        let entries = match fs::read_dir(&inside) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                lines.push(format!("{}: cannot be read: {error}", inside.display()));
                continue;
            }
        };
        for entry in entries {
            match entry {
                Ok(entry) if is_shadow(&entry.file_name().to_string_lossy()) => {
                    shadows.push(entry.file_name().to_string_lossy().into_owned())
                }
                Ok(entry) => paths.push(entry.path()),
                Err(error) => lines.push(format!("{}: cannot be read: {error}", inside.display())),
            }
        }
        paths.sort();
        let unused = paths.iter().filter(|path| !used.contains(path.as_path()));
        lines.extend(
            unused.filter_map(|path| {
                Some(format!("{}: {}", path.display(), why_unused(tables, path)?))
            }),
        );
        if !shadows.is_empty() {
            shadows.sort();
            let number = count(shadows.len() as u64, "file", "files");
            let names = list(&shadows);
            lines.push(format!(
                "{}: {number} of other systems, not used: {names}",
                inside.display()
            ));
        }
    }
    lines
}

/// Why a file in the folder of a variant is not used; `None` if it is where it should be.
fn why_unused(tables: &Tablebase, path: &Path) -> Option<String> {
    let variant = tables.variant();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == ".lock" {
        return (!path.is_file())
            .then(|| "not a regular file: no build can lock the folder".to_owned());
    }
    let same = tables.found().into_iter().find(|found| found.path.file_name() == path.file_name());
    if let Some(found) = same {
        return Some(format!("not used: {} comes first", found.path.display()));
    }
    if is_leftover(path).unwrap_or(false) {
        let text =
            "not finished, by a build that is at work or was killed; the next one removes it";
        return Some(text.to_owned());
    }
    match WorkCopy::info(path, variant) {
        Ok(Some(info)) => return Some(describe_work(&info)),
        Err(error) => return Some(one_line(&error.into())),
        Ok(None) => {}
    }
    let slice = path.file_stem().and_then(|stem| stem.to_str()?.parse::<Material>().ok());
    let is_work =
        |slice| path.parent().is_some_and(|folder| path == WorkCopy::path(folder, Pair::of(slice)));
    Some(match slice {
        Some(slice) if is_work(slice) => {
            "not of damka; a build that needs the name will stop at it".to_owned()
        }
        _ if is_foreign(path, variant) => format!("{variant} has no such slice"),
        _ => "not of damka, not used".to_owned(),
    })
}

/// What is kept of a pair.
fn describe_work(info: &WorkInfo) -> String {
    let slices: Vec<String> = info.pair.slices().map(|slice| slice.to_string()).collect();
    let slices = slices.join(" and ");
    match info.kept {
        Some(Kept { placements, of, pieces }) => {
            let percent = 100 * u128::from(placements) / u128::from(of.max(1));
            format!("{percent} % of {slices}, kept for a build of up to {pieces} pieces")
        }
        None => format!(
            "kept of {slices} by another version of damka or for other rules; a build that needs the name begins it anew"
        ),
    }
}

/// Whether other systems leave files of this name in every folder that they look at.
fn is_shadow(name: &str) -> bool {
    let known = [".DS_Store", ".directory", "@eaDir", "Thumbs.db", "ehthumbs.db", "desktop.ini"];
    name.starts_with("._") || known.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The first of some names, and how many more there are.
fn list(names: &[String]) -> String {
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", names[..names.len().min(NAMED)].join(", "))
}

/// Whether a file has the name of a table, of a slice that the variant does not have.
fn is_foreign(path: &Path, variant: Variant) -> bool {
    let slice = path.file_stem().and_then(|stem| stem.to_str()?.parse::<Material>().ok());
    let metrics = [Metric::Wld, Metric::Dtw].map(Metric::extension);
    let is_table = path.extension().is_some_and(|ext| metrics.iter().any(|metric| ext == *metric));
    is_table && slice.is_some_and(|slice| !slice.exists_in(variant.rules()))
}
