//! Files of a folder as members: which there are, which belong together, and what those are called whose names are
//! no text.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::{Result, SourceLocation};

/// Files of a folder: member `name` is the file `folder/name`, unless it is called otherwise.
pub(super) struct Files {
    folder: PathBuf,
    /// The files whose names are no text, by the nearest that is.
    odd: FxHashMap<String, PathBuf>,
}

impl Files {
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.into(), odd: FxHashMap::default() }
    }

    /// The member that a file is, kept under its name or the text nearest to it.
    pub fn member(&mut self, name: &OsStr) -> String {
        match name.to_str() {
            Some(name) => name.to_owned(),
            None => {
                let text = name.to_string_lossy().into_owned();
                self.odd.insert(text.clone(), self.folder.join(name));
                text
            }
        }
    }

    pub fn path(&self, member: &str) -> PathBuf {
        self.odd.get(member).cloned().unwrap_or_else(|| self.folder.join(member))
    }
}

/// The set that a file is one of, by its name: `ind.cora` of `ind.cora.x` (Planetoid), `cora` of `cora.content.gz` and
/// `cora.cites` (LINQS). All other formats are one file each, or a folder.
pub(super) fn set_of(name: &str) -> Option<&str> {
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    if let Some((planetoid, _)) = plain.strip_prefix("ind.").and_then(|rest| rest.split_once('.')) {
        return name.get(.."ind.".len() + planetoid.len());
    }
    let (stem, ending) = plain.rsplit_once('.')?;
    ["content", "cites"].contains(&ending).then_some(stem)
}

/// The other files of a set in the folder of one of them; none if the folder cannot be listed.
pub(super) fn siblings(path: &Path, name: &str, set: &str) -> Vec<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let place = SourceLocation::file(folder.display().to_string());
    let names = list_folder(folder, &place).unwrap_or_default().into_iter();
    let names = names.filter_map(|other| other.into_string().ok());
    names.filter(|other| other != name && set_of(other) == Some(set)).collect()
}

/// The files of a folder, sorted by name.
pub(super) fn list_folder(folder: &Path, place: &SourceLocation) -> Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| place.io(error))? {
        let entry = entry.map_err(|error| place.io(error))?;
        let is_file = std::fs::metadata(entry.path()).is_ok_and(|m| m.is_file());
        if is_file {
            names.push(entry.file_name());
        }
    }
    names.sort_unstable();
    Ok(names)
}
