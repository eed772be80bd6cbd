//! `--squares`, which several subcommands have.

use clap::ValueEnum;
use damka::Variant;
use damka::notation::SquareNames;

/// How squares are called in what is written.
#[derive(clap::Args)]
pub struct Squares {
    /// How squares are called in positions and moves that are written [default: as the variant does].
    #[arg(long, value_name = "NAMES")]
    squares: Option<Names>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Names {
    /// Numbers from White's top left, or as the variant counts.
    Numeric,
    /// `a1` at White's bottom left.
    Algebraic,
}

impl Squares {
    /// The names that were asked for, or else those of the variant.
    pub fn names(&self, variant: Variant) -> SquareNames {
        match self.squares {
            None => variant.rules().squares,
            Some(Names::Numeric) => SquareNames::Numeric,
            Some(Names::Algebraic) => SquareNames::Algebraic,
        }
    }
}
