//! Counts of move paths, for tests and benches.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::capture::{Capture, Jumps, visit_captures};
use super::moves::moves;
use super::turned::Turned;
use super::types::RuleSet;
use crate::board::Geometry;

/// Number of sequences of `depth` legal moves; a game that ends earlier counts nothing.
///
/// Equal captures (same piece, same captured set, same last square) count once.
pub fn perft<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    depth: u32,
) -> u64 {
    Perft::<R>::new(false, 0).count(geometry, position, depth)
}

/// Like [`perft`], but captures that jump the same pieces in another order, or in other
/// directions, count apart, as some published counts have it.
pub fn perft_routes<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    depth: u32,
) -> u64 {
    Perft::<R>::new(true, 0).count(geometry, position, depth)
}

/// Counts like [`perft`] that remember positions, and so reach depths that would take days. The counts are exact: a
/// position is compared as a whole before what is remembered of it counts.
pub struct Perft<R: RuleSet> {
    /// Whether routes of captures count apart.
    routes: bool,
    /// What is remembered. A new one takes the place of an old one.
    slots: Vec<Option<Known<R::Bits>>>,
    hasher: RandomState,
}

/// What is known of a position.
#[derive(Clone, Copy)]
struct Known<B> {
    position: Turned<B>,
    depth: u32,
    count: u64,
}

impl<R: RuleSet> Perft<R> {
    /// Counts like [`perft`], or like [`perft_routes`], that remember as many positions as there are `slots`, of about
    /// 50 bytes each on boards of up to 64 squares.
    pub fn new(routes: bool, slots: usize) -> Self {
        Perft { routes, slots: vec![None; slots], hasher: RandomState::new() }
    }

    /// Number of sequences of `depth` moves.
    pub fn count(
        &mut self,
        geometry: &Geometry<R::Bits>,
        position: &Turned<R::Bits>,
        depth: u32,
    ) -> u64 {
        if depth == 0 {
            return 1;
        }
        let slot = match (depth, self.slots.len()) {
            // Looking it up would take as long as counting.
            (1, _) | (_, 0) => None,
            (_, slots) => Some((self.hasher.hash_one((position, depth)) % slots as u64) as usize),
        };
        let remembered = slot.and_then(|slot| self.slots[slot]);
        if let Some(known) = remembered
            && (known.position, known.depth) == (*position, depth)
        {
            return known.count;
        }
        let next = match self.routes {
            true => routes::<R>(geometry, position),
            false => None,
        };
        let next = next
            .unwrap_or_else(|| moves::<R>(geometry, position).iter().map(|m| m.after).collect());
        let count = match depth {
            1 => next.len() as u64,
            _ => next.iter().map(|next| self.count(geometry, next, depth - 1)).sum(),
        };
        if let Some(slot) = slot {
            self.slots[slot] = Some(Known { position: *position, depth, count });
        }
        count
    }
}

/// Positions after captures, once for each route; `None` if there are none.
fn routes<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
) -> Option<Vec<Turned<R::Bits>>> {
    let mut seen = HashSet::new();
    let mut next = Vec::new();
    visit_captures::<R, _>(
        geometry,
        position,
        &mut Jumps::default(),
        &mut |capture: &Capture<R::Bits>, Jumps(jumps)| {
            let route: Vec<_> = jumps.iter().map(|&(victim, d, _)| (victim, d as u8)).collect();
            if seen.insert((capture.from, capture.to, route)) {
                next.push(position.captured(capture).passed(geometry));
            }
        },
    );
    (!next.is_empty()).then_some(next)
}
