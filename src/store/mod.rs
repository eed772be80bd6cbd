//! Table files: writing the values of a slice, and reading them back.
//!
//! A slice has two files: `KMMvKM.wld` (win, loss or draw) and `KMMvKM.dtw` (distances). Each is a
//! header, blocks that are compressed one by one, and an index of them; `docs/format.md` describes every byte.
//!
//! Positions in which the side to move has a capture are *don't-cares*: the files hold whatever compresses best there,
//! and nobody may ask for them.

mod cell;
mod codec;
mod context;
mod error;
mod format;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod lab;
mod read;
mod source;
#[cfg(feature = "build")]
mod work;
#[cfg(feature = "build")]
mod write;

pub use cell::{Cell, Cells, CellsError};
pub use codec::unpack;
pub use error::{BlockFault, StoreError};
pub use format::{
    Codec, DTW_BLOCK_LEN, DTW_CONTEXT_LEN, FORMAT_VERSION, HEADER_LEN, Header, MAGIC, Metric,
    Results, TableId, WLD_BLOCK_LEN, WLD_CONTEXT_LEN,
};
pub use read::{Block, Table};
pub use source::{FileSource, MapSource, MemorySource, Source};
#[cfg(feature = "build")]
pub use work::{Kept, WorkCopy, WorkInfo, WorkSize};
#[cfg(feature = "build")]
pub use write::{
    TableInfo, WriteOptions, WrittenSizes, is_leftover, remove_leftovers, write_tables,
};
#[cfg(feature = "build")]
pub(crate) use write::{distance_sizes, encode_to_memory, looked_at, write_costs};
