//! [`Sqlite`]: one table of a SQLite file, read and never written.
//!
//! A reader of our own, of the public file format (sqlite.org/fileformat2.html): SQLite itself is a C library, and a
//! build of Privet needs no C compiler. It reads tables with rowids in UTF-8, with payloads of any length, and refuses
//! what it would get wrong: changes that lie in a write-ahead log or a journal beside the file, tables without rowids,
//! virtual tables, views, UTF-16, and values that a row older than its column takes from a default.

mod create_table;
mod tree;

use std::fs::File;
use std::path::Path;

use create_table::{ColumnStorage, Definition};
use tree::Pager;
use tree::TableTree;
use tree::{RecordFields, RecordValue};

use super::cell::TableCell;
use super::rows::{RowSource, RowUnit, WantedColumn, find_columns};
use crate::formats::Limits;
use crate::{FoundValue, Result, SourceLocation};

/// Where the schema begins.
const SCHEMA_PAGE: u32 = 1;

/// A table being read.
pub(super) struct Sqlite {
    place: SourceLocation,
    tree: TableTree,
    /// Where the wanted columns are stored.
    columns: Vec<Option<StoredColumn>>,
    payload: Vec<u8>,
    fields: RecordFields,
    /// The wanted cells of the row, and the text of those that are text.
    cells: Vec<StoredCell>,
    text: String,
    row: u64,
}

struct StoredColumn {
    name: String,
    stored: ColumnStorage,
    has_default: bool,
}

enum StoredCell {
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
        wanted: &[WantedColumn<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        // The schema is itself a table, whose root is page 1; it names the root pages of all others.
        let pager = Pager::open(file, path, &place)?;
        let schema = TableTree::new(pager, SCHEMA_PAGE, limits.line_bytes)?;
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
                ColumnStorage::Nowhere => Err(place.field(&*name).refused(
                    "a generated column is not stored; CREATE TABLE t AS SELECT ... makes a table that holds it",
                )),
                // A generated column that is STORED is a field like any other.
                stored => Ok(StoredColumn { name, stored, has_default }),
            }
        };
        let columns =
            found.into_iter().map(|at| at.map(wants).transpose()).collect::<Result<_>>()?;
        let tree = TableTree::new(schema.into_pager(), entry.root, limits.line_bytes)?;
        let (payload, fields, cells) = (Vec::new(), RecordFields::default(), Vec::new());
        Ok(Self { place, tree, columns, payload, fields, cells, text: String::new(), row: 0 })
    }

    fn decode(&mut self, rowid: i64) -> Result<()> {
        self.cells.clear();
        self.text.clear();
        let damaged = || damaged(&self.place, "a record that makes no sense");
        // The header of types is parsed once a row; values are decoded for the wanted columns alone.
        self.fields.read(&self.payload).ok_or_else(damaged)?;
        for column in &self.columns {
            let value = match column.as_ref().map(|column| column.stored) {
                None | Some(ColumnStorage::Nowhere) => Some(RecordValue::Null),
                Some(ColumnStorage::Rowid) => Some(RecordValue::Integer(rowid)),
                // ALTER TABLE ADD COLUMN does not rewrite rows: older rows have fewer fields.
                Some(ColumnStorage::Field(at)) if at >= self.fields.len() => None,
                Some(ColumnStorage::Field(at)) => {
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
                None | Some(RecordValue::Null) => StoredCell::Nothing,
                Some(RecordValue::Integer(value)) => StoredCell::Integer(value),
                Some(RecordValue::Real(value)) => StoredCell::Real(value),
                Some(RecordValue::Text(bytes)) => {
                    // SQLite does not check what programs store as text.
                    let text = std::str::from_utf8(bytes)
                        .map_err(|_| here().malformed("bytes that are not UTF-8", "UTF-8 text"))?;
                    let start = self.text.len();
                    self.text.push_str(text);
                    StoredCell::Text(start, self.text.len())
                }
                Some(RecordValue::Blob) => {
                    return Err(here().malformed("a blob", "text or a number"));
                }
            };
            self.cells.push(stuff);
        }
        Ok(())
    }
}

impl RowSource for Sqlite {
    fn advance(&mut self) -> Result<bool> {
        match self.tree.next(&mut self.payload)? {
            None => {
                // Checked once, at the end: a change in between means that rows of two versions were mixed.
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
        let name = |column: &Option<StoredColumn>| {
            column.as_ref().map_or_else(String::new, |wants| wants.name.clone())
        };
        self.columns.iter().map(name).collect()
    }

    fn has(&self, wanted: usize) -> bool {
        self.columns[wanted].is_some()
    }

    fn cell(&self, wanted: usize) -> TableCell<'_> {
        match self.cells[wanted] {
            StoredCell::Nothing => TableCell::Nothing,
            StoredCell::Integer(value) => TableCell::Integer(value.into()),
            StoredCell::Real(value) => TableCell::Real(value),
            StoredCell::Text(start, end) => TableCell::text(&self.text[start..end]),
        }
    }

    fn number(&self) -> u64 {
        self.row
    }

    fn counted(&self) -> RowUnit {
        RowUnit::Rows
    }

    fn file(&self) -> &SourceLocation {
        &self.place
    }
}

/// Something that the schema lists.
struct SchemaEntry {
    kind: String,
    name: String,
    root: u32,
    sql: String,
}

/// What the schema lists.
fn entries(mut schema: TableTree, place: &SourceLocation) -> Result<(TableTree, Vec<SchemaEntry>)> {
    let (mut payload, mut fields, mut entries) = (Vec::new(), RecordFields::default(), Vec::new());
    while schema.next(&mut payload)?.is_some() {
        let entry = fields.read(&payload).and_then(|()| {
            let text = |at| match fields.value(&payload, at)? {
                RecordValue::Text(bytes) => String::from_utf8(bytes.to_vec()).ok(),
                _ => Some(String::new()),
            };
            let root = match fields.value(&payload, 3)? {
                // A root page of 0 or NULL means that there are no pages: a view or a virtual table.
                RecordValue::Integer(root) => u32::try_from(root).ok()?,
                _ => 0,
            };
            Some(SchemaEntry { kind: text(0)?, name: text(1)?, root, sql: text(4)? })
        });
        entries.push(entry.ok_or_else(|| damaged(place, "a schema that makes no sense"))?);
    }
    Ok((schema, entries))
}

fn find_table<'a>(
    entries: &'a [SchemaEntry],
    table: Option<&str>,
    place: &SourceLocation,
) -> Result<&'a SchemaEntry> {
    let tables: Vec<&str> = entries
        .iter()
        // Names that begin with `sqlite_` are SQLite's own.
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
    // SQLite compares names without regard to case.
    let named = |entry: &&SchemaEntry| entry.name.eq_ignore_ascii_case(table);
    match entries.iter().filter(|entry| ["table", "view"].contains(&&*entry.kind)).find(named) {
        Some(entry) => Ok(entry),
        None => {
            let found = FoundValue::words(format!("no table '{table}'"));
            Err(place.malformed(found, format!("one that is there: {known}")))
        }
    }
}

fn definition_of(entry: &SchemaEntry, place: &SourceLocation) -> Result<Definition> {
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
mod tests {
    use std::io::Read as _;
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;

    /// Made by sqlite3 itself; `tests/bank.sql` says of what.
    fn bank() -> Vec<u8> {
        let mut bytes = Vec::new();
        let packed = &include_bytes!("sqlite/tests/bank.sqlite.gz")[..];
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn written(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bank.sqlite");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn open(path: &Path, table: Option<&str>, columns: &[&str]) -> Result<Sqlite> {
        let wanted: Vec<WantedColumn<'_>> =
            columns.iter().map(|name| WantedColumn::required(name)).collect();
        let file = File::open(path).unwrap();
        Sqlite::open(
            file,
            path,
            SourceLocation::file("bank.sqlite"),
            table,
            &wanted,
            &Limits::default(),
        )
    }

    fn rows(bytes: &[u8], table: &str, columns: &[&str]) -> Result<Vec<Vec<String>>> {
        let (_folder, path) = written(bytes);
        let mut table = open(&path, Some(table), columns)?;
        let mut rows = Vec::new();
        while table.advance()? {
            let text = |at| table.cell(at).as_text().into_owned();
            rows.push((0..columns.len()).map(text).collect());
        }
        Ok(rows)
    }

    fn message(table: &str, columns: &[&str]) -> String {
        rows(&bank(), table, columns).unwrap_err().to_string()
    }

    #[test]
    fn every_row_of_a_tree_with_long_payloads() {
        let columns = ["notes", "number", "name", "age", "score", "region"];
        let found = rows(&bank(), "Customers", &columns).unwrap();
        let expected: Vec<Vec<String>> = (1..=400)
            .filter(|n| n * 7 % 3 != 0)
            .map(|n: i64| {
                let notes =
                    if n % 50 == 0 { "0".repeat(n as usize * 20) } else { format!("note {n}") };
                let age = if n % 10 == 0 { String::new() } else { (n % 80).to_string() };
                let region = if n * 7 % 2 == 0 { "north" } else { "" };
                let score = (n as f64 / 4.0).to_string();
                vec![notes, (n * 7).to_string(), format!("c-{n}"), age, score, region.into()]
            })
            .collect();
        assert_eq!(found.len(), 267);
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_and_nulls() {
        let (_folder, path) = written(&bank());
        let mut table = open(&path, Some("payments"), &["amount", "at", "from"]).unwrap();
        let mut cells = Vec::new();
        while table.advance().unwrap() {
            cells.push((table.cell(0).as_number(), table.cell(1).as_number()));
            assert!(matches!(table.cell(2), TableCell::Text(_)));
        }
        let expected = [
            (Some(10.0), Some(1_767_225_600.0)),
            (Some(2.5), Some(1_767_225_601.0)),
            (Some(1e300), Some(-5.0)),
            (Some(-3.0), Some(9e9)),
            (None, None),
        ];
        assert_eq!(cells, expected);
        assert_eq!(table.cell(0), TableCell::Nothing);
        assert!(rows(&bank(), "empty", &["id"]).unwrap().is_empty());
    }

    #[test]
    fn what_would_be_read_wrongly_is_refused_with_the_way_around() {
        assert!(message("keyed", &["id"]).contains("WITHOUT ROWID"));
        assert!(message("adults", &["name"]).contains("a view holds no rows; CREATE TABLE"));
        assert!(message("search", &["notes"]).contains("a virtual table"));
        assert!(message("customers", &["twice"]).contains("a generated column is not stored"));
        let old = message("customers", &["grade"]);
        assert!(
            old.contains("grade of row 1") && old.contains("UPDATE t SET grade = grade"),
            "{old}"
        );
        let blob = message("blobs", &["id"]);
        assert!(blob.contains("member blobs, field id of row 1: found a blob"), "{blob}");
        let absent = message("clients", &["id"]);
        assert!(
            absent.contains("no table 'clients'") && absent.contains("customers, payments"),
            "{absent}"
        );
        assert!(message("customers", &["income"]).contains("no column 'income'"));
        let (_folder, path) = written(&bank());
        let unnamed = open(&path, None, &["id"]).err().unwrap().to_string();
        assert!(unnamed.contains("table = \"NAME\""), "{unnamed}");
    }

    #[test]
    fn changes_beside_the_file_are_part_of_it() {
        for (ending, message) in
            [("-wal", "wal_checkpoint"), ("-journal", "open it once with sqlite3")]
        {
            let (folder, path) = written(&bank());
            let beside = folder.path().join(format!("bank.sqlite{ending}"));
            std::fs::write(&beside, "").unwrap();
            assert!(open(&path, Some("empty"), &["id"]).is_ok(), "an empty one holds no changes");
            std::fs::write(&beside, "something").unwrap();
            let error = open(&path, Some("empty"), &["id"]).err().unwrap().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_file_that_changes_underneath_is_noticed() {
        let mut bytes = bank();
        let (_folder, path) = written(&bytes);
        let mut table = open(&path, Some("payments"), &["from"]).unwrap();
        bytes[27] = bytes[27].wrapping_add(1);
        std::fs::write(&path, &bytes).unwrap();
        let error = (0..9).find_map(|_| table.advance().err()).unwrap();
        assert!(error.to_string().contains("written to while it was read"), "{error}");
    }

    #[test]
    fn other_encodings_and_cut_files() {
        let mut utf16 = bank();
        utf16[59] = 2;
        let error = rows(&utf16, "empty", &["id"]).unwrap_err().to_string();
        assert!(error.contains("UTF-16") && error.contains(".dump"), "{error}");
        let whole = bank();
        for length in [0, 50, 100, 512, 5000, whole.len() - 1] {
            assert!(rows(&whole[..length], "customers", &["name"]).is_err(), "{length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Pages may point anywhere: it ends, and without a panic.
        #[test]
        fn damage_is_an_error_or_other_data_but_no_crash(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
            in_headers in any::<bool>(),
        ) {
            let mut bytes = bank();
            for (at, byte) in changes {
                // The first bytes of a page decide the most.
                let at = at.index(bytes.len());
                let at = if in_headers { at / 512 * 512 + at % 16 } else { at };
                bytes[at] = byte;
            }
            bytes[..16].copy_from_slice(b"SQLite format 3\0");
            let _ = rows(&bytes, "customers", &["number", "notes", "age"]);
        }
    }
}
