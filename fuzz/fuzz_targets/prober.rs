//! Folders with damaged tables: every probe must end in a value or an error.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/suite/common/damaged.rs"]
mod damaged;

static DAMAGED: LazyLock<damaged::Damaged> = LazyLock::new(|| {
    let good = concat!(env!("CARGO_MANIFEST_DIR"), "/../tables");
    let folder = std::env::temp_dir().join(format!("damka-prober-{}", std::process::id()));
    damaged::Damaged::new(Path::new(good), &folder).expect("a folder of tables")
});

fuzz_target!(|data: &[u8]| {
    DAMAGED.run(data).expect("files are written and found");
});
