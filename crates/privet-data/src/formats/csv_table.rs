//! [`CsvTable`]: one CSV file, record by record, with its column names and line numbers.

use std::io::Read;

use csv::{StringRecord, Trim};

use super::{Bundle, Header};
use crate::{Error, FoundValue, Result, SourceLocation};

/// How the tables of a folder are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub delimiter: u8,
    /// Blanks around cells are kept in what we wrote, and dropped from what people wrote.
    pub trim: Trim,
    pub header: Header,
}

/// Whether a first record, seen with the second, names columns.
pub(crate) type LooksLikeHeader = fn(&[&str], &[&str]) -> bool;

/// A table being read.
pub(crate) struct CsvTable {
    pub place: SourceLocation,
    reader: csv::Reader<Box<dyn Read + Send>>,
    names: Option<StringRecord>,
    /// Records that were read to find out whether there is a header; the next one last.
    ahead: Vec<StringRecord>,
    record: StringRecord,
}

impl CsvTable {
    /// Opens a member and looks whether it begins with column names.
    pub fn open(
        bundle: &Bundle,
        member: &str,
        style: Style,
        looks: LooksLikeHeader,
    ) -> Result<Self> {
        let input = bundle.open(member)?;
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(style.delimiter)
            .trim(style.trim)
            .from_reader(input.reader);
        let (names, ahead, record) = (None, Vec::new(), StringRecord::new());
        let mut table = Self { place: input.place, reader, names, ahead, record };
        let (first, second) = (table.read_owned()?, table.read_owned()?);
        let Some(first) = first else { return Ok(table) };
        let cells = |record: &StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let (a, b) = (cells(&first), second.as_ref().map(cells).unwrap_or_default());
        let a: Vec<&str> = a.iter().map(String::as_str).collect();
        let b: Vec<&str> = b.iter().map(String::as_str).collect();
        table.ahead.extend(second);
        let named = match style.header {
            Header::Present => true,
            Header::Absent => false,
            Header::Detect => looks(&a, &b),
        };
        match named {
            true => table.names = Some(first),
            false => table.ahead.push(first),
        }
        Ok(table)
    }

    /// The names of the columns, if the first record holds them.
    pub fn names(&self) -> Option<Vec<&str>> {
        self.names.as_ref().map(|names| names.iter().collect())
    }

    /// How many cells the first record of data has; 0 if there is none.
    pub fn width(&self) -> usize {
        self.ahead.last().map_or(0, StringRecord::len)
    }

    fn read_owned(&mut self) -> Result<Option<StringRecord>> {
        let mut record = StringRecord::new();
        Ok(self.read(&mut record)?.then_some(record))
    }

    fn read(&mut self, record: &mut StringRecord) -> Result<bool> {
        self.reader.read_record(record).map_err(|error| explain(&self.place, error))
    }

    /// The next record of data and its line.
    pub fn next(&mut self) -> Result<Option<(u64, &StringRecord)>> {
        if let Some(record) = self.ahead.pop() {
            self.record = record;
        } else {
            let mut record = std::mem::take(&mut self.record);
            let more = self.read(&mut record)?;
            self.record = record;
            if !more {
                return Ok(None);
            }
        }
        let line = self.record.position().map_or(0, csv::Position::line);
        refuse_nul(&self.record, || self.place.line(line))?;
        Ok(Some((line, &self.record)))
    }
}

/// Text has no use for a NUL: two ids that look alike would be two people.
pub(crate) fn refuse_nul(record: &StringRecord, place: impl Fn() -> SourceLocation) -> Result<()> {
    match memchr::memchr(0, record.as_slice().as_bytes()) {
        Some(_) => Err(place().malformed("a NUL byte", "text")),
        None => Ok(()),
    }
}

/// A cell that must be there.
pub(crate) fn cell<'a>(
    record: &'a StringRecord,
    column: usize,
    what: &str,
    place: impl Fn() -> SourceLocation,
) -> Result<&'a str> {
    let missing = || {
        let found = FoundValue::words(format!("{} cells", record.len()));
        place().malformed(found, format!("at least {}, the last of them the {what}", column + 1))
    };
    record.get(column).ok_or_else(missing)
}

fn explain(place: &SourceLocation, error: csv::Error) -> Error {
    let place = match error.position() {
        Some(position) => place.line(position.line()),
        None => place.clone(),
    };
    match error.into_kind() {
        csv::ErrorKind::Io(error) => place.io(error),
        csv::ErrorKind::Utf8 { .. } => place.malformed("bytes that are not UTF-8", "UTF-8 text"),
        other => place.malformed(format!("{other:?}"), "comma-separated text"),
    }
}
