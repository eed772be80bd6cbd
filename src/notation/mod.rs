//! Text of positions and moves, both directions, and games of PDN files.
//!
//! Many dialects are read, one is written:
//!
//! ```
//! use damka::Variant;
//! use damka::notation::{parse_fen, parse_move, write_fen};
//!
//! let position = parse_fen(Variant::Russian, "W:WK29,22:B1.")?;
//! assert_eq!(write_fen(&position), "W:WKa1,c3:Bb8");
//!
//! let step = parse_move(&position, "c3-d4")?;
//! assert!(!step.is_capture());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod diagram;
mod fen;
mod hub;
mod moves;
mod pdn;
mod pdn_reader;
mod squares;

pub use crate::rules::SquareNames;
pub use diagram::{diagram, diagram_with};
pub use fen::{FenError, MAX_FEN_LEN, parse_fen, start_position, write_fen, write_fen_with};
pub use hub::write_hub;
pub use moves::{MoveError, MoveWriter, parse_move, write_move, write_move_with};
pub use pdn::{MAX_GAME_LEN, Outcome, PdnError, PdnGame};
pub use pdn_reader::{PdnGames, PdnReader, parse_pdn};
pub use squares::{SquareError, names_in_words, parse_square, square_name};
