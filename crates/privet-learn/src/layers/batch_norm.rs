//! Batch normalisation: each column is centred and scaled by its mean and variance over the batch, then
//! scaled by gamma and shifted by beta, which are trained. Evaluation uses running averages instead.
//!
//! ```text
//! x^ = (x - mean) / sqrt(variance + epsilon),   y = gamma x^ + beta
//! ```
//! With g the gradient by y over n rows: beta gets sum g, gamma gets sum g x^, and
//! `dx = gamma / sqrt(variance + epsilon) * (g - mean(g) - x^ mean(g x^))`.

use privet_graph::DenseMatrix;

use crate::kernels::{column_sums, each_block};
use crate::parameters::{Parameter, Parameters};

const EPSILON: f64 = 1e-5;
/// How much a batch counts in the running averages, as in PyTorch.
const MOMENTUM: f64 = 0.1;

/// Normalises columns over the batch.
#[derive(Debug, Clone)]
pub struct BatchNorm {
    gamma: Parameter,
    beta: Parameter,
    running_mean: Parameter,
    running_variance: Parameter,
    /// What backward needs of the last forward pass.
    normalized: DenseMatrix,
    inverse_deviation: Vec<f32>,
    mean: Vec<f32>,
    sums: Vec<f64>,
    products: Vec<f64>,
}

impl BatchNorm {
    /// A layer whose tensors are called `NAME.gamma`, `NAME.beta`, `NAME.running_mean` and
    /// `NAME.running_variance`.
    pub fn new(name: &str, columns: usize) -> Self {
        let constant = |value: f32| {
            let mut row = DenseMatrix::zeros(1, columns);
            row.values_mut().fill(value);
            row
        };
        Self {
            gamma: Parameter::trained(format!("{name}.gamma"), constant(1.0)),
            beta: Parameter::trained(format!("{name}.beta"), constant(0.0)),
            running_mean: Parameter::buffer(format!("{name}.running_mean"), constant(0.0)),
            running_variance: Parameter::buffer(format!("{name}.running_variance"), constant(1.0)),
            normalized: DenseMatrix::zeros(0, 0),
            inverse_deviation: Vec::new(),
            mean: Vec::new(),
            sums: Vec::new(),
            products: Vec::new(),
        }
    }

    /// Training: normalises in place by the statistics of the batch, and remembers them. A batch of
    /// one row has no variance: it becomes beta, and the running averages stay.
    ///
    /// # Panics
    /// If the number of columns is another.
    pub fn forward(&mut self, values: &mut DenseMatrix) {
        self.measure(values);
        let columns = values.columns();
        let (mean, inverse) = (&self.mean, &self.inverse_deviation);
        self.normalized.reshape(values.rows(), columns);
        let raw = values.values();
        each_block(
            &mut self.normalized,
            #[inline(always)]
            |first, normalized| {
                let rows = raw[first * columns..].chunks_exact(columns);
                for (out, row) in normalized.chunks_exact_mut(columns).zip(rows) {
                    for (column, out) in out.iter_mut().enumerate() {
                        *out = (row[column] - mean[column]) * inverse[column];
                    }
                }
            },
        );
        let (gamma, beta) = (self.gamma.value.values(), self.beta.value.values());
        let normalized = self.normalized.values();
        each_block(
            values,
            #[inline(always)]
            |first, values| {
                let rows = normalized[first * columns..].chunks_exact(columns);
                for (out, row) in values.chunks_exact_mut(columns).zip(rows) {
                    for (column, out) in out.iter_mut().enumerate() {
                        *out = gamma[column] * row[column] + beta[column];
                    }
                }
            },
        );
    }

    /// Evaluation: normalises in place by the running averages.
    ///
    /// # Panics
    /// If the number of columns is another.
    pub fn evaluate(&self, values: &mut DenseMatrix) {
        let columns = values.columns();
        assert_eq!(columns, self.gamma.value.columns(), "columns of a batch");
        let (gamma, beta) = (self.gamma.value.values(), self.beta.value.values());
        let (mean, variance) =
            (self.running_mean.value.values(), self.running_variance.value.values());
        let scale: Vec<f32> = (0..columns)
            .map(|c| gamma[c] / (f64::from(variance[c]) + EPSILON).sqrt() as f32)
            .collect();
        each_block(
            values,
            #[inline(always)]
            |_, values| {
                for row in values.chunks_exact_mut(columns) {
                    for (column, value) in row.iter_mut().enumerate() {
                        *value = (*value - mean[column]) * scale[column] + beta[column];
                    }
                }
            },
        );
    }

    /// Adds to the gradients of gamma and beta, and turns the gradient by the output of the last
    /// forward pass into the gradient by its input, in place.
    ///
    /// # Panics
    /// If the shape is not that of the last forward pass.
    pub fn backward(&mut self, gradient: &mut DenseMatrix) {
        let (rows, columns) = (gradient.rows(), gradient.columns());
        assert_eq!((rows, columns), (self.normalized.rows(), self.normalized.columns()));
        let normalized = &self.normalized;
        let by_output: &DenseMatrix = gradient;
        column_sums(rows, columns, &mut self.sums, |row, sums| {
            sums.iter_mut().zip(by_output.row(row)).for_each(|(sum, g)| *sum += g);
        });
        column_sums(rows, columns, &mut self.products, |row, sums| {
            let pairs = by_output.row(row).iter().zip(normalized.row(row));
            sums.iter_mut().zip(pairs).for_each(|(sum, (g, x))| *sum += g * x);
        });
        add(&mut self.beta.gradient, &self.sums);
        add(&mut self.gamma.gradient, &self.products);
        let share = |sums: &[f64]| -> Vec<f32> {
            sums.iter().map(|&sum| (sum / rows.max(1) as f64) as f32).collect()
        };
        let (mean_g, mean_gx) = (share(&self.sums), share(&self.products));
        let gamma = self.gamma.value.values();
        let scale: Vec<f32> =
            gamma.iter().zip(&self.inverse_deviation).map(|(g, d)| g * d).collect();
        each_block(
            gradient,
            #[inline(always)]
            |first, values| {
                let rows = normalized.values()[first * columns..].chunks_exact(columns);
                for (out, x) in values.chunks_exact_mut(columns).zip(rows) {
                    for (c, out) in out.iter_mut().enumerate() {
                        *out = scale[c] * (*out - mean_g[c] - x[c] * mean_gx[c]);
                    }
                }
            },
        );
    }

    /// The mean and variance of the columns, and their running averages.
    fn measure(&mut self, values: &DenseMatrix) {
        let (rows, columns) = (values.rows(), values.columns());
        assert_eq!(columns, self.gamma.value.columns(), "columns of a batch");
        let n = rows.max(1) as f64;
        column_sums(rows, columns, &mut self.sums, |row, sums| {
            sums.iter_mut().zip(values.row(row)).for_each(|(sum, x)| *sum += x);
        });
        self.mean.clear();
        self.mean.extend(self.sums.iter().map(|sum| (sum / n) as f32));
        let mean = &self.mean;
        column_sums(rows, columns, &mut self.products, |row, sums| {
            let centred = values.row(row).iter().zip(mean).map(|(x, mean)| x - mean);
            sums.iter_mut().zip(centred).for_each(|(sum, x)| *sum += x * x);
        });
        self.inverse_deviation.clear();
        let inverse = self.products.iter().map(|sum| (1.0 / (sum / n + EPSILON).sqrt()) as f32);
        self.inverse_deviation.extend(inverse);
        if rows < 2 {
            return;
        }
        let running = |average: &mut f32, new: f64| {
            *average = (f64::from(*average) * (1.0 - MOMENTUM) + new * MOMENTUM) as f32;
        };
        let averages = self.running_mean.value.values_mut().iter_mut();
        averages.zip(&self.sums).for_each(|(average, sum)| running(average, sum / n));
        let averages = self.running_variance.value.values_mut().iter_mut();
        averages.zip(&self.products).for_each(|(average, sum)| running(average, sum / (n - 1.0)));
    }
}

fn add(gradient: &mut DenseMatrix, sums: &[f64]) {
    gradient.values_mut().iter_mut().zip(sums).for_each(|(g, &sum)| *g += sum as f32);
}

impl Parameters for BatchNorm {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        [&self.gamma, &self.beta, &self.running_mean, &self.running_variance]
            .into_iter()
            .for_each(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        let averages = [&mut self.running_mean, &mut self.running_variance];
        [&mut self.gamma, &mut self.beta].into_iter().chain(averages).for_each(visitor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_differences::{assert_gradient, filled, weighted_sum};

    #[test]
    fn gradients_match_finite_differences() {
        let (input, weights) = (filled(7, 3, 1), filled(7, 3, 2));
        let mut layer = BatchNorm::new("norm", 3);
        layer.gamma.value = filled(1, 3, 3);
        layer.beta.value = filled(1, 3, 4);
        let start = layer.clone();
        let loss = |mut layer: BatchNorm, input: &DenseMatrix| {
            let mut output = input.clone();
            layer.forward(&mut output);
            weighted_sum(&output, &weights)
        };
        layer.forward(&mut input.clone());
        let mut gradient = weights.clone();
        layer.backward(&mut gradient);
        assert_gradient(&input, &gradient, |input| loss(start.clone(), input));
        assert_gradient(&start.gamma.value, &layer.gamma.gradient, |gamma| {
            let mut changed = start.clone();
            changed.gamma.value = gamma.clone();
            loss(changed, &input)
        });
        assert_gradient(&start.beta.value, &layer.beta.gradient, |beta| {
            let mut changed = start.clone();
            changed.beta.value = beta.clone();
            loss(changed, &input)
        });
    }

    #[test]
    fn training_normalises_and_averages_as_defined() {
        let mut layer = BatchNorm::new("norm", 1);
        let mut values = DenseMatrix::new(4, 1, vec![1.0, 2.0, 3.0, 6.0]).unwrap();
        layer.forward(&mut values);
        // Mean 3, variance 14/4 (14/3 unbiased).
        let deviation = (3.5_f32 + 1e-5).sqrt();
        for (value, expected) in values.values().iter().zip([-2.0, -1.0, 0.0, 3.0]) {
            assert!((value - expected / deviation).abs() < 1e-6);
        }
        assert!((layer.running_mean.value.values()[0] - 0.3).abs() < 1e-6);
        let variance = 0.9 + 0.1 * 14.0 / 3.0;
        assert!((layer.running_variance.value.values()[0] - variance).abs() < 1e-6);
        let mut later = DenseMatrix::new(1, 1, vec![0.3]).unwrap();
        layer.evaluate(&mut later);
        assert!(later.values()[0].abs() < 1e-6);
    }

    #[test]
    fn one_row_becomes_beta_and_leaves_the_averages() {
        let mut layer = BatchNorm::new("norm", 2);
        let mut values = DenseMatrix::new(1, 2, vec![5.0, -7.0]).unwrap();
        layer.forward(&mut values);
        assert_eq!(values.values(), [0.0, 0.0]);
        assert_eq!(layer.running_mean.value.values(), [0.0, 0.0]);
        let mut gradient = DenseMatrix::new(1, 2, vec![1.0, 1.0]).unwrap();
        layer.backward(&mut gradient);
        assert_eq!(gradient.values(), [0.0, 0.0]);
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut values, mut gradient) = (filled(40_000, 5, 1), filled(40_000, 5, 2));
            let mut layer = BatchNorm::new("norm", 5);
            pool.install(|| {
                layer.forward(&mut values);
                layer.backward(&mut gradient);
            });
            (values, gradient, layer.snapshot())
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }
}
