//! Positions of books, `data/positions.tsv`, against tables of their variants. Those of Russian draughts are in `tables.rs`.

use std::collections::BTreeMap;

use crate::common::rows;
use crate::common::tables::fits;
use damka::builder::MemoryBuild;
use damka::notation::parse_fen;
use damka::probe::OpenOptions;
use damka::store::MemorySource;
use damka::{Position, Tablebase, Variant};

/// Most pieces of the claims that are looked at here.
const PIECES: u32 = 4;

/// The claims of a variant that have few enough pieces, with their positions.
fn claims(variant: Variant) -> Vec<(Vec<String>, Position)> {
    let rows = rows("positions.tsv").into_iter();
    let ours = rows.filter(|row| crate::common::variant(&row[1]) == Some(variant)).map(|row| {
        let position =
            parse_fen(variant, &row[2]).unwrap_or_else(|error| panic!("{row:?}: {error}"));
        assert_eq!(row[3], position.stm().letter().to_string(), "{row:?}");
        (row, position)
    });
    ours.filter(|(_, position)| position.piece_count() <= PIECES).collect()
}

#[test]
fn claims_about_few_pieces_are_right() {
    let (mut disagree, mut compared) = (Vec::new(), BTreeMap::new());
    for &variant in Variant::ALL.iter().filter(|&&variant| variant != Variant::Russian) {
        let claims = claims(variant);
        if claims.is_empty() {
            continue;
        }
        let tables = Tablebase::new(variant, OpenOptions::new());
        for (_, position) in &claims {
            let build = MemoryBuild::of(position).expect("few pieces of both sides");
            let missing = build.missing(&tables);
            if missing.is_empty() {
                continue;
            }
            for table in build.run(0, &()).unwrap() {
                if missing.contains(&table.slice) {
                    let source = MemorySource(table.bytes);
                    tables.add_source(table.slice, table.metric, source).unwrap();
                }
            }
        }
        for (row, position) in &claims {
            let value = tables.probe(position).unwrap();
            if !fits(value, &row[4], &row[5]) {
                disagree.push(row[0].clone());
            }
        }
        compared.insert(variant.name(), claims.len());
    }
    // A claim that turns out wrong is listed here, and its refutation in docs/results.md.
    assert_eq!(disagree, [""; 0]);
    let expected = [
        ("brazilian", 4),
        ("english", 58),
        ("english-giveaway", 2),
        ("frisian", 1),
        ("international", 22),
        ("italian", 3),
        ("pool", 1),
    ];
    assert_eq!(compared, expected.into());
}
