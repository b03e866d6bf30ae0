//! Tables of people and of connections, read by a *declared* schema.
//!
//! Data as people have it is mixed: numbers, categories, grades, notes, gaps, several kinds of connections with
//! amounts and dates. A mechanism wants numbers in public ranges. Here everything that turns the one into the other is
//! declared by a curator who knows the data from outside, and nothing is learned from the records: no range, no list of
//! categories, no average to fill gaps with. So the encoding is public, costs no budget, and is the same for
//! next year's people.
//!
//! ```
//! use privet_data::declared::Schema;
//! use privet_data::formats::Limits;
//! # let folder = tempfile::tempdir()?;
//! # let base = folder.path();
//! std::fs::write(base.join("customers.csv"), "id,age,region\nann,34,north\nbob,,south\n")?;
//! std::fs::write(base.join("payments.csv"), "from,to\nann,bob\n")?;
//! let schema: Schema = serde_json::from_str(
//!     r#"{
//!         "people": {
//!             "file": "customers.csv", "id": "id",
//!             "columns": {
//!                 "age": { "kind": "number", "low": 18, "high": 50, "missing": "middle" },
//!                 "region": { "kind": "category", "values": ["north", "south"] }
//!             }
//!         },
//!         "edges": [{ "file": "payments.csv", "source": "from", "target": "to" }]
//!     }"#,
//! )?;
//! let customers = schema.read(base, &Limits::default())?;
//! let features = customers.features().expect("two columns are declared");
//! assert_eq!(features.names().unwrap(), ["age", "region=north", "region=south"]);
//! assert_eq!(features.nonzero_entries(0).collect::<Vec<_>>(), [(0, 0.5), (1, 1.0)]);
//! assert_eq!(features.nonzero_entries(1).collect::<Vec<_>>(), [(0, 0.5), (2, 1.0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//! Schema --check--> Mistake        what is wrong with the words, before any record is looked at
//! PeopleTable --encoder--> Encoder the public preprocessing: cells to a row of numbers in 0..1; saved with a model
//! file --RowSource--> cells        delimited text, Parquet, Arrow IPC or SQLite: named columns, row after row
//! Schema --read--> Dataset         all people, sorted by id, and one simple graph of all tables of edges
//! Schema --read_graphs--> GraphSet each person in one of many graphs, where a table of graphs is declared
//! PeopleReader --batches--> PeopleBatch   a stream in constant memory, for predictions
//! ```
//!
//! # What becomes of a cell
//! Blanks around a cell are no part of it. A cell that is one of `people.missing`, or a null, is *missing*, and
//! the column's own rule says what stands in its place.
//!
//! | kind | columns | value |
//! |---|---|---|
//! | `number` | `age` | clipped into `low..high`, then scaled to 0..1 |
//! | `category` | `region=north`, ... | 1 in the column of its value, in the order declared |
//! | `ordinal` | `rating` | position among `values`, over the last position |
//! | `text` | `notes:0`, ... | how often the [words](word_counts) of a column occur, clipped at `most`, over `most` |
//!
//! Clipping is silent: how many values were clipped is a fact about the records. `missing = "column"` adds `age:missing`
//! (0 or 1); `other = "column"` adds `region:other`.
//!
//! A label is one of `classes`, several of them with a `separator` between, or, with `whether`, one of two: whether the
//! cell names the class that matters.
//!
//! # What becomes of a connection
//! All tables of edges make one simple graph, without weights, times and types. They decide which records
//! count; repeated records fold into one edge and self-loops are dropped, silently, for the same reason.
//! - `type`: records of other types are left out. A table per type, or several types in `keep`, come to the same.
//! - `time`: records outside `from <= time < until` are left out.
//! - `weight`: a weight is clipped into 0..`high`; the weights of a pair (either way round unless directed) are added up
//!   within the table, and there is an edge if the sum reaches `low`. The weight itself is not kept: no mechanism here
//!   protects one.
//! - `directed`: if one table is directed the graph is, and edges of the other tables lead both ways.
//!
//! # What is not done
//! No joins, no expressions, no formats guessed from the content of cells. What a format cannot give (`.duckdb`, `.xlsx`,
//! a SQLite file with a pending journal) is refused with the way around it.

mod cell;
mod check;
mod classes;
mod column;
#[cfg(feature = "tables")]
mod columnar;
mod delimited;
mod edges;
mod encoder;
mod feature;
mod graphs;
mod moment;
mod people;
mod raw;
mod read;
mod rows;
mod schema;
mod sqlite;
pub mod word_counts;

pub use cell::TableCell;
pub use check::Mistake;
pub use column::SchemaColumns;
pub use column::{ColumnKind, DeclaredColumn, MissingRule, UndeclaredRule};
pub use encoder::Encoder;
pub use moment::{Instant, Moment};
pub use people::{PeopleBatch, PeopleBatches, PeopleReader};
pub use raw::RawTable;
pub use schema::{
    EdgeTable, GraphTable, PeopleTable, RecordTypes, Schema, Strangers, TimeWindow, Weight,
};
