//! Building: the same bytes on every way there, and no table that is not whole.

use crate::common::with;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use crate::common::Rng;
use crate::common::tables::{
    QUICK, assert_same_files, build_into, files, open, options, pieces_of, position_at, table_path,
    write_files,
};
use damka::Variant;
use damka::builder::{BuildError, BuildEvent, BuildMonitor, BuildOptions, BuildReport, build};
use damka::index::{MOST_PIECES, SliceIndex, plan, slices};
use damka::notation::parse_fen;
use damka::probe::ProbeError;
use damka::rules::{RuleSet, Russian};
use damka::solve::SolveOptions;
use damka::store::{
    Cell, Cells, CellsError, FORMAT_VERSION, HEADER_LEN, Metric, Results, StoreError, TableInfo,
    WorkCopy, write_tables,
};
use tempfile::{TempDir, tempdir};

type Files = BTreeMap<String, Vec<u8>>;

/// Tables of up to four pieces, built in one go.
static WHOLE: LazyLock<Files> = LazyLock::new(|| {
    let folder = tempdir().unwrap();
    build_into(folder.path(), 4);
    files(folder.path())
});

/// Those of [`WHOLE`] with so many pieces at most.
fn up_to(pieces: usize) -> Files {
    let all = WHOLE.iter().filter(|(name, _)| pieces_of(name) <= pieces);
    all.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

/// A folder with the tables of up to so many pieces.
fn folder_with(pieces: usize) -> TempDir {
    let folder = tempdir().unwrap();
    write_files(folder.path(), &up_to(pieces));
    folder
}

/// Asserts that all that is there are whole tables with the right bytes.
#[track_caller]
fn assert_whole_tables(folder: &Path) {
    for (name, bytes) in files(folder) {
        assert!(WHOLE.get(&name) == Some(&bytes), "{name}");
    }
}

/// Builds with other options than usual.
fn built_with(pieces: u32, threads: usize, solve: SolveOptions) -> Files {
    let folder = tempdir().unwrap();
    let options = with!(options(folder.path(), pieces), threads = threads, solve = solve);
    build(&options, &()).unwrap();
    files(folder.path())
}

#[test]
fn there_are_two_tables_for_each_slice() {
    let slices =
        plan(Variant::Russian.rules(), 4).iter().map(|pair| pair.slices().count()).sum::<usize>();
    assert_eq!(slices, 41);
    assert_eq!(WHOLE.len(), 82);
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    for threads in [1, 2, 5] {
        assert_same_files(&built_with(4, threads, SolveOptions::default()), &WHOLE);
    }
}

#[test]
fn scores_of_two_bytes_give_the_same_bytes() {
    let narrow = |longest_narrow| with!(SolveOptions::default(), longest_narrow = longest_narrow);
    for longest_narrow in [0, 1, 2, 3] {
        assert_same_files(&built_with(3, 2, narrow(longest_narrow)), &up_to(3));
    }
    for longest_narrow in [5, 10] {
        assert_same_files(&built_with(4, 2, narrow(longest_narrow)), &WHOLE);
    }
}

#[test]
fn all_threads_inside_a_unit_give_the_same_bytes() {
    let inside = with!(SolveOptions::default(), parallel_unit_len = 500);
    assert_same_files(&built_with(4, 2, inside), &WHOLE);
    let both = with!(SolveOptions::default(), longest_narrow = 5, parallel_unit_len = 1);
    for threads in [1, 3] {
        assert_same_files(&built_with(3, threads, both), &up_to(3));
    }
}

/// Asks to stop from the given question on.
struct StopAfter {
    questions: u64,
    asked: AtomicU64,
}

impl StopAfter {
    fn new(questions: u64) -> Self {
        StopAfter { questions, asked: AtomicU64::new(0) }
    }
}

impl BuildMonitor for StopAfter {
    fn should_stop(&self) -> bool {
        self.asked.fetch_add(1, SeqCst) >= self.questions
    }
}

/// Whether the build was stopped rather than done.
fn is_stopped(options: &BuildOptions, monitor: &dyn BuildMonitor) -> bool {
    match build(options, monitor) {
        Ok(_) => false,
        Err(BuildError::Stopped) => true,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_build_stopped_at_any_moment_and_resumed_gives_the_same_bytes() {
    let counting = StopAfter::new(u64::MAX);
    let folder = tempdir().unwrap();
    assert!(!is_stopped(&options(folder.path(), 3), &counting));
    let questions = counting.asked.into_inner();
    assert!(questions > 100, "only {questions}");

    let mut rng = Rng(1);
    let mut stopped = 0;
    for round in 0..40 {
        // The first questions one by one, then at random.
        let after = if round < 15 { round } else { rng.below(questions as usize) as u64 };
        let folder = tempdir().unwrap();
        let options = options(folder.path(), 3);
        stopped += u32::from(is_stopped(&options, &StopAfter::new(after)));
        assert_whole_tables(folder.path());
        build(&options, &()).unwrap();
        assert_same_files(&files(folder.path()), &up_to(3));
    }
    assert!(stopped > 30, "stopped {stopped} times only");
}

#[test]
fn a_build_stopped_again_and_again_gives_the_same_bytes() {
    let folder = tempdir().unwrap();
    let options = options(folder.path(), 4);
    let (mut after, mut stops, mut tables) = (50, 0, 0);
    while is_stopped(&options, &StopAfter::new(after)) {
        assert_whole_tables(folder.path());
        let there = files(folder.path()).len();
        assert!(there >= tables, "{there} tables after {tables}");
        tables = there;
        stops += 1;
        after += after / 4;
    }
    assert!(stops > 5, "stopped {stops} times only");
    assert_same_files(&files(folder.path()), &WHOLE);
}

/// A monitor that asks to stop once and then has forgotten.
struct StopOnce(StopAfter);

impl BuildMonitor for StopOnce {
    fn should_stop(&self) -> bool {
        self.0.asked.fetch_add(1, SeqCst) == self.0.questions
    }
}

#[test]
fn a_monitor_that_asks_once_stops_the_build() {
    let mut rng = Rng(2);
    for _ in 0..25 {
        let folder = tempdir().unwrap();
        let options = options(folder.path(), 3);
        let after = rng.below(2_000) as u64;
        let monitor = StopOnce(StopAfter::new(after));
        let stopped = is_stopped(&options, &monitor);
        assert_whole_tables(folder.path());
        assert!(stopped || monitor.0.asked.into_inner() <= after, "went on after {after}");
    }
}

/// What is kept of a pair on the way.
fn kept(folder: &Path) -> Vec<String> {
    files(folder).into_keys().filter(|name| name.ends_with(".work")).collect()
}

/// Stops after so many placements are solved, besides those that are to be solved again, and counts what is solved, kept and planned.
#[derive(Default)]
struct StopAfterPositions {
    positions: u64,
    advanced: AtomicU64,
    kept: AtomicU64,
    planned: AtomicU64,
    again: AtomicU64,
}

impl BuildMonitor for StopAfterPositions {
    fn should_stop(&self) -> bool {
        self.advanced.load(SeqCst) >= self.positions + self.again.load(SeqCst)
    }

    fn event(&self, event: &BuildEvent<'_>) {
        match event {
            BuildEvent::Planned { positions, again, .. } => {
                self.planned.store(positions + again, SeqCst);
                self.again.store(*again, SeqCst);
            }
            BuildEvent::Advanced(positions) => {
                self.advanced.fetch_add(*positions, SeqCst);
            }
            BuildEvent::Kept(positions) => {
                self.kept.fetch_add(*positions, SeqCst);
            }
            _ => {}
        }
    }
}

#[test]
fn a_build_goes_on_inside_a_pair() {
    let default = SolveOptions::default();
    goes_on_inside_a_pair(false, default);
    goes_on_inside_a_pair(true, default);
    goes_on_inside_a_pair(true, with!(default, parallel_unit_len = 1));
}

fn goes_on_inside_a_pair(on_disk: bool, solve: SolveOptions) {
    let folder = tempdir().unwrap();
    let keep_every = Duration::ZERO;
    let options =
        with!(options(folder.path(), 4), keep_every = keep_every, on_disk = on_disk, solve = solve);
    let mut within = 0;
    // More than in any level, or there would be no end.
    let positions = 800_000;
    let mut was_kept = 0;
    for stops in 0.. {
        let monitor = StopAfterPositions { positions, ..StopAfterPositions::default() };
        let stopped = is_stopped(&options, &monitor);
        // What is solved anew and what was kept are all there is, and nothing is both.
        let [advanced, kept_now, planned] =
            [monitor.advanced, monitor.kept, monitor.planned].map(AtomicU64::into_inner);
        assert!(advanced + kept_now <= planned);
        assert!(stopped || advanced + kept_now == planned);
        was_kept += kept_now;
        let there = kept(folder.path());
        assert!(there.len() <= 1 || on_disk, "{there:?}");
        let len = |name: &String| fs::metadata(table_path(folder.path(), name)).unwrap().len();
        within += there.iter().filter(|name| len(name) > 100).count();
        if !stopped {
            break;
        }
        assert!(stops < 60, "does not end");
    }
    assert!(within > 2, "stopped {within} times inside a pair");
    assert!(was_kept > 0);
    build(&options, &()).unwrap();
    assert_same_files(&files(folder.path()), &WHOLE);
}

/// Placements that are kept of each pair, for a build of 4 pieces.
fn kept_for_four(folder: &Path) -> BTreeMap<String, u64> {
    let info = |name: &String| {
        let info = WorkCopy::info(&table_path(folder, name), Variant::Russian).unwrap();
        let kept = info.unwrap().kept.unwrap();
        assert_eq!(kept.pieces, 4, "{name}");
        kept.placements
    };
    kept(folder).into_iter().map(|name| (name.clone(), info(&name))).collect()
}

/// What a build was stopped at is there for it when builds of fewer pieces have been at work, which go on from it too.
#[test]
fn a_smaller_build_leaves_the_work_of_a_larger_one() {
    // Amid pairs of 3 pieces, and of 4, in which the smaller builds have nothing to do. Of one of 3 pieces in memory there is
    // but the beginning of a file.
    for (on_disk, positions, has_placements) in [
        (false, 120_000, false),
        (true, 120_000, true),
        (false, 900_000, true),
        (true, 900_000, true),
    ] {
        let with = |folder: &Path, pieces| {
            with!(options(folder, pieces), keep_every = Duration::ZERO, on_disk = on_disk)
        };
        // A moment later it may be between two pairs, where nothing is kept.
        let stopped = (0..20).map(|more| positions + more * 5_000).find_map(|positions| {
            let folder = tempdir().unwrap();
            let monitor = StopAfterPositions { positions, ..StopAfterPositions::default() };
            assert!(is_stopped(&with(folder.path(), 4), &monitor));
            let before = kept_for_four(folder.path());
            let enough = |placements: &u64| *placements > 0 || !has_placements;
            before.values().any(enough).then_some((folder, before))
        });
        let (folder, before) = stopped.expect("a moment amid a pair");
        let with = |pieces| with(folder.path(), pieces);
        for pieces in [2, 3, 3] {
            build(&with(pieces), &()).unwrap();
            let mut after = kept_for_four(folder.path());
            after.retain(|name, _| before.contains_key(name));
            assert!(after.keys().eq(before.keys()), "{after:?}");
            assert!(after.iter().all(|(name, placements)| *placements >= before[name]));
        }
        // Smaller builds leave nothing of their own.
        assert_eq!(kept_for_four(folder.path()).len(), before.len());
        build(&with(4), &()).unwrap();
        assert_same_files(&files(folder.path()), &WHOLE);
    }
}

/// Everything that can be is worked on outside memory.
#[test]
fn pairs_on_the_disk_give_the_same_bytes() {
    let wide = with!(SolveOptions::default(), longest_narrow = 2);
    for solve in [SolveOptions::default(), wide] {
        let folder = tempdir().unwrap();
        let options = with!(options(folder.path(), 4), on_disk = true, solve = solve);
        build(&options, &()).unwrap();
        assert_same_files(&files(folder.path()), &WHOLE);
    }
}

/// From tables alone, without the copies.
#[test]
fn pairs_are_restored_to_the_disk() {
    for missing in ["KKvKM", "KMvKM", "MMvMM"] {
        let folder = folder_with(4);
        for metric in [Metric::Wld, Metric::Dtw] {
            let name = format!("{missing}.{}", metric.extension());
            fs::remove_file(table_path(folder.path(), &name)).unwrap();
        }
        let options = with!(options(folder.path(), 4), on_disk = true);
        let movements = Movements::default();
        assert_eq!(build(&options, &movements).unwrap().built, missing_slices(missing));
        assert!(movements.back.load(SeqCst) > 3, "{missing}");
        assert_same_files(&files(folder.path()), &WHOLE);
    }
}

/// Slices that are built with this one.
fn missing_slices(slice: &str) -> usize {
    let slice: damka::index::Material = slice.parse().unwrap();
    damka::index::Pair::of(slice).slices().count()
}

/// Damages all working copies when the work on so many pairs has begun.
struct DamageAt {
    folder: PathBuf,
    pairs: usize,
    begun: AtomicUsize,
}

impl BuildMonitor for DamageAt {
    fn event(&self, event: &BuildEvent<'_>) {
        if !matches!(event, BuildEvent::Solving(_)) || self.begun.fetch_add(1, SeqCst) != self.pairs
        {
            return;
        }
        for name in kept(&self.folder) {
            let mut file =
                File::options().write(true).open(table_path(&self.folder, &name)).unwrap();
            let len = file.metadata().unwrap().len();
            for place in (100..len).step_by(997) {
                file.seek(SeekFrom::Start(place)).unwrap();
                file.write_all(&[0x5a]).unwrap();
            }
        }
    }
}

/// Damage to what is read on the disk ends a build, which names the file, or is made good; the next one goes on.
#[test]
fn damage_to_a_pair_on_the_disk_is_found() {
    let mut found = 0;
    for pairs in [5, 12, 18, 21, 24] {
        let folder = tempdir().unwrap();
        let options = with!(options(folder.path(), 4), keep_every = Duration::ZERO, on_disk = true);
        let begun = AtomicUsize::new(0);
        let monitor = DamageAt { folder: folder.path().to_owned(), pairs, begun };
        let mut built = build(&options, &monitor);
        while let Err(error) = built {
            assert!(matches!(&error, BuildError::Store(error) if error.is_corrupt()), "{error:?}");
            assert!(error.to_string().contains(".work is corrupt in block"), "{error}");
            found += 1;
            assert!(found < 1000, "does not end");
            built = build(&options, &());
        }
        assert_same_files(&files(folder.path()), &WHOLE);
    }
    assert!(found > 0, "no damage was found");
}

/// A damaged copy costs time, and nothing else.
#[test]
fn what_was_kept_is_checked() {
    let folder = tempdir().unwrap();
    let options = with!(options(folder.path(), 4), keep_every = Duration::ZERO);
    let mut damaged = 0;
    for positions in (100_000..6_000_000).step_by(450_000) {
        let monitor = StopAfterPositions { positions, ..StopAfterPositions::default() };
        let _ = is_stopped(&options, &monitor);
        for name in kept(folder.path()) {
            let path = folder.path().join("russian").join(name);
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(&path, bytes).unwrap();
            damaged += 1;
        }
    }
    build(&options, &()).unwrap();
    assert!(damaged > 0);
    assert_same_files(&files(folder.path()), &WHOLE);
}

/// Counts pairs that go to the disk and come back.
#[derive(Default)]
struct Movements {
    out: AtomicUsize,
    back: AtomicUsize,
    memory: AtomicU64,
}

impl BuildMonitor for Movements {
    fn event(&self, event: &BuildEvent<'_>) {
        match event {
            BuildEvent::PuttingOut(_) => drop(self.out.fetch_add(1, SeqCst)),
            BuildEvent::Restoring(_) => drop(self.back.fetch_add(1, SeqCst)),
            BuildEvent::Planned { memory, .. } => self.memory.store(*memory, SeqCst),
            _ => {}
        }
    }
}

/// Builds with as little memory as can be, which the refusal of less says.
fn build_with_least(folder: &Path, pieces: u32) -> Movements {
    let with = |memory| with!(options(folder, pieces), memory = Some(memory), threads = 2);
    let (needed, given) = match build(&with(1 << 20), &()) {
        Err(BuildError::Memory { needed, given, .. }) => (needed, given),
        other => panic!("{other:?}"),
    };
    assert_eq!(given, 1 << 20);
    assert!(files(folder).is_empty());
    assert!(matches!(build(&with(needed - 1), &()), Err(BuildError::Memory { .. })));
    let movements = Movements::default();
    build(&with(needed), &movements).unwrap();
    assert!(movements.memory.load(SeqCst) <= needed);
    movements
}

#[test]
fn little_memory_gives_the_same_bytes() {
    let folder = tempdir().unwrap();
    build_with_least(folder.path(), 4);
    assert_same_files(&files(folder.path()), &WHOLE);
}

/// Up to 4 pieces, all is needed at once.
#[test]
#[ignore = "takes a minute"]
fn pairs_that_went_to_the_disk_give_the_same_bytes() {
    let folders = [tempdir().unwrap(), tempdir().unwrap()];
    let movements = build_with_least(folders[0].path(), 5);
    build_into(folders[1].path(), 5);
    assert_same_files(&files(folders[0].path()), &files(folders[1].path()));
    let (out, back) = (movements.out.into_inner(), movements.back.into_inner());
    assert!(out >= 3 && back >= 3, "{out} pairs went out and {back} came back");
}

#[test]
fn a_larger_build_goes_on_from_a_smaller_one() {
    let folder = tempdir().unwrap();
    assert_eq!(build_into(folder.path(), 2).built, 4);
    assert_eq!(build_into(folder.path(), 3).built, 12);
    assert_same_files(&files(folder.path()), &up_to(3));
    let report = build_into(folder.path(), 4);
    assert_eq!((report.built, report.skipped), (25, 16));
    assert_same_files(&files(folder.path()), &WHOLE);
}

#[test]
fn nothing_is_done_where_all_is_done() {
    let folder = folder_with(3);
    let times = || -> Vec<_> {
        let all = files(folder.path());
        let time = |name| fs::metadata(table_path(folder.path(), name)).unwrap().modified();
        all.keys().map(|name| time(name).unwrap()).collect()
    };
    let before = times();
    for pieces in [3, 2] {
        let report = build_into(folder.path(), pieces);
        assert_eq!(report.built, 0);
        assert_eq!(report.skipped, if pieces == 3 { 16 } else { 4 });
        assert_eq!(report.positions, 0);
    }
    assert_eq!(times(), before);
    assert_same_files(&files(folder.path()), &up_to(3));
}

#[test]
fn leftovers_of_killed_builds_are_removed() {
    let folder = folder_with(2);
    let left = table_path(folder.path(), ".damka-unfinished-Ab12Cd");
    let mut expected = up_to(2);
    for other in ["notes.txt", "notes.work", ".damka-unfinished-notes"] {
        fs::write(table_path(folder.path(), other), b"mine").unwrap();
        expected.insert(other.to_owned(), b"mine".to_vec());
    }
    // Nothing was written yet, or not the header, or everything.
    for bytes in [vec![], [vec![0; HEADER_LEN], vec![7]].concat(), up_to(2)["KvK.wld"].clone()] {
        fs::write(&left, bytes).unwrap();
        build_into(folder.path(), 2);
        assert!(!left.exists());
        assert_same_files(&files(folder.path()), &expected);
    }
}

#[test]
fn a_deleted_table_is_built_again() {
    // Alone, with its twin, its companion, and several.
    for names in [
        &["KMvM.wld"][..],
        &["KMvM.dtw"],
        &["KvK.wld", "KvK.dtw"],
        &["KMvK.wld", "KMvK.dtw", "KvKM.wld", "KvKM.dtw"],
        &["KvM.dtw", "MvM.wld", "MMvM.wld"],
    ] {
        let folder = folder_with(3);
        for name in names {
            fs::remove_file(table_path(folder.path(), name)).unwrap();
        }
        let report = build_into(folder.path(), 3);
        assert!((1..=5).contains(&report.built), "{names:?}: {}", report.built);
        assert_eq!(report.built + report.skipped, 16);
        assert_same_files(&files(folder.path()), &up_to(3));
    }
    // From larger tables alone nothing else is built again.
    let folder = folder_with(4);
    fs::remove_file(table_path(folder.path(), "KKMvM.wld")).unwrap();
    assert_eq!(build_into(folder.path(), 4).built, 2);
    assert_same_files(&files(folder.path()), &WHOLE);
}

/// Asserts that an error names a file, by its text, and that it is of the store.
#[track_caller]
fn assert_names(error: &BuildError, path: &Path) {
    assert!(matches!(error, BuildError::Store(_)), "{error:?}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
}

/// A decided position of `KMvK` without captures: value and result need its tables.
const DECIDED: &str = "W:WKg3,d4:BKb8";

/// Puts bytes in the place of a table and asserts that building is refused, nothing is changed, and
/// probing is refused too. Returns the error.
#[track_caller]
fn refused(name: &str, bytes: Vec<u8>) -> StoreError {
    let folder = folder_with(3);
    let path = table_path(folder.path(), name);
    fs::write(&path, &bytes).unwrap();
    let before = files(folder.path());
    let mut errors = Vec::new();
    for pieces in [3, 4] {
        let error = build(&options(folder.path(), pieces), &()).unwrap_err();
        assert_names(&error, &path);
        assert_same_files(&files(folder.path()), &before);
        errors.push(error);
    }

    let position = parse_fen(Variant::Russian, DECIDED).unwrap();
    let tables = open(folder.path());
    let Err(ProbeError::Table(error)) = tables.probe(&position) else {
        panic!("{name} was read");
    };
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    assert!(!error.is_missing());
    // Those that are whole still answer.
    let other = parse_fen(Variant::Russian, "W:WKa1:BKh8").unwrap();
    assert_eq!(tables.probe(&other).unwrap(), damka::Value::Loss(2));
    match errors.remove(0) {
        BuildError::Store(error) => error,
        error => panic!("{error}"),
    }
}

#[test]
fn broken_tables_are_named_and_not_overwritten() {
    for name in ["KMvK.wld", "KMvK.dtw"] {
        let good = &WHOLE[name];
        let len = good.len() as u64;
        for cut in [(HEADER_LEN + good.len()) / 2, good.len() - 1, HEADER_LEN] {
            let error = refused(name, good[..cut].to_vec());
            let StoreError::Length { expected, found, .. } = error else { panic!("{error}") };
            assert_eq!((expected, found), (len, cut as u64));
        }
        for cut in [0, 5, HEADER_LEN - 1] {
            assert!(matches!(refused(name, good[..cut].to_vec()), StoreError::Length { .. }));
        }
        let longer = [good.as_slice(), &[0]].concat();
        assert!(matches!(refused(name, longer), StoreError::Length { .. }));

        // In the counts, the checksum of the header, the index of blocks.
        for place in [121, HEADER_LEN - 1, good.len() - 1] {
            let mut flipped = good.clone();
            flipped[place] ^= 4;
            assert!(matches!(refused(name, flipped), StoreError::HeaderCorrupt { .. }), "{place}");
        }
        let mut other = good.clone();
        other[0] = b'D';
        assert!(matches!(refused(name, other), StoreError::NotATable { .. }));
        let mut newer = good.clone();
        newer[10] += 1;
        let error = refused(name, newer);
        assert!(
            matches!(error, StoreError::Version { found, read: FORMAT_VERSION, .. } if found == FORMAT_VERSION + 1),
            "{error}"
        );
    }
    let error = refused("KMvK.wld", WHOLE["KKvM.wld"].clone());
    assert!(matches!(error, StoreError::OtherSlice { .. }), "{error}");
    let error = refused("KMvK.wld", WHOLE["KMvK.dtw"].clone());
    assert!(matches!(error, StoreError::OtherMetric { .. }), "{error}");
}

/// Nothing is built on what blocks say: pairs that are needed are solved again.
#[test]
fn damage_in_a_block_does_not_spread() {
    let mut rng = Rng(3);
    let folder = folder_with(3);
    let mut damaged = Vec::new();
    for (name, good) in up_to(3) {
        let (slice, metric) = name.split_once('.').unwrap();
        let metric = if metric == "wld" { Metric::Wld } else { Metric::Dtw };
        let header = open(folder.path()).header(slice.parse().unwrap(), metric).unwrap();
        let tail = (header.model_len + header.index_len) as usize;
        if tail == 0 || good.len() == HEADER_LEN + tail {
            // No block has bytes of its own.
            continue;
        }
        let mut flipped = good.clone();
        let place = HEADER_LEN + rng.below(good.len() - HEADER_LEN - tail);
        flipped[place] ^= 1 << rng.below(8);
        fs::write(table_path(folder.path(), &name), &flipped).unwrap();
        damaged.push((name, flipped));
    }
    assert!(damaged.len() > 12);
    build(&options(folder.path(), 4), &()).unwrap();
    let mut found = files(folder.path());
    for (name, flipped) in damaged {
        assert!(found.remove(&name) == Some(flipped), "{name}");
    }
    for (name, bytes) in found {
        assert!(WHOLE[&name] == bytes, "{name}");
    }
}

/// All positions drawn.
struct Draws(u64);

impl Cells for Draws {
    fn len(&self) -> u64 {
        self.0
    }

    fn fill(&self, _: u64, out: &mut [Cell]) -> Result<(), CellsError> {
        out.fill(Cell::DRAW);
        Ok(())
    }
}

#[test]
fn tables_of_other_values_are_not_built_upon() {
    let folder = folder_with(3);
    let slice: damka::index::Material = "KMvK".parse().unwrap();
    let positions = open(folder.path()).header(slice, Metric::Wld).unwrap().positions;
    let counts = damka::Counts { draws: positions, ..Default::default() };
    let (variant, distances) = (Variant::Russian, Results::ALL);
    let info = TableInfo { variant, material: slice, counts, distances };
    let inside = folder.path().join("russian");
    write_tables(&inside, &info, &Draws(positions), &QUICK, &|| false).unwrap();
    let before = files(folder.path());
    let error = build(&options(folder.path(), 4), &()).unwrap_err();
    assert_names(&error, &table_path(folder.path(), "KMvK.wld"));
    assert!(matches!(error, BuildError::Store(StoreError::OtherCounts { .. })), "{error}");
    for (name, bytes) in before {
        assert!(files(folder.path()).get(&name) == Some(&bytes), "{name}");
    }
}

#[test]
fn all_distances_are_stored_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    build(&with!(options(folder.path(), 3), all_distances = true), &()).unwrap();
    let other = folder_with(3);
    let (whole, other) = (open(folder.path()), open(other.path()));
    let mut bytes = [0, 0];
    for slice in slices(Variant::Russian.rules(), 3) {
        for (tables, bytes) in [&whole, &other].into_iter().zip(&mut bytes) {
            *bytes += tables.header(slice, Metric::Dtw).unwrap().file_len;
        }
        assert_eq!(whole.header(slice, Metric::Dtw).unwrap().results, Results::ALL);
        let index = SliceIndex::new(Russian::geometry(), slice);
        for number in (0..index.len()).step_by(7) {
            let position = position_at(&index, number);
            assert_eq!(whole.probe(&position).unwrap(), other.probe(&position).unwrap());
        }
    }
    assert!(3 * bytes[0] > 4 * bytes[1], "{bytes:?}");
}

#[test]
fn two_builds_in_a_folder_exclude_each_other() {
    let folder = folder_with(2);
    let lock = table_path(folder.path(), ".lock");
    let held = File::create(&lock).unwrap();
    held.try_lock().unwrap();
    let error = build(&options(folder.path(), 3), &()).unwrap_err();
    let BuildError::Locked { folder: named } = &error else { panic!("{error}") };
    assert_eq!(*named, folder.path().join("russian"));
    assert_same_files(&files(folder.path()), &up_to(2));
    drop(held);
    build_into(folder.path(), 3);
    assert_same_files(&files(folder.path()), &up_to(3));
}

/// Tries to build the same once more while it is being built.
struct Intruder<'a> {
    folder: &'a Path,
    refused: AtomicUsize,
}

impl BuildMonitor for Intruder<'_> {
    fn event(&self, event: &BuildEvent<'_>) {
        if matches!(event, BuildEvent::Planned { .. } | BuildEvent::Writing(_)) {
            let again = build(&options(self.folder, 3), &());
            assert!(matches!(again, Err(BuildError::Locked { .. })));
            self.refused.fetch_add(1, SeqCst);
        }
    }
}

#[test]
fn a_second_build_is_refused_at_any_time() {
    let folder = tempdir().unwrap();
    let monitor = Intruder { folder: folder.path(), refused: AtomicUsize::new(0) };
    build(&options(folder.path(), 3), &monitor).unwrap();
    assert_eq!(monitor.refused.into_inner(), 1 + 9);
    assert_same_files(&files(folder.path()), &up_to(3));
}

#[test]
fn numbers_of_pieces_out_of_range_are_refused() {
    let folder = tempdir().unwrap();
    for wrong in [0, 1, MOST_PIECES + 1, u32::MAX] {
        let error = build(&options(folder.path(), wrong), &()).unwrap_err();
        let BuildError::Pieces { pieces, most } = error else { panic!("{error}") };
        assert_eq!((pieces, most), (wrong, MOST_PIECES));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = build(&options(&file, 2), &()).unwrap_err();
    let BuildError::Folder { folder: named, .. } = &error else { panic!("{error}") };
    assert_eq!(*named, file.join("russian"));
    assert!(error.to_string().contains(named.to_str().unwrap()), "{error}");
}

/// Notes what it is told.
#[derive(Default)]
struct Listener {
    planned: Mutex<Vec<(usize, usize, u64, u64)>>,
    advanced: AtomicU64,
    restored: AtomicUsize,
    finished: Mutex<Vec<(usize, u64, u64)>>,
}

impl BuildMonitor for Listener {
    fn event(&self, event: &BuildEvent<'_>) {
        match event {
            BuildEvent::Planned { slices, done, positions, again, memory } => {
                assert!(memory > positions);
                self.planned.lock().unwrap().push((*slices, *done, *positions, *again));
            }
            BuildEvent::Advanced(positions) => {
                self.advanced.fetch_add(*positions, SeqCst);
            }
            BuildEvent::Restoring(_) => {
                self.restored.fetch_add(1, SeqCst);
            }
            BuildEvent::Finished(report) => {
                let bytes = report.wld_bytes + report.dtw_bytes;
                let slices = report.pair.slices().count();
                self.finished.lock().unwrap().push((slices, report.positions, bytes));
            }
            _ => {}
        }
    }
}

#[test]
fn progress_adds_up() {
    let folder = tempdir().unwrap();
    let mut bytes = 0;
    for (pieces, planned) in [(3, (16, 0, 199_520, 0)), (4, (41, 16, 6_209_316, 199_520))] {
        let listener = Listener::default();
        let report: BuildReport = build(&options(folder.path(), pieces), &listener).unwrap();
        assert_eq!(*listener.planned.lock().unwrap(), [planned]);
        assert_eq!(listener.advanced.into_inner(), planned.2 + planned.3);
        assert_eq!((report.positions, report.kept), (planned.2, 0));
        assert_eq!((report.built, report.skipped), (planned.0 - planned.1, planned.1));
        assert_eq!(listener.restored.into_inner(), if pieces == 3 { 0 } else { 9 });
        let finished = listener.finished.into_inner().unwrap();
        assert_eq!(finished.iter().map(|done| done.0).sum::<usize>(), report.built);
        assert_eq!(finished.iter().map(|done| done.1).sum::<u64>(), planned.2);
        bytes += finished.iter().map(|done| done.2).sum::<u64>();
        let on_disk: usize = files(folder.path()).values().map(Vec::len).sum();
        assert_eq!(on_disk as u64, bytes);
    }
}
