//! Rényi DP: the divergence of every order, added order by order.
//!
//! **Idea.** Keep the whole curve of Rényi divergences instead of one number; curves add under adaptive
//! composition (Mironov 2017) and are converted once, at the end.
//!
//! **Theorem** (conversion; Canonne, Kamath and Steinke 2020, Balle et al. 2020): a release with divergence
//! `D` of order `a` is `(epsilon, delta)`-DP with `epsilon = D + log(1 - 1/a) - log(a delta)/(a - 1)`. Curves of the
//! single events are in [`curves`] and [`sampled`], each with its source. Within some ten per cent of
//! the truth for many small releases, further off for few releases and large deltas.
//!
//! **Numerics.** The minimum is taken over a fixed list of orders; each order is a theorem, so a sparse
//! list only costs tightness, and where all of them would take too long only some are looked at, or the releases are
//! taken for slightly worse ones that are equal more often ([`coarser`](super::coarser)). All moments are
//! formed as `A - 1`, never as `A`, so that losses of 1e-100 have a divergence as well as any other; curves and
//! the conversion round up.

pub(crate) mod curves;
pub(crate) mod replaced_curve;
pub(crate) mod sampled;

use super::coarser::coarser;
use super::leaves::{Leaf, without};
use super::rows::UNLIKELY;
use super::{ALL_OF_IT, Accountant, effort, settle_delta, settle_epsilon};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, add_up};
use crate::special::ROUNDING;
use curves::DivergenceCurve;

pub(crate) const NAME: &str = "Rényi DP";

/// The Rényi-DP accountant with its list of orders.
#[derive(Debug, Clone, PartialEq)]
pub struct Renyi {
    orders: Vec<f64>,
    /// The share of the work that one answer may take.
    share: f64,
}

impl Default for Renyi {
    /// Orders 1.001 to 2^20: tenths up to 11, integers up to 64, then steps of a sixth.
    fn default() -> Self {
        // Large losses have their best order near 1, tiny ones far out: a dense grid, then a geometric one.
        let near_one = [1.001, 1.003, 1.01, 1.02, 1.05];
        let tenths = (1..100).map(|tenth| 1.0 + f64::from(tenth) / 10.0);
        let integers = (11..=64).map(f64::from);
        let far = std::iter::successors(Some(74.0_f64), |order| Some((order * 7.0 / 6.0).round()))
            .take_while(|order| *order <= 1_048_576.0);
        let orders = near_one.into_iter().chain(tenths).chain(integers).chain(far).collect();
        Self { orders, share: ALL_OF_IT }
    }
}

impl Renyi {
    /// An accountant with these orders, each above 1.
    pub fn with_orders(orders: impl Into<Vec<f64>>) -> Result<Self> {
        let orders = orders.into();
        match orders.iter().find(|order| !(**order > 1.0 && order.is_finite())) {
            Some(order) => Err(Error::range("order", order, "finite and above 1")),
            None if orders.is_empty() => Err(Error::range("orders", "empty", "at least one order")),
            None => Ok(Self { orders, share: ALL_OF_IT }),
        }
    }

    /// The Rényi divergence bound of one order.
    pub fn divergence(&self, event: &Event, order: f64) -> Result<f64> {
        event.validate()?;
        Self::with_orders([order])?;
        Ok(Curves::new(&super::leaves::leaves(event)?)?.total(order))
    }

    /// The same accountant with this share of the work that one answer may take.
    pub(crate) fn within(self, share: f64) -> Self {
        Self { share, ..self }
    }

    fn minimum(&self, leaves: &[Leaf], value: impl Fn(f64, f64) -> f64) -> Result<f64> {
        let (curves, stride) = self.affordable(leaves)?;
        let orders = self.orders.iter().step_by(stride);
        let excess = |order: f64| {
            if fault::on(Fault::OrderTakenForExcess) { order } else { order - 1.0 }
        };
        // Each order is a theorem of its own, so the minimum over any subset of them is a valid bound.
        let values = orders.map(|&order| value(excess(order), curves.total(order)));
        Ok(values.fold(f64::INFINITY, f64::min))
    }

    /// Curves that can be asked in time, and every how many orders. Where the releases are too many, they are
    /// taken for fewer and worse ones.
    fn affordable(&self, leaves: &[Leaf]) -> Result<(Curves, usize)> {
        let exact = Curves::new(leaves)?;
        if let Some(stride) = self.stride(&exact) {
            return Ok((exact, stride));
        }
        // A coarser leaf is a worse release: rounding noise down and rates up only raises the divergence, and makes
        // more leaves equal, so that they share one curve.
        for digits in COARSER {
            let curves = Curves::new(&coarser(leaves, digits)?)?;
            if let Some(stride) = self.stride(&curves) {
                return Ok((curves, stride));
            }
        }
        let seconds = 1e-8 * self.orders.len() as f64 * exact.cost();
        let needs = format!("{seconds:.0} s for {} different releases", leaves.len());
        Err(Error::TooCostly { accountant: NAME, needs })
    }

    /// Every how many orders there is time for; nothing if for too few.
    fn stride(&self, curves: &Curves) -> Option<usize> {
        let work = self.orders.len() as f64 * curves.cost();
        let stride = (work / (self.share * effort::RENYI)).ceil().max(1.0) as usize;
        (stride == 1 || stride <= self.orders.len() / FEWEST_ORDERS).then_some(stride)
    }
}

/// How many binary digits are kept of noise and rates where there are too many different ones.
const COARSER: [u32; 4] = [6, 4, 2, 0];

/// With fewer orders than this the answer would be too far off to be worth it.
const FEWEST_ORDERS: usize = 12;

/// The divergences of all releases, with multiplicities.
struct Curves(Vec<(DivergenceCurve, f64)>);

impl Curves {
    fn new(leaves: &[Leaf]) -> Result<Self> {
        let curve = |leaf: &Leaf| Ok((DivergenceCurve::new(&leaf.event)?, leaf.count()));
        leaves.iter().map(curve).collect::<Result<_>>().map(Self)
    }

    fn total(&self, order: f64) -> f64 {
        let sum: f64 = self.0.iter().map(|(curve, count)| count * curve.divergence(order)).sum();
        // Divergences of one order add under adaptive composition (Mironov 2017, Proposition 1); the factor covers
        // the rounding of the sum.
        sum * (1.0 + ROUNDING * self.0.len() as f64)
    }

    fn cost(&self) -> f64 {
        self.0.iter().map(|(curve, _)| curve.cost()).sum()
    }
}

/// At most ten thousand counts of rows are left out.
const LEFT_OUT: f64 = 1e4 * UNLIKELY;

/// The probability of failures, and of numbers of rows that are too rare to be looked at.
fn failures(leaves: &[Leaf]) -> f64 {
    let has_rows = |leaf: &&Leaf| {
        matches!(leaf.event, Event::MixtureOfGaussians { .. } | Event::ReplacedRows { .. })
    };
    let rare = leaves.iter().filter(has_rows).map(|leaf| LEFT_OUT * leaf.count());
    Leaf::failures(leaves) + rare.sum::<f64>()
}

impl Accountant for Renyi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| {
            // What may fail, fails with a probability that is paid out of delta before the conversion sees it.
            let left = without(delta, failures(leaves));
            if left <= 0.0 {
                return Ok(f64::INFINITY);
            }
            let smallest = self.minimum(leaves, |excess, bound| epsilon_at(excess, bound, left))?;
            Ok(smallest.max(0.0))
        })
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| {
            let smallest =
                self.minimum(leaves, |excess, bound| log_delta_at(excess, bound, epsilon))?;
            Ok(add_up(smallest.exp().next_up(), failures(leaves)))
        })
    }
}

/// `D + log(1 - 1/a) - log(a delta)/(a - 1)` at `a = 1 + excess`, rounded up.
pub(crate) fn epsilon_at(excess: f64, divergence: f64, delta: f64) -> f64 {
    let log_order = excess.ln_1p();
    // -log(1 - 1/a), which keeps its digits for large orders
    let gain = excess.recip().ln_1p();
    // Canonne, Kamath and Steinke (2020), Proposition 12, with a for the order and D for the divergence.
    let price = (-delta.ln() - log_order) / excess;
    let terms = divergence + gain + (log_order - delta.ln()) / excess;
    divergence - gain + price + ROUNDING * terms
}

/// The same equation, solved for `log delta`.
pub(crate) fn log_delta_at(excess: f64, divergence: f64, epsilon: f64) -> f64 {
    let log_order = excess.ln_1p();
    let gain = excess.recip().ln_1p();
    // The same solved for delta: log delta = (a - 1)(D - epsilon + log(1 - 1/a)) - log a. Rounding is bounded by the
    // sum of the sizes of all terms.
    let terms = excess * (divergence + epsilon + gain) + log_order;
    excess * (divergence - epsilon - gain) - log_order + ROUNDING * terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::big;

    fn sampled(sigma: f64, rate: f64, steps: u64) -> Event {
        Event::Gaussian { noise_multiplier: sigma }.poisson_sampled(rate).repeated(steps)
    }

    #[test]
    fn orders_are_checked() {
        assert!(Renyi::with_orders([1.0]).is_err());
        assert!(Renyi::with_orders([f64::NAN]).is_err());
        assert!(Renyi::with_orders([]).is_err());
        assert!(Renyi::default().orders.iter().all(|order| *order > 1.0));
    }

    /// The list that the documentation describes: ascending, dense where it matters.
    #[test]
    fn the_default_orders() {
        let orders = Renyi::default().orders;
        assert_eq!(orders[..8], [1.001, 1.003, 1.01, 1.02, 1.05, 1.1, 1.2, 1.3]);
        assert_eq!(orders[102..106], [10.8, 10.9, 11.0, 12.0]);
        assert_eq!(orders[156..161], [63.0, 64.0, 74.0, 86.0, 100.0]);
        assert_eq!((orders.len(), orders.last()), (221, Some(&1_045_365.0)));
        assert!(orders.is_sorted());
    }

    /// `D + log(1 - 1/a) - log(a delta)/(a - 1)` and its inverse to many digits: never below, and by no more than a
    /// share of the terms above.
    #[test]
    fn the_conversion_is_rounded_up() {
        for excess in [1e-6, 0.013, 0.7, 1.0, 9.3, 511.0, 1e7] {
            for divergence in [1e-30, 0.02, 1.7, 40.0] {
                let (d, s) = (big(divergence), big(excess));
                let (log_order, gain) = (s.ln_1p(), (big(1.0) / &s).ln_1p());
                for delta in [0.3, 1e-7, 1e-200] {
                    let log_delta = big(delta).ln();
                    let exact = &d - &gain - (&log_delta + &log_order) / &s;
                    let terms = &d + &gain + (&log_order - &log_delta) / &s;
                    let over = (big(epsilon_at(excess, divergence, delta)) - exact) / terms;
                    let units = over.to_f64().value() / f64::EPSILON;
                    assert!((4.0..12.0).contains(&units), "{excess} {divergence} {delta}: {units}");
                }
                for epsilon in [0.0, 0.3, 20.0] {
                    let exact = &s * (&d - big(epsilon) - &gain) - &log_order;
                    let terms = &s * (&d + big(epsilon) + &gain) + &log_order;
                    let over = (big(log_delta_at(excess, divergence, epsilon)) - exact) / terms;
                    let units = over.to_f64().value() / f64::EPSILON;
                    assert!(
                        (4.0..12.0).contains(&units),
                        "{excess} {divergence} {epsilon}: {units}"
                    );
                }
            }
        }
    }

    /// Failures and counts of rows that are never looked at are paid for, each time they may happen.
    #[test]
    fn what_is_left_out_is_paid_for() {
        let failing = Event::Approximate {
            epsilon: Epsilon::new(0.1).unwrap(),
            delta: Delta::new(1e-300).unwrap(),
        };
        let rows = Event::MixtureOfGaussians { noise_multiplier: 1.0, max_rows: 2, rate: 0.5 };
        let batch = crate::event::BatchSampling::Poisson { rate: 0.5 };
        let replaced = Event::ReplacedRows { noise_multiplier: 1.0, max_rows: 2, batch };
        let gaussian = Event::Gaussian { noise_multiplier: 1.0 };
        for (event, each) in
            [(failing, 1e-300), (rows, 1e-296), (replaced, 1e-296), (gaussian, 0.0)]
        {
            let found = failures(&[Leaf { event, times: 5 }]);
            assert!((found - 5.0 * each).abs() <= 1e-13 * each, "{found:e}");
        }
        let one = Event::MixtureOfGaussians { noise_multiplier: 9.0, max_rows: 1, rate: 0.5 };
        let (renyi, at) = (Renyi::default(), |delta| Delta::new(delta).unwrap());
        assert_eq!(renyi.epsilon(&one, at(1e-297)), Ok(Epsilon::INFINITE));
        assert!(renyi.epsilon(&one, at(1e-295)).unwrap().is_finite());
    }

    /// Divergences of a list of releases are never below the exact sum.
    #[test]
    fn divergences_add_up() {
        for step in 1..60 {
            let noises = [0.3 * f64::from(step), 0.7 + f64::from(step).sqrt()];
            let event = |noise_multiplier| Event::Gaussian { noise_multiplier }.repeated(3);
            let both = event(noises[0]).then(event(noises[1]));
            let found = Renyi::default().divergence(&both, 2.5).unwrap();
            let exact = |noise: f64| 3.75 / (noise * noise);
            let expected = exact(noises[0]) + exact(noises[1]);
            assert!((1.0..1.0 + 3e-12).contains(&(found / expected)), "{noises:?}: {found}");
        }
    }

    /// Fewer orders where time is short, fewer digits where it is shorter, and then a refusal.
    #[test]
    fn short_of_time_the_answer_is_looser() {
        let event = sampled(1.1, 0.011, 20)
            .then(sampled(1.3, 0.012, 20))
            .then(sampled(1.5, 0.013, 20))
            .then(sampled(1.7, 0.014, 20));
        let at = Delta::new(1e-6).unwrap();
        let list = super::super::leaves::leaves(&event).unwrap();
        let cost = Renyi::default().orders.len() as f64 * Curves::new(&list).unwrap().cost();
        let stride = |times: f64| {
            let share = cost / effort::RENYI / times;
            Renyi::default()
                .within(share)
                .affordable(&list)
                .map(|(curves, stride)| (curves.0.len(), stride))
        };
        assert_eq!(stride(0.999).unwrap(), (4, 1));
        assert_eq!(stride(1.001).unwrap(), (4, 2));
        assert_eq!(stride(17.999).unwrap(), (4, 18));
        // In the end all of them are one release of noise 1 and rate 1/64.
        assert!(stride(30.0).unwrap().0 < 4);
        assert!(stride(1e6).is_err());
        // Every second order is a bound as well, and so is a list of one.
        let epsilon = |renyi: Renyi| renyi.epsilon(&event, at).unwrap();
        let (all, some) = (Renyi::default(), Renyi::default().within(cost / effort::RENYI / 5.0));
        assert!(epsilon(all.clone()) <= epsilon(some));
        let one = Renyi::with_orders([8.0]).unwrap().within(cost / effort::RENYI / 300.0);
        assert!(epsilon(all) <= epsilon(one));
    }

    /// Published divergences of Poisson-sampled Gaussians.
    #[test]
    fn matches_published_divergences() {
        for (rate, sigma, steps, order, expected) in [
            (0.01, 1.0, 1000, 2.0, 0.171_813_422_074_534_3),
            (0.01, 1.0, 1000, 3.0, 0.264_637_574_584_660_64),
            (0.01, 1.0, 1000, 8.0, 0.893_643_907_606_028),
            (0.01, 1.0, 1000, 2.5, 0.217_575_332_330_851_47),
            (0.01, 1.0, 1000, 32.0, 11_246.275_937_048_073),
            (60.0 / 208.0, 1.301_439_478_589_665_5, 800, 2.0, 51.851_643_540_456_77),
            (60.0 / 208.0, 1.301_439_478_589_665_5, 800, 2.5, 70.372_370_207_418_61),
            (60.0 / 208.0, 1.301_439_478_589_665_5, 800, 3.0, 92.452_110_863_873_98),
            (0.1, 2.0, 500, 2.0, 1.418_114_133_131_859_6),
            (0.1, 2.0, 500, 8.0, 6.862_715_051_609_983),
            (0.1, 2.0, 500, 32.0, 813.601_150_509_718_1),
        ] {
            let found = Renyi::default().divergence(&sampled(sigma, rate, steps), order).unwrap();
            let error = (found / expected - 1.0).abs();
            assert!(error < 1e-6, "order {order}: {found} against {expected}, {error:e}");
        }
    }

    /// Published epsilons; the list of orders may only make ours smaller.
    #[test]
    fn matches_published_epsilons() {
        for (sigma, rate, steps, delta, expected) in [
            (1.0, 0.01, 1000, 1e-5, 2.101_365_271_643_056_4),
            (5.555_896_928_921_075, 60.0 / 208.0, 800, 1e-3 / 0.09, 4.567_121_998_891_862),
            (2.0, 0.1, 500, 1e-5, 6.034_322_441_891_099),
            (1.0, 1.0, 1, 1e-5, 4.728_507_067_217_624),
            (5.0, 1.0, 100, 1e-6, 11.688_626_799_166_35),
            (10.0, 0.5, 2000, 1e-5, 12.348_769_904_134_754),
            (3.0, 0.05, 3000, 1e-8, 5.767_837_060_087_42),
        ] {
            let event = sampled(sigma, rate, steps);
            let delta = Delta::new(delta).unwrap();
            let found = Renyi::default().epsilon(&event, delta).unwrap();
            assert!(
                found.get() <= expected * 1.003 && found.get() > expected * 0.9,
                "{found} {expected}"
            );
            let back = Renyi::default().delta(&event, found).unwrap();
            assert!((back.get() / delta.get() - 1.0).abs() < 1e-9, "{back} {delta}");
        }
    }

    /// A unit of rounding for every release, on top of the sum.
    #[test]
    fn sums_of_many_releases_are_raised() {
        let leaf = Leaf { event: Event::ZeroConcentrated { rho: 0.25 }, times: 1 };
        let curves = Curves::new(&vec![leaf; 50]).unwrap();
        let units = (curves.total(2.0) / 25.0 - 1.0) / ROUNDING;
        assert!((units - 50.0).abs() < 1.0, "{units}");
    }
}
