//! The public question: what is this position worth?

mod cache;
mod resolve;
mod tablebase;

pub use tablebase::{Found, OpenOptions, ProbeError, RatedMove, Tablebase};
