//! How much memory a build may use when nobody says.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Bytes that the machine, or the control group of this process, has free, less a margin for what else
/// goes on there; `None` if the system does not say.
pub(super) fn free_memory() -> Option<u64> {
    let kind = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(kind).ok()?;
    let limits = system.cgroup_limits().map(|limits| limits.free_memory);
    let free = limits.unwrap_or(u64::MAX).min(system.available_memory());
    (free > 0).then_some(free - free / 16)
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
