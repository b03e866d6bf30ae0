use super::*;
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::trial::{NamedData, Variant};
use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Direction, GraphBuilder};
use privet::hetero_rr::{EdgeProtection, GcnLearner, TreePlan};
use privet::learn::models::gcn::GcnConfig;
use std::sync::atomic::AtomicBool;

/// A model on the true graph gives its edges away; one on the published graph does not know them.
#[test]
fn an_unprotected_model_tells_and_a_protected_one_does_not() {
    let blocks = StochasticBlocks {
        nodes: 200,
        classes: 3,
        features: 16,
        mean_degree: 6.0,
        ..Default::default()
    };
    let dataset = blocks.generate(2).unwrap();
    let tree = TreePlan { steps_per_node: 10, ..TreePlan::default() };
    let trial = HeteroRrTrial {
        edges: EdgeProtection { tree, ..EdgeProtection::new(0.5) },
        learner: GcnLearner { epochs: 30, ..GcnLearner::default() },
        ..HeteroRrTrial::new(NamedData::new("people", &dataset), 0.3)
    };
    let auc = |variant| {
        let attack = LinkTeller { probes: 60, ..LinkTeller::default() };
        let found = attack.on(&trial, variant, 1, &AtomicBool::new(false)).unwrap();
        (found.any.unwrap(), found.matched.unwrap())
    };
    let (open, protected) = (auc(Variant::Clear), auc(Variant::Private));
    assert!(open.0 > 0.9 && protected.0 < 0.75, "{open:?} {protected:?}");
    assert!(open.1 > 0.9 && (0.35..0.65).contains(&protected.1), "{open:?} {protected:?}");
}

/// Node 0 has the public friend 1, over which it shares one friend with 2 and 3; 4 and 5 are strangers.
#[test]
fn matches_share_as_many_public_friends() {
    let graph = |edges: &[(u32, u32)]| {
        let builder = GraphBuilder::new(6, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    };
    let (public, private) = (graph(&[(0, 1), (1, 2), (1, 3)]), graph(&[(0, 2), (0, 4)]));
    let alike = Alike::new(0, Truth { public: &public, private: &private });
    let mut rng = SimRng::stream(1, 1);
    for _ in 0..20 {
        assert_eq!(alike.stranger(2, &mut rng), Some(3));
        assert_eq!(alike.stranger(4, &mut rng), Some(5));
    }
}

fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
    let builder = GraphBuilder::new(nodes, Direction::Undirected).edges(edges.iter().copied());
    builder.build().unwrap().0
}

/// Ten couples whose edges are private, and rows that differ.
fn couples() -> (Graph, Graph, FeatureMatrix) {
    let edges: Vec<(u32, u32)> = (0..10).map(|at| (2 * at, 2 * at + 1)).collect();
    let values = (0..60).map(|at| 1.0 + (at % 7) as f32).collect();
    let rows = FeatureMatrix::Dense(DenseMatrix::new(20, 3, values).unwrap());
    (graph(20, &[]), graph(20, &edges), rows)
}

fn untrained() -> Gcn {
    Gcn::new(GcnConfig { seed: 5, ..GcnConfig::new(3, 4) }).unwrap()
}

/// In a graph of couples only the other half of a couple can be influenced: a model on it, even without training,
/// gives every edge away. A model on no edges influences no prediction, and all pairs look alike.
#[test]
fn influence_is_where_edges_are() {
    let (public, private, rows) = couples();
    let truth = Truth { public: &public, private: &private };
    let attack =
        |served: &Graph| LinkTeller::default().attack(&untrained(), served, &rows, truth).unwrap();
    assert_eq!(attack(&private), PairsFound { any: Some(1.0), matched: Some(1.0) });
    assert_eq!(attack(&public), PairsFound { any: Some(0.5), matched: Some(0.5) });
}

/// The ends of other edges than those that are sought: the attacker is wrong about every pair.
#[test]
fn a_model_of_other_edges_tells_nothing_about_these() {
    let (public, private, rows) = couples();
    let others: Vec<(u32, u32)> = (0..10).map(|at| (2 * at + 1, (2 * at + 2) % 20)).collect();
    let truth = Truth { public: &public, private: &private };
    let found = LinkTeller::default().attack(&untrained(), &graph(20, &others), &rows, truth);
    // Friends are never influenced, strangers sometimes.
    assert!(found.unwrap().any.unwrap() <= 0.5);
}

#[test]
fn without_private_edges_there_is_nothing_to_find() {
    let (public, _, rows) = couples();
    let truth = Truth { public: &public, private: &public };
    let found = LinkTeller::default().attack(&untrained(), &public, &rows, truth).unwrap();
    assert_eq!(found, PairsFound { any: None, matched: None });
    let wide = FeatureMatrix::Dense(DenseMatrix::zeros(20, 4));
    assert!(LinkTeller::default().attack(&untrained(), &public, &wide, truth).is_err());
}

/// As many as wanted, or all there are; none twice, and none that is known.
#[test]
fn strangers_are_not_known() {
    let (public, private) = (graph(6, &[(0, 1)]), graph(6, &[(0, 2)]));
    let truth = Truth { public: &public, private: &private };
    let mut rng = SimRng::stream(3, 1);
    for _ in 0..20 {
        let found = strangers(0, 2, truth, &mut rng);
        assert!(found.len() == 2 && found[0] != found[1], "{found:?}");
        assert!(found.iter().all(|node| *node > 2), "{found:?}");
    }
    let mut all = strangers(0, 9, truth, &mut rng);
    all.sort_unstable();
    assert_eq!(all, [3, 4, 5]);
}

#[test]
fn sparse_rows_are_the_same_rows() {
    let mut builder = privet::graph::SparseBuilder::new(3);
    builder.push_row(&mut [(2, 0.5), (0, 1.0)]).unwrap();
    builder.push_row(&mut []).unwrap();
    let rows = dense(&FeatureMatrix::Sparse(builder.finish()));
    assert_eq!((rows.row(0), rows.row(1)), (&[1.0, 0.0, 0.5][..], &[0.0; 3][..]));
}
