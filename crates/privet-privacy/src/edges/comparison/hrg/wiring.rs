//! [`Wiring`]: which pairs of a block become its edges. Post-processing: it reads noisy counts that were
//! paid for, and public edges.
//!
//! A count says how many edges a group of pairs has, not which. The hierarchical random graph draws them
//! uniformly, which puts most of them between strangers. Real edges close triangles more often, and which
//! pairs would close one is public as far as public edges tell: a walk over two public edges, the first
//! drawn uniformly, ends at a friend of a friend, at those with more and closer friends in common more
//! often (each common friend `z` counts `1/d_z`). Walks are drawn until the counts are used up or they find
//! nothing new: time in the number of walks, never in the number of pairs.

use std::collections::HashSet;

use privet_graph::NodeId;

use super::Unpaid;
use super::blocks::PairBlocks;
use super::public_graph::PublicGraph;
use crate::noise::RandomWords;

/// Which pairs of a block become its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wiring {
    /// Any, alike: the hierarchical random graph, as printed.
    #[default]
    Uniform,
    /// Friends of friends in public edges as far as they go, the rest uniformly.
    Closing,
    /// Friends of friends in public edges; what they do not use up is left out. Fewer edges than counted,
    /// but hardly one between strangers.
    ClosingOnly,
}

/// Walks per public edge and per edge that is wanted.
const WALKS: usize = 20;

/// Draws friends of friends and takes them off the counts that are `left`.
pub(super) fn close(
    ground: &PublicGraph,
    blocks: &PairBlocks,
    left: &mut [u64],
    rng: &mut Unpaid,
) -> HashSet<[NodeId; 2]> {
    let public: Vec<(NodeId, NodeId)> = ground.public().edges().collect();
    let mut drawn = HashSet::new();
    if public.is_empty() {
        return drawn;
    }
    let parents = blocks.parents();
    let wanted: u64 = left.iter().sum();
    let walks = WALKS * public.len().max(wanted as usize);
    let mut missing = wanted;
    for _ in 0..walks {
        if missing == 0 {
            break;
        }
        let (one, other) = public[rng.below(public.len() as u64) as usize];
        // Two steps along public edges: a pair is drawn the more often, the more public neighbours it shares.
        let (from, over) = if rng.below(2) == 0 { (one, other) } else { (other, one) };
        let friends = ground.public().neighbors(over);
        let to = friends[rng.below(friends.len() as u64) as usize];
        if from == to || !ground.is_candidate(from, to) {
            continue;
        }
        let block = blocks.block_of_pair(&parents, from, to);
        // Never more pairs than the block's released count: post-processing of it.
        if left[block] > 0 && drawn.insert([from.max(to), from.min(to)]) {
            left[block] -= 1;
            missing -= 1;
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use privet_graph::{Direction, GraphBuilder};

    use super::*;
    use crate::edges::comparison::hrg::{Dendrogram, Lumping, NoisyHrg, PrivateNodes, Repair};

    /// A star of public edges: every pair of its leaves closes a triangle, pairs with node 5 never do.
    fn star() -> (PublicGraph, PairBlocks) {
        let builder =
            GraphBuilder::new(6, Direction::Undirected).edges((1..5).map(|leaf| (0, leaf)));
        let ground = PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap();
        let tree = Dendrogram::balanced(&[0, 1, 2, 3, 4, 5]).unwrap();
        let lump = Lumping::Thresholds { between: 0.0, within: 0.0 };
        let blocks = PairBlocks::new(&ground, &tree, 1.0, lump);
        (ground, blocks)
    }

    #[test]
    fn friends_of_friends_come_first_and_counts_are_kept() {
        let (ground, blocks) = star();
        assert_eq!(blocks.candidates(), [11]);
        for (count, closing, only) in [(0, 0, 0), (3, 3, 3), (6, 6, 6), (9, 9, 6), (11, 11, 6)] {
            for seed in 0..20 {
                let noisy = NoisyHrg::new(ground.clone(), blocks.clone(), vec![count], seed);
                let edges = |wiring| {
                    let graph = noisy.wired(Repair::Clamp, wiring);
                    assert!(ground.public().edges().all(|(u, v)| graph.has_edge(u, v)));
                    graph
                };
                let (with, without) = (edges(Wiring::Closing), edges(Wiring::ClosingOnly));
                assert_eq!((with.edge_count(), without.edge_count()), (4 + closing, 4 + only));
                assert_eq!(without.degree(5), 0, "no node has a neighbour in common with node 5");
                let strangers = with.degree(5);
                assert_eq!(
                    strangers,
                    closing.saturating_sub(6),
                    "strangers only when friends run out"
                );
            }
        }
    }

    /// Every pair is found in the block that lists it.
    #[test]
    fn pairs_know_their_blocks() {
        let ground = PublicGraph::all_private(23).unwrap();
        let tree = Dendrogram::random(23, 4).unwrap();
        for lumping in [Lumping::Never, Lumping::default()] {
            let blocks = PairBlocks::new(&ground, &tree, 0.5, lumping);
            let parents = blocks.parents();
            for block in 0..blocks.count_of_blocks() {
                let pairs = blocks.pairs(block);
                for at in 0..blocks.all_pairs(pairs) {
                    let (u, v) = blocks.pair(pairs, at);
                    assert_eq!(blocks.block_of_pair(&parents, u, v), block);
                    assert_eq!(blocks.block_of_pair(&parents, v, u), block);
                }
            }
        }
    }

    /// Nodes 1 and 2 have two friends in common, each with few others; 3 and 4 have one in a crowd.
    #[test]
    fn closer_friends_come_more_often() {
        let edges = [(1, 5), (2, 5), (1, 6), (2, 6), (3, 0), (4, 0), (7, 0), (8, 0), (9, 0)];
        let builder = GraphBuilder::new(10, Direction::Undirected).edges(edges);
        let ground = PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap();
        let tree = Dendrogram::balanced(&(0..10).collect::<Vec<_>>()).unwrap();
        let lump = Lumping::Thresholds { between: 0.0, within: 0.0 };
        let blocks = PairBlocks::new(&ground, &tree, 1.0, lump);
        let count = |pair: (u32, u32)| {
            let has = |seed| {
                let noisy = NoisyHrg::new(ground.clone(), blocks.clone(), vec![1], seed);
                noisy.wired(Repair::Clamp, Wiring::Closing).has_edge(pair.0, pair.1)
            };
            (0..2000).filter(|&seed| has(seed)).count()
        };
        // By the rule 1/2 + 1/2 and 1/5.
        let (near, far) = (count((1, 2)), count((3, 4)));
        let ratio = near as f64 / far as f64;
        assert!((4.0..6.2).contains(&ratio), "{near} {far}");
    }

    /// Any pair is any pair: of the eleven candidates of the star five are with the stranger.
    #[test]
    fn uniform_wiring_does_not_ask_for_friends() {
        let (ground, blocks) = star();
        let with_stranger = |seed: &u64| {
            let noisy = NoisyHrg::new(ground.clone(), blocks.clone(), vec![1], *seed);
            noisy.wired(Repair::Clamp, Wiring::Uniform).degree(5) == 1
        };
        let count = (0..400).filter(with_stranger).count();
        assert!((140..225).contains(&count), "{count} of about 182");
    }

    /// Few public edges may have very many friends of friends: as many walks as edges are wanted.
    #[test]
    fn a_crowd_around_one_friend_is_found() {
        let builder =
            GraphBuilder::new(31, Direction::Undirected).edges((1..31).map(|leaf| (0, leaf)));
        let ground = PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap();
        let tree = Dendrogram::balanced(&(0..31).collect::<Vec<_>>()).unwrap();
        let lump = Lumping::Thresholds { between: 0.0, within: 0.0 };
        let blocks = PairBlocks::new(&ground, &tree, 1.0, lump);
        let noisy = NoisyHrg::new(ground, blocks, vec![435], 1);
        let found = noisy.wired(Repair::Clamp, Wiring::ClosingOnly).edge_count() - 30;
        assert!(found > 430, "{found} of 435 pairs");
    }

    /// Two of a triangle are friends of friends, but their edge is there already and uses nothing up. Nor does a walk
    /// into a block that has no edges left.
    #[test]
    fn only_candidates_use_counts_up() {
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5)];
        let builder = GraphBuilder::new(6, Direction::Undirected).edges(edges);
        let ground = PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap();
        let tree = Dendrogram::balanced(&[0, 1, 3, 2, 4, 5]).unwrap();
        let blocks = PairBlocks::new(&ground, &tree, 1.0, Lumping::Never);
        let parents = blocks.parents();
        let block = |u, v| blocks.block_of_pair(&parents, u, v);
        // Friends of friends are (0, 3), (1, 3), (2, 4), (3, 5).
        assert!(block(0, 3) != block(2, 4));
        for seed in 0..50 {
            let mut left = vec![0; blocks.count_of_blocks()];
            left[block(2, 4)] = 1;
            let drawn = close(&ground, &blocks, &mut left, &mut Unpaid::new(seed, 2));
            assert_eq!((drawn, left), (HashSet::from([[4, 2]]), vec![0; blocks.count_of_blocks()]));
        }
        let lump = Lumping::Thresholds { between: 0.0, within: 0.0 };
        let one_block = PairBlocks::new(&ground, &tree, 1.0, lump);
        for seed in 0..50 {
            let drawn = close(&ground, &one_block, &mut [4], &mut Unpaid::new(seed, 2));
            assert!(drawn.iter().all(|&[u, v]| ground.is_candidate(u, v)), "{drawn:?}");
        }
    }
}
