//! `damka verify`

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use damka::index::Material;
use damka::notation::write_fen;
use damka::store::Metric;
use damka::value::Counts;
use damka::verify::{Fault, VerifyMonitor, VerifyOptions, VerifyReport, verify};
use damka::{Tablebase, Variant};

use super::exit::{Exit, one_line};
use super::folders::Folders;
use super::interrupt::Interrupt;
use super::out::stdout;
use super::progress::Progress;
use super::text::{count, grouped, number, or_dash, span};
use super::{complain, start_threads, variant_parser};

/// Check tables: checksums, then every position against the rules.
///
/// Every value is derived again from the values of the positions one move later, without the code that
/// built the tables. The exit code is 0 if all is right and 1 if there are faults.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka verify russian
  damka verify russian --sample 100000           of each slice")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// Check so many positions of each slice, the same each time, instead of all.
    #[arg(long, value_name = "N", value_parser = number(1..=1_000_000_000_000u64), allow_negative_numbers = true)]
    sample: Option<u64>,
    /// Threads to work with; 0 for as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number(0..=1024u16))]
    threads: u16,
    #[command(flatten)]
    folders: Folders,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open_some(args.variant)?;
    let threads = start_threads(args.threads.into());
    let start = Instant::now();
    let (total, slices) = work(&tables, args.sample);
    let watcher = Watcher {
        interrupt: Interrupt::watch(),
        progress: Progress::new(total, 0, slices),
        begun: Mutex::new(false),
    };
    let options = VerifyOptions::sample(args.sample);
    let report = threads.run(|| verify(&tables, &options, &watcher));
    let stopped = watcher.interrupt.is_set();
    drop(watcher);

    let mut out = stdout();
    for fault in &report.examples {
        writeln!(out, "{}", describe(fault))?;
    }
    if report.faults > report.examples.len() as u64 {
        let more = report.faults - report.examples.len() as u64;
        let kept = VerifyReport::KEPT;
        writeln!(
            out,
            "and {} ({kept} a slice are shown)",
            count(more, "more fault", "more faults")
        )?;
    }
    let without = match report.without {
        0 => String::new(),
        positions => {
            let positions = count(positions, "position", "positions");
            format!("{positions} not, for want of a table, ")
        }
    };
    writeln!(
        out,
        "{}: {}, {} with right checksums, {} derived again, {without}{} in {}",
        args.variant,
        count(report.slices as u64, "slice", "slices"),
        count(report.tables as u64, "table", "tables"),
        count(report.positions, "position", "positions"),
        count(report.faults, "fault", "faults"),
        span(start.elapsed()),
    )?;
    out.flush()?;
    if stopped {
        complain("stopped before all was checked");
        return Ok(Exit::Interrupted);
    }
    Ok(if report.faults == 0 { Exit::Done } else { Exit::Faults })
}

/// Positions to check, and slices.
fn work(tables: &Tablebase, sample: Option<u64>) -> (u64, usize) {
    let slices: BTreeSet<Material> = tables.found().iter().map(|found| found.slice).collect();
    let positions = slices.iter().filter_map(|&slice| {
        let positions = tables.header(slice, Metric::Wld).ok()?.positions;
        Some(sample.map_or(positions, |sample| sample.min(positions)))
    });
    (positions.sum(), slices.len())
}

struct Watcher {
    interrupt: Interrupt,
    progress: Progress,
    /// Whether a slice is under way.
    begun: Mutex<bool>,
}

impl VerifyMonitor for Watcher {
    fn should_stop(&self) -> bool {
        self.interrupt.is_set()
    }

    fn slice(&self, slice: Material, _: u64) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *begun, true) {
            self.progress.slices_done(1);
        }
        self.progress.current(slice.to_string());
    }

    fn advance(&self, positions: u64) {
        self.progress.advance(positions);
    }
}

fn describe(fault: &Fault) -> String {
    match fault {
        Fault::Table(error) => one_line(&error.clone().into()),
        Fault::Value { position, stored, derived } => {
            format!("{}: stored {stored}, derived {derived}", write_fen(position))
        }
        Fault::Wld { position, wld, value } => {
            format!("{}: {wld} by the .wld table alone, {value} by both", write_fen(position))
        }
        Fault::Counts { slice, metric, stored, derived } => format!(
            "header of {slice}.{metric}: stored {}, derived {}",
            describe_counts(*stored),
            describe_counts(*derived)
        ),
        other => format!("{other:?}"),
    }
}

fn describe_counts(counts: Counts) -> String {
    format!(
        "{} wins, {} losses, {} draws, longest win {}, longest loss {}",
        grouped(counts.wins),
        grouped(counts.losses),
        grouped(counts.draws),
        or_dash(counts.longest_win),
        or_dash(counts.longest_loss)
    )
}
