//! Labels as people have them: numbers with a point, gaps, masks, quantities.

use crate::made::{i64s, npy, zip};
use crate::ran::Folder;

const PATH: &[u8] = b"a,b\nb,c\n";

fn classes(folder: &Folder, line: &str) -> Vec<String> {
    let found = folder.json(line);
    let classes = found["labels"]["classes"].as_array().unwrap();
    classes.iter().map(|class| class["name"].as_str().unwrap().to_owned()).collect()
}

fn f64s(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn whole_numbers_with_a_point_are_classes() {
    let folder = Folder::with(&[
        ("e.csv", PATH),
        ("l.csv", b"id,label\na,1.0\nb,10.0\nc,2.0\n"),
        ("gap.csv", b"id,label\na,1.0\nb,\nc,2.0\n"),
        ("l.npy", &npy("<f8", "(3,)", &f64s(&[1.0, f64::NAN, 0.0]))),
        ("half.npy", &npy("<f8", "(3,)", &f64s(&[1.0, 0.5, 0.0]))),
    ]);
    assert_eq!(classes(&folder, "data info e.csv --labels l.csv"), ["1", "2", "10"]);
    assert_eq!(classes(&folder, "data info e.csv --labels gap.csv"), ["1", "2"]);
    let found = folder.json("data info e.csv --labels l.npy");
    assert_eq!(found["labels"]["unlabelled"], 1, "{found}");
    folder.fails("data info e.csv --labels half.npy", 1, &["expected a class: a whole number"]);
}

#[test]
fn a_quantity_is_refused() {
    let nodes: String = (0..60).map(|n| format!("{n},{}\n", f64::from(n) * 1.37 + 0.5)).collect();
    let edges: String = (0..59).map(|n| format!("{n},{}\n", n + 1)).collect();
    let values: Vec<f64> = (0..60).map(|n| f64::from(n) * 1.37 + 0.5).collect();
    let folder = Folder::with(&[
        ("e.csv", edges.as_bytes()),
        ("l.csv", format!("id,income\n{nodes}").as_bytes()),
        ("d/edges.csv", format!("source,target\n{edges}").as_bytes()),
        ("d/nodes.csv", format!("id,label\n{nodes}").as_bytes()),
        ("l.npy", &npy("<f8", "(60,)", &f64s(&values))),
    ]);
    for line in ["e.csv --labels l.csv", "./d", "e.csv --labels l.npy"] {
        let told = folder.fails(&format!("data info {line}"), 3, &["the labels are a quantity"]);
        assert!(!told.contains("1.87"), "{told}");
    }
}

#[test]
fn masks_are_a_split() {
    let members = [
        ("edge_index.npy", npy("<i8", "(2, 2)", &i64s(&[0, 1, 1, 2]))),
        ("y.npy", npy("<i8", "(3,)", &[0; 24])),
        ("train_mask.npy", npy("|b1", "(3,)", &[1, 0, 0])),
        ("test_mask.npy", npy("|u1", "(3,)", &[0, 1, 1])),
    ];
    let members: Vec<(&str, &[u8])> =
        members.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    let folder = Folder::with(&[("g.npz", &zip(&members))]);
    let found = folder.json("data info g.npz");
    assert_eq!(found["split"]["train"], 1, "{found}");
    assert_eq!(found["split"]["test"], 2, "{found}");
}

#[test]
fn somebody_without_edges_may_have_a_label() {
    let folder = Folder::with(&[
        ("e.csv", PATH),
        ("everyone.txt", b"a\nb\nc\nd\n"),
        ("l.csv", b"id,label\na,x\nd,y\n"),
    ]);
    let found = folder.json("data info e.csv --nodes everyone.txt --labels l.csv");
    assert_eq!(
        (&found["nodes"], &found["labels"]["unlabelled"]),
        (&4.into(), &2.into()),
        "{found}"
    );
    folder.fails("data info e.csv --labels l.csv", 1, &["l.csv, line 3", "--nodes"]);
}

/// Forty people in a ring, with two features and up to two labels each.
fn several_each() -> Folder {
    let mut edges = String::from("source,target\n");
    let (mut nodes, mut rows) = (String::from("id,labels\n"), String::from("id,u,v\n"));
    for node in 0..40 {
        edges += &format!("p{node},p{}\n", (node + 1) % 40);
        nodes += &format!("p{node},{}\n", ["x", "y", "x;y", ""][node % 4]);
        rows += &format!("p{node},{},{}\n", node % 2, (node + 1) % 2);
    }
    Folder::with(&[
        ("d/edges.csv", edges.as_bytes()),
        ("d/nodes.csv", nodes.as_bytes()),
        ("d/features.csv", rows.as_bytes()),
    ])
}

#[test]
fn several_labels_each_are_refused_and_never_halved() {
    let folder = several_each();
    let data = "--dataset ./d --bounds 0,1";
    for line in [
        format!("run ldp-ge {data} --epsilon 1 --runs 1"),
        format!(
            "run ldp-ge {data} --epsilon 1 --runs 1 --private features,labels --label-epsilon 1"
        ),
        format!("run ldp-ge {data} --epsilon 1 --runs 1 --volunteers 0.3"),
        format!("run dpar {data} --epsilon 8 --delta 1e-3 --runs 1"),
        format!("run hetero-rr {data} --epsilon-edges 1 --runs 1"),
        format!("tune ldp-ge {data} --epsilon 1 --trials 2 --runs 1 -o out"),
        format!("attack membership {data} --epsilon 8 --delta 1e-3 --shadows 8"),
        format!("attack linkteller {data} --epsilon-edges 1 --runs 1"),
        "protect labels ./d --epsilon 1 -o out.npz --assume-public classes".to_owned(),
    ] {
        folder.fails(&line, 3, &["several labels each"]);
        assert_eq!(folder.names(), ["d"], "privet {line}");
    }
    // What keeps them as they are keeps all of them.
    folder.ok("publish ./d -o out --epsilon-edges 1 --all-private --seed 1");
    let found = folder.json("data info ./out");
    assert_eq!(found["labels"]["multi_label"], true, "{found}");
    assert_eq!(found["labels"]["classes"][0]["size"], 20, "{found}");
}
