use privet::dprr::{Division, SplitRule};

use super::made_up::threads;
use super::*;

fn set() -> GraphSet {
    threads(20, 8..12, 1).unwrap()
}

fn trial(set: &GraphSet) -> DprrTrial<'_> {
    let learner = GraphLearner { epochs: 2, hidden: 4, ..GraphLearner::default() };
    let setting = Setting::Common { epsilon: 1.0 };
    DprrTrial {
        learner,
        ..DprrTrial::new(NamedData::new("threads", set), DprrMethod::Dprr, setting)
    }
}

/// Whatever changes a score changes the key; what every user publishes does not depend on a mechanism.
#[test]
fn keys_say_what_scores_follow_from() {
    let set = set();
    let first = trial(&set);
    let mut others = vec![first.clone(); 7];
    others[0].data = NamedData::new("others", &set);
    others[1].lists = Lists::Empty;
    others[2].protection.setting = Setting::Common { epsilon: 2.0 };
    others[3].protection.split = SplitRule { split: Division::Fixed, alpha: 0.9 };
    others[4].defence = Defence::Threshold { theta: 0.05 };
    others[5].reading = Reading::Plain;
    others[6].learner.hidden = 8;
    for other in &others {
        let key = other.key(Variant::Private);
        assert_ne!(key, first.key(Variant::Private), "{key}");
    }
    for epsilon in [&others[1], &others[2], &others[3], &others[4]] {
        assert_eq!(epsilon.key(Variant::Ceiling), first.key(Variant::Ceiling));
    }
    assert_ne!(others[6].key(Variant::Ceiling), first.key(Variant::Ceiling));
    assert_eq!(first.key(Variant::Control), others[1].key(Variant::Private), "empty lists");
}

#[test]
fn what_stands_beside_depends_on_who_publishes_and_who_reads() {
    let set = set();
    let mut trial = trial(&set);
    let has = |trial: &DprrTrial<'_>, variant| trial.variants().contains(&variant);
    assert!(!has(&trial, Variant::Published) && has(&trial, Variant::Plain));
    trial.protection.setting = Setting::Customised { epsilon: 1.0, public_share: 0.2 };
    assert!(has(&trial, Variant::Published));
    trial.protection.setting = Setting::Customised { epsilon: 1.0, public_share: 0.0 };
    assert!(!has(&trial, Variant::Published), "a share of no users");
    let plain = trial.reading(Reading::Plain);
    assert!(!has(&plain, Variant::Plain), "it is the system itself");
    assert_eq!(plain.variants()[0], Variant::Private);
    assert_eq!(plain.protection.split, Reading::Plain.split());
}

/// Classes alternate, so of 20 graphs the largest class holds about half of any split.
#[test]
fn the_largest_class_is_that_of_training_graphs() {
    let set = set();
    let trial = trial(&set);
    let split = trial.split(3).unwrap();
    assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (15, 2, 3));
    let labels = set.labels().unwrap();
    let count = |graphs: &[u32], class| {
        graphs.iter().filter(|&&graph| labels.class(graph) == Some(class)).count()
    };
    let largest = u32::from(count(&split.train, 1) > count(&split.train, 0));
    let expected = count(&split.test, largest) as f64 / 3.0;
    assert_eq!(trial.majority(3).unwrap(), expected);
    let never = AtomicBool::new(false);
    let outcome = trial.run(Variant::Majority, 3, &never).unwrap();
    assert_eq!((outcome.scores.test(), outcome.card), (expected, None));
}

#[test]
fn a_seed_decides_everything_and_only_the_system_has_a_card() {
    let set = set();
    let (trial, never) = (trial(&set), AtomicBool::new(false));
    let scores = |variant, seed| {
        let Outcome { scores, card } = trial.run(variant, seed, &never).unwrap();
        assert_eq!(card.is_some(), variant == Variant::Private);
        [TEST, AUC, LENGTH].map(|name| scores.get(name).unwrap())
    };
    assert_eq!(scores(Variant::Private, 1), scores(Variant::Private, 1));
    assert_ne!(scores(Variant::Private, 1)[2], scores(Variant::Private, 2)[2], "other noise");
    // Each edge stands in both lists of a tree.
    let (edges, users) =
        (set.graphs().iter().map(Graph::edge_count).sum::<usize>(), set.node_count());
    let length = scores(Variant::Clear, 1)[2];
    assert!((length - 2.0 * edges as f64 / users as f64).abs() < 1e-12, "{length}");
}

#[test]
fn attacks_and_defences_are_about_reports_of_dprr() {
    let set = set();
    let mut trial = trial(&set);
    trial.protection.method = DprrMethod::Rr;
    trial.defence = Defence::Threshold { theta: 0.05 };
    let error = trial.run(Variant::Private, 1, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("about its reports"), "{error}");
}

/// Without malicious users none were judged: there are no shares.
#[test]
fn without_a_defence_nobody_is_flagged() {
    let set = set();
    let (trial, never) = (trial(&set), AtomicBool::new(false));
    let scores = trial.run(Variant::Private, 1, &never).unwrap().scores;
    assert_eq!(scores.get(HONEST_FLAGGED), Some(0.0));
    assert_eq!(scores.get(MALICIOUS_FLAGGED), Some(0.0));
    assert!(scores.seconds() >= scores.get(LEARNING).unwrap());
}
