//! Optimal composition of equal `(epsilon, delta)` releases, and the closed formulas people use instead.
//!
//! **Idea.** Randomised response is the worst `epsilon`-DP mechanism, so `k` of them are the worst
//! composition; their loss is binomial.
//!
//! **Theorem** (Kairouz, Oh and Viswanath 2017, Theorem 3.3): `k` adaptive `(epsilon, delta)`-DP releases
//! are `(e, 1 - (1 - delta)^k (1 - d(e)))`-DP with
//! `d(e) = sum_l C(k, l) (e^((k-l) epsilon) - e^(e + l epsilon))_+ / (1 + e^epsilon)^k`. Tight for releases of
//! which nothing but `(epsilon, delta)` is known; only for equal ones (unequal ones go to the
//! [`Pld`](super::Pld) accountant, which computes the same on a grid).
//!
//! **Numerics.** Binomial weights by their ratios from the mode outwards, normalised by their sum, so the
//! cost grows with the square root of `k`; beyond ten thousand million releases it refuses.

use super::leaves::Leaf;
use super::tail::Tail;
use super::{Accountant, basic, no_theorem, settle_delta, settle_epsilon};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss, count_up};
use crate::special::{ROUNDING, UP};

/// The accountant of Kairouz, Oh and Viswanath.
#[derive(Debug, Clone, Copy, Default)]
pub struct Optimal;

const NAME: &str = "optimal composition";

impl Accountant for Optimal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| {
            let (one, times) = homogeneous(leaves)?;
            // 1 - (1 - delta_0)^k (1 - d) <= delta
            let survive = count_up(times) * (-one.delta.get()).ln_1p();
            // What is left after the failures has the rounding error of both.
            let goal = -((-delta).ln_1p() - survive).exp_m1() - ROUNDING * delta;
            let most = one.epsilon.times(times).get();
            Ok(if goal < 0.0 {
                f64::INFINITY
            } else if goal == 0.0 {
                most
            } else {
                binomial_tail(one.epsilon.get(), times)?.epsilon(goal).min(most)
            })
        })
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| {
            let (one, times) = homogeneous(leaves)?;
            let survive = count_up(times) * (-one.delta.get()).ln_1p();
            let tail = if epsilon >= one.epsilon.times(times).get() {
                0.0
            } else {
                binomial_tail(one.epsilon.get(), times)?.delta(epsilon)
            };
            Ok(-(survive + (-tail).ln_1p()).exp_m1() * UP)
        })
    }
}

fn homogeneous(leaves: &[Leaf]) -> Result<(Loss, u64)> {
    match leaves {
        [leaf] => match basic::guarantee(&leaf.event) {
            Some(loss) if fault::on(Fault::OneReleaseOfMany) => Ok((loss, leaf.times.min(1))),
            Some(loss) => Ok((loss, leaf.times)),
            None => Err(no_theorem(NAME, &leaf.event)),
        },
        several => {
            let events =
                several.iter().map(|leaf| leaf.event.clone().repeated(leaf.times)).collect();
            Err(no_theorem(NAME, &Event::Sequence { events }))
        }
    }
}

/// Weights below this, relative to the largest, are left out.
const NEGLIGIBLE: f64 = 1e-300;
/// More than all weights that were left out.
const LEFT_OUT: f64 = 1e-290;
/// The most weights that are kept.
const MAX_WEIGHTS: f64 = 4_194_304.0;

/// More weights than are kept: `e^(-x^2/2)` is negligible at 37 standard deviations, and binomial tails are at most
/// twice as wide here.
fn most_weights(k: f64, odds: f64) -> f64 {
    (WIDTH * (k * odds).sqrt() / (1.0 + odds) + SPARE).min(k + 1.0)
}

/// Both sides of twice as many standard deviations, and what few releases need.
const WIDTH: f64 = 150.0;
const SPARE: f64 = 1_500.0;

/// The loss `(k - 2 l) epsilon` with `l` binomial of rate `1/(1 + e^epsilon)`.
fn binomial_tail(epsilon: f64, times: u64) -> Result<Tail<impl Iterator<Item = f64>>> {
    let k = times as f64;
    let odds = (-epsilon).exp();
    let width = most_weights(k, odds);
    if width > MAX_WEIGHTS {
        let needs = format!("{:.1} GB for the weights of {times} releases", 8e-9 * width);
        return Err(Error::TooCostly { accountant: NAME, needs });
    }
    // Kairouz, Oh and Viswanath 2017, Theorem 3.3: l of k answers are wrong with probability Bin(k, e^-eps / (1 +
    // e^-eps)), and the loss is (k - 2l) eps.
    let mode = ((k + 1.0) * odds / (1.0 + odds)).floor().min(k);
    // w(l + 1)/w(l) = (k - l)/(l + 1) e^-epsilon
    let walk = |from: f64, direction: f64| {
        let mut weight = 1.0;
        let mut l = from;
        std::iter::from_fn(move || {
            weight *= if direction < 0.0 {
                l / ((k - l + 1.0) * odds)
            } else {
                (k - l) / (l + 1.0) * odds
            };
            l += direction;
            (weight > NEGLIGIBLE).then_some(weight)
        })
    };
    let mut weights: Vec<f64> = walk(mode, -1.0).collect();
    let fewest = mode - weights.len() as f64;
    weights.reverse();
    weights.push(1.0);
    weights.extend(walk(mode, 1.0));
    let total: f64 = weights.iter().sum();
    // Each weight is a product of at most this many rounded ratios: pay for the rounding.
    let inflation = (1.0 + ROUNDING * weights.len() as f64) / total;
    Ok(Tail {
        top: (k - 2.0 * fewest) * epsilon,
        step: 2.0 * epsilon,
        masses: weights.into_iter().map(move |weight| weight * inflation),
        extra: if fewest > 0.0 { LEFT_OUT } else { 0.0 },
    })
}

/// Advanced composition in closed form: `times` releases, with `slack` of delta given to the bound.
///
/// `epsilon = k e tanh(e/2) + e sqrt(2 k log(1/slack))` (the third branch of Kairouz, Oh and Viswanath
/// 2017, Theorem 3.4: Hoeffding's inequality for losses in `[-e, e]` of mean `e tanh(e/2)`), never more
/// than basic composition. It holds for all parameters; [`Optimal`] is tighter.
pub fn advanced_composition(one: Loss, times: u64, slack: Delta) -> Loss {
    let (e, k) = (one.epsilon.get(), count_up(times));
    // The mean loss of randomised response is eps tanh(eps/2), not eps (e^eps - 1); the second term is Azuma's
    // inequality.
    let bound = k * e * (0.5 * e).tanh() + e * (2.0 * k * -slack.get().ln()).sqrt();
    let most = one.epsilon.times(times);
    let epsilon =
        Epsilon::new(bound * UP).map_or(most, |bound| if bound < most { bound } else { most });
    Loss { epsilon, delta: one.delta.times(times) + slack }
}

/// The share of each of `steps` releases in a total budget by the closed form
/// `epsilon / (2 sqrt(steps log(e + epsilon/delta)))`, `delta / (2 steps)`.
///
/// The formula is simple, loose for small budgets and *wrong* for large ones, so the share is checked
/// with [`Optimal`] and refused where it does not keep the promise.
pub fn closed_form_share(total: Loss, steps: u64) -> Result<Loss> {
    const FORMULA: &str =
        "the closed composition formula epsilon/(2 sqrt(M log(e + epsilon/delta)))";
    if steps == 0 || !total.epsilon.is_finite() || total.delta == Delta::ZERO {
        return Err(Error::FormulaFails {
            formula: FORMULA,
            detail: format!("{steps} steps, {total}"),
        });
    }
    let (epsilon, delta, m) = (total.epsilon.get(), total.delta.get(), steps as f64);
    let share = Loss::new(
        epsilon / (2.0 * (m * (std::f64::consts::E + epsilon / delta).ln()).sqrt()),
        delta / (2.0 * m),
    )?;
    // The printed formula is not always a bound: the exact composition decides.
    let one = Event::Approximate { epsilon: share.epsilon, delta: share.delta };
    let truth = Optimal.delta(&one.repeated(steps), total.epsilon)?;
    if truth > total.delta && !fault::on(Fault::ClosedFormTrusted) {
        let detail = format!("{steps} steps at {share} have delta {truth}, not {}", total.delta);
        return Err(Error::FormulaFails { formula: FORMULA, detail });
    }
    Ok(share)
}

#[cfg(test)]
mod tests;
