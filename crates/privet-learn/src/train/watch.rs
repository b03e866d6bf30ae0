//! [`Watch`]: observes how far a training is, and may stop it; [`WatchedLearner`] does the same for private training.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};

use privet_privacy::sgd::{Factors, Layer, Learner, NoisyGradient};
use privet_privacy::{FirstParty, PublicShape};

/// Watches something that takes long. A flag is enough where it only has to be stopped.
pub trait Watch: Debug + Sync {
    /// Whether to stop: asked before every batch.
    fn stops(&self) -> bool {
        false
    }

    /// So many epochs, or steps of private training, are done, of so many at most.
    fn sees(&self, _done: usize, _of: usize) {}
}

impl Watch for AtomicBool {
    fn stops(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// No watch: never stops, reports nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoWatch;

impl Watch for NoWatch {}

/// A learner whose steps are reported to a [`Watch`], which is asked before every one whether to stop.
///
/// How many steps there are is public, and a watch sees nothing else.
#[derive(Debug, Clone, Copy)]
pub struct WatchedLearner<'a, L> {
    learner: L,
    watch: &'a dyn Watch,
}

impl<'a, L> WatchedLearner<'a, L> {
    /// The learner, observed by `watch`.
    pub fn new(learner: L, watch: &'a dyn Watch) -> Self {
        Self { learner, watch }
    }
}

impl<L: Learner> FirstParty for WatchedLearner<'_, L> {
    const AUDITED: bool = L::AUDITED;
}

impl<L: Learner> Learner for WatchedLearner<'_, L> {
    type Data = L::Data;
    type Parameters = L::Parameters;

    fn row_count(&self, shape: &<L::Data as PublicShape>::Shape) -> usize {
        self.learner.row_count(shape)
    }

    fn layers(&self) -> Vec<Layer> {
        self.learner.layers()
    }

    fn initial(&self) -> L::Parameters {
        self.learner.initial()
    }

    fn factors(&self, parameters: &L::Parameters, data: &L::Data, rows: &[u32]) -> Vec<Factors> {
        self.learner.factors(parameters, data, rows)
    }

    fn step(&self, parameters: &mut L::Parameters, gradient: &NoisyGradient) {
        self.learner.step(parameters, gradient);
    }

    fn goes_on(&self, taken: u64, of: u64) -> bool {
        self.watch.sees(taken as usize, of as usize);
        !self.watch.stops() && self.learner.goes_on(taken, of)
    }
}
