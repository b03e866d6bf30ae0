//! [`PairBlocks`]: which candidate pairs share one count.
//!
//! # Idea
//! Every internal node is a block of pairs, and each candidate pair is in exactly one block, so one
//! private edge moves one count by one. A small subtree holds few pairs and its counts would drown in
//! noise: there the whole subtree is one block (the paper's `CalculateNoisyProb`), drawn once. Which
//! subtrees are lumped depends on the tree, on who may have private edges and on epsilon: all public.

use crate::fault::{self, Fault};
use privet_graph::{Graph, NodeId};

use super::dendrogram::{Dendrogram, TreeLayout};
use super::public_graph::PublicGraph;
use super::ties::Arcs;

/// When a subtree becomes one block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lumping {
    /// Where noise of scale 1/epsilon would move the density between its halves by at least `between`
    /// and the density inside it by at least `within`.
    Thresholds {
        /// The least noise of the density between two halves.
        between: f64,
        /// The least noise of the density inside.
        within: f64,
    },
    /// Never: every internal node has a count of its own.
    Never,
}

impl Default for Lumping {
    /// The thresholds of Xiao, Chen and Tan.
    fn default() -> Self {
        Self::Thresholds { between: 0.05, within: 0.01 }
    }
}

impl Lumping {
    fn lumps(self, epsilon: f64, [left, right]: [u64; 2]) -> bool {
        match self {
            Self::Never => false,
            Self::Thresholds { between, within } => {
                let all = (left + right) as f64;
                // The noise of a count, about 1/epsilon, as a density of the block: where it is large, small blocks
                // share one count.
                let density = 1.0 / (epsilon * left as f64 * right as f64);
                // Noise of scale 1/epsilon on a count moves a density by that over the number of pairs: small blocks
                // would be noise only.
                density >= between && 2.0 / (epsilon * all * (all - 1.0)) >= within
            }
        }
    }
}

/// The pairs of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockPairs {
    /// One end below each of two tree nodes.
    Between([u32; 2]),
    /// Both ends below one tree node.
    Within(u32),
}

/// A partition of all candidate pairs.
#[derive(Debug, Clone)]
pub struct PairBlocks {
    tree: Dendrogram,
    layout: TreeLayout,
    /// Nodes that may have private edges, by place, and how many of them come before each place.
    private_leaves: Vec<NodeId>,
    private_before: Vec<u32>,
    pairs: Vec<BlockPairs>,
    candidates: Vec<u64>,
    /// The block of each internal node.
    block_of: Vec<u32>,
}

impl PairBlocks {
    /// The blocks of a tree with one leaf per node of the ground.
    pub(crate) fn new(
        ground: &PublicGraph,
        tree: &Dendrogram,
        epsilon: f64,
        lumping: Lumping,
    ) -> Self {
        let layout = tree.layout();
        let (mut private_leaves, mut private_before) = (Vec::new(), vec![0]);
        for &leaf in layout.leaves() {
            if ground.is_private(leaf) {
                private_leaves.push(leaf);
            }
            private_before.push(private_leaves.len() as u32);
        }
        let mut blocks = Self {
            tree: tree.clone(),
            layout,
            private_leaves,
            private_before,
            pairs: Vec::new(),
            candidates: Vec::new(),
            block_of: Vec::with_capacity(tree.internal_count()),
        };
        blocks.partition(epsilon, lumping);
        blocks.count_candidates(ground);
        blocks
    }

    fn partition(&mut self, epsilon: f64, lumping: Lumping) {
        let leaves = self.tree.leaf_count();
        // The block a node inherits from a lumped ancestor.
        let mut inherited: Vec<Option<u32>> = vec![None; self.tree.internal_count()];
        for (index, &[left, right]) in self.tree.children().iter().enumerate() {
            let sizes = [self.privates(left).len() as u64, self.privates(right).len() as u64];
            // Children come after their parents, so a lumped subtree has handed its block down before they are met.
            let block = match inherited[index] {
                Some(block) => block,
                None => self.pairs.len() as u32,
            };
            let mut passed_on = inherited[index];
            if inherited[index].is_none() {
                let node = (leaves + index) as u32;
                let lumped = lumping.lumps(epsilon, sizes);
                self.pairs.push(if lumped {
                    BlockPairs::Within(node)
                } else {
                    BlockPairs::Between([left, right])
                });
                passed_on = lumped.then_some(block);
            }
            for child in [left, right] {
                if let Some(at) = (child as usize).checked_sub(leaves) {
                    inherited[at] = passed_on;
                }
            }
            self.block_of.push(block);
        }
    }

    /// All pairs of a block less the public edges among them.
    fn count_candidates(&mut self, ground: &PublicGraph) {
        self.candidates = self.pairs.iter().map(|&pairs| self.all_pairs(pairs)).collect();
        let ties = Arcs::new(ground, None).of_tree(&self.tree, &self.layout);
        for (&block, ties) in self.block_of.iter().zip(ties) {
            // Public edges are known, so they are no candidates; the number is public as well.
            // Public edges between private nodes are no candidates.
            self.candidates[block as usize] -= ties.known;
        }
    }

    /// How many private edges each block has.
    pub(crate) fn count(&self, ground: &PublicGraph, private: &Graph) -> Vec<u64> {
        let ties = Arcs::new(ground, Some(private)).of_tree(&self.tree, &self.layout);
        let mut counts = vec![0; self.pairs.len()];
        for (&block, ties) in self.block_of.iter().zip(ties) {
            counts[block as usize] += ties.private;
            if block > 0 && fault::on(Fault::EdgesCountedAgain) {
                counts[0] += ties.private;
            }
        }
        counts
    }

    /// How many blocks there are.
    pub fn count_of_blocks(&self) -> usize {
        self.pairs.len()
    }

    /// How many pairs of each block may be private edges.
    pub fn candidates(&self) -> &[u64] {
        &self.candidates
    }

    /// The tree.
    pub fn tree(&self) -> &Dendrogram {
        &self.tree
    }

    /// The nodes below a tree node that may have private edges.
    fn privates(&self, node: u32) -> &[NodeId] {
        let places = self.layout.places(node);
        let at = |place: u32| self.private_before[place as usize] as usize;
        &self.private_leaves[at(places.start)..at(places.end)]
    }

    /// How many pairs a block has, public edges included.
    pub(super) fn all_pairs(&self, pairs: BlockPairs) -> u64 {
        match pairs {
            BlockPairs::Between(sides) => {
                sides.map(|side| self.privates(side).len() as u64).iter().product()
            }
            BlockPairs::Within(node) => {
                let count = self.privates(node).len() as u64;
                count * count.saturating_sub(1) / 2
            }
        }
    }

    /// The parent of every tree node; the root is its own.
    pub(super) fn parents(&self) -> Vec<u32> {
        let leaves = self.tree.leaf_count();
        let mut parents: Vec<u32> = (0..(leaves + self.tree.internal_count()) as u32).collect();
        for (index, children) in self.tree.children().iter().enumerate() {
            children.iter().for_each(|&child| parents[child as usize] = (leaves + index) as u32);
        }
        parents
    }

    /// The block of two different nodes: that of the lowest tree node above both.
    pub(super) fn block_of_pair(&self, parents: &[u32], u: NodeId, v: NodeId) -> usize {
        let place = self.layout.place(v);
        let mut node = parents[u as usize];
        // Up from one leaf until the other is below, too: the lowest common ancestor.
        while !self.layout.places(node).contains(&place) {
            node = parents[node as usize];
        }
        self.block_of[node as usize - self.tree.leaf_count()] as usize
    }

    /// The pairs of block `block`.
    pub(super) fn pairs(&self, block: usize) -> BlockPairs {
        self.pairs[block]
    }

    /// Pair number `at` of a block, below [`PairBlocks::all_pairs`].
    pub(super) fn pair(&self, pairs: BlockPairs, at: u64) -> (NodeId, NodeId) {
        match pairs {
            BlockPairs::Between([left, right]) => {
                let (left, right) = (self.privates(left), self.privates(right));
                let width = right.len() as u64;
                (left[(at / width) as usize], right[(at % width) as usize])
            }
            BlockPairs::Within(node) => {
                // Row u holds the pairs (u, v) with v < u and begins at u (u-1) / 2.
                let nodes = self.privates(node);
                // The largest u with u (u - 1)/2 <= at, by the quadratic formula in integers.
                // Pair number `at` of a triangle: row r begins at r (r - 1)/2, which is solved for r in integers.
                let row = ((8 * u128::from(at) + 1).isqrt() as u64).div_ceil(2);
                (nodes[row as usize], nodes[(at - row * (row - 1) / 2) as usize])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::comparison::hrg::PrivateNodes;
    use privet_data::synthetic::BarabasiAlbert;
    use privet_graph::{Direction, GraphBuilder};
    use std::collections::BTreeMap;

    /// Every candidate pair is in exactly one block, under any lumping, and edges are counted there.
    #[test]
    fn blocks_partition_the_candidates() {
        let public = BarabasiAlbert { nodes: 40, edges_per_node: 3 }.generate(1).unwrap();
        let some = PrivateNodes::Only((0..40).filter(|node| node % 3 != 0).collect());
        for declared in [PrivateNodes::All, some] {
            let ground = PublicGraph::new(public.graph().clone(), declared).unwrap();
            let edges = (0..40u32).flat_map(|u| (0..u).map(move |v| (u, v)));
            let edges = edges.filter(|&(u, v)| ground.is_candidate(u, v) && (u * 7 + v) % 5 == 0);
            let private = GraphBuilder::new(40, Direction::Undirected).edges(edges);
            let private = private.build().unwrap().0;
            let tree = Dendrogram::random(40, 9).unwrap();
            for lumping in [Lumping::Never, Lumping::default()] {
                let blocks = PairBlocks::new(&ground, &tree, 0.5, lumping);
                let mut block_of = BTreeMap::new();
                for block in 0..blocks.count_of_blocks() {
                    let pairs = blocks.pairs(block);
                    for at in 0..blocks.all_pairs(pairs) {
                        let (u, v) = blocks.pair(pairs, at);
                        if ground.is_candidate(u, v) {
                            assert!(block_of.insert((u.max(v), u.min(v)), block).is_none());
                        }
                    }
                }
                let all = ground.private_count() * (ground.private_count() - 1) / 2;
                let known = public.graph().edges();
                let known = known.filter(|&(u, v)| ground.is_private(u) && ground.is_private(v));
                assert_eq!(block_of.len(), all - known.count());
                let mut candidates = vec![0; blocks.count_of_blocks()];
                block_of.values().for_each(|&block| candidates[block] += 1);
                assert_eq!(candidates, blocks.candidates());
                let mut counts = vec![0; blocks.count_of_blocks()];
                private.edges().for_each(|(u, v)| counts[block_of[&(u.max(v), u.min(v))]] += 1);
                assert_eq!(counts, blocks.count(&ground, &private));
                assert_eq!(lumping == Lumping::Never, blocks.count_of_blocks() == 39);
            }
        }
    }

    /// A group is lumped while noise would be a twentieth of its pairs on either side, and a hundredth in all.
    #[test]
    fn lumping_looks_at_both_densities() {
        let default = Lumping::default();
        assert_eq!(default, Lumping::Thresholds { between: 0.05, within: 0.01 });
        for (epsilon, sizes, expected) in [
            (1.0, [2, 3], true),   // 1/6 and 2/20
            (1.0, [4, 6], false),  // 1/24
            (1.0, [1, 20], false), // 1/20, but 2/420
            (1.0, [1, 13], true),  // 1/13 and 2/182
            (1.0, [1, 14], false), // 1/14, but 2/210
            (2.0, [3, 4], false),  // 1/24
            (0.5, [3, 4], true),   // 1/6 and 2/21
        ] {
            assert_eq!(default.lumps(epsilon, sizes), expected, "{epsilon} {sizes:?}");
        }
        let edge = Lumping::Thresholds { between: 0.25, within: 2.0 / 12.0 };
        assert!(edge.lumps(1.0, [2, 2]));
        assert!(!Lumping::Never.lumps(1.0, [1, 1]));
    }
}
