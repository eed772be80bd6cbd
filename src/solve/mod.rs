//! Retrograde analysis of one pair of slices.
//!
//! All cycles of the game lie inside a *unit*: the placements of the kings around one placement
//! of the men. Units are solved from the most advanced men backwards; every move out of a unit leads to
//! a unit or a pair that is finished.

mod buckets;
mod captures;
mod isa;
mod kernel;
mod pair_table;
mod rows;
mod score;
mod set_up;
mod shelf;
mod single;
mod solver;
mod subsets;
mod unit;

pub use kernel::Kernel;
pub use pair_table::{Finished, PairTable};
pub use shelf::{Shelf, ShelfError};
pub use solver::{
    Monitor, PairMemory, SolveError, SolveOptions, check_size, solve, solve_on_shelf,
};
pub use subsets::SubsetTables;
