//! What the papers print, and what is true: numbers and claims that no correct code could keep.
//!
//! These are statements about formulas and printed algorithms, not about code that ships: mistakes in code are
//! [faults](privet::privacy::fault), switched on in the code itself. Each has the number that its witness shows.

mod accounting;
mod features;
mod lists;
mod training;
mod trees;

use privet_lab::Result;
use privet_lab::audit::Finding;

/// A printed claim, and what is true instead.
#[derive(Debug, Clone, Copy)]
pub struct Printed {
    /// Its number in the catalogue of claims.
    pub number: u32,
    /// What is printed.
    pub claim: &'static str,
    /// What must come out, if that is one number.
    pub expected: Option<f64>,
    /// Computes or measures the truth.
    pub run: fn() -> Result<Finding>,
}

/// All of them, by number.
pub fn all() -> Vec<Printed> {
    let mut all = Vec::new();
    all.extend(lists::PRINTED);
    all.extend(trees::PRINTED);
    all.extend(features::PRINTED);
    all.extend(accounting::PRINTED);
    all.extend(training::PRINTED);
    all.sort_by_key(|printed| printed.number);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_printed_claim_holds_and_the_truth_is_the_known_one() {
        for printed in all() {
            let finding = (printed.run)().unwrap();
            let (number, claim) = (printed.number, printed.claim);
            assert!(!finding.holds(), "claim {number} ({claim}) holds: {finding:?}");
            if let Some(expected) = printed.expected {
                let near = finding.measured == expected
                    || (finding.measured - expected).abs() <= 2e-4 * expected.abs();
                assert!(near, "claim {number} ({claim}): {} is not {expected}", finding.measured);
            }
        }
    }

    #[test]
    fn numbers_are_unique() {
        let numbers: Vec<u32> = all().iter().map(|printed| printed.number).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}
