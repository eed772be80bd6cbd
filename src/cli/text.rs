//! Numbers, durations and tables for readers.

use std::fmt::{Display, Write as _};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;
use damka::probe::{ProbeError, Rating};
use damka::rules::Colour;
use damka::{Value, Variant, Wld};

use super::exit::one_line;

/// Reads a number of bytes.
pub fn bytes(text: &str) -> Result<ByteSize, String> {
    text.parse().map_err(|_| "a number of bytes is meant, like 500M, 64MiB or 16G".to_owned())
}

/// Reads a whole number of a range.
pub fn number<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (start, end) = (range.start(), range.end());
        number.ok_or_else(|| format!("a whole number from {start} to {end} is meant"))
    }
}

/// Reads a span of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "a number of seconds from 0 to 10^19 is meant, like 60 or 0.5".to_owned())
}

/// A word as the shell reads it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+=:@%,".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() {
        true => word.to_owned(),
        false if cfg!(windows) => format!("\"{word}\""),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number, or `-`.
pub fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// A count with the right form of its word.
pub fn count(number: u64, one: &str, more: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { more })
}

/// A number of plies, in words.
pub fn plies(number: u16) -> String {
    count(number.into(), "ply", "plies")
}

/// A span of time, rounded as suits its length.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Bits of so many bytes for each position.
pub fn bits_per_position(bytes: u64, positions: u64) -> String {
    match positions {
        0 => "-".to_owned(),
        _ => format!("{:.3}", bytes as f64 * 8.0 / positions as f64),
    }
}

/// What is known of a position for a side, as a sentence without its full stop.
pub fn sentence(side: Colour, rating: &Rating) -> String {
    let value = match rating {
        Rating::Exact(value) => *value,
        Rating::Result(wld, error) => {
            let does = if *wld == Wld::Win { "wins" } else { "loses" };
            return format!(
                "{side} to move {does}, in an unknown number of plies: {}",
                reason(error)
            );
        }
        Rating::Unknown(error) => return format!("{side} to move: unknown, {}", reason(error)),
    };
    match value {
        Value::Win(0) => format!("{side} to move has won: the game is over"),
        Value::Win(distance) => format!("{side} to move wins in {}", plies(distance)),
        Value::Draw => format!("{side} to move draws"),
        Value::Loss(0) => format!("{side} to move has lost: the game is over"),
        Value::Loss(distance) => format!("{side} to move loses in {}", plies(distance)),
    }
}

/// Rules of the game that the tables of a variant do not know, a line each; nothing for most variants.
pub fn left_out(variant: Variant) -> String {
    variant.rules().left_out.iter().map(|rule| format!("Not in the tables: {rule}\n")).collect()
}

/// What is known of a position, in a column: `win in 25 plies`, `unknown: no table KMvK.wld`.
pub fn rating_phrase(rating: &Rating) -> String {
    match rating {
        Rating::Exact(value) => phrase(*value),
        Rating::Result(wld, error) => format!("{wld}, distance unknown: {}", reason(error)),
        Rating::Unknown(error) => format!("unknown: {}", reason(error)),
    }
}

/// Why something is unknown, in short: of a table that is missing, its name.
pub fn reason(error: &ProbeError) -> String {
    match error {
        ProbeError::Missing { slice, metric, .. } => format!("no table {slice}.{metric}"),
        error => one_line(&error.clone().into()),
    }
}

/// A value in a column: `win in 25 plies`.
pub fn phrase(value: Value) -> String {
    match value {
        Value::Win(distance) => format!("win in {}", plies(distance)),
        Value::Draw => "draw".to_owned(),
        Value::Loss(distance) => format!("loss in {}", plies(distance)),
    }
}

/// Text in which control characters, line breaks and tabs among them, are spaces.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Rows in aligned columns, the first `left` of them to the left, the others to the right.
pub fn aligned(rows: &[Vec<String>], left: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let _ = match column < left {
                true => write!(line, "{gap}{cell:<width$}"),
                false => write!(line, "{gap}{cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Words in lines of at most `width` characters, each behind an indent.
pub fn wrapped(words: impl IntoIterator<Item = String>, indent: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for word in words {
        if !line.is_empty() && indent.len() + line.len() + 1 + word.len() > width {
            let _ = writeln!(text, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if !line.is_empty() {
        let _ = writeln!(text, "{indent}{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_groups() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (139450808, "139,450,808")]
        {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn words_for_plies() {
        assert_eq!(
            sentence(Colour::White, &Rating::Exact(Value::Win(1))),
            "White to move wins in 1 ply"
        );
        assert_eq!(
            sentence(Colour::Black, &Rating::Exact(Value::Loss(2))),
            "Black to move loses in 2 plies"
        );
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "10".to_owned()], vec!["bcd".to_owned(), "9".to_owned()]];
        assert_eq!(aligned(&rows, 1), "a    10\nbcd   9\n");
    }

    #[test]
    fn lines_break_between_words() {
        let words = ["aaa", "bbb", "ccc"].map(str::to_owned);
        assert_eq!(wrapped(words, "  ", 9), "  aaa bbb\n  ccc\n");
    }
}
