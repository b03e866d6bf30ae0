//! What sampled audits share: releases through a ledger without a limit, and what the ledger says they cost.

use privet::privacy::unit::Unit;
use privet::privacy::{Central, Delta, Epsilon, Ledger, Local, Loss, Population, Secret};

use super::clopper_pearson::epsilon_lower_bound;
use super::finding::{AuditMethod, FALSE_ALARM, Finding};
use super::seeds::Seeds;
use crate::Result;

/// How often the bounds of one finding may be wrong, all together.
pub(super) const CONFIDENCE: f64 = FALSE_ALARM;

/// An account that refuses nothing.
pub(super) fn account<U: Unit>(delta: f64, seeds: Seeds) -> Result<Ledger<U>> {
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(delta)? };
    Ledger::in_memory(limit, seeds.noise())
}

/// What an account says was spent, by the person who spent most.
pub(super) fn spent<U: Unit>(ledger: &Ledger<U>) -> Result<f64> {
    // The most that one person pays.
    Ok(ledger.spent()?.iter().map(|group| group.loss.epsilon.get()).fold(0.0, f64::max))
}

/// One release of a curator's mechanism through an account of its own.
pub(super) fn released<M: Central>(
    mechanism: &M,
    input: &M::Input,
    seeds: Seeds,
) -> Result<M::Output>
where
    M::Input: Clone,
{
    let mut ledger = account::<M::Unit>(0.0, seeds)?;
    Ok(ledger.release(&Secret::new(input.clone()), mechanism)?.into_inner())
}

/// The reports of many users through an account of their own, and what it says they cost.
pub(super) fn reported<M: Local>(
    mechanism: &M,
    people: M::Population,
    delta: f64,
    seeds: Seeds,
) -> Result<(Vec<M::Report>, f64)>
where
    M::Population: Population,
{
    let mut ledger = account::<M::Unit>(delta, seeds)?;
    let reports = ledger.release_each(&Secret::new(people), mechanism)?.into_inner();
    Ok((reports, spent(&ledger)?))
}

/// A lower bound on epsilon from several events that were fixed beforehand: how often each was seen on either side. The
/// best of them counts, so each may be wrong that much less often.
pub(super) fn best_bound(with: &[u64], without: &[u64], trials: u64, delta: f64) -> f64 {
    // A union bound over all lines: each may be wrong with a share of the confidence.
    let wrong = CONFIDENCE / with.len().max(1) as f64;
    let bound = |(&with, &without)| epsilon_lower_bound(with, without, trials, delta, wrong);
    with.iter().zip(without).map(bound).fold(0.0, f64::max)
}

/// A finding from samples.
pub(super) fn statistical(subject: impl Into<String>, claimed: f64, measured: f64) -> Finding {
    let (subject, method) = (subject.into(), AuditMethod::Statistical);
    Finding { subject, method, claimed, measured, tolerance: 0.0 }
}
