//! Softmax regression by full-batch gradient descent with noise: what trains on people's own rows in most cases.
//!
//! # Why few large steps
//! With batches of all rows each of T steps adds a Gaussian to the sum of clipped gradients, and the accountant composes T
//! Gaussians of multiplier `σ √T` into one of multiplier σ exactly: how many steps share the noise costs nothing. Small random
//! batches cost more noise for the same epsilon, and an optimizer that rescales columns (Adam) amplifies columns
//! that hold nothing but noise.
//!
//! # The middle
//! Of tables, the first tenth of the noise's budget is for the mean row; descent reads rows around it, of norm 1 again
//! ([`MiddleSettings`]). Declared ranges are wide, and what rows share takes most of their norm otherwise.
//!
//! # The rate
//! In one direction of the rows, the mean gradient of n rows carries noise of deviation `τ = σ C / n`, for gradients clipped
//! to C and the multiplier σ of all steps together; τ is public. The noise that T steps of rate η leave in the score of a
//! row of norm 1 is in proportion to `η τ T`, however many columns there are. What a step moves a score by depends on how
//! many directions rows share: `√(d k)` for d columns and k classes bounds it. So `η τ T` is `40 · 0.12 / √(d k)`, at least
//! 40 · 0.004.
//!
//! The Hessian of the mean loss of rows of norm 1 is at most 1/2, so descent with momentum μ is stable for rates up to
//! `4 (1 + μ)`, 7.6. Where noise allows more there are more steps of rate 7.5, up to 400, and not longer ones: with
//! longer ones descent swings on tables whose columns are skewed, and accuracy falls as epsilon grows.
//!
//! Long rows (more than 512 columns, mostly zeros) have no such middle, and share few directions, so that steps of rate 32 do
//! not swing: there T is 40, and `η τ` is `0.16 / √(d k)`, at least 0.004.
//!
//! The numbers were chosen on generated data: for tables Gaussian classes and skewed, correlated columns in ranges 1.5
//! times as wide as the largest value (400 to 3,000 people, 12 to 60 columns, 2 to 6 classes, epsilon 1 to 8), for long rows
//! word counts and validation people of Cora-ML, Citeseer and CS (`dpar_search NAME EPSILON DELTA rule`). No score of
//! a benchmark's test people had a part in it.
//!
//! # Guarantee
//! That of `dp-sgd` with one row a person ([`PrivateSoftmax`]): rate and steps follow from public facts alone.

use super::Plan;
use crate::Result;
use crate::learn::train::{DescentSettings, MiddleSettings, PrivateSoftmax};
use crate::privacy::sgd::SgdSettings;

/// T where noise is large, and for long rows.
pub(super) const STEPS: u64 = 40;
/// The most steps, where noise is small.
const MOST_STEPS: f64 = 400.0;
/// `η τ √(d k)` for 40 steps on tables, and on long rows; and the least `η τ`: see the module.
const NOISE_A_STEP: f64 = 0.12;
const NOISE_ON_LONG_ROWS: f64 = 0.16;
const LEAST_NOISE_A_STEP: f64 = 0.004;
/// Up to this rate descent on rows of norm 1 is stable, whatever they are.
const STABLE_RATE: f64 = 7.5;
/// Beyond this it swings on long rows; and noise that allows it no longer limits a linear model.
const LARGEST_RATE: f64 = 32.0;
/// The share of the noise's budget that is for the middle.
const OF_MIDDLE: f64 = 0.1;
/// Rows with more columns are long.
const LONG: usize = 512;
/// Composed one by one, steps may cost a rounding error more than together.
const ROUNDING: f64 = 1.0 + 1e-9;

/// What is learned from rows of so many columns, and how it samples and clips.
///
/// # Errors
/// If there are no classes.
pub(crate) fn learner(
    plan: &Plan,
    columns: usize,
    classes: usize,
) -> Result<(PrivateSoftmax, SgdSettings)> {
    // A constant stands beside the columns.
    let columns = columns + 1;
    let training = SgdSettings { clip_norm: PrivateSoftmax::clip_norm(classes), ..plan.training };
    if columns > LONG {
        let noise = all_steps(&training) * training.clip_norm / training.rows as f64;
        let rate = (allowed(NOISE_ON_LONG_ROWS, columns * classes) / noise).min(LARGEST_RATE);
        let (steps, middle) = (training.steps, MiddleSettings::NONE);
        let settings = DescentSettings { steps, rate, middle };
        return Ok((PrivateSoftmax::new(columns, classes, settings)?, training));
    }
    let (settings, training) = around_middle(training, (columns + 1) * classes);
    Ok((PrivateSoftmax::new(columns, classes, settings)?, training))
}

/// Steps and rate for a table, of whose noise a tenth of the budget is for the middle.
fn around_middle(training: SgdSettings, parameters: usize) -> (DescentSettings, SgdSettings) {
    let (all, people) = (all_steps(&training), training.rows as f64);
    let noise = all / (1.0 - OF_MIDDLE).sqrt() * training.clip_norm / people;
    let wanted = STEPS as f64 * allowed(NOISE_A_STEP, parameters) / noise;
    let steps = (wanted / STABLE_RATE).ceil().clamp(STEPS as f64, MOST_STEPS);
    let middle = (steps * OF_MIDDLE / (1.0 - OF_MIDDLE)).round().max(1.0);
    // T Gaussians of multiplier σ √T are one of multiplier σ.
    let noise_multiplier = all * (steps + middle).sqrt() * ROUNDING;
    let deviation = noise_multiplier / (people * middle.sqrt());
    let settings = DescentSettings {
        steps: steps as u64,
        rate: (wanted / steps).min(STABLE_RATE),
        middle: MiddleSettings { steps: middle as u64, deviation },
    };
    let steps = (steps + middle) as u64;
    (settings, SgdSettings { steps, noise_multiplier, ..training })
}

/// The multiplier of all steps together.
fn all_steps(training: &SgdSettings) -> f64 {
    training.noise_multiplier / (training.steps as f64).sqrt()
}

/// Whether the longest steps add less noise than they may: then the linear model is the limit, and not the noise.
/// `all_steps` is the multiplier of all noise in one step.
pub(super) fn noise_is_small(
    all_steps: f64,
    people: usize,
    columns: usize,
    classes: usize,
) -> bool {
    let noise = all_steps * PrivateSoftmax::clip_norm(classes) / people.max(1) as f64;
    allowed(NOISE_ON_LONG_ROWS, (columns + 1) * classes) / noise > LARGEST_RATE
}

/// `η τ` for so many weights.
fn allowed(noise: f64, parameters: usize) -> f64 {
    (noise / (parameters as f64).sqrt()).max(LEAST_NOISE_A_STEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::event::BatchSampling;
    use crate::privacy::sgd::RowShare;

    fn training(people: u64, all_steps: f64) -> SgdSettings {
        SgdSettings {
            steps: STEPS,
            rows: people,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: 0.7,
            noise_multiplier: all_steps * (STEPS as f64).sqrt(),
        }
    }

    /// Where noise is small there are more steps, never longer ones than are stable; and the price stays.
    #[test]
    fn less_noise_buys_steps_and_not_swings() {
        let mut before = 0;
        for people in [200, 2_000, 20_000, 2_000_000] {
            let asked = training(people, 1.5);
            let (settings, given) = around_middle(asked, 60);
            assert!(settings.rate <= STABLE_RATE && settings.steps >= before, "{settings:?}");
            assert!(settings.steps as f64 <= MOST_STEPS && settings.middle.steps > 0);
            assert_eq!(given.steps, settings.steps + settings.middle.steps);
            let [all, of] = [&given, &asked].map(all_steps);
            assert!(all >= of && all < of * 1.0001, "{all} for {of}");
            before = settings.steps;
        }
    }
}
