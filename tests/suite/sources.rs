//! Where a tablebase has its bytes from: files that are mapped or read, that change under it, that are many; and sources that a
//! program brings.

use crate::common::with;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use damka::builder::build;
use damka::index::{Material, SliceIndex, slices};
use damka::notation::parse_fen;
use damka::probe::{OpenOptions, ProbeError};
use damka::rules::{RuleSet, Russian, has_capture};
use damka::store::{
    BlockFault, FileSource, HEADER_LEN, MemorySource, Metric, Source, StoreError, Table, TableId,
};
use damka::{Position, Tablebase, Value, Variant};

use crate::common::tables::{options, position_at, table_path};

/// Tables of Russian draughts with up to four pieces.
const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tables");

fn committed() -> Tablebase {
    Tablebase::open(Variant::Russian, &[COMMITTED]).unwrap()
}

fn id(slice: &str, metric: Metric) -> TableId {
    TableId { variant: Variant::Russian, material: slice.parse().unwrap(), metric }
}

/// A cache of one page, and files mapped or read.
fn tiny(map: bool) -> OpenOptions {
    let options = OpenOptions::new().cache_bytes(0);
    // SAFETY: no test cuts a file that is mapped. Bytes that change are what some are about.
    if map { unsafe { options.map_files() } } else { options }
}

/// Copies the committed tables of up to so many pieces.
fn copy_tables(folder: &Path, pieces: u32) {
    fs::create_dir_all(folder.join("russian")).unwrap();
    for found in committed().found() {
        if found.slice.pieces() <= pieces {
            let name = found.path.file_name().unwrap();
            fs::copy(&found.path, folder.join("russian").join(name)).unwrap();
        }
    }
}

/// Runs a test of this file that is ignored elsewhere, in a process of its own.
#[cfg(unix)]
fn alone(test: &str, before: &str) -> Output {
    let script = format!(
        "{before}; exec \"$0\" --exact sources::{test} --ignored --nocapture --test-threads 1"
    );
    let test = std::env::current_exe().unwrap();
    Command::new("sh").args(["-c", &script]).arg(test).output().unwrap()
}

#[cfg(unix)]
#[track_caller]
fn assert_passed(ran: &Output) {
    let said = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(ran.status.success() && said[0].contains("1 passed"), "{}", said.concat());
}

/// Flips a byte of a file and flips it back, without pause, until it is dropped.
struct Flipping {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Flipping {
    fn start(path: &Path, place: usize) -> Self {
        let file = fs::File::options().read(true).write(true).open(path).unwrap();
        // SAFETY: the file is not cut.
        let map = unsafe { memmap2::MmapMut::map_mut(&file) }.unwrap();
        assert!(place < map.len());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            // SAFETY: the byte is in the map, which this thread owns, and only this atomic looks at it.
            let byte = unsafe { &*map.as_ptr().add(place).cast::<AtomicU8>() };
            while !stopped.load(Relaxed) {
                byte.fetch_xor(0x55, Relaxed);
                byte.fetch_xor(0x55, Relaxed);
            }
        });
        Flipping { stop, thread: Some(thread) }
    }
}

impl Drop for Flipping {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Asks until there were so many right answers and so many errors, or some seconds have passed. Returns how many there were.
fn ask_until(enough: usize, mut is_right: impl FnMut(usize) -> bool) -> [usize; 2] {
    let end = Instant::now() + Duration::from_secs(3);
    let mut counts = [0; 2];
    for number in 0.. {
        counts[usize::from(!is_right(number))] += 1;
        if counts.iter().all(|&count| count >= enough) || Instant::now() > end {
            break;
        }
    }
    counts
}

/// The first block of a table that has bytes, and positions of it without a capture whose value needs it.
fn positions_of_first_block(whole: &Tablebase, id: &TableId) -> Vec<Position> {
    let index = SliceIndex::new(Russian::geometry(), id.material);
    let table = Table::open(&id.path(Path::new(COMMITTED)), id, index.len()).unwrap();
    let block = (0..table.block_count()).find(|&block| table.is_stored(block)).unwrap();
    let (start, len) = table.block_range(block);
    let quiet = |&number: &u64| !has_capture::<Russian>(Russian::geometry(), &index.unrank(number));
    let positions = (start..start + len as u64).filter(quiet);
    let positions = positions.map(|number| position_at(&index, number));
    let needs = |position: &Position| {
        id.metric == Metric::Wld || table.holds(whole.probe_wld(position).unwrap())
    };
    positions.filter(|position| needs(position)).step_by(7).collect()
}

/// Alone in its process, as is the next: where others have a file closed, it is another one when it is opened again.
#[test]
#[ignore = "run by `tables_that_change_while_they_are_read_are_right_or_errors`"]
fn asks_a_block_that_changes() {
    let whole = committed();
    let elsewhere = parse_fen(Variant::Russian, "W:WKa1,b2:Bg5,h6").unwrap();
    for (map, id) in [true, false]
        .into_iter()
        .flat_map(|map| [id("KMvMM", Metric::Wld), id("KMvMM", Metric::Dtw)].map(|id| (map, id)))
    {
        let folder = tempfile::tempdir().unwrap();
        copy_tables(folder.path(), 4);
        let positions = positions_of_first_block(&whole, &id);
        assert!(positions.len() > 50, "{}", positions.len());
        let expected: Vec<Value> = positions.iter().map(|p| whole.probe(p).unwrap()).collect();
        let tables = Tablebase::open_with(Variant::Russian, &[folder.path()], tiny(map)).unwrap();
        tables.header(id.material, id.metric).unwrap();
        let flipping = Flipping::start(&id.path(folder.path()), HEADER_LEN + 60);
        let counts = ask_until(1_000, |number| {
            // Takes the only page of the cache, so that the block is read again.
            tables.probe(&elsewhere).unwrap();
            let place = number % positions.len();
            match tables.probe(&positions[place]) {
                Ok(value) => {
                    assert_eq!(value, expected[place], "map {map}, {id:?}, asked {number} times");
                    true
                }
                Err(ProbeError::Table(error)) => {
                    let fault = BlockFault::Checksum;
                    assert!(
                        matches!(&*error, StoreError::BlockCorrupt { fault: f, .. } if *f == fault),
                        "{error}"
                    );
                    false
                }
                Err(error) => panic!("{error}"),
            }
        });
        drop(flipping);
        // The file did change, and was read again and again.
        assert!(counts.iter().all(|&count| count >= 100), "{counts:?}");
    }
}

#[test]
#[ignore = "run by `tables_that_change_while_they_are_read_are_right_or_errors`"]
fn opens_a_table_of_which_header_or_index_change() {
    let id = id("KMvKM", Metric::Wld);
    let folder = tempfile::tempdir().unwrap();
    copy_tables(folder.path(), 4);
    let path = id.path(folder.path());
    let positions = SliceIndex::new(Russian::geometry(), id.material).len();
    let expected = Table::open(&path, &id, positions).unwrap();
    let expected_blocks: Vec<_> = expected.blocks().map(Result::unwrap).collect();
    // A count of the header, and a byte amid the index.
    let header = expected.header();
    let index = (header.file_len - u64::from(header.index_len / 2)) as usize;
    for (map, place) in [(true, index), (true, 121), (false, index), (false, 121)] {
        let flipping = Flipping::start(&path, place);
        let counts = ask_until(60, |_| {
            let opened = match map {
                // SAFETY: the file is not cut, and that it changes is the question.
                true => unsafe { Table::open_mapped(&path, &id, positions) },
                false => Table::open(&path, &id, positions),
            };
            match opened {
                Ok(table) => {
                    assert_eq!(table.header(), expected.header());
                    let blocks: Vec<_> = table.blocks().map(Result::unwrap).collect();
                    assert!(blocks == expected_blocks);
                    true
                }
                Err(StoreError::HeaderCorrupt { field, .. }) => {
                    assert!(
                        ["checksum", "checksum of the block index"].contains(&field),
                        "{field}"
                    );
                    false
                }
                Err(error) => panic!("{error}"),
            }
        });
        drop(flipping);
        assert!(counts.iter().all(|&count| count >= 20), "{counts:?}");
    }
}

#[cfg(unix)]
#[test]
fn tables_that_change_while_they_are_read_are_right_or_errors() {
    assert_passed(&alone("asks_a_block_that_changes", "true"));
    assert_passed(&alone("opens_a_table_of_which_header_or_index_change", "true"));
}

/// Alone in its process: others would have files closed that this one reads.
#[test]
#[ignore = "run by `tables_that_a_build_writes_anew_do_not_disturb_a_prober`"]
fn asks_while_a_build_writes_the_tables_anew() {
    let positions: Vec<Position> =
        ["W:WKa1,c3:BKf8", "W:Wa3,c3:BKf8", "B:WKa1,c3:BKh8", "W:WKa1:Bc5,g5"]
            .map(|fen| parse_fen(Variant::Russian, fen).unwrap())
            .to_vec();
    let answers = |tables: &Tablebase| -> Vec<Value> {
        positions.iter().map(|position| tables.probe(position).unwrap()).collect()
    };
    for map in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        copy_tables(folder.path(), 3);
        let open = || Tablebase::open_with(Variant::Russian, &[folder.path()], tiny(map)).unwrap();
        let tables = open();
        let expected = answers(&tables);
        let before = fs::read(table_path(folder.path(), "KMvK.dtw")).unwrap();
        // A pair of which one table is missing is written as a whole, here with more distances than before.
        for slice in slices(Variant::Russian.rules(), 3) {
            fs::remove_file(id(&slice.to_string(), Metric::Dtw).path(folder.path())).unwrap();
        }
        let all_distances = with!(options(folder.path(), 3), all_distances = true);
        build(&all_distances, &()).unwrap();
        assert_ne!(fs::read(table_path(folder.path(), "KMvK.dtw")).unwrap(), before);
        for _ in 0..3 {
            assert_eq!(answers(&tables), expected, "map {map}");
        }
        assert_eq!(answers(&open()), expected, "map {map}");
    }
}

#[cfg(unix)]
#[test]
fn tables_that_a_build_writes_anew_do_not_disturb_a_prober() {
    assert_passed(&alone("asks_while_a_build_writes_the_tables_anew", "true"));
}

/// Files that can be looked for: names of tables of all variants, as many as are wanted.
fn names() -> impl Iterator<Item = (Variant, String)> {
    Variant::ALL.iter().flat_map(|&variant| {
        let slices = (2..=6).flat_map(move |pieces| slices(variant.rules(), pieces));
        slices.flat_map(move |material| {
            [Metric::Wld, Metric::Dtw]
                .map(|metric| (variant, TableId { variant, material, metric }.file_name()))
        })
    })
}

#[test]
#[ignore = "run by `thousands_of_tables_in_many_folders_take_no_descriptors`"]
fn finds_thousands_of_tables_in_many_folders() {
    const FOLDERS: usize = 40;
    const TABLES: usize = 3_000;
    let parent = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> =
        (0..FOLDERS).map(|number| parent.path().join(format!("folder {number}"))).collect();
    let (mut files, mut of_russian) = (0, 0);
    for (number, (variant, name)) in names().enumerate() {
        let inside = folders[number * 7 % FOLDERS].join(variant.name());
        let good = Path::new(COMMITTED).join(variant.name()).join(&name);
        if files >= TABLES && !good.is_file() {
            continue;
        }
        fs::create_dir_all(&inside).unwrap();
        match good.is_file() {
            true => drop(fs::copy(good, inside.join(&name)).unwrap()),
            false => fs::write(inside.join(&name), "not a table").unwrap(),
        }
        of_russian += usize::from(variant == Variant::Russian);
        files += 1;
    }
    assert!(files >= TABLES, "{files}");
    // Broken where it would come second.
    fs::create_dir_all(folders[FOLDERS - 1].join("russian")).unwrap();
    let first = (0..FOLDERS).find(|&at| folders[at].join("russian/KvK.wld").exists()).unwrap();
    assert!(first < FOLDERS - 1);
    fs::write(folders[FOLDERS - 1].join("russian/KvK.wld"), "not a table").unwrap();

    let start = Instant::now();
    let open = |variant: &Variant| Tablebase::open(*variant, &folders).unwrap();
    let all: Vec<Tablebase> = Variant::ALL.iter().map(open).collect();
    assert_eq!(all.iter().map(|tables| tables.found().len()).sum::<usize>(), files);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    println!("{files} tables found in {:?}", start.elapsed());

    let russian = all.iter().find(|tables| tables.variant() == Variant::Russian).unwrap();
    assert_eq!(russian.found().len(), of_russian);
    assert_eq!(russian.complete_pieces(), russian.found().last().map_or(0, |_| 6));
    let whole = committed();
    for found in whole.found() {
        russian.verify_checksums(found.slice, found.metric).unwrap();
    }
    let index = SliceIndex::new(Russian::geometry(), "KMvKM".parse().unwrap());
    for number in (0..index.len()).step_by(1_009) {
        let position = position_at(&index, number);
        assert_eq!(russian.probe(&position).unwrap(), whole.probe(&position).unwrap());
    }
}

/// With 32 descriptors for everything.
#[cfg(unix)]
#[test]
fn thousands_of_tables_in_many_folders_take_no_descriptors() {
    assert_passed(&alone("finds_thousands_of_tables_in_many_folders", "ulimit -n 32"));
}

/// Descriptors of this process, of files that are there.
#[cfg(target_os = "linux")]
fn open_tables(folder: &Path) -> usize {
    let links = fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    links.filter(|path| path.starts_with(folder)).count()
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "run by `descriptors_are_kept_few_and_given_back`"]
fn counts_its_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    copy_tables(folder.path(), 4);
    let folder = folder.path().canonicalize().unwrap();
    let open = |map| Tablebase::open_with(Variant::Russian, &[&folder], tiny(map)).unwrap();
    let tables = open(false);
    assert_eq!(open_tables(&folder), 0);
    let use_all = |tables: &Tablebase| {
        for found in tables.found() {
            tables.verify_checksums(found.slice, found.metric).unwrap();
        }
    };
    let other = open(false);
    use_all(&tables);
    use_all(&other);
    // A quarter of 80, for both together; all were needed.
    assert_eq!(open_tables(&folder), 20);
    drop(other);
    drop(tables);
    assert_eq!(open_tables(&folder), 0);
    let mapped = open(true);
    use_all(&mapped);
    assert_eq!(open_tables(&folder), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn descriptors_are_kept_few_and_given_back() {
    assert_passed(&alone("counts_its_descriptors", "ulimit -n 80"));
}

/// Takes all descriptors but those that tables need one after the other.
#[cfg(unix)]
#[test]
#[ignore = "run by `a_program_that_has_all_descriptors_can_still_probe`"]
fn takes_all_descriptors() {
    let tables = committed();
    let found = tables.found();
    for found in &found {
        tables.header(found.slice, found.metric).unwrap();
    }
    let mut taken: Vec<fs::File> = Vec::new();
    while let Ok(file) = fs::File::open(COMMITTED) {
        taken.push(file);
    }
    // What is kept for tables is all that there is.
    for found in &found {
        tables.verify_checksums(found.slice, found.metric).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_has_all_descriptors_can_still_probe() {
    assert_passed(&alone("takes_all_descriptors", "ulimit -n 64"));
}

/// The program with little room for addresses: everything is answered, or the table that is wrong is named.
#[cfg(all(feature = "cli", unix))]
#[test]
fn few_addresses_are_enough() {
    let folder = tempfile::tempdir().unwrap();
    copy_tables(folder.path(), 4);
    // As long as the largest tables of seven pieces.
    let large = table_path(folder.path(), "KKvKK.wld");
    fs::File::options().write(true).open(&large).unwrap().set_len(3 << 30).unwrap();
    let run = |megabytes: u64, args: &[&str]| {
        let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", megabytes << 10);
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_damka")]).args(args);
        // Each thread takes addresses too.
        command
            .env("DAMKA_NO_SOLVE", "1")
            .env("RAYON_NUM_THREADS", "2")
            .env("DAMKA_PATH", folder.path())
            .output()
            .unwrap()
    };
    // The least with which the program comes up at all.
    let starts = |&megabytes: &u64| run(megabytes, &["variants"]).status.success();
    let least = (16..4_000).step_by(8).find(starts).unwrap();
    let questions: [&[&str]; 3] = [
        &["classics", "russian", "--cache"],
        &["longest", "russian", "MMMvK", "--cache"],
        &["probe", "russian", "W:WKa1,c3:BKf8,h6", "--json", "--cache"],
    ];
    for question in questions {
        let free = run(1 << 30, &[question, &["64MiB"]].concat());
        assert!(free.status.success());
        for more in [40, 64, 300] {
            for cache in ["64MiB", "1G", "4MiB"] {
                let ran = run(least + more, &[question, &[cache]].concat());
                let said = String::from_utf8_lossy(&ran.stderr);
                assert!(ran.status.success(), "{least}+{more}, {cache}: {said}");
                assert!(ran.stdout == free.stdout);
            }
        }
    }
    for limit in [least + 40, 1_000] {
        let ran = run(limit, &["probe", "russian", "W:WKa1,Kc1:BKf8,Kh6"]);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(5), "{said}");
        assert!(said.contains("KKvKK.wld has 3221225472 bytes instead of"), "{said}");
    }
}

/// Counts reads, and can be told to fail.
struct Watched {
    bytes: MemorySource,
    reads: Arc<AtomicUsize>,
    fail: Arc<AtomicBool>,
}

impl Source for Watched {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.reads.fetch_add(1, Relaxed);
        if self.fail.load(Relaxed) {
            return Err(io::Error::other("the tape is torn"));
        }
        self.bytes.read_exact_at(buffer, offset)
    }
}

fn bytes_of(slice: &str, metric: Metric) -> Vec<u8> {
    fs::read(id(slice, metric).path(Path::new(COMMITTED))).unwrap()
}

#[test]
fn sources_of_a_program_answer_like_files() {
    let whole = committed();
    let tables = Tablebase::new(Variant::Russian, OpenOptions::new().cache_bytes(0));
    assert!(tables.found().is_empty() && tables.folders().is_empty());
    assert_eq!(tables.complete_pieces(), 0);
    let positions = ["W:WKa1,c3:BKf8,h6", "W:WKb4,Ka1:Bc5,h6", "B:WKa1,c3:BKf8", "W:WKa1:BKb8"]
        .map(|fen| parse_fen(Variant::Russian, fen).unwrap());
    let error = tables.probe(&positions[0]).unwrap_err();
    assert!(error.is_missing());
    assert_eq!(error.to_string(), "no table KMvKM.wld of russian");

    let (reads, fail) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    thread::scope(|scope| {
        // Others ask meanwhile: the answer is right or a table is missing yet.
        for _ in 0..2 {
            scope.spawn(|| {
                while tables.complete_pieces() < 4 {
                    for position in &positions {
                        match tables.probe(position) {
                            Ok(value) => assert_eq!(value, whole.probe(position).unwrap()),
                            Err(error) => assert!(error.is_missing(), "{error}"),
                        }
                    }
                }
            });
        }
        for found in whole.found() {
            let bytes = MemorySource(fs::read(&found.path).unwrap());
            let source = Watched { bytes, reads: reads.clone(), fail: fail.clone() };
            assert!(tables.add_source(found.slice, found.metric, source).unwrap());
        }
    });
    let listed = |tables: &Tablebase| -> Vec<_> {
        let name = |path: &Path| path.file_name().unwrap().to_owned();
        tables.found().iter().map(|found| (found.slice, found.metric, name(&found.path))).collect()
    };
    assert_eq!(listed(&tables), listed(&whole));
    for position in &positions {
        assert_eq!(tables.probe(position).unwrap(), whole.probe(position).unwrap());
        let values = |tables: &Tablebase| -> Vec<_> {
            let moves = tables.moves(position).unwrap().into_iter();
            moves.map(|rated| (rated.for_reply().value().unwrap(), rated.played)).collect()
        };
        assert_eq!(values(&tables), values(&whole));
    }
    let before = reads.load(Relaxed);
    assert!(before > 2 * whole.found().len());
    for found in whole.found() {
        tables.verify_checksums(found.slice, found.metric).unwrap();
    }
    assert!(reads.load(Relaxed) > before);

    fail.store(true, Relaxed);
    let error = tables.verify_checksums("KMvKM".parse().unwrap(), Metric::Wld).unwrap_err();
    assert_eq!(error.to_string(), "KMvKM.wld: the tape is torn");
    fail.store(false, Relaxed);
    tables.verify_checksums("KMvKM".parse().unwrap(), Metric::Wld).unwrap();
}

#[test]
fn what_is_not_the_table_that_it_is_said_to_be_is_not_added() {
    let tables = Tablebase::new(Variant::Russian, OpenOptions::new());
    let kmvk: Material = "KMvK".parse().unwrap();
    let add = |tables: &Tablebase, slice: Material, metric, bytes: &[u8]| {
        tables.add_source(slice, metric, MemorySource(bytes.to_vec()))
    };
    let good = bytes_of("KMvK", Metric::Wld);
    let mut header = good.clone();
    header[HEADER_LEN / 2] ^= 1;
    let mut index = good.clone();
    *index.last_mut().unwrap() ^= 1;
    type Check = fn(&StoreError) -> bool;
    let wrong: [(&[u8], Check); 6] = [
        (&bytes_of("KvKM", Metric::Wld), |e| matches!(e, StoreError::OtherSlice { .. })),
        (&bytes_of("KMvK", Metric::Dtw), |e| matches!(e, StoreError::OtherMetric { .. })),
        (&good[..good.len() - 1], |e| matches!(e, StoreError::Length { .. })),
        (b"", |e| e.is_corrupt()),
        (&header, |e| matches!(e, StoreError::HeaderCorrupt { .. })),
        (&index, |e| matches!(e, StoreError::HeaderCorrupt { .. })),
    ];
    for (bytes, is_right) in wrong {
        let error = add(&tables, kmvk, Metric::Wld, bytes).unwrap_err();
        assert!(is_right(&error) && error.to_string().contains("KMvK.wld"), "{error}");
    }
    let brazilian = Tablebase::new(Variant::Brazilian, OpenOptions::new());
    let error = add(&brazilian, kmvk, Metric::Wld, &good).unwrap_err();
    assert!(matches!(error, StoreError::OtherVariant { .. }), "{error}");
    for slice in ["KKKKKvKKKK", "MMMMMMMMMvK", "KvKKKKKKKKKKK"] {
        let error = add(&tables, slice.parse().unwrap(), Metric::Wld, &good).unwrap_err();
        assert_eq!(error.to_string(), format!("there are no tables of {slice} in russian"));
    }
    let alquerque = Tablebase::new(Variant::Alquerque, OpenOptions::new());
    let error = add(&alquerque, "KvM".parse().unwrap(), Metric::Wld, &good).unwrap_err();
    assert!(matches!(error, StoreError::NoSuchSlice { .. }), "{error}");
    assert!(tables.found().is_empty() && brazilian.found().is_empty());

    // The first stays.
    assert!(add(&tables, kmvk, Metric::Wld, &good).unwrap());
    assert!(!add(&tables, kmvk, Metric::Wld, &good).unwrap());
    assert!(!add(&tables, kmvk, Metric::Wld, b"whatever").unwrap());
    let folder = tempfile::tempdir().unwrap();
    copy_tables(folder.path(), 3);
    fs::write(table_path(folder.path(), "KMvK.wld"), "broken").unwrap();
    assert_eq!(tables.add_folder(folder.path()).unwrap(), 31);
    tables.verify_checksums(kmvk, Metric::Wld).unwrap();
    assert_eq!(tables.complete_pieces(), 3);
}

#[test]
fn files_and_folders_can_be_added_later() {
    let folder = tempfile::tempdir().unwrap();
    copy_tables(folder.path(), 2);
    let tables = Tablebase::open(Variant::Russian, &[folder.path()]).unwrap();
    let position = parse_fen(Variant::Russian, "W:WKa1,c3:BKf8").unwrap();
    assert!(tables.probe(&position).unwrap_err().is_missing());
    // What has come to the folder since.
    copy_tables(folder.path(), 3);
    assert_eq!(tables.complete_pieces(), 2);
    assert_eq!(tables.add_folder(folder.path()).unwrap(), 24);
    assert_eq!(tables.add_folder(folder.path()).unwrap(), 0);
    assert_eq!(tables.folders(), [folder.path()]);
    assert_eq!(tables.probe(&position).unwrap(), committed().probe(&position).unwrap());

    let alone = Tablebase::new(Variant::Russian, OpenOptions::new());
    let dtw = id("KMvKM", Metric::Dtw).path(Path::new(COMMITTED));
    assert!(alone.add_file(&dtw).unwrap());
    assert!(!alone.add_file(&dtw).unwrap());
    assert_eq!(alone.found()[0].path, dtw);
    let quiet = parse_fen(Variant::Russian, "W:WKa1,a3:Bh6,Kh8").unwrap();
    alone.verify_checksums("KMvKM".parse().unwrap(), Metric::Dtw).unwrap();
    assert!(alone.probe(&quiet).unwrap_err().is_missing());
    for (name, said) in [
        ("KMvK.txt", "KMvK.txt: not the name of a table of russian"),
        ("table.wld", "table.wld: not the name of a table of russian"),
        ("KKKKKvKKKK.wld", "KKKKKvKKKK.wld: not the name of a table of russian"),
        ("KMMvK.wld", "KMMvK.wld: "),
    ] {
        let error = alone.add_file(folder.path().join(name)).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    assert_eq!(
        alone.add_file(folder.path().join("KMMvK.wld")).unwrap_err().kind(),
        io::ErrorKind::NotFound
    );
    assert!(alone.add_folder(folder.path().join("nowhere")).is_err());
    assert_eq!(alone.found().len(), 1);
}

/// Asks another tablebase before it gives its bytes, as one might that makes them then and there.
struct Asking {
    source: FileSource,
    other: Arc<OnceLock<Tablebase>>,
}

impl Source for Asking {
    fn size(&self) -> u64 {
        self.source.size()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if let Some(tables) = self.other.get() {
            let position = parse_fen(Variant::Russian, "W:WKa1,b2:BKf8,h6").unwrap();
            tables.probe(&position).map_err(io::Error::other)?;
        }
        self.source.read_exact_at(buffer, offset)
    }
}

#[test]
fn a_source_may_probe() {
    let whole = committed();
    let other = Arc::new(OnceLock::new());
    let tables = Tablebase::new(Variant::Russian, tiny(false));
    for found in whole.found() {
        let source = FileSource::open(&found.path).unwrap();
        tables
            .add_source(found.slice, found.metric, Asking { source, other: other.clone() })
            .unwrap();
    }
    assert!(
        other
            .set(Tablebase::open_with(Variant::Russian, &[COMMITTED], tiny(false)).unwrap())
            .is_ok()
    );
    let index = SliceIndex::new(Russian::geometry(), "KMvKM".parse().unwrap());
    for number in (0..index.len()).step_by(1_009) {
        let position = position_at(&index, number);
        assert_eq!(tables.probe(&position).unwrap(), whole.probe(&position).unwrap());
    }
}
