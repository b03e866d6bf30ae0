//! Softmax regression by full-batch gradient descent with noise: what trains on people's own rows in most cases.
//!
//! # Why few large steps
//! With batches of all rows each of T steps adds a Gaussian to the sum of clipped gradients, and the accountant composes T
//! Gaussians of multiplier `σ √T` into one of multiplier σ exactly: how many steps share the noise costs nothing. Small random
//! batches cost more noise for the same epsilon, and an optimizer that rescales columns (Adam) amplifies columns
//! that hold nothing but noise.
//!
//! # The rate
//! In one direction of the rows, the mean gradient of n rows carries noise of deviation `τ = σ C / n`, for gradients clipped
//! to C and the multiplier σ of all steps together; τ is public. The noise that T steps of rate η leave in the score of a
//! row of norm 1 is in proportion to `η τ T`, however many columns there are. What a step moves a score by depends on how
//! many directions rows share: `√(d k)` for d columns and k classes bounds it. [`rate`] lets `η τ` be `0.16 / √(d k)`, which
//! suits tables of few columns, and at least 0.004, which suits long sparse rows, up to the largest rate at which descent
//! without noise does not swing.
//!
//! The numbers and the steps were chosen on generated data (Gaussian classes and word counts, 200 to 8,000 people, 5 to 150
//! columns, 2 to 10 classes, epsilon 0.5 to 8) and on validation people of Cora-ML, Citeseer, Pubmed and CS
//! (`dpar_search NAME EPSILON DELTA rule`); no score of a benchmark's test people had a part in it.
//!
//! # Guarantee
//! That of `dp-sgd` with one row a person ([`PrivateSoftmax`]): rate and steps follow from public facts alone.

use super::Plan;
use crate::Result;
use crate::learn::train::{DescentSettings, PrivateSoftmax};
use crate::privacy::sgd::SgdSettings;

/// T: enough to converge where noise is small, and little where it is large, since the rate falls with noise.
pub(super) const STEPS: u64 = 40;
/// `η τ √(d k)` for tables of few columns, and the least `η τ`: see the module.
const NOISE_A_STEP: f64 = 0.16;
const LEAST_NOISE_A_STEP: f64 = 0.004;
/// Beyond this descent on rows of norm 1 swings.
const LARGEST_RATE: f64 = 32.0;

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
    let rate = rate(&training, columns, classes);
    let settings = DescentSettings { steps: training.steps, rate };
    Ok((PrivateSoftmax::new(columns, classes, settings)?, training))
}

/// η, by the noise that a step may add to a score.
fn rate(training: &SgdSettings, columns: usize, classes: usize) -> f64 {
    let parameters = (columns * classes) as f64;
    let allowed = (NOISE_A_STEP / parameters.sqrt()).max(LEAST_NOISE_A_STEP);
    (allowed / noise_of_mean(training)).min(LARGEST_RATE)
}

/// τ: the deviation of the noise on the mean gradient in one direction.
fn noise_of_mean(training: &SgdSettings) -> f64 {
    // All T steps together cost what one with this multiplier costs.
    let all_steps = training.noise_multiplier / (training.steps as f64).sqrt();
    all_steps * training.clip_norm / training.rows as f64
}
