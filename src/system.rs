//! Limits that the system sets to this process.

/// Most descriptors that are kept for table files, whatever the system allows: enough for most tables of six pieces.
const MOST_DESCRIPTORS: usize = 256;

/// Descriptors that may be kept for table files: a quarter of what the process may have, for the rest of the program opens files too.
pub(crate) fn kept_descriptors() -> usize {
    match soft_limit::descriptors() {
        Some(limit) => usize::try_from(limit / 4).unwrap_or(usize::MAX).clamp(1, MOST_DESCRIPTORS),
        None => MOST_DESCRIPTORS,
    }
}

/// Whether addresses may run out before memory does. Files that are mapped then take those that the heap needs.
pub(crate) fn addresses_are_scarce() -> bool {
    cfg!(not(target_pointer_width = "64")) || soft_limit::addresses().is_some()
}

#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_vendor = "apple"
))]
mod soft_limit {
    /// `None` for no limit.
    fn limit(ask: impl FnOnce(*mut libc::rlimit) -> libc::c_int) -> Option<u64> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let known = ask(&mut limit) == 0 && limit.rlim_cur != libc::RLIM_INFINITY;
        // Of another type elsewhere.
        #[allow(clippy::unnecessary_cast)]
        known.then_some(limit.rlim_cur as u64)
    }

    pub(super) fn descriptors() -> Option<u64> {
        // SAFETY: the pointer is to a structure of the right type, which the call fills.
        limit(|limit| unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, limit) })
    }

    pub(super) fn addresses() -> Option<u64> {
        // SAFETY: as above.
        limit(|limit| unsafe { libc::getrlimit(libc::RLIMIT_AS, limit) })
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_vendor = "apple"
)))]
mod soft_limit {
    pub(super) fn descriptors() -> Option<u64> {
        None
    }

    pub(super) fn addresses() -> Option<u64> {
        None
    }
}
