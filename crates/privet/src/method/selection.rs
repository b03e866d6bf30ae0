//! Which method fits whole people, by public facts alone: `run dpar`, `privet train`, `tune` and `plan` share it.

use super::Method;
use crate::Result;
use crate::privacy::Loss;
use crate::privacy::accountant::{AnalyticGaussian, calibrate};
use crate::privacy::event::Event;

/// How long noise on the mean of everybody's rows may be, beside rows of length 1, before training finds less than sums do:
/// between Cora-ML at epsilon 2 (0.03), where sums do much better, and a table of 26 columns and 1,200 people at 1 (0.018),
/// where training does (docs/results/dpar.md).
const MUCH_NOISE: f64 = 0.02;
/// The same on the mean of the rows of one class, of as many people as there are on average: between CS at epsilon 1 (0.22),
/// where training does better, and 960 made-up people in 40 classes at 4 (0.4), where sums do by far (docs/results/dpar.md).
const MUCH_NOISE_ON_A_CLASS: f64 = 0.3;

impl Method {
    /// What does best with so many people to train on, such rows, so many classes and such a promise, as far as public facts
    /// tell: sums where noise is large, training on features where it is small.
    ///
    /// # Errors
    /// If no noise keeps the promise.
    pub fn for_people(target: Loss, people: usize, columns: usize, classes: usize) -> Result<Self> {
        let event = |noise_multiplier| Event::Gaussian { noise_multiplier };
        let noise = calibrate::noise_multiplier(&AnalyticGaussian, target, event)?;
        let on_mean = noise * (columns as f64).sqrt() / people.max(1) as f64;
        let much = on_mean > MUCH_NOISE || on_mean * classes as f64 > MUCH_NOISE_ON_A_CLASS;
        Ok(if much { Self::ClassSums } else { Self::SmoothedSgd })
    }
}
