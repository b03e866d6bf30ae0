//! [`Trial`]: what is measured, whatever the system: variants beside each other, over the same seeds.
//!
//! A private score alone is worth nothing. A trial says which [`Variant`]s stand beside it, what all of them
//! follow from ([`Subject::key`]), and how one is run with one seed. Running what is missing, comparing seed
//! by seed and writing it up is done once, here:
//!
//! | file | what it does |
//! |---|---|
//! | [`by_class`] | balanced accuracy, macro F1, AUC and the confusion matrix, for people to read |
//! | [`Classified`] | what predicted classes score: accuracy, what differs by class, the confusion matrix |
//! | [`data`] | what is measured on, and how one dataset is told from another |
//! | [`compare()`] | all variants with all seeds, out of a store of finished cells |
//! | [`verdict`] | differences in words that claim no more than their intervals do |
//! | [`results`] | a comparison as JSON, of one schema for all systems |
//! | [`write_up`] | a comparison as a [`Report`](crate::report::Report), and as a short table |
//!
//! One seed decides the split, the noise and the learner, and every variant runs with it: differences are
//! taken seed by seed, so what splits have in common cancels.

pub mod by_class;
mod classified;
pub mod compare;
pub mod data;
pub mod results;
pub mod verdict;
pub mod write_up;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use privet::privacy::Card;
use privet::{Error, Result};
use serde::{Deserialize, Serialize};

use super::cells::Key;

pub use classified::Classified;
pub use compare::{Comparison, VariantRow, compare, compare_some};
pub use data::NamedData;
pub use results::RunResults;
pub use write_up::{Brief, Column, TrialText};

/// What is run, of whichever system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Variant {
    /// The system, on the data of all people.
    Private,
    /// The same reports, read as the paper reads them.
    Plain,
    /// Edges drawn in place of private ones.
    Drawn,
    /// PrivHRG in place of the system's mechanism.
    PrivHrg,
    /// EdgeRand in its place.
    EdgeRand,
    /// LapGraph in its place.
    LapGraph,
    /// The same noise with nothing private behind it.
    Control,
    /// What those who publish say, and nothing else.
    Published,
    /// Public edges alone.
    PublicOnly,
    /// Features alone, at the same epsilon.
    Features,
    /// Features alone in training, the graph of those who are classified in answering.
    Spread,
    /// The system itself with everything in the clear, as papers have it.
    Clear,
    /// The best of several learners with everything in the clear: what privacy costs.
    Ceiling,
    /// The best of several learners that read nothing private.
    NoPrivateData,
    /// The system without the graph.
    GraphFree,
    /// The largest class, always.
    Majority,
}

impl Variant {
    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Plain => "plain",
            Self::Drawn => "published graph",
            Self::PrivHrg => "priv-hrg (unproven)",
            Self::EdgeRand => "edge-rand",
            Self::LapGraph => "lap-graph",
            Self::Control => "control",
            Self::Published => "published only",
            Self::PublicOnly => "public-only",
            Self::Features => "features",
            Self::Spread => "spread",
            Self::Clear => "in the clear",
            Self::Ceiling => "ceiling",
            Self::NoPrivateData => "no private data",
            Self::GraphFree => "graph-free",
            Self::Majority => "majority",
        }
    }
}

/// What one run scored: numbers by name, and how its test predictions fall into classes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrialScores {
    #[serde(flatten)]
    numbers: BTreeMap<String, f64>,
    /// Test items by true class (a row) and predicted class, where classes are predicted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confusion: Vec<Vec<u64>>,
}

/// On test data: for reporting.
pub const TEST: &str = "test";
/// On validation data: for choosing settings.
pub const VALIDATION: &str = "validation";
/// The mean over classes of the share of their test items that are predicted rightly.
pub const BALANCED: &str = "balanced_accuracy";
/// The mean over classes of F1, on test data.
pub const MACRO_F1: &str = "macro_f1";
/// The area under the ROC curve on test data: of the second of two classes, the mean over more of them.
pub const AUC: &str = "auc";
/// Wall-clock seconds.
pub const SECONDS: &str = "seconds";

impl TrialScores {
    /// Numbers by name.
    pub fn new<const N: usize>(numbers: [(&str, f64); N]) -> Self {
        numbers.into_iter().collect()
    }

    /// The names of all numbers that were taken.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    /// A number, if it was taken.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.numbers.get(name).copied()
    }

    /// The same, and others.
    #[must_use]
    pub fn and<'n>(mut self, others: impl IntoIterator<Item = (&'n str, f64)>) -> Self {
        self.numbers.extend(others.into_iter().map(|(name, value)| (name.to_owned(), value)));
        self
    }

    /// The score on test data; 0 if there is none.
    pub fn test(&self) -> f64 {
        self.get(TEST).unwrap_or(0.0)
    }

    /// The score on validation data; 0 if there is none.
    pub fn validation(&self) -> f64 {
        self.get(VALIDATION).unwrap_or(0.0)
    }

    /// How long it took; 0 if it was not measured.
    pub fn seconds(&self) -> f64 {
        self.get(SECONDS).unwrap_or(0.0)
    }
}

/// One score of several runs, without those that have none of this name.
pub fn values(runs: &[TrialScores], name: &str) -> Vec<f64> {
    runs.iter().filter_map(|scores| scores.get(name)).collect()
}

impl<'n> FromIterator<(&'n str, f64)> for TrialScores {
    fn from_iter<I: IntoIterator<Item = (&'n str, f64)>>(numbers: I) -> Self {
        let numbers = numbers.into_iter().map(|(name, value)| (name.to_owned(), value));
        Self { numbers: numbers.collect(), confusion: Vec::new() }
    }
}

/// A run: what it scored, and what was promised to those it measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The scores.
    pub scores: TrialScores,
    /// The card of a run of the system itself; its noise was replayed, so it is stamped as a simulation.
    pub card: Option<Card>,
}

/// What can be measured: a point of a figure, a row of a table.
pub trait Subject: Sync {
    /// Everything that the scores of a variant follow from, but for the seed: every setting, and the data.
    fn key(&self, variant: Variant) -> Key;

    /// Runs a variant once. The seed decides everything random; noise is replayed from it.
    ///
    /// # Errors
    /// Those of the system.
    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome>;

    /// About how many bytes one run of a variant holds at its peak, where that may be more than there are.
    fn bytes(&self, _: Variant) -> u64 {
        0
    }
}

/// More runs than a user waits for.
const MOST_RUNS: usize = 1_000_000;

/// So many seeds from the first on.
///
/// # Errors
/// If there are none, or too many to keep.
pub fn seeds(first: u64, runs: usize) -> Result<Vec<u64>> {
    let expected = "1 to 1000000: none measures nothing, and 5 tell most of it";
    Error::unless((1..=MOST_RUNS).contains(&runs), "runs", runs, expected)?;
    Ok((0..runs as u64).map(|run| first.wrapping_add(run)).collect())
}

/// A subject with everything that must stand beside it.
pub trait Trial: Subject {
    /// What stores of its cells are called.
    fn experiment(&self) -> &'static str;

    /// What is run, in the order in which it is shown; the system itself comes first.
    fn variants(&self) -> Vec<Variant>;

    /// What a variant is, in a few words.
    fn about(&self, variant: Variant) -> String;

    /// What tables call a variant.
    fn name(&self, variant: Variant) -> String {
        variant.name().into()
    }

    /// What is told beside the numbers.
    fn words(&self, comparison: &Comparison) -> TrialText;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_taken_by_name() {
        let scores = TrialScores::new([(TEST, 0.8), (SECONDS, 2.0)]);
        assert_eq!((scores.test(), scores.seconds(), scores.validation()), (0.8, 2.0, 0.0));
        assert_eq!((scores.get(TEST), scores.get(VALIDATION)), (Some(0.8), None));
        let text = serde_json::to_string(&scores).unwrap();
        assert_eq!(text, r#"{"seconds":2.0,"test":0.8}"#);
        assert_eq!(serde_json::from_str::<TrialScores>(&text).unwrap(), scores);
    }

    #[test]
    fn seeds_follow_each_other_and_are_never_none() {
        assert_eq!(seeds(7, 3).unwrap(), [7, 8, 9]);
        assert_eq!(seeds(u64::MAX, 2).unwrap(), [u64::MAX, 0]);
        for runs in [0, MOST_RUNS + 1] {
            let told = seeds(0, runs).unwrap_err().to_string();
            assert!(told.starts_with(&format!("runs: found {runs}, expected 1 to")), "{told}");
        }
    }

    /// Stores and JSON name a variant; two of one name would pass for each other.
    #[test]
    fn no_two_variants_have_the_same_name() {
        let all = [
            Variant::Private,
            Variant::Plain,
            Variant::PrivHrg,
            Variant::EdgeRand,
            Variant::LapGraph,
            Variant::Control,
            Variant::Published,
            Variant::PublicOnly,
            Variant::Features,
            Variant::Spread,
            Variant::Clear,
            Variant::Ceiling,
            Variant::NoPrivateData,
            Variant::GraphFree,
            Variant::Majority,
        ];
        let names: std::collections::BTreeSet<&str> = all.iter().map(|v| v.name()).collect();
        assert_eq!(names.len(), all.len());
        for variant in all {
            let text = serde_json::to_string(&variant).unwrap();
            assert_eq!(serde_json::from_str::<Variant>(&text).unwrap(), variant);
        }
    }
}
