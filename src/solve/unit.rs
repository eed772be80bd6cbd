//! One unit: all placements of the kings around one placement of the men, both sides to move.

use std::cell::Cell;

use num_traits::{PrimInt, Zero};
use rayon::prelude::*;

use super::captures::{Targets, has_man_move, turned_square};
use super::pair_table::{Captures, Layout, Scores, free_of};
use super::score::{Score, Slot};
use super::subsets::{SubsetTables, Subsets};
use crate::board::{Bits, Geometry, squares_of};
use crate::index::Men;
use crate::rules::{RuleSet, Turned, UnitKind, king_reach};

impl<B: Bits> Place<B> {
    /// Men as the given side sees them.
    #[inline(always)]
    fn seen_by(&self, side: usize) -> Men<B> {
        if side == 0 { self.men } else { self.turned }
    }
}

/// Everything about a pair that its units share.
pub(crate) struct PairContext<'a, R: RuleSet> {
    pub geometry: &'static Geometry<R::Bits>,
    pub layout: &'a Layout<R::Bits>,
    pub subsets: &'a SubsetTables<R::Bits>,
    /// Where moves of each side lead.
    pub targets: [Targets<'a, R>; 2],
    /// Placements with captures, for either side to move, are entered here.
    pub captures: &'a [Captures; 2],
    /// Longest half distance that scores may take.
    pub longest: u16,
}

/// A decided distance is longer than the scores can hold.
#[derive(Debug)]
pub(crate) struct TooLong;

/// Positions waiting for their distance to come up, by plies. Bit 31 is the side to move.
#[derive(Default)]
pub(crate) struct Buckets {
    lists: Vec<Vec<u32>>,
    too_long: bool,
}

const SIDE_BIT: u32 = 31;

/// Most placements of a unit: they are numbered beside the side to move.
pub(crate) const MAX_UNIT_LEN: usize = 1 << SIDE_BIT;

impl Buckets {
    #[inline(always)]
    fn push<R: RuleSet, S: Score>(&mut self, longest: u16, score: S, side: usize, index: usize) {
        self.too_long |= score.half() > longest;
        let plies = score.plies::<R>();
        if plies >= self.lists.len() {
            self.lists.resize_with(plies + 1, Vec::new);
        }
        self.lists[plies].push((side as u32) << SIDE_BIT | index as u32);
    }

    fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
        self.too_long = false;
    }

    fn append(&mut self, other: Buckets) {
        self.too_long |= other.too_long;
        if other.lists.len() > self.lists.len() {
            self.lists.resize_with(other.lists.len(), Vec::new);
        }
        for (list, mut more) in self.lists.iter_mut().zip(other.lists) {
            list.append(&mut more);
        }
    }
}

/// What one worker needs for a unit, kept between units.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Quiet moves inside the unit that are not yet known to lose, by side to move and placement; 0 where the score is final.
    open: [Vec<u8>; 2],
    buckets: Buckets,
}

/// Rows of scores or counts with either side to move.
type Both<'a, T> = [&'a mut [T]; 2];

/// One placement of men.
struct Place<B> {
    men: Men<B>,
    /// As the other side sees them.
    turned: Men<B>,
    occupied: B,
}

/// One unit of the pair: all placements of the kings around one or several placements of the men, one after the other.
pub(crate) struct Unit<'a, R: RuleSet> {
    context: &'a PairContext<'a, R>,
    places: Vec<Place<R::Bits>>,
    /// Slot of the first placement of men.
    first_slot: usize,
    a: &'a Subsets<R::Bits>,
    b: &'a Subsets<R::Bits>,
}

impl<'a, R: RuleSet> Unit<'a, R> {
    /// The unit of these placements of men, by their numbers; they lie in consecutive slots.
    pub fn new(context: &'a PairContext<'a, R>, places: &[u32]) -> Self {
        let PairContext { geometry, layout, .. } = context;
        let first = layout.pair.first();
        let place = |&number: &u32| {
            let men = layout.men.unrank(number.into());
            Place { men, turned: men.turned(geometry), occupied: men.own | men.opp }
        };
        Unit {
            context,
            places: places.iter().map(place).collect(),
            first_slot: layout.slots[places[0] as usize] as usize,
            a: context.subsets.of_size(first.own_kings),
            b: context.subsets.of_size(first.opp_kings),
        }
    }

    /// Solves the unit. `scores` are its rows, all zero; `done` the scores of all units before it.
    pub fn solve<S: Score>(
        &self,
        done: [&[S]; 2],
        scores: Both<S>,
        scratch: &mut Scratch,
    ) -> Result<(), TooLong> {
        let [scores_a, scores_b] = scores;
        let Scratch { open: [open_a, open_b], buckets } = scratch;
        buckets.clear();
        for open in [&mut *open_a, &mut *open_b] {
            open.resize(scores_a.len(), 0);
        }
        self.man_moves(0, done[1], scores_a);
        self.man_moves(1, done[0], scores_b);
        let rows = 0..self.places.len() * self.a.sets.len();
        self.set_up(rows, [scores_a, scores_b], [open_a, open_b], buckets);
        {
            let scores = [cells(scores_a), cells(scores_b)];
            let open = [cells(open_a), cells(open_b)];
            let mut plies = 0;
            while plies < buckets.lists.len() && !buckets.too_long {
                let mut list = std::mem::take(&mut buckets.lists[plies]);
                for &entry in &list {
                    self.take_back(entry, plies, scores, open, buckets);
                }
                list.clear();
                buckets.lists[plies] = list;
                plies += 1;
            }
        }
        if buckets.too_long {
            return Err(TooLong);
        }
        leave_draws(scores_a, open_a);
        leave_draws(scores_b, open_b);
        Ok(())
    }

    /// Like [`Unit::solve`], with all threads of the pool at work on the one unit. `stop` is asked between distances.
    pub fn solve_in_parallel<S: Score>(
        &self,
        done: [&[S]; 2],
        scores: Both<S>,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), TooLong> {
        let [scores_a, scores_b] = scores;
        rayon::join(
            || self.man_moves(0, done[1], scores_a),
            || self.man_moves(1, done[0], scores_b),
        );
        let mut open_a = vec![0u8; scores_a.len()];
        let mut open_b = vec![0u8; scores_b.len()];
        let rows = self.b.sets.len();
        let mut buckets = scores_a
            .par_chunks_mut(rows)
            .zip(scores_b.par_chunks_mut(rows))
            .zip(open_a.par_chunks_mut(rows).zip(open_b.par_chunks_mut(rows)))
            .enumerate()
            .fold(Buckets::default, |mut buckets, (a, ((sa, sb), (oa, ob)))| {
                self.set_up(a..a + 1, [sa, sb], [oa, ob], &mut buckets);
                buckets
            })
            .reduce(Buckets::default, |mut x, y| {
                x.append(y);
                x
            });

        let shared_scores = [share(scores_a), share(scores_b)];
        let shared_scores = [&shared_scores[0][..], &shared_scores[1][..]];
        let shared_open = [share::<u8>(&open_a), share::<u8>(&open_b)];
        let shared_open = [&shared_open[0][..], &shared_open[1][..]];
        let mut plies = 0;
        while plies < buckets.lists.len() && !buckets.too_long && !stop() {
            let list = std::mem::take(&mut buckets.lists[plies]);
            let found = list.par_chunks(1 << 12).fold(Buckets::default, |mut buckets, entries| {
                for &entry in entries {
                    self.take_back(entry, plies, shared_scores, shared_open, &mut buckets);
                }
                buckets
            });
            let found: Vec<Buckets> = found.collect();
            found.into_iter().for_each(|more| buckets.append(more));
            plies += 1;
        }
        if buckets.too_long {
            return Err(TooLong);
        }
        for (scores, shared) in
            [(&mut *scores_a, shared_scores[0]), (&mut *scores_b, shared_scores[1])]
        {
            scores.par_iter_mut().zip(shared).for_each(|(score, shared)| *score = shared.get());
        }
        for (open, shared) in [(&mut open_a, shared_open[0]), (&mut open_b, shared_open[1])] {
            open.par_iter_mut().zip(shared).for_each(|(open, shared)| *open = shared.get());
        }
        leave_draws(scores_a, &open_a);
        leave_draws(scores_b, &open_b);
        Ok(())
    }

    /// Takes the quiet moves of all men of a side out of the unit into the scores, the kings wherever they stand.
    ///
    /// A man move keeps all kings, so the results for a whole unit lie in one run, in the same order. Placements with
    /// a king in the way of the move are not positions after it, and hold a value that counts least.
    #[inline(always)]
    fn man_moves<S: Score>(&self, side: usize, done: &[S], scores: &mut [S]) {
        let len = self.context.layout.unit_len();
        for (place, scores) in self.places.iter().zip(scores.chunks_exact_mut(len)) {
            self.man_moves_of(place, side, done, scores);
        }
    }

    /// [`Unit::man_moves`] for one placement of men.
    #[inline(always)]
    fn man_moves_of<S: Score>(
        &self,
        place: &Place<R::Bits>,
        side: usize,
        done: &[S],
        scores: &mut [S],
    ) {
        let PairContext { geometry, layout, .. } = self.context;
        let mine = place.seen_by(side);
        for from in squares_of(mine.own) {
            for &direction in R::RULES.man_moves {
                if R::RULES.man_returns(direction) {
                    continue;
                }
                let target =
                    geometry.step[direction as usize][from as usize] & !(mine.own | mine.opp);
                if target.is_zero() {
                    continue;
                }
                let rest = mine.own ^ R::Bits::bit(from);
                if !R::RULES.has_kings() || (target & geometry.last_row).is_zero() {
                    let men = Men { own: rest | target, opp: mine.opp };
                    let base = layout.base(self.in_pair(side, men));
                    let next = &done[base..base + scores.len()];
                    for (score, next) in scores.iter_mut().zip(next) {
                        *score = (*score).max(next.before_move::<R>());
                    }
                } else {
                    self.promotions(side, Men { own: rest, ..mine }, target.lowest(), scores);
                }
            }
        }
    }

    /// Men seen by a side, in the coordinates of the pair.
    #[inline(always)]
    fn in_pair(&self, side: usize, men: Men<R::Bits>) -> Men<R::Bits> {
        match side {
            0 => men,
            _ => men.turned(self.context.geometry),
        }
    }

    /// Takes a promotion on `to` into the scores, `men` being the men that are left, as the side that moves sees them.
    fn promotions<S: Score>(&self, side: usize, men: Men<R::Bits>, to: u8, scores: &mut [S]) {
        let PairContext { geometry, targets, subsets, .. } = self.context;
        let target = targets[side].after(true, 0, 0).expect("the other side keeps its pieces");
        let layout = &target.table.layout;
        // Whether the coordinates of the target are ours turned.
        let swapped = (side == 1) != target.flipped;
        let men = self.in_pair(side, men);
        let base = layout.base(if swapped { men.turned(geometry) } else { men });
        let to = if side == 0 { to } else { turned_square(geometry, to) };
        // Ranks after the promotion in the coordinates of the target.
        let ranks = |mover: bool, sets: &Subsets<R::Bits>, larger: Option<&Subsets<R::Bits>>| {
            let rank = |rank: usize| {
                let after = if mover { sets.with(rank)[to as usize] as usize } else { rank };
                let after_sets =
                    if mover { larger.expect("sets with one king more") } else { sets };
                if swapped { after_sets.turned[after] as usize } else { after }
            };
            let free = |set: R::Bits| !set.contains(to);
            let all = sets.sets.iter().enumerate();
            all.map(|(number, &set)| free(set).then(|| rank(number))).collect::<Vec<_>>()
        };
        let first = self.context.layout.pair.first();
        let larger = |mover: bool, size: u8| mover.then(|| subsets.of_size(size + 1));
        let a_after = ranks(side == 0, self.a, larger(side == 0, first.own_kings));
        let b_after = ranks(side == 1, self.b, larger(side == 1, first.opp_kings));
        let (a_stride, b_stride) = if swapped { (1, layout.b_sets) } else { (layout.b_sets, 1) };
        let from = &target.table.scores[target.side()];
        let rows = scores.chunks_exact_mut(self.b.sets.len());
        for (row, a) in rows.zip(&a_after) {
            let Some(a) = a else { continue };
            let base = base + a * a_stride;
            match from {
                Scores::Narrow(from) => {
                    take_row::<R, S>(row, &b_after, |b| S::narrow(from[base + b * b_stride]))
                }
                Scores::Wide(from) => {
                    take_row::<R, S>(row, &b_after, |b| S::wide(from[base + b * b_stride]))
                }
            }
        }
    }

    /// Captures, counts of moves inside the unit and finished games, for some rows.
    #[inline(always)]
    fn set_up<S: Score>(
        &self,
        rows: std::ops::Range<usize>,
        scores: Both<S>,
        open: Both<u8>,
        buckets: &mut Buckets,
    ) {
        let geometry = self.context.geometry;
        let [scores_a, scores_b] = scores;
        let [open_a, open_b] = open;
        let width = self.b.sets.len();
        let mut next = 0;
        for row in rows {
            let place = &self.places[row / self.a.sets.len()];
            let a_kings = self.a.sets[row % self.a.sets.len()];
            let taken = place.occupied | a_kings;
            let hole = !free_of(a_kings, place.occupied);
            for (b, &b_kings) in self.b.sets.iter().enumerate() {
                let here = next;
                next += 1;
                if hole || !free_of(b_kings, taken) {
                    (scores_a[here], open_a[here]) = (S::BEST, 0);
                    (scores_b[here], open_b[here]) = (S::BEST, 0);
                    continue;
                }
                let index = row * width + b;
                let position = Turned {
                    own_men: place.men.own,
                    own_kings: a_kings,
                    opp_men: place.men.opp,
                    opp_kings: b_kings,
                };
                open_a[here] = self.begin(0, &position, index, &mut scores_a[here], buckets);
                let position = Turned {
                    own_men: place.turned.own,
                    own_kings: geometry.turn(b_kings),
                    opp_men: place.turned.opp,
                    opp_kings: geometry.turn(a_kings),
                };
                open_b[here] = self.begin(1, &position, index, &mut scores_b[here], buckets);
            }
        }
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
    ) -> u8 {
        let PairContext { geometry, layout, targets, captures, longest, .. } = self.context;
        let mut open = 0;
        if let Some(best) = targets[side].best_capture(geometry, position) {
            *score = best;
            captures[side].insert(self.first_slot * layout.unit_len() + index);
        } else {
            let occupied = position.occupied();
            for from in squares_of(position.own_kings) {
                open += king_reach::<R>(geometry, from, occupied).count_ones();
            }
            for &direction in R::RULES.man_moves {
                if R::RULES.man_returns(direction) {
                    for from in squares_of(position.own_men) {
                        let target = geometry.step[direction as usize][from as usize];
                        open += (target & !occupied).count_ones();
                    }
                }
            }
            if open == 0 && !has_man_move::<R>(geometry, position.own_men, occupied) {
                *score = S::of::<R>(R::RULES.no_move.value());
            }
        }
        // An open position with a move out of the unit that wins may yet win sooner by one inside; one that
        // has found no win waits for those.
        if if open == 0 { score.is_decided() } else { score.is_win() } {
            buckets.push::<R, S>(*longest, *score, side, index);
        }
        u8::try_from(open).expect("fewer than 256 moves of the pieces that are indexed")
    }

    /// Tells the predecessors of a position, by quiet moves inside the unit, what it is worth.
    #[inline(always)]
    fn take_back<S: Score>(
        &self,
        entry: u32,
        plies: usize,
        scores: [&[impl Slot<S>]; 2],
        open: [&[impl Slot<u8>]; 2],
        buckets: &mut Buckets,
    ) {
        let PairContext { geometry, subsets, .. } = self.context;
        let side = (entry >> SIDE_BIT) as usize;
        let index = entry & !(1 << SIDE_BIT);
        let score = scores[side][index as usize].get();
        if score.plies::<R>() != plies {
            return; // A win that was waiting for this distance came sooner by a king move.
        }
        open[side][index as usize].put(0);
        let width = self.b.sets.len() as u32;
        let (row, b) = ((index / width) as usize, (index % width) as usize);
        let width = width as usize;
        // A unit of one placement of men is by far the most frequent.
        let (place, a) = match R::RULES.unit() {
            UnitKind::Placement => (0, row),
            _ => (row / self.a.sets.len(), row % self.a.sets.len()),
        };
        let base = place * self.context.layout.unit_len();
        let place = &self.places[place];
        let (a_kings, b_kings) = (self.a.sets[a], self.b.sets[b]);
        let occupied = place.occupied | a_kings | b_kings;
        let before = score.before_move::<R>();
        let other = 1 - side;
        let (scores, open) = (scores[other], open[other]);
        if R::RULES.unit() != UnitKind::Placement {
            let kings_index = index as usize - base;
            self.take_back_men(
                place,
                (other, kings_index),
                occupied,
                before,
                (scores, open),
                buckets,
            );
        }
        let first = self.context.layout.pair.first();
        if other == 0 {
            for (nth, to) in squares_of(a_kings).enumerate() {
                let smaller = subsets.of_size(first.own_kings - 1);
                let with = smaller.with(self.a.without(a, nth));
                for from in squares_of(king_reach::<R>(geometry, to, occupied)) {
                    let index = base + with[from as usize] as usize * width + b;
                    self.offer(other, index, before, &scores[index], &open[index], buckets);
                }
            }
        } else {
            for (nth, to) in squares_of(b_kings).enumerate() {
                let smaller = subsets.of_size(first.opp_kings - 1);
                let with = smaller.with(self.b.without(b, nth));
                for from in squares_of(king_reach::<R>(geometry, to, occupied)) {
                    let index = row * width + with[from as usize] as usize;
                    self.offer(other, index, before, &scores[index], &open[index], buckets);
                }
            }
        }
    }

    /// Like [`Unit::take_back`], for moves of men inside the unit.
    #[inline(always)]
    fn take_back_men<S: Score>(
        &self,
        place: &Place<R::Bits>,
        (other, kings_index): (usize, usize),
        occupied: R::Bits,
        before: S,
        (scores, open): (&[impl Slot<S>], &[impl Slot<u8>]),
        buckets: &mut Buckets,
    ) {
        let PairContext { geometry, layout, .. } = self.context;
        let mine = place.seen_by(other);
        let occupied = if other == 0 { occupied } else { geometry.turn(occupied) };
        for &direction in R::RULES.man_moves {
            if !R::RULES.man_returns(direction) {
                continue;
            }
            let back = &geometry.step[direction.reversed() as usize];
            for to in squares_of(mine.own) {
                let from = back[to as usize] & !occupied;
                if from.is_zero() {
                    continue;
                }
                let men = Men { own: mine.own ^ R::Bits::bit(to) | from, opp: mine.opp };
                let slot = layout.slots[layout.men.rank(self.in_pair(other, men)) as usize];
                let index = (slot as usize - self.first_slot) * layout.unit_len() + kings_index;
                self.offer(other, index, before, &scores[index], &open[index], buckets);
            }
        }
    }

    /// One move inside the unit turns out to be worth `before`.
    #[inline(always)]
    fn offer<S: Score>(
        &self,
        side: usize,
        index: usize,
        before: S,
        score: &impl Slot<S>,
        open: &impl Slot<u8>,
        buckets: &mut Buckets,
    ) {
        if before.is_win() {
            let old = score.get();
            if open.get() != 0 && before > old && score.swap_if(old, before) {
                open.put(0);
                buckets.push::<R, S>(self.context.longest, before, side, index);
            }
            return;
        }
        loop {
            let left = open.get();
            if left == 0 {
                return;
            }
            if open.swap_if(left, left - 1) {
                if left > 1 {
                    return;
                }
                break;
            }
        }
        // The last one loses too: what moves out of the unit are worth decides.
        let out = score.get();
        if out < S::DRAW {
            let value = out.max(before);
            score.put(value);
            buckets.push::<R, S>(self.context.longest, value, side, index);
        }
    }
}

#[inline(always)]
fn take_row<R: RuleSet, S: Score>(
    row: &mut [S],
    after: &[Option<usize>],
    next: impl Fn(usize) -> S,
) {
    for (score, after) in row.iter_mut().zip(after) {
        if let Some(after) = *after {
            *score = (*score).max(next(after).before_move::<R>());
        }
    }
}

/// What is still open when nothing more is found is a draw.
#[inline(always)]
fn leave_draws<S: Score>(scores: &mut [S], open: &[u8]) {
    for (score, &open) in scores.iter_mut().zip(open) {
        if open != 0 {
            *score = S::DRAW;
        }
    }
}

fn cells<T>(slice: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(slice).as_slice_of_cells()
}

fn share<S: Score>(scores: &[S]) -> Vec<S::Shared> {
    let share = |&score: &S| {
        let shared = S::Shared::default();
        shared.put(score);
        shared
    };
    scores.par_iter().map(share).collect()
}
