//! [`ExponentialSelection`]: pick the best of several candidates, privately and exactly: the exponential
//! mechanism on integer scores, and top-K by picking again without what was picked.
//!
//! # Equation
//! `P(i) = e^(r s_i) / Σ_j e^(r s_j)` with `r = ε / (2Δ)`, or `ε / Δ` where all scores move the same way.
//! Propose a candidate uniformly, accept it with probability `e^(-r (max - s_i))`: the maximum cancels,
//! the exponent is rational, so the law is exact. The same law as the largest of scores with Gumbel
//! noise of scale `1/r`, and peeling K times the same as the K largest, without a logarithm of a float.
//!
//! # Guarantee
//! One pick is ε-DP for scores each of which a neighbour moves by at most Δ; K picks cost K of them.
//! The candidates must be a public set: being on the list is not protected.
//!
//! # Cost
//! At most N proposals on average, as many as a scan. The number depends on the scores: a curator's
//! clock is not hidden. Quantise scores to a lattice first: clip to [0, C], multiply by `2²⁰/C` and
//! round; then Δ is 2²⁰, whatever the neighbour did.

use super::random_words::RandomWords;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// How a neighbour can move the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreChange {
    /// Some up, some down.
    EitherWay,
    /// All up, or all down (counts under adding one record).
    SameWay,
}

/// Private selection among integer scores.
///
/// ```
/// use privet_privacy::{Budget, noise::{NoiseRng, ScoreChange, ExponentialSelection}};
/// let law = ExponentialSelection::new(Budget::from_epsilon(2.0)?, 1, ScoreChange::EitherWay)?;
/// let mut noise = NoiseRng::replay(1).next_release().into_stream();
/// let best = law.choose(&[3, 90, 5, 88], &mut noise);
/// assert!(matches!(best, Some(1 | 3)));
/// assert_eq!(law.choose_several(&[7, 1, 4], 2, &mut noise).len(), 2);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExponentialSelection {
    /// The rate r is `rate_numerator / rate_denominator`.
    rate_numerator: u128,
    rate_denominator: u128,
}

impl ExponentialSelection {
    /// A pick that costs `budget`, for scores a neighbour moves by at most `sensitivity`.
    pub fn new(budget: Budget, sensitivity: u64, change: ScoreChange) -> Result<Self> {
        if !(1..=1 << 62).contains(&sensitivity) {
            return Err(Error::range("sensitivity", sensitivity, "1 to 2^62"));
        }
        let ways = match change {
            ScoreChange::EitherWay => {
                if fault::on(Fault::ScoresMoveOneWay) {
                    1
                } else {
                    2
                }
            }
            ScoreChange::SameWay => 1,
        };
        // Budgets count units of 2⁻⁴⁰ nat.
        // The weight e^(r score) changes by r Δ per neighbour, and the normaliser by as much again if scores move
        // both ways.
        let rate_denominator = (u128::from(sensitivity) * ways) << 40;
        Ok(Self { rate_numerator: budget.units().into(), rate_denominator })
    }

    /// Picks a candidate; `None` where there is none.
    pub fn choose<W: RandomWords + ?Sized>(&self, scores: &[i64], words: &mut W) -> Option<usize> {
        // Rejection: a uniform candidate is kept with probability e^(-r (best - score)), so picks have weights e^(r
        // score).
        let best = largest(scores)?;
        Some(words.until(|words| {
            let candidate = words.below(scores.len() as u64) as usize;
            // At most 2⁶⁴ · 2⁵³.
            let gap = u128::from(best.abs_diff(scores[candidate])) * self.rate_numerator;
            words.coin_exp(gap, self.rate_denominator).then_some(candidate)
        }))
    }

    /// Picks `count` different candidates one after the other (all, where there are fewer), in the
    /// order of picking. Each pick costs the budget once.
    pub fn choose_several<W: RandomWords + ?Sized>(
        &self,
        scores: &[i64],
        count: usize,
        words: &mut W,
    ) -> Vec<usize> {
        let mut left: Vec<usize> = (0..scores.len()).collect();
        let mut left_scores = scores.to_vec();
        let mut chosen = Vec::with_capacity(count.min(scores.len()));
        while chosen.len() < count
            && let Some(place) = self.choose(&left_scores, words)
        {
            // Peeling: K picks without replacement are K exponential mechanisms in sequence, and compose as such.
            left_scores.swap_remove(place);
            chosen.push(left.swap_remove(place));
        }
        chosen
    }

    /// The probability of each candidate in one pick.
    pub fn probabilities(&self, scores: &[i64]) -> Vec<f64> {
        let best = scores.iter().max().copied().unwrap_or_default();
        let rate = self.rate_numerator as f64 / self.rate_denominator as f64;
        // Relative to the best score, so that no exponential overflows.
        let weight = |&score: &i64| (-rate * best.abs_diff(score) as f64).exp();
        let total: f64 = scores.iter().map(weight).sum();
        scores.iter().map(|score| weight(score) / total).collect()
    }
}

/// The largest score. Eight candidates stand beside each other, so that no comparison waits for the one before: with a
/// hundred candidates or more this is what a pick costs.
fn largest(scores: &[i64]) -> Option<i64> {
    // Eight running maxima: a single one would be a chain of dependent comparisons.
    let (blocks, rest) = scores.as_chunks::<8>();
    let mut lanes = [i64::MIN; 8];
    for block in blocks {
        for (lane, score) in lanes.iter_mut().zip(block) {
            *lane = (*lane).max(*score);
        }
    }
    let largest = lanes.iter().chain(rest).copied().max();
    largest.filter(|_| !scores.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{assert_fits, enumerate};

    fn selection(epsilon: f64, sensitivity: u64) -> ExponentialSelection {
        let budget = Budget::from_epsilon(epsilon).unwrap();
        ExponentialSelection::new(budget, sensitivity, ScoreChange::EitherWay).unwrap()
    }

    #[test]
    fn the_law_by_enumeration() {
        let law = selection(1.0, 1);
        for scores in [vec![0, 0], vec![0, 1, 2], vec![-3, 4, 4]] {
            let (found, lost) = enumerate(16, |words| law.choose(&scores, words));
            let lost = lost.to_f64().value();
            assert!(lost < 0.05, "{lost}");
            for (place, ideal) in law.probabilities(&scores).into_iter().enumerate() {
                let at_least = found.get(&Some(place)).map_or(0.0, |p| p.to_f64().value());
                assert!(at_least <= ideal + 1e-12 && ideal <= at_least + lost);
            }
        }
    }

    /// The worst case of one pick among N, with scores in [0, Δ]: known in closed form.
    #[test]
    fn the_worst_ratio_of_a_pick_is_the_known_one() {
        let law = selection(2.0, 1); // rate 1 per Δ
        let (mut one, mut other) = (vec![0i64; 216], vec![1i64; 216]);
        (one[0], other[0]) = (1, 0);
        let loss = (law.probabilities(&one)[0] / law.probabilities(&other)[0]).ln();
        assert!((loss - 1.989146).abs() < 1e-6);
    }

    /// Top 2 of 5, all scores in {0, 1}, by brute force over pairs of score vectors.
    #[test]
    fn the_worst_ratio_of_two_picks_is_the_known_one() {
        let law = selection(2.0, 1);
        let pairs = |mask: u32| -> Vec<f64> {
            let scores: Vec<i64> = (0..5).map(|i| i64::from(mask >> i & 1)).collect();
            let first = law.probabilities(&scores);
            let mut joint = Vec::new();
            for (place, first) in first.into_iter().enumerate() {
                let mut rest = scores.clone();
                rest.remove(place);
                joint.extend(law.probabilities(&rest).iter().map(|second| first * second));
            }
            joint
        };
        let laws: Vec<Vec<f64>> = (0..32).map(pairs).collect();
        let ratios = laws.iter().flat_map(|p| {
            laws.iter().flat_map(move |q| p.iter().zip(q).map(|(p, q)| (p / q).ln()))
        });
        assert!((ratios.fold(0.0, f64::max) - 2.655990823).abs() < 1e-9);
    }

    #[test]
    fn drawn_picks_fit() {
        let mut noise = NoiseRng::replay(71).next_release().into_stream();
        let (law, scores) = (selection(1.0, 3), [0i64, 5, 9, -4]);
        let (mut counts, mut pairs) = ([0u64; 4], [0u64; 16]);
        for _ in 0..200_000 {
            counts[law.choose(&scores, &mut noise).unwrap()] += 1;
            let two = law.choose_several(&scores, 2, &mut noise);
            pairs[two[0] * 4 + two[1]] += 1;
        }
        let p = law.probabilities(&scores);
        assert_fits(&counts, &p);
        let joint: Vec<f64> = (0..16)
            .map(|i| (i / 4, i % 4))
            .map(|(a, b)| if a == b { 0.0 } else { p[a] * p[b] / (1.0 - p[a]) })
            .collect();
        assert_fits(&pairs, &joint);
    }

    #[test]
    fn the_ends_of_the_domain() {
        let mut noise = NoiseRng::replay(72).next_release().into_stream();
        assert_eq!(selection(1.0, 1).choose(&[], &mut noise), None);
        for count in [5, usize::MAX] {
            assert_eq!(selection(1.0, 1).choose_several(&[1, 2], count, &mut noise).len(), 2);
        }
        let extreme = [i64::MIN, i64::MAX, 0];
        assert_eq!(selection(8192.0, 1).choose(&extreme, &mut noise), Some(1));
        let flat = selection(2f64.powi(-40), 1 << 62);
        assert!((0..100).any(|_| flat.choose(&extreme, &mut noise) == Some(0)));
        for (sensitivity, change) in
            [(0, ScoreChange::SameWay), ((1 << 62) + 1, ScoreChange::SameWay)]
        {
            assert!(ExponentialSelection::new(Budget::SMALLEST, sensitivity, change).is_err());
        }
    }

    /// Wherever it stands: in a block of eight, in another lane, in what is left over; alone, and the least there is.
    #[test]
    fn the_largest_score_is_found_anywhere() {
        for length in [1usize, 7, 8, 9, 16, 21] {
            for place in 0..length {
                let mut scores: Vec<i64> = (0..length as i64).map(|at| -5 - at % 3).collect();
                scores[place] = 11;
                assert_eq!(largest(&scores), Some(11), "{place} of {length}");
            }
        }
        assert_eq!(largest(&[i64::MIN; 9]), Some(i64::MIN));
        assert_eq!(largest(&[]), None);
    }

    /// Where all scores move the same way, the same budget allows twice the rate.
    #[test]
    fn scores_that_move_together_are_told_apart_twice_as_well() {
        let budget = Budget::from_epsilon(1.5).unwrap();
        let odds = |change| {
            let law = ExponentialSelection::new(budget, 3, change).unwrap();
            let p = law.probabilities(&[0, 3]);
            (p[1] / p[0]).ln()
        };
        assert!((odds(ScoreChange::SameWay) - 1.5).abs() < 1e-12);
        assert!((odds(ScoreChange::EitherWay) - 0.75).abs() < 1e-12);
    }
}
