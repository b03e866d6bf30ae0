//! `privet attack`: what somebody who looks hard gets out of a model, of reports or of a graph.

use std::path::Path;

use privet::graph::LoadedData;

use super::people::{graphs, people};
use super::trial::{measured, typed_command, write_html};
use crate::args::{Attack, Finished};
use crate::attacks;
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::Result;
use crate::output::refuse_existing;
use crate::simulated::Written;
use crate::source::Source;

/// Reads, attacks, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, or a run fails.
pub(super) fn run(typed: &Attack, console: &Console) -> Result<()> {
    attacks::check(typed)?;
    let (experiment, html, finished) = asked(typed);
    if let Some(path) = html {
        refuse_existing(path, "name another file")?;
    }
    let data = data(typed, console)?;
    let found = measured(console, finished.cells.as_deref(), experiment, |sweep| {
        attacks::attack(typed, data, &typed_command(), sweep)
    })?;
    let html = html.map(|path| write_html(path, &found.report)).transpose()?;
    let written = Written { release: None, html };
    console.answer(&Attacked { found: found.numbers, written, report: found.report })
}

/// What stores of finished runs are called, where the report goes, and where the store is.
fn asked(typed: &Attack) -> (&'static str, Option<&Path>, &Finished) {
    let (experiment, html, finished) = match typed {
        Attack::Poison(typed) => ("attack poison", &typed.html, &typed.finished),
        Attack::Membership(typed) => ("attack membership", &typed.html, &typed.finished),
        Attack::LinkTeller(typed) => ("attack linkteller", &typed.on.html, &typed.on.finished),
        Attack::Reconstruct(typed) => ("attack reconstruct", &typed.on.html, &typed.on.finished),
    };
    (experiment, html.as_deref(), finished)
}

fn data(typed: &Attack, console: &Console) -> Result<LoadedData> {
    let on = match typed {
        Attack::Poison(typed) => {
            let set = graphs(&typed.dataset, typed.reading.clone(), &[], console)?;
            return Ok(LoadedData::Graphs(set));
        }
        Attack::Membership(typed) => {
            let promise = &typed.promise;
            let people = people(&promise.dataset, promise.reading.clone(), &[], console)?;
            return Ok(LoadedData::Nodes(people));
        }
        Attack::LinkTeller(typed) => &typed.on,
        Attack::Reconstruct(typed) => &typed.on,
    };
    super::project::refuse_table(&on.dataset)?;
    Ok(Source::find(&on.dataset, on.reading.clone(), console)?.load(console)?.0)
}
