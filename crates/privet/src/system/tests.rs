//! What is promised before is what stands on the card afterwards.

use super::*;
use crate::Method;
use crate::data::synthetic::{BarabasiAlbert, StochasticBlocks};
use crate::dpar::{self, Dpar, HeldOut, Inductive, Mode};
use crate::dprr::{self, Crowd, Dprr, GraphLearner, Reading, Setting, SplitRule};
use crate::graph::{Labels, Split, SplitShares};
use crate::hetero_rr::{
    Custody, EdgeProtection, FeatureProtection, GcnLearner, PrivateEdges, Publication, VoteInput,
    Votes,
};
use crate::ldp_ge::{LdpGe, People};
use crate::privacy::Loss;
use crate::privacy::edges::Merge;
use crate::privacy::edges::comparison::hrg::PrivateNodes;
use crate::protect::{self, EdgeMechanism, Terms};

fn people() -> Dataset {
    let sizes = StochasticBlocks { nodes: 120, classes: 3, features: 8, ..Default::default() };
    StochasticBlocks { mean_degree: 3.0, ..sizes }.generate(5).unwrap()
}

fn keeps<S: System>(system: &S, facts: &Facts, input: S::Input) {
    let promised = system.promise(facts).unwrap();
    let kept = system.run(input, &Run::simulation(3)).unwrap();
    assert_eq!(promised.subject, kept.card().subject);
    assert_eq!(promised.totals, kept.card().totals, "{}", system.name());
    assert_eq!(promised.guarantees.len(), kept.card().guarantees.len(), "{}", system.name());
    for (before, after) in promised.guarantees.iter().zip(&kept.card().guarantees) {
        assert_eq!((&before.unit, before.limit), (&after.unit, after.limit), "{}", system.name());
        assert_eq!((before.loss, &before.also), (after.loss, &after.also), "{}", system.name());
        let about = |part| (before.is_about(part), system.protects().contains(&part));
        assert!(
            [DataPart::Features, DataPart::Labels, DataPart::Edges]
                .map(about)
                .iter()
                .all(|a| !a.0 || a.1)
        );
    }
    let told = promised.differences(&[]).unwrap();
    assert!(!told.is_empty(), "a promise is no card of a release");
}

#[test]
fn randomizers_keep_their_promises() {
    let (data, facts) = (people(), Facts::of(&people()));
    keeps(&protect::Features::hds(1.0), &facts, data.clone());
    keeps(&protect::Labels::randomized_response(0.5), &facts, data.clone());
    for (mechanism, merge) in [
        (EdgeMechanism::Dprr, None),
        (EdgeMechanism::Dprr, Some(Merge::LowerTriangle)),
        (EdgeMechanism::Rr, Some(Merge::OneSided)),
        (EdgeMechanism::LocalLap, None),
        (EdgeMechanism::EdgeRand, None),
        (EdgeMechanism::LapGraph, None),
    ] {
        let edges = protect::Edges::new(mechanism, merge, Terms::alike(2.0)).unwrap();
        keeps(&edges, &facts, data.clone());
    }
}

#[test]
fn systems_keep_their_promises() {
    let (data, facts) = (people(), Facts::of(&people()));
    let split = Split::random(0..120, SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
    let secret = Private { features: true, labels: true, edges: true };
    let mut ldp_ge = LdpGe::new(1.0, 120);
    ldp_ge.learner.epochs = 2;
    let input = (People::new(&data, secret).unwrap(), split);
    keeps(&ldp_ge, &facts.clone().with_secret(secret), input);

    let publication = Publication {
        edges: EdgeProtection::new(1.0),
        features: Some(FeatureProtection::new(3.0)),
    };
    let custody = Custody::new(&data, &PrivateEdges::All, PrivateNodes::All).unwrap();
    keeps(&publication, &facts, custody);

    let custody = Custody::new(&data, &PrivateEdges::All, PrivateNodes::All).unwrap();
    let split = Split::random(0..120, SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
    let labels = data.labels().unwrap().clone();
    let learner = GcnLearner { epochs: 3, ..GcnLearner::default() };
    let votes = Votes { epsilon: 1.0, features: publication.features, learner };
    keeps(&votes, &facts, VoteInput { custody, labels, split });

    let mut settings = dpar::Settings::rigorous();
    (settings.model.steps, settings.structure.sources) = (5, 10);
    for method in [Method::Em0, Method::Gap] {
        let target = Loss::new(8.0, 1e-3).unwrap();
        let dpar = Dpar { method, mode: Mode::Rigorous, target, settings: settings.clone() };
        let input = Inductive::split(&data, HeldOut::Test, 1).unwrap();
        let facts = Facts { people: vec![input.training.len()], ..facts.clone() };
        keeps(&dpar, &facts, input);
    }
}

#[test]
fn dprr_keeps_its_promise() {
    let thread = |at: u64| {
        let model = BarabasiAlbert { nodes: 20 + at as usize % 5, edges_per_node: 2 };
        model.generate(at).unwrap().graph().clone()
    };
    let labels = Labels::from_integers(&(0..10).map(|at| Some(at % 2)).collect::<Vec<_>>());
    let set = GraphSet::new("threads", (0..10).map(thread).collect());
    let set = set.with_labels(labels.unwrap()).unwrap();
    let shares = SplitShares { train: 0.6, validation: 0.2, test: 0.2 };
    for method in dprr::DprrMethod::ALL {
        let setting = Setting::Customised { epsilon: 2.0, public_share: 0.5 };
        let protection = dprr::Reporting { method, setting, split: SplitRule::default() };
        let learner = GraphLearner { epochs: 1, ..GraphLearner::default() };
        let system = Dprr { protection, reading: Reading::Believed, learner };
        if method == dprr::DprrMethod::NonPrivFull {
            continue; // all people publish: there is nothing to promise
        }
        let input = (Crowd::new(&set).unwrap(), Split::random(0..10, shares, 1).unwrap());
        keeps(&system, &Facts::of_set(&set), input);
    }
}
