//! The exact privacy of Gaussian noise, for any number of Gaussian releases.
//!
//! **Idea.** The privacy loss of Gaussian noise is itself normal, `N(mu^2/2, mu^2)` with `mu` the
//! sensitivity over the standard deviation, and normals add.
//!
//! **Theorem** (Balle and Wang 2018, Theorem 8; composition: Dong, Roth and Su 2022): a composition of
//! Gaussian releases is `(epsilon, delta)`-DP exactly when
//! `delta >= Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)` with `mu^2 = sum 1/sigma_i^2`.
//! Tight: it is an equality. No sampling.
//!
//! **Numerics.** The second term is formed in logarithms; the inverse is a bisection that returns its
//! upper end.

use super::leaves::Leaf;
use super::{Accountant, no_theorem, settle_delta, settle_epsilon};
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon};
use crate::special::{log_normal_cdf, normal_cdf, normal_upper_quantile};

/// The accountant that is exact for Gaussian noise.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnalyticGaussian;

const NAME: &str = "analytic Gaussian";

impl Accountant for AnalyticGaussian {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| Ok(epsilon(mu(leaves)?, delta)))
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| Ok(delta(mu(leaves)?, epsilon)))
    }
}

fn mu(leaves: &[Leaf]) -> Result<f64> {
    let mut squares = 0.0;
    for leaf in leaves {
        match leaf.event {
            Event::Gaussian { noise_multiplier } => {
                let times = if fault::on(Fault::RepetitionsFree) { 1.0 } else { leaf.count() };
                squares += times / noise_multiplier.powi(2)
            }
            ref other => return Err(no_theorem(NAME, other)),
        }
    }
    Ok(squares.sqrt())
}

/// `delta(epsilon)` of a Gaussian with sensitivity over standard deviation `mu`.
pub(crate) fn delta(mu: f64, epsilon: f64) -> f64 {
    let upper = normal_cdf(0.5 * mu - epsilon / mu);
    let lower = (epsilon + log_normal_cdf(-0.5 * mu - epsilon / mu)).exp();
    (upper - lower).clamp(0.0, 1.0)
}

/// The smallest epsilon at which `delta(epsilon)` is at most the given one.
pub(crate) fn epsilon(mu: f64, target: f64) -> f64 {
    if target <= 0.0 {
        return f64::INFINITY;
    }
    if delta(mu, 0.0) <= target {
        return 0.0;
    }
    // delta(epsilon) <= Phi(mu/2 - epsilon/mu) <= target at this epsilon, so the root lies below it.
    let quantile = normal_upper_quantile(target.min(0.5).ln());
    let (mut low, mut high) = (0.0, (0.5 * mu * mu + mu * quantile).next_up());
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if delta(mu, middle) > target { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(noise_multiplier: f64) -> Event {
        Event::Gaussian { noise_multiplier }
    }

    fn epsilon_of(event: &Event, delta: f64) -> f64 {
        AnalyticGaussian.epsilon(event, Delta::new(delta).unwrap()).unwrap().get()
    }

    #[test]
    fn matches_published_values() {
        assert!((epsilon_of(&one(1.0), 1e-5) - 4.377_178_096).abs() < 1e-8);
        // 100 releases at sigma 5 are one at sigma 1/2.
        let many = epsilon_of(&one(5.0).repeated(100), 1e-6);
        assert!((many - epsilon_of(&one(0.5), 1e-6)).abs() < 1e-12);
        assert!((many - 10.997_151_218).abs() < 2e-4, "{many}");
    }

    /// One analytic Gaussian for 70 rows of sensitivity sqrt(2) each, against the noise it needs.
    #[test]
    fn noise_for_a_whole_matrix_release() {
        for (target, sigma) in [(0.5, 54.548), (1.0, 30.464), (2.0, 17.100), (4.0, 9.739)] {
            let rows = one(sigma / 2f64.sqrt()).repeated(70);
            assert!((epsilon_of(&rows, 1e-3) / target - 1.0).abs() < 1e-4, "{target}");
        }
    }

    /// Cached batches: 200 participations without any sampling.
    #[test]
    fn cached_batches_have_no_amplification() {
        let truth = epsilon_of(&one(4.162).repeated(200), 1e-3 / 0.09);
        assert!((truth - 12.78).abs() < 5e-3, "{truth}");
    }

    proptest! {
        #[test]
        fn inverts_and_never_understates(log_mu in -6.0..7.0_f64, log_delta in -600.0..-0.5_f64) {
            let (mu, target) = (log_mu.exp(), log_delta.exp());
            let found = epsilon(mu, target);
            prop_assert!(found.is_finite() && found >= 0.0);
            prop_assert!(delta(mu, found) <= target);
            prop_assert!(found == 0.0 || delta(mu, found * (1.0 - 1e-9) - 1e-12) >= target * (1.0 - 1e-6));
        }
    }
}
