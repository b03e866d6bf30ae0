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
mod tests;
