//! [`RandomizedResponse`]: report the truth with odds 1, every other answer with odds λ.
//!
//! # Equation
//! With `λ = ⌈e^-ε⌉` (see [`Decay`]) and `c` categories: `P(truth) = 1 / (1 + (c-1)λ)`, every other
//! category `λ / (1 + (c-1)λ)`. Up to 2⁻⁶² this is `e^ε / (e^ε + c - 1)`.
//!
//! # Guarantee
//! ε-LDP, exactly: the total does not depend on the truth, the weights are 1 and λ ≥ e^-ε.
//!
//! # Cost
//! One word for a bit (half a word for 64 bits at once), two for a category, whatever the truth and
//! the answer: a clock does not tell a kept answer from a changed one.

use super::bernoulli::Bernoulli;
use super::decay::Decay;
use super::random_words::RandomWords;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Randomized response over `0..categories`.
///
/// ```
/// use privet_privacy::{Budget, noise::{NoiseRng, RandomizedResponse}};
/// let law = RandomizedResponse::new(7, Budget::from_epsilon(2.0)?)?;
/// let mut noise = NoiseRng::replay(1).next_release().into_stream();
/// assert!(law.draw(3, &mut noise) < 7);
/// assert!((law.keep_probability() - 0.552).abs() < 1e-3);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RandomizedResponse {
    categories: u32,
    other: Decay,
    keep: Bernoulli,
}

impl RandomizedResponse {
    /// Randomized response among at least two categories.
    pub fn new(categories: u32, budget: Budget) -> Result<Self> {
        if categories < 2 {
            return Err(Error::range("categories", categories, "at least 2"));
        }
        let other = Decay::of(budget);
        // P(truth)/P(other) = 2^62 / λ 2^62 <= e^epsilon, since λ was rounded up.
        let keep = Bernoulli::new(u128::from(Decay::UNIT), total_weight(categories, other))?;
        Ok(Self { categories, other, keep })
    }

    /// Randomizes a category; one beyond the last is read as the last.
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, truth: u32, words: &mut W) -> u32 {
        let truth = truth.min(self.categories - 1);
        // The other answer is drawn in any case: the time must not tell which one is sent.
        let keep = self.keep.draw(words);
        let left_out = u32::from(fault::on(Fault::ClassLeftOut) && self.categories > 2);
        let other = words.below(u64::from(self.categories - 1 - left_out)) as u32;
        let other = other + u32::from(other >= truth); // jumps over the truth
        if keep { truth } else { other }
    }

    /// The exact integer weight of an answer given the truth.
    pub fn weight(&self, truth: u32, answer: u32) -> u64 {
        if truth == answer { Decay::UNIT } else { self.other.numerator() }
    }

    /// The sum of the weights of all answers: the same for every truth.
    pub fn total(&self) -> u128 {
        total_weight(self.categories, self.other)
    }

    /// The probability that the truth is reported.
    pub fn keep_probability(&self) -> f64 {
        self.keep.probability()
    }
}

fn total_weight(categories: u32, other: Decay) -> u128 {
    u128::from(Decay::UNIT) + u128::from(categories - 1) * u128::from(other.numerator())
}

/// Randomized response for bits: the same law as two categories, also for 64 bits at a time.
#[derive(Debug, Clone)]
pub struct BitResponse {
    other: Decay,
    flip: Bernoulli,
}

impl BitResponse {
    /// Randomized response for a bit.
    pub fn new(budget: Budget) -> Self {
        let other = Decay::of(budget);
        Self { other, flip: Bernoulli::between(other.numerator(), Decay::UNIT) }
    }

    /// Randomizes a bit.
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, truth: bool, words: &mut W) -> bool {
        truth ^ self.flip.draw(words)
    }

    /// Randomizes 64 bits, each on its own. The caller uses the first `lanes` of them.
    #[inline]
    pub fn draw_64<W: RandomWords + ?Sized>(&self, truth: u64, lanes: u32, words: &mut W) -> u64 {
        // Flipping with probability λ/(1 + λ) is randomised response over two categories.
        truth ^ self.flip.draw_mask(lanes, words)
    }

    /// The exact integer weights of keeping and of flipping.
    pub fn weights(&self) -> (u64, u64) {
        (Decay::UNIT, self.other.numerator())
    }

    /// The probability that a bit is flipped: `λ / (1 + λ)`.
    pub fn flip_probability(&self) -> f64 {
        self.flip.probability()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{StrictWords, assert_fits, exp_minus_ball, rational};
    use dashu::rational::RBig;

    fn budget(epsilon: f64) -> Budget {
        Budget::from_epsilon(epsilon).unwrap()
    }

    #[test]
    fn each_other_category_is_one_place() {
        for categories in [2u32, 3, 7] {
            let law = RandomizedResponse::new(categories, budget(1.0)).unwrap();
            for truth in 0..categories {
                let others = u128::from(categories - 1);
                let mut seen: Vec<u32> = (0..others)
                    .map(|place| {
                        let word = (place << 64).div_ceil(others) as u64 + 99;
                        assert_eq!(law.draw(truth, &mut StrictWords::new([0, word])), truth);
                        law.draw(truth, &mut StrictWords::new([u64::MAX, word]))
                    })
                    .collect();
                seen.sort_unstable();
                let expected: Vec<u32> = (0..categories).filter(|&c| c != truth).collect();
                assert_eq!(seen, expected);
            }
        }
    }

    #[test]
    fn the_ratio_is_bounded_and_tight() {
        for epsilon in [2f64.powi(-40), 0.015625, 1.0, 5.0, 42.0, 64.0, 1000.0] {
            let law = RandomizedResponse::new(7, budget(epsilon)).unwrap();
            let total: u128 = (0..7).map(|answer| u128::from(law.weight(2, answer))).sum();
            assert_eq!(total, law.total());
            let smallest = rational(law.weight(0, 1).into(), law.weight(0, 0).into());
            let x = RBig::try_from(budget(epsilon).as_f64()).unwrap();
            assert!(smallest >= exp_minus_ball(&x).1);
            let ideal = 1.0 / (1.0 + 6.0 * (-epsilon).exp());
            assert!((law.keep_probability() - ideal).abs() < 1e-15);
            let bit = BitResponse::new(budget(epsilon));
            assert_eq!(bit.weights(), (law.weight(0, 0), law.weight(0, 1)));
            assert!((bit.flip_probability() - 1.0 / (1.0 + epsilon.exp())).abs() < 1e-15);
        }
        let law = RandomizedResponse::new(7, budget(1.0)).unwrap();
        let ratio = (law.weight(0, 0) as f64 / law.weight(0, 1) as f64).ln();
        assert!((ratio - 1.0).abs() < 1e-15);
    }

    #[test]
    fn drawn_answers_fit() {
        let mut noise = NoiseRng::replay(41).next_release().into_stream();
        let law = RandomizedResponse::new(5, budget(0.7)).unwrap();
        for truth in [0u32, 3, 4, 77] {
            let mut counts = [0u64; 5];
            for _ in 0..300_000 {
                counts[law.draw(truth, &mut noise) as usize] += 1;
            }
            let weight = |c| law.weight(truth.min(4), c) as f64 / law.total() as f64;
            assert_fits(&counts, &[0, 1, 2, 3, 4].map(weight));
        }
        let bit = BitResponse::new(budget(0.7));
        let flips = (0..1_000_000).filter(|i| bit.draw(i % 2 == 0, &mut noise) != (i % 2 == 0));
        let flips = flips.count() as u64;
        let p = bit.flip_probability();
        assert_fits(&[1_000_000 - flips, flips], &[1.0 - p, p]);
        let flips: u64 = (0..20_000u64)
            .map(|i| u64::from((bit.draw_64(i * 7919, 64, &mut noise) ^ (i * 7919)).count_ones()))
            .sum();
        assert_fits(&[1_280_000 - flips, flips], &[1.0 - p, p]);
    }

    #[test]
    fn the_ends_of_the_domain() {
        assert!(RandomizedResponse::new(1, budget(1.0)).is_err());
        let largest = RandomizedResponse::new(u32::MAX, Budget::SMALLEST).unwrap();
        let mut noise = NoiseRng::replay(42).next_release().into_stream();
        assert!(largest.draw(u32::MAX, &mut noise) < u32::MAX);
        let certain = RandomizedResponse::new(3, Budget::LARGEST).unwrap();
        assert!((0..1000).all(|_| certain.draw(1, &mut noise) == 1));
    }
}
