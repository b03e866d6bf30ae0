//! Rényi divergences of Gaussian noise on samples.
//!
//! **Poisson samples** (Mironov, Talwar and Zhang 2019 for one row, the mixture pair for several): the
//! moments `E_Q[e^(b L)]` with `b = a` (remove) and `b = 1 - a` (add), `Q = N(0, sigma^2)`. The integrand is
//! analytic in a strip: the polynomial under the logarithm in `L` has only negative real zeros (a binomial
//! polynomial times the multiplier sequence `e^(-c k^2)`), so the strip has half-width `pi sigma^2`, and the
//! trapezoid rule converges geometrically: at a height `y` within the strip a step of
//! `2 pi y / (45 + y^2/(2 sigma^2))` leaves an error of about `e^-45`, and `y = sqrt(90) sigma` allows the longest.
//! What is integrated is `e^(bL) - 1 - b (e^L - 1)`, which is not negative and has integral
//! `A - 1` because `E_Q[e^L] = 1`: small moments keep their digits. One formula serves integer and fractional
//! orders; the published series agree to 1e-9.
//!
//! **Samples of fixed size** (Wang, Balle and Kasiviswanathan 2019, Theorem 9; replace one record): a
//! binomial sum for integer orders; between integers the logarithm of the moment is convex, so the chord
//! is a bound. Loose by small factors; the PLD accountant is tighter.

use super::curves::{CLOSED_FORM_COST, DivergenceCurve, STICK_COST, from_log_excess};
use super::replaced_curve::ReplacedCurve;
use crate::accountant::leaves::leaves;
use crate::accountant::mixture::Mixture;
use crate::accountant::replaced::Replaced;
use crate::error::Result;
use crate::event::Event;
use crate::special::{exp_bend, log_binomial, log_expm1, log_sum_exp};

/// Orders that would need more quadrature nodes than this are given up (their bound is infinite).
const MAX_NODES: f64 = 4_096.0;
/// The binomial sum stops here; larger orders are given up.
const MAX_FIXED_SIZE_ORDER: f64 = 256.0;
/// The Gaussian factor beyond this many standard deviations is below 1e-31.
const WIDTH: f64 = 12.0;
/// `-log` of the error of the trapezoid rule.
const ACCURACY: f64 = 45.0;
/// What the rule and its roundings are off by, relative to `A - 1`, generously.
const ROUNDING: f64 = 1e-10;

/// The divergence of the mixture pair, in the worse direction.
pub(super) fn mixture(mixture: &Mixture, order: f64) -> f64 {
    // E_P[(P/Q)^(a-1)] = E_Q[e^(aL)] for removing a node; with P and Q exchanged it is E_Q[e^((1-a)L)] for adding
    // one.
    let remove = log_excess(mixture, order);
    let add = log_excess(mixture, 1.0 - order);
    from_log_excess(remove.max(add), order).max(0.0) * (1.0 + ROUNDING)
}

/// The step of the trapezoid rule.
fn step(mixture: &Mixture) -> f64 {
    let variance = mixture.sigma * mixture.sigma;
    // Nine tenths of the strip: on its border the logarithm has its poles.
    let height =
        (0.9 * std::f64::consts::PI * variance).min((2.0 * ACCURACY).sqrt() * mixture.sigma);
    let longest =
        2.0 * std::f64::consts::PI * height / (ACCURACY + 0.5 * height * height / variance);
    longest.min(0.5 * mixture.sigma)
}

/// The nodes of an order that is not very large.
pub(super) fn usual_nodes(mixture: &Mixture) -> f64 {
    let width = 2.0 * WIDTH * mixture.sigma + 16.0 * mixture.reach();
    (width / step(mixture)).min(MAX_NODES)
}

/// `log(E_Q[e^(b L)] - 1)` by the trapezoid rule.
fn log_excess(mixture: &Mixture, b: f64) -> f64 {
    let sigma = mixture.sigma;
    // e^(bL) moves the Gaussian's peak by at most b times the farthest mean, to the side of b's sign.
    let shift = b * mixture.reach();
    let (low, high) = (shift.min(0.0) - WIDTH * sigma, shift.max(0.0) + WIDTH * sigma);
    let step = step(mixture);
    let nodes = ((high - low) / step).ceil();
    // An infinite bound for one order is valid: other orders decide.
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
        // e^top (1 - r) with r = (1 + b (e^l - 1)) e^-top; b and l have the same sign, so r is positive.
        let log_line = if loss > 600.0 { b.ln() + loss } else { (1.0 + b * loss.exp_m1()).ln() };
        return top + (-(log_line - top).exp()).ln_1p();
    }
    if loss > 30.0 {
        // b < 0: the line -b e^l dominates.
        return (-b).ln() + log_expm1(loss);
    }
    // The terms of first order cancel, so they are left out.
    (exp_bend(top) - b * exp_bend(loss)).max(0.0).ln()
}

/// An event on a sample of fixed size.
#[derive(Debug, Clone)]
pub(crate) struct FixedSize {
    /// The share that was drawn.
    rate: f64,
    inner: Vec<(DivergenceCurve, f64)>,
    /// One record that moves a Gaussian: the hockey-stick curve of that is tighter.
    record: Option<ReplacedCurve>,
}

impl FixedSize {
    pub(crate) fn new(rate: f64, event: &Event) -> Result<Self> {
        let inner = leaves(event)?
            .iter()
            .map(|leaf| Ok((DivergenceCurve::new(&leaf.event)?, leaf.count())))
            .collect::<Result<_>>()?;
        let record = match *event {
            Event::Gaussian { noise_multiplier } => {
                Some(ReplacedCurve::new(Replaced::one_record(noise_multiplier, rate)))
            }
            _ => None,
        };
        Ok(Self { rate, inner, record })
    }

    pub(crate) fn divergence(&self, order: f64) -> f64 {
        // Three bounds hold at once (hockey-stick curve, no amplification, Theorem 9), so the smallest does.
        let stick = self.record.as_ref().map_or(f64::INFINITY, |stick| stick.divergence(order));
        let base = self.base(order);
        if order > MAX_FIXED_SIZE_ORDER {
            return stick.min(base);
        }
        let floor = order.floor();
        let (low, high) = (self.log_moment(floor), self.log_moment(order.ceil()));
        // log A(a) is convex in a and 0 at a = 1: between integers the chord lies above it.
        let chord = low + (order - floor) * (high - low);
        (chord / (order - 1.0) * (1.0 + ROUNDING)).min(base).min(stick)
    }

    pub(crate) fn cost(&self) -> f64 {
        let inner: f64 = self.inner.iter().map(|(curve, _)| curve.cost()).sum();
        2.0 * MAX_FIXED_SIZE_ORDER * (CLOSED_FORM_COST + inner) + STICK_COST
    }

    /// The divergence without sampling.
    fn base(&self, order: f64) -> f64 {
        self.inner.iter().map(|(curve, count)| count * curve.divergence(order)).sum()
    }

    /// `log A` of an integer order.
    fn log_moment(&self, order: f64) -> f64 {
        if order < 2.0 {
            return 0.0;
        }
        let a = order as u64;
        let second = self.base(2.0);
        // min(4 (e^D(2) - 1), 2 e^D(2))
        let pair =
            (4.0_f64.ln() + log_expm1(second.max(f64::MIN_POSITIVE))).min(2.0_f64.ln() + second);
        // Theorem 9 of Wang, Balle and Kasiviswanathan: rate^2 C(a,2) min(4(e^D(2) - 1), 2 e^D(2)) + sum_j 2 rate^j
        // C(a,j) e^((j-1) D(j)).
        let mut terms = vec![2.0 * self.rate.ln() + log_binomial(a, 2) + pair];
        for j in 3..=a {
            let k = j as f64;
            let power = (k - 1.0) * self.base(k);
            terms.push(k * self.rate.ln() + log_binomial(a, j) + power + 2.0_f64.ln());
        }
        from_log_excess(log_sum_exp(&terms), 2.0)
    }
}

#[cfg(test)]
mod tests;
