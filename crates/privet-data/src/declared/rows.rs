//! [`Rows`]: a table being read, row after row, whatever file it is in; [`open`] finds out which.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use super::cell::Cell;
#[cfg(feature = "tables")]
use super::columnar::Columnar;
use super::delimited::{Delimited, Delimiter};
use super::sqlite::Sqlite;
use crate::formats::Limits;
use crate::formats::bundle::{decompressed, read_up_to};
#[cfg(feature = "tables")]
use crate::formats::limits::Bounded;
use crate::{FoundValue, Result, SourceLocation};

/// What the system calls standard input here, as elsewhere.
pub(super) const STANDARD_INPUT: &str = "-";

/// A table being read.
pub(super) trait Rows: Send {
    /// Goes on to the next row, if there is one.
    fn advance(&mut self) -> Result<bool>;

    /// Whether the table has a column that may be absent.
    fn has(&self, wanted: usize) -> bool;

    /// The columns that are read.
    fn names(&self) -> Vec<String>;

    /// A cell of the row, by the position of its column among those wanted.
    fn cell(&self, wanted: usize) -> Cell<'_>;

    /// Which row it is.
    fn number(&self) -> u64;

    /// What rows are counted in.
    fn counted(&self) -> Counted;

    /// The file.
    fn file(&self) -> &SourceLocation;

    /// Where a cell is.
    fn place_at(&self, number: u64, column: &str) -> SourceLocation {
        match self.counted() {
            Counted::Lines => self.file().line(number).field(column),
            Counted::Rows => self.file().field(format!("{column} of row {number}")),
        }
    }

    /// Where a cell of this row is.
    fn place(&self, column: &str) -> SourceLocation {
        self.place_at(self.number(), column)
    }
}

/// What rows are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// Lines of a text, from 1.
    Lines,
    /// Rows of a table, from 1.
    Rows,
}

impl Counted {
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "line",
            Self::Rows => "row",
        }
    }
}

/// A column that is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub name: &'a str,
    /// Whether a table without it is as good.
    pub optional: bool,
}

impl<'a> Wanted<'a> {
    pub fn required(name: &'a str) -> Self {
        Self { name, optional: false }
    }
}

/// Opens a table; `-` is standard input. `table` is which one of a SQLite file. If no column is wanted by name, all are
/// read.
pub(super) fn open(
    path: &Path,
    table: Option<&str>,
    wanted: &[Wanted<'_>],
    limits: &Limits,
) -> Result<Box<dyn Rows>> {
    let is_input = path.as_os_str() == STANDARD_INPUT;
    let place = SourceLocation::file(match is_input {
        true => "standard input".into(),
        false => path.display().to_string(),
    });
    let failed = |error: io::Error| place.io(error);
    // A pipe has no length, and cannot be read again from its beginning.
    let (mut reader, stored): (Box<dyn Read + Send>, _) = match is_input {
        true => (Box::new(io::stdin()), None),
        false => {
            let file = File::open(path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            (Box::new(file), metadata.is_file().then_some(metadata.len()))
        }
    };
    let mut head = [0; 16];
    let got = read_up_to(&mut reader, &mut head).map_err(failed)?;
    let kind = FileKind::of(&head[..got]);
    if let (Some(table), false) = (table, kind == FileKind::Sqlite) {
        let found = FoundValue::words(format!("a file that is one table, and table = \"{table}\""));
        return Err(place.malformed(found, "table with SQLite files alone"));
    }
    let whole = Box::new(Cursor::new(head).take(got as u64).chain(reader));
    match kind {
        FileKind::Text => {
            let reader = decompressed(whole, stored, *limits, &place)?;
            let delimiter = Delimiter::by_name(path);
            Ok(Box::new(Delimited::open(reader, place, delimiter, wanted, limits)?))
        }
        FileKind::DuckDb => Err(place.refused(
            "DuckDB's own files are not read here; in DuckDB, COPY t TO 't.parquet' writes a table that is",
        )),
        FileKind::Zip => Err(place.refused(
            "an archive or a workbook; unpack it, or save the sheet as CSV (UTF-8)",
        )),
        #[cfg(feature = "tables")]
        FileKind::Arrow => {
            let reader = Box::new(Bounded::new(whole, None, *limits));
            Ok(Box::new(Columnar::arrow(reader, place, wanted, limits)?))
        }
        #[cfg(feature = "tables")]
        FileKind::Parquet if stored.is_none() => Err(place.refused(
            "Parquet is read from its end, which a pipe cannot do; name the file, or send CSV or Arrow IPC",
        )),
        #[cfg(feature = "tables")]
        FileKind::Parquet => {
            let file = File::open(path).map_err(failed)?;
            Ok(Box::new(Columnar::parquet(file, place, wanted, limits)?))
        }
        #[cfg(not(feature = "tables"))]
        FileKind::Arrow | FileKind::Parquet => {
            Err(place.refused("Parquet and Arrow are not compiled in (cargo feature `tables`)"))
        }
        FileKind::Sqlite if stored.is_none() => {
            Err(place.refused("a SQLite file is read page by page, which a pipe cannot do; name the file"))
        }
        FileKind::Sqlite => {
            let file = File::open(path).map_err(failed)?;
            Ok(Box::new(Sqlite::open(file, path, place, table, wanted, limits)?))
        }
    }
}

/// What a file is by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Text,
    Parquet,
    Arrow,
    Sqlite,
    DuckDb,
    Zip,
}

impl FileKind {
    fn of(head: &[u8]) -> Self {
        match head {
            _ if head.starts_with(b"SQLite format 3\0") => Self::Sqlite,
            _ if head.starts_with(b"PAR1") => Self::Parquet,
            _ if head.starts_with(b"ARROW1") || head.starts_with(b"FEA1") => Self::Arrow,
            _ if head.starts_with(&[0xff; 4]) => Self::Arrow,
            _ if head.get(8..12) == Some(b"DUCK") => Self::DuckDb,
            _ if head.starts_with(b"PK\x03\x04") => Self::Zip,
            _ => Self::Text,
        }
    }
}

/// Where the wanted columns stand among those that there are. Their names are withheld: the first line of a file
/// without a header is somebody's record.
pub(super) fn find_columns(
    names: &[&str],
    wanted: &[Wanted<'_>],
    place: &SourceLocation,
) -> Result<Vec<Option<usize>>> {
    if wanted.is_empty() {
        return Ok((0..names.len()).map(Some).collect());
    }
    let find = |wanted: &Wanted<'_>| {
        let mut same = (0..names.len()).filter(|&at| names[at] == wanted.name);
        match (same.next(), same.next()) {
            (Some(at), None) => Ok(Some(at)),
            (None, _) if wanted.optional => Ok(None),
            (None, _) => Err(missing_column(names, wanted.name, place)),
            (Some(_), Some(_)) => {
                let found = FoundValue::words(format!("two columns called '{}'", wanted.name));
                Err(place.malformed(found, "one"))
            }
        }
    };
    wanted.iter().map(find).collect()
}

fn missing_column(names: &[&str], name: &str, place: &SourceLocation) -> crate::Error {
    let plain = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let near = names.iter().find(|other| plain(other) == plain(name) && !plain(name).is_empty());
    let expected = match near {
        Some(near) => format!("a column called '{name}' (there is '{near}')"),
        None => format!("a first row that names the columns, '{name}' among them"),
    };
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let found = FoundValue::value(format!("no column '{name}' among"), quoted.join(", "));
    place.malformed(found, expected)
}
