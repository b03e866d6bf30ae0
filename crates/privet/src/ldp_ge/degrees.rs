//! How many friends every user has, from how many pairs of theirs are in a noisy graph: empirical Bayes.
//!
//! # Equations
//! A person with `t` friends has about Poisson many pairs in a graph that an edge enters with probability `a` and a
//! non-edge with `b`:
//! ```text
//! d_u ~ Poisson(a t_u + b (n - 1))
//! ```
//! The law of `t` over people is not known. It is put on a grid and fitted by EM, which climbs to the maximum of the
//! likelihood (nonparametric maximum likelihood: Kiefer and Wolfowitz 1956). What is returned is the mean of `t_u` given
//! `d_u` under that law: where noise is large all users have about the mean, and hubs stand out as far as they do.
//!
//! Computed from reports: post-processing, free.

use std::collections::BTreeMap;

/// The smallest number of friends on the grid; above 0.
const LEAST: f64 = 0.3;
/// From one place of the grid to the next.
const STEP: f64 = 1.35;
/// The likelihood has settled long before.
const ROUNDS: usize = 60;

/// The expected number of friends of each user, from their number of pairs in the graph; `enters` is `a`, `accidents` is
/// `b (n - 1)`.
pub(super) fn expected(pairs: &[usize], enters: f64, accidents: f64) -> Vec<f64> {
    let mut people: BTreeMap<usize, f64> = BTreeMap::new();
    pairs.iter().for_each(|&count| *people.entry(count).or_default() += 1.0);
    let most = people.keys().next_back().map_or(0.0, |&count| count as f64 / enters);
    let grid: Vec<f64> =
        std::iter::successors(Some(LEAST), |at| Some(at * STEP).filter(|at| *at < most * STEP))
            .collect();
    let likelihoods: Vec<Vec<f64>> =
        people.keys().map(|&count| likelihood(count, &grid, enters, accidents)).collect();
    let all: f64 = people.values().sum();
    let mut law = vec![1.0 / grid.len() as f64; grid.len()];
    for _ in 0..ROUNDS {
        let mut next = vec![0.0; grid.len()];
        for (likelihood, share) in likelihoods.iter().zip(people.values()) {
            let posterior = posterior(&law, likelihood);
            next.iter_mut().zip(posterior).for_each(|(sum, at)| *sum += share / all * at);
        }
        law = next;
    }
    let mean = |likelihood: &Vec<f64>| -> f64 {
        posterior(&law, likelihood).zip(&grid).map(|(share, friends)| share * friends).sum()
    };
    let means: BTreeMap<usize, f64> =
        people.keys().copied().zip(likelihoods.iter().map(mean)).collect();
    pairs.iter().map(|count| means.get(count).copied().unwrap_or(LEAST)).collect()
}

/// How likely a count is at every place of the grid, up to a factor.
fn likelihood(count: usize, grid: &[f64], enters: f64, accidents: f64) -> Vec<f64> {
    let log = |friends: &f64| {
        let mean = enters * friends + accidents;
        count as f64 * mean.ln() - mean
    };
    let logs: Vec<f64> = grid.iter().map(log).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.into_iter().map(|log| (log - largest).exp()).collect()
}

fn posterior<'a>(law: &'a [f64], likelihood: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    let joint = || law.iter().zip(likelihood).map(|(law, likely)| law * likely);
    let sum: f64 = joint().sum::<f64>().max(f64::MIN_POSITIVE);
    joint().map(move |share| share / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without noise a count is the truth; under nothing but noise all users have the same.
    #[test]
    fn noise_decides_how_far_a_count_is_believed() {
        let counts = [2, 2, 2, 3, 3, 4, 80];
        let exact = expected(&counts, 1.0, 1e-6);
        assert!((exact[6] / 80.0 - 1.0).abs() < 0.2 && exact[0] < 4.0, "{exact:?}");
        let drowned: Vec<usize> = (0..200).map(|at| 990 + at % 21).collect();
        let even = expected(&drowned, 0.5, 1000.0);
        let spread =
            even.iter().copied().fold(0.0, f64::max) - even.iter().copied().fold(1e9, f64::min);
        assert!(spread < 5.0, "{spread}");
    }

    /// Two kinds of people are told apart where noise allows: the mean over all is kept.
    #[test]
    fn hubs_stand_out() {
        // Fifty people with 40 friends among a thousand with 4, in 6 accidents each: means 10 and 46.
        let counts: Vec<usize> =
            (0..1050).map(|at| if at < 50 { 40 + at % 13 } else { 6 + at % 9 }).collect();
        let found = expected(&counts, 1.0, 6.0);
        let mean = |range: std::ops::Range<usize>| {
            let count = range.len() as f64;
            found[range].iter().sum::<f64>() / count
        };
        assert!((mean(0..50) - 40.0).abs() < 4.0, "{}", mean(0..50));
        assert!((mean(50..1050) - 4.0).abs() < 0.6, "{}", mean(50..1050));
    }

    #[test]
    fn nobody_is_no_trouble() {
        assert!(expected(&[], 0.9, 1.0).is_empty());
        assert!(expected(&[0, 0], 0.9, 0.0).iter().all(|friends| friends.is_finite()));
    }
}
