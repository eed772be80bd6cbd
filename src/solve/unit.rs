//! One unit: all placements of the kings around one placement of the men, both sides to move.

use super::buckets::Buckets;
use super::captures::{BestCaptures, Targets, turned_square};
use super::error::{TooLong, UnitError};
use super::kernel::Kernel;
use super::layout::Layout;
use super::rows::Rows;
use super::score::Score;
use super::shelf::{Half, UnitScores, Units};
use super::subsets::{SubsetTables, Subsets};
use crate::board::{Bits, Geometry, squares_of};
use crate::index::Men;
use crate::rules::{QuietRules, UnitKind};

impl<B: Bits> Place<B> {
    /// Men as the given side sees them.
    #[inline(always)]
    pub fn seen_by(&self, side: usize) -> Men<B> {
        if side == 0 { self.men } else { self.turned }
    }
}

/// Everything about a pair that its units share.
pub(crate) struct PairContext<'a, B: Bits> {
    pub kernel: Kernel<B>,
    pub geometry: &'static Geometry<B>,
    pub layout: &'a Layout<B>,
    pub subsets: &'a SubsetTables<B>,
    /// Where moves of each side lead.
    pub targets: [Targets<'a, B>; 2],
    /// Longest half distance that scores may take.
    pub longest: u16,
    /// Whether positions are looked at one by one, and not in rows.
    pub one_by_one: bool,
    /// Whether to use AVX2; only where the processor has it.
    pub vectors: bool,
}

/// Rows of scores or counts with either side to move.
pub(super) type Both<'a, T> = [&'a mut [T]; 2];

/// One placement of men.
pub(super) struct Place<B> {
    pub men: Men<B>,
    /// As the other side sees them.
    pub turned: Men<B>,
    pub occupied: B,
}

/// One unit of the pair: all placements of the kings around one or several placements of the men, one after the other.
pub(crate) struct Unit<'a, B: Bits> {
    pub(super) context: &'a PairContext<'a, B>,
    pub(super) places: Vec<Place<B>>,
    /// Slot of the first placement of men.
    pub(super) first_slot: usize,
    pub(super) a: &'a Subsets<B>,
    pub(super) b: &'a Subsets<B>,
}

/// What one worker needs for a unit, kept between units.
pub(crate) struct Scratch<B> {
    /// Quiet moves inside the unit that are not yet known to lose, by side to move and placement.
    pub(super) open: [Vec<u8>; 2],
    /// The same in rows.
    pub(super) rows: [Rows<B>; 2],
    pub(super) buckets: Buckets,
    pub(super) best: BestCaptures<B>,
    pub(super) units: Units,
}

impl<B: Bits> Scratch<B> {
    /// Room for work on units of this pair.
    pub fn new(context: &PairContext<B>) -> Self {
        Scratch {
            open: Default::default(),
            rows: Default::default(),
            buckets: Buckets::default(),
            best: BestCaptures::default(),
            units: Units::around(context.layout.unit_len()),
        }
    }
}

impl<'a, B: Bits> Unit<'a, B> {
    /// The unit of these placements of men, by their numbers; they lie in consecutive slots.
    pub fn new(context: &'a PairContext<'a, B>, numbers: &[u32]) -> Self {
        let mut unit = Self::empty(context);
        unit.set(numbers);
        unit
    }

    /// Room for a unit.
    pub fn empty(context: &'a PairContext<'a, B>) -> Self {
        let first = context.layout.pair.first();
        Unit {
            context,
            places: Vec::new(),
            first_slot: 0,
            a: context.subsets.of_size(first.own_kings),
            b: context.subsets.of_size(first.opp_kings),
        }
    }

    /// Makes this the unit of other placements.
    pub fn set(&mut self, numbers: &[u32]) {
        let PairContext { geometry, layout, .. } = self.context;
        let place = |&number: &u32| {
            let men = layout.men.unrank(number.into());
            Place { men, turned: men.turned(geometry), occupied: men.own | men.opp }
        };
        self.places.clear();
        self.places.extend(numbers.iter().map(place));
        self.first_slot = layout.slots[numbers[0] as usize] as usize;
    }

    /// Solves the unit. `scores` are its rows, all zero; `done` the scores of all units before it.
    pub fn solve<S: Score>(
        &self,
        done: [Half; 2],
        scores: Both<S>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), UnitError> {
        let work = S::work(self.context.kernel.0);
        let solved = work.solve(self, done, scores, scratch);
        // First: what is not to be read makes scores of anything.
        scratch.units.check()?;
        Ok(solved?)
    }

    /// [`Unit::solve`] with scores of one byte.
    #[inline(always)]
    pub(super) fn solve_narrow<Q: QuietRules<Bits = B>>(
        &self,
        done: [Half; 2],
        scores: Both<u8>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), TooLong> {
        if !matches!(Q::UNIT, UnitKind::Placement) || self.context.one_by_one {
            return self.solve_one_by_one::<Q, u8>(done, scores, scratch);
        }
        #[cfg(target_arch = "x86_64")]
        if self.context.vectors {
            // SAFETY: the processor has been asked.
            return unsafe { self.solve_in_rows_avx2::<Q>(done, scores, scratch) };
        }
        self.solve_in_rows::<Q>(false, done, scores, scratch)
    }

    /// [`Unit::solve`] with scores of two bytes, which are seldom: the slow way is enough for them.
    #[inline(always)]
    pub(super) fn solve_wide<Q: QuietRules<Bits = B>>(
        &self,
        done: [Half; 2],
        scores: Both<u16>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), TooLong> {
        self.solve_one_by_one::<Q, u16>(done, scores, scratch)
    }

    /// [`Unit::solve_in_rows`] as code for processors with AVX2 and what came with it.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn solve_in_rows_avx2<Q: QuietRules<Bits = B>>(
        &self,
        done: [Half; 2],
        scores: Both<u8>,
        scratch: &mut Scratch<B>,
    ) -> Result<(), TooLong> {
        self.solve_in_rows::<Q>(true, done, scores, scratch)
    }

    /// Takes the quiet moves of all men of a side out of the unit into the scores, the kings wherever they stand.
    ///
    /// A man move keeps all kings, so the results for a whole unit lie in one run, in the same order. Placements with
    /// a king in the way of the move are not positions after it, and hold a value that counts least.
    #[inline(always)]
    pub(super) fn man_moves<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        side: usize,
        done: Half,
        scores: &mut [S],
        units: &mut Units,
    ) {
        let len = self.context.layout.unit_len();
        for (place, scores) in self.places.iter().zip(scores.chunks_exact_mut(len)) {
            self.man_moves_of::<Q, S>(place, side, done, scores, units);
        }
    }

    /// [`Unit::man_moves`] for one placement of men.
    #[inline(always)]
    fn man_moves_of<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        place: &Place<B>,
        side: usize,
        done: Half,
        scores: &mut [S],
        units: &mut Units,
    ) {
        let PairContext { kernel, geometry, layout, .. } = self.context;
        let rules = kernel.rules();
        let mine = place.seen_by(side);
        for from in squares_of(mine.own) {
            for &direction in rules.man_moves {
                if rules.man_returns(direction) {
                    continue;
                }
                let target =
                    geometry.step[direction as usize][from as usize] & !(mine.own | mine.opp);
                if target.is_zero() {
                    continue;
                }
                let rest = mine.own ^ B::bit(from);
                if !rules.has_kings() || (target & geometry.last_row).is_zero() {
                    let men = Men { own: rest | target, opp: mine.opp };
                    let slot = layout.slot(self.in_pair(side, men));
                    match done.unit(slot, scores.len(), units) {
                        UnitScores::Narrow(next) => take_all::<Q, S, u8>(scores, next, S::narrow),
                        UnitScores::Wide(next) => take_all::<Q, S, u16>(scores, next, S::wide),
                    }
                } else {
                    let men = Men { own: rest, ..mine };
                    self.promotions::<Q, S>(side, men, target.lowest(), scores, units);
                }
            }
        }
    }

    /// Men seen by a side, in the coordinates of the pair.
    #[inline(always)]
    pub(super) fn in_pair(&self, side: usize, men: Men<B>) -> Men<B> {
        match side {
            0 => men,
            _ => men.turned(self.context.geometry),
        }
    }

    /// Takes a promotion on `to` into the scores, `men` being the men that are left, as the side that moves sees them.
    fn promotions<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        side: usize,
        men: Men<B>,
        to: u8,
        scores: &mut [S],
        units: &mut Units,
    ) {
        let PairContext { geometry, targets, subsets, .. } = self.context;
        let target = targets[side].after(true, 0, 0).expect("the other side keeps its pieces");
        let layout = &target.table.layout;
        // Whether the coordinates of the target are ours turned.
        let swapped = (side == 1) != target.flipped;
        let men = self.in_pair(side, men);
        let slot = layout.slot(if swapped { men.turned(geometry) } else { men });
        let to = if side == 0 { to } else { turned_square(geometry, to) };
        // Ranks after the promotion in the coordinates of the target.
        let ranks = |mover: bool, sets: &Subsets<B>, larger: Option<&Subsets<B>>| {
            let rank = |rank: usize| {
                let after = if mover { sets.with(rank)[to as usize] as usize } else { rank };
                let after_sets =
                    if mover { larger.expect("sets with one king more") } else { sets };
                if swapped { after_sets.turned[after] as usize } else { after }
            };
            let free = |set: B| !set.contains(to);
            let all = sets.sets.iter().enumerate();
            all.map(|(number, &set)| free(set).then(|| rank(number))).collect::<Vec<_>>()
        };
        let first = self.context.layout.pair.first();
        let larger = |mover: bool, size: u8| mover.then(|| subsets.of_size(size + 1));
        let a_after = ranks(side == 0, self.a, larger(side == 0, first.own_kings));
        let b_after = ranks(side == 1, self.b, larger(side == 1, first.opp_kings));
        let (a_stride, b_stride) = if swapped { (1, layout.b_sets) } else { (layout.b_sets, 1) };
        let from = target.unit(slot, units);
        let rows = scores.chunks_exact_mut(self.b.sets.len());
        for (row, a) in rows.zip(&a_after) {
            let Some(a) = a else { continue };
            let base = a * a_stride;
            match from {
                UnitScores::Narrow(from) => {
                    take_row::<Q, S>(row, &b_after, |b| S::narrow(from[base + b * b_stride]))
                }
                UnitScores::Wide(from) => {
                    take_row::<Q, S>(row, &b_after, |b| S::wide(from[base + b * b_stride]))
                }
            }
        }
    }
}

/// Takes moves into the scores, each to the same place of `next`.
#[inline(always)]
fn take_all<Q: QuietRules, S: Score, N: Copy>(
    scores: &mut [S],
    next: &[N],
    score: impl Fn(N) -> S,
) {
    for (old, &next) in scores.iter_mut().zip(next) {
        *old = (*old).max(score(next).before_move::<Q>());
    }
}

#[inline(always)]
fn take_row<Q: QuietRules, S: Score>(
    row: &mut [S],
    after: &[Option<usize>],
    next: impl Fn(usize) -> S,
) {
    for (score, after) in row.iter_mut().zip(after) {
        if let Some(after) = *after {
            *score = (*score).max(next(after).before_move::<Q>());
        }
    }
}
