//! When the system is against it: the real program where locks, threads, files or folders are not as they should be.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use tempfile::TempDir;

const DAMKA: &str = env!("CARGO_BIN_EXE_damka");

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// The one line on standard error, which begins with the name of the program.
    #[track_caller]
    fn complaint(&self) -> &str {
        let line = self.stderr.strip_suffix('\n').expect("a whole line");
        assert!(line.starts_with("damka: ") && !line.contains('\n'), "{:?}", self.stderr);
        line
    }
}

/// Runs the program in a folder, with variables set. It does not wait for ever.
#[track_caller]
fn run_with(folder: &Path, variables: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = assert_cmd::Command::new(DAMKA);
    command.env("DAMKA_NO_SOLVE", "1");
    command.current_dir(folder).env_remove("DAMKA_PATH").args(args);
    command.envs(variables.iter().copied()).timeout(Duration::from_secs(120));
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    let code = output.status.code();
    Ran { code: code.unwrap_or_else(|| panic!("{}: {stderr}", output.status)), stdout, stderr }
}

#[track_caller]
fn run(folder: &Path, args: &[&str]) -> Ran {
    run_with(folder, &[], args)
}

/// Names and bytes of all files of Russian tables in a folder, but for the lock.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = crate::common::tables::files(&folder.join("tables"));
    files.retain(|name, _| name != ".lock");
    files
}

fn inside(folder: &Path, name: &str) -> PathBuf {
    folder.join("tables/russian").join(name)
}

/// A folder in which `tables` holds everything up to 3 pieces. Nobody writes there.
static THREE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["build", "russian", "-n", "3"]).code, 0);
    folder
});

fn copy_of_three() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tables/russian")).unwrap();
    for (name, bytes) in files(THREE.path()) {
        fs::write(inside(folder.path(), &name), bytes).unwrap();
    }
    folder
}

/// A leftover of a build that was killed, and files that only look so.
fn write_leftovers(folder: &Path) -> [PathBuf; 2] {
    let left = [".damka-unfinished-Ab12Cd", ".damka-unfinished-Cd34Ef"];
    let [a, b] = left.map(|name| inside(folder, name));
    fs::write(&a, "").unwrap();
    fs::write(&b, [vec![0; 300], b"blocks".to_vec()].concat()).unwrap();
    [a, b]
}

/// The library of `shims/system.c`, which makes calls of the system fail.
#[cfg(target_os = "linux")]
static SHIM: LazyLock<(TempDir, String)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("system.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/shims/system.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source);
    assert!(compiler.args(["-ldl", "-lpthread"]).status().unwrap().success());
    let path = library.to_str().unwrap().to_owned();
    (folder, path)
});

/// Runs the program with a variable of the shim set.
#[cfg(target_os = "linux")]
#[track_caller]
fn run_shimmed(folder: &Path, variable: &str, number: i32, args: &[&str]) -> Ran {
    run_with(folder, &[("LD_PRELOAD", &SHIM.1), (variable, &number.to_string())], args)
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_without_locks_is_built_in() {
    let build = ["build", "russian", "-n", "2"];
    for error in [libc::ENOLCK, libc::ENOTSUP, libc::EBADF, libc::ENOSYS, libc::EINVAL] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("tables/russian")).unwrap();
        let left = write_leftovers(folder.path());
        let ran = run_shimmed(folder.path(), "SHIM_FLOCK", error, &build);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let said = "damka: tables/russian cannot be locked (";
        let first = ran.stderr.lines().next().unwrap();
        assert!(first.starts_with(said), "{first}");
        assert!(first.ends_with("): let no other build work there"), "{first}");
        assert_eq!(ran.stderr.matches("locked").count(), 1, "{}", ran.stderr);
        assert_eq!(files(folder.path()).len(), 8 + 2);
        // They may be those of a build at work; with nothing to do they stay too.
        let ran = run_shimmed(folder.path(), "SHIM_FLOCK", error, &build);
        assert_eq!((ran.code, ran.stderr.contains("locked")), (0, false), "{}", ran.stderr);
        assert!(left.iter().all(|path| path.exists()));
        assert_eq!(run(folder.path(), &build).code, 0);
        assert_eq!(files(folder.path()).len(), 8);
    }
    let folder = tempfile::tempdir().unwrap();
    let ran = run_shimmed(folder.path(), "SHIM_FLOCK", libc::EIO, &build);
    assert_eq!(ran.code, 74);
    assert!(ran.complaint().contains("cannot use the folder tables/russian: Input/output error"));
    let ran = run_shimmed(folder.path(), "SHIM_FLOCK", libc::EWOULDBLOCK, &build);
    assert_eq!(ran.code, 6);
    assert!(files(folder.path()).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn folders_that_cannot_be_synced_are_built_in() {
    let build = ["build", "russian", "-n", "2"];
    for error in [libc::EINVAL, libc::ENOTSUP] {
        let folder = tempfile::tempdir().unwrap();
        let ran = run_shimmed(folder.path(), "SHIM_FSYNC_FOLDER", error, &build);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(files(folder.path()).len(), 8);
    }
    for (variable, error, named) in [
        ("SHIM_FSYNC_FOLDER", libc::EIO, "damka: tables/russian: Input/output error"),
        ("SHIM_FSYNC_FOLDER", libc::ENOSPC, "damka: tables/russian: No space left"),
        ("SHIM_FSYNC_FILE", libc::EINVAL, ".dtw: Invalid argument"),
        ("SHIM_FSYNC_FILE", libc::EIO, ".dtw: Input/output error"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ran = run_shimmed(folder.path(), variable, error, &build);
        assert_eq!(ran.code, 74, "{variable} {error}");
        assert!(ran.stderr.lines().last().unwrap().contains(named), "{}", ran.stderr);
    }
}

/// Goes on with fewer threads, or none, and says so in one line.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_done_without() {
    let whole = files(THREE.path());
    let commands: [(&[&str], &str); 5] = [
        (&["build", "russian", "-n", "3", "--threads", "3"], "built 16 slices, "),
        (&["verify", "russian", "--threads", "3", "--db", "../three"], "russian: 16 slices, 32 "),
        (&["verify", "russian", "--sample", "50", "--db", "../three"], "russian: 16 slices, 32 "),
        (&["longest", "russian", "MMvK", "--db", "../three"], "MMvK: the longest win takes "),
        (&["plan", "russian", "-n", "2", "--threads", "3", "--db", "none"], "slices  "),
    ];
    for started in 0..6 {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("work");
        fs::create_dir(&folder).unwrap();
        symlink(THREE.path().join("tables"), parent.path().join("three")).unwrap();
        for (args, said) in commands {
            let ran = run_shimmed(&folder, "SHIM_THREADS", started, args);
            assert_eq!(ran.code, 0, "{args:?} with {started}: {}", ran.stderr);
            assert!(ran.stdout.starts_with(said), "{args:?}: {}", ran.stdout);
            let complaints = ran.stderr.lines().filter(|line| line.starts_with("damka: "));
            for line in complaints.clone() {
                let end = " threads can be started: Resource temporarily unavailable (os error 11)";
                assert!(line.starts_with("damka: only ") && line.ends_with(end), "{line}");
            }
            let is_forecast = args[0] == "plan";
            let expected = if started == 0 && !is_forecast { 1..=1 } else { 0..=1 };
            assert!(expected.contains(&complaints.count()), "{args:?}: {}", ran.stderr);
        }
        assert!(files(&folder) == whole, "with {started}");
    }
    let ran =
        run_shimmed(THREE.path(), "SHIM_THREADS", 0, &["verify", "russian", "--threads", "2"]);
    assert!(ran.stderr.contains("damka: only 1 of 2 threads can be started: "), "{}", ran.stderr);
}

/// Whatever is called `.lock` and is no file to lock is an error at once.
#[test]
fn odd_files_in_the_place_of_the_lock_are_named() {
    let make: [&dyn Fn(&Path); 4] = [
        &|path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        &|path| drop(UnixListener::bind(path).unwrap()),
        &|path| fs::create_dir(path).unwrap(),
        &|path| symlink("/dev/null", path).unwrap(),
    ];
    for make in make {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("tables/russian")).unwrap();
        make(&inside(folder.path(), ".lock"));
        let ran = run(folder.path(), &["build", "russian", "-n", "2"]);
        assert_eq!(ran.code, 74);
        assert!(ran.complaint().ends_with("tables/russian/.lock is not a regular file"));
        let ran = run(folder.path(), &["info"]);
        assert!(ran.stdout.contains("russian/.lock: not a regular file"), "{}", ran.stdout);
        // Where nothing is to be done, nothing has to be locked.
        for (name, bytes) in files(THREE.path()) {
            fs::write(inside(folder.path(), &name), bytes).unwrap();
        }
        let ran = run(folder.path(), &["build", "russian", "-n", "3"]);
        assert!(ran.stdout.starts_with("nothing to do: "), "{}", ran.stderr);
    }
}

#[test]
fn files_of_other_systems_change_nothing() {
    let shadows = ["._KKvK.wld", "._KKMvKM.work", "._.DS_Store", "Thumbs.db", "desktop.ini"];
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tables/russian")).unwrap();
    let rubbish: Vec<u8> = (0..4096u32).map(|n| (n * n / 7) as u8).collect();
    for name in shadows {
        fs::write(inside(folder.path(), name), &rubbish).unwrap();
    }
    for pieces in ["2", "3", "3"] {
        assert_eq!(run(folder.path(), &["build", "russian", "-n", pieces]).code, 0);
    }
    let mut expected = files(THREE.path());
    expected.extend(shadows.map(|name| (name.to_owned(), rubbish.clone())));
    assert!(files(folder.path()) == expected);
    let everything = ["stats", "russian", "--tsv"];
    assert_eq!(run(folder.path(), &everything).stdout, run(THREE.path(), &everything).stdout);
    let verified = run(folder.path(), &["verify", "russian", "--sample", "50"]);
    assert!(verified.stdout.starts_with("russian: 16 slices, 32 tables"), "{}", verified.stdout);

    let ran = run(folder.path(), &["info"]);
    assert_eq!(ran.code, 0);
    let line = "\n  tables/russian: 5 files of other systems, not used: ._.DS_Store, ._KKMvKM.work, ._KKvK.wld, Thumbs.db, desktop.ini\n";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    let mentions = ran.stdout.matches("tables/russian").count();
    assert_eq!(mentions, 1, "{}", ran.stdout);
}

#[test]
fn files_of_other_programs_are_left_alone() {
    let folder = copy_of_three();
    let others = ["notes.work", "._x.work", "KvKM.work", "KKvK.work", ".damka-unfinished-notes"];
    for name in others {
        fs::write(inside(folder.path(), name), b"mine").unwrap();
    }
    let left = write_leftovers(folder.path());
    let info = run(folder.path(), &["info"]).stdout;
    let said = |name: &str, what: &str| {
        assert!(info.contains(&format!("russian/{name}: {what}")), "{name}: {info}");
    };
    said("KKvK.work", "not of damka; a build that needs the name will stop at it\n");
    said("KvKM.work", "not of damka, not used\n");
    said("notes.work", "not of damka, not used\n");
    said(".damka-unfinished-notes", "not of damka, not used\n");
    said(".damka-unfinished-Ab12Cd", "not finished, by a build that is at work or was killed");
    assert!(!info.contains("._x.work: "), "{info}");

    let there = |name: &str| fs::read(inside(folder.path(), name)).is_ok_and(|b| b == b"mine");
    // With nothing to do, and with something.
    assert_eq!(run(folder.path(), &["build", "russian", "-n", "3"]).code, 0);
    assert!(others.iter().all(|name| there(name)) && left.iter().all(|path| !path.exists()));
    fs::remove_file(inside(folder.path(), "KvM.wld")).unwrap();
    assert_eq!(run(folder.path(), &["build", "russian", "-n", "3"]).code, 0);
    assert!(others.iter().all(|name| there(name)));

    // One in the way of what is to be kept is an error before anything is done.
    fs::remove_file(inside(folder.path(), "KvK.wld")).unwrap();
    fs::remove_file(inside(folder.path(), "KKvK.wld")).unwrap();
    let ran = run(folder.path(), &["build", "russian", "-n", "3"]);
    assert_eq!(ran.code, 5);
    let last = ran.stderr.lines().last().unwrap();
    assert!(
        last.ends_with("russian/KKvK.work is no file of damka's, and a build needs its name"),
        "{last}"
    );
    assert!(others.iter().all(|name| there(name)));
    assert!(!inside(folder.path(), "KvK.wld").exists());
    fs::remove_file(inside(folder.path(), "KKvK.work")).unwrap();
    assert_eq!(run(folder.path(), &["build", "russian", "-n", "3"]).code, 0);
    let mut made = files(folder.path());
    made.retain(|name, _| !others.contains(&name.as_str()));
    assert!(made == files(THREE.path()));
}

/// What a killed build has kept survives smaller builds, and `info` says what it is.
#[test]
fn kept_work_of_a_larger_build_stays() {
    let folder = copy_of_three();
    let build = |pieces: &str| {
        let mut command = Command::new(DAMKA);
        command.env("DAMKA_NO_SOLVE", "1");
        command.current_dir(folder.path()).env_remove("DAMKA_PATH");
        command.args(["build", "russian", "--keep-every", "0", "-n", pieces]);
        command
    };
    let kept = || -> BTreeMap<String, Vec<u8>> {
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(folder.path().join("tables/russian")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".work") {
                match fs::read(&path) {
                    Ok(bytes) if bytes.len() > 100 => drop(all.insert(name, bytes)),
                    Ok(_) => {}
                    // The build that is at work may be done with a pair just now.
                    Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{name}"),
                }
            }
        }
        all
    };
    let mut before = BTreeMap::new();
    while before.is_empty() {
        let mut larger = build("4").stderr(std::process::Stdio::null()).spawn().unwrap();
        while kept().is_empty() {
            assert!(larger.try_wait().unwrap().is_none(), "no pair was ever kept");
        }
        // SIGKILL.
        larger.kill().unwrap();
        larger.wait().unwrap();
        before = kept();
    }
    let ran = run(folder.path(), &["info"]);
    let (name, _) = before.first_key_value().unwrap();
    let line = ran.stdout.lines().find(|line| line.contains(name)).unwrap();
    assert!(line.contains(" % of "), "{line}");
    assert!(line.ends_with(", kept for a build of up to 4 pieces"), "{line}");
    for pieces in ["2", "3"] {
        assert!(build(pieces).output().unwrap().status.success());
        assert!(kept() == before, "{pieces}");
    }
    assert!(build("4").output().unwrap().status.success());
    assert!(kept().is_empty());
}

/// An error of standard output is not taken for one of the disk of the tables.
#[cfg(target_os = "linux")]
#[test]
fn errors_of_standard_output_say_so() {
    let folder = copy_of_three();
    fs::write(folder.path().join("game.pdn"), "[FEN \"W:WKa1:BKh8\"]\n*\n").unwrap();
    fs::write(folder.path().join("lines"), "W:WKa1:BKh8\n").unwrap();
    for args in [
        "build russian -n 3",
        "plan russian -n 3",
        "probe russian W:WKa1:BKh8",
        "probe russian --json W:WKa1:BKh8",
        "probe russian --stdin < lines",
        "probe russian --pdn game.pdn",
        "stats russian",
        "stats russian --tsv",
        "longest russian KKvK",
        "longest russian KvKK",
        "info",
        "verify russian --sample 10",
        "variants",
        "completions bash",
        "--help",
        "build --help",
    ] {
        let ran = Command::new("sh")
            .args(["-c", &format!("'{DAMKA}' {args} > /dev/full")])
            .current_dir(folder.path())
            .env_remove("DAMKA_PATH")
            .output()
            .unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(74), "{args}: {said}");
        let expected = "damka: standard output: No space left on device (os error 28)";
        assert_eq!(said.lines().last(), Some(expected), "{args}");
    }
}

/// `info` names what it cannot read, and tells of the rest.
#[test]
fn info_goes_on_behind_folders_that_cannot_be_read() {
    let folder = copy_of_three();
    fs::create_dir(folder.path().join("second")).unwrap();
    // Not a folder: nobody can list it, whoever runs this.
    fs::write(folder.path().join("second/russian"), "").unwrap();
    let info = |folders: &[&str]| {
        let args: Vec<&str> = folders.iter().flat_map(|folder| ["--db", folder]).collect();
        run(folder.path(), &[&["info"], &args[..]].concat())
    };
    for folders in [["second", "tables"], ["tables", "second"]] {
        let ran = info(&folders);
        assert_eq!(ran.code, 74, "{}", ran.stderr);
        assert!(ran.stdout.contains("\n  cannot be read: second/russian: "), "{}", ran.stdout);
        assert!(ran.stdout.contains("\n  complete up to 3 pieces\n"), "{}", ran.stdout);
        assert!(ran.stdout.contains("\nno tables of "), "{}", ran.stdout);
    }
    let ran = info(&["none", "tables"]);
    assert_eq!((ran.code, ran.complaint()), (4, "damka: there is no folder none"));
    assert!(ran.stdout.contains("\n  complete up to 3 pieces\n"), "{}", ran.stdout);
    let ran = info(&["none"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (4, ""));
    assert_eq!(ran.complaint(), "damka: there is no folder none");
    // A broken table counts more.
    fs::write(inside(folder.path(), "KvK.wld"), "not a table").unwrap();
    assert_eq!(info(&["tables", "second"]).code, 5);
}
