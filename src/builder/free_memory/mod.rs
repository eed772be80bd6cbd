//! How much memory a build may use when nobody says.

#[cfg(target_os = "linux")]
mod linux;

/// Bytes that the machine has available and the control groups of this process leave it, less a margin for what else
/// goes on there; `None` if the system does not say.
pub(super) fn free_memory() -> Option<u64> {
    available_memory().map(|available| available - available / 16)
}

#[cfg(target_os = "linux")]
fn available_memory() -> Option<u64> {
    linux::available_memory("/".as_ref(), std::process::id())
}

#[cfg(not(target_os = "linux"))]
fn available_memory() -> Option<u64> {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};

    let kind = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let available = System::new_with_specifics(kind).ok()?.available_memory();
    // Nothing available is how it says that it does not know.
    (available > 0).then_some(available)
}

/// Gives memory back to the system that was freed, but that the allocator keeps: after some steps of a build that is a tenth of
/// what it may use.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and may be called at any time from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
