//! A neighbourhood for SAGE: one person whom several others know, there or not.
//!
//! Each of them also has one neighbour whose feature pulls the other way, so that with the person the mean of a list
//! points one way, and without it the other. Clipping is strict: both gradients are as long as they may be, and
//! taking the person away moves each row by nearly 2C. Rows are made by the system's own code; batches are full.

use privet::dpar::sage;
use privet::graph::{DenseMatrix, Direction, Features, GraphBuilder};
use privet::learn::models::MlpConfig;
use privet::learn::train::{LabelledRows, OptimizerConfig, PrivateMlp};
use privet::privacy::Secret;
use privet::privacy::event::BatchSampling;
use privet::privacy::sgd::{DpSgd, RowShare, SgdSettings};
use privet::privacy::unit::Node;

use super::enumerated::price;
use super::finding::Finding;
use super::hub::Watched;
use super::refused;
use super::seeds::Seeds;
use super::trials::{account, best_bound, statistical};
use crate::Result;

const TRIALS: u64 = 20_000;
/// Large, so that what moves the middle of a law shows, and not its far tail alone.
const DELTA: f64 = 0.01;
const CLIP_NORM: f64 = 1e-5;

/// The person has so many neighbours.
#[derive(Debug, Clone, Copy)]
pub struct Neighbourhood {
    /// How many know the person.
    pub degree: u32,
    /// The noise of a step, in clip norms.
    pub noise_multiplier: f64,
}

impl Neighbourhood {
    /// What one step says it costs, beside what taking the person away shows.
    pub fn finding(self, seeds: Seeds) -> Result<Finding> {
        self.charged(RowShare::Neighbours(self.degree), seeds)
    }

    /// The same, with the price for another share of rows.
    pub fn charged(self, share: RowShare, seeds: Seeds) -> Result<Finding> {
        let (with, without) = (self.count(true, seeds.part(0))?, self.count(false, seeds.part(1))?);
        let measured = best_bound(&with, &without, TRIALS, DELTA);
        let Self { degree, noise_multiplier } = self;
        let subject = format!("{degree} neighbours, noise multiplier {noise_multiplier}");
        Ok(statistical(subject, price(&self.training(1, share)?, DELTA)?, measured))
    }

    fn people(self) -> u32 {
        2 * self.degree + 1
    }

    fn settings(self, steps: u64, share: RowShare) -> SgdSettings {
        SgdSettings {
            steps,
            rows: u64::from(self.people()),
            batch: BatchSampling::Poisson { rate: 1.0 },
            share,
            clip_norm: CLIP_NORM,
            noise_multiplier: self.noise_multiplier,
        }
    }

    fn training(self, steps: u64, share: RowShare) -> Result<DpSgd<Watched<PrivateMlp>, Node>> {
        let settings = self.settings(steps, share);
        // Rows start from 2 inputs each for oneself and for the mean of the list; the third is the pulled one.
        let config = MlpConfig { hidden: Vec::new(), dropout: 0.0, ..MlpConfig::new(4, 2) };
        let network = PrivateMlp::new(config, OptimizerConfig::default(), 1.0).map_err(refused)?;
        // A list's mean is 3 with the person and -3 without, beside a bias of 1: rows pull by this part of C.
        let pull = f64::from(self.degree) * 3.0 / 10f64.sqrt();
        let unit = CLIP_NORM / settings.expected_batch();
        let line = |deviations: f64| (pull - deviations * self.noise_multiplier) * unit;
        // Without the person, one step in fifteen lies below 1.5 deviations.
        let lines = [0.5, 1.0, 1.5, 2.0].map(line).to_vec();
        let watched = Watched { network, input: 2, class: 0, lines };
        DpSgd::new(settings, watched)
    }

    fn count(self, present: bool, seeds: Seeds) -> Result<Vec<u64>> {
        let training = self.training(TRIALS, RowShare::Neighbours(self.degree))?;
        let mut ledger = account::<Node>(DELTA, seeds)?;
        let trained = ledger.release(&Secret::new(self.rows(present)?), &training)?;
        Ok(trained.into_inner()?.below)
    }

    /// The person is the first; then come neighbours, and one other friend of each.
    fn rows(self, present: bool) -> Result<LabelledRows> {
        let (people, degree) = (self.people() as usize, self.degree);
        let mut features = DenseMatrix::zeros(people, 2);
        for person in 0..self.people() {
            features.row_mut(person as usize).copy_from_slice(match person {
                0 if present => &[9.0, 0.0],
                0 => &[0.0, 0.0],
                neighbour if neighbour <= degree => &[0.0, 0.0],
                _ => &[-3.0, 0.0],
            });
        }
        let mut graph = GraphBuilder::new(people, Direction::Undirected);
        for neighbour in 1..=degree {
            graph.push(neighbour, neighbour + degree);
            if present {
                graph.push(0, neighbour);
            }
        }
        let (graph, _) = graph.build().map_err(refused)?;
        let lists = sage::bounded(&graph, degree.max(2) as usize, 1);
        let rows = sage::rows(&Features::dense(features), &lists).map_err(refused)?;
        let mut classes = vec![0; people];
        // Who is not there has no class that a network knows.
        classes[0] = if present { 0 } else { u32::MAX };
        LabelledRows::new(rows, classes).map_err(refused)
    }
}
