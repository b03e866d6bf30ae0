//! Standard input and output, pipes, and names that are no text.

use crate::made::gzip;
use crate::ran::{Folder, Ran};

const EDGES: &[u8] = b"ada,bob\nbob,cy\ncy,dee\n";

fn piped(folder: &Folder, line: &str, input: &[u8]) -> Ran {
    Ran::from(folder.command(line).write_stdin(input).output().unwrap())
}

fn facts(folder: &Folder, line: &str, input: &[u8]) -> serde_json::Value {
    let ran = piped(folder, &format!("{line} --json"), input);
    assert_eq!(ran.code, 0, "privet {line}\n{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let folder = Folder::with(&[("friends.csv", EDGES)]);
    for input in [EDGES.to_vec(), gzip(EDGES)] {
        let found = facts(&folder, "data info -", &input);
        assert_eq!((&found["nodes"], &found["edges"]), (&4.into(), &3.into()));
        assert_eq!(found["name"], "stdin");
    }
    folder.ok("data convert friends.csv friends.npz");
    assert_eq!(facts(&folder, "data info -", &folder.read("friends.npz"))["edges"], 3);
    let ran = piped(&folder, "data info -", b"");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("standard input: found nothing"), "{}", ran.stderr);
    let ran = piped(&folder, "data info -", b"ada,bob\nonly-one\n");
    assert!(ran.stderr.contains("standard input, line 2"), "{}", ran.stderr);
}

#[test]
fn tables_come_through_standard_input_too() {
    let folder = Folder::with(&[("friends.csv", EDGES)]);
    let teams = b"id,label\nada,red\nbob,red\ncy,blue\ndee,blue\n";
    let found = facts(&folder, "data info friends.csv --labels -", teams);
    assert_eq!(found["labels"]["classes"][0]["name"], "blue");
    let ages = b"id,age\nada,1\nbob,2\ncy,3\ndee,4\n";
    let found = facts(&folder, "data info friends.csv --features -", ages);
    assert_eq!(found["features"]["columns"], 1);
    let found = facts(&folder, "data info friends.csv --nodes -", b"ada\nbob\ncy\ndee\neve\n");
    assert_eq!(found["nodes"], 5);
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_read_once() {
    let folder = Folder::with(&[("friends.csv.gz", &gzip(EDGES))]);
    let shell = |script: &str| {
        let privet = assert_cmd::cargo::cargo_bin("privet");
        let mut command = std::process::Command::new("bash");
        command.args(["-c", script]).current_dir(folder.path(".")).env("PRIVET", privet);
        Ran::from(command.output().unwrap())
    };
    for script in [
        "\"$PRIVET\" data info <(gzip -dc friends.csv.gz) --json",
        "gzip -dc friends.csv.gz | \"$PRIVET\" data info /dev/stdin --json",
        "mkfifo pipe && (gzip -dc friends.csv.gz > pipe &) && \"$PRIVET\" data info ./pipe --json",
        "\"$PRIVET\" data info friends.csv.gz --labels <(printf 'ada,1\\nbob,2\\n') --json",
    ] {
        let ran = shell(script);
        assert_eq!(ran.code, 0, "{script}\n{}", ran.stderr);
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(found["edges"], 3, "{script}");
    }
}

#[test]
fn standard_output_gets_the_data_and_nothing_else() {
    let folder = Folder::with(&[("friends.csv", EDGES)]);
    let csv = "source,target\nada,bob\nbob,cy\ncy,dee\n";
    assert_eq!(folder.ok("data convert friends.csv -"), csv);
    assert_eq!(piped(&folder, "data convert - -", EDGES).stdout, csv);
    assert!(folder.ok("data convert friends.csv - --to graphml").starts_with("<?xml"));
    let npz = folder.command("data convert friends.csv - --to npz").output().unwrap().stdout;
    assert_eq!(facts(&folder, "data info -", &npz)["edges"], 3);
    assert_eq!(folder.names(), ["friends.csv"], "no folder called -");
}

#[test]
fn what_needs_a_card_needs_a_name() {
    let folder = Folder::with(&[("friends.csv", EDGES), ("ids", b"ada\nbob\ncy\ndee\n")]);
    let line = "protect edges friends.csv -o - --epsilon 1 --nodes ids";
    folder.fails(line, 2, &["-: refused: a name is needed here"]);
    folder.fails(
        "publish friends.csv -o - --epsilon-edges 1 --all-private",
        2,
        &["a name is needed"],
    );
    assert_eq!(folder.names(), ["friends.csv", "ids"]);
}

#[test]
fn what_readme_promises_to_write() {
    let folder = Folder::with(&[("friends.csv", EDGES)]);
    for out in ["out.tsv", "out.csv.gz", "out.csv.zst", "out.tsv.gz"] {
        folder.ok(&format!("data convert friends.csv {out}"));
        assert_eq!(folder.json(&format!("data info {out}"))["edges"], 3, "{out}");
    }
    assert_eq!(folder.read("out.tsv"), b"source\ttarget\nada\tbob\nbob\tcy\ncy\tdee\n");
    assert_eq!(folder.read("out.csv.gz")[..2], [0x1f, 0x8b]);
    assert_eq!(folder.read("out.csv.zst")[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    folder.ok("data convert friends.csv pyg.npz --to edge-index");
    assert_eq!(folder.json("data info pyg.npz")["edges"], 3);
    assert!(String::from_utf8_lossy(&folder.read("pyg.npz")).contains("edge_index.npy"));
    folder.fails("data convert friends.csv out.npz.gz", 2, &["the ending .gz"]);
}

#[cfg(unix)]
#[test]
fn names_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::with(&[("x", b"")]);
    let odd = |name: &[u8]| folder.path(".").join(OsStr::from_bytes(name));
    std::fs::write(odd(b"fr\xff.csv"), EDGES).unwrap();
    let run = |words: &[&[u8]]| {
        let mut command = folder.command("");
        command.args(words.iter().map(|word| OsStr::from_bytes(word)));
        Ran::from(command.output().unwrap())
    };
    let ran = run(&[b"data", b"info", b"fr\xff.csv", b"--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&[b"data", b"convert", b"fr\xff.csv", b"out\xfe.npz"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(odd(b"out\xfe.npz").exists());
    let ran = run(&[b"data", b"info", b"out\xfe.npz", b"--labels", b"fr\xff.csv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::create_dir(odd(b"d\xff")).unwrap();
    std::fs::write(odd(b"d\xff/edges.csv"), EDGES).unwrap();
    let ran = run(&[b"data", b"info", b"d\xff"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&[b"run", b"dpar", b"--dataset", b"d\xff", b"--epsilon", b"1"]);
    assert!(!ran.stderr.contains("invalid UTF-8"), "{}", ran.stderr);
    let ran = run(&[
        b"protect",
        b"edges",
        b"fr\xff.csv",
        b"-o",
        b"noisy\xff.npz",
        b"--epsilon",
        b"1",
        b"--assume-public",
        b"ids",
    ]);
    assert_eq!(ran.code, 2, "a card names its files in text: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn bytes_that_no_text_has() {
    let folder = Folder::with(&[
        ("nul.csv", b"ada,bob\nb\0b,cy\n"),
        ("mac.csv", b"ada,bob\rbob,cy\rcy,dee\r"),
        ("mixed.csv", b"ada,bob\r\nbob,c\ry\r\n"),
        ("friends.csv", EDGES),
        ("labels.csv", b"id,label\nada,red\nb\0b,blue\n"),
        ("d/edges.csv", b"source,target\nada,b\0b\n"),
        ("maclabels.csv", b"id,label\rada,red\rbob,blue\r"),
    ]);
    folder.fails("data info nul.csv", 1, &["nul.csv, line 2", "NUL"]);
    folder.fails("data info mac.csv", 1, &["mac.csv, line 1", "carriage return"]);
    folder.fails("data info mixed.csv", 1, &["mixed.csv, line 2", "carriage return"]);
    folder.fails("data info friends.csv --labels labels.csv", 1, &["labels.csv, line 3", "NUL"]);
    folder.fails("data info ./d", 1, &["edges.csv, line 2", "NUL"]);
    let found = folder.json("data info friends.csv --labels maclabels.csv");
    assert_eq!(found["labels"]["classes"][0]["name"], "blue");
}
