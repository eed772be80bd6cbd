//! Endgame tablebases of draughts: the exact value of every position with few pieces.
//!
//! Build tables once, then ask for positions:
//!
//! ```
//! use damka::build::{BuildOptions, build};
//! use damka::notation::parse_fen;
//! use damka::{Tablebase, Value, Variant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! build(&BuildOptions::new(Variant::Russian, 2, folder), &())?;
//!
//! let tables = Tablebase::open(Variant::Russian, &[folder])?;
//! // On the main road every move is captured.
//! let position = parse_fen(Variant::Russian, "W:WKa1:BKh8")?;
//! assert_eq!(tables.probe(&position)?, Value::Loss(2));
//! # Ok(()) }
//! ```
//!
//! All distances are in *plies*, moves of one player, to the end of the game, with the winner hurrying and the loser
//! delaying. All values are those of the side to move.
//!
//! The layers, each built on those before it: [`board`], [`rules`], [`value`], [`position`] with [`notation`] and
//! [`play`], [`index`], [`solve`] and [`store`] (which do not know each other), [`build`](mod@build) with its [`limits`], [`probe`], and what
//! asks it: [`verify`](mod@verify), [`longest`], [`classics`].
//!
//! # Features
//!
//! `cli` (on by default) is what the program `damka` needs and the library does not.

// Who only probes needs a part of what the builder shares.
#![cfg_attr(not(feature = "build"), allow(dead_code, unused_imports, unused_macros))]

pub mod board;
#[cfg(feature = "build")]
pub mod build;
pub mod classics;
pub mod index;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod lab;
#[cfg(feature = "build")]
pub mod limits;
#[cfg(feature = "build")]
pub mod longest;
pub mod notation;
pub mod play;
pub mod position;
pub mod probe;
pub mod rules;
#[cfg(feature = "build")]
pub mod solve;
pub mod store;
pub mod value;
#[cfg(feature = "build")]
pub mod verify;

pub use play::{Move, can_capture, legal_moves};
pub use position::{Position, PositionError};
pub use probe::{ProbeError, Tablebase};
pub use rules::{Colour, Variant};
pub use value::{Counts, Value, Wld};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
