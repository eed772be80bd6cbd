use damka::index::*;
use damka::rules::*;
use damka::solve::*;
use std::sync::Arc;
fn main() {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let lim: u16 = std::env::args().nth(2).map(|x| x.parse().unwrap()).unwrap_or(125);
    let par: usize = std::env::args().nth(3).map(|x| x.parse().unwrap()).unwrap_or(1 << 20);
    let g = Russian::geometry();
    let subsets = SubsetTables::new(g, n);
    let mut fin: Finished<Russian> = Finished::new();
    let t0 = cpu_time::ProcessTime::now();
    let mut last = 2;
    let w0 = std::time::Instant::now();
    for pair in plan(n) {
        if pair.first().pieces() != last {
            println!("--- {} cpu {:?} wall {:?}", last, t0.elapsed(), w0.elapsed());
            last = pair.first().pieces();
        }
        let t = cpu_time::ProcessTime::now();
        let w = std::time::Instant::now();
        let o = SolveOptions { longest_narrow: lim, parallel_unit_len: par };
        let table = solve(pair, &fin, &subsets, &o, &()).unwrap();
        for s in pair.slices() {
            let c = table.counts(s);
            let p = SliceIndex::new(g, s).len();
            println!(
                "{s} {p} {} {} {} {:?} {:?}",
                c.wins, c.losses, c.draws, c.longest_win, c.longest_loss
            );
            if n >= 5 {
                eprintln!(
                    "{s} {:?} wall {:?} ns/pos {:.1} mem {}",
                    t.elapsed(),
                    w.elapsed(),
                    t.elapsed().as_nanos() as f64 / (p as f64 * pair.slices().count() as f64),
                    table.memory()
                );
            }
        }
        fin.insert(pair, Arc::new(table));
    }
    println!("--- {} cpu {:?} wall {:?}", last, t0.elapsed(), w0.elapsed());
}
