//! Builds the tables of a variant, pair by pair.

mod cells;
mod checkpoint;
mod error;
mod folder;
mod forecast;
mod free_memory;
mod in_memory;
mod limits;
mod lock;
mod options;
mod report;
mod schedule;
mod shelf;
mod steps;

pub use error::BuildError;
pub use forecast::{Forecast, Rates, StepForecast, forecast, planned_time};
pub use in_memory::{MemoryBuild, MemoryTable};
pub use limits::most_pieces;
pub use options::BuildOptions;
pub use report::{BuildEvent, BuildMonitor, BuildReport, PairReport, Spent};
pub use schedule::{Schedule, Step};
pub use steps::build;

pub use crate::index::Pair;
pub use crate::solve::{SolveError, SolveOptions};
pub use crate::store::WriteOptions;
pub use crate::threads::Shortfall;
