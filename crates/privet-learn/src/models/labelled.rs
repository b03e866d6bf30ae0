//! [`LabelledItems`]: what the scores of nodes or graphs should be, and how far off they are.

use privet_graph::{DenseMatrix, Labels};

use super::likeliest;
use crate::losses::{SoftmaxCrossEntropy, Targets, binary_cross_entropy};
use crate::metrics::{MultiLabelCounts, accuracy};
use crate::{Error, Result};

/// The labels of items: one class each (softmax, accuracy) or several (sigmoid, micro-F1).
pub(super) struct LabelledItems<'a> {
    labels: &'a Labels,
    loss: SoftmaxCrossEntropy,
    classes: Vec<u32>,
    targets: DenseMatrix,
}

impl<'a> LabelledItems<'a> {
    /// Labels for a model with as many outputs as there are classes.
    pub fn new(labels: &'a Labels, outputs: usize) -> Result<Self> {
        if outputs != labels.class_count() {
            let expected = format!("{} (the number of classes)", labels.class_count());
            return Err(Error::invalid("outputs of the model", outputs, expected));
        }
        let (loss, targets) = (SoftmaxCrossEntropy::default(), DenseMatrix::zeros(0, 0));
        Ok(Self { labels, loss, classes: Vec::new(), targets })
    }

    /// The same with another loss; it has no effect where an item may have several classes.
    pub fn with_loss(mut self, loss: SoftmaxCrossEntropy) -> Self {
        self.loss = loss;
        self
    }

    /// Checks that items exist and have a class.
    pub fn check(&self, items: &[u32]) -> Result<()> {
        for &item in items {
            if item as usize >= self.labels.len() {
                return Err(Error::invalid("item", item, format!("below {}", self.labels.len())));
            }
            if !self.labels.is_multi() && self.labels.class(item).is_none() {
                return Err(Error::invalid("item", format!("{item} without a class"), "one"));
            }
        }
        Ok(())
    }

    /// The mean loss of items, given their scores and how much each counts; writes the gradient by the
    /// scores.
    pub fn loss(
        &mut self,
        items: &[u32],
        weights: Option<&[f32]>,
        scores: &DenseMatrix,
        gradient: &mut DenseMatrix,
    ) -> f64 {
        if self.labels.is_multi() {
            self.targets.reshape(items.len(), self.labels.class_count());
            self.targets.values_mut().fill(0.0);
            for (row, &item) in items.iter().enumerate() {
                let target = self.targets.row_mut(row);
                self.labels.classes(item).iter().for_each(|&class| target[class as usize] = 1.0);
            }
            return binary_cross_entropy(scores, &self.targets, weights, gradient);
        }
        self.classes.clear();
        self.classes.extend(items.iter().filter_map(|&item| self.labels.class(item)));
        self.loss.loss(scores, Targets::Classes(&self.classes), weights, gradient)
    }

    /// Accuracy, or micro-F1 where an item may have several classes.
    pub fn metric(&self, items: &[u32], scores: &DenseMatrix) -> Option<f64> {
        if self.labels.is_multi() {
            let mut counts = MultiLabelCounts::new(self.labels.class_count());
            for (row, &item) in items.iter().enumerate() {
                let positive = (0..).zip(scores.row(row)).filter(|&(_, &score)| score > 0.0);
                let predicted: Vec<u32> = positive.map(|(class, _)| class).collect();
                counts.add(&predicted, self.labels.classes(item));
            }
            return counts.micro_f1();
        }
        let predicted = likeliest(scores);
        let truth: Vec<u32> = items.iter().filter_map(|&item| self.labels.class(item)).collect();
        accuracy(&predicted, &truth)
    }
}
