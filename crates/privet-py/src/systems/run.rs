//! One run of a system, as the command line makes a release of it: some of those with a class are held out.

use std::path::PathBuf;

use privet::hetero_rr::EdgeUse;
use privet::ldp_ge::Task;
use privet::privacy::Card;
use privet::release::DparRelease;
use privet::request::Request;
use privet_cli::args::Run as Typed;
use privet_cli::systems;
use pyo3::prelude::*;

use super::fit::classifier;
use super::{Call, Given, Input, charged, told};
use crate::error::Failure;
use crate::learned::Learned;
use crate::released::{HandedOut, Released};
use crate::work::{Board, working};

/// One run of a system.
#[pyfunction]
pub(crate) fn run_system(
    py: Python<'_>,
    words: Vec<String>,
    data: Given<'_>,
    accept: Vec<String>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<HandedOut> {
    let (call, data) = (Call::new(accept, folder, seed)?, Input::from(data));
    let made = working(py, progress, move |board| made(&words, &data, &call, board))?;
    Ok(made.into())
}

fn made(words: &[String], data: &Input, call: &Call, board: &Board) -> Result<Released, Failure> {
    data.guarded()?;
    let run = call.place.run(board);
    Ok(match systems::typed(words)? {
        Typed::LdpGe(typed) => {
            let trial = systems::ldp_ge(&typed, data.measured()?)?;
            let (system, input) = (trial.release(), data.split()?);
            let lines = call.settled(&system, input.data)?;
            match trial.task {
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
        Typed::Dpar(typed) => {
            let input = data.split()?;
            let system = typed.request.resolve(&DparRelease::facts_to_run(input)?)?;
            let lines = call.settled(&system, input.data)?;
            let made = charged(&run, || system.run(input, &run))?;
            Released::Trained(Box::new(system.system), told(made, lines))
        }
        Typed::Dprr(typed) => {
            let set = data.graphs()?;
            let system = systems::dprr(&typed, set)?.system();
            let lines = call.settled(&system, set)?;
            let made = charged(&run, || system.learn_from(set, &run))?;
            Released::Graphs(told(made, lines))
        }
        Typed::HeteroRr(typed) => {
            let trial = systems::hetero_rr(&typed, data.measured()?)?;
            let (system, input) = (trial.release(), data.split()?);
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
