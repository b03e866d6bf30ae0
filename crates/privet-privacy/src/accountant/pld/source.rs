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
mod tests {
    use super::super::pair::LossDirection;
    use super::*;
    use crate::accountant::exact::{Big, big, normal_tail};
    use crate::accountant::{analytic_gaussian, tail::Tail};
    use crate::loss::Epsilon;

    fn delta(source: &LossSource, step: f64, direction: LossDirection, epsilon: f64) -> f64 {
        let losses = source.pair(step, 1e-18).losses(direction, 1, 1e-18);
        let top = (losses.first + losses.mass.len() as i64 - 1) as f64 * step;
        Tail { top, step, masses: losses.mass.into_iter().rev(), extra: losses.infinite }
            .delta(epsilon)
    }

    #[test]
    fn every_pair_has_its_curve() {
        let e = 1.3_f64;
        let pure = LossSource::new(&Event::Pure { epsilon: Epsilon::new(e).unwrap() }).unwrap();
        let response = LossSource::new(&Event::RandomizedResponse {
            epsilon: Epsilon::new(e).unwrap(),
            categories: 5,
        });
        let response = response.unwrap();
        let laplace = LossSource::new(&Event::Laplace { noise_multiplier: 1.0 / e }).unwrap();
        let range = LossSource::new(&Event::BoundedRange { eta: e }).unwrap();
        let gaussian = LossSource::new(&Event::Gaussian { noise_multiplier: 0.8 }).unwrap();
        for epsilon in [0.0_f64, 0.4, 0.9, 1.2] {
            let ratio = epsilon.exp();
            for (source, exact) in [
                (&pure, (e.exp() - ratio) / (1.0 + e.exp())),
                (&response, (e.exp() - ratio) / (4.0 + e.exp())),
                (&laplace, -(0.5 * (epsilon - e)).exp_m1()),
                (&range, ((0.5 * e).exp() - (0.5 * epsilon).exp()).powi(2) / e.exp_m1()),
                (&gaussian, analytic_gaussian::delta(1.25, epsilon)),
            ] {
                for direction in [LossDirection::Remove, LossDirection::Add] {
                    let found = delta(source, 1e-3, direction, epsilon);
                    assert!(found >= exact - 1e-14 && found < exact + 1e-6, "{found} {exact}");
                }
            }
        }
    }

    /// `delta` of the losses on the grid, by definition and to many digits: nothing but the grid itself is rounded up.
    fn on_the_grid(
        source: &LossSource,
        step: f64,
        direction: LossDirection,
        point: i64,
    ) -> (f64, Big) {
        let losses = source.pair(step, 1e-25).losses(direction, 1, 0.0);
        let epsilon = point as f64 * step;
        let mut sum = big(losses.infinite);
        for (index, mass) in losses.mass.iter().enumerate() {
            let loss = big((losses.first + index as i64) as f64) * big(step) + big(losses.shift);
            let share = big(1.0) - (big(epsilon) - loss).exp();
            if share > big(0.0) {
                sum += big(*mass) * share;
            }
        }
        (epsilon, sum)
    }

    /// Closed forms of bounded losses, to many digits: at grid points the pair on the grid is never below them.
    #[test]
    fn bounded_pairs_are_never_below_their_curves() {
        let delta = crate::loss::Delta::new(0.125).unwrap();
        for (e, step) in [(0.73, 0.031), (0.011, 0.003), (3.1, 0.17), (2.0, 0.5), (0.4, 1.0)] {
            let epsilon = Epsilon::new(e).unwrap();
            let (one, two, full) = (big(1.0), big(2.0), big(e).exp());
            let sources = [
                Event::Pure { epsilon },
                Event::RandomizedResponse { epsilon, categories: 5 },
                Event::Laplace { noise_multiplier: 1.0 / e },
                Event::BoundedRange { eta: e },
                Event::Approximate { epsilon, delta },
            ]
            .map(|event| LossSource::new(&event).unwrap());
            for (kind, source) in sources.iter().enumerate() {
                for point in [0, 1, (0.4 * e / step) as i64, (e / step) as i64] {
                    for direction in [LossDirection::Remove, LossDirection::Add] {
                        let (at, found) = on_the_grid(source, step, direction, point);
                        let power = big(at).exp();
                        // Laplace noise has the reciprocal of its rounded scale.
                        let scale = one.clone() / big(1.0 / e);
                        let truth = match kind {
                            0 => (&full - &power) / (&full + &one),
                            1 => (&full - &power) / (&full + big(4.0)),
                            2 => one.clone() - ((big(at) - scale) / &two).exp(),
                            3 => {
                                let gap = (big(e) / &two).exp() - (big(at) / &two).exp();
                                &gap * &gap / (&full - &one)
                            }
                            _ => big(0.125) + big(0.875) * (&full - &power) / (&full + &one),
                        };
                        // Beyond the largest loss only failures count.
                        let truth = match at < e {
                            true => truth,
                            false => big(if kind == 4 { 0.125 } else { 0.0 }),
                        };
                        let over = (&found - &truth).to_f64().value();
                        assert!(found >= truth, "{kind} {e} {point}: {over:e}");
                        assert!(over < 1e-13 + 2.0 * step * step, "{kind} {e} {point}: {over:e}");
                        if point as f64 * step + 2.0 * step < e {
                            assert!(over < 1e-13 + 0.01 * step, "{kind} {e} {point}: {over:e}");
                        }
                    }
                }
            }
        }
    }

    /// One sampled row, whose best position has a closed form, in both directions and to many digits.
    #[test]
    fn mixtures_are_never_below_their_curves() {
        for (sigma, rate, step) in [(0.8, 0.2, 0.02), (3.0, 0.5, 0.01), (1.3, 1e-3, 0.05)] {
            let source = LossSource::Mixture(Mixture::new(sigma, 1, rate));
            let tail =
                |z: Big| if z < big(0.0) { big(1.0) - normal_tail(&-z) } else { normal_tail(&z) };
            let (q, rest) = (big(rate), big(1.0) - big(rate));
            // e^loss = 1 - q + q e^((x - 1/2)/sigma^2)
            let position =
                |ratio: &Big| ((ratio - &rest) / &q).ln() * big(sigma) * big(sigma) + big(0.5);
            let mixed =
                |x: &Big| &rest * tail(x / big(sigma)) + &q * tail((x - big(1.0)) / big(sigma));
            for point in [0, 1, 7, 40] {
                let (at, found) = on_the_grid(&source, step, LossDirection::Remove, point);
                let power = big(at).exp();
                let x = position(&power);
                let truth = mixed(&x) - &power * tail(&x / big(sigma));
                let over = (&found - &truth).to_f64().value();
                assert!((0.0..1e-10).contains(&over), "{sigma} {point}: {over:e}");
                let (at, found) = on_the_grid(&source, step, LossDirection::Add, point);
                let (power, inverse) = (big(at).exp(), big(-at).exp());
                if inverse <= rest {
                    continue;
                }
                let x = position(&inverse);
                let truth = big(1.0) - tail(&x / big(sigma)) - &power * (big(1.0) - mixed(&x));
                let over = (&found - &truth).to_f64().value();
                assert!((0.0..1e-10).contains(&over), "{sigma} {point}: {over:e}");
            }
        }
    }

    /// Signed tails: the stated error is above the true one everywhere, and near the mean it is one unit or two.
    #[test]
    fn tails_know_their_error() {
        for step in -370..=370 {
            let z = 0.1 * f64::from(step) + 1e-3;
            let found = Signed::new(z);
            let truth = normal_tail(&big(z.abs())).to_f64().value();
            let exact = if z < 0.0 { truth } else { -truth };
            // The truth was rounded once.
            let slack = 0.5 * f64::EPSILON * truth;
            assert!((found.tail - exact).abs() <= found.error + slack, "{z}");
            assert!(
                (found.tail - exact).abs() <= f64::EPSILON * truth * (1.5 + 1.1 * z * z),
                "{z}"
            );
        }
        assert!(Signed::new(0.0).error <= 1.1 * f64::EPSILON);
        for (left, right, mass) in [
            (-1.0, 1.0, 0.682_689_492_137_085_9),
            (-1.0, 0.0, 0.341_344_746_068_542_9),
            (0.0, 1.0, 0.341_344_746_068_542_9),
            (1.0, 1.0, 0.0),
            (2.0, 1.0, 0.0),
        ] {
            let found = Signed::new(left).until(Signed::new(right));
            assert!((found - mass).abs() < 1e-15, "{left} {right}: {found}");
        }
    }

    /// What is beyond the ends has at most the tail, and hardly less; bounded losses end where they end.
    #[test]
    fn ranges_hold_all_but_the_tail() {
        for (sigma, rows, rate) in [(1.0, 1, 1.0), (2.0, 3, 0.3), (0.9, 5, 0.7)] {
            let mixture = Mixture::new(sigma, rows, rate);
            let source = LossSource::Mixture(mixture.clone());
            for tail in [1e-6, 1e-30] {
                let (low, high) = source.range(tail);
                let start = mixture.reach() + 40.0 * sigma;
                let (left, right) = (mixture.position(low, start), mixture.position(high, start));
                assert!(normal_cdf(left / sigma) <= tail * 1.000_001, "{sigma} {tail}");
                assert!(normal_cdf(left / sigma + 0.01) > tail, "{sigma} {tail}");
                assert!(mixture.upper_tail(right) <= 2.001 * tail, "{sigma} {tail}");
                assert!(mixture.upper_tail(right - 0.01 * sigma) > 0.9 * tail, "{sigma} {tail}");
            }
        }
        let pure = LossSource::new(&Event::Pure { epsilon: Epsilon::new(0.7).unwrap() }).unwrap();
        assert_eq!(pure.range(1e-9), (-0.7, 0.7));
    }

    /// The rules of thumb that choose grids: spread and work. Only mixtures differ between directions.
    #[test]
    fn rules_of_thumb() {
        let pure =
            |e: f64| LossSource::new(&Event::Pure { epsilon: Epsilon::new(e).unwrap() }).unwrap();
        let range = LossSource::new(&Event::BoundedRange { eta: 0.5 }).unwrap();
        let rows = LossSource::Mixture(Mixture::new(1.0, 2, 0.5));
        let batch = crate::event::BatchSampling::Poisson { rate: 0.5 };
        let replaced = LossSource::Replaced(Replaced::rows(1.0, 2, batch));
        let top = 1.0 / (1.0 + (-1.0_f64).exp());
        assert!((pure(1.0).variance() - top / 3.0).abs() < 1e-15);
        assert!((pure(50.0).variance() - 4.0 / 3.0).abs() < 1e-12);
        let share = 0.25 / -(-0.5_f64).exp_m1();
        assert!((range.variance() - 0.25 * share / 3.0).abs() < 1e-15);
        assert_eq!([&range, &rows, &replaced].map(LossSource::cost), [8.0, 28.0, 40.0]);
        assert_eq!([&range, &rows, &replaced].map(LossSource::is_symmetric), [true, false, true]);
    }

    /// By how many units of rounding all masses together are above 1.
    fn raised(source: &LossSource, step: f64, tail: f64, direction: LossDirection) -> f64 {
        let losses = source.pair(step, tail).losses(direction, 1, 0.0);
        let sum = losses.mass.iter().fold(big(losses.infinite), |sum, mass| sum + big(*mass));
        (sum - big(1.0)).to_f64().value() / ROUNDING
    }

    /// All masses together are 1, and as much more as their stated errors: `1 + e` units for every mass, and for a density
    /// `e` units of it at both ends of the grid, where a cell is not whole.
    #[test]
    fn bounded_masses_are_raised_by_their_errors() {
        let epsilon = Epsilon::new(2.0).unwrap();
        let density = 0.5 / -(-2.0_f64).exp_m1();
        for (event, units) in [
            (Event::Pure { epsilon }, 3.0),
            (Event::RandomizedResponse { epsilon, categories: 5 }, 3.0),
            (Event::BoundedRange { eta: 2.0 }, 3.0 + 2.0 * 2.0 * density),
            (Event::Laplace { noise_multiplier: 0.5 }, 3.0 + 2.0 * 2.0 * 0.25),
        ] {
            for direction in [LossDirection::Remove, LossDirection::Add] {
                let found = raised(&LossSource::new(&event).unwrap(), 0.25, 0.0, direction);
                assert!((found - units).abs() < 0.5, "{event}: {found} {units}");
            }
        }
        // Nothing to tell apart is a pair as well.
        let nothing = LossSource::new(&Event::Pure { epsilon: Epsilon::ZERO }).unwrap();
        assert!(raised(&nothing, 0.25, 0.0, LossDirection::Remove).abs() < 2.0);
        let wide = LossSource::new(&Event::Laplace { noise_multiplier: 0.25 }).unwrap();
        assert!((wide.variance() - 4.0 / 3.0).abs() < 1e-15);
    }

    /// The same for mixtures, cut far out and close in, with rare parts and without: the errors of two tails for every cell and
    /// part, of the weights, and of what is cut off. The numbers are what these add up to.
    #[test]
    fn mixed_masses_are_raised_by_their_errors() {
        for ((sigma, rows, rate, tail), remove, add) in [
            ((2.0, 1, 1.0, 1e-12), 3.43, 3.33),
            ((2.0, 2, 0.5, 0.05), 48.6, 38.2),
            ((1.5, 6, 0.02, 0.05), 66.7, 51.6),
            ((2.0, 3, 0.2, 1e-12), 8.52, 1.78),
        ] {
            let source = LossSource::Mixture(Mixture::new(sigma, rows, rate));
            for (direction, units) in [(LossDirection::Remove, remove), (LossDirection::Add, add)] {
                let found = raised(&source, 0.1, tail, direction);
                assert!(
                    (found - units).abs() < 0.05 * units + 0.1,
                    "{sigma} {rows}: {found} {units}"
                );
            }
        }
    }

    /// A grid begins at or below what is cut off at the low end, and ends at or above what is cut off at the high end.
    #[test]
    fn grids_hold_their_ranges() {
        let batch = crate::event::BatchSampling::Poisson { rate: 0.4 };
        let sources = [
            LossSource::Mixture(Mixture::new(1.0, 1, 1.0)),
            LossSource::Mixture(Mixture::new(2.0, 3, 0.3)),
            LossSource::Replaced(Replaced::rows(1.1, 2, batch)),
        ];
        for source in &sources {
            for (tail, step) in [(0.05, 0.3), (0.01, 0.21), (1e-6, 0.37)] {
                let (low, high) = source.range(tail);
                let losses = source.pair(step, tail).losses(LossDirection::Remove, 1, 0.0);
                let first = losses.first as f64 * step;
                let last = (losses.first + losses.mass.len() as i64 - 1) as f64 * step;
                assert!(first <= low && first > low - step - 1e-9, "{first} {low}");
                assert!(last >= high && last < high + step + 1e-9, "{last} {high}");
                assert!(losses.infinite <= 2.001 * tail, "{} {tail}", losses.infinite);
            }
        }
        // A row that is almost never there is no difference, on one cell.
        let rare = LossSource::Mixture(Mixture::new(1.0, 1, 1e-30));
        assert!(raised(&rare, 0.1, 1e-10, LossDirection::Remove).abs() < 1e6);
    }

    /// No two-point pair of bounded range has a larger divergence than the density says.
    #[test]
    fn bounded_range_covers_all_two_point_pairs() {
        let eta = 2.0_f64;
        for epsilon in [-1.5_f64, -0.3, 0.0, 0.7, 1.9] {
            let bound = ((0.5 * eta).exp() - (0.5 * epsilon).exp()).powi(2) / eta.exp_m1();
            let worst = (1..2000)
                .map(|i| eta * f64::from(i) / 2000.0)
                .map(|t| {
                    let q = -(-t).exp_m1() / ((eta - t).exp() - (-t).exp());
                    let p = q * (eta - t).exp();
                    (p - epsilon.exp() * q).max(0.0)
                        + ((1.0 - p) - epsilon.exp() * (1.0 - q)).max(0.0)
                })
                .fold(0.0, f64::max);
            assert!(worst <= bound + 1e-12 && worst > bound - 1e-5, "{worst} {bound}");
        }
    }

    /// The two formulas for the mixture, evaluated directly.
    #[test]
    fn mixtures_have_their_curves() {
        let (sigma, rows, rate) = (1.5, 3, 0.2);
        let mixture = Mixture::new(sigma, rows, rate);
        let source = LossSource::Mixture(mixture.clone());
        for epsilon in [0.0, 0.2, 1.0, 2.5_f64] {
            let x = mixture.position(epsilon, 60.0);
            let remove = mixture.upper_tail(x) - epsilon.exp() * normal_cdf(-x / sigma);
            let found = delta(&source, 1e-3, LossDirection::Remove, epsilon);
            assert!(found >= remove - 1e-14 && found < remove + 1e-6, "{found} {remove}");
        }
        for epsilon in [0.05, 0.3_f64] {
            let x = mixture.position(-epsilon, 60.0);
            let add = normal_cdf(x / sigma) - epsilon.exp() * (1.0 - mixture.upper_tail(x));
            let found = delta(&source, 1e-3, LossDirection::Add, epsilon);
            assert!(found >= add - 1e-14 && found < add + 1e-6, "{found} {add}");
        }
    }
}
