use std::sync::Mutex;

use privet_protocol::{ContactsAsked, LabelAsked, SigningKey, Task, TaskQuestions};

use super::*;

/// A page that records what it is asked to keep, and refuses after so many.
struct TestPage {
    kept: Mutex<Vec<(String, String)>>,
    room: usize,
}

impl TestPage {
    fn new(room: usize) -> &'static Self {
        Box::leak(Box::new(Self { kept: Mutex::default(), room }))
    }

    fn push(&self, name: &str, what: String) -> bool {
        let mut kept = self.kept.lock().unwrap();
        let room = kept.len() < self.room;
        room.then(|| kept.push((name.into(), what))).is_some()
    }

    fn accounts(&self) -> Value {
        let mut accounts = serde_json::Map::new();
        for (name, line) in
            self.kept.lock().unwrap().iter().filter(|(_, line)| line.ends_with('\n'))
        {
            let before = accounts.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            accounts.insert(name.clone(), (before + line).into());
        }
        accounts.into()
    }
}

impl PageStorage for TestPage {
    fn keep(&self, account: &str, line: &str) -> bool {
        self.push(account, line.into())
    }

    fn put(&self, task: &str, report: &[u8]) -> bool {
        self.push(task, format!("{report:?}"))
    }
}

const PEOPLE: &str = "ann\nbob\neve\n";

fn sealed(title: &str) -> SealedTask {
    let classes = vec!["no".into(), "yes".into()];
    let task = Task {
        title: title.into(),
        purpose: "a test".into(),
        contact: "none".into(),
        people: Universe::of(PEOPLE.lines()),
        asks: TaskQuestions {
            label: Some(LabelAsked { question: "?".into(), classes, epsilon: 1.0 }),
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 2.0 }),
            ..TaskQuestions::default()
        },
        until: None,
    };
    SigningKey::from_bytes(&[5; 32]).seal(&task).unwrap()
}

fn asked(question: &Value, page: &'static TestPage) -> Result<Value, String> {
    let reply: Value =
        serde_json::from_str(&answer(question.to_string().as_bytes(), page)).unwrap();
    match reply.get("ok") {
        Some(ok) => Ok(ok.clone()),
        None => Err(reply["error"].as_str().unwrap().into()),
    }
}

fn answering(sealed: &SealedTask, kept: Value) -> Value {
    let mine = json!({ "label": 1, "contacts": [0, 2] });
    json!({ "ask": "answer", "sealed": sealed, "participant": 1, "mine": mine, "kept": kept })
}

#[test]
fn a_page_keeps_lines_before_a_report_and_gets_the_same_bytes_again() {
    let (page, task) = (TestPage::new(9), sealed("once"));
    let first = asked(&answering(&task, json!({ "lifetime": 4.0 })), page).unwrap();
    let kept = page.kept.lock().unwrap().clone();
    let order: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
    let name = task.open().unwrap().0.name.to_string();
    assert_eq!(order, ["label", "label", "contacts", "contacts", &name]);
    assert_eq!(kept[4].1.replace(' ', ""), first["report"].to_string());
    assert_eq!(first["spent"], json!({ "record": 1.0, "contacts": 2.0, "lifetime": 4.0 }));
    let again = json!({ "lifetime": 4.0, "accounts": page.accounts(), "report": first["report"] });
    let again = asked(&answering(&task, again), page).unwrap();
    assert_eq!((&again["report"], &again["again"]), (&first["report"], &json!(true)));
    assert_eq!(page.kept.lock().unwrap().len(), 5);
    // The next task is priced with what was kept.
    let kept = json!({ "lifetime": 3.5, "accounts": page.accounts() });
    let reply =
        asked(&json!({ "ask": "task", "sealed": sealed("next"), "kept": kept }), page).unwrap();
    assert!(reply["refused"].as_str().unwrap().contains("list of contacts from epsilon 2 to 4"));
    assert!(
        asked(&answering(&sealed("next"), kept), page).unwrap_err().contains("from epsilon 2 to 4")
    );
}

#[test]
fn what_a_page_cannot_keep_is_not_answered() {
    for room in 0..5 {
        let page = TestPage::new(room);
        let reply =
            asked(&answering(&sealed("full"), json!({ "lifetime": 4.0 })), page).unwrap_err();
        assert!(reply.contains("could not keep it"), "{reply}");
        assert_eq!(page.kept.lock().unwrap().len(), room);
    }
}

#[test]
fn examples_cost_nothing_and_are_kept_nowhere() {
    let (page, task) = (TestPage::new(0), sealed("example"));
    let ask = |seed: u64| {
        let mine = json!({ "label": 1, "contacts": [0, 2] });
        asked(&json!({ "ask": "example", "sealed": task, "participant": 1, "mine": mine, "seed": seed }), page).unwrap()
    };
    assert_eq!(ask(1), ask(1));
    assert!((2..40).any(|seed| ask(seed)["report"] != ask(1)["report"]));
}

#[test]
fn an_unsigned_task_or_list_of_people_is_refused() {
    let page = TestPage::new(0);
    let task = sealed("signed");
    let ask = |sealed: &SealedTask, people: &str| {
        asked(&json!({ "ask": "task", "sealed": sealed, "people": people }), page)
    };
    assert_eq!(ask(&task, PEOPLE).unwrap()["name"], task.open().unwrap().0.name.to_string());
    assert!(ask(&task, "ann\neve\nbob\n").unwrap_err().starts_with("people: "));
    let forged = SealedTask { task: task.task.replace("1.0", "0.1"), ..task };
    assert!(ask(&forged, PEOPLE).unwrap_err().contains("signature"));
    // What was typed is not quoted.
    let reply = answer(br#"{"ask": "answer", "mine": "secret"}"#, page);
    assert!(reply.contains("error") && !reply.contains("secret"), "{reply}");
}

#[test]
fn the_vectors_pass() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../privet-protocol/tests/vectors.json")).unwrap();
    let text = |part: &str| vectors[part].as_str().unwrap().to_owned();
    let sealed = SealedTask {
        task: text("task"),
        collector: text("collector"),
        signature: text("signature"),
    };
    let bytes = |report: &Value| -> Vec<u8> {
        let digits = report["bytes"].as_str().unwrap();
        (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
            .collect()
    };
    let show = |report: &Value| {
        asked(
            &json!({ "ask": "show", "sealed": sealed, "report": bytes(report) }),
            TestPage::new(0),
        )
    };
    for report in vectors["reports"].as_array().unwrap() {
        let reply = show(report).unwrap();
        assert_eq!(reply["report"], json!(bytes(report)));
        for part in ["participant", "label", "contacts", "degree", "features"] {
            assert_eq!(reply["shown"][part], report[part], "{part}");
        }
        // Two columns of three, each within what the mechanism can say.
        let columns = reply["shown"]["columns"].as_array().unwrap();
        assert_eq!(columns.len(), 2);
        for column in columns {
            let number = |value: &Value| value.as_f64().unwrap();
            let (low, high) = (number(&column["range"][0]), number(&column["range"][1]));
            assert!(
                (low..=high).contains(&number(&column["value"])) && low < 0.0 && high > 10.0,
                "{column}"
            );
        }
    }
    for report in vectors["refused"].as_array().unwrap() {
        assert!(show(report).unwrap_err().starts_with(report["why"].as_str().unwrap()));
    }
}
