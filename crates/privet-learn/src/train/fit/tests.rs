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
    Mlp::new(MlpConfig { hidden: vec![16], dropout: 0.2, seed: 5, ..MlpConfig::new(6, 3) }).unwrap()
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
    let (train, validation): (Vec<u32>, Vec<u32>) = (0..ROWS as u32).partition(|row| row % 3 != 0);
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
    let long = FitConfig { epochs: 500, early_stopping: stopping, learning_rate: 0.05, ..config() };
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
