//! One run of a system, as the command line makes a release of it: some of those with a class are held out.

use std::path::PathBuf;

use privet::hetero_rr::EdgeUse;
use privet::ldp_ge::Task;
use privet::privacy::Card;
use privet::release::DparRelease;
use privet::request::Request;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::fit::classifier;
use super::{Call, Given, Input, SystemRequest, charged, hetero_rr, ldp_ge, told};
use crate::error::Failure;
use crate::learned::Learned;
use crate::released::{HandedOut, Released};
use crate::work::{Board, working};

/// One run of a system.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "what one Python call says")]
pub(crate) fn run_system(
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
    let made = working(py, progress, move |board| made(&asked, &data, &call, board))?;
    Ok(made.into())
}

fn made(
    asked: &SystemRequest,
    data: &Input,
    call: &Call,
    board: &Board,
) -> Result<Released, Failure> {
    data.guarded()?;
    let run = call.place.run(board);
    Ok(match asked {
        SystemRequest::LdpGe(request) => {
            let input = data.split()?;
            let system = ldp_ge(request, input.data)?;
            let lines = call.settled(&system, input.data)?;
            match system.task {
                Task::Nodes => {
                    let made = charged(&run, || system.classify(input, &run))?;
                    Released::Nodes(told(made, lines))
                }
                Task::Links => {
                    let made = charged(&run, || system.link(input.data, &run))?;
                    Released::Links(Box::new(told(made, lines)))
                }
            }
        }
        SystemRequest::Dpar(request) => {
            let input = data.split()?;
            let system = request.resolve(&DparRelease::facts_to_run(input)?)?;
            let lines = call.settled(&system, input.data)?;
            let made = charged(&run, || system.run(input, &run))?;
            Released::Trained(Box::new(system.system), told(made, lines))
        }
        SystemRequest::Dprr(request) => {
            let set = data.graphs()?;
            let system = request.system()?;
            let lines = call.settled(&system, set)?;
            let made = charged(&run, || system.learn_from(set, &run))?;
            Released::Graphs(told(made, lines))
        }
        SystemRequest::HeteroRr(request) => {
            let input = data.split()?;
            let system = hetero_rr(request, input.data)?;
            let lines = call.settled(&system, input.data)?;
            if system.edges_as == EdgeUse::Votes {
                let informed = charged(&run, || system.vote(input, &run))?;
                return Ok(Released::Nodes(told(classifier(informed)?, lines)));
            }
            let (published, gcn, card) = charged(&run, || system.publish(input, &run))?;
            let card = lines.into_iter().fold(card, Card::with_unprotected);
            Released::Learned(Box::new(Learned::new(published, gcn, card)?))
        }
    })
}
