//! `privet cluster run train`: a classifier on nodes that several processes hold.

use std::path::PathBuf;

use privet_cluster::Exchange;
use privet_cluster::jobs::train::TrainedClassifier;
use privet_cluster::jobs::train::{ClusterTraining, Head};
use privet_cluster::session::JobResult;

use super::{ClusterContext, Clustered, Stopped, die_if_asked, source};
use crate::args::{ClusterTrain, Named, Reading};
use crate::clustered::ClusterWork;
use crate::failure::Result;
use crate::output::refuse_existing;

/// The job, as typed; worker 0 knows where the model goes.
pub(super) struct Lessons {
    input: Named,
    reading: Reading,
    training: ClusterTraining,
    output: Option<PathBuf>,
}

impl Lessons {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &ClusterTrain, chief: bool) -> Result<Self> {
        let output = typed.output.clone().filter(|_| chief);
        if let Some(path) = output.as_ref().filter(|_| !typed.overwrite) {
            refuse_existing(path, "name another file, or replace it with --overwrite")?;
        }
        let training = ClusterTraining {
            hidden: typed.hidden.clone(),
            epochs: typed.epochs,
            learning_rate: typed.learning_rate,
            weight_decay: typed.weight_decay,
            seed: typed.seed,
        };
        let (input, reading) = (typed.input.clone(), typed.reading.clone());
        Ok(Self { input, reading, training, output })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        serde_json::json!({ "job": "train", "settings": self.training })
    }

    pub fn run(
        self,
        shared: ClusterContext,
        exchange: &mut Exchange,
    ) -> Result<Clustered, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let source = source(&self.input, &self.reading, &console)?;
        if let Some(output) = &self.output {
            source.keep_apart(&[output])?;
        }
        let dataset = shared.load(&source)?;
        let (alive, epochs) = (console.spinner("training"), self.training.epochs);
        let watch = |epoch: usize| {
            alive.say(format!("training: epoch {epoch} of {epochs}"));
            die_if_asked(me, epoch);
        };
        let write = |head: &Head| -> Result<_, Stopped> {
            let Some(path) = &self.output else { return Ok((None, Vec::new())) };
            match head {
                Head::Logistic(head) => head.save(path)?,
                Head::Mlp(head) => head.save(path)?,
            }
            Ok((None, vec![path.display().to_string()]))
        };
        let done = self.training.teach(&dataset, &shared.beginning, exchange, watch, write)?;
        let TrainedClassifier { loss, resumed: resumed_from, train, test } = done.found;
        let found = ClusterWork::Train { epochs, resumed_from, loss, train, test };
        Ok(JobResult { found, written: done.written, nodes: done.nodes, workers: done.workers }
            .into())
    }
}
