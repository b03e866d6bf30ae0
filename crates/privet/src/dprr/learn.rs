//! The collector's side: a GIN learns the classes of noisy graphs (section 5.1).

use crate::Result;
use crate::graph::{DenseMatrix, GraphSet, Labels, Split};
use crate::learn::models::gin::{
    Gin, GinConfig, GraphClassification, GraphInputs, NodeFeatures, Readout,
};
use crate::learn::train::{BatchSize, EarlyStopping, Fit, FitConfig, Schedule, Watch};

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
