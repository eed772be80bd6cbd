//! `damka probe --pdn`

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use damka::notation::{PdnError, PdnGame, parse_pdn};
use damka::{Tablebase, Wld};
use serde::Serialize;

use super::exit::{Exit, one_line};
use super::probe::{self, Answer};
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

/// One answer for each game of a file.
pub fn answer_games(args: &probe::Args, path: &Path) -> anyhow::Result<Exit> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // Names and comments are often in other encodings; nothing that counts is.
    let text = String::from_utf8_lossy(&bytes);
    let tables = args.folders.open(args.variant)?;
    if !args.json {
        warn_of_left_out(args.variant);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let mut exit = Exit::Done;
    for (number, game) in (1..).zip(parse_pdn(&text)) {
        let answer = match answer(args, &tables, number, game) {
            Ok((answer, agrees)) => {
                if agrees == Some(false) {
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
        writeln!(out, "{answer}")?;
    }
    out.flush()?;
    Ok(exit)
}

/// The answer, and whether the game's result is that of the table; `None` if it states none.
fn answer(
    args: &probe::Args,
    tables: &Tablebase,
    number: usize,
    game: Result<PdnGame, PdnError>,
) -> anyhow::Result<(String, Option<bool>)> {
    let game = game?;
    let variant = args.variant;
    let position = match args.at_end || !game.has_fen() {
        true => game.end(variant)?,
        false => game.start(variant)?,
    };
    let stated = game.outcome(variant)?.map(|outcome| outcome.for_side(position.stm()));
    if args.json {
        let answer = probe::answer(args, tables, &position)?;
        let agrees = stated.map(|stated| stated == answer.wld);
        let answer = GameAnswer { game: number, line: game.line(), answer, stated, agrees };
        return Ok((serde_json::to_string(&answer)?, agrees));
    }
    let value = tables.probe(&position).map_err(|error| args.folders.explain(error))?;
    let agrees = stated.map(|stated| stated == value.wld());
    let verdict = agrees.map(|agrees| if agrees { "agrees" } else { "disagrees" });
    let answer = format!(
        "{}\t{}\t{}\t{}\t{}",
        args.fen(&position),
        value.wld(),
        or_dash(value.plies()),
        or_dash(stated),
        or_dash(verdict)
    );
    Ok((answer, agrees))
}
