//! The law of a count with noise, and values that stand for a gamma law.

use std::sync::Arc;

use crate::privacy::noise::DiscreteLaplace;

/// Means are tabulated from here, by equal steps of their logarithm,
const LEAST_MEAN: f64 = 1e-3;
/// to here; beyond, a count is as good as normal.
const MOST_MEAN: f64 = 256.0;
/// How many means are tabulated: steps of 3 %, between which a straight line of logarithms loses less than 0.03.
const MEANS: usize = 384;
/// Noise is tabulated this far at most.
const MOST_NOISE: i64 = 4_000;
/// How many values stand for a law of sociability.
pub(super) const QUANTILES: usize = 9;

/// How likely a noisy count is, by the logarithm of its mean: `ln P(y) = ln Σ_k P(k; m) P(noise = y - k)`. Without noise the
/// count is Poisson's, or negative binomial where people's taste differs: of mean m and variance `m + m² / taste`.
#[derive(Debug, Clone)]
pub(super) struct NoisyCounts {
    least: i64,
    width: usize,
    /// One row of logarithms a mean.
    table: Arc<[f64]>,
    variance: f64,
    /// What taste adds to the variance, times the square of the mean.
    spread: f64,
}

impl NoisyCounts {
    pub fn new(noise: &DiscreteLaplace, taste: Option<f64>) -> Self {
        let spread = ((8.0 * noise.variance().sqrt()).ceil() as i64).clamp(2, MOST_NOISE);
        let most = MOST_MEAN as i64 + 100 + spread;
        let width = (most + spread + 1) as usize;
        // The law of noise is symmetric: one value for each distance.
        let law: Vec<f64> =
            (0..=most + MOST_MEAN as i64 * 2 + spread).map(|far| noise.probability(far)).collect();
        let mut table = Vec::with_capacity(MEANS * width);
        for at in 0..MEANS {
            let mean = (LEAST_MEAN.ln() + step() * at as f64).exp();
            let (first, counts) = match taste {
                None => poisson(mean),
                Some(shape) => (0, negative_binomial(mean, shape, most)),
            };
            table.extend((-spread..=most).map(|count| {
                let each = counts
                    .iter()
                    .zip(first..)
                    .map(|(p, k)| p * law.get(count.abs_diff(k) as usize).copied().unwrap_or(0.0));
                each.sum::<f64>().max(f64::MIN_POSITIVE).ln()
            }));
        }
        let (least, taste) = (-spread, taste.map_or(0.0, f64::recip));
        Self { least, width, table: table.into(), variance: noise.variance(), spread: taste }
    }

    /// The logarithm of how likely the count is if its mean has this logarithm, between tabulated means by a straight line.
    pub fn log_probability(&self, count: i64, log_mean: f64) -> f64 {
        // Counts that far below 0 are noise alone, and all say the same.
        let count = count.max(self.least);
        let column = (count - self.least) as usize;
        let place = (log_mean - LEAST_MEAN.ln()) / step();
        if column >= self.width || place >= (MEANS - 1) as f64 {
            let mean = log_mean.exp();
            let variance = mean + self.spread * mean * mean + self.variance.max(0.1);
            let far = count as f64 - mean;
            return -0.5 * (far * far / variance + (std::f64::consts::TAU * variance).ln());
        }
        let (row, part) = match place > 0.0 {
            true => (place as usize, place.fract()),
            false => (0, 0.0),
        };
        let at = |row: usize| self.table[row * self.width + column];
        at(row) * (1.0 - part) + at(row + 1) * part
    }
}

fn step() -> f64 {
    (MOST_MEAN / LEAST_MEAN).ln() / (MEANS - 1) as f64
}

/// `Poisson(k; mean)` from the first k that matters.
fn poisson(mean: f64) -> (i64, Vec<f64>) {
    let spread = 8.0 * mean.sqrt() + 12.0;
    let (first, last) = ((mean - spread).floor().max(0.0) as i64, (mean + spread).ceil() as i64);
    // From the mode outwards, so that nothing underflows: p(k+1) = p(k) · mean / (k+1).
    let mode = mean.floor() as i64;
    let mut law = vec![0.0; (last - first + 1) as usize];
    law[(mode - first) as usize] = 1.0;
    for k in mode + 1..=last {
        law[(k - first) as usize] = law[(k - 1 - first) as usize] * mean / k as f64;
    }
    for k in (first..mode).rev() {
        law[(k - first) as usize] = law[(k + 1 - first) as usize] * (k + 1) as f64 / mean;
    }
    let sum: f64 = law.iter().sum();
    law.iter_mut().for_each(|p| *p /= sum);
    (first, law)
}

/// `NB(k; mean, shape)` from 0 to where nearly nothing is left, or to the largest count in the table.
fn negative_binomial(mean: f64, shape: f64, most: i64) -> Vec<f64> {
    let (stop, go) = (shape / (shape + mean), mean / (shape + mean));
    let (mut law, mut sum) = (vec![stop.powf(shape)], stop.powf(shape));
    while sum < 1.0 - 1e-9 && (law.len() as i64) < most {
        let k = law.len() as f64;
        let next = law[law.len() - 1] * (k - 1.0 + shape) / k * go;
        sum += next;
        law.push(next);
    }
    law
}

/// Values that stand for a gamma law of this shape and mean 1: its means over equally likely parts.
///
/// The density is summed over a fine grid of logarithms; nine values need no closed form.
pub(super) fn gamma_quantiles(shape: f64) -> [f64; QUANTILES] {
    const FINE: usize = 4_000;
    let point = |at: usize| (-14.0 + 18.0 * at as f64 / FINE as f64).exp();
    // In u = ln s the density is proportional to exp(shape (u - s)).
    let weight = |at: usize| (shape * (point(at).ln() - point(at))).exp();
    let total: f64 = (0..FINE).map(weight).sum();
    let (mut sums, mut below) = ([0.0; QUANTILES], 0.0);
    for at in 0..FINE {
        let part = ((below / total * QUANTILES as f64) as usize).min(QUANTILES - 1);
        sums[part] += weight(at) * point(at);
        below += weight(at);
    }
    sums.map(|sum| (sum / total * QUANTILES as f64).max(1e-6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Budget;

    fn noise(epsilon: f64) -> DiscreteLaplace {
        DiscreteLaplace::new(Budget::from_epsilon(epsilon).unwrap(), 1).unwrap()
    }

    #[test]
    fn the_law_of_a_noisy_count_is_a_law_with_its_moments() {
        for (epsilon, mean) in [(0.25, 3.0), (1.0, 0.2), (1.0, 40.0), (8.0, 7.5)] {
            let noise = noise(epsilon);
            let law = NoisyCounts::new(&noise, None);
            let (mut sum, mut moment, mut square) = (0.0, 0.0, 0.0);
            for count in -200..400 {
                let p = law.log_probability(count, f64::ln(mean)).exp();
                let far = count as f64 - mean;
                // Below the table every count is as likely as its first.
                if count > law.least {
                    (sum, moment, square) = (sum + p, moment + p * far, square + p * far * far);
                }
            }
            assert!((sum - 1.0).abs() < 0.01, "{epsilon} {mean} {sum}");
            assert!(moment.abs() < 0.02 * mean + 0.1, "{epsilon} {mean} {moment}");
            let variance = mean + noise.variance();
            assert!((square / variance - 1.0).abs() < 0.05, "{epsilon} {mean} {square}");
        }
    }

    #[test]
    fn tastes_that_differ_make_a_count_uneven() {
        let law = NoisyCounts::new(&noise(4.0), Some(0.5));
        let chance = |count: i64| law.log_probability(count, 2f64.ln()).exp();
        // Below the table every count is as likely as its first.
        let counts = || law.least + 1..300;
        let moment: f64 = counts().map(|count| chance(count) * count as f64).sum();
        let square: f64 = counts().map(|count| chance(count) * (count as f64 - 2.0).powi(2)).sum();
        assert!(
            (moment - 2.0).abs() < 0.05 && (square / 10.0 - 1.0).abs() < 0.05,
            "{moment} {square}"
        );
    }

    /// Where the table ends, the normal law takes over without a step.
    #[test]
    fn large_counts_are_normal() {
        let law = NoisyCounts::new(&noise(1.0), None);
        let [below, above] = [255.0f64, 257.0].map(|mean| law.log_probability(256, mean.ln()));
        assert!((below - above).abs() < 0.05, "{below} {above}");
        assert!(law.log_probability(5_000, 8.5) > law.log_probability(5_000, 6.0));
        assert!(law.log_probability(i64::MIN, 0.0).is_finite());
    }

    #[test]
    fn values_for_a_gamma_law_have_its_mean_and_most_of_its_variance() {
        for shape in [0.5, 2.0, 16.0] {
            let values = gamma_quantiles(shape);
            let mean = values.iter().sum::<f64>() / QUANTILES as f64;
            let square = values.iter().map(|s| (s - 1.0) * (s - 1.0)).sum::<f64>();
            let share = square / QUANTILES as f64 * shape;
            assert!((mean - 1.0).abs() < 0.02, "{shape} {mean}");
            assert!((0.75..1.01).contains(&share), "{shape} {share}");
            assert!(values.is_sorted());
        }
    }
}
