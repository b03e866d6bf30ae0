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
    let price = (-delta.ln() - log_order) / excess;
    let terms = divergence + gain + (log_order - delta.ln()) / excess;
    divergence - gain + price + ROUNDING * terms
}

/// The same equation, solved for `log delta`.
pub(crate) fn log_delta_at(excess: f64, divergence: f64, epsilon: f64) -> f64 {
    let log_order = excess.ln_1p();
    let gain = excess.recip().ln_1p();
    let terms = excess * (divergence + epsilon + gain) + log_order;
    excess * (divergence - epsilon - gain) - log_order + ROUNDING * terms
}

#[cfg(test)]
mod tests;
