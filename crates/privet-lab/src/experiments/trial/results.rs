//! [`RunResults`]: what `privet run` found, as JSON of one schema for all systems.
//!
//! `docs/book/src/reference/results.md` documents it; [`SCHEMA`] changes with every change that a reader of it would notice.

use std::collections::{BTreeMap, BTreeSet};

use privet::learn::metrics::{PairedComparison, Summary};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Comparison, TEST, TrialScores, TrialText, Variant};

/// The schema, and its version.
pub const SCHEMA: &str = "privet.run/1";

/// What a system scored beside everything it must be compared with.
#[derive(Debug, Clone, Serialize)]
pub struct RunResults {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The system: `ldp-ge`, `hetero-rr`, `dprr` or `dpar`.
    pub system: String,
    /// The data.
    pub dataset: String,
    /// All settings, by the names of their options.
    pub settings: Map<String, Value>,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
    /// What `test` and `validation` measure.
    pub metric: &'static str,
    /// What the classes are called, in the order of confusion matrices; empty where links are predicted.
    pub classes: Vec<String>,
    /// Public facts about the data and the run, which differ by system.
    pub facts: Map<String, Value>,
    /// The system first, then what stands beside it.
    pub variants: Vec<VariantResults>,
    /// The system minus each variant on test data, seed by seed.
    pub private_minus: BTreeMap<Variant, PairedComparison>,
    /// What they say.
    pub verdict: String,
}

/// What one variant scored.
#[derive(Debug, Clone, Serialize)]
pub struct VariantResults {
    /// Which.
    pub variant: Variant,
    /// What tables call it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Each score over all seeds, by name: `test` and others.
    #[serde(flatten)]
    pub summaries: BTreeMap<String, Summary>,
    /// Test items of all runs by true class (a row) and predicted class; none where no class was predicted.
    pub confusion: Option<Vec<Vec<u64>>>,
    /// All scores, run by run.
    pub scores: Vec<TrialScores>,
    /// What else is known of it, such as its price.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl RunResults {
    /// What was measured of a system.
    pub fn new(system: &str, words: &TrialText, comparison: &Comparison) -> Self {
        let settings = words.settings.iter();
        let mut more = words.of_variants.iter().cloned();
        let variants = comparison.rows.iter().map(|row| {
            let names: BTreeSet<&str> = row.scores.iter().flat_map(TrialScores::names).collect();
            let summary = |name: &str| Some((name.to_owned(), row.summary(name)?));
            VariantResults {
                variant: row.variant,
                name: row.name.clone(),
                about: row.about.clone(),
                summaries: names.into_iter().filter_map(summary).collect(),
                confusion: row.confusion(),
                scores: row.scores.clone(),
                more: more.next().unwrap_or_default(),
            }
        });
        let others = comparison.rows.iter().map(|row| row.variant);
        let minus = |other| Some((other, comparison.minus(Variant::Private, other, TEST)?));
        Self {
            schema: SCHEMA,
            system: system.trim_start_matches("run ").to_owned(),
            dataset: words.dataset.clone(),
            settings: settings.map(|(name, value)| (name.clone(), value.clone().into())).collect(),
            seeds: comparison.seeds.clone(),
            scores_are_simulated: true,
            metric: words.metric,
            classes: words.classes.clone(),
            facts: words.data_facts.clone(),
            variants: variants.collect(),
            private_minus: others
                .filter(|other| *other != Variant::Private)
                .filter_map(minus)
                .collect(),
            verdict: words.verdict.clone(),
        }
    }
}
