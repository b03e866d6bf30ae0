//! `privet run dpar`: every score beside features alone and the majority, with what it truly costs.

use crate::ran::Folder;

/// 150 people with 12 features and two classes, as `in.npz`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 150 --classes 2 --features 12 --mean-degree 4 -o in.npz");
    folder
}

const QUICK: &str = "--runs 2 --batch 40 --steps 4 --sources 10 --delta 1e-3";

#[test]
fn scores_stand_beside_features_alone_and_the_price() {
    let folder = folder();
    let told = folder.json(&format!("run dpar --dataset in.npz --epsilon 4 --method em0 {QUICK}"));
    let rows = told["variants"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["variant"].as_str().unwrap()).collect();
    let expected =
        ["private", "control", "features", "spread", "no-private-data", "ceiling", "majority"];
    assert_eq!(names, expected);
    assert_eq!((&rows[0]["epsilon"], &rows[4]["epsilon"]), (&4.0.into(), &0.0.into()));
    assert!(rows[5]["epsilon"].is_null(), "{told}");
    assert!(rows[0]["most_rows_of_one_node"].as_u64().unwrap() <= 2, "{told}");
    let text = folder.ok(&format!("run dpar --dataset in.npz --epsilon 4 --method gap {QUICK}"));
    assert!(text.contains("over features alone") && text.contains("NOT protected"), "{text}");
    // Its number depends on the data, which were not asked: in the table and in the verdict.
    assert!(text.matches("if no person has more than 10 neighbours").count() >= 2, "{text}");
    assert_eq!(folder.names(), ["in.npz"], "nothing is written unasked");
}

#[test]
fn paper_mode_tells_the_true_epsilon() {
    let folder = folder();
    let line = format!("run dpar --dataset in.npz --epsilon 1 --mode paper --method gm {QUICK}");
    let told = folder.json(&format!("{line} --sample 0.5"));
    let private = &told["variants"][0];
    assert_eq!(private["printed"], 1.0);
    assert!(private["epsilon"].as_f64().unwrap() > 2.0, "{told}");
    assert!(told["verdict"].as_str().unwrap().contains("(printed: 1)"), "{told}");
}

#[test]
fn a_release_can_be_verified() {
    let folder = folder();
    let line = format!("run dpar --dataset in.npz --epsilon 4 --relation node-replace {QUICK}");
    let text = folder.ok(&format!("{line} -o out --html report.html"));
    assert!(text.contains("nodes.ledger") && text.contains("node-replace"), "{text}");
    let text = folder.ok("verify out/share/card.json");
    assert!(text.starts_with("OK"), "{text}");
    folder.fails(&format!("{line} -o out"), 3, &["not empty"]);
}

#[test]
fn connections_alone_can_be_hidden() {
    let folder = folder();
    let line =
        format!("run dpar --dataset in.npz --epsilon 1 --method gap --relation edge-dp {QUICK}");
    let told = folder.json(&line);
    assert_eq!(told["facts"]["relation"], "edge-dp");
    let rows = told["variants"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["variant"].as_str().unwrap()).collect();
    assert_eq!(names, ["private", "control", "features", "no-private-data", "ceiling", "majority"]);
    // Features alone read no connection, so they cost nothing.
    assert_eq!((&rows[0]["epsilon"], &rows[2]["epsilon"]), (&1.0.into(), &0.0.into()));
    let text = folder.ok(&format!("{line} -o out"));
    assert!(text.contains("edges.ledger") && text.contains("edge-dp"), "{text}");
    assert!(folder.ok("verify out/share/card.json").starts_with("OK"));
    folder.fails(&line.replace("gap", "em0"), 2, &["edge-dp"]);
}

/// Public facts choose what trains; a setting of training says that something does, and is never ignored.
#[test]
fn what_is_typed_of_training_is_heard() {
    let folder = folder();
    let method = |line: &str| {
        let told = folder.json(&format!("run dpar --dataset in.npz --epsilon 1 --runs 1 {line}"));
        told["settings"]["method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method(""), "class-sums");
    assert_eq!(method("--steps 4 --batch 40"), "smoothed-sgd");
    let line = "run dpar --dataset in.npz --epsilon 1 --method class-sums --steps 4";
    folder.fails(
        line,
        2,
        &["--steps: this is a setting of training, and class-sums does not train"],
    );
    // Where one of several methods trains, the setting is its own.
    let attack =
        "attack membership --dataset no-such.npz --epsilon 4 --delta 1e-3 --steps 4 --methods";
    let told = ["--steps: this is a setting of training", "name a method that trains"];
    folder.fails(&format!("{attack} class-sums"), 2, &told);
    folder.fails(&format!("{attack} class-sums,em0"), 1, &["no-such.npz"]);
}

#[test]
fn nonsense_is_refused() {
    let folder = folder();
    folder.fails("run dpar --dataset in.npz --epsilon 0", 2, &["--epsilon: found 0", "above 0"]);
    folder.fails("run dpar --dataset in.npz --epsilon 1 --share 1", 2, &["--share: found 1"]);
    folder.fails("run dpar --dataset in.npz --epsilon 1 --runs 0", 2, &["measures nothing"]);
    folder.fails("run dpar --dataset in.npz --epsilon 1 --method rr", 2, &["rr"]);
    let line = "run dpar --dataset in.npz --epsilon 1 --mode paper --method gap";
    folder.fails(line, 2, &["mode of gap"]);
    folder.fails(&line.replace("gap", "sage"), 2, &["mode of sage"]);
    folder.fails(&line.replace("gap", "class-sums"), 2, &["mode of class-sums"]);
    folder.fails("run dpar --dataset in.npz --epsilon 1 --likeness=-1", 2, &["likeness"]);
    let line = "run dpar --dataset in.npz --epsilon 1 --method sage --projection 4";
    folder.fails(line, 2, &["projection"]);
}

/// Figure 9: a picture per model, with numbers to compare it by; made again from its cells.
#[test]
fn pictures_of_those_who_were_not_trained_on() {
    let folder = folder();
    let line = "reproduce dpar/fig9 --datasets in.npz --epsilons 4 -o out";
    let told = folder.json(line);
    let blocks = told["sections"][0]["blocks"].as_array().unwrap();
    // Three models at one epsilon, and one without privacy.
    assert_eq!(blocks.len(), 2 + 4, "{told}");
    let rows = blocks[1]["table"]["rows"].as_array().unwrap();
    let best = rows[3][2]["value"].as_f64().unwrap();
    assert!(best > 0.6, "without noise classes lie apart: {rows:?}");
    let plots = crate::ran::names_in(&folder.path("out/plots"));
    assert_eq!(plots.iter().filter(|name| name.ends_with(".svg")).count(), 4, "{plots:?}");
    assert_eq!(folder.json(line), told);
    folder.fails(&format!("{line} --runs 3"), 2, &["one run of each model"]);
}

/// A figure along a setting has features alone and the true epsilon beside what is printed.
#[test]
fn figures_tell_what_features_alone_achieve() {
    let text = folder().ok("reproduce dpar/fig3 --datasets in.npz --epsilons 8 --runs 1 -o out");
    for part in ["gm, epsilon 8", "features, epsilon 8", "majority class", "[true"] {
        assert!(text.contains(part), "'{part}' is missing:\n{text}");
    }
}
