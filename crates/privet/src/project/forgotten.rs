//! [`RemovedPeople`]: the people whose records a project no longer reads.
//!
//! `.privet/forgotten` holds a keyed hash of each id and no id: a person who was erased must not stand there in plain text. The key
//! lies outside of the folder ([`Outside`]), so that the file, which travels with every copy of the project, cannot be
//! tried against a list of names. Where the key is missing the data are not read: erased people would be among them.
//!
//! Earlier versions wrote the ids themselves. Such a file is still understood, and replaced when the project spends or
//! forgets the next time.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::outside::{MissingKey, Outside, replace};
use super::{FOLDER, Project};
use crate::data::declared::RawTable;
use crate::data::formats::Limits;
use crate::{Error, Result};

/// The first line of a file of hashes. An id cannot be mistaken for it: earlier versions wrote no such line.
const HEADER: &str = "# privet: keyed hashes of the ids of removed people";

/// The people whose records are no longer read.
#[derive(Debug, Default)]
pub(super) struct RemovedPeople {
    /// As earlier versions wrote them.
    plain: BTreeSet<String>,
    hashes: BTreeSet<String>,
    key: Option<[u8; 32]>,
}

impl RemovedPeople {
    fn read(project: &Project) -> Result<Self> {
        let path = path_of(project);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(Error::file(&path, error)),
        };
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        // Files of an earlier version hold ids; they are hashed at the next write.
        let Some(hashes) = text.strip_prefix(HEADER) else {
            return Ok(Self { plain: lines(&text), ..Self::default() });
        };
        let hashes: BTreeSet<String> = lines(hashes.trim_start());
        let is_hash =
            |line: &String| line.len() == 32 && line.bytes().all(|b| b.is_ascii_hexdigit());
        if !hashes.iter().all(is_hash) {
            return Err(Error::file(
                &path,
                "a line is not a hash of 32 hexadecimal digits: restore it from a copy",
            ));
        }
        Ok(Self { hashes, ..Self::default() })
    }

    /// The same, able to recognise ids.
    fn with_key(mut self, project: &Project, absent: MissingKey) -> Result<Self> {
        // A new key would not recognise the people whose hashes are there.
        let absent = if self.hashes.is_empty() { absent } else { MissingKey::IsRefused };
        let outside = project.outside()?.ok_or_else(|| Error::Refused {
            message: format!(
                "{}: refused: there is no place for the key that recognises removed people",
                path_of(project).display()
            ),
            remedy: "set PRIVET_STATE_DIR or HOME",
        })?;
        self.key = Some(outside.forgotten_key(project.id(), absent)?);
        Ok(self)
    }

    pub fn len(&self) -> usize {
        self.plain.len() + self.hashes.len()
    }

    /// Whether the records of a person are ignored.
    pub fn has(&self, id: &str) -> bool {
        self.plain.contains(id) || self.key.is_some_and(|key| self.hashes.contains(&hash(&key, id)))
    }

    /// Adds a person, and hashes those who are there in plain text.
    fn add(&mut self, ids: &[&str], key: [u8; 32]) {
        let plain = std::mem::take(&mut self.plain);
        let ids = ids.iter().copied().chain(plain.iter().map(String::as_str));
        self.hashes.extend(ids.map(|id| hash(&key, id)));
        self.key = Some(key);
    }

    fn write(&self, path: &Path) -> Result<()> {
        replace(path, |out| {
            writeln!(out, "{HEADER}")?;
            self.hashes.iter().try_for_each(|hash| writeln!(out, "{hash}"))
        })
    }
}

/// 128 bits of a hash of a keyed hash.
fn hash(key: &[u8; 32], id: &str) -> String {
    // HMAC without its padding, over fixed-length keys: without the key ids cannot be tried.
    let inner = Sha256::new().chain_update(key).chain_update(id).finalize();
    let outer = Sha256::new().chain_update(key).chain_update(inner).finalize();
    outer[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn path_of(project: &Project) -> PathBuf {
    project.root().join(FOLDER).join("forgotten")
}

impl Project {
    /// Ignores the records of these people from now on: of all of them or, after an error, of none. What was
    /// released stays released.
    ///
    /// # Errors
    /// If the project has no such person, or it cannot be written down.
    pub fn forget(&self, ids: &[impl AsRef<str>]) -> Result<()> {
        let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let mut all = RemovedPeople::read(self)?.with_key(self, MissingKey::IsMade)?;
        let mut missing: BTreeSet<&str> = ids.iter().copied().filter(|id| !all.has(id)).collect();
        let people = &self.config.people;
        let (path, limits) = (self.root.join(&people.file), Limits::default());
        let table = people.table.as_deref();
        let mut rows = RawTable::open_columns(&path, table, &[&people.id], &limits)?;
        // Only until all are found: the table may be long.
        while !missing.is_empty() && rows.advance()? {
            missing.remove(&*rows.text(0));
        }
        if let Some(id) = missing.first() {
            return Err(Error::Refused {
                message: format!("refused: no record in {} has the id '{id}'", people.file),
                remedy: "nothing was changed: name ids as they stand in the table of people",
            });
        }
        // All ids or none: a typing error must not remove half of a list.
        if let Some(key) = all.key {
            all.add(&ids, key);
        }
        all.write(&path_of(self))
    }

    /// How many people were removed.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn removed(&self) -> Result<usize> {
        Ok(RemovedPeople::read(self)?.len())
    }

    /// Who was removed; their ids are recognised.
    pub(super) fn forgotten(&self) -> Result<RemovedPeople> {
        let all = RemovedPeople::read(self)?;
        match all.hashes.is_empty() {
            true => Ok(all),
            false => all.with_key(self, MissingKey::IsRefused),
        }
    }

    /// Replaces ids that an earlier version wrote in plain text.
    pub(super) fn hash_forgotten(&self, outside: &Outside) -> Result<()> {
        let mut all = RemovedPeople::read(self)?;
        if all.plain.is_empty() {
            return Ok(());
        }
        all.add(&[], outside.forgotten_key(self.id(), MissingKey::IsMade)?);
        all.write(&path_of(self))
    }
}
