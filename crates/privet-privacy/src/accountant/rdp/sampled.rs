//! Rényi divergences of Gaussian noise on samples.
//!
//! **Poisson samples** (Mironov, Talwar and Zhang 2019 for one row, the mixture pair for several): the
//! moments `E_Q[e^(b L)]` with `b = a` (remove) and `b = 1 - a` (add), `Q = N(0, sigma^2)`. The integrand is
//! analytic in a strip: the polynomial under the logarithm in `L` has only negative real zeros (a binomial
//! polynomial times the multiplier sequence `e^(-c k^2)`), so the strip has half-width `pi sigma^2`, and the
//! trapezoid rule converges geometrically; a step of `2 pi^2 sigma^2 / (37 + pi^2 sigma^2 / 2)` leaves an error
//! of `e^-37`. What is integrated is `e^(bL) - 1 - b (e^L - 1)`, which is not negative and has integral
//! `A - 1` because `E_Q[e^L] = 1`: small moments keep their digits. One formula serves integer and fractional
//! orders; the published series agree to 1e-9.
//!
//! **Samples of fixed size** (Wang, Balle and Kasiviswanathan 2019, Theorem 9; replace one record): a
//! binomial sum for integer orders; between integers the logarithm of the moment is convex, so the chord
//! is a bound. Loose by small factors; the PLD accountant is tighter.

use super::curves::{divergence, from_log_excess};
use crate::accountant::leaves::leaves;
use crate::accountant::mixture::Mixture;
use crate::error::Result;
use crate::event::Event;
use crate::special::{log_binomial, log_expm1, log_sum_exp};

/// Orders that would need more quadrature nodes than this are given up (their bound is infinite).
const MAX_NODES: f64 = 4_096.0;
/// The binomial sum stops here; larger orders are given up.
const MAX_FIXED_SIZE_ORDER: f64 = 256.0;
/// The Gaussian factor beyond this many standard deviations is below 1e-31.
const WIDTH: f64 = 12.0;

/// The divergence of the mixture pair, in the worse direction.
pub(super) fn mixture(mixture: &Mixture, order: f64) -> f64 {
    let remove = log_excess(mixture, order);
    let add = log_excess(mixture, 1.0 - order);
    from_log_excess(remove.max(add), order).max(0.0)
}

/// `log(E_Q[e^(b L)] - 1)` by the trapezoid rule.
fn log_excess(mixture: &Mixture, b: f64) -> f64 {
    let sigma = mixture.sigma;
    let shift = b * mixture.reach();
    let (low, high) = (shift.min(0.0) - WIDTH * sigma, shift.max(0.0) + WIDTH * sigma);
    let pi_squared = std::f64::consts::PI.powi(2);
    let variance = sigma * sigma;
    let step =
        (0.5 * sigma).min(2.0 * pi_squared * variance / (37.0 + 0.5 * pi_squared * variance));
    let nodes = ((high - low) / step).ceil();
    if nodes.is_nan() || nodes > MAX_NODES {
        return f64::INFINITY;
    }
    let log_scale = (step / sigma).ln() - 0.5 * (2.0 * std::f64::consts::PI).ln();
    let terms: Vec<f64> = (0..=nodes as u32)
        .map(|node| {
            let x = low + f64::from(node) * step;
            log_bend(b, mixture.loss(x)) - 0.5 * (x / sigma).powi(2)
        })
        .collect();
    log_sum_exp(&terms) + log_scale
}

/// `log(e^(b l) - 1 - b (e^l - 1))`, which is never negative inside for `b > 1` or `b < 0`.
fn log_bend(b: f64, loss: f64) -> f64 {
    let top = b * loss;
    if top > 30.0 {
        // e^top (1 - r) with r = (1 + b (e^l - 1)) e^-top
        let log_line =
            if loss > 600.0 { b.abs().ln() + loss } else { (1.0 + b * loss.exp_m1()).abs().ln() };
        let below = (b > 0.0 && loss > 0.0) || (1.0 + b * loss.exp_m1()) > 0.0;
        let ratio = (log_line - top).exp();
        return top + if below { (-ratio).ln_1p() } else { ratio.ln_1p() };
    }
    if loss > 30.0 {
        // b < 0: the line -b e^l dominates.
        return (-b).ln() + log_expm1(loss);
    }
    (top.exp_m1() - b * loss.exp_m1()).max(0.0).ln()
}

/// The divergence of an event on a sample of fixed size, `rate` the share that was drawn.
pub(super) fn fixed_size(rate: f64, inner: &Event, order: f64) -> Result<f64> {
    if order > MAX_FIXED_SIZE_ORDER {
        return Ok(f64::INFINITY);
    }
    let parts = leaves(inner)?;
    let base = |order: f64| -> Result<f64> {
        parts.iter().map(|leaf| Ok(leaf.count() * divergence(&leaf.event, order)?)).sum()
    };
    let log_moment = |integer: f64| -> Result<f64> {
        if integer < 2.0 {
            return Ok(0.0);
        }
        let a = integer as u64;
        let second = base(2.0)?;
        // min(4 (e^D(2) - 1), 2 e^D(2))
        let pair =
            (4.0_f64.ln() + log_expm1(second.max(f64::MIN_POSITIVE))).min(2.0_f64.ln() + second);
        let mut terms = vec![2.0 * rate.ln() + log_binomial(a, 2) + pair];
        for j in 3..=a {
            let k = j as f64;
            terms.push(k * rate.ln() + log_binomial(a, j) + (k - 1.0) * base(k)? + 2.0_f64.ln());
        }
        Ok(from_log_excess(log_sum_exp(&terms), 2.0))
    };
    let floor = order.floor();
    let (low, high) = (log_moment(floor)?, log_moment(order.ceil())?);
    let chord = low + (order - floor) * (high - low);
    Ok((chord / (order - 1.0)).min(base(order)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::log_binomial_mass;
    use proptest::prelude::*;

    /// Integer orders of the one-row mixture have a finite sum: A = sum_k Bin(k; a, q) e^(k(k-1)/(2 sigma^2)).
    fn direct(sigma: f64, rate: f64, order: u64) -> f64 {
        let terms: Vec<f64> = (0..=order)
            .map(|k| {
                log_binomial_mass(order, k, rate)
                    + (k * k.saturating_sub(1)) as f64 / (2.0 * sigma * sigma)
            })
            .collect();
        log_sum_exp(&terms) / (order as f64 - 1.0)
    }

    proptest! {
        #[test]
        fn quadrature_matches_the_binomial_sum(log_sigma in -1.5..4.0_f64, log_rate in -6.0..-0.05_f64, order in 2..40_u64) {
            let (sigma, rate) = (log_sigma.exp(), log_rate.exp());
            let found = mixture(&Mixture::new(sigma, 1, rate), order as f64);
            let expected = direct(sigma, rate, order);
            prop_assert!((found - expected).abs() <= 1e-9 * expected + 1e-14, "{found} {expected}");
        }

        #[test]
        fn no_order_is_negative_or_undefined(
            log_sigma in -5.0..8.0_f64, log_rate in -12.0..0.0_f64, rows in 1..12_u32, log_excess in -6.0..12.0_f64,
        ) {
            let mixture_pair = Mixture::new(log_sigma.exp(), rows, log_rate.exp());
            let value = mixture(&mixture_pair, 1.0 + log_excess.exp());
            prop_assert!(value >= 0.0);
        }
    }

    /// With every row sampled the mixture is a Gaussian at distance `rows`.
    #[test]
    fn full_batches_are_gaussian() {
        let found = mixture(&Mixture::new(3.0, 4, 1.0), 2.7);
        assert!((found - 0.5 * 2.7 * (4.0_f64 / 3.0).powi(2)).abs() < 1e-12);
    }

    #[test]
    fn fixed_size_amplifies_and_never_hurts() {
        let inner = Event::Gaussian { noise_multiplier: 2.0 };
        for order in [1.5, 2.0, 3.7, 20.0, 200.0] {
            let plain = divergence(&inner, order).unwrap();
            let sampled = fixed_size(0.01, &inner, order).unwrap();
            assert!(sampled <= plain);
        }
        assert!(fixed_size(0.01, &inner, 2.0).unwrap() < 0.01 * divergence(&inner, 2.0).unwrap());
    }
}
