//! Everybody's reports, drawn by the process that holds their records: rows of features, or lists of contacts.
//!
//! Worker 0 has the ledger. It charges the whole release, which is on the disk before it hands out anything; then every
//! process gets a permission to draw for its own nodes ([`Share`]), once. No key travels: in a simulation the noise of a
//! person follows from the seed and their place, so any partition draws the same; otherwise every process asks its own
//! operating system. If a process dies after the charge, the charge stays, and nothing that was drawn is kept: there is
//! no checkpoint of a release, because a share must never be used twice.

use privet::privacy::ledger::Share;
use privet::privacy::population::{RecordsOf, Shaped};
use privet::privacy::{Ledger, Local, Release, Secret};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::Exchange;
use crate::partition::Partition;
use crate::{Error, Result};

/// People whose reports travel at a time.
const AT_A_TIME: usize = 4096;

/// The reports of this process's nodes. `ledger` is that of worker 0; the others have none.
///
/// # Errors
/// If worker 0 has no ledger or another one has, the release would pass the limit (then nothing was drawn anywhere), or
/// the records do not fit the mechanism.
pub fn randomize<M: Local>(
    mechanism: &M,
    (people, shape): (
        &Secret<impl RecordsOf<M::Population> + Sync>,
        &<M::Population as Shaped>::Shape,
    ),
    partition: &Partition,
    ledger: Option<&mut Ledger<M::Unit>>,
    exchange: &mut Exchange,
) -> Result<Release<Vec<M::Report>, M::Unit>> {
    if ledger.is_some() != (exchange.index() == 0) {
        return Err(Error::invalid("ledger", "another process's", "that of worker 0 alone"));
    }
    if let Some(ledger) = ledger {
        let drawing = ledger.begin_each(shape, partition.nodes(), mechanism)?;
        let ends = (0..partition.parts()).map(|part| partition.range(part).end);
        let shares = drawing.shares(&ends.collect::<Vec<_>>())?;
        for (to, share) in shares.iter().enumerate() {
            exchange.send(to, &encoded(share)?)?;
        }
    }
    let arrived = exchange.arrive().into_iter().next();
    let arrived = arrived.ok_or_else(|| Error::message(0, "no permission to draw came"))?;
    let share: Share = decoded(arrived.from, &arrived.into_bytes())?;
    let own = partition.range(exchange.index());
    if share.people() != own {
        let reason = format!("a permission for {:?}, expected {own:?}", share.people());
        return Err(Error::message(0, reason));
    }
    Ok(share.draw(mechanism, people, own)?)
}

/// All reports in order, for worker 0; nothing for the others. What arrives was drawn by shares of the release that
/// worker 0's own reports belong to.
///
/// # Errors
/// If something else arrives.
pub fn collect<R, U>(
    own: Release<Vec<R>, U>,
    partition: &Partition,
    exchange: &mut Exchange,
) -> Result<Option<Release<Vec<R>, U>>>
where
    R: Serialize + DeserializeOwned,
    U: privet::privacy::Unit,
{
    let parts = partition.parts();
    let longest = (0..parts).map(|part| partition.range(part).len()).max().unwrap_or(0);
    let mut all: Vec<Vec<R>> = (0..parts).map(|_| Vec::new()).collect();
    for stretch in 0..longest.div_ceil(AT_A_TIME) {
        let reports = own.get();
        let start = (stretch * AT_A_TIME).min(reports.len());
        let end = (start + AT_A_TIME).min(reports.len());
        if exchange.index() != 0 && start < end {
            exchange.send(0, &encoded(&reports[start..end])?)?;
        }
        for arrived in exchange.arrive() {
            let from = arrived.from;
            let reports: Vec<R> = decoded(from, &arrived.into_bytes())?;
            all[from].extend(reports);
        }
    }
    if exchange.index() != 0 {
        return Ok(None);
    }
    for (part, reports) in all.iter().enumerate().skip(1) {
        if reports.len() != partition.range(part).len() {
            let reason =
                format!("{} reports, expected {}", reports.len(), partition.range(part).len());
            return Err(Error::message(part, reason));
        }
    }
    Ok(Some(own.map(|own| own.into_iter().chain(all.into_iter().flatten()).collect())))
}

fn encoded(value: &(impl Serialize + ?Sized)) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Broken(error.to_string()))
}

fn decoded<T: DeserializeOwned>(from: usize, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Error::message(from, error.to_string()))
}
