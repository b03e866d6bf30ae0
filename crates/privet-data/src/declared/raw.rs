//! [`RawTable`]: a table cell by cell, as text, whatever file it is in and without a declaration.
//!
//! Two tables about the same people are recognised by what stands in them, before any range or category is applied:
//! another declaration of the same file must not look like other people.

use std::borrow::Cow;
use std::path::Path;

use super::rows::{RowSource, WantedColumn, open};
use crate::Result;
use crate::formats::Limits;

/// A table being read, row by row.
pub struct RawTable {
    rows: Box<dyn RowSource>,
    names: Vec<String>,
}

impl RawTable {
    /// Opens a file and reads every column; `table` is which one of a SQLite file.
    ///
    /// # Errors
    /// If it cannot be read, or is no table with named columns.
    pub fn open(path: &Path, table: Option<&str>, limits: &Limits) -> Result<Self> {
        let rows = open(path, table, &[], limits)?;
        let names = rows.names();
        Ok(Self { rows, names })
    }

    /// The same for some columns, for files that hold others which cannot be read.
    ///
    /// # Errors
    /// As for [`open`](Self::open), or if there is no such column.
    pub fn open_columns(
        path: &Path,
        table: Option<&str>,
        columns: &[&str],
        limits: &Limits,
    ) -> Result<Self> {
        let wanted: Vec<WantedColumn<'_>> =
            columns.iter().copied().map(WantedColumn::required).collect();
        let rows = open(path, table, &wanted, limits)?;
        let names = columns.iter().map(|&name| name.to_owned()).collect();
        Ok(Self { rows, names })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Goes on to the next row, if there is one.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn advance(&mut self) -> Result<bool> {
        self.rows.advance()
    }

    /// A cell of the row as text, empty where there is nothing.
    pub fn text(&self, column: usize) -> Cow<'_, str> {
        match self.rows.cell(column) {
            super::cell::TableCell::Text(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.as_text().into_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_read_whatever_stands_between_them() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("a.csv", "id;age;note\n1;34;x, y\n2;;z\n"),
            ("b.tsv", "id\tage\tnote\n1\t34\tx, y\n2\t\tz\n"),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let mut table = RawTable::open(&path, None, &Limits::default()).unwrap();
            assert_eq!(table.names(), ["id", "age", "note"], "{name}");
            assert!(table.advance().unwrap());
            assert_eq!((&*table.text(1), &*table.text(2)), ("34", "x, y"));
            assert!(table.advance().unwrap() && table.text(1).is_empty());
            assert!(!table.advance().unwrap());
            let columns = RawTable::open_columns(&path, None, &["note", "id"], &Limits::default());
            let mut columns = columns.unwrap();
            assert!(columns.advance().unwrap());
            assert_eq!((&*columns.text(0), &*columns.text(1)), ("x, y", "1"));
        }
    }
}
