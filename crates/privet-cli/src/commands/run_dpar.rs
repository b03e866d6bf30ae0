//! `privet run dpar`: a classifier that hides whole people, beside features alone, its control and its ceiling.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::Run;
use privet::dpar::{Dpar, Held};
use privet::privacy::Card;
use privet_lab::experiments::dpar::report::{Circumstances, report};
use privet_lab::experiments::dpar::{Experiment, Hidden};

use super::people::People;
use super::trial::{Trial, under_a_bar, write_card};
use crate::args::RunDpar;
use crate::console::Console;
use crate::failure::Result;
use crate::measured_dpar::MeasuredDpar;

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    people: People,
    system: Dpar,
    hidden: Hidden,
    trial: Trial,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, a number makes no sense, or something is in the way.
    pub fn new(typed: RunDpar, console: &Console) -> Result<Self> {
        Ok(Self {
            system: typed.promise.system(typed.method.into())?,
            hidden: typed.promise.relation.into(),
            trial: Trial::new(&typed.trial)?,
            people: People::find(&typed.promise.dataset, typed.promise.reading, console)?,
        })
    }

    /// Reads, measures, releases if wanted, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something, no noise keeps the target, or the result cannot be
    /// written.
    pub fn run(self, console: &Console) -> Result<()> {
        let Self { people, system, hidden, trial } = self;
        let dataset = people.load(console)?;
        let experiment = Experiment { dataset: &dataset, system, hidden, held: Held::Test };
        let seeds = trial.seeds()?;
        let begun = Instant::now();
        let comparison = under_a_bar(console, |stop, tell| experiment.compare(&seeds, stop, tell))?;
        let seconds = begun.elapsed().as_secs_f64();
        let never = AtomicBool::new(false);
        let make = |account: &Path, draft: &Path| {
            release(&experiment, trial.release_run(account, &never), draft)
        };
        let write_up = |release| {
            let command = trial.command.clone();
            report(&experiment, &comparison, Circumstances { command, release, seconds })
        };
        let written = trial.write_up(console, make, write_up)?;
        let mut answer = MeasuredDpar::new(&experiment, &comparison, seeds);
        answer.simulated.written = written;
        console.answer(&answer)
    }
}

/// Trains once for real; the ledger goes where `run` says, model and card to a folder.
fn release(experiment: &Experiment<'_>, run: Run<'_>, folder: &Path) -> Result<Card> {
    let (made, card) = experiment.release(run.noise, run.books, run.seed)?.into_parts();
    made.model.save(&folder.join("model.safetensors"))?;
    if let Some(encoder) = &made.encoder {
        encoder.save(&folder.join("encoder.safetensors"))?;
    }
    write_card(folder, &card)?;
    Ok(card)
}
