//! The passes over one range of rows, block by block.

use privet_graph::DenseMatrix;

use super::Repeats;
use super::moments::ColumnMoments;
use crate::kernels::{
    block_of_rows, block_product, block_product_left_transposed, block_product_right_transposed,
    vectorized,
};

/// Rows that are added up in single precision, which has no digits to spare for more.
const SUMMED: usize = 1024;

/// `raw = input weight`, and the moments of `raw` while it is in the cache.
pub(super) fn multiply(
    weight: &DenseMatrix,
    input: &[f32],
    repeats: Repeats<'_>,
    raw: &mut [f32],
    moments: &mut ColumnMoments,
) {
    let (inputs, columns) = (weight.rows(), weight.columns());
    let height = block_of_rows(columns);
    moments.clear(columns);
    for (block, raw) in raw.chunks_mut(height * columns).enumerate() {
        let (first, count) = (block * height, raw.len() / columns);
        // The product of a block is measured while it is still in the cache.
        block_product(&input[first * inputs..(first + count) * inputs], weight, raw);
        // Sums in f32 are kept short, and pooled in f64 by the moments.
        for (part, raw) in raw.chunks(SUMMED * columns).enumerate() {
            let repeats = repeats.rows(first + part * SUMMED, raw.len() / columns);
            vectorized(
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
    normalization: &ColumnNormalization,
    output: &mut [f32],
) {
    let (inputs, columns) = (weight.rows(), weight.columns());
    let height = block_of_rows(columns);
    for (block, output) in output.chunks_mut(height * columns).enumerate() {
        let (first, count) = (block * height, output.len() / columns);
        block_product(&input[first * inputs..(first + count) * inputs], weight, output);
        vectorized(
            #[inline(always)]
            || {
                let per_column = normalization.per_column();
                output.chunks_exact_mut(columns).for_each(|row| per_column.apply_in_place(row));
            },
        );
    }
}

/// What is taken from and multiplied into every column, and what its gradient needs.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnNormalization {
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

impl ColumnNormalization {
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
        // gamma and the inverse deviation are one factor: one multiplication a value.
        let scale =
            gamma.values().iter().zip(&self.inverse).map(|(gamma, inverse)| gamma * inverse);
        refill(&mut self.scale, &mut { scale });
        refill(&mut self.beta, &mut beta.values().iter().copied());
    }

    pub fn set_count(&mut self, count: f64) {
        self.count = count.max(1.0);
    }

    pub fn set_gradient_means(&mut self, sums: &ColumnMoments) {
        let share = |sum: &f64| (sum / self.count) as f32;
        self.mean_g.clear();
        self.mean_g.extend(sums.first.iter().map(share));
        self.mean_gx.clear();
        self.mean_gx.extend(sums.second.iter().map(share));
    }

    /// The numbers of all columns, cut to the same length.
    #[inline(always)]
    fn per_column(&self) -> PerColumn<'_> {
        let n = self.mean.len();
        PerColumn {
            mean: &self.mean[..n],
            inverse: &self.inverse[..n],
            scale: &self.scale[..n],
            beta: &self.beta[..n],
        }
    }

    /// The rectified, normalised rows.
    pub fn apply(&self, raw: &[f32], output: &mut [f32]) {
        let columns = self.mean.len();
        vectorized(
            #[inline(always)]
            || {
                let per_column = self.per_column();
                let rows = raw.chunks_exact(columns);
                for (output, raw) in output.chunks_exact_mut(columns).zip(rows) {
                    per_column.apply(raw, output);
                }
            },
        );
    }

    /// sum g and sum g x^, where g is the gradient that the rectifier lets through.
    pub fn sum_gradients(&self, raw: &[f32], gradient: &[f32], sums: &mut ColumnMoments) {
        let columns = self.mean.len();
        let length = block_of_rows(columns).min(SUMMED) * columns;
        sums.clear(columns);
        for (raw, gradient) in raw.chunks(length).zip(gradient.chunks(length)) {
            vectorized(
                #[inline(always)]
                || {
                    let per_column = self.per_column();
                    let rows = raw.chunks_exact(columns).zip(gradient.chunks_exact(columns));
                    sums.add(
                        rows,
                        #[inline(always)]
                        |(raw, gradient), first, second| {
                            per_column.add_gradients(raw, gradient, first, second);
                        },
                    );
                },
            );
        }
    }
}

/// The numbers of all columns. Loops run over as many entries as every slice has, which the compiler
/// sees once the slices are cut to that length: only then does it use vector registers.
#[derive(Clone, Copy)]
struct PerColumn<'a> {
    mean: &'a [f32],
    inverse: &'a [f32],
    scale: &'a [f32],
    beta: &'a [f32],
}

impl PerColumn<'_> {
    #[inline(always)]
    fn apply_in_place(self, values: &mut [f32]) {
        // Slices of one known length: bounds are checked here and not in the loop.
        let n = values.len();
        let (mean, scale, beta) = (&self.mean[..n], &self.scale[..n], &self.beta[..n]);
        for c in 0..n {
            // Normalisation and rectifier in one pass over memory.
            values[c] = ((values[c] - mean[c]) * scale[c] + beta[c]).max(0.0);
        }
    }

    #[inline(always)]
    fn apply(self, raw: &[f32], output: &mut [f32]) {
        let n = output.len();
        let (mean, scale, beta) = (&self.mean[..n], &self.scale[..n], &self.beta[..n]);
        let raw = &raw[..n];
        for c in 0..n {
            output[c] = ((raw[c] - mean[c]) * scale[c] + beta[c]).max(0.0);
        }
    }

    #[inline(always)]
    fn add_gradients(self, raw: &[f32], gradient: &[f32], sum: &mut [f32], product: &mut [f32]) {
        let n = raw.len();
        let (mean, scale, beta) = (&self.mean[..n], &self.scale[..n], &self.beta[..n]);
        let (inverse, gradient) = (&self.inverse[..n], &gradient[..n]);
        let (sum, product) = (&mut sum[..n], &mut product[..n]);
        for c in 0..n {
            // Loaded in any case, so that the choice below needs no branch.
            let (centred, g) = (raw[c] - mean[c], gradient[c]);
            let passed = if centred * scale[c] + beta[c] > 0.0 { g } else { 0.0 };
            sum[c] += passed;
            product[c] += passed * (centred * inverse[c]);
        }
    }

    /// `means` are (sum g) / n and (sum g x^) / n.
    #[inline(always)]
    fn gradient_row(self, raw: &[f32], repeats: f32, means: (&[f32], &[f32]), out: &mut [f32]) {
        let n = out.len();
        let (mean, scale, beta) = (&self.mean[..n], &self.scale[..n], &self.beta[..n]);
        let (inverse, raw) = (&self.inverse[..n], &raw[..n]);
        let (mean_g, mean_gx) = (&means.0[..n], &means.1[..n]);
        for c in 0..n {
            let (centred, g) = (raw[c] - mean[c], out[c]);
            // The rectifier's gradient, from recomputed values: storing them would cost another matrix.
            let passed = if centred * scale[c] + beta[c] > 0.0 { g } else { 0.0 };
            // Ioffe and Szegedy 2015: dx = gamma/σ (g - mean(g) - x̂ mean(g x̂)), where a row that stands for several
            // counts as often.
            let taken = repeats * (mean_g[c] + centred * inverse[c] * mean_gx[c]);
            out[c] = scale[c] * (passed - taken);
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
    pub fn run(self, normalization: &ColumnNormalization) {
        let (inputs, columns) = (self.weight.rows(), self.weight.columns());
        let height = block_of_rows(columns);
        // This range's share of W's gradient; the layer adds the shares in order.
        self.partial.values_mut().fill(0.0);
        for (block, gradient) in self.gradient.chunks_mut(height * columns).enumerate() {
            let (first, count) = (block * height, gradient.len() / columns);
            let raw = &self.raw[first * columns..(first + count) * columns];
            let repeats = self.repeats.rows(first, count);
            vectorized(
                #[inline(always)]
                || {
                    let per_column = normalization.per_column();
                    let means = (&normalization.mean_g[..], &normalization.mean_gx[..]);
                    let rows = gradient.chunks_exact_mut(columns).zip(raw.chunks_exact(columns));
                    for (row, (gradient, raw)) in rows.enumerate() {
                        per_column.gradient_row(raw, repeats.of(row), means, gradient);
                    }
                },
            );
            // The gradient row holds dL/d(raw) from here on: X^T of it for W, and W^T of it for the
            // input.
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
