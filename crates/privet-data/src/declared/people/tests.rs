use std::io::Write;

use super::*;

fn people() -> PeopleReader {
    let table: PeopleTable = serde_json::from_str(
        r#"{"file": "p.csv", "id": "id", "label": "segment", "classes": ["retail", "business"],
            "no_label": ["", "?"], "columns": {
                "age": {"kind": "number", "low": 0, "high": 100, "missing": "middle"},
                "region": {"kind": "category", "values": ["north", "south"]}}}"#,
    )
    .unwrap();
    PeopleReader::new(&table).unwrap()
}

fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

#[test]
fn batches_hold_so_many_and_the_last_the_rest() {
    let text = "region,id,segment,age\nnorth,ann,retail,50\nsouth,bob,?,\nsouth,cy,business,7\n";
    let (_folder, path) = written("p.csv", text.as_bytes());
    let people = people();
    let batches: Vec<PeopleBatch> =
        people.batches(&path, 2, &Limits::default()).unwrap().map(Result::unwrap).collect();
    assert_eq!(batches.len(), 2);
    assert_eq!(batches[0].ids, ["ann", "bob"]);
    assert_eq!(batches[0].rows.values(), [0.5, 1.0, 0.0, 0.5, 0.0, 1.0]);
    assert_eq!(batches[0].labels, Some(vec![Some(0), None]));
    assert_eq!((batches[1].ids.len(), batches[1].labels.clone()), (1, Some(vec![Some(1)])));
}

#[test]
fn new_people_need_no_labels() {
    let (_folder, path) = written("p.tsv", b"id\tage\tregion\n7\t1\tnorth\n");
    let people = people();
    let mut batches = people.batches(&path, 10, &Limits::default()).unwrap();
    assert!(!batches.has_labels());
    let batch = batches.next().unwrap().unwrap();
    assert_eq!((batch.labels, batch.label_lists), (None, None));
    assert!(batches.next().is_none());
}

#[test]
fn an_error_says_where_and_ends_the_stream() {
    let (_folder, path) =
        written("p.csv", b"id,age,region\n1,2,north\n3,secret,south\n4,5,north\n");
    let people = people();
    let mut batches = people.batches(&path, 1, &Limits::default()).unwrap();
    assert!(batches.next().unwrap().is_ok());
    let error = batches.next().unwrap().unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("line 3, field age: found an invalid value (hidden); expected a finite"),
        "{message}"
    );
    assert!(error.with_values().contains("'secret'"));
    assert!(batches.next().is_none());

    let (_folder, path) = written("p.csv", b"id,age,region\n ,2,north\n");
    let message = people.batches(&path, 1, &Limits::default()).unwrap().next().unwrap();
    assert!(message.unwrap_err().to_string().contains("line 2, field id: found an empty cell"));
}

#[test]
fn compressed_text_is_read_through() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"id,age,region\n1,2,north\n").unwrap();
    let (_folder, path) = written("p.csv.gz", &encoder.finish().unwrap());
    let people = people();
    let batch = people.batches(&path, 10, &Limits::default()).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.ids, ["1"]);
}

#[test]
fn files_that_are_no_tables_are_refused_with_the_way_around() {
    let people = people();
    for (head, message) in [
        (&b"\0\0\0\0\0\0\0\0DUCK0000"[..], "COPY t TO 't.parquet'"),
        (b"PK\x03\x04....", "save the sheet as CSV"),
    ] {
        let (_folder, path) = written("p.bin", head);
        let error = people.batches(&path, 1, &Limits::default()).err().unwrap();
        assert!(error.to_string().contains(message), "{error}");
    }
    let error = people.batches("absent.csv", 1, &Limits::default()).err().unwrap();
    assert!(error.to_string().contains("absent.csv: no such file"), "{error}");
}

/// What `<(command)` names in a shell.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_a_file_like_any_other_unless_its_end_is_needed_first() {
    use std::os::fd::AsRawFd;

    let piped = |bytes: &[u8]| {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(bytes).unwrap();
        drop(writer);
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        let people = people();
        let batch = people.batches(path, 10, &Limits::default())?.next().unwrap();
        batch.map(|batch| batch.ids)
    };
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"id,age,region\n1,2,north\n").unwrap();
    assert_eq!(piped(&encoder.finish().unwrap()).unwrap(), ["1"]);
    assert_eq!(piped(b"region\tage\tid\nsouth\t2\tann\n").unwrap(), ["ann"]);
    let message = piped(b"SQLite format 3\0 and more").unwrap_err().to_string();
    assert!(message.contains("which a pipe cannot do"), "{message}");
}
