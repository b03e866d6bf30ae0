//! One budget for all releases about the same people.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use privet::cardfile::OF_FOLDER;
use privet::graph::Error;
use privet::model::Model;
use privet::model::predict::Shown;
use privet::privacy::Loss;
use privet::project::{Past, TrainMethod};
use privet::{Noise, Protected, Run, Save};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::card::Card;
use crate::error::Failure;
use crate::protect::choice;
use crate::work::working;

/// A project on disk.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Project(privet::Project);

const METHODS: [TrainMethod; 8] = [
    TrainMethod::Auto,
    TrainMethod::Spread,
    TrainMethod::Features,
    TrainMethod::Em0,
    TrainMethod::Gap,
    TrainMethod::LdpGe,
    TrainMethod::LdpGeLinks,
    TrainMethod::Dprr,
];

#[pymethods]
impl Project {
    /// The project that a folder is in: its own, or that of the nearest folder above.
    #[staticmethod]
    fn find(folder: PathBuf) -> PyResult<Self> {
        let found = privet::Project::find(&folder).map_err(Failure::from)?;
        let none = || {
            let found = format!("no privet.toml at or above {}", folder.display());
            Failure::from(Error::invalid("project", found, "a folder that `privet init` made"))
        };
        Ok(Self(found.ok_or_else(none)?))
    }

    #[getter]
    fn root(&self) -> &Path {
        self.0.root()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.config().project.name
    }

    /// What was spent, what is left, what came of it: JSON.
    fn status(&self) -> PyResult<String> {
        let status = self.0.status().map_err(Failure::from)?;
        serde_json::to_string(&status).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Trains a classifier for so much of the budget, and writes it to a folder.
    #[expect(clippy::too_many_arguments, reason = "what one Python call says")]
    fn train(
        &self,
        py: Python<'_>,
        output: PathBuf,
        epsilon: f64,
        delta: Option<f64>,
        method: Option<&str>,
        seed: Option<u64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Card> {
        let method = method.map_or(Ok(TrainMethod::Auto), |name| choice("method", &METHODS, name));
        let (project, method) = (self.0.clone(), method?);
        let card = working(py, progress, move |board| {
            let target = Loss::new(epsilon, delta.unwrap_or(project.config().budget.delta))?;
            let run = Run { ledgers: project.spend()?, ..noisy(seed) }.watched_by(board);
            let card = project.train(method, target, &run)?.save(&output)?;
            let (to, at) = (std::path::absolute(&output), output.join(OF_FOLDER));
            let (to, ledgers) = (to.unwrap_or(output), &run.ledgers);
            project.record(&Past::now("privet.Project.train", to, Some(at), ledgers)?)?;
            Ok(card)
        })?;
        Ok(Card(card))
    }

    /// How good a model is on people who were set aside, at a price: JSON.
    fn evaluate(
        &self,
        py: Python<'_>,
        model: PathBuf,
        epsilon: f64,
        seed: Option<u64>,
    ) -> PyResult<String> {
        let project = self.0.clone();
        let evaluation = working(py, None, move |_| {
            let trained = Protected::<Model>::load(&model)?.into_parts().0;
            let run = Run { ledgers: project.spend()?, ..noisy(seed) };
            let evaluation = project.evaluate(&trained, epsilon, &run)?;
            if evaluation.card.is_some() {
                let past = Past::now("privet.Project.evaluate", model, None, &run.ledgers)?;
                project.record(&past)?;
            }
            Ok(evaluation)
        })?;
        serde_json::to_string(&evaluation).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn noisy(seed: Option<u64>) -> Run<'static> {
    Run { noise: seed.map_or(Noise::OperatingSystem, Noise::Replay), ..Run::simulation(0) }
}

/// What a model says about people in a table, written to a file; gives how many they are.
#[pyfunction]
pub(crate) fn predict(
    py: Python<'_>,
    model: PathBuf,
    people: PathBuf,
    output: PathBuf,
    top: usize,
    probabilities: bool,
) -> PyResult<u64> {
    working(py, None, move |_| {
        let model = Protected::<Model>::load(&model)?.into_parts().0.into_classifier()?;
        let failed = |error: std::io::Error| privet::Error::file(&output, error);
        let mut out = BufWriter::new(std::fs::File::create_new(&output).map_err(failed)?);
        let shown = Shown { top, probabilities };
        let people = model.predict(&people, None, shown, &mut out, &mut |_| ());
        let done = people.and_then(|people| out.flush().map(|()| people).map_err(failed));
        Ok(done.inspect_err(|_| {
            // Half a file says less than none.
            let _ = std::fs::remove_file(&output);
        })?)
    })
}
