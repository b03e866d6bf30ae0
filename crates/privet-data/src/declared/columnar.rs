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

#[cfg(test)]
mod tests;

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
