//! The audits of the mechanisms that ship: each law taken apart, beside what is claimed for it.

mod accounting;
mod curator;
mod dpar_system;
pub(super) mod dprr_system;
mod edges;
mod features;
mod sampled;
mod training;
pub(super) mod trees;

use super::finding::Finding;
use crate::Result;

/// A mechanism (or accountant), and how to audit it.
#[derive(Debug, Clone, Copy)]
pub struct Audit {
    /// The name the command line knows it by.
    pub name: &'static str,
    /// Whether the claim should be exactly what is measured.
    pub tight: bool,
    /// Runs the audit: one finding per setting tried.
    pub run: fn() -> Result<Vec<Finding>>,
}

/// Every audit there is.
pub fn all() -> Vec<Audit> {
    let mut all = Vec::new();
    all.extend(features::AUDITS);
    all.extend(edges::AUDITS);
    all.extend(trees::AUDITS);
    all.extend(dprr_system::AUDITS);
    all.extend(accounting::AUDITS);
    all.extend(sampled::AUDITS);
    all.extend(curator::AUDITS);
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
            let findings = (audit.run)().unwrap();
            assert!(!findings.is_empty(), "{} tried nothing", audit.name);
            for finding in findings {
                assert!(finding.holds(), "{}: {finding:?}", audit.name);
                assert!(!audit.tight || finding.is_tight(), "{}: {finding:?}", audit.name);
            }
        }
    }
}
