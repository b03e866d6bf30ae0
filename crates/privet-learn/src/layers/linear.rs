//! The linear layer: `Y = X W + 1 b'`.
//!
//! With G the gradient by Y: the gradient by W is X' G, by b the sum of G's rows, by X it is G W'.

use privet_graph::{DenseMatrix, SimRng};
use rand::RngExt;

use crate::kernels::{
    Write, column_sums, each_block, product, product_left_transposed, product_right_transposed,
};
use crate::parameters::{Parameter, Parameters};

/// How weights start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initialization {
    /// Uniform in +-1/sqrt(inputs), for weights and biases: the default of PyTorch's linear layer.
    FanIn,
    /// Uniform in +-sqrt(6 / (inputs + outputs)), biases zero (Glorot and Bengio).
    Glorot,
    /// All zero: right for a model without hidden layers, whose loss is convex.
    Zeros,
}

/// A matrix product and a bias.
#[derive(Debug, Clone)]
pub struct Linear {
    /// One row per input, one column per output.
    pub weight: Parameter,
    /// One row.
    pub bias: Parameter,
    sums: Vec<f64>,
}

impl Linear {
    /// A layer whose tensors are called `NAME.weight` and `NAME.bias`.
    pub fn new(
        name: &str,
        inputs: usize,
        outputs: usize,
        initialization: Initialization,
        rng: &mut SimRng,
    ) -> Self {
        let (of_weights, of_biases) = match initialization {
            Initialization::FanIn => {
                // The default of PyTorch's Linear: uniform within 1/sqrt(fan-in), weights and biases alike.
                let bound = 1.0 / (inputs.max(1) as f32).sqrt();
                (bound, bound)
            }
            // Glorot and Bengio 2010: variances of activations and gradients stay alike through the
            // layers.
            Initialization::Glorot => ((6.0 / (inputs + outputs).max(1) as f32).sqrt(), 0.0),
            Initialization::Zeros => (0.0, 0.0),
        };
        let weight = uniform(inputs, outputs, of_weights, rng);
        let bias = uniform(1, outputs, of_biases, rng);
        Self {
            weight: Parameter::trained(format!("{name}.weight"), weight),
            bias: Parameter::trained(format!("{name}.bias"), bias),
            sums: Vec::new(),
        }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.weight.value.rows()
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.weight.value.columns()
    }

    /// `output = input W + b`; `output` takes the shape it needs.
    ///
    /// # Panics
    /// If `input` has another number of columns than the layer has inputs.
    pub fn forward(&self, input: &DenseMatrix, output: &mut DenseMatrix) {
        self.start(input.rows(), output);
        // The rows hold the bias already.
        product(input, &self.weight.value, Write::Add, output);
    }

    /// Gives `output` its shape and the bias in every row, for a product to be added to: for callers
    /// that compute `input W` themselves, from sparse rows for example.
    pub fn start(&self, rows: usize, output: &mut DenseMatrix) {
        output.reshape(rows, self.outputs());
        let bias = self.bias.value.values();
        each_block(
            output,
            #[inline(always)]
            // Each row starts as the bias, so the product is added to it and no second pass is
            // needed.
            |_, values| {
                values.chunks_exact_mut(bias.len()).for_each(|row| row.copy_from_slice(bias));
            },
        );
    }

    /// Adds to the gradients of weight and bias; writes the gradient by the input where asked (the
    /// first layer of a model needs none).
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn backward(
        &mut self,
        input: &DenseMatrix,
        output_gradient: &DenseMatrix,
        input_gradient: Option<&mut DenseMatrix>,
    ) {
        product_left_transposed(input, output_gradient, Write::Add, &mut self.weight.gradient);
        self.backward_bias(output_gradient);
        if let Some(input_gradient) = input_gradient {
            self.backward_input(output_gradient, input_gradient);
        }
    }

    /// The part of [`Linear::backward`] that concerns the bias.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn backward_bias(&mut self, output_gradient: &DenseMatrix) {
        let (rows, columns) = (output_gradient.rows(), output_gradient.columns());
        column_sums(
            rows,
            columns,
            &mut self.sums,
            #[inline(always)]
            |row, sums| {
                sums.iter_mut().zip(output_gradient.row(row)).for_each(|(sum, g)| *sum += g);
            },
        );
        let gradient = self.bias.gradient.values_mut();
        assert_eq!(gradient.len(), columns, "columns of a gradient");
        gradient.iter_mut().zip(&self.sums).for_each(|(g, &sum)| *g += sum as f32);
    }

    /// The part of [`Linear::backward`] that concerns the input.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn backward_input(&self, output_gradient: &DenseMatrix, input_gradient: &mut DenseMatrix) {
        input_gradient.reshape(output_gradient.rows(), self.inputs());
        product_right_transposed(
            output_gradient,
            &self.weight.value,
            Write::Replace,
            input_gradient,
        );
    }
}

impl Parameters for Linear {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        visitor(&self.weight);
        visitor(&self.bias);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        visitor(&mut self.weight);
        visitor(&mut self.bias);
    }
}

fn uniform(rows: usize, columns: usize, bound: f32, rng: &mut SimRng) -> DenseMatrix {
    let mut matrix = DenseMatrix::zeros(rows, columns);
    if bound > 0.0 {
        matrix.values_mut().iter_mut().for_each(|v| *v = rng.random_range(-bound..bound));
    }
    matrix
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finite_differences::{assert_gradient, filled, weighted_sum};

    fn loss(layer: &Linear, input: &DenseMatrix, weights: &DenseMatrix) -> f64 {
        let mut output = DenseMatrix::zeros(0, 0);
        layer.forward(input, &mut output);
        weighted_sum(&output, weights)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn gradients_match_finite_differences(n in 1usize..6, i in 1usize..6, o in 1usize..6, seed in 0u64..99) {
            let mut layer = Linear::new("l", i, o, Initialization::Glorot, &mut SimRng::new(seed));
            let (input, weights) = (filled(n, i, seed), filled(n, o, seed + 1));
            let mut input_gradient = DenseMatrix::zeros(0, 0);
            layer.backward(&input, &weights, Some(&mut input_gradient));
            assert_gradient(&input, &input_gradient, |input| loss(&layer, input, &weights));
            let with = |change: &dyn Fn(&mut Linear)| {
                let mut changed = layer.clone();
                change(&mut changed);
                loss(&changed, &input, &weights)
            };
            assert_gradient(&layer.weight.value, &layer.weight.gradient, |w| {
                with(&|l| l.weight.value = w.clone())
            });
            assert_gradient(&layer.bias.value, &layer.bias.gradient, |b| {
                with(&|l| l.bias.value = b.clone())
            });
        }
    }

    #[test]
    fn gradients_add_up_and_starts_repeat() {
        let new = || Linear::new("l", 3, 2, Initialization::FanIn, &mut SimRng::new(3));
        let (mut once, mut twice) = (new(), new());
        assert_eq!(once.weight, twice.weight);
        let bound = 1.0 / 3.0_f32.sqrt();
        assert!(once.weight.value.values().iter().all(|w| w.abs() <= bound && *w != 0.0));
        let (input, gradient) = (filled(4, 3, 1), filled(4, 2, 2));
        once.backward(&input, &gradient, None);
        twice.backward(&input, &gradient, None);
        twice.backward(&input, &gradient, None);
        for (a, b) in once.weight.gradient.values().iter().zip(twice.weight.gradient.values()) {
            assert!((2.0 * a - b).abs() < 1e-5);
        }
        assert_eq!(twice.bias.name(), "l.bias");
    }
}
