use super::*;
use crate::graph::{DenseMatrix, Features, Graph, Labels};
use crate::privacy::Secret;
use crate::privacy::unit::{FeatureRow, Label, NeighborBit};
use crate::protocol::{
    ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, Report, SigningKey, Task,
    TaskQuestions, Universe,
};

const PEOPLE: u32 = 30;

fn task(title: &str) -> Task {
    let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 1.0 };
    let features = FeaturesAsked {
        columns: ["a", "b", "c", "d"].map(column).to_vec(),
        mechanism: "hds".into(),
        epsilon: 2.0,
        k: Some(1),
    };
    let classes = vec!["no".into(), "yes".into()];
    Task {
        title: title.into(),
        purpose: "a test".into(),
        contact: "none".into(),
        people: Universe::of((0..PEOPLE).map(|at| at.to_string())),
        asks: TaskQuestions {
            features: Some(features),
            label: Some(LabelAsked { question: "?".into(), classes, epsilon: 1.0 }),
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 2.5 }),
        },
        until: None,
    }
}

fn sealed(title: &str) -> SealedTask {
    SigningKey::from_bytes(&[1; 32]).seal(&task(title)).unwrap()
}

fn mine(at: u32) -> DeviceRecord {
    let row = (0..4).map(|column| f32::from(u8::from(at % 4 == column))).collect();
    let mut contacts = vec![(at + 1) % PEOPLE, (at + 5) % PEOPLE];
    contacts.sort_unstable();
    DeviceRecord { features: Some(row), label: Some(at % 2), contacts: Some(contacts) }
}

/// Thirty devices, each on its own, send what one process over the data of all users would have drawn.
#[test]
fn devices_send_what_one_process_would_have_drawn() {
    let place = tempfile::tempdir().unwrap();
    let sealed = sealed("together");
    let (asked, _) = sealed.open().unwrap();
    let all: Vec<DeviceRecord> = (0..PEOPLE).map(mine).collect();
    let limit = Loss::new(20.0, 0.0).unwrap();
    let rng = || NoiseRng::replay(9);
    let rows = all.iter().flat_map(|mine| mine.features.clone().unwrap()).collect();
    let rows = Secret::new(Features::dense(DenseMatrix::new(30, 4, rows).unwrap()));
    let mut ledger: Ledger<FeatureRow> = Ledger::in_memory(limit, rng()).unwrap();
    let features = ledger.release_each(&rows, asked.features.as_ref().unwrap()).unwrap();
    let classes = asked.task.asks.label.as_ref().unwrap().classes.clone();
    let labels = Labels::single(all.iter().map(|mine| mine.label).collect(), classes).unwrap();
    let mut ledger: Ledger<Label> = Ledger::in_memory(limit, rng()).unwrap();
    let labels = ledger.release_each(&Secret::new(labels), asked.label.as_ref().unwrap()).unwrap();
    let lists = all.iter().map(|mine| mine.contacts.clone().unwrap()).collect();
    let lists = Secret::new(Graph::from_rows(lists).unwrap());
    let mut ledger: Ledger<NeighborBit> = Ledger::in_memory(limit, rng()).unwrap();
    let contacts = ledger.release_each(&lists, asked.contacts.as_ref().unwrap()).unwrap();
    for at in 0..PEOPLE {
        let device = Device::create(&place.path().join(at.to_string()), 20.0).unwrap();
        let answer = device.answer_with(&sealed, at, &mine(at), Noise::Replay(9)).unwrap();
        let report = Report::decode(&asked, &answer.report).unwrap();
        let at = at as usize;
        assert_eq!(report.features.as_ref(), features.get().get(at));
        assert_eq!(
            (report.label, report.contacts.as_ref()),
            (labels.get()[at], contacts.get().get(at))
        );
    }
}

#[test]
fn asking_again_gets_the_same_bytes_and_costs_nothing() {
    let place = tempfile::tempdir().unwrap();
    let device = Device::create(place.path(), 10.0).unwrap();
    let sealed = sealed("again");
    let first = device.answer(&sealed, 3, &mine(3)).unwrap();
    let spent = device.spent().unwrap();
    assert_eq!((first.again, spent.record, spent.contacts), (false, 3.0, 2.5));
    // Many at once, from devices that were opened anew.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let device = Device::open(place.path()).unwrap();
                let again = device.answer(&sealed, 3, &mine(3)).unwrap();
                assert_eq!((again.again, &again.report), (true, &first.report));
            });
        }
    });
    assert_eq!(device.spent().unwrap(), spent);
    assert!(device.answer(&sealed, 4, &mine(4)).is_err(), "that would be in another user's name");
}

/// Two programs at once: one draws, the other sends what was drawn.
#[test]
fn two_programs_draw_once() {
    let place = tempfile::tempdir().unwrap();
    Device::create(place.path(), 10.0).unwrap();
    let sealed = sealed("race");
    let answers: Vec<DeviceAnswer> = std::thread::scope(|scope| {
        let each = || Device::open(place.path()).unwrap().answer(&sealed, 3, &mine(3)).unwrap();
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(each)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| answer.report == answers[0].report));
    assert_eq!(answers.iter().filter(|answer| !answer.again).count(), 1);
}

#[test]
fn a_lifetime_is_a_lifetime_whoever_asks() {
    let place = tempfile::tempdir().unwrap();
    let device = Device::create(place.path(), 5.5).unwrap();
    device.answer(&sealed("first"), 3, &mine(3)).unwrap();
    // Features and label are one record: 3 and 3 more are above 5.5, though each account alone would have room.
    let told = device.answer(&sealed("second"), 3, &mine(3)).unwrap_err().to_string();
    assert!(told.contains("record") && told.contains("5.5"), "{told}");
    assert_eq!(device.spent().unwrap().record, 3.0);
    let mut less = task("third");
    less.asks = TaskQuestions { contacts: less.asks.contacts, ..TaskQuestions::default() };
    let less = SigningKey::from_bytes(&[2; 32]).seal(&less).unwrap();
    let list = DeviceRecord { contacts: mine(3).contacts, ..DeviceRecord::default() };
    device.answer(&less, 3, &list).unwrap();
    assert_eq!(device.spent().unwrap().contacts, 5.0);
}

#[test]
fn what_is_held_must_be_what_is_asked() {
    let place = tempfile::tempdir().unwrap();
    let device = Device::create(place.path(), 20.0).unwrap();
    let sealed = sealed("shapes");
    let wrong = [
        DeviceRecord { features: None, ..mine(3) },
        DeviceRecord { features: Some(vec![1.0; 3]), ..mine(3) },
        DeviceRecord { features: Some(vec![f32::NAN; 4]), ..mine(3) },
        DeviceRecord { label: Some(2), ..mine(3) },
        DeviceRecord { contacts: Some(vec![3]), ..mine(3) },
        DeviceRecord { contacts: Some(vec![PEOPLE]), ..mine(3) },
        DeviceRecord { contacts: Some(vec![5, 4]), ..mine(3) },
    ];
    for mine in wrong {
        assert!(device.answer(&sealed, 3, &mine).is_err(), "{mine:?}");
    }
    assert!(device.answer(&sealed, PEOPLE, &mine(3)).is_err());
    let forged = SealedTask { task: sealed.task.replace("2.5", "0.5"), ..sealed };
    assert!(device.answer(&forged, 3, &mine(3)).is_err());
    assert_eq!(
        device.spent().unwrap(),
        DeviceSpending { record: 0.0, contacts: 0.0, lifetime: 20.0 }
    );
    assert!(Device::create(place.path(), 1.0).is_err(), "a device is not made anew");
    assert!(Device::create(&place.path().join("x"), 0.0).is_err());
}
