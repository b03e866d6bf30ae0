//! `privet attack`: what an attacker gets out of a model, of reports or of a graph.

use std::path::Path;

use privet::dprr::{Defence, DprrMethod, GraphLearner, Poisoning, Setting, SplitRule};
use privet::graph::{Dataset, GraphSet, LoadedData};
use privet::hetero_rr::EdgeProtection;
use privet_lab::experiments::attack::{AttackFindings, defences};
use privet_lab::experiments::cells::Sweep;
use privet_lab::experiments::dpar::membership::{self, MembershipAttack};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::trial::{NamedData, seeds};

use super::people::{graphs, people};
use super::trial::{measured, typed_command, write_html};
use crate::args::{AttackCommand, AttackMembership, AttackPoison, ResultsOptions};
use crate::commands::source::Source;
use crate::failure::Result;
use crate::output::comparison::{AttackOutput, WrittenFiles};
use crate::output::console::Console;
use crate::output::refuse_existing;

/// Reads, attacks, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, or a run fails.
pub(super) fn run(typed: &AttackCommand, console: &Console) -> Result<()> {
    check(typed)?;
    let (experiment, html, finished) = asked(typed);
    if let Some(path) = html {
        refuse_existing(path, "name another file")?;
    }
    let data = data(typed, console)?;
    let found = measured(console, finished.cells.as_deref(), experiment, |sweep| {
        attack(typed, data, &typed_command(), sweep)
    })?;
    let html = html.map(|path| write_html(path, &found.report)).transpose()?;
    let written = WrittenFiles { release: None, html };
    console.answer(&AttackOutput { found: found.numbers, written, report: found.report })
}

/// What stores of finished runs are called, where the report goes, and where the store is.
fn asked(typed: &AttackCommand) -> (&'static str, Option<&Path>, &ResultsOptions) {
    let (experiment, html, finished) = match typed {
        AttackCommand::Poison(typed) => ("attack poison", &typed.html, &typed.finished),
        AttackCommand::Membership(typed) => ("attack membership", &typed.html, &typed.finished),
        AttackCommand::LinkTeller(typed) => {
            ("attack linkteller", &typed.on.html, &typed.on.finished)
        }
        AttackCommand::Reconstruct(typed) => {
            ("attack reconstruct", &typed.on.html, &typed.on.finished)
        }
    };
    (experiment, html.as_deref(), finished)
}

fn data(typed: &AttackCommand, console: &Console) -> Result<LoadedData> {
    let on = match typed {
        AttackCommand::Poison(typed) => {
            let set = graphs(&typed.dataset, typed.reading.clone(), &[], console)?;
            return Ok(LoadedData::Graphs(set));
        }
        AttackCommand::Membership(typed) => {
            let people = people(&typed.dataset, typed.reading.clone(), &[], console)?;
            return Ok(LoadedData::Nodes(people));
        }
        AttackCommand::LinkTeller(typed) => &typed.on,
        AttackCommand::Reconstruct(typed) => &typed.on,
    };
    super::project::refuse_table(&on.dataset)?;
    Ok(Source::find(&on.dataset, on.reading.clone(), console)?.load(console)?.0)
}

// What `privet attack` means on data that is in memory. For the commands, and for other languages.

/// Whether what was typed makes sense: asked before any data is read.
///
/// # Errors
/// If a number does not.
pub fn check(typed: &AttackCommand) -> Result<()> {
    match typed {
        AttackCommand::Poison(typed) => {
            typed.learner.over(GraphLearner::default())?;
            SplitRule::default().mechanism(typed.epsilon, 1000)?;
            seeds(typed.seed, typed.runs)?;
            poisoning(typed)?;
        }
        AttackCommand::Membership(typed) => {
            typed.systems(None)?;
            membership::check(typed.shadows, typed.targets)?;
        }
        AttackCommand::LinkTeller(typed) => drop(seeds(typed.on.seed, typed.on.runs)?),
        AttackCommand::Reconstruct(typed) => drop(seeds(typed.on.seed, typed.on.runs)?),
    }
    Ok(())
}

/// Attacks. `command` repeats it, for the report.
///
/// # Errors
/// If a number makes no sense, the data is of another kind or lacks something, or a run fails.
pub fn attack(
    typed: &AttackCommand,
    data: LoadedData,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    check(typed)?;
    match typed {
        AttackCommand::Poison(typed) => poison(typed, &data.into_graphs()?, command, sweep),
        AttackCommand::Membership(typed) => members(typed, &data.into_nodes()?, command, sweep),
        AttackCommand::LinkTeller(typed) => {
            let (dataset, on) = (data.into_nodes()?, &typed.on);
            let edges = EdgeProtection::new(typed.epsilon_edges);
            let trial =
                HeteroRrTrial::new(NamedData::new(dataset.name(), &dataset), on.private_share);
            let (trial, seeds) = (HeteroRrTrial { edges, ..trial }, seeds(on.seed, on.runs)?);
            Ok(AttackFindings::link_teller(trial, typed.probes, &seeds, command, sweep)?)
        }
        AttackCommand::Reconstruct(typed) => {
            let (dataset, seeds) = (data.into_nodes()?, seeds(typed.on.seed, typed.on.runs)?);
            let (data, epsilon) =
                (NamedData::new(dataset.name(), &dataset), typed.epsilon_features);
            Ok(AttackFindings::reconstruct(data, epsilon, typed.width, &seeds, command, sweep)?)
        }
    }
}

fn members(
    typed: &AttackMembership,
    dataset: &Dataset,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    let (data, hidden, sought) =
        (NamedData::new(dataset.name(), dataset), typed.promise.relation, typed.target);
    let (shadows, targets, seed) = (typed.shadows, typed.targets, typed.seed);
    let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed };
    let systems = typed.systems(Some(dataset.graph().node_count()))?;
    Ok(AttackFindings::membership(&attack, &systems, typed.promise.mode, command, sweep)?)
}

fn poisoning(typed: &AttackPoison) -> Result<(Poisoning, [Defence; 4])> {
    let poisoning = Poisoning { attack: typed.chosen()?, share: typed.beta };
    poisoning.check()?;
    Ok((poisoning, defences(typed.theta, typed.usual_degree)?))
}

fn poison(
    typed: &AttackPoison,
    set: &GraphSet,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    let (poisoning, defences) = poisoning(typed)?;
    let learner = typed.learner.over(GraphLearner::default())?;
    let setting = Setting::Common { epsilon: typed.epsilon };
    let data = NamedData::new(&typed.dataset, set);
    let trial = DprrTrial::new(data, DprrMethod::Dprr, setting).reading(typed.reports);
    let (trial, seeds) = (DprrTrial { learner, ..trial }, seeds(typed.seed, typed.runs)?);
    Ok(AttackFindings::poison(&trial, poisoning, &defences, &seeds, command, sweep)?)
}
