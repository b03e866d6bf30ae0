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
    let members = [("edges.arrow", write(edges.unwrap())), ("nodes.arrow", write(nodes.unwrap()))];
    let bundle = Bundle::from_memory("data", members, Limits::default());
    let dataset = read(&bundle, &ReadOptions::default()).unwrap().into_nodes().unwrap();
    assert_eq!(dataset.ids().get(0), Id::Integer(3));
    let labels = dataset.labels().unwrap();
    assert_eq!([0, 1, 2].map(|node| labels.class(node)), [Some(0), None, Some(1)]);
}

#[test]
fn obsolete_and_truncated_files_say_so() {
    let told = load("x.feather", b"FEA1....".to_vec()).unwrap_err().with_values();
    assert!(told.contains("Feather version 1"), "{told}");
    let whole = stream();
    for length in (8..whole.len() - 8).step_by(5) {
        let _ = load("x.arrows", whole[..length].to_vec());
    }
    let told = load("x.arrows", whole[..whole.len() / 2].to_vec()).unwrap_err().with_values();
    assert!(told.contains("a message longer than the file"), "{told}");
    // Wherever a file is cut, between two messages or within one, it is not read as a whole one.
    let whole = file(None);
    for length in (16..whole.len()).step_by(3) {
        let told = load("x.arrow", whole[..length].to_vec()).unwrap_err().with_values();
        assert!(told.contains("without its end"), "{length}: {told}");
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
    let told = load("x.arrow", bytes).unwrap_err().with_values();
    assert!(told.contains("--max-expansion-ratio"), "{told}");
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
