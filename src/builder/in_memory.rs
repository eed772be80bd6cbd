//! Tables for an answer here and now: slices that are solved in memory in a moment.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cells::to_be_written;
use super::checkpoint::SolveMonitor;
use super::error::BuildError;
use super::options::BuildOptions;
use super::report::BuildMonitor;
use super::schedule::{positions, with_dependencies};
use crate::board::Bits;
use crate::index::{MOST_PIECES, Material, Pair, plan};
use crate::position::Position;
use crate::probe::Tablebase;
use crate::rules::{UnitKind, Variant, with_rule_set_to_solve};
use crate::solve::{Finished, Kernel, SubsetTables, check_size, solve};
use crate::store::{Codec, Metric, WriteOptions, encode_to_memory};
use crate::threads::Threads;

/// The tables that an answer for a position can need, its moves and its main line too, to be built in memory: those of its slice and of
/// all slices that its positions can come to.
///
/// ```
/// use damka::builder::MemoryBuild;
/// use damka::notation::parse_fen;
/// use damka::probe::{MemorySource, OpenOptions};
/// use damka::{Tablebase, Value, Variant};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tables = Tablebase::new(Variant::Italian, OpenOptions::new());
/// let position = parse_fen(Variant::Italian, "W:WK32:BK1")?;
/// let build = MemoryBuild::of(&position).expect("few pieces, of both sides");
/// assert!(build.positions() < 10_000);
/// for table in build.run(0, &())? {
///     tables.add_source(table.slice, table.metric, MemorySource(table.bytes))?;
/// }
/// assert_eq!(tables.probe(&position)?, Value::Win(11));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryBuild {
    variant: Variant,
    pairs: BTreeSet<Pair>,
}

/// A table in memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MemoryTable {
    /// The slice.
    pub slice: Material,
    /// Which of its tables.
    pub metric: Metric,
    /// What its file would hold.
    pub bytes: Vec<u8>,
}

impl MemoryBuild {
    /// For a position; `None` if it has pieces of one side only, which needs no table, or more pieces than can be built.
    pub fn of(position: &Position) -> Option<Self> {
        let (slice, variant) = (Material::of_position(position), position.variant());
        let pair = Pair::of(slice);
        let can_be = slice.own() > 0
            && slice.opp() > 0
            && slice.pieces() <= MOST_PIECES
            && check_size(variant, pair).is_ok();
        can_be.then(|| {
            let pairs = with_dependencies(variant.rules(), &BTreeSet::from([pair]));
            MemoryBuild { variant, pairs }
        })
    }

    /// Most pieces of its slices.
    pub fn pieces(&self) -> u32 {
        self.pairs.iter().map(|pair| pair.first().pieces()).max().unwrap_or(0)
    }

    /// Number of positions, one side to move: some million are solved in a second.
    pub fn positions(&self) -> u64 {
        self.pairs.iter().map(|&pair| positions(self.variant, pair)).sum()
    }

    /// What solving them costs, in positions of an ordinary slice. Where men move to and fro, slices with men are solved position
    /// by position, and cost about eight times as much: Turkish draughts with 4 pieces, 0.4 microseconds a position on one core, Frisian 0.06.
    pub fn cost(&self) -> u64 {
        let to_and_fro = self.variant.rules().unit() != UnitKind::Placement;
        let cost = |&pair: &Pair| {
            let has_men = pair.first().own_men + pair.first().opp_men > 0;
            positions(self.variant, pair) * if to_and_fro && has_men { 8 } else { 1 }
        };
        self.pairs.iter().map(cost).sum()
    }

    /// The slices of which a tablebase has not both tables.
    pub fn missing(&self, tables: &Tablebase) -> Vec<Material> {
        let found = tables.found();
        let has = |slice, metric| {
            found.iter().any(|found| (found.slice, found.metric) == (slice, metric))
        };
        let slices = self.pairs.iter().flat_map(|pair| pair.slices());
        slices.filter(|&slice| !has(slice, Metric::Wld) || !has(slice, Metric::Dtw)).collect()
    }

    /// Builds the tables, on so many threads; 0 for as many as there are cores. All distances are stored, so that none is searched for.
    ///
    /// # Errors
    /// [`BuildError::Stopped`] if the monitor asks for it; [`BuildError::Solve`] if there is not the memory.
    pub fn run(
        &self,
        threads: usize,
        monitor: &dyn BuildMonitor,
    ) -> Result<Vec<MemoryTable>, BuildError> {
        with_rule_set_to_solve!(self.variant, R => {
            let kernel = Kernel::of::<R>();
            Threads::start(threads).run(|| self.run_with(kernel, monitor))
        })
    }

    fn run_with<B: Bits>(
        &self,
        kernel: Kernel<B>,
        monitor: &dyn BuildMonitor,
    ) -> Result<Vec<MemoryTable>, BuildError> {
        let mut options = BuildOptions::new(self.variant, self.pieces(), "");
        options.all_distances = true;
        // Read a few times and thrown away: small matters less than soon.
        options.write = WriteOptions { codec: Some(Codec::Zstd), wld_level: 1, dtw_level: 1 };
        let subsets = SubsetTables::new(kernel.geometry(), self.pieces() - 1);
        let mut finished = Finished::new();
        let mut tables = Vec::new();
        let order = plan(kernel.rules(), self.pieces());
        for pair in order.into_iter().filter(|pair| self.pairs.contains(pair)) {
            let watch = SolveMonitor::new(monitor, true);
            let table = solve(kernel, pair, &finished, &subsets, &options.solve, &watch)?;
            let stop = || monitor.should_stop();
            for (info, cells) in to_be_written(&options, &table, &subsets, pair, &stop)? {
                let (wld, dtw) = encode_to_memory(&info, &cells, &options.write)?;
                let slice = info.material;
                tables.push(MemoryTable { slice, metric: Metric::Wld, bytes: wld });
                tables.push(MemoryTable { slice, metric: Metric::Dtw, bytes: dtw });
            }
            finished.insert(pair, Arc::new(table));
        }
        Ok(tables)
    }
}
