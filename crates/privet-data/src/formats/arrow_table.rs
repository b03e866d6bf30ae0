//! Arrow IPC (`.arrow`, `.feather`, `.arrows`), files and streams: the same tables as Parquet's.
//!
//! A file is a stream between two markers, so both are read as a stream. Every message is checked
//! against the bytes that are there before any of it is decoded.

use std::io::Cursor;

use arrow_ipc::reader::StreamReader;
use arrow_ipc::{Message, MessageHeader, RecordBatch as BatchHeader, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use bytes::Bytes;

use super::batch_tables::{self, Batches, TableFile, TableFormat};
use super::{Bundle, Limits, ReadOptions};
use crate::{Error, FoundValue, LimitExceeded, LoadedData, Result, SourceLocation};

pub(crate) const FILE_MAGIC: &[u8] = b"ARROW1\0\0";
pub(crate) const FILE_END: &[u8] = b"ARROW1";
pub(crate) const CONTINUATION: [u8; 4] = [0xff; 4];
pub(crate) const FEATHER_1: &[u8] = b"FEA1";

const FORMAT: TableFormat = TableFormat {
    endings: &["arrow", "feather", "arrows", "ipc"],
    is_this: |head| {
        [FILE_MAGIC, &CONTINUATION, FEATHER_1].iter().any(|magic| head.starts_with(magic))
    },
    open,
};

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

struct ArrowFile {
    place: SourceLocation,
    stream: Vec<u8>,
    schema: SchemaRef,
}

fn open(bytes: Bytes, place: &SourceLocation, limits: &Limits) -> Result<Box<dyn TableFile>> {
    let mut bytes = bytes.to_vec();
    if bytes.starts_with(FEATHER_1) {
        return Err(
            place.refused("Feather version 1 is obsolete; save it as version 2, or Parquet")
        );
    }
    if bytes.starts_with(FILE_MAGIC) {
        // A file that was cut between two messages looks whole but for this.
        if !bytes.ends_with(FILE_END) {
            let found = "a file without its end";
            return Err(
                place.malformed(found, "a complete Arrow IPC file, as long as it was written")
            );
        }
        // Writers pad the marker with zeros, to 8 bytes or to 64.
        let padding = bytes[8..].chunks_exact(8).take_while(|eight| eight.iter().all(|&b| b == 0));
        let start = 8 + 8 * padding.count();
        bytes.drain(..start);
    }
    let mut rest = bytes.as_slice();
    while let Some((header, body)) = next_message(&mut rest, place)? {
        check(&message_of(&header, place)?, body, limits, place)?;
    }
    let stream = StreamReader::try_new(bytes.as_slice(), None);
    let schema = stream.map_err(|error| damaged(place, &error))?.schema();
    Ok(Box::new(ArrowFile { place: place.clone(), stream: bytes, schema }))
}

pub(crate) fn damaged(place: &SourceLocation, error: &ArrowError) -> Error {
    place.malformed(
        FoundValue::words(format!("damaged Arrow data ({error})")),
        "a complete Arrow IPC file",
    )
}

pub(crate) fn truncated(place: &SourceLocation) -> Error {
    place.malformed("a message longer than the file", "a complete Arrow IPC file")
}

/// Takes the next message's header and its body off `rest`; `None` at the end of the stream. The header is a copy,
/// because it must not begin at any byte, and writers that pad otherwise leave it at one.
fn next_message<'a>(
    rest: &mut &'a [u8],
    place: &SourceLocation,
) -> Result<Option<(Vec<u8>, &'a [u8])>> {
    if rest.starts_with(&CONTINUATION) {
        *rest = &rest[4..];
    }
    let Some((length, after)) = rest.split_first_chunk::<4>() else {
        return if rest.is_empty() { Ok(None) } else { Err(truncated(place)) };
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length == 0 {
        return Ok(None);
    }
    let (header, after) = after.split_at_checked(length).ok_or_else(|| truncated(place))?;
    let header = header.to_vec();
    let length = message_of(&header, place)?.bodyLength();
    let body = usize::try_from(length).map_err(|_| truncated(place))?;
    let (body, after) = after.split_at_checked(body).ok_or_else(|| truncated(place))?;
    *rest = after;
    Ok(Some((header, body)))
}

pub(crate) fn message_of<'a>(header: &'a [u8], place: &SourceLocation) -> Result<Message<'a>> {
    root_as_message(header).map_err(|error| {
        let found = FoundValue::words(format!("a damaged message ({error})"));
        place.malformed(found, "an Arrow IPC message")
    })
}

/// Checks that what a message declares about its body is true.
pub(crate) fn check(
    message: &Message<'_>,
    body: &[u8],
    limits: &Limits,
    place: &SourceLocation,
) -> Result<()> {
    let missing = || place.malformed("a message without content", "a batch of rows");
    let batch = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch().ok_or_else(missing)?,
        MessageHeader::DictionaryBatch => {
            let dictionary = message.header_as_dictionary_batch().ok_or_else(missing)?;
            dictionary.data().ok_or_else(missing)?
        }
        _ => return Ok(()),
    };
    check_buffers(&batch, body, limits, place)
}

/// The decoder allocates what a compressed buffer says it expands to, so that is checked first.
fn check_buffers(
    batch: &BatchHeader<'_>,
    body: &[u8],
    limits: &Limits,
    place: &SourceLocation,
) -> Result<()> {
    for buffer in batch.buffers().iter().flatten() {
        let range =
            usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = range.and_then(|(offset, length)| body.get(offset..)?.get(..length));
        let bytes = bytes.ok_or_else(|| truncated(place))?;
        let Some((prefix, _)) = bytes.split_first_chunk::<8>() else { continue };
        let expanded = u64::try_from(i64::from_le_bytes(*prefix)).unwrap_or(0);
        let allowed = (bytes.len() as u64).saturating_mul(limits.expansion_ratio);
        if batch.compression().is_some() && expanded > allowed.max(Limits::RATIO_FROM) {
            let over = LimitExceeded {
                what: format!("expansion of {} compressed bytes", bytes.len()),
                limit: format!("{} times", limits.expansion_ratio),
                option: "--max-expansion-ratio",
            };
            return Err(over.at(place));
        }
    }
    Ok(())
}

impl TableFile for ArrowFile {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn batches(self: Box<Self>, columns: &[usize]) -> Result<Batches> {
        let Self { place, stream, .. } = *self;
        let reader = StreamReader::try_new(Cursor::new(stream), Some(columns.to_vec()));
        let reader = reader.map_err(|error| damaged(&place, &error))?;
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| damaged(&place, &error)))))
    }
}

#[cfg(test)]
mod tests;
