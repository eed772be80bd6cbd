//! Faults that other programs were reported to have, as far as they concern the library: named by number and fault, with
//! the report. Those of the command line are in `cli.rs`, the list of claims is in `check_claims.rs`; the moves of
//! Russian draughts are in `variants/russian.rs`.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::common::tables::{
    build_into, files, lasting_tables, lasting_tables_of, open, pieces_of, table_path, write_files,
};
use crate::common::{Placement, solved};
use damka::board::Bitboard;
use damka::index::{Material, Pair};
use damka::notation::{
    FenError, Outcome, PdnGame, parse_fen, parse_pdn, parse_square, square_name, write_fen,
    write_move,
};
use damka::probe::ProbeError;
use damka::rules::{English, SquareNames};
use damka::solve::Kernel;
use damka::store::StoreError;
use damka::{Colour, Position, Tablebase, Value, Variant, Wld, legal_moves};

/// All slices with up to four pieces.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| lasting_tables(4));

static TABLES: LazyLock<Tablebase> = LazyLock::new(|| open(&FOLDER));

/// Slices of other variants, up to the pieces that their positions here have.
static ENGLISH: LazyLock<Tablebase> = LazyLock::new(|| small(Variant::English, 3));
static INTERNATIONAL: LazyLock<Tablebase> = LazyLock::new(|| small(Variant::International, 2));

fn small(variant: Variant, pieces: u32) -> Tablebase {
    Tablebase::open(variant, &[lasting_tables_of(variant, pieces)]).unwrap()
}

fn read(fen: &str) -> Position {
    read_as(Variant::Russian, fen)
}

fn read_as(variant: Variant, fen: &str) -> Position {
    parse_fen(variant, fen).unwrap_or_else(|error| panic!("{variant} {fen}: {error}"))
}

#[track_caller]
fn refused(fen: &str) -> FenError {
    parse_fen(Variant::Russian, fen).expect_err(fen)
}

fn probe(fen: &str) -> Value {
    TABLES.probe(&read(fen)).unwrap()
}

/// All moves with the positions they lead to, written.
fn moves(variant: Variant, fen: &str) -> Vec<(String, String)> {
    let position = read_as(variant, fen);
    let legal = legal_moves(&position);
    let written = legal
        .iter()
        .map(|(played, after)| (write_move(&position, played).unwrap(), write_fen(after)));
    written.collect()
}

/// Asserts the complete list of moves, each with the position after it.
#[track_caller]
fn assert_moves(variant: Variant, fen: &str, expected: &[(&str, &str)]) {
    let mut found = moves(variant, fen);
    let mut expected: Vec<_> =
        expected.iter().map(|&(played, after)| (played.to_owned(), after.to_owned())).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{variant} {fen}");
}

/// AttackingOrDefending/pydraughts#28: the man promoted in mid-capture stopped on f8.
#[test]
fn ob01_a_man_promoted_in_mid_capture_stops_on_the_crowning_row() {
    let fen = "W:W12:B8,14,26";
    assert_moves(Variant::Russian, fen, &[("h6:e1", "B:WKe1:B")]);
    assert_eq!(probe(fen), Value::Win(1));
    let rated = TABLES.moves(&read(fen)).unwrap();
    assert_eq!(rated[0].for_reply().value(), Some(Value::Loss(0)));
    assert_eq!(rated[0].for_mover().value(), Some(Value::Win(1)));
    assert_eq!(rated[0].played.captured().len(), 3);
}

/// miskibin/py-draughts#25: the piece that ended its capture on the last row was no king.
#[test]
fn ob02_a_piece_is_not_crowned_at_the_end_of_a_capture() {
    let fen = "W:W20:B8,16,18";
    assert_moves(Variant::Russian, fen, &[("h4:h8", "B:WKh8:Bd4")]);
    let after = TABLES.probe(&read("B:WKh8:Bd4")).unwrap();
    assert_eq!(probe(fen), after.before_move());
}

/// jau35/CS451#61: the man that had reached the king row went on backwards in the same move.
#[test]
fn ob03_an_english_man_goes_on_from_the_king_row() {
    assert_moves(Variant::English, "W:W11:B6,7", &[("11x2", "B:WK2:B6")]);
}

/// SecUSo/privacy-friendly-dame#20, #12, #19.
#[test]
fn ob04_an_english_king_flies_over_several_pieces() {
    assert_moves(Variant::English, "W:WK4:B8,18", &[("4x11", "B:WK11:B18")]);
}

/// freeboardgames/FreeBoardGames.org#604, #629: the king of another variant.
#[test]
fn ob05_the_king_of_one_variant_moves_as_in_another() {
    let fen = "W:WK4:B18";
    assert_moves(
        Variant::Russian,
        fen,
        &[("h8:c3", "B:WKc3:B"), ("h8:b2", "B:WKb2:B"), ("h8:a1", "B:WKa1:B")],
    );
    assert_moves(Variant::English, fen, &[("4-8", "B:WK8:B18")]);
    assert_eq!(probe(fen), Value::Win(1));
}

/// techwithtim/Python-Checkers-AI#2, google-deepmind/open_spiel#1460: a double jump that is not
/// offered, or is shown as two turns of one side.
#[test]
fn ob06_ob15_a_double_jump_is_not_one_move() {
    let fen = "W:W17:B7,14";
    assert_moves(Variant::Russian, fen, &[("b4:f8", "B:WKf8:B")]);
    let rated = &TABLES.moves(&read(fen)).unwrap()[0];
    assert_eq!(rated.played.via().len(), 1);
    assert!(rated.played.promotes());
    assert_eq!(rated.position.stm(), Colour::Black);
    assert_eq!(probe(fen), Value::Win(1));

    assert_moves(Variant::English, fen, &[("17x3", "B:WK3:B")]);
    let rated = &ENGLISH.moves(&read_as(Variant::English, fen)).unwrap()[0];
    let numbered = |text| parse_square(Variant::English, text).unwrap();
    let path = [rated.played.from(), rated.played.via()[0], rated.played.to()];
    assert_eq!((path, rated.played.via().len()), (["17", "10", "3"].map(numbered), 1));
    assert!(rated.played.promotes());
    assert_eq!(rated.position.stm(), Colour::Black);
}

/// RoepStoep/lidraughts#2.
#[test]
fn ob07_an_international_man_that_passes_the_last_row_becomes_a_king() {
    assert_moves(Variant::International, "W:W15:B9,10", &[("15x13", "B:W13:B")]);
}

/// RoepStoep/lidraughts#24, #27.
#[test]
fn ob08_an_international_man_does_not_capture_backwards() {
    assert_moves(
        Variant::International,
        "W:W35:B30,K40",
        &[("35x24", "B:W24:BK40"), ("35x44", "B:W44:B30")],
    );
}

/// eygilbert/CheckerBoard@90d77aa.
#[test]
fn ob09_an_italian_man_captures_a_king() {
    assert_moves(Variant::Italian, "W:W30:BK26", &[("30-27", "B:W27:BK26")]);
}

/// AttackingOrDefending/pydraughts#4, #5: kings preferred before pieces were counted.
#[test]
fn ob10_an_italian_king_captures_before_the_man_that_takes_more() {
    assert_moves(Variant::Italian, "W:WK21,31:B10,18,27", &[("31x6", "B:W6,K21:B")]);
}

/// AttackingOrDefending/pydraughts#4, #5.
#[test]
fn ob11_one_of_two_equal_italian_captures_is_refused() {
    assert_moves(
        Variant::Italian,
        "W:WK31:B18,20,K27,K28",
        &[("31x13", "B:WK13:B20,K28"), ("31x15", "B:WK15:B18,K27")],
    );
}

/// AttackingOrDefending/pydraughts#4, #5.
#[test]
fn ob12_an_italian_man_captures_otherwise() {
    assert_moves(Variant::Italian, "W:W30:B27", &[("30x23", "B:W23:B")]);
}

/// coding-horror/basic-computer-games#395.
#[test]
fn ob13_an_own_piece_is_jumped() {
    assert_moves(Variant::English, "W:W27,23:B18", &[("23x14", "B:W14,27:B")]);
}

/// freeboardgames/FreeBoardGames.org#976, dhairyagothi/100_days_100_web_project#9305: the end of the
/// game looked for on the wrong side.
#[test]
fn ob14_the_end_of_the_game_is_tested_for_the_wrong_side() {
    // White on a7 is blocked only while b8 is occupied.
    assert_moves(Variant::Russian, "B:W5:B1", &[("b8-c7", "W:Wa7:Bc7")]);
    assert_ne!(probe("B:W5:B1"), Value::Loss(0));
    assert_eq!(probe("W:W5:B1"), Value::Loss(0));

    assert_moves(Variant::English, "B:W5:B1", &[("1-6", "W:W5:B6")]);
    let probe = |fen| ENGLISH.probe(&read_as(Variant::English, fen)).unwrap();
    assert_ne!(probe("B:W5:B1"), Value::Loss(0));
    assert_eq!(probe("W:W5:B1"), Value::Loss(0));
}

/// miskibin/py-draughts#26, #30: a side to move written twice.
#[test]
fn ob16_the_side_to_move_is_doubled() {
    let fen = "W:WK2:B9,10";
    let written = write_fen(&read(fen));
    assert_eq!(written, "W:WKd8:Bb6,d6");
    assert_eq!(read(&written), read(fen));
    let doubled = refused("W:B:WK2:B9,10");
    assert!(matches!(doubled, FenError::DoubledStm { .. }), "{doubled}");
    assert!(doubled.to_string().contains("\"W:B\""), "{doubled}");

    for variant in [Variant::English, Variant::International, Variant::Italian, Variant::Pool] {
        let position = read_as(variant, fen);
        assert_eq!(write_fen(&position), fen, "{variant}");
        let doubled = parse_fen(variant, "W:B:WK2:B9,10").unwrap_err();
        assert!(matches!(doubled, FenError::DoubledStm { .. }), "{variant}: {doubled}");
    }
}

/// eygilbert/GuiNN_Checkers@615336a.
#[test]
fn ob17_a_closing_dot_makes_another_position() {
    for fen in ["W:W27:B6", "W:WK29:BK4", "B:WKa1,c3:Bb8"] {
        assert_eq!(read(&format!("{fen}.")), read(fen));
        assert_eq!(probe(&format!("{fen}.")), probe(fen));
    }

    let [dot, none] = ["W:W27:B6.", "W:W27:B6"].map(|fen| read_as(Variant::English, fen));
    assert_eq!(dot, none);
    assert_eq!(ENGLISH.probe(&dot).unwrap(), ENGLISH.probe(&none).unwrap());
}

/// miskibin/py-draughts#28, eygilbert/CheckerBoard@b8c7154: a side without pieces.
#[test]
fn ob18_ob19_a_finished_game_is_refused_or_asks_for_a_table() {
    let nowhere = tempfile::tempdir().unwrap();
    let empty = open(nowhere.path());
    let lost = ["B:W29:B", "W:W:BK1", "W:W:B1,2,3,4,5,6,7,8,9,10,11,12", "B:W21-32:B"];
    for fen in lost {
        let position = read(fen);
        assert_eq!(empty.probe(&position).unwrap(), Value::Loss(0), "{fen}");
        assert_eq!(empty.probe_wld(&position).unwrap(), Wld::Loss, "{fen}");
        assert!(empty.moves(&position).unwrap().is_empty(), "{fen}");
        assert!(empty.line(&position).unwrap().moves.is_empty(), "{fen}");
    }
    for fen in ["W:W29:B", "B:W:BK1", "W:W21-32:B"] {
        let position = read(fen);
        assert_eq!(empty.probe(&position).unwrap(), Value::Win(1), "{fen}");
        assert_eq!(empty.line(&position).unwrap().moves.len(), 1, "{fen}");
    }
    // The last piece is taken: no table either.
    assert_eq!(empty.probe(&read("W:W12:B8,14,26")).unwrap(), Value::Win(1));

    for (variant, fen, value) in [
        (Variant::International, "B:W50:B", Value::Loss(0)),
        (Variant::InternationalGiveaway, "B:W50:B", Value::Win(0)),
        (Variant::RussianGiveaway, "B:W29:B", Value::Win(0)),
        (Variant::English, "W:W:BK1", Value::Loss(0)),
        (Variant::EnglishGiveaway, "W:W:BK1", Value::Win(0)),
    ] {
        let empty = Tablebase::open(variant, &[nowhere.path()]).unwrap();
        assert_eq!(empty.probe(&read_as(variant, fen)).unwrap(), value, "{variant} {fen}");
    }
}

/// miskibin/py-draughts#33, #35.
#[test]
fn ob20_stray_letters_and_squares_off_the_board_are_accepted() {
    for (fen, token) in [
        ("W:WK4,WK5,31:B10", "WK5"),
        ("W:WK4,K5,33:B10", "33"),
        ("W:WK4,K5,0:B10", "0"),
        ("W:WKa1,i3:Bb8", "i3"),
        ("W:WKa1,a2:Bb8", "a2"),
    ] {
        let error = refused(fen);
        assert!(error.to_string().contains(token), "{fen}: {error}");
    }

    for (fen, token) in [("W:WK4,WK5,55:B4", "WK5"), ("W:WK4,K5,55:B9", "55")] {
        let error = parse_fen(Variant::International, fen).unwrap_err();
        assert!(error.to_string().contains(token), "{fen}: {error}");
    }
}

/// miskibin/py-draughts#33, #35: ranges are squares, and the answer is about tables.
#[test]
fn ob21_a_range_is_not_read() {
    let position = read("W:W21-32:B1-12");
    assert_eq!(position.piece_count(), 24);
    let error = TABLES.probe(&position).unwrap_err();
    assert!(error.is_missing(), "{error}");
    let error = TABLES.probe_wld(&position).unwrap_err();
    assert!(error.is_missing(), "{error}");
    // More kings of a side than are ever numbered.
    let quiet = read("W:WK1-13:BK32");
    let error = TABLES.probe(&quiet).unwrap_err();
    assert!(matches!(error, ProbeError::TooManyPieces { pieces: 14, .. }), "{error}");

    let position = read_as(Variant::International, "W:W31-50:B1-20");
    let men = [Colour::White, Colour::Black].map(|colour| position.men(colour).len());
    assert_eq!(men, [20, 20]);
    let error = INTERNATIONAL.probe(&position).unwrap_err();
    assert!(error.is_missing() && error.to_string().contains("40 pieces"), "{error}");
}

/// miskibin/py-draughts#47, #48.
#[test]
fn ob22_a_man_on_his_crowning_row_is_accepted() {
    for (fen, token) in
        [("W:W4:B20", "4"), ("B:W4:B20", "4"), ("W:W20:B29", "29"), ("W:W20:Bg1", "g1")]
    {
        let error = refused(fen);
        assert!(matches!(error, FenError::UncrownedMan { .. }), "{fen}: {error}");
        assert!(error.to_string().contains(token), "{fen}: {error}");
    }
    for fen in ["W:WK4:B20", "W:W20:BK29", "W:W29:B20", "W:W20:B4"] {
        assert!(TABLES.probe(&read(fen)).is_ok(), "{fen}");
    }

    // In every variant with kings, for both colours, by the numbers of the corners.
    for &variant in Variant::ALL.iter().filter(|variant| variant.rules().has_kings()) {
        let squares = variant.rules().shape.squares();
        let place = |row_of_white: bool| {
            let bottom = variant.rules().numbering == damka::rules::Numbering::BottomRight;
            if row_of_white == bottom { 1 } else { squares }
        };
        let (top, bottom) = (place(false), place(true));
        for stm in ["W", "B"] {
            for (fen, colour) in [
                (format!("{stm}:W{top}:BK{bottom}"), Colour::White),
                (format!("{stm}:WK{top}:B{bottom}"), Colour::Black),
            ] {
                let error = parse_fen(variant, &fen).expect_err(&fen);
                let refused =
                    matches!(error, FenError::UncrownedMan { colour: c, .. } if c == colour);
                assert!(refused, "{variant} {fen}: {error}");
            }
            read_as(variant, &format!("{stm}:WK{top}:BK{bottom}"));
            read_as(variant, &format!("{stm}:W{bottom}:B{top}"));
        }
    }
    for fen in ["W:W4:B49", "B:W4:B49", "W:W40:B49"] {
        assert!(parse_fen(Variant::International, fen).is_err(), "{fen}");
    }
}

/// eygilbert/CheckerBoard@bb8ab16: the sign of a king counts for one square only.
#[test]
fn ob23_kings_and_men_in_one_list_are_mixed_up() {
    let written = "W:WK8,10,21,22,32:B2,13,14,28,K31";
    for variant in [Variant::English, Variant::Russian] {
        let position = read_as(variant, written);
        let numbers = |set: Bitboard| -> Vec<String> {
            let name = |square| square_name(variant, SquareNames::Numeric, square);
            let mut numbers: Vec<String> = set.into_iter().map(name).collect();
            numbers.sort_by_key(|number| number.parse::<u8>().unwrap());
            numbers
        };
        assert_eq!(numbers(position.kings(Colour::White)), ["8"], "{variant}");
        assert_eq!(numbers(position.men(Colour::White)), ["10", "21", "22", "32"], "{variant}");
        assert_eq!(numbers(position.kings(Colour::Black)), ["31"], "{variant}");
        assert_eq!(numbers(position.men(Colour::Black)), ["2", "13", "14", "28"], "{variant}");
    }
    assert_eq!(write_fen(&read_as(Variant::English, written)), written);
}

/// The first game of a PDN file.
fn game(text: &str) -> PdnGame {
    parse_pdn(text).next().unwrap().unwrap()
}

/// aclap-dev/joclyboard#15.
#[test]
fn ob24_the_tag_with_the_position_is_ignored() {
    let fen = "W:WK22,K23,K24:BK31,K32";
    let text = format!("[SetUp \"1\"]\n[GameType \"21\"]\n[FEN \"{fen}.\"]\n\n*\n");
    let position = game(&text).start(Variant::English).unwrap();
    assert_eq!(position, read_as(Variant::English, fen));
    let slice = Material { own_kings: 3, own_men: 0, opp_kings: 2, opp_men: 0 };
    let tables = solved(Kernel::of::<English>(), &[slice]);
    let placement = Placement::read_as(fen, Variant::English.rules());
    let value = tables[&Pair::of(slice)].value(&placement.turned::<English>()).unwrap();
    assert_eq!(value.wld(), Wld::Win);
}

/// eygilbert/CheckerBoard@e6cb582.
#[test]
fn ob25_a_long_comment_overruns_a_buffer() {
    let comment = "so ".repeat(1 << 19);
    let tags = "[GameType \"21\"][FEN \"W:WK32:BK26\"]";
    let long = game(&format!("{tags}\n{{{comment}}} 1. 32-27 26-31 *"));
    let short = game(&format!("{tags}\n1. 32-27 26-31 *"));
    assert_eq!(long.start(Variant::English), short.start(Variant::English));
    assert_eq!(long.moves(), short.moves());
}

/// eygilbert/CheckerBoard@3903cc7.
#[test]
fn ob26_a_result_means_the_same_in_every_type_of_game() {
    let text = |number| {
        let fen = "B:W30,K31,K32:BK20,21,K22,K23";
        game(&format!("[GameType \"{number}\"][FEN \"{fen}\"][Result \"1-0\"] 1-0"))
    };
    let outcome = |variant, number| {
        let game = text(number);
        let stm = game.start(variant).unwrap().stm();
        (game.outcome(variant).unwrap(), game.outcome(variant).unwrap().map(|o| o.for_side(stm)))
    };
    let black = Some(Outcome::Won(Colour::Black));
    assert_eq!(outcome(Variant::English, 21), (black, Some(Wld::Win)));
    let white = Some(Outcome::Won(Colour::White));
    assert_eq!(outcome(Variant::Russian, 25), (white, Some(Wld::Loss)));
    assert!(text(25).outcome(Variant::English).is_err());
}

/// KierenP/Halogen#394.
#[test]
fn ob28_a_path_is_cut_at_a_space() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("my tables 5");
    fs::create_dir(&folder).unwrap();
    build_into(&folder, 2);
    for fen in ["W:WK29:BK4", "W:W31:B2", "W:W23:B15"] {
        assert_eq!(open(&folder).probe(&read(fen)).unwrap(), probe(fen), "{fen}");
    }
}

/// cutechess/cutechess#370, #461.
#[test]
fn ob29_only_one_of_several_folders_is_used() {
    let all = files(&FOLDER);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (number, (name, bytes)) in all.iter().filter(|(name, _)| pieces_of(name) <= 3).enumerate() {
        write_files(folders[number % 2].path(), [(name, bytes)]);
    }
    let paths = [folders[0].path(), folders[1].path()];
    for paths in [paths, [paths[1], paths[0]]] {
        let tables = Tablebase::open(Variant::Russian, &paths).unwrap();
        assert_eq!(tables.complete_pieces(), 3);
        assert_eq!(tables.folders(), paths);
        for fen in ["W:WK29:BK4", "W:WK29,K30:BK4", "B:W31:B2", "W:WK32:B1,15", "B:W22:B14"] {
            assert_eq!(tables.probe(&read(fen)).unwrap(), probe(fen), "{fen}");
        }
    }
    assert_eq!(open(paths[0]).complete_pieces(), 0);

    let missing = paths[0].join("no such folder");
    let error = Tablebase::open(Variant::Russian, &[paths[0], &missing]).unwrap_err();
    assert!(error.to_string().contains("no such folder"), "{error}");
}

/// niklasf/python-chess#1105, rooklift/nibbler#89.
#[test]
fn ob30_a_missing_smaller_table_is_a_vague_failure_or_a_draw() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &files(&FOLDER));
    for name in ["KvK.wld", "KvK.dtw"] {
        fs::remove_file(table_path(folder.path(), name)).unwrap();
    }
    let tables = open(folder.path());
    // The capture leaves a king against a king.
    let fen = "W:WKa1:Bd4,Kg1";
    let position = read(fen);
    assert!(legal_moves(&position).iter().all(|(played, _)| played.is_capture()));
    let [value, wld] = [tables.probe(&position).map(Value::wld), tables.probe_wld(&position)];
    for answer in [value, wld] {
        let error = answer.unwrap_err();
        assert!(error.is_missing());
        let text = error.to_string();
        assert!(
            text.contains("KvK.wld") && text.contains(folder.path().to_str().unwrap()),
            "{text}"
        );
    }
    // So does every part of an answer that is not known.
    let line = tables.line(&position).unwrap();
    let moves = tables.moves(&position).unwrap();
    let unknown = [moves[0].for_reply().error(), line.error.as_ref()];
    assert!(unknown.iter().all(|error| error.unwrap().to_string().contains("KvK.wld")));
    assert!(line.moves.is_empty());
    assert_eq!(tables.complete_pieces(), 0);
    // Positions that do not need it are answered.
    assert_eq!(tables.probe(&read("W:WK32:B1,15")).unwrap(), probe("W:WK32:B1,15"));

    // The distances alone are missing: results go on, wins ask for the right file.
    write_files(folder.path(), files(&FOLDER).iter().filter(|(name, _)| *name == "KvK.wld"));
    let tables = open(folder.path());
    let error = tables.probe(&read("W:WK29:BK4")).unwrap_err();
    assert!(error.is_missing() && error.to_string().contains("KvK.dtw"), "{error}");
    assert_eq!(tables.probe_wld(&read("W:WK29:BK4")).unwrap(), Wld::Loss);
}

/// LeelaChessZero/lc0#690.
#[test]
fn ob31_a_table_of_the_wrong_size_ends_the_process() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path(), &files(&FOLDER));
    let path = table_path(folder.path(), "KKKvK.wld");
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() / 2]).unwrap();
    let tables = open(folder.path());
    let error = tables.probe(&read("W:WKa1,Kc1,Kc3:BKb8")).unwrap_err();
    let ProbeError::Table(broken) = &error else { panic!("{error}") };
    assert!(matches!(**broken, StoreError::Length { .. }), "{error}");
    for part in [path.to_str().unwrap(), &good.len().to_string(), &(good.len() / 2).to_string()] {
        assert!(error.to_string().contains(part), "{error}");
    }
    for fen in ["B:WKa1,Kc1,Kc3:BKb8", "W:WK29,K30:BK4"] {
        assert_eq!(tables.probe(&read(fen)).unwrap(), probe(fen), "{fen}");
    }
}

/// lichess-org/lila#13440, #19645: one number everywhere.
#[test]
fn ob33_plies_in_one_place_and_moves_in_another() {
    let position = read("W:WK29,K30:BK4");
    assert_eq!(TABLES.probe(&position).unwrap(), Value::Win(3));
    assert_eq!(TABLES.line(&position).unwrap().moves.len(), 3);
    let best = &TABLES.moves(&position).unwrap()[0];
    assert_eq!(best.for_reply().value(), Some(Value::Loss(2)));
    assert_eq!(Value::Win(3).to_string(), "win in 3 plies");

    let position = read_as(Variant::International, "W:WK10:BK5");
    assert_eq!(INTERNATIONAL.probe(&position).unwrap(), Value::Win(3));
    assert_eq!(INTERNATIONAL.line(&position).unwrap().moves.len(), 3);
    let best = &INTERNATIONAL.moves(&position).unwrap()[0];
    assert_eq!(best.for_reply().value(), Some(Value::Loss(2)));
}

/// AttackingOrDefending/pydraughts#19: what was played before does not count.
#[test]
fn ob34_counters_of_past_moves_change_the_value() {
    let fen = "W:WK29,K30,K22:BK1";
    let fresh = probe(fen);
    assert!(matches!(fresh, Value::Win(plies) if plies <= 29), "{fresh}");
    for tail in [":H0:F1", ":H14:F8", ":H28:F15", ":H130:F200"] {
        assert_eq!(probe(&format!("{fen}{tail}")), fresh, "{tail}");
    }
    // Fourteen quiet moves, and the positions asked for again with other counters.
    let mut position = read(fen);
    for played in 1..=14 {
        let quiet = legal_moves(&position).into_iter().find(|(m, after)| {
            !m.is_capture() && TABLES.moves(after).unwrap().iter().all(|m| !m.played.is_capture())
        });
        position = quiet.expect("a quiet move to a quiet position").1;
        let written = write_fen(&position);
        let value = TABLES.probe(&position).unwrap();
        assert_eq!(probe(&format!("{written}:H{played}:F{}", 1 + played / 2)), value, "{written}");
    }
    assert_eq!(probe(fen), fresh);
}

/// lichess-org/lila-tablebase#1.
#[test]
fn ob35_king_against_king_is_a_draw_without_looking() {
    assert_eq!(probe("W:WK29:BK4"), Value::Loss(2));
    assert_eq!(probe("B:WK29:BK4"), Value::Loss(2));
    assert_eq!(probe("W:WKa1:BKb8"), Value::Draw);

    let value = ENGLISH.probe(&read_as(Variant::English, "W:WK32:BK26")).unwrap();
    assert_eq!(value.wld(), Wld::Win);
}

/// malu/asymptote#3.
#[test]
fn ob36_colours_exchanged_make_another_value() {
    let (white, black) = ("W:WK22,K29,K30:BK1", "B:WK32:BK3,K4,K11");
    assert_eq!(read(white).turned(), read(black));
    assert_eq!(probe(white), probe(black));
    let length = |fen| TABLES.line(&read(fen)).unwrap().moves.len();
    assert_eq!(length(white), length(black));
}
