//! [`PlainLearner`]: classes of people by what is known of them, with no thought of privacy.
//!
//! For what is public, or was released already. One small fixed set, for no single learner is best on every graph, and
//! for what a system learns from public data and what it is compared with must not differ by a setting: HeteroRR's
//! [`PublicModel`](crate::hetero_rr::PublicModel) is the best of these, and so is what stands beside every private score,
//! with nothing private or with everything in the clear.
//!
//! ```
//! use privet::plain::{LearnerInputs, PlainLearner};
//! use privet::{Run, data::synthetic::karate_club, graph::{Split, SplitShares}};
//! let club = karate_club()?;
//! let split = Split::random(club.graph().nodes(), SplitShares::HALF_QUARTER_QUARTER, 1)?;
//! let labels = club.labels().expect("each member's side after the quarrel");
//! let known = LearnerInputs { graph: Some(club.graph()), features: None, labels, split: &split };
//! let found = PlainLearner::LabelPropagation.learn(known, &Run::simulation(1))?;
//! assert_eq!(found.predicted.len(), 34);
//! # Ok::<(), privet::Error>(())
//! ```

use crate::graph::{Direction, FeatureMatrix, Graph, Labels, Split};
use crate::ldp_ge::joint::trees_fit;
use crate::ldp_ge::{
    ClassifierCandidates, ClassifierKind, Embedding, LabelSpread, Learner, NodeClassifier, Preset,
    Spreading, Ties, TrainingInputs,
};
use crate::learn::models::ItemRows;
use crate::{Error, Result, Run};

/// From more columns than this, rows are projected to [`SKETCH`]: a model of a thousand tells as much as one of all.
const WIDE: usize = 1024;
const SKETCH: usize = 512;

/// What learners may read.
#[derive(Debug, Clone, Copy)]
pub struct LearnerInputs<'a> {
    /// Who knows whom, if that is known.
    pub graph: Option<&'a Graph>,
    /// Rows of numbers, if they are known; zeros for people whose row is not.
    pub features: Option<&'a FeatureMatrix>,
    /// Labels of the split's training and validation people; others' are not read.
    pub labels: &'a Labels,
    /// Whose labels train, and whose stop the training.
    pub split: &'a Split,
}

/// One of the set, from what reads least to what reads most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlainLearner {
    /// Labels, propagated over the graph.
    LabelPropagation,
    /// A model of the labels around people.
    NeighboursLabels,
    /// A model of each person's own row, every column brought to unit size.
    Features,
    /// A model of each person's own row as it is, a network or boosted trees; where there is no edge to read, or where trees
    /// may do better than the others.
    FeaturesAsTheyAre,
    /// A model of rows spread over the graph.
    FeaturesAround,
    /// A model of rows and labels spread over the graph.
    FeaturesAndLabels,
}

impl PlainLearner {
    /// As much of the set as what is known allows; a graph without an edge says nothing.
    pub fn fitting(known: LearnerInputs<'_>) -> Vec<Self> {
        let edges = known.graph.is_some_and(|graph| graph.edge_count() > 0);
        let around = [Self::LabelPropagation, Self::NeighboursLabels];
        let alone = [Self::Features, Self::FeaturesAsTheyAre];
        let both = [Self::Features, Self::FeaturesAround, Self::FeaturesAndLabels];
        match (edges, known.features.is_some()) {
            (false, false) => Vec::new(),
            (true, false) => around.to_vec(),
            (false, true) => alone.to_vec(),
            (true, true) => {
                let trees =
                    known.features.is_some_and(|rows| trees_fit(rows, known.labels, known.split));
                let own = trees.then_some(Self::FeaturesAsTheyAre);
                around.into_iter().chain(both).chain(own).collect()
            }
        }
    }

    /// Whether edges have a part in it.
    pub fn reads_edges(self) -> bool {
        !matches!(self, Self::Features | Self::FeaturesAsTheyAre)
    }

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LabelPropagation => "label propagation",
            Self::NeighboursLabels => "neighbours' labels",
            Self::Features => "features",
            Self::FeaturesAsTheyAre => "features as they are",
            Self::FeaturesAround => "features around",
            Self::FeaturesAndLabels => "features and labels around",
        }
    }

    /// Learns each person's class, with settings that follow from how many people and columns there are.
    ///
    /// # Errors
    /// If it reads features and there are none, training fails, or the run is interrupted.
    pub fn learn(self, known: LearnerInputs<'_>, run: &Run<'_>) -> Result<NodeClassifier> {
        let LearnerInputs { graph, features, labels, split } = known;
        let graph = match graph.filter(|_| self.reads_edges()) {
            Some(graph) => graph.clone(),
            None => Graph::empty(labels.len(), Direction::Undirected)?,
        };
        let fitting = Preset::fitting(labels.len(), 0).learner;
        let learner = Learner { weight_decay: 5e-4, ..fitting };
        let (spread, list) = (LabelSpread::default(), [self.way()]);
        let ways = ClassifierCandidates { list: &list, labels: &spread, learner: &learner };
        let ties = Ties { graph, confidence: None };
        let embed = || {
            let missing = || Error::invalid("features", "none", "those that a learner reads");
            let rows = features.ok_or_else(missing)?;
            self.embedding(ItemRows::from(rows).columns()).run(&ties.graph, rows, run.seed)
        };
        let ground = TrainingInputs { ties: &ties, features, labels, keep: 1.0, split };
        ways.choose(ground, embed, run)
    }

    fn way(self) -> ClassifierKind {
        match self {
            Self::LabelPropagation => ClassifierKind::Propagation,
            Self::NeighboursLabels => ClassifierKind::Labels,
            Self::Features | Self::FeaturesAround => ClassifierKind::Features,
            Self::FeaturesAsTheyAre => ClassifierKind::Joint,
            Self::FeaturesAndLabels => ClassifierKind::Both,
        }
    }

    /// What becomes of that many columns before a model sees them.
    fn embedding(self, columns: usize) -> Embedding {
        let method = if self.reads_edges() { Spreading::Power } else { Spreading::None };
        let sketch = if columns > WIDE { SKETCH } else { 0 };
        Embedding { alpha: 0.15, exponent: 0.5, method, sketch, ..Embedding::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::graph::SplitShares;

    #[test]
    fn nothing_is_read_that_is_not_known() {
        let (nodes, features, mean_degree) = (200, 8, 4.5);
        let blocks =
            StochasticBlocks { nodes, features, mean_degree, ..StochasticBlocks::default() };
        let people = blocks.generate(1).unwrap();
        let split =
            Split::random(people.graph().nodes(), SplitShares::HALF_QUARTER_QUARTER, 1).unwrap();
        let (labels, rows) = (people.labels().unwrap(), people.features().unwrap().matrix());
        let none = LearnerInputs { graph: None, features: None, labels, split: &split };
        let friends = LearnerInputs { graph: Some(people.graph()), ..none };
        let features = LearnerInputs { features: Some(rows), ..none };
        let all = LearnerInputs { features: Some(rows), ..friends };
        assert_eq!(PlainLearner::fitting(none), []);
        let run = Run::simulation(1);
        for (known, count) in [(friends, 2), (features, 2), (all, 5)] {
            let set = PlainLearner::fitting(known);
            assert_eq!(set.len(), count);
            for learner in set {
                let found = learner.learn(known, &run).unwrap();
                let right =
                    |&&node: &&u32| labels.class(node) == Some(found.predicted[node as usize]);
                let right = split.test.iter().filter(right).count();
                assert!(right > 18, "{}: {right} of 50 in four classes", learner.name());
            }
        }
        let error = PlainLearner::FeaturesAround.learn(friends, &run).unwrap_err().to_string();
        assert!(error.contains("features"), "{error}");
    }
}
