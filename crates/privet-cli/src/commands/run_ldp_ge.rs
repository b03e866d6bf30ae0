//! `privet run ldp-ge`: the whole system, beside its control, its ceiling and no graph.

mod explain;
mod release;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::doubts::Terms;
use privet::graph::{Dataset, Fact};
use privet::ldp_ge::{LdpGe, Private, Protection};
use privet::privacy::Loss;
use privet::privacy::features::FeatureMechanism;
use privet_lab::experiments::ldp_ge::Experiment;
use privet_lab::experiments::ldp_ge::report::{Circumstances, report};

use super::people::People;
use super::protect::public_scale;
use super::trial::{Trial, under_a_bar};
use crate::args::{LdpGeSettings, RunLdpGe, Secrets, TaskName};
use crate::compared::{Compared, Reporting};
use crate::console::Console;
use crate::failure::{Failure, Result};

/// What to run on, how, and what to make of it.
#[derive(Debug)]
pub struct Plan {
    people: People,
    dataset: String,
    task: TaskName,
    epsilon: f64,
    private: Private,
    volunteers: Option<f64>,
    secrets: Secrets,
    settings: LdpGeSettings,
    wish: Wish,
}

/// What is wanted.
#[derive(Debug)]
enum Wish {
    Explain { contrast: f64 },
    Measure(Trial),
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
            false => Wish::Measure(Trial::new(&typed.trial)?),
        };
        let people = People::find(&typed.dataset, typed.reading, console)?;
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
        let dataset = self.people.load(console)?;
        let (system, reporting) = self.system(&dataset)?;
        match &self.wish {
            Wish::Explain { contrast } => {
                let forecast = explain::forecast(&dataset, &system, self.private, *contrast)?;
                console.answer(&forecast)
            }
            Wish::Measure(trial) => {
                let task = self.task.into();
                let (private, volunteers) = (self.private, self.volunteers);
                let experiment =
                    Experiment { dataset: &dataset, task, system: &system, private, volunteers };
                let lines = self.questions(&dataset, &system, trial)?;
                measure(&experiment, reporting, trial, &lines, console)
            }
        }
    }

    /// What the card of a release must repeat.
    fn questions(&self, dataset: &Dataset, system: &LdpGe, trial: &Trial) -> Result<Vec<String>> {
        let Protection { features, label_epsilon, edges } = &system.protection;
        let delta = features.settings.delta.unwrap_or(0.0);
        let mut asked = vec![Loss::new(features.epsilon, delta)?];
        let mut shown = vec![Fact::Ids, Fact::Columns];
        if self.private.labels {
            asked.push(Loss::new(*label_epsilon, 0.0)?);
            shown.push(Fact::Classes);
        }
        if self.private.edges {
            asked.push(Loss::new(edges.epsilon, 0.0)?);
        }
        let people = dataset.graph().node_count();
        let terms: Vec<Terms> = asked.iter().map(|&asked| Terms::once(people, asked)).collect();
        trial.questions(&terms, || dataset.require_public(&shown))
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

fn measure(
    experiment: &Experiment<'_>,
    reporting: Reporting,
    trial: &Trial,
    on_whose_word: &[String],
    console: &Console,
) -> Result<()> {
    let seeds = trial.seeds()?;
    let begun = Instant::now();
    let comparison = under_a_bar(console, |stop, tell| experiment.compare(&seeds, stop, tell))?;
    let seconds = begun.elapsed().as_secs_f64();
    let never = AtomicBool::new(false);
    let make = |account: &Path, draft: &Path| {
        release::make(experiment, &trial.release_run(account, &never), on_whose_word, draft)
    };
    let write_up = |release| {
        let command = trial.command.clone();
        report(experiment, &comparison, Circumstances { command, release, seconds })
    };
    let written = trial.write_up(console, make, write_up)?;
    let mut answer = Compared::new(experiment, &comparison, reporting, seeds);
    answer.simulated.written = written;
    console.answer(&answer)
}
