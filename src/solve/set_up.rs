//! First look at the positions of a unit: captures, counts of moves, finished games.

use std::ops::Range;

use super::buckets::Buckets;
use super::captures::{BestCaptures, Captures};
use super::open_rows::Rows;
use super::score::Score;
use super::source::Units;
use super::subsets::{Row, free_of};
use super::unit::{Both, PairContext, Unit, turned_square};
use crate::board::{Bits, squares_of};
use crate::index::MOST_PIECES;
use crate::rules::{QuietRules, Turned, UnitKind, king_reach};

/// Some positions of a unit with one side to move.
struct Positions<'a, S> {
    /// Index of the first.
    start: usize,
    scores: &'a mut [S],
    buckets: &'a mut Buckets,
}

impl<S: Score> Positions<'_, S> {
    #[inline(always)]
    fn put(&mut self, index: usize, score: S) {
        self.scores[index - self.start] = score;
    }

    #[inline(always)]
    fn get(&self, index: usize) -> S {
        self.scores[index - self.start]
    }
}

impl<B: Bits> Unit<'_, B> {
    /// The rows of positions with a side to move that have a king set of A in `row`: ranks of the other side's king sets, and the rows of
    /// the own kings with each of them. See [`Unit::first_of`].
    #[inline(always)]
    fn rows_of<'r>(&'r self, side: usize, row: &'r Row<B>) -> (Range<usize>, &'r [Row<B>]) {
        match side {
            0 => (0..self.b.sets.len(), std::slice::from_ref(row)),
            _ => (row.first..row.first + row.len, &self.b.rows),
        }
    }

    /// Index of the first position of such a row, and how far it is from one to the next, if those of its placement of men begin at `base`.
    #[inline(always)]
    fn first_of(&self, side: usize, base: usize, opp: usize, row: &Row<B>) -> (usize, usize) {
        let width = self.b.sets.len();
        match side {
            0 => (base + row.first * width + opp, width),
            _ => (base + opp * width + row.first, 1),
        }
    }

    /// Captures, counts of moves inside the unit and finished games, in rows, for the king sets of A in one of them. `scores` begin there.
    #[inline(always)]
    pub(super) fn set_up_rows<Q: QuietRules<Bits = B>>(
        &self,
        row: &Row<B>,
        scores: Both<u8>,
        tallies: [&mut Rows<B>; 2],
        buckets: &mut Buckets,
        (best, units): (&mut BestCaptures<B>, &mut Units),
    ) {
        let start = row.first * self.b.sets.len();
        let first = self.context.layout.pair.first();
        for (side, (scores, tally)) in scores.into_iter().zip(tallies).enumerate() {
            let own_kings = if side == 0 { first.own_kings } else { first.opp_kings };
            let positions = &mut Positions { start, scores, buckets };
            let (opps, rows) = self.rows_of(side, row);
            for opp in opps {
                for row in rows {
                    let at = self.first_of(side, 0, opp, row);
                    if own_kings > 0 {
                        self.set_up_row::<Q>(side, (row, opp), at, positions, tally, (best, units));
                    } else {
                        let list = (&mut best.list, &mut *units);
                        self.set_up_one::<Q, u8>(side, 0, (row.first, opp), at.0, positions, list);
                    }
                }
            }
        }
    }

    /// The same position by position, for one placement of men. `open` takes the number of moves inside the unit of each position, 0 where its score is
    /// final.
    #[inline(never)]
    pub(super) fn set_up_singles<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        (place, row): (usize, &Row<B>),
        scores: Both<S>,
        open: Both<u8>,
        buckets: &mut Buckets,
        (list, units): (&mut Captures<B>, &mut Units),
    ) {
        let base = place * self.a.sets.len() * self.b.sets.len();
        let start = base + row.first * self.b.sets.len();
        for (side, (scores, open)) in scores.into_iter().zip(open).enumerate() {
            let positions = &mut Positions { start, scores, buckets };
            let (opps, rows) = self.rows_of(side, row);
            for opp in opps {
                for row in rows {
                    let (begin, stride) = self.first_of(side, base, opp, row);
                    for nth in 0..row.len {
                        let (own, index) = (row.first + nth, begin + nth * stride);
                        let list = (&mut *list, &mut *units);
                        open[index - start] = self.set_up_one::<Q, S>(
                            side,
                            place,
                            (own, opp),
                            index,
                            positions,
                            list,
                        );
                    }
                }
            }
        }
    }

    /// [`Unit::set_up_rows`] for the positions that differ in the lowest king of the side to move, which stand in a row from `first` on.
    #[inline(always)]
    fn set_up_row<Q: QuietRules<Bits = B>>(
        &self,
        side: usize,
        (row, opp_rank): (&Row<B>, usize),
        (first, stride): (usize, usize),
        positions: &mut Positions<u8>,
        tally: &mut Rows<B>,
        (best, units): (&mut BestCaptures<B>, &mut Units),
    ) {
        let PairContext { captures, geometry, targets, subsets, .. } = self.context;
        let place = &self.places[0];
        let opp_kings = if side == 0 { self.b.sets[opp_rank] } else { self.a.sets[opp_rank] };
        let taken = place.occupied | opp_kings;
        let all = B::first(row.len as u8);
        let free = match free_of(row.rest, taken) && free_of(opp_kings, place.occupied) {
            true => all & !(taken | row.rest),
            false => B::zero(),
        };
        let index = |square: u8| first + square as usize * stride;
        for square in squares_of(all ^ free) {
            positions.put(index(square), u8::BEST);
        }
        if free.is_zero() {
            return;
        }
        let view = |set: B| if side == 0 { set } else { geometry.turn(set) };
        let men = place.seen_by(side);
        let rest = Turned {
            own_men: men.own,
            own_kings: view(row.rest),
            opp_men: men.opp,
            opp_kings: view(opp_kings),
        };
        let seen = captures.captures_with_king(&rest, view(free));
        if !seen.is_zero() {
            let targets = &targets[side];
            captures.best_captures_with_king(targets, subsets, &rest, seen, best, units);
            for square in squares_of(seen) {
                let score = best.scores[square as usize];
                let square = if side == 0 { square } else { turned_square(geometry, square) };
                let index = index(square);
                positions.put(index, score);
                self.settle::<Q, u8>(side, score, 0, index, positions.buckets);
            }
        }
        let quiet = free & !view(seen);
        if quiet.is_zero() {
            return;
        }
        let occupied = taken | row.rest;
        let mut moves = [0; MOST_PIECES as usize];
        let mut all_moves = 0;
        let mut crossed = B::zero();
        for (from, moves) in squares_of(row.rest).zip(&mut moves) {
            let reach = king_reach::<Q>(geometry, from, occupied);
            *moves = reach.count_ones() as u8;
            all_moves += reach.count_ones();
            crossed = crossed | reach;
        }
        let row_moves = moves;
        for square in squares_of(quiet) {
            let occupied = occupied | B::bit(square);
            let own = king_reach::<Q>(geometry, square, occupied).count_ones();
            let mut open = own + all_moves;
            if crossed.contains(square) {
                open = own;
                for (from, moves) in squares_of(row.rest).zip(&mut moves) {
                    let reach = king_reach::<Q>(geometry, from, occupied).count_ones();
                    *moves = reach as u8;
                    open += reach;
                }
            } else if !row.rest.is_zero() {
                moves = row_moves;
            }
            let index = index(square);
            let mut score = positions.get(index);
            if open == 0 && !has_man_move(self.context, rest.own_men, view(occupied)) {
                score = u8::of::<Q>(Q::NO_MOVE.value());
            }
            positions.put(index, score);
            if open > 0 {
                tally.put_kings(subsets, row, opp_rank, square, own as u8, &moves);
            }
            self.settle::<Q, u8>(side, score, open, index, positions.buckets);
        }
    }

    /// Number of quiet moves of some kings.
    #[inline(always)]
    fn king_moves<Q: QuietRules<Bits = B>>(&self, kings: B, occupied: B) -> u32 {
        let reach = |from| king_reach::<Q>(self.context.geometry, from, occupied).count_ones();
        squares_of(kings).map(reach).sum()
    }

    /// Number of quiet moves inside the unit of some men.
    #[inline(always)]
    fn man_moves_inside<Q: QuietRules<Bits = B>>(&self, men: B, occupied: B) -> u32 {
        let mut moves = 0;
        if Q::UNIT == UnitKind::Placement {
            return moves;
        }
        let rules = self.context.rules;
        for &direction in rules.man_moves {
            if rules.man_returns(direction) {
                for from in squares_of(men) {
                    let target = self.context.geometry.step[direction as usize][from as usize];
                    moves += (target & !occupied).count_ones();
                }
            }
        }
        moves
    }

    /// [`Unit::set_up_singles`] for one position, with these ranks of the kings of the side to move and of the other. Returns the number of moves
    /// inside the unit, or 0 if its score is now final.
    #[inline(always)]
    fn set_up_one<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        side: usize,
        place: usize,
        (own, opp): (usize, usize),
        index: usize,
        positions: &mut Positions<S>,
        list: (&mut Captures<B>, &mut Units),
    ) -> u8 {
        let place = &self.places[place];
        let (a, b) = if side == 0 { (own, opp) } else { (opp, own) };
        let (a_kings, b_kings) = (self.a.sets[a], self.b.sets[b]);
        let taken = place.occupied | a_kings;
        if !free_of(a_kings, place.occupied) || !free_of(b_kings, taken) {
            positions.put(index, S::BEST);
            return 0;
        }
        let position = Turned {
            own_men: place.men.own,
            own_kings: a_kings,
            opp_men: place.men.opp,
            opp_kings: b_kings,
        };
        let position = if side == 0 { position } else { position.passed(self.context.geometry) };
        let mut score = positions.get(index);
        let buckets = &mut *positions.buckets;
        let open = self.begin::<Q, S>(side, &position, index, &mut score, buckets, list);
        positions.put(index, score);
        open
    }

    /// First look at a position, whose score already is the best of its quiet moves out of the unit. Returns the number of
    /// those inside, or 0 if its score is now final.
    #[inline(always)]
    fn begin<Q: QuietRules<Bits = B>, S: Score>(
        &self,
        side: usize,
        position: &Turned<B>,
        index: usize,
        score: &mut S,
        buckets: &mut Buckets,
        (list, units): (&mut Captures<B>, &mut Units),
    ) -> u8 {
        let PairContext { captures, targets, .. } = self.context;
        let mut open = 0;
        if let Some(best) = captures.best_capture(&targets[side], position, list, units) {
            *score = S::wide(best);
        } else {
            let occupied = position.occupied();
            open = self.king_moves::<Q>(position.own_kings, occupied);
            open += self.man_moves_inside::<Q>(position.own_men, occupied);
            if open == 0 && !has_man_move(self.context, position.own_men, occupied) {
                *score = S::of::<Q>(Q::NO_MOVE.value());
            }
        }
        self.settle::<Q, S>(side, *score, open, index, buckets)
    }

    /// Puts a position that may be final among those that wait for their distance. Returns the number of moves inside the unit.
    #[inline(always)]
    fn settle<Q: QuietRules, S: Score>(
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
            buckets.push::<Q, S>(self.context.longest, score, side, index);
        }
        u8::try_from(open).expect("fewer than 256 moves of the pieces that are indexed")
    }
}

/// Whether a man of the side to move has a quiet move.
#[inline(always)]
fn has_man_move<B: Bits>(context: &PairContext<B>, men: B, occupied: B) -> bool {
    let PairContext { rules, geometry, .. } = context;
    squares_of(men).any(|from| {
        rules.man_moves.iter().any(|&direction| {
            !(geometry.step[direction as usize][from as usize] & !occupied).is_zero()
        })
    })
}
