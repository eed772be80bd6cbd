//! Standard output.

use std::io::{self, BufWriter, StdoutLock, Write};

/// Standard output, whose errors say that it was that, and not the disk of the tables.
pub struct Stdout(StdoutLock<'static>);

/// Standard output, in large pieces.
pub fn stdout() -> BufWriter<Stdout> {
    BufWriter::new(Stdout(io::stdout().lock()))
}

/// Writes a text to standard output.
pub fn print(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_ref())?;
    out.flush()
}

/// The error, with the name of what it is of.
pub fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(named)
    }
}
