//! Attacks: what an attacker gets out of a model or a release, and what the guarantee says
//! they can get at most.
//!
//! | file | the attacker has | and wants |
//! |---|---|---|
//! | [`linkteller`] | a served GCN and the features of nodes | private edges |
//! | [`reconstruct`] | reported features and public data like them | the features |
//! | [`membership`] | a trained model, and shadow models of like data | who, or which edge, was trained on |
//!
//! # The ceiling
//! A pure `eps` bounds every test between a graph with a certain edge and the same graph without it: its
//! true-positive rate is at most `e^eps` times its false-positive rate, and likewise for the other two
//! rates. The largest area under such a curve is `e^eps / (1 + e^eps)` ([`largest_auc`]); with a delta, [`Ceiling`]
//! has both. An attack over
//! *different* pairs may score higher without any leak, because some pairs are likely edges from what is
//! public; so each attack also reports its score against a release with nothing private behind it.

pub mod linkteller;
pub mod membership;
pub mod reconstruct;
pub mod roc;

use privet::privacy::{Loss, tradeoff};

/// The largest area under the ROC curve of any test between two inputs that differ in one protected
/// unit, under a pure epsilon.
///
/// ```
/// assert_eq!(privet_lab::attacks::largest_auc(0.0), 0.5);
/// assert!((privet_lab::attacks::largest_auc(1.0) - 0.731059).abs() < 1e-6);
/// assert_eq!(privet_lab::attacks::largest_auc(f64::INFINITY), 1.0);
/// ```
pub fn largest_auc(epsilon: f64) -> f64 {
    Ceiling { epsilon, delta: 0.0 }.auc()
}

/// What `(epsilon, delta)` leaves to any test between two neighbouring inputs.
///
/// With `x` the false-positive rate, the true-positive rate is at most `e^eps x + delta` and at most
/// `1 - e^-eps (1 - delta - x)`. The two lines meet at `x = (1 - delta) / (1 + e^eps)`, so that the area below them is
/// `1 - (1 - delta)^2 / (1 + e^eps)`. The bound is concave in `x`, so it also holds for rates that are averaged
/// over many tests, each between two neighbours of its own.
///
/// ```
/// use privet_lab::attacks::Ceiling;
/// let ceiling = Ceiling { epsilon: 1.0, delta: 0.001 };
/// assert!((ceiling.true_positive_rate(0.01) - (0.001 + 0.01 * 1f64.exp())).abs() < 1e-12);
/// assert_eq!(ceiling.true_positive_rate(1.0), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Ceiling {
    /// Epsilon; infinite without a guarantee.
    pub epsilon: f64,
    /// Delta.
    pub delta: f64,
}

impl From<Loss> for Ceiling {
    fn from(loss: Loss) -> Self {
        Self { epsilon: loss.epsilon.get(), delta: loss.delta.get() }
    }
}

impl Ceiling {
    /// No guarantee at all.
    pub const NONE: Self = Self { epsilon: f64::INFINITY, delta: 1.0 };

    /// The largest true-positive rate at a false-positive rate.
    pub fn true_positive_rate(self, false_positive_rate: f64) -> f64 {
        tradeoff::found(self.epsilon, self.delta, false_positive_rate)
    }

    /// The largest area under a ROC curve.
    pub fn auc(self) -> f64 {
        // (1 - delta)^2 / (1 + e^eps), without an overflow for large epsilons.
        let small = (-self.epsilon).exp();
        1.0 - (1.0 - self.delta).powi(2) * small / (1.0 + small)
    }
}

/// What several guarantees of the same release leave together: at every rate the smallest of their ceilings.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Ceilings(pub Vec<Ceiling>);

impl Ceilings {
    /// The largest true-positive rate at a false-positive rate.
    pub fn true_positive_rate(&self, false_positive_rate: f64) -> f64 {
        let each = self.0.iter().map(|ceiling| ceiling.true_positive_rate(false_positive_rate));
        each.fold(1.0, f64::min)
    }

    /// The largest area under a ROC curve: below all ceilings, from above by steps of a ten-thousandth. They rise, so
    /// the right end of a step is its highest point.
    pub fn auc(&self) -> f64 {
        const STEPS: u32 = 10_000;
        let right = |step: u32| f64::from(step) / f64::from(STEPS);
        let sum: f64 = (1..=STEPS).map(|step| self.true_positive_rate(right(step))).sum();
        (sum / f64::from(STEPS)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many points of a Gaussian's curve come close to its own ROC curve, and are never below it.
    #[test]
    fn many_guarantees_are_close_to_the_truth() {
        use privet::privacy::{Epsilon, Event, accountant};
        let event = Event::Gaussian { noise_multiplier: 0.5 };
        let pair = |at: u32| {
            let epsilon = Epsilon::new(f64::from(at) / 4.0).unwrap();
            let delta = accountant::best_delta(&event, epsilon).unwrap().value;
            Ceiling::from(Loss { epsilon, delta })
        };
        let ceilings = Ceilings((0..40).map(pair).collect());
        // Sensitivity over deviation is 2: the area is Phi(2 / sqrt 2), and at 0.01 the rate is Phi(2 - 2.3263).
        let (area, rate) = (ceilings.auc(), ceilings.true_positive_rate(0.01));
        assert!((0.921350..0.9225).contains(&area), "{area}");
        assert!((0.372078..0.376).contains(&rate), "{rate}");
    }

    /// The area is that of the curve, added up.
    #[test]
    fn the_area_is_that_below_the_curve() {
        for (epsilon, delta) in [(0.0, 0.0), (1.0, 0.0), (2.0, 0.1), (0.3, 0.02), (30.0, 1e-3)] {
            let ceiling = Ceiling { epsilon, delta };
            let steps = 200_000;
            let middle = |at: i32| (f64::from(at) + 0.5) / f64::from(steps);
            let sum: f64 = (0..steps).map(|at| ceiling.true_positive_rate(middle(at))).sum();
            assert!((sum / f64::from(steps) - ceiling.auc()).abs() < 1e-5, "{ceiling:?}");
        }
        assert_eq!(Ceiling::NONE.auc(), 1.0);
        assert_eq!(Ceiling { epsilon: 9_597.0, delta: 2e-3 }.true_positive_rate(0.01), 1.0);
    }
}
