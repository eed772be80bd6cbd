//! What moves that leave the pair are worth.

use num_traits::Zero;

use super::capture_rules::CaptureRules;
use super::pair_table::{Finished, PairTable};
use super::score::{Score, UnitScores};
use super::source::Units;
use super::subsets::SubsetTables;
use crate::board::{Bits, Geometry, MAX_SQUARES, squares_of};
use crate::index::{Material, Men, Pair, rank_subset};
use crate::rules::{
    Capture, Needs, RuleSet, Turned, visit_first_victims, walk_captures_of, walk_captures_over,
};

/// A finished pair as the side that moves into it sees it.
pub(crate) struct Target<'a, B: Bits> {
    pub table: &'a PairTable<B>,
    /// Whether the first slice of the pair is the other side's: then placements are turned.
    pub flipped: bool,
}

impl<B: Bits> Target<'_, B> {
    /// Half of the pair in which the other side is to move.
    #[inline(always)]
    pub fn side(&self) -> usize {
        !self.flipped as usize
    }

    /// Score, for the other side, of a placement seen by the side that moved. A function of its own for all variants.
    #[inline(never)]
    fn score<S: Score>(&self, after: &Turned<B>, units: &mut Units) -> S {
        let layout = &self.table.layout;
        let (slot, index) = match self.flipped {
            false => layout.index(after),
            true => layout.index(&after.passed(layout.geometry)),
        };
        self.unit(slot, units).get(index)
    }

    /// Scores of a slot, for the other side.
    #[inline(always)]
    pub fn unit<'u>(&'u self, slot: usize, units: &'u mut Units) -> UnitScores<'u> {
        self.table.scores[self.side()].source().unit(slot, self.table.layout.unit_len(), units)
    }

    /// Where the scores lie of placements with one more king of the side that moved.
    #[inline(always)]
    fn row<'s>(
        &'s self,
        subsets: &'s SubsetTables<B>,
        after: &Turned<B>,
        units: &'s mut Units,
    ) -> TargetRow<'s> {
        let layout = &self.table.layout;
        let seen = if self.flipped { after.passed(layout.geometry) } else { *after };
        let slot = layout.slot(Men { own: seen.own_men, opp: seen.opp_men });
        let (a, b) = (rank_subset(seen.own_kings) as usize, rank_subset(seen.opp_kings) as usize);
        let with = subsets.of_size(after.own_kings.count_ones() as u8);
        let scores = self.unit(slot, units);
        match self.flipped {
            false => TargetRow { scores, base: b, ranks: with.with(a), stride: layout.b_sets },
            true => TargetRow { scores, base: a * layout.b_sets, ranks: with.with(b), stride: 1 },
        }
    }
}

/// Placements of a finished pair that differ in one king.
struct TargetRow<'s> {
    scores: UnitScores<'s>,
    base: usize,
    /// Ranks of the kings, by the square of the one.
    ranks: &'s [u32],
    stride: usize,
}

impl TargetRow<'_> {
    /// Calls `sink` with the score for each of these squares, as the side that moved counts them.
    #[inline(always)]
    fn visit<B: Bits, S: Score>(&self, on: B, flipped: bool, mut sink: impl FnMut(u8, S)) {
        let last = self.ranks.len() - 1;
        let index = |square: u8| {
            let square = square as usize;
            self.base
                + self.ranks[if flipped { last - square } else { square }] as usize * self.stride
        };
        match self.scores {
            UnitScores::Narrow(scores) => {
                squares_of(on).for_each(|sq| sink(sq, S::narrow(scores[index(sq)])));
            }
            UnitScores::Wide(scores) => {
                squares_of(on).for_each(|sq| sink(sq, S::wide(scores[index(sq)])));
            }
        }
    }
}

/// What captures of a variant are worth, as a value.
pub(crate) trait CaptureScores<B: Bits>: CaptureRules<B> {
    /// See [`Targets::best_capture`]. Wide scores do for narrow ones too.
    fn best_capture(
        &self,
        targets: &Targets<B>,
        position: &Turned<B>,
        list: &mut Captures<B>,
        units: &mut Units,
    ) -> Option<u16>;
    /// See [`Targets::best_captures_with_king`].
    fn best_captures_with_king(
        &self,
        targets: &Targets<B>,
        subsets: &SubsetTables<B>,
        position: &Turned<B>,
        on: B,
        best: &mut BestCaptures<B>,
        units: &mut Units,
    );
}

/// Captures, with their ranks by the precedence of the rules.
pub(crate) type Captures<B> = Vec<(Capture<B>, u64)>;

/// The best captures of positions that differ in one king of the side to move, by its square.
pub(crate) struct BestCaptures<B> {
    pub scores: [u8; MAX_SQUARES],
    /// Rank by precedence; kept only where the rules have one.
    ranks: [u64; MAX_SQUARES],
    /// Captures of one piece.
    pub list: Captures<B>,
}

impl<B> Default for BestCaptures<B> {
    fn default() -> Self {
        BestCaptures { scores: [0; MAX_SQUARES], ranks: [0; MAX_SQUARES], list: Vec::new() }
    }
}

impl<B: Bits> BestCaptures<B> {
    /// Begins anew for these squares.
    #[inline(always)]
    fn clear(&mut self, on: B) {
        for square in squares_of(on) {
            self.scores[square as usize] = 0;
            self.ranks[square as usize] = 0;
        }
    }

    #[inline(always)]
    fn offer<R: RuleSet>(&mut self, square: u8, rank: u64, score: u8) {
        let best = &mut self.scores[square as usize];
        if R::RULES.precedence.is_empty() {
            *best = score.max(*best);
            return;
        }
        let best_rank = &mut self.ranks[square as usize];
        if rank > *best_rank {
            (*best_rank, *best) = (rank, score);
        } else if rank == *best_rank {
            *best = score.max(*best);
        }
    }
}

/// The pairs that moves of one side lead to, by what the move changes.
pub(crate) struct Targets<'a, B: Bits> {
    geometry: &'static Geometry<B>,
    opp: (usize, usize),
    by_change: Vec<Option<Target<'a, B>>>,
}

impl<'a, B: Bits> Targets<'a, B> {
    /// Finds the pairs for moves by the side to move of `slice`; the first that is missing is the error.
    pub fn new(
        rules: &dyn CaptureRules<B>,
        slice: Material,
        finished: &'a Finished<B>,
    ) -> Result<Self, Pair> {
        let has_kings = rules.rules().has_kings();
        let opp = (slice.opp_kings as usize, slice.opp_men as usize);
        let mut by_change = Vec::new();
        for promoted in 0..=1 {
            for kings in 0..=slice.opp_kings {
                for men in 0..=slice.opp_men {
                    let reached = (promoted <= slice.own_men.min(has_kings as u8))
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
        Ok(Targets { geometry: rules.geometry(), opp, by_change })
    }

    /// Where a move leads that promotes or not and takes so many kings and men; `None` if it leaves the
    /// other side without pieces.
    #[inline(always)]
    pub fn after(&self, promoted: bool, kings: usize, men: usize) -> Option<&Target<'a, B>> {
        let (opp_kings, opp_men) = self.opp;
        let number = (promoted as usize * (opp_kings + 1) + kings) * (opp_men + 1) + men;
        self.by_change[number].as_ref()
    }

    /// Where a capture leads; `None` if it leaves the other side without pieces.
    #[inline(always)]
    fn after_capture(&self, position: &Turned<B>, capture: &Capture<B>) -> Option<&Target<'a, B>> {
        let kings = (capture.taken & position.opp_kings).count_ones() as usize;
        let men = (capture.taken & position.opp_men).count_ones() as usize;
        self.after(capture.is_king && !capture.was_king, kings, men)
    }

    /// Score of a capture, for the side that captures.
    #[inline(always)]
    fn capture_score<R: RuleSet<Bits = B>, S: Score>(
        &self,
        position: &Turned<B>,
        capture: &Capture<B>,
        units: &mut Units,
    ) -> S {
        match self.after_capture(position, capture) {
            Some(target) => target.score(&position.captured(capture), units),
            None => S::of::<R::Quiet>(R::RULES.no_move.value()),
        }
        .before_move::<R::Quiet>()
    }

    /// Best score of a capture, for the side that captures; `None` if there is no capture.
    #[inline(always)]
    pub fn best_capture<R: RuleSet<Bits = B>>(
        &self,
        position: &Turned<B>,
        list: &mut Captures<B>,
        units: &mut Units,
    ) -> Option<u16> {
        let pieces = squares_of(position.own_men).map(|from| (from, false));
        let pieces = pieces.chain(squares_of(position.own_kings).map(|from| (from, true)));
        let mut best: Option<(u64, u16)> = None;
        for piece in pieces {
            captures_of::<R>(self.geometry, position, piece, list);
            best = best.max(self.best_of::<R, u16>(position, list, units));
        }
        best.map(|(_, score)| score)
    }

    /// [`Targets::best_capture`] of all positions with one more king of the side to move on each of the squares `on`,
    /// all of which have a capture.
    #[inline(always)]
    pub fn best_captures_with_king<R: RuleSet<Bits = B>>(
        &self,
        subsets: &SubsetTables<B>,
        position: &Turned<B>,
        on: B,
        best: &mut BestCaptures<B>,
        units: &mut Units,
    ) {
        let geometry = self.geometry;
        best.clear(on);
        // What the one more king takes depends on its first victim alone.
        visit_first_victims::<R>(geometry, position, &mut |victim, direction, from| {
            let from = from & on;
            if from.is_zero() {
                return;
            }
            best.list.clear();
            walk_captures_over::<R, _, _>(
                geometry,
                position,
                victim,
                direction,
                &mut Needs(B::zero()),
                &mut pushing(&mut best.list),
            );
            if let Some((rank, score)) = self.best_of::<R, u8>(position, &best.list, units) {
                squares_of(from).for_each(|square| best.offer::<R>(square, rank, score));
            }
        });
        // What the other pieces take does not depend on it, but where it is in the way.
        for from in squares_of(position.own_men) {
            self.best_captures_of::<R>(subsets, position, (from, false), on, (best, units));
        }
        for from in squares_of(position.own_kings) {
            self.best_captures_of::<R>(subsets, position, (from, true), on, (best, units));
        }
    }

    /// The part of [`Targets::best_captures_with_king`] that the piece on `from` takes.
    #[inline(always)]
    fn best_captures_of<R: RuleSet<Bits = B>>(
        &self,
        subsets: &SubsetTables<B>,
        position: &Turned<B>,
        piece: (u8, bool),
        on: B,
        (best, units): (&mut BestCaptures<B>, &mut Units),
    ) {
        let geometry = self.geometry;
        let mut list = std::mem::take(&mut best.list);
        let needs = captures_of::<R>(geometry, position, piece, &mut list);
        if !list.is_empty() {
            for (capture, rank) in &list {
                let on = on & !needs;
                match self.after_capture(position, capture) {
                    Some(target) => {
                        let row = target.row(subsets, &position.captured(capture), units);
                        row.visit(on, target.flipped, |square, score: u8| {
                            best.offer::<R>(square, *rank, score.before_move::<R::Quiet>());
                        });
                    }
                    None => {
                        let score = u8::of::<R::Quiet>(R::RULES.no_move.value());
                        let score = score.before_move::<R::Quiet>();
                        squares_of(on).for_each(|square| best.offer::<R>(square, *rank, score));
                    }
                }
            }
            for square in squares_of(on & needs) {
                let mut position = *position;
                position.own_kings = position.own_kings | B::bit(square);
                captures_of::<R>(geometry, &position, piece, &mut list);
                if let Some((rank, score)) = self.best_of::<R, u8>(&position, &list, units) {
                    best.offer::<R>(square, rank, score);
                }
            }
        }
        best.list = list;
    }

    /// Best score of some captures among those that rank highest, with the rank.
    #[inline(always)]
    fn best_of<R: RuleSet<Bits = B>, S: Score>(
        &self,
        position: &Turned<B>,
        captures: &[(Capture<B>, u64)],
        units: &mut Units,
    ) -> Option<(u64, S)> {
        let rank = match R::RULES.precedence.is_empty() {
            true => 0,
            false => captures.iter().map(|&(_, rank)| rank).max()?,
        };
        let best = captures.iter().filter(|capture| capture.1 == rank);
        best.map(|(capture, _)| self.capture_score::<R, S>(position, capture, units))
            .max()
            .map(|score| (rank, score))
    }
}

/// Puts captures into a list.
fn pushing<B: Bits, T>(list: &mut Captures<B>) -> impl FnMut(&Capture<B>, u64, &T) {
    |&capture, rank, _| list.push((capture, rank))
}

/// Lists the captures of the piece on a square, with their ranks, and returns the squares that have to be empty for them.
fn captures_of<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    piece: (u8, bool),
    list: &mut Captures<R::Bits>,
) -> R::Bits {
    list.clear();
    let mut needs = Needs(R::Bits::zero());
    walk_captures_of::<R, _, _>(geometry, position, piece, &mut needs, &mut pushing(list));
    needs.0
}
