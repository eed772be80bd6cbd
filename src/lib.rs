//! Endgame tablebases of draughts: the exact value of every position with few pieces.
//!
//! Build tables once, then ask for positions:
//!
//! ```
//! use damka::builder::{BuildOptions, build};
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
//! # What is stable
//!
//! Once released, these change only with a major version:
//!
//! - what stands here at the root: [`Position`] and [`Move`], [`Value`] and [`Wld`], [`Variant`], [`Tablebase`], and what they are made of;
//! - [`notation`]: positions, moves and games as text;
//! - [`probe`]: how tables are opened, where their bytes come from, and what can go wrong;
//! - [`builder`]: building tables, and what a build will take;
//! - [`verify`](mod@verify): checking them.
//!
//! [`internals`] is what these are made of, for tests, benches and the curious. It may change with any version.
//!
//! # Features
//!
//! - `build` builds and verifies tables ([`builder`], [`verify`](mod@verify)). Without it the library only probes, and has neither solver nor
//!   writer nor their dependencies, rayon among them.
//! - `cli` (on by default) is what the program `damka` needs; it includes `build`.
//! - `serde`: values, results, colours and counts can be serialized.
//!
//! ```toml
//! damka = { version = "0.1", default-features = false } # a prober
//! ```

// Who only probes needs a part of what the builder shares.
#![cfg_attr(
    not(feature = "build"),
    allow(dead_code, unused_imports, unused_macros, rustdoc::broken_intra_doc_links)
)]

#[doc(hidden)]
pub mod board;
#[cfg(feature = "build")]
pub mod builder;
#[doc(hidden)]
pub mod classics;
#[doc(hidden)]
pub mod index;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod lab;
#[cfg(feature = "build")]
#[doc(hidden)]
pub mod longest;
pub mod notation;
mod play;
mod position;
pub mod probe;
#[doc(hidden)]
pub mod rules;
#[cfg(feature = "build")]
#[doc(hidden)]
pub mod solve;
#[doc(hidden)]
pub mod store;
mod system;
#[cfg(feature = "build")]
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod value;
#[cfg(feature = "build")]
pub mod verify;

/// What the library is made of. All of it may change with any version.
///
/// The layers, each built on those before it: [`board`], [`rules`], [`value`], positions and
/// moves with their [`notation`], [`index`], `solve` and [`store`] (which do not know each other), `build`,
/// [`probe`], and what asks it: `verify`, `longest`, [`classics`].
pub mod internals {
    #[doc(inline)]
    pub use crate::{board, classics, index, rules, store, value};
    #[cfg(feature = "build")]
    #[doc(inline)]
    pub use crate::{longest, solve};
}

pub use board::{Bitboard, Square};
pub use index::Material;
pub use play::{Move, can_capture, legal_moves};
pub use position::{Position, PositionError};
pub use probe::{ProbeError, RatedMove, Tablebase};
pub use rules::{Colour, UnknownVariant, Variant};
pub use store::Metric;
pub use value::{Counts, Value, Wld};

/// Whoever probes from several threads relies on this.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<Tablebase>();
    shared_by_threads::<ProbeError>();
    shared_by_threads::<Position>();
    shared_by_threads::<Move>();
};

/// The example of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
