//! One build at a time in a folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use super::error::BuildError;

/// Holds a folder for this process until it is dropped.
pub(super) struct Lock {
    _file: File,
    /// Why it does not, where the file system has no locks.
    pub(super) missing: Option<io::Error>,
}

/// Name of the file in the folder of a variant that a build locks.
const LOCK: &str = ".lock";

pub(super) fn lock(folder: &Path) -> Result<Lock, BuildError> {
    let in_folder = |source| BuildError::Folder { folder: folder.to_owned(), source };
    let path = folder.join(LOCK);
    // A pipe would wait for somebody to read from it.
    if fs::metadata(&path).is_ok_and(|data| !data.is_file()) {
        let text = format!("{} is not a regular file", path.display());
        return Err(in_folder(io::Error::other(text)));
    }
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).open(&path).map_err(in_folder)?;
    loop {
        return match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file, missing: None }),
            Err(TryLockError::WouldBlock) => Err(BuildError::Locked { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {
                continue;
            }
            Err(TryLockError::Error(error)) if has_no_locks(&error) => {
                Ok(Lock { _file: file, missing: Some(error) })
            }
            Err(TryLockError::Error(error)) => Err(in_folder(error)),
        };
    }
}

/// Whether an error says that a file system has no locks.
fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    const CODES: [i32; 6] =
        [libc::ENOLCK, libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOSYS, libc::EBADF, libc::EINVAL];
    // ERROR_INVALID_FUNCTION and ERROR_NOT_SUPPORTED.
    #[cfg(windows)]
    const CODES: [i32; 2] = [1, 50];
    #[cfg(not(any(unix, windows)))]
    const CODES: [i32; 0] = [];
    let is_known = error.raw_os_error().is_some_and(|code| CODES.contains(&code));
    is_known || error.kind() == io::ErrorKind::Unsupported
}
