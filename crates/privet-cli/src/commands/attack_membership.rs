//! `privet attack membership`: what a trained model tells about who, or which connection, it was trained on.

use std::path::PathBuf;

use privet::dpar::{Dpar, Mode};
use privet_lab::experiments::dpar::Hidden;
use privet_lab::experiments::dpar::membership::report::{report, verdict};
use privet_lab::experiments::dpar::membership::{MembershipAttack, Sought};
use privet_lab::experiments::trial::Data;
use serde_json::json;

use super::people::People;
use super::trial::{measured, typed_command, write_html};
use crate::args::{AttackMembership, for_people};
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::refuse_existing;
use crate::simulated::Written;

/// An attack to try.
#[derive(Debug)]
pub struct Plan {
    people: People,
    systems: Vec<Dpar>,
    delta: Option<f64>,
    mode: Mode,
    hidden: Hidden,
    sought: Sought,
    shadows: usize,
    targets: usize,
    seed: u64,
    cells: Option<PathBuf>,
    html: Option<PathBuf>,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, a number makes no sense, or something is in the way.
    pub fn new(typed: AttackMembership, console: &Console) -> Result<Self> {
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
        Ok(Self {
            people: People::find(&typed.promise.dataset, typed.promise.reading, console)?,
            systems,
            delta: typed.promise.delta,
            mode: typed.promise.mode.into(),
            hidden: typed.promise.relation.into(),
            sought: typed.target.into(),
            shadows: typed.shadows,
            targets: typed.targets,
            seed: typed.seed,
            cells: typed.finished.cells,
            html: typed.html,
        })
    }

    /// Reads, trains, attacks, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read, or a run fails.
    pub fn run(self, console: &Console) -> Result<()> {
        let dataset = self.people.load(console)?;
        let count = dataset.graph().node_count();
        let systems = self.systems.iter().cloned();
        let systems = systems.map(|system| for_people(system, self.delta, count));
        let systems = systems.collect::<Result<Vec<Dpar>>>()?;
        let Self { hidden, sought, shadows, targets, seed, .. } = self;
        let data = Data::new(dataset.name(), &dataset);
        let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed };
        let outcomes = measured(console, self.cells.as_deref(), "attack membership", |sweep| {
            attack.on_all(&systems, sweep)
        })?;
        let report = report(&attack, self.mode, &outcomes, &typed_command());
        let html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
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
}
