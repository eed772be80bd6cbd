//! The rules of every variant.
//!
//! Articles are those of the rule book that each constant names. Where books disagree, the comment says what was chosen.

use std::sync::LazyLock;

use super::types::{
    Colour, KingRange, Landing, NoMove, Numbering, Precedence, Promotion, Quiet, Removal, RuleSet,
    Rules, SquareNames,
};
use super::variant::Variant;
use crate::board::{Direction, Geometry, Playing, Shape};

const FORWARD: &[Direction] = &[Direction::NorthEast, Direction::NorthWest];
const DIAGONAL: &[Direction] = &Direction::DIAGONAL;
const ALL: &[Direction] = &Direction::ALL;

/// Makes a type of the rules of a variant, with the tables of its board.
macro_rules! rule_set {
    ($(#[$about:meta])* $name:ident, $bits:ty, $rules:expr) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl RuleSet for $name {
            type Bits = $bits;
            type Quiet = Quiet<$bits, { $name::RULES.quiet_code() }>;

            const VARIANT: Variant = Variant::$name;
            const RULES: Rules = $rules;

            #[inline(always)]
            fn geometry() -> &'static Geometry<$bits> {
                static GEOMETRY: LazyLock<Geometry<$bits>> =
                    LazyLock::new(|| Geometry::new($name::RULES.shape, $name::RULES.has_kings()));
                &GEOMETRY
            }
        }
    };
}

rule_set!(
    /// Russian draughts, 8x8.
    ///
    /// Source: rules of the sport of draughts (order 722 of 2013), points 6.1.4 and 6.1.5; the
    /// same articles with the same last numbers stand in the code of 2004 as 1.4 and 1.5.
    Russian,
    u32,
    Rules {
        name: "russian",
        title: "Russian draughts",
        shape: Shape::dark(8, 8),
        man_moves: FORWARD,
        man_captures: DIAGONAL,            // 6.1.5.3
        king_moves: DIAGONAL,              // 6.1.4.5
        king_captures: DIAGONAL,           // 6.1.5.3
        king_range: KingRange::Flying,     // 6.1.4.5
        landing: Landing::Any,             // 6.1.5.2, 6.1.5.6
        men_take_kings: true,
        removal: Removal::AtEnd,           // 6.1.5.9
        turns_back: true,
        promotion: Promotion::AtOnce,      // 6.1.4.4, 6.1.5.15, 6.1.5.16
        precedence: &[],
        no_move: NoMove::Loses,
        squares: SquareNames::Algebraic,
        numbering: Numbering::TopLeft,
        capture_sign: ':',
        pdn_game_type: Some("25,W,8,8,A0,0"),
        start: "W21-32:B1-12",
        first_mover: Colour::White,
        source: "rules of the sport of draughts, 6.1 (order 722 of 2013)",
        left_out: &[],
    }
);

rule_set!(
    /// Russian draughts played to lose all pieces (poddavki). There is no rule book of its own: the moves are those of
    /// Russian draughts.
    RussianGiveaway,
    u32,
    Rules {
        name: "russian-giveaway",
        title: "Russian giveaway draughts (poddavki)",
        no_move: NoMove::Wins,
        pdn_game_type: None,
        source: "the rules of Russian draughts with the opposite aim",
        ..Russian::RULES
    }
);

rule_set!(
    /// Russian draughts with the precedence of the most pieces: a set of rules that is printed without a name.
    RussianMajority,
    u32,
    Rules {
        name: "russian-majority",
        title: "Russian draughts with majority capture",
        precedence: &[Precedence::MostPieces],
        pdn_game_type: None,
        capture_sign: 'x',
        source: "the rules of Russian draughts, and the most pieces must be taken",
        ..Russian::RULES
    }
);

rule_set!(
    /// International draughts, 10x10.
    ///
    /// Source: FMJD, official rules of the game, annex 1, articles 3 and 4.
    International,
    u64,
    Rules {
        name: "international",
        title: "International draughts",
        shape: Shape::dark(10, 10),               // 2.1
        man_moves: FORWARD,                       // 3.4
        man_captures: DIAGONAL,                   // 4.1, 4.2
        king_moves: DIAGONAL,                     // 3.9
        king_captures: DIAGONAL,                  // 4.3
        king_range: KingRange::Flying,            // 3.9, 4.3
        landing: Landing::Any,                    // 4.3
        men_take_kings: true,
        removal: Removal::AtEnd,                  // 4.8, 4.11
        turns_back: true,
        promotion: Promotion::IfItEndsThere,      // 4.15
        precedence: &[Precedence::MostPieces],    // 4.13, 4.14
        no_move: NoMove::Loses,
        squares: SquareNames::Numeric,
        numbering: Numbering::TopLeft,
        capture_sign: 'x',
        pdn_game_type: Some("20,W,10,10,N2,0"),
        start: "W31-50:B1-20",
        first_mover: Colour::White,
        source: "FMJD official rules of the game, annex 1",
        left_out: &[],
    }
);

rule_set!(
    /// International draughts played to lose all pieces.
    InternationalGiveaway,
    u64,
    Rules {
        name: "international-giveaway",
        title: "International giveaway draughts",
        no_move: NoMove::Wins,
        pdn_game_type: None,
        source: "the rules of International draughts with the opposite aim",
        ..International::RULES
    }
);

rule_set!(
    /// Killer draughts, 10x10: a king that takes a king last stops right behind it.
    ///
    /// Source: mindsports.nl, Killer draughts.
    Killer,
    u64,
    Rules {
        name: "killer",
        title: "Killer draughts",
        landing: Landing::NextBehindLastKing,
        pdn_game_type: None,
        source: "the rules of International draughts and mindsports.nl, Killer draughts",
        ..International::RULES
    }
);

rule_set!(
    /// Frisian draughts, 10x10: captures along rows and columns too, and by value.
    ///
    /// Source: mindsports.nl, Frisian draughts.
    Frisian,
    u64,
    Rules {
        name: "frisian",
        title: "Frisian draughts",
        man_captures: ALL,
        king_captures: ALL,
        precedence: &[Precedence::Value, Precedence::WithKing],
        pdn_game_type: Some("40,W,10,10,N2,0"),
        source: "mindsports.nl, Frisian draughts",
        left_out: &[
            "a side with men may not move the same king by quiet moves more than three times in a row",
            "two kings against one must win within seven moves",
        ],
        ..International::RULES
    }
);

rule_set!(
    /// Canadian draughts, 12x12.
    Canadian,
    u128,
    Rules {
        name: "canadian",
        title: "Canadian draughts",
        shape: Shape::dark(12, 12),
        pdn_game_type: Some("27,W,12,12,N2,0"),
        start: "W43-72:B1-30",
        source: "the rules of International draughts on 144 squares",
        ..International::RULES
    }
);

rule_set!(
    /// Brazilian draughts: International draughts on 8x8.
    Brazilian,
    u32,
    Rules {
        name: "brazilian",
        title: "Brazilian draughts",
        shape: Shape::dark(8, 8),
        squares: SquareNames::Algebraic,
        pdn_game_type: Some("26,W,8,8,A0,0"),
        start: "W21-32:B1-12",
        source: "the rules of International draughts on 64 squares",
        ..International::RULES
    }
);

rule_set!(
    /// Brazilian draughts played to lose all pieces.
    BrazilianGiveaway,
    u32,
    Rules {
        name: "brazilian-giveaway",
        title: "Brazilian giveaway draughts",
        no_move: NoMove::Wins,
        pdn_game_type: None,
        source: "the rules of Brazilian draughts with the opposite aim",
        ..Brazilian::RULES
    }
);

rule_set!(
    /// American pool checkers, 8x8.
    ///
    /// Source: APCA tournament rules, 14 to 23 and 26. Some texts let men capture forward only, or White move first;
    /// the rules of the association do not.
    Pool,
    u32,
    Rules {
        name: "pool",
        title: "American pool checkers",
        man_captures: DIAGONAL,                   // 14
        king_range: KingRange::Flying,            // 15
        removal: Removal::AtEnd,                  // 17 to 19
        precedence: &[],                          // 20
        promotion: Promotion::IfItEndsThere,      // 16, 22, 23
        squares: SquareNames::Numeric,
        capture_sign: 'x',
        pdn_game_type: Some("23,B,8,8,N1,0"),
        first_mover: Colour::Black,               // 7
        source: "APCA tournament rules, 7 and 14 to 26",
        ..Russian::RULES
    }
);

rule_set!(
    /// English draughts (checkers), 8x8.
    ///
    /// Source: WCDF rules, 1.17 to 1.20. Black begins, though some texts have it the other way round.
    English,
    u32,
    Rules {
        name: "english",
        title: "English draughts (American checkers)",
        man_captures: FORWARD,                    // 1.18
        king_range: KingRange::Short,             // 1.17
        removal: Removal::AtEnd,                  // 1.19
        promotion: Promotion::EndsMove,           // 1.19
        precedence: &[],                          // 1.20
        squares: SquareNames::Numeric,
        capture_sign: 'x',
        pdn_game_type: Some("21,B,8,8,N1,0"),
        first_mover: Colour::Black,
        source: "WCDF rules of draughts, 1.17 to 1.20",
        ..Russian::RULES
    }
);

rule_set!(
    /// English draughts played to lose all pieces.
    EnglishGiveaway,
    u32,
    Rules {
        name: "english-giveaway",
        title: "English giveaway draughts (suicide checkers)",
        no_move: NoMove::Wins,
        pdn_game_type: None,
        source: "the rules of English draughts with the opposite aim",
        ..English::RULES
    }
);

rule_set!(
    /// Italian draughts, 8x8, the dark corner at the player's right.
    ///
    /// Source: FID technical rules, chapter I. Some texts have Black begin, or compare captures by their number only; the
    /// rules of the federation have White begin and four steps.
    Italian,
    u32,
    Rules {
        name: "italian",
        title: "Italian draughts",
        shape: Shape { width: 8, height: 8, playing: Playing::Light }, // 2.3
        man_captures: FORWARD,                    // 5.3
        king_range: KingRange::Short,             // 4.7
        men_take_kings: false,                    // 5.3
        promotion: Promotion::EndsMove,
        precedence: &[                            // 6.6 to 6.9
            Precedence::MostPieces,
            Precedence::WithKing,
            Precedence::MostKings,
            Precedence::KingsFirst,
        ],
        squares: SquareNames::Numeric,
        capture_sign: 'x',
        pdn_game_type: Some("22,W,8,8,N2,1"),
        source: "FID technical rules, chapter I",
        ..Russian::RULES
    }
);

rule_set!(
    /// Spanish draughts, 8x8, the dark corner at the player's right.
    Spanish,
    u32,
    Rules {
        name: "spanish",
        title: "Spanish draughts",
        shape: Shape { width: 8, height: 8, playing: Playing::Light },
        man_captures: FORWARD,
        promotion: Promotion::EndsMove,
        precedence: &[Precedence::MostPieces, Precedence::MostKings],
        squares: SquareNames::Numeric,
        numbering: Numbering::BottomRight,
        capture_sign: 'x',
        pdn_game_type: Some("24,W,8,8,N1,1"),
        start: "W1-12:B21-32",
        source: "the rules of Portuguese draughts, which are the same",
        ..Russian::RULES
    }
);

rule_set!(
    /// Portuguese draughts, which has the rules of Spanish draughts.
    ///
    /// Source: FPD rules of 2013, articles 1 to 9.
    Portuguese,
    u32,
    Rules {
        name: "portuguese",
        title: "Portuguese draughts",
        pdn_game_type: Some("28,W,8,8,N1,1"),
        source: "FPD rules of 2013",
        ..Spanish::RULES
    }
);

rule_set!(
    /// Czech draughts, 8x8: a king must capture if one can.
    ///
    /// Source: rules of the Czech federation, 3.9, 4.1, 4.14.
    Czech,
    u32,
    Rules {
        name: "czech",
        title: "Czech draughts",
        man_captures: FORWARD,                    // 4.1
        king_range: KingRange::Flying,            // 3.9
        promotion: Promotion::EndsMove,
        precedence: &[Precedence::WithKing],      // 4.14
        capture_sign: 'x',
        pdn_game_type: Some("29,W,8,8,A0,0"),
        source: "rules of the Czech federation, 3.9, 4.1, 4.14",
        ..Russian::RULES
    }
);

rule_set!(
    /// Thai draughts, 8x8: a king lands right behind what it takes, and captured pieces leave at once.
    ///
    /// Source: mindsports.nl, Thai draughts. It has White begin, the PDN standard Black, and there `-` stands in captures too.
    /// Numbers begin at White's top left, as other programs have them; `N2` taken at its word, from the side that
    /// begins, would be White's bottom right.
    Thai,
    u32,
    Rules {
        name: "thai",
        title: "Thai draughts (makhos)",
        man_captures: FORWARD,
        landing: Landing::Next,
        removal: Removal::AtOnce,
        promotion: Promotion::EndsMove,
        squares: SquareNames::Numeric,
        capture_sign: '-',
        pdn_game_type: Some("31,B,8,8,N2,0"),
        start: "W25-32:B1-8",
        first_mover: Colour::Black,
        source: "mindsports.nl, Thai draughts",
        ..Russian::RULES
    }
);

rule_set!(
    /// Turkish draughts, 8x8, all squares, along rows and columns.
    ///
    /// Sources conflict about a man on the last row in mid-capture. Here it stays a man until the move ends
    /// (kish, hcheckers, pydraughts); [`Promotion::AtOnce`] and [`Promotion::EndsMove`] are the other readings.
    Turkish,
    u64,
    Rules {
        name: "turkish",
        title: "Turkish draughts (dama)",
        shape: Shape { width: 8, height: 8, playing: Playing::All },
        man_moves: &[Direction::North, Direction::West, Direction::East],
        man_captures: &[Direction::North, Direction::West, Direction::East],
        king_moves: &Direction::STRAIGHT,
        king_captures: &Direction::STRAIGHT,
        removal: Removal::AtOnce,
        turns_back: false,
        promotion: Promotion::IfItEndsThere,
        precedence: &[Precedence::MostPieces],
        capture_sign: 'x',
        pdn_game_type: Some("30,W,8,8,A0,0"),
        start: "W41-56:B9-24",
        source: "the rules of Turkish draughts as kish and pydraughts have them",
        ..Russian::RULES
    }
);

rule_set!(
    /// Alquerque, 5x5 points.
    ///
    /// Source: the rules of the older encyclopedias: pieces move and take in every direction along the lines, taking is compulsory, and
    /// who has lost all has lost. The book of Alfonso X says little; later authors added rules against moving back, which are
    /// left out. That a blocked player loses is our choice, the texts are silent.
    Alquerque,
    u32,
    Rules {
        name: "alquerque",
        title: "Alquerque",
        shape: Shape { width: 5, height: 5, playing: Playing::Points },
        man_moves: ALL,
        man_captures: ALL,
        king_moves: &[],
        king_captures: &[],
        king_range: KingRange::Short,
        removal: Removal::AtOnce,
        promotion: Promotion::Never,
        capture_sign: 'x',
        pdn_game_type: None,
        start: "W14-25:B1-12",
        source: "alquerque de doze with free movement; a blocked player loses",
        ..Russian::RULES
    }
);

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::rules::Variant;

    /// The numbers stand in every table file there is.
    #[test]
    fn fingerprints_stay() {
        assert_eq!(Russian::RULES.fingerprint(), 1_036_217_073_537_595_029);
    }

    /// Only variants that have the same rules have the same fingerprint.
    #[test]
    fn fingerprints_differ() {
        let mut seen: HashMap<u64, &str> = HashMap::new();
        for variant in Variant::ALL {
            let rules = variant.rules();
            if let Some(same) = seen.insert(rules.fingerprint(), rules.name) {
                assert_eq!((same, rules.name), ("spanish", "portuguese"));
            }
        }
    }
}
