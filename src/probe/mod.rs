//! The public question: what is this position worth?

mod cache;
mod error;
mod rating;
mod resolve;
mod slice_set;
mod tablebase;
mod tables;

pub use error::ProbeError;
pub use rating::{Evaluation, Line, RatedMove, Rating};
pub use tablebase::Tablebase;
pub use tables::{Found, OpenOptions};

/// Where tables come from, what they say of themselves, and what can be wrong with them.
#[doc(inline)]
pub use crate::store::{
    BlockFault, Codec, FileSource, Header, MapSource, MemorySource, Results, Source, StoreError,
};
