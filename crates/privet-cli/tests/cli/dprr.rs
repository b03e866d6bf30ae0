//! `privet run dprr`, `privet attack poison` and the items of the paper, on generated threads.

use crate::ran::Folder;

const FAST: &str = "--epochs 3 --hidden 4 --runs 2";

#[test]
fn a_run_stands_beside_its_control_ceiling_and_majority() {
    let folder = Folder::new();
    let line = format!("run dprr --dataset synthetic --epsilon 1 --public-share 0.2 {FAST}");
    let told = folder.ok(&format!("{line} --seed 3 --html report.html -o out"));
    for part in [
        "private",
        "control",
        "published only",
        "ceiling",
        "majority",
        "simulated",
        "NOT protected",
    ] {
        assert!(told.contains(part), "'{part}' is missing:\n{told}");
    }
    for part in ["edge-ldp: (epsilon 1", "relationship-dp: (epsilon 2"] {
        assert!(told.contains(part), "'{part}' is missing:\n{told}");
    }
    assert_eq!(folder.names(), ["out", "report.html"]);
    folder.ok("verify out/share/card.json");
    let explained = folder.ok("verify out/share/card.json --explain");
    assert!(explained.contains("who publish"), "{explained}");
    for name in [
        "share/model.safetensors",
        "share/predicted.csv",
        "share/edges.ledger",
        "private/report.html",
    ] {
        assert!(!folder.read(&format!("out/{name}")).is_empty(), "{name}");
    }
    let json = folder.json(&line);
    assert_eq!(json["variants"].as_array().unwrap().len(), 7);
    assert_eq!(json["scores_are_simulated"], true);
    assert_eq!(json["settings"]["reading"], "summary");
    // The paper's reading stands beside, and can be asked for alone.
    let plain = folder.json(&format!("{line} --reading plain"));
    let scores = |json: &serde_json::Value, at: usize| json["variants"][at]["test"]["mean"].clone();
    assert_eq!(json["variants"][1]["variant"], "plain");
    assert_eq!(
        (scores(&json, 1), plain["variants"].as_array().unwrap().len()),
        (scores(&plain, 0), 6)
    );
}

/// The printed split costs more than what was asked for where graphs are small, and the card says so.
#[test]
fn the_printed_split_is_charged_with_its_true_total() {
    let folder = Folder::new();
    let line = format!(
        "run dprr --dataset synthetic --epsilon 0.2 --split paper --alpha 0.9 {FAST} -o out"
    );
    folder.ok(&line);
    let card: serde_json::Value =
        serde_json::from_slice(&folder.read("out/share/card.json")).unwrap();
    let epsilon = card["guarantees"][0]["loss"]["epsilon"].as_f64().unwrap();
    assert!(epsilon > 0.4, "{epsilon}");
    folder.ok("verify out/share/card.json");
}

#[test]
fn users_bring_their_own_epsilons() {
    let folder = Folder::new();
    folder.write("graphs.txt", b"2\n3 0\n0 1 1\n0 2 0 2\n0 1 1\n2 1\n0 1 1\n0 1 0\n");
    folder.write("eps.txt", b"1\n0.5\ninf\n1\n1\n");
    let line = format!("run dprr --dataset ./graphs.txt --epsilon 1 {FAST}");
    folder.fails(&format!("{line} --user-epsilons none.txt"), 1, &["none.txt"]);
    folder.write("bad.txt", b"1\n2\n");
    let bad = format!("{line} --user-epsilons bad.txt");
    assert!(!folder.fails(&bad, 1, &["line 2", "hidden"]).contains("'2'"));
    folder.fails(&format!("{bad} --show-values"), 1, &["line 2", "found '2'"]);
    folder.write("few.txt", b"1\n1\n");
    folder.fails(&format!("{line} --user-epsilons few.txt"), 2, &["one for each of 5 users"]);
}

#[test]
fn an_attack_is_shown_with_and_without_defences() {
    let line = format!("attack poison --dataset synthetic --epsilon 1 --beta 0.3 {FAST}");
    let folder = Folder::new();
    let told = folder.ok(&line);
    for part in ["no attack", "threshold", "handshake", "census", "wins back"] {
        assert!(told.contains(part), "'{part}' is missing:\n{told}");
    }
    let json = folder.json(&format!("{line} --w1 1 --w2 1"));
    let rows = json["outcomes"].as_array().unwrap();
    let caught = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        row["malicious_flagged"]["mean"].as_f64().unwrap()
    };
    assert!(caught("attack, defence handshake") > 0.9, "{rows:?}");
    assert_eq!(caught("attack, defence none"), 0.0);
}

/// Who knows a defence passes it.
#[test]
fn attackers_who_know_the_defence_pass_it() {
    let line = format!("attack poison --dataset synthetic --epsilon 1 --beta 0.3 {FAST}");
    let folder = Folder::new();
    for (attack, known) in [("matched", "handshake"), ("matched", "census"), ("shortcut", "census")]
    {
        let json = folder.json(&format!("{line} --attack {attack} --against {known}"));
        assert_eq!(json["attack"]["kind"], attack);
        let rows = json["outcomes"].as_array().unwrap();
        let wanted = format!("attack, defence {known}");
        let row = rows.iter().find(|row| row["name"] == wanted.as_str()).unwrap();
        assert_eq!(row["malicious_flagged"]["mean"], 0.0, "{attack}: {row}");
        assert_eq!(row["honest_flagged"]["mean"], 0.0, "{attack}: {row}");
    }
}

#[test]
fn figures_are_measured_and_made_again_from_their_cells() {
    let folder = Folder::new();
    let first = folder.json("reproduce dprr/fig7 --quick -o degrees");
    let cells = folder.read("degrees/cells.jsonl");
    assert_eq!(folder.json("reproduce dprr/fig7 --quick -o degrees"), first);
    assert_eq!(folder.read("degrees/cells.jsonl"), cells);
    let told = folder.ok("reproduce dprr/fig9 --quick --mechanisms dprr,rr -o time");
    assert!(told.contains("rr, m 5"), "{told}");
}

#[test]
fn mistakes_are_named_before_anything_is_made() {
    let folder = Folder::new();
    let run = "run dprr --dataset synthetic";
    folder.fails(&format!("{run} --epsilon 0"), 2, &["epsilon"]);
    folder.fails(&format!("{run} --epsilon 1 --public-share 2"), 2, &["public-share", "0 to 1"]);
    folder.fails(
        &format!("{run} --epsilon 1 --runs 0"),
        2,
        &["--runs: found 0", "measures nothing"],
    );
    folder.fails(&format!("{run} --epsilon 1 --mechanism dpr"), 2, &["dpr"]);
    folder.fails("run dprr --dataset reddit_binery --epsilon 1", 2, &["reddit_bin"]);
    let poison = "attack poison --dataset synthetic --epsilon 1";
    folder.fails(&format!("{poison} --beta 1.5"), 2, &["beta"]);
    folder.fails(&format!("{poison} --beta 0.1 --w1 2 --w2 0"), 2, &["w1"]);
    folder.fails(&format!("{poison} --beta 0.1 --theta 0"), 2, &["--theta"]);
    folder.fails(&format!("{poison} --beta 0.1 --attack matched --theta 0"), 2, &["--theta"]);
    folder.fails(&format!("{poison} --beta 0.1 --attack matched --w1 1 --w2 1"), 2, &["--w1"]);
    folder.fails(&format!("{poison} --beta 0.1 --against census"), 2, &["--against", "matched"]);
    let unknown = format!("{poison} --beta 0.1 --attack matched --against trust");
    folder.fails(&unknown, 2, &["trust", "handshake"]);
    folder.fails("reproduce dprr/fig4 -o out --mechanisms hds", 2, &["unknown mechanism 'hds'"]);
    folder.fails("reproduce dprr/fig9 -o out --datasets mutag", 2, &["its own graphs"]);
    folder.fails("reproduce dprr/fig4 -o out --decoding paper", 2, &["--decoding"]);
    assert_eq!(folder.names(), Vec::<String>::new());
}
