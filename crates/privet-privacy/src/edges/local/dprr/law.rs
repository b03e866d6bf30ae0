//! The exact law of a report, and the exact moments of its length.
//!
//! `P(s | a) = sum over d* of P(d* | d) (pq)^kept (1-pq)^lost ((1-p)q)^invented (1-(1-p)q)^absent`:
//! given the noisy degree the positions are independent, and the clipped noisy degree takes at most
//! `(n-1)/2 + 2` values. For audits on toys, and for what a user can expect before collecting.

use privet_graph::NodeId;

use super::Dprr;
use crate::edges::local::list::{Agreement, degree, others};
use crate::population::NeighborList;

impl Dprr {
    /// The probability of a report about a list; 0 if no user could send it. O(n).
    pub fn probability(&self, list: &NeighborList<'_>, report: &[NodeId]) -> f64 {
        let Some(agreement) = Agreement::of(list, report) else { return 0.0 };
        let Agreement { kept, lost, invented, absent } = agreement;
        let flip = self.response.flip_probability();
        let power = |base: f64, times: usize| base.powf(times as f64);
        self.rates(degree(list), others(list))
            .map(|(q, probability)| {
                let (one, zero) = ((1.0 - flip) * q, flip * q);
                probability
                    * power(one, kept)
                    * power(1.0 - one, lost)
                    * power(zero, invented)
                    * power(1.0 - zero, absent)
            })
            .sum()
    }

    /// The exact mean number of reported neighbours of a user with `degree` of them. The paper's
    /// eq. 11 says `degree`, which is far off for small ones. O(n).
    pub fn expected_degree(&self, degree: usize, node_count: usize) -> f64 {
        let others = node_count.saturating_sub(1);
        let before = self.mean_before_sampling(degree, others);
        self.rates(degree, others).map(|(q, probability)| probability * before * q).sum()
    }

    /// The exact variance of the number of reported neighbours. O(n).
    pub fn degree_variance(&self, degree: usize, node_count: usize) -> f64 {
        let others = node_count.saturating_sub(1);
        let flip = self.response.flip_probability();
        let before = self.mean_before_sampling(degree, others);
        let mean = self.expected_degree(degree, node_count);
        let (ones, zeros) = (degree as f64, others.saturating_sub(degree) as f64);
        // Eq. 12: the variance given d* (eq. 13), and that of the mean given d*.
        self.rates(degree, others)
            .map(|(q, probability)| {
                let (one, zero) = ((1.0 - flip) * q, flip * q);
                let within = ones * one * (1.0 - one) + zeros * zero * (1.0 - zero);
                probability * (within + (before * q - mean).powi(2))
            })
            .sum()
    }

    /// The paper's bound on the variance, eq. 15: `(n-1)/4 + 2/eps1^2`.
    pub fn variance_bound(&self, node_count: usize) -> f64 {
        let eps1 = self.degree.as_f64();
        node_count.saturating_sub(1) as f64 / 4.0 + 2.0 / (eps1 * eps1)
    }

    /// An upper bound on the probability that a user with `degree` neighbours, or fewer, reports at
    /// least `length`: by Chernoff given the noisy degree, averaged over the law of the latter. O(n).
    pub fn long_report_bound(&self, degree: usize, node_count: usize, length: usize) -> f64 {
        let others = node_count.saturating_sub(1);
        let before = self.mean_before_sampling(degree.min(others), others);
        let length = length as f64;
        self.rates(degree.min(others), others)
            .map(|(q, probability)| {
                let mean = before * q;
                // P(X >= x) <= exp(x - mean - x log(x / mean)) beyond the mean of any sum of bits.
                let tail = match mean {
                    _ if length <= mean => 1.0,
                    0.0 => 0.0,
                    _ => (length - mean - length * (length / mean).ln()).exp(),
                };
                probability * tail
            })
            .sum::<f64>()
            .min(1.0)
    }

    /// The probability that the answer about a bit is the truth, before thinning (p).
    pub fn keep_probability(&self) -> f64 {
        1.0 - self.response.flip_probability()
    }

    /// `d (2p - 1) + (n-1)(1 - p)`: the mean number of ones after randomised response.
    pub(super) fn mean_before_sampling(&self, degree: usize, others: usize) -> f64 {
        let flip = self.response.flip_probability();
        degree as f64 * (1.0 - 2.0 * flip) + others as f64 * flip
    }

    /// The law of `q`: its values, each with its probability.
    fn rates(&self, degree: usize, others: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let ratio = (-self.degree.as_f64()).exp();
        // P(noise >= t) = ratio^t / (1 + ratio) for t >= 0, and the rest by symmetry.
        let tail = move |t: i64| match t {
            0.. => ratio.powf(t as f64) / (1.0 + ratio),
            _ => 1.0 - ratio.powf((1 - t) as f64) / (1.0 + ratio),
        };
        let point = (self.degree.as_f64() / 2.0).tanh();
        let (degree, last) = (degree as i64, others.div_ceil(2) as i64);
        (0..=last).map(move |noisy| {
            let probability = match noisy {
                0 if last == 0 => 1.0,
                0 => tail(degree),
                _ if noisy == last => tail(last - degree),
                _ => point * ratio.powf((noisy - degree).abs() as f64),
            };
            let q = if others == 0 { 0.0 } else { self.keep_rate(noisy, others) };
            (q, probability)
        })
    }
}
