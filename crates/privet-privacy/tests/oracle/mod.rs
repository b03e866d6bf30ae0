//! What a composition truly costs, computed without any of the accountants' code.
//!
//! **Idea.** For a pair of laws with privacy loss `L` and moments `M(z) = E_P[e^(z L)]`,
//! `delta(epsilon) = 1/(2 pi i) integral M(z) e^(-z epsilon) / (z (z + 1)) dz` along any line right of zero: the
//! inverse of a Laplace transform. No grid of losses, no Fourier transform of a distribution, no window: the line goes
//! through the saddle point, where a few hundred values of `M` give nine digits of a delta of any size.
//!
//! **Laws.** Each event is given one pair of neighbours that it really has (a response, a Gaussian at full distance, a
//! batch with and without the rows), so what comes out is the truth or, where the worst pair is not known, below it.
//! Losses on a lattice have no decaying `M`; their binomial sums are added up term by term.
//!
//! **Precision.** `M - 1 = E_Q[g((z+1) L) - (z+1) g(L)]` with `g(w) = e^w - 1 - w`, so that tiny losses keep their
//! digits; the integral is refined until two steps agree to 1e-8. What does not converge is reported as unknown, and so is
//! what has not vanished where the nodes of a law cease to stand for its density.

pub mod complex;
pub mod law;
pub mod random;

use complex::Complex;
use law::Law;

/// Independent releases: laws with multiplicities, and the probability that something fails outright.
#[derive(Debug, Clone)]
pub struct Composition {
    pub parts: Vec<(Law, f64)>,
    pub failure: f64,
    /// Everything ran on one subsample of this rate.
    pub subsample: f64,
}

/// How well two refinements must agree.
const AGREEMENT: f64 = 1e-8;
/// The most nodes on the line.
const MAX_NODES: usize = 4_000;

impl Composition {
    /// The delta at this epsilon, in the direction in which records are removed; `None` if it did not converge.
    pub fn delta(&self, epsilon: f64) -> Option<f64> {
        // e^inner = 1 + (e^epsilon - 1)/rate
        let inner = (epsilon.exp_m1() / self.subsample).ln_1p();
        let smooth = self.parts.iter().any(|(law, times)| law.decays(*times));
        let inside = match &self.parts[..] {
            [] => 0.0,
            [(law, 1.0)] if law.exact(inner).is_some() => law.exact(inner)?,
            [(law, times)] if !smooth => law.lattice(*times, inner)?,
            _ if !smooth => return None,
            parts => on_the_line(parts, inner)?,
        };
        Some(self.subsample * (self.failure + (1.0 - self.failure) * inside))
    }

    /// The larger delta of both directions, or of the part that counts most where the whole does not converge.
    pub fn worst_delta(&self, epsilon: f64) -> Option<f64> {
        let directions = [Some(self.clone()), self.reversed()];
        let known = directions.iter().flatten().filter_map(|truth| {
            truth.delta(epsilon).or_else(|| truth.largest_part().delta(epsilon))
        });
        known.reduce(f64::max)
    }

    /// The same mechanisms with the roles of the neighbours exchanged.
    pub fn reversed(&self) -> Option<Self> {
        if self.subsample < 1.0 {
            return None;
        }
        let parts = self.parts.iter().map(|(law, times)| (law.reversed(), *times)).collect();
        Some(Self { parts, ..*self })
    }

    /// A part of the same releases, whose delta is a lower bound: the one that counts most.
    pub fn largest_part(&self) -> Self {
        let size = |(law, times): &&(Law, f64)| times * law.log_moment(Complex::real(1.0)).re;
        let largest = self.parts.iter().max_by(|a, b| size(a).total_cmp(&size(b))).cloned();
        Self { parts: largest.into_iter().collect(), ..*self }
    }
}

fn log_moment(parts: &[(Law, f64)], z: Complex) -> Complex {
    parts.iter().fold(Complex::real(0.0), |sum, (law, times)| sum + law.log_moment(z) * *times)
}

/// The integral along the line through the saddle point.
fn on_the_line(parts: &[(Law, f64)], epsilon: f64) -> Option<f64> {
    let height = |log_c: f64| {
        let c = log_c.exp();
        log_moment(parts, Complex::real(c)).re - c * epsilon - (c * (c + 1.0)).ln()
    };
    let c = lowest(height)?.exp();
    let top = height(c.ln());
    // exp(K(z) - z epsilon)/(z (z + 1)), relative to its largest value
    let value = |y: f64| {
        let z = Complex::new(c, y);
        let exponent = log_moment(parts, z) - z * epsilon - z.ln() - (z + Complex::real(1.0)).ln();
        (exponent - Complex::real(top)).exp()
    };
    // Where other losses are almost never there, atoms are almost all there is: the line goes on until they are quiet.
    let periods = parts.iter().filter_map(|(law, _)| law.period());
    let returns = periods.flat_map(|period| (1..=64).map(move |k| period * f64::from(k)));
    let last_return = returns.filter(|y| value(*y).norm() > 1e-10).fold(0.0, f64::max);
    // The curvature says how wide the peak is.
    let nudge = 1e-3 * c;
    let log = |c: f64| height(c.ln());
    let curvature = (log(c + nudge) - 2.0 * top + log(c - nudge)) / (nudge * nudge);
    let width = if curvature > 0.0 { curvature.sqrt().recip() } else { c };
    let reach = parts.iter().map(|(law, _)| law.reach()).fold(f64::INFINITY, f64::min);
    let mut step = (0.5 * width).min(0.3 * c);
    let mut last = f64::NAN;
    for _ in 0..12 {
        let sum = trapezoid(value, step, (last_return, reach))?;
        if (sum / last - 1.0).abs() < AGREEMENT {
            return Some(sum * top.exp() / std::f64::consts::PI);
        }
        last = sum;
        step *= 0.6;
    }
    None
}

fn trapezoid(value: impl Fn(f64) -> Complex, step: f64, ends: (f64, f64)) -> Option<f64> {
    let mut sum = 0.5 * value(0.0).re;
    let mut quiet = 0;
    for node in 1..MAX_NODES {
        let at = value(node as f64 * step);
        sum += at.re;
        quiet = if at.norm() < 1e-13 { quiet + 1 } else { 0 };
        // What has hardly fallen by now will not be small in time.
        if node == MAX_NODES / 8 && at.norm() > 1e-5 {
            return None;
        }
        // What is missing decays at least as fast as 1/y^2 if it does not come back.
        let (last_return, reach) = ends;
        if quiet > 24 && node as f64 * step > last_return {
            return Some(sum * step);
        }
        if quiet == 0 && node as f64 * step > reach {
            return None;
        }
    }
    None
}

/// The argument of the minimum of a function with one valley.
fn lowest(f: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut low, mut high) = (-30.0_f64, 30.0_f64);
    // Where the moment overflows is right of the valley.
    let f = |x: f64| Some(f(x)).filter(|value| value.is_finite()).unwrap_or(f64::MAX);
    while high - low > 1e-6 {
        let (left, right) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if f(left) <= f(right) { high = right } else { low = left }
    }
    (low > -29.9 && high < 29.9).then_some(0.5 * (low + high))
}
