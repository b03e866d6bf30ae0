//! [`Past`]: what came of each charge, for people who want to know. Ledgers alone say what was spent; a line here is
//! written once its release is where it should be, so a charge without a line is one of which nothing came.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

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
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    written(seconds)
}

/// Seconds since 1970 as a date and a time of day, by the calendar's eras of 400 years that begin in March.
fn written(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(written(seconds), date);
        }
    }
}
