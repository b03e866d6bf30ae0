//! An epoch of the MLP for Cora's shape (1,354 x 1,433 -> 64 -> 7, dropout, Adam, all rows at once), in
//! seconds of processor time and of wall time, on one thread and on two; and small batches.
//!
//! Inputs and first weights are formulas, so that `benches/mlp_torch.py` can compute the same ones: the
//! losses of five epochs without dropout are printed for it to compare.
//!
//! `cargo bench -p privet-learn --bench mlp -- [EPOCHS]`

use std::time::Instant;

use privet_graph::{DenseMatrix, Labels};
use privet_learn::models::{Classification, Mlp, MlpConfig};
use privet_learn::parameters::Parameters;
use privet_learn::train::{BatchSize, Fit, FitConfig};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const ROWS: usize = 1354;
const COLUMNS: usize = 1433;
const HIDDEN: usize = 64;
const CLASSES: usize = 7;

fn main() -> Result<(), AnyError> {
    let epochs = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(60);
    let rows = DenseMatrix::new(ROWS, COLUMNS, (0..ROWS * COLUMNS).map(input).collect())?;
    let labels: Vec<_> = (0..ROWS).map(|row| Some((row * 5 % CLASSES) as i64)).collect();
    let labels = Labels::from_integers(&labels)?;
    let losses = train(&rows, &labels, 0.0, 5, BatchSize::Full)?.losses;
    let losses: Vec<String> = losses.iter().map(|loss| format!("{loss:.9}")).collect();
    println!("losses={}", losses.join(","));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for batch in [BatchSize::Full, BatchSize::Examples(256), BatchSize::Examples(16)] {
            let size = match batch {
                BatchSize::Full => ROWS,
                BatchSize::Examples(size) => size,
            };
            let run = pool.install(|| train(&rows, &labels, 0.5, epochs, batch))?;
            let Run { wall, cpu, .. } = run;
            println!("threads={threads} batch={size} cpu_seconds={cpu:.6} wall_seconds={wall:.6}");
        }
    }
    Ok(())
}

/// 18 ones or so in a row, as a bag of words has, and small numbers elsewhere, as propagation leaves.
fn input(at: usize) -> f32 {
    let (row, column) = (at / COLUMNS, at % COLUMNS);
    let word = (row * 31 + column * 17) % 79 == 0;
    let small = ((row * 7 + column * 13) % 101) as f32 / 1010.0;
    if word { 1.0 } else { small }
}

/// The first weight of an entry of a layer with so many inputs.
fn weight(at: usize, inputs: usize) -> f32 {
    (((at * 37 + 11) % 1009) as f32 / 504.5 - 1.0) / (inputs as f32).sqrt()
}

struct Run {
    losses: Vec<f64>,
    /// Per epoch.
    cpu: f64,
    wall: f64,
}

fn train(
    rows: &DenseMatrix,
    labels: &Labels,
    dropout: f32,
    epochs: usize,
    batch: BatchSize,
) -> Result<Run, AnyError> {
    let config = MlpConfig { hidden: vec![HIDDEN], dropout, ..MlpConfig::new(COLUMNS, CLASSES) };
    let mut mlp = Mlp::new(config)?;
    mlp.visit_mut(&mut |p| {
        let (inputs, is_bias) = (p.value.rows(), p.value.rows() == 1);
        let values = p.value.values_mut().iter_mut().enumerate();
        values.for_each(|(at, w)| *w = if is_bias { 0.0 } else { weight(at, inputs) });
    });
    let items: Vec<u32> = (0..ROWS as u32).collect();
    let mut task = Classification::new(&mut mlp, rows.into(), labels, &items, &[])?;
    let config = FitConfig { epochs, batch, ..FitConfig::default() };
    let (start, before) = (Instant::now(), cpu_seconds());
    let report = Fit::new(config).run(&mut task)?;
    let measured = epochs as f64;
    Ok(Run {
        losses: report.history.iter().map(|epoch| epoch.loss).collect(),
        cpu: (cpu_seconds() - before) / measured,
        wall: start.elapsed().as_secs_f64() / measured,
    })
}

/// Seconds of processor time that the threads of this process have used, where Linux tells.
fn cpu_seconds() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let nanos = tasks.flatten().filter_map(|task| {
        let used = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        used.split(' ').next()?.parse::<f64>().ok()
    });
    nanos.sum::<f64>() / 1e9
}
