//! [`Intake`]: many senders, one writer. Whatever arrives while a batch is being written is the next batch, so that a
//! commit serves hundreds under load and one alone when it is quiet; each sender hears of theirs only when it is durable.

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Result};

/// A report that an honest device could have sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The number of its task.
    pub task: i64,
    /// Who sends it: a place among those who can take part.
    pub place: u32,
    /// The report.
    pub bytes: Bytes,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
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
pub trait Keep: Send + 'static {
    /// Keeps a batch, all of it or nothing, and says of each what became of it once that is durable. The hour counts from
    /// 1970.
    ///
    /// # Errors
    /// If it is not known to be durable. It may be, all the same: whoever sends again finds out.
    fn keep(
        &mut self,
        hour: u64,
        batch: &[Submission],
    ) -> impl Future<Output = Result<Vec<Outcome>>> + Send;
}

/// The most reports of one commit.
pub const BATCH: usize = 1024;
/// The most that wait; who comes then is told to come again.
const WAITING: usize = 8 * BATCH;

type Waiting = (Submission, oneshot::Sender<Option<Outcome>>);

/// The way in.
#[derive(Debug, Clone)]
pub struct Intake {
    queue: mpsc::Sender<Waiting>,
}

impl Intake {
    /// A way in to a store. The second part is the writer, to be run beside everything else: it ends when the last way in
    /// is gone and everything that waited is written.
    pub fn new<K: Keep>(
        store: K,
        now: impl Fn() -> u64 + Send + 'static,
        failed: impl FnMut(&Error) + Send + 'static,
    ) -> (Self, impl Future<Output = K> + Send) {
        let (queue, waiting) = mpsc::channel(WAITING);
        (Self { queue }, write(store, waiting, now, failed))
    }

    /// Hands a report in, and waits until it is durable.
    ///
    /// # Errors
    /// [`Busy`], if too many wait already or the store failed: it may be kept or not, and is to be sent again.
    pub async fn submit(&self, submission: Submission) -> Result<Outcome, Busy> {
        let answered = self.hand_in(submission)?;
        answered.await.ok().flatten().ok_or(Busy)
    }

    /// Hands many in at once, and waits until all are durable.
    ///
    /// # Errors
    /// [`Busy`], if that is not known of one of them: all are to be sent again.
    pub async fn submit_all(&self, submissions: Vec<Submission>) -> Result<Vec<Outcome>, Busy> {
        let answers: Vec<_> =
            submissions.into_iter().map(|one| self.hand_in(one)).collect::<Result<_, _>>()?;
        let mut outcomes = Vec::with_capacity(answers.len());
        for answered in answers {
            outcomes.push(answered.await.ok().flatten().ok_or(Busy)?);
        }
        Ok(outcomes)
    }

    fn hand_in(&self, submission: Submission) -> Result<oneshot::Receiver<Option<Outcome>>, Busy> {
        let (answer, answered) = oneshot::channel();
        self.queue.try_send((submission, answer)).map_err(|_| Busy)?;
        Ok(answered)
    }
}

/// Not now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy;

async fn write<K: Keep>(
    mut store: K,
    mut waiting: mpsc::Receiver<Waiting>,
    now: impl Fn() -> u64,
    mut failed: impl FnMut(&Error),
) -> K {
    let mut received = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut received, BATCH).await > 0 {
        let (batch, answers): (Vec<_>, Vec<_>) = received.drain(..).unzip();
        let kept = store.keep(now() / 3600, &batch).await.inspect_err(&mut failed).ok();
        for (at, answer) in answers.into_iter().enumerate() {
            // Who does not wait any more sends again, and finds out then.
            let _ = answer.send(kept.as_ref().and_then(|kept| kept.get(at).copied()));
        }
    }
    store
}
