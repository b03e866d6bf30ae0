//! `privet cluster run hops`: sums over neighbours, several steps in a row.

use privet::graph::Dataset;
use privet_cluster::Exchange;
use privet_cluster::checkpoint::Keep;
use privet_cluster::jobs::hops::HopSums;

use super::rows::Written;
use super::{Clustered, Shared, Stopped, die_if_asked, source};
use crate::args::{ClusterHops, HopAggregation, Named, Reading};
use crate::commands::embed::Output;
use crate::failure::Result;
use crate::output::cluster::ClusterWork;

/// The job, as typed; worker 0 knows where the output goes.
pub(super) struct Hopping {
    input: Named,
    reading: Reading,
    steps: usize,
    aggregation: HopAggregation,
    output: Option<Output>,
}

impl Hopping {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &ClusterHops, chief: bool) -> Result<Self> {
        let output = || Output::new(&typed.output, typed.overwrite, &typed.signing);
        Ok(Self {
            input: typed.input.clone(),
            reading: typed.reading.clone(),
            steps: typed.steps,
            aggregation: typed.aggregation,
            output: chief.then(output).transpose()?,
        })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        serde_json::json!({ "job": "hops", "steps": self.steps, "aggregation": self.aggregation })
    }

    pub fn run(self, shared: Shared, exchange: &mut Exchange) -> Result<Clustered, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let source = source(&self.input, &self.reading, &console)?;
        let written = Written::new(self.output, &source, &console)?;
        let dataset = shared.load(&source)?;
        let (aggregation, steps) = (self.aggregation.into(), self.steps);
        let alive = console.spinner("adding up");
        let watch = |step: usize| {
            alive.say(format!("adding up: step {step} of {steps}"));
            die_if_asked(me, step);
        };
        let add_up = |data: (&_, &_), exchange: &mut _, keep: Keep<'_>| {
            let job = HopSums { aggregation, steps, panel: None };
            let found = job.run(data, exchange, keep, watch)?;
            Ok((found.rows, ClusterWork::Hops { steps, resumed_from: found.resumed }))
        };
        let write = |dataset: &Dataset| written.write(dataset, &console);
        Ok(shared.beginning.rows(dataset, exchange, add_up, write)?.into())
    }
}
