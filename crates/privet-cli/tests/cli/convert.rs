//! `privet data convert`: ids stay, nothing is lost silently, nothing is replaced unasked.

use crate::ran::Folder;

const EDGES: &[u8] = b"ada,bob\nbob,cy\ncy,dee\n";

fn folder() -> Folder {
    Folder::with(&[
        ("friends.csv", EDGES),
        ("teams.csv", b"id,label\nada,red\nbob,red\ncy,blue\ndee,blue\n"),
    ])
}

#[test]
fn every_writable_format_keeps_ids_and_labels() {
    for out in ["out.npz", "out.graphml", "tables", "parquet --to parquet"] {
        let folder = folder();
        let file = out.split(' ').next().unwrap();
        folder.ok(&format!("data convert friends.csv {out} --labels teams.csv"));
        let facts = folder.json(&format!("data info ./{file}"));
        assert_eq!((&facts["nodes"], &facts["edges"]), (&4.into(), &3.into()), "{out}");
        assert_eq!(facts["ids"], "text", "{out}");
        assert_eq!(facts["labels"]["classes"][0]["name"], "blue", "{out}");
    }
}

#[test]
fn an_edge_list_round_trip_keeps_every_id() {
    let folder = folder();
    folder.ok("data convert friends.csv out.npz");
    folder.ok("data convert out.npz back.csv");
    let text = String::from_utf8(folder.read("back.csv")).unwrap();
    let edges = String::from_utf8(EDGES.into()).unwrap();
    assert!(text.ends_with(&edges), "{text}");
}

#[test]
fn what_a_format_cannot_hold_is_not_dropped() {
    let folder = folder();
    let line = "data convert friends.csv out.tsv --to edge-list --labels teams.csv";
    folder.fails(line, 3, &["out.tsv: refused", "would lose 2 classes"]);
    assert!(!folder.path("out.tsv").exists());
}

#[test]
fn existing_output_is_left_alone() {
    let folder = folder();
    folder.write("out.npz", b"precious");
    folder.fails("data convert friends.csv out.npz", 3, &["out.npz", "--overwrite"]);
    assert_eq!(folder.read("out.npz"), b"precious");
    folder.ok("data convert friends.csv out.npz --overwrite");
    assert_eq!(folder.json("data info out.npz")["edges"], 3);
}

#[test]
fn unwritable_output_leaves_nothing_behind() {
    let folder = folder();
    folder.fails("data convert friends.csv no/such/folder/out.npz", 1, &["no/such/folder"]);
    folder.fails("data convert friends.csv teams.csv/out.npz", 1, &["teams.csv"]);
    assert_eq!(folder.names(), ["friends.csv", "teams.csv"]);
}

#[test]
fn a_failed_reading_writes_nothing() {
    let folder = folder();
    folder.write("bad.csv", b"a,b\nonly-one\n");
    folder.fails("data convert bad.csv out.npz", 1, &["bad.csv", "line 2"]);
    assert!(!folder.path("out.npz").exists());
}

#[test]
fn a_name_without_a_known_ending_needs_a_format() {
    let folder = folder();
    folder.fails("data convert friends.csv out.xyz", 2, &["out.xyz", "--to"]);
    folder.fails("data convert friends.csv out.jlg --to jlg", 2, &["jlg", "not written"]);
}
