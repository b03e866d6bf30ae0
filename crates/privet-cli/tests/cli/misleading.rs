//! Messages that once sent people to the wrong place.

use crate::ran::Folder;

const NUMBERS: &[u8] = b"1,2\n2,3\n";

#[test]
fn the_stranger_is_named_and_not_its_neighbour() {
    let folder = Folder::with(&[
        ("n.csv", NUMBERS),
        ("t.csv", b"1,xx\nxx,yy\n"),
        ("secret.csv", b"1,xx\n"),
        ("known.csv", b"1,2\n"),
        ("wishes.csv", b"1,public\n"),
    ]);
    let publish = "-o out.npz --epsilon-edges 1 --assume-public ids --show-values";
    let line = format!("publish n.csv --private-edges secret.csv {publish}");
    folder.fails(&line, 1, &["secret.csv: found 'xx'"]);
    let line = format!("publish n.csv --private-edges known.csv --seed 1 {publish}");
    folder.ok(&line);
    // One name among numbers makes names of them all: the number still identifies a person.
    let line = "protect edges t.csv -o t.npz --epsilon 1 --budgets wishes.csv --assume-public ids";
    folder.ok(&format!("{line} --seed 1"));
}

#[test]
fn a_missing_folder_is_not_a_missing_file() {
    let folder = Folder::with(&[("n.csv", NUMBERS)]);
    folder.fails("data info no/x.csv", 1, &["no/x.csv: there is no folder no"]);
    folder.fails("data convert n.csv no/such/x.npz", 1, &["there is no folder no"]);
    folder.fails("data info y.csv", 1, &["y.csv: no such file"]);
}

#[test]
fn a_table_of_nodes_without_ids_is_blamed_itself() {
    let folder = Folder::with(&[
        ("d/edges.csv", b"source,target\na,b\n"),
        ("d/nodes.csv", b"town,person\nx,a\ny,b\n"),
    ]);
    let told = folder.fails("data info ./d", 1, &["nodes.csv: found no column called id"]);
    assert!(!told.contains("edges.csv"), "{told}");
}

#[test]
fn a_number_that_32_bits_cannot_hold() {
    let folder = Folder::with(&[("n.csv", NUMBERS), ("f.csv", b"id,x\n1,1e300\n2,0\n3,0\n")]);
    folder.fails("data info n.csv --features f.csv", 1, &["f.csv, line 2", "below 3.4e38"]);
}

#[test]
fn after_a_stopped_run_the_hint_leads_somewhere() {
    let folder = Folder::with(&[("n.csv", NUMBERS)]);
    let line = "protect edges n.csv -o out.npz --epsilon 1 --assume-public ids";
    folder.ok(line);
    // As after a crash between the charge and the writing.
    std::fs::remove_file(folder.path("out.npz")).unwrap();
    std::fs::remove_file(folder.path("out.npz.card.json")).unwrap();
    let told = folder.fails(line, 3, &["out.npz.ledger", "stays spent", "--ledger FILE"]);
    assert!(!told.contains("charge it again"), "{told}");
    folder.ok(&format!("{line} --ledger second.ledger"));
    let roomy = "protect edges n.csv -o b.npz --epsilon 1 --limit 3 --assume-public ids";
    folder.ok(roomy);
    let told = folder.fails(&format!("{roomy} --overwrite"), 3, &["charge it again with --ledger"]);
    let command = told.split("charge it again with ").nth(1).unwrap().trim();
    let again = roomy.replace("--limit 3 ", "");
    folder.ok(&format!("{again} --overwrite {command}"));
}

/// What replaces a file is renamed onto it, and a device must not be renamed over: a user allowed to do that breaks the
/// machine. A pipe stands for all of them.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::with(&[("n.csv", NUMBERS)]);
    let made = std::process::Command::new("mkfifo").arg(folder.path("pipe.npz")).status();
    assert!(made.unwrap().success());
    folder.fails(
        "data convert n.csv pipe.npz --overwrite",
        3,
        &["pipe.npz: refused: it is a device"],
    );
    let about = std::fs::symlink_metadata(folder.path("pipe.npz")).unwrap();
    assert!(about.file_type().is_fifo(), "it is what it was");
}
