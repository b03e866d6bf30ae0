//! A canary for DP-SGD: one record whose gradient is as large as it can be, against none.
//!
//! Every step of a run on full batches is an independent trial of the one-step mechanism, and the
//! "model" only counts the steps whose noisy gradient fell below lines that were fixed beforehand: near ones,
//! which show noise that is too small or missing, and far ones, which show rows that are not clipped.

use privet::graph::{DenseMatrix, FeatureMatrix};
use privet::privacy::event::BatchSampling;
use privet::privacy::sgd::{
    Bias, DpSgd, Factors, Layer, Learner, NoisyGradient, RowShare, SgdSettings,
};
use privet::privacy::unit::Record;
use privet::privacy::{FirstParty, Secret};

use super::clopper_pearson::{epsilon_lower_bound, lower};
use super::enumerated::price;
use super::seeds::Seeds;
use super::toy_graphs::has_fine_digits;
use super::trials::{CONFIDENCE, account, best_bound};
use crate::Result;

const TRIALS: u64 = 100_000;
const DELTA: f64 = 1e-5;

/// How many deviations below zero the lines are. Without a canary a sum lies below the last once in 741 steps.
const LINES: [f64; 6] = [0.4, 0.8, 1.2, 1.6, 2.2, 3.0];

/// How many steps lay below each line.
type Below = [u64; LINES.len()];

/// One way to run a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct CanaryStep {
    pub clip_norm: f64,
    pub noise_multiplier: f64,
}

impl CanaryStep {
    /// A lower bound on the epsilon of one step, from the gradients of two neighbouring tables.
    pub fn epsilon(self, with: &[f32], without: &[f32], seeds: Seeds) -> Result<f64> {
        let (with, without) =
            (self.count(with, seeds.part(0))?, self.count(without, seeds.part(1))?);
        Ok(best_bound(&with, &without, TRIALS, DELTA))
    }

    /// What one step says it costs.
    // The claim is for one step; the run below is that many independent trials of it.
    pub fn claimed(self, rows: usize) -> Result<f64> {
        price(&self.training(rows, 1)?, DELTA)
    }

    fn training(self, records: usize, steps: u64) -> Result<DpSgd<Counter>> {
        let rows = records as u64;
        let settings = SgdSettings {
            steps,
            rows,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: self.clip_norm,
            noise_multiplier: self.noise_multiplier,
        };
        // Noise on the mean gradient: the multiplier times the clip norm, over the number of rows.
        let deviation = self.clip_norm * self.noise_multiplier / rows as f64;
        // Lines on the far side of the canary's gradient, in deviations of the noise.
        let lines = LINES.map(|line| -line * deviation);
        DpSgd::<_, Record>::new(settings, Counter { lines })
    }

    fn count(self, gradients: &[f32], seeds: Seeds) -> Result<Below> {
        let training = self.training(gradients.len(), TRIALS)?;
        let mut ledger = account::<Record>(DELTA, seeds)?;
        ledger.release(&Secret::new(gradients.to_vec()), &training)?.into_inner()
    }
}

/// How often the canary is in a random batch, and in two batches running: lower bounds on both
/// probabilities, and what the batches are said to be drawn with. There is next to no noise, so that
/// each step shows whether the canary was in it.
pub(super) fn batches(rate: f64, seeds: Seeds) -> Result<[(f64, f64); 2]> {
    const STEPS: u64 = 20_000;
    let settings = SgdSettings {
        steps: STEPS,
        rows: 3,
        batch: BatchSampling::Poisson { rate },
        share: RowShare::Alone,
        clip_norm: 1.0,
        // So little noise that presence can be read off: the sampling is what is audited here.
        noise_multiplier: 0.01,
    };
    let line = 0.5 / settings.expected_batch();
    let training = DpSgd::<_, Record>::new(settings, Presence { line })?;
    let mut ledger = account::<Record>(DELTA, seeds)?;
    let gradients = Secret::new(vec![0.0, 1e6, 0.0]);
    let present = ledger.release(&gradients, &training)?.into_inner()?;
    let alone = present.iter().filter(|&&there| there).count() as u64;
    let running = present.windows(2).filter(|pair| pair[0] && pair[1]).count() as u64;
    // Neighbouring pairs of steps overlap, every second pair does not: pairs fall into two halves of independent
    // ones, of which one has at least half of the count. Either may be the one, so each may be wrong half as often.
    let at_least =
        |count: u64, parts: u64| lower(count / parts, STEPS / parts, CONFIDENCE / parts as f64);
    Ok([(rate, at_least(alone, 1)), (rate * rate, at_least(running, 2))])
}

/// Writes down which steps had the canary: those whose gradient is above a line.
struct Presence {
    line: f64,
}

impl FirstParty for Presence {}

impl Learner for Presence {
    type Data = Vec<f32>;
    type Parameters = Vec<bool>;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        one_weight()
    }

    fn initial(&self) -> Vec<bool> {
        Vec::new()
    }

    fn factors(&self, _: &Vec<bool>, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        gradients(rows, |row| data[row as usize])
    }

    fn step(&self, present: &mut Vec<bool>, gradient: &NoisyGradient) {
        // The canary's clipped gradient over the expected batch; fifty deviations above the noise.
        present.push(f64::from(gradient.values()[0]) > self.line);
    }
}

/// A record whose gradient is 1/8 in 64 places, or 0: what one step says it costs, and a lower bound from low bits. A step
/// tells if it has digits that noise on 1/8 cannot have.
pub(super) fn low_bits(seeds: Seeds) -> Result<(f64, f64)> {
    const STEPS: u64 = 10_000;
    let training = |steps| {
        let settings = SgdSettings {
            steps,
            rows: 1,
            batch: BatchSampling::Poisson { rate: 1.0 },
            share: RowShare::Alone,
            clip_norm: 1.0,
            noise_multiplier: 4.8,
        };
        DpSgd::<_, Record>::new(settings, LowBits)
    };
    let telling = |gradient: f32, part| -> Result<u64> {
        let mut ledger = account::<Record>(DELTA, seeds.part(part))?;
        ledger.release(&Secret::new(vec![gradient]), &training(STEPS)?)?.into_inner()
    };
    // Fine digits survive where a value was not rounded to the lattice; a mechanism that adds noise
    // in floats leaks them.
    let (with, without) = (telling(0.125, 0)?, telling(0.0, 1)?);
    let measured = epsilon_lower_bound(without, with, STEPS, DELTA, CONFIDENCE);
    Ok((price(&training(1)?, DELTA)?, measured))
}

/// Counts steps with digits that noise on 1/8 cannot have.
struct LowBits;

impl FirstParty for LowBits {}

impl Learner for LowBits {
    type Data = Vec<f32>;
    type Parameters = u64;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        // Many outputs, so that one step shows fine digits in some of them almost surely.
        vec![Layer { inputs: 1, outputs: 64, bias: Bias::Absent }]
    }

    fn initial(&self) -> u64 {
        0
    }

    fn factors(&self, _: &u64, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        let (mut inputs, mut outputs) =
            (DenseMatrix::zeros(rows.len(), 1), DenseMatrix::zeros(rows.len(), 64));
        inputs.values_mut().fill(1.0);
        for (at, &row) in rows.iter().enumerate() {
            outputs.row_mut(at).fill(data[row as usize]);
        }
        vec![Factors::rank_one(FeatureMatrix::Dense(inputs), outputs)]
    }

    fn step(&self, telling: &mut u64, gradient: &NoisyGradient) {
        *telling += u64::from(has_fine_digits(gradient.values()));
    }
}

/// Counts noisy gradients below lines.
struct Counter {
    lines: [f64; LINES.len()],
}

impl FirstParty for Counter {}

impl Learner for Counter {
    type Data = Vec<f32>;
    type Parameters = Below;

    fn row_count(&self, rows: &usize) -> usize {
        *rows
    }

    fn layers(&self) -> Vec<Layer> {
        one_weight()
    }

    fn initial(&self) -> Below {
        [0; LINES.len()]
    }

    fn factors(&self, _: &Below, data: &Vec<f32>, rows: &[u32]) -> Vec<Factors> {
        gradients(rows, |row| data[row as usize])
    }

    fn step(&self, below: &mut Below, gradient: &NoisyGradient) {
        let value = f64::from(gradient.values()[0]);
        let count = |(below, line): (&mut u64, f64)| *below += u64::from(value < line);
        below.iter_mut().zip(self.lines).for_each(count);
    }
}

fn one_weight() -> Vec<Layer> {
    vec![Layer { inputs: 1, outputs: 1, bias: Bias::Absent }]
}

/// Rows whose gradient by the one weight is `of(row)`.
fn gradients(rows: &[u32], of: impl Fn(u32) -> f32) -> Vec<Factors> {
    let (mut inputs, mut outputs) =
        (DenseMatrix::zeros(rows.len(), 1), DenseMatrix::zeros(rows.len(), 1));
    inputs.values_mut().fill(1.0);
    outputs.values_mut().iter_mut().zip(rows).for_each(|(value, &row)| *value = of(row));
    vec![Factors::rank_one(FeatureMatrix::Dense(inputs), outputs)]
}
