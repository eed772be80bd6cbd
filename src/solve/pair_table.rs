//! The values of a solved pair of slices in memory.

use rayon::prelude::*;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::capture_rules::CaptureRules;
use super::error::SolveError;
use super::layout::Layout;
use super::score::{Score, UnitScores};
use super::shelf::{Shelf, ShelfError};
use super::source::{Half, ShelfHalf, Units};
use super::subsets::{SubsetTables, free_of};
use crate::board::{Bits, Geometry, squares_of};
use crate::index::{Material, Pair, SliceIndex};
use crate::rules::Turned;
use crate::value::{Counts, Halves, Value};

/// Scores of all placements with one side to move.
#[derive(Debug)]
pub(crate) enum Scores {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
    /// Outside memory.
    Shelf {
        shelf: Arc<dyn Shelf>,
        side: usize,
        wide: bool,
    },
}

impl Scores {
    #[inline(always)]
    pub fn source(&self) -> Half<'_> {
        match self {
            Self::Narrow(scores) => Half::Memory(UnitScores::Narrow(scores)),
            Self::Wide(scores) => Half::Memory(UnitScores::Wide(scores)),
            &Self::Shelf { ref shelf, side, wide } => {
                Half::Shelf(ShelfHalf { shelf: &**shelf, side, wide })
            }
        }
    }

    pub fn is_wide(&self) -> bool {
        match self {
            Self::Narrow(_) => false,
            Self::Wide(_) => true,
            Self::Shelf { wide, .. } => *wide,
        }
    }
}

/// The values of all positions of a pair of slices.
pub struct PairTable<B: Bits> {
    rules: &'static dyn CaptureRules<B>,
    pub(crate) layout: Layout<B>,
    /// With side A to move, and with side B.
    pub(crate) scores: [Scores; 2],
    /// What was read from a shelf lately.
    idle: Mutex<Vec<Units>>,
}

impl<B: Bits> fmt::Debug for PairTable<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PairTable").field(&self.pair()).finish()
    }
}

/// Pairs that are solved.
pub type Finished<B> = HashMap<Pair, Arc<PairTable<B>>>;

impl<B: Bits> PairTable<B> {
    /// Tables of the board.
    pub fn geometry(&self) -> &'static Geometry<B> {
        self.layout.geometry
    }

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
    pub(super) fn from_bytes<E: From<SolveError>>(
        rules: &'static dyn CaptureRules<B>,
        pair: Pair,
        fill: impl FnOnce([&mut [u8]; 2]) -> Result<bool, E>,
    ) -> Result<Option<Self>, E> {
        let mut layout = Layout::new(rules.rules(), rules.geometry(), pair)?;
        layout.sort_by_level(rules.rules());
        let placements = layout.unit_len() * layout.slots.len();
        let (mut a, mut b) = (vec![0; placements], vec![0; placements]);
        let filled = fill([&mut a, &mut b])?;
        Ok(filled.then(|| PairTable::new(rules, layout, [a, b].map(Scores::Narrow))))
    }

    /// A pair of which all scores are on a shelf.
    ///
    /// # Errors
    /// If the pair is too large to be numbered, see [`check_size`](super::check_size).
    pub(super) fn on_shelf(
        rules: &'static dyn CaptureRules<B>,
        pair: Pair,
        shelf: Arc<dyn Shelf>,
    ) -> Result<Self, SolveError> {
        let mut layout = Layout::new(rules.rules(), rules.geometry(), pair)?;
        layout.sort_by_level(rules.rules());
        Ok(Self::with_shelf(rules, layout, shelf))
    }

    pub(super) fn with_shelf(
        rules: &'static dyn CaptureRules<B>,
        layout: Layout<B>,
        shelf: Arc<dyn Shelf>,
    ) -> Self {
        let wide = shelf.is_wide();
        Self::new(
            rules,
            layout,
            [0, 1].map(|side| Scores::Shelf { shelf: shelf.clone(), side, wide }),
        )
    }

    pub(super) fn new(
        rules: &'static dyn CaptureRules<B>,
        layout: Layout<B>,
        scores: [Scores; 2],
    ) -> Self {
        PairTable { rules, layout, scores, idle: Mutex::default() }
    }

    fn halves(&self) -> Halves {
        self.rules.rules().no_move.halves()
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
    ///
    /// # Errors
    /// Only pairs on a shelf have any: if it cannot be read.
    pub fn value(&self, position: &Turned<B>) -> Result<Value, SolveError> {
        let side = self.side(Material::of(position));
        let (slot, index) = match side {
            0 => self.layout.index(position),
            _ => self.layout.index(&position.passed(self.layout.geometry)),
        };
        let mut units = Units::default();
        let scores = self.scores[side].source().unit(slot, self.layout.unit_len(), &mut units);
        let value = scores.get::<u16>(index).value_in(self.halves());
        units.check().map_err(|source| self.shelf_error(source))?;
        Ok(value)
    }

    fn shelf_error(&self, source: ShelfError) -> SolveError {
        SolveError::Shelf { pair: self.pair(), source }
    }

    /// Counts over all positions of a slice of the pair.
    ///
    /// # Errors
    /// Only pairs on a shelf have any: if it cannot be read.
    pub fn counts(&self, slice: Material) -> Result<Counts, SolveError> {
        let positions = SliceIndex::new(self.layout.geometry, slice).len();
        let len = self.layout.unit_len();
        let placements = (len * self.layout.slots.len()) as u64;
        let source = self.scores[self.side(slice)].source();
        let mut total = match source {
            Half::Memory(UnitScores::Narrow(scores)) => self.count_in_chunks(scores),
            Half::Memory(UnitScores::Wide(scores)) => self.count_in_chunks(scores),
            Half::Shelf(_) => {
                let count = |units: &mut Units, slot| {
                    let counts = match source.unit(slot, len, units) {
                        UnitScores::Narrow(scores) => self.count(scores),
                        UnitScores::Wide(scores) => self.count(scores),
                    };
                    units.check().map(|()| counts)
                };
                let slots = (0..self.layout.slots.len()).into_par_iter();
                let counts = slots.map_init(Units::default, count);
                let total = counts.try_reduce(Counts::default, |x, y| Ok(x.merge(y)));
                total.map_err(|source| self.shelf_error(source))?
            }
        };
        // Placements that are no position all hold the quickest win, so they are counted with it.
        total.wins -= placements - positions;
        if total.wins == 0 {
            total.longest_win = None;
        }
        Ok(total)
    }

    /// Calls `visit` for the positions `start..start + len` of a slice of the pair, in index order,
    /// with their values, and whether the side to move has a capture. `index` is that of the slice.
    ///
    /// # Errors
    /// Only pairs on a shelf have any: if it cannot be read. `visit` was called for the positions before then.
    pub fn visit(
        &self,
        index: &SliceIndex<B>,
        subsets: &SubsetTables<B>,
        start: u64,
        len: u64,
        mut visit: impl FnMut(Value, bool),
    ) -> Result<(), SolveError> {
        let (geometry, halves) = (self.layout.geometry, self.halves());
        let slice = index.material();
        let side = self.side(slice);
        let own_subsets = subsets.of_size(slice.own_kings);
        let opp_subsets = subsets.of_size(slice.opp_kings);
        let mut unit = start / index.unit_len();
        let mut skip = start % index.unit_len();
        let mut left = len;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut units = idle().pop().unwrap_or_default();
        while left > 0 {
            let men = index.men().unrank(unit);
            let slot = self.layout.slot(match side {
                0 => men,
                _ => men.turned(geometry),
            });
            let (source, len) = (self.scores[side].source(), self.layout.unit_len());
            if let Half::Shelf(_) = source {
                // Read now, to hear whether it can be.
                source.unit(slot, len, &mut units);
                units.check().map_err(|source| self.shelf_error(source))?;
            }
            let scores = source.unit(slot, len, &mut units);
            let men_set = men.own | men.opp;
            'unit: for (opp, &opp_kings) in opp_subsets.sets.iter().enumerate() {
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
                        0 => B::one(),
                        _ => B::first(row.len as u8) & !(taken | row.rest),
                    };
                    let positions = free.count_ones() as u64;
                    if skip >= positions {
                        skip -= positions;
                        continue;
                    }
                    let capturing = match slice.own_kings {
                        0 if self.rules.has_capture(&rest) => B::one(),
                        0 => B::zero(),
                        _ => self.rules.captures_with_king(&rest, free),
                    };
                    for square in squares_of(free).skip(skip as usize) {
                        let own = row.first + square as usize;
                        let (a, b) = match side {
                            0 => (own, opp),
                            _ => {
                                (opp_subsets.turned[opp] as usize, own_subsets.turned[own] as usize)
                            }
                        };
                        let score = scores.get::<u16>(a * self.layout.b_sets + b);
                        visit(score.value_in(halves), capturing.contains(square));
                        left -= 1;
                        if left == 0 {
                            break 'unit;
                        }
                    }
                    skip = 0;
                }
            }
            unit += 1;
        }
        idle().push(units);
        Ok(())
    }

    fn count_in_chunks<S: Score>(&self, scores: &[S]) -> Counts {
        let counts = scores.par_chunks(1 << 16).map(|scores| self.count(scores));
        counts.reduce(Counts::default, Counts::merge)
    }

    /// Counts of placements.
    fn count<S: Score>(&self, scores: &[S]) -> Counts {
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
        let plies =
            |score: Option<S>| score.and_then(|score| score.value_in(self.halves()).plies());
        counts.longest_win = plies(Some(slowest_win));
        counts.longest_loss = plies(slowest_loss);
        counts
    }
}
