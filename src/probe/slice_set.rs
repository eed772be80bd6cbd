//! The tables of a variant, whose rules are a type.

use std::sync::OnceLock;

use num_traits::Zero;

use super::error::ProbeError;
use super::resolve::resolve;
use super::tables::{OpenOptions, PLACES, Patience, Slice, Tables};
use crate::index::{Material, SliceIndex};
use crate::position::Position;
use crate::rules::{RuleSet, Turned, Variant, has_capture, visit_quiet_moves};
use crate::store::Metric;
use crate::value::{Value, Wld};

/// What a tablebase asks of the tables of its variant, whose rules are a type.
pub(super) trait Slices: Send + Sync {
    fn value(&self, position: &Position, patience: Patience) -> Result<Value, ProbeError>;
    fn wld(&self, position: &Position, patience: Patience) -> Result<Wld, ProbeError>;
    /// Has the system begin to read what a position will need.
    fn prefetch(&self, position: &Position);
    /// Where a position without a capture is: the number of its slice, and its index there. Opens its `.wld` table.
    fn place(&self, position: &Position) -> Option<(usize, u64)>;
    fn tables(&self) -> &Tables;
    /// The error for a position whose moves do not have its value.
    fn contradiction(&self, position: &Position) -> ProbeError;
}

/// The index of a slice, made when it is first needed.
type IndexOnce<B> = OnceLock<Box<SliceIndex<B>>>;

pub(super) struct SliceSet<R: RuleSet> {
    tables: Tables,
    /// By the place of the slice.
    indexes: Box<[IndexOnce<R::Bits>]>,
}

impl<R: RuleSet> SliceSet<R> {
    pub(super) fn new(variant: Variant, options: OpenOptions) -> Self {
        let positions_of = |slice: Material| {
            u64::try_from(SliceIndex::len_of(R::geometry(), slice)).expect("few enough pieces")
        };
        SliceSet {
            tables: Tables::new(variant, options, positions_of),
            indexes: (0..PLACES).map(|_| OnceLock::new()).collect(),
        }
    }

    #[inline]
    fn slice(&self, material: Material, metric: Metric) -> Result<&Slice, ProbeError> {
        self.tables.slice(material, metric)
    }

    #[inline]
    fn index(&self, slice: &Slice) -> &SliceIndex<R::Bits> {
        self.indexes[slice.place]
            .get_or_init(|| Box::new(SliceIndex::new(R::geometry(), slice.material())))
    }

    /// Result of a quiet position.
    #[inline]
    fn quiet_wld(&self, position: &Turned<R::Bits>, patience: Patience) -> Result<Wld, ProbeError> {
        let slice = self.slice(Material::of(position), Metric::Wld)?;
        self.wld_of(slice, position, patience).map(|(wld, _)| wld)
    }

    /// Result and index of a quiet position of a slice. The table comes before the index: numbering a slice of which
    /// there is but the name of a file could take gigabytes.
    #[inline]
    fn wld_of(
        &self,
        slice: &Slice,
        position: &Turned<R::Bits>,
        patience: Patience,
    ) -> Result<(Wld, u64), ProbeError> {
        let opened = self.tables.open(slice, Metric::Wld, patience)?;
        let index = self.index(slice).stored_rank(position);
        let (byte, place) = self.tables.symbol(opened, index, patience)?;
        Ok((opened.table.result_in(byte as u8, place), index))
    }

    /// Value of a quiet position; if its table leaves its distance out, by one ply of search, unless that is not allowed.
    fn quiet_value(
        &self,
        position: &Turned<R::Bits>,
        patience: Patience,
        may_search: bool,
    ) -> Result<Value, ProbeError> {
        let slice = self.slice(Material::of(position), Metric::Wld)?;
        match self.wld_of(slice, position, patience)? {
            (Wld::Draw, _) => Ok(Value::Draw),
            (wld, index) => self.distance_at(slice, index, (position, wld), patience, may_search),
        }
    }

    /// Value of a quiet position with this index and result; see [`SliceSet::quiet_value`].
    fn distance_at(
        &self,
        slice: &Slice,
        index: u64,
        (position, wld): (&Turned<R::Bits>, Wld),
        patience: Patience,
        may_search: bool,
    ) -> Result<Value, ProbeError> {
        let opened = self.tables.open(slice, Metric::Dtw, patience)?;
        let table = &opened.table;
        let found = if table.holds(wld) {
            let (symbol, _) = self.tables.symbol(opened, index, patience)?;
            table.value_in(symbol, wld)
        } else if may_search {
            self.value_by_search(position, wld, patience)?
        } else {
            None
        };
        found.ok_or_else(|| ProbeError::Mismatch { path: table.path().to_owned() })
    }

    /// Value of a quiet position with this result, from those of the positions one move later; `None` if they have no such.
    fn value_by_search(
        &self,
        position: &Turned<R::Bits>,
        wld: Wld,
        patience: Patience,
    ) -> Result<Option<Value>, ProbeError> {
        let geometry = R::geometry();
        let twin = Material::of(position).twin();
        let mut best = None;
        let mut failed = None;
        let mut moves = 0;
        visit_quiet_moves::<R>(geometry, position, &mut |from, to, crowned| {
            moves += 1;
            let next = position.stepped(from, to, crowned).passed(geometry);
            match self.value_after(&next, twin, wld, patience) {
                Ok(value) => best = best.max(value.map(Value::before_move)),
                Err(error) => failed = Some(error),
            }
        });
        if moves == 0 {
            best = Some(R::RULES.no_move.value());
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(best.filter(|value| value.wld() == wld)),
        }
    }

    /// Value of a position to which a quiet move leads from one with this result, whose slice has this `twin`. In a won position,
    /// `None` if the move does not win.
    fn value_after(
        &self,
        next: &Turned<R::Bits>,
        twin: Material,
        wld: Wld,
        patience: Patience,
    ) -> Result<Option<Value>, ProbeError> {
        let geometry = R::geometry();
        // What one slice leaves out its twin must store, or the search might not end. Elsewhere there are fewer men or pieces.
        let may_search = |material: Material| material != twin;
        if wld == Wld::Win {
            if !has_capture::<R>(geometry, next) {
                let material = Material::of(next);
                let slice = self.slice(material, Metric::Wld)?;
                let (there, index) = self.wld_of(slice, next, patience)?;
                if there != Wld::Loss {
                    return Ok(None);
                }
                let may_search = may_search(material);
                return self
                    .distance_at(slice, index, (next, there), patience, may_search)
                    .map(Some);
            }
            let quiet_wld = |after: &Turned<R::Bits>| self.quiet_wld(after, patience);
            if resolve::<R, Wld, _>(geometry, next, &quiet_wld)? != Wld::Loss {
                return Ok(None);
            }
        }
        let quiet_value = |after: &Turned<R::Bits>| {
            self.quiet_value(after, patience, may_search(Material::of(after)))
        };
        resolve::<R, Value, _>(geometry, next, &quiet_value).map(Some)
    }
}

impl<R: RuleSet> Slices for SliceSet<R> {
    fn value(&self, position: &Position, patience: Patience) -> Result<Value, ProbeError> {
        let geometry = R::geometry();
        let lookup = |position: &Turned<R::Bits>| self.quiet_value(position, patience, true);
        resolve::<R, Value, _>(geometry, &position.to_turned(geometry), &lookup)
    }

    fn wld(&self, position: &Position, patience: Patience) -> Result<Wld, ProbeError> {
        let geometry = R::geometry();
        let lookup = |position: &Turned<R::Bits>| self.quiet_wld(position, patience);
        resolve::<R, Wld, _>(geometry, &position.to_turned(geometry), &lookup)
    }

    fn prefetch(&self, position: &Position) {
        let geometry = R::geometry();
        let begin = |position: &Turned<R::Bits>| -> Result<Value, ProbeError> {
            let material = Material::of(position);
            for metric in [Metric::Wld, Metric::Dtw] {
                let Ok(slice) = self.slice(material, metric) else { break };
                let Ok(opened) = self.tables.open(slice, metric, Patience::Read) else { continue };
                self.tables.will_need(opened, self.index(slice).stored_rank(position));
            }
            Ok(Value::Draw)
        };
        // All quiet positions behind captures are come by, whatever they are said to be worth.
        let _ = resolve::<R, Value, _>(geometry, &position.to_turned(geometry), &begin);
    }

    fn place(&self, position: &Position) -> Option<(usize, u64)> {
        let geometry = R::geometry();
        let turned = position.to_turned(geometry);
        if turned.own().is_zero() || turned.opp().is_zero() || has_capture::<R>(geometry, &turned) {
            return None;
        }
        let slice = self.tables.known(Material::of(&turned))?;
        self.tables.open(slice, Metric::Wld, Patience::Read).ok()?;
        Some((slice.place, self.index(slice).stored_rank(&turned)))
    }

    fn tables(&self) -> &Tables {
        &self.tables
    }

    fn contradiction(&self, position: &Position) -> ProbeError {
        let slice = Material::of(&position.to_turned(R::geometry()));
        let table = |metric| self.tables.table(slice, metric);
        match table(Metric::Dtw).or_else(|_| table(Metric::Wld)) {
            Ok(table) => ProbeError::Mismatch { path: table.path().to_owned() },
            Err(error) => error,
        }
    }
}
