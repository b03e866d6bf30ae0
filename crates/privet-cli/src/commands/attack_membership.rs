//! `privet attack membership`: what a trained model tells about who, or which connection, it was trained on.

use std::path::PathBuf;

use privet::dpar::{Dpar, Mode};
use privet_lab::experiments::dpar::Hidden;
use privet_lab::experiments::dpar::membership::report::{report, verdict};
use privet_lab::experiments::dpar::membership::{Attack, Sought};

use super::people::People;
use super::trial::{typed_command, under_a_bar, write_html};
use crate::args::{AttackMembership, for_people};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::members::Members;
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
        let attack = Attack { dataset: &dataset, hidden, sought, shadows, targets, seed };
        let all = systems.len() * shadows;
        let outcomes = under_a_bar(console, |stop, tell| {
            let one =
                |(at, system)| attack.on(system, stop, |done, _| tell(at * shadows + done, all));
            systems.iter().enumerate().map(one).collect::<privet::Result<Vec<_>>>()
        })?;
        let report = report(&attack, self.mode, &outcomes, &typed_command());
        let html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        let verdict = verdict(sought, &outcomes);
        let dataset = dataset.name().to_owned();
        console.answer(&Members {
            dataset,
            relation: hidden,
            sought,
            shadows,
            seed,
            scores_are_simulated: true,
            outcomes,
            verdict,
            written: Written { release: None, html },
            report,
        })
    }
}
