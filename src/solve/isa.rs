//! What is worth the processor's own instructions.

use crate::board::{Bits, squares_of};

/// Counts in a vector.
const VECTOR: usize = 32;

/// Counts in a row, one for each square, filled up to a whole number of vectors.
pub(super) const fn row_len(squares: usize) -> usize {
    squares.next_multiple_of(VECTOR)
}

/// Whether the processor has AVX2 and the smaller extensions that came with it.
pub(super) fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Takes one off the counts of these squares, none of which is 0. Returns those that are now. `vectors` must be
/// the answer of [`has_avx2`], or false.
#[inline(always)]
pub(super) fn decrement<B: Bits>(vectors: bool, counts: &mut [u8], squares: B) -> B {
    #[cfg(target_arch = "x86_64")]
    if vectors {
        let mut zero = B::zero();
        for (nth, counts) in counts.chunks_exact_mut(VECTOR).enumerate() {
            let shift = nth * VECTOR;
            let part = (squares >> shift).wide() as u32;
            // SAFETY: the processor has been asked.
            let out = unsafe { decrement_32(counts.try_into().expect("32 counts"), part) };
            if out != 0 {
                zero = zero | B::of(out as u128) << shift;
            }
        }
        return zero;
    }
    let _ = vectors;
    let mut zero = B::zero();
    for square in squares_of(squares) {
        let count = &mut counts[square as usize];
        *count -= 1;
        if *count == 0 {
            zero = zero | B::bit(square);
        }
    }
    zero
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn decrement_32(counts: &mut [u8; VECTOR], squares: u32) -> u32 {
    use std::arch::x86_64::*;
    // One byte of all ones for each bit that is set.
    let spread =
        _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(squares as i32), spread);
    let mask = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bits), bits);
    // SAFETY: 32 bytes to read and to write.
    unsafe {
        let place = counts.as_mut_ptr().cast::<__m256i>();
        let left = _mm256_add_epi8(_mm256_loadu_si256(place), mask);
        _mm256_storeu_si256(place, left);
        let zero = _mm256_cmpeq_epi8(left, _mm256_setzero_si256());
        _mm256_movemask_epi8(_mm256_and_si256(zero, mask)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_count_like_plain_code() {
        if !has_avx2() {
            return;
        }
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for _ in 0..1000 {
            let counts: Vec<u8> = (0..row_len(72)).map(|_| 1 + (random() % 3) as u8).collect();
            let wide = (random() as u128) << 41 ^ (random() as u128) << 20 ^ random() as u128;
            check::<u32>(&counts[..row_len(32)], wide as u32);
            check::<u64>(&counts[..row_len(50)], wide as u64 & ((1 << 50) - 1));
            check::<u128>(&counts, wide);
        }

        fn check<B: Bits>(counts: &[u8], squares: B) {
            let (mut plain, mut wide) = (counts.to_vec(), counts.to_vec());
            let zero = decrement(false, &mut plain, squares);
            assert_eq!(decrement(true, &mut wide, squares), zero);
            assert_eq!(wide, plain);
        }
    }
}
