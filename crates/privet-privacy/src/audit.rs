//! Exact laws of the samplers that ship, by walking through every choice they make.
//!
//! # Idea
//! Samplers ask a source for *choices* ([`RandomWords`]): a coin, an integer
//! below a bound, a place in a window. [`ChoiceWalk`] is a source that answers the same questions one outcome
//! after the other, each with its exact rational weight. Running `randomize` or `sample` once for every
//! path through the tree of choices gives the probability of every report: the law of the code itself,
//! not of a formula beside it.
//!
//! # What is cut off
//! A branch below the walk's threshold (2⁻⁶⁰ by default) is not followed. Found probabilities are
//! therefore lower bounds, and [`OutcomeLaw::lost`] is exactly what is missing to 1. It is charged to both
//! sides: a law's loss is at least `log(p / (q + lost))`, so that a claim below it is refuted, not doubted.
//! Probabilities whose denominators pass 512 bits are rounded down to them, likewise.
//! Weights e^-γ are irrational; both outcomes of such a coin get rational lower bounds (within 2⁻²⁰⁰),
//! and what is between them is lost too.
//!
//! # What it is not
//! No door: it takes raw toy data, never a [`Secret`](crate::Secret), and hands out no
//! [`Release`](crate::Release). How choices are made of random words is audited by itself, since a walk
//! takes the weight of a coin for granted. Gaussian noise is made of words, not of choices: asking for
//! its law is an error.
//!
//! ```
//! use privet_privacy::{audit, template::CoinFlip};
//! let coin = CoinFlip::new(1.0)?;
//! let (no, yes) = (audit::randomized(&coin, 0.0, |report| report)?, audit::randomized(&coin, 1.0, |r| r)?);
//! assert!((no.loss(&yes) - 1.0).abs() < 1e-12);
//! # Ok::<(), privet_privacy::Error>(())
//! ```

mod walk;

pub use walk::ChoiceWalk;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use dashu::base::BitTest;
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::error::Result;
use crate::mechanism::{Central, Local, Permit};
use crate::noise::bernoulli::bernoulli_exp;
use crate::noise::{Bernoulli, RandomWords};
use crate::population::Population;

/// Branches below 2^-60 are not followed.
pub const DEPTH: u32 = 60;

/// The law of what a sampler draws.
///
/// # Errors
/// If it asks for random words themselves, or has too many paths.
pub fn drawn<K: Ord>(depth: u32, sampler: impl Fn(&mut ChoiceWalk) -> K) -> Result<OutcomeLaw<K>> {
    walk::law(depth, |walk| Some(sampler(walk)))
}

/// The law of a user's report, by a key that tells reports apart.
///
/// # Errors
/// As [`drawn`].
pub fn randomized<'a, M: Local, K: Ord>(
    mechanism: &M,
    record: <M::Population as Population>::Record<'a>,
    key: impl Fn(M::Report) -> K,
) -> Result<OutcomeLaw<K>>
where
    M::Population: 'a,
    <M::Population as Population>::Record<'a>: Copy,
{
    randomized_to(DEPTH, mechanism, record, key)
}

/// [`randomized`] with branches followed down to `2^-depth`.
///
/// # Errors
/// As [`drawn`].
pub fn randomized_to<'a, M: Local, K: Ord>(
    depth: u32,
    mechanism: &M,
    record: <M::Population as Population>::Record<'a>,
    key: impl Fn(M::Report) -> K,
) -> Result<OutcomeLaw<K>>
where
    M::Population: 'a,
    <M::Population as Population>::Record<'a>: Copy,
{
    drawn(depth, |walk| key(mechanism.randomize(record, walk, Permit::new())))
}

/// The law of what a curator's mechanism gives for `input`, by a key that tells outputs apart.
///
/// # Errors
/// As [`drawn`].
pub fn sampled<M: Central, K: Ord>(
    mechanism: &M,
    input: &M::Input,
    key: impl Fn(M::Output) -> K,
) -> Result<OutcomeLaw<K>> {
    sampled_to(DEPTH, mechanism, input, key)
}

/// [`sampled`] with branches followed down to `2^-depth`.
///
/// # Errors
/// As [`drawn`].
pub fn sampled_to<M: Central, K: Ord>(
    depth: u32,
    mechanism: &M,
    input: &M::Input,
    key: impl Fn(M::Output) -> K,
) -> Result<OutcomeLaw<K>> {
    drawn(depth, |walk| key(mechanism.sample(input, walk.handle(), Permit::new())))
}

/// The law of the coin of probability e^-γ by the coins it is made of: a walk takes its weight for granted.
///
/// # Errors
/// As [`drawn`].
pub fn exp_coin(depth: u32, numerator: u128, denominator: u128) -> Result<OutcomeLaw<bool>> {
    drawn(depth, |walk| bernoulli_exp(walk, numerator, denominator))
}

/// Lower bounds on the probabilities of all outcomes, and the mass that is in none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeLaw<K: Ord> {
    found: BTreeMap<K, RBig>,
    lost: RBig,
}

impl<K: Ord> OutcomeLaw<K> {
    fn new(found: BTreeMap<K, RBig>) -> Self {
        let lost = found.values().fold(RBig::ONE, |rest, p| rest - p);
        Self { found, lost }
    }

    /// The outcomes and their probabilities, exactly (up to what was cut off).
    pub fn found(&self) -> &BTreeMap<K, RBig> {
        &self.found
    }

    /// What was cut off.
    pub fn lost(&self) -> &RBig {
        &self.lost
    }

    /// The probability of an outcome, at least.
    pub fn at_least(&self, outcome: &K) -> f64 {
        self.found.get(outcome).map_or(0.0, float)
    }

    /// The law of `key(outcome)`: post-processing.
    #[must_use]
    pub fn map<J: Ord>(&self, key: impl Fn(&K) -> J) -> OutcomeLaw<J> {
        let mut found = BTreeMap::new();
        for (outcome, p) in &self.found {
            *found.entry(key(outcome)).or_insert(RBig::ZERO) += p;
        }
        OutcomeLaw { found, lost: self.lost.clone() }
    }

    /// The largest log ratio of the probabilities of an outcome, either way, at least: with `lost` added to
    /// the smaller. Infinite if something can come of one law that cannot come of the other.
    pub fn loss(&self, other: &Self) -> f64 {
        self.loss_over(other).max(other.loss_over(self))
    }

    /// The largest `log(p / (q + lost))`.
    fn loss_over(&self, other: &Self) -> f64 {
        let lost = float(&other.lost);
        let ratio = |(outcome, p): (&K, &RBig)| float(p) / (other.at_least(outcome) + lost);
        self.found.iter().map(ratio).fold(0.0, f64::max).ln().max(0.0)
    }

    /// The smallest epsilon for which the two can be within `delta`, either way, at least.
    pub fn loss_at(&self, other: &Self, delta: f64) -> f64 {
        self.loss_at_over(other, delta).max(other.loss_at_over(self, delta))
    }

    /// Bisects for `sum over outcomes of max(0, p - e^epsilon (q + lost share)) = delta`. The sum of what
    /// was lost on the other side is at most `lost`, wherever it lies.
    fn loss_at_over(&self, other: &Self, delta: f64) -> f64 {
        let pairs: Vec<(f64, f64)> =
            self.found.iter().map(|(outcome, p)| (float(p), other.at_least(outcome))).collect();
        let lost = float(&other.lost);
        let excess = |epsilon: f64| {
            let factor = epsilon.exp();
            let sum: f64 = pairs.iter().map(|&(p, q)| (p - factor * q).max(0.0)).sum();
            sum - factor * lost
        };
        let (mut low, mut high) = (0.0, 1000.0);
        if excess(low) <= delta {
            return 0.0;
        }
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if excess(middle) > delta { low = middle } else { high = middle }
        }
        low
    }

    /// How far the two laws are apart: the largest difference of the probabilities of an event, at least.
    pub fn distance(&self, other: &Self) -> f64 {
        let outcomes: BTreeSet<&K> = self.found.keys().chain(other.found.keys()).collect();
        let difference = |outcome: &K| (self.at_least(outcome) - other.at_least(outcome)).abs();
        let sum: f64 = outcomes.into_iter().map(difference).sum();
        (0.5 * sum - float(&self.lost) - float(&other.lost)).max(0.0)
    }
}

/// The nearest float.
fn float(value: &RBig) -> f64 {
    value.to_f64().value()
}

// The exact weights of single choices: rationals, and rationals around e^-γ.

/// `numerator / denominator`.
pub(crate) fn rational(numerator: u128, denominator: u128) -> RBig {
    RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
}

/// `2^-bits`.
pub(crate) fn power_of_half(bits: u32) -> RBig {
    RBig::from_parts(IBig::ONE, UBig::ONE << bits as usize)
}

/// The denominators of long paths are products of many others: beyond this many bits a probability is
/// rounded down, and what that takes away is lost like a branch that was cut.
const MOST_BITS: usize = 512;

/// The probability itself, or a lower bound within 2^-512 of it.
fn trimmed(probability: RBig) -> RBig {
    if probability.denominator().bit_len() <= MOST_BITS {
        return probability;
    }
    let (numerator, denominator) = probability.into_parts();
    RBig::from_parts((numerator << MOST_BITS) / IBig::from(denominator), UBig::ONE << MOST_BITS)
}

/// The weights of false and true of a coin.
fn of_coin(coin: &Bernoulli) -> Vec<RBig> {
    let (threshold, remainder, denominator) = coin.parts();
    let heads = (RBig::from(threshold) + rational(remainder, denominator)) * power_of_half(64);
    vec![RBig::ONE - heads.clone(), heads]
}

/// Lower bounds of the weights of false and true of a coin of probability e^-γ.
fn of_exp(numerator: u128, denominator: u128) -> Vec<RBig> {
    let (below, above) = exp_minus_ball(&rational(numerator, denominator.max(1)));
    vec![(RBig::ONE - above).max(RBig::ZERO), below]
}

/// The first integer and the weight of every run of equal values among `0..bound`, at most 2⁶⁴.
fn runs<T: PartialEq>(bound: u128, value: impl Fn(u64) -> T) -> Vec<(u64, RBig)> {
    let mut runs = Vec::new();
    let mut first = 0;
    while first < bound {
        let wanted = value(first as u64);
        // The last integer of the run lies in low..high: doubling steps first, so that what is found is the
        // end of this run and not that of a later one with the same value.
        let (mut low, mut step) = (first, 1);
        while low + step < bound && value((low + step) as u64) == wanted {
            low += step;
            step *= 2;
        }
        let mut high = bound.min(low + step);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if value(middle as u64) == wanted { low = middle } else { high = middle }
        }
        runs.push((first as u64, rational(high - first, bound)));
        first = high;
    }
    runs
}

/// Rationals below and above e^-x, closer than 2⁻²⁰⁰: the series of e^(x/2^s), inverted and squared.
pub(crate) fn exp_minus_ball(x: &RBig) -> (RBig, RBig) {
    const BITS: usize = 320;
    let scale = RBig::from(UBig::ONE << BITS);
    let floor = |r: RBig| RBig::from((r * &scale).floor()) / &scale;
    let ceil = |r: RBig| RBig::from((r * &scale).ceil()) / &scale;
    if *x >= RBig::from(200) {
        return (RBig::ZERO, power_of_half(200)); // e^-200 < 2^-200
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

// The law of a choice by the random words it is made of: a walk takes a coin's weight for granted, this
// checks it.

/// Hands out given words, and leaves what asks for more.
#[derive(Debug)]
pub struct ScriptedWords {
    words: std::vec::IntoIter<u64>,
}

/// Thrown where a script has no more words.
struct ScriptEnd;

impl RandomWords for ScriptedWords {
    fn next_u64(&mut self) -> u64 {
        self.words.next().unwrap_or_else(|| resume_unwind(Box::new(ScriptEnd)))
    }
}

/// The law of a choice from the words `script(x)`, for `x` uniform on `0..2^bits` (64 at most). Equal
/// outcomes must belong to consecutive `x`. What asks for more words than it was given is lost: its
/// outcome is open.
pub fn word_law<K: Ord>(
    bits: u32,
    script: impl Fn(u64) -> Vec<u64>,
    choice: impl Fn(&mut ScriptedWords) -> K,
) -> OutcomeLaw<K> {
    let outcome = |x: u64| {
        let mut words = ScriptedWords { words: script(x).into_iter() };
        match catch_unwind(AssertUnwindSafe(|| choice(&mut words))) {
            Ok(value) => Some(value),
            Err(thrown) if thrown.is::<ScriptEnd>() => None,
            Err(thrown) => resume_unwind(thrown),
        }
    };
    let mut found = BTreeMap::new();
    for (first, weight) in runs(1 << bits, outcome) {
        if let Some(value) = outcome(first) {
            *found.entry(value).or_insert(RBig::ZERO) += weight;
        }
    }
    OutcomeLaw::new(found)
}

#[cfg(test)]
mod tests {
    use dashu::rational::RBig;
    use privet_graph::{Direction, GraphBuilder};

    use super::*;
    use crate::budget::Budget;
    use crate::edges::local::{Dprr, PackedRr, Rr};
    use crate::features::LabelRr;
    use crate::noise::{
        Bernoulli, DiscreteGaussian, DiscreteLaplace, ExponentialSelection, GradedResponse,
        RandomWords, ScoreChange, WindowSampler,
    };
    use crate::template::CoinFlip;

    fn budget(epsilon: f64) -> Budget {
        Budget::from_epsilon(epsilon).unwrap()
    }

    /// Every sampler: what its paths add up to is the law it documents.
    #[test]
    fn walking_gives_the_documented_laws() {
        let near = |found: f64, documented: f64| {
            assert!((found - documented).abs() < 1e-14, "{found} {documented}");
        };
        let laplace = DiscreteLaplace::new(budget(1.5), 1).unwrap();
        let law = drawn(DEPTH, |walk| laplace.draw(walk)).unwrap();
        (-20..=20).for_each(|z| near(law.at_least(&z), laplace.probability(z)));

        let gaussian = DiscreteGaussian::new(25, 4).unwrap();
        let law = drawn(DEPTH, |walk| gaussian.draw(walk)).unwrap();
        (-9..=9).for_each(|z| near(law.at_least(&z), gaussian.probability(z)));

        let window = WindowSampler::new(3, 2, budget(1.0)).unwrap();
        let law = drawn(DEPTH, |walk| window.draw(-1, walk)).unwrap();
        let weight = |j| window.weight(-1, j) as f64 / window.total() as f64;
        (-5..=5).for_each(|j| near(law.at_least(&j), weight(j)));
        assert_eq!(*law.lost(), RBig::ZERO);

        let graded = GradedResponse::new(7, budget(2.0)).unwrap();
        let law = drawn(DEPTH, |walk| graded.draw(2, walk)).unwrap();
        (0..7).for_each(|bin| near(law.at_least(&bin), graded.probability(2, bin)));
        assert_eq!(*law.lost(), RBig::ZERO);

        let pick = ExponentialSelection::new(budget(1.0), 1, ScoreChange::EitherWay).unwrap();
        let law = drawn(DEPTH, |walk| pick.choose(&[3, 1, 4], walk)).unwrap();
        let picks = pick.probabilities(&[3, 1, 4]);
        (0..3).for_each(|at| near(law.at_least(&Some(at)), picks[at]));
    }

    /// Lists and their reports, against closed forms; lanes that the caller drops stay as they are.
    #[test]
    fn walking_through_lists() {
        let edges = [(0, 1), (0, 3)];
        let (graph, _) = GraphBuilder::new(4, Direction::Directed).edges(edges).build().unwrap();
        let list = graph.record(0);
        let rr = Rr::new(1.0).unwrap();
        let law = randomized(&rr, list, |report| report).unwrap();
        assert_eq!((law.found().len(), law.lost()), (8, &RBig::ZERO));
        for report in law.found().keys() {
            assert!((law.at_least(report) - rr.probability(&list, report)).abs() < 1e-14);
        }
        let packed =
            randomized(&PackedRr(rr), list, |row| row.nodes().collect::<Vec<_>>()).unwrap();
        assert_eq!(packed, law);
        // The mask of DPRR is drawn in floats, and its law is that of the floats: 53 bits.
        let dprr = Dprr::from_parts(0.7, 1.3).unwrap();
        let law = randomized(&dprr, list, |report| report).unwrap();
        for report in law.found().keys() {
            let documented = dprr.probability(&list, report);
            assert!((law.at_least(report) - documented).abs() < 1e-11, "{documented}");
        }
    }

    #[test]
    fn losses_are_lower_bounds_and_lost_mass_is_charged() {
        let law = |heads: u128, depth| drawn(depth, |walk| walk.coin(heads, 10)).unwrap();
        let (even, odd) = (law(5, DEPTH), law(9, DEPTH));
        assert!((even.loss(&odd) - 5f64.ln()).abs() < 1e-12);
        assert!((even.distance(&odd) - 0.4).abs() < 1e-12);
        // max(0, 0.9 - e^eps 0.5) = 0.1 and max(0, 0.5 - e^eps 0.1) = 0.1, the latter larger.
        assert!((even.loss_at(&odd, 0.1) - 4f64.ln()).abs() < 1e-9);
        // A branch of 1/10 is not followed at 2^-3; the loss shrinks to what is proved without it.
        let cut = law(9, 3);
        assert_eq!((cut.found().len(), cut.lost().to_f64().value()), (1, 0.1));
        assert!((even.loss(&cut) - 5f64.ln()).abs() < 1e-12);
        assert!((cut.loss(&law(9, DEPTH))).abs() < 1e-12);
        // What comes of one side only, with nothing lost, is a certain proof.
        assert_eq!(law(10, DEPTH).loss(&law(5, DEPTH)), f64::INFINITY);
    }

    #[test]
    fn what_is_made_of_words_is_refused() {
        let noise = crate::noise::RoundedGaussian::new(20).unwrap();
        let refused = drawn(DEPTH, |walk| noise.draw(walk) > 0).unwrap_err();
        assert!(refused.to_string().contains("made of choices"), "{refused}");
    }

    /// Rejections nest: an attempt that holds another one.
    #[test]
    fn repetitions_are_conditional_laws() {
        let law = drawn(DEPTH, |walk| {
            walk.until(|walk| {
                let low = walk.until(|walk| Some(walk.below(4)).filter(|&x| x > 0));
                let high = walk.below(4);
                (low > high).then_some((low, high))
            })
        })
        .unwrap();
        assert_eq!(law.found().len(), 6);
        assert!(law.found().values().all(|p| *p == rational(1, 6)));
        assert_eq!(*law.lost(), RBig::ZERO);
    }

    /// A draw of which only the value is used has as many branches as values.
    #[test]
    fn lumped_draws_have_the_same_law() {
        let sum = |walk: &mut ChoiceWalk| (0..6).filter(|_| walk.coin(1, 3)).count();
        let (plain, lumped) =
            (drawn(DEPTH, sum).unwrap(), drawn(DEPTH, |w| w.lumped(sum)).unwrap());
        assert_eq!(plain, lumped);
    }

    #[test]
    fn words_give_the_weights_a_walk_assumes() {
        let third = Bernoulli::new(1, 3).unwrap();
        let by_words = word_law(64, |x| vec![x], |words| words.toss(&third));
        let by_weights = drawn(DEPTH, |walk| walk.toss(&third)).unwrap();
        assert!(by_words.distance(&by_weights) == 0.0 && *by_words.lost() < power_of_half(60));
        let other = drawn(DEPTH, |walk| walk.coin(1, 3)).unwrap();
        assert_eq!(by_weights, other);
        let wrong = Bernoulli::new(1, 4).unwrap();
        let wrong = drawn(DEPTH, |walk| walk.toss(&wrong)).unwrap();
        assert!((by_words.distance(&wrong) - 1.0 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn a_report_loses_what_its_event_says() {
        let coin = CoinFlip::new(0.8).unwrap();
        let law = |answer| randomized(&coin, answer, |report| report).unwrap();
        assert!((law(0.0).loss(&law(1.0)) - 0.8).abs() < 1e-12);
        let labels = LabelRr::new(1.1, 3).unwrap();
        let law = |class| randomized(&labels, Some(class), |report| report).unwrap();
        assert!((law(0).loss(&law(2)) - 1.1).abs() < 1e-12);
    }
}
