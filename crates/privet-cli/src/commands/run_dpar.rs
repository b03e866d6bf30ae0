//! `privet run dpar`: a classifier that hides whole people, beside features alone, its control and its ceiling.
//!
//! Scores are simulations: they need the truth. A release, if one is wanted, is a training run of its own, with
//! noise from the operating system.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::dpar::{Books, Dpar, Held, Noise};
use privet::privacy::Card;
use privet_graph::Dataset;
use privet_graph::synthetic::StochasticBlocks;
use privet_lab::experiments::dpar::report::{Circumstances, report};
use privet_lab::experiments::dpar::{Comparison, Experiment, Hidden};

use super::run_ldp_ge::{Folder, typed_command, write_html};
use crate::args::{Reading, RunDpar};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::measured_dpar::MeasuredDpar;
use crate::output::{refuse_existing, write_whole};
use crate::source::Source;

/// The word that means made-up people, and the seed they are made with.
const SYNTHETIC: &str = "synthetic";
const SYNTHETIC_SEED: u64 = 7;

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    /// None for made-up people.
    source: Option<Source>,
    system: Dpar,
    hidden: Hidden,
    runs: usize,
    seed: Option<u64>,
    html: Option<PathBuf>,
    folder: Option<Folder>,
    command: String,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, a number makes no sense, or something is in the way.
    pub fn new(typed: RunDpar, console: &Console) -> Result<Self> {
        let system = typed.system()?;
        if typed.runs == 0 {
            return Err(Failure::usage("--runs 0 measures nothing").hint("at least 1; 5 tell more"));
        }
        if let Some(path) = &typed.html {
            refuse_existing(path, "name another file")?;
        }
        Ok(Self {
            source: found(&typed.dataset, typed.reading, console)?,
            system,
            hidden: typed.relation.into(),
            runs: typed.runs,
            seed: typed.seed,
            html: typed.html,
            folder: typed.output.as_deref().map(Folder::new).transpose()?,
            command: typed_command(),
        })
    }

    /// Reads, measures, releases if wanted, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something, no noise keeps the target, or the result cannot be
    /// written.
    pub fn run(self, console: &Console) -> Result<()> {
        let dataset = load(self.source.as_ref(), console)?;
        let (system, hidden) = (self.system.clone(), self.hidden);
        let experiment = Experiment { dataset: &dataset, system, hidden, held: Held::Test };
        let first = self.seed.unwrap_or(0);
        let seeds: Vec<u64> = (0..self.runs as u64).map(|run| first.wrapping_add(run)).collect();
        let begun = Instant::now();
        let comparison = compare(&experiment, &seeds, console)?;
        let circumstances = Circumstances {
            command: self.command.clone(),
            release: None,
            seconds: begun.elapsed().as_secs_f64(),
        };
        let mut answer = MeasuredDpar::new(&experiment, &comparison, seeds);
        let report = match &self.folder {
            None => report(&experiment, &comparison, circumstances),
            Some(folder) => {
                let _alive = console.spinner("making the release");
                let noise = self.seed.map_or(Noise::OperatingSystem, Noise::Replay);
                let make = |account: &Path, folder: &Path| {
                    release(&experiment, noise, first, account, folder)
                };
                let write_up = |card| {
                    let release = Some(card);
                    report(&experiment, &comparison, Circumstances { release, ..circumstances })
                };
                let (released, report) = folder.fill(make, write_up)?;
                answer.release = Some(released);
                report
            }
        };
        answer.html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        console.answer(&answer)
    }
}

/// A source, or made-up people for the word that means them.
///
/// # Errors
/// If a name is unknown.
pub(super) fn found(name: &str, reading: Reading, console: &Console) -> Result<Option<Source>> {
    match name {
        SYNTHETIC => Ok(None),
        name => Source::find(name, reading, console).map(Some),
    }
}

/// Reads a source, or makes people up.
///
/// # Errors
/// If the data cannot be read.
pub(super) fn load(source: Option<&Source>, console: &Console) -> Result<Dataset> {
    let Some(source) = source else {
        let people = StochasticBlocks::default().generate(SYNTHETIC_SEED)?;
        return Ok(people.with_name(SYNTHETIC));
    };
    let loaded = source.load(console).map_err(|failure| match source.is_absent() {
        true => failure.or_hint("try it on made-up people with `--dataset synthetic`"),
        false => failure,
    });
    let (loaded, _) = loaded?;
    loaded.notices().iter().for_each(|notice| console.note(&notice.to_string()));
    Ok(loaded.into_nodes()?)
}

fn compare(experiment: &Experiment<'_>, seeds: &[u64], console: &Console) -> Result<Comparison> {
    // Ctrl-C ends the process, see `interrupt`; nothing is on disk yet.
    let never = AtomicBool::new(false);
    let bar = console.runs("measuring");
    let compared = experiment.compare(seeds, &never, |done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    Ok(compared?)
}

/// Trains once for real; the ledger is written to one folder, model and card to another.
fn release(
    experiment: &Experiment<'_>,
    noise: Noise,
    seed: u64,
    account: &Path,
    folder: &Path,
) -> Result<Card> {
    let made = experiment.release(noise, Books::Folder(account.into()), seed)?;
    made.model.save(&folder.join("model.safetensors"))?;
    if let Some(encoder) = &made.encoder {
        encoder.save(&folder.join("encoder.safetensors"))?;
    }
    let mut text = serde_json::to_vec_pretty(&made.card)?;
    text.push(b'\n');
    write_whole(&folder.join("card.json"), &text)?;
    Ok(made.card)
}
