//! `privet attack`: what an attacker gets out of a model, of reports or of a graph.

use std::path::Path;

use privet::graph::LoadedData;
use privet_lab::request::AttackRequest;

use super::people::{graphs, people};
use super::trial::{measured, typed_command, write_html};
use crate::args::{AttackCommand, ResultsOptions};
use crate::commands::source::Source;
use crate::failure::Result;
use crate::output::comparison::{AttackOutput, WrittenFiles};
use crate::output::console::Console;
use crate::output::refuse_existing;

/// Reads, attacks, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, or a run fails.
pub(super) fn run(typed: &AttackCommand, console: &Console) -> Result<()> {
    let (request, name) = request(typed);
    // Refused now, not after a minute of reading.
    request.validate()?;
    let (experiment, html, finished) = asked(typed);
    if let Some(path) = html {
        refuse_existing(path, "name another file")?;
    }
    let data = data(typed, console)?;
    let found = measured(console, finished.cells.as_deref(), experiment, |sweep| {
        request.run(data, name, &typed_command(), sweep)
    })?;
    let html = html.map(|path| write_html(path, &found.report)).transpose()?;
    let written = WrittenFiles { release: None, html };
    console.answer(&AttackOutput { found: found.numbers, written, report: found.report })
}

/// What is asked, and what the data was called.
fn request(typed: &AttackCommand) -> (AttackRequest, &str) {
    match typed {
        AttackCommand::Poison(typed) => {
            (AttackRequest::Poison(typed.request.clone()), &typed.dataset)
        }
        AttackCommand::Membership(typed) => {
            (AttackRequest::Membership(typed.request.clone()), &typed.dataset)
        }
        AttackCommand::LinkTeller(typed) => {
            (AttackRequest::LinkTeller(typed.request.clone()), &typed.on.dataset)
        }
        AttackCommand::Reconstruct(typed) => {
            (AttackRequest::Reconstruct(typed.request.clone()), &typed.on.dataset)
        }
    }
}

/// What stores of finished runs are called, where the report goes, and where the store is.
fn asked(typed: &AttackCommand) -> (&'static str, Option<&Path>, &ResultsOptions) {
    let (experiment, html, finished) = match typed {
        AttackCommand::Poison(typed) => ("attack poison", &typed.html, &typed.finished),
        AttackCommand::Membership(typed) => ("attack membership", &typed.html, &typed.finished),
        AttackCommand::LinkTeller(typed) => {
            ("attack linkteller", &typed.on.html, &typed.on.finished)
        }
        AttackCommand::Reconstruct(typed) => {
            ("attack reconstruct", &typed.on.html, &typed.on.finished)
        }
    };
    (experiment, html.as_deref(), finished)
}

fn data(typed: &AttackCommand, console: &Console) -> Result<LoadedData> {
    let on = match typed {
        AttackCommand::Poison(typed) => {
            let set = graphs(&typed.dataset, typed.reading.clone(), &[], console)?;
            return Ok(LoadedData::Graphs(set));
        }
        AttackCommand::Membership(typed) => {
            let people = people(&typed.dataset, typed.reading.clone(), &[], console)?;
            return Ok(LoadedData::Nodes(people));
        }
        AttackCommand::LinkTeller(typed) => &typed.on,
        AttackCommand::Reconstruct(typed) => &typed.on,
    };
    super::project::refuse_table(&on.dataset)?;
    Ok(Source::find(&on.dataset, on.reading.clone(), console)?.load(console)?.0)
}
