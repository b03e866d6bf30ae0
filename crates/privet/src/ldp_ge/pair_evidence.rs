//! What public links say about a pair of people, beside their embeddings: a logistic model of a few numbers.
//!
//! The paper scores a pair by its embeddings alone. Links that are known say more than noisy features do, and they are
//! public: how many friends two people share, how many paths of three links join them, how many friends each has. A
//! logistic model weighs these against the score of the embeddings. Its nine weights are learned from the validation
//! links, which are not in the graph; whatever it reads was public or paid for, so it costs nothing.
//!
//! Friends in common count by `1 / degree` (resource allocation: Zhou, Lü and Zhang 2009), paths of three by `1 / sqrt(degree
//! degree)` of the two in the middle (Kovács and others 2019), which tells links of hubs from accidents.
//!
//! # Cost
//! A path of three links is looked for from the end with fewer people two links away: `O(those people)` for each
//! such end and `O(degree)` for each pair of it.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::graph::{DenseMatrix, Direction, Graph, Labels, LinkPairs, NodeId};
use crate::learn::models::{Classification, Logistic};
use crate::learn::parameters::Parameters;
use crate::learn::train::{
    AdamConfig, BatchSize, Fit, FitConfig, OptimizerConfig, Watch, WeightDecay,
};

/// Numbers about a pair that come from public links.
const COLUMNS: usize = 8;
/// Epochs of one step each; nine weights on standardised columns have long settled then.
const EPOCHS: usize = 400;
/// Keeps nine weights from learning a few dozen links by heart; nothing beside some hundreds.
const DECAY: f32 = 1e-3;

/// Public links, made ready to be asked about pairs.
#[derive(Debug)]
pub struct PairEvidence<'g> {
    graph: std::borrow::Cow<'g, Graph>,
    /// For every node how many links its neighbours have.
    around: Vec<u64>,
}

/// Weights of what is known about pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairModel {
    mean: Vec<f32>,
    deviation: Vec<f32>,
    weights: Vec<f32>,
    bias: f32,
}

impl<'g> PairEvidence<'g> {
    /// Links of a graph; directions are dropped.
    ///
    /// # Errors
    /// Never in practice: the nodes are already in a graph.
    pub fn new(graph: &'g Graph) -> Result<Self> {
        let graph = match graph.direction() {
            Direction::Undirected => std::borrow::Cow::Borrowed(graph),
            Direction::Directed => std::borrow::Cow::Owned(graph.to_undirected()?),
        };
        // The number of people two links away, counted with repetitions: the cost of a search from
        // there.
        let links = |node: NodeId| graph.neighbors(node).iter().map(|&v| graph.degree(v) as u64);
        let around = graph.nodes().map(|node| links(node).sum()).collect();
        Ok(Self { graph, around })
    }

    /// A row for every pair, and its score by embeddings as the last column, where there is one.
    pub fn rows(&self, pairs: &[(NodeId, NodeId)], scores: Option<&[f32]>) -> DenseMatrix {
        let width = COLUMNS + usize::from(scores.is_some());
        let mut rows = DenseMatrix::zeros(pairs.len(), width);
        // Pairs by the end that paths are looked for from: the same people are visited once.
        let from = |&(one, other): &(NodeId, NodeId)| {
            let far = |node: NodeId| self.around[node as usize];
            if far(one) <= far(other) { (one, other) } else { (other, one) }
        };
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&at| from(&pairs[at]).0);
        let groups: Vec<&[usize]> =
            order.chunk_by(|&a, &b| from(&pairs[a]).0 == from(&pairs[b]).0).collect();
        let nodes = self.graph.node_count();
        let found: Vec<(usize, [f32; COLUMNS])> = groups
            .par_iter()
            .map_init(
                // One array of walks for each thread, cleared by the list of touched entries and
                // never as a whole.
                || (vec![0f32; nodes], Vec::new()),
                |(walks, touched), group| {
                    let start = group.first().map_or(0, |&at| from(&pairs[at]).0);
                    self.two_links_from(start, walks, touched);
                    let rows =
                        group.iter().map(|&at| (at, self.row(start, from(&pairs[at]).1, walks)));
                    let rows: Vec<_> = rows.collect();
                    touched.drain(..).for_each(|node: NodeId| walks[node as usize] = 0.0);
                    rows
                },
            )
            .flatten()
            .collect();
        for (at, row) in found {
            rows.row_mut(at)[..COLUMNS].copy_from_slice(&row);
        }
        for (at, score) in scores.unwrap_or_default().iter().enumerate() {
            rows.row_mut(at)[COLUMNS] = *score;
        }
        rows
    }

    /// `Σ_a 1 / sqrt(degree a)` over the friends `a` that each user shares with `start`.
    fn two_links_from(&self, start: NodeId, walks: &mut [f32], touched: &mut Vec<NodeId>) {
        for &friend in self.graph.neighbors(start) {
            // The middle of a path counts 1/sqrt(degree); the second factor comes with the other
            // end.
            let weight = 1.0 / (self.graph.degree(friend) as f32).sqrt();
            for &next in self.graph.neighbors(friend) {
                if walks[next as usize] == 0.0 {
                    // A node is noted when it is first reached, so that clearing costs what the
                    // walk did.
                    touched.push(next);
                }
                walks[next as usize] += weight;
            }
        }
    }

    fn row(&self, start: NodeId, end: NodeId, walks: &[f32]) -> [f32; COLUMNS] {
        let graph = &self.graph;
        let (mut shared, mut allocated, mut paths) = (0f32, 0f32, 0f32);
        // Of two who are linked already everything is said as if that link were not known: it is no evidence of itself.
        let linked = graph.has_edge(start, end);
        let own = if linked { 1.0 / (graph.degree(end) as f32).sqrt() } else { 0.0 };
        for &friend in graph.neighbors(end) {
            let degree = graph.degree(friend) as f32;
            if graph.has_edge(start, friend) {
                shared += 1.0;
                allocated += 1.0 / degree;
            }
            // Not back over the start, nor over the end, which is in the walks of all its friends if they are linked.
            if friend != start {
                paths += (walks[friend as usize] - own).max(0.0) / degree.sqrt();
            }
        }
        // The link itself is not counted among the friends either.
        let [one, other] = [start, end].map(|node| graph.degree(node) - usize::from(linked));
        let degrees = [one, other].map(|degree| (degree as f32).ln_1p());
        let ends = (one.max(1) as f32 * other.max(1) as f32).sqrt();
        // Logarithms: counts over several orders become features of one size.
        [
            shared.ln_1p(),
            f32::from(u8::from(shared > 0.0)),
            (10.0 * allocated).ln_1p(),
            (10.0 * paths).ln_1p(),
            (100.0 * paths / ends).ln_1p(),
            degrees[0] + degrees[1],
            (degrees[0] - degrees[1]).abs(),
            degrees[0].min(degrees[1]),
        ]
    }
}

impl PairModel {
    /// How many numbers of a pair it weighs, its score by embeddings included.
    pub(super) const COLUMNS: usize = COLUMNS + 1;

    /// Whether it weighs so many numbers.
    pub(super) fn is_whole(&self) -> bool {
        [&self.mean, &self.deviation, &self.weights].map(Vec::len) == [Self::COLUMNS; 3]
    }

    /// Learns what rows say from those of links and, after them, those of pairs that are none.
    ///
    /// # Errors
    /// If training diverges, or the run is interrupted.
    pub fn fit(rows: &DenseMatrix, links: usize, watch: &dyn Watch) -> Result<Self> {
        let count = rows.rows().max(1) as f32;
        let mut mean = vec![0f32; rows.columns()];
        let mut deviation = vec![0f32; rows.columns()];
        for row in 0..rows.rows() {
            mean.iter_mut().zip(rows.row(row)).for_each(|(mean, value)| *mean += value / count);
        }
        for row in 0..rows.rows() {
            let each = deviation.iter_mut().zip(rows.row(row)).zip(&mean);
            each.for_each(|((sum, value), mean)| *sum += (value - mean).powi(2) / count);
        }
        // A column without deviation is 0 after centring, whatever it is divided by.
        deviation.iter_mut().for_each(|sum| *sum = sum.sqrt().max(1e-6));
        let linked = (0..rows.rows()).map(|row| Some(i64::from(row < links))).collect::<Vec<_>>();
        let labels = Labels::from_integers(&linked)?;
        // Weights start at 0: the logistic loss is convex, so the start decides nothing.
        let weights = vec![0.0; rows.columns()];
        let mut model = Self { mean, deviation, weights, bias: 0.0 };
        let rows = model.standardised(rows);
        let mut logistic = Logistic::new(rows.columns(), 2)?;
        let all: Vec<NodeId> = (0..rows.rows() as NodeId).collect();
        let config = FitConfig {
            epochs: EPOCHS,
            batch: BatchSize::Full,
            learning_rate: 0.05,
            optimizer: OptimizerConfig::Adam(AdamConfig {
                weight_decay: WeightDecay::L2(DECAY),
                ..AdamConfig::default()
            }),
            ..FitConfig::default()
        };
        let mut task = Classification::new(&mut logistic, (&rows).into(), &labels, &all, &[])?;
        Fit::new(config).watched_by(watch).run(&mut task)?;
        model.set(&logistic);
        Ok(model)
    }

    /// Log odds of a link are the difference of the scores of "a link" and "none".
    fn set(&mut self, logistic: &Logistic) {
        logistic.visit(&mut |parameter| {
            // Two outputs are one: only the difference of their weights decides.
            let odds = |row| parameter.value.row(row)[1] - parameter.value.row(row)[0];
            match parameter.name().ends_with("weight") {
                true => self.weights = (0..parameter.value.rows()).map(odds).collect(),
                false => self.bias = odds(0),
            }
        });
    }

    /// The log odds of a link, for every row: `b + Σ_j w_j (x_j - mean_j) / deviation_j`.
    pub fn scores(&self, rows: &DenseMatrix) -> Vec<f32> {
        let rows = self.standardised(rows);
        let odds = |row: &[f32]| row.iter().zip(&self.weights).map(|(x, w)| x * w).sum::<f32>();
        (0..rows.rows()).map(|row| self.bias + odds(rows.row(row))).collect()
    }

    /// The same of scores by embeddings where nothing is known about links: as if all else were as usual.
    pub fn scores_alone(&self, scores: &[f32]) -> Vec<f32> {
        let last = COLUMNS;
        // Without the graph's columns: those are at their mean, which standardises to 0.
        let odds = |score: &f32| {
            self.bias + self.weights[last] * (score - self.mean[last]) / self.deviation[last]
        };
        scores.iter().map(odds).collect()
    }

    fn standardised(&self, rows: &DenseMatrix) -> DenseMatrix {
        let mut out = rows.clone();
        for row in 0..out.rows() {
            let each = out.row_mut(row).iter_mut().zip(self.mean.iter().zip(&self.deviation));
            each.for_each(|(value, (mean, deviation))| *value = (*value - mean) / deviation);
        }
        out
    }
}

/// Links, then pairs that are none.
pub fn all_pairs(pairs: &LinkPairs) -> Vec<(NodeId, NodeId)> {
    pairs.edges.iter().chain(&pairs.non_edges).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::BarabasiAlbert;
    use crate::graph::{GraphBuilder, LinkSplit};
    use crate::learn::metrics::roc_auc;
    use std::sync::atomic::AtomicBool;

    /// Friends in common and paths of three links, by hand: 0 and 3 share 1 and 2; 0-1-4-3 and 0-2... do not go back.
    /// What is said of two people is the same whether their own link is known or not.
    #[test]
    fn a_link_is_no_evidence_of_itself() {
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (3, 4), (0, 4), (4, 5)];
        let graph = |edges: &[(NodeId, NodeId)]| {
            let all = GraphBuilder::new(6, Direction::Undirected).edges(edges.iter().copied());
            all.build().unwrap().0
        };
        let row = |graph: &Graph, pair| PairEvidence::new(graph).unwrap().rows(&[pair], None);
        let all = graph(&edges);
        for (at, &pair) in edges.iter().enumerate() {
            let others = [&edges[..at], &edges[at + 1..]].concat();
            let (with, without) = (row(&all, pair), row(&graph(&others), pair));
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            let same = with.values().iter().zip(without.values()).all(near);
            assert!(same, "{pair:?}: {with:?} {without:?}");
        }
    }

    #[test]
    fn friends_and_paths_are_counted() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (4, 3), (3, 5)];
        for direction in [Direction::Undirected, Direction::Directed] {
            let graph = GraphBuilder::new(6, direction).edges(edges).build().unwrap().0;
            let evidence = PairEvidence::new(&graph).unwrap();
            for pair in [(0, 3), (3, 0)] {
                let rows = evidence.rows(&[pair], Some(&[7.0]));
                let row = rows.row(0);
                assert!((row[0] - 3f32.ln()).abs() < 1e-6, "two friends in common: {row:?}");
                // Degrees: 1 has three links, 2 two, 4 two. The only path of three is 0-1-4-3.
                assert!((row[2] - (10.0f32 * (1.0 / 3.0 + 0.5)).ln_1p()).abs() < 1e-5);
                assert!((row[3] - (10.0 / 6f32.sqrt()).ln_1p()).abs() < 1e-5, "{row:?}");
                assert_eq!((row[8], rows.columns()), (7.0, 9));
            }
        }
    }

    /// Links of a graph that grows by friends of friends are told from others by what is public.
    #[test]
    fn public_links_tell_links_from_other_pairs() {
        let graph = BarabasiAlbert { nodes: 1500, edges_per_node: 6 }.generate(4).unwrap();
        let links = LinkSplit::random(graph.graph(), 0.1, 0.1, 1).unwrap();
        let evidence = PairEvidence::new(&links.graph).unwrap();
        let rows = |pairs: &LinkPairs| evidence.rows(&all_pairs(pairs), None);
        let stop = AtomicBool::new(false);
        let model =
            PairModel::fit(&rows(&links.validation), links.validation.edges.len(), &stop).unwrap();
        let scores = model.scores(&rows(&links.test));
        let linked: Vec<bool> = (0..scores.len()).map(|at| at < links.test.edges.len()).collect();
        let area = roc_auc(&scores, &linked).unwrap();
        assert!(area > 0.7, "{area}");
    }
}
