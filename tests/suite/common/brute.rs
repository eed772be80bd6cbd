//! A slow solver from the rules in words, as a second opinion on the library.
//!
//! It shares no code with `src/`. A board is a grid of letters seen by White, both colours are
//! played as they are (nothing is turned around), and values are found by going over all
//! positions again and again until nothing changes.
//!
//! ```ignore
//! let values = brute::solve(3); // Russian draughts
//! for (board, white_to_move, value) in values.iter() {
//!     println!("{} {value:?}", board.fen(white_to_move));
//! }
//! ```

use std::fmt;

use super::{Placement, Rng};

/// Playing squares of the largest board.
const LARGEST: usize = 72;

pub const EMPTY: u8 = b'.';
pub const WHITE_MAN: u8 = b'w';
pub const WHITE_KING: u8 = b'W';
pub const BLACK_MAN: u8 = b'b';
pub const BLACK_KING: u8 = b'B';

/// Column and row, from 0 at White's bottom left.
pub type Place = (usize, usize);

/// What becomes of a man on the last row if its capture is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowning {
    /// It is a king from there on, in the same move.
    GoesOnAsKing,
    /// It goes on as a man, and is crowned only where the move ends.
    WhereItEnds,
    /// The move is over.
    EndsTheMove,
}

/// Rules by which games differ.
#[derive(Clone, Copy, Debug)]
pub struct Game {
    /// Squares a side.
    pub size: usize,
    /// Men capture backward too.
    pub men_take_back: bool,
    /// Kings go any distance.
    pub kings_fly: bool,
    pub crowning: Crowning,
    /// Only captures of the most pieces are allowed.
    pub most_pieces: bool,
    /// Who cannot move has won.
    pub giveaway: bool,
}

pub const RUSSIAN: Game = Game {
    size: 8,
    men_take_back: true,
    kings_fly: true,
    crowning: Crowning::GoesOnAsKing,
    most_pieces: false,
    giveaway: false,
};

/// The game that the data files call `name`, if this file knows its rules.
pub fn game(name: &str) -> Option<Game> {
    let pool = Game { crowning: Crowning::WhereItEnds, ..RUSSIAN };
    let brazilian = Game { most_pieces: true, ..pool };
    let english =
        Game { men_take_back: false, kings_fly: false, crowning: Crowning::EndsTheMove, ..RUSSIAN };
    if let Some(parent) = name.strip_suffix("_giveaway") {
        return Some(Game { giveaway: true, ..game(parent)? });
    }
    Some(match name {
        "russian" => RUSSIAN,
        "pool" => pool,
        "brazilian" => brazilian,
        "international" => Game { size: 10, ..brazilian },
        "canadian" => Game { size: 12, ..brazilian },
        "english" => english,
        _ => return None,
    })
}

/// Pieces on a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// Squares a side.
    pub size: usize,
    /// Letters of the playing squares, row by row.
    at: [u8; LARGEST],
}

/// White's piece or Black's?
fn is_white(piece: u8) -> bool {
    piece == WHITE_MAN || piece == WHITE_KING
}

fn is_king(piece: u8) -> bool {
    piece == WHITE_KING || piece == BLACK_KING
}

fn piece(white: bool, king: bool) -> u8 {
    match (white, king) {
        (true, false) => WHITE_MAN,
        (true, true) => WHITE_KING,
        (false, false) => BLACK_MAN,
        (false, true) => BLACK_KING,
    }
}

/// The row on which men become kings.
fn last_row(size: usize, white: bool) -> usize {
    if white { size - 1 } else { 0 }
}

impl Board {
    pub fn empty(size: usize) -> Self {
        Board { size, at: [EMPTY; LARGEST] }
    }

    pub fn of(placement: &Placement, size: usize) -> Self {
        let mut board = Board::empty(size);
        for p in &placement.pieces {
            let square = (p.column, p.row);
            assert_eq!(board.get(square), EMPTY, "two pieces on a square");
            board.set(square, piece(p.white, p.king));
        }
        board
    }

    /// Number of a playing square, row by row from White's bottom left.
    fn number(&self, (column, row): Place) -> usize {
        row * (self.size / 2) + column / 2
    }

    pub fn get(&self, at: Place) -> u8 {
        self.at[self.number(at)]
    }

    pub fn set(&mut self, at: Place, piece: u8) {
        self.at[self.number(at)] = piece;
    }

    /// The playing squares, row by row.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let half = self.size / 2;
        (0..half * self.size).map(move |number| {
            let row = number / half;
            (number % half * 2 + row % 2, row)
        })
    }

    /// The occupied squares with what stands there.
    pub fn pieces(&self) -> impl Iterator<Item = (Place, u8)> + '_ {
        self.places().zip(self.at).filter(|&(_, piece)| piece != EMPTY)
    }

    pub fn count(&self) -> usize {
        self.pieces().count()
    }

    pub fn has_side(&self, white: bool) -> bool {
        self.pieces().any(|(_, piece)| is_white(piece) == white)
    }

    /// The board turned by 180 degrees with colours exchanged.
    pub fn flipped(&self) -> Self {
        let mut flipped = Board::empty(self.size);
        for ((column, row), p) in self.pieces() {
            let across = (self.size - 1 - column, self.size - 1 - row);
            flipped.set(across, piece(!is_white(p), is_king(p)));
        }
        flipped
    }

    /// FEN with algebraic squares, kings before men: `W:WKa1,c3:Bb8`.
    pub fn fen(&self, white_to_move: bool) -> String {
        let side = |white: bool| {
            let of = |king: bool| {
                let these = move |&(_, p): &(Place, u8)| p == piece(white, king);
                let sign = if king { "K" } else { "" };
                self.pieces().filter(these).map(move |(at, _)| format!("{sign}{}", super::name(at)))
            };
            of(true).chain(of(false)).collect::<Vec<_>>().join(",")
        };
        let stm = if white_to_move { 'W' } else { 'B' };
        format!("{stm}:W{}:B{}", side(true), side(false))
    }

    /// The neighbour of a square, `right` and `up` each 1 or -1.
    fn beside(&self, (column, row): Place, (right, up): (isize, isize)) -> Option<Place> {
        let column = column.checked_add_signed(right).filter(|&column| column < self.size)?;
        let row = row.checked_add_signed(up).filter(|&row| row < self.size)?;
        Some((column, row))
    }

    /// The position after a move.
    pub fn after(&self, m: &Move) -> Self {
        let mut next = *self;
        let mover = next.get(m.from);
        next.set(m.from, EMPTY);
        for &victim in &m.taken {
            next.set(victim, EMPTY);
        }
        next.set(m.to, piece(is_white(mover), m.king));
        next
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fen(true).trim_start_matches("W:"))
    }
}

/// A legal move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    pub from: Place,
    pub to: Place,
    /// Captured pieces, sorted.
    pub taken: Vec<Place>,
    /// Whether it ends as a king.
    pub king: bool,
}

impl Move {
    /// The same words as [`super::describe`] has.
    pub fn describe(&self) -> String {
        let taken = self.taken.iter().copied().map(super::name).collect();
        super::describe_parts(super::name(self.from), super::name(self.to), taken, self.king)
    }
}

const DIAGONALS: [(isize, isize); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// All legal moves of one side; the same capture made in two ways is one move.
pub fn moves(game: &Game, board: &Board, white: bool) -> Vec<Move> {
    let mut captures = Vec::new();
    for (from, piece) in board.pieces().filter(|&(_, piece)| is_white(piece) == white) {
        // The square it has left is free for the rest of the move.
        let mut lifted = *board;
        lifted.set(from, EMPTY);
        let walk = Walk { game, board: &lifted, white, from };
        walk.jump_on(from, is_king(piece), &mut Vec::new(), &mut captures);
    }
    if captures.is_empty() {
        return quiet_moves(game, board, white);
    }
    if game.most_pieces {
        let most = captures.iter().map(|m| m.taken.len()).max();
        captures.retain(|m| Some(m.taken.len()) == most);
    }
    captures.sort();
    captures.dedup();
    captures
}

fn quiet_moves(game: &Game, board: &Board, white: bool) -> Vec<Move> {
    let mut list = Vec::new();
    for (from, piece) in board.pieces().filter(|&(_, piece)| is_white(piece) == white) {
        let was_king = is_king(piece);
        for direction in DIAGONALS {
            if !was_king && (direction.1 > 0) != white {
                continue;
            }
            let mut at = from;
            while let Some(to) = board.beside(at, direction) {
                if board.get(to) != EMPTY {
                    break;
                }
                let king = was_king || to.1 == last_row(board.size, white);
                list.push(Move { from, to, taken: Vec::new(), king });
                if !was_king || !game.kings_fly {
                    break;
                }
                at = to;
            }
        }
    }
    list
}

/// A capturing piece. The board is that before the move, without this piece: what it strikes
/// stays where it is until the move is over.
struct Walk<'a> {
    game: &'a Game,
    board: &'a Board,
    white: bool,
    from: Place,
}

impl Walk<'_> {
    /// Notes every capture that goes on from here; false if the piece cannot go on.
    fn jump_on(
        &self,
        at: Place,
        king: bool,
        taken: &mut Vec<Place>,
        found: &mut Vec<Move>,
    ) -> bool {
        let mut goes_on = false;
        for direction in DIAGONALS {
            let backward = (direction.1 > 0) != self.white;
            if backward && !king && !self.game.men_take_back {
                continue;
            }
            let long = king && self.game.kings_fly;
            let Some(victim) = self.first_piece(at, direction, long) else { continue };
            if is_white(self.board.get(victim)) == self.white || taken.contains(&victim) {
                continue;
            }
            let landings = self.free_squares(victim, direction, long);
            if landings.is_empty() {
                continue;
            }
            goes_on = true;
            taken.push(victim);
            let mut dead_ends = Vec::new();
            for to in landings.iter().copied() {
                let crowned = !king && to.1 == last_row(self.board.size, self.white);
                let more = match self.game.crowning {
                    Crowning::EndsTheMove if crowned => false,
                    Crowning::GoesOnAsKing => self.jump_on(to, king || crowned, taken, found),
                    _ => self.jump_on(to, king, taken, found),
                };
                if !more {
                    dead_ends.push((to, king || crowned));
                }
            }
            // It may stop behind the victim only if nowhere behind it can it go on.
            if dead_ends.len() == landings.len() {
                for (to, king) in dead_ends {
                    let mut taken = taken.clone();
                    taken.sort();
                    found.push(Move { from: self.from, to, taken, king });
                }
            }
            taken.pop();
        }
        goes_on
    }

    /// The piece next to `at`, or the first one in sight if `long`.
    fn first_piece(&self, at: Place, direction: (isize, isize), long: bool) -> Option<Place> {
        let mut next = self.board.beside(at, direction)?;
        while long && self.board.get(next) == EMPTY {
            next = self.board.beside(next, direction)?;
        }
        (self.board.get(next) != EMPTY).then_some(next)
    }

    /// Free squares behind `victim`: the next one, or all up to the next piece if `long`.
    fn free_squares(&self, victim: Place, direction: (isize, isize), long: bool) -> Vec<Place> {
        let mut free = Vec::new();
        let mut at = victim;
        while let Some(next) = self.board.beside(at, direction) {
            if self.board.get(next) != EMPTY || (!long && !free.is_empty()) {
                break;
            }
            free.push(next);
            at = next;
        }
        free
    }
}

/// Number of sequences of `depth` moves.
pub fn perft(game: &Game, board: &Board, white_to_move: bool, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let list = moves(game, board, white_to_move);
    list.iter().map(|m| perft(game, &board.after(m), !white_to_move, depth - 1)).sum()
}

/// Result for the side to move; distances in plies to the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BruteValue {
    Win(u16),
    Draw,
    Loss(u16),
}

/// White kings, white men, black kings, black men.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material(pub [usize; 4]);

impl Material {
    const PIECES: [u8; 4] = [WHITE_KING, WHITE_MAN, BLACK_KING, BLACK_MAN];

    pub fn pieces(self) -> usize {
        self.0.iter().sum()
    }

    fn is_two_sided(self) -> bool {
        self.0[0] + self.0[1] > 0 && self.0[2] + self.0[3] > 0
    }

    /// The same material with colours exchanged.
    pub fn flipped(self) -> Self {
        let [wk, wm, bk, bm] = self.0;
        Material([bk, bm, wk, wm])
    }

    /// The name that the data files have for it, like `2K1M-1K0M`.
    pub fn name(self) -> String {
        let [wk, wm, bk, bm] = self.0;
        format!("{wk}K{wm}M-{bk}K{bm}M")
    }
}

/// Place of a kind of piece in [`Material`].
fn slot(piece: u8) -> usize {
    Material::PIECES.iter().position(|&p| p == piece).expect("a piece")
}

/// All materials with at most so many pieces and at least one a side.
pub fn materials(max_pieces: usize) -> Vec<Material> {
    let mut list = Vec::new();
    let upto = 0..=max_pieces;
    for wk in upto.clone() {
        for wm in upto.clone() {
            for bk in upto.clone() {
                for bm in upto.clone() {
                    let material = Material([wk, wm, bk, bm]);
                    if material.pieces() <= max_pieces && material.is_two_sided() {
                        list.push(material);
                    }
                }
            }
        }
    }
    list
}

/// These materials and all that play can lead to from them.
pub fn closure(start: &[Material]) -> Vec<Material> {
    let mut list = start.to_vec();
    let mut done = 0;
    while let Some(&Material(counts)) = list.get(done) {
        done += 1;
        for kind in 0..4 {
            if counts[kind] == 0 {
                continue;
            }
            let mut less = counts;
            less[kind] -= 1;
            let mut next = vec![less];
            if kind % 2 == 1 {
                less[kind - 1] += 1;
                next.push(less);
            }
            for material in next.into_iter().map(Material) {
                if material.is_two_sided() && !list.contains(&material) {
                    list.push(material);
                }
            }
        }
    }
    list
}

/// Every placement of a material without a man on his last row, each once.
pub fn positions(game: &Game, material: Material) -> Vec<Board> {
    let empty = Board::empty(game.size);
    let squares: Vec<Place> = empty.places().collect();
    let mut found = Vec::new();
    place_rest(&squares, material.0, 0, empty, &mut found);
    found
}

/// Puts the pieces that are left on the squares from number `from` on; pieces of a kind in
/// ascending order.
fn place_rest(
    squares: &[Place],
    left: [usize; 4],
    from: usize,
    board: Board,
    found: &mut Vec<Board>,
) {
    let Some(kind) = left.iter().position(|&count| count > 0) else {
        found.push(board);
        return;
    };
    let piece = Material::PIECES[kind];
    for (number, &at) in squares.iter().enumerate().skip(from) {
        let uncrowned = !is_king(piece) && at.1 == last_row(board.size, is_white(piece));
        if board.get(at) != EMPTY || uncrowned {
            continue;
        }
        let (mut next, mut left) = (board, left);
        next.set(at, piece);
        left[kind] -= 1;
        place_rest(squares, left, if left[kind] > 0 { number + 1 } else { 0 }, next, found);
    }
}

/// A random placement of so many pieces, at least one a side, with few or many kings.
pub fn random_board(game: &Game, rng: &mut Rng, pieces: usize) -> Board {
    loop {
        let mut board = Board::empty(game.size);
        let squares: Vec<Place> = board.places().collect();
        let kings = rng.below(5); // of five
        while board.count() < pieces {
            let at = squares[rng.below(squares.len())];
            let white = rng.chance(2);
            let king = rng.below(5) < kings || at.1 == last_row(game.size, white);
            if board.get(at) == EMPTY {
                board.set(at, piece(white, king));
            }
        }
        if board.has_side(true) && board.has_side(false) {
            return board;
        }
    }
}

/// Values of all positions of some materials, both sides to move.
pub struct Values {
    game: Game,
    materials: Vec<Material>,
    /// For each material, by the digits of its counts: where its part of `numbers` begins.
    begins: Vec<Option<usize>>,
    /// One number a position and side to move (see [`Values::key`]).
    numbers: Vec<i16>,
}

// Numbers in the table: `d + 1` is a win in `d` plies and `-(d + 1)` a loss in `d`.
const UNDECIDED: i16 = 0;
/// No position has this key.
const NO_POSITION: i16 = i16::MIN;

/// Key of the side to move that has no pieces.
const NO_PIECES: usize = 0;
/// More pieces of one kind than are ever solved.
const MANY: usize = 8;

fn decode(number: i16) -> Option<BruteValue> {
    Some(match number {
        NO_POSITION => return None,
        UNDECIDED => BruteValue::Draw,
        n if n > 0 => BruteValue::Win(n as u16 - 1),
        n => BruteValue::Loss((-n) as u16 - 1),
    })
}

fn digits(counts: [usize; 4]) -> usize {
    counts.iter().fold(0, |number, &count| number * MANY + count)
}

/// Solves Russian draughts with at most so many pieces.
pub fn solve(max_pieces: usize) -> Values {
    solve_materials(&RUSSIAN, &materials(max_pieces))
}

/// Solves the given materials, from which no move may lead to others, by plain iteration.
///
/// Round `d` finds what is decided in `d` plies: a win if a move leads to a loss in `d - 1`, a
/// loss if all moves lead to wins. What no round decides is a draw.
pub fn solve_materials(game: &Game, materials: &[Material]) -> Values {
    let over = if game.giveaway { 1 } else { -1 };
    let mut values = Values {
        game: *game,
        materials: materials.to_vec(),
        begins: vec![None; MANY.pow(4)],
        numbers: vec![NO_POSITION; 2],
    };
    values.numbers[NO_PIECES] = over;
    let squares = game.size * game.size / 2;
    for &material in materials {
        let begin = values.numbers.len();
        values.begins[digits(material.0)] = Some(begin);
        values.numbers.resize(begin + 2 * squares.pow(material.pieces() as u32), NO_POSITION);
    }

    // Undecided positions: key, and which part of `after` holds the keys after its moves.
    let (mut open, mut after) = (Vec::new(), Vec::new());
    for &material in materials {
        for board in positions(game, material) {
            for white in [true, false] {
                let begin = after.len();
                for m in moves(game, &board, white) {
                    let next = board.after(&m);
                    let key = values.key(&next, !white);
                    after
                        .push(key.unwrap_or_else(|| panic!("{next:?} is not to be solved")) as u32);
                }
                let key = values.key(&board, white).expect("a material to be solved");
                values.numbers[key] = if after.len() == begin { over } else { UNDECIDED };
                if after.len() > begin {
                    open.push((key, begin..after.len()));
                }
            }
        }
    }

    for round in 1.. {
        let mut decided = Vec::new();
        open.retain(|(key, moves)| {
            let number = values.value_by_moves(&after[moves.clone()]);
            if number != UNDECIDED {
                assert_eq!(number.unsigned_abs(), round + 1, "decided in another round");
                decided.push((*key, number));
            }
            number == UNDECIDED
        });
        if decided.is_empty() {
            break;
        }
        for (key, number) in decided {
            values.numbers[key] = number;
        }
    }
    values
}

impl Values {
    /// Place in the table: the squares of the pieces, kind after kind, as digits of a number, and
    /// last the side to move. `None` if the material is not in the table.
    fn key(&self, board: &Board, white_to_move: bool) -> Option<usize> {
        let mut counts = [0; 4];
        let mut squares = [[0; MANY]; 4];
        for (at, piece) in board.pieces() {
            let kind = slot(piece);
            squares[kind][counts[kind]] = board.number(at);
            counts[kind] += 1;
        }
        let [wk, wm, bk, bm] = counts;
        if (if white_to_move { wk + wm } else { bk + bm }) == 0 {
            return Some(NO_PIECES);
        }
        let mut key = 0;
        for kind in 0..4 {
            for &square in &squares[kind][..counts[kind]] {
                key = key * (self.game.size * self.game.size / 2) + square;
            }
        }
        Some(self.begins[digits(counts)]? + 2 * key + usize::from(white_to_move))
    }

    /// What the values after its moves say about a position that is not over.
    fn value_by_moves(&self, after: &[u32]) -> i16 {
        let (mut quickest, mut slowest, mut all_win) = (i16::MAX, 0, true);
        for &key in after {
            match self.numbers[key as usize] {
                NO_POSITION => panic!("a move to no position"),
                UNDECIDED => all_win = false,
                n if n < 0 => quickest = quickest.min(-n),
                n => slowest = slowest.max(n),
            }
        }
        if quickest < i16::MAX {
            quickest + 1
        } else if all_win {
            -(slowest + 1)
        } else {
            UNDECIDED
        }
    }

    /// Value of a position; `None` if its material was not solved or it has a man on his last row.
    /// A side to move without pieces has no move, which ends the game.
    pub fn get(&self, board: &Board, white_to_move: bool) -> Option<BruteValue> {
        decode(self.numbers[self.key(board, white_to_move)?])
    }

    /// The materials that were solved.
    pub fn materials(&self) -> impl Iterator<Item = Material> + '_ {
        self.materials.iter().copied()
    }

    /// Positions of one solved material with their values: board, whether White is to move, value.
    pub fn of(&self, material: Material) -> impl Iterator<Item = (Board, bool, BruteValue)> + '_ {
        positions(&self.game, material).into_iter().flat_map(move |board| {
            [true, false].map(|white| (board, white, self.get(&board, white).expect("solved")))
        })
    }

    /// All positions with their values: board, whether White is to move, value.
    pub fn iter(&self) -> impl Iterator<Item = (Board, bool, BruteValue)> + '_ {
        self.materials().flat_map(|material| self.of(material))
    }
}

/// Checks a claimed value against the claimed values of the positions one move later.
///
/// `claim` is asked with the position and whether White is to move; a side to move without
/// pieces is not asked about.
///
/// # Errors
/// If they disagree, in words.
pub fn check_one_ply(
    game: &Game,
    board: &Board,
    white_to_move: bool,
    mut claim: impl FnMut(&Board, bool) -> BruteValue,
) -> Result<(), String> {
    use BruteValue::{Draw, Loss, Win};
    let over = if game.giveaway { Win(0) } else { Loss(0) };
    let mut best = None;
    // A greater number is better for the player who moves.
    let liking = |value| match value {
        Win(plies) => 100_000 - i32::from(plies),
        Draw => 0,
        Loss(plies) => i32::from(plies) - 100_000,
    };
    for m in moves(game, board, white_to_move) {
        let after = board.after(&m);
        let theirs =
            if after.has_side(!white_to_move) { claim(&after, !white_to_move) } else { over };
        let mine = match theirs {
            Win(plies) => Loss(plies + 1),
            Draw => Draw,
            Loss(plies) => Win(plies + 1),
        };
        if best.is_none_or(|best| liking(mine) > liking(best)) {
            best = Some(mine);
        }
    }
    let (expected, claimed) = (best.unwrap_or(over), claim(board, white_to_move));
    if expected == claimed {
        return Ok(());
    }
    let fen = board.fen(white_to_move);
    Err(format!("{fen}: claimed {claimed:?}, but its moves say {expected:?}"))
}
