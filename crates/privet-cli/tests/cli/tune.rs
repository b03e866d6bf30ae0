//! `privet tune`: a small search, what it writes, and mistakes.

use crate::ran::Folder;

fn people() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 2 --mean-degree 2.5 --features 8 --seed 1 -o people.npz");
    folder
}

const LINE: &str = "tune ldp-ge --dataset people.npz --bounds 0,1 --epsilon 1 --trials 4 --runs 2";

#[test]
fn a_search_gives_options_and_json_and_runs_once() {
    let folder = people();
    let told = folder.ok(&format!("{LINE} -o out"));
    for part in ["--alpha", "costs them nothing more", "preset", "noise only", "best settings"] {
        assert!(told.contains(part), "'{part}' is missing:\n{told}");
    }
    let best: serde_json::Value = serde_json::from_slice(&folder.read("out/best.json")).unwrap();
    assert!(best["embedding"]["alpha"].is_f64(), "{best}");
    let cells = folder.read("out/cells.jsonl");
    let again = folder.json(&format!("{LINE} -o out"));
    assert_eq!(again["settings"], best);
    assert_eq!(best["mechanism"], "hds");
    assert!(again["flags"].as_str().unwrap().contains("--learning-rate"), "{again}");
    assert_eq!(folder.read("out/cells.jsonl"), cells);
}

#[test]
fn searching_k_says_what_people_would_pay() {
    let folder = people();
    let told = folder.ok(&format!("{LINE} --tune-reports -o out"));
    assert!(told.contains("Real people would pay for all of them"), "{told}");
}

#[test]
fn mistakes_are_named_before_anything_is_made() {
    let folder = people();
    folder.fails(&format!("{LINE} --task graphs -o out"), 2, &["graphs", "nodes"]);
    folder.fails(&format!("{} -o out", LINE.replace("epsilon 1", "epsilon 0")), 2, &["epsilon"]);
    folder.fails(&format!("{} -o out", LINE.replace("trials 4", "trials 0")), 2, &["trials"]);
    folder.fails(&format!("{LINE} --mechanism gaussian -o out"), 2, &["delta"]);
    folder.fails("tune ldp-ge --dataset coral --epsilon 1 -o out", 2, &["coral"]);
    folder.fails(&format!("{LINE} -o people.npz"), 3, &["it is a file"]);
    assert_eq!(folder.names(), ["people.npz"]);
}

#[test]
fn what_a_search_prints_can_be_run() {
    let folder = people();
    let found = folder.json(&format!("{LINE} --assume-public columns -o 'out'").replace('\'', ""));
    let told = folder.ok(&format!("{LINE} --assume-public columns -o out"));
    let mut accuracies = Vec::new();
    for command in ["command", "short_command"] {
        let command = found[command].as_str().unwrap();
        assert!(told.contains(command), "{command} is not shown:\n{told}");
        assert!(command.contains("--bounds 0,1"), "{command}");
        let line = command.strip_prefix("privet ").unwrap();
        let ran = folder.json(&format!("{line} --runs 2"));
        let scores = |variant: &serde_json::Value| variant["test"].clone();
        accuracies.push(ran["variants"].as_array().unwrap().iter().map(scores).collect::<Vec<_>>());
    }
    assert_eq!(accuracies[0], accuracies[1], "both say the same");
}

#[test]
fn settings_of_something_else_are_refused() {
    let folder = people();
    folder.write("other.json", b"{\"a\": 1}");
    let run = "run ldp-ge --dataset people.npz --bounds 0,1 --epsilon 1 --runs 1";
    folder.fails(&format!("{run} --settings other.json"), 1, &["other.json", "best.json"]);
    folder.fails(&format!("{run} --settings none.json"), 1, &["none.json: no such file"]);
    folder.ok(&format!("{LINE} -o out"));
    let line = format!("{run} --task links --settings out/best.json");
    folder.fails(&line, 2, &["the task nodes"]);
}
