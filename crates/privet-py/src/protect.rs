//! One part of a dataset, randomised: features, labels or edges.

use std::path::PathBuf;
use std::sync::Arc;

use privet::graph;
use privet::privacy::edges::Merge;
use privet::privacy::features::{FeatureMechanism, FeatureSettings};
use privet::protect::{Budgets, EdgeMechanism, Edges, Features, Labels, Terms};
use privet::settings::{DECODINGS, MERGES, name};
use privet::{Facts, System};
use pyo3::prelude::*;

use crate::card::Card;
use crate::data::Dataset;
use crate::error::Failure;
use crate::ledger::Ledger;
use crate::released::{HandedOut, Released};
use crate::run::{Where, doubts};
use crate::systems::guarded;
use crate::work::working;

/// How strongly people are protected.
#[derive(FromPyObject)]
pub(crate) struct Strength {
    #[pyo3(item)]
    epsilon: f64,
    #[pyo3(item)]
    budgets: Option<PathBuf>,
    #[pyo3(item)]
    accept: Vec<String>,
}

impl Strength {
    fn terms(&self, earlier: Option<&Card>) -> Result<Terms, Failure> {
        let budgets = match &self.budgets {
            Some(path) => Budgets::read(self.epsilon, path)?,
            None => Budgets::alike(self.epsilon),
        };
        let (accepted, earlier) = (doubts(&self.accept)?, earlier.map(|card| card.0.clone()));
        Ok(Terms { budgets, accepted, earlier })
    }
}

/// What a randomizer of features takes beside epsilon.
#[derive(FromPyObject)]
pub(crate) struct FeatureOptions {
    #[pyo3(item)]
    mechanism: String,
    #[pyo3(item)]
    k: Option<usize>,
    #[pyo3(item)]
    delta: Option<f64>,
    #[pyo3(item)]
    bins: Option<u32>,
    #[pyo3(item)]
    decoding: Option<String>,
}

impl FeatureOptions {
    fn system(self, strength: &Strength, earlier: Option<&Card>) -> Result<Features, Failure> {
        let usual = Features::hds(strength.epsilon);
        let decoding = match &self.decoding {
            Some(typed) => choice("decoding", &DECODINGS, typed)?,
            None => usual.decoding,
        };
        Ok(Features {
            mechanism: self.mechanism,
            settings: FeatureSettings {
                k: self.k,
                delta: self.delta,
                bins: self.bins,
                theta: None,
            },
            decoding,
            terms: strength.terms(earlier)?,
        })
    }
}

/// The names of the mechanisms for features.
#[pyfunction]
pub(crate) fn feature_mechanisms() -> Vec<&'static str> {
    FeatureMechanism::NAMES.to_vec()
}

/// The names of the mechanisms for edges.
#[pyfunction]
pub(crate) fn edge_mechanisms() -> Vec<String> {
    EDGE_MECHANISMS.iter().map(name).collect()
}

/// The names of the rules by which two people's reports become an edge.
#[pyfunction]
pub(crate) fn merges() -> Vec<String> {
    MERGES.iter().map(name).collect()
}

const EDGE_MECHANISMS: [EdgeMechanism; 5] = [
    EdgeMechanism::Dprr,
    EdgeMechanism::Rr,
    EdgeMechanism::LocalLap,
    EdgeMechanism::EdgeRand,
    EdgeMechanism::LapGraph,
];

/// A choice by its name.
///
/// # Errors
/// If there is none of that name.
pub(crate) fn choice<T: serde::Serialize + Clone>(
    kind: &'static str,
    choices: &[T],
    typed: &str,
) -> Result<T, Failure> {
    let found = choices.iter().find(|choice| name(*choice) == typed);
    found.cloned().ok_or_else(|| {
        let known: Vec<String> = choices.iter().map(name).collect();
        graph::Error::unknown_name(kind, typed, known.iter().map(String::as_str)).into()
    })
}

fn edges(
    mechanism: &str,
    merge: Option<&str>,
    strength: &Strength,
    earlier: Option<&Card>,
) -> Result<Edges, Failure> {
    let mechanism = choice("mechanism for edges", &EDGE_MECHANISMS, mechanism)?;
    let merge: Option<Merge> = merge.map(|typed| choice("merge", &MERGES, typed)).transpose()?;
    Ok(Edges::new(mechanism, merge, strength.terms(earlier)?)?)
}

/// One part, charged and drawn.
fn released<S>(py: Python<'_>, system: S, data: &Dataset, place: Where) -> PyResult<HandedOut>
where
    S: System<Input = graph::Dataset, Output = graph::Dataset> + Send + 'static,
{
    let data = Arc::clone(&data.0);
    let made = working(py, None, move |board| {
        guarded(&data)?;
        Ok(system.run((*data).clone(), &place.run(board))?)
    })?;
    Ok(Released::Data(made).into())
}

/// The dataset with reports in place of features.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "what one Python call says")]
pub(crate) fn protect_features(
    py: Python<'_>,
    data: &Dataset,
    options: FeatureOptions,
    strength: Strength,
    earlier: Option<&Card>,
    ledger: Option<&Ledger>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
) -> PyResult<HandedOut> {
    let system = options.system(&strength, earlier)?;
    released(py, system, data, Where::new("features", ledger, folder, seed)?)
}

/// The dataset with reports in place of labels.
#[pyfunction]
pub(crate) fn protect_labels(
    py: Python<'_>,
    data: &Dataset,
    strength: Strength,
    earlier: Option<&Card>,
    ledger: Option<&Ledger>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
) -> PyResult<HandedOut> {
    let system = Labels { terms: strength.terms(earlier)? };
    released(py, system, data, Where::new("labels", ledger, folder, seed)?)
}

/// The dataset with a graph of reports in place of its own.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "what one Python call says")]
pub(crate) fn protect_edges(
    py: Python<'_>,
    data: &Dataset,
    mechanism: &str,
    merge: Option<&str>,
    strength: Strength,
    earlier: Option<&Card>,
    ledger: Option<&Ledger>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
) -> PyResult<HandedOut> {
    let system = edges(mechanism, merge, &strength, earlier)?;
    released(py, system, data, Where::new("edges", ledger, folder, seed)?)
}

fn promised(system: &impl System, data: &Dataset) -> PyResult<Card> {
    Ok(Card(system.promise(&Facts::of(&data.0)).map_err(Failure::from)?))
}

/// The card of a run on features, before any record is looked at.
#[pyfunction]
pub(crate) fn promise_features(
    data: &Dataset,
    options: FeatureOptions,
    strength: Strength,
) -> PyResult<Card> {
    promised(&options.system(&strength, None)?, data)
}

/// The card of a run on labels, before any record is looked at.
#[pyfunction]
pub(crate) fn promise_labels(data: &Dataset, strength: Strength) -> PyResult<Card> {
    promised(&Labels { terms: strength.terms(None)? }, data)
}

/// The card of a run on edges, before any record is looked at.
#[pyfunction]
pub(crate) fn promise_edges(
    data: &Dataset,
    mechanism: &str,
    merge: Option<&str>,
    strength: Strength,
) -> PyResult<Card> {
    promised(&edges(mechanism, merge, &strength, None)?, data)
}
