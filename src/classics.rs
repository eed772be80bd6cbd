//! What the tables say of three kings against one.

use std::collections::BTreeMap;

use crate::board::{Bitboard, Playing, Square};
use crate::index::{Material, SlicePositions};
use crate::play::can_capture;
use crate::position::Position;
use crate::probe::{ProbeError, Tablebase};
use crate::rules::{Colour, Variant};
use crate::value::{Value, Wld};

/// Why three kings against one cannot be told apart by the main road.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClassicsError {
    /// The variant has no kings.
    #[error("{variant} has no kings")]
    NoKings {
        /// The variant.
        variant: Variant,
    },
    /// Kings of the variant do not move along a diagonal from corner to corner.
    #[error(
        "{variant} has no main road: its kings do not move along a diagonal from corner to corner"
    )]
    NoRoad {
        /// The variant.
        variant: Variant,
    },
    /// A table is missing or broken.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// Who stands on the main road, see [`main_road`].
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

/// Squares of the main road, the long diagonal of the playing squares: from White's bottom left, or where that is none of
/// them from the bottom right; up the board.
///
/// # Errors
/// If the variant has no kings, or none that move along such a line.
pub fn main_road(variant: Variant) -> Result<Vec<Square>, ClassicsError> {
    let rules = variant.rules();
    if !rules.has_kings() {
        return Err(ClassicsError::NoKings { variant });
    }
    let shape = rules.shape;
    let (width, height) = (shape.width as i8, shape.height as i8);
    let road: Vec<Square> = (0..height)
        .filter_map(|row| match shape.playing {
            Playing::Dark => shape.square_at(row, row),
            Playing::Light => shape.square_at(width - 1 - row, row),
            Playing::All | Playing::Points => None,
        })
        .map(Square)
        .collect();
    let whole = width == height && road.len() == height as usize;
    if whole { Ok(road) } else { Err(ClassicsError::NoRoad { variant }) }
}

/// Asks for all placements of three kings against one, both sides to move. O(placements): 287,680 on 8x8.
///
/// # Errors
/// If there is no [`main_road`], or a table is missing or broken: all kings-only slices up to 3 against 1 are needed.
pub fn three_against_one(tables: &Tablebase) -> Result<Vec<ThreeAgainstOne>, ClassicsError> {
    let road = main_road(tables.variant())?.into_iter().collect();
    Ok(study(tables, road)?)
}

fn study(tables: &Tablebase, road: Bitboard) -> Result<Vec<ThreeAgainstOne>, ProbeError> {
    let mut rows = Vec::new();
    for to_move in [Colour::White, Colour::Black] {
        let three = Material { own_kings: 3, own_men: 0, opp_kings: 1, opp_men: 0 };
        let slice = if to_move == Colour::White { three } else { three.twin() };
        let placements = SlicePositions::new(tables.variant(), slice);
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
        for number in 0..placements.len() {
            let position = placements.position(number, to_move);
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
            let quiet = !can_capture(&position);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::square_name;
    use crate::rules::SquareNames;

    #[test]
    fn the_main_road_is_the_long_diagonal_of_the_playing_squares() {
        for &variant in Variant::ALL {
            let rules = variant.rules();
            let name = |names, square| square_name(variant, names, square);
            let road = match main_road(variant) {
                Ok(road) => road,
                Err(error) => {
                    let none = match variant {
                        Variant::Turkish => matches!(error, ClassicsError::NoRoad { .. }),
                        Variant::Alquerque => matches!(error, ClassicsError::NoKings { .. }),
                        _ => false,
                    };
                    assert!(none, "{error}");
                    continue;
                }
            };
            assert_eq!(road.len(), rules.shape.height.into(), "{variant}");
            let ends = [road[0], road[road.len() - 1]];
            let light = rules.shape.playing == Playing::Light;
            let expected = match rules.shape.width {
                8 if light => ["h1", "a8"],
                8 => ["a1", "h8"],
                10 => ["a1", "j10"],
                _ => ["a1", "l12"],
            };
            assert_eq!(ends.map(|end| name(SquareNames::Algebraic, end)), expected, "{variant}");
        }
        let road = main_road(Variant::Spanish).unwrap();
        let numbers = road
            .into_iter()
            .map(|square| square_name(Variant::Spanish, SquareNames::Numeric, square));
        let numbers: Vec<_> = numbers.collect();
        assert_eq!(numbers, ["1", "5", "10", "14", "19", "23", "28", "32"]);
    }
}
