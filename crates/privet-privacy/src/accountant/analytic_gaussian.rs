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
use crate::special::{UP, bisect, log_normal_cdf, log_normal_density, normal_cdf, tail_error};

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
                // Means of independent Gaussians add in quadrature: the sequence is one Gaussian at distance mu =
                // sqrt(sum 1/sigma_i^2).
                squares += times / noise_multiplier.powi(2)
            }
            ref other => return Err(no_theorem(NAME, other)),
        }
    }
    Ok(squares.sqrt() * UP)
}

/// Below this `mu` the trapezoid rule may be better than the difference.
const SMALL: f64 = 0.1;

/// `delta(epsilon)` of a Gaussian with sensitivity over standard deviation `mu`, never below the truth.
pub(crate) fn delta(mu: f64, epsilon: f64) -> f64 {
    // Balle and Wang 2018, Theorem 8: delta = P(Z > eps/mu - mu/2) - e^eps P(Z > eps/mu + mu/2).
    let (near, far) = (epsilon / mu - 0.5 * mu, epsilon / mu + 0.5 * mu);
    // Both arguments have the rounding error of the larger one, and e^epsilon is at most e^(far^2/2).
    let error = tail_error(far);
    let upper = normal_cdf(-near) * (1.0 + error);
    let lower = (epsilon + log_normal_cdf(-far)).exp() * (1.0 - error).max(0.0);
    let direct = (upper - lower).max(0.0);
    // For a small mu the two tails agree in almost all digits, and their difference would be rounding.
    let bound = if mu < SMALL { direct.min(trapezoid(mu, near, far)) } else { direct };
    bound.min(1.0)
}

/// `mu/2 [phi(a) (1 - a R(a)) + phi(a) (1 - b R(b))]` with `b = a + mu`.
fn trapezoid(mu: f64, near: f64, far: f64) -> f64 {
    // R(x) = P(X > x)/phi(x), in logarithms because both vanish. Neither term in brackets is above 1, so what
    // is added to each also covers the relative error of their factor.
    let ratio = |x: f64| (log_normal_cdf(-x) - log_normal_density(x)).exp();
    let slope = |x: f64| 1.0 - x * ratio(x) + 2.0 * tail_error(x);
    0.5 * mu * log_normal_density(near).exp() * (slope(near) + slope(far))
}

/// The smallest epsilon at which `delta(epsilon)` is at most the given one.
pub(crate) fn epsilon(mu: f64, target: f64) -> f64 {
    if target <= 0.0 {
        return f64::INFINITY;
    }
    if delta(mu, 0.0) <= target {
        return 0.0;
    }
    // delta(epsilon) <= P(X > epsilon/mu - mu/2), and P(X > z) <= e^(-z^2/2)/2: the root lies below this.
    let end = mu * (mu + (-2.0 * target.ln()).sqrt());
    bisect(0.0, end, HALVINGS, |epsilon| delta(mu, epsilon) > target)
}

/// How often the search for an epsilon halves its interval.
const HALVINGS: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{Big, above, big, normal_tail};
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

    /// Balle and Wang's formula to many digits.
    fn truth(mu: f64, epsilon: f64) -> Big {
        let (mu, epsilon) = (big(mu), big(epsilon));
        let (ratio, half) = (&epsilon / &mu, &mu / big(2.0));
        let near = &ratio - &half;
        let upper =
            if near < big(0.0) { big(1.0) - normal_tail(&-near) } else { normal_tail(&near) };
        upper - epsilon.exp() * normal_tail(&(ratio + half))
    }

    /// Never below the truth, and above it by no more than the roundings (and, for small `mu`, the trapezoid rule) say.
    #[test]
    fn deltas_are_rounded_up_by_little() {
        for mu in [1e-9, 3e-5, 0.003, 0.02, 0.0999, 0.1, 0.37, 1.1, 4.3, 15.0, 33.0] {
            for t in [0.0, 0.3, 1.7, 4.9, 11.1, 19.3, 30.1, 36.9, 37.3] {
                // So that the argument of the larger tail is about t.
                let epsilon: f64 = mu * (t + 0.43 * mu * f64::from(t > 0.0));
                let found = delta(mu, epsilon);
                let exact = truth(mu, epsilon);
                let over = above(found, &exact);
                let far = epsilon / mu + 0.5 * mu;
                let terms = far.max(1.0) / mu.min(1.0);
                let direct = 25.0 * (1.0 + far * far) * terms.max(1.0);
                let rule = 40.0 * (1.0 + far * far) * (1.0 + far * far)
                    + mu * mu / (5.0 * f64::EPSILON) * (1.0 + far * mu).powi(2);
                assert!(over >= 0.0, "{mu} {t}: {found:e} is {over} too low");
                assert!(over <= direct.min(rule), "{mu} {t}: {over} {direct} {rule}");
            }
        }
    }

    /// At epsilon 0 nothing is far out: a few units of rounding are all that is added, to the tails or to the rule.
    #[test]
    fn at_zero_only_a_few_units_are_added() {
        for step in 1..60 {
            let mu = 0.1 + 0.005 * f64::from(step);
            // delta is mu/sqrt(2 pi), the tails are a half: eight units of each are added.
            let over = above(delta(mu, 0.0), &truth(mu, 0.0)) * mu * 0.4;
            assert!((6.0..14.0).contains(&over), "{mu}: {over}");
            let small = 1e-9 * mu;
            let over = above(delta(small, 0.0), &truth(small, 0.0));
            assert!((0.0..22.0).contains(&over), "{small}: {over}");
        }
    }

    /// The distance of a composition is never below the exact root of the sum of squares.
    #[test]
    fn distances_are_rounded_up() {
        for step in 1..60 {
            let (sigma, times) = (0.37 * f64::from(step), 3 * step as u64);
            let found = mu(&[Leaf { event: one(sigma), times }]).unwrap();
            let exact = big(times as f64).sqrt() / big(sigma);
            assert!((0.0..16.0).contains(&above(found, &exact)), "{sigma}");
        }
    }

    /// Without a delta there is no bound, and where delta is that at 0 already, nothing is lost.
    #[test]
    fn the_ends_of_the_curve() {
        assert_eq!(AnalyticGaussian.epsilon(&one(1.0), Delta::ZERO), Ok(Epsilon::INFINITE));
        assert_eq!(epsilon(0.7, delta(0.7, 0.0)), 0.0);
        // What is added for rounding makes no probability larger than 1.
        assert_eq!(delta(60.0, 0.0), 1.0);
        assert!(epsilon(0.7, delta(0.7, 0.0).next_down()) > 0.0);
        for (mu, target) in [(0.7, 0.2), (0.01, 1e-9), (30.0, 0.9), (3.0, 1e-200)] {
            let found = epsilon(mu, target);
            assert!(delta(mu, found) <= target && delta(mu, found * (1.0 - 1e-12)) > target);
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
