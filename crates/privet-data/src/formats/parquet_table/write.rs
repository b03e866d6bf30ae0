//! The tables of a Parquet folder, a batch at a time.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    ArrayRef, FixedSizeListArray, Float32Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::formats::manifest::LabelManifest;
use crate::{Dataset, DenseMatrix, FeatureMatrix, Features, Id, NodeId, NodeIds, SparseMatrix};

/// Rows of a batch, unless they are wide.
const BATCH_ROWS: usize = 1 << 16;
/// Values of a batch of wide rows.
const BATCH_VALUES: usize = 1 << 20;
/// Encoded bytes after which a row group is written out, so that it does not pile up in memory.
const GROUP_BYTES: usize = 64 << 20;

/// A Parquet file being written.
struct ParquetWriter<W: Write + Send> {
    schema: SchemaRef,
    writer: ArrowWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    fn new(fields: Vec<Field>, out: W) -> io::Result<Self> {
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))?;
        Ok(Self { schema, writer })
    }

    fn push(&mut self, columns: Vec<ArrayRef>) -> io::Result<()> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(io::Error::other)?;
        self.writer.write(&batch)?;
        // A row group is held in memory until it is flushed.
        if self.writer.in_progress_size() > GROUP_BYTES {
            self.writer.flush()?;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.writer.close()?;
        Ok(())
    }
}

/// The type of a column of ids: signed where they fit, which every reader understands.
fn id_type(ids: &NodeIds) -> DataType {
    let fits = |id: Id<'_>| matches!(id, Id::Integer(number) if i64::try_from(number).is_ok());
    match ids.are_integers() {
        true if ids.iter().all(fits) => DataType::Int64,
        true => DataType::UInt64,
        false => DataType::Utf8,
    }
}

/// A column with the ids of some nodes.
fn id_column(ids: &NodeIds, kind: &DataType, nodes: impl Iterator<Item = NodeId>) -> ArrayRef {
    let number = |node| match ids.get(node) {
        Id::Integer(number) => number,
        Id::Text(_) => 0,
    };
    match kind {
        DataType::Int64 => Arc::new(
            nodes
                .map(|node| number(node) as i64)
                .collect::<Vec<_>>()
                .into_iter()
                .collect::<Int64Array>(),
        ),
        DataType::UInt64 => {
            Arc::new(nodes.map(number).collect::<Vec<_>>().into_iter().collect::<UInt64Array>())
        }
        _ => Arc::new(StringArray::from_iter_values(nodes.map(|node| ids.get(node).to_string()))),
    }
}

/// A `source` and a `target` column, and a row per edge.
pub(crate) fn write_edges(dataset: &Dataset, out: impl Write + Send) -> io::Result<()> {
    let kind = id_type(dataset.ids());
    let field = |name| Field::new(name, kind.clone(), false);
    let mut table = ParquetWriter::new(vec![field("source"), field("target")], out)?;
    // A generator: edges are never all in memory as columns.
    let mut edges = dataset.graph().edges().peekable();
    while edges.peek().is_some() {
        let batch: Vec<(NodeId, NodeId)> = edges.by_ref().take(BATCH_ROWS).collect();
        let sources = id_column(dataset.ids(), &kind, batch.iter().map(|&(source, _)| source));
        let targets = id_column(dataset.ids(), &kind, batch.iter().map(|&(_, target)| target));
        table.push(vec![sources, targets])?;
    }
    table.finish()
}

/// An `id` column with `label` or a list of `labels`, and a row per node.
pub(crate) fn write_nodes(
    dataset: &Dataset,
    labels: Option<&LabelManifest>,
    out: impl Write + Send,
) -> io::Result<()> {
    let kind = id_type(dataset.ids());
    let labels = dataset.labels().zip(labels);
    let mut fields = vec![Field::new("id", kind.clone(), false)];
    fields.extend(labels.map(|(labels, _)| match labels.is_multi() {
        true => Field::new_list("labels", Field::new("item", DataType::Utf8, false), false),
        false => Field::new("label", DataType::Utf8, true),
    }));
    let mut table = ParquetWriter::new(fields, out)?;
    let nodes: Vec<NodeId> = dataset.graph().nodes().collect();
    for batch in nodes.chunks(BATCH_ROWS) {
        let mut columns = vec![id_column(dataset.ids(), &kind, batch.iter().copied())];
        columns.extend(labels.map(|(labels, manifest)| -> ArrayRef {
            if labels.is_multi() {
                let item = Field::new("item", DataType::Utf8, false);
                let mut lists = ListBuilder::new(StringBuilder::new()).with_field(item);
                for &node in batch {
                    let names = labels.classes(node).iter().map(|&class| manifest.cell(class));
                    names.for_each(|name| lists.values().append_value(name));
                    lists.append(true);
                }
                return Arc::new(lists.finish());
            }
            let name = |&node| labels.class(node).map(|class| manifest.cell(class));
            Arc::new(batch.iter().map(name).collect::<StringArray>())
        }));
        table.push(columns)?;
    }
    table.finish()
}

/// Dense features as one list a row, sparse ones as a long table.
pub(crate) fn write_features(
    dataset: &Dataset,
    features: &Features,
    out: impl Write + Send,
) -> io::Result<()> {
    match features.matrix() {
        FeatureMatrix::Dense(matrix) => write_dense(dataset.ids(), matrix, out),
        FeatureMatrix::Sparse(matrix) => write_sparse(dataset.ids(), matrix, out),
    }
}

fn write_dense(ids: &NodeIds, matrix: &DenseMatrix, out: impl Write + Send) -> io::Result<()> {
    let kind = id_type(ids);
    let columns = matrix.columns();
    let width = i32::try_from(columns).map_err(io::Error::other)?;
    // Not nullable: a gap would have to mean something.
    let item = Arc::new(Field::new("item", DataType::Float32, false));
    let mut fields = vec![Field::new("id", kind.clone(), false)];
    // Parquet has no lists of length 0 by type; the manifest says that there are no columns.
    if columns > 0 {
        let list = DataType::FixedSizeList(item.clone(), width);
        fields.push(Field::new("features", list, false));
    }
    let mut table = ParquetWriter::new(fields, out)?;
    let nodes: Vec<NodeId> = (0..ids.len() as NodeId).collect();
    // Wide rows make small batches, so that a batch has a bounded size.
    let rows = (BATCH_VALUES / columns.max(1)).clamp(1, BATCH_ROWS);
    for (batch, first) in nodes.chunks(rows).zip((0..).step_by(rows)) {
        let mut arrays = vec![id_column(ids, &kind, batch.iter().copied())];
        if columns > 0 {
            let values = &matrix.values()[first * columns..(first + batch.len()) * columns];
            let values = Arc::new(Float32Array::from(values.to_vec()));
            let list = FixedSizeListArray::try_new(item.clone(), width, values, None);
            arrays.push(Arc::new(list.map_err(io::Error::other)?));
        }
        table.push(arrays)?;
    }
    table.finish()
}

fn write_sparse(ids: &NodeIds, matrix: &SparseMatrix, out: impl Write + Send) -> io::Result<()> {
    let kind = id_type(ids);
    let fields = vec![
        Field::new("id", kind.clone(), false),
        Field::new("feature", DataType::Int64, false),
        Field::new("value", DataType::Float32, false),
    ];
    let mut table = ParquetWriter::new(fields, out)?;
    let rows = (0..matrix.rows()).flat_map(|row| {
        let (columns, values) = matrix.row(row);
        columns.iter().zip(values).map(move |(&c, &v)| (row as NodeId, i64::from(c), v))
    });
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let batch: Vec<(NodeId, i64, f32)> = rows.by_ref().take(BATCH_ROWS).collect();
        let features: Int64Array = batch.iter().map(|&(_, feature, _)| feature).collect();
        let values: Float32Array = batch.iter().map(|&(_, _, value)| value).collect();
        let nodes = id_column(ids, &kind, batch.iter().map(|&(node, ..)| node));
        table.push(vec![nodes, Arc::new(features), Arc::new(values)])?;
    }
    table.finish()
}
