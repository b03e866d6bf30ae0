//! [`DiscreteGaussian`]: integer noise with weights e^(-z²/2σ²), exactly.
//!
//! # Equation
//! `P(z) = e^(-z²/2σ²) / Σ_y e^(-y²/2σ²)` on the integers, with rational `σ² = a/b`.
//! Canonne, Kamath and Steinke (2020), algorithm 3: with `t = ⌊σ⌋ + 1` propose `y` from the discrete
//! Laplace law with weights `e^(-|y|/t)` and accept with probability
//!
//! `exp(-(|y| - σ²/t)² / 2σ²) = exp(-(|y| b t - a)² / (2 a b t²))`.
//!
//! # Guarantee
//! Adding it to integers of l2 sensitivity Δ is Δ²/(2σ²)-zCDP. The law is exact: every coin has a
//! rational exponent. One case is cut off: a proposal beyond 256 t is refused, as it would be anyway
//! except with probability below e^-32000.
//!
//! # Cost
//! About 30 words a draw. Time depends on the noise drawn (not on the data), so this is for curators
//! and servers, not for a device that an observer can time.

use super::random_words::RandomWords;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// The largest σ², and the largest denominator of σ²: they keep every exponent inside 128 bits.
const LARGEST_VARIANCE: u64 = 1 << 40;
const LARGEST_DENOMINATOR: u64 = 1 << 12;
/// Proposals beyond this many scales are refused without a coin.
const MOST_SCALES: u64 = 256;

/// Discrete Gaussian noise with parameter `σ² = numerator / denominator`.
///
/// ```
/// use privet_privacy::noise::{DiscreteGaussian, NoiseRng};
/// let law = DiscreteGaussian::new(25, 4)?; // σ = 2.5
/// let mut noise = NoiseRng::replay(1).next_release().into_stream();
/// assert!(law.draw(&mut noise).abs() < 25);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscreteGaussian {
    numerator: u128,
    denominator: u128,
    scale: u64,
}

impl DiscreteGaussian {
    /// The law with `σ² = numerator / denominator`, at most 2⁴⁰, the denominator at most 4096.
    pub fn new(numerator: u64, denominator: u64) -> Result<Self> {
        if !(1..=LARGEST_DENOMINATOR).contains(&denominator) {
            let expected = "1 to 4096";
            return Err(Error::range("denominator of a variance", denominator, expected));
        }
        if numerator == 0 || numerator.div_ceil(denominator) > LARGEST_VARIANCE {
            let found = format!("{numerator}/{denominator}");
            return Err(Error::range("variance", found, "above 0 and at most 2^40"));
        }
        Ok(Self {
            numerator: numerator.into(),
            denominator: denominator.into(),
            // t = floor(σ) + 1: Canonne, Kamath and Steinke 2020, algorithm 3, accepts often with it.
            scale: (numerator / denominator).isqrt() + 1,
        })
    }

    /// Draws noise.
    pub fn draw<W: RandomWords + ?Sized>(&self, words: &mut W) -> i64 {
        words.until(|words| self.attempt(words))
    }

    /// One proposal, and the coin that accepts it.
    fn attempt<W: RandomWords + ?Sized>(&self, words: &mut W) -> Option<i64> {
        let magnitude = propose(self.scale, words);
        let negative = words.coin(1, 2);
        let zero = negative && magnitude == 0 && !fault::on(Fault::GaussianZeroCountedTwice);
        if zero || magnitude >= MOST_SCALES * self.scale {
            return None;
        }
        // The magnitude is below 2⁸ · (2²⁰ + 2); times 2¹² · 2²⁰, squared: below 2¹²⁴.
        let (a, b, t) = (self.numerator, self.denominator, u128::from(self.scale));
        // Acceptance e^(-(|y| - σ²/t)² / 2σ²); with σ² = a/b the exponent is (|y| b t - a)² / (2 a b t²), all
        // integers.
        let gap = (u128::from(magnitude) * b * t).abs_diff(a);
        let value = if negative { -(magnitude as i64) } else { magnitude as i64 };
        words.coin_exp(gap * gap, 2 * a * b * t * t).then_some(value)
    }

    /// σ², the parameter: the variance is at most this, and almost equal for σ ≥ 1.
    pub fn sigma_squared(&self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The probability of `value`.
    pub fn probability(&self, value: i64) -> f64 {
        let variance = self.sigma_squared();
        let weight = |z: f64| (-z * z / (2.0 * variance)).exp();
        // Σ e^(-z²/2σ²) converges fast for small σ; Poisson summation of it does for large σ.
        let total = if variance < 1.0 {
            1.0 + 2.0 * (1..40).map(|z| weight(f64::from(z))).sum::<f64>()
        } else {
            let wave = |k: f64| (-2.0 * (std::f64::consts::PI * k).powi(2) * variance).exp();
            let waves: f64 = (1..4).map(|k| wave(f64::from(k))).sum();
            (std::f64::consts::TAU * variance).sqrt() * (1.0 + 2.0 * waves)
        };
        weight(value as f64) / total
    }
}

/// A magnitude with weights e^(-y/t): `y = u + t v` with `u < t` accepted with probability e^(-u/t) and
/// `v` geometric with ratio e⁻¹ (algorithm 2 of the same paper).
fn propose<W: RandomWords + ?Sized>(scale: u64, words: &mut W) -> u64 {
    let low = words.until(|words| {
        let candidate = words.below(scale);
        words.coin_exp(candidate.into(), scale.into()).then_some(candidate)
    });
    let mut scales = 0u64;
    while words.coin_exp(1, 1) {
        scales += 1;
    }
    low.saturating_add(scale.saturating_mul(scales))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{assert_fits, enumerate};

    /// Every path of one attempt with its exact probability, against the product of the laws of
    /// proposal, sign and acceptance.
    #[test]
    fn an_attempt_by_enumeration() {
        for (numerator, denominator) in [(1u64, 4u64), (1, 1), (5, 2)] {
            let law = DiscreteGaussian::new(numerator, denominator).unwrap();
            let (found, lost) = enumerate(18, |words| law.attempt(words));
            let lost = lost.to_f64().value();
            assert!(lost < 0.02, "{lost}");
            let (variance, scale) = (law.sigma_squared(), law.scale as f64);
            for value in -4i64..=4 {
                let size = value.abs() as f64;
                let proposal = -(-1.0 / scale).exp_m1() * (-size / scale).exp();
                let gap = size - variance / scale;
                let ideal = 0.5 * proposal * (-gap * gap / (2.0 * variance)).exp();
                let at_least = found.get(&Some(value)).map_or(0.0, |p| p.to_f64().value());
                assert!(at_least <= ideal + 1e-12 && ideal <= at_least + lost, "{value}");
            }
        }
    }

    #[test]
    fn probabilities_sum_to_one() {
        for (numerator, denominator) in [(1u64, 100u64), (1, 1), (999, 1000), (25, 4), (10_000, 1)]
        {
            let law = DiscreteGaussian::new(numerator, denominator).unwrap();
            let total: f64 = (-1000..=1000).map(|z| law.probability(z)).sum();
            assert!((total - 1.0).abs() < 1e-12, "{total}");
        }
    }

    #[test]
    fn drawn_noise_fits() {
        let mut noise = NoiseRng::replay(61).next_release().into_stream();
        for (numerator, denominator) in [(1u64, 2u64), (25, 4)] {
            let law = DiscreteGaussian::new(numerator, denominator).unwrap();
            let sigma = law.sigma_squared().sqrt();
            let reach = (3.0 * sigma).ceil() as i64;
            let mut counts = vec![0u64; (2 * reach + 1) as usize];
            let mut square = 0.0;
            for _ in 0..200_000 {
                let value = law.draw(&mut noise);
                counts[(value.clamp(-reach, reach) + reach) as usize] += 1;
                square += (value * value) as f64;
            }
            let mut expected: Vec<f64> = (-reach..=reach).map(|z| law.probability(z)).collect();
            let tail = (1.0 - expected.iter().sum::<f64>()) / 2.0;
            expected[0] += tail;
            *expected.last_mut().unwrap() += tail;
            assert_fits(&counts, &expected);
            let variance: f64 = (-100..=100).map(|z| (z * z) as f64 * law.probability(z)).sum();
            assert!((square / 200_000.0 / variance - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn the_ends_of_the_domain() {
        for (numerator, denominator) in [(0, 1), (1, 0), (1, 4097), ((1 << 40) + 1, 1)] {
            assert!(DiscreteGaussian::new(numerator, denominator).is_err());
        }
        let mut noise = NoiseRng::replay(62).next_release().into_stream();
        let widest = DiscreteGaussian::new(1 << 52, 1 << 12).unwrap();
        let square: f64 = (0..5000).map(|_| (widest.draw(&mut noise) as f64).powi(2)).sum();
        assert!((square / 5000.0 / 2f64.powi(40) - 1.0).abs() < 0.15);
        let narrowest = DiscreteGaussian::new(1, 4096).unwrap();
        assert!((0..100).all(|_| narrowest.draw(&mut noise) == 0));
    }
}
