//! `damka plan`

use std::io::{self, Write};
use std::path::PathBuf;

use bytesize::ByteSize;
use damka::Variant;
use damka::build::{BuildOptions, Forecast, forecast};
use damka::index::MOST_PIECES;

use super::exit::Exit;
use super::folders;
use super::text::{count, grouped, span};
use super::variant_parser;

/// Say what a build will take, slice by slice, before it begins.
///
/// Positions and memory are exact, as far as the program decides them. Times and sizes are estimates, from slices of few pieces that
/// are solved for the purpose on this machine.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka plan russian --pieces 7
  damka plan russian -n 7 --memory 12G")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// Most pieces on the board, both sides together.
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u32).range(2..=MOST_PIECES as i64))]
    pieces: u32,
    /// Folder of tables; what is there is not built again [default: the first in DAMKA_PATH, else
    /// `tables`].
    #[arg(long, value_name = "FOLDER")]
    db: Option<PathBuf>,
    /// Threads to work with; 0 for as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// Most memory to use, like 16G [default: what the machine has free, less a margin].
    #[arg(long, value_name = "BYTES")]
    memory: Option<ByteSize>,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let folder = args.db.clone().or_else(|| folders::in_environment().into_iter().next());
    let folder = folder.unwrap_or_else(|| folders::DEFAULT.into());
    let mut options = BuildOptions::new(args.variant, args.pieces, folder);
    options.threads = args.threads.into();
    options.memory = args.memory.map(|bytes| bytes.as_u64());
    let forecast = forecast(&options)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out, &forecast)?;
    out.flush()?;
    let short = forecast.given.is_some_and(|given| forecast.memory > given);
    Ok(if short { Exit::NoMemory } else { Exit::Done })
}

fn megabytes(bytes: u64) -> String {
    grouped(bytes.div_ceil(1_000_000))
}

fn write(out: &mut impl Write, forecast: &Forecast) -> io::Result<()> {
    if forecast.steps.is_empty() {
        return writeln!(out, "nothing to do: all tables are there");
    }
    let titles = ["slices", "positions", "reads", "MB memory", "MB scratch", "MB tables", "time"];
    let [slices, positions, reads, memory, scratch, tables, time] = titles;
    writeln!(
        out,
        "{slices:<22} {positions:>15} {reads:>6} {memory:>10} {scratch:>11} {tables:>10} {time:>12}"
    )?;
    for step in &forecast.steps {
        let names: Vec<String> = step.step.pair.slices().map(|slice| slice.to_string()).collect();
        let made = if step.step.solved { "" } else { " (there)" };
        writeln!(
            out,
            "{:<22} {:>15} {:>6} {:>10} {:>11} {:>10} {:>12}",
            names.join(" ") + made,
            grouped(step.positions),
            step.step.reads.len(),
            megabytes(step.step.memory),
            megabytes(step.scratch),
            megabytes(step.output),
            span(step.time),
        )?;
    }
    let solved = forecast.steps.iter().filter(|step| step.step.solved);
    let positions = solved.map(|step| step.positions).sum();
    writeln!(out)?;
    writeln!(out, "to solve     {}", count(positions, "position", "positions"))?;
    writeln!(out, "tables       {} MB", megabytes(forecast.output))?;
    writeln!(
        out,
        "time         {} with {}; {} along the longest chain of pairs",
        span(forecast.time),
        count(forecast.threads as u64, "thread", "threads"),
        span(forecast.critical),
    )?;
    writeln!(out, "scratch      {} MB", megabytes(forecast.scratch))?;
    writeln!(
        out,
        "memory       {} MB; {} MB are enough{}",
        megabytes(forecast.memory),
        megabytes(forecast.least),
        match forecast.given {
            Some(given) => format!(", {} MB may be used", grouped(given / 1_000_000)),
            None => String::new(),
        }
    )?;
    let rates = &forecast.rates;
    writeln!(
        out,
        "measured     slices of {} pieces: {} positions solved and {} compressed in a core-second, {:.2} bits a position",
        rates.pieces,
        grouped(rates.solved as u64),
        grouped(rates.written as u64),
        rates.bits,
    )
}
