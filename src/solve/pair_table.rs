//! The values of a solved pair of slices in memory.

use num_traits::{One, PrimInt, Zero};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

use super::score::Score;
use super::solver::SolveError;
use super::subsets::SubsetTables;
use crate::board::{Bits, Geometry, squares_of};
use crate::index::{Material, Men, MenIndex, Pair, SliceIndex, rank_subset};
use crate::rules::{RuleSet, Turned, captures_with_king, has_capture};
use crate::value::{Counts, Value};

/// How the values of a pair lie in memory.
///
/// Both slices lie in the coordinates of the first: side A is the one to move there, and moves up. For each unit,
/// in the order in which units were solved, a row of B's king sets for each of A's king sets, kings ranked over all squares:
/// `(slot * a_sets + a) * b_sets + b`.
#[derive(Debug)]
pub(crate) struct Layout<B: Bits> {
    pub geometry: &'static Geometry<B>,
    pub pair: Pair,
    pub men: MenIndex<B>,
    /// Place of each unit, by its number.
    pub slots: Vec<u32>,
    pub a_sets: usize,
    pub b_sets: usize,
}

impl<B: Bits> Layout<B> {
    pub fn unit_len(&self) -> usize {
        self.a_sets * self.b_sets
    }

    /// Index of the first placement of a unit.
    #[inline(always)]
    pub fn base(&self, men: Men<B>) -> usize {
        self.slots[self.men.rank(men) as usize] as usize * self.unit_len()
    }

    /// Index of a placement in the coordinates of the pair.
    #[inline(always)]
    pub fn index(&self, placement: &Turned<B>) -> usize {
        let base = self.base(Men { own: placement.own_men, opp: placement.opp_men });
        let a = rank_subset(placement.own_kings) as usize;
        let b = rank_subset(placement.opp_kings) as usize;
        base + a * self.b_sets + b
    }
}

/// Scores of all placements with one side to move.
#[derive(Debug)]
pub(crate) enum Scores {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Scores {
    #[inline(always)]
    pub fn get<S: Score>(&self, index: usize) -> S {
        match self {
            Self::Narrow(scores) => S::narrow(scores[index]),
            Self::Wide(scores) => S::wide(scores[index]),
        }
    }

    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }
}

/// The values of all positions of a pair of slices.
#[derive(Debug)]
pub struct PairTable<R: RuleSet> {
    pub(crate) layout: Layout<R::Bits>,
    /// With side A to move, and with side B.
    pub(crate) scores: [Scores; 2],
}

/// Pairs that are solved.
pub type Finished<R> = HashMap<Pair, Arc<PairTable<R>>>;

impl<R: RuleSet> PairTable<R> {
    /// The pair.
    pub fn pair(&self) -> Pair {
        self.layout.pair
    }

    /// The scores as the solver keeps them, with one side to move and with the other, in the order in which it found
    /// them; `None` if they take two bytes each.
    pub fn bytes(&self) -> Option<[&[u8]; 2]> {
        match &self.scores {
            [Scores::Narrow(a), Scores::Narrow(b)] => Some([a, b]),
            _ => None,
        }
    }

    /// A pair from what [`PairTable::bytes`] gave. `fill` puts it into the room, and says whether it could.
    ///
    /// # Errors
    /// What `fill` says, and [`SolveError`] if there is no room for the pair.
    pub fn from_bytes<E: From<SolveError>>(
        pair: Pair,
        fill: impl FnOnce([&mut [u8]; 2]) -> Result<bool, E>,
    ) -> Result<Option<Self>, E> {
        let mut layout = Layout::new::<R>(pair)?;
        layout.sort_by_level::<R>();
        let placements = layout.unit_len() * layout.slots.len();
        let (mut a, mut b) = (vec![0; placements], vec![0; placements]);
        let filled = fill([&mut a, &mut b])?;
        Ok(filled.then_some(PairTable { layout, scores: [a, b].map(Scores::Narrow) }))
    }

    /// Which half of the pair holds a slice.
    ///
    /// # Panics
    /// If the slice is not in the pair.
    fn side(&self, slice: Material) -> usize {
        assert!(Pair::of(slice) == self.pair(), "{slice} is not in this pair");
        (slice != self.pair().first()) as usize
    }

    /// Value of a position of the pair. Its pieces must be those of the pair.
    pub fn value(&self, position: &Turned<R::Bits>) -> Value {
        let geometry = self.layout.geometry;
        match self.side(Material::of(position)) {
            0 => self.scores[0].get::<u16>(self.layout.index(position)),
            _ => self.scores[1].get::<u16>(self.layout.index(&position.passed(geometry))),
        }
        .value::<R>()
    }

    /// Counts over all positions of a slice of the pair.
    pub fn counts(&self, slice: Material) -> Counts {
        let positions = SliceIndex::new(self.layout.geometry, slice).len();
        match &self.scores[self.side(slice)] {
            Scores::Narrow(scores) => count::<R, u8>(scores, positions),
            Scores::Wide(scores) => count::<R, u16>(scores, positions),
        }
    }

    /// Calls `visit` for the positions `start..start + len` of a slice of the pair, in index order,
    /// with their values, and whether the side to move has a capture. `index` is that of the slice.
    pub fn visit(
        &self,
        index: &SliceIndex<R::Bits>,
        subsets: &SubsetTables<R::Bits>,
        start: u64,
        len: u64,
        mut visit: impl FnMut(Value, bool),
    ) {
        let geometry = self.layout.geometry;
        let slice = index.material();
        let side = self.side(slice);
        let own_subsets = subsets.of_size(slice.own_kings);
        let opp_subsets = subsets.of_size(slice.opp_kings);
        let mut unit = start / index.unit_len();
        let mut skip = start % index.unit_len();
        let mut left = len;
        while left > 0 {
            let men = index.men().unrank(unit);
            let base = self.layout.base(match side {
                0 => men,
                _ => men.turned(geometry),
            });
            let men_set = men.own | men.opp;
            for (opp, &opp_kings) in opp_subsets.sets.iter().enumerate() {
                if !free_of(opp_kings, men_set) {
                    continue;
                }
                if skip >= index.own_sets() {
                    skip -= index.own_sets();
                    continue;
                }
                let taken = men_set | opp_kings;
                for row in &own_subsets.rows {
                    if !free_of(row.rest, taken) {
                        continue;
                    }
                    let rest = Turned {
                        own_men: men.own,
                        own_kings: row.rest,
                        opp_men: men.opp,
                        opp_kings,
                    };
                    // Without kings, the row is one position.
                    let free = match slice.own_kings {
                        0 => R::Bits::one(),
                        _ => R::Bits::first(row.len as u8) & !(taken | row.rest),
                    };
                    let positions = free.count_ones() as u64;
                    if skip >= positions {
                        skip -= positions;
                        continue;
                    }
                    let capturing = match slice.own_kings {
                        0 if has_capture::<R>(geometry, &rest) => R::Bits::one(),
                        0 => R::Bits::zero(),
                        _ => captures_with_king::<R>(geometry, &rest, free),
                    };
                    for square in squares_of(free).skip(skip as usize) {
                        let own = row.first + square as usize;
                        let (a, b) = match side {
                            0 => (own, opp),
                            _ => {
                                (opp_subsets.turned[opp] as usize, own_subsets.turned[own] as usize)
                            }
                        };
                        let place = base + a * self.layout.b_sets + b;
                        let score = self.scores[side].get::<u16>(place);
                        visit(score.value::<R>(), capturing.contains(square));
                        left -= 1;
                        if left == 0 {
                            return;
                        }
                    }
                    skip = 0;
                }
            }
            unit += 1;
        }
    }
}

#[inline(always)]
pub(crate) fn free_of<B: Bits>(set: B, taken: B) -> bool {
    (set & taken).is_zero()
}

/// Placements that are no position all hold the quickest win, so they are counted with it and
/// taken off again.
fn count<R: RuleSet, S: Score>(scores: &[S], positions: u64) -> Counts {
    let chunk = |scores: &[S]| {
        let mut counts = Counts::default();
        let (mut slowest_win, mut slowest_loss) = (S::BEST, None);
        for &score in scores {
            if score.is_win() {
                counts.wins += 1;
                slowest_win = slowest_win.min(score);
            } else if score.is_decided() {
                counts.losses += 1;
                slowest_loss = slowest_loss.max(Some(score));
            } else {
                counts.draws += 1;
            }
        }
        counts.longest_win = slowest_win.value::<R>().plies();
        counts.longest_loss = slowest_loss.and_then(|score| score.value::<R>().plies());
        counts
    };
    let chunks = scores.par_chunks(1 << 16).map(chunk);
    let mut total = chunks.reduce(Counts::default, Counts::merge);
    total.wins -= scores.len() as u64 - positions;
    if total.wins == 0 {
        total.longest_win = None;
    }
    total
}
