//! Squares and sets of squares, for callers that choose the variant at run time.

use super::bits::{Squares, squares_of};

/// A playing square: its number from White's bottom left corner, left to right, then up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub u8);

/// A set of playing squares of any board; bit `s` stands for [`Square`] `s`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bitboard(pub u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);

    /// Whether `square` is in the set.
    pub const fn contains(self, square: Square) -> bool {
        square.0 < 128 && self.0 >> square.0 & 1 != 0
    }

    /// Adds `square`.
    ///
    /// # Panics
    /// If it is 128 or more, which no board has.
    pub const fn insert(&mut self, square: Square) {
        assert!(square.0 < 128, "no board has this square");
        self.0 |= 1 << square.0;
    }

    /// Number of squares.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set holds no square.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Squares of either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Squares of both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = Self::EMPTY;
        squares.into_iter().for_each(|square| set.insert(square));
        set
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = std::iter::Map<Squares<u128>, fn(u8) -> Square>;

    /// The squares of the set, lowest first.
    fn into_iter(self) -> Self::IntoIter {
        squares_of(self.0).map(Square)
    }
}
