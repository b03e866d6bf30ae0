//! [`Classification`]: a network learning the classes of items from their rows.

use privet_graph::{DenseMatrix, Labels, NodeId};

use super::{Gathered, Network, Rows, highest};
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
    rows: Rows<'a>,
    labels: &'a Labels,
    train: &'a [NodeId],
    validation: &'a [NodeId],
    loss: SoftmaxCrossEntropy,
    weights: Option<&'a [f32]>,
    gathered: Gathered,
    batch: BatchMemory,
    logits: DenseMatrix,
    gradient: DenseMatrix,
}

/// The items of a batch, and what they should be.
struct BatchMemory {
    items: Vec<NodeId>,
    classes: Vec<u32>,
    weights: Vec<f32>,
    targets: DenseMatrix,
}

impl<'a, N: Network> Classification<'a, N> {
    /// A task for `network`.
    ///
    /// # Errors
    /// If an item to train or validate on has no row or no class, or the network has not one output
    /// per class.
    pub fn new(
        network: &'a mut N,
        rows: Rows<'a>,
        labels: &'a Labels,
        train: &'a [NodeId],
        validation: &'a [NodeId],
    ) -> Result<Self> {
        if network.outputs() != labels.class_count() {
            let expected = format!("{} (the number of classes)", labels.class_count());
            return Err(Error::invalid("outputs of the network", network.outputs(), expected));
        }
        let count = rows.rows().min(labels.len());
        for &item in train.iter().chain(validation) {
            if item as usize >= count {
                return Err(Error::invalid("item", item, format!("below {count}")));
            }
            if !labels.is_multi() && labels.class(item).is_none() {
                return Err(Error::invalid("item", format!("{item} without a class"), "one"));
            }
        }
        let empty = || DenseMatrix::zeros(0, 0);
        let (items, classes, weights) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self {
            network,
            rows,
            labels,
            train,
            validation,
            loss: SoftmaxCrossEntropy::default(),
            weights: None,
            gathered: Gathered::default(),
            batch: BatchMemory { items, classes, weights, targets: empty() },
            logits: empty(),
            gradient: empty(),
        })
    }

    /// The same with another loss, such as one that knows how labels were randomised. It has no effect
    /// where an item may have several classes.
    pub fn with_loss(mut self, loss: SoftmaxCrossEntropy) -> Self {
        self.loss = loss;
        self
    }

    /// The same with a weight for every item to train on, in their order.
    ///
    /// # Errors
    /// If there is not one per item.
    pub fn with_weights(mut self, weights: &'a [f32]) -> Result<Self> {
        if weights.len() != self.train.len() {
            let expected = format!("{} (one per item to train on)", self.train.len());
            return Err(Error::invalid("number of weights", weights.len(), expected));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// Writes what the batch should be, and computes loss and gradient.
    fn measure(&mut self, picked: &[u32]) -> f64 {
        let (labels, memory) = (self.labels, &mut self.batch);
        let weights = self.weights.map(|all| {
            memory.weights.clear();
            memory.weights.extend(picked.iter().map(|&at| all[at as usize]));
            &memory.weights[..]
        });
        if labels.is_multi() {
            memory.targets.reshape(picked.len(), labels.class_count());
            memory.targets.values_mut().fill(0.0);
            for (row, &item) in memory.items.iter().enumerate() {
                let target = memory.targets.row_mut(row);
                labels.classes(item).iter().for_each(|&class| target[class as usize] = 1.0);
            }
            let gradient = &mut self.gradient;
            return binary_cross_entropy(&self.logits, &memory.targets, weights, gradient);
        }
        memory.classes.clear();
        memory.classes.extend(memory.items.iter().filter_map(|&item| labels.class(item)));
        let targets = Targets::Classes(&memory.classes);
        self.loss.loss(&self.logits, targets, weights, &mut self.gradient)
    }
}

impl<N: Network> Trainable for Classification<'_, N> {
    fn examples(&self) -> usize {
        self.train.len()
    }

    fn train(&mut self, picked: &[u32], step: u64) -> Result<f64> {
        self.batch.items.clear();
        self.batch.items.extend(picked.iter().map(|&at| self.train[at as usize]));
        let batch = self.gathered.batch(self.rows, &self.batch.items);
        self.network.forward(batch, step, &mut self.logits);
        let loss = self.measure(picked);
        let batch = self.gathered.batch(self.rows, &self.batch.items);
        self.network.backward(batch, step, &self.gradient, None);
        Ok(loss)
    }

    fn validate(&mut self) -> Result<Option<f64>> {
        if self.validation.is_empty() {
            return Ok(None);
        }
        let scores = self.network.scores(self.rows, self.validation);
        if self.labels.is_multi() {
            let mut counts = MultiLabelCounts::new(self.labels.class_count());
            for (row, &item) in self.validation.iter().enumerate() {
                let positive = (0..).zip(scores.row(row)).filter(|&(_, &z)| z > 0.0);
                let predicted: Vec<u32> = positive.map(|(class, _)| class).collect();
                counts.add(&predicted, self.labels.classes(item));
            }
            return Ok(counts.micro_f1());
        }
        let predicted: Vec<u32> = (0..scores.rows()).map(|row| highest(scores.row(row))).collect();
        let truth: Vec<u32> =
            self.validation.iter().filter_map(|&item| self.labels.class(item)).collect();
        Ok(accuracy(&predicted, &truth))
    }

    fn parameters(&self) -> &dyn Parameters {
        self.network
    }

    fn parameters_mut(&mut self) -> &mut dyn Parameters {
        self.network
    }
}
