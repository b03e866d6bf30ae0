//! A batch of reports, all of it in one transaction.
//!
//! Nearly all reports are new, so a batch is first put in as if all were: one statement a task, and the store says how many
//! rows went in. Where that is fewer, a participant has sent before: the transaction is rolled back, and the batch is done
//! again by looking first. Asking of every row whether it went in took PostgreSQL and the driver longer than putting it in.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use privet::privacy::fault::{self, Fault};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Connection as _, Row as _, Transaction};

use super::{CollectorStore, StoreEngine};
use crate::error::{Error, Result};
use crate::intake::{BatchStore, ReportOutcome, Submission};

/// The most rows of one statement. SQLite takes 32,766 values at once, PostgreSQL 65,535.
pub(super) const ROWS: usize = 1024;

/// How many rows a statement for so many has: powers of two, so that each is prepared once. The last row is given again
/// until they are there, which a statement that leaves alone what is there does not mind.
pub(super) fn padded(count: usize) -> usize {
    count.next_power_of_two()
}

/// `($1, $2, $3), ($4, $5, $6), ...`
pub(super) fn values(engine: StoreEngine, rows: usize) -> String {
    let mut text = String::with_capacity(rows * 24);
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        put_places(engine, 3 * row + 1..3 * row + 4, &mut text);
        text.push(')');
    }
    text
}

/// `$1, $2, ...`, or `?, ?, ...`: SQLite goes through the names of all places to find that of each, which took a batch of a
/// thousand rows longer than writing them.
fn put_places(engine: StoreEngine, numbers: Range<usize>, text: &mut String) {
    for (at, number) in numbers.enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        // Writing to a text does not fail.
        let _ = match engine {
            StoreEngine::Sqlite => write!(text, "?"),
            StoreEngine::Postgres => write!(text, "${number}"),
        };
    }
}

impl BatchStore for CollectorStore {
    async fn keep(&mut self, hour: u64, batch: &[Submission]) -> Result<Vec<ReportOutcome>> {
        let mut connection = self.pool.acquire().await?;
        let kept = ReportBatch { engine: self.engine, hour, batch }.keep(&mut connection).await;
        retire_after_error(&kept, &mut connection);
        kept
    }
}

/// A connection on which a transaction failed is closed and never used again. The driver counts open transactions for
/// itself; where SQLite has ended one on its own (the disk is full) the count stays wrong, the next transactions are
/// nested in one that is not there or never ends, and their commits may not be commits: a report would be acknowledged
/// and gone with the process.
pub(super) fn retire_after_error<T>(done: &Result<T>, connection: &mut PoolConnection<Any>) {
    if done.is_err() {
        connection.close_on_drop();
    }
}

/// Whether it is looked first who has sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    First,
    No,
}

/// Reports that are kept together.
struct ReportBatch<'a> {
    engine: StoreEngine,
    hour: u64,
    batch: &'a [Submission],
}

impl ReportBatch<'_> {
    async fn keep(&self, connection: &mut AnyConnection) -> Result<Vec<ReportOutcome>> {
        // In the order of their numbers, so that two servers wait for each other and never both.
        let mut by_task: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (at, submission) in self.batch.iter().enumerate() {
            by_task.entry(submission.task).or_default().push(at);
        }
        // At most twice: the second time nothing is taken for new that is there.
        for look in [Look::No, Look::First] {
            let mut step = connection.begin().await?;
            match self.keep_tasks(&mut step, &by_task, look).await? {
                Some(outcomes) => {
                    match fault::on(Fault::AcknowledgedBeforeCommit) {
                        true => step.rollback().await?,
                        false => step.commit().await?,
                    }
                    return Ok(outcomes);
                }
                // The tasks were touched too: all of it is undone before the second look.
                None => step.rollback().await?,
            }
        }
        // Tasks are locked while it is looked and written.
        Err(Error::Damaged("reports appear that no batch wrote".to_owned()))
    }

    /// None if fewer rows went in than were thought new.
    async fn keep_tasks(
        &self,
        step: &mut Transaction<'_, Any>,
        by_task: &BTreeMap<i64, Vec<usize>>,
        look: Look,
    ) -> Result<Option<Vec<ReportOutcome>>> {
        let mut outcomes = vec![ReportOutcome::Closed; self.batch.len()];
        for (&task, places) in by_task {
            let reports: Vec<&Submission> = places.iter().map(|&at| &self.batch[at]).collect();
            match self.keep_task(step, task, &reports, look).await? {
                Some(kept) => places.iter().zip(kept).for_each(|(&at, kept)| outcomes[at] = kept),
                None => return Ok(None),
            }
        }
        Ok(Some(outcomes))
    }

    async fn keep_task(
        &self,
        step: &mut Transaction<'_, Any>,
        task: i64,
        reports: &[&Submission],
        look: Look,
    ) -> Result<Option<Vec<ReportOutcome>>> {
        // Waits for other writers to this task: from here to the commit it stays as it is.
        let touch = match fault::on(Fault::ClosedTaskTakesReports) {
            true => "UPDATE tasks SET batches = batches + 1 WHERE number = $1",
            false => "UPDATE tasks SET batches = batches + 1 WHERE number = $1 AND closed = 0",
        };
        let touched = sqlx::query(touch).bind(task).execute(&mut **step).await?;
        // Closed in the meantime, by an administrator or another service on this store.
        if touched.rows_affected() == 0 {
            return Ok(Some(vec![ReportOutcome::Closed; reports.len()]));
        }
        // The first report of each participant here is new, unless one was there.
        let mut new: BTreeMap<u32, &[u8]> = BTreeMap::new();
        for report in reports {
            new.entry(report.place).or_insert(&report.bytes);
        }
        let before = match look {
            Look::First => there_before(step, (self.engine, task), &new).await?,
            Look::No => HashMap::new(),
        };
        // A participant's first report stays; whether this one has the same bytes decides its outcome below.
        new.retain(|place, _| !before.contains_key(place));
        // A row that conflicts is not counted as affected: somewhere a participant had sent before.
        if insert(step, (self.engine, task), &new).await? < new.len() as u64 {
            return Ok(None);
        }
        let counted = if fault::on(Fault::RepeatsCounted) { reports.len() } else { new.len() };
        count(step, task, self.hour, counted).await?;
        let mut answered = HashSet::new();
        let outcome = |report: &&Submission| match before.get(&report.place) {
            Some(kept) if *kept == report.bytes => ReportOutcome::Again,
            Some(_) => ReportOutcome::Other,
            // Within the batch, too: the first report of a participant is new, repeats of its bytes are the
            // same report.
            None if answered.insert(report.place) => ReportOutcome::New,
            None if new.get(&report.place) == Some(&&*report.bytes) => ReportOutcome::Again,
            None => ReportOutcome::Other,
        };
        Ok(Some(reports.iter().map(outcome).collect()))
    }
}

/// Puts reports where none is, and says how many that were.
async fn insert(
    step: &mut Transaction<'_, Any>,
    (engine, task): (StoreEngine, i64),
    reports: &BTreeMap<u32, &[u8]>,
) -> Result<u64> {
    let rows: Vec<(u32, &[u8])> = reports.iter().map(|(&place, &bytes)| (place, bytes)).collect();
    // A report that is there stays: its sender was answered that it is kept.
    let then = match fault::on(Fault::SecondReportReplaces) {
        true => "UPDATE SET report = excluded.report",
        false => "NOTHING",
    };
    let mut new = 0;
    for some in rows.chunks(ROWS) {
        let insert = format!(
            "INSERT INTO reports (task, place, report) VALUES {} ON CONFLICT (task, place) DO {then}",
            values(engine, padded(some.len()))
        );
        let mut query = sqlx::query(&insert);
        for &(place, bytes) in repeating_last(some) {
            query = query.bind(task).bind(i64::from(place)).bind(bytes);
        }
        new += query.execute(&mut **step).await?.rows_affected();
    }
    Ok(new)
}

/// As many as a statement has rows.
pub(super) fn repeating_last<T>(rows: &[T]) -> impl Iterator<Item = &T> {
    // A repeated row conflicts with itself and adds nothing.
    let more = padded(rows.len()) - rows.len();
    rows.iter().chain(rows.last().into_iter().cycle().take(more))
}

/// Adds to the hour's count: no time is stored with a report.
async fn count(
    step: &mut Transaction<'_, Any>,
    task: i64,
    hour: u64,
    reports: usize,
) -> Result<()> {
    if reports > 0 {
        let add = "INSERT INTO hours (task, hour, reports) VALUES ($1, $2, $3)
             ON CONFLICT (task, hour) DO UPDATE SET reports = hours.reports + excluded.reports";
        let query = sqlx::query(add).bind(task).bind(hour as i64).bind(reports as i64);
        query.execute(&mut **step).await?;
    }
    Ok(())
}

/// The reports of these participants that were there before.
async fn there_before(
    step: &mut Transaction<'_, Any>,
    (engine, task): (StoreEngine, i64),
    reports: &BTreeMap<u32, &[u8]>,
) -> Result<HashMap<u32, Vec<u8>>> {
    let wanted: Vec<i64> = reports.keys().map(|&place| i64::from(place)).collect();
    let mut found = HashMap::new();
    for some in wanted.chunks(ROWS) {
        let mut select = "SELECT place, report FROM reports WHERE task = ".to_owned();
        put_places(engine, 1..2, &mut select);
        select.push_str(" AND place IN (");
        put_places(engine, 2..padded(some.len()) + 2, &mut select);
        select.push(')');
        let mut query = sqlx::query(&select).bind(task);
        for place in repeating_last(some) {
            query = query.bind(place);
        }
        for row in query.fetch_all(&mut **step).await? {
            let place = u32::try_from(row.try_get::<i64, _>(0)?).ok();
            found.extend(place.zip(Some(row.try_get(1)?)));
        }
    }
    Ok(found)
}
