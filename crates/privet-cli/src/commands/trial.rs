//! What every measuring command does around what it measures: seeds, a bar, finished runs, a release if one is
//! wanted, the report.
//!
//! Scores are simulations: they need the truth, which a collector does not have. A release is a run of its
//! own, with noise from the operating system unless a seed was given.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::ValueEnum;
use privet::data::formats::Spill;
use privet::doubts::Doubt;
use privet::privacy::card::CardKey;
use privet::release::{Releasable, ReleaseFolder, SplitData};
use privet::words::shell_word;
use privet::{Noise, Run};
use privet_lab::experiments::cells::{Cells, Sweep};
use privet_lab::experiments::trial::write_up::{Circumstances, report};
use privet_lab::experiments::trial::{Trial, Variant, compare_some, seeds};
use privet_lab::report::Report;

use crate::args::TrialOptions;
use crate::failure::{Failure, FailureKind, Result};
use crate::interrupt::HalfWritten;
use crate::output::comparison::ComparisonOutput;
use crate::output::comparison::{ReleaseOutput, WrittenFiles};
use crate::output::console::Console;
use crate::output::{refuse_existing, write_whole};

/// How to measure, and what to write.
#[derive(Debug)]
pub(super) struct TrialSetup {
    runs: usize,
    seed: Option<u64>,
    baselines: Option<Vec<Variant>>,
    html: Option<PathBuf>,
    cells: Option<PathBuf>,
    folder: Option<ReleaseFolder>,
    key: Option<CardKey>,
    accepted: Vec<Doubt>,
    /// The most memory a release may use, for systems that need no more.
    pub(super) spill: Option<Spill>,
}

impl TrialSetup {
    /// # Errors
    /// If nothing would be measured, or something is in the way.
    pub(super) fn new(typed: &TrialOptions) -> Result<Self> {
        // Seeds are checked before anything is measured.
        seeds(typed.seed.unwrap_or(0), typed.runs)?;
        if let Some(path) = &typed.html {
            refuse_existing(path, "name another file")?;
        }
        Ok(Self {
            runs: typed.runs,
            seed: typed.seed,
            baselines: typed.compare_with.clone(),
            html: typed.html.clone(),
            cells: typed.finished.cells.clone(),
            folder: typed.output.as_deref().map(ReleaseFolder::new).transpose()?,
            key: typed.signing.key()?,
            accepted: typed.releasing.accept.clone(),
            spill: None,
        })
    }

    /// Every file and folder that will be written.
    pub(super) fn written(&self) -> Vec<&Path> {
        let files = [&self.html, &self.cells].into_iter().flatten().map(PathBuf::as_path);
        files.chain(self.folder.as_ref().map(ReleaseFolder::path)).collect()
    }

    /// The system itself, and the baselines that were asked for.
    ///
    /// # Errors
    /// If the system has no such baseline.
    fn variants(&self, trial: &impl Trial) -> Result<Vec<Variant>> {
        let mut variants = trial.variants();
        let Some(asked) = &self.baselines else { return Ok(variants) };
        if let Some(unknown) = asked.iter().find(|asked| !variants.contains(asked)) {
            let names: Vec<String> = variants.iter().skip(1).filter_map(baseline_name).collect();
            let unknown = baseline_name(unknown).unwrap_or_default();
            let known = names.join(", ");
            return Err(Failure::usage(format!(
                "compare-with: found {unknown}, expected baselines of this command: {known}"
            )));
        }
        // The system comes first: its card stands for the comparison.
        let kept = |variant: &Variant| *variant == Variant::Private || asked.contains(variant);
        variants.retain(kept);
        Ok(variants)
    }

    /// Measures a system with what stands beside it, makes the release if one is wanted, writes the report where it is
    /// wanted, and says what came of it.
    ///
    /// # Errors
    /// If the release would show what the records happen to contain or give no protection, which is asked first; or if any
    /// of it fails.
    pub(super) fn run<R: Releasable>(
        &self,
        console: &Console,
        trial: &impl Trial,
        system: &R,
        input: SplitData<'_, R::Data>,
    ) -> Result<()> {
        let lines = match &self.folder {
            // A release asks what it must before hours of measuring.
            Some(_) => system.settle(input.data, &self.accepted)?,
            None => Vec::new(),
        };
        let seeds = seeds(self.seed.unwrap_or(0), self.runs)?;
        let variants = self.variants(trial)?;
        let begun = Instant::now();
        let comparison = measured(console, self.cells.as_deref(), trial.experiment(), |sweep| {
            compare_some(trial, &variants, &seeds, sweep)
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        let words = trial.words(&comparison);
        let write_up = |release| {
            let command = typed_command();
            report(&words, &comparison, Circumstances { command, release, seconds })
        };
        let (release, report) = match &self.folder {
            None => (None, write_up(None)),
            Some(folder) => {
                let alive = console.spinner("making the release");
                // An interrupted release leaves no half folder.
                let _interrupted = HalfWritten::new(folder.unfinished());
                let noise = self.seed.map_or(Noise::OperatingSystem, Noise::Replay);
                let run = Run { noise, ..Run::simulation(self.seed.unwrap_or(0)) };
                let run = run.within(self.spill.clone()).watched_by(&alive);
                let (key, mut report) = (self.key.as_ref(), None);
                let made = folder.fill(system, input, &run, &lines, key, |card, private| {
                    let written = report.insert(write_up(Some(card.clone()))).write(private);
                    written.map(drop).map_err(|error| privet::Error::file(private, error))
                })?;
                let failed = |error: std::io::Error| {
                    Failure::data(format!("{}: {error}", folder.path().display()))
                };
                let release = ReleaseOutput::new(&made.share, &made.private, made.card);
                let report = report.unwrap_or_else(|| write_up(None));
                (Some(release.map_err(failed)?), report)
            }
        };
        let html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        let written = WrittenFiles { release, html };
        console.answer(&ComparisonOutput::new(trial.experiment(), words, &comparison, written))
    }
}

/// What a baseline is called on the command line.
fn baseline_name(variant: &Variant) -> Option<String> {
    Some(variant.to_possible_value()?.get_name().to_owned())
}

/// Measures under a bar, with finished runs in a file where one is named.
///
/// # Errors
/// If the file is not ours, or a run fails.
pub(super) fn measured<T, E: Into<Failure>>(
    console: &Console,
    cells: Option<&Path>,
    experiment: &str,
    measure: impl FnOnce(&mut Sweep<'_>) -> Result<T, E>,
) -> Result<T> {
    // Cells of another experiment, or in use by another process, are left alone.
    let mut cells = match cells {
        None => Cells::in_memory(),
        Some(path) => Cells::open(path, experiment)
            .map_err(|error| Failure::from(error).of_kind(FailureKind::Refused))?,
    };
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    with_progress(console, "measuring", &mut cells, threads, measure)
}

/// Measures under a bar, out of a store.
///
/// # Errors
/// Those of `measure`.
pub(super) fn with_progress<T, E: Into<Failure>>(
    console: &Console,
    doing: &str,
    cells: &mut Cells,
    threads: NonZeroUsize,
    measure: impl FnOnce(&mut Sweep<'_>) -> Result<T, E>,
) -> Result<T> {
    let bar = console.runs(doing);
    let progress = |done: usize, total: usize| bar.sees(done, total);
    // Ctrl-C ends the process, see `interrupt`; what counts of a store is always whole.
    let never = AtomicBool::new(false);
    let found = measure(&mut Sweep { cells, threads, interrupt: &never, progress: &progress });
    drop(bar);
    found.map_err(Into::into)
}

/// Writes a report to a file, and says which.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_html(path: &Path, report: &Report) -> Result<String> {
    write_whole(path, report.html().as_bytes())?;
    Ok(path.display().to_string())
}

/// The command as it was typed, for a shell.
pub(super) fn typed_command() -> String {
    let words =
        crate::typed_words().into_iter().skip(1).map(|word| shell_word(&word.to_string_lossy()));
    std::iter::once("privet".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
