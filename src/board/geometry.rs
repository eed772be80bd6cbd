//! Board shapes and the tables that follow from them.

use super::bits::{Bits, squares_of};

/// Squares of the largest board (12x12, one colour).
pub const MAX_SQUARES: usize = 72;

/// Which squares of a board are played on, and which lines run through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Playing {
    /// Every other square, the one at White's bottom left among them.
    Dark,
    /// Every other square, the one at White's bottom right among them.
    Light,
    /// All squares.
    All,
    /// All points, with diagonal lines through every other one, as on the alquerque board.
    Points,
}

/// Width, height and playing squares of a board, as White sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Columns.
    pub width: u8,
    /// Rows.
    pub height: u8,
    /// Which squares are played on.
    pub playing: Playing,
}

impl Shape {
    /// A board on whose every other square is played, a1 among them.
    pub const fn dark(width: u8, height: u8) -> Self {
        Shape { width, height, playing: Playing::Dark }
    }

    /// Number of playing squares.
    pub const fn squares(self) -> u8 {
        self.before_row(self.height)
    }

    /// Number of playing squares below a row.
    const fn before_row(self, row: u8) -> u8 {
        let all = self.width as u16 * row as u16;
        (match self.playing {
            Playing::Dark => all.div_ceil(2),
            Playing::Light => all / 2,
            Playing::All | Playing::Points => all,
        }) as u8
    }

    /// The playing square in this column and row (from 0, at White's bottom left), if
    /// it is one.
    pub const fn square_at(self, column: i8, row: i8) -> Option<u8> {
        if column < 0 || row < 0 || column >= self.width as i8 || row >= self.height as i8 {
            return None;
        }
        let in_row = match self.playing {
            Playing::Dark if (column + row) % 2 == 0 => column / 2,
            Playing::Light if (column + row) % 2 == 1 => column / 2,
            Playing::Dark | Playing::Light => return None,
            Playing::All | Playing::Points => column,
        };
        Some(self.before_row(row as u8) + in_row as u8)
    }

    /// Column and row of a playing square, from 0.
    ///
    /// # Panics
    /// If `square` is not below [`Shape::squares`].
    pub fn column_row(self, square: u8) -> (u8, u8) {
        assert!(square < self.squares(), "square {square} is off the board");
        let begins = |&row: &u8| self.before_row(row) <= square;
        let row = (0..self.height).rev().find(begins).expect("the first row begins with 0");
        let in_row = square - self.before_row(row);
        let column = match self.playing {
            Playing::Dark => 2 * in_row + row % 2,
            Playing::Light => 2 * in_row + (row + 1) % 2,
            Playing::All | Playing::Points => in_row,
        };
        (column, row)
    }

    /// Change of column and of row for one step. Where every other square is played on, a step along a row or a column goes
    /// over the square between.
    pub const fn step(self, direction: Direction) -> (i8, i8) {
        let wide = match self.playing {
            Playing::Dark | Playing::Light => 2,
            Playing::All | Playing::Points => 1,
        };
        match direction {
            Direction::NorthEast => (1, 1),
            Direction::NorthWest => (-1, 1),
            Direction::SouthEast => (1, -1),
            Direction::SouthWest => (-1, -1),
            Direction::North => (0, wide),
            Direction::West => (-wide, 0),
            Direction::East => (wide, 0),
            Direction::South => (0, -wide),
        }
    }

    /// Whether a line runs through a place in a direction.
    const fn has_line(self, column: i8, row: i8, direction: Direction) -> bool {
        !matches!(self.playing, Playing::Points)
            || !direction.is_diagonal()
            || (column + row) % 2 == 0
    }
}

/// A direction on the board, as the side that moves up sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Forward right.
    NorthEast,
    /// Forward left.
    NorthWest,
    /// Backward right.
    SouthEast,
    /// Backward left.
    SouthWest,
    /// Straight forward.
    North,
    /// To the left.
    West,
    /// To the right.
    East,
    /// Straight backward.
    South,
}

impl Direction {
    /// All directions, in the order of their discriminants.
    pub const ALL: [Direction; 8] = [
        Self::NorthEast,
        Self::NorthWest,
        Self::SouthEast,
        Self::SouthWest,
        Self::North,
        Self::West,
        Self::East,
        Self::South,
    ];
    /// The four diagonal ones.
    pub const DIAGONAL: [Direction; 4] =
        [Self::NorthEast, Self::NorthWest, Self::SouthEast, Self::SouthWest];
    /// The four along rows and columns.
    pub const STRAIGHT: [Direction; 4] = [Self::North, Self::West, Self::East, Self::South];
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Whether it runs along a diagonal.
    pub const fn is_diagonal(self) -> bool {
        matches!(self, Self::NorthEast | Self::NorthWest | Self::SouthEast | Self::SouthWest)
    }

    /// The direction back.
    #[inline(always)]
    pub const fn reversed(self) -> Self {
        match self {
            Self::NorthEast => Self::SouthWest,
            Self::NorthWest => Self::SouthEast,
            Self::SouthEast => Self::NorthWest,
            Self::SouthWest => Self::NorthEast,
            Self::North => Self::South,
            Self::West => Self::East,
            Self::East => Self::West,
            Self::South => Self::North,
        }
    }

    /// Change of the row along it: 1 forward, -1 backward, 0 along the row.
    pub const fn advance(self) -> i8 {
        match self {
            Self::NorthEast | Self::NorthWest | Self::North => 1,
            Self::SouthEast | Self::SouthWest | Self::South => -1,
            Self::West | Self::East => 0,
        }
    }

    /// Compass letters, in which table files know directions.
    pub const fn letters(self) -> &'static str {
        match self {
            Self::NorthEast => "NE",
            Self::NorthWest => "NW",
            Self::SouthEast => "SE",
            Self::SouthWest => "SW",
            Self::North => "N",
            Self::West => "W",
            Self::East => "E",
            Self::South => "S",
        }
    }

    /// Whether square numbers grow along it.
    #[inline(always)]
    pub const fn ascends(self) -> bool {
        matches!(self, Self::NorthEast | Self::NorthWest | Self::North | Self::East)
    }
}

/// Tables of one board shape, for the side that moves up the board.
#[derive(Debug)]
pub struct Geometry<B> {
    /// The shape that the tables belong to.
    pub shape: Shape,
    /// Number of playing squares.
    pub squares: u8,
    /// All playing squares.
    pub all: B,
    /// The row nearest to the side that moves up.
    pub first_row: B,
    /// The row farthest from it.
    pub last_row: B,
    /// Where men of the side that moves up can stand.
    pub own_men: B,
    /// Where men of the other side can stand.
    pub opp_men: B,
    /// Row of each square, from 0.
    pub row: [u8; MAX_SQUARES],
    /// Each square reflected in the diagonal from the bottom left corner.
    reflected: [u8; MAX_SQUARES],
    /// Neighbour of each square in each direction as a set, empty at the edge.
    pub step: [[B; MAX_SQUARES]; Direction::COUNT],
    /// Squares beyond each square in each direction, to the edge.
    pub ray: [[B; MAX_SQUARES]; Direction::COUNT],
}

impl<B: Bits> Geometry<B> {
    /// Computes the tables of a shape. No man stands on the row where it is `crowned`.
    ///
    /// # Panics
    /// If the shape has more squares than `B` has bits, or than [`MAX_SQUARES`], or is not as wide as high.
    pub fn new(shape: Shape, crowned: bool) -> Self {
        let squares = shape.squares();
        assert!(squares as u32 <= B::WIDTH && squares as usize <= MAX_SQUARES);
        let mut tables = Geometry {
            shape,
            squares,
            all: B::first(squares),
            first_row: B::zero(),
            last_row: B::zero(),
            own_men: B::zero(),
            opp_men: B::zero(),
            row: [0; MAX_SQUARES],
            reflected: [0; MAX_SQUARES],
            step: [[B::zero(); MAX_SQUARES]; Direction::COUNT],
            ray: [[B::zero(); MAX_SQUARES]; Direction::COUNT],
        };
        for square in 0..squares {
            let (column, row) = shape.column_row(square);
            tables.row[square as usize] = row;
            let reflected = shape.square_at(row as i8, column as i8);
            tables.reflected[square as usize] = reflected.expect("a board as wide as high");
            if row == 0 {
                tables.first_row = tables.first_row | B::bit(square);
            }
            if row == shape.height - 1 {
                tables.last_row = tables.last_row | B::bit(square);
            }
            for direction in Direction::ALL {
                if !shape.has_line(column as i8, row as i8, direction) {
                    continue;
                }
                let (dx, dy) = shape.step(direction);
                let (mut x, mut y) = (column as i8 + dx, row as i8 + dy);
                while let Some(next) = shape.square_at(x, y) {
                    let ray = &mut tables.ray[direction as usize][square as usize];
                    if ray.is_zero() {
                        tables.step[direction as usize][square as usize] = B::bit(next);
                    }
                    *ray = *ray | B::bit(next);
                    (x, y) = (x + dx, y + dy);
                }
            }
        }
        let crowning = |row: B| if crowned { row } else { B::zero() };
        tables.own_men = tables.all & !crowning(tables.last_row);
        tables.opp_men = tables.all & !crowning(tables.first_row);
        tables
    }

    /// The set after turning the board by 180 degrees.
    #[inline(always)]
    pub fn turn(&self, set: B) -> B {
        set.reverse_bits() >> (B::WIDTH - self.squares as u32) as usize
    }

    /// The set after reflecting the board in the diagonal from the bottom left corner. O(size).
    #[inline]
    pub fn reflect(&self, set: B) -> B {
        squares_of(set).fold(B::zero(), |set, square| set | B::bit(self.reflected[square as usize]))
    }

    /// The empty squares from `square` along `direction`, up to the first of `occupied`.
    #[inline(always)]
    pub fn slide(&self, direction: Direction, square: u8, occupied: B) -> B {
        let ray = self.ray[direction as usize][square as usize];
        let blockers = ray & occupied;
        if direction.ascends() {
            // All ones below the lowest blocker; with no blocker the subtraction wraps to all ones.
            ray & (blockers & B::zero().wrapping_sub(&blockers)).wrapping_sub(&B::one())
        } else if blockers.is_zero() {
            ray
        } else {
            ray & !(B::below(blockers.highest()) | B::bit(blockers.highest()))
        }
    }

    /// The first of `occupied` from `square` along `direction`, as a set; empty if none.
    #[inline(always)]
    pub fn first_blocker(&self, direction: Direction, square: u8, occupied: B) -> B {
        let blockers = self.ray[direction as usize][square as usize] & occupied;
        if blockers.is_zero() {
            blockers
        } else if direction.ascends() {
            blockers & B::zero().wrapping_sub(&blockers)
        } else {
            B::bit(blockers.highest())
        }
    }

    /// Sum of the rows, counted from 0 at the side that moves up, of all squares of `set`.
    #[inline]
    pub fn advancement(&self, set: B) -> u32 {
        squares_of(set).map(|square| self.row[square as usize] as u32).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHT: Shape = Shape::dark(8, 8);

    fn naive_slide(shape: Shape, direction: Direction, square: u8, occupied: u32) -> u32 {
        let (column, row) = shape.column_row(square);
        let (dx, dy) = shape.step(direction);
        let (mut x, mut y, mut set) = (column as i8 + dx, row as i8 + dy, 0);
        while let Some(next) = shape.square_at(x, y) {
            if occupied & 1 << next != 0 {
                break;
            }
            set |= 1 << next;
            (x, y) = (x + dx, y + dy);
        }
        set
    }

    #[test]
    fn slides_stop_at_the_first_blocker() {
        let geometry = Geometry::<u32>::new(EIGHT, true);
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let occupied = (state >> 32) as u32 & (state >> 20) as u32;
            for square in 0..32 {
                for direction in Direction::ALL {
                    assert_eq!(
                        geometry.slide(direction, square, occupied),
                        naive_slide(EIGHT, direction, square, occupied)
                    );
                }
            }
        }
    }

    #[test]
    fn squares_are_numbered_row_by_row() {
        for playing in [Playing::Dark, Playing::Light, Playing::All, Playing::Points] {
            for (width, height) in [(8, 8), (9, 5), (5, 9), (12, 10), (1, 3)] {
                let shape = Shape { width, height, playing };
                let places = (0..height as i8).flat_map(|y| (0..width as i8).map(move |x| (x, y)));
                let squares: Vec<_> = places
                    .filter(|&(x, y)| shape.square_at(x, y).is_some())
                    .map(|(x, y)| (x as u8, y as u8))
                    .collect();
                let found: Vec<_> = (0..shape.squares()).map(|sq| shape.column_row(sq)).collect();
                assert_eq!(found, squares, "{shape:?}");
            }
        }
    }

    #[test]
    fn lines_run_as_the_board_has_them() {
        let light = Geometry::<u32>::new(Shape { playing: Playing::Light, ..EIGHT }, true);
        assert_eq!(light.shape.column_row(0), (1, 0));
        assert_eq!(light.ray[Direction::NorthWest as usize][3].count_ones(), 7); // h1 -> a8
        let ten = Geometry::<u64>::new(Shape::dark(10, 10), true);
        assert_eq!(ten.step[Direction::North as usize][0], 1 << 10); // a1 -> a3
        assert_eq!(ten.ray[Direction::East as usize][0], 0b11110);
        let all = Geometry::<u64>::new(Shape { playing: Playing::All, ..EIGHT }, true);
        assert_eq!((all.squares, all.step[Direction::North as usize][0]), (64, 1 << 8));
        let points = Shape { width: 5, height: 5, playing: Playing::Points };
        let points = Geometry::<u32>::new(points, true);
        assert_eq!(points.step[Direction::NorthEast as usize][0], 1 << 6);
        assert_eq!(points.step[Direction::NorthEast as usize][1], 0);
        for square in 0..25 {
            for direction in Direction::ALL {
                let step = points.step[direction as usize][square];
                if step != 0 {
                    let back =
                        points.step[direction.reversed() as usize][step.trailing_zeros() as usize];
                    assert_eq!(back, 1 << square);
                }
            }
        }
    }

    #[test]
    fn corners_and_rows_lie_where_the_picture_says() {
        let geometry = Geometry::<u32>::new(EIGHT, true);
        assert_eq!(geometry.first_row, 0x0000_000f);
        assert_eq!(geometry.last_row, 0xf000_0000);
        assert_eq!(geometry.step[Direction::NorthEast as usize][0], 1 << 4); // a1 -> b2
        assert_eq!(geometry.step[Direction::NorthWest as usize][0], 0);
        assert_eq!(geometry.ray[Direction::NorthEast as usize][0].count_ones(), 7);
        assert_eq!(geometry.turn(1), 1 << 31);
        assert_eq!(geometry.advancement(0x8000_0010), 8);
    }

    #[test]
    fn reflecting_keeps_the_diagonal() {
        let geometry = Geometry::<u32>::new(EIGHT, true);
        let diagonal = geometry.ray[Direction::NorthEast as usize][0] | 1;
        assert_eq!(geometry.reflect(diagonal), diagonal);
        assert_eq!(geometry.reflect(1 << 1), 1 << 8); // c1 -> a3
        let light = Geometry::<u32>::new(Shape { playing: Playing::Light, ..EIGHT }, true);
        assert_eq!(light.reflect(1), 1 << 4); // b1 -> a2
        for geometry in [geometry, light] {
            for square in 0..32 {
                let set = 1 << square | 0x8001_0200;
                assert_eq!(geometry.reflect(geometry.reflect(set)), set);
                assert_eq!(
                    geometry.reflect(geometry.turn(set)),
                    geometry.turn(geometry.reflect(set))
                );
            }
        }
    }

    #[test]
    fn turning_undoes_itself_on_every_board_size() {
        let ten = Geometry::<u64>::new(Shape::dark(10, 10), true);
        let twelve = Geometry::<u128>::new(Shape::dark(12, 12), true);
        assert_eq!((ten.squares, twelve.squares), (50, 72));
        for square in 0..50 {
            assert_eq!(ten.turn(1 << square), 1 << (49 - square));
        }
        for square in 0..72u8 {
            assert_eq!(twelve.turn(twelve.turn(1 << square)), 1 << square);
        }
    }
}
