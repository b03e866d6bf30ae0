//! [`Outside`]: what is known outside of a project's folder: how much was spent, and whose data it is about.
//!
//! A folder that is copied, restored or made a second time agrees with itself. So the user who runs this has a folder of
//! their own (`PRIVET_STATE_DIR`, else `XDG_STATE_HOME/privet`, else `~/.local/state/privet`), with owner-only access:
//!
//! ```text
//! key                           made once; every hash below is keyed by it
//! lock                          held while projects are compared and remembered
//! projects/ID/about.json        name, folder, and the projects whose people it may share
//! projects/ID/people.marks      keyed hashes of everyone who was ever in its tables        [`marks`]
//! projects/ID/UNIT.count        how many charges each account has
//! projects/ID/lock              held while the project, or a copy of it, spends
//! projects/ID/forgotten.key     keys the hashes of ids in .privet/forgotten
//! ```
//! [`holders`] finds the known projects that hold given people; [`elsewhere`] refuses releases about them that no project
//! pays for. A user who restores both folders together, or works on another machine, is not noticed: nothing on a
//! machine can know what the machine forgot.

pub mod elsewhere;
pub mod holders;
pub mod marks;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use holders::Holder;
pub use marks::{PeopleMarker, PeopleMarks};

use crate::{Error, Result};

/// The folder of the user who runs this.
#[derive(Debug, Clone)]
pub struct Outside {
    folder: PathBuf,
}

/// A project as it is known outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownProject {
    name: String,
    root: PathBuf,
    /// Ids of the projects whose people it may share, because the user said so.
    #[serde(default)]
    shares: BTreeSet<String>,
    /// What versions before the marks kept: the smallest hashes alone.
    #[serde(default, skip_serializing)]
    sketch: Option<Sketch>,
}

/// The smallest 256 keyed hashes of ids and of connections, as earlier versions kept them. Those of text ids are marks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Sketch {
    people: BTreeSet<u64>,
    numbered: bool,
}

impl Outside {
    /// The folder, which is made if it is not there; none if the environment names no place for it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn here() -> Result<Option<Self>> {
        Self::folder().map(Self::at).transpose()
    }

    /// The folder if it is there already.
    pub fn existing() -> Option<Self> {
        Self::folder().filter(|folder| folder.is_dir()).map(|folder| Self { folder })
    }

    /// Where it is or would be; nothing is made.
    pub fn folder() -> Option<PathBuf> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        set("PRIVET_STATE_DIR")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(set("XDG_STATE_HOME")?).join("privet")))
            .or_else(|| Some(PathBuf::from(set("HOME")?).join(".local/state/privet")))
            .or_else(|| Some(PathBuf::from(set("LOCALAPPDATA")?).join("privet")))
    }

    /// A folder of one's own choice.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn at(folder: PathBuf) -> Result<Self> {
        make_private(&folder)?;
        Ok(Self { folder })
    }

    /// Where the charges of a project are counted.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn counts(&self, id: &str) -> Result<PathBuf> {
        let folder = self.projects().join(id);
        make_private(&folder)?;
        Ok(folder)
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    fn projects(&self) -> PathBuf {
        self.folder.join("projects")
    }

    /// The lock under which projects are compared and remembered: of two that begin at the same time, the later one sees
    /// the earlier.
    fn lock(&self) -> Result<File> {
        let path = self.folder.join("lock");
        let failed = |error: std::io::Error| Error::file(&path, error);
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(file)
    }

    /// Compares a project's people with those of all other projects, and remembers them beside everyone it had before.
    /// With [`SecondProject::Allow`](super::SecondProject) the overlaps that there are now are taken from then on.
    ///
    /// # Errors
    /// If another project holds some of the same people and neither of both was allowed to; if the disk refuses.
    pub(super) fn admit(
        &self,
        id: &str,
        name: &str,
        root: &Path,
        people: PeopleMarks,
        second: super::SecondProject,
    ) -> Result<()> {
        let _lock = self.lock()?;
        let mut shares = self.known(id)?.map_or_else(BTreeSet::new, |known| known.shares);
        let mut all = self.marks_of(id)?;
        all.extend(people.clone());
        // Everyone it ever held counts: people who left were charged here, and may be charged again in another project.
        let holders = self.holders_beside(Some(id), &all)?;
        for holder in holders.into_iter().filter(Holder::is_more_than_chance) {
            let other = self.known(&holder.id)?;
            // Either project may have declared that it shares people with the other.
            let allowed =
                shares.contains(&holder.id) || other.is_some_and(|other| other.shares.contains(id));
            match second {
                super::SecondProject::Allow => drop(shares.insert(holder.id)),
                super::SecondProject::Refuse if allowed => {}
                super::SecondProject::Refuse => return Err(holder.refusal(root)),
            }
        }
        let folder = self.counts(id)?;
        all.write(&folder.join(MARKS))?;
        let root = std::path::absolute(root).unwrap_or_else(|_| root.into());
        let known = KnownProject { name: name.into(), root, shares, sketch: None };
        let path = folder.join(ABOUT);
        let text = serde_json::to_vec_pretty(&known).map_err(|error| Error::file(&path, error))?;
        replace(&path, |file| file.write_all(&text))
    }

    /// A project as it is known; none if it is not.
    fn known(&self, id: &str) -> Result<Option<KnownProject>> {
        let path = self.projects().join(id).join(ABOUT);
        match std::fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map(Some).map_err(|error| Error::file(&path, error))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(&path, error)),
        }
    }

    /// The ids of all projects that are known.
    fn ids(&self) -> Result<Vec<String>> {
        let folder = self.projects();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::file(&folder, error)),
        };
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut ids: Vec<String> =
            names.collect::<std::io::Result<_>>().map_err(|error| Error::file(&folder, error))?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// The marks of everyone who was ever in a project.
    fn marks_of(&self, id: &str) -> Result<PeopleMarks> {
        match PeopleMarks::read(&self.projects().join(id).join(MARKS))? {
            Some(marks) => Ok(marks),
            None => Ok(self.known(id)?.and_then(|known| known.sketch).map_or_else(
                PeopleMarks::default,
                |sketch| match sketch.numbered {
                    true => PeopleMarks::default(),
                    false => PeopleMarks::of_names(sketch.people.into_iter().collect()),
                },
            )),
        }
    }

    /// The folders of all projects that are known here, as far as they can be read.
    pub fn roots(&self) -> Vec<PathBuf> {
        let ids = self.ids().unwrap_or_default();
        ids.iter().filter_map(|id| Some(self.known(id).ok()??.root)).collect()
    }

    /// Marks of people, to be compared with those of projects.
    ///
    /// # Errors
    /// If the key cannot be read or made.
    pub fn marker(&self) -> Result<PeopleMarker> {
        Ok(PeopleMarker::new(&key(&self.folder.join("key"), MissingKey::IsMade)?))
    }

    /// The key that hashes the ids of people who were removed from a project.
    ///
    /// # Errors
    /// If it is gone although there are hashes made with it.
    pub(super) fn forgotten_key(&self, id: &str, absent: MissingKey) -> Result<[u8; 32]> {
        key(&self.counts(id)?.join("forgotten.key"), absent)
    }
}

/// What becomes of a key that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingKey {
    /// It is made.
    IsMade,
    /// There are hashes made with it, so another one would not do.
    IsRefused,
}

/// A key: made once, readable by its owner alone.
fn key(path: &Path, absent: MissingKey) -> Result<[u8; 32]> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let wrong = |_| Error::file(path, "not a key of 32 bytes: restore it from a backup");
            return bytes.try_into().map_err(wrong);
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::file(path, error));
        }
        Err(_) if absent == MissingKey::IsRefused => {
            let reason = "this key is not here, and without it the people who were removed from the project cannot be told \
                          from the others: copy it from where the project was before";
            return Err(Error::file(path, reason));
        }
        Err(_) => {}
    }
    let mut key = [0u8; 32];
    getrandom::fill(&mut key).map_err(|error| Error::file(path, error))?;
    // Whole under its name or not there: two processes that make it at once agree on the first.
    let draft = path.with_extension(format!("part-{}", std::process::id()));
    let made = owned(&draft).and_then(|mut file| {
        file.write_all(&key)?;
        file.sync_data()?;
        match std::fs::hard_link(&draft, path) {
            // Some file systems have no links: there the later of two that make it at once counts.
            Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
                std::fs::rename(&draft, path)
            }
            linked => linked,
        }
    });
    let _ = std::fs::remove_file(&draft);
    match made {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            self::key(path, MissingKey::IsRefused)
        }
        Err(error) => Err(Error::file(path, error)),
    }
}

/// A folder that only its owner may look into.
fn make_private(folder: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| Error::file(folder, error))
}

/// A file that only its owner may read.
fn owned(path: &Path) -> std::io::Result<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Replaces a file: the old one or the new one is there, never half of either.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut std::io::BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let draft = path.with_extension("part");
    let replaced = owned(&draft).and_then(|file| {
        let mut out = std::io::BufWriter::new(file);
        write(&mut out)?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_data()?;
        std::fs::rename(&draft, path)
    });
    replaced.map_err(|error| Error::file(path, error))
}

const ABOUT: &str = "about.json";
const MARKS: &str = "people.marks";
