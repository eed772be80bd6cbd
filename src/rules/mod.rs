//! What may be played, and who has won: rules as data, and one move generator for all of them.

mod capture;
mod moves;
mod perft;
mod quiet;
mod russian;
mod turned;
mod types;
mod variant;

pub use capture::{Capture, Trail, has_capture, visit_captures};
pub use moves::{TurnedMove, moves};
pub use perft::{perft, perft_routes};
pub use quiet::{has_quiet_move, king_reach, visit_quiet_moves};
pub use russian::Russian;
pub use turned::Turned;
pub use types::{Colour, KingRange, NoMove, PromotionInCapture, RuleSet, Rules, SquareNames};
pub(crate) use variant::with_rule_set;
pub use variant::{UnknownVariant, Variant};
