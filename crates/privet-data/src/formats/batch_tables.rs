//! Edges, nodes and features from tables of record batches: what Parquet and Arrow share.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use bytes::Bytes;
use privet_graph::SliceOwner;

use super::assemble::Assembly;
use super::bundle::{is_compressed, read_up_to};
use super::label_cells::{CellUnit, LabelCells};
use super::manifest::{LabelKind, Manifest, Storage};
use super::mapped::Mapped;
use super::record_batch::{IdColumn, classes, is_list, is_numeric, lists, numbers};
use super::table_files::{TableFiles, edge_columns, id_column, label_column, long_columns, unused};
use super::{Bundle, ColumnNames, Limits, ReadOptions, choose};
use crate::formats::feature_rows::{FeatureRows, LongRows, WideRows};
use crate::{FoundValue, LimitExceeded, LoadedData, NodeId, Result, SourceLocation};

/// Batches of some columns, in the order of the file's columns.
pub(crate) type RecordBatches = Box<dyn Iterator<Item = Result<RecordBatch>>>;

/// A file that holds a table.
pub(crate) trait TableFile {
    fn schema(&self) -> SchemaRef;
    /// The rows, cut down to some columns (ascending).
    fn batches(self: Box<Self>, columns: &[usize]) -> Result<RecordBatches>;
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
    // What the decoder leaves behind is dropped with its table: no half-changed state is read afterwards.
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
        // A file that was named with others beside it in its folder.
        _ => choose::single_file(bundle),
    }
}

pub(crate) fn read(
    bundle: &Bundle,
    options: &ReadOptions,
    format: &TableFormat,
) -> Result<LoadedData> {
    let mut assembly = Assembly::new(options);
    let open = |member: &str| CountedTable::open(bundle, member, format);
    if let Some(edges) = lone_table(bundle) {
        read_edges(open(edges)?, &options.columns, &mut assembly)?;
        return Ok(LoadedData::Nodes(assembly.finish(bundle.place(), None, options)?));
    }
    let pieces = pieces(bundle, format);
    if !pieces.is_empty() && !TableFiles::recognises(bundle, format.endings) {
        // In the order of their names, which is how Spark numbers them.
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
struct CountedTable {
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
            // Column chunks are read where they lie: a table larger than memory stays on disk.
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
struct ColumnPlace {
    table: SourceLocation,
    name: String,
}

impl ColumnPlace {
    fn place(&self) -> SourceLocation {
        self.table.field(&*self.name)
    }

    fn row(&self, batch: &ColumnBatch, row: usize) -> SourceLocation {
        self.table.field(format!("{} of row {}", self.name, batch.first_row + row as u64))
    }
}

/// A batch of the columns asked for, in the order asked for.
struct ColumnBatch {
    columns: Vec<ArrayRef>,
    rows: usize,
    /// What the first row is called; the first of the file is 1.
    first_row: u64,
}

impl CountedTable {
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

    fn column(&self, column: usize) -> ColumnPlace {
        ColumnPlace { table: self.place.clone(), name: self.names[column].clone() }
    }

    /// Calls `each` with every batch of the columns.
    fn for_each(
        self,
        columns: &[usize],
        mut each: impl FnMut(ColumnBatch) -> Result<()>,
    ) -> Result<()> {
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        // The decoder gives columns in the file's order and each once; the caller's order is restored below.
        sorted.dedup();
        let (place, file) = (&self.place, self.file);
        let mut batches = contained(place, || file.batches(&sorted))?;
        let (mut row, mut values) = (1, 0);
        while let Some(batch) = contained(place, || batches.next().transpose())? {
            values += batch.columns().iter().map(value_count).sum::<u64>();
            // After every batch, so that a bomb ends with the batch that goes too far.
            self.limits.check_values(values, self.stored, place)?;
            let at = |column: &usize| sorted.binary_search(column).ok();
            let columns = columns.iter().filter_map(at).map(|at| batch.column(at).clone());
            let rows = batch.num_rows();
            each(ColumnBatch { columns: columns.collect(), rows, first_row: row })?;
            row += rows as u64;
        }
        Ok(())
    }
}

/// How many values a column holds, those inside lists included.
fn value_count(column: &ArrayRef) -> u64 {
    use arrow_array::Array;
    // A list column of one row may hold any number of values.
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
        // Four bytes a value, the least that one takes in memory.
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

fn read_edges(table: CountedTable, chosen: &ColumnNames, assembly: &mut Assembly) -> Result<()> {
    let names = table.names();
    if names.len() < 2 {
        let found = FoundValue::words(format!("{} columns", names.len()));
        return Err(table.place.malformed(found, "two, source and target"));
    }
    // Without known names, the first two.
    let columns = edge_columns(&names).unwrap_or([0, 1]);
    let columns = chosen.edges(&names, columns, &table.place)?;
    if let Some(text) = unused(&names, &columns) {
        assembly.note(&table.place, text);
    }
    let (places, limits) = (columns.map(|column| table.column(column)), table.limits);
    table.for_each(&columns, |batch| {
        let [sources, targets] = [0, 1].map(|end| {
            IdColumn::new(&batch.columns[end], batch.first_row, &places[end].place(), &limits)
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
    ids: &IdColumn<'_>,
    row: usize,
    batch: &ColumnBatch,
    column: &ColumnPlace,
    assembly: &mut Assembly,
) -> Result<NodeId> {
    ids.with(row, |id| assembly.node(id, || column.row(batch, row)))
}

fn read_nodes(
    table: CountedTable,
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
    // The manifest is ours: a column that looks like a label is then something else.
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
        label.map(|(_, kind)| LabelCells::new(kind, table.place.clone(), CellUnit::Rows));
    table.for_each(&columns, |batch| {
        let ids = IdColumn::new(&batch.columns[0], batch.first_row, &id_place.place(), &limits)?;
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

fn push_labels(cells: &mut LabelCells, batch: &ColumnBatch, place: &SourceLocation) -> Result<()> {
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

// Features from record batches: a column each, one list a row, or a long table.

fn read_features(
    table: CountedTable,
    manifest: Option<&Manifest>,
    assembly: &mut Assembly,
) -> Result<()> {
    let names = table.names();
    let Some(id) = id_column(&names).or((!names.is_empty()).then_some(0)) else {
        return Err(table.place.malformed("no columns", "id, and features"));
    };
    let declared = manifest.map(|manifest| manifest.features.as_ref());
    let storage = match declared {
        Some(None) => {
            assembly.note(&table.place, "ignored: the manifest declares no features");
            return Ok(());
        }
        Some(Some(features)) => Some(features.storage),
        None => None,
    };
    let long = long_columns(&names).filter(|_| storage != Some(Storage::Dense));
    let others = || (0..names.len()).filter(|&column| column != id);
    let list = others().find(|&column| is_list(&table.kind(column)));
    let numeric: Vec<usize> = others().filter(|&c| is_numeric(&table.kind(c))).collect();
    let used: Vec<usize> = match (long, list) {
        (Some(columns), _) => columns.into_iter().chain([id]).collect(),
        (None, Some(list)) => vec![id, list],
        (None, None) => numeric.iter().copied().chain([id]).collect(),
    };
    if let Some(text) = unused(&names, &used) {
        assembly.note(&table.place, text);
    }
    let columns = declared.flatten().map(|features| features.columns);
    assembly.features = Some(match (long, list) {
        (Some(columns), _) => FeatureRows::Long(read_long(table, id, columns, assembly)?),
        (None, Some(list)) => FeatureRows::Wide(read_lists(table, [id, list], columns, assembly)?),
        (None, None) => FeatureRows::Wide(read_wide(table, id, &numeric, assembly)?),
    });
    Ok(())
}

fn read_long(
    table: CountedTable,
    id: usize,
    [feature, value]: [usize; 2],
    assembly: &mut Assembly,
) -> Result<LongRows> {
    let mut rows = LongRows::new(table.place.clone());
    let columns = [id, feature, value];
    let (places, limits) = (columns.map(|column| table.column(column)), table.limits);
    table.for_each(&columns, |batch| {
        let ids = IdColumn::new(&batch.columns[0], batch.first_row, &places[0].place(), &limits)?;
        let features =
            IdColumn::new(&batch.columns[1], batch.first_row, &places[1].place(), &limits)?;
        let values =
            numbers(&batch.columns[2], &places[2].place(), |row| batch.first_row + row as u64)?;
        for (row, value) in values.into_iter().enumerate() {
            let node = node(&ids, row, &batch, &places[0], assembly)?;
            features.with(row, |feature| rows.push(node, feature, value));
        }
        Ok(())
    })?;
    Ok(rows)
}

fn read_wide(
    table: CountedTable,
    id: usize,
    numeric: &[usize],
    assembly: &mut Assembly,
) -> Result<WideRows> {
    let names = numeric.iter().map(|&column| table.names[column].clone()).collect();
    let mut rows = WideRows::new(table.place.clone(), numeric.len(), Some(names));
    let columns: Vec<usize> = [id].into_iter().chain(numeric.iter().copied()).collect();
    let places: Vec<ColumnPlace> = columns.iter().map(|&column| table.column(column)).collect();
    let limits = table.limits;
    table.for_each(&columns, |batch| {
        let ids = IdColumn::new(&batch.columns[0], batch.first_row, &places[0].place(), &limits)?;
        let values = batch.columns[1..].iter().zip(&places[1..]);
        let values = values.map(|(column, place)| {
            numbers(column, &place.place(), |row| batch.first_row + row as u64)
        });
        let values = values.collect::<Result<Vec<_>>>()?;
        for row in 0..batch.rows {
            rows.push_node(node(&ids, row, &batch, &places[0], assembly)?);
            values.iter().for_each(|column| rows.push_value(column[row]));
        }
        Ok(())
    })?;
    Ok(rows)
}

fn read_lists(
    table: CountedTable,
    columns: [usize; 2],
    declared: Option<usize>,
    assembly: &mut Assembly,
) -> Result<WideRows> {
    let place = table.place.clone();
    let mut rows = declared.map(|columns| WideRows::new(place.clone(), columns, None));
    let (places, limits) = (columns.map(|column| table.column(column)), table.limits);
    table.for_each(&columns, |batch| {
        let ids = IdColumn::new(&batch.columns[0], batch.first_row, &places[0].place(), &limits)?;
        let Some((ranges, values)) = lists(&batch.columns[1]) else { return Ok(()) };
        let row_of = |at| batch.first_row + ranges.partition_point(|range| range.end <= at) as u64;
        let values = numbers(values, &places[1].place(), row_of)?;
        for (row, range) in ranges.into_iter().enumerate() {
            let rows = rows.get_or_insert_with(|| WideRows::new(place.clone(), range.len(), None));
            if range.len() != rows.columns() {
                let found = FoundValue::words(format!("a list of {} values", range.len()));
                let expected = format!("{} in every row", rows.columns());
                return Err(places[1].row(&batch, row).malformed(found, expected));
            }
            rows.push_node(node(&ids, row, &batch, &places[0], assembly)?);
            values[range].iter().for_each(|&value| rows.push_value(value));
        }
        Ok(())
    })?;
    Ok(rows.unwrap_or_else(|| WideRows::new(place, 0, None)))
}
