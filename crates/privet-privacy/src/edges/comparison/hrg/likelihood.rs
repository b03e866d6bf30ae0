//! How well a tree explains a graph, and how far one edge can move that.
//!
//! # Equation
//! An internal node with `N` pairs of which `e` are edges contributes, at its best probability `e/N`,
//! `f(e, N) = e log(e/N) + (N-e) log(1 - e/N) = N chi(e/N)` (HeteroRR eq. 10, 11, with the sign that
//! makes it a likelihood: the printed minus would prefer the worst tree).
//!
//! # Sensitivity
//! `f` is convex in `e` and symmetric about `N/2`, so one edge moves it most at `e = 0`, by
//! `phi(N) = log N + (N-1) log(N/(N-1))`, and `phi` increases. A pair has one lowest common ancestor,
//! so one edge moves one term; no internal node of a tree on `n` leaves has more than `n²/4` pairs.
//! Hence `Delta = phi(floor(n²/4))`: the value of the paper's appendix. (Its Lemma 4 loses an exponent
//! and is almost 1 nat too small.)

use crate::fault::{self, Fault};

/// `f(edges, pairs)`: the log-likelihood of one internal node, at most 0.
pub fn log_likelihood(edges: u64, pairs: u64) -> f64 {
    if edges == 0 || edges >= pairs {
        return 0.0;
    }
    let (e, n) = (edges as f64, pairs as f64);
    let sign = if fault::on(Fault::PrintedMinusSign) { -1.0 } else { 1.0 };
    // HeteroRR, eq. 10, with the sign corrected: log of the likelihood of e edges among n pairs at density e/n.
    // `log1p` keeps the digits of a sparse block.
    sign * (e * libm::log(e / n) + (n - e) * libm::log1p(-e / n))
}

/// `phi(pairs)`: the most that one edge among so many pairs can change their log-likelihood.
pub fn change_by_one_edge(pairs: u64) -> f64 {
    if pairs < 2 {
        return 0.0;
    }
    let n = pairs as f64;
    let exponent = if fault::on(Fault::SensitivityOfMainText) { 1.0 } else { n - 1.0 };
    // HeteroRR, appendix: log n + (n - 1) log(n/(n - 1)), attained from 0 edges to 1.
    libm::log(n) - exponent * libm::log1p(-1.0 / n)
}

/// `Delta`: the most that one edge can change the log-likelihood of any tree on so many leaves.
pub fn sensitivity(leaves: usize) -> f64 {
    let leaves = leaves as u64;
    // The change grows with the number of pairs, and a balanced root has the most.
    change_by_one_edge((leaves / 2) * leaves.div_ceil(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sensitivity_is_the_known_one() {
        for (leaves, expected) in [
            (3, 1.386294361),
            (4, 2.249340578),
            (5, 2.703367253),
            (6, 3.139488863),
            (100, 8.823845984),
            (2708, 15.421636634),
        ] {
            assert!((sensitivity(leaves) - expected).abs() < 1e-9, "{leaves}");
        }
        assert_eq!((sensitivity(0), sensitivity(1), sensitivity(2)), (0.0, 0.0, 0.0));
    }

    /// One edge more or less, anywhere: never beyond phi, and phi is reached.
    #[test]
    fn no_edge_moves_more_than_phi() {
        for pairs in 1..200u64 {
            let steps = (0..pairs).map(|e| log_likelihood(e + 1, pairs) - log_likelihood(e, pairs));
            let worst = steps.map(f64::abs).fold(0.0, f64::max);
            assert!((worst - change_by_one_edge(pairs)).abs() < 1e-9, "{pairs}");
        }
    }

    #[test]
    fn large_counts_lose_no_digits() {
        // Against the series f(e, N) = e log(e/N) - e + e²/(2N) + ...
        let (e, n) = (1e6, 4e18);
        let expected = e * f64::ln(e / n) - e;
        let found = log_likelihood(1_000_000, 4_000_000_000_000_000_000);
        assert!((found / expected - 1.0).abs() < 1e-12);
    }
}
