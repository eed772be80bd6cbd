//! Compares ways of making tables smaller on the positions of tables that are there. Not part of the public interface.

use bitvec::vec::BitVec;
use rayon::prelude::*;

use crate::board::{Bits, Geometry};
use crate::index::{Material, SliceIndex};
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Colour, RuleSet, Turned, has_capture, with_rule_set};
pub use crate::store::lab::{Measured, Sampled, Series, Stretch, distances, results};

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
        let columns = order_of(geometry, |column, row| (column, row));
        let diagonals = order_of(geometry, |column, row| (column + row, row));
        let series = |positions: &mut dyn Iterator<Item = Turned<_>>| -> Result<Series, ProbeError> {
            let mut series = Series {
                values: Vec::new(),
                captures: BitVec::new(),
                threats: BitVec::new(),
            };
            for turned in positions {
                let position = Position::from_turned(tables.variant(), geometry, &turned, Colour::White);
                series.values.push(tables.probe(&position)?);
                series.captures.push(has_capture::<R>(geometry, &turned));
                series.threats.push(has_capture::<R>(geometry, &turned.passed(geometry)));
            }
            Ok(series)
        };
        let stretch = |number: u64| -> Result<Stretch, ProbeError> {
            let start = (number * all / count) * STRETCH;
            let positions = || (start..index.len().min(start + STRETCH)).map(|n| index.unrank(n));
            let reordered = |order: &[u8]| {
                series(&mut positions().map(|turned| with_kings_in_order(&turned, order)))
            };
            Ok(Stretch {
                start,
                usual: series(&mut positions())?,
                reordered: [reordered(&columns)?, reordered(&diagonals)?],
            })
        };
        let found: Result<Vec<_>, _> = (0..count).into_par_iter().map(stretch).collect();
        let unit = [index.own_sets() as usize, (index.unit_len() / index.own_sets()) as usize];
        Ok((found?, unit))
    })
}

/// All squares, by a key that their column and row have.
fn order_of<B: Bits>(geometry: &Geometry<B>, key: impl Fn(u8, u8) -> (u8, u8)) -> Vec<u8> {
    let mut squares: Vec<u8> = (0..geometry.squares).collect();
    squares.sort_by_key(|&square| {
        let (column, row) = geometry.shape.column_row(square);
        key(column, row)
    });
    squares
}

/// The position that has this place in the index if free squares are counted in another order for the kings.
fn with_kings_in_order<B: Bits>(turned: &Turned<B>, order: &[u8]) -> Turned<B> {
    let place = |kings: B, taken: B, taken_there: B| {
        let usual = (0..order.len() as u8).filter(|&square| !taken.contains(square));
        let there = order.iter().filter(|&&square| !taken_there.contains(square));
        let moved = usual.zip(there).filter(|&(square, _)| kings.contains(square));
        moved.fold(B::zero(), |set, (_, &to)| set | B::bit(to))
    };
    let men = turned.own_men | turned.opp_men;
    let opp_kings = place(turned.opp_kings, men, men);
    let own_kings = place(turned.own_kings, men | turned.opp_kings, men | opp_kings);
    Turned { own_kings, opp_kings, ..*turned }
}
