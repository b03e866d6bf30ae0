//! What `privet attack` means on data that is in memory. For the commands, and for other languages.

use privet::dprr::{Defence, DprrMethod, GraphLearner, Poisoning, Setting, SplitRule};
use privet::graph::{Dataset, GraphSet, LoadedData};
use privet::hetero_rr::EdgeProtection;
use privet_lab::experiments::attack::{AttackFindings, defences};
use privet_lab::experiments::cells::Sweep;
use privet_lab::experiments::dpar::membership::{self, MembershipAttack};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::trial::{Data, seeds};

use crate::args::{Attack, AttackMembership, AttackPoison};
use crate::failure::Result;

/// Whether what was typed makes sense: asked before any data is read.
///
/// # Errors
/// If a number does not.
pub fn check(typed: &Attack) -> Result<()> {
    match typed {
        Attack::Poison(typed) => {
            typed.learner.over(GraphLearner::default())?;
            SplitRule::default().mechanism(typed.epsilon, 1000)?;
            seeds(typed.seed, typed.runs)?;
            poisoning(typed)?;
        }
        Attack::Membership(typed) => {
            typed.systems(None)?;
            membership::check(typed.shadows, typed.targets)?;
        }
        Attack::LinkTeller(typed) => drop(seeds(typed.on.seed, typed.on.runs)?),
        Attack::Reconstruct(typed) => drop(seeds(typed.on.seed, typed.on.runs)?),
    }
    Ok(())
}

/// Attacks. `command` repeats it, for the report.
///
/// # Errors
/// If a number makes no sense, the data is of another kind or lacks something, or a run fails.
pub fn attack(
    typed: &Attack,
    data: LoadedData,
    command: &str,
    sweep: &mut Sweep<'_>,
) -> Result<AttackFindings> {
    check(typed)?;
    match typed {
        Attack::Poison(typed) => poison(typed, &data.into_graphs()?, command, sweep),
        Attack::Membership(typed) => members(typed, &data.into_nodes()?, command, sweep),
        Attack::LinkTeller(typed) => {
            let (dataset, on) = (data.into_nodes()?, &typed.on);
            let edges = EdgeProtection::new(typed.epsilon_edges);
            let trial = HeteroRrTrial::new(Data::new(dataset.name(), &dataset), on.private_share);
            let (trial, seeds) = (HeteroRrTrial { edges, ..trial }, seeds(on.seed, on.runs)?);
            Ok(AttackFindings::link_teller(trial, typed.probes, &seeds, command, sweep)?)
        }
        Attack::Reconstruct(typed) => {
            let (dataset, seeds) = (data.into_nodes()?, seeds(typed.on.seed, typed.on.runs)?);
            let (data, epsilon) = (Data::new(dataset.name(), &dataset), typed.epsilon_features);
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
        (Data::new(dataset.name(), dataset), typed.promise.relation, typed.target);
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
    let data = Data::new(&typed.dataset, set);
    let trial = DprrTrial::new(data, DprrMethod::Dprr, setting).reading(typed.reports);
    let (trial, seeds) = (DprrTrial { learner, ..trial }, seeds(typed.seed, typed.runs)?);
    Ok(AttackFindings::poison(&trial, poisoning, &defences, &seeds, command, sweep)?)
}
