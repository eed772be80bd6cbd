//! `damka probe`

use std::fmt::Write as _;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use damka::notation::{
    MoveError, MoveWriter, diagram_with, parse_fen, write_fen_with, write_move_with,
};
use damka::probe::RatedMove;
use damka::rules::SquareNames;
use damka::{Position, Tablebase, Value, Variant, Wld};
use serde::Serialize;

use super::exit::{Exit, one_line};
use super::folders::Folders;
use super::lines::{Line, Lines};
use super::pdn::answer_games;
use super::squares::Squares;
use super::text::{aligned, left_out, phrase, printable, sentence, wrapped};
use super::{variant_parser, warn_of_left_out};

/// Ask for the exact value of a position and of its moves.
///
/// Positions are read in the dialects of FEN that PDN files have: squares as numbers, counted as the
/// variant counts, or as `a1`, kings marked `K`, `W:WKa1,c3:Bb8` or `W:WK29,22:B1`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka probe russian \"W:WKa1,Kc1,Kc3:BKb8\"
  damka probe russian \"W:WKa1,Kc1,Kc3:BKb8\" --json
  damka probe russian --stdin < positions.txt
  damka probe english --pdn problems.pdn

With --stdin each line is a position and is answered by one line, in order: the position in
canonical form, `win`, `draw` or `loss`, and the plies (`-` for a draw), with tabs between. A line
that has no answer, empty ones included, is answered by `error`, a tab and the reason; the exit
code then is 1. With --json each answer is an object as without --stdin, or
{\"error\": reason, \"input\": line}.

With --pdn each game of the file is answered by one line: as with --stdin, then the result that the
game states, for the side to move (`-` if none), and `agrees` or `disagrees` with the table. The exit
code is 1 if a game disagrees or has no answer.")]
pub struct Args {
    /// Variant of draughts.
    #[arg(value_parser = variant_parser())]
    pub(super) variant: Variant,
    /// The position.
    #[arg(required_unless_present_any = ["stdin", "pdn"], conflicts_with_all = ["stdin", "pdn"])]
    position: Option<String>,
    /// Read positions from standard input, one a line.
    #[arg(long, conflicts_with = "pdn")]
    stdin: bool,
    /// Read the games of a PDN file: of each the position of its tag FEN, or if it has none the one
    /// after its last move.
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// With --pdn, take the position after the last move of every game.
    #[arg(long, requires = "pdn", conflicts_with_all = ["position", "stdin"])]
    pub(super) at_end: bool,
    /// Write JSON.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    squares: Squares,
    #[command(flatten)]
    pub(super) folders: Folders,
}

impl Args {
    fn names(&self) -> SquareNames {
        self.squares.names(self.variant)
    }

    /// A position, with squares called as was asked.
    pub(super) fn fen(&self, position: &Position) -> String {
        write_fen_with(position, self.names())
    }
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let text = match (&args.position, &args.pdn) {
        (Some(text), _) => text,
        (None, Some(path)) => return answer_games(args, path),
        (None, None) => return answer_lines(args),
    };
    // What is wrong with the position is said even where there are no tables.
    let position = parse_fen(args.variant, text).context("not a position")?;
    let tables = args.folders.open(args.variant)?;
    let answer = match args.json {
        true => serde_json::to_string_pretty(&answer(args, &tables, &position)?)? + "\n",
        false => report(args, &tables, &position)?,
    };
    let mut out = io::stdout().lock();
    out.write_all(answer.as_bytes())?;
    out.flush()?;
    Ok(Exit::Done)
}

/// Answer in JSON. Names of fields are part of the interface.
#[derive(Serialize)]
pub(super) struct Answer {
    fen: String,
    pub(super) wld: Wld,
    dtw_plies: Option<u16>,
    moves: Vec<Child>,
    /// Rules that no table knows; left out where there are none.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_in_the_tables: &'static [&'static str],
}

/// A move, and the value of the position after it for the side to move there.
#[derive(Serialize)]
struct Child {
    pdn: String,
    fen: String,
    wld: Wld,
    dtw_plies: Option<u16>,
}

#[derive(Serialize)]
struct Failure<'a> {
    error: String,
    input: &'a str,
}

pub(super) fn answer(
    args: &Args,
    tables: &Tablebase,
    position: &Position,
) -> anyhow::Result<Answer> {
    let explain = |error| args.folders.explain(error);
    let value = tables.probe(position).map_err(explain)?;
    let rated = tables.moves(position).map_err(explain)?;
    let writer = MoveWriter::new(position, args.names());
    let moves = rated.iter().map(|rated| {
        Ok(Child {
            pdn: writer.write(&rated.played)?,
            fen: args.fen(&rated.position),
            wld: rated.value.wld(),
            dtw_plies: rated.value.plies(),
        })
    });
    Ok(Answer {
        fen: args.fen(position),
        wld: value.wld(),
        dtw_plies: value.plies(),
        moves: moves.collect::<Result<_, MoveError>>()?,
        not_in_the_tables: args.variant.rules().left_out,
    })
}

/// Answer for a reader.
fn report(args: &Args, tables: &Tablebase, position: &Position) -> anyhow::Result<String> {
    let explain = |error| args.folders.explain(error);
    let value = tables.probe(position).map_err(explain)?;
    let rated = tables.moves(position).map_err(explain)?;
    let line = tables.line(position).map_err(explain)?;

    let mut text = diagram_with(position, args.names());
    writeln!(text, "{}", args.fen(position))?;
    writeln!(text, "\n{}", sentence(position.stm(), value))?;
    text.push_str(&left_out(args.variant));
    if !rated.is_empty() {
        writeln!(text, "\nMoves, for {}:", position.stm())?;
        let writer = MoveWriter::new(position, args.names());
        let mut rows = Vec::new();
        for rated in &rated {
            let pdn = writer.write(&rated.played)?;
            rows.push(vec![format!("  {pdn}"), phrase(rated.value.before_move())]);
        }
        text.push_str(&aligned(&rows, 2));
    }
    match value {
        Value::Draw => writeln!(text, "\nMain line: none, a draw has no end")?,
        _ if line.is_empty() => {}
        _ => {
            writeln!(text, "\nMain line:")?;
            text.push_str(&line_text(args.names(), position, &line)?);
        }
    }
    Ok(text)
}

/// Moves from a position, numbered as PDN does: a number for each move of the side that begins the game, and the
/// answer to it.
pub fn line_text(
    names: SquareNames,
    start: &Position,
    line: &[RatedMove],
) -> Result<String, MoveError> {
    let mut position = *start;
    let mut words = Vec::new();
    let mut number = 1;
    for rated in line {
        let begins = position.stm() == position.variant().rules().first_mover;
        if begins {
            words.push(format!("{number}."));
        } else if words.is_empty() {
            words.push(format!("{number}..."));
        }
        if !begins {
            number += 1;
        }
        words.push(write_move_with(&position, &rated.played, names)?);
        position = rated.position;
    }
    Ok(wrapped(words, "  ", 80))
}

/// One answer for each line of standard input.
fn answer_lines(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open(args.variant)?;
    if !args.json {
        warn_of_left_out(args.variant);
    }
    let mut lines = Lines::new(BufReader::new(io::stdin().lock()));
    let mut out = BufWriter::new(io::stdout().lock());
    let mut exit = Exit::Done;
    while let Some(line) = next_line(&mut lines, &mut out)? {
        let result = line.text.clone().map_err(anyhow::Error::msg).and_then(|text| {
            let position = parse_fen(args.variant, &text)?;
            match args.json {
                true => Ok(serde_json::to_string(&answer(args, &tables, &position)?)?),
                false => {
                    let value = tables.probe(&position).map_err(|e| args.folders.explain(e))?;
                    let plies = value.plies().map_or_else(|| "-".to_owned(), |n| n.to_string());
                    Ok(format!("{}\t{}\t{plies}", args.fen(&position), value.wld()))
                }
            }
        });
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => {
                exit = Exit::Faults;
                let error = one_line(&error);
                match args.json {
                    true => serde_json::to_string(&Failure { error, input: &line.input })?,
                    false => format!("error\t{}", printable(&error)),
                }
            }
        };
        writeln!(out, "{answer}")?;
    }
    out.flush()?;
    Ok(exit)
}

/// The next line. Answers go out before the program waits for input, so that whoever asks line by line
/// gets them.
fn next_line(
    lines: &mut Lines<BufReader<impl Read>>,
    out: &mut impl Write,
) -> io::Result<Option<Line>> {
    if !lines.has_line() {
        out.flush()?;
    }
    lines.next()
}
