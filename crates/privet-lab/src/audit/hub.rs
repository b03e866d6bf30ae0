//! A hub for DPAR's training: one node that several rows read, there or not.
//!
//! Rows average a network's answers over nodes, as in [`privet::learn::train::PrivateTopK`]. The hub's features
//! drown all others, so that each row that reads it has a gradient along the hub's own direction, as long as
//! clipping allows. Without the hub those rows contribute nothing. The network is held where it is, so that every
//! step is a trial of its own, and only steps whose noisy gradient crosses lines are counted.

use privet::graph::{DenseMatrix, Features, SparseBuilder};
use privet::learn::models::MlpConfig;
use privet::learn::parameters::Parameters;
use privet::learn::train::{AggregatedRows, OptimizerConfig, PrivateTopK, PrivatelyTrained};
use privet::privacy::event::BatchSampling;
use privet::privacy::sgd::{DpSgd, Factors, Layer, Learner, NoisyGradient, RowShare, SgdSettings};
use privet::privacy::unit::Node;
use privet::privacy::{FirstParty, PublicShape, Secret};

use super::enumerated::price;
use super::refused;
use super::seeds::Seeds;
use super::trials::{account, best_bound};
use crate::Result;

const TRIALS: u64 = 20_000;
const DELTA: f64 = 1e-5;
/// How many deviations below zero the lines are.
const LINES: [f64; 5] = [0.8, 1.4, 2.0, 2.5, 3.0];
/// People, one row each; the first is the hub.
const PEOPLE: u32 = 12;

/// A hub that so many rows read, its own among them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hub {
    pub rows: u32,
    pub rate: f64,
    pub noise_multiplier: f64,
}

impl Hub {
    /// A lower bound on the epsilon of one step, by running it with and without the hub.
    pub fn measured(self, seeds: Seeds) -> Result<f64> {
        let (with, without) = (self.count(true, seeds.part(0))?, self.count(false, seeds.part(1))?);
        Ok(best_bound(&with, &without, TRIALS, DELTA))
    }

    /// What one step says it costs.
    pub fn claimed(self) -> Result<f64> {
        price(&self.training(1)?.0, DELTA)
    }

    /// The training, and the class of each person in it.
    fn training(self, steps: u64) -> Result<(DpSgd<Watched<PrivateTopK>, Node>, u32)> {
        let settings = SgdSettings {
            steps,
            rows: u64::from(PEOPLE),
            batch: BatchSampling::Poisson { rate: self.rate },
            share: RowShare::UpTo(self.rows),
            clip_norm: 1.0,
            noise_multiplier: self.noise_multiplier,
        };
        // The noise of one coordinate of the mean gradient.
        let deviation = self.noise_multiplier / settings.expected_batch();
        let lines = LINES.map(|line| -line * deviation).to_vec();
        let config = MlpConfig { hidden: Vec::new(), dropout: 0.0, ..MlpConfig::new(2, 2) };
        let network = PrivateTopK::new(config, OptimizerConfig::default(), 1.0).map_err(refused)?;
        let class = unlikely_class(&network);
        Ok((DpSgd::new(settings, Watched { network, input: 0, class, lines })?, class))
    }

    fn count(self, present: bool, seeds: Seeds) -> Result<Vec<u64>> {
        let (training, class) = self.training(TRIALS)?;
        let mut ledger = account::<Node>(DELTA, seeds)?;
        let trained = ledger.release(&Secret::new(self.people(present, class)?), &training)?;
        Ok(trained.into_inner()?.below)
    }

    /// Each person reads themselves; the first few rows read the hub too.
    fn people(self, present: bool, class: u32) -> Result<AggregatedRows> {
        let mut features = DenseMatrix::zeros(PEOPLE as usize, 2);
        // So large that the hub decides every mean it is part of.
        features.row_mut(0)[0] = if present { 1e4 } else { 0.0 };
        (1..PEOPLE as usize).for_each(|person| features.row_mut(person)[1] = 1.0);
        let mut weights = SparseBuilder::new(PEOPLE as usize);
        for person in 0..PEOPLE {
            let reads_hub = person < self.rows;
            let mut row = match (reads_hub, present) {
                // Without the hub, rows that read it contribute nothing.
                (true, false) => Vec::new(),
                (true, true) if person > 0 => vec![(0, 0.5), (person, 0.5)],
                _ => vec![(person, 1.0)],
            };
            weights.push_row(&mut row).map_err(refused)?;
        }
        let classes = vec![class; PEOPLE as usize];
        AggregatedRows::new(Features::dense(features), weights.finish(), classes).map_err(refused)
    }
}

/// The class that the first weights give the hub the lower score for: there the network is wrong, and its
/// gradient is large.
fn unlikely_class(network: &PrivateTopK) -> u32 {
    let mut tensors = Vec::new();
    let start = network.initial();
    // The class that the untrained network finds unlikely: its gradient is largest there.
    start.model().visit(&mut |parameter| tensors.push(parameter.value.clone()));
    let of_hub = tensors.first().map_or([0.0, 0.0], |first| [first.row(0)[0], first.row(0)[1]]);
    u32::from(of_hub[1] < of_hub[0])
}

/// A network that is held where it starts, and what is counted: steps whose noisy gradient by one input is beyond
/// lines, on the side to which rows of the class push it.
pub(super) struct Watched<N> {
    pub network: N,
    pub input: usize,
    pub class: u32,
    pub lines: Vec<f64>,
}

/// The network at its start, and how many noisy gradients lay below each line.
pub(super) struct Counted {
    start: PrivatelyTrained,
    pub below: Vec<u64>,
}

impl<N: Learner> FirstParty for Watched<N> {
    const AUDITED: bool = N::AUDITED;
}

impl<N: Learner<Parameters = PrivatelyTrained>> Learner for Watched<N> {
    type Data = N::Data;
    type Parameters = Counted;

    fn row_count(&self, shape: &<N::Data as PublicShape>::Shape) -> usize {
        self.network.row_count(shape)
    }

    fn layers(&self) -> Vec<Layer> {
        self.network.layers()
    }

    fn initial(&self) -> Counted {
        Counted { start: self.network.initial(), below: vec![0; self.lines.len()] }
    }

    fn factors(&self, counted: &Counted, data: &N::Data, rows: &[u32]) -> Vec<Factors> {
        self.network.factors(&counted.start, data, rows)
    }

    fn step(&self, counted: &mut Counted, gradient: &NoisyGradient) {
        // Gradients of rows of class 0 point along (-1, 1)/√2 in a feature above 0, of class 1 the other way.
        let along = &gradient.weights(0)[2 * self.input..2 * self.input + 2];
        let sign = if self.class == 0 { 1.0 } else { -1.0 };
        let projected = sign * f64::from(along[0] - along[1]) / 2f64.sqrt();
        let count = |(below, line): (&mut u64, &f64)| *below += u64::from(projected < *line);
        counted.below.iter_mut().zip(&self.lines).for_each(count);
    }
}
