//! Pascal's triangle.

use crate::board::MAX_SQUARES;

/// Most pieces of one kind and side that indices are computed for.
pub const MAX_SUBSET: usize = 12;

/// `TABLE[k][n]` is n over k.
static TABLE: [[u64; MAX_SQUARES + 1]; MAX_SUBSET + 1] = table();

const fn table() -> [[u64; MAX_SQUARES + 1]; MAX_SUBSET + 1] {
    let mut table = [[0; MAX_SQUARES + 1]; MAX_SUBSET + 1];
    let mut n = 0;
    while n <= MAX_SQUARES {
        table[0][n] = 1;
        let mut k = 1;
        while k <= MAX_SUBSET && k <= n {
            // The largest entry, 72 over 12, is about 1.5e13.
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
}

/// Number of ways to choose `k` of `n`; exact for `n` up to 72 and `k` up to 12.
///
/// # Panics
/// Beyond that range.
#[inline(always)]
pub fn binomial(n: u32, k: u32) -> u64 {
    TABLE[k as usize][n as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_fit_their_word() {
        for k in 0..=MAX_SUBSET as u128 {
            for n in 0..=MAX_SQUARES as u128 {
                let exact =
                    (0..k).fold(1u128, |product, i| product * n.saturating_sub(i) / (i + 1));
                assert_eq!(u128::from(binomial(n as u32, k as u32)), exact, "{n} over {k}");
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(binomial(32, 4), 35_960);
        assert_eq!(binomial(50, 3), 19_600);
        assert_eq!(binomial(72, 12), 15_363_284_301_456);
        assert_eq!(binomial(3, 5), 0);
        assert_eq!(binomial(0, 0), 1);
    }
}
