//! Models of links and of whole graphs, and newcomers who know people about whom something was released.

use std::fmt::Write as _;

use crate::ran::Folder;

/// Two groups of 60, whose members know their own group and share its features.
fn groups() -> Folder {
    let (mut people, mut known) = (String::from("id,a,b,c,d\n"), String::from("from,to\n"));
    for at in 0..120 {
        let first = at < 60;
        let cell = |one: bool| if one == first { 1.0 } else { 0.0 };
        let _ =
            writeln!(people, "p{at:03},{},{},{},{}", cell(true), cell(false), cell(true), at % 3);
        for step in [1, 2, 7, 11, 13, 23] {
            let other = if first { (at + step) % 60 } else { 60 + (at - 60 + step) % 60 };
            let _ = writeln!(known, "p{at:03},p{other:03}");
        }
    }
    Folder::with(&[
        ("people.csv", people.as_bytes()),
        ("known.csv", known.as_bytes()),
        ("pairs.csv", b"from,to\np000,p030\np000,p090\nnew,p010\nnew,p070\n"),
        ("new.csv", b"id,a,b,c,d\nnew,1,0,1,2\n"),
    ])
}

const INIT: &str = "init --people people.csv --id id --column a=number:0..1 --column b=number:0..1 \
    --column c=number:0..1 --column d=number:0..2 --edges known.csv:from:to --name groups";

/// Connections are public, features are not: links are predicted for people who sent reports, and for newcomers.
#[test]
fn links_are_scored_for_those_who_reported_and_for_newcomers() {
    let folder = groups();
    folder.ok(&format!("{INIT} --trust devices --protects features --epsilon 8"));
    let told = folder.ok("train -o links --method ldp-ge-links --epsilon 6 --seed 1");
    assert!(told.contains("--pairs"), "{told}");
    let found = folder.json("evaluate links");
    assert_eq!((&found["of"], &found["card"]), (&"links".into(), &serde_json::Value::Null));
    let share = found["accuracy"]["value"].as_f64().unwrap();
    let control = found["control"]["accuracy"]["value"].as_f64().unwrap();
    assert!(share > 0.6 && control < share, "a link mostly scores higher: {share}, {control}");
    let scores = folder.ok("predict links new.csv --pairs pairs.csv:from:to");
    let score = |line: usize| -> f64 {
        scores.lines().nth(line).unwrap().rsplit(',').next().unwrap().parse().unwrap()
    };
    assert!(scores.starts_with("from,to,score\np000,p030,"), "{scores}");
    assert!(score(1) > score(2) && score(3) > score(4), "{scores}");
    // Whom a newcomer knows among them counts, for pairs of theirs and for no others.
    folder.write("theirs.csv", b"from,to\nnew,p071\nnew,p077\nnew,p063\nnew,stranger\n");
    let told =
        folder.ok("predict links new.csv --pairs pairs.csv:from:to --edges theirs.csv:from:to");
    let line = |told: &str, at: usize| told.lines().nth(at).unwrap().to_owned();
    assert_ne!(line(&told, 4), line(&scores, 4), "{told} {scores}");
    assert_eq!(line(&told, 1), line(&scores, 1));
    // An unknown id is an error, not a missing line.
    folder.fails(
        "predict links --pairs pairs.csv:from:to",
        1,
        &["line 4", "an id of the table of people"],
    );
    folder.fails("predict links new.csv", 2, &["pairs: found none", "which this model scores"]);
    folder.fails(
        "predict links --pairs pairs.csv:from:to --top 2",
        2,
        &["this model scores pairs"],
    );
    assert!(folder.ok("verify links/card.json").starts_with("OK"));
}

#[test]
fn links_are_not_learned_where_they_are_private() {
    let folder = groups();
    folder.ok(&format!("{INIT} --trust devices --protects features,contacts --epsilon 8"));
    let train = "train -o links --method ldp-ge-links --epsilon 1";
    folder.fails(train, 3, &["hides connections", "privet publish"]);
}

/// A newcomer's answer is spread over those they know, as far as something was released about them.
#[test]
fn newcomers_may_know_people_about_whom_something_was_released() {
    let folder = groups();
    let labelled: String = String::from_utf8(folder.read("people.csv"))
        .unwrap()
        .lines()
        .enumerate()
        .map(|(line, text)| match line {
            0 => format!("{text},group\n"),
            line => format!("{text},{}\n", if line <= 60 { "one" } else { "two" }),
        })
        .collect();
    folder.write("people.csv", labelled.as_bytes());
    let label = "--label group --classes one,two --trust devices --protects features --epsilon 20";
    folder.ok(&format!("{INIT} {label}"));
    folder.ok("train -o model --epsilon 8 --seed 1");
    folder.ok("protect features --mechanism hds -o reports.npz --epsilon 10 --seed 1");
    // Nothing is known about the newcomer but whom they know: a row of zeros says nothing.
    folder.write("new.csv", b"id,a,b,c,d\nnew,0,0,0,0\n");
    let answer = |known: &str| {
        folder.write("knows.csv", format!("from,to\n{known}").as_bytes());
        let told = folder.ok(
            "predict model new.csv --edges knows.csv:from:to --released reports.npz --probabilities",
        );
        assert_eq!(told.lines().count(), 2, "newcomers alone are answered about: {told}");
        let cells: Vec<&str> = told.lines().last().unwrap().split(',').collect();
        cells[cells.len() - 2].parse::<f64>().unwrap()
    };
    let one = answer("new,p001\nnew,p002\nnew,p003\nnew,p004\n");
    let two = answer("new,p101\nnew,p102\nnew,p103\nnew,p104\n");
    assert!(one > two, "{one} and {two}");
    let raw = "predict model new.csv --edges knows.csv:from:to --released people.csv";
    folder.fails(raw, 3, &["no card beside it"]);
    folder.fails("predict model new.csv --released reports.npz", 2, &["--edges"]);
}

/// Threads of two kinds: all users reply to one person, or to the person before.
fn threads(count: usize, from: usize) -> [String; 3] {
    let mut graphs = String::from("thread,topic\n");
    let (mut people, mut replies) = (String::from("user,thread\n"), String::from("from,to\n"));
    for thread in from..from + count {
        let _ = writeln!(graphs, "t{thread},{}", ["star", "path"][thread % 2]);
        for at in 0..12 {
            let _ = writeln!(people, "u{thread}-{at},t{thread}");
            if at > 0 {
                let to = if thread % 2 == 0 { 0 } else { at - 1 };
                let _ = writeln!(replies, "u{thread}-{at},u{thread}-{to}");
            }
        }
    }
    [graphs, people, replies]
}

#[test]
fn whole_graphs_are_classified_from_reports_and_so_are_new_ones() {
    let [graphs, people, replies] = threads(120, 0);
    let [_, new_people, new_replies] = threads(9, 500);
    let folder = Folder::with(&[
        ("threads.csv", graphs.as_bytes()),
        ("users.csv", people.as_bytes()),
        ("replies.csv", replies.as_bytes()),
        ("new.csv", new_people.as_bytes()),
        ("new-replies.csv", new_replies.as_bytes()),
    ]);
    folder.ok(
        "init --people users.csv --id user --edges replies.csv:from:to --protects contacts --epsilon 10 \
         --graphs threads.csv:thread:topic --member thread --classes star,path",
    );
    let told = folder.ok("train -o model --epsilon 6 --seed 1");
    assert!(told.contains("a friendship") || told.contains("relationship"), "{told}");
    let found = folder.json("evaluate model");
    assert_eq!(found["of"], "graphs");
    let share = found["accuracy"]["value"].as_f64().unwrap();
    let control = found["control"]["accuracy"]["value"].as_f64().unwrap();
    assert!(share > control + 0.2, "{share} and {control}");
    let predict =
        "predict model new.csv --edges new-replies.csv:from:to -o out.csv --probabilities --seed 2";
    let told = folder.ok(predict);
    assert!(told.contains("9 graphs") && told.contains("epsilon 6"), "{told}");
    let text = String::from_utf8(folder.read("out.csv")).unwrap();
    // Even ones are stars.
    let right = |(at, line): (usize, &str)| line.contains(["star,", "path,"][at % 2]);
    assert!(text.starts_with("thread,class,probability,p:star,p:path\n"), "{text}");
    assert!(text.lines().skip(1).enumerate().filter(|line| right(*line)).count() >= 7, "{text}");
    assert!(folder.ok("verify out.csv.card.json").starts_with("OK"));
    folder.fails(&format!("{predict} --overwrite"), 3, &["out.csv.ledger"]);
    folder.fails("predict model new.csv -o x.csv", 2, &["edges: found none"]);
    let nowhere = "predict model new.csv --edges new-replies.csv:from:to";
    folder.fails(nowhere, 3, &["card lies beside a file"]);
    // A connection between two graphs belongs to no person.
    folder.write("new-replies.csv", b"from,to\nu500-1,u501-1\n");
    let other = "predict model new.csv --edges new-replies.csv:from:to -o other.csv";
    folder.fails(other, 1, &["different graphs"]);
    assert!(!folder.path("other.csv").exists() && !folder.path("other.csv.ledger").exists());
}
