use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::formats::HeaderRow;
use crate::formats::npy::write_numbers;
use crate::{Direction, Graph, NodeIds};

fn people() -> Dataset {
    let graph = Graph::empty(3, Direction::Undirected).unwrap();
    Dataset::new("people", graph, NodeIds::texts(["ada", "bob", "cy"]).unwrap()).unwrap()
}

fn numbered() -> Dataset {
    let graph = Graph::empty(3, Direction::Undirected).unwrap();
    Dataset::new("numbers", graph, NodeIds::integers(vec![10, 20, 30]).unwrap()).unwrap()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn features_of(data: Dataset, name: &str, bytes: impl AsRef<[u8]>) -> Result<Features> {
    let folder = Folder::new();
    let data = features(data, &folder.file(name, bytes), &ReadOptions::default())?;
    Ok(data.features().unwrap().clone())
}

fn labels_in(data: Dataset, name: &str, bytes: impl AsRef<[u8]>) -> Result<Labels> {
    let folder = Folder::new();
    let data = labels(data, &folder.file(name, bytes), &ReadOptions::default())?;
    Ok(data.labels().unwrap().clone())
}

fn rows(features: &Features) -> Vec<Vec<f32>> {
    let row = |r| {
        let mut row = vec![0.0; features.columns()];
        features.nonzero_entries(r).for_each(|(c, v)| row[c as usize] = v);
        row
    };
    (0..features.rows()).map(row).collect()
}

fn classes(labels: &Labels) -> Vec<Option<&str>> {
    let name = |class: u32| labels.class_names()[class as usize].as_str();
    (0..labels.len() as NodeId).map(|node| labels.class(node).map(name)).collect()
}

#[test]
fn feature_tables_are_matched_by_id() {
    let expected = [vec![1.0, 0.5], vec![2.0, 0.0], vec![3.0, -1.0]];
    for (name, text) in [
        ("f.csv", "id,height,weight\r\nbob,2,0\r\ncy,3,-1\r\nada,1,.5\r\n"),
        ("f.csv", "bob,2,0\ncy,3,-1\nada,1,.5\n"),
        ("f.tsv", "bob\t2\t0\ncy\t3\t-1\nada\t1\t.5"),
        ("f.txt", "bob 2 0\ncy 3 -1\nada 1 .5\n"),
        ("f.csv", "\"bob\", 2, 0\n\"cy\", 3, -1\n\"ada\", 1, .5\n"),
    ] {
        assert_eq!(rows(&features_of(people(), name, text).unwrap()), expected, "{text}");
    }
    let named = features_of(people(), "f.csv", "who,h,w\nada,1,1\nbob,1,1\ncy,1,1\n").unwrap();
    assert_eq!(named.names().unwrap(), ["h", "w"]);
    // Columns that are named by numbers, as data frames do it.
    let frame = features_of(numbered(), "f.csv", ",0,1\n20,1,2\n10,3,4\n30,5,6\n").unwrap();
    assert_eq!(
        (frame.names().unwrap(), &rows(&frame)[0]),
        (&["0", "1"].map(String::from)[..], &vec![3.0, 4.0])
    );
}

#[test]
fn mostly_empty_tables_are_stored_sparse() {
    let text = "ada,0,0,1\nbob,0,0,0\ncy,0,2,0\n";
    let sparse = features_of(people(), "f.csv", text).unwrap();
    assert!(matches!(sparse.matrix(), FeatureMatrix::Sparse(_)));
    assert_eq!(rows(&sparse), [[0.0, 0.0, 1.0], [0.0; 3], [0.0, 2.0, 0.0]]);
}

#[test]
fn feature_tables_say_what_is_wrong_and_where() {
    let message = |text: &str| features_of(people(), "f.csv", text).unwrap_err().with_values();
    let place = "f.csv, line 2";
    assert!(
        message("ada,1\nzoe,1\n").contains(&format!("{place}: found id 'zoe'; expected an id"))
    );
    assert!(message("ada,1\nada,1\n").contains("id 'ada' again"));
    assert!(message("ada,1\nbob,1\n").contains("no row for 1 nodes (the first is 'cy')"));
    assert!(message("ada,1\nbob,1,2\n").contains("line 2: found 3 fields; expected 2"));
    assert!(message("ada,1\nbob,nan\ncy,1\n").contains("line 2, field 2: found 'nan'"));
    assert!(message("id,h\nada,1\nbob,inf\ncy,1\n").contains("line 3, field h: found 'inf'"));
    assert!(message("ada,1\nbob,1e99\ncy,1\n").contains("field 2: found '1e99'"));
    assert!(message("ada,x\nbob,1\ncy,1\n").contains("line 1, field 2: found 'x'"));
    assert!(message("zoe,1\nada,1\n").contains("line 1: found id 'zoe'"));
    let message = features_of(people(), "f.csv", b"ada,\xff\n").unwrap_err().with_values();
    assert!(message.contains("not UTF-8"), "{message}");
}

#[test]
fn arrays_are_matched_by_position() {
    let mut array = Vec::new();
    write_numbers(&mut array, &[3, 2], [1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let dense = features_of(people(), "f.npy", &array).unwrap();
    assert_eq!(rows(&dense), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let mut short = Vec::new();
    write_numbers(&mut short, &[2, 1], [1f32, 2.0]).unwrap();
    let message = features_of(people(), "f.npy", &short).unwrap_err().with_values();
    assert!(message.contains("f.npy: found number of feature rows 2; expected 3"), "{message}");
    let mut classes = Vec::new();
    write_numbers(&mut classes, &[3], [5i64, -1, 2]).unwrap();
    let labels = labels_in(people(), "y.npy", &classes).unwrap();
    assert_eq!(self::classes(&labels), [Some("5"), None, Some("2")]);
}

#[test]
fn archives_hold_scipy_matrices_or_arrays() {
    let zip = |members: &[(&str, Vec<u8>)]| {
        use std::io::Write;
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (key, bytes) in members {
            zip.start_file(format!("{key}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    let integers = |values: &[i64]| {
        let mut out = Vec::new();
        write_numbers(&mut out, &[values.len()], values.iter().copied()).unwrap();
        out
    };
    let scipy = |format: &str| {
        let mut text = Vec::new();
        crate::formats::npy::write_texts(&mut text, &[], [format]).unwrap();
        zip(&[
            ("indices", integers(&[1, 0])),
            ("indptr", integers(&[0, 1, 1, 2])),
            ("format", text),
            ("shape", integers(&[3, 2])),
            ("data", integers(&[7, 8])),
        ])
    };
    let sparse = features_of(people(), "f.npz", scipy("csr")).unwrap();
    assert_eq!(rows(&sparse), [[0.0, 7.0], [0.0, 0.0], [8.0, 0.0]]);
    let message = features_of(people(), "f.npz", scipy("csc")).unwrap_err().with_values();
    assert!(message.contains("the format csc"), "{message}");
    let labels = labels_in(people(), "y.npz", zip(&[("y", integers(&[0, 1, 0]))])).unwrap();
    assert_eq!(labels.class_sizes(), [2, 1]);
    let empty = zip(&[("z", integers(&[1]))]);
    assert!(features_of(people(), "f.npz", &empty).unwrap_err().with_values().contains("arrays z"));
    assert!(labels_in(people(), "f.npz", &empty).unwrap_err().with_values().contains("arrays z"));
}

#[test]
fn label_tables_are_matched_by_id() {
    let expected = [Some("y"), None, Some("x")];
    for text in [
        "id,label\ncy,x\nada,y\n",
        "cy,x\nada,y\nbob,\n",
        "id,facebook_id,page_type,page_name\ncy,1,x,\"Cy, of \"\"C\"\"\"\nada,2,y,Ada\n",
        "person,target\ncy,x\nada,y\n",
        "id,colour\ncy,x\nada,y\n",
        "cy,1,x\nada,2,y\n",
    ] {
        let labels = labels_in(people(), "l.csv", text).unwrap();
        assert_eq!(classes(&labels), expected, "{text}");
    }
    let labels = labels_in(numbered(), "l.csv", "Knoten,Klasse\n30,2\n10,10\n").unwrap();
    assert_eq!(classes(&labels), [Some("10"), None, Some("2")]);
    assert_eq!(labels.class_names(), ["2", "10"]);
}

#[test]
fn label_tables_say_what_is_wrong_and_where() {
    let message = |text: &str| labels_in(people(), "l.csv", text).unwrap_err().with_values();
    assert!(message("id,label\nada,x\nzoe,y\n").contains("line 3: found id 'zoe'"));
    assert!(message("ada,x\nada,x\n").contains("line 2: found id 'ada' again"));
    assert!(message("ada\nbob\n").contains("a single column"));
    // A mistyped first id is not taken for a header.
    assert!(message("adda,x\nbob,y\n").contains("line 1: found id 'adda'"));
    let message = labels_in(numbered(), "l.csv", "11,x\n").unwrap_err().with_values();
    assert!(message.contains("line 1: found id '11'"), "{message}");
}

#[test]
fn the_user_may_say_whether_there_is_a_header() {
    let folder = Folder::new();
    let path = folder.file("l.csv", "ada,x\nbob,y\n");
    let with = |header| {
        let options = ReadOptions { header, ..Default::default() };
        labels(people(), &path, &options).unwrap().labels().unwrap().unlabelled_count()
    };
    assert_eq!(
        (with(HeaderRow::Present), with(HeaderRow::Absent), with(HeaderRow::Detect)),
        (2, 1, 1)
    );
    let message =
        labels(people(), folder.0.path(), &ReadOptions::default()).unwrap_err().with_values();
    assert!(message.contains("expected one file"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn arbitrary_and_mutated_bytes_never_panic(
        noise in prop::collection::vec(any::<u8>(), 1..100),
        text in "((ada|bob|cy|id)[,\t;][0-9.,\"na]{0,4}\n){0,4}x",
    ) {
        for name in ["f.csv", "f.npy", "f.npz"] {
            let _ = features_of(people(), name, &noise);
            let _ = labels_in(people(), name, &noise);
        }
        let _ = features_of(people(), "f.csv", &text);
        let _ = labels_in(people(), "f.csv", &text);
    }
}
