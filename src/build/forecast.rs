//! What a build will take, before it begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use cpu_time::ProcessTime;

use super::schedule::{Schedule, Step, positions};
use super::{
    BuildError, BuildOptions, check_sizes, free_memory, missing_pairs, thread_pool, to_be_written,
};
use crate::index::{MOST_PIECES, Pair, plan};
use crate::rules::{RuleSet, with_rule_set_to_solve};
use crate::solve::{Finished, PairMemory, SubsetTables, solve};
use crate::store::table_sizes;

/// What a build will take.
#[derive(Clone, Debug)]
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
    /// What the estimates come from.
    pub rates: Rates,
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
pub struct Rates {
    /// Pieces of the slices that were measured.
    pub pieces: u32,
    /// Positions solved in a second by one thread.
    pub solved: f64,
    /// Positions compressed in a second by one thread.
    pub written: f64,
    /// Bits of both tables for each position.
    pub bits: f64,
}

/// Working copies are about so many times smaller than memory: measured on Russian slices of 5 and 6 pieces.
const SCRATCH_RATIO: u64 = 4;

/// Measuring takes this much CPU time, or one piece count, whichever is more.
const MEASURING: Duration = Duration::from_millis(1500);

/// Forecasts a build with these options, and measures how fast this machine is. Takes a few seconds.
///
/// # Errors
/// Like [`build`](super::build), but too little memory is no error: [`Forecast::least`] tells it.
pub fn forecast(options: &BuildOptions) -> Result<Forecast, BuildError> {
    if !(2..=MOST_PIECES).contains(&options.pieces) {
        return Err(BuildError::Pieces { pieces: options.pieces, most: MOST_PIECES });
    }
    with_rule_set_to_solve!(options.variant, R => {
        check_sizes::<R>(options)?;
        thread_pool(options.threads)?.install(|| forecast_of::<R>(options))
    })
}

fn forecast_of<R: RuleSet>(options: &BuildOptions) -> Result<Forecast, BuildError> {
    let folder = options.folder.join(options.variant.name());
    let missing: BTreeSet<Pair> = match folder.is_dir() {
        true => missing_pairs::<R>(options, &folder)?,
        false => plan(&R::RULES, options.pieces).into_iter().collect(),
    };
    let threads = rayon::current_num_threads();
    let given = options.memory.or_else(free_memory);
    let schedule = Schedule::new::<R>(options.pieces, &missing, threads, options.budget(given));
    let rates = measure::<R>(options)?;
    let copy = |pair: Pair| PairMemory::of::<R>(pair, threads).solved / SCRATCH_RATIO;
    let mut forecast = Forecast {
        steps: Vec::new(),
        threads,
        given,
        memory: schedule.memory,
        least: schedule.least,
        rates,
        time: Duration::ZERO,
        critical: Duration::ZERO,
        scratch: 0,
        output: 0,
    };
    let mut out: BTreeMap<Pair, u64> = BTreeMap::new();
    let mut chains: BTreeMap<Pair, Duration> = BTreeMap::new();
    for step in schedule.steps {
        let positions = positions::<R>(step.pair);
        let seconds = positions as f64 / rates.solved
            + if step.solved { positions as f64 / rates.written } else { 0.0 };
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

/// Solves and compresses slices of few pieces, in memory.
fn measure<R: RuleSet>(options: &BuildOptions) -> Result<Rates, BuildError> {
    let pieces = options.pieces.clamp(3, 5);
    let subsets = SubsetTables::new(R::geometry(), pieces - 1);
    let mut finished: Finished<R> = Finished::new();
    let begin = ProcessTime::now();
    // Of the last piece count: positions, seconds of solving and of compressing, bytes.
    let mut last = (0, [0u64; 2], [0.0f64; 2]);
    for pair in plan(&R::RULES, pieces) {
        let count = pair.first().pieces();
        if count > last.0 {
            if last.0 > 2 && begin.elapsed() > MEASURING {
                break;
            }
            last = (count, [0; 2], [0.0; 2]);
        } else if begin.elapsed() > 4 * MEASURING && last.1[0] > 1_000_000 {
            break;
        }
        let start = ProcessTime::now();
        let table = solve(pair, &finished, &subsets, &options.solve, &())?;
        last.2[0] += start.elapsed().as_secs_f64();
        let start = ProcessTime::now();
        let slices = to_be_written(options, &table, &subsets, pair, &|| false)?;
        for (info, cells) in slices {
            let sizes = table_sizes(&info, &cells, &options.write)?;
            last.1[1] += sizes.wld + sizes.dtw;
        }
        last.2[1] += start.elapsed().as_secs_f64();
        last.1[0] += positions::<R>(pair);
        finished.insert(pair, Arc::new(table));
    }
    let (pieces, [positions, bytes], [solving, writing]) = last;
    let rate = |seconds: f64| positions as f64 / seconds.max(1e-6);
    Ok(Rates {
        pieces,
        solved: rate(solving),
        written: rate(writing),
        bits: bytes as f64 * 8.0 / positions as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

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
        assert!(forecast.rates.solved > 1000.0 && forecast.rates.bits > 0.2);
        // Nothing is left behind, and nothing is built.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        options.memory = Some(1 << 20);
        let short = super::forecast(&options).unwrap();
        assert!(short.memory > 1 << 20 && short.memory >= short.least);
    }
}
