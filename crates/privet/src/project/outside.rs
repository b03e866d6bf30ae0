//! What is known outside of a project's folder: how much was spent, and whose data it is about.
//!
//! A folder that is copied, restored or made a second time agrees with itself. So two things are kept in a folder of the
//! person who runs this (`PRIVET_STATE_DIR`, else `XDG_STATE_HOME/privet`, else `~/.local/state/privet`):
//! for every project a count of the charges to each of its accounts, and a *sketch* of who is in its data, by which a
//! second project about the same people is recognised.
//!
//! A sketch is made of keyed hashes ([`Sketch`]); the key is made once and never leaves that folder. Who restores both
//! folders together, or works on another machine, is not noticed: nothing on a machine can know what the machine forgot.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::graph::Dataset;
use crate::{Error, Result};

/// How many hashes a sketch keeps.
const KEPT: usize = 256;

/// Two datasets are about the same people if this share of their ids is the same.
const ALIKE: f64 = 0.2;

/// The folder of the person who runs this.
#[derive(Debug, Clone)]
pub struct Outside {
    folder: PathBuf,
}

/// A project as it is known outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    name: String,
    root: PathBuf,
    sketch: Sketch,
}

/// Another project about some of the same people.
#[derive(Debug, Clone, PartialEq)]
pub struct Relative {
    /// Its name.
    pub name: String,
    /// Where it was when it was made.
    pub root: PathBuf,
    /// The share of ids, or of connections where ids are plain numbers, that are the same; roughly.
    pub share: f64,
}

impl Outside {
    /// The folder, which is made if it is not there; none if nobody says where it could be.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn here() -> Result<Option<Self>> {
        Self::folder().map(Self::at).transpose()
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
        std::fs::create_dir_all(&folder).map_err(|error| Error::file(&folder, error))?;
        Ok(Self { folder })
    }

    /// Where the charges of a project are counted.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn counts(&self, id: &str) -> Result<PathBuf> {
        let folder = self.folder.join("projects").join(id);
        std::fs::create_dir_all(&folder).map_err(|error| Error::file(&folder, error))?;
        Ok(folder)
    }

    /// Remembers whose data a project is about.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn remember(&self, id: &str, name: &str, root: &Path, sketch: Sketch) -> Result<()> {
        let path = self.counts(id)?.join(ABOUT);
        let known = Known { name: name.into(), root: root.into(), sketch };
        let text = serde_json::to_vec_pretty(&known).map_err(|error| Error::file(&path, error))?;
        std::fs::write(&path, text).map_err(|error| Error::file(&path, error))
    }

    /// The project that shares most people with this sketch, if it shares many; other than this one.
    pub fn relative(&self, id: &str, sketch: &Sketch) -> Option<Relative> {
        let entries = std::fs::read_dir(self.folder.join("projects")).ok()?;
        let known = entries.filter_map(|entry| {
            let path = entry.ok()?.path();
            let known: Known =
                serde_json::from_slice(&std::fs::read(path.join(ABOUT)).ok()?).ok()?;
            (path.file_name()? != id).then_some(known)
        });
        let alike = known.map(|Known { name, root, sketch: other }| {
            let share = sketch.likeness(&other);
            Relative { name, root, share }
        });
        alike.filter(|r| r.share >= ALIKE).max_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// The folders of all projects that are known here, as far as they can be read.
    pub fn roots(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.join("projects")).into_iter().flatten();
        let root = |entry: std::io::Result<std::fs::DirEntry>| {
            let about = std::fs::read(entry.ok()?.path().join(ABOUT)).ok()?;
            Some(serde_json::from_slice::<Known>(&about).ok()?.root)
        };
        entries.filter_map(root).collect()
    }

    /// The sketch of a dataset.
    ///
    /// # Errors
    /// If the key cannot be read or made.
    pub fn sketch(&self, dataset: &Dataset) -> Result<Sketch> {
        Ok(Sketch::of(dataset, &self.key()?))
    }

    /// The key of all sketches: made once, readable by its owner alone.
    fn key(&self) -> Result<[u8; 32]> {
        let path = self.folder.join("key");
        let failed = |error: std::io::Error| Error::file(&path, error);
        if let Ok(bytes) = std::fs::read(&path) {
            let wrong = |_| {
                Error::file(
                    &path,
                    "not a key of 32 bytes: remove it, and old projects are not recognised",
                )
            };
            return bytes.try_into().map_err(wrong);
        }
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(|error| Error::file(&path, error))?;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).and_then(|mut file| file.write_all(&key)).map_err(failed)?;
        Ok(key)
    }
}

/// The smallest keyed hashes of the ids in a dataset and of its connections: enough to estimate how many two datasets
/// share, and no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sketch {
    people: BTreeSet<u64>,
    connections: BTreeSet<u64>,
    /// Whether ids are plain numbers, which other data have, too.
    numbered: bool,
}

impl Sketch {
    fn of(dataset: &Dataset, key: &[u8]) -> Self {
        let ids: Vec<String> = dataset.ids().iter().map(|id| id.to_string()).collect();
        let hash = |parts: &[&str]| {
            // A hash of a keyed hash: nothing can be appended to what was hashed.
            let mut inner = Sha256::new().chain_update(key);
            for part in parts {
                inner = inner.chain_update((part.len() as u64).to_le_bytes()).chain_update(part);
            }
            let outer = Sha256::new().chain_update(key).chain_update(inner.finalize()).finalize();
            u64::from_le_bytes([
                outer[0], outer[1], outer[2], outer[3], outer[4], outer[5], outer[6], outer[7],
            ])
        };
        let edges = dataset.graph().edges().map(|(u, v)| {
            let (a, b) = (&ids[u as usize], &ids[v as usize]);
            hash(&[a.min(b), a.max(b)])
        });
        Self {
            people: smallest(ids.iter().map(|id| hash(&[id]))),
            connections: smallest(edges),
            numbered: dataset.ids().are_integers(),
        }
    }

    /// The estimated share of what either has that both have.
    fn likeness(&self, other: &Self) -> f64 {
        match self.numbered && other.numbered {
            true => shared(&self.connections, &other.connections),
            false => shared(&self.people, &other.people),
        }
    }
}

fn smallest(hashes: impl Iterator<Item = u64>) -> BTreeSet<u64> {
    let mut kept = BTreeSet::new();
    for hash in hashes {
        if kept.len() < KEPT || kept.last().is_some_and(|&largest| hash < largest) {
            kept.insert(hash);
            if kept.len() > KEPT {
                kept.pop_last();
            }
        }
    }
    kept
}

/// Of the smallest hashes of both together, the share that both have: an unbiased estimate of the same share of all.
fn shared(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> f64 {
    let union = smallest(a.union(b).copied());
    let both = union.iter().filter(|hash| a.contains(hash) && b.contains(hash)).count();
    both as f64 / union.len().max(1) as f64
}

const ABOUT: &str = "about.json";
