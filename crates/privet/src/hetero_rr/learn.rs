//! From a published graph to classes: a GCN that averages over neighbours (HeteroRR eq. 1, 2). All of it is
//! post-processing.

use crate::Result;
use crate::graph::{Graph, Labels, Split};
use crate::learn::models::ItemRows;
use crate::learn::models::gcn::{Gcn, GcnAggregation, GcnConfig, NodeClassification};
use crate::learn::train::{
    AdamConfig, BatchSize, EarlyStopping, Fit, FitConfig, OptimizerConfig, Watch, WeightDecay,
};

/// A GCN and how it is trained.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GcnLearner {
    /// Widths of the hidden layers.
    pub hidden: Vec<usize>,
    /// Share of hidden activations dropped in training.
    pub dropout: f32,
    /// L2 weight decay.
    pub weight_decay: f32,
    /// Adam's learning rate.
    pub learning_rate: f64,
    /// Epochs at most; every epoch is one step on all nodes.
    pub epochs: usize,
    /// Early stopping: epochs without improvement on validation data.
    pub patience: usize,
}

impl Default for GcnLearner {
    fn default() -> Self {
        Self {
            hidden: vec![16],
            dropout: 0.5,
            weight_decay: 5e-4,
            learning_rate: 0.01,
            epochs: 200,
            patience: 30,
        }
    }
}

impl GcnLearner {
    /// Trains on the labels of the split's training nodes, stops by its validation nodes.
    ///
    /// # Errors
    /// If a node of the split has no label, training diverges, or the run is interrupted.
    pub fn train(
        &self,
        graph: &Graph,
        rows: ItemRows<'_>,
        labels: &Labels,
        split: &Split,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<Gcn> {
        let mut gcn = Gcn::new(GcnConfig {
            hidden: self.hidden.clone(),
            aggregation: GcnAggregation::Mean,
            dropout: self.dropout,
            seed,
            ..GcnConfig::new(rows.columns(), labels.class_count())
        })?;
        let input = gcn.input(graph, rows)?;
        let mut task =
            NodeClassification::new(&mut gcn, &input, labels, &split.train, &split.validation)?;
        let weight_decay = WeightDecay::L2(self.weight_decay);
        let fit = FitConfig {
            epochs: self.epochs,
            batch: BatchSize::Full,
            learning_rate: self.learning_rate,
            optimizer: OptimizerConfig::Adam(AdamConfig { weight_decay, ..AdamConfig::default() }),
            early_stopping: Some(EarlyStopping { patience: self.patience }),
            seed,
            ..FitConfig::default()
        };
        Fit::new(fit).watched_by(watch).run(&mut task)?;
        Ok(gcn)
    }
}
