//! [`FileSeal`]: the length and SHA-256 of a file that a card was issued for.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Card;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// A file as it was when the card was issued.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSeal {
    /// Its name, from the card's folder on, with `/` between folders.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl FileSeal {
    fn of(folder: &Path, name: String) -> io::Result<Self> {
        let (bytes, sha256) = digest(&folder.join(&name))?;
        Ok(Self { name, bytes, sha256 })
    }

    /// The file's place, if its name stays within the card's folder.
    fn path(&self, folder: &Path) -> Option<PathBuf> {
        let name = Path::new(&self.name);
        let inside = name.components().all(|part| matches!(part, Component::Normal(_)));
        (inside && !self.name.is_empty()).then(|| folder.join(name))
    }

    /// What is wrong with the file, if anything.
    fn difference(&self, folder: &Path) -> Option<String> {
        let name = &self.name;
        let Some(path) = self.path(folder) else {
            return Some(format!("{name}: not a file of the card's folder"));
        };
        match path.metadata() {
            Err(error) => return Some(format!("{name}: {error}")),
            Ok(about) if !about.is_file() => return Some(format!("{name}: not a file")),
            Ok(about) if about.len() != self.bytes => {
                let (card, file) = (self.bytes, about.len());
                return Some(format!(
                    "{name}: the card was issued for {card} bytes, here are {file}"
                ));
            }
            Ok(_) => {}
        }
        match digest(&path) {
            Err(error) => Some(format!("{name}: {error}")),
            Ok((_, sha256)) if sha256 != self.sha256 && !fault::on(Fault::FilesNotHashed) => {
                Some(format!("{name}: changed since the card was issued (its SHA-256 is another)"))
            }
            Ok(_) => None,
        }
    }
}

impl Card {
    /// Issues the card for files, given below the folder it will lie in.
    ///
    /// # Errors
    /// If a file cannot be read, or lies elsewhere.
    pub fn for_files(mut self, folder: &Path, files: &[PathBuf]) -> Result<Self> {
        let mut seals = Vec::new();
        for path in files {
            let failed = |reason: &dyn std::fmt::Display| Error::card(path.display(), reason);
            let name =
                path.strip_prefix(folder).map_err(|_| failed(&"not in the card's folder"))?;
            let name: Vec<_> = name.components().map(|c| c.as_os_str().to_string_lossy()).collect();
            seals.push(FileSeal::of(folder, name.join("/")).map_err(|error| failed(&error))?);
        }
        seals.sort_by(|a, b| a.name.cmp(&b.name));
        seals.dedup();
        self.files = seals;
        // A signature was for other files.
        self.mac = None;
        Ok(self)
    }

    /// Which of the card's files are not there, or not what they were when it was issued.
    pub fn changed_files(&self, folder: &Path) -> Vec<String> {
        if self.files.is_empty() {
            return vec!["the card names no file: it belongs to no release".into()];
        }
        let changed = self.files.iter().filter_map(|seal| seal.difference(folder));
        changed.chain(self.strangers(folder)).collect()
    }

    /// Whether it was issued for a file of this name in its folder, or for files in a folder of this name.
    pub fn is_issued_for(&self, name: &str) -> bool {
        self.files.iter().any(|seal| {
            let below = seal.name.strip_prefix(name);
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Files in the folders of a released dataset that the card does not know: a reader of the dataset
    /// would take them for a part of it.
    fn strangers(&self, folder: &Path) -> Vec<String> {
        let folder_of = |seal: &FileSeal| {
            let (folder, _) = seal.name.rsplit_once('/')?;
            Some(folder.to_owned())
        };
        let mut folders: Vec<String> = self.files.iter().filter_map(folder_of).collect();
        folders.sort();
        folders.dedup();
        let mut strangers = Vec::new();
        for inner in folders {
            for entry in std::fs::read_dir(folder.join(&inner)).into_iter().flatten().flatten() {
                let name = format!("{inner}/{}", entry.file_name().to_string_lossy());
                let known = self.files.iter().any(|seal| seal.name == name);
                let below = format!("{name}/");
                if !known && !self.files.iter().any(|seal| seal.name.starts_with(&below)) {
                    strangers.push(format!("{name}: not among the files the card was issued for"));
                }
            }
        }
        strangers.sort();
        strangers
    }
}

/// Length and SHA-256 of a file, read piece by piece.
fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    let (mut hasher, mut length, mut piece) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece)? {
            0 => break,
            read => {
                hasher.update(&piece[..read]);
                length += read as u64;
            }
        }
    }
    let digest = hasher.finalize();
    Ok((length, digest.iter().map(|byte| format!("{byte:02x}")).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::CardKey;

    fn write(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
        let write = |name: &&str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, name).unwrap();
            path
        };
        names.iter().map(write).collect()
    }

    /// No part of a name leads out of the folder, wherever in the name it stands.
    #[test]
    fn names_stay_in_the_folder() {
        let inside = |name: &str| {
            let seal = FileSeal { name: name.into(), bytes: 0, sha256: String::new() };
            seal.path(Path::new("here"))
        };
        assert_eq!(inside("a/b.csv"), Some(PathBuf::from("here/a/b.csv")));
        for outside in ["", "..", "../a", "a/../b", "/a", "a/.."] {
            assert_eq!(inside(outside), None, "{outside}");
        }
    }

    #[test]
    fn files_are_named_once_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = write(folder.path(), &["b.csv", "a.csv"]);
        paths.push(paths[0].clone());
        let signed = Card::new("a survey").signed(&CardKey::new(vec![1; 16]).unwrap()).unwrap();
        let card = signed.for_files(folder.path(), &paths).unwrap();
        let names: Vec<&str> = card.files.iter().map(|seal| seal.name.as_str()).collect();
        assert_eq!((names, card.mac), (vec!["a.csv", "b.csv"], None));
    }

    /// A folder of that name is no file; and what is in the folders of a card must be on it, named once.
    #[test]
    fn strangers_are_listed_once_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let paths = write(folder.path(), &["a/1", "b/1", "b/deep/2"]);
        let mut card = Card::new("a survey").for_files(folder.path(), &paths).unwrap();
        assert_eq!(card.changed_files(folder.path()), Vec::<String>::new());
        write(folder.path(), &["b/5", "b/4", "a/2", "b/deep/3"]);
        card.files.push(card.files[0].clone());
        let strangers = ["a/2", "b/4", "b/5", "b/deep/3"]
            .map(|name| format!("{name}: not among the files the card was issued for"));
        assert_eq!(card.changed_files(folder.path()), strangers);
        card.files.truncate(1);
        card.files[0].name = "b".into();
        assert_eq!(card.changed_files(folder.path()), ["b: not a file"]);
    }

    /// A file by its whole name, a folder by anything in it.
    #[test]
    fn a7_a_card_knows_what_it_was_issued_for() {
        let folder = tempfile::tempdir().unwrap();
        let paths = write(folder.path(), &["a.csv", "b/1"]);
        let card = Card::new("a survey").for_files(folder.path(), &paths).unwrap();
        assert!(["a.csv", "b", "b/1"].iter().all(|name| card.is_issued_for(name)));
        assert!(!["a", "a.csv.gz", "1", "b/", "c.csv"].iter().any(|name| card.is_issued_for(name)));
    }

    /// Longer than a piece, and by another function.
    #[test]
    fn digests_are_of_the_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let bytes: Vec<u8> = (0..200_001_u32).map(|at| (at % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let whole: String =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest(&path).unwrap(), (200_001, whole));
        assert!(digest(folder.path()).is_err());
    }
}
