//! What is left on the screen of a terminal: the real program in one, of several widths.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::{ffi::OsStr, thread};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

const DAMKA: &str = env!("CARGO_BIN_EXE_damka");
const WIDTHS: [u16; 5] = [20, 40, 60, 80, 100];
/// Nothing scrolls away.
const ROWS: NonZero<u16> = NonZero::new(200).unwrap();

/// A terminal in which a program runs.
struct Terminal {
    /// What it writes and reads.
    keys: File,
    child: Child,
    screen: vt100::Parser,
    /// All that was written.
    bytes: Vec<u8>,
    /// Most rows at a time from that in which the progress of work stood on.
    bars: usize,
    /// What tells such rows.
    mark: &'static str,
}

impl Terminal {
    /// Runs the program in a folder, in a terminal of so many columns that calls itself by a name. With 0 columns, it does not know its size.
    fn run(
        folder: &Path,
        args: &[&str],
        columns: u16,
        name: Option<&str>,
        mark: &'static str,
    ) -> Self {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keys).unwrap();
        unlockpt(&keys).unwrap();
        let rows = if columns == 0 { 0 } else { ROWS.get() };
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keys, size).unwrap();
        let path = ptsname(&keys, Vec::new()).unwrap();
        let path = Path::new(OsStr::from_bytes(path.as_bytes()));
        let open = || Stdio::from(File::options().read(true).write(true).open(path).unwrap());
        let mut command = Command::new(DAMKA);
        command.env("DAMKA_NO_SOLVE", "1");
        command.current_dir(folder).args(args).env_remove("DAMKA_PATH").env_remove("TERM");
        command.envs(name.map(|name| ("TERM", name)));
        let child = command.stdin(open()).stdout(open()).stderr(open()).spawn().unwrap();
        drop(command);
        let columns = NonZero::new(columns).unwrap_or(ROWS);
        let screen = vt100::Parser::new(ROWS, columns, 0);
        Terminal { keys: keys.into(), child, screen, bytes: Vec::new(), bars: 0, mark }
    }

    /// Shows what was written next; false at the end.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        // The terminal of a program that has ended is an error.
        let length = self.keys.read(&mut bytes).unwrap_or(0);
        self.bytes.extend_from_slice(&bytes[..length]);
        // Whenever something is begun anew, what stands there is looked at.
        for part in bytes[..length].split_inclusive(|&byte| byte == b'\r') {
            self.screen.process(part.strip_suffix(b"\r").unwrap_or(part));
            let (_, columns) = self.screen.screen().size();
            let rows = self.screen.screen().rows(0, columns.get());
            let bars = rows.skip_while(|row| !row.contains(self.mark));
            let bars = bars.filter(|row| !row.trim().is_empty()).count();
            self.bars = self.bars.max(bars);
            if part.ends_with(b"\r") {
                self.screen.process(b"\r");
            }
        }
        length > 0
    }

    /// Waits for the end, and says what stands on the screen then. Rows that go on in the next one are one line.
    fn lines(&mut self) -> (ExitStatus, Vec<String>) {
        while self.read() {}
        let text = self.screen.screen().contents();
        (self.child.wait().unwrap(), text.lines().map(|line| line.trim_end().to_owned()).collect())
    }
}

/// Whether lines begin and end like this, one after the other.
fn are_like(lines: &[String], expected: &[(&str, &str)]) -> bool {
    let is_like = |(line, (start, end)): (&String, &(&str, &str))| {
        line.starts_with(start) && line.ends_with(end)
    };
    lines.len() == expected.len() && lines.iter().zip(expected).all(is_like)
}

const BUILD: [&str; 5] = ["build", "russian", "-n", "3", "--keep-every=0.5"];
const PLAN: (&str, &str) =
    ("tables/russian: 16 to build of 16 slices, 199,520 positions, about ", " MB of memory");
const SUMMARY: [(&str, &str); 5] = [
    ("built 16 slices, 199,520 positions (0 were there)", ""),
    ("CPU seconds: solving ", " in all by the clock"),
    ("threads at work: ", " % while compressing and writing"),
    ("wld: ", " bits a position"),
    ("dtw: ", " bits a position"),
];

/// Without the lines of pairs that took long.
fn without_pairs(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().filter(|line| !line.contains("; solved in ")).collect()
}

/// A folder with all tables of up to 3 pieces.
fn three() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut build = Command::new(DAMKA);
    build.env("DAMKA_NO_SOLVE", "1");
    build.current_dir(folder.path()).env_remove("DAMKA_PATH").args(BUILD);
    assert!(build.output().unwrap().status.success());
    folder
}

#[test]
fn the_summary_of_a_build_stands_and_no_bar() {
    for columns in WIDTHS {
        let folder = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::run(folder.path(), &BUILD, columns, Some("xterm"), "/16");
        let (status, lines) = terminal.lines();
        assert!(status.success());
        let lines = without_pairs(lines);
        let expected = [&[PLAN], &SUMMARY[..]].concat();
        assert!(are_like(&lines, &expected), "{columns}: {lines:#?}");
        assert_eq!(terminal.bars, 1, "{columns}");
    }
}

#[test]
fn the_end_of_a_verification_stands_and_no_bar() {
    let folder = three();
    for columns in WIDTHS {
        let verify = ["verify", "russian", "--sample", "200"];
        let mut terminal = Terminal::run(folder.path(), &verify, columns, Some("xterm"), "/16");
        let (status, lines) = terminal.lines();
        assert!(status.success());
        let start = "russian: 16 slices, 32 tables with right checksums, 3,200 positions derived again, 0 faults in ";
        assert!(are_like(&lines, &[(start, " s")]), "{columns}: {lines:#?}");
        assert_eq!(terminal.bars, 1, "{columns}");
    }
}

#[test]
fn the_longest_wins_stand_and_no_bar() {
    let folder = three();
    let longest = ["longest", "russian", "KMvM"];
    let mut command = Command::new(DAMKA);
    command.env("DAMKA_NO_SOLVE", "1");
    let output = command.current_dir(folder.path()).args(longest).output().unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    let expected: Vec<&str> = expected.lines().map(str::trim_end).collect();
    assert!(expected.len() > 10 && output.stderr.is_empty());
    for columns in WIDTHS {
        let mut terminal = Terminal::run(folder.path(), &longest, columns, Some("xterm"), "0/1");
        let (status, lines) = terminal.lines();
        assert!(status.success());
        assert_eq!(lines, expected, "{columns}");
        assert_eq!(terminal.bars, 1, "{columns}");
    }
}

/// Where no bar can be drawn, there are the lines of a pipe, and not silence.
#[test]
fn a_terminal_without_a_bar_gets_lines() {
    for (columns, name) in
        [(100, Some("dumb")), (100, Some("")), (100, None), (0, Some("xterm")), (3, Some("xterm"))]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::run(folder.path(), &BUILD, columns, name, "no bar");
        while terminal.read() {}
        assert!(terminal.child.wait().unwrap().success());
        let text = String::from_utf8(terminal.bytes).unwrap().replace("\r\n", "\n");
        assert!(!text.contains(['\r', '\u{1b}']), "{name:?}: {text}");
        let lines = without_pairs(text.lines().map(str::to_owned).collect());
        let is_progress = |line: &&String| line.contains("/16 slices, ");
        let (progress, other): (Vec<_>, Vec<_>) = lines.iter().partition(is_progress);
        // One for each pair, and more if the machine is slow.
        assert!(progress.len() >= 9, "{name:?}: {text}");
        let last = progress[progress.len() - 1];
        assert!(last.starts_with("16/16 slices, 100.0 % of positions, "), "{last}");
        let other: Vec<String> = other.into_iter().cloned().collect();
        let expected = [&[PLAN], &SUMMARY[..]].concat();
        assert!(are_like(&other, &expected), "{name:?}: {text}");
    }
}

/// The terminal shows `^C` behind the bar; nothing of either is left.
#[test]
fn an_interrupted_build_leaves_no_bar() {
    for columns in [20, 60, 100] {
        let folder = tempfile::tempdir().unwrap();
        let build = ["build", "russian", "-n", "5"];
        let mut terminal = Terminal::run(folder.path(), &build, columns, Some("xterm"), "/85");
        while terminal.bars == 0 {
            assert!(terminal.read());
        }
        terminal.keys.write_all(b"\x03").unwrap();
        thread::sleep(std::time::Duration::from_millis(400));
        let id = terminal.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let (status, lines) = terminal.lines();
        assert_eq!(status.code(), Some(130));
        let expected = [
            ("tables/russian: ", " MB of memory"),
            ("damka: stopping; once more to stop at once", ""),
            ("damka: stopped; the same command goes on from here", ""),
        ];
        assert!(terminal.bytes.windows(2).any(|pair| pair == b"^C"));
        assert!(are_like(&without_pairs(lines.clone()), &expected), "{columns}: {lines:#?}");
        assert_eq!(terminal.bars, 1, "{columns}");
    }
}
