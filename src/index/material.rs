//! Material: which pieces are on the board.

use std::fmt;
use std::str::FromStr;

use num_traits::PrimInt;

use crate::board::Bitboard;
use crate::position::Position;
use crate::rules::{Rules, Turned};

/// Kings and men of the side to move and of the other side. Names a slice: `KMMvKM` are a
/// king and two men, to move, against a king and a man.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material {
    /// Kings of the side to move.
    pub own_kings: u8,
    /// Men of the side to move.
    pub own_men: u8,
    /// Kings of the other side.
    pub opp_kings: u8,
    /// Men of the other side.
    pub opp_men: u8,
}

/// Most pieces of one side in a [`Material`].
pub const MAX_SIDE: u8 = super::binomial::MAX_SUBSET as u8;

impl Material {
    /// Material of a position of any variant.
    pub(crate) fn of_position(position: &Position) -> Self {
        let (own, opp) = (position.stm(), position.stm().other());
        let count = |set: Bitboard| set.len() as u8;
        Material {
            own_kings: count(position.kings(own)),
            own_men: count(position.men(own)),
            opp_kings: count(position.kings(opp)),
            opp_men: count(position.men(opp)),
        }
    }

    /// Material of a position as the rules see it.
    #[doc(hidden)]
    #[inline(always)]
    pub fn of<B: PrimInt>(position: &Turned<B>) -> Self {
        Material {
            own_kings: position.own_kings.count_ones() as u8,
            own_men: position.own_men.count_ones() as u8,
            opp_kings: position.opp_kings.count_ones() as u8,
            opp_men: position.opp_men.count_ones() as u8,
        }
    }

    /// The material of the same pieces with the other side to move.
    pub const fn twin(self) -> Self {
        Material {
            own_kings: self.opp_kings,
            own_men: self.opp_men,
            opp_kings: self.own_kings,
            opp_men: self.own_men,
        }
    }

    /// Number of pieces.
    pub const fn pieces(self) -> u32 {
        self.own() + self.opp()
    }

    /// Pieces of the side to move.
    pub const fn own(self) -> u32 {
        (self.own_kings + self.own_men) as u32
    }

    /// Pieces of the other side.
    pub const fn opp(self) -> u32 {
        (self.opp_kings + self.opp_men) as u32
    }

    /// Whether games of a variant can have this material: pieces on both sides, and kings only where men become kings.
    pub const fn exists_in(self, rules: &Rules) -> bool {
        let kings = self.own_kings + self.opp_kings;
        self.own() > 0 && self.opp() > 0 && (kings == 0 || rules.has_kings())
    }

    /// Number of men.
    pub const fn men(self) -> u32 {
        (self.own_men + self.opp_men) as u32
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |kings: u8, men: u8| "K".repeat(kings.into()) + &"M".repeat(men.into());
        f.pad(&format!(
            "{}v{}",
            side(self.own_kings, self.own_men),
            side(self.opp_kings, self.opp_men)
        ))
    }
}

/// The text does not name a slice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not a slice: expected kings, then men, of the side to move, 'v', and the same of the other side, like KMMvKM, with 1 to {MAX_SIDE} pieces a side"
)]
pub struct MaterialError {
    /// The text.
    pub text: String,
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let side = |text: &str| -> Option<(u8, u8)> {
            let men = text.trim_start_matches('K');
            let kings = text.len() - men.len();
            let right = men.bytes().all(|byte| byte == b'M')
                && (1..=MAX_SIDE as usize).contains(&text.len());
            right.then_some((kings as u8, men.len() as u8))
        };
        let parse = || {
            let (own, opp) = text.split_once('v')?;
            let ((own_kings, own_men), (opp_kings, opp_men)) = (side(own)?, side(opp)?);
            Some(Material { own_kings, own_men, opp_kings, opp_men })
        };
        parse().ok_or_else(|| MaterialError { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::slices;
    use crate::rules::Variant;

    #[test]
    fn slices_that_exist_are_those_that_are_planned() {
        for variant in Variant::ALL {
            let rules = variant.rules();
            let mut planned: Vec<Material> = (2..=4).flat_map(|n| slices(rules, n)).collect();
            let counts =
                (0..625u32).map(|n| [n % 5, n / 5 % 5, n / 25 % 5, n / 125].map(|c| c as u8));
            let all = counts.map(|[own_kings, own_men, opp_kings, opp_men]| Material {
                own_kings,
                own_men,
                opp_kings,
                opp_men,
            });
            let exist = all.filter(|slice| slice.pieces() <= 4 && slice.exists_in(rules));
            let mut exist: Vec<Material> = exist.collect();
            planned.sort();
            exist.sort();
            assert_eq!(exist, planned, "{variant}");
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["KvK", "KMMvKM", "MMMvK", "KKKKvMMMM"] {
            let material: Material = name.parse().unwrap();
            assert_eq!(material.to_string(), name);
            assert_eq!(material.twin().twin(), material);
        }
        for bad in ["", "v", "Kv", "vK", "KK", "MKvK", "KvKvK", "kvk", "KxK", "KvMMMMMMMMMMMMM"] {
            assert!(bad.parse::<Material>().is_err(), "{bad}");
        }
    }
}
