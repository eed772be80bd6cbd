//! Cells as the symbols that tables store.

use super::TableInfo;
use crate::store::cell::Cell;
use crate::store::codec::{DONT_CARE, digit};
use crate::store::context::ANY;
use crate::store::error::StoreError;
use crate::value::{Halves, Value};

/// Results as digits, and [`ANY`] for don't-cares.
pub(super) fn results_of(cells: &[Cell]) -> Vec<u8> {
    let result = |cell: &Cell| cell.value().map_or(ANY, |value| digit(value.wld()) as u8);
    cells.iter().map(result).collect()
}

/// Half distances, and [`DONT_CARE`] for what is not stored.
pub(super) fn halves_of(
    info: &TableInfo,
    start: u64,
    cells: &[Cell],
) -> Result<Vec<u16>, StoreError> {
    let halves = info.variant.rules().no_move.halves();
    let half = |(index, &cell): (u64, &Cell)| {
        let wrong = StoreError::WrongCell { material: info.material, index, cell };
        half_of(info, halves, cell).ok_or(wrong)
    };
    (start..).zip(cells).map(half).collect()
}

/// Symbol of a cell in the DTW table; `None` if the slice cannot hold the value.
fn half_of(info: &TableInfo, halves: Halves, cell: Cell) -> Option<u16> {
    let longest = match cell.value() {
        None | Some(Value::Draw) => return Some(DONT_CARE),
        Some(Value::Win(_)) => info.counts.longest_win,
        Some(Value::Loss(_)) => info.counts.longest_loss,
    };
    let value = cell.value().filter(|value| value.plies() <= longest)?;
    let half = halves.half(value)?;
    Some(if info.distances.hold(value.wld()) { half } else { DONT_CARE })
}
