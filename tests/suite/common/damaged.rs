//! Folders with damaged tables, and everything that a program can ask of them. Shared with the fuzz target `prober`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use damka::board::{Bitboard, Square};
use damka::index::{Material, slices};
use damka::probe::{OpenOptions, Rating};
use damka::store::fuzzing::reseal;
use damka::store::{Metric, TableId};
use damka::{Colour, Position, Tablebase, Variant};

/// Tables of Russian draughts with up to three pieces, and positions that need them.
pub struct Damaged {
    folder: PathBuf,
    /// Both of each slice, one after the other.
    tables: Vec<(PathBuf, Vec<u8>)>,
    slices: Vec<(Material, Vec<Position>)>,
}

/// Positions that are asked for, of a slice with a damaged table; of others, one.
const POSITIONS: usize = 12;

impl Damaged {
    /// Copies good tables to a folder of its own.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn new(good: &Path, folder: &Path) -> io::Result<Self> {
        let variant = Variant::Russian;
        fs::create_dir_all(folder.join(variant.name()))?;
        let slices: Vec<Material> =
            [2, 3].into_iter().flat_map(|pieces| slices(variant.rules(), pieces)).collect();
        let mut tables = Vec::new();
        for &material in &slices {
            for metric in [Metric::Wld, Metric::Dtw] {
                let id = TableId { variant, material, metric };
                let (bytes, path) = (fs::read(id.path(good))?, id.path(folder));
                fs::write(&path, &bytes)?;
                tables.push((path, bytes));
            }
        }
        let mut noise = 1;
        let slices = slices.into_iter().map(|slice| (slice, some_positions(slice, &mut noise)));
        Ok(Damaged { folder: folder.to_owned(), slices: slices.collect(), tables })
    }

    /// Damages tables as `data` says, asks everything, and mends them. Returns how many answers were values and how many errors.
    ///
    /// The first byte has bits: files are read instead of mapped, checksums are made right, those of blocks too, files are cut off
    /// instead of changed. Then follow four bytes an edit: table, place (two), value.
    ///
    /// # Errors
    /// If the system cannot write or list files.
    ///
    /// # Panics
    /// If something panics that must not, or the cache answers otherwise than the tables.
    pub fn run(&self, data: &[u8]) -> io::Result<[usize; 2]> {
        let Some((&mode, edits)) = data.split_first() else { return Ok([0; 2]) };
        let mut damaged: Vec<(usize, Vec<u8>)> = Vec::new();
        for &[table, low, high, value] in edits.as_chunks::<4>().0 {
            let table = usize::from(table) % self.tables.len();
            if damaged.iter().all(|(known, _)| *known != table) {
                damaged.push((table, self.tables[table].1.clone()));
            }
            let Some((_, bytes)) = damaged.iter_mut().find(|(known, _)| *known == table) else {
                continue;
            };
            let place = usize::from(u16::from_le_bytes([low, high])) % bytes.len().max(1);
            match bytes.get_mut(place) {
                Some(byte) if mode & 8 == 0 => *byte = value,
                _ => bytes.truncate(place),
            }
        }
        for (table, bytes) in &mut damaged {
            if mode & 2 != 0 {
                reseal(bytes, mode & 4 != 0);
            }
            fs::write(&self.tables[*table].0, bytes)?;
        }
        let _mend = Mend(&self.tables, damaged.iter().map(|(table, _)| *table).collect());
        let options = OpenOptions::new().cache_bytes(1 << 20);
        // SAFETY: the files stay as they are until `_mend` goes, after the tablebase.
        let options = if mode & 1 == 0 { unsafe { options.map_files() } } else { options };
        let slices: Vec<usize> = damaged.iter().map(|(table, _)| table / 2).collect();
        self.ask(options, &slices)
    }

    fn ask(&self, options: OpenOptions, damaged: &[usize]) -> io::Result<[usize; 2]> {
        let tables = Tablebase::open_with(Variant::Russian, &[&self.folder], options)?;
        let mut answers = [0; 2];
        let mut count = |is_value: bool| answers[usize::from(!is_value)] += 1;
        for (place, (_, positions)) in self.slices.iter().enumerate() {
            let asked = if damaged.contains(&place) { POSITIONS } else { 1 };
            for position in &positions[..asked] {
                tables.prefetch(position);
                count(tables.probe_wld(position).is_ok());
                count(tables.probe(position).is_ok());
                let evaluation =
                    tables.evaluate(position).expect("a position that can be asked for");
                count(evaluation.errors.is_empty());
                let value = tables.probe(position).ok();
                // What the tables say is what is said of them, unless the moves show that it is wrong.
                assert!(match (value, evaluation.rating) {
                    (Some(value), Rating::Exact(found)) => value == found,
                    (Some(_), Rating::Unknown(error)) => !error.is_missing(),
                    (Some(_), Rating::Result(..)) => false,
                    (None, _) => true,
                });
                if let Ok(value) = tables.probe_cached(position) {
                    assert_eq!(tables.probe(position).ok(), Some(value), "{position:?}");
                }
                if let Ok(wld) = tables.probe_wld_cached(position) {
                    assert_eq!(tables.probe_wld(position).ok(), Some(wld), "{position:?}");
                }
            }
            count(tables.line(&positions[0]).is_ok_and(|line| line.error.is_none()));
            assert_eq!(tables.probe_many(&positions[..asked]).len(), asked);
            assert_eq!(tables.probe_wld_many(&positions[..asked]).len(), asked);
        }
        for found in tables.found() {
            count(tables.header(found.slice, found.metric).is_ok());
        }
        for slice in damaged.iter().map(|&place| self.slices[place].0) {
            for metric in [Metric::Wld, Metric::Dtw] {
                count(tables.verify_checksums(slice, metric).is_ok());
            }
        }
        Ok(answers)
    }
}

/// Puts tables back as they were, also after a panic.
struct Mend<'a>(&'a [(PathBuf, Vec<u8>)], Vec<usize>);

impl Drop for Mend<'_> {
    fn drop(&mut self) {
        for &table in &self.1 {
            let (path, bytes) = &self.0[table];
            let _ = fs::write(path, bytes);
        }
    }
}

/// Some positions of a slice, with either side to move.
fn some_positions(slice: Material, noise: &mut u64) -> Vec<Position> {
    let counts = [slice.own_men, slice.opp_men, slice.own_kings, slice.opp_kings];
    let mut found = Vec::new();
    while found.len() < POSITIONS {
        let mut sets = [Bitboard::EMPTY; 4];
        for (set, count) in sets.iter_mut().zip(counts) {
            for _ in 0..count {
                *noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                set.insert(Square((*noise >> 59) as u8));
            }
        }
        let side = [Colour::White, Colour::Black][found.len() % 2];
        let [own_men, opp_men, own_kings, opp_kings] = sets;
        let position =
            Position::new(Variant::Russian, side, [own_men, opp_men], [own_kings, opp_kings]);
        // Two on one square, or a man that would be a king, is none.
        if let Ok(position) = position
            && sets.iter().zip(counts).all(|(set, count)| set.len() == u32::from(count))
        {
            found.push(position);
        }
    }
    found
}
