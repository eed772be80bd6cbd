//! The longest wins of a slice.

use rayon::prelude::*;

use crate::index::{Material, SliceIndex};
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Colour, RuleSet, with_rule_set};
use crate::store::Metric;
use crate::value::Value;

/// Positions that one task asks for.
const CHUNK: u64 = 1 << 12;

/// The positions of a slice with the longest win, as [`longest_wins`] finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongestWins {
    /// Plies of the longest win; `None` if no position of the slice is won.
    pub plies: Option<u16>,
    /// All positions with that distance, White to move, in index order.
    pub positions: Vec<Position>,
}

/// Finds the positions of a slice that the side to move wins latest, captures included, by
/// asking for every position. O(positions of the slice).
///
/// # Errors
/// If a table of the slice, or one that it depends on, is missing or broken.
pub fn longest_wins(
    tables: &Tablebase,
    slice: Material,
    advance: &(dyn Fn(u64) + Sync),
) -> Result<LongestWins, ProbeError> {
    let Some(plies) = tables.header(slice, Metric::Dtw)?.counts.longest_win else {
        return Ok(LongestWins { plies: None, positions: Vec::new() });
    };
    let positions = with_rule_set!(tables.variant(), R => {
        let geometry = <R as RuleSet>::geometry();
        let index = SliceIndex::new(geometry, slice);
        let chunks = (0..index.len().div_ceil(CHUNK)).into_par_iter().map(|chunk| {
            let numbers = chunk * CHUNK..index.len().min((chunk + 1) * CHUNK);
            let done = numbers.end - numbers.start;
            let mut found = Vec::new();
            for number in numbers {
                let position = Position::from_turned(geometry, &index.unrank(number), Colour::White);
                if tables.probe(&position)? == Value::Win(plies) {
                    found.push(position);
                }
            }
            advance(done);
            Ok(found)
        });
        chunks.collect::<Result<Vec<_>, ProbeError>>()?.concat()
    });
    Ok(LongestWins { plies: Some(plies), positions })
}
