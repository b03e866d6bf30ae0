//! Binary cross-entropy on scores: one yes-or-no question per entry, for several labels per row.
//!
//! ```text
//! loss = -t ln s(z) - (1 - t) ln(1 - s(z)) = max(z, 0) - t z + ln(1 + e^-|z|),   gradient: s(z) - t
//! ```

use privet_graph::DenseMatrix;

use super::RowShares;
use crate::kernels::sum_over_blocks;

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
pub(super) fn softplus(z: f32) -> f32 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// 1 / (1 + e^-z) without overflow.
pub(super) fn sigmoid(z: f32) -> f32 {
    let e = (-z.abs()).exp();
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

#[cfg(test)]
mod tests {
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
}
