//! `damka build`

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use damka::Variant;
use damka::builder::{BuildEvent, BuildMonitor, BuildOptions, PairReport, Spent, build};
use damka::index::MOST_PIECES;
use damka::store::WriteOptions;

use super::exit::Exit;
use super::folders;
use super::interrupt::Interrupt;
use super::out::stdout;
use super::progress::Progress;
use super::screen::say;
use super::text::{bits_per_position, bytes, count, grouped, number, seconds, span};
use super::{complain, complain_of, variant_parser};

/// Build the tables of all slices up to a number of pieces.
///
/// Slices that are there already are left alone. Ctrl-C ends a build cleanly, and the same command
/// goes on from there. The bytes written depend on neither threads nor interruptions.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka build russian --pieces 4                 seconds
  damka build russian -n 5 --db \"my tables\"      into another folder
  DAMKA_PATH=/srv/tables damka build russian -n 5")]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// Seconds after which the finished part of a large pair is put on the disk, for a build that is killed to go on
    /// from there.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    keep_every: Duration,
}

/// What to build, and with what.
#[derive(clap::Args)]
pub struct What {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    variant: Variant,
    /// Most pieces on the board, both sides together.
    #[arg(long, short = 'n', value_name = "N", value_parser = number(2..=MOST_PIECES))]
    pieces: u32,
    /// Folder of tables; made if it does not exist, and what is there is not built again [default: the first in
    /// DAMKA_PATH, else `tables`].
    #[arg(long, value_name = "FOLDER")]
    db: Option<PathBuf>,
    /// Threads to work with; 0 for as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number(0..=1024u16))]
    threads: u16,
    /// Most memory to use, like 16G [default: what the machine has available and its control groups leave, less a sixteenth].
    ///
    /// If there is not enough for all, pairs that are not needed at the moment are kept on the disk, and large ones are worked on there.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory: Option<ByteSize>,
    /// How hard to compress, from 1 to 22: the level of zstd. 19 makes sets of few pieces some percent smaller, and writing takes more than
    /// twice as long.
    #[arg(long, value_name = "LEVEL", default_value_t = WriteOptions::default().wld_level, value_parser = number(1..=22))]
    level: i32,
    /// Store all distances, for probes that need no search: distances take two to three times the bytes.
    #[arg(long)]
    all_distances: bool,
}

impl What {
    pub fn options(&self) -> BuildOptions {
        let folder = self.db.clone().or_else(|| folders::in_environment().into_iter().next());
        let folder = folder.unwrap_or_else(|| folders::DEFAULT.into());
        let mut options = BuildOptions::new(self.variant, self.pieces, folder);
        options.threads = self.threads.into();
        options.memory = self.memory.map(|bytes| bytes.as_u64());
        options.write = WriteOptions::at_level(self.level);
        options.all_distances = self.all_distances;
        options
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut options = args.what.options();
    options.keep_every = args.keep_every;

    let start = Instant::now();
    let watcher = Watcher {
        interrupt: Interrupt::watch(),
        place: options.folder.join(options.variant.name()),
        state: Mutex::default(),
    };
    let report = build(&options, &watcher)?;

    let mut state = watcher.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The bar goes before anything is written where it stands.
    state.progress = None;
    let mut out = stdout();
    if report.built == 0 {
        let all = count(report.skipped as u64, "slice", "slices");
        writeln!(out, "nothing to do: all {all} of 2 to {} pieces are there", options.pieces)?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    writeln!(
        out,
        "built {}, {} ({} were there)",
        count(report.built as u64, "slice", "slices"),
        count(report.positions, "position", "positions"),
        grouped(report.skipped as u64),
    )?;
    if report.kept > 0 {
        let kept = count(report.kept, "position", "positions");
        writeln!(out, "of these, {kept} had been kept by a build before")?;
    }
    writeln!(
        out,
        "CPU seconds: solving {:.1}, solving again what was there {:.1}, compressing and writing {:.1}; {} in all by the clock",
        report.solving.cpu.as_secs_f64(),
        report.restoring.cpu.as_secs_f64(),
        report.writing.cpu.as_secs_f64(),
        span(start.elapsed()),
    )?;
    writeln!(
        out,
        "threads at work: {} % of the time of {} while solving, {} % while compressing and writing",
        percent(&report.solving, report.threads),
        report.threads,
        percent(&report.writing, report.threads),
    )?;
    for (metric, bytes) in [("wld", state.wld_bytes), ("dtw", state.dtw_bytes)] {
        let bits = bits_per_position(bytes, report.positions);
        writeln!(out, "{metric}: {} bytes, {bits} bits a position", grouped(bytes))?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Time of a pair that gets a line of its own when it is finished.
const WORTH_A_LINE: Duration = Duration::from_secs(1);

fn percent(spent: &Spent, threads: usize) -> u64 {
    (spent.utilisation(threads) * 100.0).round() as u64
}

/// What a pair took.
fn line(report: &PairReport) -> String {
    let slices: Vec<String> = report.pair.slices().map(|slice| slice.to_string()).collect();
    let part = |spent: &Spent| {
        let percent = percent(spent, report.threads);
        format!(
            "{:.1} s, {:.1} CPU s ({percent} %)",
            spent.wall.as_secs_f64(),
            spent.cpu.as_secs_f64()
        )
    };
    let kept = match report.kept {
        0 => String::new(),
        kept => format!(", {} of them kept", grouped(kept)),
    };
    format!(
        "{}: {}{kept}; solved in {}, written in {}; {} + {} bytes",
        slices.join(" "),
        count(report.positions, "position", "positions"),
        part(&report.solving),
        part(&report.writing),
        grouped(report.wld_bytes),
        grouped(report.dtw_bytes),
    )
}

struct Watcher {
    interrupt: Interrupt,
    /// Folder of the variant.
    place: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    progress: Option<Progress>,
    /// What is being worked on, and how much of it an earlier build has kept.
    current: String,
    kept: u64,
    wld_bytes: u64,
    dtw_bytes: u64,
}

impl BuildMonitor for Watcher {
    fn should_stop(&self) -> bool {
        self.interrupt.is_set()
    }

    fn event(&self, event: &BuildEvent<'_>) {
        match event {
            BuildEvent::NoLock { folder, source } => complain(&format!(
                "{} cannot be locked ({source}): let no other build work there",
                folder.display()
            )),
            BuildEvent::FewerThreads(shortfall) => complain_of(*shortfall),
            _ => {}
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let &BuildEvent::Planned { slices, done, positions, again, memory } = event {
            let more = match again {
                0 => String::new(),
                again => format!(" and {} to solve again", grouped(again)),
            };
            say(&format!(
                "{}: {} to build of {}, {}{more}, about {} MB of memory",
                self.place.display(),
                slices - done,
                count(slices as u64, "slice", "slices"),
                count(positions, "position", "positions"),
                grouped(memory.div_ceil(1_000_000)),
            ));
            state.progress =
                (done < slices).then(|| Progress::new(positions + again, done, slices));
        }
        if let BuildEvent::Finished(report) = event {
            state.wld_bytes += report.wld_bytes;
            state.dtw_bytes += report.dtw_bytes;
        }
        let State { progress: Some(progress), current, kept, .. } = &mut *state else { return };
        let mut begin = |text: String| {
            (*current, *kept) = (text, 0);
            progress.current(current.clone());
        };
        match *event {
            BuildEvent::Restoring(pair) => begin(format!("{} again", pair.first())),
            BuildEvent::PuttingOut(pair) => begin(format!("making room: {}", pair.first())),
            BuildEvent::Solving(pair) => begin(pair.first().to_string()),
            BuildEvent::Advanced(positions) => progress.advance(positions),
            BuildEvent::Kept(positions) => {
                progress.keep(positions);
                *kept += positions;
                progress.current(format!("{current}, {} positions kept", grouped(*kept)));
            }
            BuildEvent::Writing(pair) => begin(format!("writing {}", pair.first())),
            BuildEvent::Finished(report) => {
                if report.solving.wall + report.writing.wall >= WORTH_A_LINE {
                    say(&line(report));
                }
                begin(report.pair.first().to_string());
                progress.slices_done(report.pair.slices().count());
            }
            _ => {}
        }
    }
}
