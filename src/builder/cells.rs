//! Solved slices as tables store them.

use super::error::BuildError;
use super::options::BuildOptions;
use crate::board::Bits;
use crate::index::{Pair, SliceIndex};
use crate::solve::{PairTable, SubsetTables};
use crate::store::{Cell, Cells, CellsError, Results, TableInfo, distance_sizes};

/// The slices of a solved pair, and what their tables shall hold.
pub(super) fn to_be_written<'t, B: Bits>(
    options: &BuildOptions,
    table: &'t PairTable<B>,
    subsets: &'t SubsetTables<B>,
    pair: Pair,
    should_stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<(TableInfo, SliceCells<'t, B>)>, BuildError> {
    let mut slices = Vec::new();
    let mut sizes = Vec::new();
    for material in pair.slices() {
        let counts = table.counts(material)?;
        let variant = options.variant;
        let info = TableInfo { variant, material, counts, distances: Results::ALL };
        let index = SliceIndex::new(table.geometry(), material);
        let cells = SliceCells { table, index, subsets };
        if !options.all_distances {
            sizes.push(distance_sizes(&info, &cells, should_stop)?);
        }
        slices.push((info, cells));
    }
    if options.all_distances {
        return Ok(slices);
    }
    // A quiet move leads from a win here to a loss in the twin, or the other way round: of both distances, the cheaper is stored.
    let last = slices.len() - 1;
    let (wins, losses) = sizes[0];
    let (twin_wins, twin_losses) = sizes[last];
    let stores_win = wins <= twin_losses;
    let stores_loss = losses < twin_wins;
    slices[0].0.distances = Results { wins: stores_win, losses: stores_loss };
    if last > 0 {
        slices[last].0.distances = Results { wins: !stores_loss, losses: !stores_win };
    }
    Ok(slices)
}

/// A solved slice as tables store it.
pub(super) struct SliceCells<'a, B: Bits> {
    table: &'a PairTable<B>,
    index: SliceIndex<B>,
    subsets: &'a SubsetTables<B>,
}

impl<B: Bits> Cells for SliceCells<'_, B> {
    fn len(&self) -> u64 {
        self.index.len()
    }

    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        let mut cells = out.iter_mut();
        self.table.visit(
            &self.index,
            self.subsets,
            start,
            cells.len() as u64,
            |value, captures| {
                let cell = if captures { Cell::DONT_CARE } else { Cell::from(value) };
                *cells.next().expect("as many positions as asked for") = cell;
            },
        )?;
        self.index.clear_unstored(start, out, Cell::DONT_CARE);
        Ok(())
    }
}
