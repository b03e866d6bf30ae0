//! One run of a system, as the command line makes a release of it: some of those with a class are held out.

use std::path::PathBuf;

use privet::privacy::Card;
use privet_cli::args::Run as Typed;
use privet_cli::systems;
use privet_lab::experiments::ldp_ge::Task;
use privet_lab::experiments::trial::Variant;
use pyo3::prelude::*;

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
            let lines = call.settled(&trial)?;
            let (system, private) = (&trial.system, trial.private);
            match trial.task {
                Task::Nodes => {
                    let made = || trial.classify(Variant::Private, system, private, &run);
                    Released::Nodes(told(charged(&run, made)?, lines))
                }
                Task::Links => {
                    let made = || trial.link(Variant::Private, system, private, &run);
                    Released::Links(Box::new(told(charged(&run, made)?, lines)))
                }
            }
        }
        Typed::Dpar(typed) => {
            let trial = systems::dpar(&typed, data.measured()?)?;
            let lines = call.settled(&trial)?;
            let made = charged(&run, || trial.release(&run))?;
            Released::Trained(Box::new(trial.system), told(made, lines))
        }
        Typed::Dprr(typed) => {
            let trial = systems::dprr(&typed, data.graphs()?)?;
            let lines = call.settled(&trial)?;
            let made = charged(&run, || Ok(trial.run_as(&run)?.1))?;
            Released::Graphs(told(made, lines))
        }
        Typed::HeteroRr(typed) => {
            let trial = systems::hetero_rr(&typed, data.measured()?)?;
            super::fit::only_graphs(&trial)?;
            let lines = call.settled(&trial)?;
            let (published, gcn, card) = charged(&run, || trial.release(&run))?;
            let card = lines.into_iter().fold(card, Card::with_unprotected);
            Released::Learned(Box::new(Learned::new(published, gcn, card)?))
        }
    })
}
