//! The gallery: mechanisms and claims that are wrong on purpose, each with what an audit must see.
//!
//! An audit that has never caught anything proves nothing. Every mutant here is a mistake that was
//! made in print or in published code, or is one keystroke away; the numbers are those of the
//! witnesses. A run of the gallery fails if a single one slips through.

mod accounting;
mod curator;
mod edges;
mod features;
mod training;
mod trees;

use super::finding::Finding;
use crate::Result;

/// A mistake, and how the audit sees it.
#[derive(Debug, Clone, Copy)]
pub struct Mutant {
    /// Its number in the catalogue of claims.
    pub number: u32,
    /// What was changed.
    pub mutation: &'static str,
    /// What the audit must measure, if that is one number.
    pub expected: Option<f64>,
    /// Runs the audit on it.
    pub run: fn() -> Result<Finding>,
}

/// All mutants of what this version contains.
pub fn all() -> Vec<Mutant> {
    let mut all = Vec::new();
    all.extend(edges::MUTANTS);
    all.extend(trees::MUTANTS);
    all.extend(features::MUTANTS);
    all.extend(accounting::MUTANTS);
    all.extend(curator::MUTANTS);
    all.extend(training::MUTANTS);
    all.sort_by_key(|mutant| mutant.number);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_is_caught_with_the_number_it_must_show() {
        for mutant in all() {
            let finding = (mutant.run)().unwrap();
            let (number, mutation) = (mutant.number, mutant.mutation);
            assert!(!finding.holds(), "mutant {number} ({mutation}) slipped through: {finding:?}");
            if let Some(expected) = mutant.expected {
                let near = finding.measured == expected
                    || (finding.measured - expected).abs() <= 2e-4 * expected.abs();
                assert!(
                    near,
                    "mutant {number} ({mutation}): {} is not {expected}",
                    finding.measured
                );
            }
        }
    }

    #[test]
    fn numbers_are_unique() {
        let numbers: Vec<u32> = all().iter().map(|mutant| mutant.number).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}
