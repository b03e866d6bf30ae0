//! What stands beside every private score, of whichever system: the best that needs no private data, and the best that
//! reads everything in the clear.
//!
//! Both are the best of a small fixed set of learners, chosen on validation data, so that the ceiling is an upper bound and no
//! budget buys what public data gives for nothing. A system says what is public and what there is; the sets are here:
//!
//! | file | whose classes or links |
//! |---|---|
//! | [`nodes`] | people in one graph: labels propagated, models of labels, of features, of both |
//! | [`links`] | pairs in one graph: common neighbours, degrees, a model of what public links say, noise spread over the graph |
//! | [`visitors`] | people who come later, with a graph of their own |
//!
//! Baselines read the truth without charge: their scores are simulations, like every score of a trial, and never leave
//! with a release.

pub mod links;
pub mod nodes;
pub mod visitors;

use privet::{Error, Result};

use super::trial::verdict::{interval, points};
use super::trial::{Comparison, TrialScores, VALIDATION, Variant};

/// What a row of public data alone is, in a few words.
pub const PUBLIC_ALONE: &str =
    "the best learner that reads nothing private: label propagation, majority";
/// The same where links are predicted.
pub const PUBLIC_LINKS: &str = "the best scorer that reads nothing private: what public links say";
/// What a ceiling is, in a few words.
pub const CEILING: &str =
    "everything in the clear, the best of several learners: what privacy costs";

/// A learner by name, to be run.
pub type NamedLearner<'a> = (&'static str, Box<dyn FnOnce() -> Result<TrialScores> + 'a>);

/// The scores of the learner that is best on validation data, the first of equals; beside them each person's validation
/// score under their names.
///
/// # Errors
/// If a learner fails, or there is none.
pub fn best_of(learners: Vec<NamedLearner<'_>>) -> Result<TrialScores> {
    let mut tried = Vec::new();
    let mut best: Option<TrialScores> = None;
    for (name, learner) in learners {
        let found = learner()?;
        tried.push((format!("{VALIDATION} of {name}"), found.validation()));
        if best.as_ref().is_none_or(|best| found.validation() > best.validation()) {
            best = Some(found);
        }
    }
    let none = || Error::invalid("learners", 0, "at least one");
    let best = best.ok_or_else(none)?;
    Ok(best.and(tried.iter().map(|(name, value)| (name.as_str(), *value))))
}

/// Whether a system is worth its budget, in a sentence that claims no more than the runs do; nothing where public data
/// were not tried.
pub fn worth(comparison: &Comparison) -> Option<String> {
    let over = comparison.over(Variant::NoPrivateData)?;
    let (difference, apart) = (over.difference, points(over.difference.mean.abs()));
    Some(match () {
        () if difference.runs < 2 && difference.mean < 0.0 => {
            format!("Public data alone scored {apart} points more in this run: do not spend on it.")
        }
        () if difference.runs < 2 => {
            format!("Public data alone scored {apart} points less in this run.")
        }
        () if difference.high < 0.0 => format!(
            "It is {apart} points worse than what needs no private data at all {}: do not spend.",
            interval(&over)
        ),
        () if difference.low > 0.0 => format!(
            "It is {apart} points better than what needs no private data at all {}.",
            interval(&over)
        ),
        () => format!(
            "It cannot be told from what needs no private data at all {}: no reason to spend yet.",
            interval(&over)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::trial::TEST;

    fn learner(name: &'static str, validation: f64, test: f64) -> NamedLearner<'static> {
        (name, Box::new(move || Ok(TrialScores::new([(VALIDATION, validation), (TEST, test)]))))
    }

    /// The test score never chooses.
    #[test]
    fn validation_chooses() {
        let found =
            best_of(vec![learner("a", 0.5, 0.9), learner("b", 0.6, 0.4), learner("c", 0.6, 0.8)]);
        let found = found.unwrap();
        assert_eq!((found.validation(), found.test()), (0.6, 0.4));
        assert_eq!(found.get("validation of a"), Some(0.5));
        assert!(best_of(Vec::new()).is_err());
    }
}
