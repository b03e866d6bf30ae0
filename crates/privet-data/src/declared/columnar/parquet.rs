//! Parquet, read from a file a page at a time.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

use super::{Batches, Choice};
use crate::declared::rows::Wanted;
use crate::{FoundValue, Result, SourceLocation};

const BATCH_ROWS: usize = 4096;

type Opened = (u64, Vec<(String, Option<usize>)>, Batches);

/// The size of the file, the wanted columns, and batches of them.
pub(super) fn open(file: File, place: &SourceLocation, wanted: &[Wanted<'_>]) -> Result<Opened> {
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
        ParquetRecordBatchReaderBuilder::try_new_with_options(Whole { file, length }, options)
            .map_err(|error| damaged(&error))?;
    let Choice { columns, decoded } = Choice::new(builder.schema(), wanted, place)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), decoded);
    let reader = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
    let reader = reader.map_err(|error| damaged(&error))?;
    let batches = Box::new(reader.map(move |batch| batch.map_err(|error| damaged(&error))));
    Ok((length, columns, batches))
}

/// A file of which no more is asked than it holds: the decoder makes room for as many bytes as its footer declares.
struct Whole {
    file: File,
    length: u64,
}

impl Whole {
    fn at(&self, start: u64) -> io::Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for Whole {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Whole {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::new(self.at(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let ends_early = || ParquetError::EOF("a range behind the end of the file".into());
        let end = start.checked_add(length as u64).filter(|&end| end <= self.length);
        end.ok_or_else(ends_early)?;
        let mut bytes = Vec::with_capacity(length);
        self.at(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() != length {
            return Err(ends_early());
        }
        Ok(bytes.into())
    }
}
