//! Propagation alone: post-processing, which costs no privacy and gives none.

use std::sync::Arc;

use privet::embed::{EmbedProgress, EmbeddedData, Embedder};
use privet::learn::train::Watch;
use privet::request::EmbedRequest;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Dataset;
use crate::error::Failure;
use crate::fields::asked;
use crate::read::within;
use crate::released::{HandedOut, Released};
use crate::systems::guarded;
use crate::work::{Board, working};

/// Raw data, or what was released.
#[derive(FromPyObject)]
pub(crate) enum Spread<'py> {
    Raw(PyRef<'py, Dataset>),
    Released(PyRef<'py, HandedOut>),
}

/// Propagation, on data that is in memory or mapped, in so much memory: the same with the embedding as its features; what was released keeps
/// its card.
#[pyfunction]
pub(crate) fn embed(
    py: Python<'_>,
    settings: Bound<'_, PyDict>,
    memory: Option<&str>,
    data: Spread<'_>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let request: EmbedRequest = asked(&settings)?;
    let spill = memory.map(within).transpose().map_err(Failure::from)?;
    let embedder = request.embedder(spill).map_err(Failure::from)?;
    match data {
        Spread::Raw(data) => {
            let data = Arc::clone(&data.0);
            let made = working(py, progress, move |board| {
                guarded(&data)?;
                spread(&embedder, (*data).clone(), board)
            });
            Ok(Py::new(py, Dataset(Arc::new(made?)))?.into_any())
        }
        Spread::Released(released) => {
            let data = released.data().map_err(Failure::from)?;
            let made = working(py, progress, move |board| {
                let subject = format!("an embedding of: {}", data.card().subject);
                Ok(data.try_map(|data| spread(&embedder, data, board))?.about(subject))
            });
            Ok(Py::new(py, HandedOut::from(Released::Data(made?)))?.into_any())
        }
    }
}

fn spread(
    embedder: &Embedder,
    data: privet::graph::Dataset,
    board: &Board,
) -> Result<privet::graph::Dataset, Failure> {
    let EmbeddedData { dataset, .. } = embedder.run(data, None, |progress| {
        match progress {
            EmbedProgress::Round(round) => {
                board.sees(round.done, embedder.rounds().unwrap_or(round.done));
            }
            EmbedProgress::Columns(done) => board.sees(done, done),
            EmbedProgress::Block(at) => board.sees(at.block, at.blocks),
        }
        !board.stops()
    })?;
    Ok(dataset)
}
