//! Counts of move paths, for tests and benches.

use std::collections::HashSet;

use super::capture::{Capture, Trail, visit_captures};
use super::moves::moves;
use super::turned::Turned;
use super::types::RuleSet;
use crate::board::{Direction, Geometry};

/// Number of sequences of `depth` legal moves; a game that ends earlier counts nothing.
///
/// Equal captures (same piece, same captured set, same last square) count once.
pub fn perft<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    depth: u32,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    let list = moves::<R>(geometry, position);
    if depth == 1 {
        return list.len() as u64;
    }
    list.iter().map(|m| perft::<R>(geometry, &m.after, depth - 1)).sum()
}

/// Jumped piece and direction of each jump under way.
#[derive(Default)]
struct Jumps(Vec<(u8, Direction)>);

impl<B> Trail<B> for Jumps {
    fn push(&mut self, victim: u8, direction: Direction, _: u8) {
        self.0.push((victim, direction));
    }
    fn pop(&mut self) {
        self.0.pop();
    }
}

/// Like [`perft`], but captures that jump the same pieces in another order, or in other
/// directions, count apart, as some published counts have it.
pub fn perft_routes<R: RuleSet>(
    geometry: &Geometry<R::Bits>,
    position: &Turned<R::Bits>,
    depth: u32,
) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut seen = HashSet::new();
    let mut count = 0;
    visit_captures::<R, _>(
        geometry,
        position,
        &mut Jumps::default(),
        &mut |capture: &Capture<R::Bits>, Jumps(jumps)| {
            let route: Vec<_> = jumps.iter().map(|&(victim, d)| (victim, d as u8)).collect();
            if seen.insert((capture.from, capture.to, route)) {
                let after = position.captured(capture).passed(geometry);
                count += perft_routes::<R>(geometry, &after, depth - 1);
            }
        },
    );
    if seen.is_empty() {
        count = moves::<R>(geometry, position)
            .iter()
            .map(|m| perft_routes::<R>(geometry, &m.after, depth - 1))
            .sum();
    }
    count
}
