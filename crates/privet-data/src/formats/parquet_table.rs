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

use super::batch_tables::{self, Batches, TableFile, TableFormat};
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

    fn batches(self: Box<Self>, columns: &[usize]) -> Result<Batches> {
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
mod tests;
