//! [`JobSession`]: what every job does before its rounds and after them, so that all of them can be resumed, gather their rows
//! and end together.
//!
//! ```text
//! begin     all have the same data; which process holds which nodes; where state is kept
//! rounds    of the job, with `session.keep()`
//! gather    all rows, to worker 0, which writes them
//! end       each waits until that is done, reports what it used, and removes its checkpoints
//! ```
//! [`JobStart::rows`] is all of it, for jobs that make a row for every node.

use std::path::PathBuf;
use std::time::Instant;

use privet::graph::{Dataset, DenseMatrix, FeatureMatrix, Features, Graph};
use serde::{Deserialize, Serialize};

use crate::checkpoint::{CheckpointUse, Checkpoints, Resume};
use crate::data_check::check_data;
use crate::engine::Exchange;
use crate::halo::Panels;
use crate::partition::Partition;
use crate::{Error, Result, gather};

/// Where state is kept, how often, and whether to go on from it.
#[derive(Debug, Clone)]
pub struct CheckpointPlan {
    /// A folder of this process's own disk.
    pub folder: PathBuf,
    /// Rounds between two checkpoints.
    pub every: usize,
    /// Whether to go on.
    pub resume: Resume,
}

/// What a process brings along to a job.
#[derive(Debug, Clone)]
pub struct JobStart {
    /// What all processes agree on.
    pub job: [u8; 32],
    /// When this one began to read.
    pub begun: Instant,
    /// Where it keeps its state, if it does.
    pub keeping: Option<CheckpointPlan>,
}

/// What came of a job.
#[derive(Debug, Clone)]
pub struct JobResult<F, W> {
    /// What was found out beside what was written.
    pub found: F,
    /// What worker 0 wrote.
    pub written: Option<W>,
    /// How many nodes there were.
    pub nodes: usize,
    /// What every process used.
    pub workers: Vec<ResourceUse>,
}

impl JobStart {
    /// A job that makes a row for every node, from the first message to the last: begins, has `work` make this process's
    /// rows, gathers all, has worker 0 write the dataset with them in place of its features, and ends.
    ///
    /// # Errors
    /// If there are no features, a process has other data, or a step fails.
    pub fn rows<F, W, E: From<Error>>(
        &self,
        dataset: Dataset,
        exchange: &mut Exchange,
        work: impl FnOnce(
            (&Graph, &FeatureMatrix),
            &mut Exchange,
            CheckpointUse<'_>,
        ) -> Result<(Panels, F)>,
        write: impl FnOnce(&Dataset) -> Result<W, E>,
    ) -> Result<JobResult<F, W>, E> {
        let session = JobSession::begin(&dataset, self, exchange)?;
        let features = dataset.features().ok_or_else(|| missing(&dataset, "features"))?;
        let names = features.names().map(<[String]>::to_vec);
        let (rows, found) = work((dataset.graph(), features.matrix()), exchange, session.keep())?;
        let nodes = dataset.graph().node_count();
        let written = match session.gather(rows, exchange)? {
            Some(rows) => Some(write(&with_rows(dataset, rows, names)?)?),
            None => None,
        };
        Ok(JobResult { found, written, nodes, workers: session.end(exchange)? })
    }
}

fn with_rows(dataset: Dataset, rows: DenseMatrix, names: Option<Vec<String>>) -> Result<Dataset> {
    let rows = match names {
        Some(names) => Features::dense(rows).with_names(names)?,
        None => Features::dense(rows),
    };
    Ok(dataset.with_features(rows)?)
}

/// What a job cannot do without.
pub(crate) fn missing(dataset: &Dataset, what: &'static str) -> Error {
    let (dataset, remedy) = (dataset.name().to_owned(), "the job reads them");
    privet::Error::Missing { dataset, what, remedy }.into()
}

/// One process's part of a job on a dataset, from the first message to the last.
#[derive(Debug)]
pub struct JobSession {
    begun: Instant,
    partition: Partition,
    kept: Option<(Checkpoints, Resume)>,
}

impl JobSession {
    /// Begins: fails unless all processes have read the same data.
    ///
    /// # Errors
    /// If a process has other data, or a folder cannot be made.
    pub fn begin(
        dataset: &Dataset,
        JobStart { job, begun, keeping }: &JobStart,
        exchange: &mut Exchange,
    ) -> Result<Self> {
        // Before any work: two processes that read different files would give numbers that belong to neither.
        gather::same_data(dataset, exchange)?;
        check_data(dataset, exchange)?;
        let partition = Partition::of(dataset.graph().offsets(), exchange.count())?;
        let kept = match (keeping, dataset.features()) {
            (Some(CheckpointPlan { folder, every, resume }), Some(features)) => {
                let own = partition.range(exchange.index());
                let own = gather::own_data(dataset.graph(), features.matrix(), &own);
                Some((Checkpoints::new(folder, *every, job, &own, exchange)?, *resume))
            }
            _ => None,
        };
        Ok(Self { begun: *begun, partition, kept })
    }

    /// Where the job keeps its state.
    pub fn keep(&self) -> CheckpointUse<'_> {
        self.kept.as_ref().map(|(checkpoints, resume)| (checkpoints, *resume))
    }

    /// All rows in order, for worker 0; nothing for the others.
    ///
    /// # Errors
    /// Those of [`gather::gather`].
    pub fn gather(&self, rows: Panels, exchange: &mut Exchange) -> Result<Option<DenseMatrix>> {
        gather::gather(rows, &self.partition, exchange)
    }

    /// Ends the job and returns what each process used. Worker 0 has written the output before it comes here, so that
    /// checkpoints are removed only when no process needs them any more.
    ///
    /// # Errors
    /// If a message is not what it should be, or a checkpoint cannot be removed.
    pub fn end(self, exchange: &mut Exchange) -> Result<Vec<ResourceUse>> {
        let own = self.partition.range(exchange.index()).len();
        // All have arrived here, so no process can still need a checkpoint to resume from.
        let workers = tell(own, self.begun, exchange)?;
        if let Some((checkpoints, _)) = self.kept {
            checkpoints.remove()?;
        }
        Ok(workers)
    }
}

/// What one process used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResourceUse {
    /// Its number.
    pub worker: usize,
    /// How many nodes it held.
    pub nodes: usize,
    /// Seconds from the first message to the last.
    pub seconds: f64,
    /// The most memory it ever had, where the system tells (Linux).
    pub peak_bytes: Option<u64>,
    /// Bytes it sent to other processes.
    pub sent_bytes: u64,
}

/// What each process used, in the order of the processes.
///
/// # Errors
/// If a message is not what it should be.
pub fn tell(nodes: usize, begun: Instant, exchange: &mut Exchange) -> Result<Vec<ResourceUse>> {
    let used = ResourceUse {
        worker: exchange.index(),
        nodes,
        seconds: begun.elapsed().as_secs_f64(),
        peak_bytes: peak_memory(),
        sent_bytes: exchange.sent(),
    };
    let text = serde_json::to_vec(&used).map_err(|error| Error::Broken(error.to_string()))?;
    let read = |(from, text): (usize, Vec<u8>)| {
        serde_json::from_slice(&text).map_err(|error| Error::message(from, error.to_string()))
    };
    exchange.all_hear(&text)?.into_iter().enumerate().map(read).collect()
}

/// The most memory this process ever had (VmHWM).
pub fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
