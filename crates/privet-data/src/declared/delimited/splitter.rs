//! [`Splitter`]: bytes to rows of cells, in one pass over a buffer that does not grow with the file.
//!
//! Written out rather than taken from a library because that one takes an open quote at the end of a file for closed,
//! which turns the rest of a table into one cell.

use std::io::{self, Read};

use memchr::memchr;

use crate::formats::limits::long_line;
use crate::{Result, SourceLocation};

const BLOCK: usize = 1 << 18;

/// Text on its way to rows.
pub(super) struct Splitter {
    reader: Box<dyn Read + Send>,
    place: SourceLocation,
    longest: usize,
    delimiter: u8,
    /// What was read and is not behind us.
    text: String,
    /// Where the next row begins.
    start: usize,
    /// Bytes at the end of a block that begin a letter.
    torn: Vec<u8>,
    block: Vec<u8>,
    ended: bool,
    begun: bool,
    /// The line of the row, and of the next.
    line: u64,
    next_line: u64,
    /// Where the cells of the row lie, in `text` or, if one was quoted, in `unquoted`.
    cells: Vec<(usize, usize)>,
    is_quoted: bool,
    unquoted: String,
}

/// What a look at the text came to.
enum Scan {
    /// A row; the next begins there.
    Row(usize),
    /// It goes on behind what was read.
    More,
}

/// Where a cell ends.
enum End {
    Delimiter,
    /// The row ends, too; the next begins there.
    Row(usize),
    More,
}

impl Splitter {
    pub fn new(reader: Box<dyn Read + Send>, place: SourceLocation, longest: usize) -> Self {
        Self {
            reader,
            place,
            longest,
            delimiter: b',',
            text: String::new(),
            start: 0,
            torn: Vec::new(),
            block: vec![0; BLOCK],
            ended: false,
            begun: false,
            line: 0,
            next_line: 1,
            cells: Vec::new(),
            is_quoted: false,
            unquoted: String::new(),
        }
    }

    pub fn place(&self) -> &SourceLocation {
        &self.place
    }

    pub fn set_delimiter(&mut self, delimiter: u8) {
        self.delimiter = delimiter;
    }

    /// The line on which the row begins.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// How many cells the row has.
    #[inline]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// A cell of the row.
    #[inline]
    pub fn cell(&self, at: usize) -> &str {
        let (start, end) = self.cells[at];
        if self.is_quoted { &self.unquoted[start..end] } else { &self.text[start..end] }
    }

    pub fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.cell(at))
    }

    /// Goes on to the next row that is not empty.
    #[inline]
    pub fn advance(&mut self) -> Result<bool> {
        let Some(next) = self.find()? else { return Ok(false) };
        self.line = self.next_line;
        self.next_line += match self.is_quoted {
            false => 1,
            true => line_ends(&self.text.as_bytes()[self.start..next]),
        };
        self.start = next;
        Ok(true)
    }

    /// The cells of the next row, without going on.
    pub fn look_ahead(&mut self) -> Result<Option<Vec<String>>> {
        Ok(self.find()?.map(|_| self.cells().map(str::to_owned).collect()))
    }

    /// Finds the cells of the next row that is not empty, and where the row after it begins.
    fn find(&mut self) -> Result<Option<usize>> {
        loop {
            match self.scan()? {
                // An empty line.
                Scan::Row(next)
                    if !self.is_quoted && matches!(self.cells[..], [(a, b)] if a == b) =>
                {
                    if next == self.text.len() && self.ended && self.start == next {
                        return Ok(None);
                    }
                    self.next_line += 1;
                    self.start = next;
                }
                Scan::Row(next) => return Ok(Some(next)),
                Scan::More => self.fill()?,
            }
        }
    }

    #[inline]
    fn scan(&mut self) -> Result<Scan> {
        self.cells.clear();
        self.is_quoted = false;
        let mut at = self.start;
        loop {
            if self.opens_quote(at).is_some() {
                return self.scan_quoted();
            }
            let (end, how) = self.cell_end(at);
            match how {
                End::More => return Ok(Scan::More),
                End::Delimiter => self.cells.push((at, end)),
                End::Row(next) => {
                    self.cells.push((at, end));
                    return Ok(Scan::Row(next));
                }
            }
            at = end + 1;
        }
    }

    /// Where the text of a quoted cell begins, if a cell that begins at `at` is one. Blanks before the quote are
    /// no part of it.
    #[inline]
    fn opens_quote(&self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        match bytes.get(at) {
            Some(b'"') => Some(at + 1),
            Some(b' ') => {
                let blanks = bytes[at..].iter().take_while(|&&byte| byte == b' ').count();
                (bytes.get(at + blanks) == Some(&b'"')).then_some(at + blanks + 1)
            }
            _ => None,
        }
    }

    /// Where the cell without quotes that begins at `at` ends, and what ends it.
    #[inline]
    fn cell_end(&self, at: usize) -> (usize, End) {
        let bytes = self.text.as_bytes();
        match find_end(bytes, at, self.delimiter) {
            Some(end) => (end, self.end_at(end)),
            None if self.ended => (bytes.len(), End::Row(bytes.len())),
            None => (bytes.len(), End::More),
        }
    }

    /// What the delimiter or line end at `end` ends.
    #[inline]
    fn end_at(&self, end: usize) -> End {
        let bytes = self.text.as_bytes();
        match (bytes[end], bytes.get(end + 1)) {
            (b'\n', _) => End::Row(end + 1),
            (b'\r', Some(b'\n')) => End::Row(end + 2),
            (b'\r', None) if !self.ended => End::More,
            (b'\r', _) => End::Row(end + 1),
            _ => End::Delimiter,
        }
    }

    /// The same for a row in which a cell is quoted: its cells are copied out.
    #[cold]
    fn scan_quoted(&mut self) -> Result<Scan> {
        self.cells.clear();
        self.is_quoted = true;
        let mut unquoted = std::mem::take(&mut self.unquoted);
        unquoted.clear();
        let mut at = self.start;
        let scan = loop {
            let from = unquoted.len();
            let (end, how) = match self.opens_quote(at) {
                Some(inside) => match self.unquote(inside, &mut unquoted)? {
                    Some(found) => found,
                    None => break Scan::More,
                },
                None => {
                    let (end, how) = self.cell_end(at);
                    unquoted.push_str(&self.text[at..end]);
                    (end, how)
                }
            };
            self.cells.push((from, unquoted.len()));
            match how {
                End::Delimiter => at = end + 1,
                End::Row(next) => break Scan::Row(next),
                End::More => break Scan::More,
            }
        };
        self.unquoted = unquoted;
        Ok(scan)
    }

    /// Copies a quoted cell's text; where it ends and what ends it, or nothing if that was not read yet.
    fn unquote(&self, mut at: usize, unquoted: &mut String) -> Result<Option<(usize, End)>> {
        let bytes = self.text.as_bytes();
        loop {
            let Some(length) = memchr(b'"', &bytes[at..]) else {
                return match self.ended {
                    false => Ok(None),
                    true => Err(self
                        .at(at)
                        .malformed("a quote that is never closed", "two quotes around a cell")),
                };
            };
            unquoted.push_str(&self.text[at..at + length]);
            at += length + 1;
            match bytes.get(at) {
                None if !self.ended => return Ok(None),
                Some(b'"') => {
                    unquoted.push('"');
                    at += 1;
                }
                _ => break,
            }
        }
        at += bytes[at..].iter().take_while(|&&byte| byte == b' ').count();
        match bytes.get(at) {
            None if self.ended => Ok(Some((at, End::Row(at)))),
            None => Ok(None),
            Some(&byte) if byte == self.delimiter || byte == b'\n' || byte == b'\r' => {
                Ok(Some((at, self.end_at(at))))
            }
            Some(_) => {
                let expected = "quotes around the whole cell, and two for one inside it";
                Err(self.at(at).malformed("text after a closing quote", expected))
            }
        }
    }

    /// The line of a byte of the row that comes next.
    fn at(&self, byte: usize) -> SourceLocation {
        self.place.line(self.next_line + line_ends(&self.text.as_bytes()[self.start..byte]))
    }

    /// Reads on.
    #[cold]
    fn fill(&mut self) -> Result<()> {
        self.text.drain(..self.start);
        self.start = 0;
        if self.text.len() > self.longest {
            return Err(long_line(self.longest).at(&self.place.line(self.next_line)));
        }
        let count = loop {
            match self.reader.read(&mut self.block) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.place.io(error)),
            }
        };
        self.torn.extend_from_slice(&self.block[..count]);
        self.ended = count == 0;
        let valid = match std::str::from_utf8(&self.torn) {
            Ok(text) => text,
            // A letter may be torn between two blocks.
            Err(error) if error.error_len().is_none() && !self.ended => {
                std::str::from_utf8(&self.torn[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => {
                let before = self.text.len() + error.valid_up_to();
                let lines = line_ends(self.text.as_bytes())
                    + line_ends(&self.torn[..before - self.text.len()]);
                let here = self.place.line(self.next_line + lines);
                return Err(here.malformed(
                    "bytes that are not UTF-8",
                    "UTF-8 text: save or convert it as UTF-8",
                ));
            }
        };
        if let Some(at) = memchr(0, valid.as_bytes()) {
            let lines = line_ends(self.text.as_bytes()) + line_ends(&valid.as_bytes()[..at]);
            let here = self.place.line(self.next_line + lines);
            return Err(
                here.malformed("a NUL byte", "text: UTF-16 saved as UTF-8, or an undamaged file")
            );
        }
        let length = valid.len();
        let marked = !self.begun;
        self.begun |= length > 0;
        self.text.push_str(valid.strip_prefix('\u{feff}').filter(|_| marked).unwrap_or(valid));
        self.torn.drain(..length);
        Ok(())
    }
}

/// Where the first delimiter or line end from `at` on stands. Eight bytes at a time: most cells are shorter, so that the
/// processor need not guess how long each one is.
#[inline]
fn find_end(bytes: &[u8], mut at: usize, delimiter: u8) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    // The lowest bit set marks the first byte that is zero; above it, bits may be wrong.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let equal = |word: u64, byte: u8| zeros(word ^ (ONES * u64::from(byte)));
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let found = equal(word, delimiter) | equal(word, b'\n') | equal(word, b'\r');
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let ends = |&byte: &u8| byte == delimiter || byte == b'\n' || byte == b'\r';
    bytes[at..].iter().position(ends).map(|length| at + length)
}

/// How many lines end in a text: at `\n`, `\r\n` or `\r`.
fn line_ends(bytes: &[u8]) -> u64 {
    let end = |at: usize| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(|&at| end(at)).count() as u64
}
