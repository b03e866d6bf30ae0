//! [`Theta`]: how FeatureRR shares its budget among the columns.
//!
//! # Equation
//! From importance α and sensitivity β of every column (HeteroRR eq. 7 and Algorithm 1, line 5):
//! `θ_i ∝ γ α_i + (1 - γ) (β_min + β_max - β_i)`, normalised to sum 1. Important columns and columns
//! that reveal little get more budget, that is less noise.
//!
//! The scores must not come from the private records: a mechanism takes `Public<Theta>` only.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// The sum may be off by this much, since shares are floats.
const TOLERANCE: f64 = 1e-6;
/// Shares are cut into units of 2⁻⁵².
const UNIT: f64 = (1u64 << 52) as f64;

/// Shares of a budget, one per column: at least 0, of sum 1.
///
/// ```
/// use privet_privacy::features::Theta;
/// let theta = Theta::from_scores(&[0.2, 0.8], &[0.9, 0.1], 0.5)?;
/// assert!((theta.shares()[0] - 0.15).abs() < 1e-12 && (theta.shares()[1] - 0.85).abs() < 1e-12);
/// assert!(Theta::new(vec![0.5, 0.6]).is_err());
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Theta {
    shares: Vec<f64>,
}

impl Theta {
    /// Shares that are given.
    ///
    /// # Errors
    /// Unless all are at least 0 and their sum is 1.
    pub fn new(shares: Vec<f64>) -> Result<Self> {
        if let Some(bad) = shares.iter().find(|share| !(0.0..=1.0 + TOLERANCE).contains(*share)) {
            return Err(Error::range("share of the budget", bad, "a number from 0 to 1"));
        }
        let sum: f64 = shares.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE {
            return Err(Error::range("sum of the budget shares", sum, "1"));
        }
        Ok(Self { shares })
    }

    /// The same share for every column.
    ///
    /// # Errors
    /// If there are no columns.
    pub fn uniform(columns: usize) -> Result<Self> {
        Self::new(vec![1.0 / columns as f64; columns])
    }

    /// Shares from importance α and sensitivity β, weighed by γ (eq. 7), normalised.
    ///
    /// # Errors
    /// If the scores are not finite and at least 0, or not of one length, or γ is not in [0, 1], or
    /// all shares would be 0.
    pub fn from_scores(importance: &[f64], sensitivity: &[f64], gamma: f64) -> Result<Self> {
        if importance.len() != sensitivity.len() {
            let found = format!("{} and {}", importance.len(), sensitivity.len());
            return Err(Error::range("numbers of scores", found, "one of each per column"));
        }
        if !(0.0..=1.0).contains(&gamma) {
            return Err(Error::range("gamma", gamma, "from 0 to 1"));
        }
        let mut scores = importance.iter().chain(sensitivity);
        if let Some(bad) = scores.find(|score| !(score.is_finite() && **score >= 0.0)) {
            return Err(Error::range("score of a column", bad, "a number of at least 0"));
        }
        let least = sensitivity.iter().copied().fold(f64::INFINITY, f64::min);
        let most = sensitivity.iter().copied().fold(0.0, f64::max);
        // HeteroRR: important columns get more; sensitivity is mirrored within its range, so that sensitive columns
        // get less.
        let combine = |(a, b): (&f64, &f64)| gamma * a + (1.0 - gamma) * (least + (most - b));
        let raw: Vec<f64> = importance.iter().zip(sensitivity).map(combine).collect();
        let sum: f64 = raw.iter().sum();
        if sum.is_nan() || sum <= 0.0 {
            return Err(Error::range("sum of the scores", sum, "above 0"));
        }
        Self::new(raw.iter().map(|score| score / sum).collect())
    }

    /// The shares.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The budget of every column; `None` where nothing is left after rounding down. In integers, the
    /// sum never exceeds the whole: shares are rounded down to 2⁻⁵², and if they still sum to more
    /// than 1 (floats may), they are divided by their sum.
    pub(crate) fn budgets(&self, whole: Budget) -> Vec<Option<Budget>> {
        // Shares are rounded down and the denominator is at least their sum: together they never exceed the budget.
        let units: Vec<u64> = self.shares.iter().map(|share| (share * UNIT) as u64).collect();
        let whole_of_it = units.iter().sum::<u64>().max(UNIT as u64);
        let denominator = whole_of_it / if fault::on(Fault::SharesAddUpToTwo) { 2 } else { 1 };
        // A share too small for a budget of its own gets none: the column is not reported.
        units.iter().map(|&share| whole.share(share, denominator).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bad_shares_and_scores_are_refused() {
        for bad in [vec![], vec![0.5], vec![1.5, -0.5], vec![f64::NAN, 1.0], vec![f64::INFINITY]] {
            assert!(Theta::new(bad).is_err());
        }
        assert!(Theta::uniform(0).is_err());
        assert!(Theta::from_scores(&[1.0], &[1.0, 2.0], 0.5).is_err());
        assert!(Theta::from_scores(&[1.0], &[1.0], 1.5).is_err());
        assert!(Theta::from_scores(&[0.0], &[1.0], 1.0).is_err());
        assert!(Theta::from_scores(&[-1.0, 2.0], &[1.0, 1.0], 1.0).is_err());
        assert!(Theta::from_scores(&[], &[], 0.5).is_err());
        let Err(zero) = Theta::from_scores(&[0.0, 0.0], &[0.0, 0.0], 0.5) else { panic!("zero") };
        assert!(zero.to_string().contains("sum of the scores"), "{zero}");
    }

    /// Shares that floats add up to more than 1 are divided by their sum, others are taken as they are.
    #[test]
    fn shares_above_one_are_divided() {
        let whole = Budget::from_units(1 << 40).unwrap();
        let units = |shares: Vec<f64>| -> Vec<u64> {
            let budgets = Theta { shares }.budgets(whole);
            budgets.into_iter().map(|budget| budget.map_or(0, |budget| budget.units())).collect()
        };
        assert_eq!(units(vec![0.5, 0.25]), [1 << 39, 1 << 38]);
        assert_eq!(units(vec![1.0, 0.5, 0.5]), [1 << 39, 1 << 38, 1 << 38]);
    }

    proptest! {
        #[test]
        fn budgets_never_exceed_the_whole(
            scores in prop::collection::vec(0.0f64..1.0, 1..50), units in 1u64..1 << 50
        ) {
            let sensitivity = vec![1.0; scores.len()];
            let theta = Theta::from_scores(&scores, &sensitivity, 0.9).unwrap();
            let whole = Budget::from_units(units).unwrap();
            let budgets = theta.budgets(whole);
            let sum: u64 = budgets.iter().flatten().map(|budget| budget.units()).sum();
            prop_assert!(sum <= units);
            prop_assert!(sum + scores.len() as u64 + (units >> 19) >= units);
        }
    }
}
