//! A neighbourhood for SAGE: one person whom several others know, there or not.
//!
//! Each of them also knows somebody whose feature pulls the other way, so that with the person the mean of a list
//! points one way, and without it the other. Clipping is strict: both gradients are as long as they may be, and
//! taking the person away moves each row by nearly 2C. Rows are made by the system's own code; batches are full.

use privet::dpar::sage;
use privet::graph::{DenseMatrix, Direction, Features, GraphBuilder};
use privet::learn::models::MlpConfig;
use privet::learn::train::{LabelledRows, OptimizerConfig, PrivateMlp};
use privet::privacy::event::Batch;
use privet::privacy::noise::NoiseRng;
use privet::privacy::sgd::{DpSgd, Neighbours, RowShare, Settings};
use privet::privacy::unit::Node;
use privet::privacy::{Delta, Epsilon, Ledger, Loss, Secret, accountant};

use super::clopper_pearson::epsilon_lower_bound;
use super::finding::{Finding, Method};
use super::hub::Watched;
use super::refused;
use crate::Result;

const TRIALS: u64 = 40_000;
/// Large, so that what moves the middle of a law shows, and not its far tail alone.
const DELTA: f64 = 0.01;
/// How often the bound may be wrong.
const CONFIDENCE: f64 = 1e-6;
const CLIP_NORM: f64 = 1e-5;

/// The person has so many neighbours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbourhood {
    pub degree: u32,
    pub noise_multiplier: f64,
}

impl Neighbourhood {
    /// What one step is charged for a share of rows, beside what taking the person away shows.
    pub fn charged(self, share: RowShare) -> Result<Finding> {
        let event = self.settings(share).step_event(Neighbours::ThereOrNot)?;
        let claimed = accountant::best(&event, Delta::new(DELTA)?)?.value.get();
        let (with, without) = (self.count(true, 1)?, self.count(false, 2)?);
        let Self { degree, noise_multiplier } = self;
        Ok(Finding {
            subject: format!("{degree} neighbours, noise multiplier {noise_multiplier}"),
            method: Method::Statistical,
            claimed,
            measured: epsilon_lower_bound(with, without, TRIALS, DELTA, CONFIDENCE),
            tolerance: 0.0,
        })
    }

    fn people(self) -> u32 {
        2 * self.degree + 1
    }

    fn settings(self, share: RowShare) -> Settings {
        Settings {
            steps: TRIALS,
            rows: u64::from(self.people()),
            batch: Batch::Poisson { rate: 1.0 },
            share,
            clip_norm: CLIP_NORM,
            noise_multiplier: self.noise_multiplier,
        }
    }

    fn count(self, present: bool, seed: u64) -> Result<u64> {
        let settings = self.settings(RowShare::Neighbours(self.degree));
        // Rows start from 2 inputs each for oneself and for the mean of the list; the third is the pulled one.
        let config = MlpConfig { hidden: Vec::new(), dropout: 0.0, ..MlpConfig::new(4, 2) };
        let network = PrivateMlp::new(config, OptimizerConfig::default(), 1.0).map_err(refused)?;
        // A list's mean is 3 with the person and -3 without, beside a bias of 1: rows pull by this part of C.
        let pull = f64::from(self.degree) * 3.0 / 10f64.sqrt();
        // Without the person, one step in fifteen lies below 1.5 deviations.
        let line = (pull - 1.5 * self.noise_multiplier) * CLIP_NORM / settings.expected_batch();
        let watched = Watched { network, input: 2, class: 0, line };
        let training = DpSgd::<_, Node>::new(settings, watched)?;
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(DELTA)? };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(seed))?;
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
