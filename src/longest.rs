//! The longest wins of a slice.

use rayon::prelude::*;

use crate::index::{Material, SlicePositions, slices};
use crate::play::{can_capture, visit_next};
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::Colour;
use crate::store::Metric;
use crate::threads::in_pool;
use crate::value::{Value, Wld};

/// The positions of a slice with the longest win, as [`longest_wins`] finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LongestWins {
    /// Plies of the longest win; `None` if no position of the slice is won.
    pub plies: Option<u16>,
    /// All positions with that distance, White to move, in index order.
    pub positions: Vec<Position>,
}

/// Finds the positions of a slice that the side to move wins latest, captures included.
///
/// Reads a table through, and asks only for positions that can be meant: those that it gives the distance (where it has that of no
/// win, all wins), and those with a capture into a slice where the other side can lose late enough. O(positions of the slice). Works on the
/// threads of the current rayon pool, or on threads of its own if the calling thread is in none.
///
/// # Errors
/// If a table of the slice, or one that it depends on, is missing or broken.
pub fn longest_wins(
    tables: &Tablebase,
    slice: Material,
    advance: &(dyn Fn(u64) + Sync),
) -> Result<LongestWins, ProbeError> {
    in_pool(|| longest_wins_in_pool(tables, slice, advance))
}

fn longest_wins_in_pool(
    tables: &Tablebase,
    slice: Material,
    advance: &(dyn Fn(u64) + Sync),
) -> Result<LongestWins, ProbeError> {
    let dtw = tables.table(slice, Metric::Dtw)?;
    let Some(plies) = dtw.header().counts.longest_win else {
        return Ok(LongestWins { plies: None, positions: Vec::new() });
    };
    let longest = Value::Win(plies);
    let late = late_slices(tables, slice, plies);
    // With its last piece taken, the other side has lost at once.
    let ends_at_once = plies == 1;
    let by_capture = ends_at_once || !late.is_empty();
    // Where distances of wins are not stored, any win can be meant.
    let stored = dtw.holds(Wld::Win);
    let table = if stored { dtw } else { tables.table(slice, Metric::Wld)? };
    let can_be = |bytes: &[u8], place: usize| match stored {
        true => dtw.value(bytes, place, Wld::Win) == Some(longest),
        false => table.wld(bytes, place) == Some(Wld::Win),
    };
    let all = SlicePositions::new(tables.variant(), slice);
    let can_begin_with_capture = |position: &Position| {
        let mut can = false;
        if can_capture(position) {
            visit_next(position, &mut |next, _| {
                can |= ends_at_once || late.contains(&Material::of_position(next));
            });
        }
        can
    };
    let blocks = (0..table.block_count()).into_par_iter().map_init(Vec::new, |bytes, block| {
        table.decode_block(block, bytes)?;
        let (start, positions) = table.block_range(block);
        let mut found = Vec::new();
        for (place, number) in (start..start + positions as u64).enumerate() {
            let is_named = can_be(bytes, place);
            if !is_named && !by_capture {
                continue;
            }
            let position = all.position(number, Colour::White);
            if (is_named || can_begin_with_capture(&position))
                && tables.probe(&position)? == longest
            {
                match all.is_symmetric() {
                    // Not all of them need be named.
                    true => found.extend(all.images(number)),
                    false => found.push(number),
                }
            }
        }
        advance(positions as u64);
        Ok(found)
    });
    let mut numbers = blocks.collect::<Result<Vec<_>, ProbeError>>()?.concat();
    numbers.sort_unstable();
    numbers.dedup();
    let positions = numbers.into_iter().map(|number| all.position(number, Colour::White)).collect();
    Ok(LongestWins { plies: Some(plies), positions })
}

/// The slices with fewer pieces in which the other side, having lost pieces, can lose as late as after the first of so many plies. Such a slice of
/// which nothing is known is one of them.
fn late_slices(tables: &Tablebase, slice: Material, plies: u16) -> Vec<Material> {
    let after = plies.saturating_sub(1);
    // Own men may have become kings.
    let can_be_left = |left: &Material| {
        let own = u32::from(slice.own_kings) + u32::from(slice.own_men);
        u32::from(left.opp_kings) + u32::from(left.opp_men) == own
            && left.opp_men <= slice.own_men
            && left.own_kings <= slice.opp_kings
            && left.own_men <= slice.opp_men
    };
    let is_late = |left: &Material| match tables.table(*left, Metric::Dtw) {
        Ok(table) => table.header().counts.longest_loss.is_some_and(|longest| longest >= after),
        Err(_) => true,
    };
    (2..slice.pieces())
        .flat_map(|pieces| slices(tables.variant().rules(), pieces))
        .filter(can_be_left)
        .filter(is_late)
        .collect()
}
