//! The programs in `examples/` do what they say. `cargo test` builds them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::tables::committed_files;

/// Runs an example in the folder of the project.
fn run(name: &str, arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_damka")).parent().unwrap().join("examples");
    let program: PathBuf = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let ran = Command::new(&program)
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap_or_else(|error| {
            panic!("{}: {error} (`cargo test` without --test builds it)", program.display())
        });
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn a_search_finds_what_tables_know() {
    // Four pieces: the best move is known at the root.
    let shown = run("search", &["tables", "W:WKa1,Kc1,Kc3:BKb8", "2"]);
    assert!(shown.contains("by the tables: win in 23 plies"), "{shown}");
    // Six pieces: the search has to come to four.
    let shown = run("search", &["tables", "W:WKa1,c3,e3:BKh8,f6,d8", "5"]);
    let hits = shown.lines().last().unwrap().split(' ').nth(2).unwrap();
    assert!(hits.parse::<u64>().unwrap() > 0, "{shown}");
}

#[test]
fn a_build_shows_its_progress() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let shown = run("build_tables", &["english", "3", path]);
    assert!(shown.contains("16 of 16 slices to build") && shown.contains("100.0 %"), "{shown}");
    assert!(shown.ends_with("built 16 slices, 0 were there\n"), "{shown}");
    let again = run("build_tables", &["english", "3", path]);
    assert!(again.ends_with("built 0 slices, 16 were there\n"), "{again}");
}

#[test]
fn a_source_of_ones_own_is_probed() {
    let folder = tempfile::tempdir().unwrap();
    for file in committed_files() {
        fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let shown = run("own_source", &[folder.path().to_str().unwrap()]);
    assert!(shown.starts_with("82 tables in one file\n"), "{shown}");
    assert!(shown.contains("three kings against one: win in 23 plies"), "{shown}");
}
