//! `privet attack membership`: every rate beside its ceiling, in words and as JSON.

use crate::ran::Folder;

/// 120 people with 30 features and two classes, as `in.npz`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 120 --classes 2 --features 30 --mean-degree 4 -o in.npz");
    folder
}

const QUICK: &str = "--shadows 8 --targets 20 --steps 4 --sources 10 --delta 1e-3";

#[test]
fn every_rate_has_a_ceiling_beside_it() {
    let folder = folder();
    let line = format!("attack membership --dataset in.npz --epsilon 1 --methods em0,sage {QUICK}");
    let told = folder.json(&line);
    let rows = told["outcomes"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["em0", "sage", "dpar-in-the-clear", "features-in-the-clear"]);
    assert_eq!(rows[0]["ceiling"]["epsilon"], 1.0);
    assert!(rows[0]["auc"]["low"].as_f64().unwrap() <= 0.74, "{told}");
    // Targets that too few of the eight models hold, or lack, are left out.
    assert_eq!(rows[0]["targets"], 20);
    assert!((100..=160).contains(&rows[0]["trials"].as_u64().unwrap()), "{told}");
    let text = folder.ok(&format!("{line} --html out.html"));
    assert!(text.contains("proves nothing"), "{text}");
    assert_eq!(folder.names(), ["in.npz", "out.html"]);
    let page = String::from_utf8(folder.read("out.html")).unwrap();
    assert!(page.contains("at most 0."), "{text}");
}

#[test]
fn the_printed_ceiling_stands_beside_the_true_one() {
    let folder = folder();
    let line = "attack membership --dataset in.npz --epsilon 1 --mode paper --methods features";
    let told = folder.json(&format!("{line} {QUICK} --sample 0.5 --batch 20"));
    let row = &told["outcomes"][0];
    assert_eq!(row["printed"]["epsilon"], 1.0);
    assert!(row["ceiling"]["epsilon"].as_f64().unwrap() > 1.0, "{told}");
}

#[test]
fn connections_are_sought_too() {
    let folder = folder();
    let line = "attack membership --dataset in.npz --epsilon 1 --target connections";
    let told = folder.json(&format!("{line} --relation edge-dp --methods gap {QUICK}"));
    assert_eq!((&told["relation"], &told["sought"]), (&"edge-dp".into(), &"connections".into()));
    assert_eq!(told["outcomes"][0]["ceiling"]["epsilon"], 1.0);
    // A guarantee for whole people covers a connection at twice the epsilon; what reads none tells none.
    let told = folder.json(&format!("{line} --methods gap,features {QUICK}"));
    assert_eq!(told["outcomes"][0]["ceiling"]["epsilon"], 2.0);
    assert_eq!(told["outcomes"][1]["ceiling"]["epsilon"], 0.0);
}

#[test]
fn nonsense_is_refused() {
    let folder = folder();
    let line = "attack membership --dataset in.npz --epsilon 1";
    folder.fails(&format!("{line} --shadows 3"), 2, &["too few"]);
    folder.fails(&format!("{line} --targets 0"), 2, &["--targets: found 0, expected at least 1"]);
    folder.fails(&format!("{line} --methods rr"), 2, &["rr"]);
    folder.fails(&format!("{line} --relation edge-dp --methods em0"), 2, &["edge-dp"]);
}
