//! Where the games of a PDN file begin and end, told while it is read.

use std::io::{self, BufRead};
use std::mem;
use std::str;

use super::pdn::{MAX_GAME_LEN, PdnError, PdnGame, is_result, shortened};

/// Reads the games of a PDN file one by one, from any reader.
///
/// Comments (`{...}` of any length, `;` and, at the start of a line, `%` to its end), variations, marks (`!?`, `$3`) and
/// move numbers are skipped. A game ends with a result, or where a tag follows its moves or a tag of the same name. A tag that
/// cannot be read costs its game. Nothing is checked that does not show where a game begins and ends: that is left to the
/// methods of [`PdnGame`]. The text is UTF-8; what is not is replaced.
///
/// Each item is a game, or why it is none, and reading goes on with the next; the outer error is one of the reader, after which there
/// are no more. The time is proportional to the length of the text. The memory does not depend on it: a game of more than
/// [`MAX_GAME_LEN`] bytes is an error as soon as that many are read. A game that ends with its result is given out
/// before more is asked of the reader.
///
/// ```
/// use std::io::Cursor;
///
/// use damka::notation::PdnReader;
///
/// let file = Cursor::new("[Event \"a\"] 1. 11-15 23-19 1-0\n[Event \"b\"] 1. 9-14 *");
/// let mut games = PdnReader::new(file);
/// assert_eq!(games.next().unwrap()??.moves(), ["11-15", "23-19"]);
/// assert_eq!(games.next().unwrap()??.line(), 2);
/// assert!(games.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PdnReader<R> {
    text: Window<R>,
    /// A token that belongs to the next game, with its line.
    next: Option<(usize, Token)>,
    /// A game that was told to be too large, and whose end is still to come.
    too_large: Option<Draft>,
}

/// Reads the games of a text one by one, as [`PdnReader`] does.
///
/// ```
/// use damka::notation::{Outcome, parse_pdn, write_fen};
/// use damka::{Colour, Variant};
///
/// let text = r#"[GameType "21"] [FEN "B:W18:B6,K11"] {Black holds the move} 1... 6-9 2. 18-14 *"#;
/// let game = parse_pdn(text).next().unwrap()?;
/// assert_eq!(game.moves(), ["6-9", "18-14"]);
/// assert_eq!(write_fen(&game.start(Variant::English)?), "B:W18:B6,K11");
/// assert_eq!(game.outcome(Variant::English)?, None);
/// # Ok::<(), damka::notation::PdnError>(())
/// ```
pub fn parse_pdn(text: &str) -> PdnGames<'_> {
    PdnGames(PdnReader::new(text.as_bytes()))
}

/// Games of a text. See [`parse_pdn`].
///
/// An error stands for one game; reading goes on with the next.
#[derive(Clone, Debug)]
pub struct PdnGames<'a>(PdnReader<&'a [u8]>);

impl Iterator for PdnGames<'_> {
    type Item = Result<PdnGame, PdnError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|read| read.expect("bytes in memory can be read"))
    }
}

impl<R: BufRead> Iterator for PdnReader<R> {
    type Item = io::Result<Result<PdnGame, PdnError>>;

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.game();
        if game.is_err() {
            self.text.close();
            (self.next, self.too_large) = (None, None);
        }
        game.transpose()
    }
}

#[derive(Clone, Debug)]
enum Token {
    Tag {
        name: String,
        value: String,
    },
    Open,
    Close,
    Word(String),
    /// A line that begins as a tag does and is none.
    BadTag(BadTag),
    /// What cannot be read.
    Fault(PdnError),
}

#[derive(Clone, Debug)]
struct BadTag {
    /// Whether nothing stands before it on its line, as for a tag and not for a remark amid moves.
    begins_line: bool,
    /// What is wrong with it; `None` if it is too large for a game.
    error: Option<PdnError>,
}

impl<R: BufRead> PdnReader<R> {
    /// Reads games from a reader, from its first byte on.
    pub fn new(reader: R) -> Self {
        PdnReader { text: Window::new(reader), next: None, too_large: None }
    }

    fn game(&mut self) -> io::Result<Option<Result<PdnGame, PdnError>>> {
        let mut draft = self.too_large.take().unwrap_or_default();
        loop {
            let token = match self.next.take() {
                Some(token) => Some(token),
                None => self.token()?,
            };
            let ends = match token {
                None => true,
                Some((line, token)) => match draft.add(line, token) {
                    Added::More => false,
                    Added::Last => true,
                    Added::NotOwn(token) => {
                        self.next = Some((line, token));
                        true
                    }
                },
            };
            if ends && !draft.is_told {
                return Ok(draft.finish());
            } else if ends {
                draft = Draft::default();
            } else if draft.len > MAX_GAME_LEN && !draft.is_told {
                draft.is_told = true;
                draft.game.moves = Vec::new();
                let line = draft.game.line;
                self.too_large = Some(draft);
                return Ok(Some(Err(PdnError::TooLarge { line })));
            }
        }
    }

    /// The next token and its line.
    fn token(&mut self) -> io::Result<Option<(usize, Token)>> {
        let text = &mut self.text;
        loop {
            if !text.skip_to(|text| text.find(|c: char| !c.is_whitespace()))? {
                return Ok(None);
            }
            let line = text.line;
            let first = text.ahead().chars().next().expect("not at the end");
            let token = match first {
                '{' => {
                    if text.skip_to(|text| text.find('}'))? {
                        text.advance(1);
                        continue;
                    }
                    Token::Fault(PdnError::Comment { line })
                }
                ';' => {
                    text.skip_to(end_of_line)?;
                    continue;
                }
                '%' if text.is_line_start => {
                    text.skip_to(end_of_line)?;
                    continue;
                }
                '$' => {
                    text.advance(1);
                    text.skip_to(|text| text.find(|c: char| !c.is_ascii_digit()))?;
                    continue;
                }
                '[' => text.tag()?,
                '(' => {
                    text.advance(1);
                    Token::Open
                }
                ')' => {
                    text.advance(1);
                    Token::Close
                }
                _ => match text.word()? {
                    Some(word) => Token::Word(word),
                    None => continue,
                },
            };
            return Ok(Some((line, token)));
        }
    }
}

/// A game that is being read.
#[derive(Clone, Debug, Default)]
struct Draft {
    game: PdnGame,
    /// Whether anything of it was read.
    is_begun: bool,
    has_moves: bool,
    /// The first fault.
    fault: Option<PdnError>,
    /// Brackets that are open, and the line of the first; their number alone would not name one.
    depth: u64,
    opened: usize,
    /// Bytes of its tags and moves.
    len: usize,
    /// Whether it was told that it is too large. Nothing more is kept of it then.
    is_told: bool,
}

/// What a token is to a game.
enum Added {
    More,
    Last,
    /// It is not of this game, which has ended before.
    NotOwn(Token),
}

impl Draft {
    fn add(&mut self, line: usize, token: Token) -> Added {
        if !mem::replace(&mut self.is_begun, true) {
            self.game.line = line;
        }
        let is_past_tags = self.has_moves || self.depth > 0;
        match token {
            Token::Tag { name, value } => {
                if is_past_tags || self.game.tags.contains_key(&name) {
                    return Added::NotOwn(Token::Tag { name, value });
                }
                self.len += r#"[ ""]"#.len() + name.len() + value.len();
                if !self.is_told {
                    self.game.tags.insert(name, value);
                }
            }
            Token::Open => {
                if self.depth == 0 {
                    self.opened = line;
                }
                self.depth += 1;
            }
            Token::Close if self.depth == 0 => self.find_fault(PdnError::Variation { line }),
            Token::Close => self.depth -= 1,
            Token::Word(_) if self.depth > 0 => {}
            Token::Word(word) if is_result(&word) => {
                self.game.result = Some(word);
                return Added::Last;
            }
            Token::Word(word) => {
                self.has_moves = true;
                self.len += word.len() + 1;
                if !self.is_told {
                    self.game.moves.push(word);
                }
            }
            // The game that it was meant for must not be read without it.
            Token::BadTag(bad) if bad.begins_line && is_past_tags => {
                return Added::NotOwn(Token::BadTag(bad));
            }
            Token::BadTag(BadTag { error: Some(error), .. }) => self.find_fault(error),
            Token::BadTag(_) => self.len = MAX_GAME_LEN + 1,
            Token::Fault(error) => self.find_fault(error),
        }
        Added::More
    }

    fn find_fault(&mut self, fault: PdnError) {
        self.fault.get_or_insert(fault);
    }

    /// The game, if anything of it was read.
    fn finish(mut self) -> Option<Result<PdnGame, PdnError>> {
        if self.depth > 0 {
            self.find_fault(PdnError::Variation { line: self.opened });
        }
        let game = self.fault.map_or(Ok(self.game), Err);
        self.is_begun.then_some(game)
    }
}

fn end_of_line(text: &str) -> Option<usize> {
    text.find('\n')
}

/// The part of a text that is in memory: read, and not passed yet.
#[derive(Clone, Debug)]
struct Window<R> {
    reader: R,
    /// Bytes that are no text yet: the beginning of a character whose end is still to come.
    bytes: Vec<u8>,
    text: String,
    /// What of `text` is passed.
    at: usize,
    line: usize,
    is_line_start: bool,
    /// Whether any text was read.
    is_begun: bool,
    /// Whether the reader has nothing more.
    ended: bool,
}

impl<R: BufRead> Window<R> {
    fn new(reader: R) -> Self {
        Window {
            reader,
            bytes: Vec::new(),
            text: String::new(),
            at: 0,
            line: 1,
            is_line_start: true,
            is_begun: false,
            ended: false,
        }
    }

    /// Nothing more is read, and what was read is passed.
    fn close(&mut self) {
        self.ended = true;
        self.at = self.text.len();
    }

    /// The text from here on, as far as it was read.
    fn ahead(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reads on; whether there was more.
    fn grow(&mut self) -> io::Result<bool> {
        const PIECE: usize = 1 << 16;
        while !self.ended {
            let read = match self.reader.fill_buf() {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let read = &read[..read.len().min(PIECE)];
            let length = read.len();
            self.ended = length == 0;
            self.bytes.extend_from_slice(read);
            self.reader.consume(length);
            self.text.drain(..mem::take(&mut self.at));
            let before = self.text.len();
            self.decode();
            if !self.is_begun && !self.text.is_empty() {
                self.is_begun = true;
                let mark =
                    if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
                self.text.drain(..mark);
            }
            if self.text.len() > before {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes text of bytes, as `String::from_utf8_lossy` does.
    fn decode(&mut self) {
        let (mut passed, mut cut) = (0, 0);
        for chunk in self.bytes.utf8_chunks() {
            self.text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            passed += chunk.valid().len() + invalid.len();
            let is_last = passed == self.bytes.len() && !self.ended;
            let is_cut = |bytes| str::from_utf8(bytes).is_err_and(|e| e.error_len().is_none());
            if is_last && is_cut(invalid) {
                cut = invalid.len();
            } else if !invalid.is_empty() {
                self.text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.bytes.drain(..passed - cut);
    }

    fn advance(&mut self, bytes: usize) {
        let passed = &self.text.as_bytes()[self.at..self.at + bytes];
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
        if let Some(&last) = passed.last() {
            self.is_line_start = last == b'\n';
        }
        self.at += bytes;
    }

    /// Passes what is before the place that is looked for; all of the text if there is none, which is then said.
    fn skip_to(&mut self, find: impl Fn(&str) -> Option<usize>) -> io::Result<bool> {
        loop {
            if let Some(length) = find(self.ahead()) {
                self.advance(length);
                return Ok(true);
            }
            self.advance(self.ahead().len());
            if !self.grow()? {
                return Ok(false);
            }
        }
    }

    /// Reads on to the place that is looked for, or as far as a game may go, and says how far that is.
    fn length_to(&mut self, find: impl Fn(&str) -> Option<usize>) -> io::Result<usize> {
        let mut length = 0;
        loop {
            if let Some(more) = find(&self.ahead()[length..]) {
                return Ok(length + more);
            }
            length = self.ahead().len();
            if length > MAX_GAME_LEN || !self.grow()? {
                return Ok(length);
            }
        }
    }

    /// The word that begins here; `None` if it is nothing but a number and marks. Of one that is too large for a game, the beginning.
    fn word(&mut self) -> io::Result<Option<String>> {
        // The sign of a game without result may stick to the last move.
        let end = |text: &str| text.find(|c: char| c.is_whitespace() || "{()[;$*".contains(c));
        let length = self.length_to(end)?.max(1);
        let word = bare(&self.ahead()[..length]).to_owned();
        self.advance(length);
        Ok((!word.is_empty()).then_some(word))
    }

    /// The tag that begins here, or that it is none.
    fn tag(&mut self) -> io::Result<Token> {
        let begins_line = self.is_line_start;
        loop {
            match tag(self.ahead()) {
                Tag::Whole { name, value, length } => {
                    self.advance(length);
                    return Ok(Token::Tag { name, value });
                }
                Tag::Cut if self.ahead().len() > MAX_GAME_LEN => {
                    self.skip_to(end_of_line)?;
                    return Ok(Token::BadTag(BadTag { begins_line, error: None }));
                }
                Tag::Cut if self.grow_to_end_of_tag()? => {}
                Tag::Cut | Tag::None => break,
            }
        }
        let line = self.line;
        let length = self.length_to(end_of_line)?;
        let text = shortened(self.ahead()[..length].trim_end());
        self.skip_to(end_of_line)?;
        let error = Some(PdnError::Tag { line, text });
        Ok(Token::BadTag(BadTag { begins_line, error }))
    }

    /// Reads on until there may be a whole tag; whether there was more.
    fn grow_to_end_of_tag(&mut self) -> io::Result<bool> {
        let before = self.ahead().len();
        let mut length = before;
        loop {
            if !self.grow()? {
                return Ok(length > before);
            }
            if length > MAX_GAME_LEN || self.ahead()[length..].contains([']', '\n']) {
                return Ok(true);
            }
            length = self.ahead().len();
        }
    }
}

/// A word without the move number before it (`1.`, `1...`) and the marks behind it (`!?`).
fn bare(word: &str) -> &str {
    let unnumbered = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let word = if unnumbered.starts_with('.') { unnumbered } else { word };
    word.trim_start_matches('.').trim_end_matches(['!', '?'])
}

/// What a text begins with.
enum Tag {
    /// A tag with its name in small letters.
    Whole {
        name: String,
        value: String,
        length: usize,
    },
    /// The text ends before it can be told.
    Cut,
    None,
}

/// The tag that a text begins with; it stands on one line. A quotation mark ends the value only before `]`: writers forget to mark
/// those inside.
fn tag(text: &str) -> Tag {
    const BLANK: [char; 2] = [' ', '\t'];
    let Some(inner) = text.strip_prefix('[') else { return Tag::None };
    let inner = inner.trim_start_matches(BLANK);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some(end) = inner.find(|c| !is_letter(c)) else { return Tag::Cut };
    let (name, rest) = inner.split_at(end);
    let rest = rest.trim_start_matches(BLANK);
    let Some(quoted) = rest.strip_prefix('"').filter(|_| !name.is_empty()) else {
        return if rest.is_empty() { Tag::Cut } else { Tag::None };
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((place, c)) = chars.next() {
        let after = &quoted[place + c.len_utf8()..];
        match c {
            '\\' if after.starts_with(['"', '\\']) => {
                value.extend(chars.next().map(|(_, marked)| marked));
            }
            '"' if after.trim_start_matches(BLANK).starts_with(']') => {
                let length = text.len() - after.trim_start_matches(BLANK).len() + 1;
                return Tag::Whole { name: name.to_ascii_lowercase(), value, length };
            }
            '\n' => return Tag::None,
            _ => value.push(c),
        }
    }
    Tag::Cut
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    /// What a reader says of games, with an error of its own at the end.
    fn read(reader: impl BufRead) -> Vec<Result<PdnGame, String>> {
        let games = PdnReader::new(reader).take(1000);
        games
            .map(|game| match game {
                Ok(game) => game.map_err(|fault| fault.to_string()),
                Err(error) => Err(format!("cannot be read: {error}")),
            })
            .collect()
    }

    /// Gives out these bytes, and then an error.
    struct Broken<'a>(&'a [u8]);

    impl Read for Broken<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            match self.0.is_empty() {
                true => Err(io::Error::other("asked for more")),
                false => self.0.read(room),
            }
        }
    }

    /// Endless, and counts what was asked for.
    struct Endless<'a>(&'a str, &'a mut usize);

    impl Read for Endless<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(room.len());
            room[..length].copy_from_slice(&self.0.as_bytes()[..length]);
            *self.1 += length;
            Ok(length)
        }
    }

    #[test]
    fn it_does_not_matter_in_which_pieces_a_text_comes() {
        let texts: [&[u8]; 8] = [
            b"\xef\xbb\xbf[Event \"\xc3\xa9 \\\"x\\\" \\\\\"]\r\n[ Result \t\"1-0\"  ] 1.11-15 $12 23-19!? {a\n}8-11* % 3\n% 4 5\n",
            b"[White \"M\xfcller \xe2\x82\"][Black \"\xf0\x9f\x98\x80\"]\xe2\x80\xa8 1-5\xc2\xa09-6 ; \xff 0-1\n\xe2\x82",
            b"[Event]\n[Event x]\n[\"x\"]\n[a \"b\" ] 1-5 ) 2-6 (3-7 (4-8) 1-0\n[b \"\"] {open \xf0\x9f",
            b"[a \"1\"][A \"2\"][b \"3\" \"4\"]5-9[c \"\"](6-9[d \"\"]",
            b"[a",
            b"[a \"b\"",
            b"\xef\xbb\xbf",
            b"12... !? ** 1/2-1/2 $ 3",
        ];
        for text in texts {
            let text_of = String::from_utf8_lossy(text);
            let whole: Vec<_> =
                parse_pdn(&text_of).map(|game| game.map_err(|fault| fault.to_string())).collect();
            for piece in 1..=text.len() {
                assert_eq!(
                    read(BufReader::with_capacity(piece, text)),
                    whole,
                    "{text_of:?} by {piece}"
                );
            }
        }
        let first = read(BufReader::with_capacity(1, texts[1])).remove(0).unwrap();
        assert_eq!(first.tag("white"), Some("M\u{fffd}ller \u{fffd}"));
        assert_eq!(first.moves(), ["1-5", "9-6", "\u{fffd}"]);
    }

    #[test]
    fn a_game_is_given_out_when_its_result_is_read() {
        let games = read(BufReader::new(Broken(b"[Event \"a\"] 1-5 1-0\n9-13* 10-14 0-1 (8-11")));
        let results: Vec<_> =
            games.iter().map(|game| game.as_ref().map(|game| game.line())).collect();
        // Of the last one, nothing may be made up from a part.
        let error = "cannot be read: asked for more".to_owned();
        assert_eq!(results, [Ok(1), Ok(2), Ok(2), Err(&error)]);
    }

    #[test]
    fn a_tag_that_cannot_be_read_costs_the_game_that_it_is_for() {
        let lines = |text: &str| -> Vec<_> {
            let games = read(text.as_bytes());
            games.iter().map(|game| game.as_ref().map(PdnGame::line).map_err(|_| ())).collect()
        };
        assert_eq!(
            lines("1-5\n[FEN W:W1:B5]\n[Event \"b\"] 1-5 *\n2-6 *"),
            [Ok(1), Err(()), Ok(4)]
        );
        assert_eq!(lines("[FEN]\n[Event \"b\"] 1-5 *\n2-6 *"), [Err(()), Ok(3)]);
        assert_eq!(lines("1-5 [a remark]\n2-6 *\n3-7 *"), [Err(()), Ok(3)]);
    }

    #[test]
    fn a_game_that_is_too_large_costs_one_game() {
        let moves = "1-5 ".repeat(MAX_GAME_LEN / 4);
        let word = "x".repeat(MAX_GAME_LEN + 1);
        let tags: String = (0..MAX_GAME_LEN / 10).map(|n| format!("[t{n} \"\"]\n")).collect();
        for large in [format!("[a \"\"] {moves} 2-6"), word.clone(), format!("{tags} 1-5")] {
            let text = format!("[x \"\"]\n{large} (1-0) 3-7 1-0\n[a \"\"] 4-8 *");
            let games = read(text.as_bytes());
            assert_eq!(games.len(), 2);
            let error =
                format!("line 1: a game of more than {MAX_GAME_LEN} bytes of tags and moves");
            assert_eq!(games[0], Err(error));
            assert_eq!(games[1].as_ref().unwrap().moves(), ["4-8"]);
            // Without a result, tags after the moves end it.
            assert_eq!(read(text.replace(" 1-0\n", "\n").as_bytes()).len(), 2);
        }
        // Such a tag is passed over with its line.
        let games = read(format!("[a \"{word}{word}\"] 1-5 1-0\n2-6 *\n3-7 *").as_bytes());
        assert!(games[0].as_ref().is_err_and(|error| error.starts_with("line 1: a game of more")));
        assert_eq!(games[1].as_ref().unwrap().moves(), ["3-7"]);
        // What is not kept does not count.
        assert!(read(format!("{{{word}}} ({moves}) ;{word}\n 1-5 *").as_bytes())[0].is_ok());
    }

    #[test]
    fn a_game_is_too_large_as_soon_as_that_is_known() {
        for text in ["\0", "1-5 ", "[a \"\"]1-5 "] {
            let mut asked = 0;
            let endless = BufReader::new(Endless(text, &mut asked));
            let game = PdnReader::new(endless).next().unwrap().unwrap();
            match text.starts_with('[') {
                true => assert_eq!(game.unwrap().moves(), ["1-5"]),
                false => assert_eq!(game, Err(PdnError::TooLarge { line: 1 })),
            }
            assert!(asked < 2 * MAX_GAME_LEN, "{asked}");
        }
    }
}
