//! `privet cluster run hops`: sums over neighbours, several steps in a row.

use privet::graph::Features;
use privet_cluster::jobs::hops::HopSums;
use privet_cluster::jobs::pagerank::PANEL;
use privet_cluster::{Exchange, Partition, gather};

use super::{Clustered, Shared, Stopped, no_features, source};
use crate::args::{ClusterHops, HopAggregation, Named, Reading};
use crate::clustered::ClusterWork;
use crate::commands::embed::{Output, card};
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
        let card = match &self.output {
            Some(output) => {
                source.keep_apart(&[output.path()])?;
                card(&source, &console)?
            }
            None => None,
        };
        let dataset = shared.read(&source, exchange)?;
        let features = dataset.features().ok_or_else(no_features)?;
        let names = features.names().map(<[String]>::to_vec);
        let (aggregation, steps) = (self.aggregation.into(), self.steps);
        let job = HopSums { aggregation, steps, panel: PANEL };
        let rows = job.run((dataset.graph(), features.matrix()), exchange)?;
        let partition = Partition::of(dataset.graph().offsets(), exchange.count())?;
        let (nodes, own) = (dataset.graph().node_count(), rows.rows());
        let written = match (gather::gather(rows, &partition, exchange)?, self.output) {
            (Some(all), Some(output)) => {
                let rows = match names {
                    Some(names) => Features::dense(all).with_names(names)?,
                    None => Features::dense(all),
                };
                output.write(&dataset.with_features(rows)?, card, &console)?
            }
            _ => (None, Vec::new()),
        };
        shared.answer((nodes, own), ClusterWork::Hops { steps }, written, exchange)
    }
}
