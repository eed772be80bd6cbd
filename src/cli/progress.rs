//! How far long work has got: a bar on a terminal, plain lines elsewhere. All on standard error.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::text::{grouped, span};

/// Longest silence, off a terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// Progress of work on many positions. Dropped, it takes its bar off the screen.
pub struct Progress {
    bar: Option<ProgressBar>,
    state: Arc<State>,
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

struct State {
    done: AtomicU64,
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

impl State {
    /// Nothing that is held here can be left half-changed by a panic.
    fn text(&self) -> MutexGuard<'_, Text> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line if none was printed for so long.
    fn line(&self, after: Duration) {
        let mut text = self.text();
        if text.last_line.elapsed() < after {
            return;
        }
        text.last_line = Instant::now();
        let done = self.done.load(Relaxed).min(self.total);
        let share = done as f64 / self.total.max(1) as f64;
        let elapsed = self.start.elapsed().as_secs_f64();
        let rate = done as f64 / elapsed.max(1e-3);
        let left = match done {
            0 => "unknown time".to_owned(),
            _ => span(Duration::from_secs_f64((elapsed * (1.0 - share) / share).min(1e9))),
        };
        let _ = writeln!(
            io::stderr(),
            "{}/{} slices, {:.1} % of positions, {} positions/s, {left} left: {}",
            text.slices_done,
            text.slices,
            share * 100.0,
            grouped(rate as u64),
            text.current,
        );
    }
}

impl Progress {
    /// Work on `total` positions of `slices` slices, of which `slices_done` are done already.
    pub fn new(total: u64, slices_done: usize, slices: usize) -> Self {
        let now = Instant::now();
        let text = Text { slices_done, slices, current: String::new(), last_line: now };
        let text = Mutex::new(text);
        let state = Arc::new(State { done: AtomicU64::new(0), total, start: now, text });
        let mut progress = Progress { bar: None, state, ticker: None };
        if io::stderr().is_terminal() {
            let template =
                "{prefix} {bar:24} {percent:>3} %  {rate} positions/s  {eta} left  {msg}";
            let rate = |state: &ProgressState, text: &mut dyn fmt::Write| {
                let _ = text.write_str(&grouped(state.per_sec() as u64));
            };
            let style = ProgressStyle::with_template(template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .with_key("rate", rate);
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            bar.set_style(style);
            // The bar panics where it cannot start its thread.
            if thread::Builder::new().spawn(|| ()).is_ok_and(|thread| thread.join().is_ok()) {
                bar.enable_steady_tick(Duration::from_millis(250));
            }
            progress.bar = Some(bar);
            progress.show_slices();
        } else {
            progress.ticker = ticker(progress.state.clone());
        }
        progress
    }

    /// What is being worked on.
    pub fn current(&self, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.clone());
        }
        self.state.text().current = text;
    }

    /// So many more positions are done.
    pub fn advance(&self, positions: u64) {
        self.state.done.fetch_add(positions, Relaxed);
        if let Some(bar) = &self.bar {
            bar.set_position(self.state.done.load(Relaxed).min(self.state.total));
        }
    }

    /// So many more slices are done: one line, off a terminal.
    pub fn slices_done(&self, slices: usize) {
        self.state.text().slices_done += slices;
        match self.bar {
            Some(_) => self.show_slices(),
            None => self.state.line(Duration::ZERO),
        }
    }

    /// A line that stays, besides those about progress.
    pub fn note(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => drop(writeln!(io::stderr(), "{line}")),
        }
    }

    fn show_slices(&self) {
        let text = self.state.text();
        if let Some(bar) = &self.bar {
            bar.set_prefix(format!("{}/{} slices", text.slices_done, text.slices));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some((stop, thread)) = self.ticker.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// Breaks the silence until the sender is dropped, if there is a thread for it.
fn ticker(state: Arc<State>) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = channel();
    let tick = move || {
        while stopped.recv_timeout(INTERVAL / 10) == Err(RecvTimeoutError::Timeout) {
            state.line(INTERVAL);
        }
    };
    let thread = thread::Builder::new().spawn(tick).ok()?;
    Some((stop, thread))
}
