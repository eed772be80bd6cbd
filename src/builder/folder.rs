//! Which tables are in a folder.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::BuildError;
use super::options::BuildOptions;
use super::schedule::slice_len;
use crate::index::{Material, Pair, plan};
use crate::store::{Metric, StoreError, Table, TableId};

/// Pairs of which a table is not there. One that is there but cannot be a table of ours is an error: it is not
/// ours to overwrite.
pub(super) fn missing_pairs(
    options: &BuildOptions,
    folder: &Path,
) -> Result<BTreeSet<Pair>, BuildError> {
    let mut missing = BTreeSet::new();
    for pair in plan(options.variant.rules(), options.pieces) {
        for slice in pair.slices() {
            for metric in [Metric::Wld, Metric::Dtw] {
                match open(options, folder, slice, metric) {
                    Err(error) if error.is_missing() => drop(missing.insert(pair)),
                    opened => drop(opened?),
                }
            }
        }
    }
    Ok(missing)
}

pub(super) fn open(
    options: &BuildOptions,
    folder: &Path,
    slice: Material,
    metric: Metric,
) -> Result<Table, StoreError> {
    let id = TableId { variant: options.variant, material: slice, metric };
    let positions = slice_len(options.variant, slice);
    Table::open(&folder.join(id.file_name()), &id, positions)
}
