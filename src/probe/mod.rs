//! The public question: what is this position worth?

mod cache;
mod rating;
mod resolve;
mod tablebase;
mod tables;

pub use rating::{Evaluation, Line, RatedMove, Rating};
pub use tablebase::{ProbeError, Tablebase};
pub use tables::{Found, OpenOptions};

/// Where tables come from, what they say of themselves, and what can be wrong with them.
#[doc(inline)]
pub use crate::store::{
    BlockFault, Codec, FileSource, Header, MapSource, MemorySource, Results, Source, StoreError,
};
