//! `damka lab`

use std::io::{self, Write};

use damka::Variant;
use damka::index::{Material, slices};
use damka::lab::{Measured, Sampled, distances, results, stretches};
use damka::store::Metric;

use super::exit::Exit;
use super::folders::Folders;
use super::variant_parser;

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
    slices: Vec<String>,
    /// Stretches that are taken of each slice.
    #[arg(long, value_name = "N", default_value_t = 16)]
    stretches: u64,
    #[command(flatten)]
    folders: Folders,
}

/// Of an idea for a metric, over slices: bits, positions, nanoseconds, positions that took them.
type Sum = ((&'static str, &'static str), [f64; 4]);

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open_some(args.variant)?;
    let mut list: Vec<Material> = Vec::new();
    for name in &args.slices {
        match name.parse::<u32>() {
            Ok(pieces) => list.extend(slices(args.variant.rules(), pieces)),
            Err(_) => list.push(name.parse()?),
        }
    }
    let mut out = io::stdout().lock();
    let mut sums: Vec<Sum> = Vec::new();
    writeln!(out, "slice\tmetric\tidea\tbits\tdecoding_ns")?;
    for slice in list {
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
    }
    Ok(Exit::Done)
}
