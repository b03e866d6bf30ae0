//! [`Classification`]: a network learning the classes of items from their rows.

use privet_graph::{DenseMatrix, Labels, NodeId};

use super::{GatherBuffer, ItemRows, Network, likeliest};
use crate::losses::{SoftmaxCrossEntropy, Targets, binary_cross_entropy};
use crate::metrics::{MultiLabelCounts, accuracy};
use crate::parameters::Parameters;
use crate::train::Trainable;
use crate::{Error, Result};

/// What to learn from: rows and labels of items, some of which train and some validate. Validation
/// measures accuracy, or micro-F1 where an item may have several classes.
///
/// ```
/// use privet_graph::{DenseMatrix, Labels};
/// use privet_learn::models::{Classification, Logistic, Network};
/// use privet_learn::train::{Fit, FitConfig};
/// let rows = DenseMatrix::new(4, 1, vec![-1.0, -2.0, 1.0, 2.0])?;
/// let labels = Labels::from_names(&["low", "low", "high", "high"])?;
/// let mut model = Logistic::new(1, 2)?;
/// let mut task = Classification::new(&mut model, (&rows).into(), &labels, &[0, 1, 2, 3], &[])?;
/// Fit::new(FitConfig { epochs: 20, ..FitConfig::default() }).run(&mut task)?;
/// assert_eq!(model.predict((&rows).into(), &[0, 3]), [1, 0]); // classes are numbered by name
/// # Ok::<(), privet_learn::Error>(())
/// ```
pub struct Classification<'a, N> {
    network: &'a mut N,
    rows: ItemRows<'a>,
    labelled: LabelledItems<'a>,
    train: &'a [NodeId],
    validation: &'a [NodeId],
    gathered: GatherBuffer,
    items: Vec<NodeId>,
    scores: DenseMatrix,
    gradient: DenseMatrix,
}

impl<'a, N: Network> Classification<'a, N> {
    /// A task for `network`.
    ///
    /// # Errors
    /// If an item to train or validate on has no row or no class, or the network has not one output
    /// per class.
    pub fn new(
        network: &'a mut N,
        rows: ItemRows<'a>,
        labels: &'a Labels,
        train: &'a [NodeId],
        validation: &'a [NodeId],
    ) -> Result<Self> {
        let labelled = LabelledItems::new(labels, network.outputs())?;
        for items in [train, validation] {
            labelled.check(items)?;
            if let Some(&item) = items.iter().find(|&&item| item as usize >= rows.rows()) {
                return Err(Error::invalid("item", item, format!("below {} (rows)", rows.rows())));
            }
        }
        Ok(Self {
            network,
            rows,
            labelled,
            train,
            validation,
            gathered: GatherBuffer::default(),
            items: Vec::new(),
            scores: DenseMatrix::zeros(0, 0),
            gradient: DenseMatrix::zeros(0, 0),
        })
    }

    /// The same with another loss, such as one that knows how labels were randomised. It has no effect
    /// where an item may have several classes.
    pub fn with_loss(mut self, loss: SoftmaxCrossEntropy) -> Self {
        self.labelled = self.labelled.with_loss(loss);
        self
    }
}

impl<N: Network> Trainable for Classification<'_, N> {
    fn examples(&self) -> usize {
        self.train.len()
    }

    fn train(&mut self, picked: &[u32], step: u64) -> Result<f64> {
        self.items.clear();
        self.items.extend(picked.iter().map(|&at| self.train[at as usize]));
        let batch = self.gathered.batch(self.rows, &self.items);
        self.network.forward(batch, step, &mut self.scores);
        let loss = self.labelled.loss(&self.items, &self.scores, &mut self.gradient);
        // The network needs the rows a second time: W's gradient is X^T G.
        let batch = self.gathered.batch(self.rows, &self.items);
        self.network.backward(batch, step, &self.gradient, None);
        Ok(loss)
    }

    fn validate(&mut self) -> Result<Option<f64>> {
        if self.validation.is_empty() {
            return Ok(None);
        }
        let scores = self.network.scores(self.rows, self.validation);
        Ok(self.labelled.metric(self.validation, &scores))
    }

    fn parameters(&self) -> &dyn Parameters {
        self.network
    }

    fn parameters_mut(&mut self) -> &mut dyn Parameters {
        self.network
    }
}

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
    pub fn loss(&mut self, items: &[u32], scores: &DenseMatrix, gradient: &mut DenseMatrix) -> f64 {
        if self.labels.is_multi() {
            self.targets.reshape(items.len(), self.labels.class_count());
            self.targets.values_mut().fill(0.0);
            for (row, &item) in items.iter().enumerate() {
                let target = self.targets.row_mut(row);
                self.labels.classes(item).iter().for_each(|&class| target[class as usize] = 1.0);
            }
            return binary_cross_entropy(scores, &self.targets, None, gradient);
        }
        self.classes.clear();
        self.classes.extend(items.iter().filter_map(|&item| self.labels.class(item)));
        self.loss.loss(scores, Targets::Classes(&self.classes), None, gradient)
    }

    /// Accuracy, or micro-F1 where an item may have several classes.
    pub fn metric(&self, items: &[u32], scores: &DenseMatrix) -> Option<f64> {
        if self.labels.is_multi() {
            let mut counts = MultiLabelCounts::new(self.labels.class_count());
            for (row, &item) in items.iter().enumerate() {
                // A score above 0 is a probability above one half.
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
