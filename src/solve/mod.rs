//! Retrograde analysis of one pair of slices.
//!
//! All cycles of the game lie inside a *unit*: the placements of the kings around one placement
//! of the men. Units are solved from the most advanced men backwards; every move out of a unit leads to
//! a unit or a pair that is finished.

mod buckets;
mod capture_rules;
mod captures;
mod error;
mod isa;
mod kernel;
mod layout;
mod man_moves;
mod monitor;
mod open_rows;
mod pair_table;
mod parallel;
mod rows;
mod score;
mod set_up;
mod shelf;
mod single;
mod size;
mod solver;
mod source;
mod subsets;
mod unit;
mod work;

pub use error::SolveError;
pub use kernel::Kernel;
pub use monitor::Monitor;
pub use pair_table::{Finished, PairTable};
pub use shelf::{Shelf, ShelfError};
pub use size::{PairMemory, check_size};
pub use solver::{SolveOptions, solve, solve_on_shelf};
pub use subsets::SubsetTables;
