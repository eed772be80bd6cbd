//! The public question: what is this position worth?

mod cache;
mod rating;
mod resolve;
mod tablebase;
mod tables;

pub use rating::{Evaluation, Line, RatedMove, Rating};
pub use tablebase::{ProbeError, Tablebase};
pub use tables::{Found, OpenOptions};

pub use crate::store::{FileSource, Header, MapSource, MemorySource, Source, StoreError};
