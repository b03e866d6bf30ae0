//! [`PublicFit`]: a tree for public edges, by a heat-bath chain. Nothing private is read, so it may run
//! as long as it likes, look at its own progress and start wherever it wants.
//!
//! # Equation
//! A step picks an internal node below the root uniformly and redraws the arrangement of its three
//! groups with probabilities proportional to `exp(L_pub)`. Each step leaves the law
//! `pi(D) ~ exp(L_pub(D))` as it is, and every tree can be reached: the chain converges to it. How fast
//! is not known, so the fit reports its progress.

use super::Unpaid;
use super::chain::{DendrogramChain, TreeScore};
use super::dendrogram::Dendrogram;
use super::public_graph::PublicGraph;
use crate::error::Result;
use crate::noise::RandomWords;

/// How often progress is written down.
const LOOKS: u64 = 20;

/// How long to fit, and with which random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicFit {
    /// Steps per leaf.
    pub steps_per_leaf: u64,
    /// The seed of the chain.
    pub seed: u64,
}

impl Default for PublicFit {
    fn default() -> Self {
        Self { steps_per_leaf: 200, seed: 1 }
    }
}

/// A fitted tree and how the fit went.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedTree {
    /// The tree at the end.
    pub tree: Dendrogram,
    /// The log-likelihood of the public edges, from the start to the end, at equal distances.
    pub progress: Vec<f64>,
    /// How many steps changed the tree.
    pub changes: u64,
    /// How many steps were made.
    pub steps: u64,
}

impl FittedTree {
    /// How much of the whole gain came in the last quarter of the steps: near 0 if it has settled.
    pub fn late_gain(&self) -> f64 {
        let (Some(first), Some(last)) = (self.progress.first(), self.progress.last()) else {
            return 0.0;
        };
        let before = self.progress[self.progress.len() * 3 / 4];
        if last - first <= 0.0 { 0.0 } else { ((last - before) / (last - first)).max(0.0) }
    }
}

impl PublicFit {
    /// Fits a tree, beginning with `start`.
    ///
    /// ```
    /// use privet_data::synthetic::BarabasiAlbert;
    /// use privet_privacy::edges::comparison::hrg::{Dendrogram, PublicGraph, PrivateNodes, PublicFit};
    /// let graph = BarabasiAlbert { nodes: 60, edges_per_node: 2 }.generate(1)?.graph().clone();
    /// let ground = PublicGraph::new(graph, PrivateNodes::All)?;
    /// let fit = PublicFit::default().run(&ground, &Dendrogram::random(60, 1)?)?;
    /// assert!(fit.progress.last() > fit.progress.first());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the tree has not one leaf per node.
    pub fn run(self, ground: &PublicGraph, start: &Dendrogram) -> Result<FittedTree> {
        let mut chain = DendrogramChain::public(ground, start)?;
        let steps = self.steps_per_leaf.saturating_mul(start.leaf_count() as u64);
        let mut rng = Unpaid::new(self.seed, 1);
        let mut progress = vec![chain.score().public];
        let mut changes = 0;
        for look in 0..LOOKS {
            let until =
                |look: u64| (u128::from(steps) * u128::from(look) / u128::from(LOOKS)) as u64;
            for _ in until(look)..until(look + 1) {
                changes += u64::from(heat_bath(&mut chain, &mut rng));
            }
            progress.push(chain.score().public);
        }
        Ok(FittedTree { tree: chain.dendrogram(), progress, changes, steps })
    }
}

/// One step; whether it changed anything.
fn heat_bath(chain: &mut DendrogramChain, rng: &mut Unpaid) -> bool {
    if chain.choices() == 0 {
        return false;
    }
    let proposal = chain.propose(rng.below(chain.choices()));
    // Heat bath: the arrangement is drawn from its conditional law given everything else, which leaves exp(L_pub)
    // invariant.
    let law = law(proposal.scores().map(|TreeScore { public, .. }| public));
    let outside = pick(law, rng.unit());
    chain.rearrange(&proposal, outside);
    outside != DendrogramChain::NOW
}

/// Where a number between 0 and 1 falls among three probabilities.
fn pick(law: [f64; 3], drawn: f64) -> usize {
    usize::from(drawn >= law[0]) + usize::from(drawn >= law[0] + law[1])
}

/// Probabilities proportional to the exponentials of three scores.
pub(super) fn law(scores: [f64; 3]) -> [f64; 3] {
    let best = scores.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let weights = scores.map(|score| libm::exp(score - best));
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::comparison::hrg::PrivateNodes;
    use privet_graph::{Direction, GraphBuilder, NodeId};

    /// Two cliques without an edge between them: a likely tree keeps them apart at the root (the sign
    /// of the likelihood; the printed minus would mix them).
    #[test]
    fn two_cliques_are_separated() {
        let clique =
            |from: NodeId| (from..from + 8).flat_map(move |u| (from..u).map(move |v| (u, v)));
        let builder =
            GraphBuilder::new(16, Direction::Undirected).edges(clique(0).chain(clique(8)));
        let ground = PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap();
        for seed in 0..3 {
            let start = Dendrogram::random(16, seed).unwrap();
            let fit = PublicFit { steps_per_leaf: 500, seed }.run(&ground, &start).unwrap();
            let layout = fit.tree.layout();
            let [left, _] = fit.tree.children()[0];
            let side: Vec<bool> = layout.below(left).iter().map(|&leaf| leaf < 8).collect();
            assert!(side.len() == 8 && side.iter().all(|&first| first == side[0]), "{side:?}");
            assert_eq!(*fit.progress.last().unwrap(), 0.0);
            assert!(fit.late_gain() < 0.01 && fit.changes > 0);
        }
    }

    #[test]
    fn a_number_falls_where_it_belongs() {
        let law = [0.25, 0.5, 0.25];
        let drawn = [0.0, 0.2, 0.25, 0.7, 0.75, 0.99];
        assert_eq!(drawn.map(|x| pick(law, x)), [0, 0, 1, 1, 2, 2]);
    }

    /// Likelihoods of large graphs are far below 0: only their differences count.
    #[test]
    fn laws_follow_differences_of_scores() {
        let near = law([0.0, -1.0, -2.0]);
        let weights = [1.0, (-1f64).exp(), (-2f64).exp()];
        for at in 0..3 {
            assert!((near[at] - weights[at] / weights.iter().sum::<f64>()).abs() < 1e-15);
            assert!((law([-5000.0, -5001.0, -5002.0])[at] - near[at]).abs() < 1e-15);
        }
    }

    /// From -80 to 0, of which 10 in the last quarter.
    #[test]
    fn the_late_gain_is_that_of_the_last_quarter() {
        let fit = |progress: &[f64]| FittedTree {
            tree: Dendrogram::random(2, 1).unwrap(),
            progress: progress.to_vec(),
            changes: 0,
            steps: 0,
        };
        assert_eq!(fit(&[-80.0, -40.0, -20.0, -10.0, 0.0]).late_gain(), 0.125);
        assert_eq!(fit(&[-8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, 0.0]).late_gain(), 0.25);
        // However small the gain was.
        assert_eq!(fit(&[-0.5, -0.25, -0.25, -0.125, 0.0]).late_gain(), 0.25);
        // A fit that went nowhere, or got worse, gained nothing; nor did one that never began.
        let there_and_back = [-3.0, -2.0, -4.0, -5.0, -3.0];
        for still in [&[-3.0; 4][..], &[-1.0, -2.0, -3.0, -4.0], &[], &there_and_back] {
            assert_eq!(fit(still).late_gain(), 0.0);
        }
        assert_eq!(fit(&[-4.0, -1.0, -2.0, -1.0, -2.0]).late_gain(), 0.0);
    }

    /// Without edges all trees are equally likely: two of three steps change the tree, whatever it is.
    #[test]
    fn changes_are_the_steps_that_changed_something() {
        let ground = PublicGraph::all_private(3).unwrap();
        let start = Dendrogram::random(3, 1).unwrap();
        let fit = PublicFit { steps_per_leaf: 1000, seed: 1 }.run(&ground, &start).unwrap();
        assert_eq!(fit.steps, 3000);
        assert!((1900..2100).contains(&fit.changes), "{}", fit.changes);
    }

    /// Twenty looks at twenty steps: one before each step, and one at the end.
    #[test]
    fn progress_is_written_down_after_every_twentieth_of_the_steps() {
        let edges = (0..20).map(|node: NodeId| (node, (node + 1) % 20));
        let builder = GraphBuilder::new(20, Direction::Undirected).edges(edges);
        let ground = PublicGraph::new(builder.build().unwrap().0, PrivateNodes::All).unwrap();
        let start = Dendrogram::random(20, 1).unwrap();
        let fit = PublicFit { steps_per_leaf: 1, seed: 1 }.run(&ground, &start).unwrap();
        assert_eq!((fit.steps, fit.progress.len()), (20, 21));
        assert_eq!(
            fit.progress[0],
            DendrogramChain::public(&ground, &start).unwrap().score().public
        );
        // A seed stands for the same steps in every version, each of which shows where it changed something.
        let moved = fit.progress.windows(2).filter(|two| two[0] != two[1]).count();
        assert_eq!((fit.changes, moved), (12, 7));
    }

    #[test]
    fn the_same_seed_gives_the_same_tree_and_small_trees_stay() {
        let ground = PublicGraph::all_private(2).unwrap();
        let start = Dendrogram::random(2, 1).unwrap();
        assert_eq!(PublicFit::default(), PublicFit { steps_per_leaf: 200, seed: 1 });
        let fit = PublicFit::default().run(&ground, &start).unwrap();
        assert_eq!((fit.tree, fit.changes, fit.steps), (start, 0, 400));
        assert!(PublicFit::default().run(&ground, &Dendrogram::random(3, 1).unwrap()).is_err());
    }
}
