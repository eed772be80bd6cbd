//! What can go wrong with a table file.

use std::io;
use std::path::{Path, PathBuf};

use super::cell::Cell;
use crate::index::Material;
use crate::rules::Variant;

/// Why a table cannot be read or written. Every variant that concerns a file names it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such file.
    #[error("table {} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file does not begin like a table.
    #[error("{} is not a damka table", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
    },
    /// A file has the name of a working copy, and no build has made it.
    #[error("{} is no file of damka's, and a build needs its name", path.display())]
    NotAWorkCopy {
        /// The file.
        path: PathBuf,
    },
    /// The file has a format that this program does not know.
    #[error("{} has table format {found}, this program reads format {read}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Format version of the file.
        found: u16,
        /// The version that this program reads.
        read: u16,
    },
    /// The file was cut, or has something behind its end.
    #[error("{} has {found} bytes instead of {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes according to the header; if even the header is cut, the length of a header.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A table of another variant.
    #[error("{} is a table of {found:?}, not of {expected:?}", path.display())]
    OtherVariant {
        /// The file.
        path: PathBuf,
        /// Variant that was asked for.
        expected: String,
        /// Variant of the file.
        found: String,
    },
    /// A table of a variant of this name with other rules.
    #[error(
        "{} was made for rules {found:016x}, this program has rules {expected:016x}",
        path.display()
    )]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// [`Rules::fingerprint`](crate::rules::Rules::fingerprint) of the variant that was asked for.
        expected: u64,
        /// Fingerprint in the file.
        found: u64,
    },
    /// A table of another slice.
    #[error("{} is a table of slice {found}, not of {expected}", path.display())]
    OtherSlice {
        /// The file.
        path: PathBuf,
        /// Slice that was asked for.
        expected: Material,
        /// Slice of the file.
        found: Material,
    },
    /// A table of another metric.
    #[error("{} is a {found} table, not a {expected} table", path.display())]
    OtherMetric {
        /// The file.
        path: PathBuf,
        /// Metric that was asked for.
        expected: super::Metric,
        /// Metric of the file.
        found: super::Metric,
    },
    /// The variant has no tables of a slice: it has not these pieces, or there are too many.
    #[error("there are no tables of {slice} in {variant}")]
    NoSuchSlice {
        /// The variant.
        variant: Variant,
        /// The slice.
        slice: Material,
    },
    /// The slice has another number of positions than the file says.
    #[error("{} has {found} positions instead of {expected}", path.display())]
    Positions {
        /// The file.
        path: PathBuf,
        /// Positions that were asked for.
        expected: u64,
        /// Positions according to the file.
        found: u64,
    },
    /// The counts of the slice are not those that follow from the rules.
    #[error("{} has other counts than the slice, solved again", path.display())]
    OtherCounts {
        /// The file.
        path: PathBuf,
    },
    /// The header or the block index is damaged.
    #[error("{} has a corrupt header: {field}", path.display())]
    HeaderCorrupt {
        /// The file.
        path: PathBuf,
        /// The field that is wrong.
        field: &'static str,
    },
    /// A block is damaged.
    #[error("{} is corrupt in block {block}: {fault}", path.display())]
    BlockCorrupt {
        /// The file.
        path: PathBuf,
        /// Number of the block, from 0.
        block: u64,
        /// What is wrong with it.
        fault: BlockFault,
    },
    /// There is no block with this number.
    #[error("{} has {blocks} blocks, there is no block {block}", path.display())]
    NoBlock {
        /// The file.
        path: PathBuf,
        /// Number that was asked for, from 0.
        block: u64,
        /// Number of blocks.
        blocks: u64,
    },
    /// Every block is whole, but together they are not the values that were written.
    #[error(
        "values of {} have checksum {found:016x} instead of {expected:016x}",
        path.display()
    )]
    ValuesChecksum {
        /// The file.
        path: PathBuf,
        /// Checksum in the header.
        expected: u64,
        /// Checksum of the decoded blocks.
        found: u64,
    },
    /// The operating system failed to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file cannot be replaced, because another program has it open or mapped. Only some systems (Windows) refuse that.
    #[error("{} is in use by another program, and is replaced when that closes it: {source}", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What the caller of the writer says of a slice contradicts itself.
    #[error("cannot write a table of {material}: wrong {field}")]
    WrongInfo {
        /// The slice.
        material: Material,
        /// The field that is wrong.
        field: &'static str,
    },
    /// A value that cannot be in the slice: beyond its longest distance, or of the wrong parity.
    #[error("cannot write a table of {material}: {cell} at index {index}")]
    WrongCell {
        /// The slice.
        material: Material,
        /// Index of the position.
        index: u64,
        /// Its value.
        cell: Cell,
    },
    /// The values of a slice could not be had.
    #[error("cannot write a table of {material}")]
    Cells {
        /// The slice.
        material: Material,
        /// What whoever has them said.
        source: super::CellsError,
    },
    /// The caller asked the writer to stop; no file was changed.
    #[error("stopped")]
    Stopped,
}

impl StoreError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// A file that cannot be opened.
    pub(crate) fn opening(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path: path.to_owned() },
            _ => Self::io(path, source),
        }
    }

    /// A file that cannot be put in the place of another.
    pub(crate) fn replacing(path: &Path, source: io::Error) -> Self {
        // ERROR_ACCESS_DENIED, which is what an open file looks like too, ERROR_SHARING_VIOLATION and ERROR_USER_MAPPED_FILE.
        let in_use = source.raw_os_error().is_some_and(|code| [5, 32, 1224].contains(&code));
        match cfg!(windows) && in_use && path.exists() {
            true => Self::InUse { path: path.to_owned(), source },
            false => Self::io(path, source),
        }
    }

    /// The file or folder that it concerns, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Missing { path }
            | Self::NotATable { path }
            | Self::NotAWorkCopy { path }
            | Self::Version { path, .. }
            | Self::Length { path, .. }
            | Self::OtherVariant { path, .. }
            | Self::OtherRules { path, .. }
            | Self::OtherSlice { path, .. }
            | Self::OtherMetric { path, .. }
            | Self::Positions { path, .. }
            | Self::OtherCounts { path }
            | Self::HeaderCorrupt { path, .. }
            | Self::BlockCorrupt { path, .. }
            | Self::NoBlock { path, .. }
            | Self::ValuesChecksum { path, .. }
            | Self::Io { path, .. }
            | Self::InUse { path, .. } => Some(path),
            Self::NoSuchSlice { .. }
            | Self::WrongInfo { .. }
            | Self::WrongCell { .. }
            | Self::Cells { .. }
            | Self::Stopped => None,
        }
    }

    /// Whether the file is simply not there.
    pub const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Whether the file is damaged, so that only a new copy helps.
    pub const fn is_corrupt(&self) -> bool {
        matches!(
            self,
            Self::NotATable { .. }
                | Self::Length { .. }
                | Self::OtherCounts { .. }
                | Self::HeaderCorrupt { .. }
                | Self::BlockCorrupt { .. }
                | Self::ValuesChecksum { .. }
        )
    }
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockFault {
    /// The compressed bytes are not those that were written.
    #[error("wrong checksum")]
    Checksum,
    /// The compressed bytes are no zstd frame of the right length.
    #[error("does not decompress")]
    Compression,
    /// The block has another length than the header says.
    #[error("has {found} bytes instead of {expected}")]
    Length {
        /// Decoded bytes according to the header.
        expected: usize,
        /// Decoded bytes.
        found: usize,
    },
    /// A byte or distance that no table of this slice holds.
    #[error("value out of range")]
    Symbol,
}
