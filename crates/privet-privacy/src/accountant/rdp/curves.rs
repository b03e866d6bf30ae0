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
mod tests;
