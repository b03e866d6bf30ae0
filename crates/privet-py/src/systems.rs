//! The four systems: a request of the library, promised, fitted as scikit-learn fits estimators ([`fit`]), or run as the
//! command line makes a release ([`run`]).

mod fit;
mod run;

use std::path::PathBuf;
use std::sync::Arc;

use privet::graph::{self, GraphSet as Graphs};
use privet::project::InputGuard;
use privet::release::{DparRelease, HeteroRrRelease, LdpGeRelease, Releasable, SplitData};
use privet::request::{DparRequest, DprrRequest, HeteroRrRequest, LdpGeRequest, Request};
use privet::run::Accounts;
use privet::{Facts, Run, System};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pub(crate) use fit::fit_system;
pub(crate) use run::run_system;

use crate::card::Card;
use crate::data::{Dataset, GraphSet};
use crate::error::Failure;
use crate::fields::asked;
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

    /// One graph, with the split that it has.
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

/// What is asked of one of the systems.
pub(crate) enum SystemRequest {
    LdpGe(LdpGeRequest),
    Dpar(DparRequest),
    Dprr(DprrRequest),
    HeteroRr(HeteroRrRequest),
}

impl SystemRequest {
    /// Settings by name of a system by its name.
    ///
    /// # Errors
    /// If there is no such system, or the request makes no sense.
    pub(crate) fn new(system: &str, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(match system {
            "ldp-ge" => Self::LdpGe(asked(settings)?),
            "dpar" => Self::Dpar(asked(settings)?),
            "dprr" => Self::Dprr(asked(settings)?),
            "hetero-rr" => Self::HeteroRr(asked(settings)?),
            other => return Err(PyValueError::new_err(format!("there is no system {other}"))),
        })
    }
}

/// LDP-GE for this data.
fn ldp_ge(request: &LdpGeRequest, data: &graph::Dataset) -> Result<LdpGeRelease, Failure> {
    let release = request.resolve(&Facts::of(data))?;
    // What a mechanism refuses is refused before anything is charged, in simulations too.
    release.asks(data)?;
    Ok(release)
}

/// HeteroRR for this data.
fn hetero_rr(request: &HeteroRrRequest, data: &graph::Dataset) -> Result<HeteroRrRelease, Failure> {
    let release = request.resolve_on(data)?;
    release.asks(data)?;
    Ok(release)
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
pub(crate) fn promise_system(
    system: &str,
    settings: Bound<'_, PyDict>,
    data: Given<'_>,
) -> PyResult<Card> {
    Ok(Card(promised(&SystemRequest::new(system, &settings)?, &data.into())?))
}

fn promised(asked: &SystemRequest, data: &Input) -> Result<privet::privacy::Card, Failure> {
    Ok(match asked {
        SystemRequest::LdpGe(request) => {
            let data = data.nodes()?;
            ldp_ge(request, data)?.promise(&Facts::of(data))?
        }
        SystemRequest::Dpar(request) => {
            let facts = DparRelease::facts_to_fit(data.split()?)?;
            request.resolve(&facts)?.promise(&facts)?
        }
        SystemRequest::Dprr(request) => {
            let facts = Facts::of_set(data.graphs()?);
            request.resolve(&facts)?.promise(&facts)?
        }
        SystemRequest::HeteroRr(request) => {
            let data = data.nodes()?;
            hetero_rr(request, data)?.to_fit().promise(&Facts::of(data))?
        }
    })
}
