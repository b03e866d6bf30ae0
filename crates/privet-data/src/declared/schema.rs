//! [`Schema`]: which files there are, and what their columns mean.

use serde::{Deserialize, Serialize};

use super::column::SchemaColumns;
use super::moment::Moment;

/// A table of people and tables of their connections, as they are declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The table that lists all people.
    pub people: PeopleTable,
    /// The tables of connections: together they make one graph.
    #[serde(default)]
    pub edges: Vec<EdgeTable>,
    /// The table of graphs, where each person is in one of many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphs: Option<GraphTable>,
}

/// The table that lists all people, one row each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeopleTable {
    /// The file, relative to the file that declares it.
    pub file: String,
    /// Which table of a SQLite file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The column of ids.
    pub id: String,
    /// The column of labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The classes there are, in the order of their numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
    /// What stands between the labels of a person who may have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// The one class that matters: people have it or not, whatever other labels they have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whether: Option<String>,
    /// Cells that mean "no label".
    #[serde(default = "no_label")]
    pub no_label: Vec<String>,
    /// Cells that say that a feature is not known.
    #[serde(default = "missing")]
    pub missing: Vec<String>,
    /// The features, in the order of their columns.
    #[serde(default, skip_serializing_if = "SchemaColumns::is_empty")]
    pub columns: SchemaColumns,
}

impl PeopleTable {
    /// A table of ids and nothing else.
    pub fn new(file: impl Into<String>, id: impl Into<String>) -> Self {
        let (table, label, classes, separator, whether) = (None, None, None, None, None);
        Self {
            file: file.into(),
            table,
            id: id.into(),
            label,
            classes,
            separator,
            whether,
            no_label: no_label(),
            missing: missing(),
            columns: SchemaColumns::default(),
        }
    }
}

fn no_label() -> Vec<String> {
    vec![String::new()]
}

fn missing() -> Vec<String> {
    ["", "NA", "NaN", "null"].map(String::from).to_vec()
}

/// A table of connections, one row each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeTable {
    /// The file, relative to the file that declares it.
    pub file: String,
    /// Which table of a SQLite file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The column of the one end.
    pub source: String,
    /// The column of the other end.
    pub target: String,
    /// Whether a connection leads from source to target alone.
    #[serde(default)]
    pub directed: bool,
    /// What becomes of records about an id that is not in the table of people.
    #[serde(default)]
    pub strangers: Strangers,
    /// Which weight makes a connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Weight>,
    /// From when until when records count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeWindow>,
    /// Which types of records count.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub types: Option<RecordTypes>,
}

impl EdgeTable {
    /// A table of two columns, undirected, in which every record counts.
    pub fn new(
        file: impl Into<String>,
        source: impl Into<String>,
        target: impl Into<String>,
    ) -> Self {
        let (file, source, target) = (file.into(), source.into(), target.into());
        let (directed, strangers) = (false, Strangers::Refuse);
        let (table, weight, time, types) = (None, None, None, None);
        Self { file, table, source, target, directed, strangers, weight, time, types }
    }
}

/// A table of many small graphs, one row each: who is in which stands in the table of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphTable {
    /// The file, relative to the file that declares it.
    pub file: String,
    /// Which table of a SQLite file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The column of ids.
    pub id: String,
    /// The column of labels.
    pub label: String,
    /// The classes there are, in the order of their numbers.
    pub classes: Vec<String>,
    /// Cells that say that a graph has no label.
    #[serde(default = "no_label")]
    pub no_label: Vec<String>,
    /// The column of the table of people that names a person's graph.
    pub member: String,
}

impl GraphTable {
    /// The same as a table of people without features: rows with ids and labels are read alike.
    pub(super) fn as_people(&self) -> PeopleTable {
        PeopleTable {
            table: self.table.clone(),
            label: Some(self.label.clone()),
            classes: Some(self.classes.clone()),
            no_label: self.no_label.clone(),
            ..PeopleTable::new(&*self.file, &*self.id)
        }
    }
}

/// What becomes of a record about an id that is not in the table of people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strangers {
    /// It is an error.
    #[default]
    Refuse,
    /// It is left out.
    LeaveOut,
}

/// Which weight makes a connection. Graphs hold no weights: this decides whether there is an edge, and no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    /// The column of weights.
    pub column: String,
    /// What the weights of a pair must add up to.
    pub low: f64,
    /// What a single weight is clipped to; negative ones are clipped to 0. A weight that is clipped here is
    /// above `low` on its own: what this keeps out is sums that are no numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// From when until when records count: `from <= time < until`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeWindow {
    /// The column of times.
    pub column: String,
    /// The first moment that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Moment>,
    /// The first moment that does not count any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
}

/// Which types of records count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordTypes {
    /// The column of types.
    pub column: String,
    /// The types that count; all others are left out.
    pub keep: Vec<String>,
}
