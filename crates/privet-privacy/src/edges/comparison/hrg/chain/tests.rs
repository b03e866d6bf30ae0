//! The chain against recounting from scratch, and against its target on every small tree.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::edges::comparison::hrg::PrivateNodes;
use crate::edges::comparison::hrg::fit::law;
use crate::edges::comparison::hrg::unpaid::Unpaid;
use crate::noise::RandomWords;
use privet_data::synthetic::BarabasiAlbert;
use privet_graph::{Direction, GraphBuilder};

/// The clusters of a tree as sets of leaves: equal trees have equal clusters.
fn clusters(tree: &Dendrogram) -> BTreeSet<u64> {
    let layout = tree.layout();
    let set = |index: usize| {
        let node = (tree.leaf_count() + index) as u32;
        layout.below(node).iter().map(|&leaf| 1u64 << leaf).sum()
    };
    (0..tree.internal_count()).map(set).collect()
}

fn graph(nodes: usize, bits: u64) -> Graph {
    let pairs = (0..nodes as NodeId).flat_map(|u| (0..u).map(move |v| (u, v)));
    let edges = pairs.enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, pair)| pair);
    GraphBuilder::new(nodes, Direction::Undirected).edges(edges).build().unwrap().0
}

/// Thousands of random rearrangements of a graph with all three kinds of edges: the counts kept equal
/// the counts of a chain started from the tree as it is.
#[test]
fn kept_counts_equal_recounted_ones() {
    let all = BarabasiAlbert { nodes: 60, edges_per_node: 4 }.generate(3).unwrap();
    let (mut public, mut private) = (Vec::new(), Vec::new());
    for (u, v) in all.graph().edges() {
        let secret = u % 5 != 0 && v % 5 != 0 && (u + v) % 2 == 0;
        if secret { private.push((u, v)) } else { public.push((u, v)) }
    }
    let build = |edges: Vec<(NodeId, NodeId)>| {
        GraphBuilder::new(60, Direction::Undirected).edges(edges).build().unwrap().0
    };
    let declared = PrivateNodes::Only((0..60).filter(|node| node % 5 != 0).collect());
    let ground = PublicGraph::new(build(public), declared).unwrap();
    let private = build(private);
    for (seed, start) in [
        (1, Dendrogram::random(60, 1).unwrap()),
        // A caterpillar: the deepest tree there is.
        (
            2,
            Dendrogram::from_merges(
                60,
                &(0..59).map(|i| [i + 1, if i == 0 { 0 } else { 59 + i }]).collect::<Vec<_>>(),
            )
            .unwrap(),
        ),
    ] {
        let mut chain = DendrogramChain::new(&ground, &private, &start).unwrap();
        let mut rng = Unpaid::new(seed, 9);
        for step in 0..6000 {
            let proposal = chain.propose(rng.below(chain.choices()));
            let (scores, before) = (proposal.scores(), chain.score());
            let outside = rng.below(3) as usize;
            chain.rearrange(&proposal, outside);
            if step % 40 == 0 {
                let fresh = DendrogramChain::new(&ground, &private, &chain.dendrogram()).unwrap();
                let (kept, recounted) = (chain.score(), fresh.score());
                assert!((kept.public - recounted.public).abs() < 1e-9);
                assert!((kept.private - recounted.private).abs() < 1e-9);
                let gained = scores[outside].private - scores[DendrogramChain::NOW].private;
                assert!((kept.private - before.private - gained).abs() < 1e-9);
                let gained = scores[outside].public - scores[DendrogramChain::NOW].public;
                assert!((kept.public - before.public - gained).abs() < 1e-9);
            }
        }
    }
}

/// The exact transition matrix of the code as it runs, on all trees of 4 and 5 leaves: its one
/// stationary law is the target `exp(L_pub + c L_pri)`.
#[test]
fn the_stationary_law_is_the_target() {
    for (leaves, trees) in [(4usize, 15), (5, 105)] {
        let pairs = leaves * (leaves - 1) / 2;
        for seed in 0..6u64 {
            let bits = Unpaid::new(seed, 4).below(1 << pairs);
            let public = graph(leaves, bits & 0x155);
            let private = graph(leaves, bits & !0x155 & ((1 << pairs) - 1));
            let ground = PublicGraph::new(public, PrivateNodes::All).unwrap();
            let c = 0.3 + seed as f64;
            let chain = |tree: &Dendrogram| DendrogramChain::new(&ground, &private, tree).unwrap();
            // Every tree that can be reached from one.
            let first = Dendrogram::random(leaves, seed).unwrap();
            let mut found = BTreeMap::from([(clusters(&first), first.clone())]);
            let mut open = vec![first];
            let mut flow: BTreeMap<(BTreeSet<u64>, BTreeSet<u64>), f64> = BTreeMap::new();
            while let Some(tree) = open.pop() {
                let here = chain(&tree);
                for choice in 0..here.choices() {
                    let proposal = here.propose(choice);
                    let law = law(proposal.scores().map(|score| score.public + c * score.private));
                    for (outside, p) in law.into_iter().enumerate() {
                        let mut moved = here.clone();
                        moved.rearrange(&proposal, outside);
                        let next = moved.dendrogram();
                        *flow.entry((clusters(&tree), clusters(&next))).or_default() +=
                            p / here.choices() as f64;
                        if found.insert(clusters(&next), next.clone()).is_none() {
                            open.push(next);
                        }
                    }
                }
            }
            assert_eq!(found.len(), trees);
            let target: BTreeMap<_, f64> = found
                .iter()
                .map(|(key, tree)| {
                    let score = chain(tree).score();
                    (key.clone(), (score.public + c * score.private).exp())
                })
                .collect();
            let mut arrived: BTreeMap<_, f64> = BTreeMap::new();
            for ((from, to), p) in &flow {
                *arrived.entry(to.clone()).or_default() += target[from] * p;
                // Detailed balance, which is more than stationarity.
                let back = flow.get(&(to.clone(), from.clone())).copied().unwrap_or_default();
                assert!(
                    (target[from] * p - target[to] * back).abs() < 1e-12 * target[from].max(1.0)
                );
            }
            for (key, weight) in &target {
                assert!((arrived[key] / weight - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn shapes_are_checked() {
    let ground = PublicGraph::all_private(3).unwrap();
    assert!(DendrogramChain::public(&ground, &Dendrogram::random(4, 1).unwrap()).is_err());
    assert!(
        DendrogramChain::new(&ground, &graph(4, 1), &Dendrogram::random(3, 1).unwrap()).is_err()
    );
    for leaves in 0..3 {
        let ground = PublicGraph::all_private(leaves).unwrap();
        let tree = Dendrogram::random(leaves, 1).unwrap();
        let chain = DendrogramChain::public(&ground, &tree).unwrap();
        assert_eq!((chain.choices(), chain.score()), (0, TreeScore::default()));
        assert_eq!(chain.dendrogram().leaf_count(), leaves);
    }
}

/// A path of four private people, whose first edge is public: by hand. A pair that is known to be public cannot be a
/// private edge.
#[test]
fn likelihoods_by_hand() {
    let build = |edges: &[(NodeId, NodeId)]| {
        let builder = GraphBuilder::new(4, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    };
    let ground = PublicGraph::new(build(&[(0, 1), (1, 2)]), PrivateNodes::All).unwrap();
    let tree = Dendrogram::balanced(&[0, 2, 1, 3]).unwrap();
    let score = DendrogramChain::new(&ground, &build(&[(2, 3)]), &tree).unwrap().score();
    // Between {0, 2} and {1, 3}: two public edges among four pairs, one private among the other two.
    assert!((score.public - 4.0 * 0.5_f64.ln()).abs() < 1e-12, "{score:?}");
    assert!((score.private - 2.0 * 0.5_f64.ln()).abs() < 1e-12, "{score:?}");
}

/// Node 3 cannot have private edges: its public edges are open, not known, and count for the public likelihood alone.
#[test]
fn open_edges_are_public_ones() {
    let build = |edges: &[(NodeId, NodeId)]| {
        let builder = GraphBuilder::new(4, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    };
    let declared = PrivateNodes::Only(vec![0, 1, 2]);
    let ground = PublicGraph::new(build(&[(0, 3), (1, 3), (0, 2)]), declared).unwrap();
    let tree = Dendrogram::balanced(&[0, 1, 2, 3]).unwrap();
    let arcs = Arcs::new(&ground, Some(&build(&[(1, 2)])));
    let ties = arcs.of_tree(&tree, &tree.layout());
    let at_the_root = TieCounts { open: 2, known: 1, private: 1 };
    assert_eq!(ties, [at_the_root, TieCounts::default(), TieCounts::default()]);
    // Three public edges among the four pairs at the root.
    let score = DendrogramChain::public(&ground, &tree).unwrap().score();
    assert!((score.public - (3.0 * 0.75_f64.ln() + 0.25_f64.ln())).abs() < 1e-12, "{score:?}");
}

/// Leaves from left to right, each internal node around its own: of every size, also where there is no step to make.
#[test]
fn a_tree_is_written_as_brackets() {
    let of = |line: &[NodeId]| sequence(&Dendrogram::balanced(line).unwrap());
    assert!(of(&[]).is_empty());
    assert_eq!(of(&[0]), [0]);
    assert_eq!(of(&[1, 0]), [2, 1, 0, 3]);
    // The root is 4 and its children are 5, with leaves 2 and 0, and 6, with 1 and 3, or the other way round.
    let tree = Dendrogram::balanced(&[2, 0, 1, 3]).unwrap();
    let [left, right] = tree.children()[0].map(|node| 4 + 2 * (node - 4));
    assert_eq!(sequence(&tree), [4, left, 2, 0, left + 1, right, 1, 3, right + 1, 5]);
}
