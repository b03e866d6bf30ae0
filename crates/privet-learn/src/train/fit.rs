//! [`Fit`]: the training loop.
//!
//! Every epoch visits all examples once, in batches, in an order that is a function of the seed and the
//! epoch. After it, validation decides whether these are the best parameters so far; the best ones are
//! what the model has at the end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use privet_graph::SimRng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::early_stopping::Best;
use super::{
    EarlyStopping, Observer, Optimizer, OptimizerConfig, Progress, Schedule, Trainable, checkpoint,
};
use crate::{Error, Result};

/// How many examples make a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchSize {
    /// All of them.
    Full,
    /// As many, in random order; the last batch of an epoch takes what is left (and is joined to the
    /// one before it if that is a single example, which has no variance to normalise by).
    Examples(usize),
}

/// Settings of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitConfig {
    /// How many epochs at most.
    pub epochs: usize,
    /// How many examples make a step.
    pub batch: BatchSize,
    /// The learning rate at the start.
    pub learning_rate: f64,
    /// How it changes.
    pub schedule: Schedule,
    /// How gradients become steps.
    pub optimizer: OptimizerConfig,
    /// When to stop early; needs validation.
    pub early_stopping: Option<EarlyStopping>,
    /// Decides the order of examples.
    pub seed: u64,
}

impl Default for FitConfig {
    fn default() -> Self {
        Self {
            epochs: 200,
            batch: BatchSize::Full,
            learning_rate: 0.01,
            schedule: Schedule::default(),
            optimizer: OptimizerConfig::default(),
            early_stopping: None,
            seed: 0,
        }
    }
}

/// What an epoch gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpochRecord {
    /// The mean loss.
    pub loss: f64,
    /// The validation metric afterwards, if there is one.
    pub validation: Option<f64>,
}

/// What training gave.
#[derive(Debug, Clone, PartialEq)]
pub struct FitReport {
    /// Every epoch done.
    pub history: Vec<EpochRecord>,
    /// The best validation metric, whose parameters the model has; `None` without validation.
    pub best_metric: Option<f64>,
    /// The epoch that reached it, from 1.
    pub best_epoch: Option<usize>,
}

/// Where a run is.
pub(super) struct State {
    pub epoch: usize,
    /// Batches done in this epoch, and the sum of their losses over examples.
    pub batch: usize,
    pub loss_sum: f64,
    pub step: u64,
    pub stopped: bool,
    pub optimizer: Box<dyn Optimizer>,
    pub best: Option<Best>,
    pub history: Vec<EpochRecord>,
}

/// A training run to be: settings, and who watches it.
pub struct Fit<'a> {
    config: FitConfig,
    observer: Option<&'a mut dyn Observer>,
    interrupt: Option<&'a AtomicBool>,
    checkpoint: Option<(PathBuf, usize)>,
}

impl<'a> Fit<'a> {
    /// A run that nobody watches.
    pub fn new(config: FitConfig) -> Self {
        Self { config, observer: None, interrupt: None, checkpoint: None }
    }

    /// Tells `observer` of every epoch.
    pub fn observer(mut self, observer: &'a mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Stops with [`Error::Interrupted`] before the next batch once `flag` is set, leaving a checkpoint
    /// if the run keeps one.
    pub fn interrupt(mut self, flag: &'a AtomicBool) -> Self {
        self.interrupt = Some(flag);
        self
    }

    /// Keeps a checkpoint in a file, written every so many epochs, on an interrupt and at the end; goes
    /// on from the file if it exists.
    pub fn checkpoint(mut self, path: impl AsRef<Path>, every_epochs: usize) -> Self {
        self.checkpoint = Some((path.as_ref().to_owned(), every_epochs.max(1)));
        self
    }

    /// Trains.
    ///
    /// # Errors
    /// If the settings make no sense, the loss diverges, somebody interrupts, or a checkpoint cannot be
    /// written, read, or is that of another run.
    pub fn run(mut self, task: &mut dyn Trainable) -> Result<FitReport> {
        let mut order = self.check(task)?;
        let mut state = self.start(task)?;
        let (begun, first) = (Instant::now(), state.epoch);
        while state.epoch < self.config.epochs && !state.stopped {
            self.run_epoch(task, &mut state, &mut order)?;
            self.close_epoch(task, &mut state, order.len())?;
            self.tell(&state, begun, first);
            if let Some((path, every)) = &self.checkpoint {
                let last = state.epoch == self.config.epochs || state.stopped;
                if last || state.epoch.is_multiple_of(*every) {
                    checkpoint::save(path, &self.config, &state, task)?;
                }
            }
        }
        if let Some(best) = &state.best {
            task.parameters_mut().restore(&best.snapshot)?;
        }
        Ok(FitReport {
            history: state.history,
            best_metric: state.best.as_ref().map(|best| best.metric),
            best_epoch: state.best.as_ref().map(|best| best.epoch),
        })
    }

    /// Checks the settings; returns room for the order of the examples.
    fn check(&self, task: &dyn Trainable) -> Result<Vec<u32>> {
        let rate = self.config.learning_rate;
        if !rate.is_finite() || rate <= 0.0 {
            return Err(Error::invalid("learning rate", rate, "a number above 0"));
        }
        if self.config.batch == BatchSize::Examples(0) {
            return Err(Error::invalid("batch size", 0, "at least 1"));
        }
        match u32::try_from(task.examples()) {
            Ok(0) => Err(Error::invalid("examples to train on", 0, "at least 1")),
            Ok(count) => Ok((0..count).collect()),
            Err(_) => Err(Error::invalid("examples to train on", task.examples(), "below 2^32")),
        }
    }

    fn start(&self, task: &mut dyn Trainable) -> Result<State> {
        if let Some((path, _)) = self.checkpoint.as_ref().filter(|(path, _)| path.exists()) {
            return checkpoint::resume(path, &self.config, task);
        }
        Ok(State {
            epoch: 0,
            batch: 0,
            loss_sum: 0.0,
            step: 0,
            stopped: false,
            optimizer: self.config.optimizer.build()?,
            best: None,
            history: Vec::new(),
        })
    }

    fn learning_rate(&self, epoch: usize) -> f64 {
        self.config.learning_rate * self.config.schedule.factor(epoch, self.config.epochs)
    }

    /// Runs the batches that the epoch still has.
    fn run_epoch(
        &mut self,
        task: &mut dyn Trainable,
        state: &mut State,
        order: &mut [u32],
    ) -> Result<()> {
        let size = match self.config.batch {
            BatchSize::Full => order.len(),
            BatchSize::Examples(size) => {
                // From the same start every time, so that the order is that of the epoch alone.
                order.iter_mut().zip(0..).for_each(|(example, at)| *example = at);
                order.shuffle(&mut SimRng::stream(self.config.seed, state.epoch as u64));
                size.min(order.len())
            }
        };
        let rate = self.learning_rate(state.epoch);
        while let Some(picked) = batch(order, size, state.batch) {
            self.stop_if_asked(task, state)?;
            task.parameters_mut().clear_gradients();
            let loss = task.train(picked, state.step)?;
            if !loss.is_finite() {
                return Err(Error::Diverged { what: "loss", found: loss, epoch: state.epoch + 1 });
            }
            state.optimizer.step(task.parameters_mut(), rate);
            state.loss_sum += loss * picked.len() as f64;
            state.step += 1;
            state.batch += 1;
        }
        Ok(())
    }

    fn stop_if_asked(&self, task: &dyn Trainable, state: &State) -> Result<()> {
        if !self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(());
        }
        if let Some((path, _)) = &self.checkpoint {
            checkpoint::save(path, &self.config, state, task)?;
        }
        Err(Error::Interrupted)
    }

    fn close_epoch(
        &self,
        task: &mut dyn Trainable,
        state: &mut State,
        examples: usize,
    ) -> Result<()> {
        state.epoch += 1;
        check_finite(task, state.epoch)?;
        let validation = task.validate()?;
        if let Some(metric) = validation {
            Best::consider(&mut state.best, metric, state.epoch, task.parameters());
        }
        if let (Some(best), Some(stopping)) = (&state.best, self.config.early_stopping) {
            state.stopped = best.is_stale(state.epoch, stopping);
        }
        state.history.push(EpochRecord { loss: state.loss_sum / examples as f64, validation });
        (state.batch, state.loss_sum) = (0, 0.0);
        Ok(())
    }

    fn tell(&mut self, state: &State, begun: Instant, first: usize) {
        let (Some(observer), Some(last)) = (&mut self.observer, state.history.last()) else {
            return;
        };
        let elapsed = begun.elapsed();
        let left = (self.config.epochs - state.epoch) as f64;
        let remaining = elapsed.mul_f64(left / (state.epoch - first).max(1) as f64);
        let rate = self.config.schedule.factor(state.epoch - 1, self.config.epochs);
        observer.epoch(&Progress {
            epoch: state.epoch,
            epochs: self.config.epochs,
            loss: last.loss,
            validation: last.validation,
            best: state.best.as_ref().map(|best| best.metric),
            learning_rate: self.config.learning_rate * rate,
            elapsed,
            remaining,
        });
    }
}

/// The batch of a number, or none if the epoch is over.
fn batch(order: &[u32], size: usize, number: usize) -> Option<&[u32]> {
    let start = number.checked_mul(size)?;
    let left = order.get(start..).filter(|left| !left.is_empty())?;
    // A single example at the end belongs to the batch before it.
    if left.len() == 1 && number > 0 && size > 1 {
        return None;
    }
    let joined = if left.len() == size + 1 && size > 1 { size + 1 } else { size };
    Some(&left[..joined.min(left.len())])
}

fn check_finite(task: &dyn Trainable, epoch: usize) -> Result<()> {
    let mut bad = None;
    task.parameters().visit(&mut |parameter| {
        // A sum is not finite if one of its terms is not; overflow of the sum is a near miss, looked
        // at more closely.
        let sum: f32 = parameter.value.values().iter().map(|v| v * 0.0).sum();
        if sum != 0.0 || sum.is_nan() {
            bad = parameter.value.values().iter().copied().find(|v| !v.is_finite()).or(bad);
        }
    });
    match bad {
        None => Ok(()),
        Some(found) => Err(Error::Diverged { what: "a parameter", found: found.into(), epoch }),
    }
}

#[cfg(test)]
mod tests;
