//! One budget for all releases about the same people.

use std::path::{Path, PathBuf};

use privet::Method;
use privet::cardfile::{OF_FOLDER, card_of};
use privet::data::declared::EdgeTable;
use privet::graph::Error;
use privet::model::Model;
use privet::model::predict::AnswerColumns;
use privet::model::question::Question;
use privet::privacy::Loss;
use privet::project::{InputGuard, Past};
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

impl Project {
    /// The same for the library.
    pub(crate) fn library(&self) -> &privet::Project {
        &self.0
    }
}

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
        let method = method.map(|name| choice("method", &Method::TRAINABLE, name)).transpose();
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

/// A table of two columns of ids: its file, and their names.
type Pairs = (PathBuf, String, String);

/// What a model says about people, pairs of people or graphs, written to a new file; gives how many answers there are, and
/// their card if they are a release of their own.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "what one Python call says")]
pub(crate) fn predict(
    py: Python<'_>,
    model: PathBuf,
    people: Option<PathBuf>,
    output: PathBuf,
    edges: Option<Pairs>,
    released: Option<PathBuf>,
    pairs: Option<Pairs>,
    top: usize,
    probabilities: bool,
    epsilon: Option<f64>,
    delta: Option<f64>,
    seed: Option<u64>,
) -> PyResult<(u64, Option<Card>)> {
    let table =
        |(file, source, target): Pairs| EdgeTable::new(file.to_string_lossy(), source, target);
    let question = Question {
        people,
        table: None,
        edges: edges.map(table),
        released,
        pairs: pairs.map(table),
        shown: AnswerColumns { top, probabilities },
    };
    working(py, None, move |_| {
        let guard = InputGuard::around(question.files().into_iter().chain([&*model]))?;
        let paying = epsilon.map(|_| privet::Project::that_pays(&model)).transpose()?;
        let model = Protected::<Model>::load(&model)?.into_parts().0;
        if output.exists() {
            return Err(privet::Error::file(&output, "it exists already").into());
        }
        if let (Some(project), Some(epsilon)) = (paying, epsilon) {
            let target = Loss::new(epsilon, delta.unwrap_or(project.config().budget.delta))?;
            let run = Run { ledgers: project.spend()?, ..noisy(seed) };
            let answered = project.predict(&model, &question, &output, target, &guard, &run)?;
            let (to, at) = (std::path::absolute(&output), card_of(&output));
            let past =
                Past::now("privet.Project.predict", to.unwrap_or(output), Some(at), &run.ledgers)?;
            project.record(&past)?;
            return Ok((answered.count, answered.card.map(Card)));
        }
        let noise = noisy(seed).noise;
        let answered = model.answer_to(&question, &output, &guard, noise, &mut |_| ())?;
        Ok((answered.count, answered.card.map(Card)))
    })
}
