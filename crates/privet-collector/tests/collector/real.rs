//! Cora's 2,708 people with their words, subjects and citations, each a device of their own that sends over HTTP: the dataset
//! that comes out is, byte for byte, the one that a single process over all data would have drawn.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use privet::collected::Collection;
use privet::data::catalog;
use privet::graph::{Dataset, LoadedData};
use privet::privacy::ledger::Contents;
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::Unit;
use privet::privacy::{Ledger, Loss, Secret};
use privet::protocol::device::{AccountKind, DeviceRecord, DeviceStorage, PersonalDevice};
use privet_collector::TaskAccess;
use privet_protocol::{
    ContactsAsked, Error, FeatureColumn, FeaturesAsked, LabelAsked, Report, SealedTask, SigningKey,
    Task, TaskName, TaskQuestions, Universe,
};

use crate::service::Service;

const SEED: u64 = 11;

/// A device that forgets when the test ends: every account is charged once.
#[derive(Default)]
struct Memory {
    answers: RefCell<HashMap<TaskName, Vec<u8>>>,
}

impl DeviceStorage for Memory {
    type Error = Error;

    fn contents(&self, _: AccountKind) -> Result<Option<Contents>, Error> {
        Ok(None)
    }

    fn open<U: Unit>(
        &self,
        _: AccountKind,
        limit: Loss,
        noise: NoiseRng,
    ) -> Result<Ledger<U>, Error> {
        Ok(Ledger::in_memory(limit, noise)?)
    }

    fn answered(&self, task: TaskName) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.answers.borrow().get(&task).cloned())
    }

    fn remember(&self, task: TaskName, report: &[u8]) -> Result<(), Error> {
        self.answers.borrow_mut().insert(task, report.to_vec());
        Ok(())
    }
}

/// Cora, if its files are there.
fn cora() -> Option<Dataset> {
    let entry = catalog::find("cora").unwrap();
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PRIVET_DATA_DIR").map_or(beside, Into::into);
    match entry.load(&catalog::data_dirs(Some(&folder)), &Default::default()) {
        Ok(LoadedData::Nodes(data)) => Some(data),
        _ => {
            println!("skipped: Cora is not in the data folder (set PRIVET_DATA_DIR)");
            None
        }
    }
}

fn ids(data: &Dataset) -> Vec<String> {
    data.graph().nodes().map(|node| data.ids().get(node).to_string()).collect()
}

/// A task about everything that Cora's people hold.
fn task(data: &Dataset) -> SealedTask {
    let features = data.features().unwrap();
    let column = |at: usize| FeatureColumn { name: format!("word {at}"), low: 0.0, high: 1.0 };
    let task = Task {
        title: "Cora".into(),
        purpose: "a test".into(),
        contact: "none".into(),
        people: Universe::of(ids(data)),
        asks: TaskQuestions {
            features: Some(FeaturesAsked {
                columns: (0..features.columns()).map(column).collect(),
                mechanism: "hds".into(),
                epsilon: 3.0,
                k: None,
            }),
            label: Some(LabelAsked {
                question: "Which subject?".into(),
                classes: data.labels().unwrap().class_names().to_vec(),
                epsilon: 3.0,
            }),
            contacts: Some(ContactsAsked { question: "Whom do you cite?".into(), epsilon: 3.0 }),
        },
        until: None,
    };
    SigningKey::from_bytes(&[5; 32]).seal(&task).unwrap()
}

/// All reports, drawn in one process.
fn in_one_process(data: &Dataset, sealed: &SealedTask) -> Collection {
    let (asked, _) = sealed.open().unwrap();
    let limit = Loss::new(3.0, 0.0).unwrap();
    let noise = || NoiseRng::replay(SEED);
    let features = Secret::new(data.features().unwrap().clone());
    let features = Ledger::in_memory(limit, noise())
        .unwrap()
        .release_each(&features, asked.features.as_ref().unwrap())
        .unwrap();
    let labels = Secret::new(data.labels().unwrap().clone());
    let labels = Ledger::in_memory(limit, noise())
        .unwrap()
        .release_each(&labels, asked.label.as_ref().unwrap())
        .unwrap();
    let lists = Secret::new(data.graph().clone());
    let lists = Ledger::in_memory(limit, noise())
        .unwrap()
        .release_each(&lists, asked.contacts.as_ref().unwrap())
        .unwrap();
    let mut collected = Collection::new(sealed, ids(data)).unwrap();
    for person in 0..data.graph().node_count() {
        let report = Report {
            task: asked.name,
            participant: person as u32,
            features: Some(features.get()[person].clone()),
            label: labels.get()[person],
            contacts: Some(lists.get()[person].clone()),
        };
        collected.add(&report.encode()).unwrap();
    }
    collected
}

fn mine(data: &Dataset, person: u32) -> DeviceRecord {
    let features = data.features().unwrap();
    let mut row = vec![0.0; features.columns()];
    for (column, value) in features.nonzero_entries(person as usize) {
        row[column as usize] = value;
    }
    DeviceRecord {
        features: Some(row),
        label: data.labels().unwrap().class(person),
        contacts: Some(data.graph().neighbors(person).to_vec()),
    }
}

#[test]
fn coras_people_send_what_one_process_would_have_drawn() {
    let Some(data) = cora() else { return };
    let (service, sealed) = (Service::start(), task(&data));
    let name = service.administrator().create(&sealed, &ids(&data), TaskAccess::Open).unwrap();
    let (next, people) = (AtomicUsize::new(0), data.graph().node_count());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let client = service.client();
                while let Some(person) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < people)
                {
                    let memory = Memory::default();
                    let device = PersonalDevice::new(&memory, 20.0).unwrap();
                    let noise = || Ok(NoiseRng::replay(SEED));
                    let held = mine(&data, person as u32);
                    let answer = device.answer(&sealed, person as u32, &held, noise).unwrap();
                    client.send(name, &answer.report, None).unwrap();
                }
            });
        }
    });
    let mut collected = Collection::new(&sealed, ids(&data)).unwrap();
    collected.add_stream(service.administrator().reports(name).unwrap()).unwrap();
    assert_eq!(collected.len(), 2708);
    let folder = tempfile::tempdir().unwrap();
    let (sent, drawn) = (folder.path().join("sent.npz"), folder.path().join("drawn.npz"));
    collected.write(&sent, None).unwrap();
    in_one_process(&data, &sealed).write(&drawn, None).unwrap();
    assert_eq!(std::fs::read(sent).unwrap(), std::fs::read(drawn).unwrap());
}
