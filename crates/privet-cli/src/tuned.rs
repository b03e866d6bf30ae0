//! The search that was typed, and what it found, for people.

use std::io::{self, Write};

use privet::graph::Dataset;
use privet_lab::experiments::ldp_ge::reports::Reports;
use privet_lab::experiments::trial::NamedData;
use privet_lab::experiments::tune::{Search, SearchFindings, TunedSettings};

use crate::args::TuneLdpGe;
use crate::failure::Result;
use crate::output::console::Answer;
use crate::output::reproduce::WIDTH;
use crate::output::style::{ACCENT, GOOD, STRONG, printable};

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
        tuned: if typed.tune_reports {
            TunedSettings::CollectorAndReports
        } else {
            TunedSettings::Collector
        },
        seed: typed.seed,
        first_seed: typed.first_seed,
        ..Search::new(NamedData::new(&typed.dataset, dataset), typed.task, reports)
    };
    let search = if typed.ceiling { search.for_ceiling() } else { search };
    search.check()?;
    Ok(search)
}

impl Answer for SearchFindings {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        writeln!(out, "{STRONG}best settings{STRONG:#}")?;
        writeln!(out, "  {ACCENT}{}{ACCENT:#}", printable(&self.command))?;
        if let Some(command) = &self.short_command {
            writeln!(out, "or, by the file they are in")?;
            writeln!(out, "  {ACCENT}{}{ACCENT:#}", printable(command))?;
        }
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        Ok(())
    }
}
