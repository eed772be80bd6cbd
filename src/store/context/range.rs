//! Arithmetic coding of yes-or-no decisions.
//!
//! A range coder with carries, after G. N. N. Martin, "Range encoding: an algorithm for removing redundancy from a
//! digitised message", 1979; with a range of 64 bits, and 32 bits put out at a time.

/// Probabilities are counted in so many parts: a yes has from 1 to one less.
pub(super) const WHOLE: u32 = 1 << 16;

/// Bytes that are read at a time.
const STEP: usize = 4;

/// Turns decisions into bytes.
#[derive(Debug)]
pub(super) struct RangeEncoder {
    low: u64,
    range: u64,
    out: Vec<u8>,
}

impl RangeEncoder {
    pub(super) fn new() -> Self {
        RangeEncoder { low: 0, range: u64::MAX, out: Vec::new() }
    }

    /// Encodes a decision that is yes with a probability.
    #[inline]
    pub(super) fn encode(&mut self, yes: bool, probability: u32) {
        debug_assert!((1..WHOLE).contains(&probability));
        let bound = (self.range / u64::from(WHOLE)) * u64::from(probability);
        if yes {
            self.range = bound;
        } else {
            self.add(bound);
            self.range -= bound;
        }
        if self.range >> 32 == 0 {
            self.out.extend(((self.low >> 32) as u32).to_be_bytes());
            self.low <<= 32;
            self.range <<= 32;
        }
    }

    fn add(&mut self, amount: u64) {
        let carry;
        (self.low, carry) = self.low.overflowing_add(amount);
        if carry {
            for byte in self.out.iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
    }

    /// The shortest bytes that decode to what was encoded, at least one; the decoder reads zeros behind them.
    pub(super) fn finish(mut self) -> Vec<u8> {
        // The number with fewest bytes from `low` up and within the range.
        for bytes in 1..=8 {
            let below = u64::MAX.checked_shr(8 * bytes).unwrap_or(0);
            let up = self.low.wrapping_neg() & below;
            if up < self.range {
                self.add(up);
                self.out.extend(&self.low.to_be_bytes()[..bytes as usize]);
                break;
            }
        }
        while self.out.len() > 1 && self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.out
    }
}

/// Reads decisions back. Any bytes decode to something.
#[derive(Debug)]
pub(super) struct RangeDecoder<'a> {
    code: u64,
    range: u64,
    rest: &'a [u8],
}

impl<'a> RangeDecoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = RangeDecoder { code: 0, range: u64::MAX, rest: bytes };
        decoder.code = u64::from(decoder.step()) << 32 | u64::from(decoder.step());
        decoder
    }

    #[inline]
    fn step(&mut self) -> u32 {
        match self.rest.split_first_chunk::<STEP>() {
            Some((step, rest)) => {
                self.rest = rest;
                u32::from_be_bytes(*step)
            }
            None => self.last_step(),
        }
    }

    #[cold]
    fn last_step(&mut self) -> u32 {
        let mut step = [0; STEP];
        step[..self.rest.len()].copy_from_slice(self.rest);
        self.rest = &[];
        u32::from_be_bytes(step)
    }

    /// The next decision, given the probability with which it was encoded.
    #[inline(always)]
    pub(super) fn decode(&mut self, probability: u32) -> bool {
        let bound = (self.range / u64::from(WHOLE)) * u64::from(probability);
        let yes = self.code < bound;
        if yes {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        if self.range >> 32 == 0 {
            self.range <<= 32;
            self.code = self.code << 32 | u64::from(self.step());
        }
        yes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(decisions: &[(bool, u32)]) -> Vec<u8> {
        let mut encoder = RangeEncoder::new();
        decisions.iter().for_each(|&(yes, probability)| encoder.encode(yes, probability));
        encoder.finish()
    }

    fn assert_decodes(decisions: &[(bool, u32)]) {
        let bytes = encoded(decisions);
        let mut decoder = RangeDecoder::new(&bytes);
        for &(yes, probability) in decisions {
            assert_eq!(decoder.decode(probability), yes);
        }
    }

    proptest! {
        #[test]
        fn decisions_survive(decisions in prop::collection::vec((any::<bool>(), 1..WHOLE), 0..2000)) {
            assert_decodes(&decisions);
        }

        #[test]
        fn any_bytes_decode(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            probabilities in prop::collection::vec(1..WHOLE, 0..2000),
        ) {
            let mut decoder = RangeDecoder::new(&bytes);
            for probability in probabilities {
                let _ = decoder.decode(probability);
            }
        }
    }

    #[test]
    fn carries_run_through() {
        // Unlikely noes push the lower end up to where it overflows.
        for noes in 1..200 {
            let mut decisions = vec![(false, WHOLE - 1); noes];
            decisions.extend(vec![(true, 1); noes]);
            decisions.extend(vec![(false, 1); 3 * noes]);
            assert_decodes(&decisions);
        }
        assert_decodes(&[(false, WHOLE - 1); 5000]);
        assert_decodes(&[(false, 1); 5000]);
    }

    #[test]
    fn what_is_expected_takes_nearly_nothing() {
        assert_eq!(encoded(&[]).len(), 1);
        assert_eq!(encoded(&[(true, WHOLE - 1); 1000]).len(), 1);
        let bits = 8 * encoded(&[(true, WHOLE / 2); 1000]).len();
        assert!((1..=1008).contains(&bits));
        let noes = [(false, WHOLE / 2); 1000];
        assert!((990..=1064).contains(&(8 * encoded(&noes).len())));
    }
}
