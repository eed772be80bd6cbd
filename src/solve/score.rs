//! Values as small numbers that grow with how good a position is for the side to move.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering::Relaxed};

use crate::rules::{NoMove, QuietRules};
use crate::value::{Halves, Value, Wld};

/// A value in one byte or two: losses from the quickest (0) up, draws in the middle, wins up to the quickest (all ones).
///
/// Losses and wins are kept by half their distance, see [`Halves`](crate::value::Halves). So the value of
/// a position is the maximum, over its moves, of [`Score::before_move`] of the next score, and rows of scores can be
/// worked on together.
pub(crate) trait Score: Copy + Ord + Debug + Default + Send + Sync + 'static {
    /// The same, shared between threads.
    type Shared: Slot<Self> + Send + Sync + Default;

    /// The draw.
    const DRAW: Self;
    /// The quickest win; also what placements hold that are no position, for as the result of a move it is worth
    /// least of all.
    const BEST: Self;
    /// Longest half distance that is stored. Moves add one at most, which still has a code, so
    /// an excess is seen before anything wraps.
    const LONGEST: u16;

    /// Half distance to code.
    fn loss(half: u16) -> Self;
    fn win(half: u16) -> Self;
    /// Half distance of a decided score.
    fn half(self) -> u16;
    /// See [`Value::before_move`].
    fn before_move<Q: QuietRules>(self) -> Self;
    fn narrow(byte: u8) -> Self;
    fn wide(word: u16) -> Self;
    /// Scores of one byte as bytes; `None` of wider ones.
    fn bytes(scores: &[Self]) -> Option<&[u8]>;
    fn bytes_mut(scores: &mut [Self]) -> Option<&mut [u8]>;
    /// Scores as a [`Shelf`](super::shelf::Shelf) keeps them.
    fn to_bytes(scores: &[Self]) -> Cow<'_, [u8]>;
    /// Scores of either width.
    fn slice(scores: &[Self]) -> UnitScores<'_>;

    #[inline(always)]
    fn is_decided(self) -> bool {
        self != Self::DRAW
    }

    #[inline(always)]
    fn is_win(self) -> bool {
        self > Self::DRAW
    }

    #[inline(always)]
    fn wld(self) -> Wld {
        match self.cmp(&Self::DRAW) {
            std::cmp::Ordering::Less => Wld::Loss,
            std::cmp::Ordering::Equal => Wld::Draw,
            std::cmp::Ordering::Greater => Wld::Win,
        }
    }

    /// The code of a value. Half distances must have one.
    #[inline(always)]
    fn of<Q: QuietRules>(value: Value) -> Self {
        match (value.wld(), Q::NO_MOVE.halves().half(value)) {
            (Wld::Loss, Some(half)) => Self::loss(half),
            (Wld::Win, Some(half)) => Self::win(half),
            _ => Self::DRAW,
        }
    }

    #[inline(always)]
    fn value<Q: QuietRules>(self) -> Value {
        self.value_in(Q::NO_MOVE.halves())
    }

    /// The value, of distances halved like this.
    #[inline(always)]
    fn value_in(self, halves: Halves) -> Value {
        let half = if self.is_decided() { self.half() } else { 0 };
        halves.value(half, self.wld()).expect("half of a distance in 16 bits")
    }

    /// Plies to the end; for decided scores.
    #[inline(always)]
    fn plies<Q: QuietRules>(self) -> usize {
        match self.value::<Q>() {
            Value::Win(plies) | Value::Loss(plies) => plies as usize,
            Value::Draw => 0,
        }
    }
}

/// Scores of one slot.
#[derive(Clone, Copy)]
pub(crate) enum UnitScores<'a> {
    Narrow(&'a [u8]),
    Wide(&'a [u16]),
}

impl UnitScores<'_> {
    #[inline(always)]
    pub fn get<S: Score>(&self, index: usize) -> S {
        match self {
            Self::Narrow(scores) => S::narrow(scores[index]),
            Self::Wide(scores) => S::wide(scores[index]),
        }
    }
}

macro_rules! score {
    (
        $word:ty, $shared:ty, $longest:expr, $slice:ident,
        $bytes:expr, $bytes_mut:expr, $to_bytes:expr
    ) => {
        impl Score for $word {
            type Shared = $shared;

            const DRAW: Self = <$word>::MAX / 2 + 1;
            const BEST: Self = <$word>::MAX;
            const LONGEST: u16 = $longest;

            #[inline(always)]
            fn loss(half: u16) -> Self {
                debug_assert!((half as u32) < Self::DRAW as u32);
                half as $word
            }

            #[inline(always)]
            fn win(half: u16) -> Self {
                debug_assert!((half as u32) < (Self::BEST - Self::DRAW) as u32);
                Self::BEST - half as $word
            }

            #[inline(always)]
            fn half(self) -> u16 {
                (if self.is_win() { Self::BEST - self } else { self }) as u16
            }

            #[inline(always)]
            fn before_move<Q: QuietRules>(self) -> Self {
                match Q::NO_MOVE {
                    // A loss in 2h is a win in 2h+1 for the mover, a win in 2h+1 a loss in 2(h+1),
                    // and the draw maps to itself.
                    NoMove::Loses => (!self).wrapping_add((self >= Self::DRAW) as $word),
                    // A loss in 2h+1 is a win in 2(h+1) for the mover, a win in 2h a loss in 2h+1.
                    NoMove::Wins => (!self)
                        .wrapping_add((self == Self::DRAW) as $word)
                        .wrapping_sub((self < Self::DRAW) as $word),
                }
            }

            fn bytes(scores: &[Self]) -> Option<&[u8]> {
                $bytes(scores)
            }

            fn bytes_mut(scores: &mut [Self]) -> Option<&mut [u8]> {
                $bytes_mut(scores)
            }

            fn to_bytes(scores: &[Self]) -> Cow<'_, [u8]> {
                $to_bytes(scores)
            }

            #[inline(always)]
            fn slice(scores: &[Self]) -> UnitScores<'_> {
                UnitScores::$slice(scores)
            }

            #[inline(always)]
            fn narrow(byte: u8) -> Self {
                match byte {
                    <u8 as Score>::DRAW => Self::DRAW,
                    byte if byte < <u8 as Score>::DRAW => byte as $word,
                    byte => Self::BEST - (u8::MAX - byte) as $word,
                }
            }

            #[inline(always)]
            fn wide(word: u16) -> Self {
                if word == <u16 as Score>::DRAW {
                    Self::DRAW
                } else if word < <u16 as Score>::DRAW {
                    word as $word
                } else {
                    Self::BEST - (u16::MAX - word) as $word
                }
            }
        }

        impl Slot<$word> for $shared {
            #[inline(always)]
            fn get(&self) -> $word {
                self.load(Relaxed)
            }

            #[inline(always)]
            fn put(&self, new: $word) {
                self.store(new, Relaxed)
            }

            #[inline(always)]
            fn swap_if(&self, old: $word, new: $word) -> bool {
                self.compare_exchange(old, new, Relaxed, Relaxed).is_ok()
            }
        }
    };
}

score!(u8, AtomicU8, 125, Narrow, Some, Some, Cow::Borrowed);
// Tables hold distances of up to 32,766 plies.
score!(u16, AtomicU16, 16_000, Wide, |_| None, |_| None, |scores: &[u16]| {
    Cow::Owned(scores.iter().flat_map(|score| score.to_le_bytes()).collect())
});

/// A place for a number, owned by one thread or shared. Relaxed order is enough: passes over
/// shared slots are joined before their results are read.
pub(crate) trait Slot<T> {
    fn get(&self) -> T;
    fn put(&self, new: T);
    /// Puts `new` if the slot still holds `old`, and says whether it did.
    fn swap_if(&self, old: T, new: T) -> bool;
}

impl<T: Copy + PartialEq> Slot<T> for Cell<T> {
    #[inline(always)]
    fn get(&self) -> T {
        Cell::get(self)
    }

    #[inline(always)]
    fn put(&self, new: T) {
        self.set(new);
    }

    /// Nobody else writes, so the slot holds `old`.
    #[inline(always)]
    fn swap_if(&self, _: T, new: T) -> bool {
        self.set(new);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{RuleSet, Russian};

    type Q = <Russian as RuleSet>::Quiet;

    fn check<S: Score>() {
        let halves = (0..S::LONGEST).step_by(if S::LONGEST > 1000 { 97 } else { 1 });
        let mut values: Vec<Value> = halves
            .flat_map(|half| [Value::Loss(2 * half), Value::Win(2 * half + 1)])
            .chain([Value::Draw])
            .collect();
        values.sort();
        for window in values.windows(2) {
            assert!(S::of::<Q>(window[0]) < S::of::<Q>(window[1]));
        }
        for value in values {
            let score = S::of::<Q>(value);
            assert_eq!(score.value::<Q>(), value);
            assert_eq!(score.before_move::<Q>().value::<Q>(), value.before_move());
        }
        assert!(S::BEST.before_move::<Q>() <= S::loss(1));
    }

    #[test]
    fn scores_are_ordered_and_turn_like_values() {
        check::<u8>();
        check::<u16>();
        for byte in 0..=u8::MAX {
            assert_eq!(u16::narrow(byte).value::<Q>(), byte.value::<Q>());
            assert_eq!(u8::wide(u16::narrow(byte)), byte);
        }
    }
}
