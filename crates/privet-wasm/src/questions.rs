//! What a page can ask, and the replies.

use privet_privacy::noise::NoiseRng;
use privet_protocol::device::{DeviceRecord, PersonalDevice};
use privet_protocol::{Error, Report, Result, SealedTask, Universe};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::page::BrowserStorage;
use crate::{PageState, PageStorage, ReportView};

/// A question of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
pub enum PageQuestion {
    /// Whether a task is what its collector signed, about whom, what it costs, and whether there is room for it.
    Task {
        /// The task.
        sealed: SealedTask,
        /// Who can take part, an id a line; not checked if they are not given.
        #[serde(default)]
        people: Option<String>,
        /// What the person has kept; no spending is reported otherwise.
        #[serde(default)]
        kept: Option<PageState>,
    },
    /// What could be sent: an example whose noise gives no protection, so that it can be shown and thrown away.
    Example {
        /// The task.
        sealed: SealedTask,
        /// Whose place.
        participant: u32,
        /// What they hold.
        mine: DeviceRecord,
        /// Which example.
        seed: u64,
    },
    /// The report: charged, drawn and kept; or the one that was.
    Answer {
        /// The task.
        sealed: SealedTask,
        /// Whose place.
        participant: u32,
        /// What they hold.
        mine: DeviceRecord,
        /// What the person has kept.
        kept: PageState,
    },
    /// What a report says.
    Show {
        /// The task.
        sealed: SealedTask,
        /// The bytes.
        report: Vec<u8>,
    },
}

/// Answers a question: `{"ok": ...}`, or `{"error": ...}` with words for the person.
pub fn answer(question: &[u8], outside: &'static dyn PageStorage) -> String {
    let reply = serde_json::from_slice(question)
        // What a person typed may stand in it, so it is not quoted.
        .map_err(|_| {
            Error::Mechanism("the page asked something that this module does not know".into())
        })
        .and_then(|question| reply_to(question, outside));
    match reply {
        Ok(reply) => json!({ "ok": reply }),
        Err(error) => json!({ "error": error.to_string() }),
    }
    .to_string()
}

fn reply_to(question: PageQuestion, outside: &'static dyn PageStorage) -> Result<Value> {
    match question {
        PageQuestion::Task { sealed, people, kept } => {
            task(&sealed, people.as_deref(), kept, outside)
        }
        PageQuestion::Example { sealed, participant, mine, seed } => {
            // The largest lifetime budget there is: an example charges an account that is thrown away.
            let kept = PageState {
                lifetime: privet_protocol::device::MOST_LIFETIME,
                ..PageState::default()
            };
            let drawer = BrowserStorage::new(kept, &NoStorage);
            let person = PersonalDevice::new(&drawer, privet_protocol::device::MOST_LIFETIME)?;
            let noise = || Ok(NoiseRng::replay(seed));
            let answer = person.answer(&sealed, participant, &mine, noise)?;
            shown(&sealed, &answer.report)
        }
        PageQuestion::Answer { sealed, participant, mine, kept } => {
            let lifetime = kept.lifetime;
            let drawer = BrowserStorage::new(kept, outside);
            let person = PersonalDevice::new(&drawer, lifetime)?;
            let noise = || Ok(NoiseRng::from_operating_system()?);
            let answer = person.answer(&sealed, participant, &mine, noise)?;
            let mut reply = shown(&sealed, &answer.report)?;
            reply["again"] = answer.again.into();
            reply["spent"] = json!(person.spent()?);
            Ok(reply)
        }
        PageQuestion::Show { sealed, report } => shown(&sealed, &report),
    }
}

fn task(
    sealed: &SealedTask,
    people: Option<&str>,
    kept: Option<PageState>,
    outside: &'static dyn PageStorage,
) -> Result<Value> {
    let (asked, _) = sealed.open()?;
    if let Some(people) = people
        && Universe::of(people.lines()) != asked.task.people
    {
        let found = "others than those whom the task is about".into();
        let expected = "the list that the collector signed".into();
        return Err(Error::Refused { what: "people", found, expected });
    }
    let mut reply = json!({
        "name": asked.name.to_string(),
        "collector": sealed.collector,
        "task": asked.task,
        "columns": asked.features.as_ref().map(|mechanism| mechanism.k()),
    });
    if let Some(kept) = kept {
        let lifetime = kept.lifetime;
        let drawer = BrowserStorage::new(kept, outside);
        let spent = PersonalDevice::new(&drawer, lifetime)?.spent()?;
        reply["spent"] = json!(spent);
        reply["refused"] = json!(spent.allows(&asked).err().map(|error| error.to_string()));
    }
    Ok(reply)
}

/// What is in a report, and its receipt.
fn shown(sealed: &SealedTask, bytes: &[u8]) -> Result<Value> {
    let (asked, _) = sealed.open()?;
    let report = Report::decode(&asked, bytes)?;
    let receipt: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(
        json!({ "report": report.encode(), "receipt": receipt, "shown": ReportView::of(&asked, &report) }),
    )
}

/// An example is kept nowhere.
struct NoStorage;

impl PageStorage for NoStorage {
    fn keep(&self, _: &str, _: &str) -> bool {
        true
    }

    fn put(&self, _: &str, _: &[u8]) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
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
                let before =
                    accounts.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
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
        let again =
            json!({ "lifetime": 4.0, "accounts": page.accounts(), "report": first["report"] });
        let again = asked(&answering(&task, again), page).unwrap();
        assert_eq!((&again["report"], &again["again"]), (&first["report"], &json!(true)));
        assert_eq!(page.kept.lock().unwrap().len(), 5);
        // The next task is priced with what was kept.
        let kept = json!({ "lifetime": 3.5, "accounts": page.accounts() });
        let reply =
            asked(&json!({ "ask": "task", "sealed": sealed("next"), "kept": kept }), page).unwrap();
        assert!(
            reply["refused"].as_str().unwrap().contains("list of contacts from epsilon 2 to 4")
        );
        assert!(
            asked(&answering(&sealed("next"), kept), page)
                .unwrap_err()
                .contains("from epsilon 2 to 4")
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
            serde_json::from_str(include_str!("../../privet-protocol/tests/vectors.json")).unwrap();
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
}
