//! What the tests of the samplers share: scripted and enumerating sources of randomness, exact
//! rationals, and the chi-square test. Compiled for tests only.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use super::words::RandomWords;

/// A source that hands out the given words and then fails the test.
pub(crate) struct Script {
    words: Vec<u64>,
    used: usize,
}

impl Script {
    pub(crate) fn new(words: impl IntoIterator<Item = u64>) -> Self {
        Self { words: words.into_iter().collect(), used: 0 }
    }

    pub(crate) fn used(&self) -> usize {
        self.used
    }
}

impl RandomWords for Script {
    fn next_u64(&mut self) -> u64 {
        let word = *self.words.get(self.used).expect("the script has enough words");
        self.used += 1;
        word
    }
}

/// A source that follows one path through the tree of all choices and records what it met.
pub(crate) struct Path {
    choices: Vec<(u64, u64)>,
    depth: usize,
    probability: RBig,
    smallest: RBig,
}

/// Thrown where a path has become too improbable to follow.
struct Abandoned;

impl Path {
    /// Takes the next choice among `options`; returns its number.
    fn choose(&mut self, options: u64) -> u64 {
        if self.probability < self.smallest {
            resume_unwind(Box::new(Abandoned));
        }
        if self.depth == self.choices.len() {
            self.choices.push((0, options));
        }
        self.depth += 1;
        self.choices[self.depth - 1].0
    }
}

impl RandomWords for Path {
    fn next_u64(&mut self) -> u64 {
        panic!("an enumerable sampler asks for bounded draws only")
    }

    fn below(&mut self, bound: u64) -> u64 {
        let chosen = self.choose(bound);
        self.probability *= rational(1, u128::from(bound));
        chosen
    }

    fn below_u32(&mut self, bound: u32) -> u32 {
        self.below(u64::from(bound)) as u32
    }

    fn below_steadily(&mut self, bound: u64) -> u64 {
        self.below(bound)
    }

    fn coin(&mut self, numerator: u128, denominator: u128) -> bool {
        if numerator == 0 || numerator >= denominator {
            return numerator > 0;
        }
        let chosen = self.choose(2) == 1;
        let favourable = if chosen { numerator } else { denominator - numerator };
        self.probability *= rational(favourable, denominator);
        chosen
    }
}

/// The law of a sampler by walking through every path of probability at least `2^-bits`:
/// the exact probability found for each value, and the mass of the abandoned paths.
pub(crate) fn enumerate<T: Ord>(
    bits: u32,
    sampler: impl Fn(&mut Path) -> T,
) -> (BTreeMap<T, RBig>, RBig) {
    let smallest = RBig::from_parts(IBig::ONE, UBig::ONE << bits as usize);
    let (mut law, mut lost) = (BTreeMap::new(), RBig::ZERO);
    let mut choices = Vec::new();
    loop {
        let one = RBig::ONE;
        let mut path = Path { choices, depth: 0, probability: one, smallest: smallest.clone() };
        match catch_unwind(AssertUnwindSafe(|| sampler(&mut path))) {
            Ok(value) => *law.entry(value).or_insert(RBig::ZERO) += path.probability,
            Err(thrown) if thrown.is::<Abandoned>() => lost += path.probability,
            Err(thrown) => resume_unwind(thrown),
        }
        choices = path.choices;
        choices.truncate(path.depth);
        // Advance like an odometer.
        while choices.last().is_some_and(|&(chosen, options)| chosen + 1 == options) {
            choices.pop();
        }
        match choices.last_mut() {
            Some(last) => last.0 += 1,
            None => return (law, lost),
        }
    }
}

/// `numerator / denominator`.
pub(crate) fn rational(numerator: u128, denominator: u128) -> RBig {
    RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
}

/// Rationals below and above e^-x, closer than 2⁻²⁰⁰: the series of e^(x/2^s), inverted and squared.
pub(crate) fn exp_minus_ball(x: &RBig) -> (RBig, RBig) {
    const BITS: usize = 320;
    let scale = RBig::from(UBig::ONE << BITS);
    let floor = |r: RBig| RBig::from((r * &scale).floor()) / &scale;
    let ceil = |r: RBig| RBig::from((r * &scale).ceil()) / &scale;
    if *x >= RBig::from(200) {
        return (RBig::ZERO, rational(1, 1 << 100).pow(2)); // e^-200 < 2^-200
    }
    let scaled = x.clone() / RBig::from(1u32 << 24);
    let (mut low, mut term) = (RBig::ONE, RBig::ONE);
    for n in 1..30u8 {
        term = floor(term * scaled.clone() / RBig::from(n));
        low += term.clone();
    }
    // Twenty-nine floors of at most 2⁻³²⁰ each time a little, and a tail below the last term.
    let high = low.clone() + RBig::from_parts(IBig::from(64), UBig::ONE << BITS) + term;
    let (mut below, mut above) = (floor(RBig::ONE / high), ceil(RBig::ONE / low));
    for _ in 0..24 {
        below = floor(below.clone() * below);
        above = ceil(above.clone() * above);
    }
    (below, above)
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
