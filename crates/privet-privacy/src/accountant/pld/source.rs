//! The dominating pair of each elementary release, ready to be put on a grid.
//!
//! Three families cover everything:
//!
//! * **Bounded losses.** Atoms at `-e`, `0` and `e`, and between `-e` and `e` a density proportional to
//!   `e^(l/2)` under `P` (to `e^(-l/2)` under `Q`).
//!   - Pure `e`: atoms `e^e/(1+e^e)` and `1/(1+e^e)` (Kairouz, Oh and Viswanath 2017); an `(e, delta)` release
//!     has the same with mass `delta` at infinity.
//!   - Randomised response over `c` categories: the response itself.
//!   - Laplace noise: atoms `1/2` and `e^-e/2`, density `e^((l-e)/2)/4`: the loss `|x| - |x-1|` itself.
//!   - Bounded range `e`: the largest hockey-stick divergence over all two-point pairs with log-ratios
//!     `e - t` and `-t` is attained at `t = (e - epsilon)/2` and equals
//!     `(e^(e/2) - e^(epsilon/2))^2/(e^e - 1)`. This is convex in `e^epsilon`, hence the curve of a pair
//!     (Zhu, Dong and Wang 2022), and that pair has no atoms and the density `e^((l-e)/2)/(2(1 - e^-e))`.
//!     Variance `e^2/3` for small `e`, against `e^2` for a pure release.
//!
//! * **Gaussian mixtures**: see [`Mixture`]. A Gaussian is the mixture with one part.
//!
//! * **Replaced rows**, of which only a curve is known: see [`Replaced`].

use super::pair::{Mass, Pair};
use crate::accountant::mixture::Mixture;
use crate::accountant::no_theorem;
use crate::accountant::replaced::Replaced;
use crate::error::Result;
use crate::event::Event;
use crate::special::{ROUNDING, normal_cdf, normal_upper_quantile};

/// A dominating pair in closed form.
#[derive(Debug, Clone)]
pub(crate) enum LossSource {
    Bounded(BoundedLoss),
    Mixture(Mixture),
    Replaced(Replaced),
}

/// A loss in `[-epsilon, epsilon]`, with the same law in both directions.
#[derive(Debug, Clone)]
pub(crate) struct BoundedLoss {
    epsilon: f64,
    /// The probability of the loss `epsilon` under `P`; that of `-epsilon` is `e^-epsilon` times this.
    top: f64,
    /// The probability of the loss 0.
    middle: f64,
    /// `c` in the density `c e^((l - epsilon)/2)`.
    density: f64,
    /// The probability of an infinite loss.
    infinite: f64,
}

impl LossSource {
    pub(crate) fn new(event: &Event) -> Result<Self> {
        let bounded = |epsilon: f64, top: f64| BoundedLoss {
            epsilon,
            top,
            middle: 0.0,
            density: 0.0,
            infinite: 0.0,
        };
        let response = |epsilon: f64, others: f64| 1.0 / (1.0 + others * (-epsilon).exp());
        Ok(match *event {
            Event::Pure { epsilon } => {
                Self::Bounded(bounded(epsilon.get(), response(epsilon.get(), 1.0)))
            }
            Event::Approximate { epsilon, delta } => {
                // Kairouz, Oh and Viswanath 2017: with probability delta everything is revealed, else randomised
                // response.
                let top = (1.0 - delta.get()) * response(epsilon.get(), 1.0);
                Self::Bounded(BoundedLoss { infinite: delta.get(), ..bounded(epsilon.get(), top) })
            }
            Event::RandomizedResponse { epsilon, categories } => {
                let (e, others) = (epsilon.get(), f64::from(categories - 1));
                let top = response(e, others);
                // Categories other than the two that neighbours hold have equal probability under both: loss 0.
                let middle = (others - 1.0) * (-e).exp() * top;
                Self::Bounded(BoundedLoss { middle, ..bounded(e, top) })
            }
            Event::Laplace { noise_multiplier } => Self::Bounded(BoundedLoss {
                // Between the two locations |x| - |x-1| runs through (-e, e) with density e^((l-e)/2)/4; outside it
                // is +-e.
                density: 0.25,
                ..bounded(noise_multiplier.recip(), 0.5)
            }),
            Event::BoundedRange { eta } => {
                let density = 0.5 / -(-eta).exp_m1();
                Self::Bounded(BoundedLoss { density, ..bounded(eta, 0.0) })
            }
            Event::Gaussian { noise_multiplier } => {
                Self::Mixture(Mixture::shifted(noise_multiplier, 1.0))
            }
            Event::MixtureOfGaussians { noise_multiplier, max_rows, rate } => {
                Self::Mixture(Mixture::new(noise_multiplier, max_rows, rate))
            }
            Event::ReplacedRows { noise_multiplier, max_rows, batch } => {
                Self::Replaced(Replaced::rows(noise_multiplier, max_rows, batch))
            }
            Event::FixedSizeSampled { size, population, ref event } => match **event {
                Event::Gaussian { noise_multiplier } => Self::Replaced(Replaced::one_record(
                    noise_multiplier,
                    size as f64 / population as f64,
                )),
                _ => return Err(no_theorem(super::NAME, event)),
            },
            ref other => return Err(no_theorem(super::NAME, other)),
        })
    }

    /// Whether both directions have the same law.
    pub(crate) fn is_symmetric(&self) -> bool {
        !matches!(self, Self::Mixture(_))
    }

    /// The losses outside of which either law has at most `tail`.
    pub(crate) fn range(&self, tail: f64) -> (f64, f64) {
        match self {
            Self::Bounded(bounded) => (-bounded.epsilon, bounded.epsilon),
            Self::Mixture(mixture) => {
                let (mixture, _) = mixture.without_rare_parts(tail);
                let (low, high) = ends(&mixture, tail);
                (mixture.loss(low), mixture.loss(high))
            }
            Self::Replaced(replaced) => replaced.range(tail),
        }
    }

    /// The variance of the loss, roughly: it only chooses grids.
    pub(crate) fn variance(&self) -> f64 {
        match self {
            Self::Bounded(bounded) => {
                let e = bounded.epsilon;
                // The mass near the top end is e^(e/2) times that near the bottom; beyond e = 1 the
                // spread of the larger part is a few nats at most.
                let spread = e.min(2.0).powi(2);
                spread * (bounded.top + bounded.density * e).clamp(0.0, 1.0) * (1.0 / 3.0)
            }
            Self::Mixture(mixture) => mixture.loss_variance(),
            Self::Replaced(replaced) => replaced.loss_variance(),
        }
    }

    /// The pair on a grid; mixtures are cut where either law has at most `tail` left.
    pub(crate) fn pair(&self, step: f64, tail: f64) -> Pair {
        match self {
            Self::Bounded(bounded) => bounded.pair(step),
            Self::Mixture(mixture) => mixture_pair(mixture, step, tail),
            Self::Replaced(replaced) => replaced_pair(replaced, step, tail),
        }
    }

    /// What one cell of the grid costs, in evaluations of an exponential.
    pub(crate) fn cost(&self) -> f64 {
        match self {
            Self::Bounded(_) => 8.0,
            Self::Mixture(mixture) => 4.0 + 8.0 * mixture.len() as f64,
            Self::Replaced(replaced) => 8.0 + 16.0 * replaced.len() as f64,
        }
    }
}

impl BoundedLoss {
    fn pair(&self, step: f64) -> Pair {
        let e = self.epsilon;
        let edge = ((e / step).ceil() as i64).max(1);
        let mut cells: Vec<Mass> = (-edge..edge)
            .map(|index| {
                let low = (index as f64 * step).max(-e);
                let high = ((index + 1) as f64 * step).min(e);
                // A whole cell is exactly one step long; the rest of one is not known better than `e` itself.
                let is_whole = index > -edge && index + 1 < edge;
                let length = if is_whole { step } else { high - low };
                let error = if is_whole { 0.0 } else { self.density * ROUNDING * e };
                // Integrals of c e^((l-e)/2) and c e^((-l-e)/2) from low to high.
                let wide = 2.0 * self.density * (0.5 * length).exp_m1();
                let (p, q) = (wide * (0.5 * (low - e)).exp(), wide * (0.5 * (-high - e)).exp());
                mass(p, q, ROUNDING * (1.0 + e), error)
            })
            .collect();
        // An atom of loss l has Q-mass e^-l times its P-mass.
        let bottom = self.top * (-e).exp();
        let last = cells.len() - 1;
        for (index, p, q) in [
            (0, bottom, self.top),
            (edge as usize, self.middle, self.middle),
            (last, self.top, bottom),
        ] {
            let atom = mass(p, q, ROUNDING * (1.0 + e), 0.0);
            let cell = &mut cells[index];
            *cell = Mass {
                p: cell.p + atom.p,
                q: cell.q + atom.q,
                p_error: cell.p_error + atom.p_error,
                q_error: cell.q_error + atom.q_error,
            };
        }
        let below = mass(0.0, self.infinite, 0.0, 0.0);
        let above = mass(self.infinite, 0.0, 0.0, 0.0);
        Pair::from_cells(step, -edge, &cells, below, above)
    }
}

/// Two masses with the same relative and absolute error.
fn mass(p: f64, q: f64, relative: f64, absolute: f64) -> Mass {
    Mass { p, q, p_error: relative * p + absolute, q_error: relative * q + absolute }
}

/// The pair of replaced rows, on a grid that ends where their curve falls below `tail`.
fn replaced_pair(replaced: &Replaced, step: f64, tail: f64) -> Pair {
    let high = replaced.range(tail).1;
    let last = ((high / step).ceil() as usize).max(1);
    let mut start = replaced.start(last as f64 * step);
    let mut curve: Vec<f64> =
        (0..=last).rev().map(|index| replaced.curve(index as f64 * step, &mut start)).collect();
    curve.reverse();
    Pair::from_symmetric_curve(step, &curve)
}

/// Where to cut: below, `Q` is the larger law; above, `P` is.
fn ends(mixture: &Mixture, tail: f64) -> (f64, f64) {
    let low = -mixture.sigma * normal_upper_quantile(tail.ln());
    (low, mixture.upper_quantile(tail))
}

fn mixture_pair(mixture: &Mixture, step: f64, tail: f64) -> Pair {
    let sigma = mixture.sigma;
    // The dropped mass is counted as an infinite loss below.
    let (mixture, dropped) = mixture.without_rare_parts(tail);
    let (low, high) = ends(&mixture, tail);
    let first = (mixture.loss(low) / step).floor() as i64;
    let last = ((mixture.loss(high) / step).ceil() as i64).max(first + 1);
    let means: Vec<(f64, f64)> = mixture.means().collect();
    let tails = |x: f64| -> Vec<Signed> {
        means.iter().map(|&(mean, _)| Signed::new((x - mean) / sigma)).collect()
    };
    let mut cells = vec![Mass::default(); (last - first) as usize];
    let (mut x, mut right, mut right_q) = (high, tails(high), Signed::new(high / sigma));
    for (index, cell) in cells.iter_mut().enumerate().rev() {
        // Right to left, so that each position starts right of the next root, as Newton's method requires.
        x = if index == 0 {
            low
        } else {
            mixture.position((first + index as i64) as f64 * step, x)
        };
        let (left, left_q) = (tails(x), Signed::new(x / sigma));
        for ((_, mass), (left, right)) in means.iter().zip(left.iter().zip(&right)) {
            cell.p += mass * left.until(*right);
            cell.p_error += mass * (left.error + right.error);
        }
        cell.p_error += cell.p * (mixture.rounding + f64::EPSILON * means.len() as f64);
        cell.q = left_q.until(right_q);
        cell.q_error = left_q.error + right_q.error;
        (right, right_q) = (left, left_q);
    }
    // Beyond the ends the arguments of the tails are a few tens.
    let far = mixture.rounding + 1e-12;
    let below_p = means.iter().map(|(mean, mass)| mass * normal_cdf((low - mean) / sigma)).sum();
    let below = mass(below_p, normal_cdf(low / sigma), far, 0.0);
    let above_p = mixture.upper_tail(high) + dropped;
    let above = mass(above_p, normal_cdf(-high / sigma), far, 0.0);
    Pair::from_cells(step, first, &cells, below, above).rounded_by(mixture.rounding)
}

/// The signed tail at `z`: `P(Z <= z)` left of the mean, `-P(Z > z)` right of it, with a bound on its error.
///
/// Differences of two of them are masses (plus one if they straddle the mean), at full relative accuracy in
/// either tail.
#[derive(Debug, Clone, Copy)]
struct Signed {
    tail: f64,
    error: f64,
}

impl Signed {
    fn new(z: f64) -> Self {
        let tail = if z < 0.0 { normal_cdf(z) } else { -normal_cdf(-z) };
        Self { tail, error: 2.0 * f64::EPSILON * tail.abs() * (1.0 + z * z) }
    }

    /// The mass from here to a point further right.
    fn until(self, right: Self) -> f64 {
        // The sign changes at the mean, where the representation jumps by one.
        let straddles = self.tail > 0.0 && right.tail <= 0.0;
        let difference = right.tail - self.tail;
        (if straddles { 1.0 + difference } else { difference }).max(0.0)
    }
}

#[cfg(test)]
mod tests;
