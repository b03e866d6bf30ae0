//! `privet cluster run train`: a classifier on nodes that several processes hold.

use std::path::PathBuf;

use privet::graph::{Split, SplitShares};
use privet_cluster::Exchange;
use privet_cluster::jobs::evaluate::evaluate;
use privet_cluster::jobs::train::{Head, Training};

use super::{Clustered, Shared, Stopped, die_if_asked, no_features, source};
use crate::args::{ClusterTrain, Named, Reading};
use crate::clustered::ClusterWork;
use crate::failure::{Failure, Result};
use crate::output::refuse_existing;

/// The job, as typed; worker 0 knows where the model goes.
pub(super) struct Lessons {
    input: Named,
    reading: Reading,
    training: Training,
    output: Option<PathBuf>,
}

impl Lessons {
    /// Refuses what would fail after an hour of reading.
    pub fn new(typed: &ClusterTrain, chief: bool) -> Result<Self> {
        let output = typed.output.clone().filter(|_| chief);
        if let Some(path) = output.as_ref().filter(|_| !typed.overwrite) {
            refuse_existing(path, "name another file, or replace it with --overwrite")?;
        }
        let training = Training {
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

    pub fn run(self, shared: Shared<'_>, exchange: &mut Exchange) -> Result<Clustered, Stopped> {
        let source = source(&self.input, &self.reading, &shared.console)?;
        if let Some(output) = &self.output {
            source.keep_apart(&[output])?;
        }
        let (dataset, session) = shared.begin(&source, exchange)?;
        let features = dataset.features().ok_or_else(no_features)?;
        let labels = dataset.labels().ok_or_else(|| {
            Failure::usage("there are no labels").hint("give them with --labels FILE")
        })?;
        let split = match dataset.split() {
            Some(split) => split.clone(),
            None => {
                let shares = SplitShares::HALF_QUARTER_QUARTER;
                Split::stratified(labels, shares, self.training.seed)?
            }
        };
        let data = (dataset.graph(), features.matrix());
        let trained = {
            let (alive, me) = (shared.console.spinner("training"), exchange.index());
            let watch = |epoch: usize| {
                alive.say(format!("training: epoch {epoch} of {}", self.training.epochs));
                die_if_asked(me, epoch);
            };
            let lessons = (labels, &split.train[..]);
            self.training.run(data, lessons, exchange, session.keep(), watch)?
        };
        let network = trained.head.network();
        let train = evaluate(network, data, labels, &split.train, exchange)?;
        let test = evaluate(network, data, labels, &split.test, exchange)?;
        let mut files = Vec::new();
        if let Some(path) = &self.output {
            match &trained.head {
                Head::Logistic(head) => head.save(path)?,
                Head::Mlp(head) => head.save(path)?,
            }
            files.push(path.display().to_string());
        }
        let (epochs, loss, resumed_from) = (self.training.epochs, trained.loss, trained.resumed);
        let work = ClusterWork::Train { epochs, resumed_from, loss, train, test };
        let nodes = dataset.graph().node_count();
        let workers = session.end(exchange)?;
        Ok(Clustered { files, nodes, work, workers, card: None })
    }
}
