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
mod tests {
    use super::*;
    use crate::sgd::learner::RowTerms;
    use crate::sgd::quantize::{GradientLattice, quantize};
    use crate::sgd::sum::integer_sum;
    use privet_graph::{DenseMatrix, SparseBuilder};
    use proptest::prelude::*;

    const LAYERS: [Layer; 2] = [
        Layer { inputs: 3, outputs: 2, bias: Bias::Trained },
        Layer { inputs: 2, outputs: 4, bias: Bias::Absent },
    ];

    fn dense(rows: usize, columns: usize, values: &[f32]) -> DenseMatrix {
        let mut matrix = DenseMatrix::zeros(rows, columns);
        matrix.values_mut().copy_from_slice(values);
        matrix
    }

    /// Factors from numbers for each row: 3 + 2 for the first layer, 2 + 4 for the second.
    fn factors(rows: &[[f32; 11]], sparse: bool) -> Vec<Factors> {
        let part = |from: usize, to: usize| -> Vec<f32> {
            rows.iter().flat_map(|row| row[from..to].to_vec()).collect()
        };
        let first = if sparse {
            let mut builder = SparseBuilder::new(3);
            for row in rows {
                let mut entries: Vec<(u32, f32)> =
                    (0..3).zip(row[..3].iter().copied()).filter(|entry| entry.1 != 0.0).collect();
                builder.push_row(&mut entries).unwrap();
            }
            FeatureMatrix::Sparse(builder.finish())
        } else {
            FeatureMatrix::Dense(dense(rows.len(), 3, &part(0, 3)))
        };
        let second = FeatureMatrix::Dense(dense(rows.len(), 2, &part(5, 7)));
        vec![
            Factors::rank_one(first, dense(rows.len(), 2, &part(3, 5))),
            Factors::rank_one(second, dense(rows.len(), 4, &part(7, 11))),
        ]
    }

    /// The longest gradient, in steps.
    const LONGEST: u64 = (1 << 38) + 12_345;

    /// The sum in steps, and as numbers.
    fn sums(factors: &[Factors], weights: &[f32], clip_norm: f64) -> (Vec<i64>, Vec<f64>) {
        let lattice = GradientLattice { longest: LONGEST, clip_norm };
        let steps = integer_sum(&LAYERS, factors, &quantize(&LAYERS, factors, weights, lattice));
        let step = clip_norm / LONGEST as f64;
        let numbers = steps.iter().map(|&sum| sum as f64 * step).collect();
        (steps, numbers)
    }

    /// Whether a sum in steps is as short as one gradient, exactly.
    fn is_short(steps: &[i64]) -> bool {
        crate::lattice::square(steps).is_some_and(|square| square <= u128::from(LONGEST).pow(2))
    }

    /// One row's gradient, written out.
    fn gradient(row: &[f32; 11]) -> Vec<f64> {
        let outer = |a: &[f32], g: &[f32]| -> Vec<f64> {
            a.iter().flat_map(|&a| g.iter().map(move |&g| f64::from(a) * f64::from(g))).collect()
        };
        let bias = row[3..5].iter().map(|&g| f64::from(g)).collect();
        [outer(&row[..3], &row[3..5]), bias, outer(&row[5..7], &row[7..])].concat()
    }

    fn norm(values: impl IntoIterator<Item = f64>) -> f64 {
        values.into_iter().map(|value| value * value).sum::<f64>().sqrt()
    }

    proptest! {
        #[test]
        fn the_sum_is_that_of_single_clipped_gradients(
            rows in prop::collection::vec(prop::array::uniform11(-2.0f32..2.0), 0..8),
            clip in 0.01f64..20.0, sparse: bool
        ) {
            let factors = factors(&rows, sparse);
            prop_assert!(check(&LAYERS, &factors, rows.len()).is_ok());
            let weights = clip_weights(&LAYERS, &factors, rows.len(), clip);
            let (_, found) = sums(&factors, &weights, clip);
            let mut expected = vec![0.0; 16];
            for row in &rows {
                let single = gradient(row);
                let weight = (clip / norm(single.clone())).min(1.0);
                expected.iter_mut().zip(single).for_each(|(sum, value)| *sum += weight * value);
            }
            let off = norm(found.iter().zip(&expected).map(|(f, e)| f - e));
            prop_assert!(off <= 1e-4 * (1.0 + norm(expected)), "{off}");
        }

        #[test]
        fn no_row_exceeds_the_clip_norm(
            row in prop::array::uniform11(prop::num::f32::ANY), clip in 1e-3f64..1e3
        ) {
            let factors = factors(&[row], false);
            let weights = clip_weights(&LAYERS, &factors, 1, clip);
            prop_assert!(is_short(&sums(&factors, &weights, clip).0));
        }
    }

    #[test]
    fn what_is_not_a_number_counts_for_nothing() {
        let good = [0.5f32; 11];
        let mut rows = vec![good; 4];
        rows[0][0] = f32::NAN;
        rows[1][3] = f32::INFINITY;
        (rows[2][0], rows[2][3], rows[2][4]) = (f32::INFINITY, 0.0, 0.0);
        let factors = factors(&rows, false);
        let weights = clip_weights(&LAYERS, &factors, 4, 100.0);
        assert_eq!(weights, [0.0, 0.0, 0.0, 1.0]);
        let (_, sum) = sums(&factors, &weights, 100.0);
        assert!(sum.iter().zip(gradient(&good)).all(|(found, one)| (found - one).abs() < 1e-3));
    }

    /// Rows of several terms each: `starts` cuts what `factors` made of single ones.
    fn joined(terms: &[[f32; 11]], starts: &[usize], sparse: bool) -> Vec<Factors> {
        let several =
            |factors| Factors { terms: RowTerms::Several { starts: starts.to_vec() }, ..factors };
        factors(terms, sparse).into_iter().map(several).collect()
    }

    proptest! {
        /// Against gradients written out one by one, each the sum of its terms.
        #[test]
        fn rows_of_several_terms_are_clipped_as_a_whole(
            rows in prop::collection::vec(
                prop::collection::vec(prop::array::uniform11(-2.0f32..2.0), 0..5), 0..6),
            clip in 0.01f64..20.0, sparse: bool
        ) {
            let mut starts = vec![0];
            rows.iter().for_each(|terms| starts.push(starts[starts.len() - 1] + terms.len()));
            let factors = joined(&rows.concat(), &starts, sparse);
            prop_assert!(check(&LAYERS, &factors, rows.len()).is_ok());
            let weights = clip_weights(&LAYERS, &factors, rows.len(), clip);
            let (_, found) = sums(&factors, &weights, clip);
            let mut expected = vec![0.0; 16];
            for terms in &rows {
                let mut single = vec![0.0; 16];
                for term in terms {
                    single.iter_mut().zip(gradient(term)).for_each(|(sum, value)| *sum += value);
                }
                let weight = (clip / norm(single.clone())).min(1.0);
                expected.iter_mut().zip(single).for_each(|(sum, value)| *sum += weight * value);
            }
            let off = norm(found.iter().zip(&expected).map(|(f, e)| f - e));
            prop_assert!(off <= 1e-4 * (1.0 + norm(expected)), "{off}");
        }

        /// Also where terms nearly cancel, and rounding is larger than what they leave.
        #[test]
        fn no_row_of_several_terms_exceeds_the_clip_norm(
            term in prop::array::uniform11(-1e4f32..1e4), other in prop::array::uniform11(prop::num::f32::ANY),
            nudge in 0.0f32..1e-6, clip in 1e-3f64..1e3
        ) {
            let mut against = term;
            [3, 4, 7, 8, 9, 10].iter().for_each(|&at: &usize| against[at] *= -1.0 - nudge);
            for terms in [vec![term, against], vec![term, against, term, against], vec![term, other]] {
                let factors = joined(&terms, &[0, terms.len()], false);
                let weights = clip_weights(&LAYERS, &factors, 1, clip);
                prop_assert!(is_short(&sums(&factors, &weights, clip).0));
            }
        }
    }

    #[test]
    fn terms_must_be_in_order() {
        let terms = [[1.0; 11]; 3];
        assert!(check(&LAYERS, &joined(&terms, &[0, 1, 3], false), 2).is_ok());
        for starts in [&[0, 3][..], &[1, 2, 3], &[0, 2, 1], &[0, 4, 3], &[], &[0, 1, 2]] {
            assert!(check(&LAYERS, &joined(&terms, starts, false), 2).is_err(), "{starts:?}");
        }
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let factors = factors(&[[1.0; 11]; 2], false);
        assert!(check(&LAYERS, &factors, 2).is_ok());
        assert!(check(&LAYERS, &factors, 3).is_err());
        assert!(check(&LAYERS[..1], &factors, 2).is_err());
        let wider = Layer { inputs: 4, ..LAYERS[0] };
        let error = check(&[wider, LAYERS[1]], &factors, 2).unwrap_err().to_string();
        assert_eq!(error, "the data has 3 layer inputs, but the trained model was made for 4");
    }

    /// Either matrix may have a row too few or too many.
    #[test]
    fn rows_that_do_not_match_are_refused() {
        let layer = Layer { inputs: 2, outputs: 1, bias: Bias::Absent };
        let of = |inputs: usize, gradients: usize| {
            let inputs = FeatureMatrix::Dense(DenseMatrix::zeros(inputs, 2));
            [Factors::rank_one(inputs, DenseMatrix::zeros(gradients, 1))]
        };
        assert!(check(&[layer], &of(3, 3), 3).is_ok());
        for (inputs, gradients) in [(2, 3), (4, 3), (3, 2), (3, 4)] {
            assert!(check(&[layer], &of(inputs, gradients), 3).is_err(), "{inputs} {gradients}");
        }
    }

    /// Longer than the registers, by definition.
    #[test]
    fn long_products_are_sums_of_products() {
        for length in [0, 1, 15, 16, 17, 40, 64] {
            let a: Vec<f32> = (0..length).map(|i| (i as f32 - 7.0) / 4.0).collect();
            let b: Vec<f32> = (0..length).map(|i| (3.0 - i as f32) / 8.0).collect();
            let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            assert_eq!(dot(&a, &b), exact, "{length}");
        }
    }

    /// Two terms by hand: what their sum measures, what rounding may add, and how large its inputs are.
    #[test]
    fn the_size_of_two_terms_by_hand() {
        let layer = Layer { inputs: 2, outputs: 1, bias: Bias::Trained };
        let factors = |inputs: &[f32], gradients: &[f32]| Factors {
            inputs: FeatureMatrix::Dense(dense(2, 2, inputs)),
            output_gradients: dense(2, 1, gradients),
            terms: RowTerms::Several { starts: vec![0, 2] },
        };
        // (1, 2, bias 1) times 2, and (3, -1, bias 1) times -1: together (-1, 5, 1).
        let size = GradientSize::of(&layer, &factors(&[1.0, 2.0, 3.0, -1.0], &[2.0, -1.0]), 0..2);
        let bound = 24.0_f64.sqrt() + 11.0_f64.sqrt();
        let products = 2.0 + 1.0 + 2.0;
        let more = (size.square_norm - 27.0) / (products * f64::EPSILON * bound * bound);
        assert!((more - 1.0).abs() < 0.05, "{more}");
        let expected = 4.0 * f64::from(f32::EPSILON) * bound;
        assert!((size.rounding / expected - 1.0).abs() < 1e-12, "{}", size.rounding);
        assert_eq!(size.square_inputs, 30.0);
        // Small, and not nothing: (0.5, 0, 1/4) - (0, 0, 1/4).
        let small = GradientSize::of(&layer, &factors(&[2.0, 0.0, 0.0, 0.0], &[0.25, -0.25]), 0..2);
        assert!((small.square_norm - 0.25).abs() < 1e-12, "{}", small.square_norm);
        // One term alone needs no sum.
        let one = GradientSize::of(&layer, &factors(&[1.0, 2.0, 3.0, -1.0], &[2.0, -1.0]), 0..1);
        assert_eq!((one.square_norm, one.rounding, one.square_inputs), (24.0, 0.0, 5.0));
    }

    /// Inputs so large that a clipped output gradient would be lost between two numbers of `f32`, by the number of outputs.
    #[test]
    fn extreme_inputs_count_for_nothing() {
        let weight = |input: f32, outputs: usize| {
            let layer = Layer { inputs: 1, outputs, bias: Bias::Absent };
            let inputs = FeatureMatrix::Dense(dense(1, 1, &[input]));
            let factors = [Factors::rank_one(inputs, dense(1, outputs, &vec![1e-39; outputs]))];
            clip_weights(&[layer], &factors, 1, 1.0)[0]
        };
        assert_eq!([weight(1e37, 1), weight(1e37, 40), weight(3e38, 1)], [1.0, 0.0, 0.0]);
    }

    /// One row of two terms with one input and one output, clipped to a norm.
    fn weight_of_two(inputs: [f32; 2], gradients: [f32; 2], clip_norm: f64) -> f64 {
        let layer = Layer { inputs: 1, outputs: 1, bias: Bias::Absent };
        let factors = Factors {
            inputs: FeatureMatrix::Dense(dense(2, 1, &inputs)),
            output_gradients: dense(2, 1, &gradients),
            terms: RowTerms::Several { starts: vec![0, 2] },
        };
        f64::from(clip_weights(&[layer], &[factors], 1, clip_norm)[0])
    }

    /// A thousand less 999 is 1, and rounding may add four times 1999 times 2⁻²³ to it.
    #[test]
    fn what_rounding_may_add_is_clipped_away() {
        let weight = weight_of_two([1.0, 1.0], [1000.0, -999.0], 1.0);
        let expected = (1.0 - 1e-6) / (1.0 + 4.0 * 1999.0 / 2f64.powi(23));
        assert!((weight - expected).abs() < 1e-7, "{weight} {expected}");
    }

    /// The terms cancel to the last digit but one, and their square norm is rounded to less than nothing: nothing is left
    /// of the gradient, and nothing of it has to be clipped.
    #[test]
    fn a_norm_below_nothing_is_nothing() {
        let (inputs, gradients) = ([2.2, 2.1], [3.3, -3.457_143]);
        let [a, b] = inputs.map(f64::from);
        let [g, h] = gradients.map(f64::from);
        let square = a * a * (g * g) + b * b * (h * h) + 2.0 * (a * b) * (g * h);
        assert!(square < 0.0, "{square}");
        assert_eq!(weight_of_two(inputs, gradients, 0.01), 1.0);
    }
}
