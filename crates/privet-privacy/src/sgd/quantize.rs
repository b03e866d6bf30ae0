//! [`IntegerFactors`]: clipped gradients as integers, whose norm is compared with the clip norm exactly.
//!
//! # Idea
//! A product of integers is one. So a gradient that is an outer product, or a sum of some, is put on a lattice by its
//! factors: inputs times a power of 2, output gradients times what is left, both rounded to the nearest integer. The sum of
//! all gradients is then a product of integer matrices.
//!
//! # Guarantee
//! *Lemma.* In steps of the lattice no row's gradient is longer than S.
//! *Proof.* For terms `α_t ⊗ γ_t` of integers the square norm is the integer
//! `Σ_layers Σ_{t,u} (α_t·α_u + b_t b_u)(γ_t·γ_u)`, with `b_t` the steps of the bias' input. It is computed without rounding and
//! compared with S²: inner products are sums of integers in `f64` that stay below 2⁵³, since `|α| ≤ 2²¹` by choice of the
//! power and `|γ| ≤ 2²⁵` by a check; their products are summed in 128 bits. A row that fails is shortened and cut anew; one
//! that fails four times is left out. ∎ What a row becomes depends on its own factors alone. That the weight
//! ([`clip_weights`](super::clip::clip_weights)) comes from floats decides how much of a gradient is kept, not the bound.
//!
//! # Resolution
//! Inputs and output gradients share the binary digits that S leaves: 20 each for up to 4096 training rows and a gradient
//! that is clipped, 16 each for a million rows. What rounding adds has no direction, so that it averages out over rows.

use std::ops::Range;

use privet_graph::FeatureMatrix;
use pulp::{Arch, Simd, WithSimd};

use super::clip::dot;
use super::learner::{Bias, Factors, Layer};
use crate::fault::{self, Fault};

/// Inputs of a term have a norm below 2 to this, but for rounding.
const INPUT_BITS: i32 = 20;
/// Output gradients have a square norm of at most this.
const LONGEST_OUTPUT: f64 = (1u64 << 50) as f64;
/// The most that terms of a row may add up to in a place: with all rows together below 2^53.
const MOST_IN_A_PLACE: f64 = (1u64 << 50) as f64;
/// How often a row is shortened before it is left out.
const ATTEMPTS: usize = 4;

/// The gradients of one layer, in steps: those of a term are the outer product of `inputs · scale`, rounded, and `outputs`.
pub(super) struct IntegerFactors {
    /// Which terms are kept.
    pub terms: Vec<usize>,
    /// What a term's inputs are multiplied with: a power of 2.
    pub scales: Vec<f64>,
    /// The output gradients of the kept terms, one after the other: integers.
    pub outputs: Vec<f64>,
}

/// How gradients lie on the lattice.
#[derive(Debug, Clone, Copy)]
pub(super) struct GradientLattice {
    /// S: the norm of the longest gradient.
    pub longest: u64,
    /// C: the same as a number.
    pub clip_norm: f64,
}

/// The rows with these weights, in steps, layer by layer.
pub(super) fn quantize(
    layers: &[Layer],
    factors: &[Factors],
    weights: &[f32],
    lattice: GradientLattice,
) -> Vec<IntegerFactors> {
    let empty = |_| IntegerFactors { terms: Vec::new(), scales: Vec::new(), outputs: Vec::new() };
    let mut kept: Vec<IntegerFactors> = (0..layers.len()).map(empty).collect();
    for (row, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        // How many steps a gradient of norm 1 has once it is clipped.
        // After clipping, norm C is `longest` steps.
        let unit = f64::from(weight) * lattice.longest as f64 / lattice.clip_norm;
        let parts: Vec<RowPart<'_>> = layers
            .iter()
            .zip(factors)
            .map(|(layer, factors)| RowPart::new(layer, factors, factors.terms.of_row(row), unit))
            .collect();
        let unchecked =
            fault::on(Fault::SumClippedNotRows) || row == 0 && fault::on(Fault::FirstRowNotClipped);
        if let Some(outputs) = in_steps(&parts, unit, lattice.longest, unchecked) {
            for ((kept, part), outputs) in kept.iter_mut().zip(parts).zip(outputs) {
                kept.terms.extend(part.terms);
                kept.scales.extend(part.scales);
                kept.outputs.extend(outputs);
            }
        }
    }
    kept
}

/// A row's output gradients in steps, if they can be made short enough.
fn in_steps(
    parts: &[RowPart<'_>],
    unit: f64,
    longest: u64,
    unchecked: bool,
) -> Option<Vec<Vec<f64>>> {
    let mut unit = unit;
    for _ in 0..ATTEMPTS {
        let outputs: Vec<Vec<f64>> = parts.iter().map(|part| part.outputs(unit)).collect();
        if unchecked {
            return Some(outputs);
        }
        let mut norm = Norm::default();
        for (at, (part, outputs)) in parts.iter().zip(&outputs).enumerate() {
            if at == 0 || !fault::on(Fault::LastLayerNotClipped) {
                norm.add(part, outputs);
            }
        }
        let shrink = norm.excess(longest);
        if shrink == 1.0 {
            return Some(outputs);
        }
        // Rounding anew may add as much again.
        // Rounding moved the row beyond the ball. It is scaled back and rounded again, by itself alone: other rows
        // have no influence, as the sensitivity proof requires.
        unit *= shrink * (1.0 - 2f64.powi(-18));
    }
    None
}

/// What is known of a row's norm.
#[derive(Debug, Default)]
struct Norm {
    square: i128,
    longest_output: f64,
    in_a_place: f64,
}

impl Norm {
    fn add(&mut self, part: &RowPart<'_>, outputs: &[f64]) {
        let width = part.layer.outputs;
        let of = |term: usize| &outputs[term * width..(term + 1) * width];
        for t in 0..part.scales.len() {
            let square = integer_dot(of(t), of(t));
            self.longest_output = self.longest_output.max(square);
            self.in_a_place += (part.product(t, t) * square).sqrt();
            for u in 0..=t {
                let product = part.product(t, u) as i128 * integer_dot(of(t), of(u)) as i128;
                // An exact integer: products and inner products are integers below 2^53, added in 128 bits.
                self.square += if u < t { 2 * product } else { product };
            }
        }
    }

    /// What a gradient is to be multiplied with so that it is short enough: 1 where it is.
    fn excess(&self, longest: u64) -> f64 {
        let fits = self.longest_output <= LONGEST_OUTPUT && self.in_a_place <= MOST_IN_A_PLACE;
        if fits && self.square <= i128::from(longest).pow(2) {
            return 1.0;
        }
        let by_norm = longest as f64 / (self.square.max(1) as f64).sqrt();
        let by_outputs = (LONGEST_OUTPUT / self.longest_output).sqrt();
        let all = by_norm.min(by_outputs).min(MOST_IN_A_PLACE / self.in_a_place);
        // Below 1, and what is no number is 0.
        if all > 0.0 { all.min(1.0 - f64::EPSILON) } else { 0.0 }
    }
}

/// A row's terms in one layer.
struct RowPart<'a> {
    layer: &'a Layer,
    factors: &'a Factors,
    terms: Range<usize>,
    scales: Vec<f64>,
    /// `α_t·α_u + b_t b_u` for u up to t: an integer.
    products: Vec<f64>,
}

impl<'a> RowPart<'a> {
    fn new(layer: &'a Layer, factors: &'a Factors, terms: Range<usize>, unit: f64) -> Self {
        let bias = match layer.bias {
            Bias::Trained => 1.0,
            Bias::Absent => 0.0,
        };
        let inputs = |t: usize| match &factors.inputs {
            FeatureMatrix::Dense(matrix) => matrix.row(t),
            FeatureMatrix::Sparse(matrix) => matrix.row(t).1,
        };
        let scale_of = |t: usize| {
            let output = factors.output_gradients.row(t);
            scale(dot(inputs(t), inputs(t)) + bias, unit * dot(output, output).sqrt())
        };
        let scales: Vec<f64> = terms.clone().map(scale_of).collect();
        let mut products = Vec::new();
        for (t, &a) in scales.iter().enumerate() {
            for (u, &b) in scales[..=t].iter().enumerate() {
                let (t, u) = (terms.start + t, terms.start + u);
                let product = match &factors.inputs {
                    FeatureMatrix::Sparse(matrix) if t != u => {
                        sparse_product(matrix.row(t), matrix.row(u), [a, b])
                    }
                    _ => Arch::new()
                        .dispatch(Product { rows: [inputs(t), inputs(u)], scales: [a, b] }),
                };
                products.push(product + bias * steps(1.0, a) * steps(1.0, b));
            }
        }
        Self { layer, factors, terms, scales, products }
    }

    fn product(&self, t: usize, u: usize) -> f64 {
        self.products[t * (t + 1) / 2 + u]
    }

    /// The output gradients, where a gradient of norm 1 has so many steps.
    fn outputs(&self, unit: f64) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.scales.len() * self.layer.outputs);
        for (term, scale) in self.terms.clone().zip(&self.scales) {
            let factor = unit / scale;
            let row = self.factors.output_gradients.row(term);
            // Input and output are rounded separately: their outer product is then an integer matrix.
            all.extend(row.iter().map(|&g| (f64::from(g) * factor).round_ties_even()));
        }
        all
    }
}

/// The power of 2 for inputs of a square norm: it gives them half of the digits that they have together with their output
/// gradient, whose norm in steps is `output` where an input of 1 is one step.
fn scale(square: f64, output: f64) -> f64 {
    let norm = square.sqrt();
    let together = norm * output;
    if norm == 0.0 || together == 0.0 || !together.is_finite() {
        return 1.0;
    }
    // Below 2^exponent.
    let exponent = |value: f64| (value.to_bits() >> 52) as i32 - 1022;
    // Both factors get about half of the digits, so that neither is rounded much more coarsely than the other.
    let digits = ((exponent(together) + 1) / 2).clamp(1, INPUT_BITS);
    2f64.powi(digits - exponent(norm))
}

/// An inner product of integers below 2^53.
fn integer_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sparse_product(a: (&[u32], &[f32]), b: (&[u32], &[f32]), scales: [f64; 2]) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    for (column, &value) in a.0.iter().zip(a.1) {
        at += b.0[at..].partition_point(|other| other < column);
        if b.0.get(at) == Some(column) {
            sum += steps(value, scales[0]) * steps(b.1[at], scales[1]);
        }
    }
    sum
}

/// An input in steps.
#[inline(always)]
pub(super) fn steps(input: f32, scale: f64) -> f64 {
    (f64::from(input) * scale).round_ties_even()
}

/// The inner product of two rows of inputs in steps: sixteen running sums of integers fill the registers.
struct Product<'a> {
    rows: [&'a [f32]; 2],
    scales: [f64; 2],
}

impl WithSimd for Product<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let ([a, b], [s, t]) = (self.rows, self.scales);
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
        let mut sums = [0f64; 16];
        for (a, b) in a.iter().zip(b) {
            for i in 0..16 {
                sums[i] += steps(a[i], s) * steps(b[i], t);
            }
        }
        let mut sum = sums.iter().sum();
        for (&a, &b) in a_rest.iter().zip(b_rest) {
            sum += steps(a, s) * steps(b, t);
        }
        sum
    }
}
