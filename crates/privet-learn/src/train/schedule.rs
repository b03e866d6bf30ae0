//! [`Schedule`]: how the learning rate changes from epoch to epoch.

use serde::{Deserialize, Serialize};

/// How the learning rate changes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Not at all.
    #[default]
    Constant,
    /// Multiplied by `factor` after every `every` epochs.
    Step {
        /// Epochs between changes.
        every: usize,
        /// What the rate is multiplied by.
        factor: f64,
    },
    /// Along half a cosine, from the full rate to zero at the end.
    Cosine,
}

impl Schedule {
    /// What the learning rate is multiplied by in `epoch` (from 0) of `epochs`.
    ///
    /// ```
    /// use privet_learn::train::Schedule;
    /// let halving = Schedule::Step { every: 10, factor: 0.5 };
    /// assert_eq!([0, 9, 10, 25].map(|epoch| halving.factor(epoch, 30)), [1.0, 1.0, 0.5, 0.25]);
    /// assert!((Schedule::Cosine.factor(15, 30) - 0.5).abs() < 1e-12);
    /// ```
    pub fn factor(self, epoch: usize, epochs: usize) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Step { every, factor } => factor.powf((epoch / every.max(1)) as f64),
            Self::Cosine => {
                let done = epoch as f64 / epochs.max(1) as f64;
                0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
        }
    }
}
