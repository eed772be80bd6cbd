//! What moves that leave the pair are worth.

use num_traits::{PrimInt, Zero};

use super::pair_table::{Finished, PairTable};
use super::score::Score;
use crate::board::{Bits, Geometry};
use crate::index::{Material, Pair};
use crate::rules::{Capture, RuleSet, Turned, visit_captures};

/// A finished pair as the side that moves into it sees it.
pub(crate) struct Target<'a, R: RuleSet> {
    pub table: &'a PairTable<R>,
    /// Whether the first slice of the pair is the other side's: then placements are turned.
    pub flipped: bool,
}

impl<R: RuleSet> Target<'_, R> {
    /// Half of the pair in which the other side is to move.
    #[inline(always)]
    pub fn side(&self) -> usize {
        !self.flipped as usize
    }

    /// Score, for the other side, of a placement seen by the side that moved.
    #[inline(always)]
    fn score<S: Score>(&self, after: &Turned<R::Bits>) -> S {
        let layout = &self.table.layout;
        let index = match self.flipped {
            false => layout.index(after),
            true => layout.index(&after.passed(layout.geometry)),
        };
        self.table.scores[self.side()].get(index)
    }
}

/// The pairs that moves of one side lead to, by what the move changes.
pub(crate) struct Targets<'a, R: RuleSet> {
    opp: (usize, usize),
    by_change: Vec<Option<Target<'a, R>>>,
}

impl<'a, R: RuleSet> Targets<'a, R> {
    /// Finds the pairs for moves by the side to move of `slice`; the first that is missing is the error.
    pub fn new(slice: Material, finished: &'a Finished<R>) -> Result<Self, Pair> {
        let opp = (slice.opp_kings as usize, slice.opp_men as usize);
        let mut by_change = Vec::new();
        for promoted in 0..=1 {
            for kings in 0..=slice.opp_kings {
                for men in 0..=slice.opp_men {
                    let reached = (promoted <= slice.own_men.min(R::RULES.has_kings() as u8))
                        && (promoted + kings + men > 0)
                        && (kings + men) as u32 != slice.opp();
                    by_change.push(if reached {
                        let after = Material {
                            own_kings: slice.own_kings + promoted,
                            own_men: slice.own_men - promoted,
                            opp_kings: slice.opp_kings - kings,
                            opp_men: slice.opp_men - men,
                        };
                        let pair = Pair::of(after);
                        let table = finished.get(&pair).ok_or(pair)?;
                        Some(Target { table, flipped: after != pair.first() })
                    } else {
                        None
                    });
                }
            }
        }
        Ok(Targets { opp, by_change })
    }

    /// Where a move leads that promotes or not and takes so many kings and men; `None` if it leaves the
    /// other side without pieces.
    #[inline(always)]
    pub fn after(&self, promoted: bool, kings: usize, men: usize) -> Option<&Target<'a, R>> {
        let (opp_kings, opp_men) = self.opp;
        let number = (promoted as usize * (opp_kings + 1) + kings) * (opp_men + 1) + men;
        self.by_change[number].as_ref()
    }

    /// Best score of a capture, for the side that captures; `None` if there is no capture.
    #[inline(always)]
    pub fn best_capture<S: Score>(
        &self,
        geometry: &Geometry<R::Bits>,
        position: &Turned<R::Bits>,
    ) -> Option<S> {
        let mut best = None;
        visit_captures::<R, ()>(geometry, position, &mut (), &mut |capture: &Capture<_>, _| {
            let kings = (capture.taken & position.opp_kings).count_ones() as usize;
            let men = (capture.taken & position.opp_men).count_ones() as usize;
            let promoted = capture.is_king && !capture.was_king;
            let score = match self.after(promoted, kings, men) {
                Some(target) => target.score(&position.captured(capture)),
                None => S::of::<R>(R::RULES.no_move.value()),
            };
            best = best.max(Some(score.before_move::<R>()));
        });
        best
    }
}

/// Whether a man of the side to move has a quiet move.
#[inline(always)]
pub(crate) fn has_man_move<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    men: R::Bits,
    occupied: R::Bits,
) -> bool {
    crate::board::squares_of(men).any(|from| {
        R::RULES.man_moves.iter().any(|&direction| {
            !(geometry.step[direction as usize][from as usize] & !occupied).is_zero()
        })
    })
}

/// Same set of squares on the turned board, for one square.
#[inline(always)]
pub(crate) fn turned_square<B: Bits>(geometry: &Geometry<B>, square: u8) -> u8 {
    geometry.squares - 1 - square
}
