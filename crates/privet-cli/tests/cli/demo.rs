//! `privet demo`: needs nothing, fits a screen, speaks plainly where it must.

use crate::ran::Folder;

/// All four trust models, each with everything needed for a decision; and one screen of it.
#[test]
fn runs_anywhere_and_is_plain_when_piped() {
    let folder = Folder::new();
    let ran = folder.run("demo");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let stops: Vec<&str> =
        ran.stdout.lines().filter(|line| line.starts_with(char::is_numeric)).collect();
    insta::assert_snapshot!(stops.join("\n"), @r"
    1 answers, on people's own devices  LDP-GE
    2 contacts, on people's own devices  DPRR
    3 secret connections, in the hands of a custodian  HeteroRR
    4 whole people, in the hands of a curator  DPAR
    ");
    for name in ["who", "holds", "leaves", "costs", "attacker", "learned", "so"] {
        let told = ran.stdout.lines().filter(|line| line.starts_with(&format!("  {name} ")));
        assert_eq!(told.count(), 4, "{name}: {}", ran.stdout);
    }
    // Scores depend on the last digits of products, which differ between processors.
    assert_eq!(ran.stdout.matches("ceiling ").count(), 4);
    assert!(ran.stdout.contains("answers add "), "{}", ran.stdout);
    assert!(ran.stdout.lines().count() <= 48, "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 90), "{}", ran.stdout);
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
fn the_page_tells_what_is_printed() {
    let folder = Folder::new();
    let tour = folder.json("demo --seed 5 --html tour.html");
    assert_eq!((&tour["seed"], &tour["scores_are_simulated"]), (&5.into(), &true.into()));
    let page = String::from_utf8(folder.read("tour.html")).unwrap();
    for stop in tour["stops"].as_array().unwrap() {
        assert!(page.contains(stop["system"].as_str().unwrap()));
        assert!(stop["attacker"]["found_at_most"].as_f64().unwrap() < 100.0);
    }
    folder.fails("demo --html tour.html", 3, &["tour.html"]);
    folder.fails("demo --seed x", 2, &["--seed"]);
}
