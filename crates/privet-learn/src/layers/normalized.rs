//! [`NormalizedLinear`]: a linear layer, batch normalisation and the rectifier as one layer, which
//! reads and writes large matrices as seldom as possible.
//!
//! ```text
//! Z = X W,   x^ = (Z - mean) / sqrt(variance + epsilon),   Y = max(gamma x^ + beta, 0)
//! ```
//! The normalisation would take away any bias of the linear layer, so there is none.
//!
//! A row may stand for several equal ones ([`Repeats`]): mean and variance then count it as often.
//! Gradients are those of the loss by the stored row. With g the gradient by `gamma x^ + beta`, m the
//! repeats of a row and n their sum: beta gets sum g, gamma gets sum g x^, and
//! `dz = gamma / sqrt(variance + epsilon) * (g - m (sum g) / n - m x^ (sum g x^) / n)`.
//!
//! Rows are worked on in blocks that stay in the cache between the product and the statistics, and
//! between the gradient of the normalisation and the two products behind it.

mod moments;
mod passes;

use privet_graph::{DenseMatrix, SimRng};
use rayon::prelude::*;

pub use moments::Repeats;

use super::{Initialization, Linear};
use crate::kernels::block_of_rows;
use crate::parameters::{Parameter, Parameters};
use moments::ColumnMoments;
use passes::{BackwardBlock, ColumnNormalization};

const EPSILON: f64 = 1e-5;
/// How much a batch counts in the running averages, as in PyTorch.
const MOMENTUM: f64 = 0.1;
/// Partial sums are kept for as many ranges of rows, at most.
const RANGES: usize = 32;

/// Linear, normalised over the batch, rectified.
#[derive(Debug, Clone)]
pub struct NormalizedLinear {
    /// One row per input, one column per output.
    pub weight: Parameter,
    gamma: Parameter,
    beta: Parameter,
    running_mean: Parameter,
    running_variance: Parameter,
    /// What backward needs of the last forward pass: Z, and how it was normalised.
    raw: DenseMatrix,
    normalization: ColumnNormalization,
    moments: Vec<ColumnMoments>,
    /// The gradients of the weights from each range of rows.
    partial: Vec<DenseMatrix>,
    /// How much the next batch counts in the running averages.
    momentum: f64,
}

impl NormalizedLinear {
    /// A layer whose tensors are called `NAME.weight`, `NAME.gamma`, `NAME.beta`,
    /// `NAME.running_mean` and `NAME.running_variance`.
    pub fn new(name: &str, inputs: usize, outputs: usize, rng: &mut SimRng) -> Self {
        let constant = |value: f32| {
            let mut row = DenseMatrix::zeros(1, outputs);
            row.values_mut().fill(value);
            row
        };
        Self {
            // Only the weight of a linear layer is kept: the normalisation would cancel its bias.
            weight: Linear::new(name, inputs, outputs, Initialization::FanIn, rng).weight,
            gamma: Parameter::trained(format!("{name}.gamma"), constant(1.0)),
            beta: Parameter::trained(format!("{name}.beta"), constant(0.0)),
            running_mean: Parameter::buffer(format!("{name}.running_mean"), constant(0.0)),
            running_variance: Parameter::buffer(format!("{name}.running_variance"), constant(1.0)),
            raw: DenseMatrix::zeros(0, 0),
            normalization: ColumnNormalization::default(),
            moments: Vec::new(),
            partial: Vec::new(),
            momentum: MOMENTUM,
        }
    }

    /// Lets the next batches count as much in the running averages: `1 / k` for batch k makes them plain
    /// means over the batches since; `None` is what training does.
    pub fn set_momentum(&mut self, momentum: Option<f64>) {
        self.momentum = momentum.unwrap_or(MOMENTUM);
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.weight.value.columns()
    }

    /// Training: normalises by the statistics of the batch, and remembers them. `output` takes the
    /// shape it needs.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn forward(&mut self, input: &DenseMatrix, repeats: Repeats<'_>, output: &mut DenseMatrix) {
        let (rows, columns) = (input.rows(), self.outputs());
        self.check(input, repeats);
        self.raw.reshape(rows, columns);
        output.reshape(rows, columns);
        if rows == 0 || columns == 0 {
            return;
        }
        // Ranges follow from the shape alone, so partial sums are added in the same order on every
        // machine.
        let height = range_height(rows, columns);
        self.moments.resize_with(rows.div_ceil(height), ColumnMoments::default);
        let (weight, inputs) = (&self.weight.value, input.columns());
        let measure = |((range, raw), moments): ((usize, &mut [f32]), &mut ColumnMoments)| {
            let first = range * height;
            let count = raw.len() / columns;
            let input = &input.values()[first * inputs..(first + count) * inputs];
            passes::multiply(weight, input, repeats.rows(first, count), raw, moments);
            // The raw products are kept: the gradient recomputes normalised values from them.
        };
        let ranges = self.raw.values_mut().par_chunks_mut(height * columns).enumerate();
        match self.moments.len() {
            1 => measure(((0, self.raw.values_mut()), &mut self.moments[0])),
            _ => ranges.zip(&mut self.moments).for_each(measure),
        }
        // All rows' moments are needed before the first row can be normalised: hence two passes.
        self.settle_statistics();
        let (raw, normalization) = (self.raw.values(), &self.normalization);
        in_ranges(output, height, |first, output| {
            let raw = &raw[first * columns..first * columns + output.len()];
            normalization.apply(raw, output);
        });
    }

    /// Evaluation: normalises by the running averages.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn evaluate(&self, input: &DenseMatrix, output: &mut DenseMatrix) {
        let (rows, columns, inputs) = (input.rows(), self.outputs(), input.columns());
        // The running statistics are of all rows seen, so a single row normalises as well as a
        // batch.
        self.check(input, Repeats::Once);
        output.reshape(rows, columns);
        let mean = self.running_mean.value.values();
        let inverse = inverse_deviations(self.running_variance.value.values());
        let mut normalization = ColumnNormalization::default();
        normalization.set(mean.iter().copied(), inverse, &self.gamma.value, &self.beta.value);
        in_ranges(output, range_height(rows, columns), |first, output| {
            let count = output.len() / columns;
            let input = &input.values()[first * inputs..(first + count) * inputs];
            passes::multiply_and_apply(&self.weight.value, input, &normalization, output);
        });
    }

    /// Adds to the gradients of the tensors, turns the gradient by the output of the last forward pass
    /// into that by Z, and writes that by the input where asked.
    ///
    /// # Panics
    /// If the shapes are not those of the last forward pass.
    pub fn backward(
        &mut self,
        input: &DenseMatrix,
        repeats: Repeats<'_>,
        gradient: &mut DenseMatrix,
        input_gradient: Option<&mut DenseMatrix>,
    ) {
        let (rows, columns, inputs) = (input.rows(), self.outputs(), input.columns());
        self.check(input, repeats);
        assert_eq!((rows, columns), (self.raw.rows(), self.raw.columns()), "rows of a batch");
        assert_eq!((rows, columns), (gradient.rows(), gradient.columns()), "shape of a gradient");
        if rows == 0 || columns == 0 {
            return;
        }
        let height = range_height(rows, columns);
        // The gradient through mean and variance needs two column sums over the whole batch first.
        self.sum_gradients(gradient, height);
        self.partial.resize_with(rows.div_ceil(height), || DenseMatrix::zeros(0, 0));
        self.partial.iter_mut().for_each(|partial| partial.reshape(inputs, columns));
        // Without an input gradient every block gets an empty slice, and skips that product.
        let mut unused = [];
        let by_input = input_gradient.map_or(&mut unused[..], |matrix| {
            matrix.reshape(rows, inputs);
            matrix.values_mut()
        });
        let blocks = split(by_input, rows.div_ceil(height), height * inputs);
        let jobs = gradient
            .values_mut()
            .chunks_mut(height * columns)
            .zip(blocks)
            .zip(&mut self.partial)
            .enumerate();
        let (raw, weight) = (self.raw.values(), &self.weight.value);
        let jobs: Vec<BackwardBlock<'_>> = jobs
            .map(|(range, ((gradient, by_input), partial))| {
                let (first, count) = (range * height, gradient.len() / columns);
                let raw = &raw[first * columns..(first + count) * columns];
                let input = &input.values()[first * inputs..(first + count) * inputs];
                let repeats = repeats.rows(first, count);
                BackwardBlock { raw, input, weight, repeats, gradient, by_input, partial }
            })
            .collect();
        let normalization = &self.normalization;
        match jobs.len() {
            1 => jobs.into_iter().for_each(|job| job.run(normalization)),
            _ => jobs.into_par_iter().for_each(|job| job.run(normalization)),
        }
        // In the order of the ranges: the sum has the same rounding whatever thread came first.
        for partial in &self.partial {
            add(&mut self.weight.gradient, partial.values());
        }
    }

    /// The sums over all rows that the gradient of a normalised row depends on.
    fn sum_gradients(&mut self, gradient: &DenseMatrix, height: usize) {
        let columns = self.outputs();
        let (raw, normalization) = (self.raw.values(), &self.normalization);
        let sum = |(range, moments): (usize, &mut ColumnMoments)| {
            let from = range * height * columns;
            let to = (from + height * columns).min(raw.len());
            normalization.sum_gradients(&raw[from..to], &gradient.values()[from..to], moments);
        };
        match self.moments.len() {
            1 => sum((0, &mut self.moments[0])),
            _ => self.moments.par_iter_mut().enumerate().for_each(sum),
        }
        let total = ColumnMoments::added(&self.moments, columns);
        // Sums over the batch are kept in f64 and rounded once.
        let by = |sums: &[f64]| sums.iter().map(|&sum| sum as f32).collect::<Vec<_>>();
        // d loss/d beta = sum of g, d loss/d gamma = sum of g x̂.
        add(&mut self.beta.gradient, &by(&total.first));
        add(&mut self.gamma.gradient, &by(&total.second));
        self.normalization.set_gradient_means(&total);
    }

    /// Turns the moments of the ranges into a normalisation, and updates the running averages.
    fn settle_statistics(&mut self) {
        let total = ColumnMoments::pooled(&self.moments, self.outputs());
        let n = total.count;
        let variances: Vec<f64> = total.second.iter().map(|sum| sum / n).collect();
        // EPSILON keeps columns without variance finite.
        let inverse = variances.iter().map(|v| (1.0 / (v + EPSILON).sqrt()) as f32);
        let mean = total.first.iter().map(|&mean| mean as f32);
        let (gamma, beta) = (&self.gamma.value, &self.beta.value);
        self.normalization.set(mean, inverse, gamma, beta);
        self.normalization.set_count(n);
        // One row has no variance, and says little about the mean.
        if n < 2.0 {
            return;
        }
        let momentum = self.momentum;
        let running = |average: &mut f32, new: f64| {
            *average = (f64::from(*average) * (1.0 - momentum) + new * momentum) as f32;
        };
        let averages = self.running_mean.value.values_mut().iter_mut();
        averages.zip(&total.first).for_each(|(average, &mean)| running(average, mean));
        let averages = self.running_variance.value.values_mut().iter_mut();
        // The running variance is the unbiased one, the batch is normalised with the biased one: as in PyTorch.
        averages.zip(&variances).for_each(|(average, v)| running(average, v * n / (n - 1.0)));
    }

    fn check(&self, input: &DenseMatrix, repeats: Repeats<'_>) {
        assert_eq!(input.columns(), self.weight.value.rows(), "inputs of a layer");
        if let Repeats::Counts(counts) = repeats {
            assert_eq!(counts.len(), input.rows(), "a number of repeats per row");
        }
    }
}

/// Rows per range: whole blocks, and a number of ranges that depends on the shape alone.
fn range_height(rows: usize, columns: usize) -> usize {
    let block = block_of_rows(columns);
    rows.div_ceil(block).div_ceil(RANGES).max(1) * block
}

/// Calls `work` with the first row and the values of every range.
fn in_ranges(matrix: &mut DenseMatrix, height: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    if rows == 0 || columns == 0 {
        return;
    }
    if rows <= height {
        return work(0, matrix.values_mut());
    }
    let ranges = matrix.values_mut().par_chunks_mut(height * columns).enumerate();
    ranges.for_each(|(range, values)| work(range * height, values));
}

/// Cuts values into `count` pieces of `length`, empty ones behind the end.
fn split(mut values: &mut [f32], count: usize, length: usize) -> Vec<&mut [f32]> {
    let mut pieces = Vec::with_capacity(count);
    for _ in 0..count {
        let (head, tail) = values.split_at_mut(length.min(values.len()));
        pieces.push(head);
        values = tail;
    }
    pieces
}

fn add(gradient: &mut DenseMatrix, sums: &[f32]) {
    gradient.values_mut().iter_mut().zip(sums).for_each(|(g, sum)| *g += sum);
}

fn inverse_deviations(variances: &[f32]) -> impl Iterator<Item = f32> + '_ {
    variances.iter().map(|&v| (1.0 / (f64::from(v) + EPSILON).sqrt()) as f32)
}

impl Parameters for NormalizedLinear {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        let learnt = [&self.weight, &self.gamma, &self.beta];
        learnt.into_iter().for_each(&mut *visitor);
        [&self.running_mean, &self.running_variance].into_iter().for_each(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        let learnt = [&mut self.weight, &mut self.gamma, &mut self.beta];
        learnt.into_iter().for_each(&mut *visitor);
        [&mut self.running_mean, &mut self.running_variance].into_iter().for_each(visitor);
    }
}

#[cfg(test)]
mod tests {
    //! The fused layer against finite differences, and against the three layers it is made of.

    use super::*;
    use crate::finite_differences::{assert_gradient, filled, weighted_sum};
    use crate::layers::relu;

    fn layer(inputs: usize, outputs: usize) -> NormalizedLinear {
        let mut layer = NormalizedLinear::new("l", inputs, outputs, &mut SimRng::new(5));
        layer.gamma.value = filled(1, outputs, 3);
        layer.beta.value = filled(1, outputs, 4);
        layer
    }

    fn loss(
        layer: &NormalizedLinear,
        input: &DenseMatrix,
        repeats: Repeats<'_>,
        w: &DenseMatrix,
    ) -> f64 {
        let mut output = DenseMatrix::zeros(0, 0);
        layer.clone().forward(input, repeats, &mut output);
        weighted_sum(&output, w)
    }

    #[test]
    fn gradients_match_finite_differences_with_and_without_repeats() {
        let counts = [1.0, 3.0, 2.0, 1.0, 5.0, 1.0, 2.0, 1.0];
        for repeats in [Repeats::Once, Repeats::Counts(&counts)] {
            let (input, weights) = (filled(8, 3, 1), filled(8, 2, 2));
            let start = layer(3, 2);
            let mut layer = start.clone();
            layer.forward(&input, repeats, &mut DenseMatrix::zeros(0, 0));
            let (mut gradient, mut by_input) = (weights.clone(), DenseMatrix::zeros(0, 0));
            layer.backward(&input, repeats, &mut gradient, Some(&mut by_input));
            assert_gradient(&input, &by_input, |x| loss(&start, x, repeats, &weights));
            for tensor in 0..3 {
                let mut found = Vec::new();
                layer.visit(&mut |p| found.push((p.value.clone(), p.gradient.clone())));
                assert_gradient(&found[tensor].0, &found[tensor].1, |value| {
                    let mut changed = start.clone();
                    let mut at = 0;
                    changed.visit_mut(&mut |p| {
                        if at == tensor {
                            p.value = value.clone();
                        }
                        at += 1;
                    });
                    loss(&changed, &input, repeats, &weights)
                });
            }
        }
    }

    /// A row with a count is the same as the row written out as often: outputs, statistics and the sum of
    /// the gradients of the copies.
    #[test]
    fn a_count_is_the_same_as_repeated_rows() {
        let counts = [2.0, 1.0, 3.0];
        let of = [0, 0, 1, 2, 2, 2];
        let (input, by_output) = (filled(3, 4, 1), filled(6, 5, 2));
        let rows = of.iter().flat_map(|&row| input.row(row)).copied().collect();
        let written_out = DenseMatrix::new(6, 4, rows).unwrap();
        let (mut short, mut long) = (layer(4, 5), layer(4, 5));
        let (mut short_out, mut long_out) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
        short.forward(&input, Repeats::Counts(&counts), &mut short_out);
        long.forward(&written_out, Repeats::Once, &mut long_out);
        let mut summed = DenseMatrix::zeros(3, 5);
        for (copy, &row) in of.iter().enumerate() {
            for column in 0..5 {
                assert!((short_out.row(row)[column] - long_out.row(copy)[column]).abs() < 1e-5);
                summed.row_mut(row)[column] += by_output.row(copy)[column];
            }
        }
        short.backward(&input, Repeats::Counts(&counts), &mut summed, None);
        long.backward(&written_out, Repeats::Once, &mut by_output.clone(), None);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        short.visit(&mut |p| a.extend(p.gradient.values().iter().chain(p.value.values()).copied()));
        long.visit(&mut |p| b.extend(p.gradient.values().iter().chain(p.value.values()).copied()));
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5));
    }

    #[test]
    fn it_is_its_three_parts() {
        let input = filled(3_000, 6, 1);
        let mut fused = NormalizedLinear::new("l", 6, 40, &mut SimRng::new(5));
        let mut linear = Linear::new("l", 6, 40, Initialization::FanIn, &mut SimRng::new(5));
        linear.bias.value.values_mut().fill(0.0);
        let (mut found, mut expected) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
        let near = |a: &DenseMatrix, b: &DenseMatrix| {
            a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 1e-4)
        };
        fused.forward(&input, Repeats::Once, &mut found);
        linear.forward(&input, &mut expected);
        let moments: Vec<(f64, f64)> = (0..40).map(|column| moments(&expected, column)).collect();
        normalize(&mut expected, &moments);
        assert!(near(&found, &expected));
        fused.evaluate(&input, &mut found);
        linear.forward(&input, &mut expected);
        // One batch weighs a tenth against the start, 0 and 1; its variance is the unbiased one.
        let running =
            |&(mean, variance): &(f64, f64)| (0.1 * mean, 0.9 + 0.1 * variance * 3_000.0 / 2_999.0);
        normalize(&mut expected, &moments.iter().map(running).collect::<Vec<_>>());
        assert!(near(&found, &expected));
    }

    fn moments(values: &DenseMatrix, column: usize) -> (f64, f64) {
        let cells = || (0..values.rows()).map(|row| f64::from(values.row(row)[column]));
        let mean = cells().sum::<f64>() / values.rows() as f64;
        (mean, cells().map(|x| (x - mean) * (x - mean)).sum::<f64>() / values.rows() as f64)
    }

    /// Batch normalisation as defined, with gamma 1 and beta 0, then the rectifier.
    fn normalize(values: &mut DenseMatrix, moments: &[(f64, f64)]) {
        for row in 0..values.rows() {
            for (cell, (mean, variance)) in values.row_mut(row).iter_mut().zip(moments) {
                *cell = ((f64::from(*cell) - mean) / (variance + 1e-5).sqrt()) as f32;
            }
        }
        relu::forward(values);
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (input, mut gradient) = (filled(9_000, 7, 1), filled(9_000, 33, 2));
            let mut layer = layer(7, 33);
            let (mut output, mut by_input) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
            pool.install(|| {
                layer.forward(&input, Repeats::Once, &mut output);
                layer.backward(&input, Repeats::Once, &mut gradient, Some(&mut by_input));
            });
            (output, by_input, layer.weight, layer.gamma, layer.running_variance)
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }

    /// Columns far from zero lose no digits to cancellation.
    #[test]
    fn a_large_mean_leaves_the_variance_exact() {
        let mut layer = NormalizedLinear::new("l", 1, 1, &mut SimRng::new(1));
        layer.weight.value.values_mut()[0] = 1.0;
        let rows = (0..200_000).map(|row| 1_000.0 + (row % 2) as f32).collect();
        let input = DenseMatrix::new(200_000, 1, rows).unwrap();
        layer.forward(&input, Repeats::Once, &mut DenseMatrix::zeros(0, 0));
        let variance = layer.running_variance.value.values()[0];
        assert!((variance - (0.9 + 0.1 * 0.25)).abs() < 1e-5, "{variance}");
    }
}
