//! `damka plan`

use std::io::{self, Write};

use damka::builder::{Forecast, StepForecast, forecast};
use damka::index::Pair;

use super::build::What;
use super::exit::Exit;
use super::out::stdout;
use super::text::{count, grouped, or_dash, span};

/// Say what a build will take, slice by slice, before it begins.
///
/// Positions and memory are exact, as far as the program decides them. Times and sizes are estimates, from slices of few pieces that
/// are solved for the purpose on this machine.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka plan russian --pieces 7
  damka plan russian -n 7 --memory 12G
  damka plan russian -n 7 --tsv > plan.tsv")]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// Write columns with tabs between, plain numbers, and by name which pairs are read and which of them on the disk.
    #[arg(long)]
    tsv: bool,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let forecast = forecast(&args.what.options())?;
    let mut out = stdout();
    match args.tsv {
        true => write_tsv(&mut out, &forecast)?,
        false => write(&mut out, &forecast)?,
    }
    out.flush()?;
    let short = forecast.given.is_some_and(|given| forecast.memory > given);
    Ok(if short { Exit::NoMemory } else { Exit::Done })
}

/// A pair is named by its first slice; those that are read are separated by commas.
fn write_tsv(out: &mut impl Write, forecast: &Forecast) -> io::Result<()> {
    let names = |pairs: &[Pair]| {
        let names: Vec<String> = pairs.iter().map(|pair| pair.first().to_string()).collect();
        if names.is_empty() { "-".to_owned() } else { names.join(",") }
    };
    writeln!(
        out,
        "pair\ttwin\tpositions\tis_there\treads\treads_on_disk\tis_on_disk\tmemory_bytes\tscratch_bytes\ttable_bytes\tseconds"
    )?;
    for StepForecast { step, positions, scratch, output, time, .. } in &forecast.steps {
        writeln!(
            out,
            "{}\t{}\t{positions}\t{}\t{}\t{}\t{}\t{}\t{scratch}\t{output}\t{:.3}",
            step.pair.first(),
            or_dash((!step.pair.is_symmetric()).then(|| step.pair.first().twin())),
            !step.solved,
            names(&step.reads),
            names(&step.on_disk),
            step.to_disk,
            step.memory,
            time.as_secs_f64(),
        )?;
    }
    Ok(())
}

fn megabytes(bytes: u64) -> String {
    grouped(bytes.div_ceil(1_000_000))
}

fn write(out: &mut impl Write, forecast: &Forecast) -> io::Result<()> {
    if forecast.steps.is_empty() {
        return writeln!(out, "nothing to do: all tables are there");
    }
    let titles =
        ["slices", "positions", "reads", "on disk", "MB memory", "MB scratch", "MB tables", "time"];
    let [slices, positions, reads, on_disk, memory, scratch, tables, time] = titles;
    writeln!(
        out,
        "{slices:<22} {positions:>15} {reads:>6} {on_disk:>9} {memory:>10} {scratch:>11} {tables:>10} {time:>12}"
    )?;
    for step in &forecast.steps {
        let names: Vec<String> = step.step.pair.slices().map(|slice| slice.to_string()).collect();
        let made = if step.step.solved { "" } else { " (there)" };
        let on_disk = match (step.step.on_disk.len(), step.step.to_disk) {
            (0, false) => String::new(),
            (0, true) => "itself".to_owned(),
            (pairs, false) => pairs.to_string(),
            (pairs, true) => format!("{pairs}+itself"),
        };
        writeln!(
            out,
            "{:<22} {:>15} {:>6} {on_disk:>9} {:>10} {:>11} {:>10} {:>12}",
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
    let Some(rates) = &forecast.rates else { return Ok(()) };
    writeln!(
        out,
        "measured     in a core-second, {} positions of {} pieces solved, {} of {} looked at and {} compressed; {:.2} bits a position",
        grouped(rates.solved as u64),
        rates.solved_pieces,
        grouped(rates.looked_at as u64),
        rates.written_pieces,
        grouped(rates.written as u64),
        rates.bits,
    )
}
