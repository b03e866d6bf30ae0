//! [`PublicModel`]: what public data say about each person, before a private edge has a word.
//!
//! The best on validation nodes of a few, for no one of them is best everywhere: a GCN over public edges; one that reads no
//! edge, where unlike people are connected; and every [`PlainLearner`]. What public data alone would be worth is measured
//! with the same set, so that no budget is spent on private edges for what a better model of public ones gives free of charge.
//!
//! How sure it is (by one factor on all scores) is what validation labels say as well: votes are weighed against it.
//! Nothing private is read, so that choosing costs nothing.

use std::path::Path;

use super::learn::GcnLearner;
use crate::graph::{DenseMatrix, Direction, FeatureMatrix, Graph, Labels, Split};
use crate::learn::losses::softmax;
use crate::learn::models::gcn::Gcn;
use crate::learn::models::{Mlp, Network, likeliest};
use crate::plain::{LearnerInputs, PlainLearner};
use crate::saved::write_json;
use crate::{Result, Run};

/// Factors on a model's scores: propagated labels are small numbers, and a network is surer of itself than it should be.
const SURENESS: [f32; 10] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0];
/// A probability is never taken for smaller than this when sureness is chosen: one surprise does not decide.
const LEAST: f32 = 1e-6;

/// A model of public data.
#[derive(Debug, Clone)]
pub struct PublicModel {
    /// The network.
    pub network: PublicNetwork,
    /// How likely it takes each class to be for each node.
    pub says: DenseMatrix,
    /// Decides its first weights, and how wide rows are projected.
    pub seed: u64,
}

/// What a model of public data computes with.
#[derive(Debug, Clone)]
pub enum PublicNetwork {
    /// A GCN.
    Gcn {
        /// The network.
        model: Gcn,
        /// Whether it reads public edges; one that does not takes a graph without any.
        connected: bool,
    },
    /// A network on what is known of each person, or around them.
    Plain {
        /// The network.
        model: Mlp,
        /// What it learned by.
        learner: PlainLearner,
    },
}

/// What teaches: rows that may be read, and labels.
#[derive(Debug, Clone, Copy)]
pub struct PublicTrainingData<'a> {
    /// A row for every person.
    pub rows: &'a FeatureMatrix,
    /// Labels of the split's training and validation nodes.
    pub labels: &'a Labels,
    /// Who teaches, and who chooses.
    pub split: &'a Split,
}

impl PublicModel {
    /// The best of them over a graph that is public.
    ///
    /// # Errors
    /// If training fails, or the run is interrupted.
    pub fn best(
        learner: &GcnLearner,
        graph: &Graph,
        taught: PublicTrainingData<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let PublicTrainingData { rows, labels, split } = taught;
        let no_edges = Graph::empty(graph.node_count(), Direction::Undirected)?;
        let known = LearnerInputs { graph: Some(graph), features: Some(rows), labels, split };
        let mut best = Self::gcn(learner, &no_edges, false, taught, run)?;
        let connected = [graph].into_iter().filter(|graph| graph.edge_count() > 0);
        let connected = connected.map(|graph| Self::gcn(learner, graph, true, taught, run));
        let plain = PlainLearner::fitting(known).into_iter().map(|learner| {
            let found = learner.learn(known, run)?;
            let all_nodes: Vec<u32> = graph.nodes().collect();
            let scores = found.model.scores((&found.embedding).into(), &all_nodes);
            let network = PublicNetwork::Plain { model: found.model, learner };
            Ok(Self::new(network, scores, taught, run.seed))
        });
        for other in connected.chain(plain) {
            let other = other?;
            if other.right(taught) > best.right(taught) {
                best = other;
            }
        }
        Ok(best)
    }

    fn gcn(
        learner: &GcnLearner,
        graph: &Graph,
        connected: bool,
        taught: PublicTrainingData<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let PublicTrainingData { rows, labels, split } = taught;
        let model = learner.train(graph, rows.into(), labels, split, run.seed, run.watch)?;
        let scores = model.scores(&model.input(graph, rows.into())?)?;
        Ok(Self::new(PublicNetwork::Gcn { model, connected }, scores, taught, run.seed))
    }

    /// As sure of its scores as validation labels say that it may be.
    fn new(
        network: PublicNetwork,
        scores: DenseMatrix,
        PublicTrainingData { labels, split, .. }: PublicTrainingData<'_>,
        seed: u64,
    ) -> Self {
        let known = |&node: &u32| Some((node as usize, labels.class(node)? as usize));
        let known: Vec<(usize, usize)> = split.validation.iter().filter_map(known).collect();
        let mut best = (likelihood(&scores, &known, 1.0), 1.0);
        for sureness in SURENESS {
            let reached = likelihood(&scores, &known, sureness);
            if reached > best.0 {
                best = (reached, sureness);
            }
        }
        let mut says = scores;
        says.values_mut().iter_mut().for_each(|score| *score *= best.1);
        softmax(&mut says);
        Self { network, says, seed }
    }

    /// About how many validation nodes it is right.
    fn right(&self, PublicTrainingData { labels, split, .. }: PublicTrainingData<'_>) -> usize {
        let classes = likeliest(&self.says);
        let is_right = |&&node: &&u32| labels.class(node) == Some(classes[node as usize]);
        split.validation.iter().filter(is_right).count()
    }

    /// Writes `model.safetensors`, the network, and `public-model.json`, what it reads.
    pub(super) fn save(&self, folder: &Path) -> Result<()> {
        let path = folder.join("model.safetensors");
        match &self.network {
            PublicNetwork::Gcn { model, .. } => model.save(&path)?,
            PublicNetwork::Plain { model, .. } => model.save(&path)?,
        }
        write_json(&folder.join("public-model.json"), &self.about())
    }

    fn about(&self) -> AboutPublic {
        match self.network {
            PublicNetwork::Gcn { connected, .. } => AboutPublic::Gcn { connected },
            PublicNetwork::Plain { learner, .. } => AboutPublic::Plain { learner, seed: self.seed },
        }
    }
}

/// The logarithm of how likely these nodes' classes are under scores that are taken so surely:
/// `Σ ln(exp(s z_class) / Σ_c exp(s z_c))`, with s the sureness and z a node's scores.
fn likelihood(scores: &DenseMatrix, known: &[(usize, usize)], sureness: f32) -> f64 {
    let one = |&(node, class): &(usize, usize)| {
        let scores = scores.row(node);
        let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights = scores.iter().map(|score| (sureness * (score - largest)).exp());
        let share = (sureness * (scores[class] - largest)).exp() / weights.sum::<f32>();
        f64::from(share.max(LEAST).ln())
    };
    known.iter().map(one).sum()
}

/// What `public-model.json` says.
#[derive(serde::Serialize)]
#[serde(tag = "network", rename_all = "kebab-case")]
enum AboutPublic {
    /// Reads each person's row, and averages over public edges if connected.
    Gcn { connected: bool },
    /// Reads what the learner makes of rows, labels and edges.
    Plain { learner: PlainLearner, seed: u64 },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::graph::SplitShares;

    /// Rows that say nothing: a GCN averages nothing over neighbours, and labels around people tell who they are.
    #[test]
    fn labels_are_read_where_rows_say_nothing() {
        let blocks = StochasticBlocks {
            nodes: 200,
            features: 0,
            mean_degree: 4.5,
            ..StochasticBlocks::default()
        };
        let people = blocks.generate(1).unwrap();
        let (graph, labels) = (people.graph(), people.labels().unwrap());
        let split = Split::random(graph.nodes(), SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
        let rows = FeatureMatrix::Dense(DenseMatrix::new(200, 1, vec![1.0; 200]).unwrap());
        let taught = PublicTrainingData { rows: &rows, labels, split: &split };
        let (learner, run) = (GcnLearner::default(), Run::simulation(1));
        let found = PublicModel::best(&learner, graph, taught, &run).unwrap();
        assert!(matches!(found.network, PublicNetwork::Plain { .. }), "{:?}", found.network);
        let gcn = PublicModel::gcn(&learner, graph, true, taught, &run).unwrap();
        assert!(found.right(taught) > gcn.right(taught) + 15, "of 50");
        // It is as sure as it is right, whatever numbers its learner has for scores.
        let sure = |&node: &u32| found.says.row(node as usize).iter().copied().fold(0f32, f32::max);
        let sure = split.test.iter().map(sure).sum::<f32>() / split.test.len() as f32;
        let right = found.right(PublicTrainingData {
            split: &Split { validation: split.test.clone(), ..split.clone() },
            ..taught
        });
        let right = right as f32 / split.test.len() as f32;
        assert!((sure - right).abs() < 0.15, "sure {sure}, right {right}");
        // Without public edges there are no neighbours.
        let no_edges = Graph::empty(200, Direction::Undirected).unwrap();
        let alone = PublicModel::best(&learner, &no_edges, taught, &run).unwrap();
        let reads_edges = match &alone.network {
            PublicNetwork::Gcn { connected, .. } => *connected,
            PublicNetwork::Plain { learner, .. } => learner.reads_edges(),
        };
        assert!(!reads_edges, "{:?}", alone.network);
    }
}
