//! The four systems: run as `privet run` runs them, or fitted as scikit-learn fits estimators. Settings come as words of
//! the command line, so that their names, defaults and meanings stand in one place.

use std::path::PathBuf;
use std::sync::Arc;

use privet::dpar::Training;
use privet::dprr::{Crowd, Dprr};
use privet::graph::{self, GraphSet as Graphs, Split, SplitShares};
use privet::hetero_rr::{PrivateEdges, Publication};
use privet::ldp_ge::People;
use privet::privacy::edges::hrg::PrivateNodes;
use privet::privacy::unit::{Node, ReplacedNode};
use privet::publish::{FeaturePolicy, Publish};
use privet::{Facts, Run, System};
use privet_cli::args::Run as Typed;
use privet_cli::systems::{self, Asked};
use privet_lab::experiments::dpar::Hidden;
use privet_lab::experiments::trial::Variant;
use pyo3::prelude::*;

use crate::card::Card;
use crate::data::{Dataset, GraphSet};
use crate::error::Failure;
use crate::learned::Learned;
use crate::released::{Protected, Released};
use crate::run::{Where, doubts};
use crate::work::working;

/// One graph or many.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Nodes(PyRef<'py, Dataset>),
    Graphs(PyRef<'py, GraphSet>),
}

/// The same, away from Python.
#[derive(Clone)]
pub(crate) enum Input {
    Nodes(Arc<graph::Dataset>),
    Graphs(Arc<Graphs>),
}

impl From<Given<'_>> for Input {
    fn from(given: Given<'_>) -> Self {
        match given {
            Given::Nodes(data) => Self::Nodes(Arc::clone(&data.0)),
            Given::Graphs(set) => Self::Graphs(Arc::clone(&set.0)),
        }
    }
}

impl Input {
    pub(crate) fn nodes(&self) -> Result<&graph::Dataset, Failure> {
        match self {
            Self::Nodes(data) => Ok(data),
            Self::Graphs(_) => Err(graph::Error::invalid("data", "many graphs", "one").into()),
        }
    }

    pub(crate) fn graphs(&self) -> Result<&Graphs, Failure> {
        match self {
            Self::Graphs(set) => Ok(set),
            Self::Nodes(_) => {
                Err(graph::Error::invalid("data", "one graph", "many: a GraphSet").into())
            }
        }
    }
}

/// Everything that can be set about a system: name, default, words.
#[pyfunction]
pub(crate) fn settings(system: &str) -> Vec<systems::SettingLine> {
    systems::settings(system)
}

/// What a call says beside the system and its data.
pub(crate) struct Call {
    accept: Vec<String>,
    place: Where,
    /// Whether something leaves: then what it shows must be public.
    leaves: bool,
}

impl Call {
    fn new(accept: Vec<String>, folder: Option<PathBuf>, seed: Option<u64>) -> PyResult<Self> {
        let leaves = folder.is_some();
        Ok(Self { accept, place: Where::new("", None, folder, seed)?, leaves })
    }

    fn questions(&self, asked: &Asked, data: &graph::Dataset) -> Result<Vec<String>, Failure> {
        match self.leaves {
            true => Ok(asked.settle(data, &doubts(&self.accept)?)?),
            false => Ok(Vec::new()),
        }
    }
}

fn told<T>(made: privet::Protected<T>, lines: Vec<String>) -> privet::Protected<T> {
    lines.into_iter().fold(made, privet::Protected::with_unprotected)
}

/// One run of a system, as the command line makes a release of it.
#[pyfunction]
pub(crate) fn run_system(
    py: Python<'_>,
    words: Vec<String>,
    data: Given<'_>,
    accept: Vec<String>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Protected> {
    let (call, data) = (Call::new(accept, folder, seed)?, Input::from(data));
    let made = working(py, progress, move |board| {
        let run = call.place.run(board);
        Ok(match systems::typed(&words)? {
            Typed::LdpGe(typed) => {
                let (trial, asked) = systems::ldp_ge(&typed, data.nodes()?)?;
                let lines = call.questions(&asked, data.nodes()?)?;
                let made = charged(&run, || {
                    trial.classify(Variant::Private, &trial.system, trial.private, &run)
                })?;
                Released::Nodes(told(made, lines))
            }
            Typed::Dpar(typed) => {
                let (trial, asked) = systems::dpar(&typed, data.nodes()?)?;
                let lines = call.questions(&asked, data.nodes()?)?;
                let made = charged(&run, || trial.release(&run))?;
                Released::Trained(Box::new(trial.system), told(made, lines))
            }
            Typed::Dprr(typed) => {
                let (trial, asked) = systems::dprr(&typed, data.graphs()?)?;
                let mut lines = Vec::new();
                if call.leaves {
                    lines = data.graphs()?.require_public_users()?;
                    for price in &asked.prices {
                        lines.extend(price.settle(&doubts(&call.accept)?)?);
                    }
                }
                let made = charged(&run, || Ok(trial.run_as(&run)?.1))?;
                Released::Graphs(told(made, lines))
            }
            Typed::HeteroRr(typed) => {
                let (trial, asked) = systems::hetero_rr(&typed, data.nodes()?)?;
                let lines = call.questions(&asked, data.nodes()?)?;
                let (published, gcn, card) = charged(&run, || trial.release(&run))?;
                let card = lines.into_iter().fold(card, privet::privacy::Card::with_unprotected);
                Released::Learned(Box::new(Learned::new(published, gcn, card)?))
            }
        })
    })?;
    Ok(made.into())
}

/// What fails after a charge says so.
fn charged<T>(run: &Run<'_>, work: impl FnOnce() -> privet::Result<T>) -> privet::Result<T> {
    let accounts = run.ledgers.accounts();
    work().map_err(|error| match accounts.charged() {
        ledgers if ledgers.is_empty() => error,
        ledgers => privet::Error::Charged { error: Box::new(error), ledgers },
    })
}

/// The card of a run on any data with these public facts, before any record is looked at.
#[pyfunction]
pub(crate) fn promise_system(words: Vec<String>, data: Given<'_>) -> PyResult<Card> {
    let data = Input::from(data);
    Ok(Card(promised(&words, &data)?))
}

fn promised(words: &[String], data: &Input) -> Result<privet::privacy::Card, Failure> {
    Ok(match systems::typed(words)? {
        Typed::LdpGe(typed) => {
            let (trial, _) = systems::ldp_ge(&typed, data.nodes()?)?;
            trial.system.promise(&Facts::of(data.nodes()?).with_secret(trial.private))?
        }
        Typed::Dpar(typed) => {
            let (trial, _) = systems::dpar(&typed, data.nodes()?)?;
            let facts = Facts { people: vec![trial.people], ..Facts::of(data.nodes()?) };
            trial.system.promise(&facts)?
        }
        Typed::Dprr(typed) => {
            let (trial, _) = systems::dprr(&typed, data.graphs()?)?;
            let (protection, reading, learner) = (trial.protection, trial.reading, trial.learner);
            Dprr { protection, reading, learner }.promise(&Facts::of_set(data.graphs()?))?
        }
        Typed::HeteroRr(typed) => {
            let (trial, _) = systems::hetero_rr(&typed, data.nodes()?)?;
            let publication = Publication { edges: trial.edges, features: trial.features };
            publication.promise(&Facts::of(data.nodes()?))?
        }
    })
}

/// Learns from everything that has a class; what has none is predicted. Of those with a class, a fifth says when to
/// stop.
#[pyfunction]
pub(crate) fn fit_system(
    py: Python<'_>,
    words: Vec<String>,
    data: Given<'_>,
    accept: Vec<String>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Protected> {
    let (call, data) = (Call::new(accept, folder, seed)?, Input::from(data));
    let made = working(py, progress, move |board| {
        let run = call.place.run(board);
        Ok(match systems::typed(&words)? {
            Typed::LdpGe(typed) => {
                let data = data.nodes()?;
                let (trial, asked) = systems::ldp_ge(&typed, data)?;
                let lines = call.questions(&asked, data)?;
                let split = all_but_a_fifth(data.graph().nodes(), data.labels(), run.seed)?;
                let people = People::new(data, trial.private)?;
                let made = charged(&run, || trial.system.classify(&people, &split, &run))?;
                Released::Nodes(told(made, lines))
            }
            Typed::Dpar(typed) => {
                let data = data.nodes()?;
                let (trial, asked) = systems::dpar(&typed, data)?;
                let lines = call.questions(&asked, data)?;
                let training = everybody_with_a_class(data)?;
                let made = match trial.hidden {
                    Hidden::NodeReplace => trial.system.fit::<ReplacedNode>(&training, &run)?,
                    _ => trial.system.fit::<Node>(&training, &run)?,
                };
                Released::Trained(Box::new(trial.system), told(made, lines))
            }
            Typed::Dprr(typed) => {
                let set = data.graphs()?;
                let (trial, asked) = systems::dprr(&typed, set)?;
                let mut lines = Vec::new();
                if call.leaves {
                    lines = set.require_public_users()?;
                    for price in &asked.prices {
                        lines.extend(price.settle(&doubts(&call.accept)?)?);
                    }
                }
                let split = all_but_a_fifth(0..set.len() as u32, set.labels(), run.seed)?;
                let (protection, reading, learner) =
                    (trial.protection, trial.reading, trial.learner);
                let system = Dprr { protection, reading, learner };
                let crowd = Crowd::new(set)?;
                let made = charged(&run, || system.classify(&crowd, &split, &run))?;
                Released::Graphs(told(made, lines))
            }
            Typed::HeteroRr(typed) => {
                let data = data.nodes()?;
                let (trial, _) = systems::hetero_rr(&typed, data)?;
                let features =
                    trial.features.map_or(FeaturePolicy::Public, FeaturePolicy::Protected);
                let accepted = doubts(&call.accept)?;
                let publish = Publish { edges: trial.edges, features, accepted };
                let made = publish.run(data, &PrivateEdges::All, PrivateNodes::All, &run)?;
                let (published, card) = made.into_parts();
                let split = all_but_a_fifth(data.graph().nodes(), data.labels(), run.seed)?;
                let learned = Learned::train(published.dataset, card, &split, run.seed, board)?;
                Released::Learned(Box::new(learned))
            }
        })
    })?;
    Ok(made.into())
}

/// Everything with a class, four fifths to learn from and one to stop by.
fn all_but_a_fifth(
    items: impl Iterator<Item = u32>,
    labels: Option<&graph::Labels>,
    seed: u64,
) -> Result<Split, Failure> {
    let labelled = items.filter(|&item| labels.is_some_and(|labels| labels.class(item).is_some()));
    let shares = SplitShares { train: 0.8, validation: 0.2, test: 0.0 };
    Ok(Split::random(labelled, shares, seed)?)
}

fn everybody_with_a_class(data: &graph::Dataset) -> Result<Training, Failure> {
    let labels = data.labels().ok_or_else(|| {
        graph::Error::invalid("labels", "none", "a class for everybody who is trained on")
    })?;
    let known: Vec<u32> =
        data.graph().nodes().filter(|&node| labels.class(node).is_some()).collect();
    Ok(Training::of(&data.induced(&known)?, labels.class_count())?)
}
