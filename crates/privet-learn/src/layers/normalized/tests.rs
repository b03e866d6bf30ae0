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
