//! Endgame tablebases of draughts: the exact value of every position with few pieces.

pub mod board;
pub mod build;
pub mod classics;
pub mod index;
pub mod longest;
pub mod notation;
pub mod play;
pub mod position;
pub mod probe;
pub mod rules;
pub mod solve;
pub mod store;
pub mod value;
pub mod verify;

pub use play::{Move, legal_moves};
pub use position::{Position, PositionError};
pub use probe::Tablebase;
pub use rules::{Colour, Variant};
pub use value::{Counts, Value, Wld};
