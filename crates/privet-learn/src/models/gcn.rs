//! [`Gcn`]: the graph convolutional network (Kipf and Welling, 2017), which classifies the nodes of one
//! graph; HeteroRR averages over neighbours with it.
//!
//! ```text
//! H(l+1) = dropout(relu(P H(l) W(l) + 1 b(l)')),   scores = P H W + 1 b'
//! ```
//! P averages over a node and its neighbours, or is the symmetric `D^-1/2 (A + I) D^-1/2`. Rows become
//! narrower with every layer here, so they are multiplied by W first and summed over neighbours then.

mod input;
mod task;

use std::path::Path;

use privet_graph::memory::ask_layers;
use privet_graph::{DenseMatrix, Graph, SimRng};
use serde::{Deserialize, Serialize};

pub use input::GcnInput;
pub use task::NodeClassification;

use super::mlp::COPIES;
use super::{ItemRows, file, likeliest};
use crate::kernels::{Write, product_left_transposed};
use crate::layers::{Dropout, Initialization, Linear, relu};
use crate::parameters::{Parameter, Parameters};
use crate::{Error, Result};
use input::Activation;

const KIND: &str = "gcn";

/// How a node sums over itself and its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GcnAggregation {
    /// `D^-1 (A + I)`.
    Mean,
    /// `D^-1/2 (A + I) D^-1/2`.
    Symmetric,
}

/// The shape of a [`Gcn`], and the seed of its first weights and of dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GcnConfig {
    /// Features per node.
    pub inputs: usize,
    /// Widths of the hidden layers; none makes a single convolution.
    pub hidden: Vec<usize>,
    /// Number of classes.
    pub outputs: usize,
    /// How a node sums over itself and its neighbours.
    pub aggregation: GcnAggregation,
    /// Share of hidden activations dropped in training.
    pub dropout: f32,
    /// Decides the first weights and what dropout drops.
    pub seed: u64,
}

impl GcnConfig {
    /// One hidden layer of 16, half of it dropped, symmetric: the authors' setting for Cora.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        let aggregation = GcnAggregation::Symmetric;
        Self { inputs, hidden: vec![16], outputs, aggregation, dropout: 0.5, seed: 0 }
    }

    fn widths(&self) -> Vec<usize> {
        let ends = ([self.inputs], [self.outputs]);
        ends.0.into_iter().chain(self.hidden.iter().copied()).chain(ends.1).collect()
    }

    /// Checks the shape, and that it has at most so many weights.
    fn check(&self, most: usize) -> Result<()> {
        let widths = self.widths();
        if let Some(width) = widths.iter().find(|&&width| width == 0) {
            return Err(Error::invalid("width of a layer", width, "at least 1"));
        }
        let weights = widths.windows(2).try_fold(0_usize, |sum, pair| {
            // Checked products: widths come from files, and a huge one must be an error and not an
            // overflow.
            sum.checked_add(pair[0].checked_mul(pair[1])?).filter(|&sum| sum <= most)
        });
        match weights {
            Some(_) => Ok(()),
            None => {
                let expected = format!("at most {most} weights");
                Err(Error::invalid("layers", format!("{widths:?}"), expected))
            }
        }
    }
}

/// A graph convolutional network.
///
/// ```
/// use privet_graph::{DenseMatrix, Direction, GraphBuilder};
/// use privet_learn::models::gcn::{Gcn, GcnConfig};
/// let (path, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2)]).build()?;
/// let rows = DenseMatrix::new(3, 2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0])?;
/// let gcn = Gcn::new(GcnConfig::new(2, 4))?;
/// let scores = gcn.scores(&gcn.input(&path, (&rows).into())?)?;
/// assert_eq!((scores.rows(), scores.columns()), (3, 4));
/// // The two ends of the path look alike, up to the order of summation.
/// assert!((scores.row(0)[0] - scores.row(2)[0]).abs() < 1e-6);
/// # Ok::<(), privet_learn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gcn {
    config: GcnConfig,
    layers: Vec<Linear>,
    dropouts: Vec<Dropout>,
    /// The outputs of the hidden layers.
    activations: Vec<DenseMatrix>,
    /// Memory that is used again: rows before they are summed over neighbours, and gradients.
    multiplied: DenseMatrix,
    gradient: DenseMatrix,
    summed_gradient: DenseMatrix,
}

impl Gcn {
    /// A network with random weights.
    ///
    /// # Errors
    /// If a layer has no width, or the dropout rate is not in [0, 1).
    pub fn new(config: GcnConfig) -> Result<Self> {
        Self::with_at_most(config, usize::MAX)
    }

    fn with_at_most(config: GcnConfig, most: usize) -> Result<Self> {
        config.check(most)?;
        // Memory is asked for before any layer is allocated, with the copies that an optimizer
        // keeps.
        ask_layers(config.inputs, &config.hidden, config.outputs, COPIES)?;
        let mut rng = SimRng::new(config.seed);
        let layer = |(index, pair): (usize, &[usize])| {
            let start = Initialization::Glorot;
            Linear::new(&format!("layers.{index}"), pair[0], pair[1], start, &mut rng)
        };
        let layers = config.widths().windows(2).enumerate().map(layer).collect();
        // Each layer drops by its own seed.
        let dropout = |index: usize| {
            let seed = config.seed.wrapping_add((index as u64 + 1) << 32);
            Dropout::new(config.dropout, seed)
        };
        let dropouts = (0..config.hidden.len()).map(dropout).collect::<Result<_>>()?;
        let empty = || DenseMatrix::zeros(0, 0);
        Ok(Self {
            layers,
            dropouts,
            activations: vec![empty(); config.hidden.len()],
            multiplied: empty(),
            gradient: empty(),
            summed_gradient: empty(),
            config,
        })
    }

    /// Its shape.
    pub fn config(&self) -> &GcnConfig {
        &self.config
    }

    /// A graph and the features of its nodes, made ready for this network.
    ///
    /// # Errors
    /// If there is not one row per node, or rows do not have the length that the network takes.
    pub fn input<'a>(&self, graph: &'a Graph, rows: ItemRows<'a>) -> Result<GcnInput<'a>> {
        GcnInput::new(graph, rows, self.config.aggregation, self.config.inputs)
    }

    /// The same where arcs count more or less: one weight for each, in the order of [`Graph::targets`]. Self-loops are arcs like
    /// others; a degree is the sum of a row's weights.
    ///
    /// ```
    /// use privet_graph::{DenseMatrix, Direction, GraphBuilder};
    /// use privet_learn::models::gcn::{Gcn, GcnAggregation, GcnConfig};
    /// let (pair, _) = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build()?;
    /// let rows = DenseMatrix::new(2, 1, vec![1.0, 3.0])?;
    /// let gcn = Gcn::new(GcnConfig { aggregation: GcnAggregation::Symmetric, ..GcnConfig::new(1, 2) })?;
    /// let input = gcn.weighted_input(&pair, &[0.5, 0.5], (&rows).into())?;
    /// assert_eq!(gcn.scores(&input)?.rows(), 2);
    /// # Ok::<(), privet_learn::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Gcn::input`]; or if the network averages, the graph is directed, or there is not one weight of at least 0 for every
    /// arc.
    pub fn weighted_input<'a>(
        &self,
        graph: &'a Graph,
        weights: &[f32],
        rows: ItemRows<'a>,
    ) -> Result<GcnInput<'a>> {
        GcnInput::weighted(graph, weights, rows, self.config.aggregation, self.config.inputs)
    }

    /// Training: computes the scores of all nodes, and keeps what backward needs.
    pub(super) fn forward(&mut self, input: &GcnInput<'_>, step: u64, scores: &mut DenseMatrix) {
        let last = self.layers.len() - 1;
        for (index, layer) in self.layers.iter().enumerate() {
            let (before, after) = self.activations.split_at_mut(index);
            // The last layer writes into the scores, every other one into its own activation, which
            // backward needs.
            let out = after.first_mut().unwrap_or(scores);
            // X W first: W narrows the rows, and neighbours are summed at the narrower width.
            input.multiply(before.last(), layer, &mut self.multiplied);
            let activation = if index < last { Activation::Rectifier } else { Activation::None };
            input.sum(&self.multiplied, layer, activation, out);
            if index < last {
                self.dropouts[index].forward(step, out);
            }
        }
    }

    /// Adds to the gradients, given that by the scores of the last forward pass.
    pub(super) fn backward(&mut self, input: &GcnInput<'_>, step: u64, by_scores: &DenseMatrix) {
        let last = self.layers.len() - 1;
        for index in (0..=last).rev() {
            let by_output = if index == last { by_scores } else { &self.gradient };
            self.layers[index].backward_bias(by_output);
            // out = S (X W) + b: the gradient goes back through S first, then X^T gives that of W.
            input.sum_back(by_output, &mut self.summed_gradient);
            // The features themselves need no gradient: the first layer ends the recursion.
            let Some(below) = index.checked_sub(1) else {
                return input.backward(&mut self.layers[0], &self.summed_gradient);
            };
            let (rows, gradient) = (&self.activations[below], &mut self.gradient);
            let by_weight = &mut self.layers[index].weight.gradient;
            product_left_transposed(rows, &self.summed_gradient, Write::Add, by_weight);
            self.layers[index].backward_input(&self.summed_gradient, gradient);
            self.dropouts[below].backward(step, gradient);
            // Dropout scales what passed and zeroes the rest, so the rectifier may look at its
            // output: both zero the same entries.
            relu::backward(rows, gradient);
        }
    }

    /// The scores of all nodes.
    ///
    /// # Errors
    /// If the input was made for a network with other features or another aggregation.
    pub fn scores(&self, input: &GcnInput<'_>) -> Result<DenseMatrix> {
        self.check_input(input)?;
        let (mut rows, mut multiplied) = (None, DenseMatrix::zeros(0, 0));
        for (index, layer) in self.layers.iter().enumerate() {
            let mut out = DenseMatrix::zeros(0, 0);
            input.multiply(rows.as_ref(), layer, &mut multiplied);
            let hidden = index + 1 < self.layers.len();
            let activation = if hidden { Activation::Rectifier } else { Activation::None };
            input.sum(&multiplied, layer, activation, &mut out);
            rows = Some(out);
        }
        Ok(rows.unwrap_or_else(|| DenseMatrix::zeros(0, 0)))
    }

    /// The class with the highest score, for every node.
    ///
    /// # Errors
    /// As [`Gcn::scores`].
    pub fn predict(&self, input: &GcnInput<'_>) -> Result<Vec<u32>> {
        Ok(likeliest(&self.scores(input)?))
    }

    pub(super) fn check_input(&self, input: &GcnInput<'_>) -> Result<()> {
        let expected = (self.config.aggregation, self.config.inputs);
        match (input.aggregation(), input.columns()) == expected {
            true => Ok(()),
            false => {
                let described = |(how, columns): (GcnAggregation, usize)| {
                    format!("{how:?} over {columns} features")
                };
                let found = described((input.aggregation(), input.columns()));
                Err(Error::invalid("graph input", found, described(expected)))
            }
        }
    }

    /// Writes shape and weights to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(path, KIND, &self.config, self)
    }

    /// Reads what [`Gcn::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not that of a GCN.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path, KIND, Self::with_at_most)
    }
}

impl Parameters for Gcn {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.layers.iter().for_each(|layer| layer.visit(visitor));
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.layers.iter_mut().for_each(|layer| layer.visit_mut(visitor));
    }
}

#[cfg(test)]
mod tests {
    //! The network against an independent program, finite differences, and itself in other circumstances.

    use privet_data::synthetic::StochasticBlocks;
    use privet_graph::{Direction, Labels, SparseBuilder};

    use super::*;
    use crate::finite_differences::{assert_model_gradient, filled, weighted_sum};
    use crate::models::vectors::{assert_near, entry, set_by_formula, vectors};
    use crate::train::{Fit, FitConfig};

    fn small(aggregation: GcnAggregation) -> GcnConfig {
        GcnConfig { hidden: vec![5, 3], aggregation, ..GcnConfig::new(4, 2) }
    }

    #[test]
    fn scores_match_an_independent_program_with_dense_and_with_sparse_rows() {
        let vectors = vectors();
        let dense = DenseMatrix::new(6, 4, (0..24).map(|at| entry(99, at)).collect()).unwrap();
        let mut sparse = SparseBuilder::new(4);
        for row in 0..6 {
            let mut entries: Vec<_> = (0..).zip(dense.row(row).iter().copied()).collect();
            sparse.push_row(&mut entries).unwrap();
        }
        let sparse = sparse.finish();
        for vector in &vectors.gcn {
            let graph = vectors.graph(2, vector.directed);
            let mut gcn = Gcn::new(small(vector.aggregation)).unwrap();
            set_by_formula(&mut gcn);
            for rows in [ItemRows::Dense(&dense), ItemRows::Sparse(&sparse)] {
                let input = gcn.input(&graph, rows).unwrap();
                assert_near(&gcn.scores(&input).unwrap(), &vector.scores);
            }
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        let dense = filled(6, 4, 1);
        for (directed, aggregation) in [
            (false, GcnAggregation::Mean),
            (true, GcnAggregation::Mean),
            (true, GcnAggregation::Symmetric),
        ] {
            let graph = vectors().graph(2, directed);
            let mut gcn = Gcn::new(GcnConfig { dropout: 0.3, ..small(aggregation) }).unwrap();
            set_by_formula(&mut gcn);
            let start = gcn.clone();
            let input = gcn.input(&graph, (&dense).into()).unwrap();
            let weights = filled(6, 2, 7);
            gcn.forward(&input, 5, &mut DenseMatrix::zeros(0, 0));
            gcn.backward(&input, 5, &weights);
            assert_model_gradient(&start, &gcn, |mut changed| {
                let mut scores = DenseMatrix::zeros(0, 0);
                changed.forward(&input, 5, &mut scores);
                weighted_sum(&scores, &weights)
            });
        }
    }

    fn blocks() -> privet_graph::Dataset {
        let config = StochasticBlocks {
            nodes: 3000,
            classes: 3,
            mean_degree: 6.0,
            homophily: 0.8,
            features: 30,
            ..StochasticBlocks::default()
        };
        config.generate(1).unwrap()
    }

    #[test]
    fn it_learns_blocks_with_the_same_bytes_on_any_number_of_threads() {
        let data = blocks();
        let (labels, rows) =
            (data.labels().unwrap(), ItemRows::from(data.features().unwrap().matrix()));
        let (train, rest): (Vec<u32>, Vec<u32>) = (0..3000).partition(|node| node % 10 == 0);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut gcn = Gcn::new(GcnConfig::new(rows.columns(), 3)).unwrap();
            let input = gcn.input(data.graph(), rows).unwrap();
            let mut task =
                NodeClassification::new(&mut gcn, &input, labels, &train, &rest).unwrap();
            let config = FitConfig { epochs: 30, ..FitConfig::default() };
            let report = pool.install(|| Fit::new(config).run(&mut task)).unwrap();
            (report.best_metric, gcn.snapshot())
        };
        let one = on(1);
        assert!(one.0.unwrap() > 0.7, "{:?}", one.0);
        assert_eq!(one, on(2));
        assert_eq!(one, on(3));
    }

    /// Two labels per node, which are the two coordinates of its features.
    #[test]
    fn it_learns_several_labels_per_node() {
        let graph = Graph::empty(40, Direction::Undirected).unwrap();
        let rows = filled(40, 2, 5);
        let positive = |row: usize| (0..2).filter(|&c| rows.row(row)[c as usize] > 0.0).collect();
        let names = vec!["first".to_owned(), "second".to_owned()];
        let labels = Labels::multi((0..40).map(positive).collect(), names).unwrap();
        let mut gcn = Gcn::new(GcnConfig { hidden: vec![], ..GcnConfig::new(2, 2) }).unwrap();
        let input = gcn.input(&graph, (&rows).into()).unwrap();
        let (train, rest): (Vec<u32>, Vec<u32>) = (0..40).partition(|node| node % 2 == 0);
        let mut task = NodeClassification::new(&mut gcn, &input, &labels, &train, &rest).unwrap();
        let fit = Fit::new(FitConfig { epochs: 100, learning_rate: 0.1, ..FitConfig::default() });
        let report = fit.run(&mut task).unwrap();
        assert!(report.best_metric.unwrap() > 0.9, "{:?}", report.best_metric);
    }

    #[test]
    fn it_comes_back_from_a_file_and_refuses_what_does_not_fit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gcn.safetensors");
        let gcn = Gcn::new(small(GcnAggregation::Mean)).unwrap();
        gcn.save(&path).unwrap();
        let loaded = Gcn::load(&path).unwrap();
        assert_eq!((loaded.config(), loaded.snapshot()), (gcn.config(), gcn.snapshot()));
        assert!(crate::models::Gin::load(&path).is_err());
        let (graph, rows) = (vectors().graph(2, false), filled(6, 3, 1));
        let error = gcn.input(&graph, (&rows).into()).unwrap_err().to_string();
        assert_eq!(error, "features: found 6 x 3, expected 6 x 4");
        let rows = filled(6, 4, 1);
        let other = Gcn::new(small(GcnAggregation::Symmetric)).unwrap();
        let input = other.input(&graph, (&rows).into()).unwrap();
        assert!(gcn.scores(&input).is_err());
    }
}
