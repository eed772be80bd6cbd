//! `damka longest`

use std::io::Write;

use damka::Variant;
use damka::index::Material;
use damka::longest::longest_wins;
use damka::notation::write_fen_with;
use damka::store::Metric;

use super::exit::Exit;
use super::folders::Folders;
use super::out::stdout;
use super::probe::line_text;
use super::progress::Progress;
use super::squares::Squares;
use super::text::{count, left_out, plies};
use super::{start_threads, variant_parser};

/// Positions that are shown without --all.
const SHOWN: usize = 10;

/// Find the longest wins of a slice, and how they go.
///
/// Reads the whole slice. A slice is named by its pieces, those of the side to move first.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka longest russian KKKvK
  damka longest russian KMvK --all")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// The slice, like KKMvKM.
    slice: Material,
    /// Show all positions with the longest win, not only the first 10.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    squares: Squares,
    #[command(flatten)]
    folders: Folders,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open(args.variant)?;
    let explain = |error| args.folders.explain(error);
    let header = tables.header(args.slice, Metric::Dtw).map_err(explain)?;
    let found = {
        let progress = Progress::new(header.positions, 0, 1);
        progress.current(args.slice.to_string());
        let advance = |positions| progress.advance(positions);
        start_threads(0).run(|| longest_wins(&tables, args.slice, &advance)).map_err(explain)?
    };

    let mut out = stdout();
    let Some(longest) = found.plies else {
        writeln!(out, "{}: no position is won", args.slice)?;
        out.write_all(left_out(args.variant).as_bytes())?;
        out.flush()?;
        return Ok(Exit::Done);
    };
    let number = count(found.positions.len() as u64, "position", "positions");
    writeln!(out, "{}: the longest win takes {}; {number}", args.slice, plies(longest))?;
    out.write_all(left_out(args.variant).as_bytes())?;
    let shown = if args.all { found.positions.len() } else { SHOWN };
    let names = args.squares.names(args.variant);
    for position in found.positions.iter().take(shown) {
        let line = tables.line(position).map_err(explain)?;
        writeln!(out, "\n{}", write_fen_with(position, names))?;
        out.write_all(line_text(names, position, &line)?.as_bytes())?;
        if let Some(error) = line.error {
            out.flush()?;
            return Err(explain(error));
        }
    }
    if found.positions.len() > shown {
        writeln!(out, "\nand {} more (--all shows them)", found.positions.len() - shown)?;
    }
    out.flush()?;
    Ok(Exit::Done)
}
