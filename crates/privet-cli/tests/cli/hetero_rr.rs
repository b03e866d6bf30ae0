//! `privet run hetero-rr`, `privet attack linkteller` and `privet attack reconstruct` on made-up people.

use crate::ran::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 210 --classes 3 --features 12 --mean-degree 6 -o in.npz");
    folder
}

fn mean(line: &serde_json::Value) -> f64 {
    let scores: Vec<f64> =
        line["scores"].as_array().unwrap().iter().map(|score| score.as_f64().unwrap()).collect();
    scores.iter().sum::<f64>() / scores.len() as f64
}

#[test]
fn a_run_stands_beside_its_control_public_edges_and_ceiling() {
    let folder = folder();
    let line = "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 1 --runs 2";
    // A tree has no part in votes.
    folder.fails(&format!("{line} --tree features"), 2, &["votes", "edges-as graph"]);
    let told = folder.json(&format!("{line} --tree features --edges-as graph"));
    let names: Vec<&str> = told["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["published", "control", "public-only", "no private data", "ceiling"]);
    assert_eq!(told["scores_are_simulated"], true);
    assert!(told["verdict"].as_str().unwrap().contains("over public edges alone"), "{told}");
}

/// Votes are the default, and a run of them releases who hears what, each person's class, and a card.
#[test]
fn votes_are_released_with_classes_and_a_card() {
    let folder = folder();
    let line =
        "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 2 --private-share 1 --runs 2";
    let told = folder.ok(&format!("{line} --seed 1 -o out"));
    for part in ["votes", "public-only", "difference", "NOT protected", "SIMULATION"] {
        assert!(told.contains(part), "'{part}' is missing:\n{told}");
    }
    assert!(folder.ok("verify out/share/card.json").starts_with("OK"));
    let read = |name: &str| String::from_utf8(folder.read(&format!("out/share/{name}"))).unwrap();
    let (classes, votes) = (read("classes.csv"), read("votes.csv"));
    assert_eq!(classes.lines().count(), 1 + 210);
    // Half of the people teach, and are told nothing.
    assert_eq!(votes.lines().count(), 1 + 105);
    assert!(classes.starts_with("id,class,probability,p:"), "{classes}");
    // A count of labels and one of guesses for each class, and one for each pair of classes.
    assert!(votes.lines().skip(1).all(|line| line.split(',').count() == 1 + 2 * 3), "{votes}");
    assert_eq!(read("class-pairs.csv").lines().count(), 1 + 6);
    assert!(!folder.read("out/share/model.safetensors").is_empty());
}

/// A custodian knows which edges are private: those of a file, which must be edges of the graph. Such a run may release.
#[test]
fn listed_edges_are_private_with_every_seed() {
    let folder = folder();
    folder.ok("data convert in.npz in --to csv");
    let edges = String::from_utf8(folder.read("in/edges.csv")).unwrap();
    let (header, rows) = edges.split_once('\n').unwrap();
    let half: Vec<&str> = rows.lines().step_by(2).collect();
    folder.write("secret.csv", format!("{header}\n{}\n", half.join("\n")).as_bytes());
    let line = "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 2 --runs 1";
    let told = folder.ok(&format!("{line} --private-edges secret.csv -o out"));
    assert!(!told.contains("SIMULATION") && told.contains("listed edges private"), "{told}");
    assert!(folder.ok("verify out/share/card.json").starts_with("OK"));
    // The same runs again come from the store; other edges are other runs.
    let count = || folder.read("runs").iter().filter(|&&byte| byte == b'\n').count();
    folder.ok(&format!("{line} --seed 1 --private-edges secret.csv --cells runs"));
    let first = count();
    folder.ok(&format!("{line} --seed 1 --private-edges secret.csv --cells runs"));
    assert_eq!(count(), first);
    folder.write("secret.csv", format!("{header}\n{}\n", half[1..].join("\n")).as_bytes());
    folder.ok(&format!("{line} --seed 1 --private-edges secret.csv --cells runs"));
    assert!(count() > first);
    // Neither two ways to say it, nor edges that are not there, nor a store of runs in place of the list.
    let twice = format!("{line} --private-edges secret.csv --private-share 0.5");
    folder.fails(&twice, 2, &["--private-share"]);
    folder.write("other.csv", format!("{header}\n0,999\n").as_bytes());
    folder.fails(&format!("{line} --private-edges other.csv"), 1, &["other.csv"]);
    folder.fails(&format!("{line} --private-edges missing.csv"), 1, &["missing.csv"]);
    let over = format!("{line} --private-edges secret.csv --cells secret.csv");
    folder.fails(&over, 3, &["it is what is read"]);
}

/// As for the other systems: a release whose card can be verified, a report, and runs that are not run twice.
#[test]
fn a_run_releases_reports_and_continues() {
    let folder = folder();
    let line = "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 1 --epsilon-features 20 --runs 2 --edges-as graph";
    let told = folder.ok(&format!("{line} --seed 1 --cells runs --html report.html -o out"));
    for part in ["published", "public-only", "difference", "NOT protected", "SIMULATION"] {
        assert!(told.contains(part), "'{part}' is missing:\n{told}");
    }
    assert!(folder.ok("verify out/share/card.json").starts_with("OK"));
    for name in ["share/published.npz", "share/model.safetensors", "share/features.ledger"] {
        assert!(!folder.read(&format!("out/{name}")).is_empty(), "{name}");
    }
    let cells = folder.read("runs");
    assert_eq!(cells.iter().filter(|&&byte| byte == b'\n').count(), 1 + 5 * 2);
    let first = folder.json(&format!("{line} --seed 1"));
    let again = folder.json(&format!("{line} --seed 1 --cells runs"));
    assert_eq!((&again["variants"], folder.read("runs")), (&first["variants"], cells));
    // Lots are no reason to call an edge public.
    folder.fails(&format!("{line} -o real"), 3, &["drawn by lot"]);
    let real = folder.ok(&format!("{line} --private-share 1 -o real"));
    assert!(!real.contains("SIMULATION") && real.contains("edges.ledger"), "{real}");
    // Another setting is another run, and another experiment leaves the file alone.
    folder.ok(&format!("{} --seed 1 --cells runs", line.replace("features 20", "features 30")));
    assert!(folder.read("runs").iter().filter(|&&byte| byte == b'\n').count() > 1 + 5 * 2);
    let other = "run dpar --dataset in.npz --epsilon 4 --cells runs";
    folder.fails(other, 3, &["made for experiment 'run hetero-rr'"]);
}

/// The unprotected model tells its edges from pairs that look alike; the published one tells little.
#[test]
fn linkteller_is_scored_against_pairs_that_look_alike() {
    let told = folder().json(
        "attack linkteller --dataset in.npz --bounds 0,1 --epsilon-edges 0.5 --private-share 0.3 \
         --runs 2 --probes 40",
    );
    let lines = told["lines"].as_array().unwrap();
    let (published, open) = (mean(&lines[0]), mean(&lines[3]));
    assert!(open > 0.8 && published < open - 0.15, "{published} {open}");
    assert_eq!(told["also"]["metric"], "AUC, any pairs");
    assert!((told["largest"].as_f64().unwrap() - 0.6225).abs() < 1e-3);
}

#[test]
fn reports_give_away_less_than_embeddings_in_the_clear() {
    let told = folder().json(
        "attack reconstruct --dataset in.npz --bounds 0,1 --epsilon-features 1 --runs 2 --width 8",
    );
    let lines = told["lines"].as_array().unwrap();
    assert!(mean(&lines[2]) > mean(&lines[0]) + 0.05, "{told}");
    assert!(told["verdict"].as_str().unwrap().starts_with("The attack reaches"), "{told}");
}
