//! Every method publishes, keeps public edges, and charges what it may.

use super::super::custody::PrivateEdges;
use super::*;
use crate::data::synthetic::StochasticBlocks;
use crate::graph::{Bounds, BoundsOrigin, Dataset};
use crate::privacy::edges::comparison::hrg::PrivateNodes;
use crate::privacy::noise::NoiseRng;

fn dataset() -> Dataset {
    let blocks = StochasticBlocks {
        nodes: 120,
        classes: 3,
        features: 6,
        mean_degree: 3.5,
        ..Default::default()
    };
    let dataset = blocks.generate(1).unwrap();
    let bounds = Bounds::uniform(-4.0, 4.0, BoundsOrigin::Declared).unwrap();
    let features = dataset.features().unwrap().clone().with_bounds(bounds).unwrap();
    dataset.with_features(features).unwrap()
}

fn ledgers(publication: &Publication) -> Ledgers {
    let features = publication.features.as_ref().map(|how| {
        let limit = Loss::new(how.epsilon, 0.0).unwrap();
        Ledger::in_memory(limit, NoiseRng::replay(8)).unwrap()
    });
    let limit = publication.edges.limit().unwrap();
    Ledgers { edges: Ledger::in_memory(limit, NoiseRng::replay(7)).unwrap(), features }
}

#[test]
fn every_method_keeps_public_edges_and_stays_within_its_limit() {
    let dataset = dataset();
    let edges = PrivateEdges::Share { share: 0.3, seed: 2 };
    let custody = Custody::new(&dataset, &edges, PrivateNodes::All).unwrap();
    let chain = Chain { share: 0.5, steps_per_node: 3 };
    for method in [
        EdgeMethod::PublicTree,
        EdgeMethod::PrivateTree,
        EdgeMethod::Paper,
        EdgeMethod::PrivHrg,
        EdgeMethod::EdgeRand,
        EdgeMethod::LapGraph,
    ] {
        let tree = TreePlan { steps_per_node: 5, ..TreePlan::default() };
        let edges = EdgeProtection { method, chain, tree, ..EdgeProtection::new(2.0) };
        let features = Some(FeatureProtection::new(3.0));
        let publication = Publication { edges, features };
        let mut ledgers = ledgers(&publication);
        let published = publication.release(&custody, &mut ledgers).unwrap();
        let public = custody.ground.public();
        assert!(public.edges().all(|(u, v)| published.get().graph.has_edge(u, v)), "{method:?}");
        assert_eq!(
            crate::graph::Features::new(published.get().features.clone().unwrap()).rows(),
            120
        );
        let [edges, features] = &published.card().guarantees[..] else { panic!("two guarantees") };
        assert_eq!(features.loss.epsilon.get(), 3.0);
        let proved = edges.loss.epsilon.get();
        match method {
            EdgeMethod::Paper | EdgeMethod::PrivHrg => assert_eq!(proved, f64::INFINITY),
            EdgeMethod::PrivateTree => assert!(proved <= 2.0 && proved > 1.8, "{proved}"),
            _ => assert_eq!(proved, 2.0),
        }
        assert!(
            published
                .card()
                .differences(&[
                    ledgers.edges.contents().clone(),
                    ledgers.features.unwrap().contents().clone()
                ])
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn nothing_is_charged_if_features_cannot_be_protected() {
    let dataset = dataset();
    let custody = Custody::new(&dataset, &PrivateEdges::All, PrivateNodes::All).unwrap();
    let custody = custody.without_features();
    let features = Some(FeatureProtection::new(1.0));
    let publication = Publication { edges: EdgeProtection::new(1.0), features };
    let mut ledgers = ledgers(&publication);
    assert!(publication.release(&custody, &mut ledgers).is_err());
    assert!(ledgers.edges.entries().is_empty());
}
