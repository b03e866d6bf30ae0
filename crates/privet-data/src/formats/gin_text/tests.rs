use proptest::prelude::*;

use super::*;
use crate::formats::Limits;
use crate::{Direction, GraphBuilder, NodeId, SelfLoops, Split};

fn bundle(text: impl Into<Vec<u8>>) -> Bundle {
    Bundle::from_memory("z", [("X.txt", text.into())], Limits::default())
}

fn set(text: impl Into<Vec<u8>>) -> Result<GraphSet> {
    read(&bundle(text), &ReadOptions::default())?.into_graphs()
}

#[test]
fn reads_graphs_labels_tags_and_attributes() {
    let text = "2\r\n3 -1\r\n5 1 1 0.5\r\n0 2 0 2 -1e2\r\n7 1 1 0\r\n1 4\r\n0 0 3\r\n\r\n";
    let set = set(text).unwrap();
    assert_eq!((set.name(), set.len()), ("X", 2));
    assert_eq!(set.graphs()[0].edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    assert_eq!(set.labels().unwrap().class_names(), ["-1", "4"]);
    assert_eq!(set.node_tags().unwrap(), [vec![5, 0, 7], vec![0]]);
    let attributes = set.node_attributes().unwrap();
    assert_eq!(attributes[0].nonzero_entries(1).collect::<Vec<_>>(), [(0, -100.0)]);
    assert_eq!(attributes[1].nonzero_entries(0).collect::<Vec<_>>(), [(0, 3.0)]);
}

#[test]
fn damage_is_told_with_its_line() {
    for (text, message) in [
        ("", "expected the number of graphs"),
        ("x\n", "z, member X.txt, line 1: found 'x'; expected the number of graphs"),
        ("-1\n", "line 1: found '-1'"),
        ("2\n1 0\n0 0\n", "line 3: found the end of the text; expected graph 1 of the 2"),
        ("18446744073709551615\n1 0\n0 0\n", "expected graph 1 of the 18446744073709551615"),
        ("1\n2 0\n0 0\n", "line 3: found the end of the text; expected node 1 of a graph of 2"),
        ("1\n4000000000 0\n0 0\n", "expected node 1 of a graph of 4000000000"),
        ("1\n4294967295 0\n", "line 2: found 4294967295 nodes; expected fewer"),
        ("1\n99999999999999999999 0\n", "line 2: found '99999999999999999999 0'"),
        ("1\n1\n0 0\n", "line 2: found '1'; expected 'n label'"),
        ("1\n1 0 0\n0 0\n", "line 2: found '1 0 0'; expected 'n label'"),
        ("1\n2 0\n0 1 1\n0 0\n", "line 3: found neighbour 1 of node 0, which 1 does not list"),
        ("1\n2 0\n0 1 2\n0 0\n", "line 3: found neighbour '2'; expected a node from 0 to 1"),
        ("1\n2 0\n0 1 -1\n0 0\n", "line 3: found neighbour '-1'"),
        ("1\n2 0\n0 2 1\n0 0\n", "line 3: found 1 neighbours; expected 2, as declared"),
        ("1\n1 0\n0 18446744073709551615 0\n", "line 3: found 1 neighbours"),
        ("1\n1 0\n-1 0\n", "line 3: found '-1 0'; expected 'tag d"),
        ("1\n1 0\n4294967296 0\n", "line 3: found '4294967296 0'"),
        ("1\n1 0\n\n", "line 3: found ''"),
        ("1\n1 0\n0 0 NaN\n", "line 3: found attribute 'NaN'; expected a finite number"),
        ("1\n2 0\n0 0 1\n0 0\n", "line 4: found 0 columns after the neighbours; expected 1"),
        ("1\n1 0\n0 0\n1 0\n", "line 4: found '1 0'; expected the end, after the 1 graphs"),
    ] {
        let error = set(text).unwrap_err().with_values();
        assert!(error.contains(message), "{text:?}: {error}");
    }
    assert!(set(b"1\n1 \xff\n".to_vec()).unwrap_err().with_values().contains("line 2"));
}

#[test]
fn an_edge_at_one_end_is_an_arc_if_the_user_says_so() {
    let options = ReadOptions { direction: Some(Direction::Directed), ..ReadOptions::default() };
    let loaded = read(&bundle("1\n2 0\n0 1 1\n0 0\n"), &options).unwrap().into_graphs().unwrap();
    assert_eq!(loaded.graphs()[0].arcs().collect::<Vec<_>>(), [(0, 1)]);
}

#[test]
fn recognised_by_its_grammar() {
    let long =
        format!("1\n5000 1\n0 4999{}\n", (1..5000).map(|v| format!(" {v}")).collect::<String>());
    for text in ["1\n1 0\n0 0\n", "1\n0 1\n", &long, "3\n2 1\n0 1 1\n0 1"] {
        assert!(recognises(&bundle(text)), "{text:.20}");
    }
    for text in ["", "3\n", "0\n", "0 1\n1 2\n", "3\n0 1\n1 2\n", "# c\n1\n", "3\n1,2\n"] {
        assert!(!recognises(&bundle(text)), "{text}");
    }
}

#[test]
fn folds_come_with_the_archive_and_other_members_do_not_disturb() {
    let text = b"2\n1 0\n0 0\n1 1\n0 0\n";
    let read_members = |members: Vec<(&str, &[u8])>| {
        let members = members.into_iter().map(|(name, bytes)| (name, bytes.to_vec()));
        let bundle = Bundle::from_memory("z", members, Limits::default());
        assert!(recognises(&bundle));
        read(&bundle, &ReadOptions::default()).map(|loaded| loaded.into_graphs().unwrap())
    };
    let train = ("X/10fold_idx/train_idx-1.txt", &b"1\r\n"[..]);
    let all = vec![
        ("X/.DS_Store", &b"\0"[..]),
        ("X/README.txt", b"see the paper"),
        ("X/X.mat", b"\0"),
        train,
        ("X/10fold_idx/test_idx-1.txt", b"0\r\n"),
        ("X/X.txt", text),
    ];
    let set = read_members(all.clone()).unwrap();
    assert_eq!(set.splits(), [Split { train: vec![1], validation: vec![], test: vec![0] }]);
    let mut lonely = all.clone();
    lonely.remove(4);
    assert!(read_members(lonely).unwrap_err().with_values().contains("test_idx-1.txt too"));
    for (bad, message) in
        [("2\n", "line 1: found '2'"), ("x\n", "found 'x'"), ("1\n", "item 1 twice")]
    {
        let mut damaged = all.clone();
        damaged[4].1 = bad.as_bytes();
        let error = read_members(damaged).unwrap_err().with_values();
        assert!(error.contains(message), "{error}");
    }
    let two = vec![("a/A.txt", &text[..]), ("b/B.txt", text)];
    assert!(read_members(two).unwrap_err().with_values().contains("2 datasets (A, B)"));
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let graph = || crate::Graph::empty(1, Direction::Undirected).unwrap();
    let refuse = |set: &GraphSet| write(set, &mut Vec::new()).unwrap_err().with_values();
    assert!(refuse(&GraphSet::new("s", vec![graph()])).contains("one class for every graph"));
    let labelled = |raw: &[Option<i64>]| {
        let set = GraphSet::new("s", raw.iter().map(|_| graph()).collect());
        set.with_labels(Labels::from_integers(raw).unwrap()).unwrap()
    };
    assert!(refuse(&labelled(&[Some(1), None])).contains("label of graph 1"));
    let wide = |columns| Features::dense(DenseMatrix::new(1, columns, vec![0.0; columns]).unwrap());
    let set = labelled(&[Some(1), Some(1)]).with_node_attributes(vec![wide(1), wide(2)]).unwrap();
    assert!(refuse(&set).contains("number of attributes in graph 1"));
}

#[test]
fn named_classes_are_written_as_numbers() {
    let graphs = vec![crate::Graph::empty(0, Direction::Undirected).unwrap(); 2];
    let labels = Labels::from_names(&["cat", "ape"]).unwrap();
    let mut text = Vec::new();
    write(&GraphSet::new("s", graphs).with_labels(labels).unwrap(), &mut text).unwrap();
    assert_eq!(text, b"2\n0 1\n0 0\n");
}

type RawSet = Vec<(usize, Vec<(NodeId, NodeId)>, i64, Vec<u32>, Vec<f32>)>;

/// Graphs of up to 6 nodes; tags and attributes are cut to length by [`make_set`].
fn raw_set() -> impl Strategy<Value = RawSet> {
    let pairs = proptest::collection::vec((0u32..6, 0u32..6), 0..12);
    let values = proptest::collection::vec(proptest::num::f32::NORMAL, 12);
    let tags = proptest::collection::vec(any::<u32>(), 6);
    proptest::collection::vec((0usize..7, pairs, any::<i64>(), tags, values), 0..6)
}

fn make_set(raw: &RawSet, direction: Direction, width: usize) -> GraphSet {
    let build = |n: usize, pairs: &[(NodeId, NodeId)]| {
        let inside = pairs.iter().copied().filter(|&(u, v)| (u.max(v) as usize) < n);
        let builder = GraphBuilder::new(n, direction).self_loops(SelfLoops::Keep);
        builder.edges(inside).build().unwrap().0
    };
    let graphs = raw.iter().map(|(n, pairs, ..)| build(*n, pairs)).collect();
    let labels: Vec<_> = raw.iter().map(|graph| Some(graph.2)).collect();
    let tags = raw.iter().map(|(n, _, _, tags, _)| tags[..*n].to_vec()).collect();
    let rows = raw.iter().map(|(n, .., values)| {
        let matrix = DenseMatrix::new(*n, width, values[..n * width].to_vec()).unwrap();
        Features::dense(matrix)
    });
    let set = GraphSet::new("X", graphs)
        .with_labels(Labels::from_integers(&labels).unwrap())
        .and_then(|set| set.with_node_tags(tags))
        .unwrap();
    // Without a node there is nothing to tell how many attributes one would have.
    let has_nodes = raw.iter().any(|graph| graph.0 > 0);
    if width == 0 || !has_nodes { set } else { set.with_node_attributes(rows.collect()).unwrap() }
}

proptest! {
    #[test]
    fn written_sets_read_back_the_same(raw in raw_set(), directed: bool, width in 0usize..3) {
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let set = make_set(&raw, direction, width);
        let mut text = Vec::new();
        write(&set, &mut text).unwrap();
        let options = ReadOptions {
            direction: Some(direction),
            self_loops: SelfLoops::Keep,
            ..ReadOptions::default()
        };
        let back = read(&bundle(text), &options).unwrap().into_graphs().unwrap();
        prop_assert_eq!(back, set);
    }
}
