//! The positions of a slice, for callers that choose the variant at run time.

use std::fmt;

use super::material::Material;
use super::slice::SliceIndex;
use crate::board::Bits;
use crate::position::Position;
use crate::rules::{Colour, RuleSet, Variant, with_rule_set};

/// The positions of a slice by their numbers: [`SliceIndex`] for a variant that is chosen at run time.
pub struct SlicePositions {
    variant: Variant,
    index: Box<dyn Numbers>,
}

impl fmt::Debug for SlicePositions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlicePositions")
            .field("variant", &self.variant)
            .field("positions", &self.len())
            .finish_non_exhaustive()
    }
}

/// [`SliceIndex`] of any board.
trait Numbers: Send + Sync {
    fn len(&self) -> u64;
    fn position(&self, variant: Variant, number: u64, stm: Colour) -> Position;
    fn is_symmetric(&self) -> bool;
    fn images(&self, number: u64) -> [u64; 4];
}

impl<B: Bits> Numbers for SliceIndex<B> {
    fn len(&self) -> u64 {
        SliceIndex::len(self)
    }

    fn position(&self, variant: Variant, number: u64, stm: Colour) -> Position {
        Position::from_turned(variant, self.geometry(), &self.unrank(number), stm)
    }

    fn is_symmetric(&self) -> bool {
        SliceIndex::is_symmetric(self)
    }

    fn images(&self, number: u64) -> [u64; 4] {
        self.image_ranks(&self.unrank(number))
    }
}

impl SlicePositions {
    /// Prepares the numbers of a slice.
    pub fn new(variant: Variant, slice: Material) -> Self {
        let index = with_rule_set!(variant, R => {
            Box::new(SliceIndex::new(<R as RuleSet>::geometry(), slice)) as Box<dyn Numbers>
        });
        SlicePositions { variant, index }
    }

    /// Number of positions; there always is one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        self.index.len()
    }

    /// The position with this number, with `stm` to move. O(squares + log units).
    ///
    /// # Panics
    /// If `number` is not below [`SlicePositions::len`].
    pub fn position(&self, number: u64, stm: Colour) -> Position {
        self.index.position(self.variant, number, stm)
    }

    /// Whether tables hold some positions under the number of another one.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.index.is_symmetric()
    }

    /// In a symmetric slice, the numbers of a position and of those that follow from it by symmetry; some may be the same.
    pub(crate) fn images(&self, number: u64) -> [u64; 4] {
        self.index.images(number)
    }
}
