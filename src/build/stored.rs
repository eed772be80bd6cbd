//! Tables of an earlier build as values of a slice.

use std::path::Path;

use super::{BuildOptions, open};
use crate::index::Material;
use crate::rules::RuleSet;
use crate::solve::{ReadValues, ShelfError, StoredValues};
use crate::store::{Cell, Header, Metric, StoreError, Table};
use crate::value::{Value, Wld};

/// The tables of a slice.
pub(super) struct Stored {
    wld: Table,
    dtw: Table,
    /// All their values, if memory is for speed.
    cells: Option<Vec<Cell>>,
}

impl Stored {
    /// Opens the tables of a slice, and decodes them if they are wanted `whole`.
    pub fn open<R: RuleSet>(
        options: &BuildOptions,
        folder: &Path,
        slice: Material,
        whole: bool,
    ) -> Result<Self, StoreError> {
        let wld = open::<R>(options, folder, slice, Metric::Wld)?;
        let dtw = open::<R>(options, folder, slice, Metric::Dtw)?;
        let mut stored = Stored { wld, dtw, cells: None };
        if whole {
            let mut cells = Vec::with_capacity(stored.wld.positions() as usize);
            for block in 0..stored.wld.block_count() {
                stored.decode(block, &mut cells)?;
            }
            stored.cells = Some(cells);
        }
        Ok(stored)
    }

    /// Adds the cells of a block of the `.wld` table.
    fn decode(&self, block: u64, cells: &mut Vec<Cell>) -> Result<(), StoreError> {
        let Stored { wld, dtw, .. } = self;
        let (mut start, positions) = wld.block_range(block);
        let mut bytes = Vec::new();
        wld.decode_block(block, &mut bytes)?;
        let first = cells.len();
        let results = (0..positions).filter_map(|place| wld.wld(&bytes, place));
        cells.extend(results.map(|result| match result {
            Wld::Win => Cell::win(0),
            Wld::Draw => Cell::DRAW,
            Wld::Loss => Cell::loss(0),
        }));
        let mut rest = &mut cells[first..];
        while !rest.is_empty() {
            let (block, place) = dtw.block_of(start);
            let (_, len) = dtw.block_range(block);
            dtw.decode_block(block, &mut bytes)?;
            let (here, next) = rest.split_at_mut((len - place).min(rest.len()));
            start += here.len() as u64;
            for (place, cell) in (place..).zip(here) {
                // What is said of a don't-care may be no value at all.
                let value = cell.value().and_then(|v| dtw.value(&bytes, place, v.wld()));
                *cell = value.map_or(Cell::DONT_CARE, Cell::from);
            }
            rest = next;
        }
        Ok(())
    }
}

impl StoredValues for Stored {
    fn reader(&self) -> Box<dyn ReadValues + '_> {
        match &self.cells {
            Some(cells) => Box::new(Whole(cells)),
            None => Box::new(Blocks { stored: self, start: 0, cells: Vec::new() }),
        }
    }

    fn longest(&self) -> u16 {
        let Header { counts, .. } = self.dtw.header();
        counts.longest_win.max(counts.longest_loss).unwrap_or(0)
    }
}

struct Whole<'a>(&'a [Cell]);

impl ReadValues for Whole<'_> {
    fn value(&mut self, index: u64) -> Result<Option<Value>, ShelfError> {
        Ok(self.0[index as usize].value())
    }
}

/// Decodes a block at a time.
struct Blocks<'a> {
    stored: &'a Stored,
    /// First position of the block.
    start: u64,
    cells: Vec<Cell>,
}

impl ReadValues for Blocks<'_> {
    fn value(&mut self, index: u64) -> Result<Option<Value>, ShelfError> {
        let here = index.wrapping_sub(self.start);
        if here < self.cells.len() as u64 {
            return Ok(self.cells[here as usize].value());
        }
        let (block, _) = self.stored.wld.block_of(index);
        self.start = self.stored.wld.block_range(block).0;
        self.cells.clear();
        self.stored.decode(block, &mut self.cells)?;
        Ok(self.cells[(index - self.start) as usize].value())
    }
}
