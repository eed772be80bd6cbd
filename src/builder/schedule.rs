//! In what order pairs are solved, and which of them are in memory meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use super::shelf::fits_shelf;
use crate::index::{Material, Pair, SliceIndex, plan};
use crate::rules::{RuleSet, Rules, Variant, with_rule_set};
use crate::solve::PairMemory;

/// What a build does, pair after pair.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Schedule {
    /// The steps in their order.
    pub steps: Vec<Step>,
    /// Most memory that will be in use, in bytes.
    pub memory: u64,
    /// Memory with which the same could just be done, in bytes, with everything on the disk that can be there.
    pub least: u64,
}

/// One pair of a schedule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The pair.
    pub pair: Pair,
    /// Whether its tables are to be written; if not, they are there, and it is solved again for pairs to come.
    pub solved: bool,
    /// Pairs that its moves lead to.
    pub reads: Vec<Pair>,
    /// Those of them that are read on the disk, unit by unit; the others are in memory.
    pub on_disk: Vec<Pair>,
    /// Whether the pair itself goes to the disk, unit by unit, and not into memory.
    pub to_disk: bool,
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

/// What may be in memory at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Budget {
    /// Anything.
    Any,
    /// So many bytes.
    Bytes(u64),
    /// Nothing that can be on the disk.
    Nothing,
}

impl Budget {
    fn is_exceeded(self, bytes: u64) -> bool {
        match self {
            Self::Any => false,
            Self::Bytes(most) => bytes > most,
            Self::Nothing => true,
        }
    }
}

impl Schedule {
    /// Schedules what is needed to solve the `missing` pairs of up to so many pieces, on so many threads, within a budget.
    ///
    /// If the budget is less than [`Schedule::least`], memory goes beyond it: that is the caller's to see.
    pub(super) fn new(
        variant: Variant,
        pieces: u32,
        missing: &BTreeSet<Pair>,
        threads: usize,
        budget: Budget,
    ) -> Self {
        let rules = variant.rules();
        let needed = with_dependencies(rules, missing);
        let order = plan(rules, pieces).into_iter().filter(|pair| needed.contains(pair));
        let order: Vec<Pair> = order.collect();
        // Steps that need each pair, the last one first.
        let mut uses: BTreeMap<Pair, Vec<usize>> = BTreeMap::new();
        for (step, pair) in order.iter().enumerate().rev() {
            for dependency in pair.dependencies(rules) {
                uses.entry(dependency).or_default().push(step);
            }
        }
        // What is in memory, with its size.
        let mut held: BTreeMap<Pair, u64> = BTreeMap::new();
        let mut sizes: BTreeMap<Pair, PairMemory> = BTreeMap::new();
        let mut schedule = Schedule { steps: Vec::new(), memory: 0, least: 0 };
        for (step, &pair) in order.iter().enumerate() {
            let reads = pair.dependencies(rules);
            let solved = missing.contains(&pair);
            let size = PairMemory::of(variant, pair, threads);
            sizes.insert(pair, size);
            // What each pair takes here, in memory and on the disk, if it can be there.
            let taken = |other: Pair| {
                let size = &sizes[&other];
                let (memory, on_disk) = match other == pair {
                    true => (size.solving, size.solving_on_shelf),
                    false => (size.solved, size.on_shelf),
                };
                (memory, fits_shelf(size).then_some(on_disk))
            };
            let here = || reads.iter().copied().chain([pair]);
            // With everything on the disk, or, where that saves nothing, in memory.
            let least =
                |(memory, on_disk): (u64, Option<u64>)| on_disk.unwrap_or(memory).min(memory);
            let all = sum(here().map(|pair| taken(pair).0));
            let least = sum(here().map(|pair| least(taken(pair))));
            let least = least.saturating_add(size.reading).min(all);
            schedule.least = schedule.least.max(with_rest(least, threads));

            let was_held: BTreeSet<Pair> = held.keys().copied().collect();
            held.extend(reads.iter().map(|pair| (*pair, sizes[pair].solved)));
            let mut disk: BTreeMap<Pair, u64> = BTreeMap::new();
            // What is brought in before the pair is begun takes something for a moment.
            let brought = reads.iter().filter(|pair| !was_held.contains(pair));
            let brought = brought.map(|pair| sizes[pair].ordering).max().unwrap_or(0);
            let in_use =
                |held: &BTreeMap<Pair, u64>, disk: &BTreeMap<Pair, u64>, own: Option<u64>| {
                    let reading = if disk.is_empty() && own.is_none() { 0 } else { size.reading };
                    let work = own.unwrap_or(size.solving).max(brought);
                    let all = held.values().chain(disk.values()).copied();
                    with_rest(sum(all.chain([work, reading])), threads)
                };
            // What the pair itself takes if it goes to the disk.
            let mut own = None;
            while budget.is_exceeded(in_use(&held, &disk, own)) {
                // Of those that are not needed now, the one that is needed last.
                let idle = held.keys().filter(|pair| !reads.contains(pair)).copied();
                let next_use = |pair: &Pair| uses.get(pair).and_then(|uses| uses.last());
                if let Some(out) = idle.max_by_key(next_use) {
                    held.remove(&out);
                    continue;
                }
                // Then the one that frees most memory.
                let in_memory = here().filter(|other| match *other == pair {
                    true => own.is_none(),
                    false => held.contains_key(other),
                });
                let movable = in_memory.filter_map(|pair| {
                    let (memory, on_disk) = taken(pair);
                    let saved = memory.saturating_sub(on_disk?);
                    let helps = saved > 0 || matches!(budget, Budget::Nothing);
                    helps.then_some((saved, pair, on_disk?))
                });
                let Some((_, out, on_disk)) = movable.max() else { break };
                if out == pair {
                    own = Some(on_disk);
                } else {
                    held.remove(&out);
                    disk.insert(out, on_disk);
                }
            }
            let to_disk = own.is_some();
            let memory = in_use(&held, &disk, own);
            schedule.memory = schedule.memory.max(memory);
            let put_out =
                was_held.iter().filter(|pair| !held.contains_key(pair)).copied().collect();
            let take_in = held.keys().filter(|pair| !was_held.contains(pair)).copied().collect();
            let on_disk = disk.into_keys().collect();
            if !to_disk {
                held.insert(pair, size.solved);
            }
            for uses in uses.values_mut() {
                if uses.last() == Some(&step) {
                    uses.pop();
                }
            }
            let is_needed = |pair: &Pair| uses.get(pair).is_some_and(|uses| !uses.is_empty());
            let done_with: Vec<Pair> =
                reads.iter().chain([&pair]).copied().filter(|pair| !is_needed(pair)).collect();
            held.retain(|pair, _| is_needed(pair));
            schedule.steps.push(Step {
                pair,
                solved,
                reads,
                on_disk,
                to_disk,
                put_out,
                take_in,
                memory,
                done_with,
            });
        }
        schedule
    }
}

fn sum(bytes: impl IntoIterator<Item = u64>) -> u64 {
    bytes.into_iter().fold(0, u64::saturating_add)
}

/// Positions in the slices of a pair.
pub(super) fn positions(variant: Variant, pair: Pair) -> u64 {
    pair.slices().map(|slice| slice_len(variant, slice)).sum()
}

/// Positions of a slice that can be built.
pub(super) fn slice_len(variant: Variant, slice: Material) -> u64 {
    let len = with_rule_set!(variant, R => SliceIndex::len_of(<R as RuleSet>::geometry(), slice));
    u64::try_from(len).expect("few enough pieces")
}

/// Pairs and all that they depend on, directly or not.
pub(super) fn with_dependencies(rules: &Rules, pairs: &BTreeSet<Pair>) -> BTreeSet<Pair> {
    let mut found = pairs.clone();
    let mut open: Vec<Pair> = pairs.iter().copied().collect();
    while let Some(pair) = open.pop() {
        for dependency in pair.dependencies(rules) {
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
    fn check(schedule: &Schedule, missing: &BTreeSet<Pair>, budget: Budget) {
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
            for pair in &step.reads {
                let place = if step.on_disk.contains(pair) { &out } else { &held };
                assert!(place.contains(pair));
            }
            if let Budget::Bytes(most) = budget {
                assert!(step.memory <= most);
            }
            if step.to_disk {
                out.insert(step.pair)
            } else {
                held.insert(step.pair)
            };
            for pair in &step.done_with {
                assert!(held.remove(pair) || out.remove(pair));
            }
        }
        assert!(held.is_empty() && out.is_empty());
    }

    #[test]
    fn everything_read_is_in_memory_and_within_the_budget() {
        let missing = all(6);
        let free = Schedule::new(Variant::Russian, 6, &missing, 2, Budget::Any);
        check(&free, &missing, Budget::Any);
        assert!(free.steps.iter().all(|step| step.put_out.is_empty() && !step.to_disk));
        assert!(free.least < free.memory);
        for budget in [free.least, (free.least + free.memory) / 2, free.memory] {
            let schedule = Schedule::new(Variant::Russian, 6, &missing, 2, Budget::Bytes(budget));
            check(&schedule, &missing, Budget::Bytes(budget));
            let on_disk = schedule.steps.iter().filter(|step| step.to_disk).count();
            assert_eq!(on_disk > 0, budget < free.memory);
        }
        let short = Schedule::new(Variant::Russian, 6, &missing, 2, Budget::Bytes(free.least - 1));
        assert!(short.memory >= free.least);
        let nothing = Schedule::new(Variant::Russian, 6, &missing, 2, Budget::Nothing);
        check(&nothing, &missing, Budget::Nothing);
        let fits = |pair: &Pair| fits_shelf(&PairMemory::of(Variant::Russian, *pair, 2));
        for step in &nothing.steps {
            assert_eq!(step.to_disk, fits(&step.pair));
            let on_disk = step.reads.iter().filter(|pair| fits(pair)).count();
            assert_eq!(step.on_disk.len(), on_disk);
        }
    }

    #[test]
    fn pairs_that_are_there_are_restored_only_if_they_are_needed() {
        let missing: BTreeSet<Pair> = [Pair::of("KvK".parse().unwrap())].into();
        assert_eq!(Schedule::new(Variant::Russian, 4, &missing, 1, Budget::Any).steps.len(), 1);
        let missing: BTreeSet<Pair> =
            all(4).into_iter().filter(|pair| pair.first().pieces() == 4).collect();
        let schedule = Schedule::new(Variant::Russian, 4, &missing, 1, Budget::Any);
        check(&schedule, &missing, Budget::Any);
        assert!(schedule.steps.iter().any(|step| !step.solved));
        assert_eq!(schedule.steps.iter().filter(|step| step.solved).count(), missing.len());
    }
}
