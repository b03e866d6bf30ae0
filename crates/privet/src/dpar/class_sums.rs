//! A linear classifier out of noisy sums, class by class: one release, no training.
//!
//! With `S_y` the sum of the rows of class y and `n_y` how many they are, both noisy (one step of DP-SGD on all people,
//! [`PrivateSums`]), `p_y = n_y / Σ n`, `N` people in them (all people; or `Σ n`, where that is fewer beyond chance, for who
//! has no label is in no sum) and `m = Σ S / N`, a person with row x gets the scores
//!
//! `D_y · (x - m)`, with `D_y = S_y - p_y Σ S = n_y (mean of the class - mean of all)`.
//!
//! Large classes have long `D_y`, and what is said of small ones drowns in noise less often than if all were scaled alike.
//!
//! # The mean is noisy too
//! `m · D_y` multiplies noise with itself: its expectation is off by `s² d (1 - C p_y) / N`, for d columns, C classes and noise
//! of deviation s on a sum. That is known, so it is taken off; uncorrected, it decides most classes at small epsilon.
//!
//! # Guarantee
//! That of `dp-sgd` with one step, rate 1 and clip 1: a Gaussian of sensitivity 1, since a person is in one sum and one
//! count, with norm at most 1. Everything here reads what was released: post-processing.

use super::Plan;
use crate::Result;
use crate::graph::DenseMatrix;
use crate::learn::models::{Mlp, MlpConfig};
use crate::learn::parameters::Parameters;
use crate::learn::train::{ClassSums, PrivateSums};

/// Scores are this long so that shares of classes are neither all alike nor certain. Which class is the likeliest does
/// not depend on it.
const SHARPNESS: f64 = 50.0;

/// The classifier.
pub(super) fn model(released: &ClassSums, plan: &Plan) -> Result<Mlp> {
    let ClassSums { sums, counts } = released;
    let (inputs, classes) = (sums.rows(), counts.len());
    let shares = shares(counts);
    let people = labelled(counts, plan);
    let deviation = PrivateSums::deviation_of_sums(plan.training.noise_multiplier);
    let scale = SHARPNESS * classes as f64 / people;
    let mut weights = DenseMatrix::zeros(inputs, classes);
    let mut biases = vec![0.0; classes];
    for input in 0..inputs {
        let of_class = sums.row(input);
        let all: f64 = of_class.iter().map(|&sum| f64::from(sum)).sum();
        for (class, weight) in weights.row_mut(input).iter_mut().enumerate() {
            let apart = f64::from(of_class[class]) - shares[class] * all;
            *weight = (scale * apart) as f32;
            biases[class] -= apart * all / people;
        }
    }
    for (bias, share) in biases.iter_mut().zip(&shares) {
        *bias += deviation.powi(2) * inputs as f64 * (1.0 - classes as f64 * share) / people;
    }
    let biases = biases.into_iter().map(|bias| (scale * bias) as f32).collect();
    linear(weights, DenseMatrix::new(1, classes, biases)?)
}

/// How unsure sums are of a person's part: the variance of their noise over that of what people add to them, per
/// person. The larger, the more [`likeness`](super::likeness) draws answers together.
pub(super) fn doubt(plan: &Plan, classes: usize) -> f64 {
    let deviation = PrivateSums::deviation_of_sums(plan.training.noise_multiplier);
    let share = 1.0 / classes.max(2) as f64;
    deviation.powi(2) / (plan.rows as f64 * share * (1.0 - share))
}

/// How many people are in the sums: all people, unless noisy counts say otherwise beyond chance, for some may have no label.
fn labelled(counts: &[f64], plan: &Plan) -> f64 {
    let deviation = PrivateSums::deviation_of_counts(plan.training.noise_multiplier);
    let chance = 2.0 * deviation * (counts.len() as f64).sqrt();
    let (counted, people) = (counts.iter().sum::<f64>(), plan.rows as f64);
    let told = counted > chance && counted < people - chance;
    if told { counted } else { people }
}

/// The share of each class; equal ones if noise left none.
fn shares(counts: &[f64]) -> Vec<f64> {
    let mut shares: Vec<f64> = counts.iter().map(|count| count.max(0.0)).collect();
    let all: f64 = shares.iter().sum();
    let equal = 1.0 / counts.len().max(1) as f64;
    shares.iter_mut().for_each(|share| *share = if all > 0.0 { *share / all } else { equal });
    shares
}

/// The network of one layer with these weights and biases.
pub(super) fn linear(weights: DenseMatrix, biases: DenseMatrix) -> Result<Mlp> {
    let (inputs, outputs) = (weights.rows(), weights.columns());
    let mut model =
        Mlp::new(MlpConfig { inputs, hidden: Vec::new(), outputs, dropout: 0.0, seed: 0 })?;
    let mut tensors = [weights, biases].into_iter();
    model.visit_mut(&mut |parameter| {
        if let Some(value) = tensors.next() {
            parameter.value = value;
        }
    });
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use crate::dpar::{Dpar, Mode, Settings};
    use crate::graph::Features;
    use crate::privacy::Loss;
    use crate::privacy::unit::Node;

    fn plan(people: usize, noise_multiplier: f64) -> Plan {
        let target = Loss::new(1.0, 1e-3).unwrap();
        let settings = Settings::rigorous();
        let system = Dpar { method: Method::ClassSums, mode: Mode::Rigorous, target, settings };
        let mut plan = system.plan::<Node>(people).unwrap();
        plan.training.noise_multiplier = noise_multiplier;
        plan
    }

    /// Without noise: the formula, by hand.
    #[test]
    fn scores_are_products_with_differences_of_means() {
        // Two people of class 0 at (1, 0), one of class 1 at (0, 1).
        let sums = DenseMatrix::new(2, 2, vec![2.0, 0.0, 0.0, 1.0]).unwrap();
        let released = ClassSums { sums, counts: vec![2.0, 1.0] };
        let model = model(&released, &plan(3, 1e-9)).unwrap();
        let row = Features::dense(DenseMatrix::new(1, 2, vec![1.0, 0.0]).unwrap());
        let scores = super::super::infer::scores(&model, &row);
        // D_0 = (2, 0) - 2/3 (2, 1) = (2/3, -2/3), D_1 = -D_0, and x - m = (1/3, -1/3).
        let expected = SHARPNESS * 2.0 / 3.0 * (4.0 / 9.0);
        assert!((f64::from(scores.row(0)[0]) - expected).abs() < 1e-4, "{scores:?}");
        assert!((f64::from(scores.row(0)[1]) + expected).abs() < 1e-4, "{scores:?}");
    }

    /// Who has no label is in no sum, and moves no score.
    #[test]
    fn people_without_a_label_do_not_move_the_mean() {
        let sums = DenseMatrix::new(2, 2, vec![2.0, 0.0, 0.0, 1.0]).unwrap();
        let released = ClassSums { sums, counts: vec![2.0, 1.0] };
        let of = |people| {
            let model = model(&released, &plan(people, 1e-9)).unwrap();
            let layer = &model.layers()[0];
            [layer.weight.value.clone(), layer.bias.value.clone()]
        };
        assert_eq!(of(3), of(30));
        // What noise explains is no reason: a count has a deviation of 10 / 0.15.
        let noisy = plan(1000, 10.0);
        assert_eq!(labelled(&[500.0, 400.0], &noisy), 1000.0);
        assert_eq!(labelled(&[300.0, 200.0], &noisy), 500.0);
        assert_eq!(labelled(&[-30.0, 20.0], &noisy), 1000.0, "noise alone");
    }

    /// Of sums that are nothing but noise the average scores are 0: the correction is there.
    #[test]
    fn noise_times_itself_is_taken_off() {
        use crate::graph::SimRng;
        use rand::RngExt as _;
        let (inputs, people, deviation) = (4000, 100, 2.0);
        let plan = plan(people, deviation);
        let spread = PrivateSums::deviation_of_sums(deviation) as f32 * 12f32.sqrt();
        let mut rng = SimRng::new(5);
        let noise = (0..3 * inputs).map(|_| spread * rng.random_range(-0.5..0.5)).collect();
        let sums = DenseMatrix::new(inputs, 3, noise).unwrap();
        let released = ClassSums { sums, counts: vec![80.0, 15.0, 5.0] };
        let model = model(&released, &plan).unwrap();
        let bias = model.layers()[0].bias.value.row(0).to_vec();
        // Uncorrected, the first is off by s² d (1 - 3 · 0.8) / N = -229, times the scale.
        let scale = (SHARPNESS * 3.0 / people as f64) as f32;
        assert!(bias.iter().all(|bias| bias.abs() < 30.0 * scale), "{bias:?}");
    }

    #[test]
    fn shares_are_shares_whatever_the_noise() {
        assert_eq!(shares(&[3.0, 1.0]), [0.75, 0.25]);
        assert_eq!(shares(&[3.0, -1.0]), [1.0, 0.0]);
        assert_eq!(shares(&[-3.0, -1.0]), [0.5, 0.5]);
    }
}
