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

#[cfg(test)]
mod tests;

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
