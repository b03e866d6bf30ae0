//! Softmax cross-entropy over one class per row, with weights, soft targets, and correction for labels
//! that went through a known noisy channel.
//!
//! ```text
//! p = softmax(z),   loss = -sum_y t_y ln p_y,   gradient by z: p sum(t) - t
//! ```
//! If reported labels come from T\[j\]\[y\] = P(report y | truth j), as randomised response makes them,
//! the model should predict reports through the channel ("forward correction"; Patrini et al., 2017):
//! with q = T' p, `loss = -sum_y t_y ln q_y`. Its minimiser over p is the one for clean labels.

use privet_graph::DenseMatrix;

use super::RowShares;
use crate::kernels::sum_over_blocks;
use crate::{Error, Result};

/// What a row should be.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// One class per row.
    Classes(&'a [u32]),
    /// A weight for every class and row, usually a distribution.
    Soft(&'a DenseMatrix),
}

/// The loss, with the channel that labels went through, if any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SoftmaxCrossEntropy {
    channel: Option<DenseMatrix>,
}

impl SoftmaxCrossEntropy {
    /// The loss corrected for labels that a channel changed: row j holds the probabilities of each
    /// report if the truth is j.
    ///
    /// # Errors
    /// If the matrix is not square, an entry is negative, or a row does not sum to one.
    pub fn through_channel(channel: DenseMatrix) -> Result<Self> {
        let (rows, columns) = (channel.rows(), channel.columns());
        if rows != columns {
            return Err(Error::invalid("label noise", format!("{rows} x {columns}"), "a square"));
        }
        for row in 0..rows {
            let values = channel.row(row);
            let sum: f64 = values.iter().map(|&v| f64::from(v)).sum();
            // Rows are rounded to f32 before they come here: their sum need not be exactly 1.
            if values.iter().any(|&v| v < 0.0) || (sum - 1.0).abs() > 1e-4 {
                let found = format!("row {row} with sum {sum}");
                return Err(Error::invalid("label noise", found, "probabilities that sum to 1"));
            }
        }
        Ok(Self { channel: Some(channel) })
    }

    /// The mean loss of a batch, weighted if weights are given; `gradient` takes the shape of `logits`.
    ///
    /// # Panics
    /// If the shapes do not fit, or a class is out of range.
    pub fn loss(
        &self,
        logits: &DenseMatrix,
        targets: Targets<'_>,
        weights: Option<&[f32]>,
        gradient: &mut DenseMatrix,
    ) -> f64 {
        let (rows, columns) = (logits.rows(), logits.columns());
        check_shapes(logits, targets, self.channel.as_ref());
        let shares = RowShares::new(rows, weights);
        gradient.reshape(rows, columns);
        sum_over_blocks(gradient, |first, block| {
            // The target of a row, written out, and the gradient by the reports.
            // Reused by all rows of the block: no allocation in the loop.
            let (mut target, mut by_report) = (vec![0.0; columns], vec![0.0; columns]);
            let mut loss = 0.0;
            for (row, gradient) in (first..).zip(block.chunks_exact_mut(columns)) {
                write_target(targets, row, &mut target);
                gradient.copy_from_slice(logits.row(row));
                let of_row = match &self.channel {
                    None => plain_row(&target, gradient),
                    Some(channel) => channel_row(channel, &target, gradient, &mut by_report),
                };
                // A row's share of the mean over rows, or of the weighted mean.
                let share = shares.of(row);
                gradient.iter_mut().for_each(|g| *g *= share);
                loss += of_row * f64::from(share);
            }
            loss
        })
    }
}

fn check_shapes(logits: &DenseMatrix, targets: Targets<'_>, channel: Option<&DenseMatrix>) {
    let (rows, columns) = (logits.rows(), logits.columns());
    match targets {
        Targets::Classes(classes) => assert_eq!(classes.len(), rows, "one class per row"),
        Targets::Soft(soft) => {
            assert_eq!((soft.rows(), soft.columns()), (rows, columns), "shape of the targets");
        }
    }
    assert!(channel.is_none_or(|c| c.rows() == columns), "classes of the label noise");
}

fn write_target(targets: Targets<'_>, row: usize, out: &mut [f32]) {
    match targets {
        Targets::Classes(classes) => {
            out.fill(0.0);
            out[classes[row] as usize] = 1.0;
        }
        Targets::Soft(soft) => out.copy_from_slice(soft.row(row)),
    }
}

/// Turns scores into probabilities, row by row.
pub fn softmax(scores: &mut DenseMatrix) {
    let columns = scores.columns().max(1);
    scores.values_mut().chunks_exact_mut(columns).for_each(|row| {
        softmax_row(row);
    });
}

/// Turns one row of scores into probabilities; returns ln sum exp(scores).
fn softmax_row(row: &mut [f32]) -> f32 {
    // exp of differences to the largest never overflows; log sum exp = largest + log(sum).
    let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in row.iter_mut() {
        *value = (*value - largest).exp();
        sum += *value;
    }
    row.iter_mut().for_each(|value| *value /= sum);
    largest + sum.ln()
}

/// Scores become the gradient; returns the loss.
fn plain_row(target: &[f32], values: &mut [f32]) -> f64 {
    // Before the scores are overwritten by probabilities.
    let scored: f64 = target.iter().zip(&*values).map(|(&t, &z)| weighted(t, z)).sum();
    let normalizer = f64::from(softmax_row(values));
    let total: f32 = target.iter().sum();
    // d/dz of (total * logsumexp(z) - t·z).
    values.iter_mut().zip(target).for_each(|(p, t)| *p = *p * total - t);
    f64::from(total) * normalizer - scored
}

/// Zero times an infinite score is still zero.
fn weighted(target: f32, score: f32) -> f64 {
    // 0 times -inf would be no number, but an impossible class that is no target costs nothing.
    if target == 0.0 { 0.0 } else { f64::from(target) * f64::from(score) }
}

/// The same through a channel: with r_y = t_y / q_y, the gradient by p_j is -sum_y T_jy r_y =: -s_j,
/// and by z_j it is p_j (sum_i p_i s_i - s_j).
fn channel_row(
    channel: &DenseMatrix,
    target: &[f32],
    values: &mut [f32],
    by_report: &mut [f32],
) -> f64 {
    softmax_row(values);
    by_report.fill(0.0);
    // q = T^T p: how likely each report is, by the probabilities of the true classes.
    for (truth, &p) in values.iter().enumerate() {
        by_report.iter_mut().zip(channel.row(truth)).for_each(|(q, t)| *q += p * t);
    }
    let mut loss = 0.0;
    for (q, &t) in by_report.iter_mut().zip(target) {
        if t == 0.0 {
            *q = 0.0;
            continue;
        }
        // A report that is almost impossible must not make the loss infinite.
        let probability = q.max(f32::MIN_POSITIVE);
        loss -= f64::from(t) * f64::from(probability).ln();
        // From here on `by_report` holds r_j = t_j / q_j, which the gradient needs.
        *q = t / probability;
    }
    let pull = |truth: usize| -> f32 {
        channel.row(truth).iter().zip(&*by_report).map(|(t, r)| t * r).sum()
    };
    // The mean of all pulls under p: the gradient sums to 0 over the classes, as any of a softmax
    // does.
    let mean: f32 = values.iter().enumerate().map(|(truth, p)| p * pull(truth)).sum();
    for (truth, p) in values.iter_mut().enumerate() {
        // d/dz_k of -sum_j t_j log q_j with q = T^T p: p_k (sum_i p_i r_i - r_k), r_i = sum_j T_ij t_j/q_j.
        *p *= mean - pull(truth);
    }
    loss
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finite_differences::{assert_gradient, filled};

    fn randomised_response(classes: usize, keep: f32) -> DenseMatrix {
        let other = (1.0 - keep) / (classes - 1) as f32;
        let value = |at: usize| if at / classes == at % classes { keep } else { other };
        DenseMatrix::new(classes, classes, (0..classes * classes).map(value).collect()).unwrap()
    }

    fn check(loss: &SoftmaxCrossEntropy, targets: Targets<'_>, weights: Option<&[f32]>) {
        let logits = filled(4, 3, 5);
        let mut gradient = DenseMatrix::zeros(0, 0);
        loss.loss(&logits, targets, weights, &mut gradient);
        assert_gradient(&logits, &gradient, |logits| {
            loss.loss(logits, targets, weights, &mut DenseMatrix::zeros(0, 0))
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn gradients_match_finite_differences(
            classes in prop::collection::vec(0u32..3, 4),
            weights in prop::collection::vec(0.1f32..2.0, 4),
            keep in 0.4f32..0.95,
            seed in 0u64..99,
        ) {
            let mut soft = filled(4, 3, seed);
            soft.values_mut().iter_mut().for_each(|v| *v = v.abs());
            let channel = SoftmaxCrossEntropy::through_channel(randomised_response(3, keep)).unwrap();
            for loss in [SoftmaxCrossEntropy::default(), channel] {
                for weights in [None, Some(&weights[..])] {
                    check(&loss, Targets::Classes(&classes), weights);
                    check(&loss, Targets::Soft(&soft), weights);
                }
            }
        }
    }

    #[test]
    fn a_channel_without_noise_changes_nothing() {
        let clean = SoftmaxCrossEntropy::through_channel(randomised_response(3, 1.0)).unwrap();
        let logits = filled(4, 3, 1);
        let (mut a, mut b) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
        let targets = Targets::Classes(&[0, 1, 2, 1]);
        let plain = SoftmaxCrossEntropy::default().loss(&logits, targets, None, &mut a);
        assert!((clean.loss(&logits, targets, None, &mut b) - plain).abs() < 1e-6);
        for (a, b) in a.values().iter().zip(b.values()) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    /// With every report equally likely after the channel of the true distribution, the corrected loss
    /// is least at the true distribution: its gradient vanishes there.
    #[test]
    fn the_corrected_loss_is_least_at_the_true_distribution() {
        let channel = randomised_response(3, 0.6);
        let truth = [0.7_f32, 0.2, 0.1];
        let logits = DenseMatrix::new(1, 3, truth.map(f32::ln).to_vec()).unwrap();
        let report = |y: usize| (0..3).map(|j| truth[j] * channel.row(j)[y]).sum::<f32>();
        let reports = DenseMatrix::new(1, 3, (0..3).map(report).collect()).unwrap();
        let loss = SoftmaxCrossEntropy::through_channel(channel).unwrap();
        let mut gradient = DenseMatrix::zeros(0, 0);
        loss.loss(&logits, Targets::Soft(&reports), None, &mut gradient);
        assert!(gradient.values().iter().all(|g| g.abs() < 1e-6), "{gradient:?}");
    }

    #[test]
    fn extreme_scores_stay_finite() {
        let logits = DenseMatrix::new(1, 2, vec![1e4, -1e4]).unwrap();
        let mut gradient = DenseMatrix::zeros(0, 0);
        let plain = SoftmaxCrossEntropy::default();
        let loss = plain.loss(&logits, Targets::Classes(&[1]), None, &mut gradient);
        assert_eq!(loss, 2e4);
        assert_eq!(gradient.values(), [1.0, -1.0]);
        let channel = SoftmaxCrossEntropy::through_channel(randomised_response(2, 1.0)).unwrap();
        assert!(channel.loss(&logits, Targets::Classes(&[1]), None, &mut gradient).is_finite());
    }

    #[test]
    fn noise_that_is_no_channel_is_refused() {
        assert!(SoftmaxCrossEntropy::through_channel(DenseMatrix::zeros(2, 3)).is_err());
        assert!(SoftmaxCrossEntropy::through_channel(DenseMatrix::zeros(2, 2)).is_err());
        let negative = DenseMatrix::new(1, 1, vec![-1.0]).unwrap();
        assert!(SoftmaxCrossEntropy::through_channel(negative).is_err());
    }

    #[test]
    fn weights_choose_rows() {
        let logits = filled(2, 3, 1);
        let mut gradient = DenseMatrix::zeros(0, 0);
        let plain = SoftmaxCrossEntropy::default();
        let second = DenseMatrix::new(1, 3, logits.row(1).to_vec()).unwrap();
        let alone = plain.loss(&second, Targets::Classes(&[2]), None, &mut gradient);
        let chosen =
            plain.loss(&logits, Targets::Classes(&[0, 2]), Some(&[0.0, 3.0]), &mut gradient);
        assert!((alone - chosen).abs() < 1e-6);
        let none = plain.loss(&logits, Targets::Classes(&[0, 2]), Some(&[0.0, 0.0]), &mut gradient);
        assert_eq!((none, gradient.row(0)), (0.0, &[0.0; 3][..]));
    }
}
