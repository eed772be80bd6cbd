//! Going through a slice in the order of its index, with what is known of positions nearby.

use crate::board::{Bits, Geometry, Playing, squares_of};
use crate::index::{MAX_SUBSET, Men, SliceIndex, binomial, compress, rank_subset, unrank_subset};

/// Pieces whose neighbours are looked at.
const PIECES: usize = 3;
/// Neighbours that all positions of a run have alike: of all these pieces but the first.
pub(crate) const OUTER: usize = 2 * (PIECES - 1);

/// What is done with each position of a walk.
///
/// Pieces are ordered by kind (own kings, the other side's kings, its men, own men), then by square. Each of the first three
/// has two *neighbours*: the positions in which it stands on one of the two squares before its own, those that its
/// lines come from.
///
/// A *run* are positions that differ only in the square of the first piece. The neighbours of the other two are given for the
/// whole run, by the square of the first.
pub(crate) trait Visitor<T: Copy> {
    /// Stands for a neighbour that there is not, or that comes before the walk.
    const NONE: T;

    /// A run begins. Each of `outer` has one value for each square.
    fn begin_run(&mut self, outer: [&[T]; OUTER]);

    /// The next position: the square of its first piece, the values of that piece's neighbours and of the position before.
    /// Returns its own value.
    fn visit(&mut self, square: usize, near: [T; 2], last: T) -> T;
}

/// Finds the neighbours of the positions of a slice.
#[derive(Debug)]
pub(crate) struct Runs<B: Bits> {
    geometry: &'static Geometry<B>,
    index: SliceIndex<B>,
    /// For each square the two before it; the square itself where there is none.
    before: Vec<[u8; 2]>,
    /// Of the first piece.
    kind: Kind,
    /// Pieces of that kind.
    size: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OwnKings,
    OppKings,
    OppMen,
    OwnMen,
}

/// Positions that share all pieces of other kinds than the first. They lie side by side.
#[derive(Clone, Copy, Debug)]
struct Row<B> {
    /// Number of the row in the slice.
    number: u64,
    /// Index of its first position.
    start: u64,
    men: Men<B>,
    /// None if they are the first kind.
    opp_kings: B,
    /// Where pieces of the first kind can stand.
    free: B,
}

/// A row with neighbours of the one that is walked through.
#[derive(Clone, Copy, Debug)]
struct NearRow<B> {
    free: B,
    /// Its first run is that with this number, if it were whole.
    runs: isize,
}

/// Memory of a walk, used again by the next.
#[derive(Debug)]
pub(crate) struct Room<T> {
    /// For each run, a value for each square.
    cells: Vec<T>,
    none: Vec<T>,
    /// Number of the first run of each row.
    first_runs: Vec<isize>,
}

impl<T> Default for Room<T> {
    fn default() -> Self {
        Room { cells: Vec::new(), none: Vec::new(), first_runs: Vec::new() }
    }
}

/// Pieces of the first kind, by number among the free squares, lowest first.
type Set = [u8; MAX_SUBSET];

/// Rank of a set.
#[inline(always)]
fn rank(set: &[u8]) -> isize {
    set.iter().zip(1..).map(|(&place, size)| binomial(place.into(), size) as isize).sum()
}

impl<B: Bits> Runs<B> {
    pub(crate) fn new(index: SliceIndex<B>) -> Self {
        let geometry = index.geometry();
        let material = index.material();
        let (kind, size) = match (material.own_kings, material.opp_kings) {
            (0, 0) => (Kind::OppMen, material.opp_men),
            (0, opp_kings) => (Kind::OppKings, opp_kings),
            (own_kings, _) => (Kind::OwnKings, own_kings),
        };
        let shape = geometry.shape;
        let steps: [(i8, i8); 2] = match shape.playing {
            Playing::Dark | Playing::Light => [(-1, -1), (1, -1)],
            Playing::All | Playing::Points => [(0, -1), (-1, 0)],
        };
        let before = (0..geometry.squares).map(|square| {
            let (column, row) = shape.column_row(square);
            steps.map(|(right, up)| {
                shape.square_at(column as i8 + right, row as i8 + up).unwrap_or(square)
            })
        });
        Runs { geometry, before: before.collect(), index, kind, size: size.into() }
    }

    #[cfg(test)]
    fn index(&self) -> &SliceIndex<B> {
        &self.index
    }

    fn all(&self) -> B {
        B::first(self.geometry.squares)
    }

    /// Where pieces of the first kind can stand.
    #[inline]
    fn free(&self, men: Men<B>, opp_kings: B) -> B {
        match self.kind {
            Kind::OwnKings => self.all() & !(men.own | men.opp | opp_kings),
            Kind::OppKings => self.all() & !(men.own | men.opp),
            Kind::OppMen | Kind::OwnMen => self.geometry.opp_men & !men.own,
        }
    }

    /// The row with these pieces of other kinds than the first.
    #[inline]
    fn row(&self, men: Men<B>, opp_kings: B, unit: u64) -> Row<B> {
        let free = self.free(men, opp_kings);
        let (number, start) = match self.kind {
            Kind::OwnKings => {
                let opp = rank_subset(compress(opp_kings, men.own | men.opp));
                let number = unit * self.index.opp_sets() + opp;
                (number, number * self.index.own_sets())
            }
            Kind::OppKings => (unit, unit * self.index.opp_sets()),
            Kind::OppMen | Kind::OwnMen => {
                (rank_subset(men.own), self.index.men().first_with(men.own))
            }
        };
        Row { number, start, men, opp_kings, free }
    }

    fn row_of(&self, index: u64) -> Row<B> {
        let position = self.index.unrank(index);
        let men = Men { own: position.own_men, opp: position.opp_men };
        let opp_kings = if self.kind == Kind::OwnKings { position.opp_kings } else { B::zero() };
        self.row(men, opp_kings, self.unit_of(index))
    }

    fn unit_of(&self, index: u64) -> u64 {
        index / self.index.unit_len()
    }

    /// The row after one, which begins at `start`; `None` after the last.
    fn next(&self, row: &Row<B>, start: u64) -> Option<Row<B>> {
        let number = row.number + 1;
        let men = row.men;
        if self.kind == Kind::OwnKings
            && let Some(opp_kings) = next_subset(row.opp_kings, self.all() & !(men.own | men.opp))
        {
            return Some(Row { number, start, men, opp_kings, free: self.free(men, opp_kings) });
        }
        let next_opp = match self.kind {
            Kind::OppMen | Kind::OwnMen => None,
            _ => next_subset(men.opp, self.geometry.opp_men & !men.own),
        };
        let men = match next_opp {
            Some(opp) => Men { opp, ..men },
            None => {
                let own = next_subset(men.own, self.geometry.own_men)?;
                let opp = lowest(men.opp.count_ones(), self.geometry.opp_men & !own);
                Men { own, opp }
            }
        };
        let opp_kings = lowest(row.opp_kings.count_ones(), self.all() & !(men.own | men.opp));
        Some(Row { number, start, men, opp_kings, free: self.free(men, opp_kings) })
    }

    /// The `nth` piece (from 0) of other kinds than the first.
    #[inline]
    fn piece(&self, row: &Row<B>, nth: usize) -> Option<(Kind, u8)> {
        let kings = if self.kind == Kind::OwnKings { row.opp_kings } else { B::zero() };
        let opp_men = if self.kind == Kind::OppMen { B::zero() } else { row.men.opp };
        let kings = squares_of(kings).map(|square| (Kind::OppKings, square));
        let opp_men = squares_of(opp_men).map(|square| (Kind::OppMen, square));
        let own_men = squares_of(row.men.own).map(|square| (Kind::OwnMen, square));
        kings.chain(opp_men).chain(own_men).nth(nth)
    }

    /// Where men stand once one has moved, and the number of that unit; `None` if it cannot stand there.
    fn men_after(&self, men: Men<B>, kind: Kind, from: u8, to: u8) -> Option<(Men<B>, u64)> {
        let shift = |set: B| set & !B::bit(from) | B::bit(to);
        let taken = if self.kind == Kind::OppMen { men.own } else { men.own | men.opp };
        let after = match kind {
            _ if taken.contains(to) => return None,
            Kind::OppMen if self.geometry.opp_men.contains(to) => {
                Men { opp: shift(men.opp), ..men }
            }
            Kind::OwnMen if self.geometry.own_men.contains(to) => {
                Men { own: shift(men.own), ..men }
            }
            _ => return None,
        };
        let unit = if self.kind == Kind::OppMen { 0 } else { self.index.men().rank(after) };
        Some((after, unit))
    }

    /// Visits the positions `start..start + len` in the order of the index. A neighbour before `start` counts for none.
    ///
    /// # Panics
    /// Beyond the slice.
    #[inline]
    pub(crate) fn walk<T: Copy, V: Visitor<T>>(
        &self,
        start: u64,
        len: usize,
        room: &mut Room<T>,
        visitor: &mut V,
    ) {
        match B::WIDTH {
            32 => self.walk_over::<T, V, 32>(start, len, room, visitor),
            64 => self.walk_over::<T, V, 64>(start, len, room, visitor),
            _ => self.walk_over::<T, V, 128>(start, len, room, visitor),
        }
    }

    /// [`Runs::walk`] with so many cells for the squares of the board.
    fn walk_over<T: Copy, V: Visitor<T>, const W: usize>(
        &self,
        start: u64,
        len: usize,
        room: &mut Room<T>,
        visitor: &mut V,
    ) {
        let Room { cells, none, first_runs } = room;
        cells.clear();
        first_runs.clear();
        none.clear();
        none.resize(W, V::NONE);
        if len == 0 {
            return;
        }
        let mut before = [[0u8; 2]; W];
        before[..self.before.len()].copy_from_slice(&self.before);
        let size = self.size;
        // Pieces of other kinds whose neighbours are looked at.
        let others = PIECES.saturating_sub(size);

        let mut row = self.row_of(start);
        let first_row = row.number;
        let mut unit = self.unit_of(start);
        let mut men_after = [[None; 2]; PIECES];
        let mut is_new_unit = true;
        let mut last = V::NONE;
        let (mut at, mut left) = (start, len);
        // Number that the first run of the row has, or would have.
        let mut runs = 0;
        loop {
            let mut squares = [0u8; W];
            let mut count = 0;
            for square in squares_of(row.free) {
                squares[count & (W - 1)] = square;
                count += 1;
            }
            let row_len = binomial(count as u32, size as u32) as usize;
            let row_runs = binomial(count as u32, size as u32 - 1) as isize;
            let skipped = (at - row.start) as usize;
            let here = left.min(row_len - skipped);
            let set_at = |place: usize| -> Set {
                let mut set: Set = std::array::from_fn(|piece| piece as u8);
                if place > 0 {
                    let packed: B = unrank_subset(place as u64, size as u32, count as u8);
                    squares_of(packed).zip(&mut set).for_each(|(square, piece)| *piece = square);
                }
                set
            };
            let mut set = set_at(skipped);
            if at == start {
                // Numbers begin with the first run that differs from the first of the walk in its second piece alone.
                let second = if size > 1 { isize::from(set[1]) } else { 0 };
                runs = second - rank(&set[1..size]);
            }
            let end_run = match skipped + here == row_len {
                true => runs + row_runs,
                false => runs + rank(&set_at(skipped + here - 1)[1..size]) + 1,
            };
            first_runs.push(runs);
            cells.resize(end_run as usize * W, V::NONE);

            let mut near_rows = [[None; 2]; PIECES];
            for nth in 0..others {
                let Some((kind, from)) = self.piece(&row, nth) else { break };
                let to = before[from as usize & (W - 1)];
                if is_new_unit && kind != Kind::OppKings {
                    men_after[nth] = to.map(|to| self.men_after(row.men, kind, from, to));
                }
                for side in 0..2 {
                    let to = to[side];
                    let other = match kind {
                        Kind::OppKings => {
                            if (row.men.own | row.men.opp | row.opp_kings).contains(to) {
                                continue;
                            }
                            let opp_kings = row.opp_kings & !B::bit(from) | B::bit(to);
                            self.row(row.men, opp_kings, unit)
                        }
                        _ => match men_after[nth][side] {
                            Some((men, unit)) if !row.opp_kings.contains(to) => {
                                self.row(men, row.opp_kings, unit)
                            }
                            _ => continue,
                        },
                    };
                    let runs = other.number.checked_sub(first_row);
                    let runs = runs.and_then(|row| first_runs.get(usize::try_from(row).ok()?));
                    near_rows[nth][side] = runs.map(|&runs| NearRow { free: other.free, runs });
                }
            }

            let mut rest = here;
            loop {
                let run = (runs + rank(&set[1..size])) as usize;
                let (done, cells) = cells.split_at_mut(run * W);
                let cells: &mut [T; W] = (&mut cells[..W]).try_into().expect("cells of a run");
                let mut outer: [&[T]; OUTER] = [none; OUTER];
                let mut slots = outer.iter_mut();
                let cells_of = |run: isize| -> Option<&[T]> {
                    let start = usize::try_from(run).ok()? * W;
                    done.get(start..start + W)
                };
                for piece in 1..size.min(PIECES) {
                    let from = squares[set[piece] as usize & (W - 1)];
                    for (to, slot) in before[from as usize & (W - 1)].into_iter().zip(&mut slots) {
                        if !row.free.contains(to) || to == from {
                            continue;
                        }
                        let place = (row.free & B::below(to)).count_ones() as u8;
                        if let Some(moved) = moved(&set[1..size], piece - 1, place)
                            && let Some(found) = cells_of(runs + rank(&moved[..size - 1]))
                        {
                            *slot = found;
                        }
                    }
                }
                for (near, slot) in near_rows[..others].iter().flatten().zip(&mut slots) {
                    let Some(NearRow { free, runs }) = *near else { continue };
                    let mut places: Set = [0; MAX_SUBSET];
                    let mut fits = true;
                    for (&place, there) in set[1..size].iter().zip(&mut places) {
                        let square = squares[place as usize & (W - 1)];
                        fits &= free.contains(square);
                        *there = (free & B::below(square)).count_ones() as u8;
                    }
                    if fits && let Some(found) = cells_of(runs + rank(&places[..size - 1])) {
                        *slot = found;
                    }
                }
                visitor.begin_run(outer);

                let first = set[0] as usize;
                let top = if size > 1 { set[1] as usize } else { count };
                let end = top.min(first + rest);
                for &square in &squares[first..end] {
                    let square = square as usize & (W - 1);
                    let near = before[square].map(|before| cells[before as usize & (W - 1)]);
                    last = visitor.visit(square, near, last);
                    cells[square] = last;
                }
                if size > 1 {
                    // As the second piece sees it: neighbours of other pieces may have the two exchanged.
                    let second = squares[set[1] as usize & (W - 1)] as usize & (W - 1);
                    let run = run - set[1] as usize;
                    for (place, &square) in squares[..end].iter().enumerate().skip(first) {
                        done[(run + place) * W + second] = cells[square as usize & (W - 1)];
                    }
                }
                rest -= end - first;
                if rest == 0 {
                    break;
                }
                set[0] = 0;
                let mut piece = 1;
                while piece + 1 < size && set[piece] + 1 == set[piece + 1] {
                    set[piece] = piece as u8;
                    piece += 1;
                }
                set[piece] += 1;
            }

            left -= here;
            if left == 0 {
                return;
            }
            at += here as u64;
            runs += row_runs;
            let men = row.men;
            row = self.next(&row, at).expect("a position of the slice");
            is_new_unit = row.men != men;
            if is_new_unit {
                unit = self.unit_of(at);
            }
        }
    }
}

/// A set with the piece `nth` moved to a place; `None` if another is there.
#[inline(always)]
fn moved(set: &[u8], nth: usize, to: u8) -> Option<Set> {
    let mut moved: Set = [0; MAX_SUBSET];
    let others = set.iter().enumerate().filter(|&(piece, _)| piece != nth).map(|(_, &place)| place);
    let mut len = 0;
    let mut pending = Some(to);
    for place in others {
        if place == to {
            return None;
        }
        if place > to
            && let Some(to) = pending.take()
        {
            moved[len] = to;
            len += 1;
        }
        moved[len] = place;
        len += 1;
    }
    if let Some(to) = pending {
        moved[len] = to;
    }
    Some(moved)
}

/// The lowest squares of a set.
fn lowest<B: Bits>(count: u32, mut of: B) -> B {
    let mut found = B::zero();
    for _ in 0..count {
        found = found | B::bit(of.lowest());
        of = of.without_lowest();
    }
    found
}

/// The set of as many squares among the `free` ones that comes after one in the order of ranks.
fn next_subset<B: Bits>(set: B, free: B) -> Option<B> {
    let mut rest = set;
    let mut reset = 0;
    while !rest.is_zero() {
        let square = rest.lowest();
        rest = rest.without_lowest();
        let above = free & !B::below(square) & !B::bit(square);
        if above.is_zero() {
            return None;
        }
        let to = above.lowest();
        if !set.contains(to) {
            return Some(rest | B::bit(to) | lowest(reset, free));
        }
        reset += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::slices;
    use crate::rules::{Alquerque, Canadian, International, RuleSet, Russian, Turkish, Turned};

    /// What a walk tells of each position: everything is compared with the definition.
    struct Check<'a, B: Bits> {
        runs: &'a Runs<B>,
        start: u64,
        at: u64,
        outer: [Vec<u64>; OUTER],
    }

    const NONE: u64 = u64::MAX;

    impl<B: Bits> Check<'_, B> {
        /// Neighbours of the position under way, as indices.
        fn neighbours(&self) -> Vec<u64> {
            let index = self.runs.index();
            let Turned { own_kings, opp_kings, opp_men, own_men } = index.unrank(self.at);
            let sets = [own_kings, opp_kings, opp_men, own_men];
            let pieces = (0..4).flat_map(|kind| squares_of(sets[kind]).map(move |s| (kind, s)));
            let taken = sets.into_iter().fold(B::zero(), |all, set| all | set);
            let mut found = Vec::new();
            for (kind, from) in pieces.take(PIECES) {
                for to in self.runs.before[from as usize] {
                    let allowed = match kind {
                        2 => self.runs.geometry.opp_men.contains(to),
                        3 => self.runs.geometry.own_men.contains(to),
                        _ => true,
                    };
                    let mut moved = sets;
                    moved[kind] = moved[kind] & !B::bit(from) | B::bit(to);
                    let [own_kings, opp_kings, opp_men, own_men] = moved;
                    let neighbour = Turned { own_men, own_kings, opp_men, opp_kings };
                    found.push(if allowed && !taken.contains(to) {
                        let there = index.rank(&neighbour);
                        if (self.start..self.at).contains(&there) { there } else { NONE }
                    } else {
                        NONE
                    });
                }
            }
            found.resize(2 * PIECES, NONE);
            found
        }
    }

    impl<B: Bits> Visitor<u64> for Check<'_, B> {
        const NONE: u64 = NONE;

        fn begin_run(&mut self, outer: [&[u64]; OUTER]) {
            self.outer = outer.map(<[u64]>::to_vec);
        }

        fn visit(&mut self, square: usize, near: [u64; 2], last: u64) -> u64 {
            let outer = self.outer.iter().map(|values| values[square]);
            let told: Vec<u64> = near.into_iter().chain(outer).collect();
            assert_eq!(told, self.neighbours(), "{} {}", self.runs.index().material(), self.at);
            assert_eq!(last, if self.at == self.start { NONE } else { self.at - 1 });
            self.at += 1;
            self.at - 1
        }
    }

    fn check<R: RuleSet>(pieces: u32) {
        for slice in slices(&R::RULES, pieces) {
            let runs = Runs::new(SliceIndex::<R::Bits>::new(R::geometry(), slice));
            let len = runs.index().len();
            let mut room = Room::default();
            // From the beginning, to the end, and from places in rows and runs.
            let parts = [0, 1, len / 3, len / 2, len - len.min(999), len - 1];
            for start in parts.into_iter().filter(|&start| start < len) {
                let part = (len - start).min(1500);
                let outer = std::array::from_fn(|_| Vec::new());
                let mut check = Check { runs: &runs, start, at: start, outer };
                runs.walk(start, part as usize, &mut room, &mut check);
                assert_eq!(check.at, start + part);
            }
        }
    }

    #[test]
    fn neighbours_are_those_of_the_definition() {
        (2..=6).for_each(check::<Russian>);
        (2..=4).for_each(check::<International>);
        (2..=4).for_each(check::<Turkish>);
        (2..=4).for_each(check::<Canadian>);
        (2..=5).for_each(check::<Alquerque>);
    }
}
