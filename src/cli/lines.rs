//! Lines of untrusted input, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

/// Bytes of a line that are kept.
pub const LIMIT: usize = 4096;

/// Lines of a reader.
pub struct Lines<R> {
    reader: R,
    first: bool,
}

/// A line without its end.
pub struct Line {
    /// The line, or why it is none.
    pub text: Result<String, String>,
    /// The line as far as it can be shown: at most [`LIMIT`] bytes, what is not UTF-8 replaced.
    pub input: String,
}

impl<R> Lines<R> {
    pub fn new(reader: R) -> Self {
        Lines { reader, first: true }
    }
}

impl<R: Read> Lines<BufReader<R>> {
    /// Whether a whole line is in memory.
    pub fn has_line(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }
}

impl<R: BufRead> Lines<R> {
    /// The next line; `None` at the end of the input.
    pub fn next(&mut self) -> io::Result<Option<Line>> {
        let mut kept = Vec::new();
        let mut length = 0;
        let mut ended = false;
        while !ended {
            let part = match self.reader.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if part.is_empty() {
                break;
            }
            let line = match part.iter().position(|&byte| byte == b'\n') {
                Some(end) => {
                    ended = true;
                    &part[..end]
                }
                None => part,
            };
            // One byte more than the limit tells that it was passed.
            let room = (LIMIT + 1).saturating_sub(kept.len());
            kept.extend_from_slice(&line[..line.len().min(room)]);
            length += line.len() as u64;
            let used = line.len() + ended as usize;
            self.reader.consume(used);
        }
        if !ended && length == 0 {
            return Ok(None);
        }
        if kept.last() == Some(&b'\r') && length <= LIMIT as u64 {
            kept.pop();
        }
        if std::mem::take(&mut self.first) && kept.starts_with(b"\xef\xbb\xbf") {
            kept.drain(..3);
        }
        let too_long = length > LIMIT as u64;
        kept.truncate(LIMIT);
        let input = String::from_utf8_lossy(&kept).into_owned();
        let text = match too_long {
            true => Err(format!("a line of {length} bytes (at most {LIMIT} are read)")),
            false => String::from_utf8(kept).map_err(|_| "not UTF-8".to_owned()),
        };
        Ok(Some(Line { text, input }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Result<String, String>> {
        let mut lines = Lines::new(BufReader::with_capacity(7, bytes));
        std::iter::from_fn(|| lines.next().unwrap()).map(|line| line.text).collect()
    }

    #[test]
    fn ends_of_lines() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(read(b""), []);
        assert_eq!(read(b"a"), [text("a")]);
        assert_eq!(read(b"a\n"), [text("a")]);
        assert_eq!(read(b"\xef\xbb\xbfa\r\n\n\nb"), [text("a"), text(""), text(""), text("b")]);
    }

    #[test]
    fn lines_that_are_none() {
        let mut bytes = vec![b'x'; LIMIT + 1];
        bytes.extend_from_slice(b"\n\xff\nb\n");
        let lines = read(&bytes);
        assert!(lines[0].as_ref().is_err_and(|reason| reason.contains("4097 bytes")));
        assert_eq!(lines[1], Err("not UTF-8".to_owned()));
        assert_eq!(lines[2], Ok("b".to_owned()));
        assert_eq!(read(&[b'x'; LIMIT]), [Ok("x".repeat(LIMIT))]);
    }
}
