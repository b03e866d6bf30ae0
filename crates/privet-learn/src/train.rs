//! Training: optimizers, schedules, early stopping, and the loop that brings them together.

mod adam;
mod dp_sgd;
mod fit;
mod optimizer;
mod sgd;
mod watch;

pub use adam::{Adam, AdamConfig};
pub use dp_sgd::{
    AggregatedRows, CentredTraining, ClassSums, Descent, DescentSettings, LabelledRows,
    MiddleSettings, PrivateCentredNetwork, PrivateMlp, PrivateNetwork, PrivateSoftmax, PrivateSums,
    PrivateTopK, PrivatelyTrained, SecretRows,
};
pub use fit::{BatchSize, EarlyStopping, EpochRecord, Fit, FitConfig, FitReport, Schedule};
pub use optimizer::{Optimizer, OptimizerConfig, WeightDecay};
pub use sgd::{Sgd, SgdConfig};
pub use watch::{NoWatch, Watch, WatchedLearner};

use crate::Result;
use crate::parameters::Parameters;

/// Something that learns from numbered examples.
pub trait Trainable {
    /// How many examples there are to train on.
    fn examples(&self) -> usize;

    /// Adds the gradient of the mean loss over some examples to the gradients, and returns that loss.
    /// `step` numbers the batches of a run; all randomness must be a function of it, so that a run can be
    /// repeated.
    ///
    /// # Errors
    /// If something about the examples is wrong.
    fn train(&mut self, picked: &[u32], step: u64) -> Result<f64>;

    /// How good the model is on examples held out, the higher the better; `None` if there are none.
    ///
    /// # Errors
    /// If something about the examples is wrong.
    fn validate(&mut self) -> Result<Option<f64>>;

    /// What is learnt.
    fn parameters(&self) -> &dyn Parameters;

    /// What is learnt, to change.
    fn parameters_mut(&mut self) -> &mut dyn Parameters;
}
