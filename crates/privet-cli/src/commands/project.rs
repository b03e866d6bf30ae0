//! Commands of projects: they find the project that the current folder is in, ask the library, and show.

mod count;
mod evaluate;
mod init;
mod predict;
mod protect;
mod publish;
mod train;
mod tune;

use std::path::Path;

pub(super) use count::run as count;
pub(super) use evaluate::run as evaluate;
pub(super) use init::run as init;
pub(super) use predict::run as predict;
use privet::data::catalog;
use privet::project::guard::ALL_PARTS;
use privet::project::{InputGuard, Past, elsewhere};
use privet::{LedgerStore, Project};
pub(super) use protect::run as protect;
pub(super) use publish::run as publish;
pub(super) use train::run as train;
pub(super) use tune::run as tune;

use crate::args::{DataName, Forget, StatusArgs};
use crate::failure::{Failure, FailureKind, Result};
use crate::output::console::{Answer, Console};
use crate::output::status::{Standing, page};
use crate::output::style::{GOOD, counted};
use crate::output::write_whole;

/// The project that the current folder is in.
///
/// # Errors
/// If there is none, or it cannot be read.
fn here() -> Result<Project> {
    found()?.ok_or_else(|| {
        let message = "there is no project here: no privet.toml in this folder or above";
        Failure::new(FailureKind::Usage, message)
            .hint("make one with `privet init`, or go to its folder")
    })
}

pub(super) fn found() -> Result<Option<Project>> {
    let current = std::env::current_dir()
        .map_err(|error| Failure::data(format!("the current folder: {error}")))?;
    Ok(Project::find(&current)?)
}

/// What a releasing command is about.
pub(super) enum Meant<'a> {
    /// The project that the current folder is in.
    Project(Box<Project>),
    /// Data that were named.
    Data(&'a DataName),
}

/// The project whose data are meant if no input was named.
///
/// # Errors
/// If a file in a project's folder or a table of a known project is named, or nothing is named and there is no project.
pub(super) fn meant<'a>(input: Option<&'a DataName>, console: &Console) -> Result<Meant<'a>> {
    let Some(input) = input else { return Ok(Meant::Project(Box::new(here()?))) };
    refuse_table(input)?;
    if catalog::select(input).is_err() {
        elsewhere::refuse_file_of_project(Path::new(input.as_typed()))?;
    }
    console.note(
        "this account knows of no other release about the same people; `privet init` makes a project, whose budget is \
         theirs",
    );
    Ok(Meant::Data(input))
}

/// Refuses to go around a project, before anything is made: its tables are read by the commands that spend from it, and by
/// no other that tells what it found. What files hold is compared once they are opened ([`Source`](crate::commands::source::Source)).
///
/// # Errors
/// If a table of a project, or a copy of one, is named; if the file lies in a project's folder.
pub(super) fn refuse_table(input: &DataName) -> Result<()> {
    let path = Path::new(input.as_typed());
    InputGuard::around([path])?.check_tables(&[path], &ALL_PARTS)?;
    match catalog::select(input) {
        Ok(_) => Ok(()),
        Err(_) => Ok(elsewhere::refuse_table_of_project(path)?),
    }
}

/// Writes down what came of this command's charges.
fn record(
    project: &Project,
    ledgers: &LedgerStore,
    to: &Path,
    card_path: Option<&Path>,
) -> Result<()> {
    let typed = crate::typed_words().into_iter().skip(1);
    let typed: Vec<String> = typed.map(|word| word.to_string_lossy().into_owned()).collect();
    let command = format!("privet {}", typed.join(" "));
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let past = Past::now(command, absolute(to), card_path.map(absolute), ledgers)?;
    Ok(project.record(&past)?)
}

/// `privet status`.
///
/// # Errors
/// If there is no project, or an account cannot be read.
pub(super) fn status(typed: StatusArgs, console: &Console) -> Result<()> {
    let status = Standing(here()?.status()?);
    if let Some(path) = &typed.html {
        write_whole(path, page(&status.0).as_bytes())?;
    }
    console.answer(&status)
}

/// `privet forget`.
///
/// # Errors
/// If there is no project, it has no such person, or it cannot be written.
pub(super) fn forget(typed: Forget, console: &Console) -> Result<()> {
    let project = here()?;
    project.forget(&typed.ids)?;
    console.answer(&Forgotten { removed: project.removed()? })
}

/// How many people are ignored now.
#[derive(Debug, serde::Serialize)]
struct Forgotten {
    removed: usize,
}

impl Answer for Forgotten {
    fn write_text(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        let people = counted(self.removed, "person", "people");
        writeln!(out, "{GOOD}done{GOOD:#}: the records of {people} are ignored from now on")?;
        writeln!(out, "what was released before stays released, and later cards say so")
    }
}
