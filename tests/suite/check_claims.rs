//! `scripts/check_claims`: OB37, the list of claims that the tables contradict. Needs Python 3.

use std::fs;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "id\tvariant\tfen\tstm\tclaimed_result\tclaimed_distance\tsource\tconfidence\n";

/// Runs the script in a folder where `claims.tsv` has these rows; exit code, standard output and error.
fn check(folder: &Path, rows: &str, arguments: &[&str]) -> (i32, String, String) {
    fs::write(folder.join("claims.tsv"), format!("{HEAD}{rows}")).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/check_claims");
    let ran = Command::new("python3")
        .arg(script)
        .args(["claims.tsv", "--damka", env!("CARGO_BIN_EXE_damka")])
        .env("DAMKA_NO_SOLVE", "1")
        .args(arguments)
        .current_dir(folder)
        .env_remove("DAMKA_PATH")
        .output()
        .expect("Python 3");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (ran.status.code().unwrap(), text(ran.stdout), text(ran.stderr))
}

const AGREEING: &str = "\
A-1\trussian\tW:WK29:BK4\tW\tL\t=2\ta book\thigh
A-2\trussian\tW:WKa1:BKb8\tW\tD\t\ta book\thigh
A-3\tenglish\tW:WK32:BK26\tW\tW\t<=9\tanother \"book\thigh
";

/// supertorpe/chessendgametraining#28, #84.
#[test]
fn ob37_claims_that_the_tables_contradict_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let build = ["--build", "2"];
    let (code, out, said) = check(folder.path(), AGREEING, &build);
    assert_eq!((code, out.as_str()), (0, "3 claims: 3 agree, 0 disagree, 0 skipped\n"), "{said}");

    let wrong = "\
B-1\trussian\tW:WK29:BK4\tW\tD\t\ta book\thigh
B-2\trussian\tW:WKa1:BKb8\tW\tW\t\ta book\thigh
B-3\tenglish\tW:WK32:BK26\tW\tW\t=7\ta book\thigh
B-4\tenglish\tW:WK32:BK26\tW\tW\t<=8\ta book\thigh
B-5\trussian\tW:W:BK1\tW\tW\t\ta book\thigh
C-1\trussian\tW:WK29,K30:BK4\tW\tW\t=3\ta book\thigh
C-2\tklingon\tW:WK29:BK4\tW\tW\t=3\ta book\thigh
C-3\trussian\tW:WK33:BK4\tW\tW\t=3\ta book\thigh
";
    let claims = format!("{AGREEING}{wrong}");
    let (code, out, said) = check(folder.path(), &claims, &build);
    assert_eq!(code, 1, "{said}");
    let found: Vec<&str> =
        out.lines().filter_map(|line| Some(line.split_once(" disagrees: ")?.0)).collect();
    assert_eq!(found, ["B-1", "B-2", "B-3", "B-4", "B-5"]);
    for part in [
        "B-1 disagrees: russian W:WK29:BK4\n  claim  draw (a book)\n  table  loss in 2\n  line   1. a1-",
        "B-3 disagrees: english W:WK32:BK26\n  claim  win =7 (a book)\n  table  win in 9\n  line   1... 32-",
        "B-2 disagrees: russian W:WKa1:BKb8\n  claim  win (a book)\n  table  draw\n  line   ",
        " hold the draw: a1-",
        "  table  loss in 0\n  line   the game is over\n",
        "C-1 skipped: no table KKvK.wld of russian in tables",
        "C-2 skipped: damka does not know the variant\n",
        "C-3 skipped: \"33\" is off the board",
    ] {
        assert!(out.contains(part), "{part:?} is not in\n{out}");
    }
    assert!(out.ends_with("\n11 claims: 3 agree, 5 disagree, 3 skipped\n"), "{out}");
    // The list is as it was.
    let after = fs::read_to_string(folder.path().join("claims.tsv")).unwrap();
    assert_eq!(after, format!("{HEAD}{claims}"));

    let (code, out, _) = check(folder.path(), &claims, &["--variant", "english"]);
    assert_eq!(code, 1);
    assert!(out.ends_with("\n3 claims: 1 agree, 2 disagree, 0 skipped\n"), "{out}");
}

#[test]
fn ob37_lists_and_arguments_without_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tables")).unwrap();
    let row = |result: &str, distance: &str, stm: &str| {
        format!("A-1\trussian\tW:WK29:BK4\t{stm}\t{result}\t{distance}\ta book\thigh\n")
    };
    for (rows, message) in [
        (row("X", "", "W"), "line 2: claimed_result is 'X'"),
        (row("W", "~3", "W"), "line 2: claimed_distance is '~3'"),
        (row("D", "=3", "W"), "line 2: a draw has no distance"),
        (row("W", "", "B"), "line 2: stm is 'B'"),
        ("A-1\trussian\n".to_owned(), "line 2: too few columns"),
        (row("W", "", "W").repeat(2), "line 3: id A-1 is there twice"),
    ] {
        let (code, out, said) = check(folder.path(), &rows, &[]);
        assert_eq!((code, out.as_str()), (2, ""), "{message}");
        assert!(said.starts_with("check_claims: claims.tsv, ") && said.contains(message), "{said}");
    }
    let (code, _, said) = check(folder.path(), AGREEING, &["--db", "no such folder"]);
    assert_eq!(code, 2);
    assert!(said.contains("there is no folder no such folder"), "{said}");
    assert_eq!(check(folder.path(), AGREEING, &["--fly"]).0, 2);
    assert_eq!(check(folder.path(), AGREEING, &["--build", "1"]).0, 2);
    // Nothing that could be compared is no agreement.
    let (code, out, _) = check(folder.path(), AGREEING, &["--variant", "english"]);
    assert_eq!(code, 2);
    assert!(out.ends_with("1 claims: 0 agree, 0 disagree, 1 skipped\n"), "{out}");
    // Where every move ends the game at once, moves are enough.
    let (code, out, _) = check(folder.path(), AGREEING, &["--variant", "russian"]);
    assert_eq!(code, 0);
    assert!(out.ends_with("2 claims: 1 agree, 0 disagree, 1 skipped\n"), "{out}");
}

/// The list in the repository is one that the script reads.
#[test]
fn ob37_the_list_of_the_tests_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/positions.tsv");
    let text = fs::read_to_string(list).unwrap();
    let (_, rows) = text.split_once('\n').unwrap();
    assert!(text.starts_with(HEAD));
    fs::create_dir(folder.path().join("tables")).unwrap();
    let (code, out, said) = check(folder.path(), rows, &[]);
    // A few positions are decided without a table.
    assert_eq!(code, 0, "{said}");
    let last = out.lines().last().unwrap();
    assert!(last.starts_with("247 claims: ") && last.contains(", 0 disagree, "), "{last}");
}
