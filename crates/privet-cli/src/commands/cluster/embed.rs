//! `privet cluster run embed`: what `privet embed` does, by several processes.

use std::ops::ControlFlow;

use privet::graph::Features;
use privet::learn::propagate::{Power, Propagation, Round, Rounds};
use privet_cluster::jobs::pagerank::PageRank;
use privet_cluster::{Exchange, Partition, gather};

use super::{Clustered, Shared, Stopped, no_features, source};
use crate::args::{Embed, EmbedMethod, Named, Reading};
use crate::clustered::ClusterWork;
use crate::commands::embed::{Output, card};
use crate::embedding::in_words;
use crate::failure::{Failure, Result};
use crate::style::real;

/// The job, as typed; worker 0 knows where the output goes.
pub(super) struct Embedding {
    input: Named,
    reading: Reading,
    job: PageRank,
    output: Option<Output>,
}

impl Embedding {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &Embed, chief: bool) -> Result<Self> {
        if typed.method == EmbedMethod::Push || typed.rmax.is_some() {
            let message = "several workers embed by power iteration, not by push";
            return Err(Failure::usage(message).hint("leave out --method and --rmax"));
        }
        if typed.self_loops {
            let message = "several workers embed the graph as it is: --self-loops would be another";
            let hint = "add the loops to the graph, and read it with --keep-self-loops";
            return Err(Failure::usage(message).hint(hint));
        }
        let rounds = match (typed.rounds, typed.tolerance) {
            (Some(rounds), _) => Rounds::Exactly(rounds),
            (None, Some(tolerance)) => Rounds::Residual(tolerance),
            (None, None) => Power::default().rounds,
        };
        let power = Power { rounds, ..Power::default() };
        power.check()?;
        let (alpha, exponent) = (typed.alpha, typed.r);
        let propagation = Propagation { alpha, exponent, ..Propagation::default() };
        let output = || Output::new(&typed.output, typed.overwrite, &typed.signing);
        Ok(Self {
            input: typed.input.clone(),
            reading: typed.reading.clone(),
            job: PageRank::new(propagation, power),
            output: chief.then(output).transpose()?,
        })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        let Propagation { alpha, exponent, .. } = self.job.propagation;
        let (rounds, tolerance) = match self.job.power.rounds {
            Rounds::Exactly(rounds) => (Some(rounds), None),
            Rounds::Residual(tolerance) => (None, Some(tolerance)),
        };
        serde_json::json!({
            "job": "embed", "alpha": alpha, "r": exponent, "rounds": rounds, "tolerance": tolerance,
        })
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
        let partition = Partition::of(dataset.graph().offsets(), exchange.count())?;
        let checkpoints = shared.checkpoints(&dataset, &partition, exchange)?;
        let features = dataset.features().ok_or_else(no_features)?;
        let names = features.names().map(<[String]>::to_vec);
        let found = {
            let alive = console.spinner("propagating");
            let me = exchange.index();
            let watch = |round: Round| {
                let left = real(round.error_bound);
                alive.say(format!("propagating: round {}, error {left}", round.done));
                die_if_asked(me, round.done);
                ControlFlow::Continue(())
            };
            let data = (dataset.graph(), features.matrix());
            let keep = checkpoints.as_ref().map(|(kept, resume)| (kept, *resume));
            self.job.run(data, exchange, keep, watch)?
        };
        let work = ClusterWork::Embed {
            rounds: found.rounds,
            resumed_from: found.resumed,
            error_bound: found.error_bound,
            error_bound_holds: in_words(found.norm),
        };
        let own = found.rows.rows();
        let all = gather::gather(found.rows, &partition, exchange)?;
        let nodes = dataset.graph().node_count();
        let written = match (all, self.output) {
            (Some(all), Some(output)) => {
                let embedding = match names {
                    Some(names) => Features::dense(all).with_names(names)?,
                    None => Features::dense(all),
                };
                output.write(&dataset.with_features(embedding)?, card, &console)?
            }
            _ => (None, Vec::new()),
        };
        let answer = shared.answer((nodes, own), work, written, exchange)?;
        if let Some((checkpoints, _)) = checkpoints {
            checkpoints.remove()?;
        }
        Ok(answer)
    }
}

/// In a development build, a worker can be made to die after a round, for the tests of what happens then:
/// `PRIVET_CLUSTER_DIES=WORKER@ROUND`.
fn die_if_asked(worker: usize, round: usize) {
    if cfg!(debug_assertions)
        && std::env::var("PRIVET_CLUSTER_DIES")
            .is_ok_and(|when| when == format!("{worker}@{round}"))
    {
        std::process::abort();
    }
}
