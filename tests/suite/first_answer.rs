//! Whoever has just installed the program gets an answer: what is missing and takes a moment is solved then and there.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use damka::builder::{BuildOptions, MemoryBuild, build};
use damka::notation::parse_fen;
use damka::probe::{MemorySource, OpenOptions};
use damka::{Tablebase, Variant};

use crate::common::tables::lasting_tables;

/// Runs the program in a folder, with nothing of the tester's environment.
fn damka(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_damka"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("DAMKA_PATH")
        .env_remove("DAMKA_NO_SOLVE")
        .env("XDG_DATA_HOME", folder.join("data"))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn an_answer_without_tables_is_that_of_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let tables = lasting_tables(4);
    for fen in ["W:WKa1,c3:BKh8,f6", "B:WKa1,c3,Kc1:Bb6", "W:WKa1:Bb6", "W:Wc3:Bb6,Kh8"] {
        let solved = damka(folder.path(), &["probe", "russian", fen]);
        let known = damka(&tables, &["probe", "russian", fen, "--db", &tables.to_string_lossy()]);
        assert!(solved.status.success() && known.status.success(), "{fen}");
        assert_eq!(text(&solved.stdout), text(&known.stdout), "{fen}");
        assert_eq!(text(&known.stderr), "", "{fen}");
        let said = text(&solved.stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("`damka build russian --pieces"), "{said}");
    }
    // Nothing is kept, and nothing is solved where it is not wanted.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let refused = damka(folder.path(), &["probe", "russian", "W:WKa1:BKh4", "--no-solve"]);
    assert_eq!(refused.status.code(), Some(4));
    assert!(text(&refused.stderr).contains("`damka build russian --pieces 2` makes it"));
}

#[test]
fn what_takes_longer_is_refused_with_the_command_and_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let fen = "W:WKa1,Kc1,c3:BKh8,f6,d8";
    let refused = damka(folder.path(), &["probe", "russian", fen]);
    assert_eq!(refused.status.code(), Some(4));
    let said = text(&refused.stderr);
    assert!(said.contains("`damka build russian --pieces 6` makes it, in about "), "{said}");
    assert!(said.trim_end().ends_with("s)") || said.trim_end().ends_with("min)"), "{said}");
}

/// Men that move to and fro are solved position by position.
#[test]
fn what_is_slow_to_solve_is_refused_sooner() {
    let cost = |fen| {
        let build = MemoryBuild::of(&parse_fen(Variant::Turkish, fen).unwrap()).unwrap();
        (build.positions(), build.cost())
    };
    let (kings, men) = (cost("W:WKa3,Kb4:BKa6,Kh5"), cost("W:Wa3,b4:Ba6,h5"));
    assert_eq!(kings.0, kings.1);
    assert!(men.1 > 4 * men.0 && men.0 < 50_000_000, "{men:?}");
    let folder = tempfile::tempdir().unwrap();
    let refused = damka(folder.path(), &["probe", "turkish", "W:Wa3,b4:Ba6,h5"]);
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("makes it, in about "), "{}", text(&refused.stderr));
}

/// A few slices may need a build that takes long.
#[test]
fn the_command_that_keeps_what_was_solved_can_be_pasted_and_has_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("my $tables` 'x'");
    fs::create_dir(&db).unwrap();
    let solved =
        damka(folder.path(), &["probe", "russian", "W:WKa1:BKb8", "--db", "my $tables` 'x'"]);
    let said = text(&solved.stderr);
    if cfg!(unix) {
        let command = r"`damka build russian --pieces 2 --db 'my $tables` '\''x'\'''` keeps them";
        assert!(said.trim_end().ends_with(command), "{said}");
    }
    let solved = damka(folder.path(), &["probe", "italian", "W:WK1,K2,K3,K4:BK32"]);
    let said = text(&solved.stderr);
    assert!(said.contains("`damka build italian --pieces 5` keeps them, in about "), "{said}");
}

#[test]
fn many_positions_are_solved_for_once() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "W:WKa1,c3:Bb6\nB:WKa1,c3:Bb6\nnonsense\nW:WKa1:Bb6\n";
    fs::write(folder.path().join("lines"), lines).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_damka"))
        .args(["probe", "russian", "--stdin"])
        .current_dir(folder.path())
        .env_remove("DAMKA_PATH")
        .env_remove("DAMKA_NO_SOLVE")
        .env("XDG_DATA_HOME", folder.path())
        .stdin(fs::File::open(folder.path().join("lines")).unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let answers = text(&output.stdout);
    let kinds: Vec<_> = answers.lines().map(|line| !line.starts_with("error")).collect();
    assert_eq!(kinds, [true, true, false, true], "{answers}");
    // The twin and the smaller slices are among what the first needed.
    assert_eq!(text(&output.stderr).matches("solved in").count(), 1, "{}", text(&output.stderr));
}

/// Tables of one piece fewer are used, and what is missing is added to them.
#[test]
fn what_is_there_is_not_solved_again() {
    let folder = tempfile::tempdir().unwrap();
    build(&BuildOptions::new(Variant::Italian, 2, folder.path()), &()).unwrap();
    let tables = Tablebase::open(Variant::Italian, &[folder.path()]).unwrap();
    let position = parse_fen(Variant::Italian, "W:WK32,27:BK1").unwrap();
    let all = MemoryBuild::of(&position).unwrap();
    let none = Tablebase::new(Variant::Italian, OpenOptions::new());
    let missing = all.missing(&tables);
    assert!(missing.len() < all.missing(&none).len());
    assert!(missing.iter().all(|slice| slice.pieces() == 3));
    for table in all.run(1, &()).unwrap() {
        let added =
            tables.add_source(table.slice, table.metric, MemorySource(table.bytes)).unwrap();
        assert_eq!(added, missing.contains(&table.slice));
    }
    assert!(all.missing(&tables).is_empty());
    assert!(tables.probe(&position).is_ok());
    // A position without pieces of one side needs no table.
    assert!(MemoryBuild::of(&parse_fen(Variant::Italian, "W:W:BK1").unwrap()).is_none());
}

#[test]
fn tables_are_found_in_the_folder_for_the_users_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data/damka/tables");
    build(&BuildOptions::new(Variant::Russian, 2, &data), &()).unwrap();
    let found = damka(folder.path(), &["probe", "russian", "W:WKa1:BKh8", "--no-solve"]);
    // Elsewhere than on Unix the folder is another one, which a test must not touch.
    if cfg!(all(unix, not(target_os = "macos"))) {
        assert!(found.status.success(), "{}", text(&found.stderr));
        let info = text(&damka(folder.path(), &["info"]).stdout);
        let line = info.lines().nth(1).unwrap();
        assert!(
            line.contains("tables (not there)") && line.contains("data/damka/tables"),
            "{info}"
        );
        assert!(line.ends_with("by default"), "{info}");
        // A table in the current folder comes first.
        build(&BuildOptions::new(Variant::Russian, 2, folder.path().join("tables")), &()).unwrap();
        let info = text(&damka(folder.path(), &["info"]).stdout);
        assert!(info.contains("not used: tables/russian/KvK.wld comes first"), "{info}");
    }
    let named = damka(folder.path(), &["info", "--db", &data.to_string_lossy()]);
    assert!(text(&named.stdout).contains("as --db says"));
}
