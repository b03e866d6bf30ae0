//! `privet protect`, then `privet verify`: the way of a dataset out of the house.

use crate::made::npz;
use crate::ran::Folder;

/// 60 people with 12 features between 0 and 1 and three classes, as `in.npz`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 3 --features 12 --mean-degree 1.5 -o in.npz");
    folder
}

const FEATURES: &str =
    "protect features in.npz -o out.npz --mechanism hds --epsilon 1 --bounds 0,1 --seed 7";

#[test]
fn features_are_replaced_and_the_rest_stays() {
    let folder = folder();
    let before = folder.json("data info in.npz");
    let ran = folder.run(&format!("{FEATURES} --json"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("SIMULATION") && ran.stderr.contains("seed 7"), "{}", ran.stderr);
    assert_eq!(
        folder.names(),
        ["in.npz", "out.npz", "out.npz.card.json", "out.npz.ledger", "out.npz.ledger.count"]
    );
    let told: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let guarantee = &told["card"]["guarantees"][0];
    assert_eq!(
        (&guarantee["unit"], &guarantee["loss"]["epsilon"]),
        (&"feature-row".into(), &1.0.into())
    );
    let unprotected = told["card"]["unprotected"].to_string();
    for part in ["connected to whom", "labels of every node: 3 classes", "there are 60"] {
        assert!(unprotected.contains(part), "{unprotected}");
    }
    let after = folder.json("data info out.npz");
    for same in ["nodes", "edges", "ids", "labels"] {
        assert_eq!(before[same], after[same], "{same}");
    }
    assert_eq!(after["features"]["columns"], 12);
    assert_ne!(before["features"], after["features"]);
}

#[test]
fn a_seed_is_a_result_and_no_seed_is_none() {
    let folder = folder();
    folder.ok(FEATURES);
    folder.ok(&FEATURES.replace("out.npz", "again.npz"));
    assert_eq!(folder.read("out.npz"), folder.read("again.npz"));
    let real = folder.run("protect labels in.npz -o real.npz --epsilon 1");
    assert_eq!(real.code, 0);
    assert!(
        real.stderr.starts_with("note: this account knows of no other release"),
        "{}",
        real.stderr
    );
    assert_eq!(real.stderr.lines().count(), 1);
    assert!(!real.stdout.contains("SIMULATION"), "{}", real.stdout);
}

#[test]
fn every_feature_mechanism_runs() {
    let folder = folder();
    for mechanism in ["laplace", "duchi", "hybrid", "square-wave", "feature-rr", "gaussian"] {
        let delta = if mechanism == "gaussian" { "--delta 1e-5" } else { "" };
        let out = format!("{mechanism}.npz");
        folder.ok(&format!(
            "protect features in.npz -o {out} --mechanism {mechanism} --epsilon 2 --bounds 0,1 {delta}"
        ));
        folder.ok(&format!("verify {out}.card.json"));
    }
}

#[test]
fn edges_become_a_graph_and_the_card_says_what_a_pair_costs() {
    let folder = folder();
    let cases = [
        ("dprr", "", "edge-ldp", Some(4.0)),
        ("dprr", "--merge one-sided", "edge-ldp", Some(2.0)),
        ("rr", "--merge or", "edge-ldp", Some(4.0)),
        ("local-lap", "", "edge-ldp", Some(2.2)),
        ("edge-rand", "", "edge-dp", None),
        ("lap-graph", "", "edge-dp", None),
    ];
    for (at, (mechanism, merge, relation, pair)) in cases.into_iter().enumerate() {
        let told = folder.json(&format!(
            "protect edges in.npz -o {at}.npz --mechanism {mechanism} {merge} --epsilon 2 --seed 1"
        ));
        let guarantee = &told["card"]["guarantees"][0];
        assert_eq!(guarantee["relation"], relation, "{mechanism}");
        let also = guarantee["also"][0]["loss"]["epsilon"].as_f64();
        let near = also.zip(pair).map(|(also, pair)| (also - pair).abs() < 1e-9);
        assert_eq!(near, pair.map(|_| true), "{mechanism} {merge}: {also:?}");
        let unprotected = told["card"]["unprotected"].to_string();
        assert!(!unprotected.contains("connected"), "{unprotected}");
        assert_eq!(folder.json(&format!("data info {at}.npz"))["nodes"], 60);
        folder.ok(&format!("verify {at}.npz.card.json"));
    }
    let directed = folder.json("data info 0.npz");
    assert_eq!(directed["direction"], "directed");
    folder.fails(
        "protect edges in.npz -o x.npz --mechanism edge-rand --merge or --epsilon 1",
        2,
        &["--merge"],
    );
    folder.write("arcs.csv", b"a,b\nb,c\n");
    let line =
        "protect edges arcs.csv --directed -o x.npz --merge or --epsilon 1 --assume-public ids";
    folder.fails(line, 2, &["directed", "--undirected"]);
}

#[test]
fn ids_stay() {
    let folder = Folder::with(&[
        ("friends.csv", b"ada,bob\nbob,cy\ncy,dee\n"),
        ("teams.csv", b"id,label\nada,red\nbob,red\ncy,blue\ndee,blue\n"),
    ]);
    folder.write("everyone.txt", b"ada\nbob\ncy\ndee\n");
    let stated = "--nodes everyone.txt --classes blue,red";
    folder
        .ok(&format!("protect labels friends.csv --labels teams.csv -o out --epsilon 1 {stated}"));
    let nodes = String::from_utf8(folder.read("out/nodes.csv")).unwrap();
    for id in ["ada", "bob", "cy", "dee"] {
        assert!(nodes.lines().any(|line| line.starts_with(id)), "{nodes}");
    }
    assert!(folder.path("out.card.json").exists() && folder.path("out.ledger").exists());
    folder.fails("protect edges friends.csv -o out.csv --epsilon 1", 3, &["out.csv", "folder"]);
}

#[test]
fn bounds_must_be_declared() {
    let folder = Folder::with(&[("in.npz", &npz(&[]))]);
    let line = "protect features in.npz -o out.npz --mechanism hds --epsilon 1";
    folder.fails(line, 3, &["not declared", "--bounds LOW,HIGH"]);
    assert_eq!(folder.names(), ["in.npz"]);
}

#[test]
fn over_the_limit_nothing_happens() {
    let folder = folder();
    let line = "protect labels in.npz -o out.npz --epsilon 1 --limit 0.5";
    folder.fails(line, 3, &["over the limit", "nothing was released"]);
    assert_eq!(folder.names(), ["in.npz"]);

    let spend =
        |out: &str| format!("protect labels in.npz -o {out} --epsilon 1 --ledger year.ledger");
    folder.ok(&format!("{} --limit 2", spend("1.npz")));
    let second = folder.json(&spend("2.npz"));
    assert_eq!(second["card"]["guarantees"][0]["loss"]["epsilon"], 2.0);
    let before = folder.read("year.ledger");
    folder.fails(&spend("3.npz"), 3, &["over the limit"]);
    assert_eq!(folder.read("year.ledger"), before);
    folder.fails(&format!("{} --limit 9", spend("3.npz")), 3, &["cannot become epsilon 9"]);
    let line = "protect edges in.npz -o 3.npz --epsilon 0.1 --ledger year.ledger";
    folder.fails(line, 3, &["unit label"]);
    let mut names =
        vec!["1.npz", "1.npz.card.json", "2.npz", "2.npz.card.json", "in.npz", "year.ledger"];
    names.push("year.ledger.count");
    assert_eq!(folder.names(), names);
    folder.ok("verify 1.npz.card.json --ledger year.ledger");
    folder.ok("verify 2.npz.card.json --ledger year.ledger");
    folder.ok("verify 2.npz.card.json"); // the card knows its ledger's name
    folder.write("far/x", b"");
    for name in ["2.npz", "2.npz.card.json"] {
        folder.write(&format!("far/{name}"), &folder.read(name));
    }
    folder.fails("verify far/2.npz.card.json", 1, &["no such ledger", "--ledger"]);
    folder.ok("verify far/2.npz.card.json --ledger year.ledger");
}

#[test]
fn nothing_is_replaced_unasked_and_no_account_ever() {
    let folder = folder();
    folder.ok(FEATURES);
    folder.fails(FEATURES, 3, &["out.npz", "exists already"]);
    folder.fails(&format!("{FEATURES} --overwrite"), 3, &["out.npz.ledger", "--ledger"]);
}

#[test]
fn a_failed_writing_keeps_the_charge_and_says_so() {
    let folder = folder();
    // Something is in the way of the card's draft, which is not checked beforehand.
    folder.write("out.npz.card.json.part/x", b"");
    let line = "protect labels in.npz -o out.npz --epsilon 1";
    folder.fails(line, 1, &["out.npz.card.json.part", "charge in out.npz.ledger stays"]);
    assert_eq!(String::from_utf8(folder.read("out.npz.ledger")).unwrap().lines().count(), 2);
    assert!(!folder.path("out.npz").exists() && !folder.path("out.npz.card.json").exists());
}

#[test]
fn what_can_be_known_to_fail_fails_before_the_charge() {
    let folder = folder();
    folder.fails("protect labels in.npz -o no/out.npz --epsilon 1", 1, &["no such folder"]);
    let line = "protect labels in.npz -o no/out.npz --epsilon 1 --ledger here.ledger";
    folder.fails(line, 1, &["no such folder"]);
    assert_eq!(folder.names(), ["in.npz"]);
}

#[test]
fn people_choose_their_own_budgets() {
    let folder = folder();
    folder.write("wishes.csv", b"id,epsilon\n0,0.5\n\n# those who do not mind\n7,public\n3, 2\n");
    let told = folder
        .json("protect labels in.npz -o labels.npz --epsilon 1 --budgets wishes.csv --seed 1");
    let guarantee = &told["card"]["guarantees"][0];
    assert_eq!(guarantee["loss"]["epsilon"], 2.0); // the worst of those who are protected
    let groups = guarantee["groups"].as_array().unwrap();
    let size = |epsilon: f64| {
        let group = groups.iter().find(|group| group["loss"]["epsilon"] == epsilon);
        group.and_then(|group| group["users"].as_u64())
    };
    assert_eq!([size(0.5), size(1.0), size(2.0)], [Some(1), Some(57), Some(1)]);
    assert!(groups.iter().any(|group| group["opted_out"] == true && group["users"] == 1));
    assert!(told["card"]["unprotected"].to_string().contains("the label of 1 person who chose"));
    folder.ok("verify labels.npz.card.json");

    // A row that is published comes out as it is; all others are noise.
    let line = "protect features in.npz -o rows --mechanism hds --epsilon 1 --bounds 0,1 --seed 1";
    folder.ok("data convert in.npz before");
    folder.ok(&format!("{line} --budgets wishes.csv"));
    let rows = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    let (before, after) = (rows("before/features.csv"), rows("rows/features.csv"));
    let of = |person: usize, text: &str| {
        let mine = format!("{person},");
        text.lines().filter(|line| line.starts_with(&mine)).map(str::to_owned).collect::<Vec<_>>()
    };
    let same: Vec<usize> = (0..60).filter(|&p| of(p, &before) == of(p, &after)).collect();
    assert_eq!(same, [7]);

    for mechanism in ["dprr", "rr --merge one-sided", "local-lap"] {
        let out = mechanism.split(' ').next().unwrap();
        let told = folder.json(&format!(
            "protect edges in.npz -o {out}.npz --mechanism {mechanism} --epsilon 1 --budgets wishes.csv"
        ));
        let also = &told["card"]["guarantees"][0]["also"];
        // Person 7 publishes: every relationship of theirs is published, and that is said first.
        assert_eq!(also[0]["loss"]["epsilon"], "inf", "{mechanism}");
        let pair = also[1]["loss"]["epsilon"].as_f64().unwrap();
        let wanted = match out {
            "dprr" => 3.0, // 2 and 1: the two who are protected least
            "rr" => 2.0,
            _ => 2.1,
        };
        assert!((pair - wanted).abs() < 1e-9, "{mechanism}: {pair}");
        folder.ok(&format!("verify {out}.npz.card.json"));
    }
}

#[test]
fn budgets_are_read_with_care() {
    let folder = folder();
    let line = "protect labels in.npz -o out.npz --epsilon 1 --budgets wishes.csv";
    folder.fails(line, 1, &["wishes.csv"]);
    for (text, words) in [
        ("0,1\n99,1\n", ["line 2", "'99'", "id of a node"]),
        ("0,1\n0,2\n", ["line 2", "'0'", "every id once"]),
        ("0;1\n", ["line 1", "'0;1'", "id,epsilon"]),
        ("0,-1\n", ["line 1", "'-1'", "positive"]),
        ("0,inf\n", ["line 1", "'inf'", "id,public"]),
    ] {
        folder.write("wishes.csv", text.as_bytes());
        folder.fails(&format!("{line} --show-values"), 1, &words);
        let told = folder.fails(line, 1, &[words[0], words[2], "hidden"]);
        assert!(!told.contains(words[1]), "{told}");
        assert_eq!(folder.names(), ["in.npz", "wishes.csv"]);
    }
    folder.write("wishes.csv", b"0,2\n");
    folder.fails(&format!("{line} --limit 1"), 3, &["over the limit"]);
    let line = "protect edges in.npz -o out.npz --mechanism edge-rand --epsilon 1";
    folder.fails(&format!("{line} --budgets wishes.csv"), 2, &["--budgets", "device"]);
}

/// One part after another: the last card promises all of it, and follows from all ledgers.
#[test]
fn a_card_goes_on_where_the_one_before_it_ended() {
    let folder = folder();
    folder.ok(FEATURES);
    folder.ok("protect labels out.npz -o two.npz --epsilon 1 --seed 1");
    let told = folder.json("protect edges two.npz -o three.npz --epsilon 2 --seed 1");
    let units: Vec<_> = told["card"]["guarantees"].as_array().unwrap().iter().collect();
    let units: Vec<_> = units.iter().map(|guarantee| guarantee["unit"].as_str().unwrap()).collect();
    assert_eq!(units, ["feature-row", "label", "neighbor-bit"]);
    let unprotected = told["card"]["unprotected"].as_array().unwrap();
    let text = told["card"]["unprotected"].to_string();
    for part in ["features of every node", "labels of every node", "connected to whom"] {
        assert!(!text.contains(part), "{text}");
    }
    assert_eq!(
        unprotected.iter().filter(|line| line.to_string().contains("ids of all")).count(),
        1
    );
    let ledgers = ["out.npz", "two.npz", "three.npz"].map(|name| format!("--ledger {name}.ledger"));
    folder.ok(&format!("verify three.npz.card.json {}", ledgers.join(" ")));
    folder.ok("verify three.npz.card.json"); // all three lie beside it
    let alone = folder.run("verify three.npz.card.json --ledger three.npz.ledger");
    assert!(alone.code == 1 && alone.stdout.contains("no ledger for the unit label"));
    let again = "protect labels three.npz -o four.npz --epsilon 1";
    folder.fails(again, 3, &["three.npz.card.json", "already", "the original"]);
}
