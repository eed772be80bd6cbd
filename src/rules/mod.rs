//! What may be played, and who has won: rules as data, and one move generator for all of them.

mod capture;
mod moves;
mod perft;
mod quiet;
mod turned;
mod types;
mod variant;
mod variants;
mod words;

pub use capture::{Capture, Trail, has_capture, visit_captures};
pub(crate) use capture::{
    Jumps, Needs, captures_with_king, visit_first_victims, walk_captures_of, walk_captures_over,
};
pub use moves::{TurnedMove, moves};
pub use perft::{Perft, perft, perft_routes};
pub use quiet::{has_quiet_move, king_reach, visit_quiet_moves};
pub use turned::Turned;
pub use types::{
    Colour, KingRange, Landing, NoMove, Numbering, Precedence, Promotion, Quiet, QuietRules,
    Removal, RuleSet, Rules, SquareNames, UnitKind,
};
pub use variant::{UnknownVariant, Variant};
pub(crate) use variant::{with_rule_set, with_rule_set_to_solve};
pub use variants::*;
