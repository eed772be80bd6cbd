//! What a table is told about each position.

use std::fmt;

use crate::value::Value;

/// Value of a position, or that nobody will ask for it, in 16 bits.
///
/// ```
/// use damka::Value;
/// use damka::store::Cell;
/// assert_eq!(Cell::win(3).value(), Some(Value::Win(3)));
/// assert_eq!(Cell::from(Value::Draw), Cell::DRAW);
/// assert_eq!(Cell::DONT_CARE.value(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Cell(u16);

impl Cell {
    /// The side to move has a capture, or the value is stored elsewhere in the slice
    /// ([`SliceIndex::stored_rank`](crate::index::SliceIndex::stored_rank)): any value may be stored.
    pub const DONT_CARE: Self = Self(0);
    /// A draw.
    pub const DRAW: Self = Self(1);
    /// Longest distance that a cell holds, in plies.
    pub const MAX_PLIES: u16 = 32_766;

    /// A win in so many plies.
    ///
    /// # Panics
    /// Above [`Cell::MAX_PLIES`].
    #[inline]
    pub const fn win(plies: u16) -> Self {
        assert!(plies <= Self::MAX_PLIES);
        Self(2 + 2 * plies)
    }

    /// A loss in so many plies.
    ///
    /// # Panics
    /// Above [`Cell::MAX_PLIES`].
    #[inline]
    pub const fn loss(plies: u16) -> Self {
        assert!(plies <= Self::MAX_PLIES);
        Self(3 + 2 * plies)
    }

    /// The value; `None` for a don't-care.
    #[inline]
    pub const fn value(self) -> Option<Value> {
        match self.0 {
            0 => None,
            1 => Some(Value::Draw),
            code if code % 2 == 0 => Some(Value::Win(code / 2 - 1)),
            code => Some(Value::Loss(code / 2 - 1)),
        }
    }
}

impl From<Value> for Cell {
    /// # Panics
    /// For distances above [`Cell::MAX_PLIES`].
    #[inline]
    fn from(value: Value) -> Self {
        match value {
            Value::Win(plies) => Self::win(plies),
            Value::Draw => Self::DRAW,
            Value::Loss(plies) => Self::loss(plies),
        }
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            None => f.write_str("DontCare"),
            Some(value) => value.fmt(f),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            None => f.write_str("don't-care"),
            Some(value) => value.fmt(f),
        }
    }
}

/// The values of a slice, as the writer of its tables asks for them.
pub trait Cells: Sync {
    /// Number of positions of the slice.
    fn len(&self) -> u64;

    /// Whether there is no position.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` with the cells of positions `start..start + out.len()`, in index order. Called
    /// from many threads at once, once for each position, and before that for a sample of them.
    ///
    /// # Errors
    /// If the cells cannot be had. No table is written then.
    fn fill(&self, start: u64, out: &mut [Cell]) -> Result<(), CellsError>;
}

/// Why cells cannot be had, as whoever has them says it.
pub type CellsError = Box<dyn std::error::Error + Send + Sync>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_in_a_cell() {
        for plies in 0..=Cell::MAX_PLIES {
            for value in [Value::Win(plies), Value::Draw, Value::Loss(plies)] {
                assert_eq!(Cell::from(value).value(), Some(value));
            }
        }
    }
}
