//! The sum of many independent privacy losses, by Fourier transform.
//!
//! **Tilting.** Each loss distribution is first weighted with `e^(s l)` and normalised, with `s` the
//! exponent of the best Rényi bound for the wanted delta; tilting commutes with convolution and is undone at
//! the end. After it the region that decides delta is the *centre* of the distribution, so rounding
//! errors of the transform are relative to delta itself: a delta of 1e-30 is as accurate as one of 0.1.
//!
//! **Window.** The transform is cyclic. Mass that leaves the window at the top re-enters at the bottom:
//! its probability is bounded by Chernoff's inequality (with the rounding of the moments) and added to delta. All
//! other wrapped mass only adds to the bins, which is the safe side; the window is wide enough that it adds
//! nothing visible.
//!
//! **Rounding.** The transform of a distribution is off by at most `g = 8 u log2 n` at each frequency, and so is the
//! root of a rounded power. Then the product of the powers `F_i^T_i` is off by at most
//! `prod (|F_i| + g)^T_i - prod |F_i|^T_i`, and the average of that over all frequencies bounds the error of
//! each bin. It is added to each bin. Relative errors of the tilted masses are raised to the power `T_i`, and
//! errors of the losses are added `T_i` times.

#[cfg(not(target_arch = "wasm32"))]
use std::cell::RefCell;
use std::sync::Arc;

use rustfft::Fft;
#[cfg(not(target_arch = "wasm32"))]
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use super::pair::Losses;
use crate::accountant::rdp;
use crate::accountant::tail::Tail;
use crate::fault::{self, Fault};
use crate::special::{ROUNDING, minimize};

/// `-log` of the share of delta that leaving the window may cost.
const WINDOW_SLACK: f64 = 18.0;
/// `-log` of the tilted mass left outside of the window.
const WINDOW_TAIL: f64 = 32.0;
const LOG_EXPONENTS: (f64, f64) = (-23.0, 23.0);
/// Turns of a search for an end of the window, and for the tilt.
const ROUNDS: u32 = 28;
const TILT_ROUNDS: u32 = 56;
/// What a few sums and a power of e are rounded up by.
const UP: f64 = 1.0 + 1e-12;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Query {
    /// Epsilon at this delta.
    EpsilonAt(f64),
    /// Delta at this epsilon.
    DeltaAt(f64),
}

/// An answer, or by which factor the grid has to become coarser first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum GridOutcome {
    Value(f64),
    TooFine(f64),
}

/// Answers a query about the sum of all losses, `times` copies of each, with at most so many bins.
pub(crate) fn compose(parts: &[Losses], step: f64, query: Query, most_bins: f64) -> GridOutcome {
    let sum = Sum { parts, step };
    let infinite: f64 = parts.iter().map(|part| part.infinite * part.times as f64).sum();
    // Union bound: the chance that any release has an infinite loss is at most the sum of their chances.
    let infinite = if fault::on(Fault::CertaintyForgotten) { 0.0 } else { infinite };
    let shift: f64 = parts.iter().map(|part| part.shift * part.times as f64).sum();
    let query = match query {
        Query::DeltaAt(epsilon) => Query::DeltaAt(epsilon - shift),
        // For epsilon the shift is added to the answer instead, below.
        other => other,
    };
    let (tilt, log_delta) = sum.tilt(query);
    let window = sum.window(tilt, log_delta, query);
    let bins = bins_needed(window, step);
    if !bins.is_finite() || bins > most_bins {
        return GridOutcome::TooFine(bins / most_bins);
    }
    let bins = (bins as usize).next_power_of_two();
    let lowest = lowest_bin(window, step);
    let top = (lowest + bins as i64 - 1) as f64 * step;
    let (masses, log_scale) = sum.tilted_convolution(tilt, bins);
    let log_scale = raised(log_scale, tilt, (lowest as f64 * step, top));
    let descending = (lowest..lowest + bins as i64).rev().map(|index| {
        // The cyclic buffer holds the bin of index i at i mod bins; the tilt e^(s l) is divided out again here.
        let mass = masses[index.rem_euclid(bins as i64) as usize];
        mass * (log_scale - tilt * (index as f64 * step)).exp()
    });
    let extra = (infinite + beyond_window(log_delta)) * UP;
    let tail = Tail { top, step, masses: descending, extra };
    GridOutcome::Value(match query {
        Query::EpsilonAt(delta) => tail.epsilon(delta) + shift,
        Query::DeltaAt(epsilon) => tail.delta(epsilon),
    })
}

/// A bound on the probability that the sum of the losses lies above the window, which is wide enough for it.
fn beyond_window(log_delta: f64) -> f64 {
    match fault::on(Fault::WindowSlackDropped) {
        true => 0.0,
        false => (log_delta - WINDOW_SLACK).exp(),
    }
}

/// So many bins hold a window: a bin to spare on either side, and both ends rounded outwards.
fn bins_needed((low, high): (f64, f64), step: f64) -> f64 {
    (high - low) / step + 4.0
}

/// The bin below the one that the window begins in.
fn lowest_bin((low, _): (f64, f64), step: f64) -> i64 {
    (low / step).floor() as i64 - 1
}

/// A scale from which the tilt is taken back at losses between these: rounded up by the errors of both exponents.
fn raised(log_scale: f64, tilt: f64, (low, high): (f64, f64)) -> f64 {
    log_scale + ROUNDING * (log_scale.abs() + tilt * high.max(-low))
}

struct Sum<'a> {
    parts: &'a [Losses],
    step: f64,
}

impl Sum<'_> {
    /// `log E[e^(s L)]` of the finite part of the sum; any real `s`.
    fn log_moment(&self, s: f64) -> f64 {
        self.parts.iter().map(|part| part.times as f64 * log_moment(part, self.step, s)).sum()
    }

    /// A bound on the rounding error of that: of a sum of so many terms, and of the exponent of the last one.
    fn log_moment_error(&self, s: f64) -> f64 {
        let error = |part: &Losses| {
            let length = part.mass.len() as f64;
            let exponent = s * self.step * (part.first.abs() as f64 + length);
            part.times as f64 * ROUNDING * (length + exponent)
        };
        self.parts.iter().map(error).sum()
    }

    /// The smallest loss that is exceeded with probability at most `e^-tail`, by Chernoff's inequality.
    fn exceeded(&self, tail: f64) -> f64 {
        let (_, end) = minimize(LOG_EXPONENTS.0, LOG_EXPONENTS.1, ROUNDS, |log_s| {
            let s = log_s.exp();
            // Chernoff: P(L > l) <= e^(log E[e^(sL)] - s l). This end decides how much mass is paid for, so its
            // rounding counts.
            (self.log_moment(s) + self.log_moment_error(s) + tail) / s
        });
        end
    }

    /// The smallest value of `(log-moment gain + tail)/s`: an end of the tilted sum in the same sense.
    fn chernoff(&self, from: f64, sign: f64, tail: f64) -> f64 {
        let base = self.log_moment(from);
        let (_, end) = minimize(LOG_EXPONENTS.0, LOG_EXPONENTS.1, ROUNDS, |log_s| {
            let s = log_s.exp();
            // The tilted law's log-moment at s is log M(from + s) - log M(from). It only sizes the window, so its
            // rounding does not matter.
            (self.log_moment(from + sign * s) - base + tail) / s
        });
        end
    }

    /// The exponent for the query, and the logarithm of the delta it is about.
    ///
    /// Not Chernoff's exponent, which runs away where the losses are bounded, but the one of the Rényi
    /// conversion: it also knows that a loss just above epsilon hardly counts.
    fn tilt(&self, query: Query) -> (f64, f64) {
        // A tilt beyond 1/step would change by more than e from bin to bin, and the grid could not follow.
        let most = self.step.recip().ln().min(LOG_EXPONENTS.1);
        let (log_s, value) = minimize(LOG_EXPONENTS.0, most, TILT_ROUNDS, |log_s| {
            let s = log_s.exp();
            let divergence = self.log_moment(s) / s;
            match query {
                Query::EpsilonAt(delta) => rdp::epsilon_at(s, divergence, delta),
                Query::DeltaAt(epsilon) => rdp::log_delta_at(s, divergence, epsilon),
            }
        });
        match query {
            Query::EpsilonAt(delta) => (log_s.exp(), delta.ln()),
            Query::DeltaAt(_) => (log_s.exp(), value.min(0.0)),
        }
    }

    fn window(&self, tilt: f64, log_delta: f64, query: Query) -> (f64, f64) {
        // Leaving at the top costs delta, so it is bounded relative to delta; leaving anywhere else only has to be
        // invisible.
        let paid = self.exceeded(WINDOW_SLACK - log_delta);
        let above = self.chernoff(tilt, 1.0, WINDOW_TAIL);
        let below = self.chernoff(tilt, -1.0, WINDOW_TAIL);
        let low = match query {
            Query::DeltaAt(epsilon) => (-below).min(epsilon),
            Query::EpsilonAt(_) => -below,
        };
        (low, paid.max(above))
    }

    /// The tilted distribution of the sum modulo the window, rounded up, and the log of its scale.
    fn tilted_convolution(&self, tilt: f64, bins: usize) -> (Vec<f64>, f64) {
        let (forward, inverse) = transforms(bins);
        let half = bins / 2 + 1;
        let mut product = vec![Complex::new(1.0, 0.0); half];
        // sum T_i g/|F_i| bounds the logarithm of prod (1 + g/|F_i|)^T_i; sum T_i log(|F_i| + g) serves where
        // that is large.
        let (mut relative, mut logarithm) = (vec![0.0_f64; half], vec![0.0_f64; half]);
        let rounding = ROUNDING * (2.0 + (bins as f64).log2());
        let mut log_scale = 0.0;
        for part in self.parts {
            let Tilted { mut buffer, log_mass, error } = tilted(part, self.step, tilt, bins);
            log_scale += part.times as f64 * (log_mass + error);
            forward.process(&mut buffer);
            let times = part.times as f64;
            for (index, value) in buffer[..half].iter().enumerate() {
                // Convolving a law with itself T times is the T-th power of its transform.
                product[index] *= power(*value, part.times);
                let size = value.norm_sqr().sqrt();
                relative[index] += times * rounding / size.max(f64::MIN_POSITIVE);
                logarithm[index] += times * (size + rounding).ln();
            }
        }
        let errors = product.iter().zip(relative.iter().zip(&logarithm));
        let total: f64 = errors
            .map(|(value, (relative, logarithm))| {
                let size = value.norm_sqr().sqrt();
                let forward =
                    // |F| (prod (1 + g/|F_i|)^T_i - 1) where that is small, prod (|F_i| + g)^T_i where F_i itself is
                    // noise.
                    if *relative < 0.5 { size * relative.exp_m1() } else { logarithm.exp() };
                forward + rounding * size
            })
            .sum();
        // The inverse transform is an average over frequencies, so the average of their errors bounds each bin's;
        // half the spectrum was summed, hence twice.
        let error = 2.0 * total / bins as f64 + f64::MIN_POSITIVE;
        // The spectrum of a real sequence is symmetric.
        let mut spectrum = product;
        for index in (1..bins - bins / 2).rev() {
            spectrum.push(spectrum[index].conj());
        }
        inverse.process(&mut spectrum);
        let masses =
            // Raised by the error bound: no bin holds less than its true mass.
            spectrum.iter().map(|value| (value.re / bins as f64).max(0.0) + error).collect();
        (masses, log_scale)
    }
}

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    /// Planning a transform takes as long as one, and searches ask for the same few lengths again.
    static PLANNER: RefCell<FftPlanner<f64>> = RefCell::new(FftPlanner::new());
}

/// The transform of this length, and its inverse.
#[cfg(not(target_arch = "wasm32"))]
fn transforms(bins: usize) -> (Arc<dyn Fft<f64>>, Arc<dyn Fft<f64>>) {
    PLANNER
        .with_borrow_mut(|planner| (planner.plan_fft_forward(bins), planner.plan_fft_inverse(bins)))
}

/// In a browser one algorithm for powers of two, which all lengths are: the others would be a fifth of what is loaded.
#[cfg(target_arch = "wasm32")]
fn transforms(bins: usize) -> (Arc<dyn Fft<f64>>, Arc<dyn Fft<f64>>) {
    use rustfft::FftDirection::{Forward, Inverse};
    use rustfft::algorithm::Radix4;
    (Arc::new(Radix4::new(bins, Forward)), Arc::new(Radix4::new(bins, Inverse)))
}

/// `log sum_j mass_j e^(s l_j)` by Horner's rule from the far end, so that nothing overflows.
fn log_moment(part: &Losses, step: f64, s: f64) -> f64 {
    // A ratio below 1 in either direction: the largest exponential is factored out at `end`.
    let ratio = (-s.abs() * step).exp();
    let (sum, end) = if s >= 0.0 {
        (falling_from_the_end(&part.mass, ratio), part.first + part.mass.len() as i64 - 1)
    } else {
        (falling_from_the_start(&part.mass, ratio), part.first)
    };
    sum.ln() + s * (end as f64 * step)
}

/// Sums that run side by side: each step of Horner's rule waits for the one before it, and most of
/// the time of an accountant is spent here.
const LANES: usize = 16;

/// `sum_j mass_j ratio^(n - 1 - j)`.
fn falling_from_the_end(mass: &[f64], ratio: f64) -> f64 {
    let (start, chunks) = mass.as_rchunks::<LANES>();
    let (mut lanes, stride) = ([0.0; LANES], ratio.powi(LANES as i32));
    lanes[LANES - start.len()..].copy_from_slice(start);
    let lanes = chunks.iter().fold(lanes, |lanes, chunk| advanced(lanes, chunk, stride));
    lanes.iter().fold(0.0, |total, lane| total * ratio + lane)
}

/// `sum_j mass_j ratio^j`.
fn falling_from_the_start(mass: &[f64], ratio: f64) -> f64 {
    let (chunks, end) = mass.as_chunks::<LANES>();
    let (mut lanes, stride) = ([0.0; LANES], ratio.powi(LANES as i32));
    lanes[..end.len()].copy_from_slice(end);
    let lanes = chunks.iter().rev().fold(lanes, |lanes, chunk| advanced(lanes, chunk, stride));
    lanes.iter().rev().fold(0.0, |total, lane| total * ratio + lane)
}

#[inline(always)]
fn advanced(mut lanes: [f64; LANES], chunk: &[f64; LANES], stride: f64) -> [f64; LANES] {
    for (lane, mass) in lanes.iter_mut().zip(chunk) {
        *lane = *lane * stride + mass;
    }
    lanes
}

/// A tilted, normalised distribution.
struct Tilted {
    /// Folded into the window.
    buffer: Vec<Complex<f64>>,
    /// The logarithm of its norm.
    log_mass: f64,
    /// A bound on the relative error of each mass and of the norm.
    error: f64,
}

fn tilted(part: &Losses, step: f64, tilt: f64, bins: usize) -> Tilted {
    // Only a scale: the norm that is divided out is summed from the weights themselves.
    let guess = log_moment(part, step, tilt);
    let mut largest = 0.0_f64;
    let mut weight = |index: usize, mass: f64| {
        if mass <= 0.0 {
            return 0.0;
        }
        let (log_mass, gain) = (mass.ln(), tilt * ((part.first + index as i64) as f64 * step));
        largest = largest.max(log_mass.abs() + gain.abs());
        (log_mass + gain - guess).exp()
    };
    let weights: Vec<f64> =
        part.mass.iter().enumerate().map(|(index, mass)| weight(index, *mass)).collect();
    let norm: f64 = weights.iter().sum();
    let mut buffer = vec![Complex::new(0.0, 0.0); bins];
    for (index, weight) in weights.iter().enumerate() {
        // Bins outside of the window fold onto those inside, which adds mass and removes none.
        let slot = (part.first + index as i64).rem_euclid(bins as i64) as usize;
        buffer[slot].re += weight / norm;
    }
    let error = ROUNDING * (1.0 + largest + guess.abs());
    Tilted { buffer, log_mass: guess + norm.ln(), error }
}

/// `base^exponent` by repeated squaring.
fn power(mut base: Complex<f64>, mut exponent: u64) -> Complex<f64> {
    let mut result = Complex::new(1.0, 0.0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests;
