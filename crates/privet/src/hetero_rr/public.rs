//! [`PublicModel`]: what public data say of everybody, before a private edge has a word.
//!
//! The best of four on validation nodes, for no one of them is best everywhere: a GCN over public edges; one that reads no
//! edge, where unlike people are connected; a network on rows and labels that are spread over public edges (LDP-GE's
//! ways, with nothing hidden), where there are few people for every class; and the same on rows alone. Nothing private is
//! read, so that choosing costs nothing.

use std::path::Path;

use super::learn::GcnLearner;
use crate::graph::{DenseMatrix, Direction, FeatureMatrix, Graph, Labels, Split};
use crate::ldp_ge::{Embedding, Ground, LabelSpread, Learner, Preset, Spreading, Ties, Way, Ways};
use crate::learn::losses::softmax;
use crate::learn::models::gcn::Gcn;
use crate::learn::models::{Mlp, Network, Rows, likeliest};
use crate::{Result, Run};

/// A model of public data.
#[derive(Debug, Clone)]
pub struct PublicModel {
    /// The network.
    pub network: PublicNetwork,
    /// How likely it takes each class to be for each node.
    pub says: DenseMatrix,
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
    /// A network on what is known of everybody, or around them.
    Around {
        /// The network.
        model: Mlp,
        /// What it reads.
        way: Option<Way>,
    },
}

/// What teaches: rows that may be read, and labels.
#[derive(Debug, Clone, Copy)]
pub struct Taught<'a> {
    /// A row for everybody.
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
    /// If training fails, or somebody interrupts.
    pub fn best(
        learner: &GcnLearner,
        graph: &Graph,
        taught: Taught<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let nobody = Graph::empty(graph.node_count(), Direction::Undirected)?;
        let alone = Self::gcn(learner, &nobody, false, taught, run)?;
        if graph.edge_count() == 0 {
            return Ok(alone);
        }
        let mut best = Self::gcn(learner, graph, true, taught, run)?;
        let ways = [Way::Propagation, Way::Labels, Way::Both];
        let around = Self::around(graph, (Spreading::Power, &ways), taught, run)?;
        let rows = Self::around(graph, (Spreading::None, &[Way::Features]), taught, run)?;
        for other in [alone, around, rows] {
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
        Taught { rows, labels, split }: Taught<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let model = learner.train(graph, rows.into(), labels, split, run.seed, run.watch)?;
        let mut says = model.scores(&model.input(graph, rows.into())?)?;
        softmax(&mut says);
        Ok(Self { network: PublicNetwork::Gcn { model, connected }, says })
    }

    /// By the best of these ways, on rows that are spread so.
    fn around(
        graph: &Graph,
        (method, list): (Spreading, &[Way]),
        taught: Taught<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let Taught { rows, labels, split } = taught;
        let preset = Preset::fitting(graph.node_count(), Rows::from(rows).columns());
        let embedding = Embedding { alpha: 0.15, exponent: 0.5, method, ..preset.embedding };
        let learner = Learner { weight_decay: 5e-4, ..preset.learner };
        let spread = LabelSpread::default();
        let ways = Ways { list, labels: &spread, learner: &learner };
        let ties = Ties { graph: graph.clone(), confidence: None };
        let ground = Ground { ties: &ties, features: Some(rows), labels, keep: 1.0, split };
        let found = ways.choose(ground, || embedding.run(graph, rows, run.seed), run)?;
        let everybody: Vec<u32> = (0..graph.node_count() as u32).collect();
        let mut says = found.model.scores((&found.embedding).into(), &everybody);
        softmax(&mut says);
        let (model, way) = (found.model, found.way);
        Ok(Self { network: PublicNetwork::Around { model, way }, says })
    }

    /// About how many validation nodes it is right.
    fn right(&self, Taught { labels, split, .. }: Taught<'_>) -> usize {
        let classes = likeliest(&self.says);
        let is_right = |&&node: &&u32| labels.class(node) == Some(classes[node as usize]);
        split.validation.iter().filter(is_right).count()
    }

    pub(super) fn save(&self, path: &Path) -> Result<()> {
        match &self.network {
            PublicNetwork::Gcn { model, .. } => Ok(model.save(path)?),
            PublicNetwork::Around { model, .. } => Ok(model.save(path)?),
        }
    }
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
        let taught = Taught { rows: &rows, labels, split: &split };
        let (learner, run) = (GcnLearner::default(), Run::simulation(1));
        let found = PublicModel::best(&learner, graph, taught, &run).unwrap();
        assert!(matches!(found.network, PublicNetwork::Around { .. }), "{:?}", found.network);
        let gcn = PublicModel::gcn(&learner, graph, true, taught, &run).unwrap();
        assert!(found.right(taught) > gcn.right(taught) + 15, "of 50");
        // Without public edges there is nothing around anybody.
        let nobody = Graph::empty(200, Direction::Undirected).unwrap();
        let alone = PublicModel::best(&learner, &nobody, taught, &run).unwrap();
        assert!(matches!(alone.network, PublicNetwork::Gcn { connected: false, .. }));
    }
}
