//! A whole dataset, published once.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyReadonlyArray1;
use privet::hetero_rr::PrivateEdges;
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::request::PublishRequest;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Dataset, pairs};
use crate::error::Failure;
use crate::fields::asked;
use crate::released::{HandedOut, Released};
use crate::run::{Where, doubts};
use crate::systems::guarded;
use crate::work::working;

/// Which edges are private.
#[derive(FromPyObject)]
pub(crate) enum Private<'py> {
    /// A share of them, drawn with a seed.
    Share(f64, u64),
    /// These, by positions of both ends.
    Listed((PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)),
}

/// Publishes a dataset.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "what one Python call says")]
pub(crate) fn publish(
    py: Python<'_>,
    settings: Bound<'_, PyDict>,
    data: &Dataset,
    private: Option<Private<'_>>,
    may_have: Option<Vec<u32>>,
    sample: Option<&Dataset>,
    accept: Vec<String>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
) -> PyResult<HandedOut> {
    let request: PublishRequest = asked(&settings)?;
    let accepted = doubts(&accept).map_err(PyErr::from)?;
    let place = Where::new("", None, folder, seed)?;
    let private = match private {
        None => PrivateEdges::All,
        Some(Private::Share(share, seed)) => PrivateEdges::Share { share, seed },
        Some(Private::Listed((sources, targets))) => {
            let (from, to) = (sources.as_slice()?, targets.as_slice()?);
            let listed = pairs(from, to, data.0.graph().node_count())?;
            PrivateEdges::Listed(listed.into_iter().map(|[u, v]| (u, v)).collect())
        }
    };
    let may_have = may_have.map_or(PrivateNodes::All, PrivateNodes::Only);
    let (data, sample) = (Arc::clone(&data.0), sample.map(|sample| (*sample.0).clone()));
    let made = working(py, None, move |board| {
        guarded(&data)?;
        sample.as_ref().map_or(Ok(()), guarded)?;
        let publish = request.publish(sample, accepted, &data)?;
        Ok::<_, Failure>(publish.run(&data, &private, may_have, &place.run(board))?)
    })?;
    Ok(Released::Published(made).into())
}
