//! `privet verify`: a card that was tampered with, a ledger that was tampered with.

use crate::ran::Folder;

fn protected() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate karate -o in.npz");
    folder.ok("protect edges in.npz -o out.npz --epsilon 1 --seed 3");
    folder
}

fn edit(folder: &Folder, file: &str, from: &str, to: &str) {
    let text = String::from_utf8(folder.read(file)).unwrap();
    assert!(text.contains(from), "no {from} in {text}");
    folder.write(file, text.replacen(from, to, 1).as_bytes());
}

#[test]
fn a_true_card_is_ok_and_speaks() {
    let folder = protected();
    insta::assert_snapshot!(folder.ok("verify out.npz.card.json"), @r"
    OK out.npz.card.json: 1 file is what it was issued for, and every number follows from the ledger
    issued for out.npz
      edge-ldp: (epsilon 1, delta 0); simulation: noise from a seed protects no one
      relationship-dp: (epsilon 2, delta 0); simulation: noise from a seed protects no one
    SIMULATION noise from a seed gives no protection
    not verifiable here:
      who issued it (it is not signed: card, ledger and files agree, and a forger of all three would pass)
      its subject
      what is not protected
      the software that made it
    ");
    let words = folder.ok("verify out.npz.card.json --details");
    for part in ["PRIVACY CARD", "SIMULATION", "As relationship-dp: (epsilon 2", "NOT protected"] {
        assert!(words.contains(part), "{words}");
    }
    let verdict = folder.json("verify out.npz.card.json");
    assert_eq!((&verdict["holds"], &verdict["simulation"]), (&true.into(), &true.into()));
}

/// For the people in the data: counts of people, and no Greek. Both ends of a contact report it, so the counts are
/// those of epsilon 2: e^2 / (1 + e^2) = 0.881, 0.01 e^2 = 0.074.
#[test]
fn a_card_is_explained_in_counts_of_people() {
    let folder = protected();
    let words = folder.ok("verify out.npz.card.json --explain");
    for part in [
        "EVERYTHING. This is a simulation",
        "at most 89 of 100",
        "at most 8 of 100",
        "Protection: weak",
    ] {
        assert!(words.contains(part), "no {part} in {words}");
    }
    let (told, _) = words.split_once("OK out.npz").unwrap();
    for term in ["epsilon", "delta", "ldp", "lambda"] {
        assert!(!told.to_lowercase().contains(term), "{term} in {told}");
    }
}

#[test]
fn a_card_that_promises_more_is_caught() {
    let folder = protected();
    edit(&folder, "out.npz.card.json", "\"epsilon\": 1.0", "\"epsilon\": 0.1");
    let ran = folder.run("verify out.npz.card.json");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("DIFFERS") && ran.stdout.contains("0.1"), "{}", ran.stdout);
    assert!(ran.stderr.contains("does not hold: 1 difference"), "{}", ran.stderr);
}

#[test]
fn a_card_of_another_release_is_caught() {
    let folder = protected();
    folder.ok("protect edges in.npz -o other.npz --epsilon 1 --seed 4");
    let ran = folder.run("verify out.npz.card.json --ledger other.npz.ledger");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("not the one the card was made from"), "{}", ran.stdout);
}

#[test]
fn an_edited_ledger_is_refused() {
    let folder = protected();
    edit(&folder, "out.npz.ledger", "\"seed\":3", "\"seed\":4");
    folder.fails("verify out.npz.card.json", 3, &["out.npz.ledger, line 2", "edited"]);
    let line = "protect edges in.npz -o more.npz --epsilon 1 --ledger out.npz.ledger";
    folder.fails(line, 3, &["out.npz.ledger, line 2", "edited"]);
    assert!(!folder.path("more.npz").exists());
}

#[test]
fn a_cut_ledger_is_noticed() {
    let folder = protected();
    let text = String::from_utf8(folder.read("out.npz.ledger")).unwrap();
    let first = text.lines().next().unwrap();
    folder.write("out.npz.ledger", format!("{first}\n").as_bytes());
    let ran = folder.run("verify out.npz.card.json");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("the card counts 1 entries, the ledger 0"), "{}", ran.stdout);
    assert!(ran.stdout.contains("out.npz.ledger.count knows of 1"), "{}", ran.stdout);
}

#[test]
fn what_is_no_card_is_said_to_be_none() {
    let folder = Folder::with(&[("x.card.json", b"{\"format\": 1}")]);
    folder.fails("verify x.card.json", 1, &["x.card.json", "format 1", "files"]);
    folder.write("x.card.json", b"{\"format\": 2}");
    folder.fails("verify x.card.json", 1, &["x.card.json", "not a privacy card", "subject"]);
    folder.fails("verify y.card.json", 1, &["y.card.json"]);
}
