//! What several test files share: the data files, a reader of positions, random numbers.
//!
//! [`Placement::read`] and the brute-force solver share no code with the library, so that a mistake
//! is not made twice.

pub mod brute;
pub mod damaged;
pub mod tables;

use std::collections::BTreeSet;
use std::sync::Arc;

use damka::board::{Bits, Playing};
use damka::index::{Material, Pair, plan};
use damka::rules::{Numbering, RuleSet, Rules, Turned, TurnedMove};
use damka::solve::{Finished, Kernel, SolveOptions, SubsetTables, solve};

/// Options like others but for some fields, which the library may get more of.
macro_rules! with {
    ($base:expr, $($field:ident = $value:expr),+ $(,)?) => {{
        let mut options = $base;
        $(options.$field = $value;)+
        options
    }};
}
pub(crate) use with;

pub(crate) use damka::with_rule_set as with_rules;

/// The lines of a file in `tests/data` after the first, cut at tabs.
pub fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let rows = text.lines().skip(1);
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// What the data files list that damka does not have: another game, other boards, and counts of positions of any variant.
const FOREIGN: [&str; 6] =
    ["wolf_sheep", "english_6x6", "international_6x6", "8x8-any", "10x10-any", "12x12-any"];

/// The variant of damka's that the data files call `name`; `None` for what damka does not have.
///
/// # Panics
/// If it is neither: a row of a mistyped variant must not pass for one that nobody has to check.
pub fn variant(name: &str) -> Option<damka::Variant> {
    let known = name.replace('_', "-").parse();
    if FOREIGN.contains(&name) {
        assert!(known.is_err(), "damka has {name} now");
        return None;
    }
    Some(known.unwrap_or_else(|error| panic!("{error}")))
}

/// Pairs with all that they depend on.
pub fn closure(rules: &Rules, pairs: impl IntoIterator<Item = Pair>) -> BTreeSet<Pair> {
    let mut open: Vec<Pair> = pairs.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(pair) = open.pop() {
        if found.insert(pair) {
            open.extend(pair.dependencies(rules));
        }
    }
    found
}

/// Solves what is needed for some slices, in memory.
pub fn solved<B: Bits>(kernel: Kernel<B>, slices: &[Material]) -> Finished<B> {
    let needed = closure(kernel.rules(), slices.iter().map(|&slice| Pair::of(slice)));
    let pieces = needed.iter().map(|pair| pair.first().pieces()).max().unwrap_or(2);
    let subsets = SubsetTables::new(kernel.geometry(), pieces - 1);
    let mut finished = Finished::new();
    for pair in plan(kernel.rules(), pieces).into_iter().filter(|pair| needed.contains(pair)) {
        let table = solve(kernel, pair, &finished, &subsets, &SolveOptions::default(), &());
        finished.insert(pair, Arc::new(table.unwrap()));
    }
    finished
}

/// A piece on the board; column and row count from 0 at White's bottom left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub white: bool,
    pub king: bool,
    pub column: usize,
    pub row: usize,
}

/// Pieces and side to move, as a FEN gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    pub white_to_move: bool,
    pub pieces: Vec<Piece>,
}

impl Placement {
    /// Reads a FEN of a square board with a dark square at White's bottom left: `W:WK1,21-24:Bb8`,
    /// numbers from White's top left or algebraic names.
    ///
    /// # Panics
    /// If it is none.
    pub fn read(fen: &str, size: usize) -> Self {
        Self::read_with(fen, &|number| numbered(number, size))
    }

    /// Reads a FEN with the numbers or names of a variant.
    pub fn read_as(fen: &str, rules: &Rules) -> Self {
        let order = reading_order(rules);
        Self::read_with(fen, &|number| order[number - 1])
    }

    fn read_with(fen: &str, numbered: &dyn Fn(usize) -> (usize, usize)) -> Self {
        let mut parts = fen.split(':');
        let white_to_move = parts.next() == Some("W");
        assert!(white_to_move || fen.starts_with("B:"), "{fen}");
        let mut pieces = Vec::new();
        for part in parts {
            let white = part.starts_with('W');
            assert!(white || part.starts_with('B'), "{fen}");
            for item in part[1..].split(',').filter(|item| !item.is_empty()) {
                let king = item.starts_with('K');
                let item = item.trim_start_matches('K');
                let (first, last) = item.split_once('-').unwrap_or((item, item));
                if let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) {
                    for number in first..=last {
                        let (column, row) = numbered(number);
                        pieces.push(Piece { white, king, column, row });
                    }
                } else {
                    let column = (item.as_bytes()[0] - b'a') as usize;
                    let row = item[1..].parse::<usize>().expect(fen) - 1;
                    pieces.push(Piece { white, king, column, row });
                }
            }
        }
        Placement { white_to_move, pieces }
    }

    /// The placement as damka's move generator takes it.
    pub fn turned<R: RuleSet>(&self) -> Turned<R::Bits> {
        let mut turned = Turned::<R::Bits>::default();
        for piece in &self.pieces {
            let bit = R::Bits::bit(square(&R::RULES, self.white_to_move, piece.column, piece.row));
            let set = match (piece.white == self.white_to_move, piece.king) {
                (true, false) => &mut turned.own_men,
                (true, true) => &mut turned.own_kings,
                (false, false) => &mut turned.opp_men,
                (false, true) => &mut turned.opp_kings,
            };
            *set = *set | bit;
        }
        turned
    }
}

/// Columns and rows of the playing squares in the order of their numbers.
pub fn reading_order(rules: &Rules) -> Vec<(usize, usize)> {
    let (width, height) = (rules.shape.width as usize, rules.shape.height as usize);
    let played = |&(column, row): &(usize, usize)| match rules.shape.playing {
        Playing::Dark => (column + row).is_multiple_of(2),
        Playing::Light => !(column + row).is_multiple_of(2),
        Playing::All | Playing::Points => true,
    };
    let rows = (0..height).rev();
    let all = rows.flat_map(|row| (0..width).map(move |column| (column, row)));
    let mut order: Vec<_> = all.filter(played).collect();
    if rules.numbering == Numbering::BottomRight {
        order.reverse();
    }
    order
}

/// Column and row of a square number from White's top left.
pub fn numbered(number: usize, size: usize) -> (usize, usize) {
    let half = size / 2;
    assert!((1..=half * size).contains(&number), "no square {number}");
    let (from_top, place) = ((number - 1) / half, (number - 1) % half);
    let row = size - 1 - from_top;
    (place * 2 + row % 2, row)
}

/// Index of a square on the board turned to the side to move.
pub fn square(rules: &Rules, white_to_move: bool, column: usize, row: usize) -> u8 {
    let (width, height) = (rules.shape.width as usize, rules.shape.height as usize);
    let (column, row) =
        if white_to_move { (column, row) } else { (width - 1 - column, height - 1 - row) };
    rules.shape.square_at(column as i8, row as i8).expect("a playing square")
}

/// Column and row of a square of the board turned to the side to move.
pub fn place(rules: &Rules, white_to_move: bool, square: u8) -> (usize, usize) {
    let (column, row) = rules.shape.column_row(square);
    let (width, height) = (rules.shape.width, rules.shape.height);
    let (column, row) =
        if white_to_move { (column, row) } else { (width - 1 - column, height - 1 - row) };
    (column.into(), row.into())
}

/// A position of damka's as White sees it.
pub fn placement<R: RuleSet>(turned: &Turned<R::Bits>, white_to_move: bool) -> Placement {
    let sides = [
        (turned.own_men, true, false),
        (turned.own_kings, true, true),
        (turned.opp_men, false, false),
        (turned.opp_kings, false, true),
    ];
    let mut pieces = Vec::new();
    for (set, own, king) in sides {
        for square in damka::board::squares_of(set) {
            let (column, row) = place(&R::RULES, white_to_move, square);
            pieces.push(Piece { white: own == white_to_move, king, column, row });
        }
    }
    Placement { white_to_move, pieces }
}

/// `a1` for column and row 0.
pub fn name((column, row): (usize, usize)) -> String {
    format!("{}{}", (b'a' + column as u8) as char, row + 1)
}

/// A move of damka's in words for comparison: `c3xg3 (d4,f4) K`, captured squares by name, `K` if
/// it ends as a king.
pub fn describe<R: RuleSet>(m: &TurnedMove<R::Bits>, white_to_move: bool) -> String {
    let name = |square| name(place(&R::RULES, white_to_move, square));
    let taken = damka::board::squares_of(m.taken).map(name).collect();
    describe_parts(name(m.from), name(m.to), taken, m.is_king)
}

/// See [`describe`].
pub fn describe_parts(from: String, to: String, mut taken: Vec<String>, king: bool) -> String {
    taken.sort();
    let king = if king { " K" } else { "" };
    match taken.is_empty() {
        true => format!("{from}-{to}{king}"),
        false => format!("{from}x{to} ({}){king}", taken.join(",")),
    }
}

/// A small generator of random numbers (xorshift64*): the same on every machine.
pub struct Rng(pub u64);

impl Rng {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        high as usize % bound
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}
