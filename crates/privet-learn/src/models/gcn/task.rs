//! [`NodeClassification`]: a GCN learning the classes of nodes. All nodes are computed in every step;
//! those picked are what the loss sees.

use privet_graph::{DenseMatrix, Labels, NodeId};

use super::{Gcn, GcnInput};
use crate::Result;
use crate::losses::SoftmaxCrossEntropy;
use crate::models::classification::LabelledItems;
use crate::parameters::Parameters;
use crate::train::Trainable;

/// What to learn from: a graph, and the labels of nodes that train and of nodes that validate.
/// Validation measures accuracy, or micro-F1 where a node may have several classes.
///
/// ```
/// use privet_data::synthetic::karate_club;
/// use privet_graph::DenseMatrix;
/// use privet_learn::models::gcn::{Gcn, GcnConfig, NodeClassification};
/// use privet_learn::train::{Fit, FitConfig};
/// let club = karate_club()?;
/// let Some(labels) = club.labels() else { return Ok(()) };
/// let mut rows = DenseMatrix::zeros(34, 34); // no features: each node has its own column
/// (0..34).for_each(|node| rows.row_mut(node)[node] = 1.0);
/// let mut gcn = Gcn::new(GcnConfig::new(34, labels.class_count()))?;
/// let input = gcn.input(club.graph(), (&rows).into())?;
/// let mut task = NodeClassification::new(&mut gcn, &input, labels, &[0, 33], &[])?;
/// Fit::new(FitConfig { epochs: 50, ..FitConfig::default() }).run(&mut task)?;
/// let found = gcn.predict(&input)?;
/// let right = (0..34).filter(|&node| labels.class(node) == Some(found[node as usize])).count();
/// assert!(right >= 30);
/// # Ok::<(), privet_learn::Error>(())
/// ```
pub struct NodeClassification<'a> {
    gcn: &'a mut Gcn,
    input: &'a GcnInput<'a>,
    labelled: LabelledItems<'a>,
    train: &'a [NodeId],
    validation: &'a [NodeId],
    picked: Vec<NodeId>,
    scores: DenseMatrix,
    picked_scores: DenseMatrix,
    picked_gradient: DenseMatrix,
    gradient: DenseMatrix,
}

impl<'a> NodeClassification<'a> {
    /// A task for `gcn`.
    ///
    /// # Errors
    /// If the input does not fit the network, a node to train or validate on does not exist or has no
    /// class, or the network has not one output per class.
    pub fn new(
        gcn: &'a mut Gcn,
        input: &'a GcnInput<'a>,
        labels: &'a Labels,
        train: &'a [NodeId],
        validation: &'a [NodeId],
    ) -> Result<Self> {
        gcn.check_input(input)?;
        let labelled = LabelledItems::new(labels, gcn.config().outputs)?;
        if labels.len() != input.nodes() {
            let expected = format!("{} (one per node)", input.nodes());
            return Err(crate::Error::invalid("number of labels", labels.len(), expected));
        }
        labelled.check(train)?;
        labelled.check(validation)?;
        let empty = || DenseMatrix::zeros(0, 0);
        Ok(Self {
            gcn,
            input,
            labelled,
            train,
            validation,
            picked: Vec::new(),
            scores: empty(),
            picked_scores: empty(),
            picked_gradient: empty(),
            gradient: empty(),
        })
    }

    /// The same with another loss, such as one that knows how labels were randomised. It has no effect
    /// where a node may have several classes.
    pub fn with_loss(mut self, loss: SoftmaxCrossEntropy) -> Self {
        self.labelled = self.labelled.with_loss(loss);
        self
    }
}

fn gather(rows: &DenseMatrix, picked: &[NodeId], out: &mut DenseMatrix) {
    out.reshape(picked.len(), rows.columns());
    for (at, &node) in picked.iter().enumerate() {
        out.row_mut(at).copy_from_slice(rows.row(node as usize));
    }
}

impl Trainable for NodeClassification<'_> {
    fn examples(&self) -> usize {
        self.train.len()
    }

    fn train(&mut self, picked: &[u32], step: u64) -> Result<f64> {
        self.picked.clear();
        self.picked.extend(picked.iter().map(|&at| self.train[at as usize]));
        // All nodes go through the network: a picked node's score depends on its neighbours.
        self.gcn.forward(self.input, step, &mut self.scores);
        gather(&self.scores, &self.picked, &mut self.picked_scores);
        let gradient = &mut self.picked_gradient;
        let loss = self.labelled.loss(&self.picked, &self.picked_scores, gradient);
        self.gradient.reshape(self.scores.rows(), self.scores.columns());
        // Nodes outside the batch have no loss of their own, so their gradient is 0.
        self.gradient.values_mut().fill(0.0);
        for (at, &node) in self.picked.iter().enumerate() {
            let row = self.gradient.row_mut(node as usize);
            // Added, not written: a node may be picked twice in a batch.
            row.iter_mut().zip(self.picked_gradient.row(at)).for_each(|(sum, g)| *sum += g);
        }
        self.gcn.backward(self.input, step, &self.gradient);
        Ok(loss)
    }

    fn validate(&mut self) -> Result<Option<f64>> {
        if self.validation.is_empty() {
            return Ok(None);
        }
        let scores = self.gcn.scores(self.input)?;
        gather(&scores, self.validation, &mut self.picked_scores);
        Ok(self.labelled.metric(self.validation, &self.picked_scores))
    }

    fn parameters(&self) -> &dyn Parameters {
        self.gcn
    }

    fn parameters_mut(&mut self) -> &mut dyn Parameters {
        self.gcn
    }
}
