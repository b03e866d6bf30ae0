//! [`Delimited`]: text with a delimiter between the cells and a first row that names the columns.
//!
//! The dialect: quotes around cells, doubled inside them, line ends inside them; `\n`, `\r\n` or `\r` after a row; a
//! byte order mark; empty lines. A row with more or fewer cells than there are names, an open quote, text after
//! a closed one, a NUL and bytes that are not UTF-8 are errors: each of them silently eats people elsewhere.

mod splitter;

use std::io::Read;
use std::path::Path;

use splitter::Splitter;

use super::cell::TableCell;
use super::rows::{RowSource, RowUnit, WantedColumn, find_columns};
use crate::formats::Limits;
use crate::{FoundValue, Result, SourceLocation};

/// What may stand between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Tab,
    /// A comma, a semicolon or a tab: whichever makes the first row name the most of the columns wanted.
    Detect,
}

impl Delimiter {
    /// What a file's name says.
    pub fn by_name(path: &Path) -> Self {
        let name = path.to_string_lossy().to_ascii_lowercase();
        // Compression is no part of the format.
        let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
        if plain.ends_with(".tsv") { Self::Tab } else { Self::Detect }
    }

    fn candidates(self) -> &'static [u8] {
        match self {
            Self::Tab => b"\t",
            Self::Detect => b",;\t",
        }
    }
}

/// A delimited text being read.
pub(super) struct Delimited {
    place: SourceLocation,
    splitter: Splitter,
    /// Where the wanted columns stand.
    columns: Vec<Option<usize>>,
    /// All columns that there are.
    names: Vec<String>,
    width: usize,
}

impl Delimited {
    /// Reads the names of the columns.
    pub fn open(
        reader: Box<dyn Read + Send>,
        place: SourceLocation,
        delimiter: Delimiter,
        wanted: &[WantedColumn<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        let mut splitter = Splitter::new(reader, place.clone(), limits.line_bytes);
        let names = names(&mut splitter, delimiter, wanted)?;
        let here = place.line(splitter.line());
        let found: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = find_columns(&found, wanted, &here)?;
        let width = names.len();
        Ok(Self { place, splitter, columns, names, width })
    }
}

/// The names in the first row, split at the likeliest delimiter.
fn names(
    splitter: &mut Splitter,
    delimiter: Delimiter,
    wanted: &[WantedColumn<'_>],
) -> Result<Vec<String>> {
    // The delimiter under which most wanted names are found in the first row.
    let mut best: Option<(usize, u8)> = None;
    let mut failed = None;
    for &candidate in delimiter.candidates() {
        splitter.set_delimiter(candidate);
        match splitter.look_ahead() {
            Ok(None) => {
                return Err(splitter
                    .place()
                    .malformed("an empty table", "a first row that names the columns"));
            }
            Ok(Some(cells)) => {
                let known =
                    wanted.iter().filter(|w| cells.iter().any(|cell| cell.trim() == w.name));
                // Where no name is known, the delimiter that makes most columns is the likeliest.
                let known = if wanted.is_empty() { cells.len() } else { known.count() };
                if best.is_none_or(|(most, _)| known > most) {
                    best = Some((known, candidate));
                }
            }
            // An error counts only if no delimiter reads the row at all.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some((_, delimiter)) = best {
        splitter.set_delimiter(delimiter);
        splitter.advance()?;
    } else if let Some(error) = failed {
        return Err(error);
    }
    Ok(splitter.cells().map(|cell| cell.trim().to_owned()).collect())
}

impl RowSource for Delimited {
    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if !self.splitter.advance()? {
            return Ok(false);
        }
        let count = self.splitter.len();
        // A row of another length shifts its cells into wrong columns.
        if count != self.width {
            let found = FoundValue::words(format!("{count} cells"));
            let expected = format!("{}, as many as columns are named", self.width);
            return Err(self.place.line(self.number()).malformed(found, expected));
        }
        Ok(true)
    }

    fn names(&self) -> Vec<String> {
        let name = |at: &Option<usize>| at.map_or_else(String::new, |at| self.names[at].clone());
        self.columns.iter().map(name).collect()
    }

    fn has(&self, wanted: usize) -> bool {
        self.columns[wanted].is_some()
    }

    #[inline]
    fn cell(&self, wanted: usize) -> TableCell<'_> {
        match self.columns[wanted] {
            Some(at) => TableCell::text(self.splitter.cell(at)),
            None => TableCell::Nothing,
        }
    }

    fn number(&self) -> u64 {
        self.splitter.line()
    }

    fn counted(&self) -> RowUnit {
        RowUnit::Lines
    }

    fn file(&self) -> &SourceLocation {
        &self.place
    }
}

#[cfg(test)]
mod tests;
