//! `privet cluster run embed`: what `privet embed` does, by several processes.

use std::ops::ControlFlow;

use privet::learn::propagate::{Power, Propagation, Round, Rounds};
use privet_cluster::Exchange;
use privet_cluster::jobs::pagerank::PageRank;

use super::rows::Written;
use super::{Clustered, Shared, Stopped, die_if_asked, no_features, source};
use crate::args::{Embed, EmbedMethod, Named, Reading};
use crate::clustered::ClusterWork;
use crate::commands::embed::Output;
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
        let written = Written::new(self.output, &source, &console)?;
        let (dataset, session) = shared.begin(&source, exchange)?;
        let features = dataset.features().ok_or_else(no_features)?;
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
            self.job.run(data, exchange, session.keep(), watch)?
        };
        let work = ClusterWork::Embed {
            rounds: found.rounds,
            resumed_from: found.resumed,
            error_bound: found.error_bound,
            error_bound_holds: in_words(found.norm),
        };
        let nodes = dataset.graph().node_count();
        let rows = session.gather(found.rows, exchange)?;
        let (card, files) = written.write(dataset, rows, &console)?;
        let workers = session.end(exchange)?;
        Ok(Clustered { files, nodes, work, workers, card })
    }
}
