//! Losses: each returns the mean over the batch and writes its gradient by the scores.
//!
//! ```
//! use privet_graph::DenseMatrix;
//! use privet_learn::losses::{SoftmaxCrossEntropy, Targets};
//! let logits = DenseMatrix::new(1, 2, vec![0.0, 0.0])?;
//! let mut gradient = DenseMatrix::zeros(0, 0);
//! let loss =
//!     SoftmaxCrossEntropy::default().loss(&logits, Targets::Classes(&[1]), None, &mut gradient);
//! assert!((loss - 2.0_f64.ln()).abs() < 1e-6);
//! assert_eq!(gradient.values(), [0.5, -0.5]);
//! # Ok::<(), privet_graph::Error>(())
//! ```

mod binary;
mod pairwise;
mod softmax;

pub use binary::binary_cross_entropy;
pub use pairwise::{Pairwise, pairwise};
pub use softmax::{SoftmaxCrossEntropy, Targets, softmax};

/// What each row counts, given the weight of every row: `weight / sum of weights`, or `1 / rows`. All
/// zero if no row counts.
#[derive(Clone, Copy)]
struct RowShares<'a> {
    weights: Option<&'a [f32]>,
    inverse_total: f32,
}

impl<'a> RowShares<'a> {
    fn new(rows: usize, weights: Option<&'a [f32]>) -> Self {
        let total = match weights {
            Some(weights) => {
                assert_eq!(weights.len(), rows, "one weight per row");
                weights.iter().map(|&w| f64::from(w)).sum()
            }
            None => rows as f64,
        };
        let inverse_total = if total > 0.0 { (1.0 / total) as f32 } else { 0.0 };
        Self { weights, inverse_total }
    }

    fn of(self, row: usize) -> f32 {
        self.weights.map_or(1.0, |weights| weights[row]) * self.inverse_total
    }
}
