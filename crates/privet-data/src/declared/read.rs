//! [`Schema::read`]: the tables as one [`Dataset`].

use std::path::Path;

use super::people::{PeopleBatches, PeopleReader};
use super::schema::Schema;
use crate::formats::Limits;
use crate::formats::limits::many_nodes;
use crate::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, GraphBuilder, IdInterner, Labels,
    NodeId, NodeIds, Result,
};

/// How many people are encoded at a time.
const BATCH: usize = 4096;

impl Schema {
    /// Reads all tables; files are relative to `base`. Nodes are sorted by id, so that the order of the rows
    /// does not matter, and stated: the table lists all people.
    ///
    /// # Errors
    /// If the declaration makes no sense ([`Schema::check`] tells more), a file cannot be read, a cell does
    /// not fit, or an id comes twice. The content of a cell stays hidden.
    pub fn read(&self, base: impl AsRef<Path>, limits: &Limits) -> Result<Dataset> {
        self.check()?;
        let base = base.as_ref();
        let people = PeopleReader::new(&self.people)?;
        let path = base.join(&self.people.file);
        let all = AllPeople::read(people.open(&path, BATCH, limits, false)?, limits)?;
        let direction = match self.edges.iter().any(|table| table.directed) {
            true => Direction::Directed,
            false => Direction::Undirected,
        };
        let mut pairs = Vec::new();
        for table in &self.edges {
            let found = table.read_pairs(base, &all.interner, limits)?;
            if direction == Direction::Directed && !table.directed {
                pairs.extend(found.iter().map(|&[source, target]| [target, source]));
            }
            pairs.extend(found);
        }
        let SortedPeople { ids, new, features, labels } = all.sorted(&people)?;
        pairs.as_flattened_mut().iter_mut().for_each(|node| *node = new[*node as usize]);
        let (graph, _) = GraphBuilder::from_pairs(ids.len(), direction, pairs).build()?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut data = Dataset::new(name, graph, ids)?;
        if let Some(features) = features {
            data = data.with_features(features)?;
        }
        if let Some(labels) = labels {
            data = data.with_labels(labels)?;
        }
        Ok(data)
    }
}

/// All people in the order of the table.
pub(super) struct AllPeople {
    interner: IdInterner,
    values: Vec<f32>,
    labels: Option<Vec<Option<u32>>>,
    label_lists: Option<Vec<Vec<u32>>>,
}

/// All people sorted by id.
pub(super) struct SortedPeople {
    pub ids: NodeIds,
    /// The new node of each old one.
    new: Vec<NodeId>,
    features: Option<Features>,
    pub labels: Option<Labels>,
}

impl AllPeople {
    pub fn read(mut batches: PeopleBatches<'_>, limits: &Limits) -> Result<Self> {
        let mut all = Self {
            interner: IdInterner::default(),
            values: Vec::new(),
            labels: None,
            label_lists: None,
        };
        let mut people = 0;
        while let Some(batch) = batches.next().transpose()? {
            for &number in &batch.numbers {
                if people >= limits.nodes {
                    return Err(many_nodes(limits.nodes).at(&batches.id_place(number)));
                }
                people += 1;
            }
            all.values.extend_from_slice(batch.rows.values());
            if let Some(labels) = batch.labels {
                all.labels.get_or_insert_default().extend(labels);
            }
            if let Some(lists) = batch.label_lists {
                all.label_lists.get_or_insert_default().extend(lists);
            }
        }
        all.interner = batches.into_ids();
        Ok(all)
    }

    pub fn sorted(self, people: &PeopleReader) -> Result<SortedPeople> {
        let Self { interner, values, labels, label_lists } = self;
        let (ids, new) = interner.finish_sorted()?;
        let encoder = people.encoder();
        let width = encoder.width();
        let features = match width {
            0 => None,
            _ => {
                let mut matrix = DenseMatrix::zeros(new.len(), width);
                for (row, &node) in values.chunks_exact(width).zip(&new) {
                    matrix.row_mut(node as usize).copy_from_slice(row);
                }
                let features = Features::new(FeatureMatrix::Dense(matrix));
                Some(features.with_bounds(encoder.bounds()?)?.with_names(encoder.columns())?)
            }
        };
        drop(values);
        let names = || people.classes().to_vec();
        let labels = match (people.classes().is_empty(), people.is_multi_label()) {
            (true, _) => None,
            (false, false) => Some(Labels::single(moved(labels, &new), names())?),
            (false, true) => Some(Labels::multi(moved(label_lists, &new), names())?),
        };
        Ok(SortedPeople { ids, new, features, labels })
    }
}

/// What belonged to the old nodes, in the order of the new.
fn moved<T: Default + Clone>(values: Option<Vec<T>>, new: &[NodeId]) -> Vec<T> {
    let mut moved = vec![T::default(); new.len()];
    for (value, &node) in values.into_iter().flatten().zip(new) {
        moved[node as usize] = value;
    }
    moved
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Fact, FactOrigin};

    const CUSTOMERS: &str = "\
customer_id,age,region,rating,notes,segment
c-17,34,north,mid,late again,retail
c-02,,south,high,,business
c-30,130,north,low,\"pays, early\",NA
c-05,NA,west,mid,late,retail
";

    const PAYMENTS: &str = "\
from;to;amount;date;kind
c-17;c-02;6;2026-01-01;transfer
c-17;c-02;5;2026-03-09T10:00:00Z;card
c-02;c-17;500;2025-12-31T23:59:59Z;transfer
c-30;c-05;50;2026-11-01;transfer
c-30;c-02;9;2026-02-01;transfer
c-30;c-05;80;2026-02-01;fee
c-05;c-99;80;2026-02-01;card
c-05;c-05;80;2026-02-01;card
c-05;c-17;-80;2026-02-01;card
";

    fn declared() -> Value {
        json!({
            "people": {
                "file": "customers.csv", "id": "customer_id",
                "label": "segment", "classes": ["retail", "business"], "no_label": ["", "NA"],
                "columns": {
                    "age": {"kind": "number", "low": 18, "high": 100, "missing": "middle"},
                    "region": {"kind": "category", "values": ["north", "south"], "other": "column"},
                    "rating": {"kind": "ordinal", "values": ["low", "mid", "high"]},
                    "notes": {"kind": "text", "columns": 32},
                },
            },
            "edges": [{
                "file": "payments.csv", "source": "from", "target": "to",
                "directed": true, "strangers": "leave-out",
                "weight": {"column": "amount", "low": 10.0, "high": 1000.0},
                "time": {"column": "date", "from": "2026-01-01", "until": "2026-11-01"},
                "type": {"column": "kind", "keep": ["transfer", "card"]},
            }],
        })
    }

    fn read_files(declared: &Value, files: &[(&str, &str)]) -> Result<Dataset> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let schema: Schema = serde_json::from_value(declared.clone()).unwrap();
        schema.read(folder.path(), &Limits::default())
    }

    fn bank(declared: &Value) -> Result<Dataset> {
        read_files(declared, &[("customers.csv", CUSTOMERS), ("payments.csv", PAYMENTS)])
    }

    fn set(path: &str, value: Value) -> Value {
        let mut declared = declared();
        let (parent, name) = path.rsplit_once('/').unwrap();
        declared.pointer_mut(parent).unwrap()[name] = value;
        declared
    }

    #[test]
    fn customers_and_payments() {
        let data = bank(&declared()).unwrap();
        let ids: Vec<String> = data.ids().iter().map(|id| id.to_string()).collect();
        assert_eq!(ids, ["c-02", "c-05", "c-17", "c-30"]);
        assert_eq!(data.name(), "customers");
        let features = data.features().unwrap();
        assert_eq!(features.columns(), 1 + 3 + 1 + 32);
        assert_eq!(features.bounds().unwrap().column(0), (0.0, 1.0));
        assert!(features.bounds().unwrap().is_public());
        let columns = ["age", "region=north", "region=south", "region:other", "rating"];
        let value = |node: usize, name: &str| {
            let at = features.names().unwrap().iter().position(|other| other == name).unwrap();
            features
                .nonzero_entries(node)
                .find(|&(column, _)| column as usize == at)
                .map_or(0.0, |entry| entry.1)
        };
        let rows = [0, 1, 2, 3].map(|node| columns.map(|name| value(node, name)));
        assert_eq!(rows[0], [0.5, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(rows[1], [0.5, 0.0, 0.0, 1.0, 0.5]);
        assert_eq!(rows[2], [(16.0 / 82.0) as f32, 1.0, 0.0, 0.0, 0.5]);
        assert_eq!(rows[3], [1.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            (value(2, "notes:6"), value(2, "notes:17"), value(0, "notes:6")),
            (1.0, 1.0, 0.0)
        );
        let labels = data.labels().unwrap();
        assert_eq!([0, 1, 2, 3].map(|node| labels.class(node)), [Some(1), Some(0), Some(0), None]);
        // c-17 paid c-02 in two records of 6 and 5; all other pairs are too light, too early, too late, of
        // another type, to a stranger, or to themselves.
        assert_eq!(data.graph().direction(), Direction::Directed);
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(2, 0)]);
        for fact in Fact::ALL {
            assert_eq!(data.fact_origin(fact), Some(FactOrigin::Stated));
        }
        assert!(data.notices().is_empty(), "notices would count records");
    }

    #[test]
    fn each_rule_about_connections_decides() {
        let edges = |declared: Value| bank(&declared).unwrap().graph().edges().collect::<Vec<_>>();
        let start = |from: &str| json!({"column": "date", "from": from});
        assert_eq!(edges(set("/edges/0/time", start("2025-01-01"))), [(0, 2), (2, 0), (3, 1)]);
        let all = json!({"column": "kind", "keep": ["transfer", "card", "fee"]});
        assert_eq!(edges(set("/edges/0/type", all)), [(2, 0), (3, 1)]);
        let light = json!({"column": "amount", "low": 9});
        assert_eq!(edges(set("/edges/0/weight", light)), [(2, 0), (3, 0)]);
        // Either way round, if it is not directed.
        assert_eq!(edges(set("/edges/0/directed", json!(false))), [(0, 2)]);
        assert_eq!(edges(set("/edges", json!([]))), []);
        let plain = json!({"file": "payments.csv", "source": "from", "target": "to", "strangers": "leave-out"});
        let everything = edges(set("/edges", json!([plain])));
        assert_eq!(everything, [(0, 2), (0, 3), (1, 2), (1, 3)]);
        // An undirected table beside a directed one leads both ways.
        let both = json!([plain, declared()["edges"][0]]);
        assert_eq!(edges(set("/edges", both)).len(), 2 * everything.len());
    }

    #[test]
    fn several_labels_a_person() {
        let people = "id,t\n1,a;c\n2,\n3,b; a;b\n";
        let declared = json!({"people": {"file": "p.csv", "id": "id", "label": "t", "separator": ";",
        "classes": ["a", "b", "c"]}});
        let data = read_files(&declared, &[("p.csv", people)]).unwrap();
        let labels = data.labels().unwrap();
        assert!(labels.is_multi() && data.features().is_none());
        assert_eq!([0, 1, 2].map(|item| labels.classes(item)), [&[0, 2][..], &[], &[0, 1]]);
        for cell in ["a;d", ";", "a;?"] {
            let people = format!("id,t\n1,{cell}\n");
            let error = read_files(&declared, &[("p.csv", &people)]).unwrap_err();
            assert!(error.to_string().contains("line 2, field t: found an invalid value (hidden)"));
        }
    }

    /// Of several labels one matters; who has no label is neither with it nor without.
    #[test]
    fn whether_a_person_has_the_label_that_matters() {
        let people = "id,t\n1,a;c\n2,?\n3,b; a;b\n4,\n5,c\n";
        let mut declared = json!({"people": {"file": "p.csv", "id": "id", "label": "t", "separator": ";",
        "classes": ["a", "b", "c"], "whether": "c", "no_label": ["?"]}});
        let data = read_files(&declared, &[("p.csv", people)]).unwrap();
        let labels = data.labels().unwrap();
        assert_eq!(
            (labels.is_multi(), labels.class_names()),
            (false, &["not c".into(), "c".into()][..])
        );
        let classes = [0, 1, 2, 3, 4].map(|item| labels.class(item));
        assert_eq!(classes, [Some(1), None, Some(0), Some(0), Some(1)]);
        // One label each will do, too.
        declared["people"].as_object_mut().unwrap().remove("separator");
        let data = read_files(&declared, &[("p.csv", "id,t\n1,a\n2,c\n")]).unwrap();
        assert_eq!([0, 1].map(|item| data.labels().unwrap().class(item)), [Some(0), Some(1)]);
        declared["people"]["whether"] = json!("d");
        let error = read_files(&declared, &[("p.csv", people)]).unwrap_err().to_string();
        assert!(error.contains("people.whether"), "{error}");
    }

    #[test]
    fn errors_say_where_and_keep_the_cell_to_themselves() {
        let person = |from: &str, to: &str| CUSTOMERS.replacen(from, to, 1);
        let payment = |from: &str, to: &str| PAYMENTS.replacen(from, to, 1);
        let (customers, payments) = (CUSTOMERS.to_owned(), PAYMENTS.to_owned());
        let strict = set("/edges/0/strangers", json!("refuse"));
        for (declared, customers, payments, error_text, secret) in [
            (
                declared(),
                person("34", "old"),
                payments.clone(),
                "customers.csv, line 2, field age: ",
                "old",
            ),
            (
                declared(),
                person("mid", ""),
                payments.clone(),
                "line 2, field rating: found a missing",
                "",
            ),
            (declared(), person("retail", "r-x"), payments.clone(), "field segment: ", "r-x"),
            (
                declared(),
                person("c-02", "c-17"),
                payments.clone(),
                "line 3, field customer_id: found a duplicate id, first seen on line 2 (hidden)",
                "c-17",
            ),
            (
                declared(),
                customers.clone(),
                payment("2026-03-09T10:00:00Z", "March"),
                "payments.csv, line 3, field date: ",
                "March",
            ),
            (
                declared(),
                customers.clone(),
                payment(";6;", ";much;"),
                "line 2, field amount: ",
                "much",
            ),
            (
                strict,
                customers.clone(),
                payments.clone(),
                "line 8, field to: found an invalid value (hidden); expected an id of the table of people",
                "c-99",
            ),
            (
                set("/people/label", json!("class")),
                customers.clone(),
                payments.clone(),
                "no column 'class'",
                "rating",
            ),
            (
                set("/edges/0/source", json!("payer")),
                customers,
                payments,
                "payments.csv, line 1: found no column 'payer'",
                "amount",
            ),
        ] {
            let files = [("customers.csv", &*customers), ("payments.csv", &*payments)];
            let error = read_files(&declared, &files).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(error_text), "{message}");
            assert!(secret.is_empty() || !message.contains(secret), "{message}");
            assert!(error.with_values().contains(secret), "{}", error.with_values());
        }
    }

    #[test]
    fn a_declaration_that_makes_no_sense_reads_nothing() {
        let error = bank(&set("/people/columns/age/low", json!(200))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "people.columns.age.low is 200; expected less than high, which is 100"
        );
    }

    #[test]
    fn more_people_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("p.csv"), "id\n1\n2\n3\n").unwrap();
        let schema: Schema =
            serde_json::from_value(json!({"people": {"file": "p.csv", "id": "id"}})).unwrap();
        let limits = Limits { nodes: 2, ..Limits::default() };
        assert!(
            schema.read(folder.path(), &limits).unwrap_err().to_string().contains("--max-nodes")
        );
        assert_eq!(schema.read(folder.path(), &Limits::default()).unwrap().ids().len(), 3);
    }

    /// The same people in another file are the same people.
    #[cfg(feature = "tables")]
    #[test]
    fn parquet_and_arrow_hold_what_csv_holds() {
        use std::sync::Arc;

        use arrow_array::{ArrayRef, RecordBatch, StringArray};

        let mut records = csv::Reader::from_reader(CUSTOMERS.as_bytes());
        let names: Vec<String> = records.headers().unwrap().iter().map(str::to_owned).collect();
        let records: Vec<csv::StringRecord> =
            records.records().map(|record| record.unwrap()).collect();
        let column = |at: usize| {
            let cells =
                records.iter().map(|record| Some(&record[at]).filter(|cell| !cell.is_empty()));
            Arc::new(cells.collect::<StringArray>()) as ArrayRef
        };
        let columns = names.iter().enumerate().map(|(at, name)| (name, column(at)));
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut parquet = Vec::new();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut arrow =
            arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        arrow.write(&batch).unwrap();
        for (name, bytes) in
            [("customers.parquet", parquet), ("customers.feather", arrow.into_inner().unwrap())]
        {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(name), bytes).unwrap();
            std::fs::write(folder.path().join("payments.csv"), PAYMENTS).unwrap();
            let schema: Schema = serde_json::from_value(set("/people/file", json!(name))).unwrap();
            let data = schema.read(folder.path(), &Limits::default()).unwrap();
            assert_eq!(data, bank(&declared()).unwrap(), "{name}");
        }
    }

    #[test]
    fn two_tables_of_one_sqlite_file() {
        use std::io::Read as _;

        let folder = tempfile::tempdir().unwrap();
        let packed = &include_bytes!("sqlite/tests/bank.sqlite.gz")[..];
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
        std::fs::write(folder.path().join("bank.db"), bytes).unwrap();
        let schema: Schema = serde_json::from_value(json!({
            "people": {"file": "bank.db", "table": "customers", "id": "name", "columns": {
                "age": {"kind": "number", "low": 0, "high": 100, "missing": "middle"}}},
            "edges": [{"file": "bank.db", "table": "payments", "source": "from", "target": "to",
                "time": {"column": "at", "from": 0, "until": 8_000_000_000_i64},
                "type": {"column": "amount", "keep": ["10", "2.5"]}}],
        }))
        .unwrap();
        let data = schema.read(folder.path(), &Limits::default()).unwrap();
        assert_eq!(data.graph().node_count(), 267);
        let named = |node| data.ids().get(node).to_string();
        let edges: Vec<_> = data.graph().edges().map(|(u, v)| (named(u), named(v))).collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(edges, [pair("c-1", "c-2"), pair("c-2", "c-4")]);
    }

    proptest! {
        /// The order of a file's rows must not show.
        #[test]
        fn the_order_of_rows_does_not_matter(
            people in Just(CUSTOMERS.lines().skip(1).collect::<Vec<_>>()).prop_shuffle(),
            payments in Just(PAYMENTS.lines().skip(1).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let table = |all: &str, rows: &[&str]| {
                [&[all.lines().next().unwrap()], rows].concat().join("\n")
            };
            let (people, payments) = (table(CUSTOMERS, &people), table(PAYMENTS, &payments));
            let shuffled = read_files(&declared(), &[("customers.csv", &people), ("payments.csv", &payments)]);
            prop_assert_eq!(shuffled.unwrap(), bank(&declared()).unwrap());
        }

        /// Sums of weights do not depend on the order in which they come, not even in the last bit.
        #[test]
        fn weights_add_up_in_any_order(weights in Just(vec![0.1, 0.2, 0.3]).prop_shuffle()) {
            let text: String = weights.iter().map(|weight| format!("1,2,{weight}\n")).collect();
            let declared = json!({
                "people": {"file": "p.csv", "id": "id"},
                "edges": [{"file": "e.csv", "source": "a", "target": "b",
                    // 0.3 + 0.2 + 0.1 is less.
                    "weight": {"column": "w", "low": 0.1 + 0.2 + 0.3}}],
            });
            let files = [("p.csv", "id\n1\n2\n"), ("e.csv", &*format!("a,b,w\n{text}"))];
            prop_assert_eq!(read_files(&declared, &files).unwrap().graph().edge_count(), 1);
        }
    }
}
