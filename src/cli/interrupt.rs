//! Ctrl-C: once to stop, twice to stop at once.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::exit::Exit;
use super::screen;

/// Whether the user has asked to stop.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches for Ctrl-C (SIGINT) from now on. Call once. Other signals keep their meaning: a build under `nohup`
    /// goes on after the terminal is closed, and tables survive any end of the program.
    pub fn watch() -> Self {
        let interrupt = Self::default();
        let flag = interrupt.clone();
        let handled = ctrlc::set_handler(move || {
            if flag.0.swap(true, Relaxed) {
                let _bar = screen::clear();
                process::exit(Exit::Interrupted as i32);
            }
            screen::say_to_key("damka: stopping; once more to stop at once");
        });
        // Without a thread for it the signal ends the program at once, which tables survive: nothing to report.
        if handled.is_err() {
            #[cfg(unix)]
            // SAFETY: takes no pointer; the default action runs no code.
            unsafe {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
            }
        }
        interrupt
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}
