//! How much of each row's gradient is kept, from the factors of its terms. What is kept is compared with the clip norm in
//! integers afterwards ([`quantize`](super::quantize)); here it is only measured well.
//!
//! # Equation
//! The gradient of a row is a sum of outer products, so its square norm is
//! `|∇|² = Σ_layers Σ_{t,u} (a_t·a_u + b) (g_t·g_u)`
//! over pairs of the row's terms, with `b = 1` for a layer with bias. With one term it is `(|a|² + b) |g|²`
//! (Goodfellow 2015). The row is kept at `w = min(1, C / |∇|)`.
//!
//! # Rounding
//! Terms may cancel, so that what they leave is small beside what is rounded. Let `l = Σ_t √(|a_t|² + b) |g_t|`,
//! which bounds the norm. The sums of products above are off by at most `(inputs + outputs + terms) 2⁻⁵² l²`,
//! and the gradient itself, added up in `f32`, by `(terms + 2) 2⁻²³ l`. Both are added to the norm. With a
//! single term nothing cancels, and a constant part of C covers it.
//!
//! # Cost
//! `O(terms of a row² · (inputs + outputs))` per row and layer.

use std::ops::Range;

use privet_graph::FeatureMatrix;
use pulp::{Arch, Simd, WithSimd};

use super::learner::{Bias, Factors, Layer};
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// What clipped rows fall short of the clip norm by: more than rounding in `f32` can add.
const SAFETY: f64 = 1.0 - 1e-6;

/// Checks that the factors have the layers' shapes and the rows of the batch their terms.
pub(super) fn check(layers: &[Layer], factors: &[Factors], rows: usize) -> Result<()> {
    const WHO: &str = "the trained model";
    let refuse = |what, found, expected| match found == expected {
        true => Ok(()),
        false => Err(Error::shape(what, found, WHO, expected)),
    };
    refuse("factors", factors.len(), layers.len())?;
    layers.iter().zip(factors).try_for_each(|(layer, factors)| {
        let (inputs_rows, inputs) = match &factors.inputs {
            FeatureMatrix::Dense(matrix) => (matrix.rows(), matrix.columns()),
            FeatureMatrix::Sparse(matrix) => (matrix.rows(), matrix.columns()),
        };
        let unordered = || Error::range("starts of terms", "others", "ascending, one per row");
        let terms = factors.terms.count(rows).ok_or_else(unordered)?;
        refuse("rows of layer inputs", inputs_rows, terms)?;
        refuse("layer inputs", inputs, layer.inputs)?;
        refuse("rows of output gradients", factors.output_gradients.rows(), terms)?;
        refuse("output gradients", factors.output_gradients.columns(), layer.outputs)
    })
}

/// A weight below it, or inputs larger than its inverse, would meet numbers that `f32` rounds by a large
/// part of themselves.
const SMALLEST: f64 = 7.9e-31; // 2⁻¹⁰⁰
/// The inverse of the spacing of the smallest numbers of `f32`, with 24 bits to spare.
const LARGEST: f64 = 4.2e37; // 2¹²⁵

/// `min(1, C / |∇_i|)` for every row; 0 for a row whose norm is not a number, or so extreme that its
/// clipped gradient cannot be computed in `f32`. It depends on that row alone.
pub(super) fn clip_weights(
    layers: &[Layer],
    factors: &[Factors],
    rows: usize,
    clip_norm: f64,
) -> Vec<f32> {
    let unclipped = |row: usize| {
        fault::on(Fault::SumClippedNotRows) || row == 0 && fault::on(Fault::FirstRowNotClipped)
    };
    let weight = |row: usize| {
        let clip_norm = if unclipped(row) { f64::MAX } else { clip_norm };
        let (mut square_norm, mut rounding, mut extreme) = (0.0, 0.0, false);
        let measured = if fault::on(Fault::LastLayerNotClipped) { 1 } else { layers.len() };
        for (layer, factors) in layers.iter().zip(factors).take(measured) {
            let size = GradientSize::of(layer, factors, factors.terms.of_row(row));
            square_norm += size.square_norm;
            rounding += size.rounding;
            // Rounding w g moves it by up to 2⁻¹⁵⁰ per output, and the sum by |a| times that.
            extreme |= size.square_inputs * layer.outputs as f64 > (clip_norm * LARGEST).powi(2);
        }
        let norm = square_norm.sqrt() + rounding;
        // Only a first approximation in floats: `quantize` compares the norm with C in integers.
        let weight = (clip_norm * SAFETY / norm).min(1.0);
        if norm.is_finite() && weight >= SMALLEST && !extreme { weight as f32 } else { 0.0 }
    };
    (0..rows).map(weight).collect()
}

/// Cuts a whole sum down to a norm, which bounds nothing: one row can turn it around.
pub(super) fn clip_sum(sum: &mut [i64], longest: u64) {
    let norm = sum.iter().map(|&value| (value as f64).powi(2)).sum::<f64>().sqrt();
    let factor = (longest as f64 / norm).min(1.0);
    sum.iter_mut().for_each(|value| *value = (*value as f64 * factor) as i64);
}

/// How large the gradient of one row by one layer is.
struct GradientSize {
    /// Its square norm, rounded up.
    square_norm: f64,
    /// What adding up its terms may add to its norm.
    rounding: f64,
    /// A bound on the square of the sum of its inputs' norms.
    square_inputs: f64,
}

impl GradientSize {
    fn of(layer: &Layer, factors: &Factors, terms: Range<usize>) -> Self {
        let bias = match layer.bias {
            Bias::Trained => 1.0,
            Bias::Absent => 0.0,
        };
        let inputs = |t: usize, u: usize| match &factors.inputs {
            FeatureMatrix::Dense(matrix) => dot(matrix.row(t), matrix.row(u)),
            FeatureMatrix::Sparse(matrix) if t == u => dot(matrix.row(t).1, matrix.row(t).1),
            FeatureMatrix::Sparse(matrix) => sparse_dot(matrix.row(t), matrix.row(u)),
        };
        let outputs = |t: usize, u: usize| {
            dot(factors.output_gradients.row(t), factors.output_gradients.row(u))
        };
        let (mut square, mut bound, mut square_inputs) = (0.0, 0.0, 0.0);
        for t in terms.clone() {
            let square_of_inputs = inputs(t, t);
            // |a gᵀ|² = |a|² |g|² for an outer product; the bias is an input that is always 1.
            let of_term = (square_of_inputs + bias) * outputs(t, t);
            square += of_term;
            bound += of_term.sqrt();
            square_inputs += square_of_inputs;
            for u in terms.start..t {
                // <a_t g_tᵀ, a_u g_uᵀ> = (a_t·a_u)(g_t·g_u): the norm of the sum without forming the gradient.
                square += 2.0 * (inputs(t, u) + bias) * outputs(t, u);
            }
        }
        let count = terms.len() as f64;
        let square_inputs = square_inputs * count;
        if terms.len() <= 1 {
            return Self { square_norm: square, rounding: 0.0, square_inputs };
        }
        // What is not a number stays so: `max` would hide it.
        let square = if square < 0.0 { 0.0 } else { square };
        let products = (layer.inputs + layer.outputs) as f64 + count;
        // Terms may cancel, but their rounding errors need not: the errors are bounded by the sum of the terms'
        // norms.
        let square_norm = square + products * f64::EPSILON * bound * bound;
        let rounding = (count + 2.0) * f64::from(f32::EPSILON) * bound;
        Self { square_norm, rounding, square_inputs }
    }
}

/// The inner product: products of `f32` are exact in `f64`, and sixteen running sums fill the registers.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f64 {
    Arch::new().dispatch(Dot { a, b })
}

struct Dot<'a> {
    a: &'a [f32],
    b: &'a [f32],
}

impl WithSimd for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<16>(), self.b.as_chunks::<16>());
        let mut sums = [0f64; 16];
        for (a, b) in a.iter().zip(b) {
            for i in 0..16 {
                sums[i] += f64::from(a[i]) * f64::from(b[i]);
            }
        }
        let mut sum = sums.iter().sum();
        for (&a, &b) in a_rest.iter().zip(b_rest) {
            sum += f64::from(a) * f64::from(b);
        }
        sum
    }
}

/// The inner product of two sparse rows, whose columns ascend.
fn sparse_dot(a: (&[u32], &[f32]), b: (&[u32], &[f32])) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    for (column, &value) in a.0.iter().zip(a.1) {
        at += b.0[at..].partition_point(|other| other < column);
        if b.0.get(at) == Some(column) {
            sum += f64::from(value) * f64::from(b.1[at]);
        }
    }
    sum
}

#[cfg(test)]
mod tests;
