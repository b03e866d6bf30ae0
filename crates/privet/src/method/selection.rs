//! Which method fits whole people, by public facts alone: `run dpar`, `privet train`, `tune` and `plan` share it.

use super::Method;
use crate::Result;
use crate::dpar::hidden_layer;
use crate::privacy::Loss;
use crate::privacy::accountant::{AnalyticGaussian, calibrate};
use crate::privacy::event::Event;

/// The norm of the noise on the mean of all rows, beside rows of norm 1, from which sums by class do better than gradient
/// descent if there are more columns than people: between epsilon 4 (0.030) and 8 (0.017) on Cora-ML and Citeseer
/// (docs/results/dpar.md).
const LARGE_NOISE: f64 = 0.02;

impl Method {
    /// What does best with so many people to train on, such rows and such a promise, as far as public facts tell.
    ///
    /// Gradient descent on all rows is the most accurate where noise is the limit; where the linear model is, a hidden layer
    /// (`dpar/hidden_layer.rs`). Where rows are long, people are few and noise is large, a gradient has more directions than people fill, and one noisy sum a class, whose answers are then drawn
    /// together among the people who ask ([`likeness`](crate::dpar::likeness)), loses less to noise.
    ///
    /// # Errors
    /// If no noise keeps the promise.
    pub fn for_people(target: Loss, people: usize, columns: usize, classes: usize) -> Result<Self> {
        let event = |noise_multiplier| Event::Gaussian { noise_multiplier };
        let noise = calibrate::noise_multiplier(&AnalyticGaussian, target, event)?;
        let on_mean = noise * (columns as f64).sqrt() / people.max(1) as f64;
        let sums = columns > people && on_mean > LARGE_NOISE;
        Ok(match sums {
            true => Self::ClassSums,
            false if hidden_layer::fits(noise, people, columns, classes) => Self::HiddenLayer,
            false => Self::GradientDescent,
        })
    }
}
