//! What can be built.

use super::error::BuildError;
use super::options::BuildOptions;
use crate::index::{MOST_PIECES, Pair, plan};
use crate::rules::Variant;
use crate::solve::check_size;

/// Most pieces of a variant up to which every slice can be built. It depends on the board: larger slices cannot be
/// numbered by the solver.
pub fn most_pieces(variant: Variant) -> u32 {
    let pairs = plan(variant.rules(), MOST_PIECES).into_iter();
    let too_large = pairs.filter(|pair| check_size(variant, *pair).is_err());
    too_large.map(|pair| pair.first().pieces() - 1).min().unwrap_or(MOST_PIECES)
}

/// Refuses what could only fail after hours.
pub(super) fn check_sizes(options: &BuildOptions) -> Result<(), BuildError> {
    let variant = options.variant;
    let too_large = |pair: &Pair| check_size(variant, *pair).is_err();
    match plan(variant.rules(), options.pieces).into_iter().find(too_large).map(Pair::first) {
        None => Ok(()),
        Some(slice) => Err(BuildError::TooLarge { variant, slice, most: slice.pieces() - 1 }),
    }
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
