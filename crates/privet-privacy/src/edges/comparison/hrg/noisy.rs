//! [`NoisyHrg`]: noisy counts per block, and the graphs that can be drawn from them. All of it is
//! post-processing of counts that were paid for.

use privet_graph::{Direction, Graph, GraphBuilder, NodeId};
use std::collections::HashSet;

use super::Unpaid;
use super::blocks::PairBlocks;
use super::public_graph::PublicGraph;
use super::wiring::{Wiring, close};
use crate::fault::{self, Fault};
use crate::noise::RandomWords;

/// How noisy counts, some below 0, become counts of edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// The nearest possible counts that add up to the noisy total: many empty blocks together do not
    /// turn their noise into edges.
    #[default]
    Project,
    /// Each count by itself, to what its block can hold: as printed. Noise below 0 is cut and noise
    /// above is kept, so sparse graphs become denser.
    Clamp,
}

/// A hierarchical random graph with noisy counts.
#[derive(Debug, Clone)]
pub struct NoisyHrg {
    ground: PublicGraph,
    blocks: PairBlocks,
    counts: Vec<i64>,
    seed: u64,
}

impl NoisyHrg {
    pub(crate) fn new(
        ground: PublicGraph,
        blocks: PairBlocks,
        counts: Vec<i64>,
        seed: u64,
    ) -> Self {
        Self { ground, blocks, counts, seed }
    }

    /// The blocks.
    pub fn blocks(&self) -> &PairBlocks {
        &self.blocks
    }

    /// The noisy count of each block, as drawn.
    pub fn noisy_counts(&self) -> &[i64] {
        &self.counts
    }

    /// Counts that blocks can have.
    pub fn repaired(&self, repair: Repair) -> Vec<u64> {
        let room = self.blocks.candidates();
        match repair {
            Repair::Clamp => {
                let each = self.counts.iter().zip(room);
                each.map(|(&count, &room)| (count.max(0) as u64).min(room)).collect()
            }
            Repair::Project => project(&self.counts, room),
        }
    }

    /// The public edges and, in every block, as many other pairs as its repaired count says, drawn
    /// uniformly: time and memory in the number of edges, not of pairs.
    pub fn graph(&self, repair: Repair) -> Graph {
        self.wired(repair, Wiring::Uniform)
    }

    /// The same with other pairs than any: see [`Wiring`].
    pub fn wired(&self, repair: Repair, wiring: Wiring) -> Graph {
        let mut rng = Unpaid::new(self.seed, 2);
        let mut pairs: Vec<[NodeId; 2]> =
            self.ground.public().edges().map(|(u, v)| [u, v]).collect();
        if fault::on(Fault::PublicEdgesOverwritten) {
            pairs.clear();
        }
        let mut left = self.repaired(repair);
        let closed = match wiring {
            Wiring::Uniform => HashSet::new(),
            _ => close(&self.ground, &self.blocks, &mut left, &mut rng),
        };
        if wiring != Wiring::ClosingOnly {
            for (block, &count) in left.iter().enumerate() {
                self.draw(block, count, &closed, &mut rng, &mut pairs);
            }
        }
        pairs.extend(closed);
        let built =
            GraphBuilder::from_pairs(self.ground.node_count(), Direction::Undirected, pairs);
        // Fails for nodes that do not exist only, and these come from the ground.
        built.build().map_or_else(|_| self.ground.public().clone(), |(graph, _)| graph)
    }

    /// Draws so many different candidates of a block, none of them closed already.
    fn draw(
        &self,
        block: usize,
        count: u64,
        closed: &HashSet<[NodeId; 2]>,
        rng: &mut Unpaid,
        into: &mut Vec<[NodeId; 2]>,
    ) {
        let pairs = self.blocks.pairs(block);
        let (all, candidates) = (self.blocks.all_pairs(pairs), self.blocks.candidates()[block]);
        let candidate = |at: u64| {
            let (u, v) = self.blocks.pair(pairs, at);
            let free =
                !self.ground.public().has_edge(u, v) && !closed.contains(&[u.max(v), u.min(v)]);
            free.then_some([u, v])
        };
        // Most pairs are wanted, or most are public edges: look at all, which are about as many.
        // Few free pairs, or most of them wanted: rejection would try for long, so all are listed and shuffled.
        if 2 * count > candidates || 4 * candidates < all {
            let mut left: Vec<[NodeId; 2]> = (0..all).filter_map(candidate).collect();
            rng.shuffle(&mut left);
            into.extend(left.into_iter().take(count as usize));
            return;
        }
        let mut drawn = HashSet::with_capacity(count as usize);
        while (drawn.len() as u64) < count {
            // Rejection: most pairs are free here, so a few draws suffice.
            let at = rng.below(all);
            if let Some(pair) = candidate(at).filter(|_| drawn.insert(at)) {
                into.push(pair);
            }
        }
    }
}

/// The integers nearest to `counts` (in squares) with `0 <= x <= room` and the sum of `counts`, as far
/// as there is room: `x = clamp(count - t)` for one `t`, which is found by halving.
fn project(counts: &[i64], room: &[u64]) -> Vec<u64> {
    let limit: i128 = room.iter().map(|&room| i128::from(room)).sum();
    // The sum of all counts has the least relative noise, and is kept.
    let total = counts.iter().map(|&count| i128::from(count)).sum::<i128>().clamp(0, limit);
    let at = |shift: i128| {
        let each = counts.iter().zip(room);
        each.map(move |(&count, &room)| (i128::from(count) - shift).clamp(0, i128::from(room)))
    };
    let sum = |shift: i128| at(shift).sum::<i128>();
    // The smallest whole shift that does not exceed the total.
    // Invariant: sum(low) > total >= sum(high). Counts fit 64 bits, so these shifts clamp every block to its end.
    let (mut low, mut high) = (-(1i128 << 65), 1i128 << 65);
    // The nearest counts within their limits and of that sum are the counts less one shift, clipped: bisection for it.
    while high - low > 1 {
        let middle = (low + high).div_euclid(2);
        if sum(middle) > total { low = middle } else { high = middle }
    }
    let mut fitted: Vec<u64> = at(high).map(|count| count as u64).collect();
    // One step less would be too many: hand the rest to blocks that it would raise, evenly spread.
    // One step of the shift can overshoot the sum: the difference is spread evenly over blocks that have room.
    let raised: Vec<usize> = at(high - 1)
        .zip(&fitted)
        .enumerate()
        .filter(|(_, (more, now))| *more > i128::from(**now))
        .map(|(block, _)| block)
        .collect();
    let missing = (total - sum(high)) as usize;
    for step in 0..missing.min(raised.len()) {
        fitted[raised[(step as u128 * raised.len() as u128 / missing as u128) as usize]] += 1;
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::comparison::hrg::{Dendrogram, Lumping, PrivateNodes};
    use crate::noise::testing::assert_fits;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn projections_have_the_right_sum_and_no_better_neighbour(
            blocks in prop::collection::vec((-20i64..40, 0u64..30), 1..12)
        ) {
            let (counts, room): (Vec<i64>, Vec<u64>) = blocks.into_iter().unzip();
            let fitted = project(&counts, &room);
            let total = counts.iter().sum::<i64>().clamp(0, room.iter().sum::<u64>() as i64);
            prop_assert_eq!(fitted.iter().sum::<u64>() as i64, total);
            prop_assert!(fitted.iter().zip(&room).all(|(x, room)| x <= room));
            // Moving one edge from one block to another never comes nearer.
            let cost = |at: usize, x: i64| (counts[at] - x).pow(2);
            for from in 0..counts.len() {
                for to in 0..counts.len() {
                    let (x, y) = (fitted[from] as i64, fitted[to] as i64);
                    if from != to && x > 0 && (y as u64) < room[to] {
                        let now = cost(from, x) + cost(to, y);
                        prop_assert!(cost(from, x - 1) + cost(to, y + 1) >= now);
                    }
                }
            }
        }
    }

    fn ground() -> PublicGraph {
        let edges = [(0, 1), (2, 3), (0, 4)];
        let builder = GraphBuilder::new(6, Direction::Undirected).edges(edges);
        PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap()
    }

    #[test]
    fn public_edges_stay_and_blocks_get_their_counts() {
        let ground = ground();
        let tree = Dendrogram::balanced(&[0, 1, 2, 3, 4, 5]).unwrap();
        let blocks = PairBlocks::new(&ground, &tree, 1.0, Lumping::Never);
        let counts: Vec<i64> = blocks.candidates().iter().map(|&c| c as i64 / 2).collect();
        let drawn = NoisyHrg::new(ground.clone(), blocks.clone(), counts.clone(), 0);
        assert_eq!(drawn.noisy_counts(), counts);
        for seed in 0..50 {
            let noisy = NoisyHrg::new(ground.clone(), blocks.clone(), counts.clone(), seed);
            for repair in [Repair::Project, Repair::Clamp] {
                let drawn = noisy.graph(repair);
                assert!(ground.public().edges().all(|(u, v)| drawn.has_edge(u, v)));
                let wanted: i64 = counts.iter().sum();
                assert_eq!(drawn.edge_count() as i64, 3 + wanted);
            }
        }
        let full = vec![i64::MAX; blocks.count_of_blocks()];
        let noisy = NoisyHrg::new(ground.clone(), blocks.clone(), full, 1);
        assert_eq!(noisy.graph(Repair::Clamp).edge_count(), 15);
        let none = NoisyHrg::new(ground.clone(), blocks, vec![-9; 5], 1);
        assert_eq!(&none.graph(Repair::Project), ground.public());
    }

    /// Two edges of one block of four nodes: all sets of pairs are equally likely.
    #[test]
    fn draws_are_uniform() {
        let ground = PublicGraph::all_private(4).unwrap();
        let tree = Dendrogram::balanced(&[0, 1, 2, 3]).unwrap();
        let lump = Lumping::Thresholds { between: 0.0, within: 0.0 };
        let blocks = PairBlocks::new(&ground, &tree, 1.0, lump);
        assert_eq!(blocks.candidates(), [6]);
        for wanted in [2i64, 4] {
            let mut counts = std::collections::BTreeMap::new();
            for seed in 0..6000 {
                let noisy = NoisyHrg::new(ground.clone(), blocks.clone(), vec![wanted], seed);
                let edges: Vec<_> = noisy.graph(Repair::Clamp).edges().collect();
                *counts.entry(edges).or_insert(0u64) += 1;
            }
            assert_eq!(counts.len(), 15);
            assert_fits(&counts.into_values().collect::<Vec<_>>(), &[1.0 / 15.0; 15]);
        }
    }

    /// A seed stands for the same graph in every version: results are repeated from it.
    #[test]
    fn a_seed_draws_the_same_edges_forever() {
        let ground = PublicGraph::all_private(6).unwrap();
        let tree = Dendrogram::balanced(&[0, 1, 2, 3, 4, 5]).unwrap();
        let lump = Lumping::Thresholds { between: 0.0, within: 0.0 };
        let blocks = PairBlocks::new(&ground, &tree, 1.0, lump);
        let noisy = NoisyHrg::new(ground, blocks, vec![4], 1);
        let edges: Vec<_> = noisy.graph(Repair::Clamp).edges().collect();
        assert_eq!(edges, [(0, 5), (1, 4), (2, 3), (3, 5)]);
    }
}
