//! `privet run dpar`: a classifier that hides whole people, beside features alone, its control and its ceiling.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::Run;
use privet::doubts::Terms;
use privet::dpar::{Dpar, Held, Mode};
use privet::graph::{Dataset, Fact};
use privet::privacy::{Card, Loss};
use privet_lab::experiments::dpar::report::{Circumstances, report};
use privet_lab::experiments::dpar::{Experiment, Hidden};

use super::people::People;
use super::trial::{Trial, under_a_bar};
use crate::args::{RunDpar, for_people};
use crate::console::Console;
use crate::failure::Result;
use crate::measured_dpar::MeasuredDpar;

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    people: People,
    system: Dpar,
    delta: Option<f64>,
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
            delta: typed.promise.delta,
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
        let Self { people, system, delta, hidden, trial } = self;
        let dataset = people.load(console)?;
        let system = for_people(system, delta, dataset.graph().node_count())?;
        let lines = questions(&trial, &system, hidden, &dataset)?;
        let experiment = Experiment { dataset: &dataset, system, hidden, held: Held::Test };
        let seeds = trial.seeds()?;
        let begun = Instant::now();
        let comparison = under_a_bar(console, |stop, tell| experiment.compare(&seeds, stop, tell))?;
        let seconds = begun.elapsed().as_secs_f64();
        let never = AtomicBool::new(false);
        let make = |account: &Path, draft: &Path| {
            release(&experiment, trial.release_run(account, &never), &lines, draft)
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

/// What the card of a release must repeat. The model has a weight per column and class, so they show; where
/// only connections are hidden, features and classes are open anyway.
fn questions(
    trial: &Trial,
    system: &Dpar,
    hidden: Hidden,
    dataset: &Dataset,
) -> Result<Vec<String>> {
    let shown: &[Fact] = match hidden {
        Hidden::NodeAbsent | Hidden::NodeReplace => &[Fact::Columns, Fact::Classes],
        Hidden::EdgeDp => &[],
    };
    let limit = match system.mode {
        Mode::Rigorous => system.target,
        // The published noise has its own price, whatever was asked.
        Mode::Paper => Loss::new(f64::INFINITY, system.target.delta.get())?,
    };
    let people = dataset.graph().node_count();
    let terms = Terms { people, asked: system.target, limit };
    trial.questions(&[terms], || dataset.require_public(shown))
}

/// Trains once for real; the ledger goes where `run` says, the model to a folder.
fn release(
    experiment: &Experiment<'_>,
    run: Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let (made, card) = experiment.release(run.noise, run.books, run.seed)?.into_parts();
    made.model.save(&folder.join("model.safetensors"))?;
    if let Some(encoder) = &made.encoder {
        encoder.save(&folder.join("encoder.safetensors"))?;
    }
    Ok(on_whose_word.iter().cloned().fold(card, Card::with_unprotected))
}
