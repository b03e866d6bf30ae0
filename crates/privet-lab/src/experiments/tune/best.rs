//! [`Best`]: the settings that won a search, in a file that `privet run --settings` reads.

use std::path::Path;

use privet::graph::files::read_text;
use privet::ldp_ge::Preset;
use serde::{Deserialize, Serialize};

use super::{Found, Search};
use crate::experiments::ldp_ge::Task;

/// No settings are longer.
const LONGEST: u64 = 1 << 20;

/// Settings, and what they were found for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// What is predicted with them.
    pub task: Task,
    /// The randomizer of features.
    pub mechanism: String,
    /// The settings.
    #[serde(flatten)]
    pub settings: Preset,
}

impl Best {
    /// What a search found.
    pub fn of(search: &Search<'_>, found: &Found) -> Self {
        let mut settings = found.best(search).clone();
        settings.decoding = search.reports.decoding;
        Self { task: search.task, mechanism: search.reports.mechanism.clone(), settings }
    }

    /// Reads what was written as JSON.
    ///
    /// # Errors
    /// If it cannot be read, or is something else.
    pub fn read(path: &Path) -> privet::Result<Self> {
        let text = read_text(path, LONGEST)?;
        serde_json::from_str(&text).map_err(|error| {
            let expected = "settings as `privet tune ldp-ge` writes them (best.json)";
            privet::Error::file(path, format!("found {error}; expected {expected}"))
        })
    }
}
