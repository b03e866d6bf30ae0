//! A system that learns from everything that has a class; what has none is predicted.

use std::path::PathBuf;

use privet::Protected;
use privet::graph::Dataset;
use privet::hetero_rr::{EdgeUse, PrivateEdges, VotedClasses};
use privet::ldp_ge::{NodeClassifier, Task};
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::publish::{FeaturePolicy, Publish};
use privet::release::{DparRelease, HeteroRrRelease, split_to_fit};
use privet::request::Request;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Call, Given, Input, SystemRequest, charged, hetero_rr, ldp_ge, since, told};
use crate::error::Failure;
use crate::learned::Learned;
use crate::released::{HandedOut, Released};
use crate::run::doubts;
use crate::work::{Board, working};

/// Learns once.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "what one Python call says")]
pub(crate) fn fit_system(
    py: Python<'_>,
    system: &str,
    settings: Bound<'_, PyDict>,
    data: Given<'_>,
    accept: Vec<String>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<HandedOut> {
    let asked = SystemRequest::new(system, &settings)?;
    let (call, data) = (Call::new(accept, folder, seed)?, Input::from(data));
    let made = working(py, progress, move |board| fitted(&asked, &data, &call, board))?;
    Ok(made.into())
}

fn fitted(
    asked: &SystemRequest,
    data: &Input,
    call: &Call,
    board: &Board,
) -> Result<Released, Failure> {
    data.guarded()?;
    let run = call.place.run(board);
    Ok(match asked {
        SystemRequest::LdpGe(request) => {
            let data = data.nodes()?;
            let system = ldp_ge(request, data)?;
            let lines = call.settled(&system, data)?;
            if system.task == Task::Links {
                let made = charged(&run, || system.fit_links(data, &run))?;
                return Ok(Released::Links(Box::new(told(made, lines))));
            }
            let made = charged(&run, || system.fit(data, &run))?;
            Released::Nodes(told(made, lines))
        }
        SystemRequest::Dpar(request) => {
            let input = data.split()?;
            let system = request.resolve(&DparRelease::facts_to_fit(input)?)?;
            let lines = call.settled(&system, input.data)?;
            let made = system.fit(input, &run)?;
            Released::Trained(Box::new(system.system), told(made, lines))
        }
        SystemRequest::Dprr(request) => {
            let set = data.graphs()?;
            let system = request.system()?;
            let lines = call.settled(&system, set)?;
            let made = charged(&run, || system.fit(set, &run))?;
            Released::Graphs(told(made, lines))
        }
        SystemRequest::HeteroRr(request) => {
            let data = data.nodes()?;
            published(hetero_rr(request, data)?.to_fit(), data, call, board)?
        }
    })
}

/// All edges are private here; features are, if they have a price. Votes make classes; a published graph is what a GCN
/// learns from.
fn published(
    system: HeteroRrRelease,
    data: &Dataset,
    call: &Call,
    board: &Board,
) -> Result<Released, Failure> {
    let run = call.place.run(board);
    let split = || split_to_fit(data.graph().nodes(), data.labels(), data.split(), run.seed);
    if system.edges_as == EdgeUse::Votes {
        let lines = call.settled(&system, data)?;
        let split = split()?;
        let informed = charged(&run, || system.vote_with(data, split, &run))?;
        return Ok(Released::Nodes(told(classifier(informed)?, lines)));
    }
    let features = system.features.map_or(FeaturePolicy::Public, FeaturePolicy::Protected);
    let publish = Publish { edges: system.edges, features, accepted: doubts(&call.accept)? };
    let split = split()?;
    let accounts = run.ledgers.accounts();
    let made = publish.run(data, &PrivateEdges::All, PrivateNodes::All, &run)?;
    let (published, card) = made.into_parts();
    let learned = Learned::train(published.dataset, card, &split, run.seed, board);
    let learned = learned.map_err(|error| since(accounts, error))?;
    Ok(Released::Learned(Box::new(learned)))
}

/// Classes by votes, as other classifiers of nodes are handed out.
pub(super) fn classifier(
    informed: Protected<VotedClasses>,
) -> Result<Protected<NodeClassifier>, Failure> {
    Ok(informed.try_map(VotedClasses::into_classifier)?)
}
