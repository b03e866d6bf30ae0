//! EdgeRR's claims, taken apart on a few nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::edges::comparison::hrg::{DendrogramChain, PrivateNodes, Repair};
use crate::loss::Loss;
use crate::noise::NoiseRng;
use crate::noise::testing::assert_fits;
use crate::{Ledger, Secret};
use privet_graph::{Direction, GraphBuilder, NodeId};

fn graph(nodes: usize, edges: &[(NodeId, NodeId)]) -> Graph {
    let builder = GraphBuilder::new(nodes, Direction::Undirected).edges(edges.iter().copied());
    builder.build().unwrap().0
}

fn tree(merges: &[[u32; 2]]) -> Public<Dendrogram> {
    Public::declared(Dendrogram::from_merges(merges.len() + 1, merges).unwrap())
}

fn sample(mechanism: &EdgeRr, private: &Graph, seed: u64) -> NoisyHrg {
    mechanism.sample(private, NoiseRng::replay(seed).next_release(), Permit::new())
}

/// Counts cost exactly epsilon on both shapes of trees with four leaves, lumped or not.
#[test]
fn counts_cost_epsilon() {
    let pairs: Vec<(NodeId, NodeId)> = (0..4).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    for merges in [[[0, 1], [2, 3], [4, 5]], [[0, 1], [4, 2], [5, 3]]] {
        for lumping in [Lumping::Never, Lumping::default()] {
            let ground = PublicGraph::new(graph(4, &[(0, 2)]), PrivateNodes::All).unwrap();
            let mechanism = EdgeRr::public_tree(0.7, ground, tree(&merges)).unwrap();
            let mechanism = mechanism.lumping(lumping);
            let blocks = mechanism.blocks().count_of_blocks() as u32;
            let mut worst = 0f64;
            for &(u, v) in pairs.iter().filter(|&&pair| pair != (2, 0)) {
                let (with, without) = (graph(4, &[(u, v)]), graph(4, &[]));
                for outcome in 0..5i64.pow(blocks) {
                    let noisy: Vec<i64> =
                        (0..blocks).map(|at| outcome / 5i64.pow(at) % 5 - 2).collect();
                    let a = mechanism.probability(&with, &noisy).unwrap();
                    let b = mechanism.probability(&without, &noisy).unwrap();
                    worst = worst.max((a / b).ln().abs());
                }
            }
            assert!((worst - 0.7).abs() < 1e-9, "{worst}");
        }
    }
}

/// The shape of a tree, whatever its nodes are called.
fn shape(tree: &Dendrogram) -> BTreeSet<u32> {
    let layout = tree.layout();
    let set = |index: usize| {
        let below = layout.below((tree.leaf_count() + index) as u32);
        below.iter().map(|&leaf| 1 << leaf).sum()
    };
    (0..tree.internal_count()).map(set).collect()
}

/// Three steps from a fixed tree: what is drawn has the law the steps are charged for, and that law
/// is the heat bath on `exp(L_pub + c L_pri)`.
#[test]
fn the_private_tree_has_the_law_it_is_charged_for() {
    let ground = PublicGraph::new(graph(4, &[(0, 1)]), PrivateNodes::All).unwrap();
    let private = graph(4, &[(0, 2), (2, 3)]);
    let start = tree(&[[0, 1], [4, 2], [5, 3]]);
    let (range, steps) = (1.5, 3);
    let mechanism = EdgeRr::private_tree(range, steps, 0.5, ground.clone(), start.clone()).unwrap();
    let c = range / (2.0 * sensitivity(4));
    let mut law = BTreeMap::from([(shape(start.get()), (start.get().clone(), 1.0))]);
    for _ in 0..steps {
        let mut next = BTreeMap::new();
        for (tree, weight) in law.values() {
            let chain = DendrogramChain::new(&ground, &private, tree).unwrap();
            for choice in 0..chain.choices() {
                let proposal = chain.propose(choice);
                let ideal = proposal.scores().map(|s| (s.public + c * s.private).exp());
                let total: f64 = ideal.iter().sum();
                let found = mechanism.step_law(&proposal).unwrap();
                for (outside, p) in found.into_iter().enumerate() {
                    assert!((p - ideal[outside] / total).abs() < 1e-3);
                    let mut moved = chain.clone();
                    moved.rearrange(&proposal, outside);
                    let tree = moved.dendrogram();
                    let entry = next.entry(shape(&tree)).or_insert((tree, 0.0));
                    entry.1 += weight * p / chain.choices() as f64;
                }
            }
        }
        law = next;
    }
    let places: Vec<_> = law.keys().cloned().collect();
    let mut counts = vec![0u64; places.len()];
    for seed in 0..20_000 {
        let drawn = shape(sample(&mechanism, &private, seed).blocks().tree());
        counts[places.binary_search(&drawn).unwrap()] += 1;
    }
    assert_fits(&counts, &law.values().map(|(_, p)| *p).collect::<Vec<_>>());
}

#[test]
fn each_mode_charges_what_is_proved() {
    let ground = PublicGraph::new(graph(6, &[(0, 1)]), PrivateNodes::All).unwrap();
    let start = || Public::declared(Dendrogram::random(6, 1).unwrap());
    let secret = Secret::new(graph(6, &[(2, 3)]));
    let spent = |mechanism: EdgeRr, limit: f64, delta: f64| {
        let limit = Loss {
            epsilon: Epsilon::new(limit).unwrap(),
            delta: crate::Delta::new(delta).unwrap(),
        };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        ledger.release(&secret, &mechanism)?;
        Ok::<f64, Error>(ledger.spent()?[0].loss.epsilon.get())
    };
    let public = EdgeRr::public_tree(0.5, ground.clone(), start()).unwrap();
    assert_eq!(spent(public, 0.5, 0.0), Ok(0.5));
    let private = || EdgeRr::private_tree(0.25, 10, 0.5, ground.clone(), start()).unwrap();
    assert_eq!(spent(private(), 3.0, 0.0), Ok(3.0));
    assert!(spent(private(), 2.9, 0.0).is_err());
    // T eta²/8 = 0.078 zCDP is worth less than 2.5 pure.
    assert!(spent(private(), 3.0, 1e-6).unwrap() < 2.7);
    let printed = PrintedSensitivity::Appendix;
    let paper = || EdgeRr::paper(0.5, 10, 0.5, printed, ground.clone(), start()).unwrap();
    assert!(spent(paper(), 1000.0, 0.0).is_err());
    assert_eq!(spent(paper(), f64::INFINITY, 0.0), Ok(f64::INFINITY));
    let at_target = paper().parameters()["epsilon if the chain had converged"].as_f64().unwrap();
    assert!((at_target - 1.5).abs() < 1e-12, "{at_target}");
    let hrg = EdgeRr::priv_hrg(0.5, 10, 0.5, start()).unwrap();
    let at_target = hrg.parameters()["epsilon if the chain had converged"].as_f64().unwrap();
    assert!((at_target - 1.0).abs() < 1e-12, "{at_target}");
    assert!(matches!(hrg.status(), Status::PaperMode { .. }));
}

/// Whether there is a private edge where none was declared is private, so it changes nothing, not even an error.
#[test]
fn private_edges_outside_the_declared_nodes_count_nothing() {
    let ground = PublicGraph::new(graph(4, &[(0, 1)]), PrivateNodes::Only(vec![0, 1, 2])).unwrap();
    let start = Public::declared(Dendrogram::random(4, 1).unwrap());
    let mechanism = EdgeRr::public_tree(1.0, ground, start).unwrap();
    let release = |private: Graph| {
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        Ok::<_, Error>(ledger.release(&Secret::new(private), &mechanism)?.into_inner())
    };
    let drawn = release(graph(4, &[(1, 2)])).unwrap().graph(Repair::Project);
    assert!(drawn.has_edge(0, 1) && drawn.degree(3) == 0);
    for bad in [graph(4, &[(1, 2), (2, 3)]), graph(4, &[(0, 1), (1, 2)])] {
        assert_eq!(release(bad).unwrap().graph(Repair::Project), drawn);
    }
    // How many nodes there are is public.
    assert!(release(graph(5, &[])).is_err());
}

/// A large epsilon gives every block its own number of edges.
#[test]
fn a_huge_epsilon_keeps_all_counts() {
    let private = graph(30, &(1..30).map(|v| (0, v)).collect::<Vec<_>>());
    let start = || Public::declared(Dendrogram::random(30, 5).unwrap());
    for mechanism in [
        EdgeRr::public_tree(40.0, PublicGraph::all_private(30).unwrap(), start()).unwrap(),
        EdgeRr::priv_hrg(4000.0, 2000, 40.0, start()).unwrap(),
        EdgeRr::private_tree(40.0, 2000, 40.0, PublicGraph::all_private(30).unwrap(), start())
            .unwrap(),
    ] {
        let noisy = sample(&mechanism, &private, 3);
        let truth = noisy.blocks().count(mechanism.ground(), &private);
        assert_eq!(noisy.repaired(Repair::Project), truth);
        assert_eq!(noisy.graph(Repair::Clamp).edge_count(), 29);
    }
}
