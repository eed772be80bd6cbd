//! `damka probe`

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;

use anyhow::Context;
use damka::notation::{
    MoveError, MoveWriter, SquareNames, diagram_with, parse_fen, write_fen_with, write_move_with,
};
use damka::probe::{Evaluation, Line as Moves, ProbeError, Rating};
use damka::{Position, Tablebase, Value, Variant, Wld};
use serde::Serialize;

use super::exit::{Exit, one_line};
use super::folders::Folders;
use super::lines::{Line, Lines};
use super::out::{print, stdout};
use super::pdn::answer_games;
use super::solving::{Solve, Solving};
use super::squares::Squares;
use super::text::{
    aligned, left_out, or_dash, printable, rating_phrase, reason, sentence, wrapped,
};
use super::{complain, variant_parser, warn_of_left_out};

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
  zcat problems.pdn.gz | damka probe english --pdn -

With --stdin each line is a position and is answered by one line, in order: the position in
canonical form, `win`, `draw` or `loss`, and the plies (`-` for a draw, `?` if only the result is
known), with tabs between. A line that has no answer, empty ones included, is answered by `error`, a
tab and the reason; the exit code then is 1. With --json each answer is an object as without --stdin,
or {\"error\": reason, \"input\": line}.

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
    /// Read the games of a PDN file, or of standard input for `-`: of each the position of its tag FEN, or if it has none the one
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
    pub(super) solve: Solve,
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
    let tables = args.folders.open_if_any(args.variant, false)?;
    let solving = args.solve.solving(&tables, &args.folders);
    solving.prepare(&position);
    let explain = |error| solving.explain(error);
    let evaluation = tables.evaluate(&position).map_err(explain)?;
    let known = evaluation.moves.iter().any(|rated| rated.for_reply().wld().is_some());
    let mut broken = Broken::default();
    // What leaves the position unknown is said at the end.
    if let Rating::Unknown(error) = &evaluation.rating {
        broken.0.insert(error.to_string());
    }
    broken.tell(&evaluation.errors);
    if known || evaluation.rating.wld().is_some() {
        let answer = match args.json {
            true => {
                serde_json::to_string_pretty(&answer(args, &solving, &position, &evaluation)?)?
                    + "\n"
            }
            false => report(args, &solving, &tables, &position, &evaluation)?,
        };
        print(answer)?;
    }
    match evaluation.rating {
        Rating::Unknown(error) => Err(explain(error)),
        Rating::Exact(_) | Rating::Result(..) => Ok(Exit::Done),
    }
}

/// Answer in JSON. Names of fields are part of the interface.
#[derive(Serialize)]
pub(super) struct Answer {
    /// Why the position has no answer; left out if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    fen: String,
    #[serde(flatten)]
    known: Known,
    moves: Vec<Child>,
    /// Rules that no table knows; left out where there are none.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_in_the_tables: &'static [&'static str],
}

/// A move, and what is known of the position after it, for the side to move there.
#[derive(Serialize)]
struct Child {
    pdn: String,
    fen: String,
    #[serde(flatten)]
    known: Known,
}

/// What is known of a position.
#[derive(Serialize)]
struct Known {
    wld: Option<Wld>,
    dtw_plies: Option<u16>,
    /// Why the result, or the distance of a win or loss, is not known; left out if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

impl Known {
    fn of(rating: &Rating) -> Self {
        Known {
            wld: rating.wld(),
            dtw_plies: rating.value().and_then(Value::plies),
            unknown: rating.error().map(|error| one_line(&error.clone().into())),
        }
    }
}

impl Answer {
    /// The result, if it is known.
    pub(super) fn wld(&self) -> Option<Wld> {
        self.known.wld
    }
}

#[derive(Serialize)]
struct LineAnswer<'a> {
    #[serde(flatten)]
    answer: Answer,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
}

#[derive(Serialize)]
struct Failure<'a> {
    error: String,
    input: &'a str,
}

pub(super) fn answer(
    args: &Args,
    solving: &Solving,
    position: &Position,
    evaluation: &Evaluation,
) -> anyhow::Result<Answer> {
    let writer = MoveWriter::new(position, args.names());
    let moves = evaluation.moves.iter().map(|rated| {
        Ok(Child {
            pdn: writer.write(&rated.played)?,
            fen: args.fen(&rated.position),
            known: Known::of(rated.for_reply()),
        })
    });
    let error = match &evaluation.rating {
        Rating::Unknown(error) => Some(one_line(&solving.explain(error.clone()))),
        Rating::Exact(_) | Rating::Result(..) => None,
    };
    Ok(Answer {
        error,
        fen: args.fen(position),
        known: Known::of(&evaluation.rating),
        moves: moves.collect::<Result<_, MoveError>>()?,
        not_in_the_tables: args.variant.rules().left_out,
    })
}

/// Broken tables of which standard error has told.
#[derive(Default)]
pub(super) struct Broken(HashSet<String>);

impl Broken {
    /// Tells of those among these errors that it has not told of: an answer that does without them is right, but the disk may fail.
    pub(super) fn tell(&mut self, errors: &[ProbeError]) {
        for error in errors.iter().filter(|error| !error.is_missing()) {
            if self.0.insert(error.to_string()) {
                complain(&one_line(&error.clone().into()));
            }
        }
    }
}

/// Result, and with a tab between it and its distance: `-` is that of a draw, `?` one that is unknown. Moves are looked at only where the
/// position's own tables do not say all.
///
/// # Errors
/// If not even the result is known.
pub(super) fn columns(
    tables: &Tablebase,
    position: &Position,
    broken: &mut Broken,
) -> Result<(Wld, String), ProbeError> {
    let rating = match tables.probe(position) {
        Ok(value) => Rating::Exact(value),
        Err(_) => {
            let evaluation = tables.evaluate(position)?;
            broken.tell(&evaluation.errors);
            evaluation.rating
        }
    };
    match rating {
        Rating::Exact(value) => {
            Ok((value.wld(), format!("{}\t{}", value.wld(), or_dash(value.plies()))))
        }
        Rating::Result(wld, _) => Ok((wld, format!("{wld}\t?"))),
        Rating::Unknown(error) => Err(error),
    }
}

/// Answer for a reader.
fn report(
    args: &Args,
    solving: &Solving,
    tables: &Tablebase,
    position: &Position,
    evaluation: &Evaluation,
) -> anyhow::Result<String> {
    let explain = |error| solving.explain(error);
    let Evaluation { rating, moves, errors, .. } = evaluation;
    let mut text = diagram_with(position, args.names());
    writeln!(text, "{}", args.fen(position))?;
    writeln!(text, "\n{}", sentence(position.stm(), rating))?;
    text.push_str(&left_out(args.variant));
    if !moves.is_empty() {
        writeln!(text, "\nMoves, for {}:", position.stm())?;
        let writer = MoveWriter::new(position, args.names());
        let mut rows = Vec::new();
        for rated in moves {
            let pdn = writer.write(&rated.played)?;
            rows.push(vec![format!("  {pdn}"), rating_phrase(&rated.for_mover())]);
        }
        text.push_str(&aligned(&rows, 2));
    }
    if !errors.is_empty() {
        writeln!(text, "\nMissing or broken tables:")?;
        for error in errors {
            writeln!(text, "  {}", one_line(&explain(error.clone())))?;
        }
    }
    let line = tables.line(position).map_err(explain)?;
    match rating {
        Rating::Exact(Value::Draw) => writeln!(text, "\nMain line: none, a draw has no end")?,
        _ if line.moves.is_empty() => {}
        rating => {
            let hedge = match rating {
                Rating::Exact(_) => "",
                _ => ", the quickest win that is known",
            };
            writeln!(text, "\nMain line{hedge}:")?;
            text.push_str(&line_text(args.names(), position, &line)?);
        }
    }
    Ok(text)
}

/// Moves from a position, numbered as PDN does: a number for each move of the side that begins the game, and the
/// answer to it; then why they end early, if they do.
pub fn line_text(names: SquareNames, start: &Position, line: &Moves) -> Result<String, MoveError> {
    let mut position = *start;
    let mut words = Vec::new();
    let mut number = 1;
    for rated in &line.moves {
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
    let mut text = wrapped(words, "  ", 80);
    if let Some(error) = &line.error {
        text.push_str(&format!("  and on, unknown: {}\n", reason(error)));
    }
    Ok(text)
}

/// One answer for each line of standard input.
fn answer_lines(args: &Args) -> anyhow::Result<Exit> {
    let tables = args.folders.open_if_any(args.variant, true)?;
    let solving = args.solve.solving(&tables, &args.folders);
    if !args.json {
        warn_of_left_out(args.variant);
    }
    let mut lines = Lines::new(BufReader::new(io::stdin().lock()));
    let mut out = stdout();
    let (mut exit, mut broken) = (Exit::Done, Broken::default());
    while let Some(line) = next_line(&mut lines, &mut out)? {
        let text = line.text.clone().map_err(anyhow::Error::msg);
        let answered = text
            .and_then(|text| answer_line(args, &solving, &tables, &text, &line.input, &mut broken));
        let (answer, is_known) = match answered {
            Ok(answered) => answered,
            Err(error) => {
                let error = one_line(&error);
                let failure = match args.json {
                    true => serde_json::to_string(&Failure { error, input: &line.input })?,
                    false => format!("error\t{}", printable(&error)),
                };
                (failure, false)
            }
        };
        if !is_known {
            exit = Exit::Faults;
        }
        writeln!(out, "{answer}")?;
    }
    out.flush()?;
    Ok(exit)
}

/// The answer to a line, and whether there is one: what is known of the moves is said where the position is not known.
fn answer_line(
    args: &Args,
    solving: &Solving,
    tables: &Tablebase,
    text: &str,
    input: &str,
    broken: &mut Broken,
) -> anyhow::Result<(String, bool)> {
    let explain = |error| solving.explain(error);
    let position = parse_fen(args.variant, text)?;
    solving.prepare(&position);
    if args.json {
        let evaluation = tables.evaluate(&position).map_err(explain)?;
        broken.tell(&evaluation.errors);
        let answer = answer(args, solving, &position, &evaluation)?;
        let is_known = answer.error.is_none();
        let input = (!is_known).then_some(input);
        return Ok((serde_json::to_string(&LineAnswer { answer, input })?, is_known));
    }
    let (_, columns) = columns(tables, &position, broken).map_err(explain)?;
    Ok((format!("{}\t{columns}", args.fen(&position)), true))
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
