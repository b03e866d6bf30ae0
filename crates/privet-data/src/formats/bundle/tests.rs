use super::*;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn compression_is_undone_wherever_it_stands() {
    let inner = gzip(b"hello");
    let bytes = zip_of(&[("a/x.txt.gz", &inner), ("b.txt", b"plain")]);
    let bundle = Bundle::from_zip(SourceLocation::file("z"), bytes, Limits::default()).unwrap();
    assert_eq!(bundle.find(".txt"), ["a/x.txt.gz", "b.txt"]);
    assert_eq!(bundle.open("a/x.txt.gz").unwrap().into_bytes().unwrap(), b"hello");
    assert_eq!(bundle.open("b.txt").unwrap().into_bytes().unwrap(), b"plain");
}

#[test]
fn truncated_archives_are_errors() {
    let whole = gzip(&[7; 10_000]);
    let cut = whole[..whole.len() - 5].to_vec();
    let bundle = Bundle::from_memory("m", [("x.gz", cut)], Limits::default());
    let told = bundle.open("x.gz").unwrap().into_bytes().unwrap_err().with_values();
    assert!(told.contains("truncated"), "{told}");
    let zip = zip_of(&[("a", b"1234567890")]);
    for length in 4..zip.len() - 1 {
        let bundle =
            Bundle::from_zip(SourceLocation::file("z"), zip[..length].into(), Limits::default());
        assert!(bundle.is_err(), "cut at {length}");
    }
}

#[test]
fn a_file_brings_its_siblings() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ind.cora.x", "ind.cora.test.index", "ind.citeseer.x", "other"] {
        std::fs::write(folder.path().join(name), "1").unwrap();
    }
    let bundle = Bundle::from_path(&folder.path().join("ind.cora.x"), Limits::default()).unwrap();
    assert_eq!(bundle.members(), ["ind.cora.x", "ind.cora.test.index"]);
    // A named file is that file, whatever lies beside it.
    for name in ["cora.csv", "cora.content", "cora.cites", "cora.graphml"] {
        std::fs::write(folder.path().join(name), "1").unwrap();
    }
    let members = |name: &str| {
        let bundle = Bundle::from_path(&folder.path().join(name), Limits::default()).unwrap();
        bundle.members().join(" ")
    };
    assert_eq!(members("cora.csv"), "cora.csv");
    assert_eq!(members("cora.cites"), "cora.cites cora.content");
}

#[test]
fn missing_and_empty_files_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("nothing");
    let told = Bundle::from_path(&missing, Limits::default()).err().unwrap().with_values();
    assert!(told.ends_with("nothing: no such file"), "{told}");
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let told = Bundle::from_path(&empty, Limits::default()).err().unwrap().with_values();
    assert!(told.contains("an empty file"), "{told}");
}
