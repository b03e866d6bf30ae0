//! `privet count`: questions about connections, on files and in a project.

use crate::ran::Folder;

const EVERYONE: &str = "id\nada\nbob\ncy\ndee\neve\n";
const FRIENDS: &str = "ada,bob\nbob,cy\nada,cy\ncy,dee\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("everyone.txt", EVERYONE.as_bytes());
    folder.write("friends.csv", FRIENDS.as_bytes());
    folder
}

const LINE: &str =
    "count connections,triangles,two-stars,degrees friends.csv --nodes everyone.txt --seed 5";

#[test]
fn answers_are_near_the_truth_where_epsilon_is_large() {
    let folder = folder();
    let told = folder.json(&format!("{LINE} --epsilon 120 --accept large-epsilon -o counts.json"));
    assert_eq!((&told["schema"], &told["nodes"]), (&"privet.count/1".into(), &5.into()));
    let value = |answer: usize| told["answers"][answer]["estimates"][0]["value"].as_f64().unwrap();
    assert_eq!([value(0), value(1), value(2)], [4.0, 1.0, 5.0]);
    let degrees = &told["answers"][3]["estimates"];
    assert_eq!((&degrees[0]["name"], &degrees[0]["value"]), (&"at least 1".into(), &4.0.into()));
    assert_eq!(told["derived"][0]["value"], 1.6);
    assert_eq!(told["derived"][1]["value"], 0.6);
    assert_eq!(
        folder.names(),
        [
            "counts.json",
            "counts.json.card.json",
            "counts.json.ledger",
            "counts.json.ledger.count",
            "everyone.txt",
            "friends.csv"
        ]
    );
    folder.ok("verify counts.json.card.json");
}

#[test]
fn all_questions_are_one_entry_of_the_account() {
    let folder = folder();
    folder.ok(&format!("{LINE} --epsilon 1 --ledger year.ledger --limit 2"));
    folder.ok(&format!("{LINE} --epsilon 1 --ledger year.ledger"));
    folder.fails(&format!("{LINE} --epsilon 0.5 --ledger year.ledger"), 3, &["limit"]);
    assert_eq!(
        folder.names(),
        ["everyone.txt", "friends.csv", "year.ledger", "year.ledger.count"],
        "what is refused leaves nothing"
    );
}

#[test]
fn one_more_contact_shows_in_the_answers_alone() {
    let run = |friends: &str| {
        let folder = folder();
        folder.write("friends.csv", friends.as_bytes());
        let ran = folder.run(&format!("{LINE} --epsilon 2 -o counts.json"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let lines = ran.stdout.lines().count();
        (ran.stderr, lines.min(1), folder.names(), folder.read("counts.json.ledger").len())
    };
    assert_eq!(run(FRIENDS), run(&format!("{FRIENDS}dee,eve\n")));
}

#[test]
fn bad_questions_are_refused_before_anything_is_read() {
    let folder = folder();
    let line = |questions: &str, rest: &str| format!("count {questions} friends.csv {rest}");
    folder.fails(&line("squares", "--epsilon 1 -o o.json"), 2, &["squares", "triangles"]);
    folder.fails(&line("triangles", "--epsilon 1"), 2, &["-o", "--ledger"]);
    folder.fails(
        &line("triangles,triangles", "--epsilon 1 --nodes everyone.txt -o o.json"),
        2,
        &["each once"],
    );
    folder.fails(&line("triangles", "--epsilon 0 --nodes everyone.txt -o o.json"), 2, &["epsilon"]);
    folder.fails(&line("triangles", "--epsilon 1 -o o.json"), 3, &["--nodes"]);
    folder.fails(&line("mixing", "--epsilon 1 --nodes everyone.txt -o o.json"), 2, &["labels"]);
    assert_eq!(folder.names(), ["everyone.txt", "friends.csv"]);
}

#[test]
fn odd_graphs_are_counted_or_refused() {
    for (friends, connections) in [("ada,ada\n", 0.0), ("ada,bob\nbob,ada\nada,bob\n", 1.0)] {
        let folder = folder();
        folder.write("friends.csv", format!("source,target\n{friends}").as_bytes());
        let told = folder.json(
            "count connections,triangles,four-cycles,two-steps friends.csv --nodes everyone.txt --epsilon 150 \
             --accept large-epsilon --seed 1 -o counts.json",
        );
        assert_eq!(told["answers"][0]["estimates"][0]["value"], connections, "{friends:?}");
    }
}

/// A project decides what is public: labels that it hides are not there for mixing, and one account is not another's.
#[test]
fn what_a_project_hides_is_not_read() {
    for (protects, epsilon, questions, told) in [
        ("connections,labels", "3", "mixing", "has no labels"),
        ("people", "3 --delta 1e-3", "connections", "refused"),
    ] {
        let folder = Folder::new();
        folder.write("people.csv", b"id,team\nada,x\nbob,y\ncy,x\ndee,y\n");
        folder.write("friends.csv", b"source,target\nada,bob\nbob,cy\n");
        folder.ok(&format!(
            "init . --people people.csv --id id --label team --classes x,y --edges friends.csv:source:target \
             --protects {protects} --trust curator --epsilon {epsilon}"
        ));
        let ran = folder.run(&format!("count {questions} --epsilon 1"));
        assert!(ran.code != 0 && ran.stderr.contains(told), "{protects}: {}", ran.stderr);
    }
}
