//! A service with a few tasks in a store of its own, which the tests in a browser talk to. It says where it listens in one line
//! of JSON, and ends when nobody holds its standard input any more.
//!
//! ```text
//! PRIVET_BROWSER=1 cargo run -p privet-collector --example service
//! ```

use std::error::Error;
use std::io::Read as _;

use privet_collector::client::{Address, Client};
use privet_collector::{Entry, Running, Settings};
use privet_protocol::{
    ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, SigningKey, Task, TaskQuestions,
    Universe,
};
use serde_json::{Map, Value, json};

const TOKEN: &str = "a-token-of-tests";
/// What nobody should be able to slip into a page.
const HOSTILE: &str = "<img src=x onerror=document.title='stolen'>\"'&</script>";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("collector.db").display().to_string();
    let settings = Settings { listen: "127.0.0.1:0".into(), store, rate: 0, ..Settings::default() };
    let running = Running::start(settings, TOKEN)?;
    let service = format!("http://{}", running.address);
    let administrator =
        Client::new(&Address { service: service.clone(), task: None }).with_token(TOKEN);
    let (mut tasks, mut codes) = (Map::new(), Map::new());
    for (key, task, ids, entry) in asked() {
        let sealed = SigningKey::from_bytes(&[9; 32]).seal(&task)?;
        let name = administrator.create(&sealed, &ids, entry)?;
        tasks.insert(key.into(), name.to_string().into());
        if entry == Entry::Invitation {
            let invited = administrator.invite(name, Some(&ids[..5]))?;
            codes.extend(invited.into_iter().map(|one| (one.id, Value::from(one.code))));
        }
    }
    println!("{}", json!({ "service": service, "token": TOKEN, "tasks": tasks, "codes": codes }));
    std::io::stdin().read_to_end(&mut Vec::new())?;
    running.stop()?;
    Ok(())
}

/// What is asked, of whom, and who may answer.
fn asked() -> Vec<(&'static str, Task, Vec<String>, Entry)> {
    let some = |count: u32| (0..count).map(|at| format!("p{at}")).collect::<Vec<_>>();
    let strange = vec!["ann".to_owned(), HOSTILE.to_owned(), "bob".to_owned()];
    let question = TaskQuestions { features: None, contacts: None, ..everything() };
    let list = TaskQuestions { features: None, label: None, ..everything() };
    [
        ("winter", "Winter", some(120), everything(), Entry::Open),
        ("spring", "Spring", some(120), everything(), Entry::Open),
        ("question", "One question", some(40), question, Entry::Invitation),
        ("many", "Many people", some(100_000), list, Entry::Open),
        ("hostile", HOSTILE, strange, hostile(), Entry::Open),
    ]
    .into_iter()
    .map(|(key, title, ids, asks, entry)| {
        let purpose = if key == "hostile" { HOSTILE } else { "How an illness spreads" };
        let task = Task {
            title: title.into(),
            purpose: purpose.into(),
            contact: "study@example.org".into(),
            people: Universe::of(&ids),
            asks,
            until: None,
        };
        (key, task, ids, entry)
    })
    .collect()
}

fn everything() -> TaskQuestions {
    let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 10.0 };
    let columns = ["days in bed", "visits", "hours outside", "cups of tea"].map(column).to_vec();
    let classes = ["no", "once", "several times"].map(String::from).to_vec();
    let question = "Have you been ill this winter?".into();
    let contacts = "Whom did you meet last week?".into();
    TaskQuestions {
        features: Some(FeaturesAsked {
            columns,
            mechanism: "hds".into(),
            epsilon: 2.0,
            k: Some(2),
        }),
        label: Some(LabelAsked { question, classes, epsilon: 1.0 }),
        contacts: Some(ContactsAsked { question: contacts, epsilon: 2.0 }),
    }
}

fn hostile() -> TaskQuestions {
    let classes = vec![HOSTILE.into(), "no".into()];
    TaskQuestions {
        features: None,
        label: Some(LabelAsked { question: HOSTILE.into(), classes, epsilon: 1.0 }),
        contacts: Some(ContactsAsked { question: HOSTILE.into(), epsilon: 2.0 }),
    }
}
