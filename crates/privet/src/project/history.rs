//! [`Past`]: what came of each charge, for people who want to know. Ledgers alone say what was spent; a line here is
//! written once its release is where it should be, so a charge without a line is one of which nothing came.

use std::io::Write;
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Project;
use super::accounts::Entries;
use crate::{Error, LedgerStore, Result};

/// A release that was handed out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Past {
    /// When, in UTC.
    pub when: String,
    /// The command that made it.
    pub command: String,
    /// Where it went.
    pub to: PathBuf,
    /// Its card, if it has one of its own.
    pub card: Option<PathBuf>,
    /// What it was charged with.
    pub charges: Vec<Entries>,
}

impl Past {
    /// A release of this moment, charged with everything that these accounts were charged with since they were taken.
    ///
    /// # Errors
    /// If an account cannot be read.
    pub fn now(
        command: impl Into<String>,
        to: PathBuf,
        card: Option<PathBuf>,
        ledgers: &LedgerStore,
    ) -> Result<Self> {
        let charges = match ledgers {
            LedgerStore::Project(accounts) => accounts.charged()?,
            _ => Vec::new(),
        };
        Ok(Self { when: now(), command: command.into(), to, card, charges })
    }

    /// Whether an entry of an account was charged for it.
    pub(super) fn was_charged(&self, unit: &str, entry: usize) -> bool {
        let within = |charged: &Entries| (charged.first..=charged.last).contains(&entry);
        self.charges.iter().any(|charged| charged.unit == unit && within(charged))
    }
}

impl Project {
    /// Writes down what came of a charge.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn record(&self, past: &Past) -> Result<()> {
        let path = self.folder().join("releases.jsonl");
        let failed = |error: std::io::Error| Error::file(&path, error);
        let mut line = serde_json::to_vec(past).map_err(|error| Error::file(&path, error))?;
        line.push(b'\n');
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.write_all(&line).and_then(|()| file.sync_data()).map_err(failed)
    }

    /// What came of the charges so far. A line that was torn by a crash is left out.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn history(&self) -> Result<Vec<Past>> {
        let path = self.folder().join("releases.jsonl");
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::file(&path, error)),
        }
    }
}

/// This moment as `2026-11-16T09:30:00Z`.
fn now() -> String {
    // To the second: parts of a second say more about a machine than about a release.
    let now = Timestamp::now().as_second();
    Timestamp::from_second(now).unwrap_or_default().to_string()
}
