use super::*;
use crate::device::{Device, DeviceRecord};
use crate::protocol::{
    ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, SigningKey, Task, TaskQuestions,
};

fn ids() -> Vec<String> {
    (0..12).map(|at| format!("p{at:02}")).collect()
}

fn task() -> SealedTask {
    let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 1.0 };
    let task = Task {
        title: "Winter".into(),
        purpose: "a test".into(),
        contact: "none".into(),
        people: Universe::of(ids()),
        asks: TaskQuestions {
            features: Some(FeaturesAsked {
                columns: ["a", "b", "c"].map(column).to_vec(),
                mechanism: "hds".into(),
                epsilon: 2.0,
                k: Some(1),
            }),
            label: Some(LabelAsked {
                question: "?".into(),
                classes: vec!["no".into(), "yes".into()],
                epsilon: 1.0,
            }),
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 1.5 }),
        },
        until: None,
    };
    SigningKey::from_bytes(&[3; 32]).seal(&task).unwrap()
}

fn report(at: u32, place: &Path) -> Vec<u8> {
    let device = Device::create(&place.join(format!("{at}-{}", std::process::id())), 20.0);
    let mine = DeviceRecord {
        features: Some(vec![1.0, 0.0, 0.5]),
        label: Some(at % 2),
        contacts: Some(if at == 0 { vec![1] } else { vec![0] }),
    };
    device.unwrap().answer(&task(), at, &mine).unwrap().report
}

#[test]
fn reports_become_a_dataset_with_a_card() {
    let place = tempfile::tempdir().unwrap();
    let mut collected = Collection::new(&task(), ids()).unwrap();
    for at in [3, 0, 11] {
        let bytes = report(at, place.path());
        assert_eq!(collected.add(&bytes).unwrap(), ReportReceipt::New);
        assert_eq!(collected.add(&bytes).unwrap(), ReportReceipt::Again);
    }
    assert_eq!(collected.len(), 3);
    let data = collected.dataset(Decoding::Unbiased).unwrap();
    assert_eq!((data.graph().node_count(), data.ids().get(11).to_string()), (12, "p11".into()));
    let labels = data.labels().unwrap();
    let labelled: Vec<u32> = (0..12).filter(|&at| labels.class(at).is_some()).collect();
    assert_eq!(labelled, [0, 3, 11]);
    let features = data.features().unwrap();
    assert_eq!(features.names().unwrap(), ["a", "b", "c"]);
    // Each reported one column; who reported nothing has an empty row.
    let filled = (0..12).filter(|&at| features.nonzero_entries(at).count() == 1);
    assert!(filled.clone().count() <= 3 && filled.clone().all(|at| [0, 3, 11].contains(&at)));
    let card = collected.card().unwrap();
    // Features and label are one record; a contact whom both name costs twice.
    assert_eq!(card.totals[0].loss.epsilon.get(), 3.0);
    assert_eq!(card.guarantees[2].also[0].loss.epsilon.get(), 3.0);
}

#[test]
fn nobody_sends_twice_and_nothing_is_taken_that_no_device_sends() {
    let place = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let mut collected = Collection::new(&task(), ids()).unwrap();
    collected.add(&report(5, place.path())).unwrap();
    // Another device in the same name: one of a few draws differs.
    let different = (0..20).map(|at| report(5, &other.path().join(at.to_string())));
    let first = report(5, &place.path().join("again"));
    let refused = different.filter(|bytes| *bytes != first && collected.add(bytes).is_err());
    assert!(refused.count() > 0);
    assert_eq!(collected.len(), 1);
    assert!(collected.add(b"").is_err() && collected.add(&[1; 40]).is_err());
    let mut others = ids();
    others.swap(0, 1);
    assert!(Collection::new(&task(), others).is_err(), "places are part of the task");
}

#[test]
fn a_stream_is_whole_or_refused() {
    let place = tempfile::tempdir().unwrap();
    let reports: Vec<Vec<u8>> = (0..4).map(|at| report(at, place.path())).collect();
    let mut bytes = Vec::new();
    reports.iter().for_each(|report| stream::put_report(&mut bytes, report));
    stream::put_end(&mut bytes, 4);
    let mut collected = Collection::new(&task(), ids()).unwrap();
    collected.add(&reports[2]).unwrap();
    let streamed = collected.add_stream(&bytes[..]).unwrap();
    assert_eq!((streamed.new, streamed.again, collected.len()), (3, 1, 4));
    for cut in 0..bytes.len() {
        let mut collected = Collection::new(&task(), ids()).unwrap();
        assert!(collected.add_stream(&bytes[..cut]).is_err(), "{cut}");
    }
    // One that lies about its end, and lengths that no report has.
    let end = bytes.len() - 1;
    bytes[end] = 3;
    for wrong in [&bytes[..], &[0xff; 12], &[0xff, 0xff, 0xff, 0xff, 0x7f, 0]] {
        assert!(Collection::new(&task(), ids()).unwrap().add_stream(wrong).is_err());
    }
}

#[test]
fn a_written_dataset_has_its_card_beside_it() {
    let place = tempfile::tempdir().unwrap();
    let mut collected = Collection::new(&task(), ids()).unwrap();
    collected.add(&report(5, place.path())).unwrap();
    let path = place.path().join("out.npz");
    let (_, files) = collected.write(&path, None).unwrap();
    assert_eq!(files.len(), 2);
    assert!(crate::cardfile::of_input(&path).unwrap().is_some());
    assert!(collected.write(&path, None).is_err(), "nothing is written over");
    // Computed again from the task: it holds, and no other card and no other task do.
    let card = Card::read(&crate::cardfile::card_of(&path)).unwrap();
    let card_path = crate::cardfile::card_of(&path);
    let check = |card: &Card, task: &SealedTask| {
        verified::check_card(card, task, &card_path).unwrap().differences
    };
    assert_eq!(check(&card, &task()), Vec::<String>::new());
    let mut cheaper = card.clone();
    cheaper.guarantees.pop();
    assert_eq!(check(&cheaper, &task()).len(), 1);
    let mut quieter = card.clone();
    quieter.unprotected.clear();
    assert_eq!(check(&quieter, &task()).len(), 1);
    let mut dearer = task().open().unwrap().0.task;
    dearer.asks.label.as_mut().unwrap().epsilon = 2.0;
    let dearer = SigningKey::from_bytes(&[3; 32]).seal(&dearer).unwrap();
    assert!(!check(&card, &dearer).is_empty());
    std::fs::write(&path, b"other").unwrap();
    assert_eq!(check(&card, &task()).len(), 1);
}

/// The truth lies within three standard errors, and a mechanism that costs less is further off.
#[test]
fn estimates_are_near_the_truth() {
    use crate::privacy::noise::NoiseRng;
    use crate::privacy::{Ledger, Secret};
    let ids: Vec<String> = (0..600).map(|at| at.to_string()).collect();
    let mut errors = Vec::new();
    for epsilon in [0.5, 4.0] {
        let (classes, question) = (vec!["a".into(), "b".into(), "c".into()], "?".to_owned());
        let task = Task {
            title: "t".into(),
            purpose: "t".into(),
            contact: "t".into(),
            people: Universe::of(&ids),
            asks: TaskQuestions {
                label: Some(LabelAsked {
                    question: question.clone(),
                    classes: classes.clone(),
                    epsilon,
                }),
                contacts: Some(ContactsAsked { question, epsilon }),
                ..TaskQuestions::default()
            },
            until: None,
        };
        let sealed = SigningKey::from_bytes(&[3; 32]).seal(&task).unwrap();
        let mut collected = Collection::new(&sealed, ids.clone()).unwrap();
        let limit = Loss::new(epsilon, 0.0).unwrap();
        let truth =
            Labels::single((0..600).map(|at| Some(u32::from(at >= 150))).collect(), classes);
        let label = collected.asked.label.as_ref().unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let drawn = ledger.release_each(&Secret::new(truth.unwrap()), label).unwrap();
        let ring = (0..600u32).map(|at| {
            let mut two = vec![(at + 1) % 600, (at + 599) % 600];
            two.sort_unstable();
            two
        });
        let ring = Secret::new(crate::graph::Graph::from_rows(ring.collect()).unwrap());
        let lists = collected.asked.contacts.as_ref().unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(2)).unwrap();
        let lists = ledger.release_each(&ring, lists).unwrap();
        for (at, (label, list)) in drawn.get().iter().zip(lists.get()).enumerate() {
            let (task, participant, contacts) =
                (collected.asked.name, at as u32, Some(list.clone()));
            let report = Report { task, participant, features: None, label: *label, contacts };
            collected.add(&report.encode()).unwrap();
        }
        let found = collected.estimates().unwrap();
        let contacts = found.contacts.unwrap();
        for (estimate, truth) in
            found.answers.iter().zip([0.25, 0.75, 0.0]).chain([(&contacts, 2.0)])
        {
            assert!((estimate.value - truth).abs() < 3.5 * estimate.error, "{estimate:?} {truth}");
        }
        errors.push((found.answers[0].error, contacts.error));
    }
    assert!(errors[0].0 > 2.0 * errors[1].0 && errors[0].1 > 2.0 * errors[1].1, "{errors:?}");
    assert!(Collection::new(&task(), self::ids()).unwrap().estimates().is_err(), "no reports yet");
}

/// Three who make up lists of all users are left out, and no other user is.
#[test]
fn made_up_lists_are_left_out() {
    use crate::dprr::Defence;
    use crate::privacy::edges::local::DegreeReport;
    let ids: Vec<String> = (0..400).map(|at| at.to_string()).collect();
    let task = Task {
        title: "t".into(),
        purpose: "t".into(),
        contact: "t".into(),
        people: Universe::of(&ids),
        asks: TaskQuestions {
            contacts: Some(ContactsAsked { question: "?".into(), epsilon: 2.0 }),
            ..TaskQuestions::default()
        },
        until: None,
    };
    let sealed = SigningKey::from_bytes(&[3; 32]).seal(&task).unwrap();
    let mut collected = Collection::new(&sealed, ids).unwrap();
    for at in 0..400u32 {
        let neighbors: Vec<u32> = match at < 20 {
            true => (0..400).filter(|&other| other != at).collect(),
            false => vec![if at == 399 { 20 } else { at + 1 }],
        };
        let contacts = Some(DegreeReport { degree: neighbors.len() as i64, neighbors });
        let task = collected.asked.name;
        let report = Report { task, participant: at, features: None, label: None, contacts };
        collected.add(&report.encode()).unwrap();
    }
    let defence = Defence::Handshake { theta: 0.01, usual_degree: 10 };
    assert_eq!(collected.without_made_up_lists(defence).unwrap(), (0..20).collect::<Vec<_>>());
    assert_eq!(collected.len(), 380);
}
