//! Training and evaluation as one job, from the first message to the last: learn the nodes that are for it, measure on
//! those and on the ones that were set aside.

use privet::graph::{Dataset, Split, SplitShares};

use super::evaluate::{PartQuality, evaluate};
use super::train::{ClusterTraining, Head};
use crate::Result;
use crate::engine::Exchange;
use crate::error::Error;
use crate::session::{JobResult, JobSession, JobStart, missing};

/// What was learned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainedClassifier {
    /// The mean loss before the last step; none without epochs.
    pub loss: Option<f32>,
    /// The epoch from which it was resumed; 0 if from the beginning.
    pub resumed: usize,
    /// On the nodes it was trained on.
    pub train: PartQuality,
    /// On the nodes it is measured on.
    pub test: PartQuality,
}

impl ClusterTraining {
    /// Trains on the nodes that the dataset's own split says, or a stratified one by the seed, measures, and has worker 0
    /// write the head. `watch` is told after every epoch.
    ///
    /// # Errors
    /// Those of [`ClusterTraining::run`], if there are no features or labels, and those of `write`.
    pub fn teach<W, E: From<Error>>(
        &self,
        dataset: &Dataset,
        beginning: &JobStart,
        exchange: &mut Exchange,
        watch: impl FnMut(usize),
        write: impl FnOnce(&Head) -> Result<W, E>,
    ) -> Result<JobResult<TrainedClassifier, W>, E> {
        let session = JobSession::begin(dataset, beginning, exchange)?;
        let features = dataset.features().ok_or_else(|| missing(dataset, "features"))?;
        let labels = dataset.labels().ok_or_else(|| missing(dataset, "labels"))?;
        let split = match dataset.split() {
            Some(split) => split.clone(),
            None => Split::stratified(labels, SplitShares::HALF_QUARTER_QUARTER, self.seed)
                .map_err(Error::from)?,
        };
        let data = (dataset.graph(), features.matrix());
        let trained = self.run(data, (labels, &split.train), exchange, session.keep(), watch)?;
        let network = trained.head.network();
        let train = evaluate(network, data, labels, &split.train, exchange)?;
        let test = evaluate(network, data, labels, &split.test, exchange)?;
        let written = match exchange.index() {
            0 => Some(write(&trained.head)?),
            _ => None,
        };
        let found = TrainedClassifier { loss: trained.loss, resumed: trained.resumed, train, test };
        let nodes = dataset.graph().node_count();
        Ok(JobResult { found, written, nodes, workers: session.end(exchange)? })
    }
}
