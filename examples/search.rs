//! A search that asks tables: how an engine uses damka.
//!
//!     cargo run --release --example search -- tables "W:WKa1,c3,e3:BKh8,f6" 6
//!
//! Arguments: a folder with Russian tables, a position, and the depth in plies. It prints the best move and what it is worth. The search is
//! plain alpha-beta; what matters here is where it asks, and that its leaves never wait for a disk.

use std::error::Error;

use damka::notation::{parse_fen, write_move};
use damka::{Move, Position, Tablebase, Variant, Wld, can_capture, legal_moves};

/// Worth more than any material.
const WON: i32 = 1_000_000;

struct Search<'a> {
    tables: &'a Tablebase,
    /// Most pieces of positions that the tables have.
    pieces: u32,
    nodes: u64,
    hits: u64,
}

impl Search<'_> {
    /// Score of a position for the side to move, at a number of plies from the root.
    fn score(
        &mut self,
        position: &Position,
        depth: u32,
        ply: i32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        self.nodes += 1;
        if position.piece_count() <= self.pieces {
            // At the leaves a disk must not be waited for: what is not in the cache is searched, and asked for.
            let known = match depth {
                0 => self.tables.probe_wld_cached(position),
                _ => self.tables.probe_wld(position),
            };
            match known {
                Ok(result) => {
                    self.hits += 1;
                    // Material says which of the won positions is nearer to its end.
                    return match result {
                        Wld::Win => WON - ply + material(position),
                        Wld::Draw => 0,
                        Wld::Loss => -WON + ply + material(position),
                    };
                }
                Err(_) => self.tables.prefetch(position),
            }
        }
        let moves = legal_moves(position);
        if moves.is_empty() {
            return -WON + ply;
        }
        // A position with a capture is no place to stop.
        if depth == 0 && !can_capture(position) {
            return material(position);
        }
        for (_, next) in moves {
            let score = -self.score(&next, depth.saturating_sub(1), ply + 1, -beta, -alpha);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        alpha
    }

    /// The best move and its score; `None` if the game is over.
    fn best(&mut self, position: &Position, depth: u32) -> Option<(Move, i32)> {
        let mut best: Option<(Move, i32)> = None;
        for (played, next) in legal_moves(position) {
            let alpha = best.as_ref().map_or(-2 * WON, |(_, score)| *score);
            let score = -self.score(&next, depth.saturating_sub(1), 1, -2 * WON, -alpha);
            if best.as_ref().is_none_or(|(_, old)| score > *old) {
                best = Some((played, score));
            }
        }
        best
    }
}

/// Men and kings of the side to move less those of the other, in hundredths of a man.
fn material(position: &Position) -> i32 {
    let count = |side| (100 * position.men(side).len() + 250 * position.kings(side).len()) as i32;
    count(position.stm()) - count(position.stm().other())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, fen, depth] = &arguments[..] else {
        return Err("arguments: a folder of tables, a position, a depth".into());
    };
    let tables = Tablebase::open(Variant::Russian, &[folder])?;
    let position = parse_fen(Variant::Russian, fen)?;
    let pieces = tables.complete_pieces();
    // At the root there is time for exact distances: the best move is that of the tables, if they have the position.
    let moves = tables.moves(&position)?;
    if let Some(best) = moves.first().filter(|_| position.piece_count() <= pieces)
        && let Some(value) = best.for_mover().value()
    {
        println!("best {}, by the tables: {value}", write_move(&position, &best.played)?);
        return Ok(());
    }
    let mut search = Search { tables: &tables, pieces, nodes: 0, hits: 0 };
    let Some((played, score)) = search.best(&position, depth.parse()?) else {
        println!("the game is over");
        return Ok(());
    };
    println!("best {} score {score}", write_move(&position, &played)?);
    println!("{} nodes, {} of them answered by tables", search.nodes, search.hits);
    Ok(())
}
