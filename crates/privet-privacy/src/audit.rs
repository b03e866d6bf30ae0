//! Exact laws of the samplers that ship, by walking through every choice they make.
//!
//! # Idea
//! Samplers ask a source for *choices* ([`RandomWords`](crate::noise::RandomWords)): a coin, an integer
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

mod law;
mod path;
mod scripted_words;
mod walk;
mod weights;

pub use law::OutcomeLaw;
pub use scripted_words::{ScriptedWords, word_law};
pub use walk::ChoiceWalk;
#[cfg(test)]
pub(crate) use weights::{exp_minus_ball, power_of_half, rational};

use crate::error::Result;
use crate::mechanism::{Central, Local, Permit};
use crate::noise::bernoulli::bernoulli_exp;
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
