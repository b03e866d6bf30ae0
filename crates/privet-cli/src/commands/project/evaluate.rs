//! `privet evaluate`: how good a model is, at a price.

use privet::project::InputGuard;
use privet::{Noise, Run};

use super::predict::read;
use super::{here, record};
use crate::args::Evaluate;
use crate::failure::{Failure, FailureKind, Result};
use crate::output::console::Console;
use crate::output::evaluate::EvaluationOutput;

/// Charges, counts, shows.
///
/// # Errors
/// If there is no project, the model is for other records, or the budget refuses.
pub(in crate::commands) fn run(typed: Evaluate, console: &Console) -> Result<()> {
    let model = read(&typed.model)?;
    if let Some(path) = &typed.public {
        let guard = InputGuard::around([&**path, &*typed.model])?;
        let evaluation = model.into_classifier()?.evaluate_public(path, &guard)?;
        return console.answer(&EvaluationOutput::new(evaluation, None));
    }
    let project = here()?;
    let price = match (typed.epsilon, project.evaluation_is_free(&model)) {
        (Some(epsilon), _) => epsilon,
        (None, true) => 0.0,
        (None, false) => {
            let message = "labels are private here, so counting right answers costs something: say what with --epsilon";
            return Err(Failure::new(FailureKind::Usage, message)
                .hint("privet evaluate MODEL --epsilon 0.2"));
        }
    };
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) };
    let evaluation = project.evaluate(&model, price, &run)?;
    if evaluation.card.is_some() {
        record(&project, &run.ledgers, &typed.model, None)?;
    }
    drop(run);
    console.answer(&EvaluationOutput::new(evaluation, Some(project.status()?)))
}
