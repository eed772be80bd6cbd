//! `damka lab`

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::str::FromStr;

use damka::Variant;
use damka::index::{MOST_PIECES, Material, Pair, slices};
use damka::lab::{Measured, Sampled, distances, results, stretches};
use damka::store::Metric;

use super::exit::Exit;
use super::folders::Folders;
use super::out::stdout;
use super::{start_threads, variant_parser};

/// Compare ways of making tables smaller, in bits a position.
///
/// Takes stretches of 32,760 positions of each slice, whose tables must be there, and says what each idea makes of them. See docs/compression.md.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka lab russian 5
  damka lab russian KMvKM KKMvKM --stretches 64")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// Slices, like KKMvKM, or a number of pieces for all slices of so many.
    #[arg(required = true)]
    slices: Vec<What>,
    /// Stretches that are taken of each slice.
    #[arg(long, value_name = "N", default_value_t = 16)]
    stretches: u64,
    #[command(flatten)]
    folders: Folders,
}

/// What to look at.
#[derive(Clone, Copy, Debug)]
enum What {
    /// All slices of so many pieces.
    Pieces(u32),
    Slice(Material),
}

impl FromStr for What {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(pieces) if (2..=MOST_PIECES).contains(&pieces) => Ok(Self::Pieces(pieces)),
            Ok(_) => Err(format!("from 2 to {MOST_PIECES} pieces")),
            Err(_) => text.parse().map(Self::Slice).map_err(|error| format!("{error}")),
        }
    }
}

/// Of an idea for a metric, over slices: bits, positions, nanoseconds, positions that took them.
type Sum = ((&'static str, &'static str), [f64; 4]);

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    start_threads(0).run(|| compare(args))
}

fn compare(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open_some(args.variant)?;
    let mut list: Vec<Material> = Vec::new();
    for what in &args.slices {
        match *what {
            What::Pieces(pieces) => list.extend(slices(args.variant.rules(), pieces)),
            What::Slice(slice) => list.push(slice),
        }
    }
    let mut out = stdout();
    let mut sums: Vec<Sum> = Vec::new();
    let mut all_bits = BTreeMap::new();
    let mut all = 0.0;
    writeln!(out, "slice\tmetric\tidea\tbits\tdecoding_ns")?;
    for &slice in &list {
        let explain = |error| args.folders.explain(error);
        let positions = tables.header(slice, Metric::Wld).map_err(explain)?.positions;
        let (stretches, unit) = stretches(&tables, slice, args.stretches).map_err(explain)?;
        let variant = args.variant;
        let sampled = Sampled { variant, slice, positions, unit, stretches: &stretches };
        for (metric, found) in [("wld", results(&sampled)?), ("dtw", distances(&sampled)?)] {
            for Measured { idea, bits, decoding } in found {
                let time = decoding.map_or("-".to_owned(), |time| format!("{time:.1}"));
                writeln!(out, "{slice}\t{metric}\t{idea}\t{bits:.4}\t{time}")?;
                let known = sums.iter().position(|(of, _)| *of == (metric, idea));
                let place = known.unwrap_or_else(|| {
                    sums.push(((metric, idea), [0.0; 4]));
                    sums.len() - 1
                });
                let weight = positions as f64;
                all_bits.insert((slice, metric, idea), bits * weight);
                let timed = if decoding.is_some() { weight } else { 0.0 };
                let more = [bits * weight, weight, decoding.unwrap_or(0.0) * weight, timed];
                sums[place].1.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        out.flush()?;
    }
    for ((metric, idea), [bits, positions, time, timed]) in sums {
        let time = if timed > 0.0 { format!("{:.1}", time / timed) } else { "-".to_owned() };
        writeln!(out, "all\t{metric}\t{idea}\t{:.4}\t{time}", bits / positions)?;
        if metric == "dtw" {
            all = positions;
        }
    }
    for (idea, [whole, wins, losses]) in [
        ("zstd", ["captures as don't-cares", "wins alone", "losses alone"]),
        ("contexts", ["contexts, as written", "contexts, wins alone", "contexts, losses alone"]),
    ] {
        let [mut twin, mut ends] = [0.0; 2];
        let pairs: BTreeSet<Pair> = list.iter().map(|&slice| Pair::of(slice)).collect();
        for slice in pairs.into_iter().map(Pair::first) {
            let of = |slice, idea| all_bits.get(&(slice, "dtw", idea)).copied();
            let cheaper = |(here, one), (there, other)| match (of(here, one), of(there, other)) {
                (Some(one), Some(other)) => f64::min(one, other),
                (one, other) => one.or(other).expect("an idea that the lab knows"),
            };
            let other = slice.twin();
            twin += cheaper((slice, whole), (other, whole));
            ends += cheaper((slice, wins), (other, losses));
            if slice != other {
                ends += cheaper((slice, losses), (other, wins));
            }
        }
        writeln!(out, "all\tdtw\t{idea}, the cheaper twin\t{:.4}\t-", twin / all)?;
        writeln!(out, "all\tdtw\t{idea}, the cheaper end of each move\t{:.4}\t-", ends / all)?;
    }
    Ok(Exit::Done)
}
