//! Bytes that must never change: a task, its name and signature, and reports for it. Another implementation is right if it
//! makes the same of `vectors.json`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy knows no test outside a function marked #[test]"
)]

use privet_protocol::{CheckedTask, Report, SealedTask, SigningKey};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("vectors.json")).expect("the file is JSON")
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().expect("hexadecimal digits").as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn a_task_has_this_name_and_this_signature() {
    let vectors = vectors();
    let sealed = SealedTask {
        task: text(&vectors["task"]),
        collector: text(&vectors["collector"]),
        signature: text(&vectors["signature"]),
    };
    let (asked, _) = sealed.open().unwrap();
    assert_eq!(asked.name.to_string(), text(&vectors["name"]));
    assert_eq!(asked.task.to_bytes().unwrap(), sealed.task.as_bytes());
    let key = SigningKey::from_secret(&text(&vectors["secret"])).unwrap();
    assert_eq!(key.seal(&asked.task).unwrap(), sealed);
}

#[test]
fn reports_are_read_and_written_so() {
    let vectors = vectors();
    let asked = CheckedTask::from_bytes(text(&vectors["task"]).as_bytes()).unwrap();
    let right = vectors["reports"].as_array().unwrap();
    assert!(right.len() >= 4);
    for report in right {
        let sent = bytes(&report["bytes"]);
        let read = Report::decode(&asked, &sent).unwrap();
        assert_eq!(read.encode(), sent);
        assert_eq!(u64::from(read.participant), report["participant"].as_u64().unwrap());
        assert_eq!(read.label.map(u64::from), report["label"].as_u64());
        let contacts = read.contacts.unwrap();
        assert_eq!(serde_json::json!(contacts.neighbors), report["contacts"]);
        assert_eq!(Some(contacts.degree), report["degree"].as_i64());
        assert_eq!(serde_json::to_value(read.features.unwrap()).unwrap(), report["features"]);
    }
    let wrong = vectors["refused"].as_array().unwrap();
    assert!(wrong.len() >= 6);
    for report in wrong {
        let message = Report::decode(&asked, &bytes(&report["bytes"])).unwrap_err().to_string();
        assert!(message.starts_with(&text(&report["why"])), "{message}");
    }
}
