//! Positions as numbers: materials, slices, and the order in which slices depend on each other.

mod binomial;
mod material;
mod men;
mod plan;
mod positions;
mod runs;
mod slice;
mod subset;

pub use binomial::binomial;
pub use material::{Material, MaterialError};
pub(crate) use men::disjoint_sets;
pub use men::{Men, MenIndex};
pub use plan::{MOST_PIECES, Pair, plan, slices};
pub use positions::SlicePositions;
pub(crate) use runs::{OUTER, Room, Runs, Visitor};
pub use slice::SliceIndex;
pub use subset::{rank_subset, unrank_subset};
