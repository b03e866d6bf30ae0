//! DP-SGD for networks: what the trusted base needs of a model to train it privately.
//!
//! The gradient of one example by a layer's weights is the outer product of what went into the layer and
//! the gradient at what came out, or a sum of such products where an example aggregates over nodes. Its norm
//! follows from those factors, and no gradient of a single example is ever written down. This module computes
//! the factors of a batch; [`privet_privacy::sgd`] draws the batch, clips, sums and adds the noise.
//!
//! What the guarantee asks of a learner holds here: no batch normalisation and no dropout, the first
//! weights come from a seed, and the factors of an example depend on it and the weights alone.

mod centred;
mod class_sums;
mod middle;
mod mlp;
mod softmax;
mod top_k;

use std::marker::PhantomData;

use privet_graph::{DenseMatrix, FeatureMatrix};
use privet_privacy::sgd::{Bias, Factors, Layer, Learner, NoisyGradient, RowTerms};
use privet_privacy::{FirstParty, PublicShape};

pub use centred::{CentredTraining, PrivateCentredNetwork};
pub use class_sums::{ClassSums, PrivateSums};
pub use middle::MiddleSettings;
pub use mlp::{LabelledRows, PrivateMlp};
pub use softmax::{Descent, DescentSettings, PrivateSoftmax};
pub use top_k::{AggregatedRows, PrivateTopK};

use super::{Optimizer, OptimizerConfig};
use crate::kernels::gathered_product;
use crate::layers::{Linear, relu};
use crate::losses::softmax;
use crate::models::{Mlp, MlpConfig};
use crate::parameters::Parameters;
use crate::{Error, Result};

/// The weights so far, and what the optimizer remembers: all of it is released.
pub struct PrivatelyTrained {
    model: Mlp,
    /// There unless its settings were refused, and a [`TrainingStart`] refuses them first.
    optimizer: Option<Box<dyn Optimizer>>,
}

impl PrivatelyTrained {
    /// The model.
    pub fn model(&self) -> &Mlp {
        &self.model
    }

    /// The model alone.
    pub fn into_model(self) -> Mlp {
        self.model
    }
}

/// Where private training of a network starts, and how it takes steps.
#[derive(Debug, Clone)]
struct TrainingStart {
    model: Mlp,
    optimizer: OptimizerConfig,
    learning_rate: f64,
}

impl TrainingStart {
    fn new(config: MlpConfig, optimizer: OptimizerConfig, learning_rate: f64) -> Result<Self> {
        if config.dropout != 0.0 {
            return Err(Error::invalid("dropout", config.dropout, "0 in private training"));
        }
        if !(learning_rate > 0.0 && learning_rate.is_finite()) {
            return Err(Error::invalid("learning rate", learning_rate, "above 0"));
        }
        optimizer.build()?;
        Ok(Self { model: Mlp::new(config)?, optimizer, learning_rate })
    }

    fn layers(&self) -> Vec<Layer> {
        let shape = |layer: &Linear| Layer {
            inputs: layer.inputs(),
            outputs: layer.outputs(),
            bias: Bias::Trained,
        };
        self.model.layers().iter().map(shape).collect()
    }

    fn initial(&self) -> PrivatelyTrained {
        PrivatelyTrained { model: self.model.clone(), optimizer: self.optimizer.build().ok() }
    }

    fn step(&self, parameters: &mut PrivatelyTrained, gradient: &NoisyGradient) {
        let mut values = gradient.values();
        // Weights before biases, layer by layer: the order in which a model shows its tensors.
        parameters.model.visit_mut(&mut |parameter| {
            let (head, tail) = values.split_at(parameter.gradient.values().len());
            parameter.gradient.values_mut().copy_from_slice(head);
            values = tail;
        });
        if let Some(optimizer) = &mut parameters.optimizer {
            optimizer.step(&mut parameters.model, self.learning_rate);
        }
    }
}

/// Secret rows that a network can be trained on: all that one kind of private training differs from another in.
///
/// What is public about them is how many there are.
pub trait SecretRows: FirstParty + PublicShape<Shape = usize> + Sync {
    /// The factors of the gradients of some of them. Those of a row may depend on that row and the network alone.
    fn factors(&self, model: &Mlp, rows: &[u32]) -> Vec<Factors>;
}

/// A network to be trained on secret rows by [`privet_privacy::sgd::DpSgd`].
#[derive(Debug, Clone)]
pub struct PrivateNetwork<D> {
    start: TrainingStart,
    data: PhantomData<fn() -> D>,
}

impl<D> PrivateNetwork<D> {
    /// A network with random weights from the seed of its configuration.
    ///
    /// # Errors
    /// If it has batch normalisation or dropout, whose rows would depend on one another or on a step, or
    /// another setting makes no sense.
    pub fn new(config: MlpConfig, optimizer: OptimizerConfig, learning_rate: f64) -> Result<Self> {
        Ok(Self { start: TrainingStart::new(config, optimizer, learning_rate)?, data: PhantomData })
    }
}

impl<D: SecretRows> FirstParty for PrivateNetwork<D> {
    const AUDITED: bool = D::AUDITED;
}

impl<D: SecretRows> Learner for PrivateNetwork<D> {
    type Data = D;
    type Parameters = PrivatelyTrained;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        self.start.layers()
    }

    fn initial(&self) -> PrivatelyTrained {
        self.start.initial()
    }

    fn factors(&self, parameters: &PrivatelyTrained, data: &D, rows: &[u32]) -> Vec<Factors> {
        data.factors(&parameters.model, rows)
    }

    fn step(&self, parameters: &mut PrivatelyTrained, gradient: &NoisyGradient) {
        self.start.step(parameters, gradient);
    }
}

/// The factors of all layers, where `by_scores` turns the scores of the inputs' rows into the gradient of the
/// loss by them.
fn factors(
    model: &Mlp,
    inputs: FeatureMatrix,
    terms: &RowTerms,
    by_scores: impl FnOnce(DenseMatrix) -> DenseMatrix,
) -> Vec<Factors> {
    let layers = model.layers();
    let (mut inputs, mut output) = (vec![inputs], DenseMatrix::zeros(0, 0));
    for (index, layer) in layers.iter().enumerate() {
        forward(layer, &inputs[index], &mut output);
        if index + 1 < layers.len() {
            relu::forward(&mut output);
            let activation = std::mem::replace(&mut output, DenseMatrix::zeros(0, 0));
            inputs.push(FeatureMatrix::Dense(activation));
        }
    }
    // Backpropagation keeps, per layer, its input and the gradient of its output: their outer products are the rows'
    // gradients, which are never formed.
    let mut gradients = vec![by_scores(output)];
    // From the last layer down; the first layer's input needs no gradient.
    for index in (1..layers.len()).rev() {
        let mut gradient = DenseMatrix::zeros(0, 0);
        layers[index].backward_input(&gradients[gradients.len() - 1], &mut gradient);
        if let FeatureMatrix::Dense(activation) = &inputs[index] {
            relu::backward(activation, &mut gradient);
        }
        gradients.push(gradient);
    }
    let of_layer =
        |(inputs, output_gradients)| Factors { inputs, output_gradients, terms: terms.clone() };
    inputs.into_iter().zip(gradients.into_iter().rev()).map(of_layer).collect()
}

fn forward(layer: &Linear, input: &FeatureMatrix, output: &mut DenseMatrix) {
    match input {
        FeatureMatrix::Dense(input) => layer.forward(input, output),
        FeatureMatrix::Sparse(input) => {
            layer.start(input.rows(), output);
            let all: Vec<u32> = (0..input.rows() as u32).collect();
            gathered_product(input, &all, &layer.weight.value, output);
        }
    }
}

/// The gradient of the cross-entropy by the scores is `p - y`, row by row. A row of a class that the network has no
/// score for has no loss: it stands for an absent person.
fn by_cross_entropy(mut scores: DenseMatrix, classes: impl Iterator<Item = u32>) -> DenseMatrix {
    softmax(&mut scores);
    for (row, class) in classes.enumerate() {
        match scores.row_mut(row).get_mut(class as usize) {
            Some(p) => *p -= 1.0,
            None => scores.row_mut(row).fill(0.0),
        }
    }
    scores
}
