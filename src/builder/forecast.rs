//! What a build will take, before it begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ProcessTime;

use super::cells::to_be_written;
use super::error::BuildError;
use super::folder::missing_pairs;
use super::free_memory::free_memory;
use super::limits::check_sizes;
use super::options::BuildOptions;
use super::schedule::{Schedule, Step, positions, slice_len};
use crate::board::Bits;
use crate::index::{MOST_PIECES, Pair, plan};
use crate::rules::with_rule_set_to_solve;
use crate::solve::{Finished, Kernel, PairMemory, SubsetTables, solve};
use crate::store::{looked_at, write_costs};
use crate::threads::Threads;

/// What a build will take.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Forecast {
    /// The steps, in their order.
    pub steps: Vec<StepForecast>,
    /// Threads that it is for.
    pub threads: usize,
    /// Bytes of memory that may be used, if a limit was given or could be found out.
    pub given: Option<u64>,
    /// Most bytes of memory in use.
    pub memory: u64,
    /// Bytes of memory without which the build cannot be.
    pub least: u64,
    /// What the estimates come from; `None` if there is nothing to do.
    pub rates: Option<Rates>,
    /// Time by the clock if all threads have work all the time.
    pub time: Duration,
    /// The part of it that must be done one after the other, however many machines there are: along the longest chain of pairs
    /// of which each depends on the one before.
    pub critical: Duration,
    /// Most bytes of the disk besides the tables.
    pub scratch: u64,
    /// Bytes of the tables that will be written.
    pub output: u64,
}

/// One step of a [`Forecast`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepForecast {
    /// What is done.
    pub step: Step,
    /// Positions in the slices of the pair, one side to move.
    pub positions: u64,
    /// Bytes of the disk, besides tables, for pairs that are out of memory and for the finished part of this one.
    pub scratch: u64,
    /// Bytes of the tables; 0 if they are there.
    pub output: u64,
    /// Time by the clock.
    pub time: Duration,
}

/// Measured on this machine, on slices of few pieces.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Rates {
    /// Pieces of the slices that were solved.
    pub solved_pieces: u32,
    /// Positions solved in a second by one thread.
    pub solved: f64,
    /// Pieces of those that were compressed.
    pub written_pieces: u32,
    /// Positions looked at in a second by one thread, to find out how a slice becomes smallest; of a large slice that is a small part.
    pub looked_at: f64,
    /// Positions compressed in a second by one thread after that.
    pub written: f64,
    /// Bits of both tables for each position.
    pub bits: f64,
}

impl Rates {
    /// Seconds of one thread for writing the tables of slices of so many positions.
    fn writing(&self, lens: impl Iterator<Item = u64>) -> f64 {
        lens.map(|len| looked_at(len) as f64 / self.looked_at + len as f64 / self.written).sum()
    }
}

/// Working copies are about so many times smaller than memory: measured on Russian slices of 5 and 6 pieces.
const SCRATCH_RATIO: u64 = 4;

/// How long is measured.
struct Effort {
    /// Most pieces of slices that are solved for it.
    pieces: u32,
    /// After so much CPU time, slices of one piece more are not compressed.
    writing: Duration,
    /// After so much, no more slices are solved.
    solving: Duration,
}

/// For a plan.
const FULL: Effort =
    Effort { pieces: 5, writing: Duration::from_millis(1500), solving: Duration::from_secs(6) };
/// For a word beside an answer.
const BRIEF: Effort =
    Effort { pieces: 4, writing: Duration::from_millis(200), solving: Duration::from_millis(400) };

/// Forecasts a build with these options, and, if there is something to do, measures how fast this machine is, which takes a few seconds.
///
/// # Errors
/// Like [`build`](super::build), but too little memory is no error: [`Forecast::least`] tells it.
pub fn forecast(options: &BuildOptions) -> Result<Forecast, BuildError> {
    forecast_after(options, &FULL)
}

/// [`Forecast::time`], less exact and within a second.
///
/// # Errors
/// See [`forecast`].
pub fn planned_time(options: &BuildOptions) -> Result<Duration, BuildError> {
    Ok(forecast_after(options, &BRIEF)?.time)
}

fn forecast_after(options: &BuildOptions, effort: &Effort) -> Result<Forecast, BuildError> {
    if !(2..=MOST_PIECES).contains(&options.pieces) {
        return Err(BuildError::Pieces { pieces: options.pieces, most: MOST_PIECES });
    }
    check_sizes(options)?;
    Threads::start(options.threads).run(|| forecast_of(options, effort))
}

fn forecast_of(options: &BuildOptions, effort: &Effort) -> Result<Forecast, BuildError> {
    let variant = options.variant;
    let folder = options.folder.join(variant.name());
    let len = |slice| slice_len(variant, slice);
    let missing: BTreeSet<Pair> = match folder.is_dir() {
        true => missing_pairs(options, &folder)?,
        false => plan(options.variant.rules(), options.pieces).into_iter().collect(),
    };
    let threads = rayon::current_num_threads();
    let given = options.memory.or_else(free_memory);
    let schedule = Schedule::new(variant, options.pieces, &missing, threads, options.budget(given));
    let copy = |pair: Pair| PairMemory::of(variant, pair, threads).solved / SCRATCH_RATIO;
    let mut forecast = Forecast {
        steps: Vec::new(),
        threads,
        given,
        memory: schedule.memory,
        least: schedule.least,
        rates: None,
        time: Duration::ZERO,
        critical: Duration::ZERO,
        scratch: 0,
        output: 0,
    };
    if schedule.steps.is_empty() {
        return Ok(forecast);
    }
    let rates = with_rule_set_to_solve!(variant, R => measure(Kernel::of::<R>(), options, effort))?;
    forecast.rates = Some(rates);
    let mut out: BTreeMap<Pair, u64> = BTreeMap::new();
    let mut chains: BTreeMap<Pair, Duration> = BTreeMap::new();
    for step in schedule.steps {
        let positions = positions(variant, step.pair);
        let seconds = positions as f64 / rates.solved
            + if step.solved { rates.writing(step.pair.slices().map(len)) } else { 0.0 };
        let time = Duration::from_secs_f64(seconds / threads as f64);
        out.extend(step.put_out.iter().map(|&pair| (pair, copy(pair))));
        // What is solved within the time between two savings is never saved.
        let is_kept = step.to_disk || time > options.keep_every;
        let kept = if is_kept { copy(step.pair) } else { 0 };
        let scratch = out.values().sum::<u64>().saturating_add(kept);
        let output = if step.solved { (positions as f64 * rates.bits / 8.0) as u64 } else { 0 };
        let chain = step.reads.iter().filter_map(|pair| chains.get(pair)).max();
        let chain = chain.copied().unwrap_or_default() + time;
        chains.insert(step.pair, chain);
        if step.to_disk {
            out.insert(step.pair, kept);
        }
        for pair in &step.done_with {
            out.remove(pair);
        }
        forecast.time += time;
        forecast.critical = forecast.critical.max(chain);
        forecast.scratch = forecast.scratch.max(scratch);
        forecast.output += output;
        forecast.steps.push(StepForecast { step, positions, scratch, output, time });
    }
    Ok(forecast)
}

/// Sums over slices of one piece count.
#[derive(Default)]
struct Sums {
    pieces: u32,
    positions: u64,
    seconds: f64,
}

impl Sums {
    fn of(pieces: u32) -> Self {
        Sums { pieces, ..Sums::default() }
    }

    fn add(&mut self, positions: u64, time: Duration) {
        self.positions += positions;
        self.seconds += time.as_secs_f64();
    }

    fn rate(&self) -> f64 {
        self.positions as f64 / self.seconds.max(1e-6)
    }
}

/// Solves and compresses slices of few pieces, in memory. Both are slower in small slices, so the last piece count counts; to be
/// compressed, large ones would take too long.
fn measure<B: Bits>(
    kernel: Kernel<B>,
    options: &BuildOptions,
    effort: &Effort,
) -> Result<Rates, BuildError> {
    let variant = options.variant;
    let pieces = options.pieces.clamp(3, effort.pieces);
    let subsets = SubsetTables::new(kernel.geometry(), pieces - 1);
    let mut finished: Finished<B> = Finished::new();
    let begin = ProcessTime::now();
    let (mut solved, mut looked, mut written) = (Sums::of(0), Sums::of(0), Sums::of(0));
    let mut bytes = 0;
    for pair in plan(kernel.rules(), pieces) {
        let count = pair.first().pieces();
        let has_time = begin.elapsed() <= effort.solving;
        if count > solved.pieces {
            if count > 3 && !has_time {
                break;
            }
            solved = Sums::of(count);
            if count <= 3 || begin.elapsed() <= effort.writing {
                (looked, written, bytes) = (Sums::of(count), Sums::of(count), 0);
            }
        } else if !has_time && solved.positions > 1_000_000 {
            break;
        }
        let positions = positions(variant, pair);
        let start = ProcessTime::now();
        let table = solve(kernel, pair, &finished, &subsets, &options.solve, &())?;
        solved.add(positions, start.elapsed());
        if written.pieces == count {
            let start = ProcessTime::now();
            let slices = to_be_written(options, &table, &subsets, pair, &|| false)?;
            looked.add(
                pair.slices().map(|slice| looked_at(slice_len(variant, slice))).sum(),
                start.elapsed(),
            );
            written.positions += positions;
            for (info, cells) in slices {
                let costs = write_costs(&info, &cells, &options.write)?;
                looked.seconds += costs.looking.as_secs_f64();
                written.seconds += costs.encoding.as_secs_f64();
                bytes += costs.sizes.wld + costs.sizes.dtw;
            }
        }
        finished.insert(pair, Arc::new(table));
    }
    Ok(Rates {
        solved_pieces: solved.pieces,
        solved: solved.rate(),
        written_pieces: written.pieces,
        looked_at: looked.rate(),
        written: written.rate(),
        bits: bytes as f64 * 8.0 / written.positions as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn nothing_is_measured_where_nothing_is_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = BuildOptions::new(Variant::Russian, 2, folder.path());
        crate::builder::build(&options, &()).unwrap();
        let forecast = super::forecast(&options).unwrap();
        assert!(forecast.rates.is_none() && forecast.steps.is_empty());
        options.pieces = 3;
        assert!(super::forecast(&options).unwrap().rates.is_some());
    }

    #[test]
    fn a_forecast_adds_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = BuildOptions::new(Variant::Russian, 4, folder.path());
        options.threads = 2;
        let forecast = super::forecast(&options).unwrap();
        assert_eq!(forecast.steps.iter().map(|step| step.positions).sum::<u64>(), 6_408_836);
        assert_eq!(forecast.threads, 2);
        assert!(forecast.steps.iter().all(|step| step.step.solved && step.output > 0));
        let time: Duration = forecast.steps.iter().map(|step| step.time).sum();
        assert_eq!(forecast.time, time);
        assert!(forecast.critical < time && forecast.critical > time / 10);
        let rates = forecast.rates.unwrap();
        assert!(rates.solved > 1000.0 && rates.bits > 0.2);
        // Of a slice a thousand times as large, only a part is looked at.
        let seconds = |len| rates.writing([len].into_iter());
        assert!(seconds(100_000_000) < 900.0 * seconds(100_000));
        // Nothing is left behind, and nothing is built.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        options.memory = Some(1 << 20);
        let short = super::forecast(&options).unwrap();
        assert!(short.memory > 1 << 20 && short.memory >= short.least);
    }
}
