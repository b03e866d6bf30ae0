//! Models: what a batch of rows goes through, and back.
//!
//! [`Network`] is what training and link scoring need of a model that treats rows one by one. [`Gcn`]
//! and [`Gin`] look at neighbours: the first classifies the nodes of a graph, the second whole graphs.

mod batch;
pub mod boosted;
pub mod classification;
pub mod file;
pub mod gcn;
pub mod gin;
pub mod link;
pub mod logistic;
pub mod mlp;
#[cfg(test)]
mod vectors;

use privet_graph::DenseMatrix;

pub use batch::{GatherBuffer, ItemRows, ModelBatch};
pub use boosted::{BoostConfig, BoostedTrees};
pub use classification::Classification;
pub use gcn::{Gcn, GcnConfig, NodeClassification};
pub use gin::{Gin, GinConfig, GraphClassification};
pub use link::{LinkConfig, LinkPrediction, LinkScorer, NodePair};
pub use logistic::Logistic;
pub use mlp::{Mlp, MlpConfig};

use crate::parameters::Parameters;

/// Turns each row of a batch into a row of scores.
pub trait Network: Parameters {
    /// Number of scores per row.
    fn outputs(&self) -> usize;

    /// Training: computes the scores, and keeps what backward needs. `step` numbers the batches of a
    /// run and decides what dropout drops.
    fn forward(&mut self, batch: ModelBatch<'_>, step: u64, output: &mut DenseMatrix);

    /// Adds to the gradients, given the gradient by the scores of the last forward pass, which had the
    /// same batch and step; writes the gradient by the batch where asked.
    fn backward(
        &mut self,
        batch: ModelBatch<'_>,
        step: u64,
        output_gradient: &DenseMatrix,
        input_gradient: Option<&mut DenseMatrix>,
    );

    /// Evaluation: computes the scores, without dropout and with running averages.
    fn evaluate(&self, batch: ModelBatch<'_>, output: &mut DenseMatrix);

    /// The scores of some rows, computed in blocks.
    ///
    /// # Panics
    /// If a row is out of range, or the rows have another length than the network takes.
    fn scores(&self, rows: ItemRows<'_>, picked: &[u32]) -> DenseMatrix {
        const BLOCK: usize = 4096;
        let mut scores = DenseMatrix::zeros(picked.len(), self.outputs());
        let (mut gathered, mut output) = (GatherBuffer::default(), DenseMatrix::zeros(0, 0));
        let blocks = scores.values_mut().chunks_mut((BLOCK * self.outputs()).max(1));
        for (picked, scores) in picked.chunks(BLOCK).zip(blocks) {
            self.evaluate(gathered.batch(rows, picked), &mut output);
            scores.copy_from_slice(output.values());
        }
        scores
    }

    /// The class with the highest score, for some rows.
    ///
    /// # Panics
    /// As [`Network::scores`].
    fn predict(&self, rows: ItemRows<'_>, picked: &[u32]) -> Vec<u32> {
        let scores = self.scores(rows, picked);
        likeliest(&scores)
    }
}

/// The class with the highest score, for every row.
pub fn likeliest(scores: &DenseMatrix) -> Vec<u32> {
    (0..scores.rows()).map(|row| highest(scores.row(row))).collect()
}

/// The first of the highest scores.
pub fn highest(scores: &[f32]) -> u32 {
    let mut best = 0;
    for (class, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = class;
        }
    }
    best as u32
}
