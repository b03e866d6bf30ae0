//! The Rényi divergence of each elementary release, as a function of the order.
//!
//! All are worst cases over neighbours, hence upper bounds that add under adaptive composition:
//! * pure `epsilon`, and randomised response over `c` categories: the divergence of that response itself
//!   (for pure releases `c = 2` is the worst mechanism; Kairouz, Oh and Viswanath 2017);
//! * Laplace noise: the closed form of Mironov 2017, Table II;
//! * Gaussian noise: `a/(2 sigma^2)`; zCDP: `rho a`;
//! * bounded range `eta`: the maximum over all two-point pairs whose log-ratios are `eta - t` and `-t`. With
//!   `R = (e^(a eta) - 1)/(e^eta - 1)` and `u = e^-t` the moment is `u^(a-1) R - u^a (R - 1)`, largest at
//!   `u = (a-1) R/(a )`, where it is `u^(a-1) R/a`. It is never above the `eta^2 a/8` of Cesar and Rogers
//!   2021.
//!
//! With the moment `A`, the divergence is `log(A)/(a - 1)`.

use super::{NAME, sampled};
use crate::accountant::mixture::Mixture;
use crate::accountant::no_theorem;
use crate::error::Result;
use crate::event::Event;
use crate::special::{log_expm1, log_one_minus_exp};

/// A bound on the Rényi divergence of this order of one elementary release.
pub(crate) fn divergence(event: &Event, order: f64) -> Result<f64> {
    Ok(match event {
        Event::Pure { epsilon } | Event::Approximate { epsilon, .. } => {
            randomized_response(epsilon.get(), 2, order)
        }
        Event::RandomizedResponse { epsilon, categories } => {
            randomized_response(epsilon.get(), *categories, order)
        }
        Event::Laplace { noise_multiplier } => laplace(noise_multiplier.recip(), order),
        Event::BoundedRange { eta } => bounded_range(*eta, order),
        Event::Gaussian { noise_multiplier } => 0.5 * order * noise_multiplier.powi(-2),
        Event::ZeroConcentrated { rho } => rho * order,
        Event::MixtureOfGaussians { noise_multiplier, max_rows, rate } => {
            sampled::mixture(&Mixture::new(*noise_multiplier, *max_rows, *rate), order)
        }
        Event::FixedSizeSampled { size, population, event } => {
            sampled::fixed_size(*size as f64 / *population as f64, event, order)?
        }
        other => return Err(no_theorem(NAME, other)),
    })
}

/// From `log(A - 1)` to the divergence.
pub(super) fn from_log_excess(log_excess: f64, order: f64) -> f64 {
    let log_moment = if log_excess > 36.0 { log_excess } else { log_excess.exp().ln_1p() };
    log_moment / (order - 1.0)
}

/// `A - 1 = (e^((a-1) e) - 1)(e^(a e) - 1) e^(-(a-1) e) / (e^e + c - 1)`.
fn randomized_response(epsilon: f64, categories: u32, order: f64) -> f64 {
    if epsilon == 0.0 {
        return 0.0;
    }
    let others = f64::from(categories - 1);
    let log_total = epsilon + (others * (-epsilon).exp()).ln_1p();
    let log_excess =
        log_one_minus_exp((order - 1.0) * epsilon) + log_expm1(order * epsilon) - log_total;
    // No order exceeds the largest log-ratio.
    from_log_excess(log_excess, order).min(epsilon)
}

/// `A = a/(2a-1) e^((a-1) e) + (a-1)/(2a-1) e^(-a e)`.
fn laplace(epsilon: f64, order: f64) -> f64 {
    let (head, tail) = (order / (2.0 * order - 1.0), (order - 1.0) / (2.0 * order - 1.0));
    let log_moment = if (order - 1.0) * epsilon > 36.0 {
        (order - 1.0) * epsilon + head.ln() + f64::EPSILON
    } else {
        let excess = head * ((order - 1.0) * epsilon).exp_m1() + tail * (-order * epsilon).exp_m1();
        excess.max(0.0).ln_1p()
    };
    (log_moment / (order - 1.0)).min(epsilon)
}

fn bounded_range(eta: f64, order: f64) -> f64 {
    let line = (order * eta * eta / 8.0).min(eta);
    if eta < 1e-3 {
        return line;
    }
    let log_ratio = log_expm1(order * eta) - log_expm1(eta);
    let log_u = ((order - 1.0) / order).ln() - log_one_minus_exp(log_ratio);
    let log_moment = (order - 1.0) * log_u.clamp(-eta, 0.0) + log_ratio - order.ln();
    (log_moment / (order - 1.0)).clamp(0.0, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The divergence of two finite laws, by definition.
    fn direct(p: &[f64], q: &[f64], order: f64) -> f64 {
        let moment: f64 = p.iter().zip(q).map(|(p, q)| p.powf(order) * q.powf(1.0 - order)).sum();
        moment.ln() / (order - 1.0)
    }

    #[test]
    fn randomised_response_by_definition() {
        for (epsilon, categories) in [(1.0_f64, 2_u32), (0.3, 7), (4.0, 3)] {
            let total = epsilon.exp() + f64::from(categories) - 1.0;
            let mut p = vec![1.0 / total; categories as usize];
            let mut q = p.clone();
            (p[0], q[1]) = (epsilon.exp() / total, epsilon.exp() / total);
            for order in [1.1, 2.0, 7.5] {
                let expected = direct(&p, &q, order);
                assert!((randomized_response(epsilon, categories, order) - expected).abs() < 1e-12);
            }
        }
        // Tends to epsilon, and never passes it, where the moment itself would overflow.
        assert!((randomized_response(900.0, 2, 5000.0) - 900.0).abs() < 0.5);
    }

    #[test]
    fn laplace_by_quadrature() {
        let (epsilon, order) = (0.8_f64, 3.5);
        let step = 1e-3;
        let moment: f64 = (-40_000..40_000)
            .map(|i| (f64::from(i) + 0.5) * step)
            .map(|x| {
                let log_p = -epsilon * (x - 1.0_f64).abs();
                let log_q = -epsilon * x.abs();
                0.5 * epsilon * step * (order * log_p + (1.0 - order) * log_q).exp()
            })
            .sum();
        assert!((laplace(epsilon, order) - moment.ln() / (order - 1.0)).abs() < 1e-6);
    }

    proptest! {
        /// The closed form is the maximum over all two-point pairs, and below the zCDP line.
        #[test]
        fn bounded_range_is_the_worst_pair(eta in 0.01..8.0_f64, order in 1.05..40.0_f64, share in 0.001..0.999_f64) {
            let bound = bounded_range(eta, order);
            let t = share * eta;
            let q = -(-t).exp_m1() / ((eta - t).exp() - (-t).exp());
            let p = q * (eta - t).exp();
            prop_assert!(direct(&[p, 1.0 - p], &[q, 1.0 - q], order) <= bound * (1.0 + 1e-9) + 1e-12);
            prop_assert!(bound <= order * eta * eta / 8.0 && bound <= eta);
        }

        #[test]
        fn curves_are_finite_and_ordered(log_epsilon in -7.0..7.0_f64, log_excess in -6.0..13.0_f64) {
            let (epsilon, order) = (log_epsilon.exp(), 1.0 + log_excess.exp());
            for value in [
                randomized_response(epsilon, 2, order),
                laplace(epsilon, order),
                bounded_range(epsilon, order),
            ] {
                prop_assert!(value >= 0.0 && value <= epsilon, "{value}");
            }
            prop_assert!(laplace(epsilon, order) <= randomized_response(epsilon, 2, order) * (1.0 + 1e-9) + 1e-12);
        }
    }
}
