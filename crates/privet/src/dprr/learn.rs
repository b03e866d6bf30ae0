//! The collector's side: a GIN learns the classes of noisy graphs (section 5.1), or boosted trees those of summaries.
//!
//! Where summaries are read, trees learn from them. Where reports name neighbours at all, the network learns as well, and is
//! used if validation graphs clearly speak for it. All of that is post-processing of reports; classes of graphs are public.

use std::path::Path;

use super::believe::Reading;
use super::collect::UserReports;
use crate::Result;
use crate::graph::{DenseMatrix, Direction, Graph, GraphSet, Labels, Split};
use crate::learn::models::gin::{
    Gin, GinConfig, GraphClassification, GraphInputs, NodeFeatures, Readout,
};
use crate::learn::models::{BoostConfig, BoostedTrees, likeliest};
use crate::learn::train::{BatchSize, EarlyStopping, Fit, FitConfig, Schedule, Watch};

/// What learned from reports.
#[derive(Debug, Clone)]
pub enum GraphScorer {
    /// A network on the graphs that reports make.
    Network(Gin),
    /// Trees on summaries.
    Trees(BoostedTrees),
}

impl GraphScorer {
    /// Writes it to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        match self {
            Self::Network(gin) => gin.save(path)?,
            Self::Trees(trees) => trees.save(path)?,
        }
        Ok(())
    }

    /// Reads what [`GraphScorer::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is neither.
    pub fn load(path: &Path) -> Result<Self> {
        match BoostedTrees::load(path) {
            Ok(trees) => Ok(Self::Trees(trees)),
            Err(_) => Ok(Self::Network(Gin::load(path)?)),
        }
    }
}

/// What the learner needs besides reports; all of it public.
#[derive(Clone, Copy)]
pub(super) struct Lesson<'a> {
    pub(super) reading: Reading,
    pub(super) direction: Direction,
    pub(super) labels: &'a Labels,
    pub(super) split: &'a Split,
    pub(super) seed: u64,
    pub(super) watch: &'a dyn Watch,
}

/// A GIN and how it is trained. Every node begins with what a reading says about it, or with a one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct GraphLearner {
    /// Rounds of summing over neighbours.
    #[cfg_attr(feature = "clap", arg(long))]
    pub rounds: usize,
    /// Width of every hidden layer.
    #[cfg_attr(feature = "clap", arg(long))]
    pub hidden: usize,
    /// Share of scores dropped in training.
    #[cfg_attr(feature = "clap", arg(long))]
    pub dropout: f32,
    /// How the nodes of a graph become one row.
    #[cfg_attr(feature = "clap", arg(skip = Readout::Mean))]
    pub readout: Readout,
    /// Adam's learning rate; it is halved five times in the course of training.
    #[cfg_attr(feature = "clap", arg(long))]
    pub learning_rate: f64,
    /// Graphs per step.
    #[cfg_attr(feature = "clap", arg(long))]
    pub batch: usize,
    /// Maximum number of epochs.
    #[cfg_attr(feature = "clap", arg(long))]
    pub epochs: usize,
    /// Early stopping: epochs without improvement on validation graphs.
    #[cfg_attr(feature = "clap", arg(long))]
    pub patience: usize,
}

impl Default for GraphLearner {
    /// As good as any on validation graphs of REDDIT-BINARY (reports of DPRR at epsilon 1, believed), and
    /// quick. Plain noisy graphs want a round more and twice the epochs.
    fn default() -> Self {
        Self {
            rounds: 2,
            hidden: 32,
            dropout: 0.0,
            readout: Readout::Mean,
            learning_rate: 0.01,
            batch: 32,
            epochs: 30,
            patience: 30,
        }
    }
}

impl GraphLearner {
    /// Learns from reports in the way that the reading wants; gives the scores of all graphs.
    pub(super) fn learn(
        &self,
        reported: UserReports,
        lesson: Lesson<'_>,
    ) -> Result<(GraphScorer, DenseMatrix)> {
        let Lesson { reading, direction, labels, split, seed, watch } = lesson;
        let UserReports { graphs, claims } = reported;
        let network = |graphs| {
            let read = reading.read(graphs, &claims, direction)?;
            let (gin, scores) = self.train(read, labels, split, seed, watch)?;
            Ok::<_, crate::Error>((GraphScorer::Network(gin), scores))
        };
        let Some(rows) = reading.summaries(&graphs, &claims, direction)? else {
            return network(graphs);
        };
        let config = BoostConfig { seed, ..BoostConfig::default() };
        let (train, validation) = (&split.train, &split.validation);
        let trees = BoostedTrees::fit(&config, &rows, labels, train, validation, watch)?;
        let scores = trees.scores(&rows)?;
        let trees = (GraphScorer::Trees(trees), scores);
        // Without pairs the network would see what the trees see, one user at a time.
        if graphs.iter().all(|graph| graph.arc_count() == 0) {
            return Ok(trees);
        }
        let network = network(graphs)?;
        Ok(if clearly_better(&network.1, &trees.1, labels, validation) { network } else { trees })
    }

    /// The scores of what it learned, for reports about graphs that were not there.
    ///
    /// # Errors
    /// If they are described otherwise than those it was trained on.
    pub(crate) fn scores_of(
        &self,
        scorer: &GraphScorer,
        reading: Reading,
        graphs: Vec<Graph>,
        claims: &[super::Claim],
        direction: Direction,
    ) -> Result<DenseMatrix> {
        match scorer {
            GraphScorer::Network(gin) => {
                self.scores(gin, &reading.read(graphs, claims, direction)?)
            }
            GraphScorer::Trees(trees) => {
                let rows = Reading::Summary.summaries(&graphs, claims, direction)?;
                let none = || crate::Error::invalid("summaries", "none", "one row a graph");
                Ok(trees.scores(&rows.ok_or_else(none)?)?)
            }
        }
    }

    /// Trains on some graphs; gives the network and its scores for all of them.
    ///
    /// # Errors
    /// If a graph of the split has no class, training diverges, or the run is interrupted.
    pub fn train(
        &self,
        set: GraphSet,
        labels: &Labels,
        split: &Split,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<(Gin, DenseMatrix)> {
        let inputs = self.inputs(&set)?;
        let count = set.len() as u32;
        drop(set);
        let config = GinConfig {
            inputs: inputs.width(),
            hidden: self.hidden,
            rounds: self.rounds,
            outputs: labels.class_count(),
            readout: self.readout,
            dropout: self.dropout,
            seed,
        };
        let mut gin = Gin::new(config)?;
        let mut task =
            GraphClassification::new(&mut gin, &inputs, labels, &split.train, &split.validation)?;
        let fit = FitConfig {
            epochs: self.epochs,
            batch: BatchSize::Examples(self.batch),
            learning_rate: self.learning_rate,
            schedule: Schedule::Step { every: (self.epochs / 5).max(1), factor: 0.5 },
            early_stopping: Some(EarlyStopping { patience: self.patience }),
            seed,
            ..FitConfig::default()
        };
        Fit::new(fit).watched_by(watch).run(&mut task)?;
        let scores = gin.scores(&inputs, &(0..count).collect::<Vec<_>>())?;
        Ok((gin, scores))
    }

    /// The scores of a network that it trained, for graphs that were not there.
    ///
    /// # Errors
    /// If they are described otherwise than those it was trained on.
    pub fn scores(&self, network: &Gin, set: &GraphSet) -> Result<DenseMatrix> {
        let all: Vec<u32> = (0..set.len() as u32).collect();
        Ok(network.scores(&self.inputs(set)?, &all)?)
    }

    fn inputs(&self, set: &GraphSet) -> Result<GraphInputs> {
        let features = match set.node_attributes() {
            Some(_) => NodeFeatures::Attributes,
            None => NodeFeatures::Constant,
        };
        Ok(GraphInputs::new(set, features, self.rounds)?)
    }
}

/// Whether the first is right where the second is not more often than the other way around, by more than one standard
/// deviation of chance.
fn clearly_better(first: &DenseMatrix, second: &DenseMatrix, labels: &Labels, on: &[u32]) -> bool {
    let (first, second) = (likeliest(first), likeliest(second));
    let right = |all: &[u32], graph: u32| labels.class(graph) == Some(all[graph as usize]);
    let (mut won, mut lost) = (0f64, 0f64);
    for &graph in on {
        match (right(&first, graph), right(&second, graph)) {
            (true, false) => won += 1.0,
            (false, true) => lost += 1.0,
            _ => {}
        }
    }
    won - lost > (won + lost).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_must_be_clearly_better() {
        let labels =
            Labels::from_integers(&[Some(0), Some(1), Some(0), Some(1)].repeat(3)).unwrap();
        let scores = |wrong: &[usize]| {
            let mut all = DenseMatrix::zeros(12, 2);
            for at in 0..12 {
                let class = (at % 2) ^ usize::from(wrong.contains(&at));
                all.row_mut(at)[class] = 1.0;
            }
            all
        };
        let on: Vec<u32> = (0..12).collect();
        let better = |first: &[usize], second: &[usize]| {
            clearly_better(&scores(first), &scores(second), &labels, &on)
        };
        assert!(better(&[], &[1, 2]) && !better(&[], &[1]) && !better(&[3], &[3]));
        assert!(!better(&[0, 1, 2], &[3, 4, 5, 6]));
    }
}
