//! The audits of the mechanisms that ship: each law taken apart, beside what is claimed for it.

mod accounting;
mod curator;
mod dpar_system;
mod dprr_system;
mod edges;
mod features;
mod ledgers;
mod neighbour_votes;
mod noise;
mod sampled;
mod sums;
mod training;
mod trees;

use super::finding::Finding;
use super::seeds::Seeds;
use crate::Result;

/// What is audited, and how.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// The name the command line knows it by.
    pub name: &'static str,
    /// The types whose claim it tries, as their `impl Mechanism` (or `impl Accountant`) spells them.
    pub of: &'static [&'static str],
    /// Whether the claim should be exactly what is measured.
    pub tight: bool,
    /// Runs the audit: one finding per setting tried.
    pub run: Procedure,
}

/// How an audit is run.
#[derive(Debug, Clone, Copy)]
pub enum Procedure {
    /// Always with the same result.
    Exact(fn() -> Result<Vec<Finding>>),
    /// By samples: another seed may find another bound, and must not find a broken claim.
    Seeded(fn(Seeds) -> Result<Vec<Finding>>),
}

impl Audit {
    /// What it finds. A seed is of use where [`Audit::is_seeded`].
    ///
    /// # Errors
    /// If the audit cannot be carried out.
    pub fn findings(&self, seed: u64) -> Result<Vec<Finding>> {
        match self.run {
            Procedure::Exact(run) => run(),
            Procedure::Seeded(run) => run(Seeds::new(seed)),
        }
    }

    /// Whether another seed draws other samples.
    pub fn is_seeded(&self) -> bool {
        matches!(self.run, Procedure::Seeded(_))
    }
}

/// The audit of a name, or all.
///
/// # Errors
/// If there is none of that name.
pub fn named(name: Option<&str>) -> privet::graph::Result<Vec<Audit>> {
    let mut audits = all();
    if let Some(name) = name {
        let known: Vec<&str> = audits.iter().map(|audit| audit.name).collect();
        audits.retain(|audit| audit.name == name);
        if audits.is_empty() {
            return Err(privet::graph::Error::unknown_name("audit", name, known));
        }
    }
    Ok(audits)
}

/// Every audit there is.
pub fn all() -> Vec<Audit> {
    let mut all = Vec::new();
    all.extend(noise::AUDITS);
    all.extend(ledgers::AUDITS);
    all.extend(features::AUDITS);
    all.extend(edges::AUDITS);
    all.extend(trees::AUDITS);
    all.extend(dprr_system::AUDITS);
    all.extend(accounting::AUDITS);
    all.extend(sampled::AUDITS);
    all.extend(curator::AUDITS);
    all.extend(neighbour_votes::AUDITS);
    all.extend(sums::AUDITS);
    all.extend(training::AUDITS);
    all.extend(dpar_system::AUDITS);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shipping_mechanism_is_broken_and_the_tight_ones_are_tight() {
        for audit in all() {
            let findings = audit.findings(1).unwrap();
            assert!(!findings.is_empty(), "{} tried nothing", audit.name);
            for finding in findings {
                assert!(finding.holds(), "{}: {finding:?}", audit.name);
                assert!(!audit.tight || finding.is_tight(), "{}: {finding:?}", audit.name);
            }
        }
    }
}
