//! The command line with every variant: the real program on small sets of tables, and what its subcommands say
//! of the same positions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::{name, reading_order, rows};
use assert_cmd::Command;
use damka::Variant;
use damka::index::{Material, slices};
use damka::notation::{names_in_words, parse_fen, parse_move, write_fen};
use damka::rules::{Colour, SquareNames};
use serde_json::Value as Json;
use tempfile::TempDir;

/// Pieces up to which the tables of a variant are built here: those of small boards are quick.
fn pieces(variant: Variant) -> u32 {
    if variant.rules().shape.squares() <= 32 { 3 } else { 2 }
}

/// A folder in which `tables` holds small sets of every variant, and what the builds have said.
static BUILT: LazyLock<(TempDir, BTreeMap<&str, String>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let build = |&variant: &Variant| {
        let pieces = pieces(variant).to_string();
        (variant.name(), run(folder.path(), &["build", variant.name(), "-n", &pieces], ""))
    };
    let said = Variant::ALL.iter().map(build).collect();
    (folder, said)
});

/// Rules that the tables of a variant do not know, each behind these words.
fn left_out(variant: Variant, start: &str) -> String {
    variant.rules().left_out.iter().map(|rule| format!("{start}{rule}\n")).collect()
}

/// Standard output of the program, which must succeed and complain about nothing but rules that are left out.
#[track_caller]
fn run(folder: &Path, args: &[&str], input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_damka"));
    command.env("DAMKA_NO_SOLVE", "1");
    command.current_dir(folder).env_remove("DAMKA_PATH").args(args);
    let output = command.write_stdin(input).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {error}");
    // What takes its time says there how it gets on.
    let progress = ["build", "verify"].contains(&args[0]);
    let mut complaints = error.lines().filter(|l| !l.starts_with("damka: not in the tables: "));
    assert!(progress || complaints.next().is_none(), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn ask(args: &[&str]) -> String {
    run(BUILT.0.path(), args, "")
}

/// Answers to some positions: canonical form, result, plies.
fn probe_lines<'a>(variant: Variant, fens: impl Iterator<Item = &'a str>) -> Vec<[String; 3]> {
    let input: String = fens.map(|fen| format!("{fen}\n")).collect();
    let answers = run(BUILT.0.path(), &["probe", variant.name(), "--stdin"], &input);
    let fields = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    answers.lines().map(|line| fields(line).try_into().expect(line)).collect()
}

/// `1K2M-0K1M` as a slice.
fn listed_slice(name: &str) -> Material {
    let counts: Vec<u8> =
        name.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
    let [own_kings, own_men, opp_kings, opp_men] = counts[..] else { panic!("{name}") };
    Material { own_kings, own_men, opp_kings, opp_men }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// One line of `stats --tsv` for each slice.
fn stats(variant: Variant) -> BTreeMap<String, Vec<String>> {
    let text = ask(&["stats", variant.name(), "--tsv"]);
    let rows = text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned));
    let named = rows.map(|mut row| (row.next().unwrap(), row.collect()));
    named.filter(|(name, _): &(String, Vec<_>)| !name.starts_with("total-")).collect()
}

#[test]
fn build_stats_info_and_verify_count_the_same() {
    let info = ask(&["info"]);
    for &variant in Variant::ALL {
        let most = pieces(variant);
        let stats = stats(variant);
        let expected: usize = (2..=most).map(|n| slices(variant.rules(), n).len()).sum();
        assert_eq!(stats.len(), expected, "{variant}");
        let positions: u64 = stats.values().map(|row| row[0].parse::<u64>().unwrap()).sum();

        let (count, all) = (stats.len(), grouped(positions));
        let built = format!("built {count} slices, {all} positions (0 were there)\n");
        assert!(BUILT.1[variant.name()].starts_with(&built), "{variant}");
        let again = ask(&["build", variant.name(), "-n", &most.to_string()]);
        let nothing =
            format!("nothing to do: all {count} slices of 2 to {most} pieces are there\n");
        assert_eq!(again, nothing, "{variant}");

        let verified = ask(&["verify", variant.name(), "--sample", "500"]);
        let start =
            format!("{variant}: {count} slices, {} tables with right checksums, ", 2 * count);
        assert!(verified.starts_with(&start), "{verified}");
        assert!(verified.contains(" derived again, 0 faults in "), "{verified}");

        let section = format!("\n{variant}\n  folder tables\n  complete up to {most} pieces\n");
        assert!(info.contains(&section), "{variant}: {info}");
        let (_, section) = info.split_once(&section).unwrap();
        for pieces in 2..=most {
            let slices = slices(variant.rules(), pieces).len();
            assert!(section.contains(&format!("  {pieces} pieces: {slices} of {slices} slices\n")));
        }

        // The reference has White to move, which is how slices are named.
        let mut compared = 0;
        for row in rows("wld_counts.tsv") {
            if crate::common::variant(&row[0]) != Some(variant) {
                continue;
            }
            let slice = listed_slice(&row[1]);
            if slice.pieces() > most {
                continue;
            }
            let found = &stats[&slice.to_string()];
            for (found, listed) in found.iter().zip(&row[2..8]) {
                let listed = if listed.parse::<u64>().is_ok() { listed } else { "-" };
                assert_eq!(found, listed, "{variant} {slice}");
            }
            compared += 1;
        }
        assert!(compared > 0, "{variant}");
    }
}

#[test]
fn longest_shows_wins_that_probe_confirms() {
    for &variant in Variant::ALL {
        let mut shown = Vec::new();
        for (slice, row) in stats(variant).iter().filter(|(slice, _)| slice.len() == 3) {
            let text = ask(&["longest", variant.name(), slice]);
            let longest = row[4].as_str();
            if longest == "-" {
                let notes = left_out(variant, "Not in the tables: ");
                assert_eq!(text, format!("{slice}: no position is won\n{notes}"), "{variant}");
                continue;
            }
            let unit = if longest == "1" { "ply" } else { "plies" };
            let start = format!("{slice}: the longest win takes {longest} {unit}; ");
            assert!(text.starts_with(&start), "{variant}: {text}");
            let fens = text.lines().filter(|line| line.starts_with("W:"));
            shown.extend(fens.map(|fen| (fen.to_owned(), longest.to_owned())));
        }
        assert!(!shown.is_empty(), "{variant}");
        let answers = probe_lines(variant, shown.iter().map(|(fen, _)| fen.as_str()));
        assert_eq!(answers.len(), shown.len());
        for (answer, (fen, longest)) in answers.into_iter().zip(shown) {
            assert_eq!(answer, [fen, "win".to_owned(), longest], "{variant}");
        }
    }
}

/// A few positions of a variant: the longest wins of its slices of two, with each colour to move.
fn examples(variant: Variant) -> Vec<String> {
    let mut fens = Vec::new();
    for (slice, row) in stats(variant).iter().filter(|(slice, _)| slice.len() == 3) {
        if row[4] == "-" {
            continue;
        }
        let text = ask(&["longest", variant.name(), slice]);
        let fen = text.lines().find(|line| line.starts_with("W:")).unwrap();
        let turned = parse_fen(variant, fen).unwrap().turned();
        fens.extend([fen.to_owned(), write_fen(&turned)]);
    }
    fens
}

#[test]
fn probe_says_the_same_for_readers_and_for_programs() {
    for &variant in Variant::ALL {
        let fens = examples(variant);
        let answers = probe_lines(variant, fens.iter().map(String::as_str));
        for (fen, [canonical, wld, plies]) in fens.iter().zip(answers) {
            let position = parse_fen(variant, fen).unwrap();
            assert_eq!(&canonical, fen, "{variant}");
            let text = ask(&["probe", variant.name(), fen]);
            let json: Json =
                serde_json::from_str(&ask(&["probe", variant.name(), fen, "--json"])).unwrap();
            assert_eq!((&json["fen"], &json["wld"]), (&fen.as_str().into(), &wld.into()));
            assert_eq!(json["dtw_plies"].to_string(), plies, "{variant} {fen}");
            let unit = if plies == "1" { "ply" } else { "plies" };
            let stm = position.stm();
            let notes = left_out(variant, "Not in the tables: ");
            let sentence = format!(
                "\n{stm} to move\n{fen}\n\n{stm} to move wins in {plies} {unit}\n{notes}\nMoves, "
            );
            assert!(text.contains(&sentence), "{variant}: {text}");

            // Moves: the same ones in the same order, each legal and leading where it says.
            let (_, rest) = text.split_once(&format!("\nMoves, for {stm}:\n")).unwrap();
            let (listed, line) = rest.split_once("\nMain line:\n").unwrap();
            let moves = json["moves"].as_array().unwrap();
            assert_eq!(listed.lines().count(), moves.len(), "{variant}: {text}");
            let children = moves.iter().map(|child| child["fen"].as_str().unwrap());
            let probed = probe_lines(variant, children);
            for ((listed, child), [after, wld, plies]) in listed.lines().zip(moves).zip(probed) {
                let pdn = child["pdn"].as_str().unwrap();
                assert_eq!(listed.split_whitespace().next(), Some(pdn), "{variant}: {text}");
                let played = parse_move(&position, pdn).unwrap();
                let legal = damka::legal_moves(&position);
                let (_, reached) = legal.into_iter().find(|(m, _)| *m == played).unwrap();
                assert_eq!(write_fen(&reached), after, "{variant} {fen} {pdn}");
                assert_eq!(child["fen"], after.as_str());
                assert_eq!(child["wld"], wld.as_str());
                assert_eq!(child["dtw_plies"].to_string().replace("null", "-"), plies);
                let words = match wld.as_str() {
                    "draw" => "draw".to_owned(),
                    "win" => format!("loss in {} ", plies.parse::<u16>().unwrap() + 1),
                    _ => format!("win in {} ", plies.parse::<u16>().unwrap() + 1),
                };
                assert!(format!("{listed} ").contains(&format!("  {words}")), "{listed}: {words}");
            }

            // The line is as long as the distance, and numbered from the side that begins the game.
            let words: Vec<&str> = line.split_whitespace().collect();
            let begins = variant.rules().first_mover == stm;
            assert_eq!(words[0], if begins { "1." } else { "1..." }, "{variant}: {line}");
            let played = words.iter().filter(|word| !word.ends_with('.')).count();
            assert_eq!(played.to_string(), plies, "{variant}: {line}");
            let second = words.iter().position(|&word| word == "2.");
            let expected = if begins { 3 } else { 2 };
            assert!(second.is_none_or(|place| place == expected), "{variant}: {line}");
        }
    }
}

/// Values of `--squares`.
const KINDS: [&str; 2] = ["numeric", "algebraic"];

/// Which of the [`KINDS`] a position is written in.
fn kind_of(fen: &str) -> &'static str {
    KINDS[usize::from(fen.contains(|c: char| c.is_ascii_lowercase()))]
}

#[test]
fn squares_are_called_as_asked_and_read_either_way() {
    for &variant in Variant::ALL {
        let rules = variant.rules();
        let order = reading_order(rules);
        // A king or, where there are none, a man on every square; the other side's in the middle.
        let mark = if rules.has_kings() { "K" } else { "" };
        let middle = order.len() / 2;
        let places = (0..order.len()).filter(|&place| place != middle);
        let fens: Vec<[String; 2]> = places
            .map(|place| {
                [
                    format!("W:W{mark}{}:B{mark}{}", place + 1, middle + 1),
                    format!("W:W{mark}{}:B{mark}{}", name(order[place]), name(order[middle])),
                ]
            })
            .collect();
        let [numeric, algebraic] =
            [0, 1].map(|kind| probe_lines(variant, fens.iter().map(|both| both[kind].as_str())));
        assert_eq!(numeric, algebraic, "{variant}");
        let own = usize::from(rules.squares == SquareNames::Algebraic);
        let canonical: Vec<&String> = numeric.iter().map(|[fen, ..]| fen).collect();
        assert_eq!(canonical, fens.iter().map(|both| &both[own]).collect::<Vec<_>>(), "{variant}");

        for (kind, squares) in KINDS.iter().enumerate() {
            let asked = ["probe", variant.name(), "--stdin", "--squares", squares];
            let input: String = canonical.iter().map(|fen| format!("{fen}\n")).collect();
            let answers = run(BUILT.0.path(), &asked, &input);
            let found: Vec<&str> =
                answers.lines().map(|line| line.split('\t').next().unwrap()).collect();
            assert_eq!(found, fens.iter().map(|both| &both[kind]).collect::<Vec<_>>(), "{variant}");
        }

        // The same moves under other names.
        let fen = &fens[0];
        let json = |given: &str, squares: &str| -> Vec<String> {
            let text = ask(&["probe", variant.name(), given, "--json", "--squares", squares]);
            let json: Json = serde_json::from_str(&text).unwrap();
            let kind = KINDS.iter().position(|&kind| kind == squares).unwrap();
            assert_eq!(json["fen"], fen[kind].as_str(), "{variant}");
            for child in json["moves"].as_array().unwrap() {
                let after = child["fen"].as_str().unwrap();
                assert_eq!(kind_of(after), squares, "{variant} {after}");
            }
            let pdn = |child: &Json| child["pdn"].as_str().unwrap().to_owned();
            json["moves"].as_array().unwrap().iter().map(pdn).collect()
        };
        let renamed = |pdn: &String| -> String {
            let square = |number: &str| name(order[number.parse::<usize>().unwrap() - 1]);
            let signs: Vec<&str> = pdn.matches(|c: char| !c.is_ascii_digit()).collect();
            let squares = pdn.split(|c: char| !c.is_ascii_digit()).map(square);
            let signs = signs.into_iter().chain([""]);
            squares.zip(signs).map(|(square, sign)| square + sign).collect()
        };
        for given in fen {
            let numbers = json(given, "numeric");
            assert!(!numbers.is_empty(), "{variant} {given}");
            let names: Vec<String> = numbers.iter().map(renamed).collect();
            assert_eq!(json(given, "algebraic"), names, "{variant} {given}");
        }
        for (squares, fen) in KINDS.iter().zip(fen) {
            let text = ask(&["probe", variant.name(), &fens[0][0], "--squares", squares]);
            assert!(text.contains(&format!(" to move\n{fen}\n")), "{variant}: {text}");
        }
    }
}

#[test]
fn every_variant_says_who_begins_and_how_it_is_recorded() {
    let text = run(Path::new("."), &["variants"], "");
    let entries: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(entries.len(), Variant::ALL.len());
    for (&variant, entry) in Variant::ALL.iter().zip(entries) {
        let rules = variant.rules();
        assert!(entry.starts_with(&format!("{variant}: {}\n", rules.title)), "{entry}");
        let begins = match rules.first_mover {
            Colour::White => "White",
            Colour::Black => "Black",
        };
        assert!(entry.contains(&format!("\n  begins    {begins}\n")), "{entry}");
        let pdn = rules.pdn_game_type.unwrap_or("no game type");
        assert!(entry.contains(&format!("\n  PDN       {pdn}\n")), "{entry}");
        let squares = names_in_words(variant);
        assert!(entry.contains(&format!("\n  squares   {squares}\n")), "{entry}");
        let alone = run(Path::new("."), &["variants", variant.name()], "");
        assert_eq!(alone.trim_end(), entry.trim_end());
    }
}

/// All rules in words, so that a change of a constant or of a word shows. `damka variants > tests/data/variants.txt`
/// makes the file anew, to be read before it is committed.
#[test]
fn rules_are_worded_as_they_were_read_last() {
    let expected = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/variants.txt"),
    );
    let (found, expected) = (run(Path::new("."), &["variants"], ""), expected.unwrap());
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(found, expected);
}

/// Facts written out, so that a change of a constant shows: a position as it is given, the canonical form, the moves,
/// best first.
#[test]
fn positions_and_moves_are_written_as_the_variant_does() {
    for (variant, given, canonical, first) in [
        ("english", "B:Wa1:BKb8", "B:W29:BK1", "1-"),
        ("italian", "W:WKb1:Bb7", "W:WK29:B5", "29-"),
        ("spanish", "W:WKh1:Bh7", "W:WK1:B25", "1-"),
        ("portuguese", "W:WKh1:Bh7", "W:WK1:B25", "1-"),
        ("turkish", "W:WK57:BK12", "W:WKa1:BKd7", "a1-"),
        ("alquerque", "W:W21:B1", "W:Wa1:Ba5", "a1-"),
        ("frisian", "W:WKa1:BKb10", "W:WK46:BK1", "46-"),
        ("canadian", "W:WKa1:BKk11", "W:WK67:BK12", "67x6"),
        ("brazilian", "W:WK29:B5", "W:WKa1:Ba7", "a1-"),
        ("czech", "W:WK29:B5", "W:WKa1:Ba7", "a1-"),
        ("thai", "B:WK29:BK1", "B:WK29:BK1", "1-"),
    ] {
        let json: Json = serde_json::from_str(&ask(&["probe", variant, given, "--json"])).unwrap();
        assert_eq!(json["fen"], canonical, "{variant}");
        let moves = json["moves"].as_array().unwrap();
        assert!(!moves.is_empty(), "{variant}");
        for played in moves {
            let pdn = played["pdn"].as_str().unwrap();
            assert!(pdn.starts_with(first), "{variant}: {pdn}");
        }
    }
}

/// Kings alone move as in Brazilian draughts, on the board seen in a mirror: so the same numbers hold of the other
/// diagonal, and only of that.
#[test]
fn classics_look_at_the_long_diagonal_of_the_playing_squares() {
    let folder = tempfile::tempdir().unwrap();
    let classics = |variant: &str| -> (String, Vec<String>) {
        run(folder.path(), &["build", variant, "-n", "4"], "");
        let text = run(folder.path(), &["classics", variant], "");
        let (said, table) = text.split_once("on the main road  ").unwrap();
        (said.to_owned(), table.lines().map(str::to_owned).collect())
    };
    let (brazilian, expected) = classics("brazilian");
    let (spanish, found) = classics("spanish");
    assert!(brazilian.contains("\nThe main road is the diagonal a1-h8. "), "{brazilian}");
    assert!(spanish.contains("\nThe main road is the diagonal 1-32. "), "{spanish}");
    assert_eq!(found.len(), 9);
    assert_eq!(found, expected);
}

#[test]
fn classics_are_refused_where_there_is_no_main_road() {
    for (variant, reason) in [
        ("turkish", "turkish has no main road: its kings do not move along a diagonal from "),
        ("alquerque", "alquerque has no kings"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_damka"));
        command.env("DAMKA_NO_SOLVE", "1");
        let output = command.args(["classics", variant]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{variant}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(&format!("damka: {reason}")), "{said}");
        assert!(output.stdout.is_empty());
    }
}

/// What is said by every part of the program that shows values of tables which leave out a rule of the game.
#[test]
fn rules_that_no_table_knows_are_said_once() {
    let folder = BUILT.0.path();
    let written = |args: &[&str], input: &str| -> [String; 2] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_damka"));
        command.env("DAMKA_NO_SOLVE", "1");
        command.current_dir(folder).env_remove("DAMKA_PATH").args(args);
        let output = command.write_stdin(input).output().unwrap();
        assert!(output.status.success(), "{args:?}");
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let fen = "W:WK46:BK1";
    let games = format!("[FEN \"{fen}\"] *\n[FEN \"{fen}\"] *\n");
    std::fs::write(folder.join("frisian.pdn"), games).unwrap();
    let lines = format!("{fen}\n{fen}\n");
    let rules = Variant::Frisian.rules().left_out;
    assert_eq!(rules.len(), 2);

    let listed = ask(&["variants", "frisian"]);
    for rule in rules {
        assert!(listed.contains(&format!("\n  not in the tables: {rule}\n")), "{listed}");
    }
    let out = left_out(Variant::Frisian, "Not in the tables: ");
    let err = left_out(Variant::Frisian, "damka: not in the tables: ");
    for args in [
        &["probe", "frisian", fen][..],
        &["longest", "frisian", "KvK"],
        &["longest", "frisian", "MvM"],
        &["stats", "frisian"],
    ] {
        let [found, said] = written(args, "");
        assert_eq!((found.matches(&out).count(), said.as_str()), (1, ""), "{args:?}: {found}");
        assert_eq!(found.matches("ot in the tables").count(), rules.len(), "{args:?}: {found}");
    }
    for args in [
        &["stats", "frisian", "--tsv"][..],
        &["probe", "frisian", "--stdin"],
        &["probe", "frisian", "--pdn", "frisian.pdn"],
    ] {
        let [found, said] = written(args, &lines);
        assert_eq!(said, err, "{args:?}");
        assert!(!found.contains("ot in the tables"), "{args:?}: {found}");
    }
    for args in [
        &["probe", "frisian", fen, "--json"][..],
        &["probe", "frisian", "--stdin", "--json"],
        &["probe", "frisian", "--pdn", "frisian.pdn", "--json"],
    ] {
        let [found, said] = written(args, &lines);
        assert_eq!(said, "", "{args:?}");
        let answers: Vec<Json> = serde_json::Deserializer::from_str(&found)
            .into_iter()
            .collect::<Result<_, _>>()
            .unwrap();
        assert!(!answers.is_empty());
        for answer in answers {
            assert_eq!(answer["not_in_the_tables"], Json::from(rules), "{args:?}");
        }
    }
    // Nobody else has anything to say.
    for variant in Variant::ALL.iter().filter(|&&variant| variant != Variant::Frisian) {
        assert!(variant.rules().left_out.is_empty());
        let [found, said] = written(&["stats", variant.name()], "");
        assert!(said.is_empty() && !found.contains("ot in the tables"), "{variant}: {said}");
    }
}

/// What cannot be built is not advised, and a file of a slice that the variant does not have is none of its tables.
#[test]
fn advice_where_a_table_is_missing_can_be_followed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("tables/alquerque")).unwrap();
    std::fs::write(folder.path().join("tables/alquerque/KvK.wld"), "").unwrap();
    let ask = |args: &[&str]| -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_damka"));
        command.env("DAMKA_NO_SOLVE", "1");
        let output = command.current_dir(folder.path()).env_remove("DAMKA_PATH").args(args);
        let output = output.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let none = "no such slice in this variant";
    let beyond = "beyond what can be built: at most";
    for (args, reason) in [
        (
            &["probe", "canadian", "W:WK68,K67:BK1,K2,K3"][..],
            "`damka build canadian --pieces 5` makes it".to_owned(),
        ),
        (&["probe", "canadian", "W:WK67,K66,K65:BK1,K2,K3"], format!("{beyond} 5 pieces")),
        (&["probe", "canadian", "W:WK61-65:BK1-4"], format!("{beyond} 5 pieces")),
        (&["probe", "english", "W:WK28-32:BK1-4"], format!("{beyond} 8 pieces")),
        (&["longest", "frisian", "KKKKvKKK"], format!("{beyond} 6 pieces")),
        (&["longest", "alquerque", "KvM"], none.to_owned()),
        (&["longest", "alquerque", "KvK"], none.to_owned()),
        (
            &["longest", "alquerque", "MMvM"],
            "`damka build alquerque --pieces 3` makes it".to_owned(),
        ),
    ] {
        let (code, _, said) = ask(args);
        assert_eq!(code, Some(4), "{args:?}");
        assert!(said.ends_with(&format!(" ({reason})\n")), "{args:?}: {said}");
    }
    let (code, _, said) = ask(&["stats", "alquerque"]);
    assert_eq!(code, Some(4));
    assert!(said.starts_with("damka: no tables of alquerque in tables ("), "{said}");
    let (code, out, _) = ask(&["info"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("KvK.wld: alquerque has no such slice\n"), "{out}");
}

#[test]
fn squares_are_called_as_asked_in_every_list() {
    let games = "[FEN \"W:WK32:BK26\"] 0-1\n";
    std::fs::write(BUILT.0.path().join("squares.pdn"), games).unwrap();
    for (squares, pdn) in [("numeric", "W:WK32:BK26"), ("algebraic", "W:WKg1:BKd2")] {
        let asked = ["--squares", squares];
        let probe = ["probe", "english", "--pdn", "squares.pdn"];
        let text = ask(&[&probe[..], &asked].concat());
        assert_eq!(text, format!("{pdn}\twin\t9\twin\tagrees\n"));
        let json: Json =
            serde_json::from_str(&ask(&[&probe[..], &asked, &["--json"]].concat())).unwrap();
        assert_eq!(json["fen"], pdn);
        let played = json["moves"][0]["pdn"].as_str().unwrap();
        assert_eq!(kind_of(played), squares, "{played}");

        for variant in ["russian", "english"] {
            let text = ask(&[&["longest", variant, "KvM"][..], &asked].concat());
            let shown: Vec<&str> = text
                .lines()
                .filter(|line| line.starts_with("W:") || line.starts_with("  1."))
                .collect();
            assert!(shown.len() >= 2, "{text}");
            for line in shown {
                assert_eq!(kind_of(line), squares, "{line}");
            }
        }
    }
}
