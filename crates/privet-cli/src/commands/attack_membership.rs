//! `privet attack membership`: what a trained model tells about who, or which connection, it was trained on.

use privet::dpar::Dpar;
use privet_lab::experiments::dpar::membership::MembershipAttack;
use privet_lab::experiments::dpar::membership::report::{report, verdict};
use privet_lab::experiments::trial::Data;
use serde_json::json;

use super::people::people;
use super::trial::{measured, typed_command, write_html};
use crate::args::{AttackMembership, for_people};
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::refuse_existing;
use crate::simulated::Written;

/// Trains, attacks, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read, or a run fails.
pub(super) fn run(typed: AttackMembership, console: &Console) -> Result<()> {
    let systems = typed.systems()?;
    if typed.shadows < 8 {
        let message = format!("--shadows {}: too few to learn from", typed.shadows);
        return Err(Failure::usage(message).hint("at least 8; 64 tell more"));
    }
    if typed.targets == 0 {
        return Err(Failure::usage("--targets 0 asks about nobody").hint("for example 200"));
    }
    if let Some(path) = &typed.html {
        refuse_existing(path, "name another file")?;
    }
    let AttackMembership {
        promise, target: sought, shadows, targets, seed, finished, html, ..
    } = typed;
    let (delta, mode, hidden) = (promise.delta, promise.mode, promise.relation);
    let dataset = people(&promise.dataset, promise.reading, &[], console)?;
    let count = dataset.graph().node_count();
    let systems = systems.into_iter().map(|system| for_people(system, delta, count));
    let systems = systems.collect::<Result<Vec<Dpar>>>()?;
    let data = Data::new(dataset.name(), &dataset);
    let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed };
    let outcomes = measured(console, finished.cells.as_deref(), "attack membership", |sweep| {
        attack.on_all(&systems, sweep)
    })?;
    let report = report(&attack, mode, &outcomes, &typed_command());
    let html = html.as_deref().map(|path| write_html(path, &report)).transpose()?;
    let found = json!({
        "dataset": dataset.name(),
        "relation": hidden,
        "sought": sought,
        "shadows": shadows,
        "seed": seed,
        "scores_are_simulated": true,
        "outcomes": outcomes,
        "verdict": verdict(sought, &outcomes),
    });
    console.answer(&Attacked { found, written: Written { release: None, html }, report })
}
