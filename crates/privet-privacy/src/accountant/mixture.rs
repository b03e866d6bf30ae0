//! The scalar pair that dominates Gaussian noise on a sampled sum.
//!
//! A node owns `m` rows, each in the batch with probability `q` and each contributing at most one unit.
//! With the node the sum is worst-case `sum_k Bin(k; m, q) N(k, sigma^2)`, without it `N(0, sigma^2)`. Both
//! hockey-stick divergences of the real, vector-valued release are at most those of this pair (Kahane's
//! convexity inequality on the likelihood ratio; the pair is the mixture of Gaussians of Choquette-Choo
//! et al. 2023). With one row it is the Poisson-sampled Gaussian of Mironov, Talwar and Zhang 2019.
//!
//! The log-likelihood ratio is `L(x) = log sum_k p_k exp(u_k)`, `u_k = (k x - k^2/2)/sigma^2`: increasing and
//! convex in `x`.

use super::rows::RowCounts;
use crate::fault::{self, Fault};
use crate::special::{bisect, normal_cdf, normal_upper_quantile};

/// The pair (mixture, centred Gaussian).
#[derive(Debug, Clone)]
pub(crate) struct Mixture {
    pub(crate) sigma: f64,
    /// `(k, p_k, log p_k)` for the possible numbers of rows in a batch.
    parts: Vec<(f64, f64, f64)>,
    /// The relative error of each `p_k`.
    pub(crate) rounding: f64,
}

/// More parts than this are united to groups: every evaluation looks at all of them.
const MAX_PARTS: usize = 64;
/// Steps of a search that are shorter than this share of a standard deviation lead nowhere.
const CLOSE: f64 = 1e-15;
/// How often the search for a quantile halves its interval.
const HALVINGS: u32 = 40;

impl Mixture {
    /// `max_rows` rows, each sampled with `rate`.
    pub(crate) fn new(sigma: f64, max_rows: u32, rate: f64) -> Self {
        let rows = if fault::on(Fault::MixtureOfOneRow) { 1 } else { max_rows };
        Self::weighted(sigma, &RowCounts::binomial(rows, rate).grouped(MAX_PARTS))
    }

    /// Parts at the counts, with their masses.
    pub(crate) fn weighted(sigma: f64, counts: &RowCounts) -> Self {
        let parts = counts.masses.iter().map(|&(k, mass)| (k, mass, mass.ln())).collect();
        Self { sigma, parts, rounding: counts.rounding }
    }

    /// One Gaussian at distance `shift`.
    pub(crate) fn shifted(sigma: f64, shift: f64) -> Self {
        Self { sigma, parts: vec![(shift, 1.0, 0.0)], rounding: 0.0 }
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The mixture without its rarest parts, and the mass they had: at most `tail`, and never all of it.
    ///
    /// What is left is a measure below the mixture. Counting the dropped mass as an infinite loss covers
    /// one direction; in the other a smaller measure can only raise the ratio.
    pub(crate) fn without_rare_parts(&self, tail: f64) -> (Self, f64) {
        // Counts are ascending and unimodal, so the rarest part is always at one of the two ends.
        let mut kept = &self.parts[..];
        let mut dropped = 0.0;
        while let [first, rest @ .., last] = kept {
            let rarest = first.1.min(last.1);
            if dropped + rarest > tail {
                break;
            }
            dropped += rarest;
            kept = if last.1 <= first.1 { &kept[..kept.len() - 1] } else { &kept[1..] };
            if rest.is_empty() {
                break;
            }
        }
        (Self { parts: kept.to_vec(), ..*self }, dropped)
    }

    /// The farthest mean of the mixture.
    pub(crate) fn reach(&self) -> f64 {
        self.parts.last().map_or(0.0, |part| part.0)
    }

    /// `L(x)` and its derivative.
    pub(crate) fn loss_and_slope(&self, x: f64) -> (f64, f64) {
        let precision = self.sigma.powi(-2);
        // u_k = (k x - k^2/2) / sigma^2.
        let exponent = |k: f64| k * (x - 0.5 * k) * precision;
        if let [(k, _, log_mass)] = self.parts[..] {
            return (log_mass + exponent(k), k * precision);
        }
        // The largest exponent is taken out, so that no term overflows and the largest is 1.
        let top = self
            .parts
            .iter()
            .map(|&(k, _, log_mass)| log_mass + exponent(k))
            .fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut weighted, mut excess) = (0.0, 0.0, 0.0);
        for &(k, mass, log_mass) in &self.parts {
            let u = exponent(k);
            let term = (log_mass + u - top).exp();
            total += term;
            weighted += k * term;
            excess += mass * u.exp_m1();
        }
        // Near L = 0 the sum of p_k (e^u_k - 1) keeps the digits that a sum near 1 has lost.
        let loss = if excess.abs() < 0.5 { excess.ln_1p() } else { top + total.ln() };
        (loss, weighted / total * precision)
    }

    /// `L(x)`.
    pub(crate) fn loss(&self, x: f64) -> f64 {
        self.loss_and_slope(x).0
    }

    /// The `x` with `L(x) = loss`, searched from an `x` whose loss is at least that.
    ///
    /// Newton's method on an increasing convex function, started right of the root, never crosses it.
    pub(crate) fn position(&self, loss: f64, right: f64) -> f64 {
        let mut x = right;
        loop {
            let (at, slope) = self.loss_and_slope(x);
            let next = x - (at - loss) / slope;
            // Where no loss is that small the slope vanishes, and the step is no number.
            if !next.is_finite() || next >= x - CLOSE * self.sigma {
                return x;
            }
            x = next;
        }
    }

    /// `P(X > x)` under the mixture.
    pub(crate) fn upper_tail(&self, x: f64) -> f64 {
        self.parts.iter().map(|&(k, mass, _)| mass * normal_cdf((k - x) / self.sigma)).sum()
    }

    /// An `x` that the mixture exceeds with probability at most `tail` (below 1/2), and almost that.
    pub(crate) fn upper_quantile(&self, tail: f64) -> f64 {
        // No part exceeds reach + its quantile with more than `tail`, so the root lies in [0, reach + quantile];
        // bisection returns the end where the tail is small enough.
        let reach = normal_upper_quantile(tail.ln()) * self.sigma;
        bisect(0.0, self.reach() + reach, HALVINGS, |x| self.upper_tail(x) > tail)
    }

    /// The variance of the loss under the mixture, roughly: it only chooses grids.
    pub(crate) fn loss_variance(&self) -> f64 {
        let (mut mean, mut square, mut total) = (0.0, 0.0, 0.0);
        for &(k, mass, _) in &self.parts {
            if mass < 1e-12 {
                continue;
            }
            for node in -16..=16 {
                let z = 0.5 * f64::from(node);
                let weight = mass * (-0.5 * z * z).exp();
                let loss = self.loss(k + self.sigma * z);
                total += weight;
                mean += weight * loss;
                square += weight * loss * loss;
            }
        }
        (square / total - (mean / total).powi(2)).max(0.0)
    }

    /// The parts as `(mean, mass)`.
    pub(crate) fn means(&self) -> impl Iterator<Item = (f64, f64)> {
        self.parts.iter().map(|&(k, mass, _)| (k, mass))
    }
}

#[cfg(test)]
mod tests;
