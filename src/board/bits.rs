//! Sets of squares as machine words, for code that is generic over the board size.

use std::fmt::Debug;
use std::hash::Hash;

use num_traits::{PrimInt, Unsigned, WrappingSub};

/// A word wide enough for one bit a square: `u32` for 32 squares, `u64` for 50, `u128` for 72.
pub trait Bits:
    PrimInt + Unsigned + WrappingSub + Default + Hash + Debug + Send + Sync + 'static
{
    /// Number of bits in the word.
    const WIDTH: u32 = (size_of::<Self>() * 8) as u32;

    /// The set that holds `square` alone.
    #[inline(always)]
    fn bit(square: u8) -> Self {
        Self::one() << square as usize
    }

    /// Whether `square` is in the set.
    #[inline(always)]
    fn contains(self, square: u8) -> bool {
        !(self & Self::bit(square)).is_zero()
    }

    /// The lowest square. The set must not be empty.
    #[inline(always)]
    fn lowest(self) -> u8 {
        self.trailing_zeros() as u8
    }

    /// The highest square. The set must not be empty.
    #[inline(always)]
    fn highest(self) -> u8 {
        (Self::WIDTH - 1 - self.leading_zeros()) as u8
    }

    /// The set without its lowest square. The set must not be empty.
    #[inline(always)]
    fn without_lowest(self) -> Self {
        self & (self - Self::one())
    }

    /// All squares below `square`.
    #[inline(always)]
    fn below(square: u8) -> Self {
        Self::bit(square) - Self::one()
    }

    /// The first `count` squares.
    #[inline(always)]
    fn first(count: u8) -> Self {
        if count as u32 == Self::WIDTH { !Self::zero() } else { Self::below(count) }
    }

    /// The squares of a set that this word has room for.
    fn of(wide: u128) -> Self;

    /// The same set for any board.
    #[inline(always)]
    fn wide(self) -> u128 {
        num_traits::cast(self).expect("every word fits 128 bits")
    }
}

macro_rules! words {
    ($($word:ty)+) => {
        $(impl Bits for $word {
            #[inline(always)]
            fn of(wide: u128) -> Self {
                wide as $word
            }
        })+
    };
}
words!(u32 u64 u128);

/// Iterator over the squares of a set, lowest first.
#[derive(Clone, Copy, Debug)]
pub struct Squares<B>(B);

/// The squares of `set`, lowest first.
#[inline(always)]
pub fn squares_of<B: Bits>(set: B) -> Squares<B> {
    Squares(set)
}

impl<B: Bits> Iterator for Squares<B> {
    type Item = u8;

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        if self.0.is_zero() {
            return None;
        }
        let square = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(square)
    }
}
