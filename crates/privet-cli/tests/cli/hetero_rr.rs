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
    let told = folder().json(
        "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 1 --runs 2 --tree features",
    );
    let names: Vec<&str> = told["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["published", "control", "public-only", "ceiling"]);
    assert_eq!(told["scores_are_simulated"], true);
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
}
