//! Audits of EdgeRR: `sample` itself on a few nodes, with a public tree and with one that private edges have a
//! say in; and the whole of it through a ledger.

use privet::privacy::audit;
use privet::privacy::edges::comparison::EdgeRr;
use privet::privacy::edges::comparison::hrg::{
    Dendrogram, NoisyHrg, PrivateNodes, PublicGraph, Repair,
};
use privet::privacy::public::Public;

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::enumerated::{exact, graph, of_graphs, one_bit, price, worst};
use crate::audit::finding::Finding;
use crate::audit::seeds::Seeds;
use crate::audit::trials::{CONFIDENCE, released, statistical};

pub(super) const AUDITS: [Audit; 3] = [
    Audit { name: "edge-rr", of: &["EdgeRr"], tight: true, run: Procedure::Exact(counts) },
    Audit {
        name: "edge-rr-private-tree",
        of: &["EdgeRr"],
        tight: false,
        run: Procedure::Exact(private_tree),
    },
    Audit {
        name: "edge-rr-sampled",
        of: &["EdgeRr"],
        tight: false,
        run: Procedure::Seeded(sampled),
    },
];

/// All that a release says: the groups of its tree, whatever its nodes are called, and the noisy counts.
fn said(noisy: NoisyHrg) -> (Vec<u32>, Vec<i64>) {
    let tree = noisy.blocks().tree();
    let layout = tree.layout();
    let below = |index: usize| layout.below((tree.leaf_count() + index) as u32);
    let set = |index: usize| below(index).iter().map(|&leaf| 1u32 << leaf).sum();
    ((0..tree.internal_count()).map(set).collect(), noisy.noisy_counts().to_vec())
}

/// Noisy counts over a tree of three leaves and both shapes of trees on four, with nothing public and beside a
/// public edge: the whole budget, not more and not less.
fn counts() -> Result<Vec<Finding>> {
    let trees: [(usize, &[[u32; 2]], usize); 4] = [
        (3, &[[0, 1], [3, 2]], 0),
        (3, &[[0, 1], [3, 2]], 0b010),
        (4, &[[0, 1], [2, 3], [4, 5]], 0),
        (4, &[[0, 1], [4, 2], [5, 3]], 0),
    ];
    let audit = |(nodes, merges, public): (usize, &[[u32; 2]], usize)| {
        let tree = Public::declared(Dendrogram::from_merges(nodes, merges)?);
        let epsilon = if nodes == 3 { 2.0 } else { 8.0 };
        let ground = PublicGraph::new(graph(nodes, public)?, PrivateNodes::All)?;
        let mechanism = EdgeRr::public_tree(epsilon, ground, tree)?;
        // What is public is no private edge as well.
        let law = |mask| audit::sampled(&mechanism, &graph(nodes, mask & !public)?, said);
        let laws = (0..1 << (nodes * (nodes - 1) / 2)).map(law).collect::<Result<Vec<_>>>()?;
        let subject =
            format!("EdgeRR's counts over {merges:?}, {public:03b} public, epsilon {epsilon}");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)))
    };
    trees.into_iter().map(audit).collect()
}

/// Steps of the chain on three nodes, then counts: every tree it can end with.
fn private_tree() -> Result<Vec<Finding>> {
    let audit = |(range, steps): (f64, u64)| {
        let start = Public::declared(Dendrogram::from_merges(3, &[[0, 1], [3, 2]])?);
        let ground = PublicGraph::all_private(3)?;
        let mechanism = EdgeRr::private_tree(range, steps, 4.0, ground, start)?;
        let laws = of_graphs(&mechanism, 3, said)?;
        let subject = format!("EdgeRR's private tree, {steps} steps of range {range}, 3 nodes");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)))
    };
    [(1.0, 2), (8.0, 1)].into_iter().map(audit).collect()
}

/// Through a ledger on three nodes; the event: a certain pair is an edge.
fn sampled(seeds: Seeds) -> Result<Vec<Finding>> {
    const TRIALS: u64 = 5_000;
    let tree = Public::declared(Dendrogram::from_merges(3, &[[0, 1], [3, 2]])?);
    let mechanism = EdgeRr::public_tree(1.0, PublicGraph::all_private(3)?, tree)?;
    let seen = |mask: usize, side: u64| {
        let private = graph(3, mask)?;
        let trial = |trial: u64| {
            let noisy = released(&mechanism, &private, seeds.part(side).part(trial))?;
            Ok(u64::from(noisy.graph(Repair::Clamp).has_edge(0, 1)))
        };
        (0..TRIALS).map(trial).sum::<Result<u64>>()
    };
    // The pair (1, 0) is the first bit.
    let bound = epsilon_lower_bound(seen(1, 0)?, seen(0, 1)?, TRIALS, 0.0, CONFIDENCE);
    let subject = "EdgeRR, an edge among three nodes, epsilon 1";
    Ok(vec![statistical(subject, price(&mechanism, 0.0)?, bound)])
}
