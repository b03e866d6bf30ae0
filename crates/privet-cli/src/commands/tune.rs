//! `privet tune ldp-ge -o DIR`: better settings, found on validation data.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use privet::graph::Dataset;
use privet_lab::experiments::cells::Cells;
use privet_lab::experiments::ldp_ge::Task;
use privet_lab::experiments::ldp_ge::reports::Reports;
use privet_lab::experiments::trial::{Data, Variant};
use privet_lab::experiments::tune::{self, Search, Tuned};

use super::reproduce::{CELLS, check_folder, reading_options};
use super::trial::with_progress;
use crate::args::{Tune, TuneLdpGe};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::source::Source;
use crate::tuned::Best;

/// A search to run.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    dataset: String,
    task: Task,
    reports: Reports,
    trials: usize,
    runs: u64,
    seed: u64,
    first_seed: u64,
    variant: Variant,
    tuned: Tuned,
    folder: PathBuf,
    threads: NonZeroUsize,
    /// How the data is read, as it is typed.
    read_as: String,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or something is in the way.
    pub fn new(typed: Tune, console: &Console) -> Result<Self> {
        let Tune::LdpGe(typed) = typed;
        let TuneLdpGe { dataset, epsilon, output, task, mechanism, decoding, reading, .. } = *typed;
        check_folder(&output)?;
        let threads = typed.threads.or(std::thread::available_parallelism().ok());
        let reports = Reports { mechanism, epsilon, k: None, decoding: decoding.into() };
        Ok(Self {
            read_as: reading_options(&reading),
            source: Source::find(&dataset, reading, console)?,
            dataset,
            task,
            reports,
            trials: typed.trials as usize,
            runs: typed.runs,
            seed: typed.seed,
            first_seed: typed.first_seed,
            variant: if typed.ceiling { Variant::Ceiling } else { Variant::Private },
            tuned: if typed.tune_reports { Tuned::CollectorAndReports } else { Tuned::Collector },
            folder: output,
            threads: threads.unwrap_or(NonZeroUsize::MIN),
        })
    }

    /// Runs what is missing of the search, writes the report and the best settings.
    ///
    /// # Errors
    /// If data cannot be read, a run fails, or something cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let dataset = self.source.load(console)?.0.into_nodes()?;
        let search = self.search(&dataset);
        search.check()?;
        let failed = |error| Failure::data(format!("{}: {error}", self.folder.display()));
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        // Cells of another experiment, or in use by another process, are left alone.
        let mut cells = Cells::open(&self.folder.join(CELLS), "ldp-ge/tune")
            .map_err(|error| Failure::from(error).of_kind(Kind::Refused))?;
        let found = with_progress(console, "searching", &mut cells, self.threads, |sweep| {
            search.run(sweep)
        })?;
        let mut report = tune::report(&search, &found);
        report.command = self.command();
        let best = Best::new(&search, &found, report);
        console.answer(&best.write(&self.folder)?)
    }

    fn search<'a>(&'a self, dataset: &'a Dataset) -> Search<'a> {
        let data = Data::new(&self.dataset, dataset);
        Search {
            trials: self.trials,
            runs: self.runs,
            tuned: self.tuned,
            seed: self.seed,
            first_seed: self.first_seed,
            variant: self.variant,
            ..Search::new(data, self.task, self.reports.clone())
        }
    }

    /// The command that makes the report again.
    fn command(&self) -> String {
        let task = match self.task {
            Task::Nodes => "nodes",
            Task::Links => "links",
        };
        let decoding = format!("{:?}", self.reports.decoding).to_lowercase();
        let reports = if self.tuned == Tuned::Collector { "" } else { " --tune-reports" };
        let ceiling = if self.variant == Variant::Ceiling { " --ceiling" } else { "" };
        format!(
            "privet tune ldp-ge --dataset {} --task {task} --epsilon {} --mechanism {} \
             --decoding {decoding} --trials {} --runs {} --seed {} --first-seed {}{ceiling}{reports} {}-o DIR",
            self.dataset,
            self.reports.epsilon,
            self.reports.mechanism,
            self.trials,
            self.runs,
            self.seed,
            self.first_seed,
            self.read_as
        )
    }
}
