//! `privet protect` inside of a project: its data, its budget.

use std::path::PathBuf;

use privet::graph::LoadedData;
use privet::privacy::unit::DataPart;
use privet::protect::SingleProcess;
use privet::{Noise, Project, Run};

use super::record;
use crate::args::SpendingArgs;
use crate::commands::protect::{ProtectionJob, target};
use crate::failure::{Failure, Result};
use crate::output::cardfile::{self, card_of};
use crate::output::console::Console;
use crate::output::protect::ProtectionOutput;

/// Reads what is declared, charges the project, randomises, writes.
///
/// # Errors
/// As for `privet protect` elsewhere.
pub(in crate::commands) fn run(
    project: &Project,
    part: DataPart,
    spending: &SpendingArgs,
    job: &ProtectionJob,
    console: &Console,
) -> Result<()> {
    for (given, option, why) in [
        (spending.ledger.is_some(), "--ledger", "the project has its own accounts"),
        (spending.limit.is_some(), "--limit", "the project's budget is the limit"),
        (
            spending.budgets.is_some(),
            "--budgets",
            "a project's people pay alike, so that new versions of the data may come",
        ),
    ] {
        if given {
            return Err(
                Failure::usage(format!("{option} is not for projects: {why}")).hint("leave it out")
            );
        }
    }
    let target = target(&spending.output, spending.to, spending.overwrite)?;
    let key = spending.signing.key()?;
    let dataset = {
        let _alive = console.spinner("reading what is declared");
        project.dataset_for(&[part])?
    };
    let noise = spending.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) };
    let run = run.within(spending.reading.spill());
    let before = run.ledgers.accounts();
    let (dataset, card) = job.run(dataset, &run, &mut SingleProcess)?.into_parts();
    let (card, files) = cardfile::issue(&target.path, card, key.as_ref(), || {
        let written = target.write(&LoadedData::Nodes(dataset))?;
        written.retired.iter().for_each(|retired| console.note(retired));
        Ok(written.files)
    })?;
    let ledgers: Vec<PathBuf> = before.charged().into_iter().map(PathBuf::from).collect();
    record(project, &run.ledgers, &target.path, Some(&card_of(&target.path)))?;
    console.answer(&ProtectionOutput::new(card, files, &ledgers))
}
