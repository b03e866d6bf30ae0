//! [`Intake`]: many senders, one writer. Whatever arrives while a batch is being written is the next batch, so that a
//! commit serves hundreds under load and one alone when it is quiet; a sender gets its answer once its report is durable.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::error::{Error, Result};

/// A report that an honest device could have sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The number of its task.
    pub task: i64,
    /// The sender: a place among the participants.
    pub place: u32,
    /// The report.
    pub bytes: Bytes,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportOutcome {
    /// It is kept now.
    New,
    /// The same bytes were kept before.
    Again,
    /// Other bytes of this participant were kept before; these are not.
    Other,
    /// The task takes no more.
    Closed,
}

/// Where reports are kept.
pub trait BatchStore: Send + 'static {
    /// Keeps a batch, all of it or nothing, and says of each what became of it once that is durable. The hour counts from
    /// 1970.
    ///
    /// # Errors
    /// If it is not known to be durable. It may be, all the same: a sender that sends again finds out.
    fn keep(
        &mut self,
        hour: u64,
        batch: &[Submission],
    ) -> impl Future<Output = Result<Vec<ReportOutcome>>> + Send;
}

/// The reports of one commit: as many as wait, until there are so many.
pub const BATCH: usize = 1024;
/// The most reports that wait; later ones are refused as [`Busy`].
const WAITING: usize = 8 * BATCH;

/// Reports that came together, and where their sender waits.
struct QueuedReports {
    submissions: Vec<Submission>,
    answer: oneshot::Sender<Option<Vec<ReportOutcome>>>,
    /// Their places in the queue: they are given back when this is gone.
    room: OwnedSemaphorePermit,
}

/// The way in.
#[derive(Debug, Clone)]
pub struct Intake {
    queue: mpsc::UnboundedSender<QueuedReports>,
    room: Arc<Semaphore>,
}

impl Intake {
    /// A way in to a store. The second part is the writer, to be run beside everything else: it ends when the last way in
    /// is gone and everything that waited is written.
    pub fn new<K: BatchStore>(
        store: K,
        now: impl Fn() -> u64 + Send + 'static,
        failed: impl FnMut(&Error) + Send + 'static,
    ) -> (Self, impl Future<Output = K> + Send) {
        let (queue, waiting) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(WAITING));
        (Self { queue, room }, write(store, waiting, now, failed))
    }

    /// Hands a report in, and waits until it is durable.
    ///
    /// # Errors
    /// [`Busy`], if too many wait already or the store failed: it may be kept or not, and is to be sent again.
    pub async fn submit(&self, submission: Submission) -> Result<ReportOutcome, Busy> {
        let outcomes = self.submit_all(vec![submission]).await?;
        outcomes.first().copied().ok_or(Busy)
    }

    /// Hands many in at once, and waits until all are durable.
    ///
    /// # Errors
    /// [`Busy`], if that is not known: all are to be sent again.
    pub async fn submit_all(
        &self,
        submissions: Vec<Submission>,
    ) -> Result<Vec<ReportOutcome>, Busy> {
        if submissions.is_empty() {
            return Ok(Vec::new());
        }
        let count = u32::try_from(submissions.len()).map_err(|_| Busy)?;
        // Permits count reports, not requests; they are given back after the commit.
        let room = self.room.clone().try_acquire_many_owned(count).map_err(|_| Busy)?;
        let (answer, answered) = oneshot::channel();
        let waiting = QueuedReports { submissions, answer, room };
        self.queue.send(waiting).map_err(|_| Busy)?;
        answered.await.ok().flatten().ok_or(Busy)
    }
}

/// Too many reports wait, or the store failed: the report is to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy;

async fn write<K: BatchStore>(
    mut store: K,
    mut waiting: mpsc::UnboundedReceiver<QueuedReports>,
    now: impl Fn() -> u64,
    mut failed: impl FnMut(&Error),
) -> K {
    let (mut batch, mut senders) = (Vec::with_capacity(BATCH), Vec::new());
    while let Some(first) = waiting.recv().await {
        let mut next = Some(first);
        while let Some(QueuedReports { mut submissions, answer, room }) = next {
            senders.push((submissions.len(), answer, room));
            batch.append(&mut submissions);
            // A request is never split between batches, so that its sender has one answer.
            next = if batch.len() < BATCH { waiting.try_recv().ok() } else { None };
        }
        // Whole hours only: a finer time would tell who sent what.
        let kept = store.keep(now() / 3600, &batch).await.inspect_err(&mut failed).ok();
        let mut start = 0;
        for (count, answer, room) in senders.drain(..) {
            let own = kept.as_ref().and_then(|kept| kept.get(start..start + count));
            // A sender that gave up waiting sends again and finds out then.
            let _ = answer.send(own.map(<[ReportOutcome]>::to_vec));
            start += count;
            drop(room);
        }
        batch.clear();
    }
    store
}
