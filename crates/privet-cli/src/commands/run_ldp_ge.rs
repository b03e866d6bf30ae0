//! `privet run ldp-ge`: the whole system, beside its control, its ceiling and no graph.
//!
//! Scores are simulations: they need the truth, which a collector does not have. A release, if one is
//! wanted, is a collection of its own, with noise from the operating system.

mod explain;
mod release;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::ldp_ge::{LdpGe, Noise, Private};
use privet::privacy::features::FeatureMechanism;
use privet_graph::Dataset;
use privet_graph::synthetic::StochasticBlocks;
use privet_lab::experiments::ldp_ge::report::{Circumstances, report};
use privet_lab::experiments::ldp_ge::{Comparison, Experiment};
use privet_lab::report::Report;

use super::protect::public_scale;
use crate::args::{LdpGeSettings, RunLdpGe, Secrets, TaskName};
use crate::compared::{Compared, Reporting};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::{refuse_existing, write_whole};
use crate::source::Source;
pub(super) use release::Folder;
use release::Release;

/// The word that means made-up people, and the seed they are made with.
const SYNTHETIC: &str = "synthetic";
const SYNTHETIC_SEED: u64 = 7;

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    people: Chosen,
    dataset: String,
    task: TaskName,
    epsilon: f64,
    private: Private,
    volunteers: Option<f64>,
    secrets: Secrets,
    settings: LdpGeSettings,
    wish: Wish,
}

/// The data.
#[derive(Debug)]
enum Chosen {
    Synthetic,
    Read(Box<Source>),
}

/// What is wanted.
#[derive(Debug)]
enum Wish {
    Explain { contrast: f64 },
    Measure(Measure),
}

/// How to measure, and what to write.
#[derive(Debug)]
struct Measure {
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
    /// If a name is unknown, options contradict each other, or something is in the way.
    pub fn new(typed: RunLdpGe, console: &Console) -> Result<Self> {
        let private = typed.secrets.private(typed.task)?;
        if typed.volunteers.is_some() && typed.task == TaskName::Links {
            let message = "--volunteers is for --task nodes: what is answered are classes";
            return Err(Failure::usage(message).hint("leave one of them out"));
        }
        let wish = match typed.explain {
            true => Wish::Explain { contrast: typed.contrast },
            false => Wish::Measure(Measure::new(&typed)?),
        };
        let people = match typed.dataset.as_str() {
            SYNTHETIC => Chosen::Synthetic,
            name => Chosen::Read(Box::new(Source::find(name, typed.reading, console)?)),
        };
        Ok(Self {
            people,
            dataset: typed.dataset,
            task: typed.task,
            epsilon: typed.epsilon,
            private,
            volunteers: typed.volunteers,
            secrets: typed.secrets,
            settings: typed.settings,
            wish,
        })
    }

    /// Reads, forecasts or measures, releases if wanted, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something, a setting makes no sense, or the result cannot
    /// be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let dataset = self.load(console)?;
        let (system, reporting) = self.system(&dataset)?;
        match &self.wish {
            Wish::Explain { contrast } => {
                let forecast = explain::forecast(&dataset, &system, self.private, *contrast)?;
                console.answer(&forecast)
            }
            Wish::Measure(measure) => {
                let task = self.task.into();
                let (private, volunteers) = (self.private, self.volunteers);
                let experiment =
                    Experiment { dataset: &dataset, task, system: &system, private, volunteers };
                measure.run(&experiment, reporting, console)
            }
        }
    }

    fn load(&self, console: &Console) -> Result<Dataset> {
        let source = match &self.people {
            Chosen::Synthetic => {
                let people = StochasticBlocks::default().generate(SYNTHETIC_SEED)?;
                return Ok(people.with_name(SYNTHETIC));
            }
            Chosen::Read(source) => source,
        };
        let loaded = source.load(console).map_err(|failure| match source.is_absent() {
            true => failure.or_hint("try it on made-up people with `--dataset synthetic`"),
            false => failure,
        });
        let (loaded, _) = loaded?;
        loaded.notices().iter().for_each(|notice| console.note(&notice.to_string()));
        Ok(loaded.into_nodes()?)
    }

    /// The system, once its mechanism accepts what was asked of it.
    fn system(&self, dataset: &Dataset) -> Result<(LdpGe, Reporting)> {
        let features = dataset.features().ok_or_else(|| {
            Failure::usage(format!("{} has no features, which LDP-GE learns from", self.dataset))
                .hint("give them with --features FILE")
        })?;
        let people = dataset.graph().node_count();
        let system =
            self.settings.system(&self.dataset, self.task, self.epsilon, &self.secrets, people)?;
        let protection = &system.protection.features;
        let (name, settings) = (&protection.mechanism, &protection.settings);
        let mechanism =
            FeatureMechanism::build(name, self.epsilon, public_scale(features)?, settings)?;
        let (k, columns) = (mechanism.k(), features.columns());
        let reporting = match self.volunteers {
            Some(volunteers) => Reporting::Answers { volunteers },
            None => Reporting::Columns { k, columns },
        };
        Ok((system, reporting))
    }
}

impl Measure {
    fn new(typed: &RunLdpGe) -> Result<Self> {
        if typed.runs == 0 {
            return Err(Failure::usage("--runs 0 measures nothing").hint("at least 1; 5 tell more"));
        }
        if let Some(path) = &typed.html {
            refuse_existing(path, "name another file")?;
        }
        Ok(Self {
            runs: typed.runs,
            seed: typed.seed,
            html: typed.html.clone(),
            folder: typed.output.as_deref().map(Folder::new).transpose()?,
            command: typed_command(),
        })
    }

    fn run(
        &self,
        experiment: &Experiment<'_>,
        reporting: Reporting,
        console: &Console,
    ) -> Result<()> {
        let first = self.seed.unwrap_or(0);
        let seeds: Vec<u64> = (0..self.runs as u64).map(|run| first.wrapping_add(run)).collect();
        let begun = Instant::now();
        let comparison = compare(experiment, &seeds, console)?;
        let circumstances = Circumstances {
            command: self.command.clone(),
            release: None,
            seconds: begun.elapsed().as_secs_f64(),
        };
        let mut answer = Compared::new(experiment, &comparison, reporting, seeds);
        let report = match &self.folder {
            None => report(experiment, &comparison, circumstances),
            Some(folder) => {
                let _alive = console.spinner("making the release");
                let noise = self.seed.map_or(Noise::OperatingSystem, Noise::Replay);
                let release = Release { experiment, noise, seed: first };
                let write_up = |card| {
                    let release = Some(card);
                    report(experiment, &comparison, Circumstances { release, ..circumstances })
                };
                let (released, report) =
                    folder.fill(|account, draft| release.make(account, draft), write_up)?;
                answer.release = Some(released);
                report
            }
        };
        answer.html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        console.answer(&answer)
    }
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

pub(super) fn write_html(path: &Path, report: &Report) -> Result<String> {
    write_whole(path, report.html().as_bytes())?;
    Ok(path.display().to_string())
}

/// The command as it was typed, for a shell.
pub(super) fn typed_command() -> String {
    let words = std::env::args().skip(1).map(|word| {
        let plain = |letter: char| letter.is_alphanumeric() || "-_./,=:+@%".contains(letter);
        match !word.is_empty() && word.chars().all(plain) {
            true => word,
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    });
    std::iter::once("privet".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
