//! [`Lines`]: numbered lines of text without their LF or CRLF, in one reused buffer.

use std::io::{BufRead, BufReader, Read};

use super::limits::long_line;
use super::{Input, Limits};
use crate::{FoundValue, Result, SourceLocation};

/// Reads an [`Input`] line by line.
pub struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    place: SourceLocation,
    line: Vec<u8>,
    number: u64,
    limit: usize,
}

impl Lines {
    /// The lines of `input`.
    pub fn new(input: Input, limits: &Limits) -> Self {
        let Input { place, reader } = input;
        let reader = BufReader::with_capacity(1 << 18, reader);
        Self { reader, place, line: Vec::new(), number: 0, limit: limits.line_bytes }
    }

    /// The next line and its number, from 1; `None` at the end.
    pub fn next_line(&mut self) -> Result<Option<(u64, &[u8])>> {
        self.line.clear();
        let limit = self.limit as u64 + 2;
        let read = (&mut self.reader).take(limit).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| self.here().io(error))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        if self.line.len() > self.limit {
            return Err(long_line(self.limit).at(&self.here()));
        }
        Ok(Some((self.number, &self.line)))
    }

    /// The next line as text.
    pub fn next_text(&mut self) -> Result<Option<(u64, &str)>> {
        let place = self.place.clone();
        let Some((number, line)) = self.next_line()? else { return Ok(None) };
        match std::str::from_utf8(line) {
            Ok(text) => Ok(Some((number, text))),
            Err(error) => {
                let found = FoundValue::words(format!(
                    "bytes that are not UTF-8 (at byte {})",
                    error.valid_up_to()
                ));
                Err(place.line(number).malformed(found, "UTF-8 text"))
            }
        }
    }

    /// The place of the line last returned.
    pub fn here(&self) -> SourceLocation {
        self.place.line(self.number)
    }

    /// The whole input's place.
    pub fn place(&self) -> &SourceLocation {
        &self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &'static [u8], limits: Limits) -> Lines {
        Lines::new(Input::new(SourceLocation::file("x"), bytes), &limits)
    }

    #[test]
    fn both_line_ends_and_a_missing_last_one() {
        let mut lines = lines(b"a\r\n\nb", Limits::default());
        let mut all = Vec::new();
        while let Some((number, text)) = lines.next_text().unwrap() {
            all.push((number, text.to_owned()));
        }
        assert_eq!(all, [(1, "a".into()), (2, String::new()), (3, "b".into())]);
    }

    #[test]
    fn long_lines_and_foreign_bytes_are_named() {
        let limits = Limits { line_bytes: 3, ..Limits::default() };
        let error = lines(b"abc\nabcd\n", limits);
        let mut error = error;
        assert!(error.next_line().unwrap().is_some());
        assert!(error.next_line().unwrap_err().with_values().contains("line 2"));
        let error = lines(b"ok\n\xff\n", Limits::default());
        let mut error = error;
        assert!(error.next_text().unwrap().is_some());
        let told = error.next_text().unwrap_err().with_values();
        assert_eq!(
            told,
            "x, line 2: found bytes that are not UTF-8 (at byte 0); expected UTF-8 text"
        );
    }
}
