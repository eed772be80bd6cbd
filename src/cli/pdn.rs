//! `damka probe --pdn`

use std::cell::RefCell;
use std::fs::{self, File, FileType};
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use anyhow::Context;
use damka::notation::{PdnError, PdnGame, PdnReader};
use damka::{Tablebase, Wld};
use serde::Serialize;

use super::exit::{CliError, Exit, one_line};
use super::out::stdout;
use super::probe::{self, Answer, Broken};
use super::solving::Solving;
use super::text::{or_dash, printable};
use super::warn_of_left_out;

/// Answer for a game in JSON. Names of fields are part of the interface.
#[derive(Serialize)]
struct GameAnswer {
    game: usize,
    line: usize,
    #[serde(flatten)]
    answer: Answer,
    stated: Option<Wld>,
    agrees: Option<bool>,
}

#[derive(Serialize)]
struct Failure {
    error: String,
    game: usize,
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Opens a file of games, or standard input for `-`. What is read may be a pipe, but nothing that has no end of its own.
fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let cannot = || format!("cannot read {}", path.display());
    let kind = fs::metadata(path).with_context(cannot)?.file_type();
    if !kind.is_file() && !is_pipe(kind) {
        let kind = if kind.is_dir() { "a folder" } else { "a device" };
        return Err(CliError::NotAFile { path: path.to_owned(), kind }.into());
    }
    Ok(Box::new(File::open(path).with_context(cannot)?))
}

#[cfg(unix)]
fn is_pipe(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: FileType) -> bool {
    false
}

/// Lets answers out before it waits for more games.
struct Flushing<'a, W> {
    input: Box<dyn Read>,
    answers: &'a RefCell<W>,
}

impl<W: Write> Read for Flushing<'_, W> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        // What fails here fails again with the next answer.
        let _ = self.answers.borrow_mut().flush();
        self.input.read(room)
    }
}

/// One answer for each game of a file.
pub fn answer_games(args: &probe::Args, path: &Path) -> anyhow::Result<Exit> {
    let input = open(path)?;
    let tables = args.folders.open_if_any(args.variant, false)?;
    let solving = args.solve.solving(&tables, &args.folders);
    if !args.json {
        warn_of_left_out(args.variant);
    }
    let answers = RefCell::new(stdout());
    let input = Flushing { input, answers: &answers };
    let (mut exit, mut broken) = (Exit::Done, Broken::default());
    for (number, game) in (1..).zip(PdnReader::new(BufReader::with_capacity(PIECE, input))) {
        let game = game.with_context(|| match path == Path::new("-") {
            true => "cannot read standard input".to_owned(),
            false => format!("cannot read {}", path.display()),
        })?;
        let answer = match answer(args, &solving, &tables, number, game, &mut broken) {
            Ok((answer, is_right)) => {
                if !is_right {
                    exit = Exit::Faults;
                }
                answer
            }
            Err(error) => {
                exit = Exit::Faults;
                let error = one_line(&error);
                match args.json {
                    true => serde_json::to_string(&Failure { error, game: number })?,
                    false => format!("error\t{}", printable(&format!("game {number}: {error}"))),
                }
            }
        };
        writeln!(answers.borrow_mut(), "{answer}")?;
    }
    answers.borrow_mut().flush()?;
    Ok(exit)
}

/// The answer, and whether there is one with which the game agrees, as far as it states a result.
fn answer(
    args: &probe::Args,
    solving: &Solving,
    tables: &Tablebase,
    number: usize,
    game: Result<PdnGame, PdnError>,
    broken: &mut Broken,
) -> anyhow::Result<(String, bool)> {
    let game = game?;
    let variant = args.variant;
    let position = match args.at_end || !game.has_fen() {
        true => game.end(variant)?,
        false => game.start(variant)?,
    };
    let stated = game.outcome(variant)?.map(|outcome| outcome.for_side(position.stm()));
    solving.prepare(&position);
    let explain = |error| solving.explain(error);
    let agreement = |wld| stated.zip(wld).map(|(stated, wld)| stated == wld);
    if args.json {
        let evaluation = tables.evaluate(&position).map_err(explain)?;
        broken.tell(&evaluation.errors);
        let answer = probe::answer(args, solving, &position, &evaluation)?;
        let agrees = agreement(answer.wld());
        let is_right = answer.error.is_none() && agrees != Some(false);
        let answer = GameAnswer { game: number, line: game.line(), answer, stated, agrees };
        return Ok((serde_json::to_string(&answer)?, is_right));
    }
    let (wld, columns) = probe::columns(tables, &position, broken).map_err(explain)?;
    let agrees = agreement(Some(wld));
    let verdict = agrees.map(|agrees| if agrees { "agrees" } else { "disagrees" });
    let fen = args.fen(&position);
    let answer = format!("{fen}\t{columns}\t{}\t{}", or_dash(stated), or_dash(verdict));
    Ok((answer, agrees != Some(false)))
}
