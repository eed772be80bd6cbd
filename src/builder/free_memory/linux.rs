//! What Linux says of memory: what the machine has available, and what the control groups of a process leave it.
//!
//! A limit holds for a group and all below it, so of the groups from the process's own up to the root the one with the least
//! room decides. There are two interfaces, with files of other names; where both are mounted, one of them has memory, and the files of the
//! other are missing. What is missing or no number says nothing.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that process `pid` may still take, as `/proc` and `/sys` below `root` have it: what the machine has available, and no more than any
/// group from the process's own up to the root has room for. `None` if there is no word of either.
pub(super) fn available_memory(root: &Path, pid: u32) -> Option<u64> {
    let rooms = [VERSION_1, VERSION_2].into_iter().filter_map(|interface| {
        interface.groups(root, pid).iter().filter_map(|group| interface.room(group)).min()
    });
    rooms.chain(machine(root)).min()
}

/// Bytes that the machine has available without swapping; what can be dropped is available.
fn machine(root: &Path) -> Option<u64> {
    let table = read(&root.join("proc/meminfo"))?;
    // Without an estimate of the system's own, only what nobody uses is sure.
    let kib = entry(&table, "MemAvailable:").or_else(|| entry(&table, "MemFree:"))?;
    Some(kib.saturating_mul(1024))
}

/// An interface of control groups: the names that it has for things.
struct Interface {
    file_system: &'static str,
    controller: &'static str,
    /// Files with a limit in bytes. One above which the system slows processes down counts too: a build that works on the disk is faster than one
    /// that must wait for every page.
    limits: &'static [&'static str],
    used: &'static str,
    /// Entries of `memory.stat` for cached pages of files, of the group and all below it. The active ones were used more than once, and are
    /// dropped before anything is killed like the others.
    cached: [&'static str; 2],
}

const VERSION_1: Interface = Interface {
    file_system: "cgroup",
    controller: "memory",
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    cached: ["total_inactive_file", "total_active_file"],
};

const VERSION_2: Interface = Interface {
    file_system: "cgroup2",
    controller: "",
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    cached: ["inactive_file", "active_file"],
};

/// What is as large as this is how version 1 says that there is no limit.
const NO_LIMIT: u64 = 1 << 62;

impl Interface {
    /// Bytes that a group has room for; `None` if it has no limit.
    fn room(&self, group: &Path) -> Option<u64> {
        let number = |file: &&str| -> Option<u64> { read(&group.join(file))?.trim().parse().ok() };
        let stat = read(&group.join("memory.stat")).unwrap_or_default();
        // Version 1 repeats there the least limit of the groups above, even of those that are not to be seen.
        let above = entry(&stat, "hierarchical_memory_limit");
        let limit = self.limits.iter().filter_map(number).chain(above).min();
        let limit = limit.filter(|&limit| limit < NO_LIMIT)?;
        let cached = self.cached.iter().filter_map(|key| entry(&stat, key));
        let cached = cached.fold(0, u64::saturating_add);
        let used = number(&self.used).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(cached)))
    }

    /// Folders of the groups that process `pid` is in, from its own up to the root, or as far as they can be seen.
    fn groups(&self, root: &Path, pid: u32) -> Vec<PathBuf> {
        let own = self.own_group(root).unwrap_or_else(|| "/".to_owned());
        let mounts = self.mounts(root);
        let mut groups = Vec::new();
        for mount in &mounts {
            if let Some(folder) = mount.folder_of(&own, pid) {
                let up = folder.ancestors().take_while(|folder| folder.starts_with(&mount.folder));
                groups.extend(up.map(Path::to_owned));
            }
        }
        if groups.is_empty() {
            // A container most often shows just the group that it is, whatever the name that the process knows.
            groups.extend(mounts.into_iter().map(|mount| mount.folder));
        }
        groups
    }

    /// Path of the process's own group, as the process sees it.
    fn own_group(&self, root: &Path) -> Option<String> {
        let table = read(&root.join("proc/self/cgroup"))?;
        table.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let controllers = fields.next()?;
            let is_this = controllers.split(',').any(|name| name == self.controller);
            fields.next().filter(|_| is_this).map(str::to_owned)
        })
    }

    fn mounts(&self, root: &Path) -> Vec<Mount> {
        let table = read(&root.join("proc/self/mountinfo")).unwrap_or_default();
        let mount = |line: &str| {
            let (place, kind) = line.split_once(" - ")?;
            let mut kind = kind.split(' ');
            let is_this = kind.next()? == self.file_system
                && kind.nth(1)?.split(',').any(|option| match self.controller {
                    "" => true,
                    controller => option == controller,
                });
            let mut place = place.split(' ').skip(3).map(unescape);
            let (group, folder) = (place.next()?, place.next()?);
            is_this.then(|| Mount { group, folder: root.join(folder.trim_start_matches('/')) })
        };
        table.lines().filter_map(mount).collect()
    }
}

/// A place where groups can be seen.
struct Mount {
    /// Path of the topmost group that can be seen there, as the process sees it.
    group: String,
    folder: PathBuf,
}

impl Mount {
    /// Folder of a group, if it can be seen here.
    fn folder_of(&self, group: &str, pid: u32) -> Option<PathBuf> {
        let names = |path| str::split(path, '/').filter(|name| !name.is_empty());
        let (mut top, mut below) = (names(&self.group).peekable(), names(group).peekable());
        while top.peek().is_some() && top.peek() == below.peek() {
            top.next();
            below.next();
        }
        // Paths begin at the root of the process's name space. A mount from outside of it begins so many groups higher up.
        let hidden = top.clone().take_while(|&name| name == "..").count();
        if top.count() > hidden || below.peek() == Some(&"..") {
            return None;
        }
        let below: PathBuf = below.collect();
        match hidden {
            0 => Some(self.folder.join(below)),
            _ => find_process(&self.folder, hidden, &below, pid),
        }
    }
}

/// The folder that holds a process, of those that have the path `below` in a folder so many levels down.
fn find_process(folder: &Path, levels: usize, below: &Path, pid: u32) -> Option<PathBuf> {
    if levels == 0 {
        let group = folder.join(below);
        let processes = read(&group.join("cgroup.procs"))?;
        return processes.lines().any(|line| line.parse() == Ok(pid)).then_some(group);
    }
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let is_group = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_group.then(|| find_process(&entry.path(), levels - 1, below, pid))?
    })
}

/// The text of a file; names of other mounts need not be UTF-8.
fn read(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

/// The number after a key, in a table with one key a line.
fn entry(table: &str, key: &str) -> Option<u64> {
    table.lines().find_map(|line| {
        let mut words = line.split_ascii_whitespace();
        (words.next()? == key).then(|| words.next()?.parse().ok())?
    })
}

/// A path in `mountinfo`, where spaces, line ends and backslashes are three octal digits after a backslash.
fn unescape(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_at_checked(3).map(|(code, rest)| (u8::from_str_radix(code, 8), rest)) {
            Some((Ok(code), rest)) => {
                path.push(code.into());
                path.push_str(rest);
            }
            _ => {
                path.push('\\');
                path.push_str(part);
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// What the machine of the tests has available, in bytes.
    const MACHINE: u64 = 8_000_000 * 1024;
    const MEMINFO: (&str, &str) = (
        "proc/meminfo",
        "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\n",
    );
    /// The process of the tests.
    const PID: u32 = 4711;

    /// The two interfaces, with places in which they are usually mounted.
    const INTERFACES: [(&Interface, &str); 2] =
        [(&VERSION_1, "sys/fs/cgroup/memory"), (&VERSION_2, "sys/fs/cgroup")];

    fn tree<P: AsRef<Path>, T: AsRef<str>>(files: &[(P, T)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.as_ref()).unwrap();
        }
        root
    }

    fn available<P: AsRef<Path>, T: AsRef<str>>(files: &[(P, T)]) -> Option<u64> {
        available_memory(tree(files).path(), PID)
    }

    /// A made-up system with one interface, mounted at `at`.
    struct System {
        interface: &'static Interface,
        at: &'static str,
        files: Vec<(String, String)>,
    }

    impl System {
        /// With `top` mounted, a path as the process sees it, as it sees its own group `own`.
        fn new((interface, at): (&'static Interface, &'static str), top: &str, own: &str) -> Self {
            let file_system = interface.file_system;
            let id = if interface.controller.is_empty() { 0 } else { 4 };
            let files = [
                (MEMINFO.0, MEMINFO.1.to_owned()),
                (
                    "proc/self/cgroup",
                    format!(
                        "9:name=systemd:/else\n8:cpu,cpuacct:/else\n{id}:{}:{own}\n",
                        interface.controller
                    ),
                ),
                (
                    "proc/self/mountinfo",
                    format!(
                        "22 27 0:21 / /proc rw - proc proc rw\n\
                         33 31 0:30 / /else rw,relatime - cgroup cgroup rw,cpuacct\n\
                         35 31 0:32 {top} /{at} rw,relatime shared:9 master:2 - {file_system} cg rw,{}\n",
                        interface.controller
                    ),
                ),
            ];
            let files = files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect();
            System { interface, at, files }
        }

        fn file(mut self, group: &str, file: &str, text: &str) -> Self {
            self.files.push((format!("{}/{group}/{file}", self.at), text.to_owned()));
            self
        }

        /// A group, where it is below the mount, with its limit, what is used, and inactive and active cached pages.
        fn group(self, group: &str, limit: &str, used: u64, cached: [u64; 2]) -> Self {
            let Interface { limits, used: used_file, cached: [inactive, active], .. } =
                self.interface;
            // Only the entries for groups with all below them count.
            let stat = format!(
                "cache 1\nfile 1\n{inactive} {}\n{active} {}\nunevictable 0\n",
                cached[0], cached[1]
            );
            self.file(group, limits[0], &format!("{limit}\n"))
                .file(group, used_file, &format!("{used}\n"))
                .file(group, "memory.stat", &stat)
        }

        fn available(&self) -> Option<u64> {
            available(&self.files)
        }
    }

    #[test]
    fn without_groups_the_machine_decides() {
        assert_eq!(available(&[MEMINFO]), Some(MACHINE));
        let old = [("proc/meminfo", "MemTotal: 16000000 kB\nMemFree: 1000000 kB\n")];
        assert_eq!(available(&old), Some(1_000_000 * 1024));
        for nothing in ["", "MemAvailable:", "MemAvailable: much kB", "\u{fffd}"] {
            assert_eq!(available(&[("proc/meminfo", nothing)]), None, "{nothing}");
        }
        assert_eq!(available::<&str, &str>(&[]), None);
    }

    #[test]
    fn the_group_with_the_least_room_on_the_way_up_decides() {
        for interface in INTERFACES {
            let system = |own| System::new(interface, "/", own);
            let limits = |outer, middle, inner| {
                system("/outer/middle/inner")
                    .group("outer", outer, 700, [0, 0])
                    .group("outer/middle", middle, 500, [0, 0])
                    .group("outer/middle/inner", inner, 100, [0, 0])
                    // Not on the way.
                    .group("outer/other", "10", 0, [0, 0])
                    .group("else", "10", 0, [0, 0])
                    .available()
            };
            assert_eq!(limits("max", "max", "max"), Some(MACHINE));
            assert_eq!(limits("max", "max", "1000"), Some(900));
            assert_eq!(limits("max", "1000", "max"), Some(500));
            assert_eq!(limits("1000", "max", "max"), Some(300));
            // The least limit is not the least room: others use memory too.
            assert_eq!(limits("1100", "1000", "900"), Some(400));
            assert_eq!(limits("5000", "550", "5000"), Some(50));
            assert_eq!(limits("9000000000000", "9000000000000", "9000000000000"), Some(MACHINE));
            // The group of a process may be the topmost one, which has a limit if the mount shows no more.
            assert_eq!(system("/").group("", "1000", 100, [0, 0]).available(), Some(900));
        }
    }

    #[test]
    fn no_room_is_not_no_limit() {
        for interface in INTERFACES {
            let system = || System::new(interface, "/", "/own");
            assert_eq!(system().group("own", "1000", 1000, [0, 0]).available(), Some(0));
            assert_eq!(system().group("own", "1000", 2000, [500, 0]).available(), Some(0));
            assert_eq!(system().group("own", "0", 0, [0, 0]).available(), Some(0));
        }
    }

    #[test]
    fn cached_pages_are_not_in_use() {
        for interface in INTERFACES {
            let system = || System::new(interface, "/", "/outer/own");
            let both = |outer, own| {
                let system = system().group("outer", "2000", 1900, outer);
                system.group("outer/own", "1000", 950, own).available()
            };
            assert_eq!(both([1000, 800], [0, 0]), Some(50));
            assert_eq!(both([1000, 800], [900, 0]), Some(950));
            assert_eq!(both([1000, 800], [0, 900]), Some(950));
            assert_eq!(both([500, 0], [500, 400]), Some(600));
            // The numbers are not read at the same moment.
            assert_eq!(both([2500, 0], [900, 900]), Some(1000));
            assert_eq!(both([u64::MAX, 5], [u64::MAX, 5]), Some(1000));
        }
    }

    #[test]
    fn version_1_counts_cached_pages_of_the_groups_below() {
        let system = System::new(INTERFACES[0], "/", "/outer/own")
            .file("outer", "memory.limit_in_bytes", "1000")
            .file("outer", "memory.usage_in_bytes", "950")
            .file(
                "outer",
                "memory.stat",
                "inactive_file 1\nactive_file 2\ntotal_inactive_file 600\n",
            );
        assert_eq!(system.available(), Some(650));
    }

    #[test]
    fn version_1_tells_limits_of_groups_that_are_not_to_be_seen() {
        let system = System::new(INTERFACES[0], "/pod/own", "/pod/own")
            .file("", "memory.limit_in_bytes", "9223372036854771712")
            .file("", "memory.usage_in_bytes", "300")
            .file("", "memory.stat", "hierarchical_memory_limit 1000\n");
        assert_eq!(system.available(), Some(700));
    }

    #[test]
    fn a_limit_that_slows_down_counts() {
        let system = |high| {
            let system = System::new(INTERFACES[1], "/", "/own");
            system.group("own", "1000", 100, [0, 0]).file("own", "memory.high", high).available()
        };
        assert_eq!(system("max"), Some(900));
        assert_eq!(system("800"), Some(700));
        assert_eq!(system("1200"), Some(900));
    }

    #[test]
    fn what_is_missing_or_no_number_says_nothing() {
        for interface in INTERFACES {
            let system =
                || System::new(interface, "/", "/outer/own").group("outer", "1000", 100, [0, 0]);
            for nonsense in [
                "",
                "-1",
                "max",
                "lots",
                "1e3",
                "9223372036854771712",
                "9223372036854775807",
                "18446744073709551615",
                "99999999999999999999999",
            ] {
                let system = system().group("outer/own", nonsense, 500, [0, 0]);
                assert_eq!(system.available(), Some(900), "{nonsense}");
            }
            let mut no_limit = System::new(interface, "/", "/own").group(
                "own",
                "9223372036854771712",
                500,
                [0, 0],
            );
            no_limit.files.remove(0);
            assert_eq!(no_limit.available(), None);
            // Of the own group there is nothing, not even the folder.
            assert_eq!(system().available(), Some(900));
            // A limit of which nobody says how much is used.
            let limit = interface.0.limits[0];
            assert_eq!(system().file("outer/own", limit, "700").available(), Some(700));
            // A folder in place of a file.
            assert_eq!(
                system().file(&format!("outer/own/{limit}"), "x", "").available(),
                Some(900)
            );
            for missing in ["proc/self/cgroup", "proc/self/mountinfo"] {
                let mut system = system();
                system.files.retain(|(path, _)| path != missing);
                assert_eq!(system.available(), Some(MACHINE), "{missing}");
            }
            for nonsense in [
                "",
                "\n\n",
                "0",
                "0:",
                "0::",
                "4:memory",
                " - ",
                "a b c d e f - cgroup2",
                "1 - 2 - 3",
            ] {
                for file in [1, 2] {
                    let mut system = system();
                    system.files[file].1 = nonsense.to_owned();
                    assert_eq!(system.available(), Some(MACHINE), "{nonsense}");
                }
            }
        }
    }

    #[test]
    fn with_both_interfaces_the_one_that_has_memory_decides() {
        for with_memory in [0, 1] {
            let mut system = System::new(INTERFACES[with_memory], "/", "/own");
            system.at = "sys/fs/cgroup/with";
            system.files[1].1 = match with_memory {
                0 => "4:memory:/own\n0::/unified\n".to_owned(),
                _ => "4:cpu,memory:/own\n0::/own\n".to_owned(),
            };
            system.files[2].1 =
                "35 31 0:32 / /sys/fs/cgroup/with rw - cgroup cgroup rw,cpu,memory\n\
                                 41 31 0:38 / /sys/fs/cgroup/with rw - cgroup2 cgroup2 rw\n"
                    .to_owned();
            let system = system.group("own", "1000", 100, [0, 0]);
            let system = system.file("unified", "cgroup.procs", "4711\n");
            assert_eq!(system.available(), Some(900));
        }
    }

    #[test]
    fn a_mount_may_show_part_of_the_groups() {
        for interface in INTERFACES {
            // A container that sees its path on the host.
            let whole = System::new(interface, "/docker/abc", "/docker/abc");
            assert_eq!(whole.group("", "1000", 100, [0, 0]).available(), Some(900));
            let inner = System::new(interface, "/docker/abc", "/docker/abc/inner");
            let inner = inner.group("", "1000", 100, [0, 0]).group("inner", "500", 50, [0, 0]);
            assert_eq!(inner.available(), Some(450));
            // The same with the paths of a name space that begins beside it.
            let beside = System::new(interface, "/../abc", "/../abc/inner");
            let beside = beside.group("", "1000", 100, [0, 0]).group("inner", "500", 50, [0, 0]);
            assert_eq!(beside.available(), Some(450));
        }
    }

    #[test]
    fn of_groups_elsewhere_the_topmost_that_is_shown_decides() {
        for interface in INTERFACES {
            for (top, own) in [
                ("/docker/abc", "/docker/abcd"),
                ("/docker/abc", "/"),
                ("/docker/abc", "/system.slice/ssh.service"),
                ("/", "/../beside"),
                ("/..", "/../../beside"),
            ] {
                let system = || System::new(interface, top, own).group("", "1000", 100, [0, 0]);
                assert_eq!(system().available(), Some(900), "{top} {own}");
                // Unless another mount shows the way.
                let mut system = system();
                let file_system = interface.0.file_system;
                system.files[2].1 +=
                    &format!("50 1 0:32 /../../../.. /all rw - {file_system} x rw,memory\n");
                let limit = interface.0.limits[0];
                system.files.push((format!("all/a/b/{limit}"), "5000".to_owned()));
                system.files.push((
                    format!("all/a/b/c/d{own}/cgroup.procs"),
                    "1\n14711\n4711\n".to_owned(),
                ));
                assert_eq!(system.available(), Some(5000), "{top} {own}");
            }
        }
    }

    #[test]
    fn a_mount_from_outside_of_the_name_space_shows_groups_above() {
        for interface in INTERFACES {
            for (own, here, elsewhere) in [("/", "a", "b"), ("/own", "a", "b"), ("/own", "b", "a")]
            {
                let system = System::new(interface, "/../..", own)
                    .group("", "10000", 100, [0, 0])
                    .group("pods", "5000", 100, [0, 0])
                    .group(&format!("pods/{here}"), "1000", 100, [0, 0])
                    .file(&format!("pods/{here}{own}"), "cgroup.procs", "1\n4711\n")
                    .group(&format!("pods/{elsewhere}"), "10", 0, [0, 0])
                    .file(&format!("pods/{elsewhere}{own}"), "cgroup.procs", "1\n47\n14711\n")
                    .file("pods/c/own", "cgroup.procs", "");
                assert_eq!(system.available(), Some(900), "{own} {here}");
            }
            // The process is nowhere: the topmost group stands for it.
            let system = System::new(interface, "/../..", "/").group("", "1000", 100, [0, 0]);
            assert_eq!(system.available(), Some(900));
        }
    }

    #[test]
    fn names_may_have_any_characters() {
        for interface in INTERFACES {
            let own = r"/a b:c/dev\x2d1.slice";
            let system = System::new(interface, r"/a\040b:c", own);
            let system = system.group(r"dev\x2d1.slice", "1000", 100, [0, 0]);
            assert_eq!(system.available(), Some(900));
            let system = System::new(interface, r"/a\040b:c/dev\134x2d1.slice", own);
            assert_eq!(system.group("", "1000", 100, [0, 0]).available(), Some(900));
        }
        let mut system = System::new(INTERFACES[1], "/", "/own").group("own", "1000", 100, [0, 0]);
        system.at = "un named";
        let mut system = system.group("own", "800", 100, [0, 0]);
        system.files[2].1 = r"35 31 0:32 / /un\040named rw - cgroup2 none rw".to_owned();
        assert_eq!(system.available(), Some(700));
        for (field, path) in
            [(r"\", r"\"), (r"\04", r"\04"), (r"\777", r"\777"), (r"a\012\\040", "a\n\\ ")]
        {
            assert_eq!(unescape(field), path);
        }
        // Another mount has a name that is not UTF-8.
        let root = tree(&system.files);
        let path = root.path().join("proc/self/mountinfo");
        let mut table = b"60 1 8:1 / /media/\xe4 rw - vfat /dev/sda1 rw\n".to_vec();
        table.extend(fs::read(&path).unwrap());
        fs::write(&path, table).unwrap();
        assert_eq!(available_memory(root.path(), PID), Some(700));
    }

    #[test]
    fn this_machine_says_something() {
        let available = available_memory("/".as_ref(), std::process::id());
        assert!(available.is_some_and(|bytes| bytes < 1 << 50), "{available:?}");
    }
}
