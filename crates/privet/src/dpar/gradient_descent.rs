//! Softmax regression by full-batch gradient descent with noise: what trains on people's own rows in most cases.
//!
//! # Why few large steps
//! With batches of all rows each of T steps adds a Gaussian to the sum of clipped gradients, and the accountant composes T
//! Gaussians of multiplier `σ √T` into one of multiplier σ exactly: how many steps share the noise costs nothing. Small random
//! batches cost more noise for the same epsilon, and an optimizer that rescales columns (Adam) amplifies columns
//! that hold nothing but noise.
//!
//! # The rate
//! The mean gradient of `n` rows carries noise of norm `τ √T` with `τ = σ C √(d k) / n`, for d columns, k classes and
//! gradients clipped to C; τ is public. The noise that T steps of rate η leave in the weights has a norm in proportion to
//! `η τ T`. [`rate`] keeps `η τ` at one number, so that noise moves scores by as much as they can bear however many people
//! there are, up to the largest rate at which descent without noise does not swing.
//!
//! The number and the steps were chosen on generated data (Gaussian classes and word counts, 200 to 8,000 people, 5 to 150
//! columns, 2 to 10 classes, epsilon 0.5 to 8); no score of a benchmark's people who are classified had a part in it.
//!
//! # Guarantee
//! That of `dp-sgd` with one row a person ([`PrivateSoftmax`]): rate and steps follow from public facts alone.

use super::Plan;
use crate::Result;
use crate::learn::train::{DescentSettings, PrivateSoftmax};
use crate::privacy::sgd::SgdSettings;

/// T: enough to converge where noise is small, and little where it is large, since the rate falls with noise.
pub(super) const STEPS: u64 = 40;
/// `η τ`: see the module.
const NOISE_A_STEP: f64 = 0.16;
/// Beyond this descent on rows of norm 1 swings.
const LARGEST_RATE: f64 = 16.0;

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

/// `η`, where `η τ` is one number.
fn rate(training: &SgdSettings, columns: usize, classes: usize) -> f64 {
    // All steps together cost what one with this multiplier costs.
    let alone = training.noise_multiplier / (training.steps as f64).sqrt();
    let parameters = (columns * classes) as f64;
    let noise = alone * training.clip_norm * parameters.sqrt() / training.rows as f64;
    (NOISE_A_STEP / noise).min(LARGEST_RATE)
}
