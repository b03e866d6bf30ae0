//! Several classes per item: F1 over all decisions (micro) or averaged over classes (macro).

use super::classes::{f1, mean};

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
