//! First look at the positions of a unit: captures, counts of moves, finished games.

use num_traits::{PrimInt, Zero};

use super::buckets::Buckets;
use super::captures::{BestCaptures, Captures, has_man_move, turned_square};
use super::pair_table::free_of;
use super::score::Score;
use super::shelf::Units;
use super::subsets::{Row, SubsetTables};
use super::unit::{Both, PairContext, Place, Unit};
use crate::board::{Bits, squares_of};
use crate::index::MOST_PIECES;
use crate::rules::{RuleSet, Turned, UnitKind, captures_with_king, king_reach};

/// Keeps the quiet moves inside the unit that are not yet known to lose, for one side to move.
pub(super) trait Tally<B> {
    /// Whether positions are looked at in rows.
    const IN_ROWS: bool;

    /// Number of moves of a position, by its index.
    fn put(&mut self, index: usize, moves: u8) {
        let _ = (index, moves);
    }
    /// Numbers of moves of the kings of a position: of the one on `square`, and of the rest of the row's in their order.
    fn put_kings(
        &mut self,
        subsets: &SubsetTables<B>,
        row: &Row<B>,
        opp_rank: usize,
        square: u8,
        own: u8,
        rest: &[u8],
    ) {
        let _ = (subsets, row, opp_rank, square, own, rest);
    }
}

/// Some positions of a unit with one side to move.
struct Positions<'a, S, T> {
    /// Index of the first.
    start: usize,
    scores: &'a mut [S],
    tally: &'a mut T,
    buckets: &'a mut Buckets,
}

impl<S, T> Positions<'_, S, T> {
    #[inline(always)]
    fn put<B>(&mut self, index: usize, score: S, moves: u8)
    where
        T: Tally<B>,
    {
        self.scores[index - self.start] = score;
        self.tally.put(index, moves);
    }
}

impl<R: RuleSet> Unit<'_, R> {
    /// Captures, counts of moves inside the unit and finished games, for the king sets of A in one row. `scores` begin there.
    #[inline(always)]
    pub(super) fn set_up<S: Score, T: Tally<R::Bits>>(
        &self,
        place: usize,
        row: &Row<R::Bits>,
        scores: Both<S>,
        tallies: [&mut T; 2],
        buckets: &mut Buckets,
        (best, units): (&mut BestCaptures<R::Bits, S>, &mut Units),
    ) {
        let width = self.b.sets.len();
        let start = (place * self.a.sets.len() + row.first) * width;
        let place = &self.places[place];
        let first = self.context.layout.pair.first();
        for side in 0..2 {
            let (own_kings, opps, rows) = match side {
                0 => (first.own_kings, 0..width, std::slice::from_ref(row)),
                _ => (first.opp_kings, row.first..row.first + row.len, &self.b.rows[..]),
            };
            let (scores, tally) = (&mut *scores[side], &mut *tallies[side]);
            let mut positions = Positions { start, scores, tally, buckets };
            for opp in opps {
                let (begin, stride) = match side {
                    0 => (start + opp, width),
                    _ => (start + (opp - row.first) * width, 1),
                };
                for row in rows {
                    // A row of A begins where its scores do.
                    let begin = if side == 0 { begin } else { begin + row.first };
                    if T::IN_ROWS && own_kings > 0 {
                        self.set_up_row(
                            side,
                            place,
                            (row, opp),
                            (begin, stride),
                            &mut positions,
                            (best, units),
                        );
                        continue;
                    }
                    for nth in 0..row.len {
                        let (a, b) = match side {
                            0 => (row.first + nth, opp),
                            _ => (opp, row.first + nth),
                        };
                        let index = begin + nth * stride;
                        let list = (&mut best.list, &mut *units);
                        self.set_up_one(side, place, (a, b), index, &mut positions, list);
                    }
                }
            }
        }
    }

    /// [`Unit::set_up`] for the positions that differ in the lowest king of the side to move, which stand in a row from `first` on.
    #[inline(always)]
    fn set_up_row<S: Score, T: Tally<R::Bits>>(
        &self,
        side: usize,
        place: &Place<R::Bits>,
        (row, opp_rank): (&Row<R::Bits>, usize),
        (first, stride): (usize, usize),
        positions: &mut Positions<S, T>,
        (best, units): (&mut BestCaptures<R::Bits, S>, &mut Units),
    ) {
        let PairContext { geometry, targets, subsets, .. } = self.context;
        let opp_kings = if side == 0 { self.b.sets[opp_rank] } else { self.a.sets[opp_rank] };
        let taken = place.occupied | opp_kings;
        let all = R::Bits::first(row.len as u8);
        let free = match free_of(row.rest, taken) && free_of(opp_kings, place.occupied) {
            true => all & !(taken | row.rest),
            false => R::Bits::zero(),
        };
        let index = |square: u8| first + square as usize * stride;
        for square in squares_of(all ^ free) {
            positions.put(index(square), S::BEST, 0);
        }
        if free.is_zero() {
            return;
        }
        let view = |set: R::Bits| if side == 0 { set } else { geometry.turn(set) };
        let men = place.seen_by(side);
        let rest = Turned {
            own_men: men.own,
            own_kings: view(row.rest),
            opp_men: men.opp,
            opp_kings: view(opp_kings),
        };
        let seen = captures_with_king::<R>(geometry, &rest, view(free));
        if !seen.is_zero() {
            targets[side].best_captures_with_king(geometry, subsets, &rest, seen, best, units);
            for square in squares_of(seen) {
                let score = best.scores[square as usize];
                let square = if side == 0 { square } else { turned_square(geometry, square) };
                let index = index(square);
                positions.put(index, score, 0);
                self.settle(side, score, 0, index, positions.buckets);
            }
        }
        let quiet = free & !view(seen);
        if quiet.is_zero() {
            return;
        }
        let occupied = taken | row.rest;
        let mut moves = [0; MOST_PIECES as usize];
        let mut all_moves = 0;
        let mut crossed = R::Bits::zero();
        for (from, moves) in squares_of(row.rest).zip(&mut moves) {
            let reach = king_reach::<R>(geometry, from, occupied);
            *moves = reach.count_ones() as u8;
            all_moves += reach.count_ones();
            crossed = crossed | reach;
        }
        let row_moves = moves;
        for square in squares_of(quiet) {
            let occupied = occupied | R::Bits::bit(square);
            let own = king_reach::<R>(geometry, square, occupied).count_ones();
            let mut open = own + all_moves;
            if crossed.contains(square) {
                open = own;
                for (from, moves) in squares_of(row.rest).zip(&mut moves) {
                    let reach = king_reach::<R>(geometry, from, occupied).count_ones();
                    *moves = reach as u8;
                    open += reach;
                }
            } else if !row.rest.is_zero() {
                moves = row_moves;
            }
            let kings = open;
            let index = index(square);
            let mut score = positions.scores[index - positions.start];
            if R::RULES.unit() != UnitKind::Placement || open == 0 {
                let occupied = view(occupied);
                open += self.man_moves_inside(rest.own_men, occupied);
                if open == 0 && !has_man_move::<R>(geometry, rest.own_men, occupied) {
                    score = S::of::<R>(R::RULES.no_move.value());
                }
            }
            positions.put(index, score, open as u8);
            if kings > 0 {
                positions.tally.put_kings(subsets, row, opp_rank, square, own as u8, &moves);
            }
            self.settle(side, score, open, index, positions.buckets);
        }
    }

    /// Number of quiet moves of some kings.
    #[inline(always)]
    fn king_moves(&self, kings: R::Bits, occupied: R::Bits) -> u32 {
        let reach = |from| king_reach::<R>(self.context.geometry, from, occupied).count_ones();
        squares_of(kings).map(reach).sum()
    }

    /// Number of quiet moves inside the unit of some men.
    #[inline(always)]
    fn man_moves_inside(&self, men: R::Bits, occupied: R::Bits) -> u32 {
        let mut moves = 0;
        if R::RULES.unit() == UnitKind::Placement {
            return moves;
        }
        for &direction in R::RULES.man_moves {
            if R::RULES.man_returns(direction) {
                for from in squares_of(men) {
                    let target = self.context.geometry.step[direction as usize][from as usize];
                    moves += (target & !occupied).count_ones();
                }
            }
        }
        moves
    }

    /// [`Unit::set_up`] for one position, with these ranks of the kings of A and of B.
    #[inline(always)]
    fn set_up_one<S: Score, T: Tally<R::Bits>>(
        &self,
        side: usize,
        place: &Place<R::Bits>,
        (a, b): (usize, usize),
        index: usize,
        positions: &mut Positions<S, T>,
        list: (&mut Captures<R::Bits>, &mut Units),
    ) {
        let (a_kings, b_kings) = (self.a.sets[a], self.b.sets[b]);
        let taken = place.occupied | a_kings;
        if !free_of(a_kings, place.occupied) || !free_of(b_kings, taken) {
            positions.put(index, S::BEST, 0);
            return;
        }
        let position = Turned {
            own_men: place.men.own,
            own_kings: a_kings,
            opp_men: place.men.opp,
            opp_kings: b_kings,
        };
        let position = if side == 0 { position } else { position.passed(self.context.geometry) };
        let mut score = positions.scores[index - positions.start];
        let open = self.begin(side, &position, index, &mut score, positions.buckets, list);
        positions.put(index, score, open);
    }

    /// First look at a position, whose score already is the best of its quiet moves out of the unit. Returns the number of
    /// those inside, or 0 if its score is now final.
    #[inline(always)]
    fn begin<S: Score>(
        &self,
        side: usize,
        position: &Turned<R::Bits>,
        index: usize,
        score: &mut S,
        buckets: &mut Buckets,
        (list, units): (&mut Captures<R::Bits>, &mut Units),
    ) -> u8 {
        let PairContext { geometry, targets, .. } = self.context;
        let mut open = 0;
        if let Some(best) = targets[side].best_capture(geometry, position, list, units) {
            *score = best;
        } else {
            let occupied = position.occupied();
            open = self.king_moves(position.own_kings, occupied);
            open += self.man_moves_inside(position.own_men, occupied);
            if open == 0 && !has_man_move::<R>(geometry, position.own_men, occupied) {
                *score = S::of::<R>(R::RULES.no_move.value());
            }
        }
        self.settle(side, *score, open, index, buckets)
    }

    /// Puts a position that may be final among those that wait for their distance. Returns the number of moves inside the unit.
    #[inline(always)]
    fn settle<S: Score>(
        &self,
        side: usize,
        score: S,
        open: u32,
        index: usize,
        buckets: &mut Buckets,
    ) -> u8 {
        // An open position with a move out of the unit that wins may yet win sooner by one inside; one that
        // has found no win waits for those.
        if if open == 0 { score.is_decided() } else { score.is_win() } {
            buckets.push::<R, S>(self.context.longest, score, side, index);
        }
        u8::try_from(open).expect("fewer than 256 moves of the pieces that are indexed")
    }
}
