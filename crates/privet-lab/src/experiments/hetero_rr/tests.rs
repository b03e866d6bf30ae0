use super::*;
use privet::data::synthetic::StochasticBlocks;
use privet::hetero_rr::TreePlan;

/// With communities in the graph and weak features, all edges beat public edges alone, and the
/// published graph keeps the public ones.
#[test]
fn variants_are_ordered_as_they_should_be() {
    let blocks = StochasticBlocks {
        nodes: 240,
        classes: 3,
        features: 12,
        mean_degree: 7.0,
        ..Default::default()
    };
    let dataset = blocks.generate(5).unwrap();
    let tree = TreePlan { steps_per_node: 20, ..TreePlan::default() };
    let trial = HeteroRrTrial {
        data: NamedData::new("people", &dataset),
        private: CalledPrivate::Share(0.5),
        edges_as: EdgeUse::Graph,
        edges: EdgeProtection { tree, ..EdgeProtection::new(2.0) },
        features: None,
        learner: GcnLearner { epochs: 40, ..GcnLearner::default() },
        baselines: Vec::new(),
    };
    let never = AtomicBool::new(false);
    let world = trial.world(Variant::Private, 1).unwrap();
    assert!(world.public.edges().all(|(u, v)| world.graph.has_edge(u, v)));
    assert_eq!(world.public.edge_count() + world.private.edge_count(), world.truth.edge_count());
    assert_eq!(world.card.unwrap().guarantees[0].loss.epsilon.get(), 2.0);
    let control = trial.world(Variant::Control, 1).unwrap();
    assert_ne!(control.graph, world.graph);
    for variant in trial.variants() {
        let score = trial.run(variant, 1, &never).unwrap().scores;
        assert!(score.test() > 0.34, "{variant:?} {score:?}");
    }
    let mean = |variant| {
        let of = |seed| trial.run(variant, seed, &never).unwrap().scores.test();
        (0..3).map(of).sum::<f64>() / 3.0
    };
    let [private, public, ceiling] =
        [Variant::Private, Variant::NoPrivateData, Variant::Ceiling].map(mean);
    assert!(ceiling >= private - 0.02 && ceiling >= public - 0.02, "{ceiling} {private} {public}");
}

fn people() -> Dataset {
    let (nodes, classes, features, mean_degree) = (60, 2, 4, 2.5);
    let blocks = StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
    blocks.generate(2).unwrap()
}

fn small(dataset: &Dataset) -> HeteroRrTrial<'_> {
    let tree = TreePlan { steps_per_node: 2, ..TreePlan::default() };
    HeteroRrTrial {
        edges: EdgeProtection { tree, ..EdgeProtection::new(1.0) },
        learner: GcnLearner { epochs: 2, ..GcnLearner::default() },
        ..HeteroRrTrial::new(NamedData::new("people", dataset), 0.5)
    }
}

/// Whatever changes a score changes the key, learner and data included; what has no noise has no mechanism.
#[test]
fn keys_say_what_scores_follow_from() {
    let (dataset, other_data) = (people(), HeteroRrTrial::without_features(&people()).unwrap());
    let first = small(&dataset);
    let mut others = vec![first.clone(); 5];
    others[0].data = NamedData::new("people", &other_data);
    others[1].private = CalledPrivate::Share(0.4);
    others[2].edges.epsilon = 2.0;
    others[3].features = Some(FeatureProtection::new(1.0));
    others[4].learner.epochs = 3;
    for other in &others {
        let key = other.key(Variant::Private);
        assert_ne!(key, first.key(Variant::Private), "{key}");
    }
    let same = |other: &HeteroRrTrial<'_>, variant| other.key(variant) == first.key(variant);
    assert!(same(&others[2], Variant::Ceiling) && same(&others[2], Variant::PublicOnly));
    assert!(same(&others[3], Variant::Ceiling) && !same(&others[3], Variant::PublicOnly));
    assert!(!same(&others[4], Variant::Ceiling));
    // What learns from public data is another model where private edges vote.
    let voting = HeteroRrTrial { edges_as: EdgeUse::Votes, ..first.clone() };
    for variant in [Variant::PublicOnly, Variant::NoPrivateData, Variant::Clear, Variant::Ceiling] {
        assert!(!same(&voting, variant), "{variant:?}");
    }
    // A baseline differs from the system in its mechanism.
    assert_ne!(first.key(Variant::EdgeRand), first.key(Variant::LapGraph));
}

#[test]
fn baselines_stand_between_the_system_and_its_control() {
    let dataset = people();
    let mut trial = small(&dataset);
    trial.baselines = vec![Variant::EdgeRand];
    let expected = [
        Variant::Private,
        Variant::EdgeRand,
        Variant::Control,
        Variant::PublicOnly,
        Variant::NoPrivateData,
        Variant::Ceiling,
    ];
    assert_eq!(trial.variants(), expected);
    assert_eq!(trial.name(Variant::Private), "published");
}

/// The seed decides which edges are private, and no other variant sees other ones.
#[test]
fn variants_of_a_seed_see_the_same_private_edges() {
    let dataset = people();
    let trial = small(&dataset);
    let world = |variant, seed| trial.world(variant, seed).unwrap();
    let (private, ceiling) = (world(Variant::Private, 1), world(Variant::Clear, 1));
    assert_eq!(private.private, ceiling.private);
    assert_eq!(ceiling.graph, ceiling.truth);
    assert_ne!(private.private, world(Variant::Private, 2).private);
    let public = world(Variant::PublicOnly, 1);
    assert_eq!(public.graph, public.public);
    assert!(private.card.is_some() && ceiling.card.is_none());
    assert_eq!(private.graph, world(Variant::Private, 1).graph, "noise follows from the seed");
}

/// Accounts are those of the run: a folder has one file for each kind of release, and both are on the card.
#[test]
fn a_release_charges_the_accounts_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = people();
    let bounds = privet::graph::Bounds::uniform(0.0, 1.0, privet::graph::BoundsOrigin::Declared);
    let features = dataset.features().unwrap().clone().with_bounds(bounds.unwrap()).unwrap();
    let dataset = dataset.with_features(features).unwrap();
    let mut trial = small(&dataset);
    trial.features = Some(FeatureProtection::new(8.0));
    let (published, _, card) = trial.release(&Run::in_folder(folder.path()).unwrap()).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".ledger"))
        .collect();
    names.sort();
    assert_eq!(names, ["edges.ledger", "features.ledger"]);
    assert_eq!(card.guarantees.len(), 2);
    assert!(!card.is_simulation());
    assert_eq!(published.graph().node_count(), 60);
    // What is there already is not charged again without notice.
    assert!(trial.release(&Run::in_folder(folder.path()).unwrap()).is_err());
}

#[test]
fn what_cannot_be_learnt_is_said_without_flags() {
    let dataset = people();
    let (graph, ids) = (dataset.graph().clone(), dataset.ids().clone());
    let bare = Dataset::new("bare", graph, ids).unwrap();
    let never = AtomicBool::new(false);
    let error = small(&bare).run(Variant::Clear, 1, &never).unwrap_err().to_string();
    assert!(error.contains("labels") && !error.contains("--"), "{error}");
    let labelled = bare.with_labels(dataset.labels().unwrap().clone()).unwrap();
    let error = small(&labelled).run(Variant::Clear, 1, &never).unwrap_err().to_string();
    assert!(error.contains("features") && !error.contains("--"), "{error}");
}

/// Where most edges are private and people have many, votes say more than public edges alone; where nothing lies behind
/// the noise they are left out, and nothing is lost.
#[test]
fn votes_contribute_and_noise_does_no_harm() {
    let blocks = StochasticBlocks {
        nodes: 600,
        mean_degree: 12.0,
        feature_signal: 0.1,
        ..StochasticBlocks::default()
    };
    let dataset = blocks.generate(3).unwrap();
    let trial = HeteroRrTrial::new(NamedData::new("people", &dataset), 0.9);
    let trial = HeteroRrTrial { edges_as: EdgeUse::Votes, ..trial };
    let mean = |variant| {
        let of = |seed| trial.run(variant, seed, &AtomicBool::new(false)).unwrap().scores.test();
        (0..3).map(of).sum::<f64>() / 3.0
    };
    let [votes, control, public] =
        [Variant::Private, Variant::Control, Variant::PublicOnly].map(mean);
    assert!(votes > public + 0.05, "{votes} {public}");
    assert!((control - public).abs() < 0.01, "{control} {public}");
    let outcome = trial.run(Variant::Private, 0, &AtomicBool::new(false)).unwrap();
    let [edges] = &outcome.card.unwrap().guarantees[..] else { panic!("one guarantee") };
    assert_eq!((edges.loss.epsilon.get(), edges.loss.delta.get()), (1.0, 0.0));
    let again = HeteroRrTrial { edges_as: EdgeUse::Graph, ..trial.clone() };
    assert_ne!(trial.key(Variant::Private), again.key(Variant::Private));
}
