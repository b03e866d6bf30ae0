//! DP-SGD for an MLP: what the trusted base needs of a model to train it privately.
//!
//! The gradient of one example by a layer's weights is the outer product of what went into the layer and
//! the gradient at what came out, so its norm is the product of two norms, and no gradient of a single
//! example is ever written down. This file computes those two factors for a batch;
//! [`privet_privacy::sgd`] draws the batch, clips, sums and adds the noise.
//!
//! What the guarantee asks of a learner holds here: no batch normalisation and no dropout, the first
//! weights come from a seed, and row i of a factor depends on example i and the weights alone.

use privet_graph::{DenseMatrix, FeatureMatrix, Features};
use privet_privacy::sgd::{Bias, Factors, Layer, Learner, NoisyGradient};

use super::{Optimizer, OptimizerConfig};
use crate::kernels::gathered_product;
use crate::layers::{Linear, relu};
use crate::losses::softmax;
use crate::models::{HiddenNorm, Mlp, MlpConfig};
use crate::parameters::Parameters;
use crate::{Error, Result};

/// Rows and their classes: what is secret.
#[derive(Debug, Clone)]
pub struct LabelledRows {
    rows: Features,
    classes: Vec<u32>,
}

impl LabelledRows {
    /// One class per row.
    ///
    /// # Errors
    /// If there is not one class per row.
    pub fn new(rows: Features, classes: Vec<u32>) -> Result<Self> {
        if rows.rows() != classes.len() {
            return Err(Error::invalid(
                "classes",
                classes.len(),
                format!("{} (rows)", rows.rows()),
            ));
        }
        Ok(Self { rows, classes })
    }
}

/// An MLP classifier to be trained by [`privet_privacy::sgd::DpSgd`].
///
/// ```
/// use privet_graph::{DenseMatrix, Features};
/// use privet_learn::models::{MlpConfig, Network};
/// use privet_learn::train::{LabelledRows, OptimizerConfig, PrivateMlp};
/// use privet_privacy::event::Batch;
/// use privet_privacy::noise::NoiseRng;
/// use privet_privacy::sgd::{DpSgd, RowShare, Settings};
/// use privet_privacy::unit::Record;
/// use privet_privacy::{Ledger, Loss, Secret};
///
/// let rows = DenseMatrix::new(400, 1, (0..400).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect())?;
/// let data = LabelledRows::new(Features::dense(rows.clone()), (0..400).map(|i| i % 2).collect())?;
/// let config = MlpConfig { dropout: 0.0, hidden: vec![8], ..MlpConfig::new(1, 2) };
/// let learner = PrivateMlp::new(config, OptimizerConfig::default(), 0.05)?;
/// let settings = Settings {
///     steps: 40,
///     rows: 400,
///     batch: Batch::Poisson { rate: 0.2 },
///     share: RowShare::Alone,
///     clip_norm: 1.0,
///     noise_multiplier: 2.0,
/// };
/// let training = DpSgd::<_, Record>::new(settings, learner)?;
/// let mut ledger = Ledger::in_memory(Loss::new(8.0, 1e-5)?, NoiseRng::from_operating_system()?)?;
/// let trained = ledger.release(&Secret::new(data), &training)?.into_inner()?;
/// assert_eq!(trained.model().predict((&rows).into(), &[0, 1]), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateMlp {
    start: Mlp,
    optimizer: OptimizerConfig,
    learning_rate: f64,
}

/// The weights so far, and what the optimizer remembers: all of it is released.
pub struct PrivatelyTrained {
    model: Mlp,
    /// There unless its settings were refused, and [`PrivateMlp::new`] refuses them first.
    optimizer: Option<Box<dyn Optimizer>>,
}

impl PrivateMlp {
    /// A network with random weights from the seed of its configuration.
    ///
    /// # Errors
    /// If it has batch normalisation or dropout, whose rows would depend on one another or on a step, or
    /// another setting makes no sense.
    pub fn new(config: MlpConfig, optimizer: OptimizerConfig, learning_rate: f64) -> Result<Self> {
        if config.norm != HiddenNorm::None {
            let expected = "none: a row's gradient may depend on no other row";
            return Err(Error::invalid("batch normalisation", "asked for", expected));
        }
        if config.dropout != 0.0 {
            return Err(Error::invalid("dropout", config.dropout, "0 in private training"));
        }
        if !(learning_rate > 0.0 && learning_rate.is_finite()) {
            return Err(Error::invalid("learning rate", learning_rate, "above 0"));
        }
        optimizer.build()?;
        Ok(Self { start: Mlp::new(config)?, optimizer, learning_rate })
    }
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

impl Learner for PrivateMlp {
    type Data = LabelledRows;
    type Parameters = PrivatelyTrained;

    fn row_count(&self, data: &LabelledRows) -> usize {
        data.classes.len()
    }

    fn layers(&self) -> Vec<Layer> {
        let shape = |layer: &Linear| Layer {
            inputs: layer.inputs(),
            outputs: layer.outputs(),
            bias: Bias::Trained,
        };
        self.start.layers().iter().map(shape).collect()
    }

    fn initial(&self) -> PrivatelyTrained {
        PrivatelyTrained { model: self.start.clone(), optimizer: self.optimizer.build().ok() }
    }

    fn factors(
        &self,
        parameters: &PrivatelyTrained,
        data: &LabelledRows,
        rows: &[u32],
    ) -> Vec<Factors> {
        let layers = parameters.model.layers();
        let picked = data.rows.select(rows);
        let mut inputs = vec![picked.matrix().clone()];
        let mut output = DenseMatrix::zeros(0, 0);
        for (index, layer) in layers.iter().enumerate() {
            forward(layer, &inputs[index], &mut output);
            if index + 1 < layers.len() {
                relu::forward(&mut output);
                inputs.push(FeatureMatrix::Dense(std::mem::replace(
                    &mut output,
                    DenseMatrix::zeros(0, 0),
                )));
            }
        }
        // The gradient of the cross-entropy at the scores is p - y, row by row.
        softmax(&mut output);
        for (at, &row) in rows.iter().enumerate() {
            if let Some(p) = output.row_mut(at).get_mut(data.classes[row as usize] as usize) {
                *p -= 1.0;
            }
        }
        let mut gradients = vec![output];
        for index in (1..layers.len()).rev() {
            let mut gradient = DenseMatrix::zeros(0, 0);
            layers[index].backward_input(&gradients[gradients.len() - 1], &mut gradient);
            if let FeatureMatrix::Dense(activation) = &inputs[index] {
                relu::backward(activation, &mut gradient);
            }
            gradients.push(gradient);
        }
        let gradients = gradients.into_iter().rev();
        let factors = |(inputs, output_gradients)| Factors { inputs, output_gradients };
        inputs.into_iter().zip(gradients).map(factors).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Classification;
    use crate::train::Trainable;
    use privet_graph::{Labels, SparseBuilder};

    fn data() -> LabelledRows {
        let mut rows = SparseBuilder::new(6);
        for row in 0..9u32 {
            rows.push_row(&mut [(row % 6, 1.0 + row as f32 / 4.0), ((row + 3) % 6, -0.5)]).unwrap();
        }
        let classes = (0..9).map(|row| row % 3).collect();
        LabelledRows::new(Features::sparse(rows.finish()), classes).unwrap()
    }

    fn config() -> MlpConfig {
        MlpConfig { hidden: vec![5, 4], dropout: 0.0, seed: 3, ..MlpConfig::new(6, 3) }
    }

    /// Summed over rows, the outer products are the gradient that ordinary training computes.
    #[test]
    fn factors_multiply_to_the_gradient() {
        let (data, all) = (data(), (0..9u32).collect::<Vec<_>>());
        let learner = PrivateMlp::new(config(), OptimizerConfig::default(), 0.1).unwrap();
        let factors = learner.factors(&learner.initial(), &data, &all);

        let mut model = Mlp::new(config()).unwrap();
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let labels =
            Labels::single(data.classes.iter().map(|&c| Some(c)).collect(), names).unwrap();
        let rows = data.rows.matrix().into();
        Classification::new(&mut model, rows, &labels, &all, &[]).unwrap().train(&all, 0).unwrap();
        for (layer, factor) in model.layers().iter().zip(&factors) {
            let gradient = &layer.weight.gradient;
            for input in 0..layer.inputs() {
                for output in 0..layer.outputs() {
                    let entry = |row: usize| match &factor.inputs {
                        FeatureMatrix::Dense(x) => x.row(row)[input],
                        FeatureMatrix::Sparse(x) => {
                            let (columns, values) = x.row(row);
                            let at = columns.binary_search(&(input as u32));
                            at.map_or(0.0, |at| values[at])
                        }
                    };
                    let sum: f32 = (0..9)
                        .map(|row| entry(row) * factor.output_gradients.row(row)[output])
                        .sum();
                    // Training takes the mean.
                    assert!((sum / 9.0 - gradient.row(input)[output]).abs() < 1e-6);
                }
            }
        }
    }

    /// A row's factors do not change with the rest of the batch.
    #[test]
    fn rows_do_not_know_of_each_other() {
        let data = data();
        let learner = PrivateMlp::new(config(), OptimizerConfig::default(), 0.1).unwrap();
        let start = learner.initial();
        let together = learner.factors(&start, &data, &[1, 4, 7]);
        let apart = learner.factors(&start, &data, &[4, 0]);
        for (one, other) in together.iter().zip(&apart) {
            let (a, b) = (one.output_gradients.row(1), other.output_gradients.row(0));
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6));
        }
    }

    #[test]
    fn what_breaks_the_guarantee_is_refused() {
        let optimizer = OptimizerConfig::default();
        let norm = MlpConfig { norm: HiddenNorm::Batch, ..config() };
        assert!(PrivateMlp::new(norm, optimizer, 0.1).is_err());
        assert!(PrivateMlp::new(MlpConfig { dropout: 0.5, ..config() }, optimizer, 0.1).is_err());
        assert!(PrivateMlp::new(config(), optimizer, f64::NAN).is_err());
        let rows = data().rows;
        assert!(LabelledRows::new(rows, vec![0]).is_err());
    }
}
