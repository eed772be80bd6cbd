//! Where captures are, by the rules of a variant as a value.

use crate::board::{Bits, Geometry};
use crate::rules::{Rules, Turned};

/// Rules of a variant, and whether its positions have captures.
pub(crate) trait CaptureRules<B: Bits>: Sync {
    /// The rules.
    fn rules(&self) -> &'static Rules;
    /// Tables of the board.
    fn geometry(&self) -> &'static Geometry<B>;
    /// See [`has_capture`](crate::rules::has_capture).
    fn has_capture(&self, position: &Turned<B>) -> bool;
    /// See [`captures_with_king`](crate::rules::captures_with_king).
    fn captures_with_king(&self, position: &Turned<B>, on: B) -> B;
}
