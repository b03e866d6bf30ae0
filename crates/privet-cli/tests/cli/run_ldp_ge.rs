//! `privet run ldp-ge`: scores that stand beside their control, releases that can be verified.

use crate::made::npz;
use crate::ran::{Folder, names_in};

/// 120 people with 12 features and three classes, as `in.npz`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 120 --classes 3 --features 12 --mean-degree 3 -o in.npz");
    folder
}

const QUICK: &str = "--hidden 16 --runs 2 --epochs 3 --bounds 0,1";

fn line(more: &str) -> String {
    format!("run ldp-ge --dataset in.npz --epsilon 1 {QUICK} {more}")
}

/// Scores depend on the last digits of products, which differ between processors: only their places
/// are compared.
fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let negative = letter == '−' && letters.peek().is_some_and(char::is_ascii_digit);
        if !letter.is_ascii_digit() && !negative {
            plain.push(letter);
            continue;
        }
        while letters.next_if(|next| next.is_ascii_digit() || *next == '.').is_some() {}
        plain.push('#');
    }
    plain.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn scores_stand_beside_what_noise_alone_achieves() {
    let folder = folder();
    let ran = folder.run(&line("--ways features"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let (table, verdict) = ran.stdout.trim_end().rsplit_once("\n\n").unwrap();
    insta::assert_snapshot!(without_numbers(table), @r"
    LDP-GE on stochastic-blocks: node classification, # people, private features
    hds, epsilon # for # of # columns each
    simulated with seeds # to #, compared with the truth

    test accuracy
    private # ± # % # %: # to #; # runs randomised features and the graph
    control # ± # % # %: # to #; # runs noise alone and the graph: no user's features
    no private data # ± # % # %: # to #; # runs the best learner that reads nothing private: label propagation, majority
    ceiling # ± # % # %: # to #; # runs everything in the clear, the best of several learners: what privacy costs
    graph-free # ± # % # %: # to #; # runs randomised features, not spread over the graph
    difference # ± # % # %: # to #; # runs private − control, p = #

    balanced accuracy macro F# AUC
    private # ± # % # ± # % # ± # %
    control # ± # % # ± # % # ± # %
    no private data # ± # % # ± # % # ± # %
    ceiling # ± # % # ± # % # ± # %
    graph-free # ± # % # ± # % # ± # %

    confusion matrix of the first row, all runs together
    # # # are class #
    # # # are class #
    # # # are class #
    answered, from left to right: class #, class #, class #
    ");
    assert!(verdict.contains("over the noise-only control"), "{verdict}");
    assert_eq!(folder.names(), ["in.npz"], "nothing is written unasked");
}

#[test]
fn the_same_seeds_give_the_same_scores() {
    let folder = folder();
    let told = folder.json(&line("--task links --seed 5"));
    let again = folder.json(&line("--task links --seed 5"));
    assert_eq!(told["seeds"], serde_json::json!([5, 6]));
    assert_eq!(
        (&told["facts"]["task"], &told["scores_are_simulated"]),
        (&"links".into(), &true.into())
    );
    let names: Vec<&str> = told["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["variant"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["private", "control", "no-private-data", "ceiling", "graph-free"]);
    for at in 0..5 {
        assert_eq!(told["variants"][at]["test"], again["variants"][at]["test"]);
        let mean = told["variants"][at]["test"]["mean"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&mean), "{told}");
    }
    let difference = told["variants"][0]["test"]["mean"].as_f64().unwrap()
        - told["variants"][1]["test"]["mean"].as_f64().unwrap();
    let added = told["private_minus"]["control"]["difference"]["mean"].as_f64().unwrap();
    assert!((difference - added).abs() < 1e-12, "{told}");
    assert_eq!((&told["facts"]["k"], &told["facts"]["columns"]), (&1.into(), &12.into()));
    assert_eq!((&told["schema"], &told["system"]), (&"privet.run/1".into(), &"ldp-ge".into()));
    assert!(told["release"].is_null() && told["verdict"].is_string());
}

/// What may be shared is apart from what was measured on the raw data.
fn assert_released(folder: &Folder) {
    assert_eq!(names_in(&folder.path("out")), ["private", "share"]);
    assert_eq!(
        names_in(&folder.path("out/share")),
        [
            "README.txt",
            "card.json",
            "embedding.npz",
            "features.ledger",
            "features.ledger.count",
            "model.safetensors"
        ]
    );
    assert_eq!(
        names_in(&folder.path("out/private")),
        ["README.txt", "plots", "report.html", "report.json", "report.md"]
    );
    let note =
        |part: &str| String::from_utf8(folder.read(&format!("out/{part}/README.txt"))).unwrap();
    assert!(note("share").starts_with("May be shared"), "{}", note("share"));
    assert!(note("private").contains("Do not share"), "{}", note("private"));
}

#[test]
fn a_release_is_real_and_can_be_verified() {
    let folder = folder();
    let told = folder.json(&line("-o out --ways features"));
    assert_released(&folder);
    assert_eq!(told["release"]["simulation"], false);
    assert_eq!(told["release"]["card"]["guarantees"][0]["loss"]["epsilon"], 1.0);
    let verdict = folder.json("verify out/share/card.json");
    assert_eq!((&verdict["holds"], &verdict["simulation"]), (&true.into(), &false.into()));
    let rows = folder.json("data info in.npz --features out/share/embedding.npz");
    assert_eq!(rows["features"]["columns"], 12);
    let report = String::from_utf8(folder.read("out/private/report.md")).unwrap();
    for part in ["privet run ldp-ge --dataset in.npz", "noise-only control", "keep the latter"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert_eq!(folder.names(), ["in.npz", "out"], "nothing is left beside it");
    folder.fails(&line("-o out"), 3, &["out", "not empty"]);
    folder.fails(&line("-o no/out"), 1, &["no such folder"]);
}

#[test]
fn a_seeded_release_is_stamped() {
    let folder = folder();
    std::fs::create_dir(folder.path("out")).unwrap();
    let told = folder.ok(&line("-o out --seed 3 --task links --html report.html"));
    assert!(told.contains("SIMULATION"), "{told}");
    assert_released(&folder);
    assert!(folder.ok("verify out/share/card.json").contains("SIMULATION"));
    let page = String::from_utf8(folder.read("report.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("gives no protection"));
    folder.fails(&line("--html report.html"), 3, &["report.html", "exists already"]);
}

#[test]
fn everything_can_be_private_at_once() {
    let folder = folder();
    let secrets = "--private features,labels,edges --label-epsilon 2 --edge-epsilon 3 -o out";
    let told = folder.json(&line(secrets));
    let guarantees = told["release"]["card"]["guarantees"].as_array().unwrap();
    let losses: Vec<(&str, f64)> = guarantees
        .iter()
        .map(|g| (g["unit"].as_str().unwrap(), g["loss"]["epsilon"].as_f64().unwrap()))
        .collect();
    assert_eq!(losses, [("feature-row", 1.0), ("label", 2.0), ("neighbor-bit", 3.0)]);
    let ledgers: Vec<String> = names_in(&folder.path("out/share"))
        .into_iter()
        .filter(|name| name.ends_with(".ledger"))
        .collect();
    assert_eq!(ledgers, ["edges.ledger", "features.ledger", "labels.ledger"]);
    assert_eq!(folder.json("verify out/share/card.json")["holds"], true);
    // Both ends report a pair: a promise about edges costs twice that about a list.
    let pair = &guarantees[2]["also"][0];
    assert_eq!(
        (&pair["relation"], &pair["loss"]["epsilon"]),
        (&"relationship-dp".into(), &6.0.into())
    );
    let how =
        ["edge-mechanism", "merge", "label-radii"].map(|name| told["settings"][name].as_str());
    assert_eq!(how, [Some("rr"), Some("and"), Some("0.5,0.2,0.05")]);
}

/// The guarantees of a release: what is protected, and its epsilon.
fn promised(told: &serde_json::Value) -> Vec<(String, f64)> {
    let guarantees = told["release"]["card"]["guarantees"].as_array().unwrap().iter();
    let one = |g: &serde_json::Value| {
        (g["unit"].as_str().unwrap().to_owned(), g["loss"]["epsilon"].as_f64().unwrap())
    };
    guarantees.map(one).collect()
}

/// Where features are public, no budget is spent on them, and what they add is not asked.
#[test]
fn edges_alone_can_be_private() {
    let folder = folder();
    let told = folder.json(&line("--protocol blink -o out --seed 1"));
    assert_eq!(promised(&told), [("neighbor-bit".to_owned(), 1.0)]);
    assert_eq!(told["facts"]["private"], serde_json::json!(["edges"]));
    let names: Vec<&str> = told["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["variant"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["private", "no-private-data", "ceiling"]);
    assert_eq!(told["settings"]["ways"], "own-features,propagation,labels,features,both,joint");
    assert!(told["verdict"].as_str().unwrap().starts_with("Private edges at epsilon 1."), "{told}");
    let typed = folder.json(&line("--private edges --edge-epsilon 1 --seed 1"));
    assert_eq!(typed["variants"][0]["test"], told["variants"][0]["test"]);
}

#[test]
fn lpgnns_setting_is_multi_bit_and_labels() {
    let folder = folder();
    let told = folder.json(&line("--protocol lpgnn --label-epsilon 2 -o out --seed 1"));
    let expected = [("feature-row".to_owned(), 1.0), ("label".to_owned(), 2.0)];
    assert_eq!(promised(&told), expected);
    assert_eq!(told["settings"]["mechanism"], "multi-bit");
    folder.fails(&line("--protocol lpgnn"), 2, &["--label-epsilon is missing"]);
    folder.fails(&line("--protocol lpgnn --private edges"), 2, &["--private"]);
}

/// One budget for label and list: nothing is asked of features, and the two add up.
#[test]
fn a_budget_can_be_divided() {
    let folder = folder();
    let told = folder.json(&line("--private features,labels,edges --one-budget -o out --seed 1"));
    let promised = promised(&told);
    let units: Vec<&str> = promised.iter().map(|(unit, _)| unit.as_str()).collect();
    assert_eq!(units, ["label", "neighbor-bit"]);
    let sum: f64 = promised.iter().map(|(_, epsilon)| epsilon).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    assert!(!names_in(&folder.path("out/share")).contains(&"features.ledger".to_owned()));
    assert!(
        told["verdict"].as_str().unwrap().starts_with("Features were not asked for."),
        "{told}"
    );
    let mut others = told["variants"].as_array().unwrap().iter().map(|v| &v["variant"]);
    assert!(others.all(|variant| variant != "control"), "{told}");
}

#[test]
fn edges_are_reported_as_asked() {
    let folder = folder();
    let edges = "--private features,edges --edge-epsilon 2 --seed 1 -o";
    let told = folder.json(&line(&format!("{edges} a --edge-mechanism dprr --label-radii none")));
    let how = ["edge-mechanism", "merge"].map(|name| told["settings"][name].as_str());
    assert_eq!(
        (how, &told["settings"]["label-radii"]),
        ([Some("dprr"), Some("directed")], &().into())
    );
    let told = folder.json(&line(&format!("{edges} b --merge one-sided")));
    let pair = &told["release"]["card"]["guarantees"][1]["also"][0]["loss"]["epsilon"];
    assert_eq!(pair, 2.0, "one of the two is asked: {told}");
    folder.fails(&line("--merge and"), 2, &["--edge-epsilon"]);
}

#[test]
fn volunteers_teach_and_others_answer() {
    let folder = folder();
    let told = folder.json(&line("--volunteers 0.3 -o out"));
    assert_eq!(
        (&told["facts"]["volunteers"], &told["settings"]["mechanism"]),
        (&0.3.into(), &"answer-rr".into())
    );
    assert!(told["private_minus"]["control"]["p_value"].is_number(), "{told}");
    let card = &told["release"]["card"];
    assert_eq!(card["guarantees"][0]["loss"]["epsilon"], 1.0);
    let open = card["unprotected"].to_string();
    assert!(open.contains("volunteers") && open.contains("labels"), "{open}");
    assert_eq!(folder.json("verify out/share/card.json")["holds"], true);
    assert!(folder.ok(&line("--volunteers 0.3")).contains("30 % volunteers"));
    for (more, part) in [("--k 2", "--k"), ("--task links", "classes"), ("--explain", "--explain")]
    {
        folder.fails(&line(&format!("--volunteers 0.3 {more}")), 2, &[part]);
    }
    folder.fails(&line("--volunteers 1"), 2, &["between 0 and 1"]);
}

#[test]
fn a_forecast_collects_nothing() {
    let folder = folder();
    insta::assert_snapshot!(without_numbers(&folder.ok(&line("--explain"))), @r"
    hds at epsilon # on stochastic-blocks a forecast from public facts: nothing was collected

    Each person reports # of # columns; least variance with #

    a value of is off by and spreads by
    # # #
    # # #
    # # #

    spread over the graph (alpha #, r #) least median largest
    what averaging leaves of the noise # # #
    sum of a node's weights # # #
    deviation of an embedding's entry # # #
    bound on all columns of a node, but for # % of nodes # # #

    Two groups whose means differ by # in every column would just show in a median node.
    If they differ by # % of the range (--contrast), epsilon # would be needed.
    ");
    let told = folder.json(&line("--explain --mechanism laplace"));
    assert!(told["embedding_bound"]["median"].is_null(), "Laplace noise has no end: {told}");
    assert!(told["epsilon_for_contrast"].as_f64().unwrap() > 1.0, "{told}");
    let edges = "--explain --private features,edges --edge-epsilon 1";
    folder.fails(&line(edges), 3, &["computed from the graph"]);
    folder.fails(&line("--explain --mechanism feature-rr"), 2, &["feature-rr"]);
    folder.fails(&line("--explain -o out"), 2, &["--output"]);
    assert_eq!(folder.names(), ["in.npz"]);
}

#[test]
fn mistakes_are_named() {
    let folder = folder();
    let cases: [(&str, &[&str]); 14] = [
        ("--mechanism hdss", &["hdss", "hds"]),
        ("--k 13", &["k", "13"]),
        ("--mechanism gaussian", &["delta"]),
        ("--rmax 1", &["--rmax", "it is for push"]),
        ("--task links --private features,edges --edge-epsilon 1", &["links", "private edges"]),
        ("--task links --private features,labels --label-epsilon 1", &["labels", "for nothing"]),
        ("--private edges --task links", &["nothing to hide"]),
        ("--private edges --explain", &["public here"]),
        ("--private features,labels --one-budget", &["one of them is public"]),
        ("--private labels,edges --one-budget --edge-epsilon 1", &["--one-budget"]),
        ("--ways joint", &["joint", "features are private"]),
        ("--private features,labels", &["--label-epsilon is missing"]),
        ("--edge-epsilon 1", &["public"]),
        ("--alpha 0", &["alpha"]),
    ];
    for (options, parts) in cases {
        let output = if options.contains("--explain") { "" } else { "-o out" };
        folder.fails(&line(&format!("{options} {output}")), 2, parts);
    }
    folder.fails(&line("--contrast 0.1"), 2, &["--explain"]);
    let with = |dataset: &str, more: &str| format!("run ldp-ge --dataset {dataset} {more}");
    folder.fails(
        &with("in.npz", "--epsilon 1 --runs 0"),
        2,
        &["--runs: found 0", "measures nothing"],
    );
    folder.fails(&with("in.npz", "--epsilon 1 --hidden 1,x"), 2, &["128,64"]);
    folder.fails(&with("in.npz", "--epsilon=-1 --bounds 0,1"), 2, &["epsilon"]);
    folder.fails(&with("in.npz", "--epsilon 0 --bounds 0,1"), 2, &["epsilon", "0"]);
    folder.write("raw.npz", &npz(&[]));
    folder.fails(&with("raw.npz", "--epsilon 1"), 3, &["not declared", "--bounds LOW,HIGH"]);
    folder.fails(&with("coar", "--epsilon 1"), 2, &["coar", "cora"]);
    let absent = ["privet data fetch cora", "--dataset synthetic"];
    folder.fails(&with("cora", "--epsilon 1"), 1, &absent);
    assert_eq!(folder.names(), ["in.npz", "raw.npz"]);
}
