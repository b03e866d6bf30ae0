use super::*;
use crate::device::{Device, Mine};
use crate::protocol::{
    Asks, ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, SigningKey, Task,
};

fn ids() -> Vec<String> {
    (0..12).map(|at| format!("p{at:02}")).collect()
}

fn task() -> SealedTask {
    let column = |name: &str| FeatureColumn { name: name.into(), low: 0.0, high: 1.0 };
    let task = Task {
        title: "Winter".into(),
        purpose: "a test".into(),
        contact: "nobody".into(),
        people: Universe::of(ids()),
        asks: Asks {
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

fn report(at: u32, place: &std::path::Path) -> Vec<u8> {
    let device = Device::create(&place.join(format!("{at}-{}", std::process::id())), 20.0);
    let mine = Mine {
        features: Some(vec![1.0, 0.0, 0.5]),
        label: Some(at % 2),
        contacts: Some(if at == 0 { vec![1] } else { vec![0] }),
    };
    device.unwrap().answer(&task(), at, &mine).unwrap().report
}

#[test]
fn reports_become_a_dataset_with_a_card() {
    let place = tempfile::tempdir().unwrap();
    let mut collected = Collected::new(&task(), ids()).unwrap();
    for at in [3, 0, 11] {
        let bytes = report(at, place.path());
        assert_eq!(collected.add(&bytes).unwrap(), Taken::New);
        assert_eq!(collected.add(&bytes).unwrap(), Taken::Again);
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
    let mut collected = Collected::new(&task(), ids()).unwrap();
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
    assert!(Collected::new(&task(), others).is_err(), "places are part of the task");
}
