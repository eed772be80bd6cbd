//! Rules in words.

use super::types::{KingRange, Landing, NoMove, Precedence, Promotion, Removal, Rules};
use crate::board::{Direction, Playing};

impl Rules {
    /// The board in words: `8x8, 32 playing squares (every other square, a1 among them)`.
    pub fn board_in_words(&self) -> String {
        let corner = match self.shape.playing {
            Playing::Dark => "every other square, a1 among them",
            Playing::Light => "every other square, not a1",
            Playing::All => "all squares",
            Playing::Points => "points with lines, diagonals through every other one",
        };
        let (width, height) = (self.shape.width, self.shape.height);
        format!("{width}x{height}, {} playing squares ({corner})", self.shape.squares())
    }

    /// The rules in words, one sentence each.
    pub fn in_words(&self) -> Vec<String> {
        let ways = |directions| ways(directions, self.shape.playing);
        let mut words = vec![format!("men move {}", ways(self.man_moves))];
        let kings = if self.has_kings() && !self.men_take_kings { ", but no kings" } else { "" };
        words.push(format!("men capture {}{kings}", ways(self.man_captures)));
        if self.has_kings() {
            let far = match self.king_range {
                KingRange::Flying => "any distance",
                KingRange::Short => "one square",
            };
            words.push(format!("kings move {far} {}", ways(self.king_moves)));
            if self.king_captures != self.king_moves {
                words.push(format!("kings capture {}", ways(self.king_captures)));
            }
            let lands = match self.landing {
                Landing::Any => "on any free square behind the captured piece",
                Landing::Next => "right behind the captured piece",
                Landing::NextBehindLastKing => {
                    "on any free square behind the captured piece, right behind it if it is a king and the last"
                }
            };
            if self.king_range == KingRange::Flying {
                words.push(format!("a capturing king lands {lands}"));
                if self.landing != Landing::Next {
                    words.push("it must land where it can go on capturing, if it can".to_owned());
                }
            }
        }
        words.push("captures are compulsory and carried to their end".to_owned());
        words.push(match self.precedence {
            [] => "any capture may be chosen".to_owned(),
            [Precedence::WithKing] => "a king captures if one can".to_owned(),
            list => {
                let list: Vec<_> = list.iter().map(|precedence| in_words(*precedence)).collect();
                format!("captures are compared by {}", list.join(", then "))
            }
        });
        words.push(
            match self.removal {
                Removal::AtEnd => {
                    "captured pieces leave the board after the move, and none is jumped twice"
                }
                Removal::AtOnce => "captured pieces leave the board at once",
            }
            .to_owned(),
        );
        if !self.turns_back {
            words.push("no turn by 180 degrees between two jumps".to_owned());
        }
        words.push(
            match self.promotion {
                Promotion::AtOnce => "a man that reaches the last row is a king at once, and goes on capturing as one",
                Promotion::EndsMove => "a man that reaches the last row is a king, and its move ends",
                Promotion::IfItEndsThere => "a man becomes a king on the last row if its move ends there",
                Promotion::Never => "there are no kings",
            }
            .to_owned(),
        );
        words.push(
            match self.no_move {
                NoMove::Loses => "who cannot move has lost",
                NoMove::Wins => "who cannot move has won",
            }
            .to_owned(),
        );
        words
    }
}

fn in_words(precedence: Precedence) -> &'static str {
    match precedence {
        Precedence::MostPieces => "the number of pieces",
        Precedence::WithKing => "whether a king captures",
        Precedence::MostKings => "the number of kings",
        Precedence::KingsFirst => "how early kings are met",
        Precedence::Value => "value, a king slightly less than two men",
    }
}

/// Directions in words.
fn ways(directions: &[Direction], playing: Playing) -> &'static str {
    let has = |wanted: &[Direction]| {
        directions.len() == wanted.len() && wanted.iter().all(|way| directions.contains(way))
    };
    use Direction::{East, North, NorthEast, NorthWest, West};
    if has(&[NorthEast, NorthWest]) {
        "diagonally forward"
    } else if has(&Direction::DIAGONAL) {
        "diagonally forward and backward"
    } else if has(&[North, West, East]) {
        "forward and sideways"
    } else if has(&Direction::STRAIGHT) {
        "forward, sideways and backward"
    } else if has(&Direction::ALL) {
        match playing {
            Playing::Dark | Playing::Light => {
                "in all eight directions, along rows and columns over a square between"
            }
            Playing::All => "in all eight directions",
            Playing::Points => "along the lines of the board",
        }
    } else {
        "in some directions"
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::Variant;

    #[test]
    fn every_variant_is_described() {
        for variant in Variant::ALL {
            let words = variant.rules().in_words().join("; ");
            assert!(!words.contains("some directions"), "{variant}: {words}");
        }
    }
}
