//! [`Sqlite`]: one table of a SQLite file, read and never written.
//!
//! A reader of our own, of the public file format (sqlite.org/fileformat2.html): SQLite itself is a C library, and a
//! build of Privet needs no C compiler. It reads tables with rowids in UTF-8, with payloads of any length, and refuses
//! what it would get wrong: changes that lie in a write-ahead log or a journal beside the file, tables without rowids,
//! virtual tables, views, UTF-16, and values that a row older than its column takes from a default.

mod create_table;
mod pager;
mod record;
mod tree;

use std::fs::File;
use std::path::Path;

use create_table::{Definition, Stored};
use pager::Pager;
use record::{Fields, Value};
use tree::Tree;

use super::cell::Cell;
use super::rows::{Counted, Rows, Wanted, find_columns};
use crate::formats::Limits;
use crate::{FoundValue, Result, SourceLocation};

/// Where the schema begins.
const SCHEMA_PAGE: u32 = 1;

/// A table being read.
pub(super) struct Sqlite {
    place: SourceLocation,
    tree: Tree,
    /// Where the wanted columns are stored.
    columns: Vec<Option<Wants>>,
    payload: Vec<u8>,
    fields: Fields,
    /// The wanted cells of the row, and the text of those that are text.
    cells: Vec<Stuff>,
    text: String,
    row: u64,
}

struct Wants {
    name: String,
    stored: Stored,
    has_default: bool,
}

enum Stuff {
    Nothing,
    Integer(i64),
    Real(f64),
    Text(usize, usize),
}

impl Sqlite {
    /// Opens the table called `table`.
    pub fn open(
        file: File,
        path: &Path,
        place: SourceLocation,
        table: Option<&str>,
        wanted: &[Wanted<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        let pager = Pager::open(file, path, &place)?;
        let schema = Tree::new(pager, SCHEMA_PAGE, limits.line_bytes)?;
        let (schema, entries) = entries(schema, &place)?;
        let entry = find_table(&entries, table, &place)?;
        let place = place.member(&*entry.name);
        let definition = definition_of(entry, &place)?;
        let names: Vec<&str> = definition.columns.iter().map(|column| &*column.name).collect();
        let found = find_columns(&names, wanted, &place)?;
        let wants = |at: usize| {
            let column = &definition.columns[at];
            let (name, has_default) = (column.name.clone(), column.has_default);
            match column.stored {
                Stored::Nowhere => Err(place.field(&*name).refused(
                    "a generated column is not stored; CREATE TABLE t AS SELECT ... makes a table that holds it",
                )),
                stored => Ok(Wants { name, stored, has_default }),
            }
        };
        let columns =
            found.into_iter().map(|at| at.map(wants).transpose()).collect::<Result<_>>()?;
        let tree = Tree::new(schema.into_pager(), entry.root, limits.line_bytes)?;
        let (payload, fields, cells) = (Vec::new(), Fields::default(), Vec::new());
        Ok(Self { place, tree, columns, payload, fields, cells, text: String::new(), row: 0 })
    }

    fn decode(&mut self, rowid: i64) -> Result<()> {
        self.cells.clear();
        self.text.clear();
        let damaged = || damaged(&self.place, "a record that makes no sense");
        self.fields.read(&self.payload).ok_or_else(damaged)?;
        for column in &self.columns {
            let value = match column.as_ref().map(|column| column.stored) {
                None | Some(Stored::Nowhere) => Some(Value::Null),
                Some(Stored::Rowid) => Some(Value::Integer(rowid)),
                Some(Stored::Field(at)) if at >= self.fields.len() => None,
                Some(Stored::Field(at)) => {
                    Some(self.fields.value(&self.payload, at).ok_or_else(damaged)?)
                }
            };
            let here = || {
                let name = column.as_ref().map_or("", |column| &*column.name);
                self.place.field(format!("{name} of row {}", self.row))
            };
            let stuff = match value {
                // The row is older than its column.
                None if column.as_ref().is_some_and(|column| column.has_default) => {
                    let name = column.as_ref().map_or("", |column| &*column.name);
                    return Err(here().refused(format!(
                        "the row takes its value from the column's default, which is not read here; \
                         UPDATE t SET {name} = {name} writes it down"
                    )));
                }
                None | Some(Value::Null) => Stuff::Nothing,
                Some(Value::Integer(value)) => Stuff::Integer(value),
                Some(Value::Real(value)) => Stuff::Real(value),
                Some(Value::Text(bytes)) => {
                    let text = std::str::from_utf8(bytes)
                        .map_err(|_| here().malformed("bytes that are not UTF-8", "UTF-8 text"))?;
                    let start = self.text.len();
                    self.text.push_str(text);
                    Stuff::Text(start, self.text.len())
                }
                Some(Value::Blob) => {
                    return Err(here().malformed("a blob", "text or a number"));
                }
            };
            self.cells.push(stuff);
        }
        Ok(())
    }
}

impl Rows for Sqlite {
    fn advance(&mut self) -> Result<bool> {
        match self.tree.next(&mut self.payload)? {
            None => {
                self.tree.pager().check_unchanged()?;
                Ok(false)
            }
            Some(rowid) => {
                self.row += 1;
                self.decode(rowid)?;
                Ok(true)
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let name = |column: &Option<Wants>| {
            column.as_ref().map_or_else(String::new, |wants| wants.name.clone())
        };
        self.columns.iter().map(name).collect()
    }

    fn has(&self, wanted: usize) -> bool {
        self.columns[wanted].is_some()
    }

    fn cell(&self, wanted: usize) -> Cell<'_> {
        match self.cells[wanted] {
            Stuff::Nothing => Cell::Nothing,
            Stuff::Integer(value) => Cell::Integer(value.into()),
            Stuff::Real(value) => Cell::Real(value),
            Stuff::Text(start, end) => Cell::text(&self.text[start..end]),
        }
    }

    fn number(&self) -> u64 {
        self.row
    }

    fn counted(&self) -> Counted {
        Counted::Rows
    }

    fn file(&self) -> &SourceLocation {
        &self.place
    }
}

/// Something that the schema lists.
struct Entry {
    kind: String,
    name: String,
    root: u32,
    sql: String,
}

/// What the schema lists.
fn entries(mut schema: Tree, place: &SourceLocation) -> Result<(Tree, Vec<Entry>)> {
    let (mut payload, mut fields, mut entries) = (Vec::new(), Fields::default(), Vec::new());
    while schema.next(&mut payload)?.is_some() {
        let entry = fields.read(&payload).and_then(|()| {
            let text = |at| match fields.value(&payload, at)? {
                Value::Text(bytes) => String::from_utf8(bytes.to_vec()).ok(),
                _ => Some(String::new()),
            };
            let root = match fields.value(&payload, 3)? {
                Value::Integer(root) => u32::try_from(root).ok()?,
                _ => 0,
            };
            Some(Entry { kind: text(0)?, name: text(1)?, root, sql: text(4)? })
        });
        entries.push(entry.ok_or_else(|| damaged(place, "a schema that makes no sense"))?);
    }
    Ok((schema, entries))
}

fn find_table<'a>(
    entries: &'a [Entry],
    table: Option<&str>,
    place: &SourceLocation,
) -> Result<&'a Entry> {
    let tables: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.kind == "table" && !entry.name.starts_with("sqlite_"))
        .map(|entry| &*entry.name)
        .collect();
    let known = match tables.is_empty() {
        true => "it has no table".into(),
        false => format!("it has {}", tables.join(", ")),
    };
    let Some(table) = table else {
        let found = "a SQLite file and no word about which table";
        return Err(place.malformed(found, format!("table = \"NAME\" ({known})")));
    };
    let named = |entry: &&Entry| entry.name.eq_ignore_ascii_case(table);
    match entries.iter().filter(|entry| ["table", "view"].contains(&&*entry.kind)).find(named) {
        Some(entry) => Ok(entry),
        None => {
            let found = FoundValue::words(format!("no table '{table}'"));
            Err(place.malformed(found, format!("one that is there: {known}")))
        }
    }
}

fn definition_of(entry: &Entry, place: &SourceLocation) -> Result<Definition> {
    if entry.kind == "view" {
        return Err(place.refused(
            "a view holds no rows; CREATE TABLE t AS SELECT * FROM it makes a table that does",
        ));
    }
    if entry.root == 0 {
        return Err(place.refused(
            "a virtual table holds no rows of its own; CREATE TABLE t AS SELECT * FROM it makes one that does",
        ));
    }
    let definition = Definition::parse(&entry.sql)
        .ok_or_else(|| damaged(place, "a CREATE TABLE that makes no sense"))?;
    if definition.without_rowid {
        return Err(place.refused(
            "a table WITHOUT ROWID is stored otherwise; CREATE TABLE t AS SELECT * FROM it makes one that can be read",
        ));
    }
    Ok(definition)
}

fn damaged(place: &SourceLocation, found: &'static str) -> crate::Error {
    place.malformed(found, "an undamaged SQLite file")
}

#[cfg(test)]
mod tests;
