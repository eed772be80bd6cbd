//! `damka classics`

use std::io::Write;

use damka::Variant;
use damka::classics::{ClassicsError, RoadHolder, ThreeAgainstOne, main_road, three_against_one};
use damka::notation::{square_name, write_fen_with};

use super::exit::Exit;
use super::folders::Folders;
use super::out::stdout;
use super::squares::Squares;
use super::text::{aligned, grouped, or_dash, phrase};
use super::variant_parser;

/// Say what the tables know of three kings against one.
///
/// The old saying is that the lone king draws if it holds the main road, the long diagonal of the playing
/// squares, and loses elsewhere. All numbers are counted in the tables. Variants without kings, or without
/// such a diagonal, are refused.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka classics russian
  damka classics russian --list
  damka classics spanish")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// List the exceptions.
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    squares: Squares,
    #[command(flatten)]
    folders: Folders,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    // What cannot be asked is said even where there are no tables.
    let road = main_road(args.variant)?;
    let tables = args.folders.open(args.variant)?;
    let rows = three_against_one(&tables).map_err(|error| match error {
        ClassicsError::Probe(error) => args.folders.explain(error),
        error => error.into(),
    })?;
    let names = args.squares.names(args.variant);
    let ends = [road.first(), road.last()].map(|square| {
        square.map_or_else(String::new, |&square| square_name(args.variant, names, square))
    });

    let mut out = stdout();
    writeln!(
        out,
        "\
Three white kings against a black king, in {}.

The main road is the diagonal {}-{}. Won, drawn and lost are placements, for the three kings;
`quietly decided` are those won or lost in which the side to move has no capture. `Usual` is the most
frequent result without a capture for the side to move, exceptions are the other ones.
",
        args.variant.rules().title, ends[0], ends[1]
    )?;
    let head = [
        "on the main road",
        "to move",
        "placements",
        "won",
        "drawn",
        "lost",
        "quietly decided",
        "longest win (plies)",
        "usual",
        "exceptions",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    table.extend(rows.iter().map(row));
    out.write_all(aligned(&table, 2).as_bytes())?;
    if args.list {
        for row in rows.iter().filter(|row| !row.exceptions.is_empty()) {
            writeln!(
                out,
                "\nExceptions, on the main road {}, {side} to move; values for {side}:",
                holder(row.holder),
                side = row.to_move,
            )?;
            for (position, value) in &row.exceptions {
                writeln!(out, "{}  {}", write_fen_with(position, names), phrase(*value))?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn holder(holder: RoadHolder) -> &'static str {
    match holder {
        RoadHolder::Lone => "lone king only",
        RoadHolder::Three => "some of the three only",
        RoadHolder::Both => "lone king and some of the three",
        RoadHolder::Nobody => "nobody",
    }
}

fn row(row: &ThreeAgainstOne) -> Vec<String> {
    vec![
        holder(row.holder).to_owned(),
        row.to_move.to_string(),
        grouped(row.placements()),
        grouped(row.won),
        grouped(row.drawn),
        grouped(row.lost),
        grouped(row.decided_quietly),
        or_dash(row.longest),
        or_dash(row.usual),
        grouped(row.exceptions.len() as u64),
    ]
}
