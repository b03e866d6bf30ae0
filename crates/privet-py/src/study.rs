//! What is found out before or instead of a release: plans, the tour, attacks, searches for settings. Each is one function of
//! the laboratory on data that is in memory, and nothing here is a release.

use std::num::NonZeroUsize;

use privet::graph::LoadedData;
use privet::learn::train::Watch;
use privet_lab::experiments::cells::{Cells, Sweep};
use privet_lab::experiments::trial::NamedData;
use privet_lab::experiments::tune::SearchFindings;
use privet_lab::plan::{StatedFacts, page, plan as planned, write_up};
use privet_lab::report::Report;
use privet_lab::report::picture::Colours;
use privet_lab::request::{AttackRequest, TuneRequest};
use privet_lab::tour::tour;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::error::Failure;
use crate::fields::asked;
use crate::project::Project;
use crate::systems::{Given, Input};
use crate::work::{Board, working};

/// What was found out: numbers, and the same for people.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Study {
    numbers: String,
    text: String,
    page: String,
    plots: Vec<(String, String)>,
}

#[pymethods]
impl Study {
    /// The numbers in JSON, as the command line prints them.
    fn json(&self) -> &str {
        &self.numbers
    }

    /// The report as text.
    fn text(&self) -> &str {
        &self.text
    }

    /// The page.
    fn html(&self) -> &str {
        &self.page
    }

    /// The pictures on it: a name and an SVG each.
    fn plots(&self) -> Vec<(String, String)> {
        self.plots.clone()
    }
}

impl Study {
    /// Of something with a page of its own.
    fn new(numbers: &impl Serialize, report: &Report, page: String) -> Result<Self, Failure> {
        let numbers = serde_json::to_string(numbers)
            .map_err(|error| privet::Error::invalid("numbers", error, "JSON"))?;
        Ok(Self { numbers, text: report.terminal(WIDTH), page, plots: plots(report) })
    }

    /// Of something whose page is its report.
    fn reported(numbers: &impl Serialize, report: &Report) -> Result<Self, Failure> {
        Self::new(numbers, report, report.html())
    }
}

/// How wide a report is as text.
const WIDTH: u16 = 100;

/// The pictures of a report: a name and an SVG each.
pub(crate) fn plots(report: &Report) -> Vec<(String, String)> {
    let plots = report.plots().into_iter();
    plots.map(|(name, plot)| (name, plot.picture().svg(Colours::Fixed))).collect()
}

/// Measures out of a store in memory, with an observer.
pub(crate) fn measured<T>(
    board: &Board,
    measure: impl FnOnce(&mut Sweep<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let progress = |done: usize, of: usize| board.sees(done, of);
    let (cells, interrupt) = (&mut Cells::in_memory(), board.flag());
    measure(&mut Sweep { cells, threads, interrupt, progress: &progress })
}

/// What to expect of every method.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    settings: Bound<'_, PyDict>,
    project: Option<Py<Project>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let facts: StatedFacts = asked(&settings)?;
    let project = project.as_ref().map(|project| project.get().library());
    let question = facts.question(project).map_err(Failure::from)?;
    working(py, progress, move |board| {
        let planned = measured(board, |sweep| Ok(planned(&question, sweep)?))?;
        let report = write_up::report(&planned, "privet.plan");
        let page = page::html(&planned, &report);
        Study::new(&Unwritten { found: &planned, scores_are_simulated: None }, &report, page)
    })
}

/// Numbers as the command line prints them where it writes no page.
#[derive(Serialize)]
struct Unwritten<'a, T> {
    #[serde(flatten)]
    found: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores_are_simulated: Option<bool>,
}

/// The four trust models on generated people.
#[pyfunction]
pub(crate) fn demo(py: Python<'_>, seed: u64, progress: Option<Py<PyAny>>) -> PyResult<Study> {
    working(py, progress, move |board| {
        let tour = measured(board, |sweep| Ok(tour(seed, sweep)?))?;
        let report = tour.report("privet.demo");
        let numbers = Unwritten { found: &tour, scores_are_simulated: Some(true) };
        Study::reported(&numbers, &report)
    })
}

/// One of the attacks, on data that is in memory.
#[pyfunction]
pub(crate) fn attack(
    py: Python<'_>,
    name: &str,
    settings: Bound<'_, PyDict>,
    data: Given<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let request = match name {
        "membership" => AttackRequest::Membership(asked(&settings)?),
        "poison" => AttackRequest::Poison(asked(&settings)?),
        "linkteller" => AttackRequest::LinkTeller(asked(&settings)?),
        "reconstruct" => AttackRequest::Reconstruct(asked(&settings)?),
        other => return Err(PyValueError::new_err(format!("there is no attack {other}"))),
    };
    let data = Input::from(data);
    working(py, progress, move |board| {
        data.guarded()?;
        let (name, data) = match data {
            Input::Nodes(data) => (data.name().to_owned(), LoadedData::Nodes((*data).clone())),
            Input::Graphs(set) => (set.name().to_owned(), LoadedData::Graphs((*set).clone())),
        };
        let found =
            measured(board, |sweep| Ok(request.run(data, &name, "privet.attack", sweep)?))?;
        Study::reported(&found.numbers, &found.report)
    })
}

/// Better settings of LDP-GE, on data that is in memory.
#[pyfunction]
pub(crate) fn tune(
    py: Python<'_>,
    settings: Bound<'_, PyDict>,
    data: Given<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let request: TuneRequest = asked(&settings)?;
    let data = Input::from(data);
    working(py, progress, move |board| {
        let (source, command) = ("--dataset DATA", "privet.tune".to_owned());
        data.guarded()?;
        let search = request.search(NamedData::from(data.nodes()?))?;
        let best =
            measured(board, |sweep| Ok(SearchFindings::of(&search, source, command, sweep)?))?;
        Study::reported(&best, &best.report)
    })
}
