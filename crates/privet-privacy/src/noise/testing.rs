//! What the tests of the samplers share: scripted randomness, exact laws and rationals, and the
//! chi-square test. Compiled for tests only.

use std::collections::BTreeMap;

use dashu::rational::RBig;

use super::random_words::RandomWords;
use crate::audit::{self, ChoiceWalk};
pub(crate) use crate::audit::{exp_minus_ball, rational};

/// A source that hands out the given words and then fails the test.
pub(crate) struct StrictWords {
    words: Vec<u64>,
    used: usize,
}

impl StrictWords {
    pub(crate) fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self { words: words.into_iter().collect(), used: 0 }
    }

    pub(crate) fn used(&self) -> usize {
        self.used
    }
}

impl RandomWords for StrictWords {
    fn next_u64(&mut self) -> u64 {
        let word = *self.words.get(self.used).expect("the script has enough words");
        self.used += 1;
        word
    }
}

/// The law of a sampler by walking through every path of probability at least `2^-bits`:
/// the exact probability found for each value, and the mass of the abandoned paths.
pub(crate) fn enumerate<T: Ord + Clone>(
    bits: u32,
    sampler: impl Fn(&mut ChoiceWalk) -> T,
) -> (BTreeMap<T, RBig>, RBig) {
    let law = audit::drawn(bits, sampler).unwrap();
    (law.found().clone(), law.lost().clone())
}

/// Fails unless the counts fit the expected probabilities: a chi-square statistic with `k - 1`
/// degrees of freedom stays below `k - 1 + 6 √(2(k - 1)) + 12` except once in many millions.
pub(crate) fn assert_fits(counts: &[u64], probabilities: &[f64]) {
    assert_eq!(counts.len(), probabilities.len());
    let total: u64 = counts.iter().sum();
    let mass: f64 = probabilities.iter().sum();
    assert!((mass - 1.0).abs() < 1e-9, "the expected law has mass {mass}");
    let statistic: f64 = counts
        .iter()
        .zip(probabilities)
        .map(|(&count, &p)| {
            let expected = p * total as f64;
            if expected < 1e-9 {
                assert!(count == 0, "an impossible value was drawn");
                return 0.0;
            }
            (count as f64 - expected).powi(2) / expected
        })
        .sum();
    let freedom = counts.len() as f64 - 1.0;
    let limit = freedom + 6.0 * (2.0 * freedom).sqrt() + 12.0;
    assert!(statistic < limit, "chi-square {statistic} of {freedom} degrees of freedom");
}
