//! The command line: the real program in temporary folders.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::sync::LazyLock;

use assert_cmd::Command;
use damka::Variant;
use damka::notation::parse_fen;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::common::tables::committed_files;

const DAMKA: &str = env!("CARGO_BIN_EXE_damka");
const TWO_AGAINST_ONE: &str = "W:WKa1,Kc1:BKb8";

/// The program in a folder of its own, with nothing of the tester's environment.
fn damka(folder: &Path) -> Command {
    let mut command = Command::new(DAMKA);
    command.current_dir(folder).env_remove("DAMKA_PATH").env("XDG_DATA_HOME", folder);
    // What has no table is missing here; `first_answer.rs` has the rest.
    command.env("DAMKA_NO_SOLVE", "1");
    command
}

fn process(folder: &Path) -> process::Command {
    let mut command = process::Command::new(DAMKA);
    command.current_dir(folder).env_remove("DAMKA_PATH").env("XDG_DATA_HOME", folder);
    // What has no table is missing here; `first_answer.rs` has the rest.
    command.env("DAMKA_NO_SOLVE", "1");
    command
}

fn built(pieces: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    damka(folder.path()).args(["build", "russian", "--pieces", pieces]).assert().success();
    folder
}

/// Folders in which `tables` holds everything up to 3 and 4 pieces. Nobody writes there.
static THREE: LazyLock<TempDir> = LazyLock::new(|| built("3"));
static FOUR: LazyLock<TempDir> = LazyLock::new(|| built("4"));

/// Names and bytes of all files of the variant below a folder of tables, but for the lock.
fn files(tables: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(tables.join("russian")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name != ".lock" {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    files
}

/// A folder in which `tables` holds a copy of everything up to 3 pieces.
fn copy_of_three() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tables/russian")).unwrap();
    for (name, bytes) in files(&THREE.path().join("tables")) {
        fs::write(folder.path().join("tables/russian").join(name), bytes).unwrap();
    }
    folder
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().expect("ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program where the tables up to 3 pieces are.
fn ask(args: &[&str]) -> Ran {
    run(damka(THREE.path()).args(args))
}

fn ask_lines(args: &[&str], input: impl Into<Vec<u8>>) -> Ran {
    run(damka(THREE.path()).args(args).write_stdin(input))
}

/// One line on standard error, which begins with the name of the program.
fn complaint(ran: &Ran) -> &str {
    let line = ran.stderr.strip_suffix('\n').expect("a whole line");
    assert!(line.starts_with("damka: ") && !line.contains('\n'), "{:?}", ran.stderr);
    line
}

#[test]
fn build_says_what_it_does_and_does_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let build = ["build", "russian", "-n", "3", "--threads", "1"];
    let ran = run(damka(folder.path()).args(build));
    assert_eq!(ran.code, 0);
    let plan = "tables/russian: 16 to build of 16 slices, 199,520 positions, about ";
    assert!(ran.stderr.starts_with(plan));
    assert!(ran.stderr.lines().next().unwrap().ends_with(" MB of memory"));
    // One line for each pair.
    assert_eq!(ran.stderr.lines().filter(|line| line.contains(" slices, ")).count(), 10);
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.starts_with("16/16 slices, 100.0 % of positions, "), "{last}");
    assert!(
        ran.stdout.starts_with("built 16 slices, 199,520 positions (0 were there)\nCPU seconds: ")
    );
    assert!(ran.stdout.contains("\nwld: ") && ran.stdout.contains("\ndtw: "));
    // Threads do not change the bytes.
    let tables = folder.path().join("tables");
    assert_eq!(files(&tables), files(&THREE.path().join("tables")));

    let ran = run(damka(folder.path()).args(build));
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stdout, "nothing to do: all 16 slices of 2 to 3 pieces are there\n");
}

#[test]
fn build_goes_into_the_folder_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::join_paths(["from variable", "second"]).unwrap();
    let build = ["build", "russian", "--pieces", "2"];
    damka(folder.path()).args(build).env("DAMKA_PATH", &path).assert().success();
    damka(folder.path())
        .args(build)
        .args(["--db", "my tables 5"])
        .env("DAMKA_PATH", &path)
        .assert()
        .success();
    let made = files(&folder.path().join("from variable"));
    assert_eq!(made.len(), 8);
    assert_eq!(made, files(&folder.path().join("my tables 5")));
    assert!(!folder.path().join("second").exists() && !folder.path().join("tables").exists());
}

#[test]
fn builds_exclude_each_other() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tables/russian")).unwrap();
    let lock = File::create(folder.path().join("tables/russian/.lock")).unwrap();
    lock.try_lock().unwrap();
    let build = ["build", "russian", "--pieces", "2"];
    let ran = run(damka(folder.path()).args(build));
    assert_eq!(ran.code, 6);
    assert!(complaint(&ran).contains("another build is at work in tables/russian"));
    assert!(files(&folder.path().join("tables")).is_empty());
    drop(lock);
    damka(folder.path()).args(build).assert().success();
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tables"), "a file").unwrap();
    let ran = run(damka(folder.path()).args(["build", "russian", "--pieces", "2"]));
    assert_eq!(ran.code, 74);
    assert!(complaint(&ran).contains("cannot use the folder tables/russian: "));
}

/// Delays of up to so many milliseconds, different in each run.
#[cfg(unix)]
fn delay(most: u64) -> std::time::Duration {
    use std::time::{Duration, SystemTime};
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let mixed = (now.as_nanos() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Duration::from_millis(mixed % most)
}

#[cfg(unix)]
#[test]
fn a_killed_build_goes_on_to_the_same_bytes() {
    let whole = files(&FOUR.path().join("tables"));
    for (kills, most) in [(4, 1500), (10, 500)] {
        let folder = tempfile::tempdir().unwrap();
        let tables = folder.path().join("tables");
        let mut delays = Vec::new();
        for _ in 0..kills {
            let mut build = process(folder.path())
                .args(["build", "russian", "--pieces", "4"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            delays.push(delay(most));
            std::thread::sleep(delays[delays.len() - 1]);
            // SIGKILL; the build may have ended before.
            let _ = build.kill();
            build.wait().unwrap();
            // What has its final name is whole at any time.
            if tables.join("russian").exists() {
                for (name, bytes) in files(&tables) {
                    if !name.starts_with(".damka-unfinished-") {
                        assert!(whole.get(&name) == Some(&bytes), "{name} after {delays:?}");
                    }
                }
            }
        }
        damka(folder.path()).args(["build", "russian", "--pieces", "4"]).assert().success();
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        let made = files(&tables);
        assert_eq!(names(&made), names(&whole), "after {delays:?}");
        assert!(made == whole, "other bytes after {delays:?}");
    }
}

#[test]
fn a_plan_says_what_a_build_will_take() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |more: &[&str]| {
        let args = ["plan", "russian", "--pieces", "3", "--threads", "1"];
        run(damka(folder.path()).args(args).args(more))
    };
    let ran = plan(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("\nKMvK KvKM  "), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nto solve     199,520 positions\n"), "{}", ran.stdout);
    assert!(!folder.path().join("tables").exists());
    let tsv = plan(&["--tsv"]).stdout;
    let lines: Vec<Vec<&str>> = tsv.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 1 + 9, "{tsv}");
    assert!(lines.iter().all(|line| line.len() == 11), "{tsv}");
    let line = lines.iter().find(|line| line[0] == "KMvM").expect("a pair");
    let known = ["KMvM", "MvKM", "45600", "false", "MvM,KvM,KvK,KMvK,KKvM", "-", "false"];
    assert_eq!(line[..7], known, "{tsv}");
    let short = plan(&["--memory", "1M"]);
    assert_eq!(short.code, 7);
    assert!(short.stdout.contains(" MB are enough, 1 MB may be used"), "{}", short.stdout);

    damka(folder.path()).args(["build", "russian", "--pieces", "2"]).assert().success();
    let rest = plan(&[]);
    assert!(rest.stdout.contains("\nto solve     196,032 positions\n"), "{}", rest.stdout);
    assert!(rest.stdout.contains("KvK (there)"), "{}", rest.stdout);
    damka(folder.path()).args(["build", "russian", "--pieces", "3"]).assert().success();
    assert_eq!(plan(&[]).stdout, "nothing to do: all tables are there\n");
}

/// Files may not grow beyond some size: like a full disk for those who write them, and not the end by a signal.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_a_build_that_goes_on_later() {
    let whole = files(&FOUR.path().join("tables"));
    let folder = tempfile::tempdir().unwrap();
    for blocks in [1, 8, 24, 60] {
        let command =
            format!("ulimit -f {blocks}; exec '{DAMKA}' build russian --pieces 4 --keep-every 0");
        let output = process::Command::new("bash")
            .current_dir(folder.path())
            .env_remove("DAMKA_PATH")
            .args(["-c", &command])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(74), "{blocks}: {said}");
        let last = said.lines().last().unwrap();
        assert!(last.contains("russian") && last.contains("too large"), "{last}");
        for (name, bytes) in files(&folder.path().join("tables")) {
            if !name.ends_with(".work") {
                assert!(whole.get(&name) == Some(&bytes), "{name} with {blocks} blocks");
            }
        }
    }
    damka(folder.path()).args(["build", "russian", "--pieces", "4"]).assert().success();
    assert!(files(&folder.path().join("tables")) == whole);
}

/// A small file system that is really full, where one may be mounted: in a user namespace of our own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_device_ends_a_build_that_goes_on_later() {
    let namespace = || {
        let mut command = process::Command::new("unshare");
        command.args(["-rm", "sh", "-c"]).env_remove("DAMKA_PATH");
        command
    };
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("device");
    std::fs::create_dir(&device).unwrap();
    let mount = "mount -t tmpfs -o size=$1 tmpfs device";
    let allowed = namespace().arg(mount).args(["sh", "1M"]).current_dir(folder.path()).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("nothing may be mounted here: not tested with a full device");
        return;
    }
    let build = format!("'{DAMKA}' build russian --pieces 4 --keep-every 0 --db device");
    let script = format!(
        "{mount} || exit 1
        for size in 100k 300k 700k; do
            mount -o remount,size=$size device && {build}
            [ $? -eq 74 ] || exit 2
        done
        mount -o remount,size=8M device && {build} || exit 3
        cp -r device/russian whole"
    );
    let output =
        namespace().arg(&script).args(["sh", "100k"]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{:?}: {said}", output.status);
    assert_eq!(said.matches("No space left on device").count(), 3, "{said}");
    let built = folder.path().join("tables");
    std::fs::create_dir(&built).unwrap();
    std::fs::rename(folder.path().join("whole"), built.join("russian")).unwrap();
    assert!(files(&built) == files(&FOUR.path().join("tables")));
}

/// Highest resident memory of a process so far, in bytes.
#[cfg(target_os = "linux")]
fn resident(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

/// The budget is kept, to the last byte that the system counts.
#[cfg(target_os = "linux")]
fn keeps_within_its_memory(pieces: &str) {
    let folder = tempfile::tempdir().unwrap();
    let build = |memory: &str| {
        let mut command = process(folder.path());
        command.args(["build", "russian", "--pieces", pieces, "--threads", "2"]);
        command.args(["--memory", memory]).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let refused = build("1M").wait_with_output().unwrap();
    assert_eq!(refused.status.code(), Some(7));
    let said = String::from_utf8(refused.stderr).unwrap();
    let needed = said.split(" needs ").nth(1).and_then(|rest| rest.split(' ').next());
    let budget = needed.expect("what it needs").parse::<u64>().unwrap() * 1_000_000;

    let mut child = build(&budget.to_string());
    let mut most = 0;
    let status = loop {
        most = most.max(resident(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert!(status.success());
    assert!(most > budget / 8, "{most} of {budget} measured");
    assert!(most <= budget, "{most} bytes in memory, {budget} allowed");
    damka(folder.path()).args(["verify", "russian", "--sample", "100"]).assert().success();
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_keeps_within_its_memory() {
    keeps_within_its_memory("4");
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_of_five_pieces_keeps_within_its_memory() {
    keeps_within_its_memory("5");
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_ends_cleanly_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut build = process(folder.path())
        .args(["build", "russian", "--pieces", "4"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(build.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("16/41 slices")));
    let id = build.id().to_string();
    assert!(process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let said: Vec<String> = lines.collect();
    assert_eq!(build.wait().unwrap().code(), Some(130), "{said:?}");
    assert!(said.contains(&"damka: stopping; once more to stop at once".to_owned()), "{said:?}");
    assert_eq!(said.last().unwrap(), "damka: stopped; the same command goes on from here");

    let tables = folder.path().join("tables");
    let before = files(&tables);
    assert!((32..82).contains(&before.len()), "{}", before.len());
    assert!(before.keys().all(|name| !name.starts_with('.')));
    damka(folder.path()).args(["build", "russian", "--pieces", "4"]).assert().success();
    assert!(files(&tables) == files(&FOUR.path().join("tables")));
}

#[test]
fn probe_shows_board_value_moves_and_line() {
    let ran = ask(&["probe", "russian", "W:WKc1:Bg3"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let expected = "\
8   .   .   .   .
7 .   .   .   .
6   .   .   .   .
5 .   .   .   .
4   .   .   .   .
3 .   .   .   b
2   .   .   .   .
1 .   W   .   .
  a b c d e f g h
White to move
W:WKc1:Bg3

White to move wins in 3 plies

Moves, for White:
";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let (_, rest) = ran.stdout.split_once("Moves, for White:\n").unwrap();
    let (moves, line) = rest.split_once("\nMain line:\n").unwrap();
    let first = "  c1-e3  win in 3 plies\n";
    let last = "  c1-f4  loss in 2 plies\n";
    assert!(moves.starts_with(first) && moves.ends_with(last), "{moves}");
    assert_eq!(moves.lines().filter(|line| line.ends_with("  draw")).count(), 5, "{moves}");
    let words: Vec<&str> = line.split_whitespace().filter(|word| !word.ends_with('.')).collect();
    assert_eq!(words.len(), 3, "{line}");
    assert!(line.starts_with("  1. c1-e3 "), "{line}");
}

#[test]
fn cache_and_access_are_chosen_by_the_caller() {
    let position = ["probe", "russian", "W:WKa1,Kc1:BKh8"];
    let usual = ask(&position);
    assert_eq!(usual.code, 0, "{}", usual.stderr);
    for more in [&["--cache", "4KiB"][..], &["--no-map"], &["--cache", "0", "--no-map"]] {
        let ran = ask(&[&position[..], more].concat());
        assert_eq!((ran.code, &ran.stdout), (0, &usual.stdout), "{}", ran.stderr);
    }
    let wrong = ask(&[&position[..], &["--cache", "much"]].concat());
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("--cache"), "{}", wrong.stderr);
}

#[test]
fn the_lab_compares_ideas() {
    let ran = run(damka(THREE.path()).args(["lab", "russian", "3", "KvK"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bits = |slice: &str, metric: &str, idea: &str| -> f64 {
        let begins = format!("{slice}\t{metric}\t{idea}\t");
        let line = ran.stdout.lines().find(|line| line.starts_with(&begins)).expect(&begins);
        line.split('\t').nth(3).unwrap().parse().unwrap()
    };
    for metric in ["wld", "dtw"] {
        let [all, quiet, either] =
            ["captures stored", "captures as don't-cares", "captures of either side"]
                .map(|idea| bits("all", metric, idea));
        assert!(all > quiet && quiet > either && either > 0.0, "{metric} {all} {quiet} {either}");
        let [run, frequent] = ["filled with what comes before", "filled with the most frequent"]
            .map(|idea| bits("KMvK", metric, idea));
        assert!(bits("KMvK", metric, "captures as don't-cares") <= run.min(frequent));
    }
    for (whole, ends) in [
        ("captures as don't-cares", "zstd, the cheaper end of each move"),
        ("contexts, as written", "contexts, the cheaper end of each move"),
    ] {
        let [whole, ends] = [whole, ends].map(|idea| bits("all", "dtw", idea));
        assert!(ends > 0.0 && ends < whole, "{ends} {whole}");
    }
    for wrong in ["XX", "1", "9", "KKKK"] {
        let ran = run(damka(THREE.path()).args(["lab", "russian", wrong]));
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.stderr);
    }
}

#[test]
fn build_compresses_as_asked() {
    let folder = TempDir::new().unwrap();
    let bytes = |more: &[&str], db: &str| -> u64 {
        let build = ["build", "russian", "-n", "3", "--db", db];
        let ran = run(damka(folder.path()).args(build).args(more));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let tables = std::fs::read_dir(folder.path().join(db).join("russian")).unwrap();
        tables.map(|entry| entry.unwrap().metadata().unwrap().len()).sum()
    };
    let (usual, hard) = (bytes(&[], "usual"), bytes(&["--level", "19"], "hard"));
    let all = bytes(&["--all-distances"], "all");
    assert!(hard < usual && usual < all, "{hard} {usual} {all}");
    let refused = run(damka(folder.path()).args(["build", "russian", "-n", "3", "--level", "23"]));
    assert_eq!(refused.code, 2);
}

#[test]
fn probe_of_black_draws_and_finished_games() {
    let ran = ask(&["probe", "russian", "B:WKa1:BKc5,Kf8"]);
    assert!(ran.stdout.contains("Moves, for Black:\n"), "{}", ran.stdout);
    let ran = ask(&["probe", "russian", "B:Wc5:BKc1"]);
    assert!(ran.stdout.contains("\nMain line:\n  1... c1"), "{}", ran.stdout);

    let ran = ask(&["probe", "russian", "W:WKa1:BKb8"]);
    assert!(ran.stdout.contains("\nWhite to move draws\n"));
    assert!(ran.stdout.ends_with("\nMain line: none, a draw has no end\n"));

    let ran = ask(&["probe", "russian", "W:W:BKa1"]);
    assert!(ran.stdout.ends_with("\nWhite to move has lost: the game is over\n"), "{}", ran.stdout);
    let ran = ask(&["probe", "russian", "W:WKa1:B"]);
    assert!(ran.stdout.contains("\nWhite to move wins in 1 ply\n"), "{}", ran.stdout);
}

#[test]
fn probe_names_squares_as_asked() {
    let ran = ask(&["probe", "russian", "W:WK30:B14", "--squares", "numeric"]);
    assert!(ran.stdout.contains("\nW:WK30:B14\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n  1. 30-"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n29 .   W   .   .   32\nWhite to move\n"), "{}", ran.stdout);
    let ran = ask(&["probe", "russian", "W:WK30:B14", "--squares", "algebraic"]);
    assert!(ran.stdout.contains("\nW:WKc1:Bc5\n"), "{}", ran.stdout);
    assert_eq!(ask(&["probe", "russian", "W:WK30:B14", "--squares", "roman"]).code, 2);
}

#[test]
fn probe_writes_json() {
    let ran = ask(&["probe", "russian", "W:WK30:B24.", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let json: Json = serde_json::from_str(&ran.stdout).unwrap();
    let keys = |json: &Json| json.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json), ["dtw_plies", "fen", "moves", "wld"]);
    assert_eq!(json["fen"], "W:WKc1:Bg3");
    assert_eq!(json["wld"], "win");
    assert_eq!(json["dtw_plies"], 3);
    let moves = json["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 7);
    for child in moves {
        assert_eq!(keys(child), ["dtw_plies", "fen", "pdn", "wld"]);
        let fen = child["fen"].as_str().unwrap();
        assert!(fen.starts_with("B:"), "{fen}");
        parse_fen(Variant::Russian, fen).unwrap();
        // The value of a child is that of its own side to move, and what probing it says.
        let ran = ask(&["probe", "russian", fen, "--json"]);
        let probed: Json = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(child["wld"], probed["wld"]);
        assert_eq!(child["dtw_plies"], probed["dtw_plies"]);
    }
    for (place, wld, plies) in
        [(0, "loss", 2.into()), (1, "draw", Json::Null), (6, "win", 1.into())]
    {
        assert_eq!((&moves[place]["wld"], &moves[place]["dtw_plies"]), (&wld.into(), &plies));
    }
    assert_eq!(moves[0]["pdn"], "c1-e3");
}

/// OB33, OB35, OB36: one unit everywhere, no answers without looking, and the same for both colours.
#[test]
fn ob33_ob35_ob36_values_agree_in_every_output_and_for_both_colours() {
    for (fen, flipped) in [
        ("W:WK29:BK4", "B:WK29:BK4"),
        ("W:WK29,K30:BK1", "B:WK32:BK3,K4"),
        ("W:WK30:B14", "B:W19:BK3"),
        ("W:W22,21:BK1", "B:WK32:B11,12"),
    ] {
        let lines = ask_lines(&["probe", "russian", "--stdin"], format!("{fen}\n{flipped}\n"));
        let answers: Vec<Vec<&str>> =
            lines.stdout.lines().map(|line| line.split('\t').skip(1).collect()).collect();
        assert_eq!(answers[0], answers[1], "{fen}");
        let ran = ask(&["probe", "russian", fen, "--json"]);
        let json: Json = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(json["wld"], answers[0][0]);
        assert_eq!(json["dtw_plies"].to_string().replace("null", "-"), answers[0][1]);
        let words = ask(&["probe", "russian", fen]).stdout;
        let said = match answers[0][0] {
            "draw" => "White to move draws".to_owned(),
            "win" => format!("White to move wins in {} plies", answers[0][1]),
            _ => format!("White to move loses in {} plies", answers[0][1]),
        };
        assert!(words.contains(&said), "{words}");
    }
    let ran = ask_lines(&["probe", "russian", "--stdin"], "W:WK29:BK4\n");
    assert_eq!(ran.stdout, "W:WKa1:BKh8\tloss\t2\n");
}

#[test]
fn lines_are_answered_in_order() {
    let mut input = b"W:WKc1:Bc5\nnonsense\n\nW:WK29:BK1.\r\n\xff\n".to_vec();
    input.extend_from_slice(&[b'x'; 100_000]);
    input.extend_from_slice(b"\nW:WKa1,Kc1,Kc3:BKb8\nW:WKa9:B\nB:W:BKa1");
    let ran = ask_lines(&["probe", "russian", "--stdin"], input.clone());
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[0], "W:WKc1:Bc5\twin\t7");
    assert!(lines[1].starts_with("error\t\"nonsense\" is neither"), "{}", lines[1]);
    assert_eq!(lines[2], "error\tempty position");
    assert_eq!(lines[3], "W:WKa1:BKb8\tdraw\t-");
    assert_eq!(lines[4], "error\tnot UTF-8");
    assert_eq!(lines[5], "error\ta line of 100000 bytes (at most 4096 are read)");
    assert!(lines[6].starts_with("error\tno table KKKvK.wld"), "{}", lines[6]);
    assert!(lines[7].starts_with("error\t\"a9\" is off the board"), "{}", lines[7]);
    assert_eq!(lines[8], "B:W:BKa1\twin\t1");

    let ran = ask_lines(&["probe", "russian", "--stdin", "--json"], input);
    assert_eq!(ran.code, 1);
    let lines: Vec<Json> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[0]["fen"], "W:WKc1:Bc5");
    assert_eq!(lines[0]["moves"].as_array().unwrap().len(), 7);
    assert_eq!(lines[1]["input"], "nonsense");
    assert!(lines[1]["error"].as_str().unwrap().contains("neither a FEN"));
    assert_eq!(lines[3]["dtw_plies"], Json::Null);
    assert_eq!(lines[5]["input"].as_str().unwrap().len(), 4096);

    let ran = ask_lines(&["probe", "russian", "--stdin"], "W:WKc1:Bc5\n");
    assert_eq!(ran.code, 0);
    let ran = ask_lines(&["probe", "russian", "--stdin"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
}

/// A folder with English tables of up to 2 pieces and this text in `games.pdn`.
fn english_games(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    damka(folder.path()).args(["build", "english", "--pieces", "2"]).assert().success();
    fs::write(folder.path().join("games.pdn"), text).unwrap();
    folder
}

const ENGLISH_GAMES: &str = r#"[Event "kings, and the wrong result"]
[GameType "21"] [FEN "W:WK32:BK26"] [Result "0-1"] 1. 32-28 (32-27) 0-1
[FEN "W:WK32:BK26"] 1. 32-28 {White lets go} 26-23 1-0
[FEN "B:WK7:BK1"] *
[GameType "25"] [FEN "W:WK32:BK26"] 1-0
[FEN "W:WK32:BK4,K5"] 1-0
11-15 (9-14 1-0) 23-19 1/2-1/2
{the comment that never ends
"#;

#[test]
fn games_of_a_file_are_compared_with_the_tables() {
    let folder = english_games(ENGLISH_GAMES);
    let probe = ["probe", "english", "--pdn", "games.pdn"];
    let ran = run(damka(folder.path()).args(probe));
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    // Black begins: 0-1 says that White wins.
    assert_eq!(lines[0], "W:WK32:BK26\twin\t9\twin\tagrees");
    assert_eq!(lines[1], "W:WK32:BK26\twin\t9\tloss\tdisagrees");
    assert!(lines[2].starts_with("B:WK7:BK1\t") && lines[2].ends_with("\t-\t-"), "{}", lines[2]);
    let other =
        "error\tgame 4: game type \"25\" is not that of english (21,B,8,8,N1,0): another game";
    assert_eq!(lines[3], other);
    assert!(lines[4].starts_with("error\tgame 5: no table KvKK.wld of english"), "{}", lines[4]);
    assert!(
        lines[5].starts_with("error\tgame 6: no table of english holds positions of 24 pieces ("),
        "{}",
        lines[5]
    );
    assert_eq!(lines[6], "error\tgame 7: the comment of line 8 has no end");
    assert_eq!(lines.len(), 7);

    // After the moves the draw is there.
    let ran = run(damka(folder.path()).args(probe).arg("--at-end"));
    assert_eq!(ran.stdout.lines().nth(1), Some("W:WK28:BK23\tdraw\t-\tloss\tdisagrees"));

    let ran = run(damka(folder.path()).args(probe).arg("--json"));
    assert_eq!(ran.code, 1);
    let answers: Vec<Json> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), lines.len());
    for (place, line, stated, agrees) in [
        (0, 1, "win".into(), true.into()),
        (1, 3, "loss".into(), false.into()),
        (2, 4, Json::Null, Json::Null),
    ] {
        let answer = &answers[place];
        assert_eq!(answer["game"], place + 1);
        assert_eq!(answer["line"], line);
        assert_eq!((&answer["stated"], &answer["agrees"]), (&stated, &agrees));
        assert!(answer["moves"].is_array());
    }
    assert_eq!(answers[3]["game"], 4);
    assert!(answers[3]["error"].as_str().unwrap().contains("game type"));
}

#[test]
fn a_file_of_games_that_agree_is_no_fault() {
    let games = "[FEN \"W:WK32:BK26\"] 0-1\n[FEN \"B:WK32:BK26\"] *\n";
    let folder = english_games(games);
    let probe = |file: &str| run(damka(folder.path()).args(["probe", "english", "--pdn", file]));
    assert_eq!(probe("games.pdn").code, 0);
    fs::write(folder.path().join("none.pdn"), "").unwrap();
    let ran = probe("none.pdn");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let ran = probe("no such file");
    assert_eq!(ran.code, 74);
    assert!(complaint(&ran).contains("cannot read no such file: "));
    // Names in another encoding.
    let mut bytes = b"[White \"M\xfcller\"]".to_vec();
    bytes.extend_from_slice(games.as_bytes());
    fs::write(folder.path().join("games.pdn"), bytes).unwrap();
    assert_eq!(probe("games.pdn").code, 0);
}

/// What a process has had in memory at most.
#[cfg(target_os = "linux")]
fn most_resident(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

/// Games come from a pipe, are answered as they come, and none of them stays in memory.
#[cfg(target_os = "linux")]
#[test]
fn games_are_read_one_by_one() {
    const GAME: &str = "[FEN \"W:WK32:BK26\"] *\n";
    const ANSWER: &str = "W:WK32:BK26\twin\t9\t-\t-";
    let folder = english_games("");
    let mut probe = process(folder.path())
        .args(["probe", "english", "--pdn", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut games = probe.stdin.take().unwrap();
    let mut answers = BufReader::new(probe.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        games.write_all(GAME.as_bytes()).unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), ANSWER);
    }
    let before = most_resident(probe.id());
    // 40 MB of games, variations and comments, a game of 10 MB, and a word of 10 MB.
    let long =
        format!("[White \"M\u{fc}ller\"] {{{}}} ({}) ", "x".repeat(8_000), "1-5 ".repeat(500));
    let writer = std::thread::spawn(move || {
        for _ in 0..4_000 {
            games.write_all(long.as_bytes()).unwrap();
            games.write_all(GAME.as_bytes()).unwrap();
        }
        let part = "11-15 ".repeat(1_000);
        for _ in 0..1_700 {
            games.write_all(part.as_bytes()).unwrap();
        }
        games.write_all(b"1-0\n[FEN \"").unwrap();
        for _ in 0..10_000 {
            games.write_all(&[b'x'; 1_000]).unwrap();
        }
        games.write_all(b"\"]\n*\n").unwrap();
        games.write_all(GAME.as_bytes()).unwrap();
        games
    });
    for _ in 0..4_000 {
        assert_eq!(answers.next().unwrap().unwrap(), ANSWER);
    }
    for game in [4004, 4005] {
        let expected = "a game of more than 1048576 bytes of tags and moves";
        let expected = format!("error\tgame {game}: line {game}: {expected}");
        assert_eq!(answers.next().unwrap().unwrap(), expected);
    }
    assert_eq!(answers.next().unwrap().unwrap(), ANSWER);
    let grown = most_resident(probe.id()) - before;
    assert!(grown < 24 << 20, "{grown} bytes more");
    drop(writer.join().unwrap());
    assert_eq!(probe.wait().unwrap().code(), Some(1));
}

#[cfg(unix)]
#[test]
fn only_files_and_pipes_are_games() {
    let folder = english_games("[FEN \"W:WK32:BK26\"] *");
    let probe = |file: &str| run(damka(folder.path()).args(["probe", "english", "--pdn", file]));
    for (file, kind) in
        [("/dev/zero", "a device"), ("/dev/null", "a device"), ("tables", "a folder")]
    {
        let ran = probe(file);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert_eq!(complaint(&ran), format!("damka: {file} is {kind}, not a file of games"));
    }
    let pipe = folder.path().join("pipe");
    assert!(process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let from = folder.path().join("games.pdn");
    let copy = std::thread::spawn(move || fs::copy(from, pipe).unwrap());
    let ran = probe("pipe");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "W:WK32:BK26\twin\t9\t-\t-\n"));
    copy.join().unwrap();
    std::os::unix::fs::symlink("games.pdn", folder.path().join("link")).unwrap();
    assert_eq!(probe("link").code, 0);
}

/// OB24, OB25: the position of a file is that of its tag, whatever stands before the first move.
#[test]
fn ob24_ob25_the_tag_is_read_and_comments_may_be_long() {
    let tags = "[SetUp \"1\"]\n[GameType \"21\"]\n[FEN \"W:WK32:BK26.\"]\n";
    let comment = "x".repeat(1 << 20);
    let folder = english_games(&format!("{tags}\n{{{comment}}} 1. 32-27 *\n{tags}\n1. 32-27 *\n"));
    let ran = run(damka(folder.path()).args(["probe", "english", "--pdn", "games.pdn"]));
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stdout, "W:WK32:BK26\twin\t9\t-\t-\n".repeat(2));
}

/// OB26: what 1-0 means depends on who moves first in this type of game.
#[test]
fn ob26_a_result_is_that_of_its_type_of_game() {
    let game = |number, fen: &str| format!("[GameType \"{number}\"][FEN \"{fen}\"] 1-0\n");
    // Black to move wins; White, who moved second, does not.
    let folder = english_games(&(game(21, "B:WK7:BK1") + &game(21, "W:WK32:BK26")));
    let ran = run(damka(folder.path()).args(["probe", "english", "--pdn", "games.pdn"]));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].ends_with("\twin\tagrees"), "{}", lines[0]);
    assert!(lines[1].ends_with("\tloss\tdisagrees"), "{}", lines[1]);

    let path = folder.path().join("games.pdn");
    fs::write(&path, game(25, "W:WK29:B1") + &game(25, "B:WK29:B1")).unwrap();
    let ran = ask(&["probe", "russian", "--pdn", path.to_str().unwrap()]);
    let stated: Vec<&str> =
        ran.stdout.lines().map(|line| line.split('\t').nth(3).unwrap()).collect();
    assert_eq!(stated, ["win", "loss"]);
}

/// OB32: nothing is set before something else here; the nearest is the order of arguments.
#[test]
fn ob32_the_order_of_arguments_is_free() {
    let folder = THREE.path().join("tables");
    let db = ["--db", folder.to_str().unwrap()];
    let elsewhere = tempfile::tempdir().unwrap();
    let ask = |args: &[&str]| run(damka(elsewhere.path()).args(args));
    let first = ask(&["probe", db[0], db[1], "russian", TWO_AGAINST_ONE]);
    let last = ask(&["probe", "russian", TWO_AGAINST_ONE, db[0], db[1]]);
    assert_eq!((first.code, last.code), (0, 0), "{}", first.stderr);
    assert_eq!(first.stdout, last.stdout);
}

#[test]
fn answers_do_not_wait_for_more_questions() {
    let mut probe = process(THREE.path())
        .args(["probe", "russian", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = probe.stdin.take().unwrap();
    let mut answers = BufReader::new(probe.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        questions.write_all(b"W:WKc1:Bc5\n").unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), "W:WKc1:Bc5\twin\t7");
    }
    drop(questions);
    assert!(probe.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut probe = process(THREE.path())
        .args(["probe", "russian", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(probe.stdout.take());
    // More than a pipe holds; nobody may be reading any more.
    let _ = probe.stdin.take().unwrap().write_all("W:WKc1:Bc5\n".repeat(20_000).as_bytes());
    let output = probe.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn stats_have_one_line_a_slice_and_totals() {
    let ran = ask(&["stats", "russian", "--tsv"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let head = "slice\tpositions\twins\tlosses\tdraws\tlongest_win_plies\tlongest_loss_plies";
    assert_eq!(lines[0], head);
    assert_eq!(lines[1], "KvK\t992\t194\t2\t796\t3\t2");
    assert_eq!(lines[2], "KvM\t868\t746\t0\t122\t7\t-");
    let names: Vec<&str> = lines[1..].iter().map(|line| line.split('\t').next().unwrap()).collect();
    let expected = "KvK KvM MvK MvM total-2 KKvK KvKK KKvM KMvK KvKM MvKK KMvM KvMM MMvK MvKM MMvM MvMM total-3";
    assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
    for (total, rows) in [(5, 1..5), (18, 6..18)] {
        for column in 1..5 {
            let number = |line: &str| line.split('\t').nth(column).unwrap().parse::<u64>().unwrap();
            let sum: u64 = lines[rows.clone()].iter().map(|line| number(line)).sum();
            assert_eq!(number(lines[total]), sum);
        }
    }

    let ran = ask(&["stats", "russian"]);
    assert_eq!(ran.stdout.lines().count(), lines.len());
    assert!(ran.stdout.lines().any(|line| line.starts_with("total-3    196,032  ")));
}

#[test]
fn stats_of_a_part_say_so() {
    let folder = copy_of_three();
    for name in ["KKvK.wld", "KKvK.dtw"] {
        fs::remove_file(folder.path().join("tables/russian").join(name)).unwrap();
    }
    let ran = run(damka(folder.path()).args(["stats", "russian", "--tsv"]));
    assert_eq!(ran.code, 0);
    assert!(complaint(&ran).ends_with("total-3 is of 11 slices; there are 12"));
    assert!(!ran.stdout.contains("\nKKvK\t"));
}

#[test]
fn longest_shows_positions_with_lines() {
    let ran = ask(&["longest", "russian", "KvM"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("KvM: the longest win takes 7 plies; 28 positions\n\nW:WK"));
    assert!(ran.stdout.ends_with("\nand 18 more (--all shows them)\n"));
    let fens = |text: &str| text.lines().filter(|line| line.starts_with("W:")).count();
    assert_eq!(fens(&ran.stdout), 10);
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("  1. ")).count(), 10);
    let all = ask(&["longest", "russian", "KvM", "--all"]).stdout;
    assert_eq!(fens(&all), 28);
    for fen in all.lines().filter(|line| line.starts_with("W:")) {
        let ran = ask_lines(&["probe", "russian", "--stdin"], fen);
        assert!(ran.stdout.ends_with("\twin\t7\n"), "{}", ran.stdout);
    }

    let ran = ask(&["longest", "russian", "KKKvK"]);
    assert_eq!(ran.code, 4);
    assert!(complaint(&ran).contains("KKKvK.dtw"));
    assert_eq!(ask(&["longest", "russian", "KXvK"]).code, 2);
    assert_eq!(ask(&["longest", "russian", "MMMMMMMMMMMMvMMMMMMMMMMMM"]).code, 4);
}

#[test]
fn classics_count_three_kings_against_one() {
    let ran = run(damka(FOUR.path()).args(["classics", "russian"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("\nThe main road is the diagonal a1-h8. "));
    let rows: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("  White  ") || line.contains("  Black  "))
        .collect();
    assert_eq!(rows.len(), 8);
    let numbers = |row: &str| -> Vec<u64> {
        let cells = row.split("  ").map(|cell| cell.trim().replace(',', ""));
        cells.filter_map(|cell| cell.parse().ok()).collect()
    };
    let placements: u64 = rows.iter().map(|row| numbers(row)[0]).sum();
    assert_eq!(placements, 2 * 143_840);
    for row in &rows {
        let n = numbers(row);
        assert_eq!(n.len(), 7, "{row}");
        assert_eq!(n[0], n[1] + n[2] + n[3], "{row}");
        assert!(n[4] <= n[1] + n[3], "{row}");
    }

    let list = run(damka(FOUR.path()).args(["classics", "russian", "--list"])).stdout;
    assert!(list.starts_with(&ran.stdout));
    let exceptions: u64 = rows.iter().map(|row| numbers(row)[6]).sum();
    let listed = list.lines().filter(|line| line.starts_with("W:") || line.starts_with("B:"));
    assert_eq!(listed.count() as u64, exceptions);
    let numeric = ["classics", "russian", "--list", "--squares", "numeric"];
    let numeric = run(damka(FOUR.path()).args(numeric)).stdout;
    assert!(numeric.contains("\nThe main road is the diagonal 29-4. "), "{numeric}");
    let listed = |text: &str| -> Vec<String> {
        let positions = text.lines().filter_map(|line| line.split_once("  "));
        let fens = positions.filter(|(fen, _)| fen.starts_with("W:") || fen.starts_with("B:"));
        fens.map(|(fen, _)| fen.to_owned()).collect()
    };
    let named = listed(&list).into_iter().zip(listed(&numeric));
    let mut compared = 0;
    for (named, numbered) in named {
        assert!(!numbered.contains(|c: char| c.is_ascii_lowercase()), "{numbered}");
        let read = |fen: &str| parse_fen(Variant::Russian, fen).unwrap();
        assert_eq!(read(&named), read(&numbered));
        compared += 1;
    }
    assert_eq!(compared, exceptions);

    let ran = ask(&["classics", "russian"]);
    assert_eq!(ran.code, 4);
    assert!(complaint(&ran).contains("KKKvK.wld"));
    assert!(complaint(&ran).contains("damka build russian --pieces 4"));
}

#[test]
fn info_lists_what_there_is() {
    let ran = ask(&["info"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let head = ", table format 3\ntables are looked for in tables, ";
    assert!(ran.stdout.contains(head), "{}", ran.stdout);
    assert!(ran.stdout.contains(", by default\n\nrussian\n  folder tables\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n  complete up to 3 pieces\n"));
    assert!(ran.stdout.contains("\n  3 pieces: 12 of 12 slices\n    wld: 12 tables, "));
    assert!(ran.stdout.contains(" bits a position\n"));

    let folder = copy_of_three();
    let inside = folder.path().join("tables/russian");
    fs::remove_file(inside.join("KKvK.wld")).unwrap();
    fs::write(inside.join("notes.txt"), "mine").unwrap();
    fs::write(inside.join("KvK.dtw"), "not a table").unwrap();
    let ran = run(damka(folder.path()).arg("info"));
    assert_eq!(ran.code, 5);
    assert!(ran.stdout.contains("\n  no piece count is complete\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("missing or not whole: KKvK\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("notes.txt: not of damka, not used\n"));
    assert!(ran.stdout.lines().any(|l| l.starts_with("  broken: ") && l.contains("KvK.dtw")));
}

#[test]
fn verify_tells_by_its_exit_code() {
    let ran = ask(&["verify", "russian", "--threads", "1"]);
    assert_eq!(ran.code, 0);
    let expected = "russian: 16 slices, 32 tables with right checksums, 199,520 positions derived again, 0 faults in ";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    let ran = ask(&["verify", "russian", "--sample", "100"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains(" 1,600 positions derived again, 0 faults"), "{}", ran.stdout);
    assert_eq!(ask(&["verify", "russian", "--sample", "0"]).code, 2);

    // One flipped bit in the last block.
    let folder = copy_of_three();
    let path = folder.path().join("tables/russian/MMvM.dtw");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let ran = run(damka(folder.path()).args(["verify", "russian"]));
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.lines().next().unwrap().contains("MMvM.dtw"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" 31 tables with right checksums"), "{}", ran.stdout);
    // One that most others need is a fault of theirs too, and told once.
    fs::write(folder.path().join("tables/russian/KvK.wld"), "not a table").unwrap();
    let ran = run(damka(folder.path()).args(["verify", "russian", "--sample", "100"]));
    assert_eq!(ran.code, 1);
    let told = ran.stdout.lines().filter(|line| line.contains("KvK.wld")).count();
    assert_eq!(told, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains(" not, for want of a table, 2 faults in "), "{}", ran.stdout);
    assert_eq!(ran.stdout.lines().count(), 3, "{}", ran.stdout);
}

/// OB28: a folder whose name has spaces.
#[test]
fn ob28_folders_may_have_spaces() {
    let folder = copy_of_three();
    fs::rename(folder.path().join("tables"), folder.path().join("my tables 5")).unwrap();
    let probe = ["probe", "russian", TWO_AGAINST_ONE];
    let ran = run(damka(folder.path()).args(probe).args(["--db", "my tables 5"]));
    let other = run(damka(folder.path()).args(probe).env("DAMKA_PATH", "my tables 5"));
    assert_eq!((ran.code, other.code), (0, 0));
    assert_eq!(ran.stdout, ask(&probe).stdout);
    assert_eq!(ran.stdout, other.stdout);
}

/// OB29: tables split over two folders.
#[test]
fn ob29_all_folders_are_used() {
    let folder = tempfile::tempdir().unwrap();
    for (place, (name, bytes)) in files(&THREE.path().join("tables")).into_iter().enumerate() {
        let half = folder.path().join(["one", "two"][place % 2]).join("russian");
        fs::create_dir_all(&half).unwrap();
        fs::write(half.join(name), bytes).unwrap();
    }
    let path = std::env::join_paths(["one", "two"]).unwrap();
    for args in [&["stats", "russian", "--tsv"][..], &["probe", "russian", TWO_AGAINST_ONE]] {
        let given = run(damka(folder.path()).args(args).args(["--db", "one", "--db", "two"]));
        let listed = run(damka(folder.path()).args(args).env("DAMKA_PATH", &path));
        assert_eq!((given.code, listed.code), (0, 0), "{}", given.stderr);
        assert_eq!(given.stdout, ask(args).stdout);
        assert_eq!(given.stdout, listed.stdout);
    }
    // What is given on the command line counts alone.
    let probe = ["probe", "russian", TWO_AGAINST_ONE];
    let ran = run(damka(folder.path()).args(probe).args(["--db", "one"]).env("DAMKA_PATH", &path));
    assert_eq!(ran.code, 4);
    // The first folder that has a table counts.
    fs::write(folder.path().join("two/russian/KvK.dtw"), "not a table").unwrap();
    fs::write(folder.path().join("two/russian/KvK.wld"), "not a table").unwrap();
    let db = ["--db", "one", "--db", "two"];
    for name in ["KvK.dtw", "KvK.wld"] {
        let whole = THREE.path().join("tables/russian").join(name);
        fs::copy(whole, folder.path().join("one/russian").join(name)).unwrap();
    }
    assert_eq!(
        run(damka(folder.path()).args(["probe", "russian", "W:WKa1:BKb8"]).args(db)).code,
        0
    );
    let ran = run(damka(folder.path()).arg("info").args(db));
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("KvK.wld: not used: "), "{}", ran.stdout);

    let ran = run(damka(folder.path()).args(probe).args(["--db", "one", "--db", "three"]));
    assert_eq!(ran.code, 4);
    assert_eq!(complaint(&ran), "damka: there is no folder three");
    fs::write(folder.path().join("four"), "").unwrap();
    let ran = run(damka(folder.path()).args(probe).args(["--db", "four"]));
    assert_eq!((ran.code, complaint(&ran)), (4, "damka: four is not a folder"));
}

/// OB30: a smaller table that the answer depends on is not there.
#[test]
fn ob30_a_missing_table_is_named() {
    let folder = copy_of_three();
    let inside = folder.path().join("tables/russian");
    for name in ["KvK.wld", "KvK.dtw"] {
        fs::remove_file(inside.join(name)).unwrap();
    }
    // A capture leads to one king against one.
    let ran = run(damka(folder.path()).args(["probe", "russian", "W:WKa1:BKb2,Kh2"]));
    assert_eq!(ran.code, 4);
    let line = complaint(&ran);
    assert!(line.contains("no table KvK.wld of russian in tables"), "{line}");
    // Nothing is written of what is known where nothing is.
    fs::rename(inside.join("MvM.wld"), folder.path().join("MvM.wld")).unwrap();
    let nothing = run(damka(folder.path()).args(["probe", "russian", "W:Wa3:Bh6"]));
    assert_eq!((nothing.code, nothing.stdout.as_str()), (4, ""));
    fs::rename(folder.path().join("MvM.wld"), inside.join("MvM.wld")).unwrap();
    assert!(line.contains("`damka build russian --pieces 2` makes it"), "{line}");
    assert!(ran.stdout.contains("  unknown: no table KvK.wld\n"), "{}", ran.stdout);
    // A build makes what is missing and nothing else.
    let ran = run(damka(folder.path()).args(["build", "russian", "--pieces", "3"]));
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("built 1 slice, 992 positions (15 were there)\n"));
    assert!(files(&folder.path().join("tables")) == files(&THREE.path().join("tables")));
}

/// The Russian tables of the repository, without those whose names begin so.
fn all_but(missing: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("tables/russian");
    fs::create_dir_all(&inside).unwrap();
    for file in committed_files() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if missing.iter().all(|slice| !name.starts_with(slice)) {
            fs::copy(file, inside.join(name)).unwrap();
        }
    }
    folder
}

/// Slices that three against one, a man among the three, belong to or lead to with it.
const NO_MAN: [&str; 4] = ["KKMvK.", "KvKKM.", "KMvK.", "KvKM."];

#[test]
fn moves_whose_table_is_missing_are_unknown_and_others_count() {
    let folder = all_but(&NO_MAN);
    let probe = |args: &[&str]| run(damka(folder.path()).args(["probe", "russian"]).args(args));
    let win = "W:WKa3,Kc5,g7:BKh2";
    let ran = probe(&[win]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for part in [
        "\nWhite to move wins, in an unknown number of plies: no table KKMvK.wld\n",
        "\n  g7-h8  win in 23 plies\n  g7-f8  draw\n  a3-c1  unknown: no table KvKKM.wld\n",
        "\nMissing or broken tables:\n  no table KKMvK.wld of russian in tables (`damka build russian --pieces 4` makes it)\n",
        "\nMain line, the quickest win that is known:\n  1. g7-h8 ",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is not in\n{}", ran.stdout);
    }
    let json = |ran: &Ran| serde_json::from_str::<Json>(&ran.stdout).unwrap();
    let answer = json(&probe(&[win, "--json"]));
    assert_eq!((&answer["wld"], &answer["dtw_plies"]), (&"win".into(), &Json::Null));
    assert!(answer["unknown"].as_str().unwrap().starts_with("no table KKMvK.wld of russian in "));
    assert!(answer.get("error").is_none());
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!((&moves[0]["wld"], &moves[0]["dtw_plies"]), (&"loss".into(), &22.into()));
    assert!(moves[0].get("unknown").is_none() && moves[1].get("unknown").is_none());
    assert_eq!((&moves[2]["wld"], &moves[2]["dtw_plies"]), (&Json::Null, &Json::Null));
    assert!(moves[2]["unknown"].as_str().unwrap().starts_with("no table KvKKM.wld of russian"));

    // The distance is proven too if nothing can be quicker.
    let ran = probe(&["W:WKa1,Ke1,c7:BKh4"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("\nWhite to move wins in 3 plies\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nMain line:\n  1. c7-d8 "), "{}", ran.stdout);

    // Draws are known, and other moves could be better.
    let unknown = "W:Wc7,Kc1:BKh8";
    let ran = probe(&[unknown]);
    assert_eq!(ran.code, 4);
    assert!(complaint(&ran).contains("no table KMvK.wld of russian in tables (`damka build "));
    for part in [
        "\nWhite to move: unknown, no table KMvK.wld\n",
        "\n  c7-b8  draw\n  c1-b2  draw\n  c1-d2  unknown: no table KvKM.wld\n",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is not in\n{}", ran.stdout);
    }
    let ran = probe(&[unknown, "--json"]);
    assert_eq!(ran.code, 4);
    let answer = json(&ran);
    assert!(complaint(&ran).ends_with(answer["error"].as_str().unwrap()));
    assert_eq!((&answer["wld"], &answer["moves"][0]["wld"]), (&Json::Null, &"draw".into()));
}

#[test]
fn results_without_distances_are_answers_in_lines_and_games() {
    let folder = all_but(&NO_MAN);
    let (win, unknown) = ("W:WKa3,Kc5,g7:BKh2", "W:WKc1,c7:BKh8");
    let lines = |args: &[&str], input: &str| {
        let ran = run(damka(folder.path())
            .args(["probe", "russian", "--stdin"])
            .args(args)
            .write_stdin(input));
        (ran.code, ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (code, answers) = lines(&[], &format!("{win}\nW:WKa1:BKb8\n"));
    let expected = [format!("{win}\twin\t?"), "W:WKa1:BKb8\tdraw\t-".to_owned()];
    assert_eq!((code, answers), (0, expected.to_vec()));
    let (code, answers) = lines(&[], &format!("{unknown}\n"));
    assert_eq!(code, 1);
    assert!(answers[0].starts_with("error\tno table KMvK.wld of russian"), "{}", answers[0]);

    let (code, answers) = lines(&["--json"], &format!("{win}\n"));
    assert_eq!(code, 0);
    let answer: Json = serde_json::from_str(&answers[0]).unwrap();
    assert_eq!((&answer["wld"], answer.get("input")), (&"win".into(), None));
    let (code, answers) = lines(&["--json"], &format!("{unknown}\n"));
    assert_eq!(code, 1);
    let answer: Json = serde_json::from_str(&answers[0]).unwrap();
    assert_eq!((&answer["fen"], &answer["input"]), (&unknown.into(), &unknown.into()));
    assert!(answer["error"].as_str().unwrap().starts_with("no table KMvK.wld of russian"));
    assert!(answer["moves"].as_array().unwrap().iter().any(|child| child["wld"] == "draw"));

    let games = format!("[FEN \"{win}\"] 1-0\n[FEN \"{win}\"] 0-1\n[FEN \"{unknown}\"] 1-0\n");
    fs::write(folder.path().join("games.pdn"), games).unwrap();
    let games = ["probe", "russian", "--pdn", "games.pdn"];
    let ran = run(damka(folder.path()).args(games));
    let answers: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(answers[0], format!("{win}\twin\t?\twin\tagrees"));
    assert_eq!(answers[1], format!("{win}\twin\t?\tloss\tdisagrees"));
    assert!(answers[2].starts_with("error\tgame 3: no table KMvK.wld"), "{}", answers[2]);
    let ran = run(damka(folder.path()).args(games).arg("--json"));
    assert_eq!(ran.code, 1);
    let answers: Vec<Json> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&answers[0]["agrees"], &answers[1]["agrees"]), (&true.into(), &false.into()));
    assert_eq!((&answers[2]["agrees"], &answers[2]["stated"]), (&Json::Null, &"win".into()));
    assert!(answers[2]["error"].as_str().unwrap().contains("no table KMvK.wld"));
}

#[test]
fn no_tables_at_all() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["stats", "russian"][..], &["info"]] {
        let ran = run(damka(folder.path()).args(args));
        assert_eq!(ran.code, 4);
        let said = complaint(&ran);
        assert!(said.starts_with("damka: there is no folder tables"), "{said}");
        assert!(said.ends_with(" (`damka build russian --pieces 4` makes it)"), "{said}");
    }
    let ran = run(damka(folder.path()).args(["probe", "russian", TWO_AGAINST_ONE]));
    assert_eq!(ran.code, 4);
    let help = "damka: no table KKvK.wld of russian (`damka build russian --pieces 3` makes it)";
    assert_eq!(complaint(&ran), help);
    let ran = run(damka(folder.path()).args(["stats", "russian"]).env("DAMKA_PATH", "gone"));
    assert_eq!(complaint(&ran), "damka: there is no folder gone, which DAMKA_PATH names");
    fs::create_dir(folder.path().join("tables")).unwrap();
    for args in [["stats", "russian"], ["verify", "russian"]] {
        let ran = run(damka(folder.path()).args(args));
        assert_eq!(ran.code, 4);
        assert!(complaint(&ran).starts_with("damka: no tables of russian in tables ("));
    }
}

/// OB31: a file that was cut, while others are whole.
#[test]
fn ob31_a_cut_table_is_named_and_others_answer() {
    // A quiet position with a distance, which is in the .dtw table.
    let longest = ask(&["longest", "russian", "KKvK"]).stdout;
    let won = longest.lines().find(|line| line.starts_with("W:")).unwrap();
    let folder = copy_of_three();
    let path = folder.path().join("tables/russian/KKvK.dtw");
    let bytes = fs::read(&path).unwrap();
    let (whole, half) = (bytes.len(), bytes.len() / 2);
    fs::write(&path, &bytes[..half]).unwrap();
    let said = format!("KKvK.dtw has {half} bytes instead of {whole}");

    let ran = run(damka(folder.path()).args(["probe", "russian", won]));
    // The moves, whose tables are whole, prove the value.
    let whole = ask(&["probe", "russian", won]).stdout;
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(complaint(&ran).contains(&said), "{}", ran.stderr);
    let (value_and_moves, _) = whole.split_once("\nMain line:\n").unwrap();
    assert!(ran.stdout.starts_with(value_and_moves), "{}", ran.stdout);
    let listed =
        format!("\nMissing or broken tables:\n  {}\n", &complaint(&ran)["damka: ".len()..]);
    assert!(ran.stdout.contains(&listed), "{}", ran.stdout);
    // But not the way there.
    let (_, line) = ran.stdout.split_once("\nMain line:\n  1. ").unwrap();
    assert!(line.contains("\n  and on, unknown: ") && line.contains(&said), "{line}");
    // Once for all lines.
    let asked = format!("{won}\n{won}\nW:WKc1:Bc5\n");
    let ran =
        run(damka(folder.path()).args(["probe", "russian", "--stdin"]).write_stdin(asked.as_str()));
    assert_eq!(
        (ran.code, ran.stdout.clone()),
        (0, ask_lines(&["probe", "russian", "--stdin"], asked).stdout)
    );
    assert!(complaint(&ran).contains(&said), "{}", ran.stderr);
    // So do results, but not how long it takes where both are broken.
    let other = folder.path().join("tables/russian/KvKK.dtw");
    let bytes = fs::read(&other).unwrap();
    fs::write(&other, &bytes[..bytes.len() / 2]).unwrap();
    let input = format!("{won}\nW:WKc1:Bc5\n");
    let ran = run(damka(folder.path()).args(["probe", "russian", "--stdin"]).write_stdin(input));
    assert_eq!((ran.code, ran.stdout), (0, format!("{won}\twin\t?\nW:WKc1:Bc5\twin\t7\n")));
    fs::write(&other, &bytes).unwrap();
    // Without any result the reason decides.
    let other = folder.path().join("tables/russian/MvM.wld");
    let bytes = fs::read(&other).unwrap();
    fs::write(&other, &bytes[..bytes.len() / 2]).unwrap();
    let ran = run(damka(folder.path()).args(["probe", "russian", "W:Wa3:Bh6"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (5, ""));
    assert!(complaint(&ran).contains("MvM.wld has "), "{}", ran.stderr);
    fs::write(&other, &bytes).unwrap();

    let ran = run(damka(folder.path()).args(["stats", "russian", "--tsv"]));
    assert_eq!(ran.code, 5);
    assert!(ran.stderr.contains(&said) && ran.stdout.contains("\nKMvK\t"));
    let ran = run(damka(folder.path()).arg("info"));
    assert_eq!(ran.code, 5);
    assert!(ran.stdout.contains(&said));
    let ran = run(damka(folder.path()).args(["verify", "russian", "--sample", "100"]));
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains(&said));
    // Results alone are still known: a draw has no distance.
    let ran = run(damka(folder.path()).args(["probe", "russian", TWO_AGAINST_ONE]));
    assert_eq!(ran.code, 0);
    // A build does not overwrite what it did not write.
    let ran = run(damka(folder.path()).args(["build", "russian", "--pieces", "3"]));
    assert_eq!(ran.code, 5);
    assert!(complaint(&ran).contains(&said));
}

/// OB27: more tables than files may be open.
#[cfg(unix)]
#[test]
fn ob27_few_open_files_are_enough() {
    assert!(files(&FOUR.path().join("tables")).len() > 64);
    let limited = |args: &str, input: &str| {
        let script = format!("ulimit -n 64; exec '{DAMKA}' {args}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(FOUR.path()).env_remove("DAMKA_PATH");
        run(command.write_stdin(input))
    };
    // All headers, then positions of every slice.
    let stats = limited("stats russian --tsv", "");
    assert_eq!((stats.code, stats.stderr.as_str()), (0, ""));
    let men = ["a3", "c3", "e5", "h4"];
    let kings = ["Kb2", "Kf4", "Kg7", "Kh2"];
    let mut input = String::new();
    for white in 1..4 {
        for black in 1..=4 - white {
            for white_men in 0..=white {
                for black_men in 0..=black {
                    let piece =
                        |place: usize, man: bool| if man { men[place] } else { kings[place] };
                    let side = |from: usize, number: usize, with: usize| {
                        (0..number).map(|i| piece(from + i, i < with)).collect::<Vec<_>>().join(",")
                    };
                    let (w, b) = (side(0, white, white_men), side(white, black, black_men));
                    input.push_str(&format!("W:W{w}:B{b}\nB:W{w}:B{b}\n"));
                }
            }
        }
    }
    let ran = limited("probe russian --stdin", &input);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let free = run(damka(FOUR.path()).args(["probe", "russian", "--stdin"]).write_stdin(input));
    assert_eq!(ran.stdout, free.stdout);
    assert_eq!(limited("probe russian 'W:WKa1,Kc1,Kc3:BKb8'", "").code, 0);
    assert_eq!(limited("verify russian --sample 10", "").code, 0);
}

#[test]
fn positions_that_are_none_have_their_own_code() {
    let ran = ask(&["probe", "russian", "W:WKa9:BKb8"]);
    assert_eq!(ran.code, 3);
    assert_eq!(complaint(&ran), "damka: not a position: \"a9\" is off the board (a1 to h8)");
    for bad in ["", " ", "W", "W:W1:B", "W:Wa1\n:Bx", "\u{1b}[31m", "W:WKa1,Ka1:BKb8"] {
        let ran = ask(&["probe", "russian", bad]);
        assert_eq!(ran.code, 3, "{bad:?}");
        complaint(&ran);
    }
    // Nor is the initial position in any table.
    let ran = ask(&["probe", "russian", "W:W21-32:B1-12"]);
    assert_eq!(ran.code, 4);
    assert!(complaint(&ran).contains("24 pieces"));
}

#[test]
fn wrong_arguments_have_their_own_code() {
    for args in [
        &[][..],
        &["fly"],
        &["probe", "russian"],
        &["probe", "russian", TWO_AGAINST_ONE, "--stdin"],
        &["probe", "russian", TWO_AGAINST_ONE, "--pdn", "games.pdn"],
        &["probe", "russian", "--stdin", "--pdn", "games.pdn"],
        &["probe", "russian", TWO_AGAINST_ONE, "--at-end"],
        &["build", "russian"],
        &["build", "russian", "--pieces", "1"],
        &["build", "russian", "--pieces", "99"],
        &["build", "russian", "--pieces", "2", "--threads", "99999"],
        &["completions", "csh"],
    ] {
        let ran = ask(args);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{args:?}");
    }
    // What is no number says what is meant, and fractions of seconds are numbers.
    let seconds = "a number of seconds from 0 to 10^19 is meant, like 60 or 0.5";
    for (argument, meant) in [
        ("--keep-every=x", seconds),
        ("--keep-every=-1", seconds),
        ("--keep-every=inf", seconds),
        ("--keep-every=1e30", seconds),
        ("--threads=x", "a whole number from 0 to 1024 is meant"),
        ("--threads=2.5", "a whole number from 0 to 1024 is meant"),
        ("--level=23", "a whole number from 1 to 22 is meant"),
        ("--memory=much", "a number of bytes is meant, like 500M, 64MiB or 16G"),
    ] {
        let ran = ask(&["build", "russian", "-n", "3", argument]);
        assert_eq!(ran.code, 2, "{argument}");
        assert!(ran.stderr.lines().next().unwrap().ends_with(meant), "{}", ran.stderr);
    }
    let ran = ask(&["build", "russian", "-n", "3", "--keep-every", "-1"]);
    assert!(ran.stderr.lines().next().unwrap().ends_with(seconds), "{}", ran.stderr);
    for seconds in ["0", "0.5", "60"] {
        let ran = ask(&["build", "russian", "-n", "3", "--keep-every", seconds]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let ran = ask(&["stats", "klingon"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("'klingon'") && ran.stderr.contains("[possible values: russian, "));
}

#[test]
fn help_has_examples_and_codes() {
    let ran = ask(&["--help"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("Exit codes:") && ran.stdout.contains("DAMKA_PATH"));
    let subcommands = "build probe stats longest classics info verify completions";
    for subcommand in subcommands.split(' ') {
        assert!(ran.stdout.contains(&format!("\n  {subcommand} ")), "{subcommand}");
        let ran = ask(&[subcommand, "--help"]);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains(&format!("Examples:\n  damka {subcommand}")), "{subcommand}");
    }
}

#[test]
fn completions_name_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = ask(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("classics"), "{shell}");
    }
}

/// The codes that the help and the reference list are the same.
#[test]
fn reference_lists_the_exit_codes() {
    let help = ask(&["--help"]).stdout;
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/cli.md");
    let reference = fs::read_to_string(path).unwrap();
    for line in codes.lines() {
        let (code, meaning) = line.trim().split_once(' ').unwrap();
        let row = format!("| {code} | {} |", meaning.trim());
        assert!(reference.contains(&row), "{row}");
    }
}

#[test]
fn builds_that_are_too_large_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (variant, pieces, said) in [
        (
            "canadian",
            "8",
            "of canadian has too many placements to be solved; up to 5 pieces can be built",
        ),
        (
            "turkish",
            "7",
            "of turkish has too many placements to be solved; up to 6 pieces can be built",
        ),
        (
            "international",
            "7",
            "of international has too many placements to be solved; up to 6 pieces can be built",
        ),
    ] {
        let ran = run(damka(folder.path()).args(["build", variant, "--pieces", pieces]));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{variant}");
        assert!(complaint(&ran).ends_with(said), "{}", ran.stderr);
    }
    assert!(!folder.path().join("tables").exists());
}
