//! What a system handed out: a value made of releases, and the card of those releases.

use std::path::PathBuf;
use std::sync::Arc;

use privet::publish::PublishedData;
use privet::{Save, graph};
use pyo3::prelude::*;

use crate::card::Card;
use crate::data::Dataset;
use crate::error::Failure;

/// Something that may be known, and what was promised about it. Python cannot make one.
#[pyclass(frozen, module = "privet._native")]
pub(crate) struct Protected(pub(crate) Released);

/// What it is.
pub(crate) enum Released {
    Data(privet::Protected<graph::Dataset>),
    Published(privet::Protected<PublishedData>),
}

/// The same work on whatever it is.
macro_rules! each {
    ($self:expr, $released:ident => $work:expr) => {
        match &$self.0 {
            Released::Data($released) => $work,
            Released::Published($released) => $work,
        }
    };
}

#[pymethods]
impl Protected {
    /// The dataset, if that is what was released.
    fn dataset(&self) -> Option<Dataset> {
        match &self.0 {
            Released::Data(data) => Some(Dataset(Arc::new(data.get().clone()))),
            Released::Published(data) => Some(Dataset(Arc::new(data.get().dataset.clone()))),
        }
    }

    /// What was promised.
    #[getter]
    fn card(&self) -> Card {
        Card(each!(self, released => released.card().clone()))
    }

    /// Writes value and card into a folder: all of it, or nothing.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Card> {
        let saved = py.detach(|| each!(self, released => released.save(folder)));
        Ok(Card(saved.map_err(Failure::from)?))
    }

    /// What was saved, if it is still what its card was issued for.
    #[staticmethod]
    fn load_dataset(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let loaded = py.detach(|| privet::Protected::load(folder));
        Ok(Self(Released::Data(loaded.map_err(Failure::from)?)))
    }
}
