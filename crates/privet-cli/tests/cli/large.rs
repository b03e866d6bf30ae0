//! Graphs on disk and `--memory`: the same bytes as without, in parts; what is left of interrupted work.

use crate::ran::{Folder, names_in};

/// 60 people with 12 features and three classes, as `in.npz`, and two columns of theirs at a time.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 3 --features 12 --mean-degree 1.5 -o in.npz");
    folder
}

/// 36 MiB that every run needs, and room for two columns of 60 people.
const TWO_COLUMNS: &str = "--memory 37751376";

#[test]
fn a_graph_on_disk_is_the_graph() {
    let folder = folder();
    folder.ok("data convert in.npz in.csr");
    let expected = [
        "csr.json",
        "dataset.json",
        "features.columns.u32",
        "features.offsets.u64",
        "features.values.f32",
        "labels.u32",
        "offsets.u64",
        "targets.u32",
    ];
    assert_eq!(names_in(&folder.path("in.csr")), expected);
    folder.ok("data convert in.csr back.npz");
    assert_eq!(folder.read("back.npz"), folder.read("in.npz"));
    let (npz, csr) = (folder.json("data info in.npz"), folder.json("data info in.csr"));
    assert_eq!((&npz["nodes"], &npz["edges"]), (&csr["nodes"], &csr["edges"]));
    // Every command reads it, and sees the same.
    for form in ["npz", "csr"] {
        folder.ok(&format!("embed in.{form} -o {form}.vec --quiet"));
    }
    assert_eq!(folder.read("npz.vec"), folder.read("csr.vec"));
    let bytes = folder.read("in.csr/targets.u32");
    folder.write("in.csr/targets.u32", &bytes[4..]);
    folder.fails("data info in.csr", 1, &["targets.u32", "bytes", "as the header says"]);
}

#[test]
fn an_edge_list_is_sorted_on_disk() {
    let folder = Folder::new();
    let line = |at: u64| format!("u{} v{}\n", at * 7919 % 701, at * at % 499);
    let lines: String = (0..150_000).map(line).collect();
    folder.write("big.txt", lines.as_bytes());
    folder.ok("data convert big.txt plain.csr");
    let ran = folder.run("data convert big.txt bounded.csr --memory 1M");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for name in names_in(&folder.path("plain.csr")) {
        let [plain, bounded] =
            ["plain", "bounded"].map(|form| folder.read(&format!("{form}.csr/{name}")));
        assert_eq!(plain, bounded, "{name}");
    }
}

#[test]
fn an_embedding_in_parts_has_the_same_bytes() {
    let folder = folder();
    folder.ok("data convert in.npz in.csr");
    for (name, options) in [("loops", "--self-loops"), ("r", "--r 0.1 --rounds 7")] {
        let plain = folder.json(&format!("embed in.npz -o {name}.npz {options} --quiet"));
        let parts = folder
            .json(&format!("embed in.csr -o {name}-parts.npz {options} {TWO_COLUMNS} --quiet"));
        assert_eq!(folder.read(&format!("{name}.npz")), folder.read(&format!("{name}-parts.npz")));
        assert_eq!(
            (&plain["rounds"], &plain["error_bound"]),
            (&parts["rounds"], &parts["error_bound"])
        );
    }
    let names = folder.names();
    assert!(!names.iter().any(|name| name.contains("unfinished")), "{names:?}");
}

#[test]
fn reports_in_parts_have_the_same_bytes_and_cards() {
    let folder = folder();
    folder.ok("data convert in.npz in.csr");
    for (at, line) in [
        "features in.csr --mechanism hds --epsilon 1 --bounds 0,1",
        "features in.csr --mechanism multi-bit --epsilon 1 --bounds 0,1",
        "edges in.csr --epsilon 2",
        "edges in.csr --epsilon 2 --merge one-sided",
        "edges in.csr --epsilon 1 --mechanism rr --merge and",
        "edges in.csr --epsilon 1 --mechanism rr --merge or",
    ]
    .iter()
    .enumerate()
    {
        folder.ok(&format!("protect {line} --seed 5 -o plain{at}.npz --quiet"));
        folder.ok(&format!("protect {line} --seed 5 -o parts{at}.npz --memory 64M --quiet"));
        let of = |form: &str| folder.read(&format!("{form}{at}.npz"));
        assert_eq!(of("plain"), of("parts"), "{line}");
        let card = |form: &str| {
            let card = folder.read(&format!("{form}{at}.npz.card.json"));
            String::from_utf8(card).unwrap().replace(form, "")
        };
        let guarantees = |form: &str| {
            let card: serde_json::Value = serde_json::from_str(&card(form)).unwrap();
            card["guarantees"].to_string()
        };
        assert_eq!(guarantees("plain"), guarantees("parts"), "{line}");
        folder.ok(&format!("verify parts{at}.npz.card.json"));
    }
}

#[test]
fn a_whole_system_in_parts_has_the_same_scores() {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 90 --classes 3 --features 12 --mean-degree 2.5 -o in.npz");
    folder.ok("data convert in.npz in.csr");
    let run = |input: &str, more: &str| {
        let line = "--epsilon 3 --bounds 0,1 --runs 2 --epochs 5 --seed 3 --quiet";
        let told = folder.json(&format!("run ldp-ge --dataset {input} {line} {more}"));
        let variants = told["variants"].as_array().unwrap().iter();
        let tests = |variant: &serde_json::Value| variant["test"].to_string();
        variants.map(tests).collect::<Vec<_>>()
    };
    let plain = run("in.npz", "");
    assert_eq!(plain.len(), 5);
    assert_eq!(plain, run("in.csr", "--memory 40M"));
}

#[test]
fn what_cannot_be_done_in_parts_is_said() {
    let folder = folder();
    let embed = "embed in.npz -o out.npz";
    folder.fails(&format!("{embed} --memory 64M --method push"), 2, &["--memory", "method power"]);
    folder.fails(&format!("{embed} --memory 1M"), 2, &["memory", "at least 37M"]);
    folder.fails(&format!("{embed} --memory much"), 2, &["--memory", "2G"]);
    folder.write("wishes.csv", b"3,0.5\n");
    let protect = "-o out.npz --epsilon 1 --memory 64M";
    folder.fails(
        &format!("protect edges in.npz {protect} --budgets wishes.csv"),
        2,
        &["budgets of people's own"],
    );
    folder.fails(
        &format!("protect edges in.npz {protect} --mechanism lap-graph"),
        2,
        &["whole graph"],
    );
    assert!(!folder.path("out.npz.ledger").exists(), "nothing was charged");
}
