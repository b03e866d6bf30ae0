//! [`SearchFindings`]: the settings that a search found, as options to type, as JSON and in files.

use std::path::Path;

use privet::ldp_ge::{BestSettings, Preset};
use privet::settings::name;
use privet::words::shell_word;
use serde::Serialize;

use super::{Search, TuningResult, flags, report, run_command};
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::report::Report;

/// The best settings, and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchFindings {
    /// The settings, and what they were found for.
    pub settings: BestSettings,
    /// The same as options of `privet run ldp-ge`.
    pub flags: String,
    /// The command that uses them.
    pub command: String,
    /// The shorter one, by the file that they were written to; without a file there is none.
    pub short_command: Option<String>,
    /// Its mean score on validation data.
    pub validation: f64,
    /// The report with all candidates.
    pub report: Report,
    /// The files written.
    pub files: Vec<String>,
    /// The short command but for the file.
    #[serde(skip)]
    start: String,
}

impl SearchFindings {
    /// Searches. `source` is how the data was named and read, as options, and `command` what makes the report again.
    ///
    /// # Errors
    /// If a run fails.
    pub fn of(
        search: &Search<'_>,
        source: &str,
        command: String,
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        let found = search.run(sweep)?;
        let report = Report { command, ..report(search, &found, source) };
        Ok(Self::new(search, &found, report, source))
    }

    fn new(search: &Search<'_>, found: &TuningResult, report: Report, source: &str) -> Self {
        let (task, mechanism) = (search.task, search.reports.mechanism.clone());
        let best = Preset { decoding: search.reports.decoding, ..found.best(search).clone() };
        let settings = BestSettings { task, mechanism, settings: best };
        let validation = found.trials.first().map_or(0.0, |trial| trial.mean());
        let flags = flags(search, &settings.settings);
        let command = run_command(search, &settings.settings, source);
        let (task, epsilon) = (name(&search.task), search.reports.epsilon);
        let start = format!("privet run ldp-ge {source} --task {task} --epsilon {epsilon}");
        let (short_command, files) = (None, Vec::new());
        Self { settings, flags, command, short_command, validation, report, files, start }
    }

    /// Writes the report, and the settings to `best.json`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write(mut self, folder: &Path) -> Result<Self, Error> {
        let best = self.settings.write(folder)?;
        let named = shell_word(&best.to_string_lossy());
        self.short_command = Some(format!("{} --settings {named}", self.start));
        let mut files = self.report.write(folder)?;
        files.push(best);
        self.files = files.iter().map(|path| path.display().to_string()).collect();
        Ok(self)
    }
}
