//! A collection from beginning to end: a task, answers on people's own devices, and what comes of them.

use crate::ran::Folder;

const TASK: &str = r#"title = "Winter"
purpose = "How an illness spreads"
contact = "study@example.org"
people = "people.txt"

[features]
mechanism = "hds"
epsilon = 1.0
columns = [{ name = "days", low = 0, high = 30 }, { name = "visits", low = 0, high = 10 }]

[label]
question = "Have you been ill?"
classes = ["no", "yes"]
epsilon = 1.0

[contacts]
question = "Whom did you meet?"
epsilon = 2.0
"#;

fn study() -> Folder {
    Folder::with(&[("task.toml", TASK.as_bytes()), ("people.txt", b"ann\nbob\neve\nzoe\n")])
}

fn answer(who: &str, rest: &str) -> String {
    format!(
        "collect answer task.json --people people.txt --me {who} --device {who} -o {who}.report \
         --features 3,1 --label yes {rest}"
    )
}

#[test]
fn people_answer_on_their_own_devices_and_a_dataset_comes_of_it() {
    let folder = study();
    let told = folder.ok("collect create task.toml -o task.json");
    assert!(told.contains("Have you been ill? no or yes (epsilon 1)"), "{told}");
    assert!(told.contains("relationship-dp: (epsilon 4, delta 0)"), "{told}");
    assert_eq!(folder.json("collect show task.json")["task"]["title"], "Winter");
    let told = folder.ok(&answer("ann", "--contacts bob,eve --lifetime 5"));
    assert!(
        told.contains("drawn now") && told.contains("epsilon 2 of 5 for your record"),
        "{told}"
    );
    let first = folder.read("ann.report");
    let told = folder.ok(&answer("ann", "--contacts bob,eve"));
    assert!(told.contains("the same bytes as before"), "{told}");
    assert_eq!(folder.read("ann.report"), first);
    folder.ok(&answer("bob", "--contacts none --lifetime 5"));
    let told =
        folder.ok("collect gather task.json ann.report bob.report --people people.txt -o got.npz");
    assert!(told.contains("record-ldp: (epsilon 1, delta 0)"), "{told}");
    assert!(told.contains("each keeps its own account"), "{told}");
    let info = folder.json("data info got.npz");
    assert_eq!(info["nodes"], 4, "{info}");
    // A second task about the same person comes on top, also from another collector.
    folder.write("task2.toml", TASK.replace("Winter", "Spring").as_bytes());
    folder.ok("collect create task2.toml -o task2.json --key another.key");
    let second = answer("ann", "--contacts bob").replace("task.json", "task2.json");
    folder.ok(&second.replace("ann.report", "2.report"));
    folder.write("task3.toml", TASK.replace("Winter", "Summer").as_bytes());
    folder.ok("collect create task3.toml -o task3.json");
    let third = answer("ann", "--contacts bob").replace("task.json", "task3.json");
    folder.fails(&third.replace("ann.report", "3.report"), 3, &["you allowed 5 in all"]);
    assert!(!folder.path("3.report").exists());
}

#[test]
fn what_is_wrong_is_said() {
    let folder = study();
    folder.ok("collect create task.toml -o task.json");
    folder.fails("collect create task.toml -o task.json", 3, &["exists already"]);
    folder.fails(&answer("ann", "--contacts bob"), 2, &["--lifetime"]);
    folder.fails(&answer("mallory", "--contacts bob --lifetime 5"), 2, &["--me"]);
    folder.fails(&answer("ann", "--contacts mallory --lifetime 5"), 2, &["--contacts"]);
    folder.fails(&answer("ann", "--lifetime 5"), 2, &["contacts: found none, expected some"]);
    // A changed task is noticed, on the device and by the collector.
    let text = String::from_utf8(folder.read("task.json")).unwrap();
    folder.write("task.json", text.replacen("1.0", "9.0", 1).as_bytes());
    folder.fails(&answer("ann", "--contacts bob"), 1, &["signature"]);
    folder.write("task.json", text.as_bytes());
    folder.write("people.txt", b"bob\nann\neve\nzoe\n");
    folder.fails(&answer("ann", "--contacts bob"), 2, &["whose hash is in the task"]);
    folder.write("people.txt", b"ann\nbob\neve\nzoe\n");
    folder.write("junk.report", &[1; 50]);
    let gather = "collect gather task.json junk.report --people people.txt -o got.npz";
    folder.fails(gather, 2, &["reports: found 0"]);
    for (from, to, told) in [
        ("hds", "laplace", "one whose reports have an end"),
        ("epsilon = 2.0", "epsilon = 99", "up to 20"),
        ("title =", "titel =", "line 1"),
        ("people.txt", "absent.txt", "absent.txt"),
    ] {
        folder.write("wrong.toml", TASK.replacen(from, to, 1).as_bytes());
        let code = if told == "absent.txt" { 1 } else { 2 };
        folder.fails("collect create wrong.toml -o wrong.json", code, &[told]);
        assert!(!folder.path("wrong.json").exists());
    }
}
