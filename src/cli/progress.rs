//! How far long work has got: a bar on a terminal, plain lines elsewhere. All on standard error.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::screen;
use super::text::{grouped, span};

/// Longest silence, off a terminal.
const INTERVAL: Duration = Duration::from_secs(10);
/// Age at which the bar is drawn anew.
const FRAME: Duration = Duration::from_millis(250);

/// Progress of work on many positions. Dropped, it takes its bar off the screen.
pub struct Progress {
    state: Arc<State>,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

struct State {
    has_bar: bool,
    /// Positions that are done, and those of them that were done before.
    done: AtomicU64,
    kept: AtomicU64,
    total: u64,
    start: Instant,
    text: Mutex<Text>,
}

struct Text {
    slices_done: usize,
    slices: usize,
    current: String,
    last_line: Instant,
}

/// What there is to say at a moment.
struct Now<'a> {
    slices_done: usize,
    slices: usize,
    /// Part of the positions that is done, from 0 to 1.
    share: f64,
    /// Positions a second, of those that were not done before; `None` until there are any.
    rate: Option<u64>,
    /// `None` while it cannot be told.
    left: Option<Duration>,
    current: &'a str,
}

impl State {
    /// Nothing that is held here can be left half-changed by a panic.
    fn text(&self) -> MutexGuard<'_, Text> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows how far the work is, unless that was done within such a time.
    fn show(&self, after: Duration) {
        let mut text = self.text();
        if text.last_line.elapsed() < after {
            return;
        }
        text.last_line = Instant::now();
        let now = self.now(&text, self.start.elapsed());
        match self.has_bar {
            true => screen::draw(now.bar(screen::room())),
            false => screen::say(&now.line()),
        }
    }

    fn now<'a>(&self, text: &'a Text, elapsed: Duration) -> Now<'a> {
        let done = self.done.load(Relaxed).min(self.total);
        let worked = done.saturating_sub(self.kept.load(Relaxed)) as f64;
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let left = seconds * (self.total - done) as f64 / worked.max(1.0);
        let is_known = worked > 0.0 && done < self.total;
        Now {
            slices_done: text.slices_done,
            slices: text.slices,
            share: done as f64 / self.total.max(1) as f64,
            rate: (worked > 0.0).then_some((worked / seconds) as u64),
            left: is_known.then(|| Duration::from_secs_f64(left.min(1e9))),
            current: &text.current,
        }
    }
}

impl Now<'_> {
    fn line(&self) -> String {
        let Now { slices_done, slices, current, .. } = *self;
        let mut line =
            format!("{slices_done}/{slices} slices, {:.1} % of positions", self.share * 100.0);
        if let Some(rate) = self.rate {
            line += &format!(", {} positions/s", grouped(rate));
        }
        if let Some(left) = self.left {
            line += &format!(", {} left", span(left));
        }
        if !current.is_empty() {
            line += &format!(": {current}");
        }
        line
    }

    /// One row of so many columns: what matters most, as far as it fits.
    fn bar(&self, room: usize) -> String {
        const GAP: &str = "  ";
        const LONGEST_GAUGE: usize = 26;
        const SHORTEST_GAUGE: usize = 10;
        let unit = if room < 40 { "" } else { " slices" };
        let slices = format!("{}/{}{unit}", self.slices_done, self.slices);
        let percent = format!("{:>3} %", (self.share * 100.0) as u64);
        let rate = self.rate.map(|rate| format!("{} positions/s", grouped(rate)));
        let left = self.left.map(|left| format!("{} left", span(left)));
        // With their places in the row, the most important first.
        let parts = [
            (2, percent),
            (0, slices),
            (4, left.unwrap_or_default()),
            (5, self.current.to_owned()),
            (3, rate.unwrap_or_default()),
        ];
        let mut shown: [&str; 6] = [""; 6];
        let mut used = 0;
        for (place, part) in &parts {
            let width = if used == 0 { part.len() } else { GAP.len() + part.len() };
            if !part.is_empty() && used + width <= room {
                shown[*place] = part;
                used += width;
            }
        }
        let width = room.saturating_sub(used + GAP.len()).min(LONGEST_GAUGE);
        let gauge = if width < SHORTEST_GAUGE { String::new() } else { gauge(self.share, width) };
        shown[1] = &gauge;
        shown.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(GAP)
    }
}

/// `[####....]`, so many columns wide.
fn gauge(share: f64, width: usize) -> String {
    let cells = width - 2;
    let full = ((share * cells as f64) as usize).min(cells);
    format!("[{}{}]", "#".repeat(full), ".".repeat(cells - full))
}

impl Progress {
    /// Work on `total` positions of `slices` slices, of which `slices_done` are done already.
    pub fn new(total: u64, slices_done: usize, slices: usize) -> Self {
        let now = Instant::now();
        let text = Text { slices_done, slices, current: String::new(), last_line: now };
        let state = Arc::new(State {
            has_bar: screen::has_bar(),
            done: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            total,
            start: now,
            text: Mutex::new(text),
        });
        if state.has_bar {
            state.show(Duration::ZERO);
        }
        Progress { ticker: ticker(state.clone()), state }
    }

    /// What is being worked on, in ASCII.
    pub fn current(&self, text: String) {
        self.state.text().current = text;
    }

    /// So many more positions are done.
    pub fn advance(&self, positions: u64) {
        self.state.done.fetch_add(positions, Relaxed);
    }

    /// So many more positions were done before: they are no part of the speed, and of the time that is left.
    pub fn keep(&self, positions: u64) {
        self.state.kept.fetch_add(positions, Relaxed);
        self.advance(positions);
    }

    /// So many more slices are done: one line, off a terminal.
    pub fn slices_done(&self, slices: usize) {
        self.state.text().slices_done += slices;
        self.state.show(Duration::ZERO);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
        drop(screen::clear());
    }
}

/// Shows the state again and again until the sender is dropped. Without a thread for it, only what the work itself says is shown.
fn ticker(state: Arc<State>) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = channel();
    let (pause, age) = match state.has_bar {
        true => (FRAME, FRAME),
        false => (INTERVAL / 10, INTERVAL),
    };
    let tick = move || {
        while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            state.show(age);
        }
    };
    let thread = thread::Builder::new().spawn(tick).ok()?;
    Some((stop, thread))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now {
        slices_done: 12,
        slices: 41,
        share: 0.348,
        rate: Some(1_234_567),
        left: Some(Duration::from_secs(723)),
        current: "writing KMMvKM",
    };

    #[test]
    fn a_bar_says_what_fits() {
        for (room, expected) in [
            (3, ""),
            (5, " 34 %"),
            (17, "12/41   34 %"),
            (37, "12/41   34 %  12 min 03 s left"),
            (57, "12/41 slices   34 %  12 min 03 s left  writing KMMvKM"),
            (77, "12/41 slices   34 %  1,234,567 positions/s  12 min 03 s left  writing KMMvKM"),
            (
                97,
                "12/41 slices  [#####............]   34 %  1,234,567 positions/s  12 min 03 s left  writing KMMvKM",
            ),
        ] {
            assert_eq!(NOW.bar(room), expected);
        }
        for room in 0..200 {
            assert!(NOW.bar(room).len() <= room);
        }
        let ends = Now { share: 1.0, rate: None, left: None, current: "", ..NOW };
        assert_eq!(ends.bar(40), "12/41 slices  [#################]  100 %");
    }

    #[test]
    fn a_line_says_what_is_known() {
        assert_eq!(
            NOW.line(),
            "12/41 slices, 34.8 % of positions, 1,234,567 positions/s, 12 min 03 s left: writing KMMvKM"
        );
        let early = Now { rate: None, left: None, ..NOW };
        assert_eq!(early.line(), "12/41 slices, 34.8 % of positions: writing KMMvKM");
    }

    /// What was kept makes neither the work quick nor its end near.
    #[test]
    fn what_was_done_before_is_no_work() {
        let progress = Progress::new(1_000, 0, 1);
        let now = || progress.state.now(&progress.state.text(), Duration::from_secs(10)).line();
        progress.keep(600);
        assert_eq!(now(), "0/1 slices, 60.0 % of positions");
        progress.advance(100);
        assert_eq!(now(), "0/1 slices, 70.0 % of positions, 10 positions/s, 30.0 s left");
        progress.advance(300);
        assert_eq!(now(), "0/1 slices, 100.0 % of positions, 40 positions/s");
    }
}
