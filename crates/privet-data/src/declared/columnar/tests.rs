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
        ("note", Arc::new(StringViewArray::from(vec!["x", "a rather long note, in a view", ""]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

const WANTED: [&str; 9] = ["note", "id", "age", "region", "amount", "day", "at", "member", "count"];

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

fn wanted() -> Vec<Wanted<'static>> {
    WANTED.iter().map(|name| Wanted::required(name)).collect()
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
            let cells: Vec<Cell<'_>> = (0..WANTED.len()).map(|at| table.cell(at)).collect();
            assert_eq!(
                cells,
                [
                    Cell::Text("x"),
                    Cell::Text("c-1"),
                    Cell::Real(34.0),
                    Cell::Text("north"),
                    Cell::Real(12.5),
                    Cell::Instant(day),
                    Cell::Instant(at),
                    Cell::Text("true"),
                    Cell::Integer(7),
                ]
            );
            assert!(table.advance().unwrap());
            for empty in [2, 3, 4] {
                assert_eq!(table.cell(empty), Cell::Nothing);
            }
            assert!(table.advance().unwrap());
            assert_eq!(table.cell(8), Cell::Integer(i64::MAX.into()));
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
    let id = [Wanted::required("id")];
    let mut table =
        Columnar::arrow(Box::new(Cursor::new(bytes.clone())), place.clone(), &id, &limits).unwrap();
    let told = table.advance().unwrap_err().to_string();
    assert!(told.contains("field id: found values of type Null"), "{told}");
    let absent = [Wanted::required("age")];
    let told =
        Columnar::arrow(Box::new(Cursor::new(bytes)), place, &absent, &limits).err().unwrap();
    assert!(told.to_string().contains("no column 'age'"), "{told}");
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
