//! Parquet: one file of edges, or several (`part-*.parquet`, as Spark writes them), or a folder of `edges.parquet`, `nodes.parquet` and
//! `features.parquet` with the same columns as the CSV folder (see [`super::csv_folder`]).
//!
//! Features may be float columns, one list of floats a row (which is what we write), or a long
//! table; labels may be lists. Only the columns that are used are decoded, some thousand rows at a
//! time.

mod write;

pub(crate) use write::{write_edges, write_features, write_nodes};

use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::batch_tables::{self, RecordBatches, TableFile, TableFormat};
use super::{Bundle, Limits, ReadOptions};
use crate::{FoundValue, LoadedData, Result, SourceLocation};

const BATCH_ROWS: usize = 8192;

const FORMAT: TableFormat =
    TableFormat { endings: &["parquet", "pq"], is_this: |head| head.starts_with(b"PAR1"), open };

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    batch_tables::recognises(bundle, &FORMAT)
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    batch_tables::read(bundle, options, &FORMAT)
}

struct ParquetFile {
    place: SourceLocation,
    builder: ParquetRecordBatchReaderBuilder<Bytes>,
}

fn open(bytes: Bytes, place: &SourceLocation, _limits: &Limits) -> Result<Box<dyn TableFile>> {
    // Types as Parquet itself declares them: the Arrow schema that some writers embed adds nothing
    // we need, and is one more thing that may contradict the data.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new_with_options(bytes, options).map_err(|error| {
            place.malformed(
                FoundValue::words(format!("damaged Parquet ({error})")),
                "a complete file",
            )
        })?;
    Ok(Box::new(ParquetFile { place: place.clone(), builder }))
}

impl TableFile for ParquetFile {
    fn schema(&self) -> SchemaRef {
        self.builder.schema().clone()
    }

    fn batches(self: Box<Self>, columns: &[usize]) -> Result<RecordBatches> {
        let Self { place, builder } = *self;
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let damaged = move |error: &dyn std::fmt::Display| {
            place.malformed(
                FoundValue::words(format!("damaged Parquet ({error})")),
                "a complete file",
            )
        };
        let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
        let reader = reader.map_err(|error| damaged(&error))?;
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| damaged(&error)))))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int64Builder, ListBuilder};
    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array,
        LargeStringArray, RecordBatch, StringArray, StringViewArray,
    };
    use parquet::arrow::ArrowWriter;
    use proptest::prelude::*;

    use super::*;
    use crate::formats::manifest::Manifest;
    use crate::{Dataset, DenseMatrix, Direction, Features, GraphBuilder, Id, Labels, NodeIds};

    fn table(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, true)),
        )
        .unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn load(members: Vec<(&str, Vec<u8>)>) -> Result<Dataset> {
        let bundle = Bundle::from_memory("data", members, Limits::default());
        assert!(recognises(&bundle));
        read(&bundle, &ReadOptions::default())?.into_nodes()
    }

    fn edges(sources: ArrayRef, targets: ArrayRef) -> Vec<u8> {
        table(vec![("source", sources), ("target", targets)])
    }

    fn integers(values: Vec<i64>) -> ArrayRef {
        Arc::new(Int64Array::from(values))
    }

    #[test]
    fn one_file_is_a_table_of_edges() {
        let bytes = table(vec![
            ("weight", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0]))),
            ("to", Arc::new(StringArray::from(vec!["b", "7", "-1"]))),
            ("from", Arc::new(StringArray::from(vec!["a", "b", "a"]))),
        ]);
        let dataset = load(vec![("anything.parquet", bytes)]).unwrap();
        let ids: Vec<_> = dataset.ids().iter().map(|id| id.to_string()).collect();
        assert_eq!(ids, ["7", "-1", "a", "b"]);
        assert_eq!(dataset.graph().edge_count(), 3);
        assert_eq!(dataset.notices()[0].text, "ignored columns: weight");
    }

    /// What Spark writes: a table in pieces, and files that say when it was done.
    #[test]
    fn pieces_are_one_table_in_memory_and_on_disk() {
        let piece = |from: i64| edges(integers(vec![from, from + 1]), integers(vec![from + 1, 9]));
        let members = vec![
            ("_SUCCESS", Vec::new()),
            ("part-00000-c1.snappy.parquet", piece(0)),
            ("part-00001-c1.snappy.parquet", piece(4)),
        ];
        let dataset = load(members.clone()).unwrap();
        assert_eq!((dataset.graph().node_count(), dataset.graph().edge_count()), (5, 4));
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in members {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let found = crate::read(folder.path()).unwrap().into_nodes().unwrap();
        assert_eq!(found.graph(), dataset.graph());
    }

    #[test]
    fn ids_of_every_type_meet() {
        let dictionary: DictionaryArray<Int32Type> = ["5", "x", "5"].into_iter().collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(dictionary),
            Arc::new(LargeStringArray::from(vec!["5", "x", "5"])),
            Arc::new(StringViewArray::from(vec!["5", "x", "5"])),
        ];
        for column in columns {
            let targets = Arc::new(Int32Array::from(vec![6, 5, -7]));
            let dataset = load(vec![("e.parquet", edges(column, targets))]).unwrap();
            let ids: Vec<_> = dataset.ids().iter().map(|id| id.to_string()).collect();
            assert_eq!(ids, ["5", "6", "-7", "x"]);
            assert_eq!(dataset.graph().edge_count(), 3);
        }
    }

    #[test]
    fn a_folder_by_other_hands() {
        let mut lists = ListBuilder::new(Int64Builder::new());
        lists.append_value([Some(3), Some(1)]);
        lists.append(false);
        lists.append_value([]);
        let dataset = load(vec![
            ("edges.parquet", edges(integers(vec![1]), integers(vec![2]))),
            (
                "nodes.parquet",
                table(vec![("id", integers(vec![9, 2, 1])), ("labels", Arc::new(lists.finish()))]),
            ),
            (
                "features.parquet",
                table(vec![
                    ("id", integers(vec![1, 2, 9])),
                    ("height", Arc::new(Float64Array::from(vec![0.1, 0.2, 0.3]))),
                    ("name", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
                    ("tall", Arc::new(BooleanArray::from(vec![false, true, false]))),
                ]),
            ),
        ])
        .unwrap();
        assert_eq!(dataset.ids().get(0), Id::Integer(9));
        let labels = dataset.labels().unwrap();
        assert_eq!(labels.class_names(), ["1", "3"]);
        assert_eq!([0, 1, 2].map(|node| labels.classes(node).len()), [2, 0, 0]);
        let features = dataset.features().unwrap();
        assert_eq!(features.names().unwrap(), ["height", "tall"]);
        assert_eq!(features.nonzero_entries(1).collect::<Vec<_>>(), [(0, 0.2), (1, 1.0)]);
        assert_eq!(dataset.notices()[0].text, "ignored columns: name");
    }

    #[test]
    fn mistakes_are_named_with_their_row() {
        let good = || edges(integers(vec![1]), integers(vec![2]));
        let nulls: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None]));
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0, f64::NAN]));
        let mut lists = ListBuilder::new(Int64Builder::new());
        lists.append_value([Some(1), Some(2)]);
        lists.append_value([Some(3), None]);
        let lists: ArrayRef = Arc::new(lists.finish());
        for (members, expected) in [
            (
                vec![
                    ("edges.parquet", good()),
                    ("features.parquet", table(vec![("id", integers(vec![1, 2])), ("x", lists)])),
                ],
                "member features.parquet, field x: found a null in row 2",
            ),
            (
                vec![("e.parquet", edges(integers(vec![1, 2]), nulls))],
                "field target: found a null in row 2; expected a value in every row",
            ),
            (
                vec![("e.parquet", edges(floats.clone(), integers(vec![1, 2])))],
                "field source: found values of type Float64; expected integers or text",
            ),
            (vec![("e.parquet", table(vec![("a", integers(vec![1]))]))], "found 1 columns"),
            (
                vec![
                    ("edges.parquet", good()),
                    ("nodes.parquet", table(vec![("id", integers(vec![1]))])),
                ],
                "member edges.parquet, field target of row 1: found '2'",
            ),
            (
                vec![
                    ("edges.parquet", good()),
                    ("features.parquet", table(vec![("id", integers(vec![1, 2])), ("x", floats)])),
                ],
                "member features.parquet, field x: found NaN in row 2; expected a finite number",
            ),
        ] {
            let message = load(members).unwrap_err().with_values();
            assert!(message.contains(expected), "{message} | {expected}");
        }
    }

    /// The three tables of a small dataset, as we write them.
    fn ours() -> Vec<(&'static str, Vec<u8>)> {
        let (graph, _) =
            GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2)]).build().unwrap();
        let labels = Labels::from_names(&["a", "", "b"]).unwrap();
        let values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let features = Features::dense(DenseMatrix::new(3, 2, values).unwrap());
        let dataset = Dataset::new("d", graph, NodeIds::texts(["x", "y", "z"]).unwrap()).unwrap();
        let dataset = dataset.with_labels(labels).unwrap().with_features(features).unwrap();
        let manifest = Manifest::of(&dataset);
        let mut tables = vec![Vec::new(); 3];
        write_edges(&dataset, &mut tables[0]).unwrap();
        write_nodes(&dataset, manifest.labels.as_ref(), &mut tables[1]).unwrap();
        write_features(&dataset, dataset.features().unwrap(), &mut tables[2]).unwrap();
        ["edges.parquet", "nodes.parquet", "features.parquet"].into_iter().zip(tables).collect()
    }

    #[test]
    fn truncated_files_are_errors() {
        let tables = ours();
        assert!(load(tables.clone()).is_ok());
        let whole = &tables[0].1;
        for length in (4..whole.len()).step_by(7) {
            let cut = vec![("edges.parquet", whole[..length].to_vec())];
            assert!(load(cut).is_err(), "cut at {length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn damaged_files_do_not_panic(
            table in 0usize..3,
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut tables = ours();
            let bytes = &mut tables[table].1;
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let bundle = Bundle::from_memory("data", tables, Limits::default());
            let _ = read(&bundle, &ReadOptions::default());
        }
    }
}
