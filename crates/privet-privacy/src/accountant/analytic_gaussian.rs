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
//! **Numerics.** Every delta is rounded up by a bound on its own rounding error, and the inverse is a bisection that
//! returns its upper end. The difference of the two terms loses its digits for small `mu`. Both are `phi(a)` times
//! Mills' ratio `R` at `a = epsilon/mu - mu/2` and at `a + mu`, and `-R'(x) = 1 - x R(x)` is convex and
//! decreasing (`R` is completely monotone), so the trapezoid rule for the integral of `-R'` is an upper bound that
//! keeps them: off by a share of about `mu^2/12` instead of `1e-16/mu`. The smaller of the two is taken.

use super::leaves::Leaf;
use super::{Accountant, no_theorem, settle_delta, settle_epsilon};
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon};
use crate::special::{log_normal_cdf, log_normal_density, normal_cdf, normal_upper_quantile};

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

    fn is_exact(&self) -> bool {
        true
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
    Ok(squares.sqrt() * (1.0 + ROUNDING))
}

/// A bound on the relative error of a few operations.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Below this `mu` the trapezoid rule may be better than the difference.
const SMALL: f64 = 0.1;

/// `delta(epsilon)` of a Gaussian with sensitivity over standard deviation `mu`, never below the truth.
pub(crate) fn delta(mu: f64, epsilon: f64) -> f64 {
    let (near, far) = (epsilon / mu - 0.5 * mu, epsilon / mu + 0.5 * mu);
    let upper = normal_cdf(-near);
    // Relative errors: of a normal tail with that of its argument, and of a power of e with its exponent.
    let upper_error = ROUNDING * (1.0 + near.max(0.0).powi(2));
    let lower_error = ROUNDING * (1.0 + epsilon + far * far);
    let lower = (epsilon + log_normal_cdf(-far)).exp() * (1.0 - lower_error).max(0.0);
    let direct = (upper * (1.0 + upper_error) - lower).max(0.0);
    let bound = if mu < SMALL { direct.min(trapezoid(mu, near, far)) } else { direct };
    bound.min(1.0)
}

/// `mu/2 [phi(a) (1 - a R(a)) + phi(a) (1 - b R(b))]` with `b = a + mu`.
fn trapezoid(mu: f64, near: f64, far: f64) -> f64 {
    // R(x) = P(X > x)/phi(x), in logarithms because both vanish.
    let slope = |x: f64| 1.0 - x * (log_normal_cdf(-x) - log_normal_density(x)).exp();
    let slope = |x: f64| if x < FAR { slope(x) + ROUNDING * (1.0 + x * x) } else { x.powi(-2) };
    let error = ROUNDING * (1.0 + far * far);
    0.5 * mu * log_normal_density(near).exp() * (slope(near) + slope(far)) * (1.0 + error)
}

/// Beyond this the density is near the end of the floating-point range, and `1 - x R(x) < 1/x^2` is used.
const FAR: f64 = 37.0;

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
    let (mut low, mut high) = (0.0, (0.5 * mu * mu + mu * quantile) * (1.0 + 1e-13));
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

    /// Where the difference of the two terms is nothing but rounding: `delta(0) = mu/sqrt(2 pi)` for small `mu`.
    #[test]
    fn tiny_losses_are_not_nothing() {
        let found = epsilon_of(&one(1e16), 1e-18);
        // Sixty digits say 1.938356307290e-16.
        assert!((found / 1.938_356_307_290e-16 - 1.0).abs() < 1e-9, "{found:e}");
        for sigma in [1e3, 1e9, 1e16, 1e60] {
            let at_zero = delta(1.0 / sigma, 0.0) * sigma * (2.0 * std::f64::consts::PI).sqrt();
            assert!((1.0 - 1e-7..1.0 + 1e-7).contains(&at_zero), "{sigma:e}: {at_zero}");
            // phi(t) - t (1 - Phi(t)) at t = 2.
            let at_two = delta(1.0 / sigma, 2.0 / sigma) * sigma;
            assert!(
                (at_two / 0.008_490_702_616_829_64 - 1.0).abs() < 2.0 / sigma + 1e-9,
                "{at_two}"
            );
        }
    }

    /// The two formulas meet.
    #[test]
    fn small_and_large_losses_agree_where_they_meet() {
        for t in [0.0, 1.0, 5.0, 20.0, 36.9, 37.1] {
            let (below, above) = (delta(SMALL * (1.0 - 1e-9), SMALL * t), delta(SMALL, SMALL * t));
            assert!((below / above - 1.0).abs() < 1e-5, "{t}: {below:e} {above:e}");
        }
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
