//! `damka variants`

use std::io::Write;

use damka::Variant;
use damka::notation::names_in_words;

use super::exit::Exit;
use super::out::stdout;
use super::variant_parser;

/// List the variants of draughts, with board, notation and rules.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  damka variants
  damka variants frisian")]
pub struct Args {
    /// Only this one.
    #[arg(value_parser = variant_parser())]
    variant: Option<Variant>,
}

pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut out = stdout();
    let wanted = Variant::ALL.iter().filter(|&&variant| args.variant.is_none_or(|v| v == variant));
    for (number, variant) in wanted.enumerate() {
        let rules = variant.rules();
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{variant}: {}", rules.title)?;
        writeln!(out, "  board     {}", rules.board_in_words())?;
        writeln!(out, "  squares   {}", names_in_words(*variant))?;
        writeln!(out, "  PDN       {}", rules.pdn_game_type.unwrap_or("no game type"))?;
        writeln!(out, "  begins    {}", rules.first_mover)?;
        for (number, words) in rules.in_words().iter().enumerate() {
            writeln!(out, "  {}     {words}", if number == 0 { "rules" } else { "     " })?;
        }
        writeln!(out, "  source    {}", rules.source)?;
        for left_out in rules.left_out {
            writeln!(out, "  not in the tables: {left_out}")?;
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}
