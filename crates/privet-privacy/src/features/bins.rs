//! Bins of FeatureRR: which bin a value falls into, and what a reported bin stands for.
//!
//! # Unbiased values
//! Wanted are numbers `g(u)` whose mean over the reports of bin t is the middle of t:
//! `Σ_u g(u) λ^|u-t| / C_t = (t - 1/2)/k`. The weights form a Kac-Murdock-Szegő matrix `W = (λ^|u-t|)`,
//! whose inverse is tridiagonal, so `g = W⁻¹ h` with `h(t) = C_t (t - 1/2)/k` takes O(k): row u of the
//! inverse is `(-λ, 1 + λ², -λ) / (1 - λ²)`, with 1 in place of `1 + λ²` in the first and the last row.

use super::scaling::Scale;
use crate::budget::Budget;
use crate::error::Result;
use crate::noise::GradedResponse;

/// The law of a column, and the unbiased value of each bin on [0, 1].
#[derive(Debug, Clone)]
pub(crate) struct BinLaw {
    pub(crate) graded: GradedResponse,
    pub(crate) unbiased: Vec<f64>,
}

impl BinLaw {
    pub(crate) fn new(bins: u32, budget: Budget) -> Result<Self> {
        let graded = GradedResponse::new(bins, budget)?;
        let unbiased = unbiased_values(&graded);
        Ok(Self { graded, unbiased })
    }
}

/// `min(k, max(1, ⌈k z⌉))`, counted from 0, for a value of a column.
pub(crate) fn bin_of(scale: &Scale, bins: u32, column: u32, value: f32) -> u32 {
    let place = 0.5 * (scale.normalized(column, value) + 1.0);
    ((place * f64::from(bins)).ceil() as u32).clamp(1, bins) - 1
}

/// `g`, see the head of this file. Bins are counted from 0 here, so the middle of t is `(t + 1/2)/k`.
fn unbiased_values(law: &GradedResponse) -> Vec<f64> {
    let bins = law.bins();
    let (own, next) = (law.weight(0, 0) as f64, law.weight(0, 1) as f64);
    let lambda = next / own;
    let scale = (own - next) / own * (1.0 + lambda); // 1 - λ², without cancellation
    let h = |t: u32| law.total(t) as f64 / own * (f64::from(t) + 0.5) / f64::from(bins);
    let value = |u: u32| {
        let neighbours = u32::from(u > 0) + u32::from(u + 1 < bins);
        let middle = 1.0 + f64::from(neighbours.saturating_sub(1)) * lambda * lambda;
        let below = if u > 0 { h(u - 1) } else { 0.0 };
        let above = if u + 1 < bins { h(u + 1) } else { 0.0 };
        (middle * h(u) - lambda * (below + above)) / scale
    };
    (0..bins).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::budget;
    use privet_graph::{Bounds, BoundsOrigin};

    #[test]
    fn the_unbiased_value_has_the_middle_of_the_bin_as_its_mean() {
        for (bins, epsilon) in [(2u32, 0.1), (3, 1.0), (10, 1.0), (32, 0.01), (10, 9.0)] {
            let law = BinLaw::new(bins, budget(epsilon)).unwrap();
            let largest = law.unbiased.iter().copied().fold(0.0, |a: f64, b| a.max(b.abs()));
            for t in 0..bins {
                let term = |u: u32| law.graded.probability(t, u) * law.unbiased[u as usize];
                let mean: f64 = (0..bins).map(term).sum();
                let middle = (f64::from(t) + 0.5) / f64::from(bins);
                assert!((mean - middle).abs() < 1e-11 * (1.0 + largest), "{mean} not {middle}");
            }
        }
    }

    /// The printed loop would send everything to the last bin.
    #[test]
    fn bins_are_half_open() {
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        let scale = Scale::new(1, Some(&bounds)).unwrap();
        let bin = |z| bin_of(&scale, 4, 0, z);
        let values = [-5.0, 0.0, 0.1, 0.25, 0.26, 0.5, 0.75, 0.76, 1.0, 9.0];
        assert_eq!(values.map(bin), [0, 0, 0, 0, 1, 1, 2, 3, 3, 3]);
    }
}
