//! [`Geometric`]: integers 0, 1, 2, ... whose weight falls by about the factor λ at every step,
//! drawn one binary digit at a time.
//!
//! # Idea
//! The binary digits of a geometric variable are independent: digit `b` is 1 with odds `λ^(2^b)`.
//! We square λ again and again, rounding up (`r₀ = λ`, `r_{b+1} = ⌈r_b²⌉` on the grid of 2⁻⁶²), until
//! `r_L < 2⁻⁸`, toss one rational coin per digit, and add `2^L` as often as a coin of probability
//! `r_L` comes up. Every coin is exact, so the law of the program is
//!
//! `w(z) = Π_{b<L, digit b of z is 1} r_b · r_L^⌊z / 2^L⌋`
//!
//! # Guarantee
//! `λ ≤ w(z+1) / w(z) < 1` for every z, in exact arithmetic.
//! Proof. If z ends in `t` ones (counted up to L), `w(z+1)/w(z) = r_t / (r_{t-1} ··· r_0)`.
//! From `r_t ≥ r_{t-1}²` follows `r_t/(r_{t-1}···r_0) ≥ r_{t-1}/(r_{t-2}···r_0) ≥ ... ≥ r_0 = λ`.
//! Above: `r_{b+1} ≤ r_b² (1 + 2⁶²/F_b²)` with `F_b = 2⁶² r_b ≥ 2⁵⁴` for b < L. At most one level each
//! lies in [2⁻⁸, 2⁻⁴), [2⁻⁴, 2⁻²), [2⁻², 2⁻¹), all others above, so the product of all these factors is
//! below `1 + 2⁻⁴⁵·⁹`, and λ times that is below 1 because the domain ends at e^(-2⁻⁴⁵).
//!
//! # Cost
//! Half a word per digit: 3 to 10 digits for usual budgets, at most 48. All digits are always
//! drawn; only the last coin's run (probability below 2⁻⁸) changes the time.

use super::bernoulli::Bernoulli;
use super::decay::Decay;
use super::random_words::RandomWords;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Squaring stops below this numerator: a ratio of 2⁻⁸.
const SMALL: u64 = Decay::UNIT >> 8;
/// The largest numerator: e^(-2⁻⁴⁵), rounded up like every [`Decay`].
const LARGEST: u64 = Decay::UNIT - (1 << 17) + 1;

/// A geometric law in exact rational arithmetic.
#[derive(Debug, Clone)]
pub struct Geometric {
    /// The digit ratios `r_0 ... r_{L-1}`, then `r_L`.
    ratios: Vec<Decay>,
    digits: Vec<Bernoulli>,
    /// One more `2^L`, with probability `r_L`.
    more: Bernoulli,
}

impl Geometric {
    /// The law with first ratio λ, at most e^(-2⁻⁴⁵).
    pub fn new(ratio: Decay) -> Result<Self> {
        if ratio.numerator() > LARGEST {
            let expected = "at most e^(-2^-45), the end of the domain of the proof";
            return Err(Error::range("ratio", ratio.as_f64(), expected));
        }
        let mut ratios = vec![ratio];
        let mut last = ratio;
        while last.numerator() >= SMALL {
            // Digit b of the value has odds λ^(2^b). Every ratio is rounded up, so each digit's log-odds is at most
            // its share of the budget.
            last = last.squared();
            ratios.push(last);
        }
        let digits = ratios[..ratios.len() - 1]
            .iter()
            .map(|ratio| Bernoulli::between(ratio.numerator(), Decay::UNIT))
            .collect();
        // From 2^L on the value continues as a geometric law of ratio r_L: one more step with probability r_L.
        let more = Bernoulli::between(last.numerator(), Decay::UNIT - last.numerator());
        Ok(Self { ratios, digits, more })
    }

    /// Draws a value. Beyond 2⁶³ it saturates, which is post-processing (and never happens).
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, words: &mut W) -> u64 {
        self.draw_with_fair(words).0
    }

    /// Draws a value, and a fair coin that is independent of it.
    #[inline]
    pub(crate) fn draw_with_fair<W: RandomWords + ?Sized>(&self, words: &mut W) -> (u64, bool) {
        let mut value = words.toss_digits(&self.digits);
        let place = self.digits.len() as u32;
        let (mut more, fair) = words.toss_and_fair(&self.more);
        // Each step adds 2^L, the place above the last digit; the probability of many is small, so the loop ends early.
        while more && !fault::on(Fault::TailCutOff) {
            value = value.saturating_add(1 << place).min(1 << 63);
            more = self.more.draw(words);
        }
        (value, fair)
    }

    /// The numerators over 2⁶² of the exact law: the ratios `r_0 ... r_L` of this file's header.
    pub fn ratio_numerators(&self) -> impl Iterator<Item = u64> + '_ {
        self.ratios.iter().map(|ratio| ratio.numerator())
    }

    /// The weight of `value`; the weight of 0 is 1.
    pub fn weight(&self, value: u64) -> f64 {
        let digits = self.digits.len();
        let set = (0..digits).filter(|b| value >> b & 1 == 1);
        // Digits are independent: the weight of a value is the product of the odds of its digits that are set.
        let low: f64 = set.map(|b| self.ratios[b].as_f64()).product();
        low * self.ratios[digits].as_f64().powf((value >> digits) as f64)
    }

    /// The sum of all weights.
    pub fn total_weight(&self) -> f64 {
        let digits = self.digits.len();
        let low: f64 = self.ratios[..digits].iter().map(|ratio| 1.0 + ratio.as_f64()).product();
        low / self.ratios[digits].complement_f64()
    }

    /// The mean of the square.
    pub fn second_moment(&self) -> f64 {
        let (mut mean, mut variance, mut place) = (0.0, 0.0, 1.0);
        for ratio in &self.ratios[..self.digits.len()] {
            // Digits are independent: means and variances add. A digit is set with probability r/(1 + r).
            let one = ratio.as_f64() / (1.0 + ratio.as_f64());
            mean += place * one;
            variance += place * place * one * (1.0 - one);
            place *= 2.0;
        }
        let last = self.ratios[self.digits.len()];
        let rest = last.complement_f64();
        // A geometric law of ratio r: mean r/(1 - r), variance r/(1 - r)².
        mean += place * last.as_f64() / rest;
        variance += place * place * last.as_f64() / (rest * rest);
        variance + mean * mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{StrictWords, assert_fits, rational};
    use dashu::rational::RBig;

    fn geometric(epsilon: f64) -> Geometric {
        Geometric::new(Decay::of(Budget::from_epsilon(epsilon).unwrap())).unwrap()
    }

    /// `λ ≤ w(z+1)/w(z) < 1` for every number of trailing ones, in exact rationals.
    #[test]
    fn every_step_costs_at_most_the_ratio() {
        let smallest = Geometric::new(Decay::of_part(Budget::SMALLEST, 32)).unwrap();
        let scales = [1e-11, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.7, 1.0, 2.5, 5.0, 20.0, 42.0, 1000.0];
        for law in scales.map(geometric).into_iter().chain([smallest]) {
            let ratios: Vec<RBig> =
                law.ratio_numerators().map(|f| rational(f.into(), 1 << 62)).collect();
            let mut ones = RBig::ONE; // r_{t-1} ··· r_0
            for ratio in &ratios {
                let step = ratio.clone() / ones.clone();
                assert!(step >= ratios[0] && step < RBig::ONE);
                ones *= ratio;
            }
            assert!(ratios.len() <= 49);
        }
    }

    #[test]
    fn the_law_is_close_to_the_real_geometric() {
        for epsilon in [1.0 / 1024.0, 0.125, 1.0, 3.0] {
            let (law, ratio) = (geometric(epsilon), (-epsilon).exp());
            let values = [0u64, 1, 2, 7, 31, 32, 100, 500].into_iter();
            for value in values.filter(|&value| epsilon * (value as f64) < 600.0) {
                let ideal = ratio.powf(value as f64);
                assert!((law.weight(value) / ideal - 1.0).abs() < 1e-12, "{epsilon} {value}");
            }
            assert!((law.total_weight() * -(-epsilon).exp_m1() - 1.0).abs() < 1e-12);
            let ideal = ratio * (1.0 + ratio) / (1.0 - ratio).powi(2);
            assert!((law.second_moment() / ideal - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn drawn_values_fit() {
        let mut noise = NoiseRng::replay(11).next_release().into_stream();
        for epsilon in [0.3, 2.0, 7.0] {
            let law = geometric(epsilon);
            let mut counts = vec![0u64; 41];
            for _ in 0..500_000 {
                counts[law.draw(&mut noise).min(40) as usize] += 1;
            }
            let total = law.total_weight();
            let mut expected: Vec<f64> = (0..40).map(|z| law.weight(z) / total).collect();
            expected.push(1.0 - expected.iter().sum::<f64>());
            // Lump what is too rare for the statistic.
            let rare = expected.iter().position(|p| *p < 2e-5).unwrap_or(40);
            let lump: u64 = counts.drain(rare..).sum();
            let mass: f64 = expected.drain(rare..).sum();
            assert_fits(&[counts, vec![lump]].concat(), &[expected, vec![mass]].concat());
        }
    }

    /// Halves of words at the two ends decide every coin: all patterns of digits come out.
    #[test]
    fn each_digit_has_its_place() {
        let law = geometric(0.3);
        let digits = law.digits.len() as u32;
        assert_eq!(digits, 5);
        for value in 0..1u64 << digits {
            let half = |b: u32| if value >> b & 1 == 1 { 0u64 } else { u32::MAX.into() };
            let pairs = (0..digits.div_ceil(2)).map(|i| half(2 * i + 1) << 32 | half(2 * i));
            for (runs, last) in [(0u64, vec![u64::MAX << 32 | 5]), (2, vec![5, 0, u64::MAX])] {
                let mut script = StrictWords::new(pairs.clone().chain(last));
                let expected = (value + (runs << digits), true);
                assert_eq!(law.draw_with_fair(&mut script), expected);
            }
        }
    }

    #[test]
    fn the_widest_and_the_narrowest_draw() {
        assert!(Geometric::new(Decay::of_part(Budget::SMALLEST, 64)).is_err());
        let mut noise = NoiseRng::replay(12).next_release().into_stream();
        let wide = Geometric::new(Decay::of_part(Budget::SMALLEST, 32)).unwrap();
        let mean = (0..2000).map(|_| wide.draw(&mut noise) as f64).sum::<f64>() / 2000.0;
        assert!((mean / 2f64.powi(45) - 1.0).abs() < 0.15, "{mean}");
        assert!((0..1000).all(|_| geometric(1000.0).draw(&mut noise) == 0));
    }

    /// The coins are those of the header: odds `r_b` for a digit, probability `r_L` for one more run.
    #[test]
    fn coins_have_the_odds_of_the_ratios() {
        for epsilon in [0.01, 0.3, 2.0, 7.0] {
            let law = geometric(epsilon);
            let ratios: Vec<f64> = law.ratios.iter().map(|ratio| ratio.as_f64()).collect();
            for (coin, ratio) in law.digits.iter().zip(&ratios) {
                assert!((coin.probability() * (1.0 + ratio) / ratio - 1.0).abs() < 1e-14);
            }
            assert!((law.more.probability() / ratios[law.digits.len()] - 1.0).abs() < 1e-14);
        }
    }
}
