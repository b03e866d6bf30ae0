//! The collector's side, second half: from embeddings to classes or links (section IV-B).

use crate::Result;
use crate::graph::{DenseMatrix, Labels, LinkSplit, Split};
use crate::learn::losses::{Pairwise, SoftmaxCrossEntropy};
use crate::learn::models::{
    Classification, ItemRows, LinkConfig, LinkPrediction, LinkScorer, Mlp, MlpConfig, Network,
};
use crate::learn::train::{
    AdamConfig, BatchSize, EarlyStopping, Fit, FitConfig, OptimizerConfig, Watch, WeightDecay,
};
use crate::settings::Widths;

/// A model and how it is trained.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Learner {
    /// Widths of the hidden layers, such as 128,64; `none` for a linear model.
    #[cfg_attr(feature = "clap", arg(long, value_parser = crate::options::widths))]
    pub hidden: Widths,
    /// Share of hidden activations dropped in training.
    #[cfg_attr(feature = "clap", arg(long))]
    pub dropout: f32,
    /// L2 weight decay.
    #[cfg_attr(feature = "clap", arg(long))]
    pub weight_decay: f32,
    /// Adam's learning rate.
    #[cfg_attr(feature = "clap", arg(long))]
    pub learning_rate: f64,
    /// Examples per step.
    #[cfg_attr(feature = "clap", arg(long))]
    pub batch: usize,
    /// Maximum number of epochs.
    #[cfg_attr(feature = "clap", arg(long))]
    pub epochs: usize,
    /// Early stopping: epochs without improvement on validation data.
    #[cfg_attr(feature = "clap", arg(long))]
    pub patience: usize,
}

impl Default for Learner {
    /// The paper's settings for Cora.
    fn default() -> Self {
        Self {
            hidden: vec![128],
            dropout: 0.7,
            weight_decay: 5e-4,
            learning_rate: 0.01,
            batch: 64,
            epochs: 100,
            patience: 15,
        }
    }
}

impl Learner {
    fn fit(&self, seed: u64) -> FitConfig {
        let weight_decay = WeightDecay::L2(self.weight_decay);
        FitConfig {
            epochs: self.epochs,
            batch: BatchSize::Examples(self.batch),
            learning_rate: self.learning_rate,
            optimizer: OptimizerConfig::Adam(AdamConfig { weight_decay, ..AdamConfig::default() }),
            early_stopping: Some(EarlyStopping { patience: self.patience }),
            seed,
            ..FitConfig::default()
        }
    }

    fn mlp(&self, inputs: usize, outputs: usize, seed: u64) -> MlpConfig {
        let (hidden, dropout) = (self.hidden.clone(), self.dropout);
        MlpConfig { inputs, hidden, outputs, dropout, seed }
    }

    /// Trains a classifier (equation 35). Where labels were randomised, `keep` is the probability that
    /// one is true, and the loss is that of the reported label: the model's class probabilities go
    /// through the channel that the labels went through.
    ///
    /// # Errors
    /// If an item of the split has no label, training diverges, or the run is interrupted.
    pub fn classify(
        &self,
        rows: ItemRows<'_>,
        labels: &Labels,
        keep: f64,
        split: &Split,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<Mlp> {
        let mut model = Mlp::new(self.mlp(rows.columns(), labels.class_count(), seed))?;
        let mut task =
            Classification::new(&mut model, rows, labels, &split.train, &split.validation)?;
        if keep < 1.0 {
            let loss = SoftmaxCrossEntropy::through_channel(channel(keep, labels.class_count())?)?;
            task = task.with_loss(loss);
        }
        Fit::new(self.fit(seed)).watched_by(watch).run(&mut task)?;
        Ok(model)
    }

    /// Trains a link scorer: the Hadamard product of two embeddings, then a logistic model, under the
    /// pairwise objective.
    ///
    /// # Errors
    /// If training diverges, or the run is interrupted.
    pub fn link(
        &self,
        embeddings: &DenseMatrix,
        links: &LinkSplit,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<LinkScorer> {
        let inputs = embeddings.columns();
        let encoder = self.hidden.split_last().map(|(&outputs, before)| MlpConfig {
            hidden: before.to_vec(),
            ..self.mlp(inputs, outputs, seed)
        });
        let mut scorer = LinkScorer::new(LinkConfig { inputs, encoder, seed })?;
        let train = (&links.train.edges[..], &links.train.non_edges[..]);
        let validation = (&links.validation.edges[..], &links.validation.non_edges[..]);
        let rows = embeddings.into();
        let mut task =
            LinkPrediction::new(&mut scorer, rows, train, validation, Pairwise::Logistic)?;
        Fit::new(self.fit(seed)).watched_by(watch).run(&mut task)?;
        Ok(scorer)
    }
}

/// The class probabilities of a predictor, for every row.
pub fn predicted(model: &Mlp, rows: ItemRows<'_>) -> Vec<u32> {
    let all: Vec<u32> = (0..rows.rows() as u32).collect();
    model.predict(rows, &all)
}

/// Row y: how a true label y is reported.
fn channel(keep: f64, classes: usize) -> Result<DenseMatrix> {
    let other = (1.0 - keep) / (classes.max(2) - 1) as f64;
    let entry = |at: usize| if at / classes == at % classes { keep } else { other } as f32;
    Ok(DenseMatrix::new(classes, classes, (0..classes * classes).map(entry).collect())?)
}
