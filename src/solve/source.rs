//! Where scores are read: in memory, or on a shelf.

use rustc_hash::FxHashMap;

use super::score::UnitScores;
use super::shelf::{Shelf, ShelfError};

/// Where the scores of a pair with one side to move are.
#[derive(Clone, Copy)]
pub(crate) enum Half<'a> {
    /// In memory, slot after slot.
    Memory(UnitScores<'a>),
    Shelf(ShelfHalf<'a>),
}

/// One side to move of a pair on a shelf.
#[derive(Clone, Copy)]
pub(crate) struct ShelfHalf<'a> {
    pub shelf: &'a dyn Shelf,
    pub side: usize,
    pub wide: bool,
}

impl<'a> Half<'a> {
    /// Scores of a slot, of `len` placements.
    #[inline(always)]
    pub fn unit<'u>(self, slot: usize, len: usize, units: &'u mut Units) -> UnitScores<'u>
    where
        'a: 'u,
    {
        match self {
            Self::Memory(UnitScores::Narrow(scores)) => {
                UnitScores::Narrow(&scores[slot * len..][..len])
            }
            Self::Memory(UnitScores::Wide(scores)) => {
                UnitScores::Wide(&scores[slot * len..][..len])
            }
            Self::Shelf(half) => units.read(half, slot, len),
        }
    }
}

/// Scores that a worker has read from shelves, for the next time.
#[derive(Debug, Default)]
pub(crate) struct Units {
    /// Most bytes that are held besides the scores read last.
    most: usize,
    /// By the shelf's address, the slot and the side.
    held: FxHashMap<(usize, usize, usize), Held>,
    bytes: usize,
    /// The first that went wrong. What is read then is no score.
    error: Option<ShelfError>,
}

#[derive(Debug)]
enum Held {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl Units {
    /// Room for what units of so many placements of kings read.
    pub fn around(unit: usize) -> Self {
        Units { most: Self::room(unit as u64) as usize, ..Units::default() }
    }

    /// Most bytes that are held then: some dozens of units with one side to move, most of which are smaller.
    pub fn room(unit: u64) -> u64 {
        unit.saturating_mul(64).clamp(1 << 20, 1 << 28)
    }

    #[cold]
    #[inline(never)]
    fn read(&mut self, half: ShelfHalf, slot: usize, len: usize) -> UnitScores<'_> {
        let ShelfHalf { shelf, side, wide } = half;
        let key = (std::ptr::from_ref(shelf).addr(), slot, side);
        if !self.held.contains_key(&key) {
            if self.bytes > self.most {
                self.held.clear();
                self.bytes = 0;
            }
            let mut bytes = vec![0; len << wide as usize];
            if let Err(error) = shelf.get(slot, side, &mut bytes) {
                bytes.fill(0);
                self.error.get_or_insert(error);
            }
            self.bytes += bytes.len();
            let held = match wide {
                false => Held::Narrow(bytes),
                true => Held::Wide(words(&bytes).collect()),
            };
            self.held.insert(key, held);
        }
        match &self.held[&key] {
            Held::Narrow(scores) => UnitScores::Narrow(scores),
            Held::Wide(scores) => UnitScores::Wide(scores),
        }
    }

    /// The first error there was.
    pub fn check(&mut self) -> Result<(), ShelfError> {
        let Some(error) = self.error.take() else { return Ok(()) };
        self.held.clear();
        self.bytes = 0;
        Err(error)
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
}
