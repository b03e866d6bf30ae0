//! `privet tune project`: settings chosen on private people, every look charged.

use std::io::{self, Write};
use std::path::Path;

use privet::privacy::{Card, Loss};
use privet::project::TuningOutcome;
use privet::project::tune::Candidate;
use privet::{Noise, Run, Save};
use serde::Serialize;

use super::{here, record};
use crate::args::TuneProject;
use crate::failure::Result;
use crate::output::cardfile::OF_FOLDER;
use crate::output::console::{Answer, Console};
use crate::output::refuse_existing;
use crate::output::style::{FAINT, GOOD, NOTE, STRONG, percent, printable, real};

/// Charges, trains and counts every candidate, writes the best.
///
/// # Errors
/// If something is in the way, the data are not as declared, or the budget refuses.
pub(in crate::commands) fn run(typed: TuneProject, console: &Console) -> Result<()> {
    let project = here()?;
    refuse_existing(&typed.output, "name another folder")?;
    let target = Loss::new(typed.cost.epsilon, project.config().budget.delta)?;
    let noise = typed.cost.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let alive = console.spinner("pricing, training and counting");
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) }.watched_by(&alive);
    let tuned = project.tune(typed.trials, target, &run)?;
    let card = tuned.model.save(&typed.output)?;
    record(&project, &run.ledgers, &typed.output, Some(&typed.output.join(OF_FOLDER)))?;
    drop(run);
    drop(alive);
    let left = project.status()?.relations.first().map_or(0.0, |line| line.left_epsilon);
    console.answer(&TuningOutput::new(&typed.output, tuned, typed.cost.epsilon, card, left))
}

/// What tuning found, what it gained and what it cost.
#[derive(Debug, Serialize)]
struct TuningOutput {
    model: String,
    best: usize,
    trials: Vec<Candidate>,
    /// The budget of all of it. What it cost is on the card.
    budget_epsilon: f64,
    /// The budget of each training.
    training_epsilon: f64,
    /// The budget of each look.
    look_epsilon: f64,
    /// The budget that is left.
    left_epsilon: f64,
    card: Card,
}

impl TuningOutput {
    fn new(
        folder: &Path,
        tuned: TuningOutcome,
        budget_epsilon: f64,
        card: Card,
        left_epsilon: f64,
    ) -> Self {
        let TuningOutcome { best, trials, training, look_epsilon, .. } = tuned;
        let (model, training_epsilon) = (folder.display().to_string(), training.epsilon.get());
        Self {
            model,
            best,
            trials,
            budget_epsilon,
            training_epsilon,
            look_epsilon,
            left_epsilon,
            card,
        }
    }
}

impl Answer for TuningOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(&self.model))?;
        for (at, trial) in self.trials.iter().enumerate() {
            let seen = &trial.accuracy;
            let mark = if at == self.best { "  <- kept" } else { "" };
            writeln!(
                out,
                "  {:<30} {:>8} ({} to {}){mark}",
                trial.settings,
                percent(seen.value),
                percent(seen.low),
                percent(seen.high)
            )?;
        }
        let gained =
            100.0 * (self.trials[self.best].accuracy.value - self.trials[0].accuracy.value);
        writeln!(
            out,
            "{STRONG}gained{STRONG:#} {} points over the default, by noisy counts of which the best was taken: expect less",
            real(gained)
        )?;
        writeln!(
            out,
            "{STRONG}budget{STRONG:#} epsilon {} in all: each training had {}, each look {}; without tuning one training could have had all of it",
            real(self.budget_epsilon),
            real(self.training_epsilon),
            real(self.look_epsilon)
        )?;
        for guarantee in &self.card.guarantees {
            let stated = guarantee.stated().to_string();
            writeln!(out, "  all releases of this project so far: {}", printable(&stated))?;
        }
        if self.card.is_simulation() {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")?;
        }
        writeln!(out, "{FAINT}left of the budget: epsilon {}{FAINT:#}", real(self.left_epsilon))
    }
}
