//! Positions as numbers: materials, slices, and the order in which slices depend on each other.

mod binomial;
mod material;
mod men;
mod plan;
mod positions;
mod slice;
mod subset;

pub(crate) use binomial::MAX_SUBSET;
pub use binomial::binomial;
pub use material::{Material, MaterialError};
pub(crate) use men::disjoint_sets;
pub use men::{Men, MenIndex};
pub use plan::{MOST_PIECES, Pair, plan, slices};
pub use positions::SlicePositions;
pub use slice::SliceIndex;
pub(crate) use subset::compress;
pub use subset::{rank_subset, unrank_subset};
