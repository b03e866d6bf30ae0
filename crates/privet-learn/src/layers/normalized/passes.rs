//! The passes over one range of rows, block by block.

use privet_graph::DenseMatrix;
use pulp::Arch;

use super::Repeats;
use super::moments::Moments;
use crate::kernels::{
    block_of_rows, block_product, block_product_left_transposed, block_product_right_transposed,
};

/// Rows that are added up in single precision, which has no digits to spare for more.
const SUMMED: usize = 1024;

/// `raw = input weight`, and the moments of `raw` while it is in the cache.
pub(super) fn multiply(
    weight: &DenseMatrix,
    input: &[f32],
    repeats: Repeats<'_>,
    raw: &mut [f32],
    moments: &mut Moments,
) {
    let (inputs, columns) = (weight.rows(), weight.columns());
    let height = block_of_rows(columns);
    moments.clear(columns);
    for (block, raw) in raw.chunks_mut(height * columns).enumerate() {
        let (first, count) = (block * height, raw.len() / columns);
        block_product(&input[first * inputs..(first + count) * inputs], weight, raw);
        for (part, raw) in raw.chunks(SUMMED * columns).enumerate() {
            let repeats = repeats.rows(first + part * SUMMED, raw.len() / columns);
            Arch::new().dispatch(
                #[inline(always)]
                || moments.measure(raw, repeats),
            );
        }
    }
}

/// `output = max(normalised input weight, 0)`.
pub(super) fn multiply_and_apply(
    weight: &DenseMatrix,
    input: &[f32],
    normalization: &Normalization,
    output: &mut [f32],
) {
    let (inputs, columns) = (weight.rows(), weight.columns());
    let height = block_of_rows(columns);
    for (block, output) in output.chunks_mut(height * columns).enumerate() {
        let (first, count) = (block * height, output.len() / columns);
        block_product(&input[first * inputs..(first + count) * inputs], weight, output);
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for row in output.chunks_exact_mut(columns) {
                    for (column, value) in row.iter_mut().enumerate() {
                        *value = normalization.scaled(column, *value).max(0.0);
                    }
                }
            },
        );
    }
}

/// What is taken from and multiplied into every column, and what its gradient needs.
#[derive(Debug, Clone, Default)]
pub(super) struct Normalization {
    count: f64,
    mean: Vec<f32>,
    inverse: Vec<f32>,
    /// gamma / deviation.
    scale: Vec<f32>,
    beta: Vec<f32>,
    /// (sum g) / n and (sum g x^) / n.
    mean_g: Vec<f32>,
    mean_gx: Vec<f32>,
}

impl Normalization {
    pub fn set(
        &mut self,
        mean: impl Iterator<Item = f32>,
        inverse: impl Iterator<Item = f32>,
        gamma: &DenseMatrix,
        beta: &DenseMatrix,
    ) {
        let refill = |column: &mut Vec<f32>, values: &mut dyn Iterator<Item = f32>| {
            column.clear();
            column.extend(values);
        };
        refill(&mut self.mean, &mut { mean });
        refill(&mut self.inverse, &mut { inverse });
        let scale =
            gamma.values().iter().zip(&self.inverse).map(|(gamma, inverse)| gamma * inverse);
        refill(&mut self.scale, &mut { scale });
        refill(&mut self.beta, &mut beta.values().iter().copied());
    }

    pub fn set_count(&mut self, count: f64) {
        self.count = count.max(1.0);
    }

    pub fn set_gradient_means(&mut self, sums: &Moments) {
        let share = |sum: &f64| (sum / self.count) as f32;
        self.mean_g.clear();
        self.mean_g.extend(sums.first.iter().map(share));
        self.mean_gx.clear();
        self.mean_gx.extend(sums.second.iter().map(share));
    }

    #[inline(always)]
    fn scaled(&self, column: usize, raw: f32) -> f32 {
        (raw - self.mean[column]) * self.scale[column] + self.beta[column]
    }

    /// The rectified, normalised rows.
    pub fn apply(&self, raw: &[f32], output: &mut [f32]) {
        let columns = self.mean.len();
        Arch::new().dispatch(
            #[inline(always)]
            || {
                let rows = raw.chunks_exact(columns);
                for (output, raw) in output.chunks_exact_mut(columns).zip(rows) {
                    for (column, out) in output.iter_mut().enumerate() {
                        *out = self.scaled(column, raw[column]).max(0.0);
                    }
                }
            },
        );
    }

    /// sum g and sum g x^, where g is the gradient that the rectifier lets through.
    pub fn sum_gradients(&self, raw: &[f32], gradient: &[f32], sums: &mut Moments) {
        let columns = self.mean.len();
        let length = block_of_rows(columns) * columns;
        sums.clear(columns);
        for (raw, gradient) in raw.chunks(length).zip(gradient.chunks(length)) {
            Arch::new().dispatch(
                #[inline(always)]
                || {
                    sums.add(
                        raw,
                        gradient,
                        #[inline(always)]
                        |column, raw, gradient| {
                            let passes = self.scaled(column, raw) > 0.0;
                            let g = if passes { gradient } else { 0.0 };
                            (g, g * (raw - self.mean[column]) * self.inverse[column])
                        },
                    );
                },
            );
        }
    }

    #[inline(always)]
    fn gradient_row(&self, raw: &[f32], repeats: f32, gradient: &mut [f32]) {
        for (column, g) in gradient.iter_mut().enumerate() {
            let passed = if self.scaled(column, raw[column]) > 0.0 { *g } else { 0.0 };
            let normalized = (raw[column] - self.mean[column]) * self.inverse[column];
            let taken = repeats * (self.mean_g[column] + normalized * self.mean_gx[column]);
            *g = self.scale[column] * (passed - taken);
        }
    }
}

/// One range of rows on the way back.
pub(super) struct BackwardBlock<'a> {
    pub raw: &'a [f32],
    pub input: &'a [f32],
    pub weight: &'a DenseMatrix,
    pub repeats: Repeats<'a>,
    /// The gradient by the output, which becomes that by Z.
    pub gradient: &'a mut [f32],
    /// The gradient by the input; empty if it is not wanted.
    pub by_input: &'a mut [f32],
    pub partial: &'a mut DenseMatrix,
}

impl BackwardBlock<'_> {
    pub fn run(self, normalization: &Normalization) {
        let (inputs, columns) = (self.weight.rows(), self.weight.columns());
        let height = block_of_rows(columns);
        self.partial.values_mut().fill(0.0);
        for (block, gradient) in self.gradient.chunks_mut(height * columns).enumerate() {
            let (first, count) = (block * height, gradient.len() / columns);
            let raw = &self.raw[first * columns..(first + count) * columns];
            let repeats = self.repeats.rows(first, count);
            Arch::new().dispatch(
                #[inline(always)]
                || {
                    let rows = gradient.chunks_exact_mut(columns).zip(raw.chunks_exact(columns));
                    for (row, (gradient, raw)) in rows.enumerate() {
                        normalization.gradient_row(raw, repeats.of(row), gradient);
                    }
                },
            );
            let entries = first * inputs..(first + count) * inputs;
            let partial = self.partial.values_mut();
            let input = &self.input[entries.clone()];
            block_product_left_transposed(input, gradient, columns, partial);
            if !self.by_input.is_empty() {
                let by_input = &mut self.by_input[entries];
                block_product_right_transposed(gradient, self.weight, by_input);
            }
        }
    }
}
