//! In what order pairs are solved, and which of them are in memory meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use crate::index::{Material, Pair, SliceIndex, plan};
use crate::rules::RuleSet;
use crate::solve::memory;
use crate::store::Cell;

/// What a build does, pair after pair.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// Most memory that will be in use, in bytes.
    pub memory: u64,
    /// Memory with which the same could just be done, in bytes: pairs that are not needed at a step are kept on the disk then.
    pub least: u64,
}

/// One pair of a schedule.
#[derive(Clone, Debug)]
pub struct Step {
    /// The pair.
    pub pair: Pair,
    /// Whether it is solved; if not, its tables are there, and it is put into memory for pairs to come.
    pub solved: bool,
    /// Pairs that its moves lead to, and that are in memory at this step.
    pub reads: Vec<Pair>,
    /// Pairs that go from memory to the disk before this step.
    pub put_out: Vec<Pair>,
    /// Pairs that come back from the disk before this step.
    pub take_in: Vec<Pair>,
    /// Bytes in use during this step.
    pub memory: u64,
    /// Pairs that no step after this one needs. They leave memory and disk, apart from their tables.
    pub done_with: Vec<Pair>,
}

/// With what is in memory besides pairs: the program itself, encoders, and what allocators keep. Rounded up from the peaks of builds of 4 and
/// 5 pieces of Russian draughts.
fn with_rest(bytes: u64, threads: usize) -> u64 {
    bytes.saturating_add(bytes / 8).saturating_add((64 << 20) + ((threads as u64) << 23))
}

impl Schedule {
    /// Schedules what is needed to solve the `missing` pairs of up to so many pieces, on so many threads, within `budget` bytes if there
    /// is one.
    ///
    /// If the budget is less than [`Schedule::least`], memory goes beyond it: that is the caller's to see.
    pub fn new<R: RuleSet>(
        pieces: u32,
        missing: &BTreeSet<Pair>,
        threads: usize,
        budget: Option<u64>,
    ) -> Self {
        let needed = with_dependencies::<R>(missing);
        let order = plan(&R::RULES, pieces).into_iter().filter(|pair| needed.contains(pair));
        let order: Vec<Pair> = order.collect();
        // Steps that need each pair, the last one first.
        let mut uses: BTreeMap<Pair, Vec<usize>> = BTreeMap::new();
        for (step, pair) in order.iter().enumerate().rev() {
            for dependency in pair.dependencies(&R::RULES) {
                uses.entry(dependency).or_default().push(step);
            }
        }
        let mut held: BTreeMap<Pair, u64> = BTreeMap::new();
        let mut sizes: BTreeMap<Pair, u64> = BTreeMap::new();
        let mut schedule = Schedule { steps: Vec::new(), memory: 0, least: 0 };
        for (step, &pair) in order.iter().enumerate() {
            let reads = pair.dependencies(&R::RULES);
            let solved = missing.contains(&pair);
            let (size, work) = memory(R::geometry(), pair, threads);
            let work = if solved { work } else { size.saturating_add(decoded::<R>(pair)) };
            let take_in: Vec<Pair> =
                reads.iter().copied().filter(|pair| !held.contains_key(pair)).collect();
            held.extend(take_in.iter().map(|pair| (*pair, sizes[pair])));
            let least: u64 = reads.iter().map(|pair| sizes[pair]).sum();
            schedule.least = schedule.least.max(with_rest(least.saturating_add(work), threads));
            let in_use = |held: &BTreeMap<Pair, u64>| {
                with_rest(held.values().sum::<u64>().saturating_add(work), threads)
            };
            let mut put_out = Vec::new();
            while budget.is_some_and(|budget| in_use(&held) > budget) {
                // Of those that are not needed now, the one that is needed last.
                let idle = held.keys().filter(|pair| !reads.contains(pair));
                let next_use = |pair: &&Pair| uses.get(pair).and_then(|uses| uses.last());
                let Some(&out) = idle.max_by_key(next_use) else { break };
                held.remove(&out);
                put_out.push(out);
            }
            let memory = in_use(&held);
            schedule.memory = schedule.memory.max(memory);
            held.insert(pair, size);
            sizes.insert(pair, size);
            for uses in uses.values_mut() {
                if uses.last() == Some(&step) {
                    uses.pop();
                }
            }
            let is_needed = |pair: &Pair| uses.get(pair).is_some_and(|uses| !uses.is_empty());
            let done_with: Vec<Pair> =
                reads.iter().chain([&pair]).copied().filter(|pair| !is_needed(pair)).collect();
            held.retain(|pair, _| is_needed(pair));
            let step = Step { pair, solved, reads, put_out, take_in, memory, done_with };
            schedule.steps.push(step);
        }
        schedule
    }
}

/// Bytes of the cells of a pair's tables while it is put into memory.
fn decoded<R: RuleSet>(pair: Pair) -> u64 {
    positions::<R>(pair).saturating_mul(size_of::<Cell>() as u64)
}

/// Positions in the slices of a pair.
pub(super) fn positions<R: RuleSet>(pair: Pair) -> u64 {
    pair.slices().map(slice_len::<R>).sum()
}

/// Positions of a slice that can be built.
pub(super) fn slice_len<R: RuleSet>(slice: Material) -> u64 {
    u64::try_from(SliceIndex::len_of(R::geometry(), slice)).expect("few enough pieces")
}

/// Pairs and all that they depend on, directly or not.
fn with_dependencies<R: RuleSet>(pairs: &BTreeSet<Pair>) -> BTreeSet<Pair> {
    let mut found = pairs.clone();
    let mut open: Vec<Pair> = pairs.iter().copied().collect();
    while let Some(pair) = open.pop() {
        for dependency in pair.dependencies(&R::RULES) {
            if found.insert(dependency) {
                open.push(dependency);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Russian;

    fn all(pieces: u32) -> BTreeSet<Pair> {
        plan(&Russian::RULES, pieces).into_iter().collect()
    }

    /// What is in memory, step by step, by a second account.
    fn check(schedule: &Schedule, missing: &BTreeSet<Pair>, budget: Option<u64>) {
        let mut held = BTreeSet::new();
        let mut out = BTreeSet::new();
        for step in &schedule.steps {
            assert_eq!(step.solved, missing.contains(&step.pair));
            for pair in &step.put_out {
                assert!(held.remove(pair) && out.insert(*pair));
            }
            for pair in &step.take_in {
                assert!(out.remove(pair) && held.insert(*pair));
            }
            assert_eq!(step.reads, step.pair.dependencies(&Russian::RULES));
            assert!(step.reads.iter().all(|pair| held.contains(pair)));
            assert!(budget.is_none_or(|budget| step.memory <= budget));
            held.insert(step.pair);
            for pair in &step.done_with {
                assert!(held.remove(pair) || out.remove(pair));
            }
        }
        assert!(held.is_empty() && out.is_empty());
    }

    #[test]
    fn everything_read_is_in_memory_and_within_the_budget() {
        let missing = all(6);
        let free = Schedule::new::<Russian>(6, &missing, 2, None);
        check(&free, &missing, None);
        assert!(free.steps.iter().all(|step| step.put_out.is_empty()));
        assert!(free.least < free.memory);
        for budget in [free.least, (free.least + free.memory) / 2, free.memory] {
            let schedule = Schedule::new::<Russian>(6, &missing, 2, Some(budget));
            check(&schedule, &missing, Some(budget));
        }
        assert!(
            Schedule::new::<Russian>(6, &missing, 2, Some(free.least - 1)).memory >= free.least
        );
    }

    #[test]
    fn pairs_that_are_there_are_restored_only_if_they_are_needed() {
        let missing: BTreeSet<Pair> = [Pair::of("KvK".parse().unwrap())].into();
        assert_eq!(Schedule::new::<Russian>(4, &missing, 1, None).steps.len(), 1);
        let missing: BTreeSet<Pair> =
            all(4).into_iter().filter(|pair| pair.first().pieces() == 4).collect();
        let schedule = Schedule::new::<Russian>(4, &missing, 1, None);
        check(&schedule, &missing, None);
        assert!(schedule.steps.iter().any(|step| !step.solved));
        assert_eq!(schedule.steps.iter().filter(|step| step.solved).count(), missing.len());
    }
}
