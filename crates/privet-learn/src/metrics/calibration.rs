//! Whether a model that says 80 % is right in 80 % of those cases.

use privet_graph::DenseMatrix;

/// The expected calibration error: items are binned by the probability of their predicted class into
/// `bins` equal intervals; the error is the mean over items of |accuracy - confidence| of their bin.
/// `None` without items.
///
/// # Panics
/// If there is not one true class per row, or `bins` is 0.
pub fn expected_calibration_error(
    probabilities: &DenseMatrix,
    truth: &[u32],
    bins: usize,
) -> Option<f64> {
    assert_eq!(probabilities.rows(), truth.len(), "one row of probabilities per item");
    assert!(bins > 0, "at least one bin");
    let mut right_minus_confidence = vec![0.0f64; bins];
    for (row, &class) in truth.iter().enumerate() {
        let best = probabilities.row(row).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let (predicted, &confidence) = best?;
        let confidence = f64::from(confidence);
        let bin = ((confidence * bins as f64) as usize).min(bins - 1);
        right_minus_confidence[bin] +=
            f64::from(u8::from(predicted == class as usize)) - confidence;
    }
    let total: f64 = right_minus_confidence.iter().map(|sum| sum.abs()).sum();
    (!truth.is_empty()).then(|| total / truth.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two items at confidence 0.8, one right: |1 - 1.6| / 3; one at 0.6, right: |1 - 0.6| / 3.
    #[test]
    fn by_hand() {
        let values = vec![0.8, 0.2, 0.8, 0.2, 0.4, 0.6];
        let probabilities = DenseMatrix::new(3, 2, values).unwrap();
        let found = expected_calibration_error(&probabilities, &[0, 1, 1], 10).unwrap();
        assert!((found - (0.6 + 0.4) / 3.0).abs() < 1e-6, "{found}");
        assert_eq!(expected_calibration_error(&DenseMatrix::zeros(0, 2), &[], 10), None);
    }
}
