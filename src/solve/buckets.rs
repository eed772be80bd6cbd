//! Decided positions of a unit, waiting for their distance to come up.

use super::score::Score;
use crate::rules::QuietRules;

/// Positions waiting for their distance to come up, by plies. Bit 31 is the side to move.
#[derive(Default)]
pub(crate) struct Buckets {
    lists: Vec<Vec<u32>>,
    /// The lists from here on are empty.
    pub end: usize,
    pub too_long: bool,
}

pub(crate) const SIDE_BIT: u32 = 31;

/// Most placements of a unit: they are numbered beside the side to move.
pub(crate) const MAX_UNIT_LEN: usize = 1 << SIDE_BIT;

impl Buckets {
    #[inline(always)]
    pub fn push<Q: QuietRules, S: Score>(
        &mut self,
        longest: u16,
        score: S,
        side: usize,
        index: usize,
    ) {
        self.too_long |= score.half() > longest;
        let plies = score.plies::<Q>();
        if plies >= self.lists.len() {
            self.lists.resize_with(plies + 1, Vec::new);
        }
        self.end = self.end.max(plies + 1);
        self.lists[plies].push((side as u32) << SIDE_BIT | index as u32);
    }

    pub fn clear(&mut self) {
        self.lists[..self.end].iter_mut().for_each(Vec::clear);
        self.end = 0;
        self.too_long = false;
    }

    /// Takes those of a distance. An empty list with room can be given back with [`Buckets::give_back`].
    #[inline(always)]
    pub fn take(&mut self, plies: usize) -> Vec<u32> {
        std::mem::take(&mut self.lists[plies])
    }

    #[inline(always)]
    pub fn give_back(&mut self, plies: usize, mut list: Vec<u32>) {
        list.clear();
        self.lists[plies] = list;
    }

    pub fn append(&mut self, other: Buckets) {
        self.too_long |= other.too_long;
        self.end = self.end.max(other.end);
        if other.lists.len() > self.lists.len() {
            self.lists.resize_with(other.lists.len(), Vec::new);
        }
        for (list, mut more) in self.lists.iter_mut().zip(other.lists) {
            list.append(&mut more);
        }
    }
}
