//! Arbitrary bytes as a working copy: a build reads what is whole, and begins the rest anew.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use damka::store::fuzzing;
use libfuzzer_sys::fuzz_target;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("damka-work-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
});

fuzz_target!(|data: &[u8]| {
    fuzzing::run_work(&FOLDER, data).expect("files are written and read");
});
