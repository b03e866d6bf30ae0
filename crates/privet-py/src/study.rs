//! What is found out before or instead of a release: plans, the tour, attacks, searches for settings. Each is one function of
//! the library, called with the words of the command line on data that is in memory, and nothing here is a release.

use std::num::NonZeroUsize;

use privet::graph::LoadedData;
use privet::learn::train::Watch;
use privet_cli::args::{Command, Tune};
use privet_cli::commands::attack as attack_command;
use privet_cli::failure::Failure as Told;
use privet_cli::output::console::plain_text;
use privet_cli::output::demo::TourOutput;
use privet_cli::output::plan::PlannedAnswer;
use privet_cli::planning::question;
use privet_cli::systems::command;
use privet_cli::tuned::search;
use privet_lab::experiments::cells::{Cells, Sweep};
use privet_lab::experiments::tune::SearchFindings;
use privet_lab::plan::{page, plan as planned, write_up};
use privet_lab::report::Report;
use privet_lab::report::picture::Colours;
use privet_lab::tour::tour;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::Failure;
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

    /// What the command line prints for people.
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
    fn new(
        numbers: &impl Serialize,
        text: String,
        report: &Report,
        page: String,
    ) -> Result<Self, Failure> {
        let numbers = serde_json::to_string(numbers).map_err(Told::from)?;
        Ok(Self { numbers, text, page, plots: plots(report) })
    }

    /// Of something whose text is its report.
    fn reported(numbers: &impl Serialize, report: &Report) -> Result<Self, Failure> {
        Self::new(numbers, report.terminal(WIDTH), report, report.html())
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

/// `privet plan`.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    words: Vec<String>,
    project: Option<Py<Project>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let Command::Plan(typed) = command(&words).map_err(Failure::from)? else {
        return Err(not_a("plan"));
    };
    let project = project.as_ref().map(|project| project.get().library());
    let question = question(&typed.facts, project).map_err(Failure::from)?;
    working(py, progress, move |board| {
        let planned = measured(board, |sweep| Ok(planned(&question, sweep)?))?;
        let report = write_up::report(&planned, &format!("privet {}", words.join(" ")));
        let page = page::html(&planned, &report);
        let answer = PlannedAnswer::new(planned, None);
        Study::new(&answer.planned, plain_text(&answer)?, &report, page)
    })
}

/// `privet demo`.
#[pyfunction]
pub(crate) fn demo(
    py: Python<'_>,
    words: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let Command::Demo(typed) = command(&words).map_err(Failure::from)? else {
        return Err(not_a("demo"));
    };
    working(py, progress, move |board| {
        let tour = measured(board, |sweep| Ok(tour(typed.seed, sweep)?))?;
        let report = tour.report(&format!("privet {}", words.join(" ")));
        let toured = TourOutput { tour, scores_are_simulated: true, html: None };
        Study::new(&toured, plain_text(&toured)?, &report, report.html())
    })
}

/// `privet attack`, on data that is in memory.
#[pyfunction]
pub(crate) fn attack(
    py: Python<'_>,
    words: Vec<String>,
    data: Given<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let Command::Attack(typed) = command(&words).map_err(Failure::from)? else {
        return Err(not_a("attack"));
    };
    let data = Input::from(data);
    working(py, progress, move |board| {
        data.guarded()?;
        let data = match data {
            Input::Nodes(data) => LoadedData::Nodes((*data).clone()),
            Input::Graphs(set) => LoadedData::Graphs((*set).clone()),
        };
        let found = measured(board, |sweep| {
            Ok(attack_command::attack(&typed, data, "privet.attack", sweep)?)
        })?;
        Study::reported(&found.numbers, &found.report)
    })
}

/// `privet tune ldp-ge`, on data that is in memory.
#[pyfunction]
pub(crate) fn tune(
    py: Python<'_>,
    words: Vec<String>,
    data: Given<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Study> {
    let Command::Tune(Tune::LdpGe(typed)) = command(&words).map_err(Failure::from)? else {
        return Err(not_a("tune ldp-ge"));
    };
    let data = Input::from(data);
    working(py, progress, move |board| {
        let (source, command) = ("--dataset DATA", "privet.tune".to_owned());
        data.guarded()?;
        let search = search(&typed, data.nodes()?)?;
        let best =
            measured(board, |sweep| Ok(SearchFindings::of(&search, source, command, sweep)?))?;
        Study::reported(&best, &best.report)
    })
}

fn not_a(name: &str) -> PyErr {
    Failure::from(Told::usage(format!("not a command `{name}`"))).into()
}
