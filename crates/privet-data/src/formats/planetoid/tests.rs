use proptest::prelude::*;

use super::*;
use crate::formats::Limits;
use crate::formats::pickle::samples::{array_bytes, csr_bytes, pickle};

/// Six nodes, two features, two classes: 0 to 2 known (0 trains), 5 and 3 tested, 4 in neither.
fn members(name: &str) -> Vec<(String, Vec<u8>)> {
    let one_hot = |rows: u8, values: &[u8]| pickle(&array_bytes(&[rows, 2], "i1", values));
    let mut graph = b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(".to_vec();
    for (node, list) in [
        (0u8, vec![1, 1, 0]),
        (1, vec![0, 2]),
        (2, vec![1, 5]),
        (3, vec![]),
        (4, vec![5]),
        (5, vec![2, 4]),
    ] {
        graph.extend([b'K', node, b']', b'(']);
        list.iter().for_each(|&v| graph.extend([b'K', v]));
        graph.push(b'e');
    }
    graph.push(b'u');
    let allx = csr_bytes([3, 2], &[0, 1, 1, 3], &[1, 0, 1], &[1.0, 2.0, 3.0]);
    let parts = [
        ("x", csr_bytes([1, 2], &[0, 1], &[1], &[1.0])),
        ("y", one_hot(1, &[0, 1])),
        ("tx", csr_bytes([2, 2], &[0, 1, 2], &[0, 1], &[5.0, 3.5])),
        ("ty", one_hot(2, &[1, 0, 0, 1])),
        ("allx", allx),
        ("ally", one_hot(3, &[0, 1, 0, 0, 1, 0])),
        ("graph", pickle(&graph)),
        ("test.index", b"5\r\n3\r\n".to_vec()),
    ];
    parts.map(|(part, bytes)| (format!("data/ind.{name}.{part}"), bytes)).into()
}

fn load(members: Vec<(String, Vec<u8>)>, options: &ReadOptions) -> Result<Dataset> {
    read(&Bundle::from_memory("p.zip", members, Limits::default()), options)?.into_nodes()
}

/// What reading says once one part is replaced.
fn message(part: &str, bytes: Vec<u8>) -> String {
    let mut all = members("toy");
    let changed = all.iter_mut().find(|(name, _)| name.ends_with(&format!("toy.{part}"))).unwrap();
    changed.1 = bytes;
    load(all, &ReadOptions::default()).unwrap_err().with_values()
}

#[test]
fn test_rows_go_where_the_index_says() {
    let data = load(members("toy"), &ReadOptions::default()).unwrap();
    assert_eq!((data.name(), data.graph().node_count()), ("toy", 6));
    assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 5), (4, 5)]);
    let features = data.features().unwrap();
    let row = |node| features.nonzero_entries(node).collect::<Vec<_>>();
    assert_eq!(row(2), [(0, 2.0), (1, 3.0)]);
    assert_eq!((row(5), row(3), row(4)), (vec![(0, 5.0)], vec![(1, 3.5)], vec![]));
    assert!(features.bounds().is_none());
    let labels = data.labels().unwrap();
    assert_eq!(labels.class_names(), ["0", "1"]);
    let classes: Vec<_> = (0..6).map(|node| labels.class(node)).collect();
    assert_eq!(classes, [Some(1), None, Some(0), Some(1), None, Some(0)]);
    let split = data.split().unwrap();
    assert_eq!(
        (&split.train[..], &split.validation[..], &split.test[..]),
        (&[0][..], &[1, 2][..], &[3, 5][..])
    );
    let notices: Vec<_> = data.notices().iter().map(|n| n.text.as_str()).collect();
    assert_eq!(notices, ["1 self-loops dropped", "9 listed arcs are 4 undirected edges"]);
}

#[test]
fn parts_that_do_not_fit_are_named() {
    let csr = |rows| csr_bytes([rows, 2], &vec![0; usize::from(rows) + 1], &[], &[]);
    let fewer = "data/ind.toy.ally: found 3 rows; expected 4, as many as data/ind.toy.allx";
    assert!(message("allx", csr(4)).contains(fewer));
    assert!(message("tx", csr(1)).contains("ty: found 2 rows; expected 1"));
    let labels = |rows, values: &[u8]| pickle(&array_bytes(&[rows, 2], "i1", values));
    let mut long = members("toy");
    for (name, bytes) in &mut long {
        match name.as_str() {
            "data/ind.toy.x" => *bytes = csr(4),
            "data/ind.toy.y" => *bytes = labels(4, &[0; 8]),
            _ => {}
        }
    }
    let error = load(long, &ReadOptions::default()).unwrap_err().with_values();
    assert!(error.contains("allx: found 3 rows; expected 4 (x) to 6 (graph)"), "{error}");
    let wide = csr_bytes([2, 3], &[0, 0, 0], &[], &[]);
    assert!(message("tx", wide).contains("3 features and 2 classes; expected 2 features"));
    assert!(message("ty", labels(2, &[1, 1, 0, 0])).contains("[1, 1] in row 0"));
    assert!(message("ty", labels(2, &[2, 0, 0, 0])).contains("[2, 0] in row 0"));
    assert!(message("y", labels(2, &[1, 0, 0, 0])).contains("ind.toy.y: found 2 rows"));
    assert!(message("graph", pickle(b"}(K\x00](K\x01eu")).contains("field 0: found node 1"));
    assert!(
        message("graph", pickle(b"}(K\x01]u")).contains("found node 1; expected a node below 1")
    );
}

#[test]
fn the_test_index_is_checked_by_line() {
    assert!(message("test.index", b"5\nx\n".into()).contains("line 2: found 'x'"));
    assert!(message("test.index", b"5\n6\n".into()).contains("line 2: found '6'"));
    assert!(
        message("test.index", b"5\n2\n".into()).contains("from 3 (the rows of allx) to below 6")
    );
    assert!(message("test.index", b"5\n5\n".into()).contains("line 2: found node 5 again"));
    assert!(message("test.index", b"5\n".into()).contains("as many as lines in test.index"));
}

#[test]
fn foreign_names_in_any_part_are_refused() {
    for part in ["x", "y", "tx", "ty", "allx", "ally", "graph"] {
        let message = message(part, b"\x80\x02cos\nsystem\nU\x02ls\x85R.".to_vec());
        assert!(message.contains(&format!("ind.toy.{part}: refused")), "{message}");
        assert!(message.contains("os.system"), "{message}");
    }
}

#[test]
fn several_datasets_need_a_name_and_all_files() {
    let both = || members("toy").into_iter().chain(members("other.2")).collect::<Vec<_>>();
    let message = load(both(), &ReadOptions::default()).unwrap_err().with_values();
    assert!(
        message.contains("2 datasets (other.2, toy)") && message.contains("--member NAME"),
        "{message}"
    );
    let options = ReadOptions { member: Some("other.2".into()), ..Default::default() };
    assert_eq!(load(both(), &options).unwrap().name(), "other.2");
    let mut some = members("toy");
    some.retain(|(name, _)| !name.ends_with(".tx"));
    let message = load(some, &ReadOptions::default()).unwrap_err().with_values();
    assert!(message.contains("no member data/ind.toy.tx"), "{message}");
}

proptest! {
    #[test]
    fn mutated_parts_never_panic(
        part in 0usize..8,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut all = members("toy");
        for (at, byte) in changes {
            let bytes = &mut all[part].1;
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = load(all, &ReadOptions::default());
    }
}
