//! Runs that learn, stop, are interrupted and go on.

use privet_graph::{DenseMatrix, Labels};

use super::*;
use crate::finite_differences::filled;
use crate::models::{Classification, HiddenNorm, Mlp, MlpConfig, Network};
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
    let norm = HiddenNorm::Batch;
    Mlp::new(MlpConfig { hidden: vec![16], dropout: 0.2, norm, seed: 5, ..MlpConfig::new(6, 3) })
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
    let (train, validation): (Vec<u32>, Vec<u32>) = (0..ROWS as u32).partition(|row| row % 3 != 0);
    let mut model = mlp();
    let mut task =
        Classification::new(&mut model, (&rows).into(), &labels, &train, &validation).unwrap();
    let report = setup(Fit::new(config)).run(&mut task);
    (report, model.snapshot())
}

#[test]
fn it_learns_and_tells() {
    let mut epochs = Vec::new();
    let mut observer = |progress: &Progress| epochs.push(*progress);
    let report = run(FitConfig { epochs: 60, ..config() }, |fit| fit.observer(&mut observer));
    let report = report.0.unwrap();
    assert_eq!((epochs.len(), report.history.len()), (60, 60));
    assert!(report.history[59].loss < 0.5 * report.history[0].loss);
    assert!(report.best_metric.unwrap() > 0.8, "{report:?}");
    assert_eq!(epochs[59].remaining, std::time::Duration::ZERO);
    assert_eq!(epochs[0].learning_rate, 0.01);
    assert_eq!(epochs[59].best, report.best_metric);
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

/// Stops after 1 batch, then 2 more, then 3 more ..., in and between epochs, a new model each time.
fn run_in_pieces(config: &FitConfig, path: &Path) -> (FitReport, Snapshot, usize) {
    let (rows, labels) = data();
    let (train, validation): (Vec<u32>, Vec<u32>) = (0..ROWS as u32).partition(|row| row % 3 != 0);
    for pieces in 1.. {
        let mut model = mlp();
        let mut task =
            Classification::new(&mut model, (&rows).into(), &labels, &train, &validation).unwrap();
        let flag = AtomicBool::new(false);
        let mut stopping = Stopping { task: &mut task, flag: &flag, after: pieces };
        let fit = Fit::new(config.clone()).interrupt(&flag).checkpoint(path, 100);
        match fit.run(&mut stopping) {
            Ok(report) => return (report, model.snapshot(), pieces),
            Err(Error::Interrupted) => {}
            Err(error) => panic!("{error}"),
        }
    }
    unreachable!()
}

#[test]
fn a_run_in_pieces_gives_the_bytes_of_a_run_at_once() {
    let sgd = OptimizerConfig::Sgd(SgdConfig { momentum: 0.9, ..SgdConfig::default() });
    let stopping = Some(EarlyStopping { patience: 3 });
    for config in [
        config(),
        FitConfig { optimizer: sgd, ..config() },
        FitConfig { batch: BatchSize::Full, early_stopping: stopping, ..config() },
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.safetensors");
        let (report, snapshot) = run(config.clone(), |fit| fit);
        let (pieced, pieced_snapshot, pieces) = run_in_pieces(&config, &path);
        assert!(pieces > 2);
        assert_eq!(pieced, report.unwrap());
        assert_eq!(pieced_snapshot, snapshot);
        // A run that is over gives its result again.
        let (again, same) = run(config, |fit| fit.checkpoint(&path, 1));
        assert_eq!((again.unwrap(), same), (pieced, snapshot));
    }
}

#[test]
fn the_checkpoint_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    run(config(), |fit| fit.checkpoint(&path, 1)).0.unwrap();
    let other = FitConfig { seed: 4, ..config() };
    let error = run(other, |fit| fit.checkpoint(&path, 1)).0.unwrap_err().to_string();
    assert!(error.contains("run with other settings"), "{error}");
    std::fs::write(&path, b"not a checkpoint").unwrap();
    let error = run(config(), |fit| fit.checkpoint(&path, 1)).0.unwrap_err().to_string();
    assert!(error.contains("no safetensors file"), "{error}");
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
fn batches_cover_the_epoch_and_none_but_the_only_one_is_single() {
    for (count, size) in [(10, 3), (9, 3), (7, 3), (1, 3), (4, 4), (5, 1), (5, 4)] {
        let order: Vec<u32> = (0..count).collect();
        let batches: Vec<&[u32]> = (0..).map_while(|n| batch(&order, size, n)).collect();
        assert_eq!(batches.concat(), order);
        assert!(size == 1 || count == 1 || batches.iter().all(|batch| batch.len() > 1));
    }
}
