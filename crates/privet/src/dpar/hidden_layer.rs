//! A network of one hidden layer by DP-SGD: what trains on people's own rows once noise no longer limits a linear model.
//!
//! # When
//! `gradient_descent` takes longer steps the smaller the noise is, up to the longest with which
//! descent does not swing. From there on more people or more epsilon buy a linear model nothing: the model is the limit.
//! [`fits`] is that condition, for tables of few columns; a hidden layer has more weights, and noise enough for a
//! linear model is too much for it before.
//!
//! # Settings
//! Of 620 steps each reads a tenth of the people, 5,000 at most; the first 20 are for the mean row, and the network reads
//! rows around it ([`MiddleSettings`]). The settings and the condition were chosen on people drawn from Gaussian classes (equal
//! covariances, own covariances, three groups a class) and on skewed columns (3,000 to 200,000 people, 8 to 60 columns, 2
//! to 10 classes, epsilon 1 to 6). Where the condition holds, the hidden layer is within a point of the linear model on classes
//! that a plane separates, and up to 20 points over it on others. No benchmark had a part in it.
//!
//! # Guarantee
//! That of `dp-sgd` with one row a person: the rows are those of gradient descent, and all settings follow from public facts.

use super::gradient_descent;
use crate::Result;
use crate::learn::models::MlpConfig;
use crate::learn::train::{MiddleSettings, OptimizerConfig, PrivateCentredNetwork};
use crate::privacy::event::BatchSampling;
use crate::privacy::sgd::SgdSettings;

/// Units of the layer.
const WIDTH: usize = 64;
/// T.
const STEPS: u64 = 600;
/// How many more are for the middle.
const MIDDLE: u64 = 20;
/// The share of people that a step reads, if that is not more than [`LARGEST_BATCH`] people.
const SHARE: f64 = 0.1;
const LARGEST_BATCH: f64 = 5000.0;
/// Adam's rate.
const RATE: f64 = 0.02;
/// More columns were not tried.
const MOST_COLUMNS: usize = 128;

/// Whether a linear model of so many people no longer suffers from noise with this multiplier, all of it in one step.
pub(crate) fn fits(noise_multiplier: f64, people: usize, columns: usize, classes: usize) -> bool {
    columns <= MOST_COLUMNS
        && gradient_descent::noise_is_small(noise_multiplier, people, columns, classes)
}

/// How training samples and clips.
pub(super) fn training(settings: SgdSettings) -> SgdSettings {
    let share = SHARE.min(LARGEST_BATCH / settings.rows.max(1) as f64);
    let batch = BatchSampling::Poisson { rate: share };
    SgdSettings { steps: STEPS + MIDDLE, batch, clip_norm: 1.0, ..settings }
}

/// What is learned from rows of so many columns.
///
/// # Errors
/// If there are no columns or no classes.
pub(crate) fn learner(
    training: &SgdSettings,
    columns: usize,
    classes: usize,
    seed: u64,
) -> Result<PrivateCentredNetwork> {
    // A constant stands beside the columns.
    let network = MlpConfig::new(columns + 1, classes);
    let network = MlpConfig { hidden: vec![WIDTH], dropout: 0.0, seed, ..network };
    let (noise, batch) = (training.noise_multiplier, training.expected_batch());
    let deviation = PrivateCentredNetwork::deviation(noise, batch, MIDDLE);
    let middle = MiddleSettings { steps: MIDDLE, deviation };
    Ok(PrivateCentredNetwork::new(network, OptimizerConfig::default(), RATE, middle)?)
}
