//! Arrow IPC (`.arrow`, `.feather`, `.arrows`), files and streams: the same tables as Parquet's.
//!
//! A file is a stream between two markers, so both are read as a stream. Every message is checked
//! against the bytes that are there before any of it is decoded.

use std::io::Cursor;

use arrow_ipc::reader::StreamReader;
use arrow_ipc::{Message, MessageHeader, RecordBatch as BatchHeader, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use bytes::Bytes;

use super::batch_tables::{self, RecordBatches, TableFile, TableFormat};
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
    // Every message is checked before the first is decoded: the decoder allocates what a message declares.
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
    // Since Arrow 0.15 four bytes of ones stand before the length; older files have the length alone.
    if rest.starts_with(&CONTINUATION) {
        *rest = &rest[4..];
    }
    let Some((length, after)) = rest.split_first_chunk::<4>() else {
        return if rest.is_empty() { Ok(None) } else { Err(truncated(place)) };
    };
    let length = u32::from_le_bytes(*length) as usize;
    // A message of length 0 ends the stream; an index of the file may follow, which is not needed.
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
        // A compressed buffer begins with its length when expanded, or -1 where it is stored as it is.
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

    fn batches(self: Box<Self>, columns: &[usize]) -> Result<RecordBatches> {
        let Self { place, stream, .. } = *self;
        let reader = StreamReader::try_new(Cursor::new(stream), Some(columns.to_vec()));
        let reader = reader.map_err(|error| damaged(&place, &error))?;
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| damaged(&place, &error)))))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        ArrayRef, DictionaryArray, Float32Array, Int64Array, RecordBatch, StringViewArray,
    };
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use proptest::prelude::*;

    use super::*;
    use crate::{Dataset, Id};

    fn batch() -> RecordBatch {
        let names: DictionaryArray<Int32Type> = ["ada", "bob", "ada"].into_iter().collect();
        let columns: [(&str, ArrayRef); 3] = [
            ("src", Arc::new(names)),
            (
                "dst",
                Arc::new(StringViewArray::from(vec!["bob", "a rather long name, for a view", "7"])),
            ),
            ("weight", Arc::new(Float32Array::from(vec![1.0; 3]))),
        ];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn file(compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let batch = batch();
        let mut writer =
            FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn stream() -> Vec<u8> {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch().schema()).unwrap();
        writer.write(&batch()).unwrap();
        writer.into_inner().unwrap()
    }

    fn load(name: &str, bytes: Vec<u8>) -> Result<Dataset> {
        let bundle = Bundle::from_memory("data", [(name, bytes)], Limits::default());
        assert!(recognises(&bundle));
        read(&bundle, &ReadOptions::default())?.into_nodes()
    }

    #[test]
    fn files_and_streams_compressed_or_not() {
        let files = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)].map(file);
        for bytes in files.into_iter().chain([stream()]) {
            let dataset = load("graph.feather", bytes).unwrap();
            let ids: Vec<_> = dataset.ids().iter().map(|id| id.to_string()).collect();
            assert_eq!(ids, ["7", "a rather long name, for a view", "ada", "bob"]);
            assert_eq!(dataset.graph().edges().collect::<Vec<_>>(), [(0, 2), (1, 3), (2, 3)]);
            assert_eq!(dataset.notices()[0].text, "ignored columns: weight");
        }
    }

    #[test]
    fn a_folder_of_tables() {
        let nodes = RecordBatch::try_from_iter([
            ("label", Arc::new(StringViewArray::from(vec!["x", "", "y"])) as ArrayRef),
            ("id", Arc::new(Int64Array::from(vec![3, 2, 1]))),
        ]);
        let edges = RecordBatch::try_from_iter([
            ("a", Arc::new(Int64Array::from(vec![1])) as ArrayRef),
            ("b", Arc::new(Int64Array::from(vec![3]))),
        ]);
        let write = |batch: RecordBatch| {
            let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
            writer.write(&batch).unwrap();
            writer.into_inner().unwrap()
        };
        let members =
            [("edges.arrow", write(edges.unwrap())), ("nodes.arrow", write(nodes.unwrap()))];
        let bundle = Bundle::from_memory("data", members, Limits::default());
        let dataset = read(&bundle, &ReadOptions::default()).unwrap().into_nodes().unwrap();
        assert_eq!(dataset.ids().get(0), Id::Integer(3));
        let labels = dataset.labels().unwrap();
        assert_eq!([0, 1, 2].map(|node| labels.class(node)), [Some(0), None, Some(1)]);
    }

    #[test]
    fn obsolete_and_truncated_files_say_so() {
        let message = load("x.feather", b"FEA1....".to_vec()).unwrap_err().with_values();
        assert!(message.contains("Feather version 1"), "{message}");
        let whole = stream();
        for length in (8..whole.len() - 8).step_by(5) {
            let _ = load("x.arrows", whole[..length].to_vec());
        }
        let message =
            load("x.arrows", whole[..whole.len() / 2].to_vec()).unwrap_err().with_values();
        assert!(message.contains("a message longer than the file"), "{message}");
        // Wherever a file is cut, between two messages or within one, it is not read as a whole one.
        let whole = file(None);
        for length in (16..whole.len()).step_by(3) {
            let message = load("x.arrow", whole[..length].to_vec()).unwrap_err().with_values();
            assert!(message.contains("without its end"), "{length}: {message}");
        }
    }

    /// Lengths without the marker before them, as older writers wrote them: headers begin at odd places.
    #[test]
    fn headers_may_begin_anywhere() {
        let (whole, mut old) = (stream(), Vec::new());
        let mut rest = whole.as_slice();
        while rest.len() > 8 {
            let before = rest;
            let place = SourceLocation::file("x");
            let Some((header, _)) = next_message(&mut rest, &place).unwrap() else { break };
            let length = before.len() - rest.len();
            old.extend_from_slice(&(header.len() as u32).to_le_bytes());
            old.extend_from_slice(&before[8..length]);
        }
        old.extend_from_slice(&[0; 4]);
        let bundle = |bytes| Bundle::from_memory("data", [("x.arrow", bytes)], Limits::default());
        let loaded = |bytes| read(&bundle(bytes), &ReadOptions::default()).unwrap();
        assert!(loaded(old) == loaded(whole));
    }

    #[test]
    fn a_buffer_that_claims_to_expand_without_end_is_refused() {
        let zeros: ArrayRef = Arc::new(Int64Array::from(vec![0; 10_000]));
        let batch = RecordBatch::try_from_iter([("u", zeros.clone()), ("v", zeros)]).unwrap();
        let options = IpcWriteOptions::default();
        let options = options.try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
        let mut writer =
            StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        let mut bytes = writer.into_inner().unwrap();
        assert!(load("x.arrow", bytes.clone()).is_ok());
        let honest = 80_000u64.to_le_bytes();
        let claims: Vec<usize> =
            (0..bytes.len() - 8).filter(|&at| bytes[at..at + 8] == honest).collect();
        assert_eq!(claims.len(), 2);
        bytes[claims[0]..claims[0] + 8].copy_from_slice(&(1u64 << 45).to_le_bytes());
        let message = load("x.arrow", bytes).unwrap_err().with_values();
        assert!(message.contains("--max-expansion-ratio"), "{message}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn damaged_files_do_not_panic(
            kind in 0usize..3,
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = match kind {
                0 => file(None),
                1 => file(Some(CompressionType::LZ4_FRAME)),
                _ => stream(),
            };
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let bundle = Bundle::from_memory("data", [("x.arrow", bytes)], Limits::default());
            let _ = read(&bundle, &ReadOptions::default());
        }
    }
}
