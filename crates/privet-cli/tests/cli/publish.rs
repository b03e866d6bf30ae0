//! `privet publish`: one private graph, its card, its two ledgers, and the custodian's report.

use crate::ran::Folder;

/// 60 people with 6 features between 0 and 1.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 2 --features 6 --mean-degree 2.5 -o in.npz");
    folder
}

const PUBLISH: &str = "publish in.npz --private-share 0.3 --epsilon-edges 1 --epsilon-features 3 \
                       --bounds 0,1 --public-steps 5 --seed 7 -o out.npz";

#[test]
fn a_graph_is_published_with_a_card_that_can_be_checked() {
    let folder = folder();
    let ran = folder.run(&format!("{PUBLISH} --utility-report custodian.json --json"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("SIMULATION"), "{}", ran.stderr);
    assert_eq!(
        folder.names(),
        [
            "custodian.json",
            "in.npz",
            "out.npz",
            "out.npz.card.json",
            "out.npz.edges.ledger",
            "out.npz.edges.ledger.count",
            "out.npz.features.ledger",
            "out.npz.features.ledger.count"
        ]
    );
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let units: Vec<String> = told["card"]["guarantees"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| format!("{} {}", g["unit"], g["loss"]["epsilon"]))
        .collect();
    assert_eq!(units, ["\"edge\" 1.0", "\"feature-row\" 3.0"]);
    let unprotected = told["card"]["unprotected"].to_string();
    for part in ["public edges", "labels of every node", "60 nodes"] {
        assert!(unprotected.contains(part), "{unprotected}");
    }
    let report = String::from_utf8(folder.read("custodian.json")).unwrap();
    assert!(report.contains("FOR THE CUSTODIAN ONLY"), "{report}");
    let verify = "verify out.npz.card.json --ledger out.npz.edges.ledger --ledger \
                  out.npz.features.ledger";
    folder.ok(verify);
    let info = folder.json("data info out.npz");
    assert_eq!(info["nodes"], 60);
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let folder = folder();
    let no_list = folder.run("publish in.npz --epsilon-edges 1 -o out.npz");
    assert_eq!(no_list.code, 2, "{}", no_list.stderr);
    let no_share = folder.run(&PUBLISH.replace("--private-share 0.3", "--private-share 1.5"));
    assert_ne!(no_share.code, 0);
    let no_column = folder.run(&format!("{PUBLISH} --sensitive-columns 99"));
    assert_eq!(no_column.code, 2, "{}", no_column.stderr);
    for (shared, told) in [
        ("--sensitive-columns 1,2", "--sensitive-columns: found 1,2 with mechanism laplace"),
        (
            "--public-sample in.npz",
            "--public-sample: found stochastic-blocks with mechanism laplace",
        ),
    ] {
        folder.fails(&format!("{PUBLISH} --mechanism laplace {shared}"), 2, &[told, "feature-rr"]);
    }
    assert_eq!(folder.names(), ["in.npz"]);
}

#[test]
fn unproven_methods_say_so() {
    let folder = folder();
    let told = folder.json(
        "publish in.npz --all-private --epsilon-edges 1 --method priv-hrg --private-steps 2 \
         --public-steps 2 --seed 1 -o out.npz --accept large-epsilon",
    );
    let release = &told["card"]["guarantees"][0]["releases"][0];
    assert!(release["status"].to_string().contains("unproven"), "{release}");
}

/// Trees and wirings read nothing private: the price is the same, and each publishes another graph.
#[test]
fn trees_and_wirings_cost_nothing() {
    let folder = folder();
    let mut edges = Vec::new();
    for (at, options) in
        ["", "--tree features", "--wiring uniform", "--wiring closing-only"].iter().enumerate()
    {
        let publish = PUBLISH.replace("out.npz", &format!("out{at}.npz"));
        let told = folder.json(&format!("{publish} {options}"));
        assert_eq!(told["card"]["guarantees"][0]["loss"]["epsilon"], 1.0);
        let info = folder.json(&format!("data info out{at}.npz"));
        edges.push((info["edges"].as_u64().unwrap(), folder.read(&format!("out{at}.npz"))));
    }
    assert_eq!(edges[0].0, edges[2].0, "a wiring keeps the count");
    assert!(edges[3].0 <= edges[0].0, "what finds no friends of friends is left out");
    edges.dedup_by(|a, b| a.1 == b.1);
    assert_eq!(edges.len(), 4);
    let none = PUBLISH.replace("--epsilon-features 3", "").replace("out.npz", "no.npz");
    let refused = folder.run(&format!("{none} --tree features"));
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("a row for every node"), "{}", refused.stderr);
    assert!(!folder.names().iter().any(|name| name.starts_with("no.npz")), "{:?}", folder.names());
}
