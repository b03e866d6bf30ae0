//! [`DiscreteLaplace`]: integer noise with weights λ^|z|, for counts and degrees.
//!
//! # Equation
//! `P(z) = w(|z|) / (2W - 1)`, where `w` is the exact law of [`Geometric`] with first ratio
//! `λ = ⌈e^(-ε/Δ)⌉` (see [`Decay`]) and `W` the sum of `w(0), w(1), ...`. Up to about 2⁻⁵³ this is the
//! two-sided geometric law `(1-λ)/(1+λ) λ^|z|`.
//!
//! # Guarantee
//! Adding it to an integer of sensitivity Δ is ε-DP: consecutive weights differ by a factor between
//! λ and 1 (proved in [`super::geometric`]), so a shift by Δ changes a probability by at most
//! `λ^-Δ ≤ e^ε`.
//!
//! # Cost
//! A magnitude and a sign; minus zero is refused and redrawn, which says nothing about the result.
//! The variance is about `1 / (2 sinh²(ε/2Δ))`, below the `2Δ²/ε²` of the continuous law.

use super::decay::Decay;
use super::geometric::Geometric;
use super::random_words::RandomWords;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Two-sided geometric noise on the integers.
///
/// ```
/// use privet_privacy::{Budget, noise::{DiscreteLaplace, NoiseRng}};
/// let law = DiscreteLaplace::new(Budget::from_epsilon(0.5)?, 1)?;
/// let mut noise = NoiseRng::replay(1).next_release().into_stream();
/// let noisy_degree = 17 + law.draw(&mut noise);
/// assert!((noisy_degree - 17).abs() < 60);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DiscreteLaplace {
    magnitude: Geometric,
}

impl DiscreteLaplace {
    /// Noise for an integer that one neighbour can move by at most `sensitivity`.
    pub fn new(budget: Budget, sensitivity: u64) -> Result<Self> {
        // Per unit at least 2⁻⁴⁵ nat, that is 2⁻⁵ budget units: where the proof needs it.
        if !(1..=32 * budget.units()).contains(&sensitivity) {
            let expected = "at least 1, and at most 2^45 times epsilon";
            return Err(Error::range("sensitivity", sensitivity, expected));
        }
        Ok(Self { magnitude: Geometric::new(Decay::of_part(budget, sensitivity))? })
    }

    /// Draws noise.
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, words: &mut W) -> i64 {
        words.until(|words| {
            let (magnitude, negative) = self.magnitude.draw_with_fair(words);
            let negative = negative && !fault::on(Fault::NoiseOnlyUpwards);
            let magnitude = magnitude.min(i64::MAX as u64) as i64;
            // 0 and -0 are one value: without the rejection zero would have twice its weight.
            if magnitude == 0 && negative && !fault::on(Fault::ZeroCountedTwice) {
                return None;
            }
            Some(if negative { -magnitude } else { magnitude })
        })
    }

    /// The law of the magnitude, exactly.
    pub fn magnitude(&self) -> &Geometric {
        &self.magnitude
    }

    /// The probability of `value`.
    pub fn probability(&self, value: i64) -> f64 {
        // Both signs of every magnitude, zero once.
        let both_sides = 2.0 * self.magnitude.total_weight() - 1.0;
        self.magnitude.weight(value.unsigned_abs()) / both_sides
    }

    /// The variance.
    pub fn variance(&self) -> f64 {
        let total = self.magnitude.total_weight();
        self.magnitude.second_moment() * 2.0 * total / (2.0 * total - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::assert_fits;

    fn law(epsilon: f64, sensitivity: u64) -> DiscreteLaplace {
        DiscreteLaplace::new(Budget::from_epsilon(epsilon).unwrap(), sensitivity).unwrap()
    }

    #[test]
    fn close_to_the_ideal_law() {
        for (epsilon, sensitivity) in [(0.3, 1u64), (1.0, 1), (1.0, 7), (4.0, 2), (0.01, 3)] {
            let found = law(epsilon, sensitivity);
            let rate = Budget::from_epsilon(epsilon).unwrap().as_f64() / sensitivity as f64;
            for value in -40i64..=40 {
                let ideal = (rate / 2.0).tanh() * (-rate * value.abs() as f64).exp();
                assert!((found.probability(value) / ideal - 1.0).abs() < 1e-11);
            }
            let ideal = 1.0 / (2.0 * (rate / 2.0).sinh().powi(2));
            assert!((found.variance() / ideal - 1.0).abs() < 1e-9);
        }
    }

    /// The toy case of the audit: epsilon 0.3, outputs lumped beyond 200.
    #[test]
    fn the_largest_log_ratio_is_epsilon() {
        let found = law(0.3, 1);
        let ratios =
            (-200i64..200).map(|z| (found.probability(z) / found.probability(z + 1)).ln().abs());
        assert!((ratios.fold(0.0, f64::max) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn drawn_noise_fits() {
        let mut noise = NoiseRng::replay(21).next_release().into_stream();
        for (epsilon, sensitivity) in [(0.9, 1), (5.0, 3)] {
            let found = law(epsilon, sensitivity);
            let (mut counts, mut square) = ([0u64; 19], 0.0);
            for _ in 0..1_000_000 {
                let value = found.draw(&mut noise);
                counts[(value.clamp(-9, 9) + 9) as usize] += 1;
                square += (value * value) as f64;
            }
            let mut expected: Vec<f64> = (-9..=9).map(|z| found.probability(z)).collect();
            let tail = (1.0 - expected.iter().sum::<f64>()) / 2.0;
            expected[0] += tail;
            expected[18] += tail;
            assert_fits(&counts, &expected);
            assert!((square / 1e6 / found.variance() - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn the_ends_of_the_domain() {
        let new = |units, sensitivity| {
            DiscreteLaplace::new(Budget::from_units(units).unwrap(), sensitivity)
        };
        assert!(new(1, 0).is_err());
        assert!(new(1, 33).is_err());
        let mut noise = NoiseRng::replay(22).next_release().into_stream();
        let widest = new(1, 32).unwrap();
        assert!((0..100).any(|_| widest.draw(&mut noise).unsigned_abs() > 1 << 44));
        let narrowest = new(1 << 53, 1).unwrap();
        assert!((0..1000).all(|_| narrowest.draw(&mut noise) == 0));
    }
}
