//! Sizes of slices on every board: no number that is computed for an index wraps, and what is too large is refused
//! before anything is built.

use crate::common::with_rules;
use damka::Variant;
use damka::builder::{BuildError, BuildOptions, build};
use damka::index::{MOST_PIECES, Material, MenIndex, Pair, SliceIndex, plan};
use damka::rules::{RuleSet, UnitKind};
use damka::solve::{PairMemory, SolveError, check_size};

/// `n` over `k`, from the definition.
fn choose(n: u128, k: u128) -> u128 {
    if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) / (i + 1)) }
}

/// Placements of men of both sides on a board of `rows` rows with `width` squares each, no own man on the last row and
/// none of the other side's on the first, if men are crowned: by how many own men stand on the first row.
fn men_placements(squares: u128, row: u128, crowned: bool, own: u128, opp: u128) -> u128 {
    if !crowned {
        return choose(squares, own) * choose(squares - own, opp);
    }
    let middle = squares - 2 * row;
    (0..=own)
        .map(|first| {
            let others = own - first;
            choose(row, first) * choose(middle, others) * choose(middle + row - others, opp)
        })
        .sum()
}

/// All slices of a variant that are asked for at all.
fn all_slices(variant: Variant) -> Vec<Material> {
    plan(variant.rules(), MOST_PIECES).into_iter().flat_map(Pair::slices).collect()
}

#[test]
fn no_index_wraps_on_any_board() {
    let mut boards = Vec::new();
    for &variant in Variant::ALL {
        let rules = variant.rules();
        let squares: u128 = rules.shape.squares().into();
        boards.push(squares);
        let row = squares / u128::from(rules.shape.height);
        for slice in all_slices(variant) {
            let Material { own_kings, own_men, opp_kings, opp_men } = slice;
            let [own_kings, own_men, opp_kings, opp_men] =
                [own_kings, own_men, opp_kings, opp_men].map(u128::from);
            let free = squares - own_men - opp_men;
            let places = men_placements(squares, row, rules.has_kings(), own_men, opp_men);
            let kings = choose(free, opp_kings) * choose(free - opp_kings, own_kings);
            // Every product in the formula of the index is below the last one.
            let len = places * kings;
            assert!(len <= u64::MAX.into(), "{variant} {slice}: {len}");
            with_rules!(variant, R => {
                assert_eq!(SliceIndex::len_of(R::geometry(), slice), len, "{variant} {slice}");
                // Offsets are kept for the sets of own men: a few here, the others by the same code.
                if choose(squares, own_men) <= 100_000 {
                    let index = SliceIndex::new(R::geometry(), slice);
                    assert_eq!(u128::from(index.men().count()), places, "{variant} {slice}");
                    assert_eq!(u128::from(index.len()), len, "{variant} {slice}");
                    assert_eq!(u128::from(index.unit_len()), kings, "{variant} {slice}");
                    for number in [0, index.len() / 2, index.len() - 1] {
                        assert_eq!(index.rank(&index.unrank(number)), number, "{variant} {slice}");
                    }
                }
            });
        }
    }
    boards.sort();
    boards.dedup();
    assert_eq!(boards, [25, 32, 50, 64, 72]);
}

/// Largest unit of men that also move sideways, by trying all ways to spread them over the rows.
fn largest_spread(width: u128, rows: usize, own: u128, opp: u128) -> u128 {
    fn spread(width: u128, left: usize, rows: usize, own: u128, opp: u128) -> u128 {
        if left == 0 {
            return u128::from(own + opp == 0);
        }
        // No own man on the last row, none of the other side's on the first.
        let own_here = if left == 1 { 0 } else { own };
        let opp_here = if left == rows { 0 } else { opp };
        let mut most = 0;
        for a in 0..=own_here {
            for b in 0..=opp_here {
                let ways = choose(width, a) * choose(width.saturating_sub(a), b);
                if ways > 0 {
                    most = most.max(ways * spread(width, left - 1, rows, own - a, opp - b));
                }
            }
        }
        most
    }
    spread(width, rows, rows, own, opp)
}

#[test]
fn what_the_solver_takes_can_be_numbered_by_it() {
    for &variant in Variant::ALL {
        let rules = variant.rules();
        let squares: u128 = rules.shape.squares().into();
        let (height, row) = (rules.shape.height, squares / u128::from(rules.shape.height));
        let (mut taken, mut refused) = (0, 0);
        for pair in plan(rules, MOST_PIECES) {
            let Material { own_kings, own_men, opp_kings, opp_men } = pair.first();
            let [own_kings, own_men, opp_kings, opp_men] =
                [own_kings, own_men, opp_kings, opp_men].map(u128::from);
            let king_sets = choose(squares, own_kings) * choose(squares, opp_kings);
            let places = men_placements(squares, row, rules.has_kings(), own_men, opp_men);
            let largest = match rules.unit() {
                UnitKind::Placement => 1,
                UnitKind::Ranks => largest_spread(row, height.into(), own_men, opp_men),
                UnitKind::All => places,
            };
            // Slots are words of 32 bits; in a unit one bit of them is the side to move. Arrays are of bytes or of pairs.
            let fits = places < 1 << 32
                && largest * king_sets <= 1 << 31
                && 2 * places * king_sets <= isize::MAX as u128;
            let slice = pair.first();
            let checked = check_size(variant, pair);
            assert_eq!(checked.is_ok(), fits, "{variant} {slice}");
            if let Err(error) = checked {
                assert!(matches!(error, SolveError::TooLarge { pair: named } if named == pair));
                refused += 1;
            } else {
                taken += 1;
            }
            let memory = PairMemory::of(variant, pair, 2);
            let scores = 2 * places * king_sets;
            assert!(
                u128::from(memory.solved) >= scores && memory.solving > memory.solved,
                "{slice}"
            );
            let on_shelf = u128::from(memory.on_shelf);
            assert!(on_shelf >= places && on_shelf <= 100 * places, "{slice}");
            let largest = 2 * (largest * king_sets).min(u64::MAX.into());
            assert!(u128::from(memory.solving_on_shelf) >= largest.min(u64::MAX.into()), "{slice}");
        }
        assert!(taken > 0, "{variant}: {refused} refused");
    }
}

/// Open moves of a placement are counted in a byte.
#[test]
fn moves_inside_a_unit_are_fewer_than_256() {
    for &variant in Variant::ALL {
        with_rules!(variant, R => {
            let geometry = R::geometry();
            let squares = 0..geometry.squares;
            let rays = |square: u8| -> u32 {
                let reach = |&d: &damka::board::Direction| {
                    geometry.ray[d as usize][square as usize].count_ones()
                };
                R::RULES.king_moves.iter().map(reach).sum()
            };
            let steps = R::RULES.man_moves.len() as u32;
            let most = squares.map(rays).max().unwrap().max(steps);
            assert!(most * (MOST_PIECES - 1) < 256, "{variant}: {most} moves of a piece");
        });
    }
}

/// Most pieces of which all slices can be numbered: 32 squares, all of them; more squares, fewer.
fn most_pieces(variant: Variant) -> u32 {
    match variant.rules().shape.squares() {
        ..=32 => MOST_PIECES,
        33..=64 => 6,
        _ => 5,
    }
}

#[test]
fn builds_that_are_too_large_are_refused_before_they_begin() {
    let folder = tempfile::tempdir().unwrap();
    for &variant in Variant::ALL {
        let most = most_pieces(variant);
        let fit = |pieces| {
            let mut pairs = plan(variant.rules(), pieces).into_iter();
            pairs.all(|pair| check_size(variant, pair).is_ok())
        };
        assert!(fit(most), "{variant}");
        for pieces in most + 1..=MOST_PIECES {
            assert!(!fit(pieces), "{variant}");
            let error = build(&BuildOptions::new(variant, pieces, folder.path()), &()).unwrap_err();
            let BuildError::TooLarge { variant: named, slice, most: possible } = error else {
                panic!("{variant}: {error}")
            };
            assert_eq!((named, slice.pieces(), possible), (variant, most + 1, most));
        }
        let error = build(&BuildOptions::new(variant, 9, folder.path()), &()).unwrap_err();
        assert!(matches!(error, BuildError::Pieces { pieces: 9, most: MOST_PIECES }), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A file that only has the name of a very large slice costs neither time nor memory.
#[test]
fn names_of_large_slices_are_cheap() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("canadian");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(inside.join("MMMMMMMvK.wld"), "nothing").unwrap();
    let tables = damka::Tablebase::open(Variant::Canadian, &[folder.path()]).unwrap();
    let position = damka::notation::parse_fen(Variant::Canadian, "W:W60-66:BK1").unwrap();
    let error = tables.probe(&position).unwrap_err();
    assert!(error.to_string().contains("MMMMMMMvK.wld"), "{error}");
}

#[test]
fn men_are_counted_without_numbering_them() {
    for variant in [Variant::Russian, Variant::Alquerque, Variant::Turkish, Variant::Italian] {
        with_rules!(variant, R => {
            let geometry = R::geometry();
            for (own, opp) in (0..4).flat_map(|own| (0..4).map(move |opp| (own, opp))) {
                let numbered = MenIndex::new(geometry, own, opp).count();
                assert_eq!(MenIndex::count_of(geometry, own, opp), numbered.into(), "{variant}");
            }
        });
    }
}
