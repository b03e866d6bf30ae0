//! [`Columnar`]: Parquet and Arrow IPC, a batch of rows at a time.
//!
//! Only the wanted columns are decoded. Parquet is read from its end, so it must be a file; Arrow IPC may come
//! through a pipe.

use std::fs::File;
use std::io;
use std::io::{BufReader, Read, Seek, SeekFrom};

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::reader::{ChunkReader, Length};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use typed::TypedColumn;

use super::cell::TableCell;
use super::rows::{RowSource, RowUnit, WantedColumn, find_columns};
use crate::formats::Limits;
use crate::formats::batch_tables::contained;
use crate::{FoundValue, Result, SourceLocation};

mod messages;
mod typed;

type SendBatches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// A table of batches being read.
pub(super) struct Columnar {
    place: SourceLocation,
    limits: Limits,
    /// Bytes of the file, if it is one that may say the same a million times in a few of them.
    stored: Option<u64>,
    batches: SendBatches,
    /// The wanted columns: their names, and where they stand in a batch.
    columns: Vec<(String, Option<usize>)>,
    /// The columns of this batch, as wanted.
    cells: Vec<Option<TypedColumn>>,
    rows: usize,
    /// The row in this batch, and how many there were before it.
    row: usize,
    before: u64,
    values: u64,
}

/// The columns wanted of a table, and the positions of those that are to be decoded, ascending.
struct ColumnChoice {
    columns: Vec<(String, Option<usize>)>,
    decoded: Vec<usize>,
}

impl ColumnChoice {
    fn new(
        schema: &SchemaRef,
        wanted: &[WantedColumn<'_>],
        place: &SourceLocation,
    ) -> Result<Self> {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let found = find_columns(&names, wanted, place)?;
        let mut decoded: Vec<usize> = found.iter().flatten().copied().collect();
        decoded.sort_unstable();
        decoded.dedup();
        // The decoder hands out the decoded columns alone, in the file's order.
        let in_batch = |at: usize| decoded.partition_point(|&other| other < at);
        let called: Vec<&str> = match wanted {
            [] => names,
            _ => wanted.iter().map(|wanted| wanted.name).collect(),
        };
        let named = called.into_iter().zip(found);
        let columns = named.map(|(name, at)| (name.to_owned(), at.map(in_batch)));
        Ok(Self { columns: columns.collect(), decoded })
    }
}

impl Columnar {
    /// A Parquet file.
    pub fn parquet(
        file: File,
        place: SourceLocation,
        wanted: &[WantedColumn<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        let (stored, columns, batches) = contained(&place, || open(file, &place, wanted))?;
        Ok(Self::new(place.clone(), limits, Some(stored), columns, batches))
    }

    /// An Arrow IPC file or stream.
    pub fn arrow(
        reader: Box<dyn Read + Send>,
        place: SourceLocation,
        wanted: &[WantedColumn<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        let (columns, batches) =
            contained(&place, || messages::open(reader, &place, wanted, limits))?;
        Ok(Self::new(place.clone(), limits, None, columns, batches))
    }

    fn new(
        place: SourceLocation,
        limits: &Limits,
        stored: Option<u64>,
        columns: Vec<(String, Option<usize>)>,
        batches: SendBatches,
    ) -> Self {
        let (cells, limits) = (Vec::new(), *limits);
        let (rows, row, before, values) = (0, 0, 0, 0);
        Self { place, limits, stored, batches, columns, cells, rows, row, before, values }
    }

    /// Goes on to the first row of the next batch that has one.
    #[cold]
    fn next_batch(&mut self) -> Result<bool> {
        let (place, batches) = (&self.place, &mut self.batches);
        self.before += self.rows as u64;
        loop {
            let Some(batch) = contained(place, || batches.next().transpose())? else {
                (self.rows, self.row) = (0, 0);
                return Ok(false);
            };
            // A stream is bounded by its reader instead.
            if let Some(stored) = self.stored {
                self.values += (batch.num_rows() * batch.num_columns().max(1)) as u64;
                self.limits.check_values(self.values, stored, place)?;
            }
            if batch.num_rows() == 0 {
                continue;
            }
            let typed = |(name, at): &(String, Option<usize>)| match at {
                None => Ok(None),
                Some(at) => {
                    let place = place.field(&**name);
                    TypedColumn::new(batch.column(*at), &place, &self.limits).map(Some)
                }
            };
            self.cells = self.columns.iter().map(typed).collect::<Result<_>>()?;
            (self.rows, self.row) = (batch.num_rows(), 0);
            return Ok(true);
        }
    }
}

impl RowSource for Columnar {
    fn advance(&mut self) -> Result<bool> {
        if self.row + 1 < self.rows {
            self.row += 1;
            return Ok(true);
        }
        self.next_batch()
    }

    fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    fn has(&self, wanted: usize) -> bool {
        self.columns[wanted].1.is_some()
    }

    #[inline]
    fn cell(&self, wanted: usize) -> TableCell<'_> {
        self.cells[wanted].as_ref().map_or(TableCell::Nothing, |column| column.cell(self.row))
    }

    fn number(&self) -> u64 {
        self.before + self.row as u64 + 1
    }

    fn counted(&self) -> RowUnit {
        RowUnit::Rows
    }

    fn file(&self) -> &SourceLocation {
        &self.place
    }
}

const BATCH_ROWS: usize = 4096;

type OpenedParquet = (u64, Vec<(String, Option<usize>)>, SendBatches);

/// The size of the file, the wanted columns, and batches of them.
pub(super) fn open(
    file: File,
    place: &SourceLocation,
    wanted: &[WantedColumn<'_>],
) -> Result<OpenedParquet> {
    let length = file.metadata().map_err(|error| place.io(error))?.len();
    let damaged = {
        let place = place.clone();
        move |error: &dyn std::fmt::Display| {
            place.malformed(
                FoundValue::words(format!("damaged Parquet ({error})")),
                "a complete file",
            )
        }
    };
    // Types as Parquet itself declares them, as elsewhere here.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new_with_options(WholeFile { file, length }, options)
            .map_err(|error| damaged(&error))?;
    let ColumnChoice { columns, decoded } = ColumnChoice::new(builder.schema(), wanted, place)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), decoded);
    let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
    let reader = reader.map_err(|error| damaged(&error))?;
    let batches = Box::new(reader.map(move |batch| batch.map_err(|error| damaged(&error))));
    Ok((length, columns, batches))
}

/// A file of which no more is asked than it holds: the decoder makes room for as many bytes as its footer declares.
struct WholeFile {
    file: File,
    length: u64,
}

impl WholeFile {
    fn at(&self, start: u64) -> io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for WholeFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for WholeFile {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.at(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let ends_early = || ParquetError::EOF("a range behind the end of the file".into());
        // The range comes from the footer of the file.
        let end = start.checked_add(length as u64).filter(|&end| end <= self.length);
        end.ok_or_else(ends_early)?;
        // At most the length of the file, by the check above.
        let mut bytes = Vec::with_capacity(length);
        self.at(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() != length {
            return Err(ends_early());
        }
        Ok(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Cursor;
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
        Int64Array, StringArray, StringViewArray, TimestampMicrosecondArray,
    };
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use proptest::prelude::*;

    use super::*;
    use crate::declared::Instant;

    /// 1 January 2026, in days and in microseconds.
    const DAYS: i32 = 20_454;
    const MICROSECONDS: i64 = 20_454 * 86_400_000_000 + 500_000;

    fn batch() -> RecordBatch {
        let regions: DictionaryArray<Int32Type> =
            [Some("north"), None, Some("north")].into_iter().collect();
        let amounts = Decimal128Array::from(vec![Some(1250), None, Some(-5)]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(StringArray::from(vec![" c-1", "c-2", "c-3"]))),
            ("unused", Arc::new(Int64Array::from(vec![1, 2, 3]))),
            ("age", Arc::new(Float64Array::from(vec![Some(34.0), None, Some(f64::NAN)]))),
            ("region", Arc::new(regions)),
            ("amount", Arc::new(amounts.with_precision_and_scale(10, 2).unwrap())),
            ("day", Arc::new(Date32Array::from(vec![DAYS; 3]))),
            ("at", Arc::new(TimestampMicrosecondArray::from(vec![MICROSECONDS; 3]))),
            ("member", Arc::new(BooleanArray::from(vec![true, false, true]))),
            ("count", Arc::new(Int64Array::from(vec![7, -1, i64::MAX]))),
            (
                "note",
                Arc::new(StringViewArray::from(vec!["x", "a rather long note, in a view", ""])),
            ),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    const WANTED: [&str; 9] =
        ["note", "id", "age", "region", "amount", "day", "at", "member", "count"];

    fn arrow_file(compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let batch = batch();
        let mut writer =
            FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch.slice(0, 0)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn arrow_stream() -> Vec<u8> {
        let batch = batch();
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn parquet_file() -> Vec<u8> {
        let batch = batch();
        let mut bytes = Vec::new();
        let mut writer =
            ::parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.flush().unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn wanted() -> Vec<WantedColumn<'static>> {
        WANTED.iter().map(|name| WantedColumn::required(name)).collect()
    }

    fn open_arrow(bytes: Vec<u8>) -> Result<Columnar> {
        let place = SourceLocation::file("t.arrow");
        Columnar::arrow(Box::new(Cursor::new(bytes)), place, &wanted(), &Limits::default())
    }

    fn open_parquet(bytes: &[u8]) -> Result<Columnar> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        std::fs::write(&path, bytes).unwrap();
        let place = SourceLocation::file("t.parquet");
        Columnar::parquet(File::open(path).unwrap(), place, &wanted(), &Limits::default())
    }

    fn count(opened: Result<Columnar>) -> Result<u64> {
        let mut table = opened?;
        let mut rows = 0;
        while table.advance()? {
            rows += 1;
            (0..WANTED.len()).for_each(|at| drop(table.cell(at).as_text()));
        }
        Ok(rows)
    }

    #[test]
    fn every_type_is_the_cell_it_writes() {
        let compressed = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
        let arrows = compressed.map(arrow_file).into_iter().chain([arrow_stream()]);
        let tables = arrows.map(|bytes| open_arrow(bytes).unwrap());
        for mut table in tables.chain([open_parquet(&parquet_file()).unwrap()]) {
            let day = Instant { seconds: i64::from(DAYS) * 86_400, nanoseconds: 0 };
            let at = Instant { nanoseconds: 500_000_000, ..day };
            for round in 0..2 {
                assert!(table.advance().unwrap());
                assert_eq!(table.number(), round * 3 + 1);
                let cells: Vec<TableCell<'_>> =
                    (0..WANTED.len()).map(|at| table.cell(at)).collect();
                assert_eq!(
                    cells,
                    [
                        TableCell::Text("x"),
                        TableCell::Text("c-1"),
                        TableCell::Real(34.0),
                        TableCell::Text("north"),
                        TableCell::Real(12.5),
                        TableCell::Instant(day),
                        TableCell::Instant(at),
                        TableCell::Text("true"),
                        TableCell::Integer(7),
                    ]
                );
                assert!(table.advance().unwrap());
                for empty in [2, 3, 4] {
                    assert_eq!(table.cell(empty), TableCell::Nothing);
                }
                assert!(table.advance().unwrap());
                assert_eq!(table.cell(8), TableCell::Integer(i64::MAX.into()));
                assert!(table.cell(2).is_among(&[]), "not a number is missing");
            }
            assert!(!table.advance().unwrap());
            assert!(!table.advance().unwrap());
            let place = table.place_at(5, "age").to_string();
            assert!(place.ends_with("field age of row 5"), "{place}");
        }
    }

    #[test]
    fn a_file_that_was_cut_is_never_complete() {
        let whole = arrow_file(None);
        for length in 1..whole.len() {
            assert!(
                count(open_arrow(whole[..length].to_vec())).is_err(),
                "{length} of {}",
                whole.len()
            );
        }
        let whole = parquet_file();
        for length in (1..whole.len()).step_by(7) {
            assert!(count(open_parquet(&whole[..length])).is_err(), "{length}");
        }
    }

    #[test]
    fn what_cannot_be_a_cell_is_refused_by_type() {
        let lists: ArrayRef = Arc::new(arrow_array::NullArray::new(1));
        let batch = RecordBatch::try_from_iter([("id", lists)]).unwrap();
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        let bytes = writer.into_inner().unwrap();
        let (place, limits) = (SourceLocation::file("t.arrow"), Limits::default());
        let id = [WantedColumn::required("id")];
        let mut table =
            Columnar::arrow(Box::new(Cursor::new(bytes.clone())), place.clone(), &id, &limits)
                .unwrap();
        let message = table.advance().unwrap_err().to_string();
        assert!(message.contains("field id: found values of type Null"), "{message}");
        let absent = [WantedColumn::required("age")];
        let message =
            Columnar::arrow(Box::new(Cursor::new(bytes)), place, &absent, &limits).err().unwrap();
        assert!(message.to_string().contains("no column 'age'"), "{message}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn damage_is_an_error_or_other_data_but_no_crash(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        ) {
            for mut bytes in [arrow_file(Some(CompressionType::ZSTD)), arrow_stream()] {
                changes.iter().for_each(|(at, byte)| *at.get_mut(&mut bytes[..]) = *byte);
                let _ = count(open_arrow(bytes));
            }
            let mut bytes = parquet_file();
            changes.iter().for_each(|(at, byte)| *at.get_mut(&mut bytes[..]) = *byte);
            let _ = count(open_parquet(&bytes));
        }
    }
}
