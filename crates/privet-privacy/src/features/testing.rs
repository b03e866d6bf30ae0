//! What the tests of the feature laws share. Compiled for tests only.

use std::collections::BTreeMap;

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;
use privet_graph::{Bounds, BoundsOrigin};

use super::coordinate::{CoordinateLaw, FiniteLaw};
use super::scaling::Scale;
use crate::budget::Budget;
use crate::noise::NoiseRng;
use crate::noise::testing::{assert_fits, exp_minus_ball};

pub(crate) fn budget(epsilon: f64) -> Budget {
    Budget::from_epsilon(epsilon).unwrap()
}

/// Columns with the range [-1, 1].
pub(crate) fn scale(columns: usize) -> Scale {
    let bounds = Bounds::uniform(-1.0, 1.0, BoundsOrigin::Declared).unwrap();
    Scale::new(columns, Some(&bounds)).unwrap()
}

/// The largest ratio of the weights of a level over all inputs; `None` if it is infinite. Also
/// checks that the sum of the weights is the same for every input.
pub(crate) fn largest_ratio(law: &impl FiniteLaw, steps: i64) -> Option<RBig> {
    let mut ranges: BTreeMap<i64, (u128, u128, u32)> = BTreeMap::new();
    let mut totals = Vec::new();
    for input in -steps..=steps {
        let weights = law.weights(input);
        totals.push(weights.iter().map(|&(_, weight)| weight).sum::<u128>());
        for (level, weight) in weights {
            let range = ranges.entry(level).or_insert((weight, weight, 0));
            *range = (range.0.min(weight), range.1.max(weight), range.2 + 1);
        }
    }
    assert!(totals.iter().all(|total| *total == totals[0]), "totals differ");
    let inputs = 2 * steps as u32 + 1;
    let mut largest = RBig::ONE;
    for (low, high, seen) in ranges.into_values().filter(|range| range.1 > 0) {
        if low == 0 || seen < inputs {
            return None;
        }
        largest = largest.max(RBig::from_parts(IBig::from(high), UBig::from(low)));
    }
    Some(largest)
}

/// The largest log ratio is at most epsilon, in exact arithmetic, and within 1e-9 of it.
pub(crate) fn assert_private_and_tight(law: &impl FiniteLaw, steps: i64, epsilon: f64) {
    let largest = largest_ratio(law, steps).expect("every level is possible under every input");
    let x = RBig::try_from(budget(epsilon).as_f64()).unwrap();
    let least = exp_minus_ball(&x).1;
    assert!(RBig::ONE / largest.clone() >= least, "more than epsilon {epsilon}");
    let loss = largest.to_f64().value().ln();
    assert!((loss - epsilon).abs() < 1e-9, "{loss} for epsilon {epsilon}");
}

/// Exact mean and variance of the values over the law's weights equal `i/n` and `variance(i)`.
pub(crate) fn assert_moments_are_those_of_the_weights(law: &impl FiniteLaw, steps: i64) {
    for input in -steps..=steps {
        let weights = law.weights(input);
        let total: f64 = weights.iter().map(|&(_, weight)| weight as f64).sum();
        let moment = |power| -> f64 {
            weights.iter().map(|&(l, w)| w as f64 / total * law.value(l).powi(power)).sum()
        };
        let (mean, place) = (moment(1), input as f64 / steps as f64);
        assert!((mean - place).abs() < 1e-10 * (1.0 + moment(2).sqrt()), "{mean} at {place}");
        let variance = moment(2) - mean * mean;
        assert!((law.variance(input) / variance - 1.0).abs() < 1e-9, "variance at {place}");
    }
}

/// What is drawn has the law of the weights: chi-square over all levels, for three inputs.
pub(crate) fn assert_drawn_levels_fit(law: &impl FiniteLaw, steps: i64, seed: u64) {
    let mut noise = NoiseRng::replay(seed).next_release().into_stream();
    for input in [0, steps, -(steps + 1) / 2] {
        let weights: BTreeMap<i64, u128> = law.weights(input).into_iter().collect();
        let total: f64 = weights.values().map(|&weight| weight as f64).sum();
        let mut counts: BTreeMap<i64, u64> = weights.keys().map(|&level| (level, 0)).collect();
        for _ in 0..50_000 {
            *counts.get_mut(&law.draw(input, &mut noise)).expect("a level of the law") += 1;
        }
        let counts: Vec<u64> = counts.into_values().collect();
        let expected: Vec<f64> = weights.values().map(|&weight| weight as f64 / total).collect();
        assert_fits(&counts, &expected);
    }
}

/// Mean and variance of a million draws, within five standard errors, for three inputs.
pub(crate) fn assert_drawn_fits(law: &impl CoordinateLaw, steps: i64, seed: u64) {
    let mut noise = NoiseRng::replay(seed).next_release().into_stream();
    for input in [0, steps / 3, -steps] {
        let draws = if input == 0 { 400_000 } else { 300_000 };
        let place = input as f64 / steps as f64;
        let (mut first, mut second, mut fourth) = (0.0, 0.0, 0.0);
        for _ in 0..draws {
            let off = law.value(law.draw(input, &mut noise)) - place;
            first += off;
            second += off * off;
            fourth += off.powi(4);
        }
        let count = f64::from(draws);
        let (mean, variance) = (first / count, second / count);
        assert!(mean.abs() < 5.0 * (variance / count).sqrt(), "mean {mean} at {place}");
        let spread = (fourth / count - variance * variance).max(0.0);
        // Two-point laws have hardly any spread; a millionth covers the rounding of the sums.
        let allowed = 5.0 * (spread / count).sqrt() + 1e-6 * variance;
        let expected = law.variance(input);
        assert!((variance - expected).abs() < allowed, "{variance} not {expected} at {place}");
    }
}
