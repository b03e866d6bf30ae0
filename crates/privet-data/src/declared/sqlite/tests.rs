use std::io::Read as _;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

/// Made by sqlite3 itself; `tests/bank.sql` says of what.
fn bank() -> Vec<u8> {
    let mut bytes = Vec::new();
    let packed = &include_bytes!("tests/bank.sqlite.gz")[..];
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
    let wanted: Vec<Wanted<'_>> = columns.iter().map(|name| Wanted::required(name)).collect();
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

fn told(table: &str, columns: &[&str]) -> String {
    rows(&bank(), table, columns).unwrap_err().to_string()
}

#[test]
fn every_row_of_a_tree_with_long_payloads() {
    let columns = ["notes", "number", "name", "age", "score", "region"];
    let found = rows(&bank(), "Customers", &columns).unwrap();
    let expected: Vec<Vec<String>> = (1..=400)
        .filter(|n| n * 7 % 3 != 0)
        .map(|n: i64| {
            let notes = if n % 50 == 0 { "0".repeat(n as usize * 20) } else { format!("note {n}") };
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
        assert!(matches!(table.cell(2), Cell::Text(_)));
    }
    let expected = [
        (Some(10.0), Some(1_767_225_600.0)),
        (Some(2.5), Some(1_767_225_601.0)),
        (Some(1e300), Some(-5.0)),
        (Some(-3.0), Some(9e9)),
        (None, None),
    ];
    assert_eq!(cells, expected);
    assert_eq!(table.cell(0), Cell::Nothing);
    assert!(rows(&bank(), "empty", &["id"]).unwrap().is_empty());
}

#[test]
fn what_would_be_read_wrongly_is_refused_with_the_way_around() {
    assert!(told("keyed", &["id"]).contains("WITHOUT ROWID"));
    assert!(told("adults", &["name"]).contains("a view holds no rows; CREATE TABLE"));
    assert!(told("search", &["notes"]).contains("a virtual table"));
    assert!(told("customers", &["twice"]).contains("a generated column is not stored"));
    let old = told("customers", &["grade"]);
    assert!(old.contains("grade of row 1") && old.contains("UPDATE t SET grade = grade"), "{old}");
    let blob = told("blobs", &["id"]);
    assert!(blob.contains("member blobs, field id of row 1: found a blob"), "{blob}");
    let absent = told("clients", &["id"]);
    assert!(
        absent.contains("no table 'clients'") && absent.contains("customers, payments"),
        "{absent}"
    );
    assert!(told("customers", &["income"]).contains("no column 'income'"));
    let (_folder, path) = written(&bank());
    let unnamed = open(&path, None, &["id"]).err().unwrap().to_string();
    assert!(unnamed.contains("table = \"NAME\""), "{unnamed}");
}

#[test]
fn changes_beside_the_file_are_part_of_it() {
    for (ending, told) in [("-wal", "wal_checkpoint"), ("-journal", "open it once with sqlite3")] {
        let (folder, path) = written(&bank());
        let beside = folder.path().join(format!("bank.sqlite{ending}"));
        std::fs::write(&beside, "").unwrap();
        assert!(open(&path, Some("empty"), &["id"]).is_ok(), "an empty one holds no changes");
        std::fs::write(&beside, "something").unwrap();
        let error = open(&path, Some("empty"), &["id"]).err().unwrap().to_string();
        assert!(error.contains(told), "{error}");
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
