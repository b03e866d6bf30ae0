//! One class per item: the confusion matrix and what is read off it. Several per item: F1 over all decisions (micro) or averaged
//! over classes (macro).

use crate::{Error, Result};

/// The share of items predicted right; `None` without items.
///
/// ```
/// assert_eq!(privet_learn::metrics::accuracy(&[0, 1, 1, 2], &[0, 1, 2, 2]), Some(0.75));
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn accuracy(predicted: &[u32], truth: &[u32]) -> Option<f64> {
    assert_eq!(predicted.len(), truth.len(), "one prediction per item");
    let right = predicted.iter().zip(truth).filter(|(p, t)| p == t).count();
    (!truth.is_empty()).then(|| right as f64 / truth.len() as f64)
}

/// How often each class was predicted for each true class.
///
/// ```
/// use privet_learn::metrics::ConfusionMatrix;
/// let matrix = ConfusionMatrix::new(2, &[0, 1, 1, 1], &[0, 0, 1, 1])?;
/// assert_eq!(matrix.count(0, 1), 1);
/// assert_eq!(matrix.accuracy(), Some(0.75));
/// assert_eq!(matrix.balanced_accuracy(), Some(0.75));
/// # Ok::<(), privet_learn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfusionMatrix {
    classes: usize,
    counts: Vec<u64>,
}

impl ConfusionMatrix {
    /// Counts predictions against the truth.
    ///
    /// # Errors
    /// If the lengths differ or a class is out of range.
    pub fn new(classes: usize, predicted: &[u32], truth: &[u32]) -> Result<Self> {
        if predicted.len() != truth.len() {
            return Err(Error::invalid("predictions", predicted.len(), truth.len()));
        }
        let mut counts = vec![0; classes * classes];
        for (&p, &t) in predicted.iter().zip(truth) {
            let largest = p.max(t) as usize;
            if largest >= classes {
                return Err(Error::invalid("class", largest, format!("below {classes}")));
            }
            // Row by true class, column by predicted class.
            counts[t as usize * classes + p as usize] += 1;
        }
        Ok(Self { classes, counts })
    }

    /// What was counted elsewhere: the counts of each true class, by what its items were taken for.
    ///
    /// # Errors
    /// If there is not one count for every pair of classes.
    pub fn from_counts(classes: usize, counts: Vec<u64>) -> Result<Self> {
        if counts.len() != classes * classes {
            return Err(Error::invalid("counts", counts.len(), classes * classes));
        }
        Ok(Self { classes, counts })
    }

    /// How many items of class `truth` were taken for `predicted`.
    ///
    /// # Panics
    /// If a class is out of range.
    pub fn count(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth * self.classes + predicted]
    }

    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.classes
    }

    /// The share of items predicted right, which for one class per item is also micro-F1.
    pub fn accuracy(&self) -> Option<f64> {
        let total: u64 = self.counts.iter().sum();
        let right: u64 = (0..self.classes).map(|class| self.count(class, class)).sum();
        (total > 0).then(|| right as f64 / total as f64)
    }

    /// The mean over classes that occur of the share of their items predicted right.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        // The mean recall; classes without items are left out, not counted as 0.
        mean((0..self.classes).filter_map(|class| {
            let of_class: u64 = (0..self.classes).map(|p| self.count(class, p)).sum();
            (of_class > 0).then(|| self.count(class, class) as f64 / of_class as f64)
        }))
    }

    /// The mean of the classes' F1 = 2 tp / (2 tp + fp + fn), over classes that occur in the truth or
    /// among the predictions.
    pub fn macro_f1(&self) -> Option<f64> {
        mean((0..self.classes).filter_map(|class| {
            let truth: u64 = (0..self.classes).map(|p| self.count(class, p)).sum();
            let predicted: u64 = (0..self.classes).map(|t| self.count(t, class)).sum();
            // F1 = 2 hits / (true + predicted), which needs no precision and no recall of its own.
            f1(self.count(class, class), truth + predicted)
        }))
    }
}

/// `2 tp / (2 tp + fp + fn)`, given that the denominator is true plus predicted positives.
fn f1(hits: u64, true_plus_predicted: u64) -> Option<f64> {
    (true_plus_predicted > 0).then(|| 2.0 * hits as f64 / true_plus_predicted as f64)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0u64, 0.0), |(n, s), v| (n + 1, s + v));
    (count > 0).then(|| sum / count as f64)
}

/// Per class: decisions that hit, decisions made, and decisions that would have been right.
///
/// ```
/// use privet_learn::metrics::MultiLabelCounts;
/// let mut counts = MultiLabelCounts::new(3);
/// counts.add(&[0, 1], &[1, 2]);
/// assert_eq!(counts.micro_f1(), Some(0.5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiLabelCounts {
    hits: Vec<u64>,
    true_plus_predicted: Vec<u64>,
}

impl MultiLabelCounts {
    /// Nothing counted yet.
    pub fn new(classes: usize) -> Self {
        Self { hits: vec![0; classes], true_plus_predicted: vec![0; classes] }
    }

    /// Counts one item: its predicted and its true classes, both ascending.
    ///
    /// # Panics
    /// If a class is out of range.
    pub fn add(&mut self, predicted: &[u32], truth: &[u32]) {
        for &class in predicted {
            self.true_plus_predicted[class as usize] += 1;
            if truth.binary_search(&class).is_ok() {
                self.hits[class as usize] += 1;
            }
        }
        truth.iter().for_each(|&class| self.true_plus_predicted[class as usize] += 1);
    }

    /// F1 over all decisions together.
    pub fn micro_f1(&self) -> Option<f64> {
        f1(self.hits.iter().sum(), self.true_plus_predicted.iter().sum())
    }

    /// The mean of the classes' F1, over classes that occur.
    pub fn macro_f1(&self) -> Option<f64> {
        mean(self.hits.iter().zip(&self.true_plus_predicted).filter_map(|(&h, &n)| f1(h, n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by hand: class 0 has 3 items (2 right), class 1 has 1 (right), class 2 never occurs.
    #[test]
    fn what_is_read_off_the_matrix() {
        let matrix = ConfusionMatrix::new(3, &[0, 0, 1, 1], &[0, 0, 0, 1]).unwrap();
        assert_eq!(matrix.accuracy(), Some(0.75));
        assert_eq!(matrix.balanced_accuracy(), Some((2.0 / 3.0 + 1.0) / 2.0));
        // F1 of class 0: 4 / (3 + 2) = 0.8; of class 1: 2 / (1 + 2).
        assert_eq!(matrix.macro_f1(), Some((0.8 + 2.0 / 3.0) / 2.0));
    }

    #[test]
    fn nothing_to_measure_is_none_and_bad_input_an_error() {
        let empty = ConfusionMatrix::new(2, &[], &[]).unwrap();
        assert_eq!(
            (empty.accuracy(), empty.balanced_accuracy(), empty.macro_f1()),
            (None, None, None)
        );
        assert!(ConfusionMatrix::new(2, &[0], &[]).is_err());
        assert!(ConfusionMatrix::new(2, &[2], &[0]).unwrap_err().to_string().contains("below 2"));
    }

    #[test]
    fn micro_weighs_decisions_and_macro_classes() {
        let mut counts = MultiLabelCounts::new(3);
        counts.add(&[0], &[0]);
        counts.add(&[0], &[0, 1]);
        counts.add(&[], &[1]);
        // Class 0: 2 hits of 2 + 2; class 1: 0 of 0 + 2; class 2 never occurs.
        assert_eq!(counts.micro_f1(), Some(4.0 / 6.0));
        assert_eq!(counts.macro_f1(), Some(0.5));
        assert_eq!(MultiLabelCounts::new(2).micro_f1(), None);
    }
}
