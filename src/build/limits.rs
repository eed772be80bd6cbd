//! What can be built.

use crate::index::{MOST_PIECES, plan};
use crate::rules::Variant;
use crate::solve::check_size;

/// Most pieces of a variant up to which every slice can be built. It depends on the board: larger slices cannot be
/// numbered by the solver.
pub fn most_pieces(variant: Variant) -> u32 {
    let pairs = plan(variant.rules(), MOST_PIECES).into_iter();
    let too_large = pairs.filter(|pair| check_size(variant, *pair).is_err());
    too_large.map(|pair| pair.first().pieces() - 1).min().unwrap_or(MOST_PIECES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_boards_allow_fewer_pieces() {
        for &variant in Variant::ALL {
            let expected = match variant.rules().shape.squares() {
                ..=32 => 8,
                50..=64 => 6,
                _ => 5,
            };
            assert_eq!(most_pieces(variant), expected, "{variant}");
        }
    }
}
