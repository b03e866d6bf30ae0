//! [`Fit`]: the training loop, with its [`Schedule`] of learning rates and [`EarlyStopping`].
//!
//! Every epoch visits all examples once, in batches, in an order that is a function of the seed and the
//! epoch. After it, validation decides whether these are the best parameters so far; the best ones are
//! what the model has at the end.

use privet_graph::SimRng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{NoWatch, Optimizer, OptimizerConfig, Trainable, Watch};
use crate::parameters::{Parameters, Snapshot};
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
struct FitState {
    epoch: usize,
    step: u64,
    stopped: bool,
    optimizer: Box<dyn Optimizer>,
    best: Option<BestEpoch>,
    history: Vec<EpochRecord>,
}

/// A training run to be: settings, and who watches.
pub struct Fit<'a> {
    config: FitConfig,
    watch: &'a dyn Watch,
}

impl<'a> Fit<'a> {
    /// A run without a watch.
    pub fn new(config: FitConfig) -> Self {
        Self { config, watch: &NoWatch }
    }

    /// The same with a watch: it hears of every epoch, and stops the run with [`Error::Interrupted`] before the
    /// next batch.
    #[must_use]
    pub fn watched_by(self, watch: &'a dyn Watch) -> Self {
        Self { watch, ..self }
    }

    /// Trains.
    ///
    /// # Errors
    /// If the settings make no sense, the loss diverges, or the watch stops the run.
    pub fn run(self, task: &mut dyn Trainable) -> Result<FitReport> {
        let mut order = self.check(task)?;
        let mut state = FitState {
            epoch: 0,
            step: 0,
            stopped: false,
            optimizer: self.config.optimizer.build()?,
            best: None,
            history: Vec::new(),
        };
        while state.epoch < self.config.epochs && !state.stopped {
            let loss_sum = self.run_epoch(task, &mut state, &mut order)?;
            self.close_epoch(task, &mut state, loss_sum / order.len() as f64)?;
            self.watch.sees(state.epoch, self.config.epochs);
        }
        // The weights of the best validation metric, not those of the last epoch.
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

    fn learning_rate(&self, epoch: usize) -> f64 {
        self.config.learning_rate * self.config.schedule.factor(epoch, self.config.epochs)
    }

    /// Runs the batches of an epoch; returns the sum of their losses over examples.
    fn run_epoch(
        &self,
        task: &mut dyn Trainable,
        state: &mut FitState,
        order: &mut [u32],
    ) -> Result<f64> {
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
        let mut loss_sum = 0.0;
        for picked in (0..).map_while(|number| batch(order, size, number)) {
            // Asked before every batch, so that a stop takes at most one batch.
            if self.watch.stops() {
                return Err(Error::Interrupted);
            }
            task.parameters_mut().clear_gradients();
            let loss = task.train(picked, state.step)?;
            if !loss.is_finite() {
                return Err(Error::Diverged { what: "loss", found: loss, epoch: state.epoch + 1 });
            }
            state.optimizer.step(task.parameters_mut(), rate);
            // A mean over the epoch weighs batches by their examples: the last one may be shorter.
            loss_sum += loss * picked.len() as f64;
            state.step += 1;
        }
        Ok(loss_sum)
    }

    fn close_epoch(&self, task: &mut dyn Trainable, state: &mut FitState, loss: f64) -> Result<()> {
        state.epoch += 1;
        // A loss can be finite while a parameter is not: both are checked, so that no broken model is returned.
        check_finite(task, state.epoch)?;
        let validation = task.validate()?;
        if validation.is_none() && self.config.early_stopping.is_some() {
            return Err(Error::invalid(
                "labels in the validation part of the split",
                "none",
                "a few, to tell when training is over: more labelled people, or another split",
            ));
        }
        if let Some(metric) = validation {
            BestEpoch::consider(&mut state.best, metric, state.epoch, task.parameters());
        }
        if let (Some(best), Some(stopping)) = (&state.best, self.config.early_stopping) {
            state.stopped = best.is_stale(state.epoch, stopping);
        }
        state.history.push(EpochRecord { loss, validation });
        Ok(())
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
        // Zero times a number is zero if and only if the number is finite, and adding vectorises.
        let sum: f32 = parameter.value.values().iter().map(|v| v * 0.0).sum();
        if sum != 0.0 {
            bad = parameter.value.values().iter().copied().find(|v| !v.is_finite()).or(bad);
        }
    });
    match bad {
        None => Ok(()),
        Some(found) => Err(Error::Diverged { what: "a parameter", found: found.into(), epoch }),
    }
}

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
                // Loshchilov and Hutter (2017), eq. 5, without restarts and with a least rate of 0.
                0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
        }
    }
}

/// When to stop early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyStopping {
    /// How many epochs without a better validation metric are one too many.
    pub patience: usize,
}

/// The best epoch so far.
#[derive(Debug, Clone, PartialEq)]
struct BestEpoch {
    pub metric: f64,
    pub epoch: usize,
    pub snapshot: Snapshot,
}

impl BestEpoch {
    /// Keeps the parameters if they are better than the best so far; the first of equals counts.
    pub fn consider(best: &mut Option<Self>, metric: f64, epoch: usize, model: &dyn Parameters) {
        // Strictly better: of equal epochs the first stays, which saw the data least often.
        let better = best.as_ref().is_none_or(|best| metric > best.metric);
        if !better {
            return;
        }
        match best {
            Some(best) => {
                (best.metric, best.epoch) = (metric, epoch);
                let mut kept = best.snapshot.values.iter_mut();
                // The same tensors as before, so their memory is used again.
                model.visit(&mut |parameter| {
                    if let Some((_, value)) = kept.next() {
                        value.values_mut().copy_from_slice(parameter.value.values());
                    }
                });
            }
            None => *best = Some(Self { metric, epoch, snapshot: model.snapshot() }),
        }
    }

    /// Whether `epoch`, just done, was one too many.
    pub fn is_stale(&self, epoch: usize, stopping: EarlyStopping) -> bool {
        epoch - self.epoch >= stopping.patience.max(1)
    }
}

#[cfg(test)]
mod tests {
    //! Runs that learn, stop early, and are interrupted.

    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, Ordering};

    use privet_graph::{DenseMatrix, Labels};

    use super::*;
    use crate::finite_differences::filled;
    use crate::models::{Classification, Mlp, MlpConfig, Network};
    use crate::parameters::{Parameters, Snapshot};
    use crate::train::{AdamConfig, SgdConfig, WeightDecay};

    const ROWS: usize = 90;

    /// Three classes by the largest of three coordinates, in the company of noise.
    fn data() -> (DenseMatrix, Labels) {
        let rows = filled(ROWS, 6, 11);
        let class = |row: usize| {
            let r = rows.row(row);
            (0..3).max_by(|&a, &b| r[a].total_cmp(&r[b])).map(|class| class as i64)
        };
        let labels = Labels::from_integers(&(0..ROWS).map(class).collect::<Vec<_>>()).unwrap();
        (rows, labels)
    }

    fn mlp() -> Mlp {
        Mlp::new(MlpConfig { hidden: vec![16], dropout: 0.2, seed: 5, ..MlpConfig::new(6, 3) })
            .unwrap()
    }

    fn config() -> FitConfig {
        FitConfig {
            epochs: 12,
            batch: BatchSize::Examples(16),
            schedule: Schedule::Cosine,
            optimizer: OptimizerConfig::Adam(AdamConfig {
                weight_decay: WeightDecay::L2(1e-4),
                ..AdamConfig::default()
            }),
            seed: 3,
            ..FitConfig::default()
        }
    }

    /// Runs with whatever `setup` adds; returns the outcome and the parameters.
    fn run<'a>(
        config: FitConfig,
        setup: impl FnOnce(Fit<'a>) -> Fit<'a>,
    ) -> (Result<FitReport>, Snapshot) {
        let (rows, labels) = data();
        let (train, validation): (Vec<u32>, Vec<u32>) =
            (0..ROWS as u32).partition(|row| row % 3 != 0);
        let mut model = mlp();
        let mut task =
            Classification::new(&mut model, (&rows).into(), &labels, &train, &validation).unwrap();
        let report = setup(Fit::new(config)).run(&mut task);
        (report, model.snapshot())
    }

    #[test]
    fn it_learns() {
        let report = run(FitConfig { epochs: 60, ..config() }, |fit| fit).0.unwrap();
        assert_eq!(report.history.len(), 60);
        assert!(report.history[59].loss < 0.5 * report.history[0].loss);
        assert!(report.best_metric.unwrap() > 0.8, "{report:?}");
    }

    #[test]
    fn the_model_has_the_parameters_of_the_best_epoch() {
        let (rows, labels) = data();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        let (train, validation) = all.split_at(45);
        let mut model = mlp();
        let mut task =
            Classification::new(&mut model, (&rows).into(), &labels, train, validation).unwrap();
        let stopping = Some(EarlyStopping { patience: 4 });
        let long =
            FitConfig { epochs: 500, early_stopping: stopping, learning_rate: 0.05, ..config() };
        let report = Fit::new(long).run(&mut task).unwrap();
        let best = report.best_epoch.unwrap();
        assert_eq!(report.history.len(), best + 4, "stopped four epochs after the best");
        let predicted = model.predict((&rows).into(), validation);
        let truth: Vec<u32> = validation.iter().map(|&item| labels.class(item).unwrap()).collect();
        assert_eq!(crate::metrics::accuracy(&predicted, &truth), report.best_metric);
        assert_eq!(report.history[best - 1].validation, report.best_metric);
    }

    #[test]
    fn the_same_bytes_on_any_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (report, snapshot) = pool.install(|| run(config(), |fit| fit));
            (report.unwrap(), snapshot)
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }

    /// Sets the flag while a batch is trained, as another thread might at any moment.
    struct Stopping<'a> {
        task: &'a mut dyn Trainable,
        flag: &'a AtomicBool,
        after: usize,
    }

    impl Trainable for Stopping<'_> {
        fn examples(&self) -> usize {
            self.task.examples()
        }

        fn train(&mut self, picked: &[u32], step: u64) -> Result<f64> {
            self.after -= 1;
            self.flag.store(self.after == 0, Ordering::Relaxed);
            self.task.train(picked, step)
        }

        fn validate(&mut self) -> Result<Option<f64>> {
            self.task.validate()
        }

        fn parameters(&self) -> &dyn Parameters {
            self.task.parameters()
        }

        fn parameters_mut(&mut self) -> &mut dyn Parameters {
            self.task.parameters_mut()
        }
    }

    #[test]
    fn an_interrupted_run_stops_before_the_next_batch() {
        let (rows, labels) = data();
        let mut model = mlp();
        let all: Vec<u32> = (0..ROWS as u32).collect();
        let mut task = Classification::new(&mut model, (&rows).into(), &labels, &all, &[]).unwrap();
        let flag = AtomicBool::new(false);
        // The fourth batch would be one too many: it would count below zero.
        let mut stopping = Stopping { task: &mut task, flag: &flag, after: 3 };
        let stopped = Fit::new(config()).watched_by(&flag).run(&mut stopping);
        assert!(matches!(stopped, Err(Error::Interrupted)));
        assert_eq!(stopping.after, 0);
    }

    /// Records what it sees.
    #[derive(Debug, Default)]
    struct Diary(Mutex<Vec<(usize, usize)>>);

    impl Watch for Diary {
        fn sees(&self, done: usize, of: usize) {
            self.0.lock().unwrap().push((done, of));
        }
    }

    #[test]
    fn a_watch_hears_of_every_epoch() {
        let diary = Diary::default();
        let config = FitConfig { epochs: 3, early_stopping: None, ..config() };
        run(config, |fit| fit.watched_by(&diary)).0.unwrap();
        assert_eq!(*diary.0.lock().unwrap(), [(1, 3), (2, 3), (3, 3)]);
    }

    #[test]
    fn divergence_and_nonsense_are_errors() {
        let sgd = OptimizerConfig::Sgd(SgdConfig::default());
        let wild = FitConfig { learning_rate: 1e38, optimizer: sgd, ..config() };
        let error = run(wild, |fit| fit).0.unwrap_err();
        assert!(matches!(error, Error::Diverged { .. }), "{error}");
        assert!(run(FitConfig { learning_rate: f64::NAN, ..config() }, |fit| fit).0.is_err());
        let empty = FitConfig { batch: BatchSize::Examples(0), ..config() };
        assert!(run(empty, |fit| fit).0.is_err());
    }

    #[test]
    fn early_stopping_needs_validation() {
        let (rows, labels) = data();
        let mut model = mlp();
        let mut task =
            Classification::new(&mut model, (&rows).into(), &labels, &[0, 1, 2, 3], &[]).unwrap();
        let stopping = Some(EarlyStopping { patience: 4 });
        let error = Fit::new(FitConfig { early_stopping: stopping, ..config() }).run(&mut task);
        assert!(error.unwrap_err().to_string().contains("the validation part of the split"));
    }

    #[test]
    fn batches_cover_the_epoch_and_none_but_the_only_one_is_single() {
        for (count, size) in [(10, 3), (9, 3), (7, 3), (1, 3), (4, 4), (5, 1), (5, 4)] {
            let order: Vec<u32> = (0..count).collect();
            let batches: Vec<&[u32]> = (0..).map_while(|n| batch(&order, size, n)).collect();
            assert_eq!(batches.concat(), order);
            assert!(size == 1 || count == 1 || batches.iter().all(|batch| batch.len() > 1));
        }
    }
}
