//! A service with a store of its own, and people with devices.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use privet::Noise;
use privet::device::{Device, DeviceRecord};
use privet_collector::client::{Address, Client};
use privet_collector::{Entry, Running, Settings};
use privet_protocol::{
    ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, SealedTask, SigningKey, Task,
    TaskName, TaskQuestions, Universe,
};

pub const TOKEN: &str = "a-token-of-tests";

pub struct Service {
    pub running: Option<Running>,
    pub folder: tempfile::TempDir,
    pub address: Address,
}

pub fn settings(folder: &Path) -> Settings {
    let store = folder.join("collector.db").display().to_string();
    Settings { listen: "127.0.0.1:0".into(), store, rate: 0, seconds: 2, ..Settings::default() }
}

impl Service {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        Self::with(folder, settings, privet_collector::collector::system_clock)
    }

    pub fn with(folder: tempfile::TempDir, settings: Settings, now: fn() -> u64) -> Self {
        let running = Running::start_at(settings, TOKEN, now).unwrap();
        let address = Address { service: format!("http://{}", running.address), task: None };
        Self { running: Some(running), folder, address }
    }

    pub fn client(&self) -> Client {
        Client::new(&self.address)
    }

    pub fn administrator(&self) -> Client {
        self.client().with_token(TOKEN)
    }

    pub fn create(&self, task: &SealedTask, entry: Entry) -> TaskName {
        self.administrator()
            .create(task, &ids(task.open().unwrap().0.task.people.count), entry)
            .unwrap()
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join("collector.db")
    }
}

pub fn ids(count: u32) -> Vec<String> {
    (0..count).map(|at| format!("person {at}")).collect()
}

/// A task that asks for everything.
pub fn everything(title: &str, people: u32) -> SealedTask {
    let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 1.0 };
    sealed(&Task {
        title: title.into(),
        purpose: "a test".into(),
        contact: "nobody".into(),
        people: Universe::of(ids(people)),
        asks: TaskQuestions {
            features: Some(FeaturesAsked {
                columns: ["a", "b", "c"].map(column).to_vec(),
                mechanism: "hds".into(),
                epsilon: 2.0,
                k: Some(1),
            }),
            label: Some(label()),
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 1.5 }),
        },
        until: None,
    })
}

/// A task that asks for an answer alone: its reports can be made by hand.
pub fn labels(title: &str, people: u32, until: Option<u64>) -> SealedTask {
    sealed(&Task {
        title: title.into(),
        purpose: "a test".into(),
        contact: "nobody".into(),
        people: Universe::of(ids(people)),
        asks: TaskQuestions { label: Some(label()), ..TaskQuestions::default() },
        until,
    })
}

fn label() -> LabelAsked {
    let classes = vec!["no".into(), "yes".into()];
    LabelAsked { question: "?".into(), classes, epsilon: 1.0 }
}

fn sealed(task: &Task) -> SealedTask {
    SigningKey::from_bytes(&[3; 32]).seal(task).unwrap()
}

/// A report of a task that asks for an answer alone.
pub fn answer(task: TaskName, place: u32, class: u32) -> Vec<u8> {
    use privet_protocol::Report;
    Report { task, participant: place, features: None, label: Some(class), contacts: None }.encode()
}

/// A report that a real device drew, of a task that asks for everything.
pub fn drawn(task: &SealedTask, place: u32, seed: u64) -> Vec<u8> {
    static DEVICES: AtomicU64 = AtomicU64::new(0);
    let folder = tempfile::tempdir().unwrap();
    let number = DEVICES.fetch_add(1, Ordering::Relaxed);
    let device = Device::create(&folder.path().join(number.to_string()), 20.0).unwrap();
    let mine = DeviceRecord {
        features: Some(vec![1.0, 0.0, 0.5]),
        label: Some(place % 2),
        contacts: Some(vec![u32::from(place == 0)]),
    };
    device.answer_with(task, place, &mine, Noise::Replay(seed)).unwrap().report
}
