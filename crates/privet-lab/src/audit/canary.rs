//! A canary for DP-SGD: one record whose gradient is as large as it can be, against none.
//!
//! Every step of a run on full batches is an independent trial of the one-step mechanism, and the
//! "model" only counts the steps whose noisy gradient fell below a line that was fixed beforehand.

use privet::graph::{DenseMatrix, FeatureMatrix};
use privet::privacy::event::Batch;
use privet::privacy::noise::NoiseRng;
use privet::privacy::sgd::{
    Bias, DpSgd, Factors, Layer, Learner, NoisyGradient, RowShare, Settings,
};
use privet::privacy::unit::Record;
use privet::privacy::{Delta, Epsilon, Event, Ledger, Loss, Secret, accountant};

use super::clopper_pearson::epsilon_lower_bound;
use crate::Result;

const TRIALS: u64 = 200_000;
const DELTA: f64 = 1e-5;
/// How often the bound may be wrong.
const CONFIDENCE: f64 = 1e-6;

/// One way to run a step, and where the line is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    pub clip_norm: f64,
    pub noise_multiplier: f64,
    /// Gradient sums below it count.
    pub line: f64,
}

impl Trial {
    /// A lower bound on the epsilon of one step, from the gradients of two neighbouring tables.
    pub fn epsilon(self, with: &[f32], without: &[f32]) -> Result<f64> {
        let (with, without) = (self.count(with, 1)?, self.count(without, 2)?);
        Ok(epsilon_lower_bound(with, without, TRIALS, DELTA, CONFIDENCE))
    }

    fn count(self, gradients: &[f32], seed: u64) -> Result<u64> {
        let rows = gradients.len() as u64;
        let settings = Settings {
            steps: TRIALS,
            rows,
            batch: Batch::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: self.clip_norm,
            noise_multiplier: self.noise_multiplier,
        };
        let line = self.line / rows as f64;
        let training = DpSgd::<_, Record>::new(settings, Counter { line })?;
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(DELTA)? };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(seed))?;
        ledger.release(&Secret::new(gradients.to_vec()), &training)?.into_inner()
    }
}

/// What is claimed for one step on a full batch.
pub(super) fn claimed(noise_multiplier: f64) -> Result<f64> {
    let step = Event::Gaussian { noise_multiplier };
    Ok(accountant::best(&step, Delta::new(DELTA)?)?.value.get())
}

/// Counts noisy gradients below a line.
struct Counter {
    line: f64,
}

impl Learner for Counter {
    type Data = Vec<f32>;
    type Parameters = u64;

    fn row_count(&self, data: &Vec<f32>) -> usize {
        data.len()
    }

    fn layers(&self) -> Vec<Layer> {
        vec![Layer { inputs: 1, outputs: 1, bias: Bias::Absent }]
    }

    fn initial(&self) -> u64 {
        0
    }

    fn factors(&self, _: &u64, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        let (mut inputs, mut output_gradients) =
            (DenseMatrix::zeros(rows.len(), 1), DenseMatrix::zeros(rows.len(), 1));
        inputs.values_mut().fill(1.0);
        for (value, &row) in output_gradients.values_mut().iter_mut().zip(rows) {
            *value = data[row as usize];
        }
        vec![Factors::rank_one(FeatureMatrix::Dense(inputs), output_gradients)]
    }

    fn step(&self, below: &mut u64, gradient: &NoisyGradient) {
        *below += u64::from(f64::from(gradient.values()[0]) < self.line);
    }
}
