//! Gaussian noise on a sampled sum when a node's rows are *replaced*.
//!
//! **Theorem** (advanced joint convexity; Balle, Barthe and Gaboardi 2018). Let `eta` be the probability that
//! the batch holds at least one of the node's rows, `w_k` the law of their number given that, and
//! `e^eps' = 1 + eta (e^eps - 1)`, `beta = e^(eps' - eps)`. Each row moves by at most two units, so
//! `delta(eps') <= eta [(1 - beta) H_eps(sum_k w_k N(k, sigma^2) || N(0, sigma^2)) + beta sum_k w_k d(eps; 2k/sigma)]` with
//! `d(eps; mu)` the curve of a Gaussian. With batches of fixed size there is no common part to compare with,
//! and the first divergence is replaced by the second: `delta(eps') <= eta sum_k w_k d(eps; 2k/sigma)`.
//!
//! Valid for `eps' >= 0`; the relation is symmetric, which gives the rest. An upper bound, not a dominating
//! pair, so it is within some ten per cent of what is true rather than exact. Twice the present-or-absent
//! bound by the triangle inequality is the alternative, and almost always larger.
//!
//! **Numerics.** Every term is rounded up by a bound on its own rounding error. Where the difference of two tails
//! would be nothing but rounding, the mixture is replaced by its parts (joint convexity), whose curves keep
//! their digits.

use super::mixture::Mixture;
use super::rows::RowCounts;
use super::{amplification, analytic_gaussian};
use crate::event::BatchSampling;
use crate::fault::{self, Fault};
use crate::special::{ROUNDING, bisect, log_one_plus_rate_expm1, normal_cdf, tail_error};

/// More counts of rows than this are united to groups.
const MAX_MOVES: usize = 64;
/// Logarithms of the smallest and the largest loss that is looked at, and how often the distance is halved.
const LOG_LOSSES: (f64, f64) = (-690.0, 28.0);
const HALVINGS: u32 = 17;

/// The worst case of replacing the rows of one node.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    /// The probability that the batch holds a row of the node.
    eta: f64,
    /// `(w_k, mu_k)`: how likely `k` rows are, given at least one, and how far they move.
    moves: Vec<(f64, f64)>,
    /// The rows that are present against none, where batches are Poisson samples.
    present: Option<Mixture>,
    /// The relative error of `eta` and of each weight.
    rounding: f64,
}

impl Replaced {
    /// Up to `max_rows` rows of norm at most one, each replaced.
    pub(crate) fn rows(sigma: f64, max_rows: u32, batch: BatchSampling) -> Self {
        let counts = match batch {
            BatchSampling::Poisson { rate } => RowCounts::binomial(max_rows, rate),
            BatchSampling::FixedSize { size, population } => {
                RowCounts::hypergeometric(max_rows, size, population)
            }
        };
        let mut counts = counts.grouped(MAX_MOVES);
        // eta = P(at least one row in the batch); the counts are then conditioned on that.
        let eta = counts.some();
        let rounding = 2.0 * counts.rounding;
        counts.masses.retain(|(k, _)| *k > 0.0);
        counts.masses.iter_mut().for_each(|(_, mass)| *mass /= eta);
        // From one end of the ball to the other.
        let moved = if fault::on(Fault::ReplacedRowsMoveByOne) { 1.0 } else { 2.0 };
        Self {
            // Amplification improves as eta falls, so eta is rounded up.
            eta: eta * (1.0 + rounding),
            moves: counts.masses.iter().map(|&(k, weight)| (weight, moved * k / sigma)).collect(),
            present: matches!(batch, BatchSampling::Poisson { .. })
                .then(|| Mixture::weighted(sigma, &counts)),
            rounding,
        }
    }

    /// One record in a sample of fixed size; `noise_multiplier` is relative to replacing it.
    pub(crate) fn one_record(noise_multiplier: f64, rate: f64) -> Self {
        let moves = vec![(1.0, noise_multiplier.recip())];
        Self { eta: rate, moves, present: None, rounding: ROUNDING }
    }

    /// `eps` of the theorem for its `eps'`, rounded down.
    pub(crate) fn inner(&self, epsilon: f64) -> f64 {
        if epsilon == 0.0 {
            return 0.0;
        }
        // Solves e^eps' = 1 + eta (e^eps - 1) for eps; a smaller eps only raises the curve at it.
        amplification::before(self.eta, epsilon)
    }

    /// The bound on delta at an epsilon of at least 0; `start` is a position right of the one it needs.
    pub(crate) fn curve(&self, epsilon: f64, start: &mut f64) -> f64 {
        let inner = self.inner(epsilon);
        let parts = |scale: f64| -> f64 {
            let curve =
                |&(weight, mu): &(f64, f64)| weight * analytic_gaussian::delta(scale * mu, inner);
            self.moves.iter().map(curve).sum()
        };
        // sum_k w_k d(eps; 2k/sigma): the second divergence of the theorem, rows moved across the ball.
        let moved = parts(1.0);
        let bound = match &self.present {
            None => moved,
            Some(mixture) => {
                // H_eps(mixture || noise) is at most the convex combination of its parts, at half the distance: rows
                // are compared with their absence, not with their opposites.
                let present = present(mixture, inner, start).min(parts(0.5));
                // 1 - beta = (1 - eta)(1 - e^-eps)
                let apart = (1.0 - self.eta).max(0.0) * -(-inner).exp_m1();
                apart * present + (1.0 - apart) * moved
            }
        };
        (self.eta * bound * (1.0 + self.rounding + ROUNDING * self.moves.len() as f64)).min(1.0)
    }

    /// The probability that anything of the node is in the batch.
    pub(crate) fn eta(&self) -> f64 {
        self.eta
    }

    /// The farthest that the rows can move, in standard deviations.
    pub(crate) fn reach(&self) -> f64 {
        self.moves.last().map_or(0.0, |last| last.1)
    }

    /// How many parts a curve has.
    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    /// A position right of every one that `curve` is asked for up to this epsilon.
    pub(crate) fn start(&self, epsilon: f64) -> f64 {
        let Some(mixture) = &self.present else { return 0.0 };
        // L is convex: it grows at least as fast as its slope at 0.
        // A Newton step from 0 on a convex increasing function lands right of the root.
        let (at, slope) = mixture.loss_and_slope(0.0);
        (self.inner(epsilon) - at) / slope
    }

    /// The losses outside of which either law has at most `tail`, up to half a per cent.
    pub(crate) fn range(&self, tail: f64) -> (f64, f64) {
        let (smallest, largest) = LOG_LOSSES;
        let log_high = bisect(smallest, largest, HALVINGS, |log_loss| {
            let epsilon = log_loss.exp();
            self.curve(epsilon, &mut self.start(epsilon)) > tail
        });
        (-log_high.exp(), log_high.exp())
    }

    /// The variance of the loss, roughly: it only chooses grids.
    pub(crate) fn loss_variance(&self) -> f64 {
        let mut square = 0.0;
        for &(weight, mu) in &self.moves {
            for node in -16..=16 {
                let z = 0.5 * f64::from(node);
                let log_q = -0.5 * z * z;
                let loss = log_one_plus_rate_expm1(self.eta, mu * z - 0.5 * mu * mu);
                square += weight * 0.2 * (log_q + loss).exp() * loss * loss;
            }
        }
        square
    }
}

/// `H_eps(sum_k w_k N(k, sigma^2) || N(0, sigma^2))`, rounded up.
fn present(mixture: &Mixture, inner: f64, start: &mut f64) -> f64 {
    // The region where P > e^eps Q is the half line right of the x with L(x) = eps, since L increases.
    *start = mixture.position(inner, *start);
    let z = *start / mixture.sigma;
    // H_eps = P(X > x) - e^eps Q(X > x): the first term is rounded up, the second down.
    let lower = (inner + normal_cdf(-z).ln()).exp();
    let error = tail_error(z);
    let upper = mixture.upper_tail(*start) * (1.0 + error + mixture.rounding);
    (upper - lower * (1.0 - error).max(0.0)).max(0.0)
}

#[cfg(test)]
mod tests;
