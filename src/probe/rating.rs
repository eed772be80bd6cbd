//! What can be said of a position, and of its moves, where tables are missing or broken.

use std::cmp::Reverse;

use super::error::ProbeError;
use crate::play::Move;
use crate::position::Position;
use crate::rules::NoMove;
use crate::value::{Value, Wld};

/// What is known of a position, for one of the sides.
#[derive(Clone, Debug)]
pub enum Rating {
    /// Its value.
    Exact(Value),
    /// That it is won or lost, but not in how many plies, and why not.
    Result(Wld, ProbeError),
    /// Not even its result, and why not.
    Unknown(ProbeError),
}

impl Rating {
    /// The result, if it is known.
    pub const fn wld(&self) -> Option<Wld> {
        match self {
            Self::Exact(value) => Some(value.wld()),
            Self::Result(wld, _) => Some(*wld),
            Self::Unknown(_) => None,
        }
    }

    /// The value, if it is known.
    pub const fn value(&self) -> Option<Value> {
        match self {
            Self::Exact(value) => Some(*value),
            Self::Result(..) | Self::Unknown(_) => None,
        }
    }

    /// Why the value is not known; `None` if it is.
    pub const fn error(&self) -> Option<&ProbeError> {
        match self {
            Self::Exact(_) => None,
            Self::Result(_, error) | Self::Unknown(error) => Some(error),
        }
    }

    /// Rating, for the player who moves, of a move to a position with this rating for the other player; see
    /// [`Value::before_move`].
    pub fn before_move(&self) -> Self {
        match self {
            Self::Exact(value) => Self::Exact(value.before_move()),
            Self::Result(wld, error) => Self::Result(wld.reversed(), error.clone()),
            Self::Unknown(error) => Self::Unknown(error.clone()),
        }
    }
}

/// A legal move with what is known of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RatedMove {
    /// The move.
    pub played: Move,
    /// The position after it.
    pub position: Position,
    /// Of that position, for the side to move there.
    reply: Rating,
}

impl RatedMove {
    pub(super) fn new(played: Move, position: Position, reply: Rating) -> Self {
        RatedMove { played, position, reply }
    }

    /// What the move is worth for the player who makes it, with the plies from the position before it.
    pub fn for_mover(&self) -> Rating {
        self.reply.before_move()
    }

    /// What the position after the move is worth for the side to move there, with the plies from that position.
    pub const fn for_reply(&self) -> &Rating {
        &self.reply
    }

    /// Sorts moves as [`Tablebase::moves`](super::Tablebase::moves) says.
    pub(super) fn order(&self) -> (u8, Reverse<Option<Value>>) {
        let class = match (self.reply.wld(), self.reply.value()) {
            (Some(Wld::Loss), Some(_)) => 0,
            (Some(Wld::Loss), None) => 1,
            (Some(Wld::Draw), _) => 2,
            (None, _) => 3,
            (Some(Wld::Win), Some(_)) => 4,
            (Some(Wld::Win), None) => 5,
        };
        (class, Reverse(self.reply.value().map(Value::before_move)))
    }
}

/// What is known of a position and of its moves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluation {
    /// Of the position, for its side to move: by its own tables, or else by what its moves prove.
    pub rating: Rating,
    /// Every legal move, in the order of [`Tablebase::moves`](super::Tablebase::moves).
    pub moves: Vec<RatedMove>,
    /// Each error that was met, once: tables that are missing, and broken ones, whether or not the position could be rated without them.
    pub errors: Vec<ProbeError>,
}

/// Moves from a position on, as far as they are known.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Line {
    /// The moves.
    pub moves: Vec<RatedMove>,
    /// Why they end before the game does; `None` if they do not, and for a draw, which has no end.
    pub error: Option<ProbeError>,
}

/// Between which values a position lies, for its side to move. A value lies between itself and itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    low: Value,
    high: Value,
}

impl Bounds {
    /// Those of a rating. Who has no move is always rated exactly.
    pub(super) fn of(rating: &Rating, no_move: NoMove) -> Self {
        let [quickest_loss, quickest_win] = no_move.quickest_after_a_move();
        let (low, high) = match rating {
            Rating::Exact(value) => (*value, *value),
            Rating::Result(Wld::Win, _) => (Value::Win(u16::MAX), quickest_win),
            Rating::Result(Wld::Draw, _) => (Value::Draw, Value::Draw),
            Rating::Result(Wld::Loss, _) => (quickest_loss, Value::Loss(u16::MAX)),
            Rating::Unknown(_) => (quickest_loss, quickest_win),
        };
        Bounds { low, high }
    }

    /// Those of a position with these moves: the best of them counts.
    pub(super) fn of_moves(moves: &[RatedMove], no_move: NoMove) -> Self {
        let none = no_move.value();
        let each = moves.iter().map(|rated| {
            let reply = Self::of(&rated.reply, no_move);
            Bounds { low: reply.high.before_move(), high: reply.low.before_move() }
        });
        let best = |best: Bounds, other: Bounds| Bounds {
            low: best.low.max(other.low),
            high: best.high.max(other.high),
        };
        each.reduce(best).unwrap_or(Bounds { low: none, high: none })
    }

    /// What both say; `None` if they contradict each other.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        let both = Bounds { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// Whether a value lies between them.
    pub(super) fn hold(self, value: Value) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// What is known of a value between them, where this error keeps it from being known better.
    pub(super) fn rating(self, error: ProbeError) -> Rating {
        match (self.low, self.high) {
            (low, high) if low == high => Rating::Exact(low),
            (low, high) if low.wld() == high.wld() => Rating::Result(low.wld(), error),
            _ => Rating::Unknown(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::parse_fen;
    use crate::play::legal_moves;
    use crate::rules::Variant;
    use Rating::{Exact, Result, Unknown};

    fn error() -> ProbeError {
        ProbeError::NotCached
    }

    /// What moves to positions with these ratings prove, in short: `win 3`, `win`, `?`.
    fn proven(no_move: NoMove, replies: Vec<Rating>) -> String {
        let position = parse_fen(Variant::Russian, "W:WKa1:BKb8").unwrap();
        let (played, after) = legal_moves(&position).remove(0);
        let rated = |reply| RatedMove::new(played.clone(), after, reply);
        let moves: Vec<RatedMove> = replies.into_iter().map(rated).collect();
        match Bounds::of_moves(&moves, no_move).rating(error()) {
            Exact(value) => value.to_string(),
            Result(wld, _) => wld.to_string(),
            Unknown(_) => "?".to_owned(),
        }
    }

    #[test]
    fn moves_prove_what_no_unknown_one_can_change() {
        let lost = |plies| Exact(Value::Loss(plies));
        let won = |plies| Exact(Value::Win(plies));
        let draw = || Exact(Value::Draw);
        let unknown = || Unknown(error());
        let known = |wld| Result(wld, error());
        let usual = |replies| proven(NoMove::Loses, replies);
        assert_eq!(usual(vec![]), "loss in 0 plies");
        assert_eq!(usual(vec![lost(6), draw(), lost(4)]), "win in 5 plies");
        assert_eq!(usual(vec![lost(6), draw(), unknown()]), "win");
        assert_eq!(usual(vec![lost(6), known(Wld::Loss)]), "win");
        assert_eq!(usual(vec![lost(6), known(Wld::Win)]), "win in 7 plies");
        assert_eq!(usual(vec![draw(), known(Wld::Win), won(1)]), "draw");
        assert_eq!(usual(vec![draw(), unknown()]), "?");
        assert_eq!(usual(vec![won(7), unknown()]), "?");
        assert_eq!(usual(vec![won(7), known(Wld::Win)]), "loss");
        assert_eq!(usual(vec![known(Wld::Win), known(Wld::Win)]), "loss");
        assert_eq!(usual(vec![unknown(), unknown()]), "?");
        // An unknown move wins in 3 at best, for the other side has a move.
        assert_eq!(usual(vec![lost(0), unknown()]), "win in 1 plies");
        assert_eq!(usual(vec![lost(2), unknown()]), "win in 3 plies");
        assert_eq!(usual(vec![lost(4), unknown()]), "win");
        let giveaway = |replies| proven(NoMove::Wins, replies);
        assert_eq!(giveaway(vec![]), "win in 0 plies");
        assert_eq!(giveaway(vec![lost(1), unknown()]), "win in 2 plies");
        assert_eq!(giveaway(vec![lost(3), known(Wld::Loss)]), "win");
        assert_eq!(giveaway(vec![won(0), unknown()]), "?");
    }

    #[test]
    fn tables_and_moves_are_taken_together_or_contradict_each_other() {
        let bounds = |rating: Rating| Bounds::of(&rating, NoMove::Loses);
        let (win, loss) = (bounds(Result(Wld::Win, error())), bounds(Result(Wld::Loss, error())));
        let exact = |value| bounds(Exact(value));
        let unknown = bounds(Unknown(error()));
        assert_eq!(win.and(loss), None);
        assert_eq!(win.and(unknown), Some(win));
        assert_eq!(win.and(exact(Value::Win(9))), Some(exact(Value::Win(9))));
        assert_eq!(loss.and(exact(Value::Win(9))), None);
        assert_eq!(exact(Value::Draw).and(win), None);
        assert_eq!(unknown.and(exact(Value::Draw)), Some(exact(Value::Draw)));
        // Who has a move has not lost yet.
        assert_eq!(unknown.and(exact(Value::Loss(0))), None);
        assert!(win.hold(Value::Win(301)) && !win.hold(Value::Draw));
    }
}
