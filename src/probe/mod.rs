//! The public question: what is this position worth?

mod cache;
mod rating;
mod resolve;
mod tablebase;

pub use rating::{Evaluation, Line, RatedMove, Rating};
pub use tablebase::{Found, OpenOptions, ProbeError, Tablebase};
