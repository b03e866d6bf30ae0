//! `privet train`: a classifier out of a project.

use privet::privacy::Loss;
use privet::{Noise, Run, Save};

use super::{here, record};
use crate::args::Train;
use crate::failure::Result;
use crate::output::cardfile::OF_FOLDER;
use crate::output::console::Console;
use crate::output::evaluate::{TrainedModel, how_to_use};
use crate::output::refuse_existing;

/// Reads, charges, trains, writes.
///
/// # Errors
/// If something is in the way, the data are not as declared, or the budget refuses.
pub(in crate::commands) fn run(typed: Train, console: &Console) -> Result<()> {
    let project = here()?;
    refuse_existing(&typed.output, "name another folder")?;
    let key = typed.signing.key()?;
    let delta = typed.delta.unwrap_or(project.config().budget.delta);
    let target = Loss::new(typed.cost.epsilon, delta)?;
    let training = {
        let _alive = console.spinner("reading what is declared");
        project.training(typed.method, target)?
    };
    let chosen = training.chosen();
    console.note(&format!("method {}: {}", chosen.method.name(), chosen.why));
    let noise = typed.cost.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let alive = console.spinner("charging and training");
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) }.watched_by(&alive);
    let trained = training.run(&run)?;
    let card = trained.save_signed(&typed.output, key.as_ref())?;
    record(&project, &run.ledgers, &typed.output, Some(&typed.output.join(OF_FOLDER)))?;
    drop(alive);
    let free = project.evaluation_is_free(trained.get());
    let hint = how_to_use(trained.get());
    console.answer(&TrainedModel::new(&typed.output, chosen, free, hint, card))
}
