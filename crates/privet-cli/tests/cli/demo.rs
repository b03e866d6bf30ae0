//! `privet demo`: needs nothing, fits a screen, speaks plainly where it must.

use crate::ran::Folder;

#[test]
fn runs_anywhere_and_is_plain_when_piped() {
    let folder = Folder::new();
    let ran = folder.run("demo");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    // Scores depend on the last digits of products, which differ between processors.
    let (before, scores) = ran.stdout.split_once("4 train").unwrap();
    insta::assert_snapshot!(before, @r"
    A tour of Privet  on people who do not exist, seed 7; nothing is read or sent

    1 graph    make up people in communities, with interests that hint at theirs
      size       1,000 nodes, 4,000 edges
      known      4 classes, 256 features
      homophily  79.65 % of edges join people of one class
      degrees    ▁▁▃█▅▁▁▁  0 to 79, median 6
    2 protect  randomise every person's features before anybody else sees them
      sent       1,000 reports by hds, each 1 of 256 numbers, with noise
      cost       epsilon 1 for each person, written down before the noise was drawn
      again?     refused: the ledger has nothing left
      noise      replayed from the seed, so this is a simulation and is stamped as one
    3 embed    spread the randomised features along the edges
      rows       1,000 of 256 numbers; averaging leaves 12.7 % of the noise (median)
    ");
    for part in ["private ", "control ", "ceiling ", "graph-free ", "result     At epsilon 1 the"] {
        assert!(scores.contains(&format!("\n  {part}")), "{part}: {scores}");
    }
    assert!(scores.contains("\nNext: privet data list"), "{scores}");
    assert!(folder.names().is_empty(), "it leaves nothing behind");
}

#[test]
fn colour_is_used_only_where_it_is_wanted() {
    let folder = Folder::new();
    let escapes = |line: &str, variables: &[(&str, &str)]| {
        let output = folder.command(line).envs(variables.iter().copied()).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!escapes("data list cora", &[]), "a pipe is no terminal");
    assert!(!escapes("data list cora", &[("NO_COLOR", "1")]));
    assert!(!escapes("data list cora", &[("NO_COLOR", "1"), ("TERM", "xterm-256color")]));
    assert!(!escapes("data list cora --color never", &[("CLICOLOR_FORCE", "1")]));
    assert!(escapes("data list cora", &[("CLICOLOR_FORCE", "1")]));
    assert!(
        !escapes("data list cora", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]),
        "NO_COLOR wins"
    );
    assert!(escapes("data list cora --color always", &[("NO_COLOR", "1")]), "what was typed wins");
    assert!(!escapes("data list cora --json --color always", &[]), "JSON has no colour");
}

#[test]
fn json_names_every_step_and_its_state() {
    let tour = Folder::new().json("demo --seed 3");
    let steps = tour["steps"].as_array().unwrap();
    let told: Vec<_> =
        steps.iter().map(|s| (s["step"].as_str().unwrap(), s["state"].as_str().unwrap())).collect();
    let expected = [
        ("graph", "done"),
        ("protect", "protected"),
        ("embed", "embedded"),
        ("train", "trained"),
        ("report", "concluded"),
    ];
    assert_eq!(told, expected);
    assert_eq!(tour["seed"], 3);
    assert_eq!(steps[0]["facts"]["nodes"], 1000);
}

#[test]
fn a_seed_is_a_tour() {
    let folder = Folder::new();
    let tour = folder.ok("demo --seed 5");
    assert_eq!(tour, folder.ok("demo --seed 5"));
    assert_ne!(tour, folder.ok("demo --seed 6"));
    folder.fails("demo --seed x", 2, &["--seed"]);
}
