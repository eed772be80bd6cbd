//! Standard error: lines that stay, and on a terminal a bar below them while work is under way.
//!
//! The bar is one row, written over with `\r` alone: no row above it is ever touched, whatever stands there.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The bar as it stands on the screen; empty if none does.
static BAR: Mutex<String> = Mutex::new(String::new());

/// Columns that stay free behind the bar: `^C`, which the terminal writes there, and the last one, behind which some go to the next row.
const FREE: usize = 3;

fn bar() -> MutexGuard<'static, String> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether standard error is a terminal that can show a bar. One that does not know its width, or says no more of itself than that it is
/// `dumb`, gets lines as a pipe does.
pub fn has_bar() -> bool {
    // On Windows the variable means nothing.
    let can_return = match env::var_os("TERM") {
        Some(name) => !name.is_empty() && name != "dumb",
        None => cfg!(windows),
    };
    can_return && room() > 0
}

/// Columns for a bar; 0 if that is not known.
pub fn room() -> usize {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or(0, |(width, _)| usize::from(width.0).saturating_sub(FREE))
}

/// Writes a line that stays. That standard error may be closed is no reason to stop.
pub fn say(line: &str) {
    let bar = bar();
    let start = match bar.is_empty() {
        true => String::new(),
        false => blank(&bar),
    };
    let _ = io::stderr().write_all(format!("{start}{line}\n{bar}").as_bytes());
}

/// Answers `^C`, which a terminal has just shown at the end of the bar or in a row of its own.
pub fn say_to_key(line: &str) {
    let echoed = io::stderr().is_terminal() && bar().is_empty();
    say(&format!("{}{line}", if echoed { "\n" } else { "" }));
}

/// Draws the bar anew: ASCII, in at most [`room`] columns.
pub fn draw(text: String) {
    let mut bar = bar();
    let _ = io::stderr().write_all(format!("{}{text}", blank(&bar)).as_bytes());
    *bar = text;
}

/// Takes the bar off the screen. It stays away as long as what is returned lives.
pub fn clear() -> MutexGuard<'static, String> {
    let mut bar = bar();
    if !bar.is_empty() {
        let _ = io::stderr().write_all(blank(&bar).as_bytes());
        bar.clear();
    }
    bar
}

/// What writes over a bar, if it still fits the terminal.
fn blank(bar: &str) -> String {
    let columns = (bar.len() + FREE - 1).min(room() + FREE - 1);
    format!("\r{}\r", " ".repeat(columns))
}
