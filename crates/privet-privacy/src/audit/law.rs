//! [`OutcomeLaw`]: a probability for every outcome, and what is missing to 1.

use std::collections::{BTreeMap, BTreeSet};

use dashu::rational::RBig;

/// Lower bounds on the probabilities of all outcomes, and the mass that is in none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeLaw<K: Ord> {
    found: BTreeMap<K, RBig>,
    lost: RBig,
}

impl<K: Ord> OutcomeLaw<K> {
    pub(super) fn new(found: BTreeMap<K, RBig>) -> Self {
        let lost = found.values().fold(RBig::ONE, |rest, p| rest - p);
        Self { found, lost }
    }

    /// The outcomes and their probabilities, exactly (up to what was cut off).
    pub fn found(&self) -> &BTreeMap<K, RBig> {
        &self.found
    }

    /// What was cut off.
    pub fn lost(&self) -> &RBig {
        &self.lost
    }

    /// The probability of an outcome, at least.
    pub fn at_least(&self, outcome: &K) -> f64 {
        self.found.get(outcome).map_or(0.0, float)
    }

    /// The law of `key(outcome)`: post-processing.
    #[must_use]
    pub fn map<J: Ord>(&self, key: impl Fn(&K) -> J) -> OutcomeLaw<J> {
        let mut found = BTreeMap::new();
        for (outcome, p) in &self.found {
            *found.entry(key(outcome)).or_insert(RBig::ZERO) += p;
        }
        OutcomeLaw { found, lost: self.lost.clone() }
    }

    /// The largest log ratio of the probabilities of an outcome, either way, at least: with `lost` added to
    /// the smaller. Infinite if something can come of one law that cannot come of the other.
    pub fn loss(&self, other: &Self) -> f64 {
        self.loss_over(other).max(other.loss_over(self))
    }

    /// The largest `log(p / (q + lost))`.
    fn loss_over(&self, other: &Self) -> f64 {
        let lost = float(&other.lost);
        let ratio = |(outcome, p): (&K, &RBig)| float(p) / (other.at_least(outcome) + lost);
        self.found.iter().map(ratio).fold(0.0, f64::max).ln().max(0.0)
    }

    /// The smallest epsilon for which the two can be within `delta`, either way, at least.
    pub fn loss_at(&self, other: &Self, delta: f64) -> f64 {
        self.loss_at_over(other, delta).max(other.loss_at_over(self, delta))
    }

    /// Bisects for `sum over outcomes of max(0, p - e^epsilon (q + lost share)) = delta`. The sum of what
    /// was lost on the other side is at most `lost`, wherever it lies.
    fn loss_at_over(&self, other: &Self, delta: f64) -> f64 {
        let pairs: Vec<(f64, f64)> =
            self.found.iter().map(|(outcome, p)| (float(p), other.at_least(outcome))).collect();
        let lost = float(&other.lost);
        let excess = |epsilon: f64| {
            let factor = epsilon.exp();
            let sum: f64 = pairs.iter().map(|&(p, q)| (p - factor * q).max(0.0)).sum();
            sum - factor * lost
        };
        let (mut low, mut high) = (0.0, 1000.0);
        if excess(low) <= delta {
            return 0.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if excess(middle) > delta { low = middle } else { high = middle }
        }
        low
    }

    /// How far the two laws are apart: the largest difference of the probabilities of an event, at least.
    pub fn distance(&self, other: &Self) -> f64 {
        let outcomes: BTreeSet<&K> = self.found.keys().chain(other.found.keys()).collect();
        let difference = |outcome: &K| (self.at_least(outcome) - other.at_least(outcome)).abs();
        let sum: f64 = outcomes.into_iter().map(difference).sum();
        (0.5 * sum - float(&self.lost) - float(&other.lost)).max(0.0)
    }
}

/// The nearest float.
fn float(value: &RBig) -> f64 {
    value.to_f64().value()
}
