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
mod tests {
    use super::*;
    use crate::accountant::exact::big;

    #[test]
    fn loss_and_position_invert_each_other() {
        for mixture in
            [Mixture::new(0.7, 3, 0.1), Mixture::new(5.0, 1, 0.01), Mixture::new(1.0, 9, 0.9)]
        {
            let right = mixture.reach() + 20.0 * mixture.sigma;
            for x in [-2.0, 0.0, 0.3, 2.0, 5.0] {
                let found = mixture.position(mixture.loss(x), right);
                assert!((found - x).abs() < 1e-9 * (1.0 + x.abs()), "{x} {found}");
            }
        }
        let mixture = Mixture::new(2.0, 1, 0.1);
        let by_hand = (0.9 + 0.1 * ((2.0 * 1.5 - 1.0) / 8.0_f64).exp()).ln();
        assert!((mixture.loss(1.5) - by_hand).abs() < 1e-15);
    }

    /// `log sum_k p_k exp((k x - k^2/2)/sigma^2)` and its derivative, to many digits, where the loss is tiny as well as
    /// where it is large; one part alone is no special case.
    #[test]
    fn the_loss_and_its_slope_are_what_they_say() {
        let three = Mixture::new(2.0, 3, 0.3);
        let (lonely, _) = three.without_rare_parts(0.5);
        assert_eq!((three.len(), lonely.len()), (4, 2));
        let (lonely, _) = lonely.without_rare_parts(0.5);
        assert_eq!((lonely.len(), lonely.reach()), (1, 1.0));
        for mixture in [three, lonely, Mixture::new(0.3, 9, 0.01), Mixture::new(1e8, 2, 0.2)] {
            let variance = mixture.sigma.powi(2);
            for x in [-9.0, -1.0, 0.0, 0.7, 1.5, 4.0, 30.0] {
                let x = x * mixture.sigma;
                let (mut sum, mut weighted, mut rest) = (big(0.0), big(0.0), big(1.0));
                for (k, mass) in mixture.means() {
                    let exponent = big(k) * (big(x) - big(k) / big(2.0)) / big(variance);
                    let term = big(mass) * exponent.exp();
                    weighted += big(k) * &term;
                    rest -= big(mass);
                    sum += term;
                }
                let (loss, slope) = mixture.loss_and_slope(x);
                // The masses of all parts together are 1, whatever their roundings say.
                let whole = if mixture.len() > 1 { &sum + rest } else { sum.clone() };
                let exact = whole.ln().to_f64().value();
                assert!((loss - exact).abs() < 1e-14 * exact.abs() + 1e-22, "{x}: {loss} {exact}");
                let expected = (weighted / sum / big(variance)).to_f64().value();
                assert!((slope / expected - 1.0).abs() < 1e-12, "{x}: {slope} {expected}");
            }
        }
    }

    /// The rarest parts go, from either end, while they are at most the tail together; one part always stays.
    #[test]
    fn rare_parts_are_dropped_from_both_ends() {
        let masses = vec![(0.0, 0.0625), (1.0, 0.5), (2.0, 0.25), (3.0, 0.125), (4.0, 0.0625)];
        let mixture = Mixture::weighted(1.0, &RowCounts { masses, rounding: 0.0 });
        for (tail, kept, dropped) in [
            (0.0624, 0..=4, 0.0),
            (0.0625, 0..=3, 0.0625),
            (0.125, 1..=3, 0.125),
            (0.2, 1..=3, 0.125),
            (0.25, 1..=2, 0.25),
            (0.5, 1..=1, 0.5),
            (1.0, 1..=1, 0.5),
        ] {
            let (rest, lost) = mixture.without_rare_parts(tail);
            let means: Vec<i32> = rest.means().map(|(mean, _)| mean as i32).collect();
            assert_eq!((means, lost), (kept.collect(), dropped), "{tail}");
        }
        assert_eq!(mixture.reach(), 4.0);
    }

    /// Far left the ratio cannot fall below that of no row at all: the search ends all the same.
    #[test]
    fn positions_that_do_not_exist_are_far_left() {
        let mixture = Mixture::new(1.0, 2, 0.5);
        let lowest = mixture.loss(-1e3);
        assert_eq!(lowest, 0.25_f64.ln());
        let found = mixture.position(2.0 * lowest, 10.0);
        assert!(found.is_finite() && found < -20.0, "{found}");
        assert_eq!(mixture.position(mixture.loss(3.0), 3.0), 3.0);
    }

    /// One Gaussian at distance `mu` has a loss of variance `mu^2`; a mixture is compared with a fine sum.
    #[test]
    fn the_spread_of_a_loss_is_about_right() {
        for mu in [0.01, 1.0, 3.0_f64] {
            let found = Mixture::shifted(1.0 / mu, 1.0).loss_variance();
            assert!((found / (mu * mu) - 1.0).abs() < 1e-3, "{mu}: {found}");
        }
        for mixture in [Mixture::new(1.5, 3, 0.2), Mixture::new(0.5, 2, 0.01)] {
            let (mut mean, mut square) = (0.0, 0.0);
            for (k, mass) in mixture.means() {
                for node in -4000..4000 {
                    let z = 2.5e-3 * f64::from(node);
                    let weight = mass * 2.5e-3 * crate::special::log_normal_density(z).exp();
                    let loss = mixture.loss(k + mixture.sigma * z);
                    mean += weight * loss;
                    square += weight * loss * loss;
                }
            }
            let (found, exact) = (mixture.loss_variance(), square - mean * mean);
            assert!((found / exact - 1.0).abs() < 1e-3, "{found} {exact}");
        }
    }

    /// Quantiles below one row, where a node is hardly ever in the batch.
    #[test]
    fn quantiles_reach_below_one_row() {
        let mixture = Mixture::new(0.01, 1, 1e-9);
        let x = mixture.upper_quantile(1e-6);
        assert!(mixture.upper_tail(x) <= 1e-6 && mixture.upper_tail(x - 1e-5) > 1e-6, "{x}");
    }

    #[test]
    fn quantiles_are_on_the_safe_side() {
        let mixture = Mixture::new(1.0, 4, 0.05);
        for tail in [1e-3, 1e-12, 1e-100] {
            let x = mixture.upper_quantile(tail);
            assert!(mixture.upper_tail(x) <= tail);
            assert!(mixture.upper_tail(x - 0.01) > tail);
        }
    }
}
