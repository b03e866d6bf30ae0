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

mod softmax;

use privet_graph::DenseMatrix;

use crate::kernels::sum_over_blocks;

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

/// Binary cross-entropy on scores: one yes-or-no question per entry, for several labels per row.
///
/// ```text
/// loss = -t ln s(z) - (1 - t) ln(1 - s(z)) = max(z, 0) - t z + ln(1 + e^-|z|),   gradient: s(z) - t
/// ```
///
/// The mean loss over rows (weighted if weights are given) and columns; `targets` are in [0, 1], and
/// `gradient` takes the shape of `logits`.
///
/// # Panics
/// If the shapes do not fit.
pub fn binary_cross_entropy(
    logits: &DenseMatrix,
    targets: &DenseMatrix,
    weights: Option<&[f32]>,
    gradient: &mut DenseMatrix,
) -> f64 {
    let (rows, columns) = (logits.rows(), logits.columns());
    assert_eq!((targets.rows(), targets.columns()), (rows, columns), "shape of the targets");
    let shares = RowShares::new(rows, weights);
    gradient.reshape(rows, columns);
    sum_over_blocks(gradient, |first, block| {
        let mut loss = 0.0;
        for (row, gradient) in (first..).zip(block.chunks_exact_mut(columns)) {
            let share = shares.of(row) / columns as f32;
            let scored = logits.row(row).iter().zip(targets.row(row));
            for (out, (&z, &t)) in gradient.iter_mut().zip(scored) {
                // -t log s(z) - (1-t) log(1-s(z)) = softplus(z) - t z.
                loss += f64::from(share) * f64::from(softplus(z) - t * z);
                *out = share * (sigmoid(z) - t);
            }
        }
        loss
    })
}

/// ln(1 + e^z) without overflow.
fn softplus(z: f32) -> f32 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// 1 / (1 + e^-z) without overflow.
fn sigmoid(z: f32) -> f32 {
    let e = (-z.abs()).exp();
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// Which function of the difference of scores: a link should score above a pair that is no link.
///
/// LDP-GE (section IV) trains a logistic regression on Hadamard products with a "pairwise objective loss
/// function", refers to Wang et al. (2021, arXiv:2112.02936) and Lv et al. (2022, arXiv:2208.05781) for it,
/// and prints no formula. The two forms here are our reading of the words, not a quotation. With d the score
/// of the link less that of the pair that is none:
///
/// ```text
/// Logistic: ln(1 + e^-d), gradient by d: -s(-d)        Squared: (1 - d)^2, gradient by d: -2 (1 - d)
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Pairwise {
    /// ln(1 + e^-d): the logistic loss of a pair being ordered right.
    #[default]
    Logistic,
    /// (1 - d)^2: a surrogate of the area under the curve.
    Squared,
}

/// The mean loss over pairs of a link's score and a score of a pair that is none, and the gradients by
/// both.
///
/// # Panics
/// If there is not one negative per link.
pub fn pairwise(
    form: Pairwise,
    links: &[f32],
    others: &[f32],
    link_gradient: &mut [f32],
    other_gradient: &mut [f32],
) -> f64 {
    assert_eq!(links.len(), others.len(), "one negative pair per link");
    assert_eq!((link_gradient.len(), other_gradient.len()), (links.len(), links.len()));
    let share = 1.0 / links.len().max(1) as f32;
    let mut total = 0.0;
    for (at, (link, other)) in links.iter().zip(others).enumerate() {
        let difference = link - other;
        let (loss, slope) = match form {
            // -log sigmoid(link - other), written so that neither sign overflows.
            Pairwise::Logistic => (softplus(-difference), -sigmoid(-difference)),
            Pairwise::Squared => ((1.0 - difference).powi(2), -2.0 * (1.0 - difference)),
        };
        total += f64::from(loss);
        link_gradient[at] = slope * share;
        other_gradient[at] = -slope * share;
    }
    total * f64::from(share)
}

#[cfg(test)]
mod tests {
    use privet_graph::DenseMatrix;

    use super::*;
    use crate::finite_differences::{assert_gradient, filled};

    #[test]
    fn gradient_matches_finite_differences() {
        let (logits, mut targets) = (filled(4, 3, 1), filled(4, 3, 2));
        targets.values_mut().iter_mut().for_each(|t| *t = f32::from(*t > 0.0));
        for weights in [None, Some(&[0.5, 1.0, 2.0, 0.0][..])] {
            let mut gradient = DenseMatrix::zeros(0, 0);
            binary_cross_entropy(&logits, &targets, weights, &mut gradient);
            assert_gradient(&logits, &gradient, |logits| {
                binary_cross_entropy(logits, &targets, weights, &mut DenseMatrix::zeros(0, 0))
            });
        }
    }

    #[test]
    fn known_values_and_extremes() {
        let logits = DenseMatrix::new(1, 2, vec![0.0, 1e4]).unwrap();
        let targets = DenseMatrix::new(1, 2, vec![1.0, 0.0]).unwrap();
        let mut gradient = DenseMatrix::zeros(0, 0);
        let loss = binary_cross_entropy(&logits, &targets, None, &mut gradient);
        assert!((loss - (2.0_f64.ln() + 1e4) / 2.0).abs() < 1e-3);
        assert_eq!(gradient.values(), [-0.25, 0.5]);
    }

    #[test]
    fn gradients_match_finite_differences() {
        // Links in the first row, the others in the second.
        let scores = filled(2, 5, 1);
        for form in [Pairwise::Logistic, Pairwise::Squared] {
            let loss = |scores: &DenseMatrix, gradient: &mut DenseMatrix| {
                let (links, others) = gradient.values_mut().split_at_mut(5);
                pairwise(form, scores.row(0), scores.row(1), links, others)
            };
            let mut gradient = DenseMatrix::zeros(2, 5);
            loss(&scores, &mut gradient);
            assert_gradient(&scores, &gradient, |s| loss(s, &mut DenseMatrix::zeros(2, 5)));
        }
    }

    #[test]
    fn known_values() {
        let (mut up, mut down) = ([0.0], [0.0]);
        let loss = pairwise(Pairwise::Logistic, &[2.0], &[2.0], &mut up, &mut down);
        assert!((loss - 2.0_f64.ln()).abs() < 1e-6);
        assert_eq!((up, down), ([-0.5], [0.5]));
        let loss = pairwise(Pairwise::Squared, &[3.0], &[2.0], &mut up, &mut down);
        assert_eq!((loss, up), (0.0, [0.0]));
        assert_eq!(pairwise(Pairwise::Logistic, &[], &[], &mut [], &mut []), 0.0);
    }
}
