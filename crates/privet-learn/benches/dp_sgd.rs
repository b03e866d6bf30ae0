//! A step of DP-SGD for an MLP (2,879 -> 32 -> 7, expected batch 256, Poisson sampling, noise included),
//! in seconds of processor time on one thread, beside the same step with one example's gradient at a time.
//! What a run pays once (its price on the ledger) is left out: long runs less short ones.
//!
//! `cargo bench -p privet-learn --bench dp_sgd`; `benches/dp_sgd_opacus.py` compares with Opacus.

use cpu_time::ProcessTime;
use privet_graph::{DenseMatrix, Features, SimRng};
use privet_learn::models::MlpConfig;
use privet_learn::train::{LabelledRows, OptimizerConfig, PrivateMlp};
use privet_privacy::event::BatchSampling;
use privet_privacy::noise::NoiseRng;
use privet_privacy::sgd::{DpSgd, Learner, RowShare, SgdSettings};
use privet_privacy::unit::Record;
use privet_privacy::{Ledger, Loss, Secret};
use rand::RngExt;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

const ROWS: usize = 2995;
const COLUMNS: usize = 2879;
const BATCH: usize = 256;
/// Steps of a short run and of a long one.
const STEPS: [u64; 2] = [20, 120];
const ROUNDS: u64 = 5;

fn main() -> Result<(), AnyError> {
    // Inside the pool, so that its only thread does all the work and none is handed over.
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(measure)
}

fn measure() -> Result<(), AnyError> {
    let mut rng = SimRng::new(1);
    let values = (0..ROWS * COLUMNS).map(|_| rng.random::<f32>()).collect();
    let rows = DenseMatrix::new(ROWS, COLUMNS, values)?;
    let classes: Vec<u32> = (0..ROWS as u32).map(|row| row % 7).collect();
    let config = MlpConfig { hidden: vec![32], dropout: 0.0, ..MlpConfig::new(COLUMNS, 7) };
    let learner = PrivateMlp::new(config, OptimizerConfig::default(), 0.001)?;
    let data = LabelledRows::new(Features::dense(rows), classes)?;
    let one_by_one = one_by_one(&learner, &data);

    let data = Secret::new(data);
    let mut best = [f64::INFINITY; 2];
    for seed in 0..ROUNDS {
        for (best, steps) in best.iter_mut().zip(STEPS) {
            *best = best.min(run(&learner, &data, steps, seed)?);
        }
    }
    let best = (best[1] - best[0]) / (STEPS[1] - STEPS[0]) as f64;
    println!(
        "step_seconds={best:.6} one_by_one_seconds={one_by_one:.6} ratio={:.1}",
        one_by_one / best
    );
    Ok(())
}

/// Seconds of a run of so many steps.
fn run(
    learner: &PrivateMlp,
    data: &Secret<LabelledRows>,
    steps: u64,
    seed: u64,
) -> Result<f64, AnyError> {
    let settings = SgdSettings {
        steps,
        rows: ROWS as u64,
        batch: BatchSampling::Poisson { rate: BATCH as f64 / ROWS as f64 },
        share: RowShare::Alone,
        clip_norm: 1.0,
        noise_multiplier: 1.0,
    };
    let training = DpSgd::<_, Record>::new(settings, learner.clone())?;
    let mut ledger = Ledger::in_memory(Loss::new(100.0, 1e-5)?, NoiseRng::replay(seed))?;
    let used = ProcessTime::now();
    ledger.release(data, &training)?.into_inner()?;
    Ok(used.elapsed().as_secs_f64())
}

/// The textbook: every example's gradient written out, measured, clipped and added. No noise.
fn one_by_one(learner: &PrivateMlp, data: &LabelledRows) -> f64 {
    let parameters = learner.initial();
    let layers = learner.layers();
    let size: usize = layers.iter().map(|layer| layer.parameter_count()).sum();
    let begun = ProcessTime::now();
    let mut sum = vec![0f32; size];
    for row in 0..BATCH as u32 {
        let mut gradient = Vec::with_capacity(size);
        for factor in learner.factors(&parameters, data, &[row]) {
            let by_output = factor.output_gradients.row(0);
            let privet_graph::FeatureMatrix::Dense(inputs) = &factor.inputs else { continue };
            for &input in inputs.row(0) {
                gradient.extend(by_output.iter().map(|g| input * g));
            }
            gradient.extend_from_slice(by_output);
        }
        let norm = gradient.iter().map(|g| g * g).sum::<f32>().sqrt();
        let weight = (1.0 / norm).min(1.0);
        sum.iter_mut().zip(&gradient).for_each(|(sum, g)| *sum += weight * g);
    }
    std::hint::black_box(&sum);
    begun.elapsed().as_secs_f64()
}
