//! All tests from outside the library, in one program: each program would compile the solvers that it calls anew, and link everything.

mod common;

mod allocations;
mod brute;
mod bug_cases;
mod building;
#[cfg(all(feature = "cli", unix))]
mod check_claims;
mod claims;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cli_variants;
mod committed_tables;
mod damaged_tables;
mod examples;
#[cfg(feature = "cli")]
mod first_answer;
mod moves;
mod notation;
mod other_variants;
mod partial;
mod perft;
mod probing;
#[cfg(unix)]
mod read_table;
#[cfg(unix)]
mod readme;
mod rules_properties;
#[cfg(all(feature = "cli", unix))]
mod screen;
mod sizes;
mod solver;
mod sources;
mod store;
mod symmetry;
#[cfg(all(feature = "cli", unix))]
mod system;
mod tables;
mod variants;
