//! [`GradedResponse`]: report a bin, nearer bins more often: the law of FeatureRR.
//!
//! # Equation
//! Bins `0..k`. The weight of bin `u` given bin `t` is `w(|u - t|)`, where `w(0)` is a power of two and
//! `w(m+1) = ⌈λ w(m)⌉` with `λ = ⌈e^(-ε/(k-1))⌉` (see [`Decay`]); `C_t` is the sum over all `u`.
//!
//! # Guarantee
//! ε-LDP. Proof, for any weights with `λ w(m) ≤ w(m+1) ≤ w(m)`: let t < t'. Since distances differ by at
//! most `t' - t`, `w(|u-t|) / w(|u-t'|) ≤ λ^-(t'-t)`, so the ratio of probabilities is at most
//! `R = λ^-(t'-t) C_t' / C_t`. Moving t by one moves every distance by at most one, so
//! `C_{t+1} ≥ λ C_t`: the numbers `λ^-t C_t` rise with t, and R is largest for the ends, t = 0 and
//! t' = k-1. There `C_t = C_t'` by symmetry, and `R = λ^-(k-1) ≤ e^ε`. (t > t' is the mirror image.)
//! Rounding the weights up keeps both inequalities, so the proof is about the integers that run.
//!
//! # Cost
//! Two words and one binary search over a table of k sums shared by all inputs: no rejection, since
//! its running time would depend on `t` through `C_t`. Memory O(k).

use super::decay::Decay;
use super::random_words::RandomWords;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// The most bins: their weights keep at least 50 binary digits.
const MOST_BINS: u32 = 1 << 12;

/// Graded randomized response over `0..bins`.
///
/// ```
/// use privet_privacy::{Budget, noise::{GradedResponse, NoiseRng}};
/// let law = GradedResponse::new(10, Budget::from_epsilon(3.0)?)?;
/// let mut noise = NoiseRng::replay(1).next_release().into_stream();
/// assert!(law.draw(4, &mut noise) < 10);
/// assert!(law.weight(4, 5) > law.weight(4, 9));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GradedResponse {
    /// `sums[m] = w(0) + ... + w(m)`.
    sums: Vec<u64>,
}

impl GradedResponse {
    /// Graded response among at least two bins.
    pub fn new(bins: u32, budget: Budget) -> Result<Self> {
        if !(2..=MOST_BINS).contains(&bins) {
            return Err(Error::range("bins", bins, "2 to 4096"));
        }
        let budget = match fault::on(Fault::BinsForgotten) {
            true => Budget::from_units(budget.units() * u64::from(bins))?,
            false => budget,
        };
        // The farthest bin is bins - 1 steps away, and all steps together may cost the budget.
        let parts = if fault::on(Fault::WholeBudgetPerBin) { 1 } else { u64::from(bins - 1) };
        let step = Decay::of_part(budget, parts);
        // The largest weight leaves room for the sum over all bins in 62 binary digits.
        let mut weight = Decay::UNIT >> bins.next_power_of_two().trailing_zeros();
        let mut sums = vec![weight];
        for distance in 1..bins as usize {
            // Rounded up: neighbouring weights never differ by more than one step's factor.
            weight = step.shrink(weight);
            sums.push(sums[distance - 1] + weight);
        }
        Ok(Self { sums })
    }

    /// Randomizes a bin; one beyond the last is read as the last.
    #[inline]
    pub fn draw<W: RandomWords + ?Sized>(&self, truth: u32, words: &mut W) -> u32 {
        let truth = (truth as usize).min(self.sums.len() - 1);
        // One uniform integer below the sum of all weights picks side and distance at once: exact, without a coin per bin.
        let up = self.upwards(truth);
        words.below_in_runs(self.total_at(truth), |drawn| {
            // First the bins from the truth upwards, then those below it, from distance 1.
            let upwards = drawn < up;
            // Below the truth the same cumulative weights are read from distance 1 on, so distance 0 is skipped.
            let sum = if upwards { drawn } else { drawn - up + self.sums[0] };
            let distance = self.sums.partition_point(|&through| through <= sum);
            (if upwards { truth + distance } else { truth - distance }) as u32
        })
    }

    /// The exact integer weight of a bin given the truth.
    pub fn weight(&self, truth: u32, bin: u32) -> u64 {
        match truth.abs_diff(bin) as usize {
            0 => self.sums[0],
            distance if distance < self.sums.len() => self.sums[distance] - self.sums[distance - 1],
            _ => 0,
        }
    }

    /// `C_t`: the sum of the weights of all bins given the truth.
    pub fn total(&self, truth: u32) -> u64 {
        self.total_at((truth as usize).min(self.sums.len() - 1))
    }

    /// How many bins.
    pub fn bins(&self) -> u32 {
        self.sums.len() as u32
    }

    /// The probability of a bin given the truth.
    pub fn probability(&self, truth: u32, bin: u32) -> f64 {
        self.weight(truth, bin) as f64 / self.total(truth) as f64
    }

    /// The weight of the bins from the truth upwards.
    fn upwards(&self, truth: usize) -> u64 {
        self.sums[self.sums.len() - 1 - truth]
    }

    fn total_at(&self, truth: usize) -> u64 {
        self.upwards(truth) + self.sums[truth] - self.sums[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{StrictWords, assert_fits, exp_minus_ball};
    use dashu::integer::IBig;
    use dashu::rational::RBig;

    fn graded(bins: u32, epsilon: f64) -> GradedResponse {
        GradedResponse::new(bins, Budget::from_epsilon(epsilon).unwrap()).unwrap()
    }

    /// `P(u|t) / P(u|t') ≤ e^ε` for every triple, by exact rationals; and tight up to rounding.
    #[test]
    fn the_ratio_is_bounded_by_the_budget() {
        for bins in [2u32, 3, 4, 10, 32] {
            for epsilon in [2f64.powi(-40), 1e-6, 0.1, 1.0, 5.0, 40.0, 64.0, 1000.0] {
                let law = graded(bins, epsilon);
                let x = Budget::from_epsilon(epsilon).unwrap().as_f64();
                let (_, least) = exp_minus_ball(&RBig::try_from(x).unwrap());
                let probability =
                    |t: u32, u| RBig::from_parts(IBig::from(law.weight(t, u)), law.total(t).into());
                let mut smallest = RBig::ONE;
                for u in 0..bins {
                    let row: Vec<RBig> = (0..bins).map(|t| probability(t, u)).collect();
                    let (low, high) = (row.iter().min().unwrap(), row.iter().max().unwrap());
                    smallest = smallest.min(low / high);
                }
                assert!(smallest >= least, "{bins} bins, epsilon {epsilon}");
                if (0.1..=5.0).contains(&epsilon) {
                    let loss = -smallest.to_f64().value().ln();
                    assert!((loss - epsilon).abs() < 1e-9, "{loss} for {epsilon}");
                }
            }
        }
    }

    /// The words that select a bin are an interval as long as its weight.
    #[test]
    fn each_bin_has_its_interval() {
        for (bins, epsilon) in [(2u32, 0.5), (5, 1.0), (9, 30.0)] {
            let law = graded(bins, epsilon);
            for truth in 0..bins {
                let total = law.total(truth);
                assert_eq!((0..bins).map(|u| law.weight(truth, u)).sum::<u64>(), total);
                let order = (truth..bins).chain((0..truth).rev());
                let mut start = 0u64;
                for bin in order {
                    let end = start + law.weight(truth, bin);
                    for drawn in [start, end - 1] {
                        // A word in the middle of the value's share, far from both ends.
                        let word = ((u128::from(drawn) << 64) + (1 << 63)) / u128::from(total);
                        let mut script = StrictWords::new([word as u64, 0]);
                        assert_eq!(script.below_steadily(total), drawn);
                        assert_eq!(law.draw(truth, &mut StrictWords::new([word as u64, 0])), bin);
                    }
                    start = end;
                }
                assert_eq!(start, total);
            }
        }
    }

    #[test]
    fn close_to_the_printed_law() {
        let (bins, epsilon) = (10u32, 1.0);
        let law = graded(bins, epsilon);
        let weight = |t: u32, u: u32| (-epsilon / 9.0 * f64::from(t.abs_diff(u))).exp();
        for t in 0..bins {
            let total: f64 = (0..bins).map(|u| weight(t, u)).sum();
            for u in 0..bins {
                assert!((law.probability(t, u) - weight(t, u) / total).abs() < 1e-14);
            }
        }
        // Adjacent bins lose more than ε/(k-1): there is no distance-graded guarantee.
        let adjacent = (0..9).flat_map(|t| (0..10).map(move |u| (t, u)));
        let loss = adjacent
            .map(|(t, u)| (law.probability(t, u) / law.probability(t + 1, u)).ln().abs())
            .fold(0.0, f64::max);
        assert!((loss - 0.190486).abs() < 1e-6);
    }

    #[test]
    fn drawn_bins_fit() {
        let mut noise = NoiseRng::replay(51).next_release().into_stream();
        let law = graded(8, 2.0);
        for truth in [0u32, 3, 7, 100] {
            let mut counts = [0u64; 8];
            for _ in 0..300_000 {
                counts[law.draw(truth, &mut noise) as usize] += 1;
            }
            let expected: Vec<f64> = (0..8).map(|u| law.probability(truth.min(7), u)).collect();
            assert_fits(&counts, &expected);
        }
    }

    #[test]
    fn the_ends_of_the_domain() {
        for bins in [0, 1, 4097] {
            assert!(GradedResponse::new(bins, Budget::SMALLEST).is_err());
        }
        // Beyond the last bin there is nothing, and a truth beyond it is read as the last.
        let law = graded(5, 1.0);
        assert_eq!([law.weight(0, 5), law.weight(5, 0), law.weight(0, 900)], [0; 3]);
        assert_eq!(
            (law.total(4), law.total(5), law.total(900)),
            (law.total(0), law.total(4), law.total(4))
        );
        let mut noise = NoiseRng::replay(52).next_release().into_stream();
        for budget in [Budget::SMALLEST, Budget::LARGEST] {
            let law = GradedResponse::new(4096, budget).unwrap();
            assert!((0..4096).all(|t| law.draw(t, &mut noise) < 4096));
            assert!((0..4096).all(|t| law.total(t) < 1 << 63 && law.weight(0, t) >= 1));
        }
    }
}
