//! `privet count` inside of a project: its data, its budget.

use std::path::{Path, PathBuf};

use privet::count::Count;
use privet::privacy::unit::DataPart;
use privet::{Noise, Project, Run};

use super::record;
use crate::args::CountArgs;
use crate::commands::count::{ask, write};
use crate::failure::{Failure, Result};
use crate::output::cardfile::{self, card_of};
use crate::output::console::Console;
use crate::output::count::CountOutput;

/// Reads what is declared, charges the project, counts, shows.
///
/// # Errors
/// If the project protects something else than connections a curator holds, or its budget refuses.
pub(in crate::commands) fn run(
    project: &Project,
    typed: &CountArgs,
    asked: &Count,
    console: &Console,
) -> Result<()> {
    for (given, option, why) in [
        (typed.ledger.is_some(), "--ledger", "the project has its own accounts"),
        (typed.limit.is_some(), "--limit", "the project's budget is the limit"),
    ] {
        if given {
            let message = format!("{option} is not for projects: {why}");
            return Err(Failure::usage(message).hint("leave it out"));
        }
    }
    let key = typed.signing.key()?;
    let dataset = {
        let _alive = console.spinner("reading what is declared");
        // Labels come along where the project does not hide them: mixing reads them as they are.
        project.dataset_for(&[DataPart::Edges])?
    };
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) };
    let before = run.ledgers.accounts();
    let (answers, card) = ask(asked, dataset, &run, console)?.into_parts();
    let (card, files) = match &typed.output {
        Some(output) => cardfile::issue(output, card, key.as_ref(), || write(output, &answers))?,
        None => (card, Vec::new()),
    };
    let ledgers: Vec<PathBuf> = before.charged().into_iter().map(PathBuf::from).collect();
    let written = typed.output.as_deref().unwrap_or(Path::new("."));
    let card_path = typed.output.as_deref().map(card_of);
    record(project, &run.ledgers, written, card_path.as_deref())?;
    console.answer(&CountOutput::new(answers, card, files, &ledgers))
}
