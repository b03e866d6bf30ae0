//! [`Mlp`]: a multilayer perceptron of any depth, on dense or sparse rows.
//!
//! Each hidden layer is linear, then the rectifier, and dropout; the last layer is linear. LDP-GE (eq. 35) classifies embeddings with it.

use std::path::Path;

use privet_graph::memory::ask_layers;
use privet_graph::{DenseMatrix, SimRng};
use serde::{Deserialize, Serialize};

use super::{ModelBatch, Network, file};
use crate::layers::{Dropout, Initialization, Linear, relu};
use crate::parameters::{Parameter, Parameters};
use crate::{Error, Result};

const KIND: &str = "mlp";

/// The shape of an [`Mlp`], and the seed of its first weights and of dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MlpConfig {
    /// Length of a row.
    pub inputs: usize,
    /// Widths of the hidden layers; none makes a linear model.
    pub hidden: Vec<usize>,
    /// Number of scores.
    pub outputs: usize,
    /// Share of hidden activations dropped in training.
    pub dropout: f32,
    /// Decides the first weights and what dropout drops.
    pub seed: u64,
}

impl MlpConfig {
    /// One hidden layer of 64, half of it dropped: a usual start for citation graphs.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        Self { inputs, hidden: vec![64], outputs, dropout: 0.5, seed: 0 }
    }

    /// Checks the shape, and that it has at most `most` weights: a file names these numbers too, and
    /// nothing may be allocated by them unchecked.
    fn check(&self, most: usize) -> Result<()> {
        let shape: Vec<usize> = self.widths().collect();
        let weights = shape.windows(2).try_fold(0_usize, |sum, pair| {
            sum.checked_add(pair[0].checked_mul(pair[1])?).filter(|&sum| sum <= most)
        });
        match weights {
            Some(_) => Ok(()),
            None => Err(Error::invalid(
                "layers",
                format!("{shape:?}"),
                format!("at most {most} weights"),
            )),
        }
    }

    fn check_widths(&self) -> Result<()> {
        match self.widths().find(|&width| width == 0) {
            Some(width) => Err(Error::invalid("width of a layer", width, "at least 1")),
            None => Ok(()),
        }
    }

    fn widths(&self) -> impl Iterator<Item = usize> {
        [self.inputs].into_iter().chain(self.hidden.iter().copied()).chain([self.outputs])
    }
}

/// How often a weight is kept while it is learned: itself, its gradient, two moments, the best so far.
pub(super) const COPIES: u64 = 5;

/// 16 GiB of weights: beyond any model here.
pub(super) const MOST_WEIGHTS: usize = 1 << 32;

/// A multilayer perceptron.
///
/// ```
/// use privet_graph::DenseMatrix;
/// use privet_learn::models::{Mlp, MlpConfig, Network};
/// let mlp = Mlp::new(MlpConfig { hidden: vec![8, 4], ..MlpConfig::new(3, 2) })?;
/// let rows = DenseMatrix::new(2, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0])?;
/// let scores = mlp.scores((&rows).into(), &[0, 1]);
/// assert_eq!((scores.rows(), scores.columns()), (2, 2));
/// # Ok::<(), privet_learn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mlp {
    config: MlpConfig,
    layers: Vec<Linear>,
    dropouts: Vec<Dropout>,
    /// The outputs of the hidden layers, and two gradients that take turns.
    activations: Vec<DenseMatrix>,
    gradient: DenseMatrix,
    next_gradient: DenseMatrix,
}

impl Mlp {
    /// A network with random weights.
    ///
    /// # Errors
    /// If a layer has no width, or the dropout rate is not in [0, 1).
    pub fn new(config: MlpConfig) -> Result<Self> {
        Self::with_initialization(config, Initialization::FanIn, MOST_WEIGHTS)
    }

    pub(super) fn with_initialization(
        config: MlpConfig,
        start: Initialization,
        most_weights: usize,
    ) -> Result<Self> {
        config.check_widths()?;
        // Memory is asked for before anything is allocated: a configuration may come from a file.
        ask_layers(config.inputs, &config.hidden, config.outputs, COPIES)?;
        config.check(most_weights)?;
        let mut rng = SimRng::new(config.seed);
        let widths: Vec<usize> = config.widths().collect();
        let layer = |(index, pair): (usize, &[usize])| {
            Linear::new(&format!("layers.{index}"), pair[0], pair[1], start, &mut rng)
        };
        let layers = widths.windows(2).enumerate().map(layer).collect();
        // Each layer drops by its own seed.
        let dropout = |index: usize| {
            let seed = config.seed.wrapping_add((index as u64 + 1) << 32);
            Dropout::new(config.dropout, seed)
        };
        let dropouts = (0..config.hidden.len()).map(dropout).collect::<Result<_>>()?;
        let empty = || DenseMatrix::zeros(0, 0);
        let activations = vec![empty(); config.hidden.len()];
        Ok(Self {
            config,
            layers,
            dropouts,
            activations,
            gradient: empty(),
            next_gradient: empty(),
        })
    }

    /// Its shape.
    pub fn config(&self) -> &MlpConfig {
        &self.config
    }

    /// Its linear layers, first to last.
    pub fn layers(&self) -> &[Linear] {
        &self.layers
    }

    /// Writes shape and weights to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(path, KIND, &self.config, self)
    }

    /// Reads what [`Mlp::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not that of an MLP.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path, KIND, |config, stored| {
            Self::with_initialization(config, Initialization::Zeros, stored)
        })
    }
}

impl Parameters for Mlp {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.layers.iter().for_each(|layer| layer.visit(visitor));
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.layers.iter_mut().for_each(|layer| layer.visit_mut(visitor));
    }
}

impl Network for Mlp {
    fn outputs(&self) -> usize {
        self.config.outputs
    }

    fn forward(&mut self, batch: ModelBatch<'_>, step: u64, output: &mut DenseMatrix) {
        let last = self.layers.len() - 1;
        for index in 0..=last {
            // Activations below `index` are read while this one is written.
            let (before, after) = self.activations.split_at_mut(index);
            let out = after.first_mut().unwrap_or(output);
            match before.last() {
                // The first layer reads the batch itself, which may be sparse.
                None => batch.forward(&self.layers[index], out),
                Some(input) => self.layers[index].forward(input, out),
            }
            if index < last {
                relu::forward(out);
                self.dropouts[index].forward(step, out);
            }
        }
    }

    fn backward(
        &mut self,
        batch: ModelBatch<'_>,
        step: u64,
        output_gradient: &DenseMatrix,
        input_gradient: Option<&mut DenseMatrix>,
    ) {
        let last = self.layers.len() - 1;
        // From the top down: dropout and rectifier of a layer are undone in the reverse order of `forward`.
        for index in (1..=last).rev() {
            let by_output = if index == last { output_gradient } else { &self.gradient };
            let input = &self.activations[index - 1];
            self.layers[index].backward(input, by_output, Some(&mut self.next_gradient));
            self.dropouts[index - 1].backward(step, &mut self.next_gradient);
            relu::backward(input, &mut self.next_gradient);
            std::mem::swap(&mut self.gradient, &mut self.next_gradient);
        }
        // The first layer's input is the batch; without an input gradient the last product is
        // saved.
        let by_output = if last == 0 { output_gradient } else { &self.gradient };
        batch.backward(&mut self.layers[0], by_output);
        if let Some(input_gradient) = input_gradient {
            self.layers[0].backward_input(by_output, input_gradient);
        }
    }

    fn evaluate(&self, batch: ModelBatch<'_>, output: &mut DenseMatrix) {
        let mut input = DenseMatrix::zeros(0, 0);
        for (index, layer) in self.layers.iter().enumerate() {
            match index {
                0 => batch.forward(layer, output),
                _ => {
                    // Two buffers take turns: no layer reads what it writes.
                    std::mem::swap(&mut input, output);
                    layer.forward(&input, output);
                }
            }
            if index + 1 < self.layers.len() {
                relu::forward(output);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::SparseBuilder;

    use super::*;
    use crate::finite_differences::{assert_gradient_off_corners, filled, weighted_sum};
    use crate::models::ItemRows;

    fn config(hidden: &[usize]) -> MlpConfig {
        MlpConfig { hidden: hidden.to_vec(), dropout: 0.3, seed: 4, ..MlpConfig::new(4, 3) }
    }

    /// Every parameter and the input, for every depth, with dropout.
    #[test]
    fn gradients_match_finite_differences() {
        for hidden in [&[][..], &[5], &[5, 6]] {
            let mut mlp = Mlp::new(config(hidden)).unwrap();
            let (input, weights) = (filled(6, 4, 1), filled(6, 3, 2));
            let start = mlp.clone();
            let loss = |mut mlp: Mlp, input: &DenseMatrix| {
                let mut output = DenseMatrix::zeros(0, 0);
                mlp.forward(ModelBatch::Dense(input), 9, &mut output);
                weighted_sum(&output, &weights)
            };
            let (mut output, mut by_input) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
            mlp.forward(ModelBatch::Dense(&input), 9, &mut output);
            mlp.backward(ModelBatch::Dense(&input), 9, &weights, Some(&mut by_input));
            assert_gradient_off_corners(&input, &by_input, |input| loss(start.clone(), input));
            mlp.visit(&mut |parameter| {
                assert_gradient_off_corners(&parameter.value, &parameter.gradient, |value| {
                    let mut changed = start.clone();
                    changed.visit_mut(&mut |p| {
                        if p.name() == parameter.name() {
                            p.value = value.clone();
                        }
                    });
                    loss(changed, &input)
                });
            });
        }
    }

    #[test]
    fn sparse_and_dense_rows_learn_alike() {
        let mut dense = filled(9, 4, 1);
        dense.values_mut().iter_mut().filter(|v| v.abs() < 0.5).for_each(|v| *v = 0.0);
        let mut builder = SparseBuilder::new(4);
        for row in 0..9 {
            let mut entries: Vec<_> = (0..).zip(dense.row(row).iter().copied()).collect();
            builder.push_row(&mut entries).unwrap();
        }
        let sparse = builder.finish();
        let picked = [7, 2, 2, 5];
        let gradient_of = |rows: ItemRows<'_>| {
            let mut mlp = Mlp::new(config(&[5])).unwrap();
            let mut gathered = super::super::GatherBuffer::default();
            let mut output = DenseMatrix::zeros(0, 0);
            mlp.forward(gathered.batch(rows, &picked), 1, &mut output);
            mlp.backward(gathered.batch(rows, &picked), 1, &filled(4, 3, 2), None);
            mlp.layers[0].weight.gradient.clone()
        };
        let (a, b) = (gradient_of((&dense).into()), gradient_of((&sparse).into()));
        for (a, b) in a.values().iter().zip(b.values()) {
            assert!((a - b).abs() < 1e-5);
        }
    }

    #[test]
    fn evaluation_is_forward_without_dropout() {
        let mut mlp = Mlp::new(MlpConfig { dropout: 0.0, ..config(&[5, 6]) }).unwrap();
        let input = filled(6, 4, 1);
        let mut output = DenseMatrix::zeros(0, 0);
        mlp.forward(ModelBatch::Dense(&input), 1, &mut output);
        assert_eq!(mlp.scores((&input).into(), &[0, 1, 2, 3, 4, 5]), output);
        // A single row takes another way through the products, with another rounding.
        let alone = mlp.scores((&input).into(), &[4]);
        assert!(alone.values().iter().zip(output.row(4)).all(|(a, b)| (a - b).abs() < 1e-6));
        assert_eq!(mlp.scores((&input).into(), &[]).rows(), 0);
    }

    #[test]
    fn shapes_without_sense_are_refused() {
        assert!(Mlp::new(config(&[0])).is_err());
        assert!(Mlp::new(config(&[usize::MAX])).is_err());
        assert!(Mlp::new(MlpConfig { dropout: 1.0, ..config(&[2]) }).is_err());
    }

    #[test]
    fn files_bring_a_model_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let mut mlp = Mlp::new(config(&[5])).unwrap();
        mlp.visit_mut(&mut |p| p.value.values_mut().iter_mut().for_each(|v| *v += 0.25));
        mlp.save(&path).unwrap();
        let back = Mlp::load(&path).unwrap();
        assert_eq!((back.config(), back.snapshot()), (mlp.config(), mlp.snapshot()));
        let error = super::super::Logistic::load(&path).unwrap_err().to_string();
        assert!(error.contains("a model of kind 'mlp'") && error.contains("'logistic'"), "{error}");
    }
}
