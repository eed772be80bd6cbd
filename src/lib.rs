//! Endgame tablebases of draughts: the exact value of every position with few pieces.

pub mod board;
pub mod index;
pub mod position;
pub mod rules;
pub mod solve;
pub mod value;

pub use position::{Position, PositionError};
pub use rules::{Colour, Variant};
pub use value::{Value, Wld};
