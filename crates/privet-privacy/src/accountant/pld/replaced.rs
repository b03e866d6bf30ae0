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
//! **Numerics.** The curve is evaluated with a relative error below 1e-12, for which it is inflated.

use super::pair::Pair;
use crate::accountant::analytic_gaussian;
use crate::accountant::mixture::Mixture;
use crate::event::Batch;
use crate::fault::{self, Fault};
use crate::special::{
    log_binomial, log_binomial_mass, log_expm1, log_one_plus_rate_expm1, normal_cdf,
};

/// The worst case of replacing the rows of one node.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    /// The probability that the batch holds a row of the node.
    eta: f64,
    /// `(w_k, mu_k)`: how likely `k` rows are, given at least one, and how far they move.
    moves: Vec<(f64, f64)>,
    /// The rows that are present against none, where batches are Poisson samples.
    present: Option<Mixture>,
}

impl Replaced {
    /// Up to `max_rows` rows of norm at most one, each replaced.
    pub(crate) fn rows(sigma: f64, max_rows: u32, batch: Batch) -> Self {
        let rows = u64::from(max_rows);
        let (log_none, masses): (f64, Vec<f64>) = match batch {
            Batch::Poisson { rate } => (
                rows as f64 * (-rate).ln_1p(),
                (1..=rows).map(|k| log_binomial_mass(rows, k, rate)).collect(),
            ),
            Batch::FixedSize { size, population } => {
                let log_mass =
                    |k: u64| log_hypergeometric(rows.min(population), k, size, population);
                (log_mass(0), (1..=rows.min(size).min(population)).map(log_mass).collect())
            }
        };
        let eta = -log_none.exp_m1();
        let weights: Vec<(f64, f64)> =
            masses.iter().zip(1..).map(|(mass, k)| (f64::from(k), mass.exp() / eta)).collect();
        // From one end of the ball to the other.
        let moved = if fault::on(Fault::ReplacedRowsMoveByOne) { 1.0 } else { 2.0 };
        Self {
            eta,
            moves: weights.iter().map(|&(k, weight)| (weight, moved * k / sigma)).collect(),
            present: matches!(batch, Batch::Poisson { .. })
                .then(|| Mixture::weighted(sigma, weights.iter().copied())),
        }
    }

    /// One record in a sample of fixed size; `noise_multiplier` is relative to replacing it.
    pub(crate) fn one_record(noise_multiplier: f64, rate: f64) -> Self {
        Self { eta: rate, moves: vec![(1.0, noise_multiplier.recip())], present: None }
    }

    /// The bound on delta at an epsilon of at least 0.
    fn curve(&self, epsilon: f64, start: &mut f64) -> f64 {
        let inner = if epsilon == 0.0 {
            0.0
        } else {
            let log_ratio = log_expm1(epsilon) - self.eta.ln();
            if log_ratio > 36.0 { log_ratio } else { log_ratio.exp().ln_1p() }
        };
        let moved: f64 = self
            .moves
            .iter()
            .map(|&(weight, mu)| weight * analytic_gaussian::delta(mu, inner))
            .sum();
        let bound = match &self.present {
            None => moved,
            Some(mixture) => {
                *start = mixture.position(inner, *start);
                let tail = normal_cdf(-*start / mixture.sigma);
                let lower = if tail > 0.0 { (inner + tail.ln()).exp() } else { 0.0 };
                let present = (mixture.upper_tail(*start) - lower).max(0.0);
                // 1 - beta = (1 - eta)(1 - e^-eps)
                let apart = (1.0 - self.eta) * -(-inner).exp_m1();
                apart * present + (1.0 - apart) * moved
            }
        };
        self.eta * bound * (1.0 + 1e-12)
    }

    /// A position right of every one that `curve` is asked for up to this epsilon.
    fn start(&self, epsilon: f64) -> f64 {
        let Some(mixture) = &self.present else { return 0.0 };
        // L grows at least as fast as its slope at 0.
        let (at, slope) = mixture.loss_and_slope(0.0);
        ((epsilon - self.eta.ln() + 1.0 - at) / slope).max(0.0)
    }

    /// The losses outside of which either law has at most `tail`.
    pub(crate) fn range(&self, tail: f64) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 1e-6);
        let above = |epsilon: f64| self.curve(epsilon, &mut self.start(epsilon)) > tail;
        while above(high) && high < 1e12 {
            high *= 2.0;
        }
        while high - low > 1e-2 * high {
            let middle = 0.5 * (low + high);
            if above(middle) { low = middle } else { high = middle }
        }
        (-high, high)
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

    /// The pair on a grid that ends where the curve falls below `tail`.
    pub(crate) fn pair(&self, step: f64, tail: f64) -> Pair {
        let high = self.range(tail).1;
        let last = ((high / step).ceil() as usize).max(1);
        let mut start = self.start(last as f64 * step);
        let mut curve: Vec<f64> =
            (0..=last).rev().map(|index| self.curve(index as f64 * step, &mut start)).collect();
        curve.reverse();
        Pair::from_symmetric_curve(step, &curve)
    }
}

/// `log P(k of the node's rows are drawn)` when `size` of `population` rows are.
fn log_hypergeometric(rows: u64, k: u64, size: u64, population: u64) -> f64 {
    if k > rows || k > size || size - k > population - rows {
        return f64::NEG_INFINITY;
    }
    log_binomial(rows, k) + log_binomial(population - rows, size - k)
        - log_binomial(population, size)
}

#[cfg(test)]
mod tests {
    use super::super::pair::Direction;
    use super::*;

    /// A symmetric pair of which the curve is exact gives back that curve.
    #[test]
    fn a_full_batch_is_a_gaussian() {
        let replaced = Replaced::one_record(0.5, 1.0);
        let (step, epsilon) = (1e-3, 3.0);
        let losses = replaced.pair(step, 1e-18).losses(Direction::Add, 1, 1e-18);
        let total: f64 = losses.mass.iter().sum();
        assert!((total + losses.infinite - 1.0).abs() < 1e-9, "{total}");
        let found: f64 = losses
            .mass
            .iter()
            .enumerate()
            .map(|(index, mass)| ((losses.first + index as i64) as f64 * step, mass))
            .filter(|(loss, _)| *loss > epsilon)
            .map(|(loss, mass)| mass * -(epsilon - loss).exp_m1())
            .sum();
        let exact = analytic_gaussian::delta(2.0, epsilon);
        assert!(found >= exact && found < exact * (1.0 + 1e-5), "{found} {exact}");
    }

    #[test]
    fn the_law_of_drawn_rows_is_a_law() {
        let total: f64 = (0..=3).map(|k| log_hypergeometric(3, k, 60, 216).exp()).sum();
        assert!((total - 1.0).abs() < 1e-12);
        for batch in [Batch::Poisson { rate: 0.3 }, Batch::FixedSize { size: 60, population: 200 }]
        {
            let replaced = Replaced::rows(2.0, 5, batch);
            assert!(
                (replaced.moves.iter().map(|(weight, _)| weight).sum::<f64>() - 1.0).abs() < 1e-12
            );
        }
    }
}
