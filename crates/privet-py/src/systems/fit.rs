//! A system that learns from everything that has a class; what has none is predicted.

use std::path::PathBuf;

use privet::Protected;
use privet::dprr::Crowd;
use privet::graph::{Dataset, Labels, Split};
use privet::hetero_rr::{EdgeUse, PrivateEdges, VotedClasses};
use privet::ldp_ge::{NodeClassifier, Task};
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::publish::{FeaturePolicy, Publish};
use privet::release::{DparRelease, HeteroRrRelease, PrivateChoice};
use privet::request::Request;
use privet_cli::args::{Run as Typed, RunHeteroRr};
use privet_cli::systems;
use pyo3::prelude::*;

use super::{Call, Given, Input, charged, since, told};
use crate::error::Failure;
use crate::learned::Learned;
use crate::released::{HandedOut, Released};
use crate::run::doubts;
use crate::work::{Board, working};

/// Learns once.
#[pyfunction]
pub(crate) fn fit_system(
    py: Python<'_>,
    words: Vec<String>,
    data: Given<'_>,
    accept: Vec<String>,
    folder: Option<PathBuf>,
    seed: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<HandedOut> {
    let (call, data) = (Call::new(accept, folder, seed)?, Input::from(data));
    let made = working(py, progress, move |board| fitted(&words, &data, &call, board))?;
    Ok(made.into())
}

fn fitted(words: &[String], data: &Input, call: &Call, board: &Board) -> Result<Released, Failure> {
    data.guarded()?;
    let run = call.place.run(board);
    Ok(match systems::typed(words)? {
        Typed::LdpGe(typed) => {
            let data = data.nodes()?;
            let trial = systems::ldp_ge(&typed, data)?;
            let system = trial.release();
            let lines = call.settled(&system, data)?;
            if trial.task == Task::Links {
                let made = charged(&run, || system.fit_links(data, &run))?;
                return Ok(Released::Links(Box::new(told(made, lines))));
            }
            let split = split_to_learn_from(data, run.seed)?;
            let made = charged(&run, || system.classify_by(data, &split, &run))?;
            Released::Nodes(told(made, lines))
        }
        Typed::Dpar(typed) => {
            let input = data.split()?;
            let system = typed.request.resolve(&DparRelease::facts_to_fit(input)?)?;
            let lines = call.settled(&system, input.data)?;
            let made = system.fit(input, &run)?;
            Released::Trained(Box::new(system.system), told(made, lines))
        }
        Typed::Dprr(typed) => {
            let set = data.graphs()?;
            let system = systems::dprr(&typed, set)?.system();
            let lines = call.settled(&system, set)?;
            let split = split_80_20(0..set.len() as u32, set.labels(), run.seed)?;
            let crowd = Crowd::new(set)?;
            let made = charged(&run, || system.classify(&crowd, &split, &run))?;
            Released::Graphs(told(made, lines))
        }
        Typed::HeteroRr(typed) => published(&typed, data.nodes()?, call, board)?,
    })
}

/// All edges are private here; features are, if they have a price. Votes make classes; a published graph is what a GCN
/// learns from.
fn published(
    typed: &RunHeteroRr,
    data: &Dataset,
    call: &Call,
    board: &Board,
) -> Result<Released, Failure> {
    let run = call.place.run(board);
    let trial = systems::hetero_rr(typed, data)?;
    if trial.edges_as == EdgeUse::Votes {
        // A custodian who fits knows nothing public about edges; the share is for experiments.
        let system = HeteroRrRelease { private: PrivateChoice::Share(1.0), ..trial.release() };
        let lines = call.settled(&system, data)?;
        let split = split_to_learn_from(data, run.seed)?;
        let informed = charged(&run, || system.vote_with(data, split, &run))?;
        return Ok(Released::Nodes(told(classifier(informed)?, lines)));
    }
    let features = trial.features.map_or(FeaturePolicy::Public, FeaturePolicy::Protected);
    let publish = Publish { edges: trial.edges, features, accepted: doubts(&call.accept)? };
    let split = split_to_learn_from(data, run.seed)?;
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

/// The split that the data has, without the labels of test nodes and of those in no part; where it has none, all nodes with
/// a class.
fn split_to_learn_from(data: &Dataset, seed: u64) -> Result<Split, Failure> {
    let Some(labels) = data.labels() else { return split_80_20(data.graph().nodes(), None, seed) };
    match data.split() {
        Some(stated) => Ok(stated.of_labelled(labels).with_validation(seed)?),
        None => split_80_20(data.graph().nodes(), Some(labels), seed),
    }
}

/// Every item with a class: four fifths to learn from, one to stop by.
fn split_80_20(
    items: impl Iterator<Item = u32>,
    labels: Option<&Labels>,
    seed: u64,
) -> Result<Split, Failure> {
    let labelled = items.filter(|&item| labels.is_some_and(|labels| labels.class(item).is_some()));
    let all = Split { train: labelled.collect(), validation: Vec::new(), test: Vec::new() };
    Ok(all.with_validation(seed)?)
}
