//! The sum of many independent privacy losses, by Fourier transform.
//!
//! **Tilting.** Each loss distribution is first weighted with `e^(s l)` and normalised, with `s` the
//! exponent of the best Rényi bound for the wanted delta; tilting commutes with convolution and is undone at
//! the end. After it the region that decides delta is the *centre* of the distribution, so rounding
//! errors of the transform are relative to delta itself: a delta of 1e-30 is as accurate as one of 0.1.
//!
//! **Window.** The transform is cyclic. Mass that leaves the window at the top re-enters at the bottom:
//! its probability is bounded by Chernoff's inequality and added to delta. All other wrapped mass only
//! adds to the bins, which is the safe side; the window is wide enough that it adds nothing visible.
//!
//! **Rounding.** The transform of a distribution is off by at most `g = 8 u log2 n`; the product of the
//! powers `F_i^T_i` is then off by at most `g |F| (1 + sum T_i/|F_i|)`, and the average of that over all
//! frequencies bounds the error of each bin. It is added to each bin.

use std::cell::RefCell;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use super::pair::Losses;
use crate::accountant::rdp;
use crate::accountant::tail::Tail;
use crate::fault::{self, Fault};
use crate::special::minimize;

/// The largest transform: a million bins keep the largest query below a second.
const MAX_BINS: f64 = 1_048_576.0;
/// `-log` of the share of delta that leaving the window may cost.
const WINDOW_SLACK: f64 = 18.0;
/// `-log` of the tilted mass left outside of the window.
const WINDOW_TAIL: f64 = 32.0;
const LOG_EXPONENTS: (f64, f64) = (-23.0, 23.0);
const ROUNDS: u32 = 28;

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
pub(crate) enum Outcome {
    Value(f64),
    TooFine(f64),
}

/// Answers a query about the sum of all losses, `times` copies of each.
pub(crate) fn compose(parts: &[Losses], step: f64, query: Query) -> Outcome {
    let sum = Sum { parts, step };
    let infinite = |part: &Losses| part.infinite * part.times as f64;
    let infinite: f64 = parts.iter().map(infinite).sum();
    let infinite = if fault::on(Fault::CertaintyForgotten) { 0.0 } else { infinite };
    let (tilt, log_delta) = sum.tilt(query);
    let window = sum.window(tilt, log_delta, query);
    let bins = (window.1 - window.0) / step + 4.0;
    if !bins.is_finite() || bins > MAX_BINS {
        return Outcome::TooFine(bins / MAX_BINS);
    }
    let bins = (bins as usize).next_power_of_two();
    let lowest = (window.0 / step).floor() as i64 - 1;
    let (masses, log_scale) = sum.tilted_convolution(tilt, bins);
    let top = (lowest + bins as i64 - 1) as f64 * step;
    let descending = (lowest..lowest + bins as i64).rev().map(|index| {
        let mass = masses[index.rem_euclid(bins as i64) as usize];
        mass * (log_scale - tilt * (index as f64 * step)).exp()
    });
    // A tenth of a nat covers the rounding of the moments behind the window.
    let extra = infinite + (log_delta - WINDOW_SLACK + 0.1).exp();
    let tail = Tail { top, step, masses: descending, extra };
    Outcome::Value(match query {
        Query::EpsilonAt(delta) => tail.epsilon(delta),
        Query::DeltaAt(epsilon) => tail.delta(epsilon),
    })
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

    /// The smallest value of `(log-moment gain + tail)/s`: an upper end in the sense of Chernoff.
    fn chernoff(&self, from: f64, sign: f64, tail: f64) -> f64 {
        let base = if from == 0.0 { 0.0 } else { self.log_moment(from) };
        let (_, end) = minimize(LOG_EXPONENTS.0, LOG_EXPONENTS.1, ROUNDS, |log_s| {
            let s = log_s.exp();
            (self.log_moment(from + sign * s) - base + tail) / s
        });
        end
    }

    /// The exponent for the query, and the logarithm of the delta it is about.
    ///
    /// Not Chernoff's exponent, which runs away where the losses are bounded, but the one of the Rényi
    /// conversion: it also knows that a loss just above epsilon hardly counts.
    fn tilt(&self, query: Query) -> (f64, f64) {
        let most = (1.0 / self.step).ln().min(LOG_EXPONENTS.1);
        let (log_s, value) = minimize(LOG_EXPONENTS.0, most, 2 * ROUNDS, |log_s| {
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
        let paid = self.chernoff(0.0, 1.0, WINDOW_SLACK - log_delta);
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
        let mut product = vec![Complex::new(1.0, 0.0); bins / 2 + 1];
        let mut sensitivity = vec![1.0_f64; bins / 2 + 1];
        let rounding = 8.0 * f64::EPSILON * (bins as f64).log2();
        let mut log_scale = 0.0;
        for part in self.parts {
            let (mut buffer, log_mass) = tilted(part, self.step, tilt, bins);
            // A few roundings per mass and per exponent, all counted upwards.
            let slack = 16.0 * f64::EPSILON * (1.0 + log_mass.abs());
            log_scale += part.times as f64 * (log_mass + slack);
            forward.process(&mut buffer);
            for ((total, bound), value) in product.iter_mut().zip(&mut sensitivity).zip(&buffer) {
                *total *= power(*value, part.times);
                *bound += part.times as f64 / value.norm().max(rounding);
            }
        }
        let errors = product.iter().zip(&sensitivity).map(|(value, bound)| value.norm() * bound);
        let error = rounding * 2.0 * errors.sum::<f64>() / bins as f64;
        // The spectrum of a real sequence is symmetric.
        let mut spectrum = product;
        for index in (1..bins - bins / 2).rev() {
            spectrum.push(spectrum[index].conj());
        }
        inverse.process(&mut spectrum);
        let masses =
            spectrum.iter().map(|value| (value.re / bins as f64).max(0.0) + error).collect();
        (masses, log_scale)
    }
}

thread_local! {
    /// Planning a transform takes as long as one, and searches ask for the same few lengths again.
    static PLANNER: RefCell<FftPlanner<f64>> = RefCell::new(FftPlanner::new());
}

/// The transform of this length, and its inverse.
fn transforms(bins: usize) -> (Arc<dyn Fft<f64>>, Arc<dyn Fft<f64>>) {
    PLANNER
        .with_borrow_mut(|planner| (planner.plan_fft_forward(bins), planner.plan_fft_inverse(bins)))
}

/// `log sum_j mass_j e^(s l_j)` by Horner's rule from the far end, so that nothing overflows.
fn log_moment(part: &Losses, step: f64, s: f64) -> f64 {
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

/// The tilted, normalised distribution folded into the window, and the logarithm of its norm.
fn tilted(part: &Losses, step: f64, tilt: f64, bins: usize) -> (Vec<Complex<f64>>, f64) {
    let guess = log_moment(part, step, tilt);
    let weight = |index: usize, mass: f64| {
        let loss = (part.first + index as i64) as f64 * step;
        if mass > 0.0 { (mass.ln() + tilt * loss - guess).exp() } else { 0.0 }
    };
    let weights: Vec<f64> =
        part.mass.iter().enumerate().map(|(index, mass)| weight(index, *mass)).collect();
    let norm: f64 = weights.iter().sum();
    let mut buffer = vec![Complex::new(0.0, 0.0); bins];
    for (index, weight) in weights.iter().enumerate() {
        let slot = (part.first + index as i64).rem_euclid(bins as i64) as usize;
        buffer[slot].re += weight / norm;
    }
    (buffer, guess + norm.ln())
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
mod tests {
    use super::*;

    fn coin(times: u64) -> Losses {
        // Loss +1 with probability 0.7 and -1 with probability 0.3, on a grid of 1/2.
        Losses { first: -2, mass: vec![0.3, 0.0, 0.0, 0.0, 0.7], infinite: 0.0, times }
    }

    fn exact_delta(times: i32, epsilon: f64) -> f64 {
        let mut weight = 0.7_f64.powi(times);
        let mut total = 0.0;
        for downs in 0..=times {
            let loss = f64::from(times - 2 * downs);
            total += weight * (1.0 - (epsilon - loss).exp()).max(0.0);
            weight *= 0.3 / 0.7 * f64::from(times - downs) / f64::from(downs + 1);
        }
        total
    }

    #[test]
    fn convolves_exactly_and_on_the_safe_side() {
        for (times, epsilon) in [(1, 0.3), (10, 3.0), (60, 30.0), (60, 59.0), (400, 395.5)] {
            let exact = exact_delta(times, epsilon);
            let query = Query::DeltaAt(epsilon);
            let Outcome::Value(found) = compose(&[coin(times as u64)], 0.5, query) else {
                panic!()
            };
            assert!(
                found >= exact && found <= exact * (1.0 + 1e-6),
                "{times}: {found:e} {exact:e}"
            );
            let query = Query::EpsilonAt(found);
            let Outcome::Value(back) = compose(&[coin(times as u64)], 0.5, query) else { panic!() };
            assert!((back - epsilon).abs() < 1e-3, "{times}: {back} {epsilon}");
        }
    }

    #[test]
    fn side_by_side_is_one_after_the_other() {
        for length in [1, 5, 16, 17, 100] {
            let mass: Vec<f64> = (0..length).map(|i| f64::from(i % 7) + 0.25).collect();
            for ratio in [1.0, 0.99, 0.3, 0.0] {
                let forward = mass.iter().fold(0.0, |total, mass| total * ratio + mass);
                let backward = mass.iter().rev().fold(0.0, |total, mass| total * ratio + mass);
                assert!((falling_from_the_end(&mass, ratio) / forward - 1.0).abs() < 1e-13);
                assert!((falling_from_the_start(&mass, ratio) / backward - 1.0).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn different_parts_convolve() {
        let query = Query::DeltaAt(4.5);
        let split = compose(&[coin(3), coin(7)], 0.5, query);
        let joint = compose(&[coin(10)], 0.5, query);
        let (Outcome::Value(split), Outcome::Value(joint)) = (split, joint) else { panic!() };
        assert!((split / joint - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_window_that_does_not_fit_is_reported() {
        let mut mass = vec![0.0; 800_001];
        (mass[0], mass[800_000]) = (0.5, 0.5);
        let wide = Losses { first: -400_000, mass, infinite: 0.0, times: 900 };
        assert!(
            matches!(compose(&[wide], 1.0, Query::EpsilonAt(1e-5)), Outcome::TooFine(f) if f > 1.0)
        );
    }
}
