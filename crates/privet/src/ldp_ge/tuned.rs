//! [`BestSettings`]: the settings that won a search, in a file that `privet run --settings` reads.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::preset::{Preset, Task};
use crate::graph::files::read_text;
use crate::{Error, Result};

/// No settings are longer.
const LONGEST: u64 = 1 << 20;

/// Settings, and what they were found for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestSettings {
    /// What is predicted with them.
    pub task: Task,
    /// Randomiser of features.
    pub mechanism: String,
    /// The settings.
    #[serde(flatten)]
    pub settings: Preset,
}

impl BestSettings {
    /// Writes them to `best.json` in a folder; says where that is.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join("best.json");
        let failed = |error: io::Error| Error::file(&path, error);
        let mut text = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        std::fs::write(&path, text).map_err(failed)?;
        Ok(path)
    }

    /// Reads what was written as JSON.
    ///
    /// # Errors
    /// If it cannot be read, or is something else.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_text(path, LONGEST)?;
        serde_json::from_str(&text).map_err(|error| {
            let expected = "settings as `privet tune ldp-ge` writes them (best.json)";
            Error::file(path, format!("found {error}; expected {expected}"))
        })
    }
}
