//! Edges, nodes and features from tables of record batches: what Parquet and Arrow share.

mod features;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use bytes::Bytes;
use privet_graph::SliceOwner;

use features::read_features;

use super::assemble::Assembly;
use super::bundle::{is_compressed, read_up_to};
use super::label_cells::{Counted, LabelCells};
use super::manifest::{LabelKind, Manifest};
use super::mapped::Mapped;
use super::record_batch::{Ids, classes, is_list, lists};
use super::table_files::{TableFiles, edge_columns, id_column, label_column, unused};
use super::{Bundle, ColumnNames, Limits, ReadOptions, choose};
use crate::{FoundValue, LimitExceeded, LoadedData, NodeId, Result, SourceLocation};

/// Batches of some columns, in the order of the file's columns.
pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

/// A file that holds a table.
pub(crate) trait TableFile {
    fn schema(&self) -> SchemaRef;
    /// The rows, cut down to some columns (ascending).
    fn batches(self: Box<Self>, columns: &[usize]) -> Result<Batches>;
}

/// Opens the bytes of a file.
pub(crate) type OpenTable = fn(Bytes, &SourceLocation, &Limits) -> Result<Box<dyn TableFile>>;

/// A file format for tables.
pub(crate) struct TableFormat {
    /// Endings of file names, the usual one first.
    pub endings: &'static [&'static str],
    pub is_this: fn(&[u8]) -> bool,
    pub open: OpenTable,
}

/// The decoders are other people's code, and some damaged files (one in a thousand with a few
/// random bytes changed) still make them panic. Here that is an error like any other.
pub(crate) fn contained<T>(
    place: &SourceLocation,
    decode: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let gave_up = || place.malformed("bytes that make no sense", "an undamaged file");
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| Err(gave_up()))
}

pub(crate) fn recognises(bundle: &Bundle, format: &TableFormat) -> bool {
    let is_this = |member: &str| bundle.head(member).is_ok_and(|head| (format.is_this)(&head));
    lone_table(bundle).is_some_and(is_this)
        || TableFiles::recognises(bundle, format.endings)
        || pieces(bundle, format).first().is_some_and(|first| is_this(first))
}

/// A table of edges in pieces, `part-00000-...` and so on, as Spark and its like write a folder.
fn pieces<'a>(bundle: &'a Bundle, format: &TableFormat) -> Vec<&'a str> {
    let is_piece = |member: &str| {
        let ending = member.rsplit_once('.').map_or("", |(_, ending)| ending);
        choose::base_name(member).starts_with("part-") && format.endings.contains(&ending)
    };
    bundle.members().iter().map(String::as_str).filter(|member| is_piece(member)).collect()
}

/// The one file there is, or that the path names: a table of edges.
fn lone_table(bundle: &Bundle) -> Option<&str> {
    match bundle.members() {
        [only] => Some(only),
        _ => choose::single_file(bundle),
    }
}

pub(crate) fn read(
    bundle: &Bundle,
    options: &ReadOptions,
    format: &TableFormat,
) -> Result<LoadedData> {
    let mut assembly = Assembly::new(options);
    let open = |member: &str| Table::open(bundle, member, format);
    if let Some(edges) = lone_table(bundle) {
        read_edges(open(edges)?, &options.columns, &mut assembly)?;
        return Ok(LoadedData::Nodes(assembly.finish(bundle.place(), None, options)?));
    }
    let pieces = pieces(bundle, format);
    if !pieces.is_empty() && !TableFiles::recognises(bundle, format.endings) {
        for piece in pieces {
            read_edges(open(piece)?, &options.columns, &mut assembly)?;
        }
        return Ok(LoadedData::Nodes(assembly.finish(bundle.place(), None, options)?));
    }
    let files = TableFiles::find(bundle, options, format.endings)?;
    let (manifest, notice) = files.manifest()?;
    assembly.notices.extend(notice);
    if let Some(nodes) = files.beside("nodes", format.endings) {
        read_nodes(open(nodes)?, manifest.as_ref(), &options.columns, &mut assembly)?;
        assembly.expect_listed_nodes();
    }
    read_edges(open(files.edges)?, &options.columns, &mut assembly)?;
    if let Some(features) = files.beside("features", format.endings) {
        read_features(open(features)?, manifest.as_ref(), &mut assembly)?;
    }
    Ok(LoadedData::Nodes(assembly.finish(bundle.place(), manifest.as_ref(), options)?))
}

/// A table whose rows are counted, and held against the size of its file.
struct Table {
    place: SourceLocation,
    limits: Limits,
    stored: u64,
    names: Vec<String>,
    file: Box<dyn TableFile>,
}

/// The bytes of a member: of a file that is not compressed, where they lie.
fn bytes_of(bundle: &Bundle, member: &str) -> Result<Bytes> {
    let place = bundle.member_place(member);
    if let Some(path) = bundle.plain_file(member) {
        let file = File::open(path).map_err(|error| place.io(error))?;
        let mut magic = [0; 4];
        let plain = read_up_to(&mut &file, &mut magic).map_err(|error| place.io(error))? == 4
            && !is_compressed(&magic);
        if plain {
            let mapped = Mapped::<u8>::new(&file).map_err(|error| place.io(error))?;
            return Ok(Bytes::from_owner(Pages(mapped)));
        }
    }
    Ok(bundle.open(member)?.into_bytes()?.into())
}

/// A mapped file, as bytes.
struct Pages(Arc<Mapped<u8>>);

impl AsRef<[u8]> for Pages {
    fn as_ref(&self) -> &[u8] {
        self.0.words()
    }
}

/// Where a column is, for errors.
struct Column {
    table: SourceLocation,
    name: String,
}

impl Column {
    fn place(&self) -> SourceLocation {
        self.table.field(&*self.name)
    }

    fn row(&self, batch: &Batch, row: usize) -> SourceLocation {
        self.table.field(format!("{} of row {}", self.name, batch.first_row + row as u64))
    }
}

/// A batch of the columns asked for, in the order asked for.
struct Batch {
    columns: Vec<ArrayRef>,
    rows: usize,
    /// What the first row is called; the first of the file is 1.
    first_row: u64,
}

impl Table {
    fn open(bundle: &Bundle, member: &str, format: &TableFormat) -> Result<Self> {
        let (place, limits) = (bundle.member_place(member), bundle.limits());
        let bytes = bytes_of(bundle, member)?;
        let stored = bytes.len() as u64;
        let file = contained(&place, || (format.open)(bytes, &place, limits))?;
        let names = file.schema().fields().iter().map(|field| field.name().clone()).collect();
        Ok(Self { place, limits: *limits, stored, names, file })
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn kind(&self, column: usize) -> arrow_schema::DataType {
        self.file.schema().field(column).data_type().clone()
    }

    fn column(&self, column: usize) -> Column {
        Column { table: self.place.clone(), name: self.names[column].clone() }
    }

    /// Calls `each` with every batch of the columns.
    fn for_each(self, columns: &[usize], mut each: impl FnMut(Batch) -> Result<()>) -> Result<()> {
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let (place, file) = (&self.place, self.file);
        let mut batches = contained(place, || file.batches(&sorted))?;
        let (mut row, mut values) = (1, 0);
        while let Some(batch) = contained(place, || batches.next().transpose())? {
            values += batch.columns().iter().map(value_count).sum::<u64>();
            self.limits.check_values(values, self.stored, place)?;
            let at = |column: &usize| sorted.binary_search(column).ok();
            let columns = columns.iter().filter_map(at).map(|at| batch.column(at).clone());
            let rows = batch.num_rows();
            each(Batch { columns: columns.collect(), rows, first_row: row })?;
            row += rows as u64;
        }
        Ok(())
    }
}

/// How many values a column holds, those inside lists included.
fn value_count(column: &ArrayRef) -> u64 {
    use arrow_array::Array;
    let inside = lists(column).map_or(0, |(ranges, _)| ranges.iter().map(|r| r.len() as u64).sum());
    column.len() as u64 + inside
}

impl Limits {
    /// A table may repeat a value a million times in a few bytes; this is where that ends.
    pub(crate) fn check_values(
        &self,
        values: u64,
        stored: u64,
        place: &SourceLocation,
    ) -> Result<()> {
        let allowed = stored.saturating_mul(self.expansion_ratio).max(Self::RATIO_FROM);
        if values.saturating_mul(4) <= allowed {
            return Ok(());
        }
        let over = LimitExceeded {
            what: format!("expansion of {stored} compressed bytes"),
            limit: format!("{} times", self.expansion_ratio),
            option: "--max-expansion-ratio",
        };
        Err(over.at(place))
    }
}

fn read_edges(table: Table, chosen: &ColumnNames, assembly: &mut Assembly) -> Result<()> {
    let names = table.names();
    if names.len() < 2 {
        let found = FoundValue::words(format!("{} columns", names.len()));
        return Err(table.place.malformed(found, "two, source and target"));
    }
    let columns = edge_columns(&names).unwrap_or([0, 1]);
    let columns = chosen.edges(&names, columns, &table.place)?;
    if let Some(text) = unused(&names, &columns) {
        assembly.note(&table.place, text);
    }
    let (places, limits) = (columns.map(|column| table.column(column)), table.limits);
    table.for_each(&columns, |batch| {
        let [sources, targets] = [0, 1].map(|end| {
            Ids::new(&batch.columns[end], batch.first_row, &places[end].place(), &limits)
        });
        let (sources, targets) = (sources?, targets?);
        for row in 0..batch.rows {
            let source = node(&sources, row, &batch, &places[0], assembly)?;
            let target = node(&targets, row, &batch, &places[1], assembly)?;
            assembly.push_edge(source, target);
        }
        Ok(())
    })
}

fn node(
    ids: &Ids<'_>,
    row: usize,
    batch: &Batch,
    column: &Column,
    assembly: &mut Assembly,
) -> Result<NodeId> {
    ids.with(row, |id| assembly.node(id, || column.row(batch, row)))
}

fn read_nodes(
    table: Table,
    manifest: Option<&Manifest>,
    chosen: &ColumnNames,
    assembly: &mut Assembly,
) -> Result<()> {
    let names = table.names();
    if id_column(&names).is_none() {
        assembly.guess_ids(&table.place);
    }
    let id = id_column(&names).unwrap_or(0);
    let mut label = match chosen.label(&names, &table.place)? {
        Some(column) => Some((column, LabelKind::Single)),
        None => label_column(&names),
    };
    let used: Vec<usize> = label.iter().map(|&(column, _)| column).chain([id]).collect();
    if names.is_empty() {
        return Err(table.place.malformed("no columns", "id, and perhaps label"));
    }
    if let Some(text) = unused(&names, &used) {
        assembly.note(&table.place, text);
    }
    if manifest.is_some_and(|manifest| manifest.labels.is_none()) {
        label = None;
    }
    let label = label.map(|(column, _)| {
        let kind = if is_list(&table.kind(column)) { LabelKind::Multi } else { LabelKind::Single };
        (column, kind)
    });
    let columns: Vec<usize> = [id].into_iter().chain(label.map(|(column, _)| column)).collect();
    let (id_place, limits) = (table.column(id), table.limits);
    let label_place = label.map(|(column, _)| table.column(column));
    let mut cells =
        label.map(|(_, kind)| LabelCells::new(kind, table.place.clone(), Counted::Rows));
    table.for_each(&columns, |batch| {
        let ids = Ids::new(&batch.columns[0], batch.first_row, &id_place.place(), &limits)?;
        for row in 0..ids.len() {
            ids.with(row, |id| assembly.list_node(id, || id_place.row(&batch, row)))?;
        }
        match (&mut cells, &label_place) {
            (Some(cells), Some(place)) => push_labels(cells, &batch, &place.place()),
            _ => Ok(()),
        }
    })?;
    assembly.labels = cells;
    Ok(())
}

fn push_labels(cells: &mut LabelCells, batch: &Batch, place: &SourceLocation) -> Result<()> {
    let column = &batch.columns[1];
    match lists(column) {
        Some((ranges, values)) => {
            let names = classes(values, place)?;
            for (row, range) in ranges.into_iter().enumerate() {
                cells.push(batch.first_row + row as u64, names[range].iter().map(|name| &**name));
            }
        }
        None => {
            for (row, name) in classes(column, place)?.iter().enumerate() {
                cells.push(batch.first_row + row as u64, [&**name]);
            }
        }
    }
    Ok(())
}
