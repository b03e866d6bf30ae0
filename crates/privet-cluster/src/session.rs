//! [`Session`]: what every job does before its rounds and after them, so that all of them can be resumed, gather their rows
//! and end together.
//!
//! ```text
//! begin     everybody has the same data; whose nodes are whose; where state is kept
//! rounds    of the job, with `session.keep()`
//! gather    all rows, to worker 0, which writes them
//! end       everybody waits until that is done, tells what it used, and removes its checkpoints
//! ```

use std::path::PathBuf;
use std::time::Instant;

use privet::graph::{Dataset, DenseMatrix};

use crate::account::{self, Used};
use crate::checkpoint::{Checkpoints, Keep, Resume};
use crate::engine::Exchange;
use crate::panels::Panels;
use crate::partition::Partition;
use crate::{Result, gather};

/// Where state is kept, how often, and whether to go on from it.
#[derive(Debug, Clone)]
pub struct Keeping {
    /// A folder of this process's own disk.
    pub folder: PathBuf,
    /// Rounds between two checkpoints.
    pub every: usize,
    /// Whether to go on.
    pub resume: Resume,
}

/// One process's part of a job on a dataset, from the first message to the last.
#[derive(Debug)]
pub struct Session {
    begun: Instant,
    partition: Partition,
    kept: Option<(Checkpoints, Resume)>,
}

impl Session {
    /// Begins: fails unless all processes have read the same data. `job` is what they agree on; `begun` is when this one
    /// began to read.
    ///
    /// # Errors
    /// If somebody has other data, or a folder cannot be made.
    pub fn begin(
        dataset: &Dataset,
        (job, begun): (&[u8; 32], Instant),
        keeping: Option<&Keeping>,
        exchange: &mut Exchange,
    ) -> Result<Self> {
        gather::same_data(dataset, exchange)?;
        let partition = Partition::of(dataset.graph().offsets(), exchange.count())?;
        let kept = match (keeping, dataset.features()) {
            (Some(Keeping { folder, every, resume }), Some(features)) => {
                let own = partition.range(exchange.index());
                let own = gather::own_data(dataset.graph(), features.matrix(), &own);
                Some((Checkpoints::new(folder, *every, job, &own, exchange)?, *resume))
            }
            _ => None,
        };
        Ok(Self { begun, partition, kept })
    }

    /// Where the job keeps its state.
    pub fn keep(&self) -> Keep<'_> {
        self.kept.as_ref().map(|(checkpoints, resume)| (checkpoints, *resume))
    }

    /// All rows in order, for worker 0; nothing for the others.
    ///
    /// # Errors
    /// Those of [`gather::gather`].
    pub fn gather(&self, rows: Panels, exchange: &mut Exchange) -> Result<Option<DenseMatrix>> {
        gather::gather(rows, &self.partition, exchange)
    }

    /// Ends: what everybody used. Worker 0 has written the output before it comes here, so that checkpoints are removed
    /// when nobody needs them any more.
    ///
    /// # Errors
    /// If a message is not what it should be, or a checkpoint cannot be removed.
    pub fn end(self, exchange: &mut Exchange) -> Result<Vec<Used>> {
        let own = self.partition.range(exchange.index()).len();
        let workers = account::tell(own, self.begun, exchange)?;
        if let Some((checkpoints, _)) = self.kept {
            checkpoints.remove()?;
        }
        Ok(workers)
    }
}
