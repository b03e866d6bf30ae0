//! `privet data info`: the same facts for people and for programs.

use crate::made::npz;
use crate::ran::Folder;

const EDGES: &[u8] = b"ada,bob\nbob,cy\ncy,ada\ncy,dee\ncy,cy\nada,bob\n";

fn folder() -> Folder {
    Folder::with(&[
        ("friends.csv", EDGES),
        ("teams.csv", b"id,label\nada,red\nbob,red\ncy,blue\ndee,\n"),
        ("survey.csv", b"id,age,height\nada,0.5,0\nbob,0,0\ncy,1,0.25\ndee,0,0\n"),
    ])
}

#[test]
fn facts_for_people() {
    let line = "data info friends.csv --labels teams.csv --features survey.csv --bounds 0,2";
    let ran = folder().run(line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    insta::assert_snapshot!(ran.stdout, @r"
    friends  undirected graph, edge-list, friends.csv

      nodes       4, with text ids
      edges       4
      degrees     1 to 3, median 2, mean 2
      components  1
      features    2 columns, sparse, 37.5 % not zero, values 0 to 1
      bounds      0 to 2 (declared)
      labels      2 classes: blue (1), red (2), unlabelled (1)
      homophily   33.33 % of edges join equal classes

      nodes by degree
        1  ██████████▋                       1
      2–3  ████████████████████████████████  3
    ");
    insta::assert_snapshot!(ran.stderr, @r"
    note: friends.csv: 1 repeated edge folded
    note: friends.csv: 1 self-loop dropped
    ");
}

#[test]
fn facts_for_programs() {
    let line = "data info friends.csv --labels teams.csv --features survey.csv --json";
    insta::assert_snapshot!(folder().ok(line), @r#"
    {
      "kind": "graph",
      "name": "friends",
      "origin": {
        "benchmark": null,
        "path": "friends.csv",
        "format": "edge-list",
        "generator": null,
        "seed": null
      },
      "direction": "undirected",
      "nodes": 4,
      "edges": 4,
      "self_loops": 0,
      "ids": "text",
      "degrees": {
        "min": 1,
        "median": 2,
        "mean": 2.0,
        "max": 3,
        "isolated": 0,
        "histogram": [
          {
            "from": 0,
            "to": 0,
            "nodes": 0
          },
          {
            "from": 1,
            "to": 1,
            "nodes": 1
          },
          {
            "from": 2,
            "to": 3,
            "nodes": 3
          }
        ]
      },
      "components": {
        "count": 1,
        "largest": 4
      },
      "features": {
        "columns": 2,
        "storage": "sparse",
        "nonzeros": 3,
        "density": 0.375,
        "smallest": 0.0,
        "largest": 1.0,
        "bounds": null
      },
      "labels": {
        "multi_label": false,
        "unlabelled": 1,
        "classes": [
          {
            "name": "blue",
            "size": 1
          },
          {
            "name": "red",
            "size": 2
          }
        ]
      },
      "homophily": 0.3333333333333333,
      "split": null,
      "notices": [
        "friends.csv: 1 repeated edge folded",
        "friends.csv: 1 self-loop dropped"
      ]
    }
    "#);
}

#[test]
fn no_bounds_is_a_normal_answer() {
    let folder = folder();
    let shown = folder.ok("data info friends.csv --features survey.csv");
    assert!(shown.contains("none declared"), "{shown}");
    let shown = folder.ok("data info friends.csv --features survey.csv --bounds -1,1");
    assert!(shown.contains("-1 to 1 (declared)"), "{shown}");
    folder.fails("data info friends.csv --bounds 0,1", 2, &["--bounds", "--features"]);
    folder.fails("data info friends.csv --bounds 1,0", 2, &["--bounds", "1,0"]);
}

#[test]
fn reading_options_are_heeded() {
    let folder = folder();
    folder.write("semi.txt", b"1;2\n2;3\n");
    let facts = |line: &str| folder.json(&format!("data info {line}"));
    assert_eq!(facts("friends.csv --directed")["direction"], "directed");
    assert_eq!(facts("friends.csv --undirected")["direction"], "undirected");
    let kept = facts("friends.csv --keep-self-loops");
    assert_eq!((&kept["edges"], &kept["self_loops"]), (&5.into(), &1.into()));
    assert_eq!(facts("friends.csv --header yes")["nodes"], 4);
    assert_eq!(facts("friends.csv --header yes --directed")["edges"], 4);
    assert_eq!(facts("semi.txt --delimiter ; --format edge-list")["edges"], 2);
    folder.fails("data info friends.csv --directed --undirected", 2, &["cannot be used with"]);
    folder.fails("data info friends.csv --header maybe", 2, &["maybe"]);
    folder.fails("data info friends.csv --delimiter ab", 2, &["--delimiter", "ab"]);
}

#[test]
fn quiet_keeps_the_result_only() {
    let ran = folder().run("data info friends.csv --quiet");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("nodes"));
}

#[test]
fn a_set_of_graphs() {
    let set = b"3\n2 0\n0 1 1\n0 1 0\n3 1\n0 1 1\n1 2 0 2\n0 1 1\n1 1\n0 0\n";
    let folder = Folder::with(&[("set.txt", set)]);
    insta::assert_snapshot!(folder.ok("data info set.txt --format gin-text"), @r"
    set  set of graphs, gin-text, set.txt

      graphs     3
      nodes      6 in all, 1 to 3 a graph, mean 2
      edges      3 in all, 0 to 2 a graph, mean 1
      labels     2 classes: 0 (1), 1 (2)
      node tags  2 distinct values

      graphs by number of nodes
        1  ████████████████                  1
      2–3  ████████████████████████████████  2
    ");
    let facts = folder.json("data info set.txt --format gin-text");
    assert_eq!((&facts["kind"], &facts["graphs"]), (&"graph_set".into(), &3.into()));
}

#[test]
fn a_name_is_the_benchmark_and_a_path_is_a_path() {
    let folder = folder();
    folder.write("cora", EDGES);
    let told = folder.fails("data info cora", 1, &["'cora'", "not on this machine", "searched"]);
    assert!(told.contains("note: 'cora' is taken as the benchmark"), "{told}");
    assert!(told.contains("hint: ") && told.contains("privet data fetch cora"), "{told}");
    let facts = folder.json("data info ./cora --format edge-list");
    assert_eq!(facts["nodes"], 4);
}

#[test]
fn arrays_of_a_numpy_archive() {
    let folder = Folder::with(&[("path.npz", &npz(&[]))]);
    let facts = folder.json("data info path.npz");
    assert_eq!((&facts["edges"], &facts["features"]["nonzeros"]), (&2.into(), &3.into()));
    assert_eq!(facts["origin"]["format"], "npz");
}
