//! Speed of the parts that builds and probes are made of. Answers are compared with known ones, or with those of
//! the first round.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use damka::builder::{BuildOptions, build};
use damka::index::{Material, Pair, SliceIndex, plan};
use damka::notation::parse_fen;
use damka::rules::{RuleSet, Russian, Turned, has_capture, perft, visit_captures};
use damka::solve::{Finished, Kernel, SolveOptions, SubsetTables, solve};
use damka::{Position, Tablebase, Value, Variant, Wld};

fn slice(name: &str) -> SliceIndex<u32> {
    SliceIndex::new(Russian::geometry(), name.parse().unwrap())
}

/// Positions spread over a slice.
fn positions(index: &SliceIndex<u32>, count: u64) -> Vec<Turned<u32>> {
    (0..count).map(|n| index.unrank(n * (index.len() / count))).collect()
}

fn rules(c: &mut Criterion) {
    let geometry = Russian::geometry();
    let start = Turned { own_men: 0xfff, own_kings: 0, opp_men: 0xfff0_0000, opp_kings: 0 };
    c.bench_function("perft 6 from the start", |b| {
        b.iter(|| assert_eq!(perft::<Russian>(geometry, black_box(&start), 6), 37_986));
    });

    let index = slice("KMMvKM");
    let sample = positions(&index, 1000);
    let mut group = c.benchmark_group("1000 positions of KMMvKM");
    group.throughput(Throughput::Elements(1000));
    let captures = sample.iter().filter(|p| has_capture::<Russian>(geometry, p)).count();
    group.bench_function("capture test", |b| {
        b.iter(|| {
            let found = sample.iter().filter(|p| has_capture::<Russian>(geometry, black_box(p)));
            assert_eq!(found.count(), captures);
        });
    });
    let list = |position| {
        let mut found = 0;
        visit_captures::<Russian, _>(geometry, position, &mut (), &mut |_, _| found += 1);
        found
    };
    let listed: usize = sample.iter().map(list).sum();
    group.bench_function("captures", |b| {
        b.iter(|| assert_eq!(sample.iter().map(|p| list(black_box(p))).sum::<usize>(), listed));
    });
    let sum: u64 = sample.iter().map(|p| index.rank(p)).sum();
    group.bench_function("rank", |b| {
        b.iter(|| assert_eq!(sample.iter().map(|p| index.rank(black_box(p))).sum::<u64>(), sum));
    });
    group.bench_function("unrank", |b| {
        let step = index.len() / 1000;
        b.iter(|| (0..1000).for_each(|n| assert_eq!(index.unrank(n * step), sample[n as usize])));
    });
    group.finish();
}

fn solver(c: &mut Criterion) {
    let subsets = SubsetTables::new(Russian::geometry(), 4);
    let mut finished: Finished<u32> = Finished::new();
    for pair in plan(&Russian::RULES, 4) {
        let table = solve(
            Kernel::of::<Russian>(),
            pair,
            &finished,
            &subsets,
            &SolveOptions::default(),
            &(),
        )
        .unwrap();
        finished.insert(pair, Arc::new(table));
    }
    let default = SolveOptions::default();
    let (mut without_vectors, mut one_by_one) = (default, default);
    without_vectors.vectors = false;
    one_by_one.one_by_one = true;
    let ways =
        [("", default), (", without vectors", without_vectors), (", one by one", one_by_one)];
    let mut group = c.benchmark_group("solve");
    group.sample_size(10);
    // One unit of kings; units of kings around men, large ones and small ones; units of one placement.
    for (name, wins) in
        [("KKvKK", 21_659), ("KKvKM", 126_212), ("KMvKM", 143_275), ("MMvMM", 42_979)]
    {
        let slice: Material = name.parse().unwrap();
        let pair = Pair::of(slice);
        let positions: u64 =
            pair.slices().map(|slice| SliceIndex::new(Russian::geometry(), slice).len()).sum();
        group.throughput(Throughput::Elements(positions));
        for (way, options) in &ways {
            group.bench_function(format!("{name}{way}"), |b| {
                b.iter(|| {
                    let table =
                        solve(Kernel::of::<Russian>(), pair, &finished, &subsets, options, &());
                    assert_eq!(table.unwrap().counts(slice).unwrap().wins, wins);
                });
            });
        }
    }
    group.finish();
}

fn probe(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    build(&BuildOptions::new(Variant::Russian, 4, folder.path()), &()).unwrap();
    let tables = Tablebase::open(Variant::Russian, &[folder.path()]).unwrap();
    let classic = parse_fen(Variant::Russian, "W:WKa1,Kc1,Kc3:BKb8").unwrap();
    let quiet: Vec<Position> = spread(&tables, "KMvKM", false);
    let any: Vec<Position> = spread(&tables, "KMvKM", true);
    c.bench_function("probe a classic ending", |b| {
        b.iter(|| assert_eq!(tables.probe(black_box(&classic)).unwrap(), Value::Win(23)));
    });
    let mut group = c.benchmark_group("probe, blocks cached");
    for (name, sample) in [("quiet positions", &quiet), ("any positions", &any)] {
        group.throughput(Throughput::Elements(sample.len() as u64));
        let wins = || sample.iter().filter(|p| tables.probe_wld(p).unwrap() == Wld::Win).count();
        let plies = || -> u64 {
            let values = sample.iter().filter_map(|p| tables.probe(p).unwrap().plies());
            values.map(u64::from).sum()
        };
        let (right_wins, right_plies) = (wins(), plies());
        group.bench_function(format!("{name}, result"), |b| {
            b.iter(|| assert_eq!(wins(), right_wins));
        });
        group.bench_function(format!("{name}, distance"), |b| {
            b.iter(|| assert_eq!(plies(), right_plies));
        });
    }
    group.finish();
}

/// Positions spread over a slice, all of them or the quiet ones.
fn spread(tables: &Tablebase, name: &str, captures: bool) -> Vec<Position> {
    let geometry = Russian::geometry();
    let sample = positions(&slice(name), 20_011);
    let kept = sample.iter().filter(|p| captures || !has_capture::<Russian>(geometry, p));
    let bitboards =
        |men: u32, kings: u32| [men, kings].map(|set| damka::board::Bitboard(set.into()));
    kept.map(|p| {
        let [[white_men, white_kings], [black_men, black_kings]] =
            [bitboards(p.own_men, p.own_kings), bitboards(p.opp_men, p.opp_kings)];
        let (men, kings) = ([white_men, black_men], [white_kings, black_kings]);
        Position::new(tables.variant(), damka::Colour::White, men, kings).unwrap()
    })
    .collect()
}

criterion_group!(benches, rules, solver, probe);
criterion_main!(benches);
