//! What `privet attack` means on data that is in memory: numbers, what they say, and a report. For the commands, and for
//! other languages.

use privet::dpar::Dpar;
use privet::dprr::{Defence, DprrMethod, GraphLearner, Poisoning, Setting, SplitRule};
use privet::graph::{Dataset, GraphSet, Loaded};
use privet::hetero_rr::EdgeProtection;
use privet::protect::public_scale;
use privet_lab::experiments::cells::Sweep;
use privet_lab::experiments::dpar::membership::MembershipAttack;
use privet_lab::experiments::dpar::membership::report::{report, verdict};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::dprr::poisoned::compare;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::hetero_rr::attacked::{link_teller, reconstruct};
use privet_lab::experiments::trial::Data;
use privet_lab::report::Report;
use serde_json::{Value, json};

use crate::args::{
    Attack, AttackLinkTeller, AttackMembership, AttackPoison, AttackReconstruct, for_people,
};
use crate::commands::seeds;
use crate::failure::{Failure, Result};

/// Whether what was typed makes sense: asked before any data is read.
///
/// # Errors
/// If a number does not.
pub fn check(typed: &Attack) -> Result<()> {
    match typed {
        Attack::Poison(typed) => check_poison(typed).map(drop),
        Attack::Membership(typed) => check_membership(typed).map(drop),
        Attack::LinkTeller(typed) => seeds(typed.on.seed, typed.on.runs).map(drop),
        Attack::Reconstruct(typed) => seeds(typed.on.seed, typed.on.runs).map(drop),
    }
}

/// What an attack found, and the report of it.
#[derive(Debug, Clone)]
pub struct AttackFindings {
    /// The numbers, and what they say.
    pub numbers: Value,
    /// The same for people.
    pub report: Report,
}

/// Attacks. `command` repeats it, for the report.
///
/// # Errors
/// If a number makes no sense, the data is of another kind or lacks something, or a run fails.
pub fn attack(
    typed: &Attack,
    data: Loaded,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    match typed {
        Attack::Poison(typed) => poison(typed, &data.into_graphs()?, command, sweep),
        Attack::Membership(typed) => membership(typed, &data.into_nodes()?, command, sweep),
        Attack::LinkTeller(typed) => served(typed, &data.into_nodes()?, command, sweep),
        Attack::Reconstruct(typed) => rebuilt(typed, &data.into_nodes()?, command, sweep),
    }
}

fn check_membership(typed: &AttackMembership) -> Result<Vec<Dpar>> {
    let systems = typed.systems()?;
    if typed.shadows < 8 {
        let message = format!("--shadows {}: too few to learn from", typed.shadows);
        return Err(Failure::usage(message).hint("at least 8; 64 tell more"));
    }
    if typed.targets == 0 {
        return Err(Failure::usage("--targets 0 asks about nobody").hint("for example 200"));
    }
    Ok(systems)
}

/// What a trained model tells about who, or which connection, it was trained on.
fn membership(
    typed: &AttackMembership,
    dataset: &Dataset,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    let AttackMembership { promise, target: sought, shadows, targets, seed, .. } = typed;
    let (sought, shadows, targets, seed) = (*sought, *shadows, *targets, *seed);
    let (delta, mode, hidden) = (promise.delta, promise.mode, promise.relation);
    let people = dataset.graph().node_count();
    let systems = check_membership(typed)?.into_iter();
    let systems = systems.map(|system| for_people(system, delta, people));
    let systems = systems.collect::<Result<Vec<Dpar>>>()?;
    let data = Data::new(dataset.name(), dataset);
    let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed };
    let outcomes = attack.on_all(&systems, sweep)?;
    let report = report(&attack, mode, &outcomes, command);
    let numbers = json!({
        "dataset": dataset.name(),
        "relation": hidden,
        "sought": sought,
        "shadows": shadows,
        "seed": seed,
        "scores_are_simulated": true,
        "outcomes": outcomes,
        "verdict": verdict(sought, &outcomes),
    });
    Ok(AttackFindings { numbers, report })
}

fn check_poison(typed: &AttackPoison) -> Result<(Poisoning, [Defence; 4])> {
    let poisoning = Poisoning { attack: typed.chosen()?, share: typed.beta };
    poisoning.check()?;
    seeds(typed.seed, typed.runs)?;
    let defences = typed.defences();
    defences.iter().try_for_each(|defence| defence.check())?;
    typed.learner.over(GraphLearner::default())?;
    SplitRule::default().mechanism(typed.epsilon, 1000)?;
    Ok((poisoning, defences))
}

/// Made-up reports in training graphs, and what defences win back.
fn poison(
    typed: &AttackPoison,
    set: &GraphSet,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    let (poisoning, defences) = check_poison(typed)?;
    let seeds = seeds(typed.seed, typed.runs)?;
    let learner = typed.learner.over(GraphLearner::default())?;
    let setting = Setting::Common { epsilon: typed.epsilon };
    let data = Data::new(&typed.dataset, set);
    let trial = DprrTrial::new(data, DprrMethod::Dprr, setting).reading(typed.reports);
    let trial = DprrTrial { learner, ..trial };
    let poisoned = compare(&trial, poisoning, &defences, &seeds, sweep)?;
    let report = poisoned.report(&trial, command);
    let mut numbers = json!(poisoned);
    numbers["dataset"] = json!(&*typed.dataset);
    numbers["seeds"] = json!(seeds);
    numbers["verdict"] = json!(poisoned.verdict());
    Ok(AttackFindings { numbers, report })
}

/// What a curious client gets out of a served model: nodes are changed one by one.
fn served(
    typed: &AttackLinkTeller,
    dataset: &Dataset,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    let AttackLinkTeller { epsilon_edges, probes, on } = typed;
    let (data, seeds) = (Data::new(dataset.name(), dataset), seeds(on.seed, on.runs)?);
    let edges = EdgeProtection::new(*epsilon_edges);
    let trial = HeteroRrTrial { edges, ..HeteroRrTrial::new(data, on.private_share) };
    let found = link_teller(trial, *probes, &seeds, sweep)?;
    Ok(AttackFindings { numbers: json!(found), report: found.report(command) })
}

/// What a decoder gets out of reported features.
fn rebuilt(
    typed: &AttackReconstruct,
    dataset: &Dataset,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    let AttackReconstruct { epsilon_features, width, on } = typed;
    let features = dataset.features().ok_or_else(|| {
        Failure::usage("there are no features to reconstruct")
            .hint("give them with --features FILE")
    })?;
    public_scale(features)?;
    let (data, seeds) = (Data::new(dataset.name(), dataset), seeds(on.seed, on.runs)?);
    let found = reconstruct(data, *epsilon_features, *width, &seeds, sweep)?;
    Ok(AttackFindings { numbers: json!(found), report: found.report(command) })
}
