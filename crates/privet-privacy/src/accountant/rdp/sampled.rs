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
mod tests {
    use super::*;
    use crate::accountant::exact::big;
    use proptest::prelude::*;

    /// Integer orders of the one-row mixture have a finite sum: A = sum_k Bin(k; a, q) e^(k(k-1)/(2 sigma^2)).
    fn direct(sigma: f64, rate: f64, order: u64) -> f64 {
        let terms: Vec<f64> = (0..=order)
            .map(|k| {
                log_binomial(order, k)
                    + k as f64 * rate.ln()
                    + (order - k) as f64 * (-rate).ln_1p()
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

    /// `log(e^(b l) - 1 - b (e^l - 1))` to many digits, on both sides of every change of formula.
    #[test]
    fn the_bend_keeps_its_digits() {
        for b in [1.001, 1.5, 2.0, 3.7, 40.0, -0.001, -0.5, -1.0, -2.7, -39.0] {
            for loss in [1e-12, 1e-4, 0.3, 0.49, 0.51, 1.0, 7.7, 15.0, 29.9, 30.1, 31.0, 200.0] {
                for loss in [loss, -loss] {
                    let inside = (big(b) * big(loss)).exp_m1() - big(b) * big(loss).exp_m1();
                    let exact = inside.ln().to_f64().value();
                    let found = log_bend(b, loss);
                    assert!(
                        (found - exact).abs() < 1e-10 + 1e-14 * exact.abs(),
                        "{b} {loss}: {found} {exact}"
                    );
                }
            }
        }
        // Beyond the range of e^loss.
        assert!((log_bend(2.0, 650.0) - 1_300.0).abs() < 1e-9);
        assert!((log_bend(2.0, 800.0) - 1_600.0).abs() < 1e-9);
        // And an order so close to 1 that half of it is the line: e^701.4 - 1.002 e^700.
        let half = 701.4 + (-1.002 * (-1.4_f64).exp()).ln_1p();
        assert!((log_bend(1.002, 700.0) - half).abs() < 1e-9);
        assert!((log_bend(-2.0, 650.0) - 650.0 - 2.0_f64.ln()).abs() < 1e-9);
        assert_eq!(log_bend(2.0, 0.0), f64::NEG_INFINITY);
    }

    /// Moments of several rows by a sum a hundred times as fine, in both directions; the rule is far more precise
    /// than what is added for its error.
    #[test]
    fn the_trapezoid_rule_has_converged() {
        for (sigma, rows, rate) in [(0.4, 1, 0.1), (1.0, 3, 0.3), (6.0, 5, 0.02)] {
            let pair = Mixture::new(sigma, rows, rate);
            for b in [1.3, 4.0, -0.3, -3.0] {
                let (low, high) = (-40.0 * sigma - 16.0, 40.0 * sigma + 16.0);
                let nodes = 40_000;
                let step = (high - low) / f64::from(nodes);
                let sum: f64 = (0..nodes)
                    .map(|node| low + f64::from(node) * step)
                    .map(|x| (log_bend(b, pair.loss(x)) - 0.5 * (x / sigma).powi(2)).exp())
                    .sum();
                let exact = (sum * step / sigma / (2.0 * std::f64::consts::PI).sqrt()).ln();
                let found = log_excess(&pair, b);
                assert!((found - exact).abs() < 1e-11, "{sigma} {b}: {found} {exact}");
            }
            let order = 2.5;
            let worse = log_excess(&pair, order).max(log_excess(&pair, 1.0 - order));
            let over = mixture(&pair, order) / from_log_excess(worse, order) - 1.0;
            assert!((0.9e-10..1.1e-10).contains(&over), "{over}");
        }
    }

    /// An order that would need too many nodes is given up, and the usual number of nodes is that of small orders.
    #[test]
    fn nodes_are_counted() {
        let narrow = Mixture::new(0.05, 1, 0.1);
        assert_eq!(log_excess(&narrow, 1e4), f64::INFINITY);
        assert_eq!(mixture(&narrow, 1e4), f64::INFINITY);
        // 24 sigma and 16 rows, in steps of 2 pi y/(45 + y^2/(2 sigma^2)) with y = 0.9 pi sigma^2, or half a sigma.
        for (sigma, step_) in [(1.0_f64, 0.362_5), (20.0, 10.0)] {
            let pair = Mixture::new(sigma, 1, 0.1);
            assert!((step(&pair) / step_ - 1.0).abs() < 1e-3, "{}", step(&pair));
            let expected = (24.0 * sigma + 16.0) / step_;
            assert!((usual_nodes(&pair) / expected - 1.0).abs() < 1e-3);
        }
        assert_eq!(usual_nodes(&Mixture::new(1e-3, 5, 0.1)), MAX_NODES);
    }

    /// Theorem 9 by hand for order 2 and 3, chords between them, and never more than without a sample.
    #[test]
    fn samples_of_fixed_size_by_hand() {
        let inner = Event::Laplace { noise_multiplier: 1.0 };
        let base = |order: f64| DivergenceCurve::new(&inner).unwrap().divergence(order);
        for rate in [0.3_f64, 0.01] {
            let sample = FixedSize::new(rate, &inner).unwrap();
            let pair = (4.0 * base(2.0).exp_m1()).min(2.0 * base(2.0).exp());
            let second = (rate.powi(2) * pair).ln_1p();
            let third =
                (3.0 * rate.powi(2) * pair + 2.0 * rate.powi(3) * (2.0 * base(3.0)).exp()).ln_1p();
            let expected =
                |order: f64, log_moment: f64| (log_moment / (order - 1.0)).min(base(order));
            for (order, log_moment) in [
                (1.5, 0.5 * second),
                (2.0, second),
                (2.25, 0.75 * second + 0.25 * third),
                (3.0, third),
            ] {
                let found = sample.divergence(order) / expected(order, log_moment);
                assert!((1.0..1.0 + 3e-10).contains(&found), "{rate} {order}: {found}");
            }
            assert_eq!(sample.divergence(300.0), base(300.0));
            let fourth = 6.0 * rate.powi(2) * pair
                + 8.0 * rate.powi(3) * (2.0 * base(3.0)).exp()
                + 2.0 * rate.powi(4) * (3.0 * base(4.0)).exp();
            assert!((sample.log_moment(4.0) / fourth.ln_1p() - 1.0).abs() < 1e-9, "{rate}");
            // The last order that is summed up.
            assert!(sample.divergence(256.0) < base(256.0), "{rate}");
        }
        // Large losses: 2 e^D is the smaller.
        let large = Event::Laplace { noise_multiplier: 0.2 };
        let second = DivergenceCurve::new(&large).unwrap().divergence(2.0);
        let found = FixedSize::new(0.1, &large).unwrap().divergence(2.0);
        assert!((found / (0.02 * second.exp()).ln_1p() - 1.0).abs() < 1e-9, "{found}");
        // Two releases on one sample add before they are amplified.
        let twice = FixedSize::new(0.3, &inner.clone().repeated(2)).unwrap();
        assert!((twice.base(2.0) - 2.0 * base(2.0)).abs() < 1e-12);
        assert!(twice.record.is_none() && twice.cost() > 5_000.0);
        let gaussian = Event::Gaussian { noise_multiplier: 2.0 };
        let sample = FixedSize::new(0.1, &gaussian).unwrap();
        let stick = sample.record.as_ref().unwrap();
        assert!(sample.divergence(400.0) <= stick.divergence(400.0));
        assert!(
            sample.divergence(400.0)
                < DivergenceCurve::new(&gaussian).unwrap().divergence(400.0) * (1.0 + 1e-9)
        );
    }

    /// With every row sampled the mixture is a Gaussian at distance `rows`.
    #[test]
    fn full_batches_are_gaussian() {
        let found = mixture(&Mixture::new(3.0, 4, 1.0), 2.7);
        assert!((found - 0.5 * 2.7 * (4.0_f64 / 3.0).powi(2)).abs() < 1e-9);
    }

    /// Losses of 1e-9 and below: `A - 1` is `a (a - 1)/2 (rate/sigma)^2`.
    #[test]
    fn tiny_losses_keep_their_digits() {
        for sigma in [1e6, 1e12, 1e50] {
            for order in [1.1, 2.0, 30.0] {
                let found = mixture(&Mixture::new(sigma, 1, 1e-3), order);
                let expected = 0.5 * order * (1e-3 / sigma).powi(2);
                assert!((found / expected - 1.0).abs() < 1e-9, "{sigma:e}: {found:e} {expected:e}");
            }
        }
    }

    #[test]
    fn fixed_size_amplifies_and_never_hurts() {
        let inner = Event::Gaussian { noise_multiplier: 2.0 };
        for order in [1.5, 2.0, 3.7, 20.0, 200.0] {
            let plain = DivergenceCurve::new(&inner).unwrap().divergence(order);
            let sampled = FixedSize::new(0.01, &inner).unwrap().divergence(order);
            assert!(sampled <= plain);
        }
        let second = FixedSize::new(0.01, &inner).unwrap().divergence(2.0);
        assert!(second < 0.01 * DivergenceCurve::new(&inner).unwrap().divergence(2.0));
    }
}
