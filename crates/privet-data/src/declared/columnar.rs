//! [`Columnar`]: Parquet and Arrow IPC, a batch of rows at a time.
//!
//! Only the wanted columns are decoded. Parquet is read from its end, so it must be a file; Arrow IPC may come
//! through a pipe.

mod messages;
mod parquet;
mod typed;

use std::fs::File;
use std::io::Read;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use typed::Typed;

use super::cell::Cell;
use super::rows::{Counted, Rows, Wanted, find_columns};
use crate::formats::Limits;
use crate::formats::batch_tables::contained;
use crate::{Result, SourceLocation};

type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// A table of batches being read.
pub(super) struct Columnar {
    place: SourceLocation,
    limits: Limits,
    /// Bytes of the file, if it is one that may say the same a million times in a few of them.
    stored: Option<u64>,
    batches: Batches,
    /// The wanted columns: their names, and where they stand in a batch.
    columns: Vec<(String, Option<usize>)>,
    /// The columns of this batch, as wanted.
    cells: Vec<Option<Typed>>,
    rows: usize,
    /// The row in this batch, and how many there were before it.
    row: usize,
    before: u64,
    values: u64,
}

/// The columns wanted of a table, and the positions of those that are to be decoded, ascending.
struct Choice {
    columns: Vec<(String, Option<usize>)>,
    decoded: Vec<usize>,
}

impl Choice {
    fn new(schema: &SchemaRef, wanted: &[Wanted<'_>], place: &SourceLocation) -> Result<Self> {
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let found = find_columns(&names, wanted, place)?;
        let mut decoded: Vec<usize> = found.iter().flatten().copied().collect();
        decoded.sort_unstable();
        decoded.dedup();
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
        wanted: &[Wanted<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        let (stored, columns, batches) = contained(&place, || parquet::open(file, &place, wanted))?;
        Ok(Self::new(place.clone(), limits, Some(stored), columns, batches))
    }

    /// An Arrow IPC file or stream.
    pub fn arrow(
        reader: Box<dyn Read + Send>,
        place: SourceLocation,
        wanted: &[Wanted<'_>],
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
        batches: Batches,
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
                    Typed::new(batch.column(*at), &place, &self.limits).map(Some)
                }
            };
            self.cells = self.columns.iter().map(typed).collect::<Result<_>>()?;
            (self.rows, self.row) = (batch.num_rows(), 0);
            return Ok(true);
        }
    }
}

impl Rows for Columnar {
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
    fn cell(&self, wanted: usize) -> Cell<'_> {
        self.cells[wanted].as_ref().map_or(Cell::Nothing, |column| column.cell(self.row))
    }

    fn number(&self) -> u64 {
        self.before + self.row as u64 + 1
    }

    fn counted(&self) -> Counted {
        Counted::Rows
    }

    fn file(&self) -> &SourceLocation {
        &self.place
    }
}

#[cfg(test)]
mod tests;
