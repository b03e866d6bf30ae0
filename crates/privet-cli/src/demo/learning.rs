//! The second half of the tour: reports become embeddings, embeddings become predictions.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use privet::graph::{Dataset, FeatureMatrix};
use privet::ldp_ge::theory::Forecaster;
use privet::ldp_ge::{
    Embedding, FeatureProtection, LabelSpread, LdpGe, Learner, ListProtection, Private, Protection,
    Way,
};
use privet::privacy::features::{Decoding, Scale, Settings};
use privet_lab::experiments::cells::{Cells, Sweep};
use privet_lab::experiments::ldp_ge::{LdpGeTrial, Task};
use privet_lab::experiments::trial::{Data, TEST, Trial, Variant, compare};
use privet_lab::report::Measured;
use serde::Serialize;

use super::{EPSILON, missing};
use crate::failure::Result;

/// How often everything is repeated, each time with another seed: enough for an interval.
const RUNS: u64 = 5;

/// What spreading the reports came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spreading {
    /// One per person.
    pub rows: usize,
    /// Numbers per row.
    pub columns: usize,
    /// The part of the noise's deviation that averaging leaves in a median node, by theory.
    pub noise_left: f64,
}

impl Spreading {
    pub(super) fn of(people: &Dataset, reports: &FeatureMatrix, seed: u64) -> Result<Self> {
        let embedding = Embedding::default();
        let rows = embedding.run(people.graph(), reports, seed)?;
        let features = people.features().ok_or_else(|| missing("features"))?;
        let plan = Forecaster {
            mechanism: "hds",
            epsilon: EPSILON,
            settings: &Settings::default(),
            decoding: Decoding::Unbiased,
            scale: &Scale::new(features.columns(), features.bounds())?,
            contrast: 0.05,
        };
        let forecast = plan.forecast(people.graph(), embedding.propagation())?;
        let noise_left = forecast.map_or(1.0, |forecast| forecast.averaging.median);
        Ok(Self { rows: rows.rows(), columns: rows.columns(), noise_left })
    }
}

/// What classifiers scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trained {
    /// Private, control, ceiling, and without the graph.
    pub rows: Vec<Row>,
}

/// What one variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Which.
    pub variant: Variant,
    /// Its accuracy on people it has not seen.
    pub test: Measured,
    /// What it is, in a few words.
    #[serde(skip)]
    pub about: String,
}

/// What it comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conclusion {
    /// Whether features added anything over the graph alone.
    pub verdict: String,
}

impl Trained {
    pub(super) fn of(people: &Dataset, seed: u64) -> Result<(Self, Conclusion)> {
        let (data, system) = (Data::new(people.name(), people), system());
        let (task, private) = (Task::Nodes, Private::FEATURES);
        let trial = LdpGeTrial { data, task, system, private, volunteers: None, spill: None };
        let seeds: Vec<u64> = (0..RUNS).map(|run| seed.wrapping_add(run)).collect();
        let (mut cells, interrupt) = (Cells::in_memory(), &AtomicBool::new(false));
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut sweep = Sweep { cells: &mut cells, threads, interrupt, progress: &|_, _| {} };
        let comparison = compare(&trial, &seeds, &mut sweep)?;
        let measured = comparison.rows.iter().filter_map(|row| Some((row, row.summary(TEST)?)));
        let rows = measured
            .map(|(row, test)| Row {
                variant: row.variant,
                test: Measured::percent(&test),
                about: row.about.clone(),
            })
            .collect();
        Ok((Self { rows }, Conclusion { verdict: trial.words(&comparison).verdict }))
    }
}

/// Small enough for a tour.
fn system() -> LdpGe {
    let features = FeatureProtection {
        mechanism: "hds".into(),
        epsilon: EPSILON,
        settings: Settings::default(),
        decoding: Decoding::Unbiased,
    };
    LdpGe {
        // Labels and edges are public here: their prices are not looked at.
        protection: Protection {
            features,
            label_epsilon: EPSILON,
            edges: ListProtection::recommended(EPSILON, 1),
        },
        embedding: Embedding::default(),
        labels: LabelSpread::default(),
        ways: Way::ALL.to_vec(),
        learner: Learner { hidden: vec![32], dropout: 0.5, epochs: 15, ..Learner::default() },
    }
}
