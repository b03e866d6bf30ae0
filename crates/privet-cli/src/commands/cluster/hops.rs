//! `privet cluster run hops`: sums over neighbours, several steps in a row.

use privet_cluster::Exchange;
use privet_cluster::jobs::hops::HopSums;

use super::rows::Written;
use super::{Clustered, Shared, Stopped, die_if_asked, no_features, source};
use crate::args::{ClusterHops, HopAggregation, Named, Reading};
use crate::clustered::ClusterWork;
use crate::commands::embed::Output;
use crate::failure::Result;

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

    pub fn run(self, shared: Shared<'_>, exchange: &mut Exchange) -> Result<Clustered, Stopped> {
        let console = shared.console;
        let source = source(&self.input, &self.reading, &console)?;
        let written = Written::new(self.output, &source, &console)?;
        let (dataset, session) = shared.begin(&source, exchange)?;
        let features = dataset.features().ok_or_else(no_features)?;
        let (aggregation, steps) = (self.aggregation.into(), self.steps);
        let job = HopSums { aggregation, steps, panel: None };
        let found = {
            let (alive, me) = (console.spinner("adding up"), exchange.index());
            let watch = |step: usize| {
                alive.say(format!("adding up: step {step} of {steps}"));
                die_if_asked(me, step);
            };
            job.run((dataset.graph(), features.matrix()), exchange, session.keep(), watch)?
        };
        let work = ClusterWork::Hops { steps, resumed_from: found.resumed };
        let nodes = dataset.graph().node_count();
        let rows = session.gather(found.rows, exchange)?;
        let (card, files) = written.write(dataset, rows, &console)?;
        let workers = session.end(exchange)?;
        Ok(Clustered { files, nodes, work, workers, card })
    }
}
