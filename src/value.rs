//! What a position is worth.

use std::cmp::Ordering;
use std::fmt;

/// Win, draw or loss for the side to move. Ordered: a win is greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Wld {
    /// The side to move loses against best play.
    Loss,
    /// Neither side can force the end of the game.
    Draw,
    /// The side to move can force a win.
    Win,
}

impl Wld {
    /// The same result for the other side.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// `"win"`, `"draw"` or `"loss"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

impl fmt::Display for Wld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Result for the side to move under best play, with its distance in plies to the end of
/// the game: the winner hurries, the loser delays.
///
/// A player who has already lost is `Loss(0)`. That is why this is an enum and not a signed
/// number, in which a loss in 0 and a draw would be the same value.
///
/// Ordered by what the side to move prefers: a quick win is greatest, then slower wins, draws,
/// slow losses, and a quick loss is least.
///
/// ```
/// use damka::Value;
/// assert!(Value::Win(3) > Value::Win(5));
/// assert!(Value::Win(5) > Value::Draw);
/// assert!(Value::Loss(8) > Value::Loss(2));
/// assert_eq!(Value::Loss(2).before_move(), Value::Win(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Value {
    /// The side to move wins, in so many plies.
    Win(u16),
    /// Neither side can force the end of the game.
    Draw,
    /// The side to move loses, in so many plies.
    Loss(u16),
}

impl Value {
    /// The result without its distance.
    pub const fn wld(self) -> Wld {
        match self {
            Self::Win(_) => Wld::Win,
            Self::Draw => Wld::Draw,
            Self::Loss(_) => Wld::Loss,
        }
    }

    /// Plies to the end of the game; `None` for a draw.
    pub const fn plies(self) -> Option<u16> {
        match self {
            Self::Win(plies) | Self::Loss(plies) => Some(plies),
            Self::Draw => None,
        }
    }

    /// Value, for the player who moves, of a move that leads to a position with this value for
    /// the other player: reversed, and one ply longer.
    pub const fn before_move(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies.saturating_add(1)),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies.saturating_add(1)),
        }
    }

    /// Monotone key for the order of preference.
    const fn preference(self) -> i32 {
        match self {
            Self::Win(plies) => i32::MAX - plies as i32,
            Self::Draw => 0,
            Self::Loss(plies) => i32::MIN + plies as i32,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        self.preference().cmp(&other.preference())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win(plies) => write!(f, "win in {plies} plies"),
            Self::Draw => f.write_str("draw"),
            Self::Loss(plies) => write!(f, "loss in {plies} plies"),
        }
    }
}

/// How many positions are won, lost and drawn for the side to move, and the longest distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Won positions.
    pub wins: u64,
    /// Lost positions.
    pub losses: u64,
    /// Drawn positions.
    pub draws: u64,
    /// Plies of the longest win; `None` without a win.
    pub longest_win: Option<u16>,
    /// Plies of the longest loss; `None` without a loss.
    pub longest_loss: Option<u16>,
}

impl Counts {
    /// Counts one position more.
    pub fn add(&mut self, value: Value) {
        match value {
            Value::Win(plies) => {
                self.wins += 1;
                self.longest_win = self.longest_win.max(Some(plies));
            }
            Value::Draw => self.draws += 1,
            Value::Loss(plies) => {
                self.losses += 1;
                self.longest_loss = self.longest_loss.max(Some(plies));
            }
        }
    }

    /// Counts over both sets of positions.
    pub fn merge(self, other: Self) -> Self {
        Counts {
            wins: self.wins + other.wins,
            losses: self.losses + other.losses,
            draws: self.draws + other.draws,
            longest_win: self.longest_win.max(other.longest_win),
            longest_loss: self.longest_loss.max(other.longest_loss),
        }
    }

    /// Number of positions.
    pub const fn positions(&self) -> u64 {
        self.wins + self.losses + self.draws
    }
}

/// Distances without their lowest bit, which follows from the result: one of wins and losses
/// has only even distances, the other only odd ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halves {
    loss_parity: u16,
}

impl Halves {
    /// For losses of this parity, 0 or 1.
    pub const fn new(loss_parity: u16) -> Self {
        Halves { loss_parity: loss_parity & 1 }
    }

    /// Half of the distance, rounded down; `None` for draws, and for distances of the wrong parity.
    #[inline]
    pub fn half(self, value: Value) -> Option<u16> {
        let (plies, parity) = match value {
            Value::Win(plies) => (plies, 1 - self.loss_parity),
            Value::Draw => return None,
            Value::Loss(plies) => (plies, self.loss_parity),
        };
        (plies % 2 == parity).then_some(plies / 2)
    }

    /// The value with this result and half distance, which a draw has not; `None` beyond 16 bits.
    #[inline]
    pub fn value(self, half: u16, wld: Wld) -> Option<Value> {
        match wld {
            Wld::Win => Some(Value::Win(half.checked_mul(2)? | (1 - self.loss_parity))),
            Wld::Draw => Some(Value::Draw),
            Wld::Loss => Some(Value::Loss(half.checked_mul(2)? | self.loss_parity)),
        }
    }
}
