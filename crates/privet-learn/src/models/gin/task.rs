//! [`GraphClassification`]: a GIN learning the classes of graphs.

use privet_graph::{DenseMatrix, Labels, SimRng};
use rand::seq::SliceRandom;

use super::{Gin, GraphBatch, GraphInputs};
use crate::Result;
use crate::losses::SoftmaxCrossEntropy;
use crate::models::classification::LabelledItems;
use crate::parameters::Parameters;
use crate::train::Trainable;

/// As many training graphs, at most, are gone through after every epoch for the averages that evaluation
/// normalises by.
const CALIBRATED: usize = 512;

/// What to learn from: graphs and their labels, some of which train and some validate.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder, GraphSet, Labels};
/// use privet_learn::models::gin::{Gin, GinConfig, GraphClassification, GraphInputs, NodeFeatures};
/// use privet_learn::train::{BatchSize, Fit, FitConfig};
/// // Rings and paths of 3 to 10 nodes.
/// let graph = |size: u32, closed: bool| {
///     let edges = (0..size - u32::from(!closed)).map(|u| (u, (u + 1) % size));
///     Ok::<_, privet_graph::Error>(
///         GraphBuilder::new(size as usize, Direction::Undirected).edges(edges).build()?.0,
///     )
/// };
/// let graphs = (0..16).map(|at| graph(3 + at / 2, at % 2 == 0)).collect::<Result<_, _>>()?;
/// let set = GraphSet::new("rings and paths", graphs);
/// let labels = Labels::from_integers(&(0..16).map(|at| Some(at % 2)).collect::<Vec<_>>())?;
/// let config = GinConfig { hidden: 8, rounds: 2, dropout: 0.0, ..GinConfig::new(1, 2) };
/// let inputs = GraphInputs::new(&set, NodeFeatures::Constant, config.rounds)?;
/// let mut gin = Gin::new(config)?;
/// let train: Vec<u32> = (0..16).collect();
/// let mut task = GraphClassification::new(&mut gin, &inputs, &labels, &train, &[])?;
/// let batch = BatchSize::Examples(8);
/// Fit::new(FitConfig { epochs: 40, batch, ..FitConfig::default() }).run(&mut task)?;
/// let found = gin.predict(&inputs, &train)?;
/// assert!(found.iter().zip(0..).filter(|&(class, at)| *class == at % 2).count() >= 14);
/// # Ok::<(), privet_learn::Error>(())
/// ```
pub struct GraphClassification<'a> {
    gin: &'a mut Gin,
    inputs: &'a GraphInputs,
    labelled: LabelledItems<'a>,
    train: &'a [u32],
    validation: &'a [u32],
    /// Training graphs that averages for evaluation are taken over.
    calibration: Vec<u32>,
    picked: Vec<u32>,
    batch: GraphBatch,
    scores: DenseMatrix,
    gradient: DenseMatrix,
}

impl<'a> GraphClassification<'a> {
    /// A task for `gin`.
    ///
    /// # Errors
    /// If the inputs do not fit the network, a graph to train or validate on does not exist or has no
    /// class, or the network has not one output per class.
    pub fn new(
        gin: &'a mut Gin,
        inputs: &'a GraphInputs,
        labels: &'a Labels,
        train: &'a [u32],
        validation: &'a [u32],
    ) -> Result<Self> {
        gin.check_inputs(inputs, train)?;
        gin.check_inputs(inputs, validation)?;
        let labelled = LabelledItems::new(labels, gin.config().outputs)?;
        labelled.check(train)?;
        labelled.check(validation)?;
        Ok(Self {
            gin,
            inputs,
            labelled,
            train,
            validation,
            calibration: sample(train),
            picked: Vec::new(),
            batch: GraphBatch::default(),
            scores: DenseMatrix::zeros(0, 0),
            gradient: DenseMatrix::zeros(0, 0),
        })
    }

    /// The network as it is so far.
    pub fn network(&self) -> &Gin {
        self.gin
    }

    /// The same with another loss, such as one that knows how labels were randomised.
    pub fn with_loss(mut self, loss: SoftmaxCrossEntropy) -> Self {
        self.labelled = self.labelled.with_loss(loss);
        self
    }
}

/// Some graphs in random order: files list them by class, and a batch should hold all classes.
fn sample(graphs: &[u32]) -> Vec<u32> {
    let mut sample = graphs.to_vec();
    sample.shuffle(&mut SimRng::new(0));
    sample.truncate(CALIBRATED);
    sample
}

impl Trainable for GraphClassification<'_> {
    fn examples(&self) -> usize {
        self.train.len()
    }

    fn train(&mut self, picked: &[u32], step: u64) -> Result<f64> {
        self.picked.clear();
        self.picked.extend(picked.iter().map(|&at| self.train[at as usize]));
        self.batch.fill(self.inputs, &self.picked, self.gin.config().readout);
        self.gin.forward(&self.batch, step, &mut self.scores);
        let loss = self.labelled.loss(&self.picked, &self.scores, &mut self.gradient);
        self.gin.backward(&self.batch, step, &self.gradient);
        Ok(loss)
    }

    fn validate(&mut self) -> Result<Option<f64>> {
        // Every epoch, for the fit may end with this one.
        self.gin.recalibrate(self.inputs, &self.calibration)?;
        if self.validation.is_empty() {
            return Ok(None);
        }
        let scores = self.gin.scores(self.inputs, self.validation)?;
        Ok(self.labelled.metric(self.validation, &scores))
    }

    fn parameters(&self) -> &dyn Parameters {
        self.gin
    }

    fn parameters_mut(&mut self) -> &mut dyn Parameters {
        self.gin
    }
}
