//! Groups found by label propagation, and how far two divisions into groups agree.

use std::collections::BTreeMap;

use privet::graph::{Graph, NodeId, SimRng};
use rand::seq::SliceRandom;

const ROUNDS: usize = 50;

/// The group of every node: each takes the group most of its neighbours have, in a seeded order, until
/// nothing changes. Of equally frequent groups it keeps its own, or takes the lowest.
pub fn find(graph: &Graph, seed: u64) -> Vec<NodeId> {
    let mut group: Vec<NodeId> = graph.nodes().collect();
    let mut order: Vec<NodeId> = graph.nodes().collect();
    let mut rng = SimRng::stream(seed, 23);
    for _ in 0..ROUNDS {
        order.shuffle(&mut rng);
        let mut changed = false;
        for &node in &order {
            let mut votes: BTreeMap<NodeId, usize> = BTreeMap::new();
            for &other in graph.neighbors(node) {
                *votes.entry(group[other as usize]).or_default() += 1;
            }
            let most = votes.values().copied().max().unwrap_or(0);
            let own = group[node as usize];
            if most == 0 || votes.get(&own) == Some(&most) {
                continue;
            }
            if let Some((&best, _)) = votes.iter().find(|&(_, &count)| count == most) {
                group[node as usize] = best;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    group
}

/// Normalised mutual information of two divisions of the same nodes: `2 I / (H1 + H2)`, 1 if they are the
/// same, near 0 if one says nothing about the other.
pub fn agreement(a: &[NodeId], b: &[NodeId]) -> f64 {
    let total = a.len() as f64;
    let mut joint: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
    let (mut first, mut second) = (BTreeMap::new(), BTreeMap::new());
    for (&a, &b) in a.iter().zip(b) {
        *joint.entry((a, b)).or_default() += 1.0 / total;
        *first.entry(a).or_insert(0.0) += 1.0 / total;
        *second.entry(b).or_insert(0.0) += 1.0 / total;
    }
    let entropy = |of: &BTreeMap<NodeId, f64>| -of.values().map(|p: &f64| p * p.ln()).sum::<f64>();
    let (h1, h2) = (entropy(&first), entropy(&second));
    if h1 + h2 <= 1e-12 {
        return 1.0;
    }
    let shared = joint.iter().map(|(&(a, b), p)| p * (p / (first[&a] * second[&b])).ln());
    (2.0 * shared.sum::<f64>() / (h1 + h2)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::graph::{Direction, GraphBuilder};

    #[test]
    fn cliques_are_communities() {
        let clique = |from: u32| (from..from + 6).flat_map(move |u| (from..u).map(move |v| (u, v)));
        let edges = clique(0).chain(clique(6)).chain([(0, 6)]);
        let graph = GraphBuilder::new(12, Direction::Undirected).edges(edges).build().unwrap().0;
        let found = find(&graph, 1);
        assert!((0..6).all(|node| found[node] == found[0]));
        assert!((6..12).all(|node| found[node] == found[6]) && found[0] != found[6]);
    }

    #[test]
    fn agreement_has_the_known_values() {
        assert_eq!(agreement(&[0, 0, 1, 1], &[5, 5, 3, 3]), 1.0);
        assert!(agreement(&[0, 0, 1, 1], &[0, 1, 0, 1]) < 1e-12);
        assert_eq!(agreement(&[], &[]), 1.0);
        // One divided in two: I = H1 = ln 2 / ... = 2 ln 2 / (ln 2 + 1.5 ln 2).
        let found = agreement(&[0, 0, 1, 1], &[0, 0, 1, 2]);
        assert!((found - 2.0 / 2.5).abs() < 1e-12, "{found}");
    }
}
