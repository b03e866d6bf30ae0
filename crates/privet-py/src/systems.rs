//! The four systems: run as `privet run` runs them ([`run`]), or fitted as scikit-learn fits estimators ([`fit`]).
//! Settings come as words of the command line, so that their names, defaults and meanings stand in one place.

mod fit;
mod run;

use std::path::PathBuf;
use std::sync::Arc;

use privet::graph::{self, GraphSet as Graphs};
use privet::project::InputGuard;
use privet::release::{DparRelease, Releasable, SplitData};
use privet::request::Request;
use privet::run::Accounts;
use privet::{Facts, Run, System};
use privet_cli::args::Run as Typed;
use privet_cli::systems;
use privet_lab::experiments::trial::NamedData;
use pyo3::prelude::*;

pub(crate) use fit::fit_system;
pub(crate) use run::run_system;

use crate::card::Card;
use crate::data::{Dataset, GraphSet};
use crate::error::Failure;
use crate::run::{Where, doubts};

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

/// Refuses data in memory about people whom a project protects, as the command line refuses files.
///
/// # Errors
/// If it is about one of them, or a project cannot be read.
pub(crate) fn guarded(data: &graph::Dataset) -> Result<(), Failure> {
    Ok(InputGuard::around([])?.check_dataset(data)?)
}

impl Input {
    /// Refuses data about people whom a project protects.
    ///
    /// # Errors
    /// If it is about one of them, or a project cannot be read.
    pub(crate) fn guarded(&self) -> Result<(), Failure> {
        match self {
            Self::Nodes(data) => guarded(data),
            Self::Graphs(_) => Ok(()),
        }
    }

    /// One graph.
    ///
    /// # Errors
    /// If there are many.
    pub(crate) fn nodes(&self) -> Result<&graph::Dataset, Failure> {
        match self {
            Self::Nodes(data) => Ok(data),
            Self::Graphs(_) => Err(graph::Error::invalid("data", "many graphs", "one").into()),
        }
    }

    /// One graph to measure on: by the split that it has, or by one that each seed draws.
    ///
    /// # Errors
    /// If there are many.
    pub(crate) fn measured(&self) -> Result<NamedData<'_>, Failure> {
        let dataset = self.nodes()?;
        let data = NamedData::from(dataset);
        Ok(dataset.split().map_or(data, |split| data.with_split(split)))
    }

    /// The same for a release.
    ///
    /// # Errors
    /// If there are many.
    pub(crate) fn split(&self) -> Result<SplitData<'_>, Failure> {
        let data = self.nodes()?;
        Ok(SplitData { data, split: data.split() })
    }

    /// Many graphs.
    ///
    /// # Errors
    /// If there is one.
    pub(crate) fn graphs(&self) -> Result<&Graphs, Failure> {
        match self {
            Self::Graphs(set) => Ok(set),
            Self::Nodes(_) => {
                Err(graph::Error::invalid("data", "one graph", "many: a GraphSet").into())
            }
        }
    }
}

/// Everything that can be set about a command (`run dpar`): name, default, words.
#[pyfunction]
pub(crate) fn settings(command: &str) -> Vec<systems::SettingLine> {
    systems::settings(command)
}

/// What a call says beside the system and its data.
struct Call {
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

    /// What the card of a release must repeat.
    fn settled<R: Releasable>(&self, system: &R, data: &R::Data) -> Result<Vec<String>, Failure> {
        match self.leaves {
            true => Ok(system.settle(data, &doubts(&self.accept)?)?),
            false => Ok(Vec::new()),
        }
    }
}

/// The same under a card that repeats these lines.
fn told<T>(made: privet::Protected<T>, lines: Vec<String>) -> privet::Protected<T> {
    lines.into_iter().fold(made, privet::Protected::with_unprotected)
}

/// What fails after a charge says so.
fn charged<T>(run: &Run<'_>, work: impl FnOnce() -> privet::Result<T>) -> privet::Result<T> {
    let accounts = run.ledgers.accounts();
    work().map_err(|error| since(accounts, error))
}

/// The same error, with what was charged since.
fn since(accounts: Accounts<'_>, error: privet::Error) -> privet::Error {
    match accounts.charged() {
        ledgers if ledgers.is_empty() => error,
        ledgers => privet::Error::Charged { error: Box::new(error), ledgers },
    }
}

/// The card of a fit to any data with these public facts, before any record is looked at.
#[pyfunction]
pub(crate) fn promise_system(words: Vec<String>, data: Given<'_>) -> PyResult<Card> {
    Ok(Card(promised(&words, &data.into())?))
}

fn promised(words: &[String], data: &Input) -> Result<privet::privacy::Card, Failure> {
    Ok(match systems::typed(words)? {
        Typed::LdpGe(typed) => {
            let trial = systems::ldp_ge(&typed, data.measured()?)?;
            trial.release().promise(&Facts::of(data.nodes()?))?
        }
        Typed::Dpar(typed) => {
            let facts = DparRelease::facts_to_fit(data.split()?)?;
            typed.request.resolve(&facts)?.promise(&facts)?
        }
        Typed::Dprr(typed) => {
            let trial = systems::dprr(&typed, data.graphs()?)?;
            trial.system().promise(&Facts::of_set(data.graphs()?))?
        }
        Typed::HeteroRr(typed) => {
            let trial = systems::hetero_rr(&typed, data.measured()?)?;
            trial.release().promise(&Facts::of(data.nodes()?))?
        }
    })
}
