//! What a system handed out: a value made of releases, and the card of those releases.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use privet::dpar::{Dpar, TrainedClassifier, Visitors};
use privet::dprr::GraphClassifier;
use privet::graph::DenseMatrix;
use privet::ldp_ge::{Linker, NodeClassifier};
use privet::learn::models::{ItemRows, Network};
use privet::model::softmax;
use privet::publish::PublishedData;
use privet::{Save, graph};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::card::Card;
use crate::data::{Dataset, pairs};
use crate::error::Failure;
use crate::learned::Learned;
use crate::systems::guarded;
use crate::work::not_in_a_fork;

/// Something that may be known, and what was promised about it. Python cannot make one.
#[pyclass(frozen, name = "Protected", module = "privet._native")]
pub(crate) struct HandedOut {
    released: Released,
    /// What Python sees of a dataset that was released: copied once, on first use.
    shown: OnceLock<Arc<graph::Dataset>>,
}

impl From<Released> for HandedOut {
    fn from(released: Released) -> Self {
        Self { released, shown: OnceLock::new() }
    }
}

/// What it is.
pub(crate) enum Released {
    Data(privet::Protected<graph::Dataset>),
    Published(privet::Protected<PublishedData>),
    /// A classifier of the nodes it was made from.
    Nodes(privet::Protected<NodeClassifier>),
    /// A predictor of links between those it was made from.
    Links(Box<privet::Protected<Linker>>),
    /// A classifier of graphs.
    Graphs(privet::Protected<GraphClassifier>),
    /// A classifier for new people, and how its answers are made.
    Trained(Box<Dpar>, privet::Protected<TrainedClassifier>),
    /// A classifier on a published graph.
    Learned(Box<Learned>),
}

impl HandedOut {
    /// A copy of the dataset that was released, under its card.
    ///
    /// # Errors
    /// If something else was.
    pub(crate) fn data(&self) -> privet::Result<privet::Protected<graph::Dataset>> {
        match &self.released {
            Released::Data(data) => Ok(data.clone()),
            Released::Published(data) => Ok(data.clone().map(|data| data.dataset)),
            _ => Err(graph::Error::invalid("release", "a model", "a dataset").into()),
        }
    }
}

#[pymethods]
impl HandedOut {
    /// What it is, in a word.
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.released {
            Released::Data(_) => "data",
            Released::Published(_) => "published",
            Released::Nodes(_) => "nodes",
            Released::Links(_) => "links",
            Released::Graphs(_) => "graphs",
            Released::Trained(..) => "trained",
            Released::Learned(_) => "learned",
        }
    }

    /// The dataset, if one was released.
    fn dataset(&self) -> Option<Dataset> {
        let data = match &self.released {
            Released::Data(data) => data.get(),
            Released::Published(data) => &data.get().dataset,
            Released::Learned(learned) => &learned.data,
            _ => return None,
        };
        Some(Dataset(Arc::clone(self.shown.get_or_init(|| Arc::new(data.clone())))))
    }

    /// The predicted classes, if there are any.
    fn predicted<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let predicted = match &self.released {
            Released::Nodes(made) => &made.get().predicted,
            Released::Graphs(made) => &made.get().predicted,
            Released::Trained(_, made) => &made.get().predicted,
            Released::Learned(made) => &made.predicted,
            _ => return None,
        };
        Some(predicted.iter().map(|&class| i64::from(class)).collect::<Vec<_>>().into_pyarray(py))
    }

    /// One row per node, if there is an embedding.
    fn embedding<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        match &self.released {
            Released::Nodes(made) => matrix(py, &made.get().embedding).map(Some),
            Released::Links(made) => matrix(py, &made.get().embedding).map(Some),
            _ => Ok(None),
        }
    }

    /// How likely each class is for what it was made from, a row each.
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let scores = match &self.released {
            Released::Nodes(made) => {
                let NodeClassifier { embedding, model, .. } = made.get();
                let all: Vec<u32> = (0..embedding.rows() as u32).collect();
                model.scores(ItemRows::from(embedding), &all)
            }
            Released::Graphs(made) => made.get().scores.clone(),
            Released::Learned(made) => made.scores.clone(),
            _ => return Ok(None),
        };
        matrix(py, &shares(scores)).map(Some)
    }

    /// How likely each class is for new people, by a classifier that was made for that.
    fn probabilities_for<'py>(
        &self,
        py: Python<'py>,
        data: &Dataset,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let Released::Trained(system, trained) = &self.released else {
            let text = "this classifier knows the people it was made from, and no others";
            return Err(PyValueError::new_err(text));
        };
        not_in_a_fork()?;
        let shares = py.detach(|| {
            guarded(&data.0)?;
            Ok::<_, Failure>(system.probabilities(trained.get(), &Visitors::of(&data.0)?)?)
        });
        matrix(py, &shares?)
    }

    /// A score for each pair: the higher, the likelier a link.
    fn link_scores<'py>(
        &self,
        py: Python<'py>,
        one: PyReadonlyArray1<'py, i64>,
        other: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let Released::Links(linker) = &self.released else {
            return Err(PyValueError::new_err("this release says nothing about links"));
        };
        let linker = linker.get();
        let pairs = pairs(one.as_slice()?, other.as_slice()?, linker.embedding.rows())?;
        let pairs: Vec<(u32, u32)> = pairs.into_iter().map(|[one, other]| (one, other)).collect();
        let scores = linker.scores(&pairs).map_err(Failure::from)?;
        Ok(scores.into_pyarray(py))
    }

    /// What was promised.
    #[getter]
    fn card(&self) -> Card {
        Card(match &self.released {
            Released::Data(made) => made.card().clone(),
            Released::Published(made) => made.card().clone(),
            Released::Nodes(made) => made.card().clone(),
            Released::Links(made) => made.card().clone(),
            Released::Graphs(made) => made.card().clone(),
            Released::Trained(_, made) => made.card().clone(),
            Released::Learned(made) => made.card.clone(),
        })
    }

    /// Writes value and card into a folder: all of it, or nothing.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Card> {
        not_in_a_fork()?;
        let saved = py.detach(|| match &self.released {
            Released::Data(made) => made.save(folder),
            Released::Published(made) => made.save(folder),
            Released::Nodes(made) => made.save(folder),
            Released::Links(made) => made.save(folder),
            Released::Graphs(made) => made.save(folder),
            Released::Trained(_, made) => made.save(folder),
            Released::Learned(made) => made.save(&folder),
        });
        Ok(Card(saved.map_err(Failure::from)?))
    }

    /// How answers are made, in JSON, where that is not in the files.
    #[getter]
    fn system(&self) -> PyResult<Option<String>> {
        let Released::Trained(system, _) = &self.released else { return Ok(None) };
        let text = serde_json::to_string(system);
        text.map(Some).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What was saved, if it is still what its card was issued for.
    #[staticmethod]
    fn load(py: Python<'_>, kind: &str, folder: PathBuf, system: Option<&str>) -> PyResult<Self> {
        not_in_a_fork()?;
        let loaded = py.detach(|| loaded(kind, &folder, system));
        Ok(loaded?.into())
    }
}

fn loaded(kind: &str, folder: &Path, system: Option<&str>) -> PyResult<Released> {
    Ok(match kind {
        "data" => Released::Data(Save::load(folder).map_err(Failure::from)?),
        "published" => Released::Published(Save::load(folder).map_err(Failure::from)?),
        "nodes" => Released::Nodes(Save::load(folder).map_err(Failure::from)?),
        "links" => Released::Links(Box::new(Save::load(folder).map_err(Failure::from)?)),
        "graphs" => Released::Graphs(Save::load(folder).map_err(Failure::from)?),
        "trained" => {
            let system = serde_json::from_str(system.unwrap_or_default());
            let system = system.map_err(|error| PyValueError::new_err(error.to_string()))?;
            Released::Trained(Box::new(system), Save::load(folder).map_err(Failure::from)?)
        }
        "learned" => Released::Learned(Box::new(Learned::load(folder).map_err(Failure::from)?)),
        _ => {
            let known = ["data", "published", "nodes", "links", "graphs", "trained", "learned"];
            let error = graph::Error::unknown_name("kind of release", kind, known);
            return Err(Failure::from(error).into());
        }
    })
}

/// The area under the ROC curve, if there are both kinds.
#[pyfunction]
pub(crate) fn roc_auc(
    scores: PyReadonlyArray1<'_, f32>,
    positive: Vec<bool>,
) -> PyResult<Option<f64>> {
    Ok(privet::learn::metrics::roc_auc(scores.as_slice()?, &positive))
}

fn shares(mut scores: DenseMatrix) -> DenseMatrix {
    (0..scores.rows()).for_each(|row| softmax(scores.row_mut(row)));
    scores
}

/// A copy that Python owns.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    rows: &DenseMatrix,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    PyArray1::from_slice(py, rows.values()).reshape([rows.rows(), rows.columns()])
}
