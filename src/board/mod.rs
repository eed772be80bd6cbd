//! Boards: shapes, squares and sets of squares. Knows no rules.
//!
//! Squares are numbered from White's bottom left corner, left to right, then up:
//! on the 8x8 board a1 is 0, c1 is 1, b2 is 4 and h8 is 31. Turning the board by
//! 180 degrees maps square `s` to `squares - 1 - s`.

mod bits;
mod geometry;
mod square;

pub use bits::{Bits, Squares, squares_of};
pub use geometry::{Direction, Geometry, MAX_SQUARES, Playing, Shape};
pub use square::{Bitboard, Square};
