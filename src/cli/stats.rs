//! `damka stats`

use std::collections::BTreeMap;

use damka::index::{self, Material};
use damka::probe::ProbeError;
use damka::store::{Header, Metric};
use damka::value::Counts;
use damka::{Tablebase, Variant};

use super::exit::{Exit, one_line};
use super::folders::Folders;
use super::out::print;
use super::text::{aligned, grouped, left_out, or_dash};
use super::{complain, variant_parser, warn_of_left_out};

/// Count wins, losses and draws of every slice.
///
/// One line for each slice that has a table and one for all slices of a number of pieces. A slice is
/// named by its pieces, those of the side to move first: `KMMvK` are a king and two men, to move, against
/// a king. Counts are over all placements and come from the headers of the tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka stats russian
  damka stats russian --tsv > stats.tsv")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// Write columns with tabs between, and plain numbers.
    #[arg(long)]
    tsv: bool,
    #[command(flatten)]
    folders: Folders,
}

const COLUMNS: [&str; 7] =
    ["slice", "positions", "wins", "losses", "draws", "longest_win_plies", "longest_loss_plies"];

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open_some(args.variant)?;
    let mut slices: Vec<Material> = tables.found().iter().map(|found| found.slice).collect();
    slices.sort_by_cached_key(|slice| (slice.pieces(), slice.men(), slice.to_string()));
    slices.dedup();

    let mut exit = Exit::Done;
    let mut rows = vec![COLUMNS.map(str::to_owned).to_vec()];
    let mut totals: BTreeMap<u32, (usize, Counts)> = BTreeMap::new();
    for (place, &slice) in slices.iter().enumerate() {
        let pieces = slice.pieces();
        match header(&tables, slice) {
            Ok(header) => {
                rows.push(row(args, &slice.to_string(), header.counts));
                let (number, total) = totals.entry(pieces).or_default();
                *number += 1;
                *total = total.merge(header.counts);
            }
            Err(error) => {
                // Broken tables matter more than what the system could not do.
                if exit != Exit::Broken {
                    exit = Exit::of_probe(&error);
                }
                complain(&one_line(&error.into()));
            }
        }
        let is_last = slices.get(place + 1).is_none_or(|next| next.pieces() != pieces);
        if let Some((number, total)) = totals.get(&pieces).filter(|_| is_last) {
            rows.push(row(args, &format!("total-{pieces}"), *total));
            let of = index::slices(args.variant.rules(), pieces).len();
            if *number < of {
                complain(&format!("total-{pieces} is of {number} slices; there are {of}"));
            }
        }
    }
    let text = match args.tsv {
        true => {
            warn_of_left_out(args.variant);
            rows.iter().map(|row| row.join("\t") + "\n").collect()
        }
        false => aligned(&rows, 1) + &left_out(args.variant),
    };
    print(text)?;
    Ok(exit)
}

/// Header of a slice that has one table or both, which say the same.
fn header(tables: &Tablebase, slice: Material) -> Result<Header, ProbeError> {
    let [dtw, wld] = [Metric::Dtw, Metric::Wld].map(|metric| tables.header(slice, metric));
    match (dtw, wld) {
        (Err(error), Ok(header)) | (Ok(header), Err(error)) if error.is_missing() => Ok(header),
        (Err(error), _) | (_, Err(error)) => Err(error),
        (Ok(dtw), Ok(wld)) if dtw.counts != wld.counts => Err(ProbeError::Mismatch {
            path: tables
                .found()
                .iter()
                .find(|found| (found.slice, found.metric) == (slice, Metric::Dtw))
                .map(|found| found.path.clone())
                .unwrap_or_default(),
        }),
        (Ok(dtw), Ok(_)) => Ok(dtw),
    }
}

fn row(args: &Args, name: &str, counts: Counts) -> Vec<String> {
    let number = |number: u64| if args.tsv { number.to_string() } else { grouped(number) };
    vec![
        name.to_owned(),
        number(counts.positions()),
        number(counts.wins),
        number(counts.losses),
        number(counts.draws),
        or_dash(counts.longest_win),
        or_dash(counts.longest_loss),
    ]
}
