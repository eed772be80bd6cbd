//! Endgame tablebases of draughts: the exact value of every position with few pieces.

pub mod board;
pub mod index;
pub mod notation;
pub mod play;
pub mod position;
pub mod rules;
pub mod solve;
pub mod store;
pub mod value;

pub use play::{Move, legal_moves};
pub use position::{Position, PositionError};
pub use rules::{Colour, Variant};
pub use value::{Value, Wld};
