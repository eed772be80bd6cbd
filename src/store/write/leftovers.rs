//! Files appear under their names when they are whole; what a killed run leaves is known and removed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::store::error::StoreError;
use crate::store::format::{HEADER_LEN, MAGIC};

/// Beginning of the names of unfinished files.
const TEMPORARY: &str = ".damka-unfinished-";

/// A new file beside the one that it will become.
pub(super) fn temporary(folder: &Path, path: &Path) -> Result<NamedTempFile, StoreError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // Temporary files are private by default, tables are not.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|error| StoreError::io(path, error))
}

/// Brings the names in a folder to the disk, where the file system can do that.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems sync files only.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOTSUP)) => Ok(()),
        synced => synced,
    }
}

/// Other systems do not open folders as files.
#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether a file is what a run leaves that is killed while it writes a table: by its name, and by its beginning, which is that of a table, or room
/// for it, or nothing at all.
///
/// # Errors
/// If the system cannot read it.
pub fn is_leftover(path: &Path) -> io::Result<bool> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A pipe would wait for somebody to write into it.
    if !name.starts_with(TEMPORARY) || !fs::symlink_metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut header = Vec::new();
    File::open(path)?.take(HEADER_LEN as u64).read_to_end(&mut header)?;
    Ok(header.starts_with(&MAGIC) || header.iter().all(|&byte| byte == 0))
}

/// Removes the unfinished files that killed runs have left in a folder, and returns how many there were. See [`is_leftover`].
///
/// Nobody may be writing tables into the folder meanwhile. A folder that does not exist has none.
///
/// # Errors
/// If the system cannot list the folder or remove a file.
pub fn remove_leftovers(folder: &Path) -> Result<usize, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(StoreError::io(folder, error)),
    };
    let mut removed = 0;
    for entry in entries {
        let path = entry.map_err(|error| StoreError::io(folder, error))?.path();
        // What cannot be read is not known to be ours.
        if is_leftover(&path).unwrap_or(false) {
            fs::remove_file(&path).map_err(|error| StoreError::io(&path, error))?;
            removed += 1;
        }
    }
    Ok(removed)
}
