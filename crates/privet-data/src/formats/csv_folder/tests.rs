use proptest::prelude::*;

use super::*;
use crate::formats::Limits;
use crate::{Dataset, Direction, FeatureMatrix};

fn bundle(members: &[(&str, &str)]) -> Bundle {
    let members = members.iter().map(|&(name, text)| (name, text.as_bytes().to_vec()));
    Bundle::from_memory("people", members, Limits::default())
}

fn load(members: &[(&str, &str)]) -> Result<Dataset> {
    read(&bundle(members), &ReadOptions::default())?.into_nodes()
}

fn message(members: &[(&str, &str)]) -> String {
    load(members).unwrap_err().with_values()
}

#[test]
fn what_people_make_by_hand() {
    let people = load(&[
        ("edges.csv", "Source, Target, weight\nada, bob, 3\n\nbob,\"cy, jr\", 1\nada,ada,1\r\n"),
        ("nodes.csv", "id,label\ncy,\n\"cy, jr\",dog\nbob,cat\nada,dog\n"),
        ("features.csv", "height,id,age\n1.5,ada,30\n1.6,bob,31\n0,cy,1\n-2e1,\"cy, jr\",2\n"),
    ])
    .unwrap();
    let ids: Vec<_> = people.ids().iter().map(|id| id.to_string()).collect();
    assert_eq!(ids, ["cy", "cy, jr", "bob", "ada"]);
    assert_eq!(people.name(), "people");
    assert_eq!(people.graph().direction(), Direction::Undirected);
    assert_eq!(people.graph().edges().collect::<Vec<_>>(), [(1, 2), (2, 3)]);
    let labels = people.labels().unwrap();
    assert_eq!(labels.class_names(), ["cat", "dog"]);
    assert_eq!([0, 1, 2, 3].map(|node| labels.class(node)), [None, Some(1), Some(0), Some(1)]);
    let features = people.features().unwrap();
    assert_eq!(features.names().unwrap(), ["height", "age"]);
    let FeatureMatrix::Dense(matrix) = features.matrix() else { panic!() };
    assert_eq!(matrix.values(), [0.0, 1.0, -20.0, 2.0, 1.6, 31.0, 1.5, 30.0]);
    let notices: Vec<_> = people.notices().iter().map(|notice| notice.to_string()).collect();
    assert_eq!(
        notices,
        ["people, member edges.csv: ignored columns: weight", "people: 1 self-loops dropped"]
    );
}

#[test]
fn edges_alone_with_and_without_names() {
    for text in ["5,7\n7,9\n", "who,whom\n5,7\n7,9\n", "u,v\n5,7\n7,9"] {
        let dataset = load(&[("edges.csv", text)]).unwrap();
        assert_eq!(dataset.graph().edge_count(), 2, "{text}");
        assert!(dataset.ids().are_integers());
    }
    let folder = "a/b/edges.csv";
    assert_eq!(load(&[(folder, "1,2"), ("nodes.csv", "id\n9")]).unwrap().ids().len(), 2);
}

#[test]
fn several_classes_with_either_separator() {
    for (text, names) in [
        ("id,labels\n1,b a\n2,\n3,a\n", vec!["a", "b"]),
        ("id,labels\n1,b; a a\n2,\n3,a a\n", vec!["a a", "b"]),
    ] {
        let dataset = load(&[("edges.csv", "1,2\n"), ("nodes.csv", text)]).unwrap();
        let labels = dataset.labels().unwrap();
        assert!(labels.is_multi());
        assert_eq!(labels.class_names(), names);
        assert_eq!((labels.classes(0), labels.classes(2)), (&[0, 1][..], &[0][..]));
    }
}

#[test]
fn long_features_without_a_manifest() {
    let features = "id,feature,value\n2,3,0.5\n1,0,2\n9,1,1\n";
    let dataset = load(&[("edges.csv", "1,2\n"), ("features.csv", features)]).unwrap();
    let features = dataset.features().unwrap();
    assert_eq!((features.rows(), features.columns(), features.nonzeros()), (3, 4, 3));
    assert_eq!(dataset.ids().get(2), Id::Integer(9));
}

#[test]
fn a_manifest_decides() {
    let manifest = r#"{"format": "privet-dataset", "version": 1, "direction": "directed",
        "features": {"storage": "sparse", "columns": 9,
                     "bounds": {"origin": "declared", "ranges": {"uniform": [0, 0.1]}}},
        "labels": {"kind": "single", "cells": "names", "classes": ["z", "unused", "a"]},
        "split": {"train": ["a"], "validation": [], "test": [" 7"]}}"#;
    let members = [
        ("dataset.json", manifest),
        ("edges.csv", "source,target\na, 7\n"),
        ("nodes.csv", "id,label\na,z\n 7,a\n"),
        ("features.csv", "id,feature,value\na,8,1e-45\n"),
    ];
    let dataset = load(&members).unwrap();
    assert_eq!(dataset.graph().direction(), Direction::Directed);
    assert_eq!(dataset.labels().unwrap().class_names(), ["z", "unused", "a"]);
    assert_eq!(dataset.split().unwrap().test, [1]);
    let features = dataset.features().unwrap();
    assert_eq!(features.columns(), 9);
    assert_eq!(features.bounds().unwrap().column(5), (0.0, 0.1));
    assert_eq!(features.nonzero_entries(0).collect::<Vec<_>>(), [(8, f32::from_bits(1))]);
    let mut wrong = members;
    wrong[2].1 = "id,label\na,z\n 7,y\n";
    assert_eq!(
        message(&wrong),
        "people, member nodes.csv, line 3, field label: found 'y'; expected a class of the manifest"
    );
    wrong = members;
    wrong[3].1 = "id,feature,value\na,9,1\n";
    assert!(
        message(&wrong).contains("feature 9; expected a column below 9"),
        "{}",
        message(&wrong)
    );
    wrong = members;
    wrong[0].1 = r#"{"format": "privet-dataset", "version": 2}"#;
    assert!(message(&wrong).contains("version 2"), "{}", message(&wrong));
}

#[test]
fn another_programs_dataset_json_is_left_alone() {
    let dataset = load(&[("edges.csv", "1,2\n"), ("dataset.json", "{\"a\": [1]}")]).unwrap();
    assert!(dataset.notices()[0].text.contains("not a Privet manifest"));
    assert!(message(&[("edges.csv", "1,2\n"), ("dataset.json", "{")]).contains("line 1"));
}

#[test]
fn mistakes_are_named_with_file_and_line() {
    let nodes = ("nodes.csv", "id\na\nb\n");
    for (members, expected) in [
        (vec![("edges.csv", "u,v\na\n")], "member edges.csv, line 2, field target: found 1 cells"),
        (vec![("edges.csv", "u,v\na,\n")], "line 2, field target: found an empty cell"),
        (vec![("edges.csv", "u,v\na,c\n"), nodes], "edges.csv, line 2, field target: found 'c'"),
        (
            vec![("edges.csv", "u,v\n"), ("nodes.csv", "id\na\na\n")],
            "member nodes.csv, line 3, field id: found 'a' a second time",
        ),
        (
            vec![("edges.csv", "u,v\n"), nodes, ("features.csv", "id,x\na,1\nb,NaN\n")],
            "member features.csv, line 3, field column 2: found 'NaN'; expected a finite number",
        ),
        (
            vec![("edges.csv", "u,v\n"), nodes, ("features.csv", "id,x\na,1,2\n")],
            "line 2: found 3 cells; expected 2 (the id and 1 values)",
        ),
        (
            vec![("edges.csv", "u,v\n"), nodes, ("features.csv", "id,x\na,1\n")],
            "member features.csv: found no row for node 'b'",
        ),
        (
            vec![("edges.csv", "a,b\n"), ("features.csv", "id,feature,value\na,x,1\na,x,2\n")],
            "found feature 0 of node 'a' twice",
        ),
    ] {
        assert!(message(&members).contains(expected), "{} | {expected}", message(&members));
    }
    let bytes =
        Bundle::from_memory("m", [("edges.csv", b"a,b\nc,\xff\n".to_vec())], Limits::default());
    let message = read(&bytes, &ReadOptions::default()).unwrap_err().with_values();
    assert!(message.contains("line 2: found bytes that are not UTF-8"), "{message}");
}

#[test]
fn recognised_by_its_edges() {
    assert!(recognises(&bundle(&[("x/edges.csv", ""), ("readme", "")])));
    assert!(!recognises(&bundle(&[("my_edges.csv", ""), ("nodes.csv", "")])));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edges.csv");
    std::fs::write(&path, "1,2").unwrap();
    assert!(recognises(&Bundle::from_path(folder.path(), Limits::default()).unwrap()));
    assert!(!recognises(&Bundle::from_path(&path, Limits::default()).unwrap()));
}

/// Pieces of tables, so that random text gets past the first check.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "id", "label", "labels", "feature", "value", "source", "target", ",", ",", "\n", "\n",
        "\"", "a", "b", "1", "2", ";", " ", "1e400", "-0", "\r\n", "\u{feff}", "é",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_panics(edges in pieces(), nodes in pieces(), features in pieces()) {
        let members = [("edges.csv", &*edges), ("nodes.csv", &nodes), ("features.csv", &features)];
        let _ = load(&members);
        let _ = load(&[members[0], members[2]]);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for name in ["edges.csv", "nodes.csv", "features.csv", "dataset.json"] {
            let members = [("edges.csv", b"1,2\n".to_vec()), (name, bytes.clone())];
            let members = members.into_iter().rev().take(if name == "edges.csv" { 1 } else { 2 });
            let bundle = Bundle::from_memory("m", members, Limits::default());
            let _ = read(&bundle, &ReadOptions::default());
        }
    }
}
