//! [`Schema::check`]: all that can be wrong with a declaration, before a file is opened.

use std::fmt;

use super::classes::DeclaredClasses;
use super::encoder::Encoder;
use super::moment::{A_TIME, Moment};
use super::schema::{EdgeTable, GraphTable, PeopleTable, RecordTypes, Schema, TimeWindow, Weight};
use crate::Error;

impl Schema {
    /// Whether the declaration makes sense by itself.
    ///
    /// # Errors
    /// The first mistake, with the key it stands under.
    pub fn check(&self) -> Result<(), Mistake> {
        check_people(&self.people)?;
        self.edges.iter().enumerate().try_for_each(|(at, table)| check_edges(table, at))?;
        match &self.graphs {
            Some(graphs) => check_graphs(graphs, &self.people),
            None => Ok(()),
        }
    }
}

/// A table of graphs is read as one of people is, so its mistakes are the same, under another key.
fn check_graphs(graphs: &GraphTable, people: &PeopleTable) -> Result<(), Mistake> {
    // The table of graphs obeys the rules of a table of people; only its keys have other names.
    check_people(&graphs.as_people()).map_err(|mistake| {
        let key = mistake.key.replacen("people.", "graphs.", 1);
        Mistake { key, expected: mistake.expected.replace("people.", "graphs."), ..mistake }
    })?;
    let member = &graphs.member;
    check_named("graphs.member".into(), member, "the column that names a person's graph")?;
    let feature = people.columns.iter().any(|(name, _)| name == member);
    if *member == people.id || feature || Some(member) == people.label.as_ref() {
        let expected = "a column that names a person's graph and has no other use";
        return Err(Mistake::new("graphs.member", format!("'{member}'"), expected));
    }
    Ok(())
}

/// A key that must be there and is absent.
fn check_named(key: String, value: &str, what: &str) -> Result<(), Mistake> {
    match value.trim() == value && !value.is_empty() {
        true => Ok(()),
        false => Err(Mistake::new(
            key,
            format!("'{value}'"),
            format!("{what}, without blanks around it"),
        )),
    }
}

/// A file that can be read, as far as its name tells.
fn check_file(key: String, file: &str, table: Option<&str>) -> Result<(), Mistake> {
    check_named(key.clone(), file, "the name of a file")?;
    let name = file.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    // Formats that are met often and cannot be read get the way to one that can.
    if ends(&[".duckdb", ".ddb"]) {
        let expected =
            "Parquet: in DuckDB, COPY t TO 't.parquet' writes a table that can be read here";
        return Err(Mistake::new(key, format!("'{file}', a DuckDB file"), expected));
    }
    if ends(&[".xlsx", ".xls", ".ods"]) {
        let expected = "the sheet saved as CSV (UTF-8)";
        return Err(Mistake::new(key, format!("'{file}', a workbook"), expected));
    }
    const ONE_TABLE: [&str; 11] = [
        ".csv", ".tsv", ".txt", ".gz", ".zst", ".parquet", ".pq", ".arrow", ".feather", ".arrows",
        ".ipc",
    ];
    let key = |name| key.replace(".file", name);
    match table {
        Some("") => {
            Err(Mistake::new(key(".table"), "''", "the name of a table in the SQLite file"))
        }
        Some(table) if ends(&ONE_TABLE) => {
            let found = format!("'{table}' beside the file '{file}', which is one table");
            Err(Mistake::new(key(".table"), found, "it with SQLite files alone"))
        }
        None if ends(&[".sqlite", ".sqlite3", ".db", ".db3"]) => {
            Err(Mistake::absent(key(".table"), "which table of the SQLite file"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_people(people: &PeopleTable) -> Result<(), Mistake> {
    check_file("people.file".into(), &people.file, people.table.as_deref())?;
    check_named("people.id".into(), &people.id, "the name of the column of ids")?;
    let features: Vec<&str> = people.columns.iter().map(|(name, _)| name).collect();
    if let Some(label) = &people.label {
        check_named("people.label".into(), label, "the name of the column of labels")?;
        if *label == people.id {
            let expected = "another column than people.id";
            return Err(Mistake::new("people.label", format!("'{label}'"), expected));
        }
    }
    // A feature may not be named twice, nor serve as id or label.
    for (at, &name) in features.iter().enumerate() {
        let key = || format!("people.columns.{name}");
        check_named(key(), name, "the name of a column")?;
        if features[..at].contains(&name) {
            return Err(Mistake::new(key(), "a column that is declared twice", "it once"));
        }
        if name == people.id || Some(name) == people.label.as_deref() {
            let what = if name == people.id { "the column of ids" } else { "the column of labels" };
            return Err(Mistake::new(key(), what, "a column that is a feature and nothing else"));
        }
    }
    // Classes and columns check themselves; the rest of a mistake is theirs.
    DeclaredClasses::new(people)?;
    Encoder::new(people).map(|_| ())
}

fn check_edges(edges: &EdgeTable, at: usize) -> Result<(), Mistake> {
    let key = |key: &str| format!("edges[{at}].{key}");
    check_file(key("file"), &edges.file, edges.table.as_deref())?;
    check_named(key("source"), &edges.source, "the name of the column of one end")?;
    check_named(key("target"), &edges.target, "the name of the column of the other end")?;
    if edges.source == edges.target {
        let expected = "another column than the source";
        return Err(Mistake::new(key("target"), format!("'{}'", edges.target), expected));
    }
    if let Some(weight) = &edges.weight {
        check_weight(weight, &key)?;
    }
    if let Some(window) = &edges.time {
        check_window(window, &key)?;
    }
    if let Some(RecordTypes { column, keep }) = &edges.types {
        check_named(key("type.column"), column, "the name of the column of types")?;
        check_values(&key("type.keep"), keep, 1)?;
    }
    Ok(())
}

fn check_weight(weight: &Weight, key: &dyn Fn(&str) -> String) -> Result<(), Mistake> {
    let Weight { column, low, high } = weight;
    check_named(key("weight.column"), column, "the name of the column of weights")?;
    // A weight of 0 would connect everyone.
    if !(low.is_finite() && *low > 0.0) {
        let expected = "a finite number above 0, the weight from which there is a connection";
        return Err(Mistake::new(key("weight.low"), low, expected));
    }
    match high {
        Some(high) if !high.is_finite() => {
            Err(Mistake::new(key("weight.high"), high, "a finite number"))
        }
        Some(high) if low >= high => {
            Err(Mistake::new(key("weight.low"), low, format!("less than high, which is {high}")))
        }
        _ => Ok(()),
    }
}

fn check_window(window: &TimeWindow, key: &dyn Fn(&str) -> String) -> Result<(), Mistake> {
    let TimeWindow { column, from, until } = window;
    check_named(key("time.column"), column, "the name of the column of times")?;
    let instant = |name: &str, moment: &Option<Moment>| match moment {
        None => Ok(None),
        Some(moment) => match moment.instant() {
            Some(instant) => Ok(Some(instant)),
            None => Err(Mistake::new(key(name), moment, A_TIME)),
        },
    };
    match (instant("time.from", from)?, instant("time.until", until)?) {
        (None, None) => Err(Mistake::absent(key("time.from"), "from, until or both")),
        (Some(first), Some(end)) if first >= end => {
            let until = until.as_ref().map(Moment::to_string).unwrap_or_default();
            let found = from.as_ref().map(Moment::to_string).unwrap_or_default();
            let expected = format!("a moment before until, which is {until}");
            Err(Mistake::new(key("time.from"), found, expected))
        }
        _ => Ok(()),
    }
}

/// Something wrong with a schema, found before any record is looked at. Nothing of it is secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where: `people.columns.age.low`, `edges[0].weight.low`. Names of columns stand as they are, unquoted.
    pub key: String,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl Mistake {
    pub(super) fn new(
        key: impl Into<String>,
        found: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        Self { key: key.into(), found: found.to_string(), expected: expected.into() }
    }

    /// Something that must be there is not.
    pub(super) fn absent(key: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::new(key, "nothing", expected)
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}; expected {}", self.key, self.found, self.expected)
    }
}

impl std::error::Error for Mistake {}

impl From<Mistake> for Error {
    fn from(mistake: Mistake) -> Self {
        Self::invalid(mistake.key, mistake.found, mistake.expected)
    }
}

/// The first value that occurs a second time.
pub(super) fn repeated<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.into_iter().find(|value| !seen.insert(*value))
}

/// A list in which every value stands once, and none can be written in a cell in another way.
pub(super) fn check_values(key: &str, values: &[String], least: usize) -> Result<(), Mistake> {
    if values.len() < least {
        let (found, what) = (values.len(), if least == 1 { "value" } else { "values" });
        return Err(Mistake::new(
            key,
            format!("{found} of them"),
            format!("at least {least} {what}"),
        ));
    }
    if let Some(value) = repeated(values.iter().map(String::as_str)) {
        return Err(Mistake::new(key, format!("'{value}' twice"), "every value once"));
    }
    match values.iter().find(|value| value.trim() != value.as_str()) {
        None => Ok(()),
        Some(value) => {
            let expected = "no blanks around a value: those around a cell are dropped";
            Err(Mistake::new(key, format!("'{value}'"), expected))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::declared::Schema;

    fn right() -> Value {
        json!({
            "people": {
                "file": "customers.csv", "id": "id", "label": "segment", "classes": ["retail", "business"],
                "columns": {
                    "age": {"kind": "number", "low": 18, "high": 100},
                    "region": {"kind": "category", "values": ["north", "south"]},
                    "rating": {"kind": "ordinal", "values": ["low", "high"]},
                    "notes": {"kind": "text", "columns": 8},
                },
            },
            "edges": [{
                "file": "payments.csv", "source": "from", "target": "to",
                "weight": {"column": "amount", "low": 10, "high": 1000},
                "time": {"column": "date", "from": "2026-01-01", "until": 1_790_000_000},
                "type": {"column": "kind", "keep": ["card"]},
            }],
        })
    }

    /// Sets what `path` points at; null removes it.
    fn with(path: &str, value: Value) -> Value {
        let mut schema = right();
        let (parent, name) = path.rsplit_once('/').unwrap();
        let parent = schema.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
        match value {
            Value::Null => parent.remove(name),
            value => parent.insert(name.into(), value),
        };
        schema
    }

    fn mistake(path: &str, value: Value) -> String {
        let schema: Schema = serde_json::from_value(with(path, value)).unwrap();
        schema.check().unwrap_err().to_string()
    }

    #[test]
    fn what_is_right_is_right() {
        let schema: Schema = serde_json::from_value(right()).unwrap();
        assert_eq!(schema.check(), Ok(()));
        let back: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
        assert_eq!(back, schema);
    }

    #[test]
    fn every_mistake_names_its_key_and_what_would_be_right() {
        for (path, value, key, message) in [
            ("/people/file", json!(""), "people.file", "the name of a file"),
            ("/people/file", json!("bank.duckdb"), "people.file", "COPY t TO 't.parquet'"),
            ("/people/file", json!("people.xlsx"), "people.file", "saved as CSV"),
            ("/people/file", json!("bank.sqlite"), "people.table", "which table"),
            ("/people/table", json!("t"), "people.table", "SQLite files alone"),
            ("/people/id", json!(" id"), "people.id", "without blanks"),
            ("/people/label", json!("id"), "people.label", "another column"),
            ("/people/label", json!("age"), "people.columns.age", "a feature and nothing else"),
            ("/people/id", json!("age"), "people.columns.age", "the column of ids"),
            ("/people/label", Value::Null, "people.classes", "people.label beside it"),
            ("/people/classes", Value::Null, "people.classes", "the classes there are"),
            ("/people/classes", json!(["one"]), "people.classes", "at least 2"),
            ("/people/classes", json!(["a", "a"]), "people.classes", "'a' twice"),
            ("/people/classes", json!(["a", ""]), "people.classes", "people.no_label"),
            ("/people/separator", json!(""), "people.separator", "an empty text"),
            ("/people/separator", json!("s"), "people.classes", "holds the separator"),
            ("/people/columns/age/low", json!(100), "people.columns.age.low", "less than high"),
            ("/people/columns/age/low", json!(-1e308), "", ""),
            ("/people/columns/age/high", Value::Null, "people.columns.age.high", "highest value"),
            ("/people/columns/age/low", Value::Null, "people.columns.age.low", "lowest value"),
            (
                "/people/columns/age/values",
                json!(["1"]),
                "people.columns.age.values",
                "category or ordinal",
            ),
            ("/people/columns/age/columns", json!(3), "people.columns.age.columns", "a text alone"),
            (
                "/people/columns/age/missing",
                json!("none"),
                "people.columns.age.missing",
                "\"middle\"",
            ),
            (
                "/people/columns/age/missing",
                json!(7),
                "people.columns.age.missing",
                "a number in range",
            ),
            (
                "/people/columns/region/values",
                json!([]),
                "people.columns.region.values",
                "at least 1",
            ),
            (
                "/people/columns/region/values",
                Value::Null,
                "people.columns.region.values",
                "the values",
            ),
            (
                "/people/columns/region/values",
                json!(["a", "a"]),
                "people.columns.region.values",
                "twice",
            ),
            (
                "/people/columns/region/values",
                json!(["a "]),
                "people.columns.region.values",
                "no blanks",
            ),
            (
                "/people/columns/region/values",
                json!(["NA"]),
                "people.columns.region.values",
                "people.missing",
            ),
            (
                "/people/columns/region/missing",
                json!("middle"),
                "people.columns.region.missing",
                "\"none\"",
            ),
            ("/people/columns/region/low", json!(1), "people.columns.region.low", "a number alone"),
            (
                "/people/columns/rating/values",
                json!(["one"]),
                "people.columns.rating.values",
                "at least 2",
            ),
            (
                "/people/columns/rating/other",
                json!("none"),
                "people.columns.rating.other",
                "a category",
            ),
            (
                "/people/columns/rating/missing",
                json!(1),
                "people.columns.rating.missing",
                "\"low\"",
            ),
            (
                "/people/columns/notes/columns",
                json!(0),
                "people.columns.notes.columns",
                "from 1 to",
            ),
            (
                "/people/columns/notes/columns",
                json!(1e9 as u32),
                "people.columns.notes.columns",
                "65536",
            ),
            (
                "/people/columns/notes/columns",
                Value::Null,
                "people.columns.notes.columns",
                "nothing",
            ),
            ("/people/columns/notes/most", json!(0), "people.columns.notes.most", "at least 1"),
            (
                "/people/columns/ x",
                json!({"kind": "text", "columns": 1}),
                "people.columns. x",
                "blanks",
            ),
            ("/people/columns/notes:0", json!({"kind": "text", "columns": 1}), "", ""),
            (
                "/people/columns/notes:0",
                json!({"kind": "number", "low": 0, "high": 1}),
                "people.columns",
                "different names",
            ),
            ("/edges/0/file", json!("x.ddb"), "edges[0].file", "COPY t TO"),
            ("/edges/0/file", json!("x.db"), "edges[0].table", "which table"),
            ("/edges/0/source", json!(""), "edges[0].source", "one end"),
            ("/edges/0/target", json!("from"), "edges[0].target", "another column"),
            ("/edges/0/weight/low", json!(1000), "edges[0].weight.low", "less than high"),
            ("/edges/0/weight/low", json!(0), "edges[0].weight.low", "above 0"),
            ("/edges/0/weight/low", json!(-1), "edges[0].weight.low", "above 0"),
            ("/edges/0/weight/column", json!(""), "edges[0].weight.column", "weights"),
            ("/edges/0/time/from", json!("yesterday"), "edges[0].time.from", "2026-01-31"),
            ("/edges/0/time/until", json!("2025-01-01"), "edges[0].time.from", "before until"),
            (
                "/edges/0/time/until",
                json!(1_790_000_000_000_i64),
                "edges[0].time.until",
                "seconds since 1970",
            ),
            (
                "/edges/0/time",
                json!({"column": "date"}),
                "edges[0].time.from",
                "from, until or both",
            ),
            ("/edges/0/type/keep", json!([]), "edges[0].type.keep", "at least 1"),
            ("/edges/0/type/column", json!(""), "edges[0].type.column", "types"),
        ] {
            if key.is_empty() {
                let schema: Schema = serde_json::from_value(with(path, value)).unwrap();
                assert_eq!(schema.check(), Ok(()), "{path}");
                continue;
            }
            let found = mistake(path, value.clone());
            assert!(found.starts_with(&format!("{key}: ")), "{path} {value}: {found}");
            assert!(found.contains(message), "{path} {value}: {found}");
        }
    }

    #[test]
    fn unknown_keys_and_words_are_refused_where_they_stand() {
        for (path, value, message) in [
            ("/people/colums", json!({}), "colums"),
            ("/people/columns/age/lo", json!(1), "lo"),
            ("/people/columns/age/kind", json!("float"), "number"),
            ("/people/columns/age/missing", json!("mean"), "\"middle\""),
            ("/people/columns/region/other", json!("keep"), "refuse"),
            ("/edges/0/weights", json!(1), "weights"),
            ("/edges/0/strangers", json!("ignore"), "leave-out"),
            ("/edges/0/weight/cap", json!(1), "cap"),
            ("/edges/0/time/to", json!("2026-01-01"), "to"),
            ("/edges/0/type/drop", json!([]), "drop"),
        ] {
            let error =
                serde_json::from_value::<Schema>(with(path, value)).unwrap_err().to_string();
            assert!(error.contains(message), "{path}: {error}");
        }
    }
}
