//! Releases that no project pays for: what they are made from must not be a project's.
//!
//! Releases from datasets ([`protect`](crate::protect), [`publish`](crate::publish), what
//! [`ReleaseAsks`](crate::doubts::ReleaseAsks) asks for) call [`LedgerStore::refuse_people_of_projects`] before anything is
//! charged; commands that are told a file call [`refuse_file_of_project`] before it is read. The systems' own types
//! hold secrets and no ids, so a program that runs one directly is not asked. A simulation in memory writes no account
//! and is not asked either; a project's own releases are compared when it spends
//! ([`Project::spend`](crate::project::Project::spend)).

use std::path::Path;

use super::{Holder, Outside, PeopleMarker};
use crate::graph::Dataset;
use crate::privacy::fault::{self, Fault};
use crate::project::Project;
use crate::{Error, LedgerStore, Result};

/// Refuses a file that lies in a project's folder, or is a table of a project that is known on this machine.
///
/// # Errors
/// If it is; if the project's file makes no sense.
pub fn refuse_file_of_project(path: &Path) -> Result<()> {
    refuse_file(path, Outside::existing().as_ref())
}

/// Refuses a table of a project: of the one whose folder it lies in, or of one that is known on this machine.
///
/// # Errors
/// If it is; if the project's file makes no sense.
pub fn refuse_table_of_project(path: &Path) -> Result<()> {
    match project_of(path, Outside::existing().as_ref())?.filter(|project| project.reads(path)) {
        Some(project) => Err(refused(path, &project)),
        None => Ok(()),
    }
}

pub(in crate::project) fn refuse_file(path: &Path, outside: Option<&Outside>) -> Result<()> {
    match project_of(path, outside)? {
        Some(project) => Err(refused(path, &project)),
        None => Ok(()),
    }
}

/// The project that pays for releases from a file, found from where the file lies.
fn project_of(path: &Path, outside: Option<&Outside>) -> Result<Option<Project>> {
    // What is not there is told by the reader.
    let Ok(real) = path.canonicalize() else { return Ok(None) };
    let folder = if real.is_dir() { Some(&*real) } else { real.parent() };
    if let Some(project) = folder.map(Project::find).transpose()?.flatten() {
        return Ok(Some(project));
    }
    // A project's tables may lie outside of its folder.
    for id in outside.map(Outside::ids).transpose()?.unwrap_or_default() {
        let known = outside.and_then(|outside| outside.known(&id).ok().flatten());
        // A project that moved or is gone is recognised by its people.
        let project = known.and_then(|known| Project::open(&known.root).ok());
        if let Some(project) = project.filter(|project| project.reads(&real)) {
            return Ok(Some(project));
        }
    }
    Ok(None)
}

fn refused(path: &Path, project: &Project) -> Error {
    let what = match project.reads(path) {
        true => "is a table",
        false => "lies in the folder",
    };
    let (name, root) = (&project.config().project.name, project.root().display());
    Error::Refused {
        message: format!(
            "{}: refused: it {what} of the project '{name}' in {root}, whose budget would not be asked",
            path.display()
        ),
        remedy: "in that folder, leave the input out, and the project pays; keep tables about other people elsewhere",
    }
}

/// Refuses a release to a new account about people of a project that is known on this machine.
///
/// # Errors
/// If there are more of them than chance explains; if what is known cannot be read.
pub fn refuse_people_of_projects(dataset: &Dataset) -> Result<()> {
    refuse_people(dataset, Outside::existing().as_ref())
}

/// Refuses a release to a new account about the people of a table, by its column of ids.
///
/// # Errors
/// As for [`refuse_people_of_projects`], or if the table cannot be read.
pub fn refuse_table_of_people(path: &Path, table: Option<&str>, id: &str) -> Result<()> {
    let outside = Outside::existing();
    refuse(outside.as_ref(), |marker| marker.table(path, table, id, &[]))
}

pub(in crate::project) fn refuse_people(
    dataset: &Dataset,
    outside: Option<&Outside>,
) -> Result<()> {
    refuse(outside, |marker| {
        marker.dataset(dataset);
        Ok(())
    })
}

fn refuse(
    outside: Option<&Outside>,
    mark: impl FnOnce(&mut PeopleMarker) -> Result<()>,
) -> Result<()> {
    let Some(outside) = outside else { return Ok(()) };
    if outside.ids()?.is_empty() || fault::on(Fault::ReleaseAsksNoProject) {
        return Ok(());
    }
    let mut marker = outside.marker()?;
    mark(&mut marker)?;
    let holders = outside.holders(&marker.finish())?;
    match holders.into_iter().find(Holder::is_more_than_chance) {
        None => Ok(()),
        Some(Holder { name, root, matches, .. }) => Err(Error::Refused {
            message: format!(
                "refused: the project '{name}' in {} holds {} these people, and its budget would not be asked",
                root.display(),
                if matches.most { "most of" } else { "some of" }
            ),
            remedy: "go to that folder and leave the input out: the project pays",
        }),
    }
}

impl LedgerStore {
    /// Refuses a release about people of a project, unless it is the project that pays, or nothing is written down.
    ///
    /// # Errors
    /// If a project that is known on this machine holds more of them than chance explains.
    pub fn refuse_people_of_projects(&self, dataset: &Dataset) -> Result<()> {
        match self {
            Self::Memory | Self::Project(_) => Ok(()),
            Self::Folder(_) | Self::Files(_) => refuse_people_of_projects(dataset),
        }
    }
}
