//! A system beside its control and its ceiling, over the same seeds.

use std::time::Instant;

use privet_lab::experiments::dpar::DparTrial;
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::ldp_ge::LdpGeTrial;
use privet_lab::experiments::trial::write_up::{Circumstances, report};
use privet_lab::experiments::trial::{self, Comparison as Compared, NamedData, Trial};
use privet_lab::report::Report;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::card::Card;
use crate::error::Failure;
use crate::study::{self, plots};
use crate::systems::{Given, Input, SystemRequest};
use crate::work::{Board, working};

/// What every variant scored.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Comparison {
    compared: Compared,
    report: Report,
    verdict: String,
}

#[pymethods]
impl Comparison {
    /// Name, what it is, and its scores by seed: all of them by name.
    fn rows(&self) -> PyResult<String> {
        let rows = self.compared.rows.iter().map(|row| (&row.name, &row.about, &row.scores));
        let text = serde_json::to_string(&rows.collect::<Vec<_>>());
        text.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
    }

    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.compared.seeds.clone()
    }

    /// What it comes to.
    #[getter]
    fn verdict(&self) -> &str {
        &self.verdict
    }

    /// The card of a run of the system.
    #[getter]
    fn card(&self) -> Card {
        Card(self.compared.card.clone())
    }

    /// The whole report as a page.
    fn html(&self) -> String {
        self.report.html()
    }

    /// The whole report as text.
    fn text(&self, width: u16) -> String {
        self.report.terminal(width)
    }

    /// The plots of the report: a name and an SVG each.
    fn plots(&self) -> Vec<(String, String)> {
        plots(&self.report)
    }
}

/// Runs every variant with every seed.
#[pyfunction]
pub(crate) fn compare_system(
    py: Python<'_>,
    system: &str,
    settings: Bound<'_, PyDict>,
    data: Given<'_>,
    seeds: Vec<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Comparison> {
    let asked = SystemRequest::new(system, &settings)?;
    let data = Input::from(data);
    working(py, progress, move |board| {
        data.guarded()?;
        match asked {
            SystemRequest::LdpGe(request) => {
                let data = named(&data)?;
                let trial = LdpGeTrial::requested(&request, data.name, data, None)?;
                measured(&trial, &seeds, board)
            }
            SystemRequest::Dpar(request) => {
                measured(&DparTrial::requested(&request, named(&data)?)?, &seeds, board)
            }
            SystemRequest::Dprr(request) => {
                let set = data.graphs()?;
                measured(&DprrTrial::requested(&request, set.name(), set)?, &seeds, board)
            }
            SystemRequest::HeteroRr(request) => {
                measured(&HeteroRrTrial::requested(&request, named(&data)?)?, &seeds, board)
            }
        }
    })
}

/// One graph to measure on: by the split that it has, or by one that each seed draws.
fn named(data: &Input) -> Result<NamedData<'_>, Failure> {
    let dataset = data.nodes()?;
    let data = NamedData::from(dataset);
    Ok(dataset.split().map_or(data, |split| data.with_split(split)))
}

fn measured<T: Trial>(trial: &T, seeds: &[u64], board: &Board) -> Result<Comparison, Failure> {
    let begun = Instant::now();
    let compared = study::measured(board, |sweep| Ok(trial::compare(trial, seeds, sweep)?))?;
    let words = trial.words(&compared);
    let seconds = begun.elapsed().as_secs_f64();
    let circumstances = Circumstances { command: "privet.compare".into(), release: None, seconds };
    let report = report(&words, &compared, circumstances);
    Ok(Comparison { verdict: words.verdict, report, compared })
}
