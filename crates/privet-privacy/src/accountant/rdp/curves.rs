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

//!
//! **Numerics.** Closed forms are sums of positive terms wherever they could cancel, and are rounded up by
//! [`UP`], which is far above what they lose.

use super::NAME;
use super::replaced_curve::ReplacedCurve;
use super::sampled::{self, FixedSize};
use crate::accountant::mixture::Mixture;
use crate::accountant::no_theorem;
use crate::accountant::replaced::Replaced;
use crate::error::Result;
use crate::event::Event;
use crate::special::{exp_bend, log_expm1, log_one_minus_exp, log_one_plus_exp};

/// Closed forms are rounded up by one part in a million million.
const UP: f64 = 1.0 + 1e-12;

/// The divergence of one elementary release, ready to be asked for many orders.
#[derive(Debug, Clone)]
pub(crate) enum DivergenceCurve {
    Response {
        epsilon: f64,
        categories: u32,
    },
    Laplace {
        epsilon: f64,
    },
    Range {
        eta: f64,
    },
    /// `rho` times the order.
    Line {
        rho: f64,
    },
    Mixture(Mixture),
    FixedSize(Box<FixedSize>),
    Replaced(Box<ReplacedCurve>),
}

impl DivergenceCurve {
    pub(crate) fn new(event: &Event) -> Result<Self> {
        Ok(match *event {
            Event::Pure { epsilon } | Event::Approximate { epsilon, .. } => {
                Self::Response { epsilon: epsilon.get(), categories: 2 }
            }
            Event::RandomizedResponse { epsilon, categories } => {
                Self::Response { epsilon: epsilon.get(), categories }
            }
            Event::Laplace { noise_multiplier } => {
                Self::Laplace { epsilon: noise_multiplier.recip() }
            }
            Event::BoundedRange { eta } => Self::Range { eta },
            Event::Gaussian { noise_multiplier } => {
                Self::Line { rho: 0.5 * noise_multiplier.powi(-2) * UP }
            }
            Event::ZeroConcentrated { rho } => Self::Line { rho },
            // The quadrature is proved for binomial weights, not for groups of them: with many rows, all are drawn.
            Event::MixtureOfGaussians { noise_multiplier, max_rows, .. } if max_rows > MAX_ROWS => {
                let sigma = noise_multiplier / f64::from(max_rows);
                Self::Line { rho: 0.5 * sigma.powi(-2) * UP }
            }
            Event::MixtureOfGaussians { noise_multiplier, max_rows, rate } => {
                Self::Mixture(Mixture::new(noise_multiplier, max_rows, rate))
            }
            Event::ReplacedRows { noise_multiplier, max_rows, batch } => Self::Replaced(Box::new(
                ReplacedCurve::new(Replaced::rows(noise_multiplier, max_rows, batch)),
            )),
            Event::FixedSizeSampled { size, population, ref event } => {
                let rate = size as f64 / population as f64;
                Self::FixedSize(Box::new(FixedSize::new(rate, event)?))
            }
            ref other => return Err(no_theorem(NAME, other)),
        })
    }

    /// A bound on the Rényi divergence of this order.
    pub(crate) fn divergence(&self, order: f64) -> f64 {
        match self {
            Self::Response { epsilon, categories } => {
                randomized_response(*epsilon, *categories, order)
            }
            Self::Laplace { epsilon } => laplace(*epsilon, order),
            Self::Range { eta } => bounded_range(*eta, order),
            Self::Line { rho } => rho * order,
            Self::Mixture(mixture) => sampled::mixture(mixture, order),
            Self::FixedSize(sample) => sample.divergence(order),
            Self::Replaced(stick) => stick.divergence(order),
        }
    }

    /// What one order costs, in evaluations of an exponential.
    pub(crate) fn cost(&self) -> f64 {
        match self {
            Self::Mixture(mixture) => sampled::usual_nodes(mixture) * (2 * mixture.len()) as f64,
            Self::FixedSize(sample) => sample.cost(),
            Self::Replaced(_) => STICK_COST,
            _ => CLOSED_FORM_COST,
        }
    }
}

/// What an order of a closed form costs.
pub(super) const CLOSED_FORM_COST: f64 = 10.0;
/// What an order of a hockey-stick curve costs.
pub(super) const STICK_COST: f64 = 3_000.0;

/// With more rows than this not even one order is computed by quadrature.
const MAX_ROWS: u32 = 60;

/// From `log(A - 1)` to the divergence.
pub(super) fn from_log_excess(log_excess: f64, order: f64) -> f64 {
    log_one_plus_exp(log_excess) / (order - 1.0)
}

/// `A - 1 = (e^((a-1) e) - 1)(e^(a e) - 1) e^(-(a-1) e) / (e^e + c - 1)`.
fn randomized_response(epsilon: f64, categories: u32, order: f64) -> f64 {
    if epsilon == 0.0 {
        return 0.0;
    }
    let others = f64::from(categories - 1);
    // log(e^e + c - 1) without overflow for a large epsilon.
    let log_total = epsilon + (others * (-epsilon).exp()).ln_1p();
    let log_excess =
        log_one_minus_exp((order - 1.0) * epsilon) + log_expm1(order * epsilon) - log_total;
    // No order exceeds the largest log-ratio.
    (from_log_excess(log_excess, order) * UP).min(epsilon)
}

/// `A = a/(2a-1) e^((a-1) e) + (a-1)/(2a-1) e^(-a e)`; the terms of first order in `e` cancel.
fn laplace(epsilon: f64, order: f64) -> f64 {
    let (head, tail) = (order / (2.0 * order - 1.0), (order - 1.0) / (2.0 * order - 1.0));
    // Beyond 36 nats the second term is below 2^-52 of the first, and the bend would overflow.
    let log_moment = if (order - 1.0) * epsilon > 36.0 {
        (order - 1.0) * epsilon + head.ln() + f64::EPSILON
    } else {
        let excess = head * exp_bend((order - 1.0) * epsilon) + tail * exp_bend(-order * epsilon);
        excess.ln_1p()
    };
    (log_moment / (order - 1.0) * UP).min(epsilon)
}

fn bounded_range(eta: f64, order: f64) -> f64 {
    // Cesar and Rogers 2021; no order exceeds the largest log-ratio, eta.
    let line = (order * eta * eta / 8.0).min(eta);
    // The closed form would be a difference of nearly equal logarithms here; the line is within eta^2 of it.
    if eta < 1e-3 {
        return line;
    }
    // log R and the maximising log u of the module's equation; u is a probability ratio, so -t stays in [-eta, 0].
    let log_ratio = log_expm1(order * eta) - log_expm1(eta);
    let log_u = ((order - 1.0) / order).ln() - log_one_minus_exp(log_ratio);
    let log_moment = (order - 1.0) * log_u.clamp(-eta, 0.0) + log_ratio - order.ln();
    // Three logarithms cancel to the moment.
    let error = 8.0 * f64::EPSILON * (1.0 + log_ratio.abs() + order.ln() + eta * order);
    ((log_moment + error) / (order - 1.0)).clamp(0.0, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{Big, above, big};
    use crate::loss::{Delta, Epsilon};
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
                assert!((randomized_response(epsilon, categories, order) - expected).abs() < 1e-11);
            }
        }
        // Tends to epsilon, and never passes it, where the moment itself would overflow.
        assert!((randomized_response(900.0, 2, 5000.0) - 900.0).abs() < 0.5);
    }

    /// The divergence from its moment, to many digits.
    fn of_moment(moment: &Big, order: f64) -> Big {
        moment.ln() / (big(order) - big(1.0))
    }

    fn power(exponent: Big) -> Big {
        exponent.exp()
    }

    /// Closed forms to many digits: never below, and above by two parts in a million million at most.
    #[test]
    fn closed_forms_are_rounded_up_by_little() {
        let part = 1e-12 / f64::EPSILON;
        for epsilon in [1e-3, 0.07, 0.9, 2.3, 13.0, 18.0, 41.0] {
            for order in [1.03, 1.5, 2.0, 3.7, 11.0, 64.0] {
                let (e, a) = (big(epsilon), big(order));
                let (one, e_) = (big(1.0), -big(epsilon));
                for categories in [2, 3, 9_u32] {
                    let others = big(f64::from(categories - 2));
                    let total = power(e.clone()) + big(f64::from(categories - 1));
                    let moment = (power(&a * &e) + power(&e * (&one - &a)) + others) / total;
                    let exact = of_moment(&moment, order);
                    let over = above(randomized_response(epsilon, categories, order), &exact);
                    // Close to its limit epsilon it is cut off there.
                    let most = above(epsilon, &exact).min(2.0 * part);
                    assert!(over >= 0.0 && over <= most, "{epsilon} {order} {categories}: {over}");
                }
                let twice = big(2.0) * &a - &one;
                let moment =
                    &a / &twice * power((&a - &one) * &e) + (&a - &one) / &twice * power(&a * &e_);
                let exact = of_moment(&moment, order);
                let over = above(laplace(epsilon, order), &exact);
                let most = above(epsilon, &exact).min(2.0 * part);
                assert!(over >= 0.0 && over <= most, "{epsilon} {order}: {over}");
                // R = (e^(a eta) - 1)/(e^eta - 1), u = (a-1) R/(a ), moment u^(a-1) R/a
                let ratio = (&a * &e).exp_m1() / e.exp_m1();
                let u = (&a - &one) * &ratio / (&a * (&ratio - &one));
                let moment = power((&a - &one) * u.ln()) * &ratio / &a;
                let exact = of_moment(&moment, order);
                let over = above(bounded_range(epsilon, order), &exact);
                let terms = 1.0 + ratio.ln().to_f64().value() + order.ln() + epsilon * order;
                let stated = 8.0 * terms / (order - 1.0) / exact.to_f64().value();
                assert!(
                    over >= 0.0 && over <= 1.3 * stated,
                    "range {epsilon} {order}: {over} {stated}"
                );
            }
        }
    }

    /// Which curve belongs to which release: the divergence of order 3 by hand.
    #[test]
    fn every_release_has_its_curve() {
        let epsilon = Epsilon::new(0.8).unwrap();
        let response = randomized_response(0.8, 2, 3.0);
        let rows =
            |max_rows| Event::MixtureOfGaussians { noise_multiplier: 50.0, max_rows, rate: 0.5 };
        for (event, expected) in [
            (Event::Pure { epsilon }, response),
            (Event::Approximate { epsilon, delta: Delta::new(0.1).unwrap() }, response),
            (
                Event::RandomizedResponse { epsilon, categories: 4 },
                randomized_response(0.8, 4, 3.0),
            ),
            (Event::Laplace { noise_multiplier: 1.25 }, laplace(0.8, 3.0)),
            (Event::BoundedRange { eta: 0.8 }, bounded_range(0.8, 3.0)),
            (Event::Gaussian { noise_multiplier: 2.0 }, 0.375),
            (Event::ZeroConcentrated { rho: 0.25 }, 0.75),
            // Too many rows: all of them.
            (rows(61), 1.5 * (61.0_f64 / 50.0).powi(2)),
        ] {
            let found = DivergenceCurve::new(&event).unwrap().divergence(3.0);
            assert!((found / expected - 1.0).abs() < 1e-11, "{event}: {found} {expected}");
        }
        // Lines are raised by their rounding.
        let up = |event: &Event| DivergenceCurve::new(event).unwrap().divergence(2.0);
        let raised = up(&Event::Gaussian { noise_multiplier: 1.0 }) - 1.0;
        assert!((raised - 1e-12).abs() < 1e-15, "{raised:e}");
        // A sample of one in a hundred costs far less than all.
        let gaussian = Event::Gaussian { noise_multiplier: 1.0 };
        let few = Event::FixedSizeSampled { size: 10, population: 1000, event: Box::new(gaussian) };
        assert!(up(&few) < 0.01, "{}", up(&few));
        // Half of the rows cost far less than all.
        let half = DivergenceCurve::new(&rows(60)).unwrap().divergence(3.0);
        assert!(half < 0.5 * 1.5 * (60.0_f64 / 50.0).powi(2), "{half}");
        assert!(DivergenceCurve::new(&Event::NonPrivate).is_err());
        assert_eq!(randomized_response(0.0, 2, 3.0), 0.0);
    }

    /// Work is counted per node of a quadrature and per part.
    #[test]
    fn costs_are_counted() {
        let cost = |event: &Event| DivergenceCurve::new(event).unwrap().cost();
        assert_eq!(cost(&Event::Gaussian { noise_multiplier: 1.0 }), 10.0);
        let rows =
            |max_rows| Event::MixtureOfGaussians { noise_multiplier: 20.0, max_rows, rate: 0.5 };
        let (few, many) = (cost(&rows(2)), cost(&rows(11)));
        // 24 and 24.8 standard deviations at half of one, three parts and both directions.
        assert!((few / (6.0 * 51.2) - 1.0).abs() < 0.01, "{few}");
        assert!(many > 4.0 * few && many < 8.0 * few, "{many}");
        let batch = crate::event::BatchSampling::Poisson { rate: 0.5 };
        let replaced = Event::ReplacedRows { noise_multiplier: 2.0, max_rows: 1, batch };
        assert_eq!(cost(&replaced), 3_000.0);
        let gaussian = Box::new(Event::Gaussian { noise_multiplier: 1.0 });
        let sample = Event::FixedSizeSampled { size: 1, population: 9, event: gaussian };
        // Two integer orders of at most 256 terms, each of a closed form and its inside, and a stick.
        assert_eq!(cost(&sample), 2.0 * 256.0 * 20.0 + 3_000.0);
    }

    /// Tiny losses: `A - 1` is `a (a - 1) e^2 / 2` for Laplace noise and for a response alike.
    #[test]
    fn tiny_losses_keep_their_digits() {
        for epsilon in [1e-3, 1e-8, 1e-17, 1e-100] {
            for order in [1.001, 2.0, 60.0] {
                let expected = 0.5 * order * epsilon * epsilon;
                for found in [laplace(epsilon, order), randomized_response(epsilon, 2, order)] {
                    assert!(
                        (found / expected - 1.0).abs() < 20.0 * order * epsilon + 1e-11,
                        "{epsilon:e} {order}: {found:e} {expected:e}"
                    );
                }
            }
        }
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

    /// Small ranges: a line that ends at the range itself.
    #[test]
    fn small_ranges_are_a_line() {
        assert_eq!(bounded_range(5e-4, 2.0), 2.0 * 5e-4 * 5e-4 / 8.0);
        assert_eq!(bounded_range(5e-4, 1e6), 5e-4);
    }

    /// Beyond the range of a float's exponential: `(a-1) e + log(a/(2a-1))`, over `a - 1`.
    #[test]
    fn large_laplace_losses_have_a_divergence() {
        assert!((laplace(1_000.0, 2.0) - (1_000.0 + (2.0_f64 / 3.0).ln())).abs() < 1e-9);
        assert!((laplace(400.0, 3.0) - (400.0 + 0.5 * 0.6_f64.ln())).abs() < 1e-9);
    }

    /// With more rows than are computed one by one, all are drawn: a Gaussian, and rounded up like one.
    #[test]
    fn many_rows_are_one_gaussian_rounded_up() {
        let event = Event::MixtureOfGaussians { noise_multiplier: 64.0, max_rows: 64, rate: 0.1 };
        let over = DivergenceCurve::new(&event).unwrap().divergence(2.0) - 1.0;
        assert!((0.9e-12..1.1e-12).contains(&over), "{over:e}");
    }

    /// The moment of a bounded range is raised by eight units of each of the logarithms that cancel to it.
    #[test]
    fn bounded_ranges_are_raised_by_their_logarithms() {
        for (eta, order) in [(0.01, 50.0), (1.0, 50.0), (0.3, 9.0)] {
            let (e, a, one) = (big(eta), big(order), big(1.0));
            let ratio = (&a * &e).exp_m1() / e.exp_m1();
            let u = (&a - &one) * &ratio / (&a * (&ratio - &one));
            let moment = power((&a - &one) * u.ln()) * &ratio / &a;
            let found = big(bounded_range(eta, order)) * (&a - &one);
            let over = (found - moment.ln()).to_f64().value() / (8.0 * f64::EPSILON);
            let expected = 1.0 + ratio.ln().to_f64().value() + order.ln() + eta * order;
            assert!((0.75..1.25).contains(&(over / expected)), "{eta} {order}: {over} {expected}");
        }
    }
}
