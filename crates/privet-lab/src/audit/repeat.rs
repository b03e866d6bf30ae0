//! The same audits again and again with fresh seeds: how often does one cry wolf?

use rayon::prelude::*;
use serde::Serialize;

use super::finding::Finding;
use super::mechanisms::Audit;
use super::seeds::Seeds;
use crate::Result;

/// Samples are drawn from this seed unless fresh ones are asked for, so that a verdict can be repeated.
pub const SEED: u64 = 1;

/// What many runs of one audit showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditTally {
    /// The audit.
    pub audit: &'static str,
    /// How often it was run.
    pub runs: u64,
    /// How many settings each run tried.
    pub settings: usize,
    /// How many of all findings said that a claim is broken.
    pub alarms: usize,
    /// The probability that these runs raise an alarm although all claims are true: the sum over their findings.
    pub false_alarm: f64,
    /// How close a measurement ever came to its claim: the smallest difference.
    pub closest: f64,
}

/// Runs the audits that depend on a seed `runs` times each, with seeds that follow from one; the others once.
///
/// # Errors
/// If an audit cannot be carried out.
pub fn repeat(audits: &[Audit], runs: u64, seed: u64) -> Result<Vec<AuditTally>> {
    audits.par_iter().map(|audit| tally(audit, runs, Seeds::new(seed))).collect()
}

fn tally(audit: &Audit, runs: u64, seeds: Seeds) -> Result<AuditTally> {
    // An exact audit has one answer; to repeat it shows nothing.
    let runs = if audit.is_seeded() { runs } else { 1 };
    let run = |run| audit.findings(seeds.part(run).seed());
    let found = (0..runs).into_par_iter().map(run).collect::<Result<Vec<_>>>()?;
    let all = || found.iter().flatten();
    let spare = |finding: &Finding| finding.claimed - finding.measured;
    Ok(AuditTally {
        audit: audit.name,
        runs,
        settings: found.first().map_or(0, Vec::len),
        alarms: all().filter(|finding| !finding.holds()).count(),
        // The expected number of false alarms, to compare the observed one with.
        false_alarm: all().map(Finding::false_alarm).sum(),
        closest: all().map(spare).fold(f64::INFINITY, f64::min),
    })
}

/// Runs audits side by side; their findings in the same order.
///
/// # Errors
/// If an audit cannot be carried out.
pub fn once(audits: &[Audit], seed: u64) -> Result<Vec<Vec<Finding>>> {
    audits.par_iter().map(|audit| audit.findings(seed)).collect()
}
