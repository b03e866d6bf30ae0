//! `privet cluster run embed`: what `privet embed` does, by several processes.

use std::ops::ControlFlow;

use privet::graph::Dataset;
use privet::learn::propagate::{IterationProgress, Power, Propagation, Rounds};
use privet_cluster::Exchange;
use privet_cluster::checkpoint::Keep;
use privet_cluster::jobs::pagerank::PageRank;

use super::rows::Written;
use super::{Clustered, Shared, Stopped, die_if_asked, source};
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

    pub fn run(self, shared: Shared, exchange: &mut Exchange) -> Result<Clustered, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let source = source(&self.input, &self.reading, &console)?;
        let written = Written::new(self.output, &source, &console)?;
        let dataset = shared.load(&source)?;
        let alive = console.spinner("propagating");
        let watch = |round: IterationProgress| {
            let left = real(round.error_bound);
            alive.say(format!("propagating: round {}, error {left}", round.done));
            die_if_asked(me, round.done);
            ControlFlow::Continue(())
        };
        let embed = |data: (&_, &_), exchange: &mut _, keep: Keep<'_>| {
            let found = self.job.run(data, exchange, keep, watch)?;
            let work = ClusterWork::Embed {
                rounds: found.rounds,
                resumed_from: found.resumed,
                error_bound: found.error_bound,
                error_bound_holds: in_words(found.norm),
            };
            Ok((found.rows, work))
        };
        let write = |dataset: &Dataset| written.write(dataset, &console);
        Ok(shared.beginning.rows(dataset, exchange, embed, write)?.into())
    }
}
