//! Confidence bounds on a probability from counts, and on epsilon from two of them.
//!
//! Clopper and Pearson (1934): after `k` successes in `n` trials, the lower bound at level `beta` is
//! the `p` at which `P(at least k) = beta`, the upper one that at which `P(at most k) = beta`. Both
//! tails are regularised incomplete beta functions, so no normal approximation is involved.

use privet::learn::metrics::incomplete_beta;

/// The largest `p` such that at least `k` successes in `n` trials had probability at most `beta`.
pub fn lower(k: u64, n: u64, beta: f64) -> f64 {
    if k == 0 {
        return 0.0;
    }
    // P(X >= k) = I_p(k, n - k + 1), rising in p.
    bisect(|p| incomplete_beta(k as f64, (n - k + 1) as f64, p) <= beta)
}

/// The smallest `p` such that at most `k` successes in `n` trials had probability at most `beta`.
pub fn upper(k: u64, n: u64, beta: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    // P(X <= k) = 1 - I_p(k + 1, n - k) = I_(1-p)(n - k, k + 1), falling in p.
    1.0 - bisect(|q| incomplete_beta((n - k) as f64, (k + 1) as f64, q) <= beta)
}

/// A lower bound on epsilon that fails with probability at most `beta`: an event was seen `with`
/// times under one input and `without` times under its neighbour, `trials` times each.
pub fn epsilon_lower_bound(with: u64, without: u64, trials: u64, delta: f64, beta: f64) -> f64 {
    let excess = lower(with, trials, beta / 2.0) - delta;
    if excess <= 0.0 {
        return 0.0;
    }
    (excess / upper(without, trials, beta / 2.0)).ln().max(0.0)
}

/// The point where a condition that holds near 0 stops holding.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(X >= k)` for a binomial, summed term by term.
    fn tail(k: u64, n: u64, p: f64) -> f64 {
        let mut term = (1.0 - p).powi(n as i32);
        let mut below = 0.0;
        for i in 0..k {
            below += term;
            term *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        }
        1.0 - below
    }

    #[test]
    fn bounds_solve_their_equations() {
        for (k, n, beta) in [(1, 10, 0.05), (7, 20, 0.01), (19, 20, 0.025), (30, 200, 0.1)] {
            assert!((tail(k, n, lower(k, n, beta)) - beta).abs() < 1e-9);
            assert!((1.0 - tail(k + 1, n, upper(k, n, beta)) - beta).abs() < 1e-9);
        }
    }

    #[test]
    fn the_ends_are_the_ends() {
        assert_eq!((lower(0, 10, 0.05), upper(10, 10, 0.05)), (0.0, 1.0));
        // With no success in n trials the upper bound is 1 - beta^(1/n).
        assert!((upper(0, 100, 0.05) - (1.0 - 0.05f64.powf(0.01))).abs() < 1e-12);
        let large = upper(0, 1_000_000, 1e-6);
        assert!((large - 1.3815e-5).abs() < 1e-8, "{large}");
    }

    #[test]
    fn epsilon_is_bounded_from_below() {
        // Randomised response at epsilon 1: 731,059 against 268,941 in a million.
        let bound = epsilon_lower_bound(731_059, 268_941, 1_000_000, 0.0, 1e-6);
        assert!(bound < 1.0 && bound > 0.98, "{bound}");
        assert_eq!(epsilon_lower_bound(5, 5, 1_000_000, 0.1, 1e-6), 0.0);
    }

    /// Intervals of 95 % as tables print them.
    #[test]
    fn tabulated_intervals() {
        let table = [
            (0, 10, 0.0, 0.3085),
            (1, 10, 0.0025, 0.4450),
            (5, 10, 0.1871, 0.8129),
            (10, 10, 0.6915, 1.0),
            (10, 100, 0.0490, 0.1762),
            (50, 100, 0.3983, 0.6017),
            (1, 1000, 0.0000, 0.0056),
        ];
        for (k, n, low, high) in table {
            let found = (lower(k, n, 0.025), upper(k, n, 0.025));
            assert!(
                (found.0 - low).abs() < 6e-5 && (found.1 - high).abs() < 6e-5,
                "{k}/{n}: {found:?}"
            );
        }
    }

    #[test]
    fn more_trials_and_more_doubt_narrow_a_bound() {
        assert!(lower(30, 100, 0.01) < lower(300, 1000, 0.01));
        assert!(lower(30, 100, 0.01) < lower(30, 100, 0.1));
        assert!(upper(30, 100, 0.01) > upper(300, 1000, 0.01));
        for k in 0..=20 {
            let (low, high) = (lower(k, 20, 0.05), upper(k, 20, 0.05));
            let share = k as f64 / 20.0;
            assert!(low <= share && share <= high, "{k}: {low} to {high}");
        }
    }
}
