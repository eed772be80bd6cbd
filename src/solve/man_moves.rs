//! Moves of men that leave a unit.

use super::score::{Score, UnitScores};
use super::source::{Half, Units};
use super::subsets::Subsets;
use super::unit::{PairContext, Place, Unit, turned_square};
use crate::board::{Bits, squares_of};
use crate::index::Men;
use crate::rules::QuietRules;

impl<B: Bits> Unit<'_, B> {
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
        let PairContext { rules, geometry, layout, .. } = self.context;
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

    /// [`Unit::man_moves`] as a function of its own, which all its callers share.
    #[inline(never)]
    pub(super) fn man_moves_apart<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        side: usize,
        done: Half,
        scores: &mut [S],
        units: &mut Units,
    ) {
        self.man_moves::<Q, S>(side, done, scores, units);
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
