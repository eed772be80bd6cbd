//! A cached probe of a quiet position takes no memory from the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::tables::lasting_tables;
use damka::notation::parse_fen;
use damka::{Tablebase, Variant};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn cached_probes_of_quiet_positions_allocate_nothing() {
    let folder = lasting_tables(3);
    let tables = Tablebase::open(Variant::Russian, &[&folder]).unwrap();
    for fen in ["W:WKa1,Kb2:BKh4", "B:WKa1,c1:BKh8", "W:Wa3,c1:Bh6", "B:WKc1:BKh4"] {
        let position = parse_fen(Variant::Russian, fen).unwrap();
        assert!(allocations(|| drop(tables.probe_wld(&position))) > 0, "{fen}");
        assert_eq!(allocations(|| drop(tables.probe_wld(&position))), 0, "{fen}");
        assert_eq!(allocations(|| drop(tables.probe_wld_cached(&position))), 0, "{fen}");
    }
}
