//! Which slices there are, what each depends on, and in what order they can be solved.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::material::{MAX_SIDE, Material};
use crate::rules::Rules;

/// Most pieces of a slice that is built or probed.
pub const MOST_PIECES: u32 = 8;

/// A slice and its twin, which are solved together. `first` is the greater of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    first: Material,
}

impl Pair {
    /// The pair of a slice and its twin.
    pub fn of(material: Material) -> Self {
        Pair { first: material.max(material.twin()) }
    }

    /// The slice in whose coordinates the pair is solved.
    pub const fn first(self) -> Material {
        self.first
    }

    /// Whether a slice is its own twin.
    pub fn is_symmetric(self) -> bool {
        self.first == self.first.twin()
    }

    /// The slices of the pair: one or two.
    pub fn slices(self) -> impl Iterator<Item = Material> {
        let twin = (!self.is_symmetric()).then_some(self.first.twin());
        [self.first].into_iter().chain(twin)
    }

    /// The pairs that a move out of this one can lead to, in order.
    ///
    /// A capture takes one or more pieces and may promote the capturing man; a quiet move may
    /// promote. A game that ends because one side has no pieces left is in no slice.
    pub fn dependencies(self, rules: &Rules) -> Vec<Pair> {
        let mut found = BTreeSet::new();
        for Material { own_kings, own_men, opp_kings, opp_men } in self.slices() {
            for promoted in 0..=own_men.min(rules.has_kings() as u8) {
                for kings in 0..=opp_kings {
                    for men in 0..=opp_men {
                        if kings + men + promoted == 0 || kings + men == opp_kings + opp_men {
                            continue;
                        }
                        found.insert(Pair::of(Material {
                            own_kings: own_kings + promoted,
                            own_men: own_men - promoted,
                            opp_kings: opp_kings - kings,
                            opp_men: opp_men - men,
                        }));
                    }
                }
            }
        }
        found.into_iter().collect()
    }
}

/// All pairs of a variant with at most so many pieces and at least one a side, in an order in which each can be
/// solved after those before it: by pieces, then by how they are divided between the sides, then by the men of the stronger side
/// and of the other.
///
/// A promotion keeps the division and takes one man away from one side, so of the largest pairs, those with the most
/// pieces, only the last few need to be at hand at any time.
pub fn plan(rules: &Rules, pieces: u32) -> Vec<Pair> {
    let mut pairs = BTreeSet::new();
    for total in 2..=pieces {
        for strong in total.div_ceil(2)..total.min(MAX_SIDE as u32 + 1) {
            let weak = total - strong;
            for strong_men in 0..=strong {
                for weak_men in 0..=weak {
                    if !rules.has_kings() && strong_men + weak_men < total {
                        continue;
                    }
                    let pair = Pair::of(Material {
                        own_kings: (strong - strong_men) as u8,
                        own_men: strong_men as u8,
                        opp_kings: (weak - weak_men) as u8,
                        opp_men: weak_men as u8,
                    });
                    // Of equally strong sides, the one with more men.
                    let men = (strong_men, weak_men);
                    if strong > weak || men.0 >= men.1 {
                        pairs.insert((total, Reverse(strong), men, pair));
                    }
                }
            }
        }
    }
    pairs.into_iter().map(|(.., pair)| pair).collect()
}

/// All slices of a variant with so many pieces, in no order that matters.
pub fn slices(rules: &Rules, pieces: u32) -> Vec<Material> {
    let pairs = plan(rules, pieces).into_iter().filter(|pair| pair.first().pieces() == pieces);
    pairs.flat_map(Pair::slices).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    #[test]
    fn pairs_come_after_what_they_depend_on() {
        for variant in Variant::ALL {
            let order = plan(variant.rules(), 6);
            for (place, pair) in order.iter().enumerate() {
                for dependency in pair.dependencies(variant.rules()) {
                    let before = order[..place].contains(&dependency);
                    assert!(before, "{} before {}", dependency.first(), pair.first());
                }
            }
        }
    }

    #[test]
    fn slices_of_each_piece_count_are_complete() {
        // Published: 4, 12, 25, 44, 70, 104 slices for 2 to 7 pieces.
        let slices: Vec<usize> =
            (2..=7).map(|pieces| slices(Variant::Russian.rules(), pieces).len()).collect();
        assert_eq!(slices, [4, 12, 25, 44, 70, 104]);
    }
}
