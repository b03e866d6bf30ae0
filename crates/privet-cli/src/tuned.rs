//! [`Best`]: the settings a search found, as options to type and as JSON.

use std::io::{self, Write};
use std::path::Path;

use privet::graph::Dataset;
use privet::settings::name;
use privet_lab::experiments::cells::Sweep;
use privet_lab::experiments::ldp_ge::reports::Reports;
use privet_lab::experiments::trial::{Data, Variant};
use privet_lab::experiments::tune::{self, Found, Search, Tuned, flags, run_command};
use privet_lab::report::Report;
use serde::Serialize;

use crate::args::TuneLdpGe;
use crate::commands::shell_word;
use crate::console::Answer;
use crate::failure::{Failure, Result};
use crate::reproduced::WIDTH;
use crate::style::{ACCENT, GOOD, STRONG, printable};

/// The best settings, and how they were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Best {
    /// The settings, and what they were found for.
    pub settings: tune::Best,
    /// The same as options of `privet run ldp-ge`.
    pub flags: String,
    /// The command that uses them.
    pub command: String,
    /// The shorter one, by the file they are written to.
    pub short_command: String,
    /// Its mean score on validation data.
    pub validation: f64,
    /// The report with all candidates.
    pub report: Report,
    /// The files written.
    pub files: Vec<String>,
}

/// The search that was typed, on data that is in memory.
///
/// # Errors
/// If a number makes no sense, or the data lacks something.
pub fn search<'a>(typed: &'a TuneLdpGe, dataset: &'a Dataset) -> Result<Search<'a>> {
    let (mechanism, decoding) = (typed.mechanism.clone(), typed.decoding);
    let reports = Reports { mechanism, epsilon: typed.epsilon, k: None, decoding };
    let search = Search {
        trials: typed.trials as usize,
        runs: typed.runs,
        tuned: if typed.tune_reports { Tuned::CollectorAndReports } else { Tuned::Collector },
        seed: typed.seed,
        first_seed: typed.first_seed,
        variant: if typed.ceiling { Variant::Clear } else { Variant::Private },
        ..Search::new(Data::new(&typed.dataset, dataset), typed.task, reports)
    };
    search.check()?;
    Ok(search)
}

impl Best {
    /// Searches. `source` is how the data was named and read, as options, and `command` what makes the report again.
    ///
    /// # Errors
    /// If a run fails.
    pub fn found(
        search: &Search<'_>,
        (source, command): (&str, String),
        sweep: &mut Sweep<'_>,
    ) -> Result<Self> {
        let found = search.run(sweep)?;
        let mut report = tune::report(search, &found, source);
        report.command = command;
        Ok(Self::new(search, &found, report, source))
    }

    fn new(search: &Search<'_>, found: &Found, report: Report, source: &str) -> Self {
        let settings = tune::Best::of(search, found);
        let validation = found.trials.first().map_or(0.0, |trial| trial.mean());
        let flags = flags(search, &settings.settings);
        let command = run_command(search, &settings.settings, source);
        let (task, epsilon) = (name(&search.task), search.reports.epsilon);
        let short_command = format!("privet run ldp-ge {source} --task {task} --epsilon {epsilon}");
        Self { settings, flags, command, short_command, validation, report, files: Vec::new() }
    }

    /// Writes the report, and the settings to `best.json`.
    ///
    /// # Errors
    /// If the disk refuses.
    pub fn write(mut self, folder: &Path) -> Result<Self> {
        let best = folder.join("best.json");
        self.short_command += &format!(" --settings {}", shell_word(&best.to_string_lossy()));
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
        writeln!(out, "{STRONG}best settings{STRONG:#}")?;
        writeln!(out, "  {ACCENT}{}{ACCENT:#}", printable(&self.command))?;
        writeln!(out, "or, by the file they are in")?;
        writeln!(out, "  {ACCENT}{}{ACCENT:#}", printable(&self.short_command))?;
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        Ok(())
    }
}
