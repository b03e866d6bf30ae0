//! Every printed loss carries what its number depends on, whichever command prints it.

use crate::ran::Folder;

/// Lines that print a loss: a relation, then `(epsilon E, delta D)`.
fn losses(text: &str) -> Vec<&str> {
    let relations = ["-ldp", "-dp", "-absent", "-replace"];
    let printed = |line: &&str| {
        relations.iter().any(|relation| line.contains(&format!("{relation}: (epsilon")))
    };
    text.lines().filter(printed).map(str::trim).collect()
}

const SEEDED: &str = "simulation: noise from a seed protects no one";
const CURATOR: &str = "the curator is trusted with the raw data";

/// Runs a command that releases from a seed; every loss that it prints says so, and says everything of `parts`.
fn states(folder: &Folder, line: &str, parts: &[&str]) {
    let told = folder.ok(line);
    let losses = losses(&told);
    assert!(!losses.is_empty(), "privet {line} prints no loss:\n{told}");
    for loss in losses {
        for part in [SEEDED].iter().chain(parts) {
            assert!(loss.contains(part), "'{part}' is missing in '{loss}' of privet {line}");
        }
    }
}

/// 60 people with 6 features, as `in.npz`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 60 --classes 2 --features 6 --mean-degree 2.5 -o in.npz");
    folder
}

#[test]
fn a6_releases_of_parts_print_their_conditions() {
    let folder = folder();
    let protect = |rest: &str| format!("protect {rest} --seed 5");
    states(&folder, &protect("edges in.npz -o edges.npz --epsilon 1"), &[]);
    states(&folder, &protect("labels in.npz -o labels.npz --epsilon 1"), &[]);
    let features = "features in.npz -o features.npz --mechanism hds --bounds 0,1 --epsilon 1";
    states(&folder, &protect(features), &[]);
    let sums = "sums in.npz -o sums.npz --epsilon 1 --delta 1e-4";
    states(&folder, &protect(sums), &[CURATOR]);
    let publish =
        "publish in.npz --private-share 0.3 --epsilon-edges 1 --public-steps 5 --seed 7 -o out.npz";
    states(&folder, publish, &[CURATOR]);
    states(&folder, "verify sums.npz.card.json", &[CURATOR]);
    let shared = "cluster run --workers 2 protect edges in.npz -o many.npz --epsilon 1 --seed 5";
    states(&folder, shared, &[]);
}

/// Two lines of a release whose price depends on the data: the bound on neighbours is in both.
#[test]
fn a6_a_bound_on_neighbours_stands_beside_the_epsilon() {
    let folder = folder();
    let quick = "--runs 1 --batch 30 --steps 2 --delta 1e-3 --seed 3";
    let bound =
        "only if no person has more than 10 neighbours (not checked; no guarantee otherwise)";
    let line = format!("run dpar --dataset in.npz --epsilon 4 --method gap {quick} -o gap");
    states(&folder, &line, &[bound, CURATOR]);
    states(&folder, "verify gap/share/card.json", &[bound, CURATOR]);
    let verdict = folder.json("verify gap/share/card.json");
    let kinds =
        |kind: &str| verdict["losses"].to_string().contains(&format!("\"kind\":\"{kind}\""));
    assert!(kinds("data-property") && kinds("simulation") && kinds("trusted-curator"), "{verdict}");
}

#[test]
fn a6_runs_of_every_system_print_their_conditions() {
    let folder = folder();
    let quick = "--runs 1 --seed 1 -o";
    let dpar = "run dpar --dataset in.npz --epsilon 4 --batch 30 --steps 2 --delta 1e-3";
    states(&folder, &format!("{dpar} {quick} dpar"), &[CURATOR]);
    let hetero = "run hetero-rr --dataset in.npz --bounds 0,1 --epsilon-edges 2 --private-share 1";
    states(&folder, &format!("{hetero} {quick} hetero"), &[CURATOR]);
    let ldp_ge = "run ldp-ge --dataset in.npz --epsilon 1 --bounds 0,1 --epochs 2 --hidden 4";
    states(&folder, &format!("{ldp_ge} {quick} ldp-ge"), &[]);
    let dprr = "run dprr --dataset synthetic --epsilon 1 --epochs 2 --hidden 4";
    states(&folder, &format!("{dprr} {quick} dprr"), &[]);
}

#[test]
fn a6_models_of_a_project_print_their_conditions() {
    let people: String =
        (0..40).map(|at| format!("c{at:02},{},{}\n", 20 + at, ["a", "b"][at % 2])).collect();
    let paid: String = (0..40).map(|at| format!("c{at:02},c{:02}\n", (at * 7 + 1) % 40)).collect();
    let people = format!("id,age,segment\n{people}");
    let folder = Folder::with(&[
        ("people.csv", people.as_bytes()),
        ("paid.csv", format!("payer,payee\n{paid}").as_bytes()),
    ]);
    folder.ok(
        "init --people people.csv --id id --label segment --classes a,b --column age=number:18..100 \
         --edges paid.csv:payer:payee --name shop --delta 1e-4 --protects people --epsilon 4",
    );
    states(&folder, "train -o model --epsilon 1 --seed 3", &[CURATOR]);
    states(&folder, "evaluate model --epsilon 0.5 --seed 5", &[CURATOR]);
    states(&folder, "verify model/card.json", &[CURATOR]);
}

/// 33 of 34 people publish their lists: the one private person has no relationship that is protected.
#[test]
fn a2_published_lists_are_said_first() {
    let folder = Folder::new();
    folder.ok("data generate karate -o in.npz");
    let public: String = (1..=33).map(|person| format!("{person},public\n")).collect();
    folder.write("public.csv", public.as_bytes());
    let told = folder.ok("protect edges in.npz -o out.npz --epsilon 1 --budgets public.csv");
    let exposed = "relationship-dp: (epsilon inf, delta 0) for relationships with a person who published their contacts";
    assert_eq!(losses(&told), [exposed, "edge-ldp: (epsilon 1, delta 0)"], "{told}");
    let verified = folder.ok("verify out.npz.card.json");
    assert_eq!(losses(&verified)[0], exposed, "{verified}");
    let explained = folder.ok("verify out.npz.card.json --explain");
    let (words, _) = explained.split_once("OK out.npz").unwrap();
    assert!(words.contains("NO PROTECTION for your connections with"), "{words}");
    assert!(!words.contains("Protection:"), "nothing is strong here:\n{words}");
}

/// Two releases in one folder: the card of one, copied over that of the other, names the file it was issued for.
#[test]
fn a7_verify_names_the_files_and_refuses_a_copied_card() {
    let folder = Folder::new();
    folder.ok("data generate karate -o in.npz");
    for name in ["one", "two"] {
        folder.ok(&format!("protect edges in.npz -o {name}.npz --epsilon 1"));
    }
    assert!(folder.ok("verify one.npz.card.json").contains("issued for one.npz\n"));
    assert_eq!(folder.json("verify one.npz.card.json")["issued_for"][0], "one.npz");
    folder.write("two.npz.card.json", &folder.read("one.npz.card.json"));
    let ran = folder.run("verify two.npz.card.json");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let difference = "the card lies beside two.npz but was issued for one.npz";
    assert!(ran.stdout.starts_with("DIFFERS") && ran.stdout.contains(difference), "{}", ran.stdout);
    assert!(ran.stdout.contains("issued for one.npz\n"), "{}", ran.stdout);
    // Nor is raw data read as a release because the card of one lies beside it.
    folder.write("in.npz.card.json", &folder.read("one.npz.card.json"));
    let refused = ["in.npz.card.json", "beside in.npz but was issued for one.npz"];
    folder.fails("protect labels in.npz -o more.npz --epsilon 1", 3, &refused);
}
