//! [`Observer`]: who wants to know how training goes. The library itself prints nothing.

use std::time::Duration;

/// How far training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The epoch just done, from 1.
    pub epoch: usize,
    /// How many epochs there are at most.
    pub epochs: usize,
    /// The mean loss of the epoch.
    pub loss: f64,
    /// The validation metric after the epoch, if there is one.
    pub validation: Option<f64>,
    /// The best validation metric so far.
    pub best: Option<f64>,
    /// The learning rate of the epoch.
    pub learning_rate: f64,
    /// Time since this run started (or went on from a checkpoint).
    pub elapsed: Duration,
    /// Time left if no epoch is spared by early stopping.
    pub remaining: Duration,
}

/// Hears of every epoch. Any `FnMut(&Progress)` is one.
pub trait Observer {
    /// An epoch is done.
    fn epoch(&mut self, progress: &Progress);
}

impl<F: FnMut(&Progress)> Observer for F {
    fn epoch(&mut self, progress: &Progress) {
        self(progress);
    }
}
