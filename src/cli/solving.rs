//! Answers without tables: what is missing and takes a moment is solved here and now.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::builder::FalseyValueParser;
use damka::builder::{BuildOptions, MemoryBuild, planned_time};
use damka::probe::{MemorySource, ProbeError};
use damka::{Position, Tablebase};

use super::complain;
use super::exit::one_line;
use super::folders::Folders;
use super::text::{count, span};

/// Positions that are solved in about two seconds by two cores: all of up to 4 pieces on boards of up to 50 squares. See
/// [`MemoryBuild::cost`].
const MOST_POSITIONS: u64 = 50_000_000;

/// Builds of up to so many pieces take a few seconds at most: their time need not be said.
const FEW_PIECES: u32 = 4;

/// `--no-solve`.
#[derive(clap::Args)]
pub struct Solve {
    /// Do not solve what has no table: without this, slices that take a moment are solved in memory, and forgotten.
    #[arg(long, env = "DAMKA_NO_SOLVE", value_parser = FalseyValueParser::new())]
    no_solve: bool,
}

/// Fills in what tables do not have.
pub struct Solving<'a> {
    tables: &'a Tablebase,
    folders: &'a Folders,
    wanted: bool,
    /// By number of pieces, in words: how long a build will take.
    times: RefCell<BTreeMap<u32, String>>,
}

impl Solve {
    /// For these tables.
    pub fn solving<'a>(&self, tables: &'a Tablebase, folders: &'a Folders) -> Solving<'a> {
        Solving { tables, folders, wanted: !self.no_solve, times: RefCell::default() }
    }
}

impl Solving<'_> {
    /// Sees to it that the tables have all that an answer for this position can need, its moves and its main line too, if what is missing
    /// takes a moment. Says so on standard error.
    pub fn prepare(&self, position: &Position) {
        let Some(build) = MemoryBuild::of(position).filter(|_| self.wanted) else { return };
        let missing = build.missing(self.tables).len();
        if missing == 0 || build.cost() > MOST_POSITIONS {
            return;
        }
        let start = Instant::now();
        // What is there stays as it is, broken or not.
        let solved = build.run(0, &()).map_err(anyhow::Error::from).and_then(|tables| {
            tables.into_iter().try_for_each(|table| {
                self.tables.add_source(table.slice, table.metric, MemorySource(table.bytes))?;
                Ok(())
            })
        });
        if let Err(error) = solved {
            complain(&format!("cannot solve what is missing: {}", one_line(&error)));
            return;
        }
        let variant = self.tables.variant();
        let time = match build.pieces() {
            0..=FEW_PIECES => String::new(),
            pieces => self.time(pieces),
        };
        complain(&format!(
            "{} of up to {} pieces solved in {}, for this answer; `{}` keeps them{time}",
            count(missing as u64, "slice", "slices"),
            build.pieces(),
            span(start.elapsed()),
            self.folders.command(variant, build.pieces()),
        ));
    }

    /// [`Folders::explain`], with the time that the command will take.
    pub fn explain(&self, error: ProbeError) -> anyhow::Error {
        if !self.wanted {
            return self.folders.explain(error);
        }
        self.folders.explain_with(error, |pieces| self.time(pieces))
    }

    /// How long a build of so many pieces will take, with a leading sign; empty if that cannot be told.
    fn time(&self, pieces: u32) -> String {
        let mut times = self.times.borrow_mut();
        let time = times.entry(pieces).or_insert_with(|| {
            let folder = self.folders.to_build_in();
            let options = BuildOptions::new(self.tables.variant(), pieces, folder);
            match planned_time(&options) {
                Err(_) => String::new(),
                Ok(time) if time < Duration::from_secs(1) => ", in a moment".to_owned(),
                Ok(time) => format!(", in about {}", span(time)),
            }
        });
        time.clone()
    }
}
