//! `privet run ldp-ge`: the whole system, beside its control, its ceiling and no graph.

mod explain;
mod release;

use privet::doubts::Terms;
use privet::graph::{Dataset, Fact};
use privet::ldp_ge::{LdpGe, Private, Protection};
use privet::privacy::Loss;
use privet::privacy::features::FeatureMechanism;
use privet_lab::experiments::ldp_ge::LdpGeTrial;
use privet_lab::experiments::trial::Data;

use super::people::People;
use super::trial::Measuring;
use crate::args::{LdpGeSettings, RunLdpGe, Secrets, TaskName};
use crate::console::Console;
use crate::failure::{Failure, Result};
use privet::protect::public_scale;

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
    Measure(Measuring),
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
            false => Wish::Measure(Measuring::new(&typed.trial)?),
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
        let system = self.system(&dataset)?;
        match &self.wish {
            Wish::Explain { contrast } => {
                let forecast = explain::forecast(&dataset, &system, self.private, *contrast)?;
                console.answer(&forecast)
            }
            Wish::Measure(measuring) => {
                let lines = self.questions(&dataset, &system, measuring)?;
                let (task, private, volunteers) = (self.task.into(), self.private, self.volunteers);
                let data = Data::new(dataset.name(), &dataset);
                let trial = LdpGeTrial { data, task, system, private, volunteers };
                measuring
                    .run(console, &trial, |run, folder| release::make(&trial, run, &lines, folder))
            }
        }
    }

    /// What the card of a release must repeat.
    fn questions(
        &self,
        dataset: &Dataset,
        system: &LdpGe,
        measuring: &Measuring,
    ) -> Result<Vec<String>> {
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
        measuring.questions(&terms, || dataset.require_public(&shown))
    }

    /// The system, once its mechanism accepts what was asked of it.
    fn system(&self, dataset: &Dataset) -> Result<LdpGe> {
        let features = dataset.features().ok_or_else(|| {
            Failure::usage(format!("{} has no features, which LDP-GE learns from", self.dataset))
                .hint("give them with --features FILE")
        })?;
        let people = dataset.graph().node_count();
        let system =
            self.settings.system(&self.dataset, self.task, self.epsilon, &self.secrets, people)?;
        let protection = &system.protection.features;
        let (name, settings) = (&protection.mechanism, &protection.settings);
        FeatureMechanism::build(name, self.epsilon, public_scale(features)?, settings)?;
        Ok(system)
    }
}
