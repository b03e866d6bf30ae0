use privet::graph::{Dataset, Labels};

use super::reports::tests::{fast, people, reports};
use super::*;
use crate::experiments::trial::Subject;

#[test]
fn splits_are_of_labelled_people_and_of_links() {
    let dataset = people();
    let split = LdpGeRelease::split((&dataset).into(), 1).unwrap();
    assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (40, 20, 20));
    assert_eq!(split.test, LdpGeRelease::split((&dataset).into(), 1).unwrap().test);
    assert_ne!(split.test, LdpGeRelease::split((&dataset).into(), 2).unwrap().test);
    let classes = (0..80).map(|node| (node % 4 != 0).then_some(node % 2)).collect();
    let some = Labels::single(classes, vec!["a".into(), "b".into()]).unwrap();
    let some = dataset.clone().with_labels(some).unwrap();
    let split = LdpGeRelease::split((&some).into(), 1).unwrap();
    let all = [split.train, split.validation, split.test].concat();
    assert!(all.len() == 60 && all.iter().all(|node| node % 4 != 0), "{all:?}");
    let links = link_split(&dataset, 1).unwrap();
    assert_eq!(links.test.edges.len(), links.test.non_edges.len());
    assert!(links.graph.edge_count() < dataset.graph().edge_count(), "test links are gone");
}

#[test]
fn a_seed_decides_everything_and_only_the_system_has_a_card() {
    let dataset = people();
    let never = AtomicBool::new(false);
    for task in [Task::Nodes, Task::Links] {
        let trial = reports().trial(NamedData::new("people", &dataset), task, &fast());
        for variant in trial.variants() {
            let run = |seed| trial.run(variant, seed, &never).unwrap();
            let (one, again) = (run(1), run(1));
            assert_eq!(one.scores.test(), again.scores.test(), "{variant:?}");
            assert!((0.0..=1.0).contains(&one.scores.validation()));
            assert_eq!(one.card.is_some(), variant == Variant::Private);
        }
    }
}

/// Where people volunteer, all others answer with a model of theirs; the ceiling is what it was.
#[test]
fn volunteers_change_the_system_and_not_its_ceiling() {
    let dataset = people();
    let never = AtomicBool::new(false);
    let plain = reports().trial(NamedData::new("people", &dataset), Task::Nodes, &fast());
    let mixed = LdpGeTrial { volunteers: Some(0.3), ..plain.clone() };
    assert_ne!(mixed.key(Variant::Private), plain.key(Variant::Private));
    let test =
        |trial: &LdpGeTrial<'_>, variant| trial.run(variant, 1, &never).unwrap().scores.test();
    assert_eq!(test(&mixed, Variant::Ceiling), test(&plain, Variant::Ceiling));
    for variant in [Variant::Private, Variant::Control, Variant::GraphFree] {
        assert!((0.0..=1.0).contains(&test(&mixed, variant)), "{variant:?}");
    }
    assert_eq!(plain.release().answers().epsilon, plain.system.protection.features.epsilon);
}

#[test]
fn without_labels_classes_cannot_be_predicted_and_links_can() {
    let dataset = people();
    let bare = Dataset::new("bare", dataset.graph().clone(), dataset.ids().clone()).unwrap();
    let bare = bare.with_features(dataset.features().unwrap().clone()).unwrap();
    let never = AtomicBool::new(false);
    let run = |task| {
        let trial = reports().trial(NamedData::new("bare", &bare), task, &fast());
        trial.run(Variant::Private, 1, &never)
    };
    let error = run(Task::Nodes).unwrap_err().to_string();
    assert!(error.contains("labels") && !error.contains("--"), "{error}");
    assert!(run(Task::Links).is_ok());
}

#[test]
fn what_is_measured_is_named() {
    assert_eq!((Task::Nodes.metric(), Task::Links.metric()), ("test accuracy", "test AUC"));
    let dataset = people();
    let trial = reports().trial(NamedData::new("people", &dataset), Task::Nodes, &fast());
    assert_eq!(trial.variants()[0], Variant::Private);
    let about: Vec<String> = trial.variants().into_iter().map(|v| trial.about(v)).collect();
    assert!(
        about[1].contains("no user's features") && about[4].contains("not spread"),
        "{about:?}"
    );
}
