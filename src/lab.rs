//! Compares ways of making tables smaller on the positions of tables that are there. Not part of the public interface.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::index::{Material, SliceIndex};
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Colour, RuleSet, has_capture, with_rule_set};
pub use crate::store::lab::{Measured, Sampled, Stretch, distances, results};

/// Positions of a stretch: a block of results, compressed with zstd.
const STRETCH: u64 = crate::store::WLD_BLOCK_LEN as u64;

/// So many stretches of a slice, or the whole slice, spread evenly.
///
/// # Errors
/// If a table is missing or broken.
pub fn stretches(
    tables: &Tablebase,
    slice: Material,
    count: u64,
) -> Result<(Vec<Stretch>, [usize; 2]), ProbeError> {
    with_rule_set!(tables.variant(), R => {
        let geometry = <R as RuleSet>::geometry();
        let index = SliceIndex::new(geometry, slice);
        let all = index.len().div_ceil(STRETCH);
        let count = count.clamp(1, all);
        let stretch = |number: u64| -> Result<Stretch, ProbeError> {
            let start = (number * all / count) * STRETCH;
            let numbers = start..index.len().min(start + STRETCH);
            let mut stretch = Stretch {
                start,
                values: Vec::new(),
                captures: BitVec::new(),
                threats: BitVec::new(),
            };
            for number in numbers {
                let turned = index.unrank(number);
                let position = Position::from_turned(geometry, &turned, Colour::White);
                stretch.values.push(tables.probe(&position)?);
                stretch.captures.push(has_capture::<R>(geometry, &turned));
                stretch.threats.push(has_capture::<R>(geometry, &turned.passed(geometry)));
            }
            Ok(stretch)
        };
        let found: Result<Vec<_>, _> = (0..count).into_par_iter().map(stretch).collect();
        let unit = [index.own_sets() as usize, (index.unit_len() / index.own_sets()) as usize];
        Ok((found?, unit))
    })
}
