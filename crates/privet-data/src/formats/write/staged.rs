//! [`Staged`]: a file or folder written under a temporary name and moved into place when complete.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use privet_graph::files::{is_special, temporary};

use super::Overwrite;
use crate::{Error, Result, SourceLocation};

/// The files that a folder of ours may hold; a folder with others is not ours to replace.
const OURS: [&str; 20] = [
    "dataset.json",
    "edges.csv",
    "nodes.csv",
    "features.csv",
    "edges.parquet",
    "nodes.parquet",
    "features.parquet",
    "csr.json",
    "offsets.u64",
    "targets.u32",
    "ids.u64",
    "ids.ends.u64",
    "ids.text",
    "features.f32",
    "features.offsets.u64",
    "features.columns.u32",
    "features.values.f32",
    "labels.u32",
    "labels.offsets.u64",
    "labels.classes.u32",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// Work in progress beside its target, removed unless it is committed.
pub(super) struct Staged {
    kind: Kind,
    place: SourceLocation,
    target: PathBuf,
    temporary: PathBuf,
    members: RefCell<Vec<String>>,
}

impl Staged {
    /// Checks that the target may be written, and makes room beside it.
    pub fn new(path: &Path, kind: Kind, overwrite: Overwrite) -> Result<Self> {
        let place = SourceLocation::file(path.display().to_string());
        let nameless = || place.malformed("a path without a file name", "the name of a new file");
        let name = path.file_name().ok_or_else(nameless)?;
        // Rebuilt from its parts, so that a trailing slash does not make the temporary a child.
        let folder = path.parent().unwrap_or(Path::new(""));
        let target = folder.join(name);
        check_target(&target, kind, overwrite, &place)?;
        let temporary = temporary(&target).ok_or_else(nameless)?;
        let staged = Self { kind, place, target, temporary, members: RefCell::default() };
        staged.remove_leftovers();
        if kind == Kind::Folder {
            fs::create_dir(&staged.temporary).map_err(staged.failed())?;
        }
        Ok(staged)
    }

    pub fn place(&self) -> &SourceLocation {
        &self.place
    }

    /// Turns a failure of the system into an error about the target.
    pub fn failed(&self) -> impl Fn(io::Error) -> Error + '_ {
        |error| self.place.io(error)
    }

    /// Opens the file, or a member of the folder.
    pub fn create_file(&self, member: Option<&str>) -> Result<BufWriter<File>> {
        let path = match member {
            Some(name) => self.temporary.join(name),
            None => self.temporary.clone(),
        };
        self.members.borrow_mut().extend(member.map(str::to_owned));
        let file = File::create_new(path).map_err(self.failed())?;
        Ok(BufWriter::with_capacity(1 << 18, file))
    }

    /// Sees to it that what was written is on the disk.
    pub fn finish_file(&self, mut out: BufWriter<File>) -> Result<()> {
        out.flush().map_err(self.failed())?;
        out.get_ref().sync_all().map_err(self.failed())
    }

    /// Moves the work into place.
    pub fn commit(self) -> Result<Vec<PathBuf>> {
        match self.kind {
            Kind::File => fs::rename(&self.temporary, &self.target).map_err(self.failed())?,
            Kind::Folder => self.swap_folder().map_err(self.failed())?,
        }
        sync_folder(self.target.parent());
        let members = self.members.borrow();
        Ok(match self.kind {
            Kind::File => vec![self.target.clone()],
            Kind::Folder => members.iter().map(|name| self.target.join(name)).collect(),
        })
    }

    /// No system call replaces a folder that is not empty, so the old one steps aside first, and
    /// comes back if the new one cannot take its place.
    fn swap_folder(&self) -> io::Result<()> {
        sync_folder(Some(&self.temporary));
        if !self.target.exists() {
            return fs::rename(&self.temporary, &self.target);
        }
        let aside = self.temporary.with_extension(format!("old-{}", std::process::id()));
        fs::rename(&self.target, &aside)?;
        if let Err(error) = fs::rename(&self.temporary, &self.target) {
            fs::rename(&aside, &self.target)?;
            return Err(error);
        }
        fs::remove_dir_all(&aside)
    }

    /// Removes what an earlier process of the same number may have left behind.
    fn remove_leftovers(&self) {
        let _ = match self.temporary.is_dir() {
            true => fs::remove_dir_all(&self.temporary),
            false => fs::remove_file(&self.temporary),
        };
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After a commit there is nothing left under the temporary name.
        self.remove_leftovers();
    }
}

fn check_target(
    target: &Path,
    kind: Kind,
    overwrite: Overwrite,
    place: &SourceLocation,
) -> Result<()> {
    let Ok(metadata) = fs::symlink_metadata(target) else { return Ok(()) };
    if overwrite == Overwrite::Refuse {
        return Err(place.refused("it exists already; name another target, or allow replacing it"));
    }
    if is_special(target) {
        return Err(place.refused("it is a device or a pipe, which is not replaced; name a file"));
    }
    match kind {
        Kind::File if metadata.is_dir() => {
            Err(place.refused("a folder of that name exists; remove it, or name another target"))
        }
        Kind::File => Ok(()),
        Kind::Folder if !metadata.is_dir() => {
            Err(place.refused("a file of that name exists; remove it, or name another target"))
        }
        Kind::Folder => check_ours(target, place),
    }
}

fn check_ours(folder: &Path, place: &SourceLocation) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|error| place.io(error))? {
        let entry = entry.map_err(|error| place.io(error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !OURS.contains(&&*name) || entry.path().is_dir() {
            return Err(place.refused(format!(
                "the folder also holds '{name}', which replacing it would delete; \
                 name another target"
            )));
        }
    }
    Ok(())
}

/// Asks the system to remember the names in a folder; not every system can, and none must.
fn sync_folder(folder: Option<&Path>) {
    let folder = folder.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
