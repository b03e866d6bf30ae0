//! `privet plan`: what to expect of every method, from public facts alone.

use privet::{Error, Project};
use privet_lab::plan::{PlanQuestion, StatedFacts, check, plan, write_up};

use super::trial::{measured, typed_command};
use crate::args::PlanArgs;
use crate::failure::{Failure, Result};
use crate::output::console::Console;
use crate::output::plan::{CheckedAnswer, PlannedAnswer};
use crate::output::{refuse_existing, write_whole};

/// What stores of simulated runs are called.
const EXPERIMENT: &str = "plan";

/// Simulates, and says what to expect.
///
/// # Errors
/// If facts are missing or contradict each other, something is in the way, or the page cannot be written.
pub(super) fn run(typed: PlanArgs, console: &Console) -> Result<()> {
    let cells = typed.finished.cells.as_deref();
    if typed.check {
        let checked = measured(console, cells, EXPERIMENT, |sweep| check::check(true, sweep))?;
        return console.answer(&CheckedAnswer::new(checked));
    }
    let question = question(&typed.facts, super::project::found()?.as_ref())?;
    if let Some(path) = &typed.html {
        refuse_existing(path, "name another file")?;
    }
    let planned = measured(console, cells, EXPERIMENT, |sweep| plan(&question, sweep))?;
    let html = match &typed.html {
        None => None,
        Some(path) => {
            let report = write_up::report(&planned, &typed_command());
            write_whole(path, privet_lab::plan::page::html(&planned, &report).as_bytes())?;
            Some(path.display().to_string())
        }
    };
    console.answer(&PlannedAnswer::new(planned, html))
}

/// What is asked, with a word on what to type.
fn question(typed: &StatedFacts, project: Option<&Project>) -> Result<PlanQuestion> {
    typed.question(project).map_err(|error| match error {
        Error::Unsaid { name: "protects", .. } => Failure::from(error).hint(
            "people, or connections, for a curator who holds the data; features, labels or contacts (several with \
             commas) for people's own devices",
        ),
        Error::Unsaid { .. } => Failure::from(error).hint(
            "for example privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people",
        ),
        error => error.into(),
    })
}
