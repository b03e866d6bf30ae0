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
mod tests {
    use super::*;
    use crate::accountant::exact::{Big, above, big, normal_tail};

    /// Every row in every batch: a Gaussian at twice the distance.
    #[test]
    fn a_full_batch_is_a_gaussian() {
        let replaced = Replaced::one_record(0.5, 1.0);
        for epsilon in [0.0, 1.0, 3.0] {
            let found = replaced.curve(epsilon, &mut 0.0);
            let exact = analytic_gaussian::delta(2.0, epsilon);
            assert!(found >= exact && found < exact * (1.0 + 1e-12), "{found} {exact}");
        }
    }

    /// Losses of 1e-20 have a curve as smooth as any other: `eta mu/sqrt(2 pi)` at 0.
    #[test]
    fn tiny_losses_have_a_curve() {
        for batch in [
            BatchSampling::Poisson { rate: 1e-3 },
            BatchSampling::FixedSize { size: 1, population: 1000 },
        ] {
            for sigma in [1e4, 1e8, 1e17] {
                let replaced = Replaced::rows(sigma, 1, batch);
                let at = |loss: f64| {
                    let epsilon = 1e-3 * loss * 2.0 / sigma;
                    replaced.curve(epsilon, &mut replaced.start(epsilon)) * 1e3 * sigma / 2.0
                };
                assert!((at(0.0) / 0.398_942_280_4 - 1.0).abs() < 1e-6, "{sigma}: {}", at(0.0));
                // phi(2) - 2 (1 - Phi(2)): what one row moves, with hardly any of it shared.
                let far = at(2.0) / 0.008_490_702_616_829_64;
                assert!((1.0 - 1e-3..1.01).contains(&far), "{sigma}: {far}");
            }
        }
    }

    /// The theorem, to many digits: weights of rows, the inner epsilon, the position where the ratio of the mixture is
    /// `e^eps`, both divergences, and the share of each.
    fn truth(sigma: f64, rows: u32, batch: BatchSampling, epsilon: f64) -> Big {
        let counts = match batch {
            BatchSampling::Poisson { rate } => RowCounts::binomial(rows, rate),
            BatchSampling::FixedSize { size, population } => {
                RowCounts::hypergeometric(rows, size, population)
            }
        };
        let (mut eta, mut moved) = (big(0.0), big(0.0));
        let parts: Vec<(f64, Big)> = counts
            .masses
            .iter()
            .filter(|(k, _)| *k > 0.0)
            .map(|&(k, mass)| (k, big(mass)))
            .collect();
        parts.iter().for_each(|(_, mass)| eta += mass);
        let inner = (big(epsilon).exp_m1() / &eta).ln_1p();
        let power = inner.exp();
        let tail =
            |z: Big| if z < big(0.0) { big(1.0) - normal_tail(&-z) } else { normal_tail(&z) };
        for (k, mass) in &parts {
            let mu = big(2.0) * big(*k) / big(sigma);
            let (ratio, half) = (&inner / &mu, &mu / big(2.0));
            let curve = tail(&ratio - &half) - &power * tail(ratio + half);
            moved += mass / &eta * curve;
        }
        let BatchSampling::Poisson { .. } = batch else { return eta * moved };
        // The best position, by bisection of the ratio.
        let variance = big(sigma) * big(sigma);
        let ratio = |x: &Big| {
            parts.iter().fold(big(0.0), |sum, (k, mass)| {
                sum + mass / &eta * (big(*k) * (x - big(*k) / big(2.0)) / &variance).exp()
            })
        };
        let (mut low, mut high) = (big(-100.0 * sigma), big(100.0 * sigma));
        for _ in 0..90 {
            let middle = (&low + &high) / big(2.0);
            if ratio(&middle) < power { low = middle } else { high = middle }
        }
        let mut present = -(&power * tail(&high / big(sigma)));
        for (k, mass) in &parts {
            present += mass / &eta * tail((&high - big(*k)) / big(sigma));
        }
        // e^(eps' - eps) = beta
        let beta = big(epsilon).exp() / &power;
        &eta * ((big(1.0) - &beta) * present + beta * moved)
    }

    /// Never below the theorem, and hardly above it, for batches of both kinds.
    #[test]
    fn the_theorem_is_rounded_up() {
        let fixed = |size| BatchSampling::FixedSize { size, population: 50 };
        for (sigma, rows, batch) in [
            (0.9, 1, BatchSampling::Poisson { rate: 0.13 }),
            (4.0, 3, BatchSampling::Poisson { rate: 0.6 }),
            (2.5, 2, BatchSampling::Poisson { rate: 1e-4 }),
            (1.1, 1, fixed(7)),
            (7.0, 4, fixed(30)),
        ] {
            let replaced = Replaced::rows(sigma, rows, batch);
            for epsilon in [1e-9, 0.01, 0.4, 1.7, 5.0] {
                let mut start = replaced.start(epsilon);
                let found = replaced.curve(epsilon, &mut start);
                let over = above(found, &truth(sigma, rows, batch, epsilon));
                assert!((0.0..1e6).contains(&over), "{sigma} {batch} {epsilon}: {over}");
                if epsilon == 1e-9 {
                    assert!(over < 400.0, "{sigma} {batch}: {over}");
                }
            }
        }
    }

    /// Searches begin right of where they end, and not far from it where little is lost.
    #[test]
    fn searches_begin_on_the_right_side() {
        let replaced = Replaced::rows(3.0, 4, BatchSampling::Poisson { rate: 0.2 });
        let mixture = replaced.present.as_ref().unwrap();
        for epsilon in [0.0, 1e-6, 0.1, 2.0, 30.0] {
            let start = replaced.start(epsilon);
            let inner = replaced.inner(epsilon);
            assert!(mixture.loss(start) >= inner * (1.0 - 1e-12), "{epsilon}");
            assert!(
                start - mixture.position(inner, start) < 4.0 + 9.0 * inner,
                "{epsilon}: {start}"
            );
        }
        assert_eq!(Replaced::one_record(1.0, 0.5).start(1.0), 0.0);
        assert_eq!((replaced.len(), replaced.reach()), (4, 8.0 / 3.0));
        assert!((replaced.eta() - (1.0 - 0.8_f64.powi(4))).abs() < 1e-13);
    }

    /// The range ends where the curve falls below the tail, up to a per cent, whether losses are tiny or large.
    #[test]
    fn ranges_end_where_the_tail_is_reached() {
        for (sigma, rows) in [(1e12, 1), (30.0, 2), (0.2, 3)] {
            let replaced = Replaced::rows(sigma, rows, BatchSampling::Poisson { rate: 0.1 });
            for tail in [1e-15, 1e-30, 1e-200] {
                let (low, high) = replaced.range(tail);
                let at = |epsilon: f64| replaced.curve(epsilon, &mut replaced.start(epsilon));
                assert_eq!(low, -high);
                assert!(at(high) <= tail && at(0.98 * high) > tail, "{sigma} {tail}: {high}");
            }
        }
    }

    /// A record that is always there: the loss is normal, with the square of the distance as its variance. One
    /// that is there with probability `eta` has about `eta^2` of it where distances are small.
    #[test]
    fn the_spread_of_a_loss_is_about_right() {
        for (noise, eta) in [(2.0, 1.0), (50.0, 1.0), (50.0, 0.1), (1e3, 1e-3)] {
            let found = Replaced::one_record(noise, eta).loss_variance();
            let expected = (eta / noise).powi(2) * (1.0 + 0.25 * (eta / noise).powi(2));
            assert!((found / expected - 1.0).abs() < 0.02, "{noise} {eta}: {found} {expected}");
        }
    }

    #[test]
    fn the_law_of_drawn_rows_is_a_law() {
        for batch in [
            BatchSampling::Poisson { rate: 0.3 },
            BatchSampling::FixedSize { size: 60, population: 200 },
        ] {
            let replaced = Replaced::rows(2.0, 5, batch);
            assert!(
                (replaced.moves.iter().map(|(weight, _)| weight).sum::<f64>() - 1.0).abs() < 1e-12
            );
        }
    }

    /// What is rounded up, and by how much: the chance that a row is there, the curve by a unit for every move, the
    /// divergence of the rows that are there by the errors of both tails.
    #[test]
    fn margins_by_hand() {
        let rows = Replaced::rows(2.0, 2, BatchSampling::Poisson { rate: 0.5 });
        assert!(rows.rounding > 0.0);
        let raised = (rows.eta() / 0.75 - 1.0) / rows.rounding;
        assert!((raised - 1.0).abs() < 0.1, "{raised}");
        let drawn = Replaced::rows(2.0, 4, BatchSampling::FixedSize { size: 50, population: 100 });
        assert_eq!(drawn.moves.len(), 4);
        let inner = drawn.inner(0.3);
        let delta = |&(weight, mu): &(f64, f64)| weight * analytic_gaussian::delta(mu, inner);
        let sum: f64 = drawn.moves.iter().map(delta).sum();
        let raised = drawn.curve(0.3, &mut 0.0) / (drawn.eta() * sum) - 1.0;
        let expected = drawn.rounding + 4.0 * ROUNDING;
        assert!((raised / expected - 1.0).abs() < 0.1, "{raised:e} {expected:e}");
        assert_eq!(Replaced::one_record(1e-6, 1.0).curve(0.0, &mut 0.0), 1.0);
        // One row at distance 1 of noise 1: the ratio is e at 1.5.
        let found = present(&Mixture::shifted(1.0, 1.0), 1.0, &mut 9.0);
        let (upper, lower) = (normal_tail(&big(0.5)), big(1.0).exp() * normal_tail(&big(1.5)));
        let units = (big(found) - (&upper - &lower)).to_f64().value() / ROUNDING;
        let expected = (upper + lower).to_f64().value() * (1.0 + 1.5 * 1.5);
        assert!((units / expected - 1.0).abs() < 0.2, "{units} {expected}");
        // What the weights of the rows are off by is added to their tail.
        let mut uncertain = Mixture::shifted(1.0, 1.0);
        uncertain.rounding = 1e-3;
        let more = present(&uncertain, 1.0, &mut 9.0) - found;
        assert!((more / (1e-3 * 0.308_537_538_7) - 1.0).abs() < 1e-9, "{more}");
    }
}
