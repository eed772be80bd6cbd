//! What the tables say of three kings against one.

use std::collections::BTreeMap;

use crate::board::Square;
use crate::index::{Material, SliceIndex};
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Colour, RuleSet, Variant, has_capture, with_rule_set};
use crate::value::{Value, Wld};

/// Who stands on the main road, the diagonal from White's bottom left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoadHolder {
    /// The lone king, and none of the three.
    Lone,
    /// One or more of the three kings, and not the lone one.
    Three,
    /// The lone king and one or more of the three.
    Both,
    /// Nobody.
    Nobody,
}

impl RoadHolder {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lone, Self::Both, Self::Three, Self::Nobody];
}

/// Three kings (White) against one (Black), for one holder of the road and one side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreeAgainstOne {
    /// Who stands on the main road.
    pub holder: RoadHolder,
    /// The side to move: White has the three kings.
    pub to_move: Colour,
    /// Placements that the three kings win.
    pub won: u64,
    /// Placements that nobody wins.
    pub drawn: u64,
    /// Placements that the lone king wins.
    pub lost: u64,
    /// Placements won or lost in which the side to move has no capture.
    pub decided_quietly: u64,
    /// Plies of the longest win of the three kings.
    pub longest: Option<u16>,
    /// Most frequent result for the three kings where the side to move has no capture; `None` if it always has one.
    pub usual: Option<Wld>,
    /// Placements in which the side to move has no capture and the result is not the usual one, with their values for
    /// the side to move.
    pub exceptions: Vec<(Position, Value)>,
}

impl ThreeAgainstOne {
    /// Number of placements.
    pub fn placements(&self) -> u64 {
        self.won + self.drawn + self.lost
    }
}

/// Squares of the main road, in ascending order.
pub fn main_road(variant: Variant) -> Vec<Square> {
    let shape = variant.rules().shape;
    (0..shape.width.min(shape.height) as i8)
        .filter_map(|step| shape.square_at(step, step))
        .map(Square)
        .collect()
}

/// Asks for all placements of three kings against one, both sides to move. O(placements): 287,680 on 8x8.
///
/// # Errors
/// If a table is missing or broken: all kings-only slices up to 3 against 1 are needed.
pub fn three_against_one(tables: &Tablebase) -> Result<Vec<ThreeAgainstOne>, ProbeError> {
    with_rule_set!(tables.variant(), R => study::<R>(tables))
}

fn study<R: RuleSet>(tables: &Tablebase) -> Result<Vec<ThreeAgainstOne>, ProbeError> {
    let geometry = R::geometry();
    let road: crate::board::Bitboard = main_road(tables.variant()).into_iter().collect();
    let mut rows = Vec::new();
    for to_move in [Colour::White, Colour::Black] {
        let three = Material { own_kings: 3, own_men: 0, opp_kings: 1, opp_men: 0 };
        let slice = if to_move == Colour::White { three } else { three.twin() };
        let index = SliceIndex::new(geometry, slice);
        let mut by_holder = RoadHolder::ALL.map(|holder| ThreeAgainstOne {
            holder,
            to_move,
            won: 0,
            drawn: 0,
            lost: 0,
            decided_quietly: 0,
            longest: None,
            usual: None,
            exceptions: Vec::new(),
        });
        let mut quiet_results: [BTreeMap<Wld, Vec<(Position, Value)>>; 4] = Default::default();
        for number in 0..index.len() {
            let turned = index.unrank(number);
            let position = Position::from_turned(geometry, &turned, to_move);
            let value = tables.probe(&position)?;
            let on_road = |colour| !position.pieces(colour).intersection(road).is_empty();
            let holder = match (on_road(Colour::Black), on_road(Colour::White)) {
                (true, false) => RoadHolder::Lone,
                (false, true) => RoadHolder::Three,
                (true, true) => RoadHolder::Both,
                (false, false) => RoadHolder::Nobody,
            };
            let place = RoadHolder::ALL.iter().position(|&other| other == holder);
            let place = place.expect("a row for each holder");
            let row = &mut by_holder[place];
            let quiet = !has_capture::<R>(geometry, &turned);
            // The value for the three kings, whoever is to move.
            let for_three = match (to_move, value) {
                (Colour::White, value) => value,
                (Colour::Black, Value::Win(plies)) => Value::Loss(plies),
                (Colour::Black, Value::Loss(plies)) => Value::Win(plies),
                (Colour::Black, Value::Draw) => Value::Draw,
            };
            match for_three {
                Value::Win(plies) => {
                    row.won += 1;
                    row.longest = row.longest.max(Some(plies));
                }
                Value::Draw => row.drawn += 1,
                Value::Loss(_) => row.lost += 1,
            }
            if quiet {
                row.decided_quietly += (value != Value::Draw) as u64;
                quiet_results[place].entry(for_three.wld()).or_default().push((position, value));
            }
        }
        for (row, mut results) in by_holder.iter_mut().zip(quiet_results) {
            row.usual = results.iter().max_by_key(|(_, found)| found.len()).map(|(&wld, _)| wld);
            row.usual.and_then(|usual| results.remove(&usual));
            row.exceptions = results.into_values().flatten().collect();
        }
        rows.extend(by_holder);
    }
    Ok(rows)
}
