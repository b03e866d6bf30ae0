//! [`Best`]: the settings a search found, as options to type and as JSON.

use std::io::{self, Write};
use std::path::Path;

use privet::ldp_ge::Preset;
use privet_lab::experiments::tune::{Found, Search, flags};
use privet_lab::report::Report;
use serde::Serialize;

use crate::console::Answer;
use crate::failure::{Failure, Result};
use crate::reproduced::WIDTH;
use crate::style::{ACCENT, GOOD, STRONG, printable};

/// The best settings, and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Best {
    /// The settings.
    pub settings: Preset,
    /// The same as options of `privet run ldp-ge`.
    pub flags: String,
    /// Its mean score on validation data.
    pub validation: f64,
    /// The report with all candidates.
    pub report: Report,
    /// The files written.
    pub files: Vec<String>,
}

impl Best {
    /// What a search found.
    pub fn new(search: &Search<'_>, found: &Found, report: Report) -> Self {
        let settings = found.best(search).clone();
        let validation = found.trials.first().map_or(0.0, |trial| trial.mean());
        let flags = flags(search, &settings);
        Self { settings, flags, validation, report, files: Vec::new() }
    }

    /// Writes the report, and the settings to `best.json`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write(mut self, folder: &Path) -> Result<Self> {
        let best = folder.join("best.json");
        let mut text = serde_json::to_vec_pretty(&self.settings)?;
        text.push(b'\n');
        let failed = |error: io::Error| Failure::data(format!("{}: {error}", best.display()));
        std::fs::write(&best, text).map_err(failed)?;
        let mut files = self.report.write(folder)?;
        files.push(best);
        self.files = files.iter().map(|path| path.display().to_string()).collect();
        Ok(self)
    }
}

impl Answer for Best {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        writeln!(out, "{STRONG}best settings{STRONG:#}\n  {ACCENT}{}{ACCENT:#}", self.flags)?;
        writeln!(out, "  {}", serde_json::to_string(&self.settings)?)?;
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        Ok(())
    }
}
