//! The sum of clipped gradients, from rank-one factors: no single gradient is ever written out.
//!
//! # Equation
//! The gradient of row `i` consists of outer products, so its norm is
//! `|∇_i|² = Σ_layers (|a_i|² + b) |g_i|²` with `b = 1` for a layer with bias (Goodfellow 2015), and the sum of
//! all rows, clipped by `w_i = min(1, C / |∇_i|)`, is `Aᵀ diag(w) G` for each layer.
//!
//! # Cost
//! `O(Σ_layers nnz(A) · outputs)`: one multiplication per weight that a row touches.

use privet_graph::FeatureMatrix;

use super::learner::{Bias, Factors, Layer};
use crate::error::{Error, Result};

/// What clipped rows fall short of the clip norm by: more than rounding in `f32` can add.
const SAFETY: f64 = 1.0 - 1e-6;

/// Checks that the factors have the layers' shapes and one row per row of the batch.
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
        refuse("rows of layer inputs", inputs_rows, rows)?;
        refuse("layer inputs", inputs, layer.inputs)?;
        refuse("rows of output gradients", factors.output_gradients.rows(), rows)?;
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
    let weight = |row: usize| {
        let (mut square_norm, mut extreme) = (0.0, false);
        for (layer, factors) in layers.iter().zip(factors) {
            let inputs = match &factors.inputs {
                FeatureMatrix::Dense(matrix) => square(matrix.row(row)),
                FeatureMatrix::Sparse(matrix) => square(matrix.row(row).1),
            };
            let bias = match layer.bias {
                Bias::Trained => 1.0,
                Bias::Absent => 0.0,
            };
            square_norm += (inputs + bias) * square(factors.output_gradients.row(row));
            // Rounding w g moves it by up to 2⁻¹⁵⁰ per output, and the sum by |a| times that.
            extreme |= inputs * layer.outputs as f64 > (clip_norm * LARGEST).powi(2);
        }
        let norm = square_norm.sqrt();
        let weight = (clip_norm * SAFETY / norm).min(1.0);
        if norm.is_finite() && weight >= SMALLEST && !extreme { weight as f32 } else { 0.0 }
    };
    (0..rows).map(weight).collect()
}

fn square(values: &[f32]) -> f64 {
    values.iter().map(|&value| f64::from(value) * f64::from(value)).sum()
}

/// `Aᵀ diag(w) G` for every layer, weights before biases, one after the other.
pub(super) fn weighted_sum(layers: &[Layer], factors: &[Factors], weights: &[f32]) -> Vec<f32> {
    let mut sum = vec![0f32; layers.iter().map(Layer::parameter_count).sum()];
    let mut rest = sum.as_mut_slice();
    for (layer, factors) in layers.iter().zip(factors) {
        let (of_layer, after) = rest.split_at_mut(layer.parameter_count());
        add_layer(layer, factors, weights, of_layer);
        rest = after;
    }
    sum
}

fn add_layer(layer: &Layer, factors: &Factors, weights: &[f32], sum: &mut [f32]) {
    let (matrix, bias) = sum.split_at_mut(layer.weight_count());
    let mut scaled = vec![0f32; layer.outputs];
    for (row, &weight) in weights.iter().enumerate() {
        // A row that is not a number must not come near the sum: zero times it is not zero.
        if weight == 0.0 {
            continue;
        }
        for (scaled, gradient) in scaled.iter_mut().zip(factors.output_gradients.row(row)) {
            *scaled = weight * gradient;
        }
        bias.iter_mut().zip(&scaled).for_each(|(sum, value)| *sum += value);
        match &factors.inputs {
            FeatureMatrix::Dense(inputs) => {
                let pairs = matrix.chunks_exact_mut(layer.outputs.max(1)).zip(inputs.row(row));
                pairs.for_each(|(target, &input)| add_scaled(target, input, &scaled));
            }
            FeatureMatrix::Sparse(inputs) => {
                let (columns, values) = inputs.row(row);
                for (&column, &input) in columns.iter().zip(values) {
                    let start = column as usize * layer.outputs;
                    add_scaled(&mut matrix[start..start + layer.outputs], input, &scaled);
                }
            }
        }
    }
}

#[inline]
fn add_scaled(target: &mut [f32], input: f32, scaled: &[f32]) {
    if input != 0.0 {
        target.iter_mut().zip(scaled).for_each(|(target, value)| *target += input * value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            Factors { inputs: first, output_gradients: dense(rows.len(), 2, &part(3, 5)) },
            Factors { inputs: second, output_gradients: dense(rows.len(), 4, &part(7, 11)) },
        ]
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
            let found = weighted_sum(&LAYERS, &factors, &weights);
            let mut expected = vec![0.0; 16];
            for row in &rows {
                let single = gradient(row);
                let weight = (clip / norm(single.clone())).min(1.0);
                expected.iter_mut().zip(single).for_each(|(sum, value)| *sum += weight * value);
            }
            let off = norm(found.iter().zip(&expected).map(|(f, e)| f64::from(*f) - e));
            prop_assert!(off <= 1e-5 * (1.0 + norm(expected)), "{off}");
        }

        #[test]
        fn no_row_exceeds_the_clip_norm(
            row in prop::array::uniform11(prop::num::f32::ANY), clip in 1e-3f64..1e3
        ) {
            let factors = factors(&[row], false);
            let weights = clip_weights(&LAYERS, &factors, 1, clip);
            let sum = weighted_sum(&LAYERS, &factors, &weights);
            prop_assert!(norm(sum.iter().map(|&value| f64::from(value))) <= clip);
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
        let sum = weighted_sum(&LAYERS, &factors, &weights);
        assert!(sum.iter().zip(gradient(&good)).all(|(found, one)| f64::from(*found) == one));
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
}
