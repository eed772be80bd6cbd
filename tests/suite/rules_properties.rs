//! Properties of the move generator that hold in every position.

use damka::board::Bits;
use damka::rules::{
    Capture, RuleSet, Turned, TurnedMove, has_capture, has_quiet_move, moves, visit_captures,
    visit_quiet_moves,
};
use num_traits::{PrimInt, Zero};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Legal placements of 1 to 12 pieces; a side may be without.
fn placements<R: RuleSet>() -> impl Strategy<Value = Turned<R::Bits>> {
    let geometry = R::geometry();
    let piece = (0..geometry.squares, any::<bool>(), any::<bool>());
    prop::collection::vec(piece, 1..=12).prop_map(move |pieces| {
        let mut turned = Turned::<R::Bits>::default();
        for (square, own, king) in pieces {
            let bit = R::Bits::bit(square);
            if !(turned.occupied() & bit).is_zero() {
                continue;
            }
            let men = if own { geometry.own_men } else { geometry.opp_men };
            let king = R::RULES.has_kings() && (king || !men.contains(square));
            let set = match (own, king) {
                (true, false) => &mut turned.own_men,
                (true, true) => &mut turned.own_kings,
                (false, false) => &mut turned.opp_men,
                (false, true) => &mut turned.opp_kings,
            };
            *set = *set | bit;
        }
        turned
    })
}

/// A legal placement: no square twice, no man on his last row.
fn assert_legal<R: RuleSet>(turned: &Turned<R::Bits>) {
    let geometry = R::geometry();
    let sets = [turned.own_men, turned.own_kings, turned.opp_men, turned.opp_kings];
    let pieces: u32 = sets.iter().map(|set| set.count_ones()).sum();
    assert_eq!(pieces, turned.occupied().count_ones());
    assert_eq!(turned.occupied() & !geometry.all, R::Bits::zero());
    assert_eq!(turned.own_men & !geometry.own_men, R::Bits::zero());
    assert_eq!(turned.opp_men & !geometry.opp_men, R::Bits::zero());
}

fn has_capture_agrees_with_the_captures<R: RuleSet>(turned: &Turned<R::Bits>) {
    let mut captures = 0;
    visit_captures::<R, _>(R::geometry(), turned, &mut (), &mut |_: &Capture<R::Bits>, _| {
        captures += 1;
    });
    assert_eq!(has_capture::<R>(R::geometry(), turned), captures > 0);
}

fn has_quiet_move_agrees_with_the_quiet_moves<R: RuleSet>(turned: &Turned<R::Bits>) {
    let mut quiet = 0;
    visit_quiet_moves::<R>(R::geometry(), turned, &mut |_, _, _| quiet += 1);
    assert_eq!(has_quiet_move::<R>(R::geometry(), turned), quiet > 0);
}

fn passing_twice_changes_nothing<R: RuleSet>(turned: &Turned<R::Bits>) {
    let passed = turned.passed(R::geometry());
    assert_legal::<R>(&passed);
    assert_eq!(passed.passed(R::geometry()), *turned);
}

/// The position after the move, seen by the side that made it.
fn seen_by_mover<R: RuleSet>(m: &TurnedMove<R::Bits>) -> Turned<R::Bits> {
    m.after.passed(R::geometry())
}

fn a_move_changes_what_it_says<R: RuleSet>(turned: &Turned<R::Bits>) {
    let list = moves::<R>(R::geometry(), turned);
    for (place, m) in list.iter().enumerate() {
        let after = seen_by_mover::<R>(m);
        assert_legal::<R>(&after);
        assert_eq!(m.taken & !turned.opp(), R::Bits::zero(), "{m:?}");
        assert_eq!(after.opp_men, turned.opp_men & !m.taken, "{m:?}");
        assert_eq!(after.opp_kings, turned.opp_kings & !m.taken, "{m:?}");

        let (from, to) = (R::Bits::bit(m.from), R::Bits::bit(m.to));
        assert_eq!(after.own(), (turned.own() & !from) | to, "{m:?}");
        assert_eq!(after.own().count_ones(), turned.own().count_ones(), "{m:?}");
        let was_king = turned.own_kings.contains(m.from);
        assert_eq!(m.is_king, after.own_kings.contains(m.to), "{m:?}");
        assert_eq!(m.promotes, m.is_king && !was_king, "{m:?}");
        let crowned = u32::from(m.promotes);
        assert_eq!(after.own_kings.count_ones(), turned.own_kings.count_ones() + crowned, "{m:?}");

        // Captures only, or quiet moves only; none twice; one landing a jump.
        assert_eq!(m.taken.is_zero(), list[0].taken.is_zero(), "{m:?}");
        let same = |n: &TurnedMove<R::Bits>| (n.from, n.to, n.taken) == (m.from, m.to, m.taken);
        assert!(!list[..place].iter().any(same), "{m:?}");
        assert_eq!(m.via.len() as u32, m.taken.count_ones().saturating_sub(1), "{m:?}");
    }
}

/// A king can go back where it came from, unless there is something to capture then.
fn quiet_king_moves_go_both_ways<R: RuleSet>(turned: &Turned<R::Bits>) {
    for m in moves::<R>(R::geometry(), turned) {
        if !m.taken.is_zero() || !turned.own_kings.contains(m.from) {
            continue;
        }
        let mut back = 0;
        let after = seen_by_mover::<R>(&m);
        visit_quiet_moves::<R>(R::geometry(), &after, &mut |from, to, promotes| {
            back += u32::from((from, to, promotes) == (m.to, m.from, false));
        });
        assert_eq!(back, 1, "{m:?}");
    }
}

/// One module of tests for each variant.
macro_rules! properties {
    ($($module:ident: $rules:ident),* $(,)?) => {$(
        mod $module {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig {
                    cases: 5000,
                    failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
                    ..ProptestConfig::default()
                })]
                #[test]
                fn moves_hold_together(turned in placements::<damka::rules::$rules>()) {
                    has_capture_agrees_with_the_captures::<damka::rules::$rules>(&turned);
                    has_quiet_move_agrees_with_the_quiet_moves::<damka::rules::$rules>(&turned);
                    passing_twice_changes_nothing::<damka::rules::$rules>(&turned);
                    a_move_changes_what_it_says::<damka::rules::$rules>(&turned);
                    quiet_king_moves_go_both_ways::<damka::rules::$rules>(&turned);
                }
            }
        }
    )*};
}

properties! {
    russian: Russian,
    russian_giveaway: RussianGiveaway,
    brazilian: Brazilian,
    brazilian_giveaway: BrazilianGiveaway,
    pool: Pool,
    english: English,
    english_giveaway: EnglishGiveaway,
    italian: Italian,
    spanish: Spanish,
    portuguese: Portuguese,
    czech: Czech,
    thai: Thai,
    turkish: Turkish,
    russian_majority: RussianMajority,
    international: International,
    international_giveaway: InternationalGiveaway,
    killer: Killer,
    frisian: Frisian,
    canadian: Canadian,
    alquerque: Alquerque,
}
