//! A batch of reports, all of it in one transaction.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, Connection as _, Row as _, Transaction};

use super::Store;
use crate::error::Result;
use crate::intake::{Keep, Outcome, Submission};

/// Rows of one statement: a few sizes, so that each is prepared once. SQLite takes 32,766 values at once.
const SIZES: [usize; 4] = [512, 64, 8, 1];

/// How many of so many rows the next statement takes.
pub(super) fn rows_of(count: usize) -> usize {
    SIZES.into_iter().find(|&size| size <= count).unwrap_or(1)
}

/// `($1, $2, $3), ($4, $5, $6), ...`
pub(super) fn values(rows: usize) -> String {
    let row = |at: usize| format!("(${}, ${}, ${})", 3 * at + 1, 3 * at + 2, 3 * at + 3);
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

impl Keep for Store {
    async fn keep(&mut self, hour: u64, batch: &[Submission]) -> Result<Vec<Outcome>> {
        let mut connection = self.pool.acquire().await?;
        let kept = keep_all(&mut connection, hour, batch).await;
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

async fn keep_all(
    connection: &mut AnyConnection,
    hour: u64,
    batch: &[Submission],
) -> Result<Vec<Outcome>> {
    // In the order of their numbers, so that two servers wait for each other and never both.
    let mut by_task: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (at, submission) in batch.iter().enumerate() {
        by_task.entry(submission.task).or_default().push(at);
    }
    let mut outcomes = vec![Outcome::Closed; batch.len()];
    let mut step = connection.begin().await?;
    for (task, places) in by_task {
        let reports: Vec<&Submission> = places.iter().map(|&at| &batch[at]).collect();
        let kept = keep(&mut step, task, hour, &reports).await?;
        places.into_iter().zip(kept).for_each(|(at, outcome)| outcomes[at] = outcome);
    }
    step.commit().await?;
    Ok(outcomes)
}

/// Keeps the reports of one task.
async fn keep(
    step: &mut Transaction<'_, Any>,
    task: i64,
    hour: u64,
    reports: &[&Submission],
) -> Result<Vec<Outcome>> {
    // Waits for whoever else writes to this task: from here to the commit it stays as it is.
    let touch = "UPDATE tasks SET batches = batches + 1 WHERE number = $1 AND closed = 0";
    let touched = sqlx::query(touch).bind(task).execute(&mut **step).await?;
    if touched.rows_affected() == 0 {
        return Ok(vec![Outcome::Closed; reports.len()]);
    }
    // What is kept of each participant, as far as this batch is concerned: their first report here, unless one was there.
    let mut kept: BTreeMap<u32, &[u8]> = BTreeMap::new();
    for report in reports {
        kept.entry(report.place).or_insert(&report.bytes);
    }
    let mut new = insert(step, task, &kept).await?;
    count(step, task, hour, new.len()).await?;
    let before = there_before(step, task, kept.keys().filter(|place| !new.contains(place))).await?;
    for (&place, bytes) in &before {
        kept.insert(place, bytes);
    }
    let outcome = |report: &&Submission| match kept.get(&report.place) {
        Some(bytes) if *bytes == report.bytes => match new.remove(&report.place) {
            true => Outcome::New,
            false => Outcome::Again,
        },
        _ => Outcome::Other,
    };
    Ok(reports.iter().map(outcome).collect())
}

/// Puts reports where none is, and says where that was.
async fn insert(
    step: &mut Transaction<'_, Any>,
    task: i64,
    reports: &BTreeMap<u32, &[u8]>,
) -> Result<HashSet<u32>> {
    let rows: Vec<(u32, &[u8])> = reports.iter().map(|(&place, &bytes)| (place, bytes)).collect();
    let mut new = HashSet::with_capacity(rows.len());
    let mut rest = &rows[..];
    while !rest.is_empty() {
        let (some, after) = rest.split_at(rows_of(rest.len()));
        let insert = format!(
            "INSERT INTO reports (task, place, report) VALUES {}
             ON CONFLICT (task, place) DO NOTHING RETURNING place",
            values(some.len())
        );
        let mut query = sqlx::query(&insert);
        for &(place, bytes) in some {
            query = query.bind(task).bind(i64::from(place)).bind(bytes);
        }
        for row in query.fetch_all(&mut **step).await? {
            new.extend(u32::try_from(row.try_get::<i64, _>(0)?));
        }
        rest = after;
    }
    Ok(new)
}

/// Adds to the hour's count: nobody's report has a moment of its own.
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

/// The reports that were there before.
async fn there_before(
    step: &mut Transaction<'_, Any>,
    task: i64,
    places: impl Iterator<Item = &u32>,
) -> Result<HashMap<u32, Vec<u8>>> {
    let mut found = HashMap::new();
    for &place in places {
        let select = sqlx::query("SELECT report FROM reports WHERE task = $1 AND place = $2");
        let row = select.bind(task).bind(i64::from(place)).fetch_one(&mut **step).await?;
        found.insert(place, row.try_get(0)?);
    }
    Ok(found)
}
