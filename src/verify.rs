//! Checks finished tables against the rules, without using the solver.
//!
//! Every value is derived again from the values of the positions one move later, asked of the public prober. That is
//! a proof, and for distances only: a win in `d` needs a loss in `d - 1` to move to and so on down to the end of the game,
//! and among wins stored as draws the quickest would move to a loss that is rightly stored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::index::{Material, SlicePositions};
use crate::play::visit_next;
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::Colour;
use crate::store::Metric;
use crate::threads::in_pool;
use crate::value::{Counts, Value, Wld};

/// How much is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// Positions of each slice that are derived again, at random, the same each time; all if `None`.
    pub sample: Option<u64>,
}

impl VerifyOptions {
    /// So many positions of each slice; all of them if `None`.
    pub const fn sample(sample: Option<u64>) -> Self {
        VerifyOptions { sample }
    }
}

/// Something that is wrong.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// A table, or one that its values depend on, is missing or broken.
    Table(ProbeError),
    /// A value is not what the moves of the position are worth.
    Value {
        /// The position.
        position: Position,
        /// What the tables say.
        stored: Value,
        /// What the moves say.
        derived: Value,
    },
    /// The `.wld` table alone gives another result than both tables.
    Wld {
        /// The position.
        position: Position,
        /// What the `.wld` table says.
        wld: Wld,
        /// What both tables say.
        value: Value,
    },
    /// The header has other counts or longest distances than the positions.
    Counts {
        /// The slice.
        slice: Material,
        /// Which table.
        metric: Metric,
        /// Wins, losses and draws, then longest win and loss, by the header.
        stored: Counts,
        /// The same by the positions.
        derived: Counts,
    },
}

/// What was checked, and what was found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VerifyReport {
    /// Slices looked at.
    pub slices: usize,
    /// Table files whose checksums are right.
    pub tables: usize,
    /// Positions derived again.
    pub positions: u64,
    /// Positions that could not be, because a table is missing or broken.
    pub without: u64,
    /// Number of faults: a table that is missing or broken is one, however many positions need it.
    pub faults: u64,
    /// The first of them: all such tables, and of the others at most [`VerifyReport::KEPT`] a slice.
    pub examples: Vec<Fault>,
}

impl VerifyReport {
    /// Faults of values and counts that are kept for each slice.
    pub const KEPT: usize = 10;
}

/// Watches a verification; all calls come from any thread.
pub trait VerifyMonitor: Sync {
    /// Asked often: whether to end here. The report then covers what was done.
    fn should_stop(&self) -> bool {
        false
    }

    /// Work on a slice of so many positions to check begins.
    fn slice(&self, slice: Material, positions: u64) {
        let _ = (slice, positions);
    }

    /// So many more positions are checked.
    fn advance(&self, positions: u64) {
        let _ = positions;
    }
}

/// Nobody watches.
impl VerifyMonitor for () {}

/// Checks every table of a tablebase: checksums of the file, then every position (or a sample) against its
/// moves, then the counts in the headers. Works on the threads of the current rayon pool, or on threads of its own if the calling thread is in none.
///
/// Moves and the numbering of positions come from the same code as for building; the values do not.
pub fn verify(
    tables: &Tablebase,
    options: &VerifyOptions,
    monitor: &dyn VerifyMonitor,
) -> VerifyReport {
    in_pool(|| verify_in_pool(tables, options, monitor))
}

fn verify_in_pool(
    tables: &Tablebase,
    options: &VerifyOptions,
    monitor: &dyn VerifyMonitor,
) -> VerifyReport {
    let mut slices: Vec<Material> = tables.found().iter().map(|found| found.slice).collect();
    slices.sort_by_key(|slice| (slice.pieces(), slice.men(), *slice));
    slices.dedup();
    let mut report = VerifyReport::default();
    let mut unusable = BTreeSet::new();
    for slice in slices {
        if monitor.should_stop() {
            break;
        }
        report.slices += 1;
        let faults = verify_slice(tables, slice, options, monitor, &mut report);
        report.without += faults.without;
        for (table, error) in faults.tables {
            if unusable.insert(table) {
                report.faults += 1;
                report.examples.push(Fault::Table(error));
            }
        }
        report.faults += faults.count;
        report.examples.extend(faults.examples);
    }
    report
}

/// What is wrong with a slice.
#[derive(Default)]
struct Faults {
    /// Tables that are missing or broken, with the first that was said of each.
    tables: BTreeMap<PathBuf, ProbeError>,
    /// Positions that could not be derived for that reason.
    without: u64,
    /// All other faults.
    count: u64,
    examples: Vec<Fault>,
}

impl Faults {
    fn table(&mut self, error: ProbeError) {
        let table = match &error {
            ProbeError::Missing { slice, metric, .. } => format!("{slice}.{metric}").into(),
            ProbeError::Mismatch { path } => path.clone(),
            ProbeError::Table(error) => error.path().unwrap_or(Path::new("")).to_owned(),
            other => other.to_string().into(),
        };
        self.tables.entry(table).or_insert(error);
    }

    fn push(&mut self, fault: Fault) {
        match fault {
            Fault::Table(error) => {
                self.without += 1;
                self.table(error);
            }
            fault => {
                self.count += 1;
                if self.examples.len() < VerifyReport::KEPT {
                    self.examples.push(fault);
                }
            }
        }
    }
}

/// Positions that one task checks.
const CHUNK: u64 = 1 << 12;

fn verify_slice(
    tables: &Tablebase,
    slice: Material,
    options: &VerifyOptions,
    monitor: &dyn VerifyMonitor,
    report: &mut VerifyReport,
) -> Faults {
    let mut faults = Faults::default();
    let mut headers = Vec::new();
    for metric in [Metric::Wld, Metric::Dtw] {
        match tables.verify_checksums(slice, metric).and_then(|()| tables.header(slice, metric)) {
            Ok(header) => headers.push((metric, header)),
            Err(error) => faults.table(error),
        }
    }
    report.tables += headers.len();
    if headers.len() < 2 {
        return faults;
    }
    let index = SlicePositions::new(tables.variant(), slice);
    let sample = options.sample.filter(|&sample| sample < index.len());
    let positions = sample.unwrap_or(index.len());
    monitor.slice(slice, positions);
    let faults = Mutex::new(faults);
    let checked = AtomicU64::new(0);
    let counts = (0..positions.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut counts = Counts::default();
            if monitor.should_stop() {
                return counts;
            }
            let numbers = chunk * CHUNK..positions.min((chunk + 1) * CHUNK);
            let done = numbers.end - numbers.start;
            for number in numbers {
                let place = match sample {
                    None => number,
                    Some(_) => scatter(number, index.len()),
                };
                match verify_position(tables, &index.position(place, Colour::White)) {
                    Ok(value) => counts.add(value),
                    Err(fault) => faults.lock().expect("no task panics").push(fault),
                }
            }
            checked.fetch_add(done, Relaxed);
            monitor.advance(done);
            counts
        })
        .reduce(Counts::default, Counts::merge);
    let mut faults = faults.into_inner().expect("no task panics");
    let checked = checked.into_inner();
    report.positions += checked - faults.without;
    if checked == index.len() && faults.without + faults.count == 0 {
        for (metric, header) in headers {
            let stored = header.counts;
            if stored != counts {
                faults.push(Fault::Counts { slice, metric, stored, derived: counts });
            }
        }
    }
    faults
}

/// A number below `len` for each `n` below `len`, no two the same, spread over all: a walk in steps of about the golden
/// ratio of the length.
fn scatter(n: u64, len: u64) -> u64 {
    let gcd = |mut a: u64, mut b: u64| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = ((u128::from(len) * 0x9e37_79b9_7f4a_7c15) >> 64) as u64;
    let step = (golden.max(1)..).find(|&step| gcd(step, len) == 1).expect("1 more than a multiple");
    (u128::from(n) * u128::from(step) % u128::from(len)) as u64
}

fn verify_position(tables: &Tablebase, position: &Position) -> Result<Value, Fault> {
    let position = *position;
    let stored = tables.probe(&position).map_err(Fault::Table)?;
    let mut derived = None;
    let mut failed = None;
    visit_next(&position, &mut |next, _| match tables.probe(next) {
        Ok(value) => derived = derived.max(Some(value.before_move())),
        Err(error) => failed = Some(error),
    });
    if let Some(error) = failed {
        return Err(Fault::Table(error));
    }
    let derived = derived.unwrap_or(tables.variant().rules().no_move.value());
    if stored != derived {
        return Err(Fault::Value { position, stored, derived });
    }
    let wld = tables.probe_wld(&position).map_err(Fault::Table)?;
    if wld != stored.wld() {
        return Err(Fault::Wld { position, wld, value: stored });
    }
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn samples_visit_no_position_twice() {
        for len in [1, 2, 3, 10, 992, 14_880, 65_536] {
            let visited: HashSet<u64> = (0..len).map(|n| scatter(n, len)).collect();
            assert_eq!(visited.len() as u64, len);
            assert!(visited.iter().all(|&place| place < len));
        }
    }
}
